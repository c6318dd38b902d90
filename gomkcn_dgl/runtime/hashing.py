"""A hash of 64-bit numbers, so that sums of hashes can stand for sets."""

from __future__ import annotations

import numpy as np


def random_keys(nodes: np.ndarray, seed: int) -> np.ndarray:
    """A random number for each node, uint64, the same for a seed whichever others there are."""
    return mix64(mix64(nodes.astype(np.uint64)) ^ mix64(np.array([seed + 1], np.uint64)))


def mix64(values: np.ndarray) -> np.ndarray:
    """Hash uint64 values of any shape one to one, 0 to 0: the finalizer of SplitMix64.

    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = values ^ (values >> np.uint64(31))
    return mixed
