"""Memory: sizes as people write them, and the check of a limit."""

import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.memory import check_memory, parse_size


@pytest.mark.parametrize(
    ("text", "size"), [("12B", 12), (" 2gib ", 2**31), ("1.5 GB", 1_500_000_000)]
)
def test_parse_size(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "0", "-1", "2 gigs", "1e9", "0.1B", "²"])
def test_parse_size_refuses(text):
    with pytest.raises(InputError, match="memory_limit must be a size such as 512MiB"):
        parse_size(text)


def test_check_memory():
    check_memory(5, 5, "five bytes")
    with pytest.raises(InputError, match="must be at least 1.5 KiB for nodes, got 5 bytes"):
        check_memory(1536, 5, "nodes")
