"""The one source of rooted subgraphs: how they are taken from a graph, sampled and streamed.

Whatever is learnt, located, counted or explained uses the same source, so that the subgraphs of any
graph are taken and compared in the same way as those that the filters were trained on.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, replace
from math import ceil, log
from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.embeddings import channel_matrices
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.runtime.files import check_memory, parse_size
from gomkcn_dgl.subgraphs import SubgraphBatch, SubgraphSettings, extract_subgraphs, usual_hops
from mining.categories import NO_CATEGORIES, Categories
from mining.graph_relations import with_relations
from mining.learning.rooted_subgraphs import FeatureScaling, RootedSubgraphs, ScaledFeatures

# most bytes that one neighbourhood takes while patterns are located: similarities, and whether it
# has the structure, for each pattern
_COUNTING_BYTES = 120
# bytes for one number of the level embeddings while subgraphs are grouped into classes: the number
# itself, the same as an integer, and its hash
_LEVEL_BYTES = 28
# subgraphs compared at once, unless memory allows fewer
PART_SIZE = 65_536
# shares of the limit for the sample, and for the subgraphs compared at once
_SAMPLE_SHARE, _PART_SHARE = 0.5, 0.1
logger = logging.getLogger("gomkcn_dgl")
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


@dataclass(frozen=True)
class SubgraphSource:
    """Takes rooted subgraphs from any graph with the features that it was made for.

    A subgraph has at most ``max_nodes`` nodes within ``num_hops`` of its root (None: half of
    ``max_nodes``, at least 3), chosen by ``policy``. ``sample_error`` decides how many roots
    filters are trained on, unless they take more than ``memory_limit`` bytes. ``relations`` and
    ``categories`` are those of the graph that the source was made for.
    """

    kernel: GOMKKernel
    scaling: FeatureScaling
    max_nodes: int
    memory_limit: int
    num_hops: int | None = None
    policy: str = "dense"
    seed: int = 0
    sample_error: float = 0.005
    backend: str = "auto"
    relations: Relations = SIMPLE
    categories: Categories = NO_CATEGORIES

    def read(self, graph: Any) -> CSRGraph:
        """Take a graph in any form, check features and relations, leave values of edges out."""
        csr = as_csr(graph)
        width = len(self.scaling.offset)
        if csr.features.shape[1] != width:
            raise InputError(
                f"graph must have the {width} features that the miner was fitted on, "
                f"got {csr.features.shape[1]}."
            )
        return with_relations(_without_values(csr), self.relations)

    def resized(self, max_nodes: int) -> SubgraphSource:
        """The same source with subgraphs of another size."""
        return replace(self, max_nodes=max_nodes)

    def extract(self, graph: CSRGraph, roots: np.ndarray | None = None) -> SubgraphBatch:
        """Take the subgraphs around some roots, int64 ``[R]``, or around all nodes."""
        num_hops = usual_hops(self.max_nodes) if self.num_hops is None else self.num_hops
        settings = SubgraphSettings(num_hops, self.max_nodes, self.policy, self.seed)
        return extract_subgraphs(graph, settings, roots)

    def subgraphs_around(self, graph: CSRGraph, roots: np.ndarray | None) -> RootedSubgraphs:
        """Take the subgraphs around some roots, or around all nodes, ready to be compared."""
        features, batch = ScaledFeatures(graph.features, self.scaling), self.extract(graph, roots)
        return RootedSubgraphs(graph, features, batch, self.kernel, self.backend)

    def training_subgraphs(self, graph: CSRGraph) -> RootedSubgraphs:
        """Take the subgraphs that filters are trained on."""
        return self.subgraphs_around(graph, self.sample_roots(graph))

    def sample_size(self, graph: CSRGraph) -> int:
        """Number of roots that filters are trained on.

        By Hoeffding's inequality, ``log(2 / risk) / (2 error²)`` roots are enough for every share
        of the sample to be right to within the error.
        """
        enough = ceil(log(2 / _SAMPLE_RISK) / (2 * self.sample_error**2))
        fitting = int(_SAMPLE_SHARE * self.memory_limit / self._subgraph_bytes)
        return min(graph.num_nodes, enough, max(1, fitting))

    def sample_roots(self, graph: CSRGraph) -> np.ndarray | None:
        """Draw the roots that filters are trained on, int64, ascending; None for all nodes."""
        size = self.sample_size(graph)
        if size == graph.num_nodes:
            return None
        # the second number keeps this stream apart from the others of the same seed
        rng = np.random.default_rng([self.seed, 7])
        return np.sort(rng.choice(graph.num_nodes, size, replace=False))

    @property
    def part_size(self) -> int:
        """Most subgraphs compared at once."""
        return max(1, min(PART_SIZE, int(_PART_SHARE * self.memory_limit / self._subgraph_bytes)))

    @property
    def _subgraph_bytes(self) -> float:
        """Bytes that one subgraph takes while it is extracted and compared."""
        size = self.max_nodes
        # with several channels of edges the embeddings are wider
        columns = channel_matrices(len(self.relations.channels)).shape[1]
        width = len(self.scaling.offset) * columns
        levels = (self.kernel.num_levels + 1) * size * width * _LEVEL_BYTES
        return levels + 8 * size * -(-size // 64) + 8 * size * size

    def check_memory(self, graph: CSRGraph) -> None:
        """Refuse a graph that takes more memory than there may be."""
        number = self.sample_size(graph)
        check_memory(
            number * _COUNTING_BYTES + self._subgraph_bytes,
            self.memory_limit,
            f"the patterns of {number:,} subgraphs",
        )


def _without_values(graph: CSRGraph) -> CSRGraph:
    """Leave the weights of edges out, and note it."""
    if graph.weights is None:
        return graph
    note = "edge weights are not used for mining: a pattern has an edge or not"
    logger.info(note)
    return replace(graph, weights=None, notes=(*graph.notes, note))
