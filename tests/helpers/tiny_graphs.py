"""Hand-worked cases: small graphs with literal answers, for every backend.

With the constant feature 1, level 1 of a node is its degree and level 2 the sum of its neighbours'
degrees, so that the scores below can be checked with a pencil:

=========  ===========  ===========
graph      level 1      level 2
=========  ===========  ===========
triangle   2, 2, 2      4, 4, 4
path       1, 2, 1      2, 2, 2
edge + 1   1, 1, 0      1, 1, 0
empty      0, 0, 0      0, 0, 0
=========  ===========  ===========
"""

from dataclasses import fields
from math import exp, sqrt
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.matching import GOMKKernel

_SETTINGS = {field.name for field in fields(GOMKKernel)}


def with_kernel(options):
    """Gather the options that are settings of a kernel into ``kernel``."""
    kernel = GOMKKernel(**{name: options[name] for name in _SETTINGS & options.keys()})
    others = {name: value for name, value in options.items() if name not in _SETTINGS}
    return {"kernel": kernel, **others}


TRIANGLE = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
PATH = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
EDGE_AND_NODE = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
EMPTY = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
ONES = [[1], [1], [1]]


def random_cases(count, *axes):
    """Draw values for all axes; so many that nearly every pair of values comes up."""
    rng = np.random.default_rng(0)
    return [tuple(axis[rng.integers(len(axis))] for axis in map(tuple, axes)) for _ in range(count)]


class EmbeddingCase(NamedTuple):
    name: str
    adj: list  # [N, N]
    feat: list  # [N, D]
    settings: dict
    levels: list  # [L, N, D]


X = [[1], [2], [4]]
WEIGHTED = [[0, 2, 0], [2, 0, 3], [0, 3, 0]]
R = sqrt(0.5)

EMBEDDINGS = [
    EmbeddingCase("only features", PATH, X, {"num_levels": 0}, [X]),
    EmbeddingCase("sum", PATH, X, {"num_levels": 2}, [X, [[2], [5], [2]], [[5], [4], [5]]]),
    EmbeddingCase(
        "mean", PATH, X, {"num_levels": 2, "aggregation": "mean"},
        [X, [[2], [2.5], [2]], [[2.5], [2], [2.5]]],
    ),
    EmbeddingCase(
        "sym", PATH, X, {"num_levels": 2, "aggregation": "sym"},
        [X, [[2 * R], [5 * R], [2 * R]], [[2.5], [2], [2.5]]],
    ),
    EmbeddingCase(
        "level i is divided by 2^i", PATH, X, {"num_levels": 2, "level_scale": 2.0},
        [X, [[1], [2.5], [1]], [[1.25], [1], [1.25]]],
    ),
    EmbeddingCase(
        "weights multiply along a walk", WEIGHTED, ONES, {"num_levels": 2},
        [ONES, [[2], [5], [3]], [[10], [13], [15]]],
    ),
    EmbeddingCase(
        "weighted mean", WEIGHTED, X, {"num_levels": 1, "aggregation": "mean"},
        [X, [[2], [14 / 5], [2]]],
    ),
    *(
        EmbeddingCase(
            f"a node without edges gets 0 ({aggregation})", EDGE_AND_NODE, [[1, 7], [2, 8], [3, 9]],
            {"num_levels": 2, "aggregation": aggregation},
            [[[1, 7], [2, 8], [3, 9]], [[2, 8], [1, 7], [0, 0]], [[1, 7], [2, 8], [0, 0]]],
        )
        for aggregation in ("sum", "mean", "sym")
    ),
]  # fmt: skip


class ScoreCase(NamedTuple):
    name: str
    adj: list  # [N, N]
    feat: list  # [N, D]
    filter_adj: list  # [M, M]
    filter_feat: list  # [M, D]
    settings: dict
    score: float
    matching: list | None  # [N], None where several are best


NO_EDGES_2 = [[0, 0], [0, 0]]

