"""Every check: what passes unchanged, and the sentence for what does not."""

import math

import numpy as np
import pytest

from gomkcn_dgl.checks import check_choice, check_finite, check_float, check_int
from gomkcn_dgl.errors import InputError, InputTypeError


@pytest.mark.parametrize("value", [1, 5, np.int32(3), np.uint8(5)])
def test_check_int_returns_a_plain_int(value):
    result = check_int("num_hops", value, 1, 5)
    assert result == value
    assert type(result) is int


@pytest.mark.parametrize("value", [1.0, "3", None, True, np.bool_(True), [1]])
def test_check_int_refuses_other_types(value):
    with pytest.raises(InputTypeError, match="num_hops must be an integer, got "):
        check_int("num_hops", value, 0)


def test_check_int_refuses_values_out_of_range():
    with pytest.raises(InputError, match="num_hops must be at least 1"):
        check_int("num_hops", 0, 1)
    with pytest.raises(InputError, match="num_hops must be at most 5"):
        check_int("num_hops", 6, 1, 5)


@pytest.mark.parametrize("value", [0, 0.5, np.float32(1), 1])
def test_check_float_returns_a_plain_float(value):
    result = check_float("width", value, 0, 1)
    assert result == value
    assert type(result) is float


@pytest.mark.parametrize("value", ["1", None, True, np.bool_(False), 1j])
def test_check_float_refuses_other_types(value):
    with pytest.raises(InputTypeError, match="width must be a number, got "):
        check_float("width", value)


@pytest.mark.parametrize(
    ("value", "open_minimum", "sentence"),
    [
        (math.nan, False, "width must be finite"),
        (math.inf, False, "width must be finite"),
        (-1, False, "width must be at least 0"),
        (0, True, "width must be greater than 0"),
        (2, False, "width must be at most 1"),
    ],
)
def test_check_float_refuses_values_out_of_range(value, open_minimum, sentence):
    with pytest.raises(InputError, match=sentence):
        check_float("width", value, 0, 1, open_minimum=open_minimum)


@pytest.mark.parametrize("value", ["masks", 3, None, ["mask"]])
def test_check_choice_lists_the_choices(value):
    with pytest.raises(InputError, match="padding must be one of 'mask', 'match', got "):
        check_choice("padding", value, ["match", "mask"])


def test_check_finite_names_the_first_bad_entry():
    matrix = np.zeros((3, 2))
    matrix[1, 1] = np.nan
    matrix[2, 0] = np.inf
    with pytest.raises(InputError, match="features must be finite"):
        check_finite("features", matrix)
    with pytest.raises(InputError, match="weights must be finite, got inf in row 2 "):
        check_finite("weights", np.array([0, 0, np.inf]))
