"""The motif set of a graph or a collection, in the words of the one who asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np

from gomkcn.mining.filters.filter_proposals import propose_filters
from gomkcn.mining.motif_sets.coded_set import CodedSet, GivenPattern
from gomkcn.mining.motif_sets.collection_search import SIZES as COLLECTION_SIZES
from gomkcn.mining.motif_sets.collection_search import answer_of_collection
from gomkcn.mining.motif_sets.graph_search import SIZES, answer_of_graph
from gomkcn.mining.motif_sets.motif_columns import LEAST_ADDED
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif
from gomkcn.mining.motif_sets.searching import Question
from gomkcn.mining.settings.miner_settings import (
    FILTERS,
    GROWN,
    MOST_PATTERN_NODES,
    MinerSettings,
    read_given,
)
from gomkcn.mining.structures.categories import in_categories
from gomkcn.mining.structures.graph_relations import in_relations_of
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.occurrences import node_columns
from gomkcn.mining.structures.pattern import (
    MotifPart,
    Pattern,
    is_dense_group,
    merge,
    orbit_features,
)
from gomkcn.mining.structures.pattern_reading import read_pattern
from gomkcn_dgl.checks import RandomState, as_seed, check_bool, check_sizes
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.pattern_text import check_num_nodes
from gomkcn_dgl.graphs.shapes import describe_shapes
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Table


def motif_set(
    graph: Any,
    sizes: int | str | tuple[int, int] | None = None,
    *,
    given: str | Sequence[Structure | str] = (),
    exact_copies: bool = False,
    random_state: RandomState = 0,
) -> MotifSet:
    """Find the few structures whose copies shorten the description of a graph most.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
        One graph, whose copies share no edge; or a list of graphs or a collection, whose copies
        share no node.
    sizes : int, str or (int, int), optional
        Nodes of a motif, as in ``(3, 8)`` or ``"3-8"``; None: 3 to 8 in one graph, 2 to 10 in a
        collection.
    given : str, or sequence of Structure or str
        Structures to try as well: names, edges, files of edges or SMILES, as ``gomkcn count`` takes
        them.
    exact_copies : bool, default: False
        Whether each copy must have the edges of its motif and no others. Else copies may lack some
        and have others, where saying so is shorter.
    random_state : int, RandomState, Generator or None
        The same seed finds the same set. None, or a generator of NumPy: one is drawn.

    Returns
    -------
    MotifSet

    Examples
    --------
    >>> import networkx as nx
    >>> motif_set(nx.path_graph(9), given=["triangle"]).given
    {'triangle': GivenPattern(bits=None, reason='is not in the set: it has no copy, 2 are needed')}
    """
    seed = as_seed("random_state", random_state)
    exact_copies = check_bool("exact_copies", exact_copies)
    structures = read_given("given", given)
    mined = MinedGraph.of(graph)
    is_collection = isinstance(graph, list | tuple) or mined.graph.num_graphs > 1
    return find_motif_set(
        mined,
        None if sizes is None else check_sizes("sizes", sizes, 2, MOST_PATTERN_NODES),
        seed,
        given_patterns(structures, mined, is_collection=is_collection),
        exact_copies=exact_copies,
        is_collection=is_collection,
    )


def given_patterns(
    given: Sequence[Structure | str], mined: MinedGraph, *, is_collection: bool
) -> list[Pattern]:
    """The structures that a user gives for a graph, in its relations and categories.

    In a collection one without categories stands for all that it occurs with.
    """
    names = mined.graph.feature_names
    patterns = []
    for pattern in given:
        structure = (
            read_pattern(pattern, mined.graph.relations) if isinstance(pattern, str) else pattern
        )
        check_num_nodes(structure.num_nodes)
        structure = in_relations_of(mined.graph.relations, structure)
        structure, kinds = in_categories(structure, mined.categories, names)
        groups = mined.categories.groups
        if kinds.groups != groups and not (is_collection and not kinds):
            every = "; ".join(", ".join(names[column] for column in columns) for columns in groups)
            raise InputError(
                "given",
                (
                    "must be patterns whose nodes have categories of the graph, of each kind one, "
                    f"as in 'a:{names[groups[0][0]]}--b:{names[groups[0][-1]]}'"
                ),
                got=repr(pattern),
                way_out=f"the kinds are {every}. Or read the graph without them",
            )
        patterns.append(Pattern(structure, sources=("given",)))
    return patterns


def find_motif_set(
    mined: MinedGraph,
    sizes: range | None,
    seed: int,
    proposed: Sequence[Pattern] = (),
    *,
    sources: Sequence[str] = MinerSettings.sources,
    exact_copies: bool = False,
    is_collection: bool = False,
    steps: Steps | None = None,
) -> MotifSet:
    """Search in each base, and answer with the shortest description.

    Beside what is ``proposed``, filters are, and sets of nodes grow, as the ``sources`` have it.
    """
    steps = Steps() if steps is None else steps
    graph = mined.graph
    # what is given comes last: the search without it is that of a run in which nothing is given
    proposed = merge(sorted(proposed, key=lambda pattern: "given" in pattern.sources))
    # a list of one graph is a collection as well
    num_graphs = max(graph.num_graphs, 1 + is_collection)
    if not len(graph.indices):
        of_given = _of_given(proposed, CodedSet((), 0.0, 0.0))
        left_out = _not_used(mined)
        return MotifSet((), 0.0, 0.0, given=of_given, not_used=left_out, num_graphs=num_graphs)
    filters: tuple[Structure, ...] = ()
    if FILTERS in sources:
        usual = sizes or (COLLECTION_SIZES if is_collection else SIZES)
        name = "looking for filters that may be motifs"
        kind = tuple[Structure, ...]
        filters = steps.once(name, kind, propose_filters, mined, usual, seed, steps)
    # what is given comes after them: without it they are what they were, in the same order
    every = [*(Pattern(structure, sources=(FILTERS,)) for structure in filters), *proposed]
    question = Question(mined, sizes, seed, merge(every), GROWN in sources, exact_copies)
    both = answer_of_collection if is_collection else answer_of_graph
    answer, other = both(question, steps)
    found = _as_motif_set(mined, answer, num_graphs)
    if other is not None:
        found = replace(found, other=_as_motif_set(mined, other, num_graphs))
    return replace(found, given=_of_given(proposed, answer))


def _as_motif_set(mined: MinedGraph, found: CodedSet, num_graphs: int) -> MotifSet:
    """What was found, by the ids that were given.

    Those of most bits come first, after these what fewer than half of the starts of the search
    found. Dense groups stand behind what can be seen, and all of them before what adds few bits.
    """
    graph = mined.graph
    ordered = sorted(
        found.motifs,
        key=lambda motif: (
            motif.share < LEAST_ADDED,
            is_dense_group(
                motif.structure.num_nodes, len(motif.copies), motif.copies_exact, len(motif.edits)
            ),
            motif.starts is not None and 2 * motif.starts < len(found.bits_of_starts),
            -motif.bits,
            motif.structure.key,
        ),
    )
    nodes = np.zeros(graph.num_nodes, bool)
    num_edges = 0
    for motif in ordered:
        nodes[motif.copies] = True
        num_edges += len(motif.copies) * (int(motif.structure.joined.sum()) // 2)
        num_edges += int(motif.edits[:, 3].sum())
    blocks = found.blocks
    return MotifSet(
        motifs=tuple(_as_pattern(mined, motif) for motif in ordered),
        bits_base=found.bits_base,
        bits_total=found.bits_total,
        base=found.base,
        num_blocks=None if blocks is None else len(np.unique(blocks)),
        blocks=None if blocks is None else _block_table(mined, blocks),
        nodes_covered=float(nodes.mean()),
        edges_covered=num_edges / (len(graph.indices) / 2),
        near=near_variants([(motif.structure, len(motif.copies)) for motif in ordered]),
        cut=found.cut,
        bits_of_starts=found.bits_of_starts,
        bits_from_starts=found.bits_from_starts,
        closest=None if found.closest is None else _as_pattern(mined, found.closest),
        not_used=(*_not_used(mined), *_grouping(found)),
        num_graphs=num_graphs,
    )


def _block_table(mined: MinedGraph, blocks: np.ndarray) -> Table:
    """The block of each node, in the order that was given."""
    numbers = np.unique(blocks, return_inverse=True)[1].astype(np.int64)
    every = np.arange(mined.given.num_nodes)
    return Table({**node_columns(mined.given, every), "block": numbers[mined.order.position]})


def _grouping(found: CodedSet) -> list[str]:
    """What grouped degrees change, where there are so many that they are."""
    off = f"{found.error:.1g}" if found.error < 1 else f"{found.error:,.0f}"
    sentence = f"differences of some neighbouring degrees (the bits are off by at most about {off})"
    return [sentence] if found.error else []


def _as_pattern(mined: MinedGraph, motif: PlacedMotif) -> Pattern:
    """A motif with its nodes in the order of pages and tables."""
    order = motif.structure.reading_order
    structure = motif.structure.with_nodes(order)
    copies = motif.copies[:, order]
    edits = motif.edits.copy()
    edits[:, 1:3] = np.argsort(order)[edits[:, 1:3]]
    columns = {column: mined.graph.feature_names[column] for column in mined.numeric_columns}
    return Pattern(
        structure,
        sources=motif.sources,
        motif=MotifPart(
            mined.occurrences(copies.astype(np.int32)),
            motif.bits,
            motif.address,
            share=motif.share,
            starts=motif.starts,
            num_copies=len(copies),
            edits=edits,
            features=orbit_features(mined.graph.features, columns, structure, copies),
        ),
    )


def _of_given(proposed: Sequence[Pattern], found: CodedSet) -> dict[str, GivenPattern]:
    """What came of each structure that the user gave, by its name."""
    given = [pattern.structure for pattern in proposed if "given" in pattern.sources]
    names = describe_shapes(given)
    none = GivenPattern(None, "is not in the set: the graph has no edges")
    return {
        name: found.given.get(structure.key, none)
        for name, structure in zip(names, given, strict=True)
    }


def _not_used(mined: MinedGraph) -> tuple[str, ...]:
    """What the description leaves out, a phrase each."""
    graph = mined.graph
    # categories of too many values are columns as well
    left_out = mined.categories.notes
    numbers = len(mined.numeric_columns) - sum(number for _, number in mined.categories.too_many)
    if numbers > 0:
        left_out.append("numeric features of the nodes")
    kinds = ("edge weights", "dropped", "merged")
    return (*left_out, *(note for note in graph.notes if note.startswith(kinds)))


def near_variants(motifs: Sequence[tuple[Structure, int]]) -> tuple[tuple[int, ...], ...]:
    """Groups of structures one edge apart, given with their numbers of copies.

    A structure with fewer copies is a variant of one with more from which it differs by one edge;
    of several, of the one from which a random change of one edge gives it most often.

    >>> ring, chord = Structure.parse("ring-4"), Structure.parse("diamond")
    >>> near_variants([(chord, 3), (ring, 20), (Structure.parse("triangle"), 9)])
    ((1, 0),)
    """
    parents: dict[int, int] = {}
    changed = [_changes(structure, motifs) for structure, _ in motifs]
    for number, (structure, copies) in enumerate(motifs):
        ways = [
            (changed[other][structure.key], more, -other)
            for other, (_, more) in enumerate(motifs)
            if more > copies and changed[other][structure.key]
        ]
        if ways:
            parents[number] = -max(ways)[2]
    groups: dict[int, list[int]] = {}
    for number in parents:
        root = number
        while root in parents:
            root = parents[root]
        groups.setdefault(root, [root]).append(number)
    return tuple(tuple(group) for _, group in sorted(groups.items()))


def _changes(structure: Structure, motifs: Sequence[tuple[Structure, int]]) -> Counter[bytes]:
    """How many changes of one edge give each structure, where another motif may be among them."""
    size, num_edges = structure.num_nodes, len(structure.edges)
    sizes = {(other.num_nodes, len(other.edges)) for other, _ in motifs}
    found = Counter[bytes]()
    if not {(size, num_edges - 1), (size, num_edges + 1)} & sizes:
        return found
    opposite = structure.relations.opposite
    for channel in structure.relations.outgoing.tolist():
        back = opposite[channel]
        for u, v in permutations(range(size), 2):
            if back == channel and u > v:
                continue
            channels = structure.channels.copy()
            channels[u, v, channel] = channels[v, u, back] = not channels[u, v, channel]
            try:
                found[structure.with_channels(channels).key] += 1
            except InputError:
                # it falls apart
                continue
    return found
