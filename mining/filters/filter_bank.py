"""Filters of several sizes, ready to say how similar the subgraphs of a graph are to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.filters.discrete_filters import DiscreteFilters
from gomkcn.mining.filters.graph_on_device import GraphOnDevice
from gomkcn.mining.filters.neighbourhoods import structure_codes
from gomkcn.mining.structures.categories import Categories
from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import SubgraphBatch, SubgraphSettings, extract_subgraphs

# subgraphs that are extracted and scored at once, some tenths of a second of one thread
PART_SIZE = 4096
# similarities that are told apart; what is closer is the same but for rounding
_DECIMALS = 4
# of equally similar filters one goes first that the subgraph is, and then the larger one
_OF_EXACT, _OF_NODE = 1e-5, 1e-7


class Responses(NamedTuple):
    """How similar the subgraphs around S nodes are to F filters, and how they are matched.

    A filter is compared with the subgraph of its own size, of which there are G.
    """

    nodes: np.ndarray  # int32 [S, G, N], nodes of each subgraph, the root first, -1 = padding
    similarity: np.ndarray  # float32 [S, F], in [0, 1]; NaN for a node that was not drawn
    is_exact: np.ndarray  # bool [S, F], whether the subgraph is the structure of the filter
    labels: np.ndarray  # int64 [S], the filter that each belongs to; -1 for none
    matching: np.ndarray  # int8 [S, N], the node of that filter that each node is matched to

    def of_filters(self, order: np.ndarray) -> Responses:
        """The same of some filters, to which all labels are, in an order."""
        place = np.full(self.similarity.shape[1] + 1, -1)
        place[order] = np.arange(len(order))
        return self._replace(
            similarity=self.similarity[:, order],
            is_exact=self.is_exact[:, order],
            labels=place[self.labels],
        )


class _Compared(NamedTuple):
    """The S subgraphs of a size beside the F' filters that they are compared with."""

    nodes: np.ndarray  # int32 [S, N], -1 = padding
    scores: np.ndarray  # float32 [S, F']
    is_exact: np.ndarray  # bool [S, F']
    matching: np.ndarray | Tensor  # [S, F', N], on the device where it was found

    def matched(self, rows: np.ndarray, filters: np.ndarray) -> np.ndarray:
        """The matching ``[R, N]`` of R subgraphs with a filter each: no other leaves a device."""
        if isinstance(self.matching, np.ndarray):
            return self.matching[rows, filters]
        device = self.matching.device
        places = torch.from_numpy(rows).to(device), torch.from_numpy(filters).to(device)
        matched: np.ndarray = self.matching[places].cpu().numpy()
        return matched


