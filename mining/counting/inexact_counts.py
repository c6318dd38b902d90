"""Inexact occurrences: how often a pattern occurs with a few edges missing or added, and where.

A set of nodes induces one structure. So the sets within some edits of a pattern are the induced
occurrences of the distinct structures within so many edits, each of which is counted on its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gomkcn.mining.counting.census import are_connected
from gomkcn.mining.counting.counter import count_query, list_query
from gomkcn.mining.counting.query import Query
from gomkcn.mining.counting.watching import STEPS_PER_SECOND, Watch, to_the_end
from gomkcn.mining.structures.categories import Colors, colors_in
from gomkcn.mining.structures.graph_relations import channels_in
from gomkcn.mining.structures.node_sets import distinct_structures, palette_of_numbers
from gomkcn.mining.structures.pattern import OccurrenceCount
from gomkcn_dgl.bounds import MOST_LISTED, MOST_STEPS
from gomkcn_dgl.checks import RandomState, as_seed, check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure, edge_to_text, edges_of
from gomkcn_dgl.runtime.steps import Steps

# nodes of the largest pattern, whose drawings can be listed
_MOST_NODES = 8
# drawings within the edits, isomorphic ones included, which are held at once
_MOST_DRAWINGS = 10_000
# so many places of each drawing have numbers of 64 bits
_MANY = 1 << 49


@dataclass(frozen=True, eq=False)
class Variant:
    """A structure within some edits of a pattern, how often it occurs, and in which graphs.

    Node i stands for node i of the pattern, ``edits`` are such as ``"missing A--B"`` and ``"added
    1->3"``, and ``graphs`` is bool ``[G]``: where an occurrence was found.
    """

    structure: Structure
    edits: tuple[str, ...]
    count: OccurrenceCount
    graphs: np.ndarray


@dataclass(frozen=True, eq=False)
class InexactCounts:
    """A pattern with at most ``errors`` edits, as :func:`gomkcn.count` counted it.

    ``variants`` are the connected structures within so many edits, those with fewest first.
    """

    graph: CSRGraph
    structure: Structure
    colors: Colors | None
    errors: int
    variants: list[Variant]

    @property
    def counts(self) -> list[OccurrenceCount]:
        """Occurrences with 0, 1, …, ``errors`` edits."""
        return [
            OccurrenceCount.sum(
                variant.count for variant in self.variants if len(variant.edits) == number
            )
            for number in range(self.errors + 1)
        ]

    def places(
        self,
        most: int = 10_000,
        *,
        max_steps: int = 5 * STEPS_PER_SECOND,
        seed: RandomState = 0,
        watch: Watch = to_the_end,
    ) -> tuple[np.ndarray, np.ndarray, bool]:
        """List all occurrences, or a random sample as :func:`gomkcn.places` does.

        Returns the node of each pattern node, int32 ``[K, M]``, in a mapping with fewest edits; the
        number of the variant of each occurrence, int64 ``[K]``, ascending; and whether these are
        all. A sample is uniform where the counts are exact; else variants share the steps.
        """
        check_int("most", most, 1, MOST_LISTED)
        # 1. how many of each variant, where so many are drawn of all
        counts = [variant.count for variant in self.variants]
        sizes = np.array([min(round(count.value), _MANY) for count in counts], np.int64)
        ends = np.cumsum(sizes)
        total = int(sizes.sum())
        random = np.random.default_rng(as_seed("seed", seed))
        drawn = random.choice(total, min(most, total), replace=False)
        wanted = np.bincount(ends.searchsorted(drawn, "right"), minlength=len(sizes))
        # 2. list them
        complete = total <= most and all(count.is_exact for count in counts)
        rows = [np.empty((0, self.structure.num_nodes), np.int32)]
        listed = np.flatnonzero(wanted)
        for number in listed.tolist():
            known = counts[number]
            structure = self.variants[number].structure
            places, is_all = list_query(
                Query.of_structure(self.graph, structure, self.colors),
                most=int(wanted[number]),
                max_steps=max_steps if known.is_exact else max(1, max_steps // len(listed)),
                known=known.value,
                # not the draws that chose the variants
                seed=int(random.integers(1 << 62)),
                watch=watch,
            )
            complete &= is_all
            rows.append(places)
        return np.concatenate(rows), np.repeat(listed, [*map(len, rows[1:])]), complete


def count_inexact(
    graph: CSRGraph,
    structure: Structure,
    colors: Colors | None = None,
    *,
    errors: int = 1,
    count_error: float = 0.02,
    max_steps: int = STEPS_PER_SECOND,
    seed: int = 0,
    steps: Steps | None = None,
) -> InexactCounts:
    """Count the node sets that induce a pattern but for a few edges, by the number of edits.

    A mapping of the pattern to as many nodes, which keeps colours, has an *edit* for each edge of
    the pattern that is missing between them, and one for each edge between them that the pattern
    does not have; an edge of another direction or relation is both. The edits of a set of nodes are
    the fewest of all mappings. Counted, once each, are the sets with at most ``errors`` whose
    induced subgraph is connected, directions aside.

    Parameters
    ----------
    graph : CSRGraph
        One graph or a collection.
    structure, colors
        As for ``Query.of_structure``; of at most 8 nodes.
    errors : int
        So few that at most 10,000 drawings on the nodes of the pattern are within them.
    count_error, max_steps, seed
        As for :func:`gomkcn.mining.counting.counter.count_query`; structures share the steps.
    steps : Steps, optional
        Shows how many are counted, shares them, and tells when time is up: what is not counted by
        then is estimated from few draws.

    Raises
    ------
    InputError
        If nodes or edits are too many, or relations or ``colors`` do not fit to the graph.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> wheel = as_csr(nx.wheel_graph(5))
    >>> found = count_inexact(wheel, Structure.parse("ring-4"), errors=2)
    >>> [str(count) for count in found.counts]
    ['1', '4', '0']
    >>> nodes, variant, complete = found.places()
    >>> nodes[1].tolist(), found.variants[variant[1]].edits, complete
    ([1, 0, 3, 2], ('added B--D',), True)
    """
    steps = Steps() if steps is None else steps
    check_int("max_steps", max_steps, 1, MOST_STEPS)
    # each two nodes may differ in all their relations and directions
    size = structure.num_nodes
    most = size * (size - 1) // 2 * len(graph.relations.channels)
    check_int("errors", errors, 0, most)
    if colors is None:
        structure, colors = colors_in(graph, structure)
    found = _find_variants(graph, structure, colors, errors)
    share = max(1, max_steps // max(1, len(found)))

    def count_one(number: int) -> tuple[OccurrenceCount, np.ndarray]:
        return count_query(
            Query.of_structure(graph, found[number][0], colors),
            count_error=count_error,
            max_steps=share,
            seed=seed,
            watch=lambda _: not steps.is_late(),
        )

    counted = steps.each(
        "counting variants", tuple[OccurrenceCount, np.ndarray], count_one, range(len(found))
    )
    variants = [
        Variant(structure, edits, count, graphs)
        for (structure, edits), (count, graphs) in zip(found, counted, strict=True)
    ]
    return InexactCounts(graph, structure, colors, errors, variants)


def _find_variants(
    graph: CSRGraph, structure: Structure, colors: Colors | None, errors: int
) -> list[tuple[Structure, tuple[str, ...]]]:
    """The connected structures within some edits, and these in words; those with fewest first."""
    query = Query.of_structure(graph, structure, colors)
    size = structure.num_nodes
    if size > _MOST_NODES:
        raise InputError(
            "errors", f"must be left out for a pattern of over {_MOST_NODES} nodes", got=size
        )
    # 1. what joins each two nodes: a link of the graph, with an edit for each channel that differs
    # as seen from one of both
    relations = graph.relations
    pattern_channels = channels_in(graph.relations, structure)
    links = np.zeros((1, size, size), np.uint16)
    edits = np.zeros(1, np.int64)
    for u, v in combinations(range(size), 2):
        cost = (relations.links != pattern_channels[u, v]).sum(axis=1)
        usable = np.flatnonzero(cost <= errors)
        row, column = np.nonzero(edits[:, None] + cost[usable] <= errors)
        if len(row) > _MOST_DRAWINGS:
            raise InputError(
                "errors",
                f"must be smaller for a pattern of {size} nodes in this graph",
                got=f"{errors}, with which there are over {_MOST_DRAWINGS:,} variants",
            )
        links = links[row]
        edits = edits[row]
        link = usable[column]
        links[:, u, v] = link
        links[:, v, u] = relations.reverse[link]
        edits += cost[link]
    # 2. each connected structure once, with fewest edits
    connected = np.flatnonzero(are_connected(links > 0))
    links = links[connected[np.argsort(edits[connected], kind="stable")]]
    numbers, of_nodes = np.unique(query.structure.colors, return_inverse=True)
    palette = palette_of_numbers(len(numbers))
    colors_of_nodes = np.tile(of_nodes, (len(links), 1))
    same = distinct_structures(links, colors_of_nodes, relations, palette).number
    # 3. in words
    names = structure.node_names
    found = []
    for channels in relations.links[links[np.sort(np.unique(same, return_index=True)[1])]]:
        edits_in_words = tuple(
            f"{what} {edge_to_text(relations, kind, names[u], names[v])}"
            for what, differ in (
                ("missing", pattern_channels & ~channels),
                ("added", channels & ~pattern_channels),
            )
            for u, v, kind in edges_of(differ, relations)
        )
        changed = structure.with_channels(channels, relations)
        found.append((changed, edits_in_words))
    return found
