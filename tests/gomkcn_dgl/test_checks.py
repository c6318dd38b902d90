"""Every check: what passes unchanged, and the sentence for what does not."""

import math
from functools import partial

import numpy as np
import pytest

from gomkcn_dgl.checks import (
    check_choice,
    check_finite,
    check_float,
    check_int,
    check_sizes,
    read_number,
)
from gomkcn_dgl.errors import InputError, InputTypeError

INT, FLOAT = partial(check_int, "num_hops"), partial(check_float, "width")
WRONG_INT, WRONG_FLOAT = "num_hops must be an integer, got ", "width must be a number, got "
FEATURES = np.array([[0, 0], [0, np.nan], [np.inf, 0]])


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        *(
            (text, int, "n must be an integer, got ")
            for text in ("²", "٣", "", "1_0", "1.0", "nan")
        ),
        *((text, float, "n must be a number, got ") for text in ("²", "٣", "", "1_0", "x", "0x1")),
        ("9" * 5000, int, "n must be a number of at most 30 digits, got one of 5000"),
    ],
)
def test_a_number_is_written_in_ascii_digits(text, kind, said):
    with pytest.raises(InputError, match=said):
        read_number("n", text, kind)
    good = [read_number("n", text, int) for text in ("12", "-3", " +4 ")]
    assert good == [12, -3, 4]
    numbers = [read_number("n", text, float) for text in ("1", ".5", "-2.", "1e-3", "1E4")]
    assert numbers == [1.0, 0.5, -2.0, 1e-3, 1e4]


def test_a_number_that_nothing_holds_is_refused():
    for check in (check_int, check_float):
        with pytest.raises(InputError, match=r"x must be (at most|finite)"):
            check("x", 10**5000, 0)
    # only ASCII digits, and no more of them than can be read
    for sizes in ("²", "٣", "3-²", "9" * 5000):
        with pytest.raises((InputError, InputTypeError), match="^sizes must be "):
            check_sizes("sizes", sizes, 1, 10)


@pytest.mark.parametrize("value", [1, 5, np.int32(3), np.uint8(5)])
@pytest.mark.parametrize(("check", "kind"), [(INT, int), (FLOAT, float)])
def test_a_number_becomes_a_plain_one(check, kind, value):
    result = check(value, 1, 5)
    assert (result, type(result)) == (value, kind)


@pytest.mark.parametrize(
    ("check", "error", "sentence"),
    [
        *((partial(INT, value, 0), InputTypeError, WRONG_INT)
          for value in (1.0, "3", None, True, np.bool_(True), [1])),
        (partial(INT, 0, 1), InputError, "num_hops must be at least 1"),
        (partial(INT, 6, 1, 5), InputError, "num_hops must be at most 5"),
        *((partial(FLOAT, value), InputTypeError, WRONG_FLOAT)
          for value in ("1", None, True, np.bool_(False), 1j)),
        (partial(FLOAT, math.nan), InputError, "width must be finite"),
        (partial(FLOAT, math.inf), InputError, "width must be finite"),
        (partial(FLOAT, -1, 0, 1), InputError, "width must be at least 0"),
        (partial(FLOAT, 0, 0, 1, open_minimum=True), InputError, "width must be greater than 0"),
        (partial(FLOAT, 2, 0, 1), InputError, "width must be at most 1"),
        *((partial(check_choice, "padding", value, ["match", "mask"]), InputError,
           "padding must be one of 'mask', 'match', got ") for value in ("masks", 3, ["mask"])),
        (partial(check_finite, "features", FEATURES), InputError,
         "features must be finite, got nan in row 1, column 1"),
        (partial(check_finite, "weights", FEATURES[:, 0]), InputError,
         "weights must be finite, got inf in row 2 "),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused(check, error, sentence):
    with pytest.raises(error, match=sentence):
        check()
