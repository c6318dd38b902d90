"""The parts of labelled data on which a classifier is trained, validated and tested."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.checks import check_float, check_int
from gomkcn_dgl.errors import InputError

PARTS = ("train", "val", "test")
_SHARES = (0.8, 0.1, 0.1)


class Split(NamedTuple):
    """Numbers of the graphs or nodes of the three parts, int64 each, disjoint."""

    train: np.ndarray
    val: np.ndarray
    test: np.ndarray


def stratified_split(
    labels: np.ndarray, shares: Sequence[float] = (0.8, 0.1, 0.1), seed: int = 0
) -> Split:
    """Split each class at random in the same three shares, which sum to at most 1."""
    check_int("seed", seed, 0)
    if len(shares) != 3:
        raise InputError(f"split must be three shares such as 0.8,0.1,0.1, got {len(shares)}.")
    for share in shares:
        check_float("split", share, 0.0, 1.0, open_minimum=True)
    if sum(shares) > 1 + 1e-9:
        raise InputError(f"split must sum to at most 1, got {sum(shares):g}.")
    rng = np.random.default_rng(seed)
    ends = np.cumsum(shares)
    parts: tuple[list[np.ndarray], ...] = ([], [], [])
    for label in np.unique(labels):
        rows = rng.permutation(np.flatnonzero(labels == label))
        borders = [round(end * len(rows)) for end in ends]
        for part, piece in zip(parts, np.split(rows, borders)[:3], strict=True):
            part.append(piece)
    return check_split(Split(*(np.sort(np.concatenate(part)) for part in parts)))


def resolve_split(
    labels: np.ndarray, given: Split | None, shares: tuple[float, ...] | None, seed: int
) -> tuple[Split, tuple[float, ...] | None]:
    """The split of the data, or one in these shares or the usual ones, and the shares it has."""
    if shares is None and given is not None:
        return given, None
    shares = _SHARES if shares is None else shares
    return stratified_split(labels, shares, seed), shares


def check_split(split: Split) -> Split:
    """Return a split whose parts are disjoint and not empty; refuse any other."""
    for name, part in zip(PARTS, split, strict=True):
        if len(part) == 0:
            raise InputError(f"split leaves nothing for {name}; give it a larger share.")
    if len(np.unique(np.concatenate(split))) < sum(map(len, split)):
        raise InputError("the parts of a split must not share members, and two of them do.")
    return split
