"""The sort of compiled functions: that of NumPy, with equal keys in their order."""

import numpy as np
import pytest

from gomkcn_dgl.kernels.sorting_numba import sort_by, sort_by_whole
from gomkcn_dgl.runtime.compiled import compiled


@compiled()
def sort_places(items, keys, spare):
    sort_by(items, keys, spare)


@pytest.mark.parametrize("size", [0, 1, 2, 24, 25, 48, 49, 72, 73, 97, 1000])
@pytest.mark.parametrize("num_keys", [1, 3, 10**6])
@pytest.mark.parametrize(
    ("item_type", "key_type"), [(np.int64, np.float64), (np.uint32, np.uint64)]
)
def test_items_are_sorted_and_equal_keys_stay_in_order(size, num_keys, item_type, key_type):
    random = np.random.default_rng(size)
    # keys of more items than are sorted, and a longer spare, as in a row of a graph
    keys = random.integers(0, num_keys, 2 * size + 1).astype(key_type)
    items = random.permutation(2 * size + 1)[:size].astype(item_type)
    expected = items[np.argsort(keys[items], kind="stable")]
    before = keys.copy()
    sort_places(items, keys, np.empty(size + 3, item_type))
    assert items.tolist() == expected.tolist()
    assert (keys == before).all()


@compiled()
def sort_places_by_digits(items, keys, spare):
    sort_by_whole(items, keys, spare)


@pytest.mark.parametrize("size", [0, 1, 24, 25, 1000])
@pytest.mark.parametrize("most", [0, 1, 255, 256, 65535, 65536, 2**40, 2**62])
def test_items_are_sorted_by_whole_numbers_of_any_range(size, most):
    random = np.random.default_rng(size)
    # around any number, below 0 as well; and the whole range occurs
    keys = random.integers(0, most + 1, 2 * size + 2) - most // 2
    keys[:2] = -(most // 2), most - most // 2
    items = random.permutation(2 * size + 2)[:size]
    expected = items[np.argsort(keys[items], kind="stable")]
    before = keys.copy()
    sort_places_by_digits(items, keys, np.empty(size + 3, np.int64))
    assert items.tolist() == expected.tolist()
    assert (keys == before).all()
