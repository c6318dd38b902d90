"""The rooted subgraphs of a graph that filters are trained on: which roots, and how many."""

from __future__ import annotations

import os
from math import ceil, log

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.embeddings import channel_matrices
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.files import check_memory, parse_size
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs, usual_hops
from mining.learning.filter_learning import FilterLearning
from mining.learning.rooted_subgraphs import FeatureScaling, RootedSubgraphs, ScaledFeatures

# bytes for one number of the level embeddings while subgraphs are grouped into classes: the number
# itself, the same as an integer, and its hash
_LEVEL_BYTES = 28
# share of the limit that the subgraphs may take
_SHARE = 0.5
# probability with which a share of the sample may differ from that of all nodes by more than
# sample_error
_SAMPLE_RISK = 0.01


def read_limit(limit: int | str | None) -> int:
    """Return a limit in bytes; half of the machine's memory for None."""
    if limit is None:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    if isinstance(limit, str):
        return parse_size(limit)
    return check_int("memory_limit", limit, 1)


def training_subgraphs(
    graph: CSRGraph,
    scaling: FeatureScaling,
    kernel: GOMKKernel,
    max_nodes: int,
    learning: FilterLearning,
    memory_limit: int,
    seed: int,
    backend: str = "auto",
) -> RootedSubgraphs:
    """Take subgraphs of at most ``max_nodes`` nodes around all nodes, or around a sample of them.

    By Hoeffding's inequality, ``log(2 / risk) / (2 error²)`` roots are enough for every share of
    the sample to be right to within the error; there are fewer where these would take more than
    half of ``memory_limit`` bytes.
    """
    own = _subgraph_bytes(graph, kernel, max_nodes)
    check_memory(own / _SHARE, memory_limit, "a subgraph")
    enough = ceil(log(2 / _SAMPLE_RISK) / (2 * learning.sample_error**2))
    size = min(graph.num_nodes, enough, int(_SHARE * memory_limit / own))
    roots = None
    if size < graph.num_nodes:
        # the second number keeps this stream apart from the others of the same seed
        rng = np.random.default_rng([seed, 7])
        roots = np.sort(rng.choice(graph.num_nodes, size, replace=False))
    num_hops = usual_hops(max_nodes) if learning.num_hops is None else learning.num_hops
    settings = SubgraphSettings(num_hops, max_nodes, learning.policy, seed)
    batch = extract_subgraphs(graph, settings, roots)
    return RootedSubgraphs(batch, ScaledFeatures(graph.features, scaling), kernel, backend)


def _subgraph_bytes(graph: CSRGraph, kernel: GOMKKernel, size: int) -> float:
    """Bytes that one subgraph takes while it is extracted and compared."""
    # with several channels of edges the embeddings are wider
    columns = channel_matrices(len(graph.relations.channels)).shape[1]
    width = graph.features.shape[1] * columns
    levels = (kernel.num_levels + 1) * size * width * _LEVEL_BYTES
    return levels + 8 * size * -(-size // 64) + 8 * size * size
