"""Where one structure lies in another, induced, with directions, types and categories."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.graphs.structure import Structure


def find_part(whole: Structure, part: Structure) -> np.ndarray | None:
    """Nodes of ``whole`` that induce ``part``, int64 ``[A]`` in the order of its nodes, or None.

    Both are from one graph.

    >>> square = Structure.parse("ring-4")
    >>> find_part(square, Structure.parse("path-3")).tolist()
    [0, 1, 2]
    >>> find_part(square, Structure.parse("triangle")) is None
    True
    """
    if part.num_nodes > whole.num_nodes:
        return None
    codes_of_whole, codes_of_part = _codes(whole.channels, part.channels)
    fits = (codes_of_part != 0).sum(axis=1)[:, None] <= (codes_of_whole != 0).sum(axis=1)
    for row, own in zip(fits, part.categories, strict=False):
        row &= [names == own for names in whole.categories]
    mapping = _extend([], codes_of_whole.tolist(), codes_of_part.tolist(), fits.tolist())
    return None if mapping is None else np.array(mapping)


def _extend(
    mapping: list[int], whole: list[list[int]], part: list[list[int]], fits: list[list[bool]]
) -> list[int] | None:
    """Map the next node of the part, and all after it; None where that cannot be done."""
    node = len(mapping)
    if node == len(part):
        return mapping
    for other in range(len(whole)):
        agrees = (whole[other][mapping[k]] == part[node][k] for k in range(node))
        if fits[node][other] and other not in mapping and all(agrees):
            found = _extend([*mapping, other], whole, part, fits)
            if found is not None:
                return found
    return None


def _codes(*adjacencies: np.ndarray) -> list[np.ndarray]:
    """A number for all that joins two nodes, ``[M, M]`` each; 0 where nothing does."""
    rows = [adjacency.reshape(len(adjacency) ** 2, -1) != 0 for adjacency in adjacencies]
    # sorted, what joins nothing comes first
    none = np.zeros((1, rows[0].shape[1]), dtype=bool)
    _, numbers = np.unique(np.concatenate([none, *rows]), axis=0, return_inverse=True)
    parts = np.split(numbers.reshape(-1)[1:], np.cumsum([len(row) for row in rows])[:-1])
    return [
        codes.reshape(len(adjacency), -1)
        for codes, adjacency in zip(parts, adjacencies, strict=True)
    ]
