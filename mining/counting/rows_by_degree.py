"""A graph, or a part of it, whose nodes are numbered by their degrees.

So a cycle, or a set of nodes, is met at its last node, which has most neighbours, and few of the
paths that lead there are looked at (N. Chiba and T. Nishizeki, Arboricity and subgraph listing
algorithms, SIAM Journal on Computing 14, 1985).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class RowsByDegree(NamedTuple):
    """N nodes in ascending order of their degrees, equal ones as they were, and L edges."""

    indptr: np.ndarray  # int64 [N + 1]
    indices: np.ndarray  # int32 or uint32 [2 L], ascending in each row
    label: np.ndarray  # integers [2 L], what is on each entry: the number of its edge, or its link
    up: np.ndarray  # int64 [N], the first entry of each row whose node is later