@dataclass(frozen=True, eq=False)
class FilterBank:
    """F filters as graphs, and all that decides how similar a subgraph is to them.

    ``sizes`` are those of the subgraphs that the filters are compared with, ``scaling`` is that of
    the features, ``settings`` say how the largest subgraphs are taken; ``relations``,
    ``feature_names`` and ``categories`` are those of the graph that the filters were learnt on. Of
    filters that a subgraph is equally similar to, the one of the lowest of the ``ranks`` goes
    first.
    """

    filters: DiscreteFilters
    sizes: tuple[int, ...]
    scaling: FeatureScaling
    settings: SubgraphSettings
    kernel: GOMKKernel
    backend: str
    relations: Relations
    feature_names: tuple[str, ...]
    categories: Categories
    ranks: tuple[int, ...] = ()

    def __len__(self) -> int:
        """Number of filters F."""
        return len(self.filters)

    @cached_property
    def subgraph_sizes(self) -> list[int]:
        """The G different sizes of subgraphs, ascending."""
        return sorted(set(self.sizes))

    def settings_of(self, size: int) -> SubgraphSettings:
        """How the subgraphs of a size are taken."""
        return replace(self.settings, max_nodes=size)

    @cached_property
    def structures(self) -> tuple[Structure, ...]:
        """The structure of each filter; its nodes have categories where those of the graph do."""
        return tuple(self._structure(number) for number in range(len(self)))

    def _structure(self, number: int) -> Structure:
        names: tuple[tuple[str, ...], ...] = ()
        if self.categories:
            # scaled columns of categories that no node has, or all have, cannot be compared
            names = self.categories.names_of(self._colors(number), self.feature_names)
        return self.filters.structure(number, self.relations, names)

    def _colors(self, number: int) -> np.ndarray:
        """The categories of the nodes of a filter as numbers, int64 ``[M']``."""
        return self.categories.colors(self.features(number))

    def code(self, number: int) -> np.ndarray:
        """The code of the structure of a filter among those of subgraphs of its size, ``[1]``."""
        return structure_codes(*self._as_graphs(np.array([number])))

    def _as_graphs(self, filters: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """The structures of F' filters of a size as :func:`structure_codes` takes graphs."""
        size, num_nodes = self.sizes[filters[0]], np.array(self.filters.num_nodes)[filters]
        links = np.zeros((len(filters), size, size), np.uint16)
        colors = np.full((len(filters), size), -1) if self.categories else None
        for row, (number, stop) in enumerate(zip(filters.tolist(), num_nodes, strict=True)):
            # what joins nodes in no way that the graph has, has a number that no subgraph has
            links[row, :stop, :stop] = self.structures[number].links
            if colors is not None:
                colors[row, :stop] = self._colors(number)
        return links, num_nodes, colors

    def features(self, number: int) -> np.ndarray:
        """Features of the nodes of a filter in the units of the input, float64 ``[M', D]``."""
        size = self.filters.num_nodes[number]
        return self.scaling.restore(self.filters.feat[number, :size])

    def weights(self, number: int) -> np.ndarray:
        """Learnt weights of the edges of a filter, float32 ``[M', M']`` or ``[M', M', C]``."""
        size = self.filters.num_nodes[number]
        weights: np.ndarray = self.filters.weights[number, :size, :size]
        return weights

    def take(self, order: np.ndarray) -> FilterBank:
        """Some filters, in an order; of equally similar ones the same goes first as before."""
        ranks = self.ranks or tuple(range(len(self)))
        return replace(
            self,
            filters=self.filters.take(order),
            sizes=tuple(self.sizes[number] for number in order.tolist()),
            ranks=tuple(ranks[number] for number in order.tolist()),
        )

    def in_reading_order(self) -> FilterBank:
        """The same filters with the nodes of each in the order of pages."""
        old = self.filters
        adj, feat, weights = old.adj.copy(), old.feat.copy(), old.weights.copy()
        for number, structure in enumerate(self.structures):
            size = structure.num_nodes
            order = structure.reading_order
            adj[number, :size, :size] = old.adj[number][order][:, order]
            weights[number, :size, :size] = old.weights[number][order][:, order]
            feat[number, :size] = old.feat[number][order]
        return replace(self, filters=DiscreteFilters(adj, feat, weights, old.num_nodes))

    def place(self, graph: CSRGraph, device: Any) -> CSRGraph | GraphOnDevice:
        """A graph where :meth:`respond` takes it: as it is for the CPU, else on a device.

        It has the relations and the features of that which the filters were learnt on.
        """
        if str(device) == "cpu" and self.backend in ("auto", "numba"):
            return graph
        feat = self.scaling.scale(graph.features)
        if not self.categories:
            return GraphOnDevice.of(graph, device, feat)
        palette = np.unique([color for k in range(len(self)) for color in self._colors(k)])
        return GraphOnDevice.of(
            graph, device, feat, self.categories.colors(graph.features), palette
        )

    def respond(self, graph: CSRGraph | GraphOnDevice, roots: np.ndarray) -> Responses:
        """How similar the subgraphs around some nodes are to each filter, where the graph lies.

        The graph is what :meth:`place` gives. Of one on a device no more comes back than is
        returned.
        """
        width = max(self.sizes, default=1)
        count = len(roots)
        nodes = np.full((count, len(self.subgraph_sizes), width), -1, np.int32)
        similarity = np.empty((count, len(self)), np.float32)
        is_exact = np.zeros((count, len(self)), bool)
        # 1. the filters of each size, beside the subgraphs of that size
        compared = []
        for place, size in enumerate(self.subgraph_sizes):
            numbers = self._of_size(size)
            if isinstance(graph, GraphOnDevice):
                found = self._compare_there(graph, roots, numbers)
            else:
                found = self._compare_here(graph, roots, numbers)
            # the difference of two numbers that are too large is none
            refuse_overflow(bool(np.isfinite(found.scores).all()), self.kernel)
            nodes[:, place, :size] = found.nodes
            similarity[:, numbers] = found.scores / np.float32(self.kernel.largest_score(size))
            is_exact[:, numbers] = found.is_exact
            compared.append(found)
        # 2. the filter that each root belongs to, and how the two are matched
        labels = self.label(similarity, is_exact)
        matching = np.full((count, width), -1, np.int8)
        for size, found in zip(self.subgraph_sizes, compared, strict=True):
            numbers = self._of_size(size)
            rows = np.flatnonzero(np.isin(labels, numbers))
            part = found.matched(rows, np.searchsorted(numbers, labels[rows]))
            # nodes of a filter beyond its own are padding
            num_nodes = np.array(self.filters.num_nodes)[labels[rows], None]
            part[(part >= num_nodes) | (found.nodes[rows] < 0)] = -1
            matching[rows, :size] = part
        return Responses(nodes, similarity, is_exact, labels, matching)

    def _of_size(self, size: int) -> np.ndarray:
        """The filters that are compared with subgraphs of a size, ascending."""
        return np.flatnonzero(np.array(self.sizes) == size)

    def nodes_of_labels(self, responses: Responses) -> np.ndarray:
        """The subgraph around each root that its filter is compared with, int32 ``[S, N]``."""
        labels = responses.labels
        nodes = np.full((len(labels), responses.nodes.shape[2]), -1, np.int32)
        place = np.searchsorted(self.subgraph_sizes, self.sizes)
        rows = np.flatnonzero(labels >= 0)
        if len(rows):
            nodes[rows] = responses.nodes[rows, place[labels[rows]]]
        return nodes

    def label(self, similarity: np.ndarray, is_exact: np.ndarray) -> np.ndarray:
        """The filter that each of S subgraphs is most similar to, int64 ``[S]``.

        Of equally similar ones first the one that it is, then the one with most nodes. Without
        filters, and where nobody asked, it is -1.
        """
        if not len(self):
            return np.full(len(similarity), -1)
        order = np.argsort(self.ranks or np.arange(len(self)))
        sizes = np.array(self.filters.num_nodes)
        key = (
            np.round(similarity.astype(np.float64), _DECIMALS)
            + _OF_EXACT * is_exact
            + _OF_NODE * sizes
        )
        is_known = ~np.isnan(similarity[:, 0])
        return np.where(is_known, order[np.nan_to_num(key)[:, order].argmax(axis=1)], -1)

    def _compare_here(self, graph: CSRGraph, roots: np.ndarray, numbers: np.ndarray) -> _Compared:
        """Compare some filters of a size with the subgraphs around some roots, by arrays."""
        size = self.sizes[numbers[0]]
        batch = extract_subgraphs(graph, self.settings_of(size), roots)
        # 1. the nodes that these subgraphs have, so that the features of no others are scaled
        used, local = np.unique(batch.nodes, return_inverse=True)
        is_padded = int(len(used) > 0 and used[0] == -1)
        local = (local.reshape(batch.nodes.shape) - is_padded).astype(np.int32)
        features = graph.features[used[is_padded:]]
        # 2. how similar they are
        feat = self.scaling.scale(features)
        renumbered = replace(batch, nodes=local)
        scores, matching = self.kernel.match_arrays(renumbered, feat, self._embedded(numbers))
        # 3. which of them a filter is the structure of
        colors = None
        if self.categories:
            colors = np.where(local < 0, -1, self.categories.colors(features)[local])
        return _Compared(batch.nodes, scores, self._are_exact(batch, colors, numbers), matching)

    def _compare_there(
        self, graph: GraphOnDevice, roots: np.ndarray, numbers: np.ndarray
    ) -> _Compared:
        """The same on the device of a graph."""
        subgraphs = graph.extract(self.settings_of(self.sizes[numbers[0]]), roots)
        z = torch.from_numpy(self._embedded(numbers)).to(graph.device)
        with torch.no_grad():
            matched = self.kernel.match_subgraphs(subgraphs, graph.feat, z, self.backend)
        return _Compared(
            subgraphs.nodes.cpu().numpy(),
            matched.scores.cpu().numpy(),
            graph.are_exact(subgraphs, *self._as_graphs(numbers)),
            matched.matching,
        )

    def _embedded(self, numbers: np.ndarray) -> np.ndarray:
        """Level embeddings of some filters of a size N, float32 ``[F', L, N, D]``."""
        filters = self.filters.take(numbers).padded(self.sizes[numbers[0]])
        return self.kernel.embed(filters.adj, filters.feat)

    def _are_exact(
        self, batch: SubgraphBatch, colors: np.ndarray | None, numbers: np.ndarray
    ) -> np.ndarray:
        """Whether each subgraph is the structure of some filters of its size, bool ``[S, F']``."""
        is_exact = np.zeros((len(batch), len(numbers)), bool)
        # 1. of as many nodes, and with as many neighbours: nearly all others are told at once
        links, num_nodes, of_filters = self._as_graphs(numbers)
        may_be = (_degrees(batch.links)[:, None] == _degrees(links)).all(axis=2)
        may_be &= batch.num_nodes[:, None] == num_nodes
        # 2. the others by their codes
        rows = np.flatnonzero(may_be.any(axis=1))
        some = None if colors is None else colors[rows]
        codes = structure_codes(batch.links[rows], batch.num_nodes[rows], some)
        is_exact[rows] = codes[:, None] == structure_codes(links, num_nodes, of_filters)
        return is_exact


def _degrees(links: np.ndarray) -> np.ndarray:
    """The numbers of neighbours of the nodes of each graph, ascending, ``[B, N]``."""
    return np.sort((links > 0).sum(axis=2), axis=1)


def refuse_overflow(is_finite: bool, kernel: GOMKKernel) -> None:
    """Refuse walk counts that single precision cannot hold."""
    if not is_finite:
        raise InputError(
            (
                Argument("num_levels"),
                " and ",
                Argument("level_scale"),
                " must keep walk counts within single precision",
            ),
            got=f"{kernel.num_levels} and {kernel.level_scale:g}",
            way_out="lower the first or raise the second",
        )


def respond_everywhere(
    bank: FilterBank, order: NodeOrder, device: Any, most: int, steps: Steps
) -> Responses:
    """The responses of all nodes of a graph, or of ``most`` that are drawn at random.

    They are worked out in the order of the graph, so that they do not depend on how its nodes are
    numbered, and are given in the numbers that it came with. Where time is up before all have
    responded, those that have were drawn at random, too.
    """
    graph = bank.place(order.graph, device)
    # the second number keeps this stream apart from the others of the same seed
    rng = np.random.default_rng([bank.settings.seed, 11])
    roots = rng.permutation(order.graph.num_nodes)[:most]
    parts = [np.sort(part) for part in np.split(roots, range(PART_SIZE, len(roots), PART_SIZE))]

    def respond(number: int) -> Responses:
        return bank.respond(graph, parts[number])

    # the first part is done however late it is
    step = "assigning nodes to filters"
    done = steps.each(step, Responses, respond, [0])
    if len(parts) > 1:
        done += steps.each(step, Responses, respond, range(1, len(parts)), in_time=True)
    total, width = order.graph.num_nodes, max(bank.sizes, default=1)
    found = Responses(
        np.full((total, len(bank.subgraph_sizes), width), -1, np.int32),
        np.full((total, len(bank)), np.nan, np.float32),
        np.zeros((total, len(bank)), bool),
        np.full(total, -1),
        np.full((total, width), -1, np.int8),
    )
    for part, result in zip(parts, done, strict=False):
        given = order.given(part)
        result = result._replace(nodes=order.given(result.nodes))
        for name, values in result._asdict().items():
            getattr(found, name)[given] = values
    return found
