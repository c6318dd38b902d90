"""Memory: sizes as people write them, and the check of a limit."""

import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.memory import MIB, check_memory, format_size, memory_in_use, parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("12B", 12), ("512MiB", 2**29), (" 2gib ", 2**31), ("1.5 GB", 1_500_000_000)],
)
def test_parse_size(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "0", "-1", "GiB", "2 gigs", "1e9", "0.1B", "1,5GB", "²"])
def test_parse_size_refuses(text):
    with pytest.raises(InputError, match="memory_limit must be a size such as 512MiB"):
        parse_size(text)


def test_format_size():
    sizes = [format_size(n) for n in (0, 1023, 1024, 5 * MIB, 2**40)]
    assert sizes == ["0 bytes", "1023 bytes", "1.0 KiB", "5.0 MiB", "1.0 TiB"]


def test_check_memory():
    check_memory(5, 5, "five bytes")
    with pytest.raises(InputError, match="must be at least 6 bytes for five bytes, got 5 bytes"):
        check_memory(6, 5, "five bytes")


def test_memory_in_use_grows():
    before = memory_in_use()
    # More than malloc ever takes from what was freed before.
    array = np.ones(16 * MIB)
    assert memory_in_use() - before > 0.9 * array.nbytes