SCORES = [
    ScoreCase(
        "triangle and path: one node of degree 2 agrees, two differ by 1",
        TRIANGLE, ONES, PATH, ONES, {"num_levels": 1}, 3 + 1 + 2 * exp(-1), None,
    ),
    ScoreCase(
        "sym: 1 in the triangle, 1/sqrt 2 and sqrt 2 in the path",
        TRIANGLE, ONES, PATH, ONES, {"num_levels": 1, "aggregation": "sym"},
        3 + 2 * exp(-((1 - sqrt(0.5)) ** 2)) + exp(-((sqrt(2) - 1) ** 2)), None,
    ),
    ScoreCase(
        "tau of a level divides the squared distance",
        TRIANGLE, ONES, PATH, ONES, {"num_levels": 1, "tau": (5.0, 2.0)},
        3 + 1 + 2 * exp(-1 / 2), None,
    ),
    ScoreCase(
        "optimal: the first node gives way",
        NO_EDGES_2, [[0.4], [0]], NO_EDGES_2, [[0], [1]], {"num_levels": 0},
        exp(-0.36) + 1, [1, 0],
    ),
    ScoreCase(
        "greedy: the first node takes the best and the second what is left",
        NO_EDGES_2, [[0.4], [0]], NO_EDGES_2, [[0], [1]],
        {"num_levels": 0, "matching": "greedy"}, exp(-0.16) + exp(-1), [0, 1],
    ),
    *(
        ScoreCase(
            f"{matching} with the root pinned where it costs something",
            NO_EDGES_2, [[0], [0.4]], NO_EDGES_2, [[1], [0]],
            {"num_levels": 0, "matching": matching, "anchor_root": True},
            exp(-1) + exp(-0.16), [0, 1],
        )
        for matching in ("greedy", "optimal")
    ),
    ScoreCase(
        "more nodes than the filter: the node furthest off stays unmatched",
        [[0] * 3] * 3, [[5], [0], [1]], NO_EDGES_2, [[1], [0]], {"num_levels": 0}, 2, [-1, 1, 0],
    ),
    ScoreCase(
        "match: a padded node is a node of feature 0",
        NO_EDGES_2, [[1], [77]], NO_EDGES_2, [[0], [1]],
        {"num_levels": 0, "num_nodes": [1]}, 2, [1, 0],
    ),
    ScoreCase(
        "mask: a padded node is no node",
        NO_EDGES_2, [[1], [77]], NO_EDGES_2, [[0], [1]],
        {"num_levels": 0, "num_nodes": [1], "padding": "mask"}, 1, [1, -1],
    ),
    ScoreCase(
        "mask: nothing is left of a subgraph of padding",
        PATH, ONES, PATH, ONES, {"num_levels": 1, "num_nodes": [0], "padding": "mask"},
        0, [-1, -1, -1],
    ),
]  # fmt: skip


class SubgraphCase(NamedTuple):
    name: str
    edges: list
    root: int
    num_hops: int
    max_nodes: int
    policy: str
    nodes: list  # [N]
    truncated: bool


# 0 is joined to 1, 2, 3; 1 to 2 as well; 2 has a further neighbour 4, and 3 has 5, 6, 7
BUSHY = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 4), (3, 5), (3, 6), (3, 7)]

PAN = [(0, 1), (0, 2), (0, 3), (2, 3), (3, 4)]
# a square 0, 1, 4, 2; 3 hangs from 0, and 5 from 2
SQUARE = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (2, 5)]
SUBGRAPHS = [
    SubgraphCase("the whole ball of 1 hop", BUSHY, 0, 1, 5, "bfs", [0, 1, 2, 3, -1], False),
    SubgraphCase(
        "two hops, in order of the hops", BUSHY, 4, 2, 5, "bfs", [4, 2, 0, 1, -1], False
    ),
    SubgraphCase("one node a subgraph", BUSHY, 3, 2, 1, "bfs", [3], True),
    # 1 is a leaf, but 2 and 3 are joined
    SubgraphCase("dense: most edges among the neighbors of the root", PAN, 0, 1, 3, "dense",
                 [0, 2, 3], True),
    # 1 and 2 have one edge to 0 and are joined, and 1 has the lower degree; then 2 has two edges
    # into {0, 1}
    SubgraphCase("dense: lowest degree first", BUSHY, 0, 1, 2, "dense", [0, 1], True),
    SubgraphCase("dense: most edges next", BUSHY, 0, 1, 3, "dense", [0, 1, 2], True),
    # 3 (degree 4) and 4 (degree 1) have one edge each into {0, 1, 2}; 4 is out of reach at 1 hop
    SubgraphCase("dense: then lowest degree", BUSHY, 0, 2, 4, "dense", [0, 1, 2, 4], True),
    # grown by degree are 3, 1, 4; then 3 gives way to 2, which has two edges into {0, 1, 4}
    SubgraphCase("dense: a leaf gives way", SQUARE, 0, 2, 4, "dense", [0, 1, 2, 4], True),
    # grown are 6, 0, 1, 4; with 2 for 6 the root would hang from the square
    SubgraphCase("dense: a root that hangs keeps what was grown", [*SQUARE, (3, 6)], 3, 3, 5,
                 "dense", [3, 6, 0, 1, 4], True),
    SubgraphCase("another component is out of reach", [(0, 1), (2, 3)], 3, 9, 3, "dense",
                 [3, 2, -1], False),
]  # fmt: skip
