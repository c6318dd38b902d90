"""The motif set: the few structures whose copies explain a graph, and how well they do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_choice, check_int, check_sizes
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.shapes import count, describe_shapes
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN, Relations
from gomkcn_dgl.runtime import html_of
from gomkcn_dgl.runtime.steps import Arrays, Steps
from mining.counting.counter import list_places
from mining.mined_graph import MinedGraph
from mining.motif_sets.coded_set import CodedMotif, CodedSet, pack, unpack
from mining.motif_sets.collection_search import cover_collection, search_collection
from mining.motif_sets.search import cover_graph, motif_set_of_graph, num_starts
from mining.occurrences import NONE, Occurrences
from mining.overlaps import pick_disjoint
from mining.pattern import MotifPart, Pattern
from mining.pattern_counts import category_colors

# nodes of a motif where no sizes are given: of one graph, and of a collection
SIZES, COLLECTION_SIZES = range(3, 9), range(2, 11)
# larger ones take minutes to find
MOST_NODES = 10
# what a set must save to be reported
LEAST_BITS = 10.0
# share of the covered edges from which on cliques are said to make up a set
_CLIQUE_SHARE = 0.8
# copies of a motif that are listed in a new graph
_MOST_COPIES, _MOST_STEPS = 2_000_000, 1 << 28
LEVELS = ("graph", "node")


@dataclass(frozen=True, eq=False)
class MotifSet:
    """The motifs of a graph: structures that shorten its description when copies are named.

    A graph is described by its degrees and the number of graphs that have them. Where the edges of
    some copies of a structure are told by naming the structure and the places, less is left to
    describe; a structure belongs to the set if that saves bits (minimum description length). The
    list is that of the degrees alone, unless a partition of the nodes into blocks describes the
    graph in fewer bits and leaves nothing to motifs: then it is empty.

    Attributes
    ----------
    motifs : tuple of Pattern
        Most bits first; each has a ``motif`` with its copies.
    bits_base, bits_total : float
        Bits that describe the graph without motifs, and with them.
    base : {"degrees", "blocks", "typed", "total"}
        What they are given: the degrees; the degrees and a partition into blocks; in collections
        the degrees of each type of edge, or of all types together.
    num_blocks : int or None
        Blocks of that partition.
    nodes_covered, edges_covered : float
        Share of the nodes and of the edges that lie in copies.
    near : tuple of tuple of int
        Groups of motifs one edge apart: the one that the others are variants of, then these.
    complete, cut : bool, str
        Whether the search ended by itself; else a sentence that says where it was cut.
    num_starts : int
        Starts of the search; the shortest description is kept.
    other : MotifSet or None
        The set of the other base, where there is one.
    closest : Pattern or None
        Where the set is empty, the structure that comes closest to saving bits.
    given : mapping from str to float
        For each structure that was given: 0 where it is in the set, else the bits by which it
        misses it, infinite where it has too few copies.
    not_used : tuple of str
        What the graph has and the description leaves out, a phrase each.

    Examples
    --------
    >>> import networkx as nx
    >>> import gomkcn
    >>> graph = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    >>> found = gomkcn.motif_set(graph)
    >>> found
    MotifSet(clique of 4 nodes × 6; 113 of 277 bits saved, given the degrees)
    >>> found.transform([nx.complete_graph(5), nx.complete_graph(4)]).round(2).tolist()
    [[1.0, 0.4], [1.0, 0.0]]
    """

    motifs: tuple[Pattern, ...]
    bits_base: float
    bits_total: float
    base: str = "degrees"
    num_blocks: int | None = None
    nodes_covered: float = 0.0
    edges_covered: float = 0.0
    near: tuple[tuple[int, ...], ...] = ()
    complete: bool = True
    cut: str = ""
    num_starts: int = 1
    other: MotifSet | None = None
    closest: Pattern | None = None
    given: Mapping[str, float] = field(default_factory=dict)
    not_used: tuple[str, ...] = ()
    num_graphs: int = 1

    @property
    def bits_saved(self) -> float:
        """How much shorter the description is with the motifs."""
        return self.bits_base - self.bits_total

    @property
    def given_what(self) -> str:
        """What every number of bits is given, in words."""
        blocks = "" if self.num_blocks is None else f" and {count(self.num_blocks, 'block')}"
        types = " of each type of edge" if self.base == "typed" else ""
        return f"the degrees{types}{blocks}"

    @property
    def is_clique_cover(self) -> bool:
        """Whether cliques make up most of the covered edges, as in social networks."""
        edges = Counter[bool]()
        for one in self.motifs:
            assert one.motif is not None
            joined = one.structure.joined
            is_clique = one.num_nodes > 2 and joined.sum() == joined.size - len(joined)
            edges[is_clique] += one.motif.num_copies * int(joined.sum()) // 2
        return edges[True] > 0 and edges[True] >= _CLIQUE_SHARE * edges.total()

    def __iter__(self) -> Iterator[Pattern]:
        """The motifs, most bits first."""
        return iter(self.motifs)

    def __len__(self) -> int:
        """Number of motifs."""
        return len(self.motifs)

    def __repr__(self) -> str:
        """The motifs with their copies, and the bits that they save."""
        rows = zip(self.names, self.motifs, strict=True)
        listed = ", ".join(f"{name} × {one.motif.num_copies}" for name, one in rows if one.motif)
        return (
            f"MotifSet({listed or 'no motif'}; {self.bits_saved:,.0f} of {self.bits_base:,.0f} "
            f"bits saved, given {self.given_what})"
        )

    @property
    def names(self) -> list[str]:
        """The name of each motif; no two are the same."""
        return describe_shapes([one.structure for one in self.motifs])

    def with_patterns(self, patterns: Sequence[Pattern]) -> MotifSet:
        """The same set with what else is known of each motif: its number, counts and places."""
        by_key = {one.key: one for one in patterns}
        return replace(self, motifs=tuple(by_key.get(one.key, one) for one in self.motifs))

    def get_feature_names_out(
        self, input_features: object = None, *, level: str = "graph"
    ) -> np.ndarray:
        """Names of the columns of :meth:`transform`."""
        if level == "node":
            return np.array(["motif", "copy", "orbit"], dtype=object)
        return np.array([*self.names, "left over"], dtype=object)

    def transform(self, graphs: Any, level: str = "graph") -> np.ndarray:
        """Cover graphs with copies of the motifs, without a search.

        The motifs take turns, those of most edges first; each takes copies until no other is left
        that shares no edge (in collections no node) with those that were taken. What a graph gets
        does not depend on the others.

        Parameters
        ----------
        graphs : anything :func:`gomkcn.as_csr` takes
            With the relations and the categories of the motifs.
        level : {"graph", "node"}

        Returns
        -------
        numpy.ndarray
            float64 ``[G, motifs + 1]``: copies of each motif, and the share of the edges that are
            in none. At the level of nodes int64 ``[V, 3]``: the first motif that a node is in a
            copy of, the number of this copy in its graph, and the orbit of the node in the motif;
            -1 for none.
        """
        check_choice("level", level, LEVELS)
        graph = as_csr(graphs)
        copies = self._copies_in(graph)
        if level == "node":
            return self._places(graph, copies)
        table = np.zeros((graph.num_graphs, len(self.motifs) + 1))
        joined = np.diff(graph.indptr[graph.graph_ptr]) / 2
        table[:, -1] = joined
        for column, (one, rows) in enumerate(zip(self.motifs, copies, strict=True)):
            owner = graph.graph_of(rows[:, 0])
            table[:, column] = np.bincount(owner, minlength=graph.num_graphs)
            table[:, -1] -= table[:, column] * (one.structure.joined.sum() // 2)
        table[:, -1] = np.divide(
            table[:, -1], joined, out=np.zeros(graph.num_graphs), where=joined > 0
        )
        return table

    def compare(self, other: Any) -> Any:
        """The motifs in another graph: what each saves there, beside what it saves here.

        Returns
        -------
        pandas.DataFrame
            One row a motif: ``motif``, ``copies``, ``bits``, ``copies_other``, ``bits_other``.
        """
        import pandas as pd

        mined = MinedGraph.of(as_csr(other))
        cover = cover_collection if self.num_graphs > 1 else cover_graph
        found = cover(mined, [self.motifs[number].structure for number in self._order])
        by_key = {one.structure.key: one for one in found.motifs}
        rows = []
        for name, one in zip(self.names, self.motifs, strict=True):
            assert one.motif is not None
            there = by_key.get(one.key)
            rows.append(
                {
                    "motif": name,
                    "copies": one.motif.num_copies,
                    "bits": one.motif.bits,
                    "copies_other": 0 if there is None else len(there.copies),
                    "bits_other": 0.0 if there is None else there.bits,
                }
            )
        return pd.DataFrame(rows)

    @property
    def _order(self) -> list[int]:
        """The motifs by falling numbers of edges and nodes: large ones take their copies first."""
        return sorted(
            range(len(self.motifs)),
            key=lambda i: (-self.motifs[i].structure.joined.sum(), -self.motifs[i].num_nodes, i),
        )

    def _copies_in(self, graph: CSRGraph) -> list[np.ndarray]:
        """Copies of each motif in a graph, int64 ``[k, M]``, as :meth:`transform` takes them."""
        colors, of_motifs = category_colors(self.motifs, graph)
        shares = _Shares(graph, self.num_graphs > 1)
        found: list[np.ndarray] = [np.empty(0)] * len(self.motifs)
        for number in self._order:
            structure, own = self.motifs[number].structure, of_motifs[number]
            rows, _ = list_places(
                graph,
                structure,
                None if own is None else (own, colors),
                most=_MOST_COPIES,
                max_steps=_MOST_STEPS,
            )
            rows = rows[np.lexsort(rows.T[::-1])]
            found[number] = shares.take(structure, rows)
        return found

    def _places(self, graph: CSRGraph, copies: Sequence[np.ndarray]) -> np.ndarray:
        """Motif, copy and orbit of each node, int64 ``[V, 3]``."""
        places = np.full((graph.num_nodes, 3), -1)
        # the first motif is written last
        for number in reversed(range(len(copies))):
            rows = copies[number]
            owner = graph.graph_of(rows[:, 0])
            own = np.arange(len(rows)) - np.searchsorted(np.sort(owner), owner)
            orbits = self.motifs[number].structure.orbits
            for node, orbit in enumerate(orbits.tolist()):
                places[rows[:, node]] = np.stack(
                    [np.full(len(rows), number), own, np.full(len(rows), orbit)], axis=1
                )
        return places

    def to_networkx(self, graph: Any) -> Any:
        """The graph with the copies as attributes, for Cytoscape or Gephi.

        Nodes and edges in copies have ``motif`` and ``copy``, the numbers of the first one.
        """
        from gomkcn_dgl.graphs.structure import empty_networkx

        csr = as_csr(graph)
        drawn = empty_networkx(csr.relations)
        ids = csr.original_ids(np.arange(csr.num_nodes))
        if csr.num_graphs > 1:
            owner = csr.graph_of(np.arange(csr.num_nodes)).tolist()
            ids = [f"{number}/{one}" for number, one in zip(owner, ids, strict=True)]
        drawn.add_nodes_from(ids)
        source, target, relation = csr.edges()
        owner_of: dict[tuple[int, int], tuple[int, int]] = {}
        # the first motif is written last
        for number in reversed(range(len(self.motifs))):
            part = self.motifs[number].motif
            assert part is not None
            for copy, row in enumerate(part.copies.rows_in(csr).tolist()):
                for node in row:
                    drawn.nodes[ids[node]].update(motif=number, copy=copy)
                for u, v in self.motifs[number].edges:
                    ends = min(row[u], row[v]), max(row[u], row[v])
                    owner_of[ends] = number, copy
        for u, v, kind in zip(source.tolist(), target.tolist(), relation.tolist(), strict=True):
            values: dict[str, Any] = {}
            if csr.relations.names != (PLAIN,):
                values["relation"] = csr.relations.names[kind]
            if (min(u, v), max(u, v)) in owner_of:
                values["motif"], values["copy"] = owner_of[min(u, v), max(u, v)]
            drawn.add_edge(ids[u], ids[v], **values)
            if drawn.is_directed() and not csr.relations.directed[kind]:
                drawn.add_edge(ids[v], ids[u], **values)
        return drawn

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``; copies are in a table of their own."""
        motifs = [_record_of(one) for one in self.motifs]
        return {
            "motifs": motifs,
            "bits_base": round(self.bits_base, 6),
            "bits_total": round(self.bits_total, 6),
            "bits_saved": round(self.bits_saved, 6),
            "base": self.base,
            "blocks": self.num_blocks,
            "nodes_covered": round(self.nodes_covered, 6),
            "edges_covered": round(self.edges_covered, 6),
            "near": [list(group) for group in self.near],
            "complete": self.complete,
            "cut": self.cut,
            "num_starts": self.num_starts,
            "num_graphs": self.num_graphs,
            "closest": None if self.closest is None else _record_of(self.closest),
            # JSON has no infinity
            "given": {
                name: round(bits, 6) if np.isfinite(bits) else None
                for name, bits in self.given.items()
            },
            "not_used": list(self.not_used),
            "other": None if self.other is None else self.other.to_dict(),
        }

    @classmethod
    def from_dict(
        cls,
        record: Mapping[str, Any],
        relations: Relations,
        copies: Sequence[Sequence[Occurrences]],
    ) -> MotifSet:
        """Read a record, with the copies of each motif, and of each of the other base."""
        own, *others = copies
        other = record["other"]
        same = ["bits_base", "bits_total", "nodes_covered", "edges_covered", "base", "complete"]
        same += ["cut", "num_starts", "num_graphs"]
        closest = record["closest"]
        return cls(
            motifs=tuple(
                _pattern_of(one, relations, places)
                for one, places in zip(record["motifs"], own, strict=True)
            ),
            **{name: record[name] for name in same},
            num_blocks=record["blocks"],
            near=tuple(map(tuple, record["near"])),
            closest=closest and _pattern_of(closest, relations, NONE),
            given={
                name: np.inf if bits is None else bits for name, bits in record["given"].items()
            },
            not_used=tuple(record["not_used"]),
            other=other and cls.from_dict(other, relations, others),
        )

    def _repr_html_(self) -> str | None:
        """The motifs with their drawings, for a notebook."""
        return html_of(self)


def _record_of(one: Pattern) -> dict[str, Any]:
    """A motif: its number among the patterns, null for none, its structure, copies and bits."""
    assert one.motif is not None, "a motif has copies"
    structure = one.structure
    rows = zip(structure.edges, structure.edge_relations, strict=True)
    several = len(structure.relations.names) > 1
    return {
        "pattern": one.id if one.id >= 0 else None,
        "num_nodes": structure.num_nodes,
        "edges": [[*ends, number] if several else list(ends) for ends, number in rows],
        "categories": [list(names) for names in structure.categories],
        "sources": list(one.sources),
        "copies": one.motif.num_copies,
        "bits": round(one.motif.bits, 6),
        "address": one.motif.address,
        "found_in": one.motif.found_in,
    }


def _pattern_of(record: Mapping[str, Any], relations: Relations, copies: Occurrences) -> Pattern:
    """Read what :func:`_record_of` gave."""
    structure = Structure.from_dict(
        {
            **{name: record[name] for name in ("num_nodes", "categories")},
            "edges": [one[:2] for one in record["edges"]],
            "edge_relations": [one[2] if len(one) > 2 else 0 for one in record["edges"]],
            "relations": [{"name": name, "directed": way} for name, way in relations.kinds],
        }
    )
    part = MotifPart(copies, record["bits"], record["address"], record["found_in"])
    return Pattern(
        structure,
        sources=tuple(record["sources"]),
        motif=replace(part, num_copies=record["copies"]),
        id=-1 if record["pattern"] is None else record["pattern"],
    )


class _Shares:
    """The edges, or the nodes, that copies have taken."""

    def __init__(self, graph: CSRGraph, by_node: bool) -> None:
        self._graph, self._by_node = graph, by_node
        row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
        self._entry = row * graph.num_nodes + graph.indices
        self._taken = np.zeros(graph.num_nodes if by_node else len(graph.indices), bool)

    def take(self, structure: Structure, rows: np.ndarray) -> np.ndarray:
        """Those of the copies ``[K, M]`` that share nothing with what is taken, nor each other."""
        parts = rows
        if not self._by_node:
            # an edge is the entry of its larger node in the row of the smaller one
            u, v = np.nonzero(np.triu(structure.joined))
            ends = np.sort(np.stack([rows[:, u], rows[:, v]]).astype(np.int64), axis=0)
            parts = np.searchsorted(self._entry, ends[0] * self._graph.num_nodes + ends[1])
        free = ~self._taken[parts].any(axis=1)
        rows, parts = rows[free], parts[free]
        picked = pick_disjoint(parts, len(self._taken))
        self._taken[parts[picked]] = True
        return rows[picked].astype(np.int64)


def motif_set(
    graph: Any,
    sizes: int | str | tuple[int, int] | None = None,
    *,
    given: Sequence[Structure | str] = (),
    random_state: int = 0,
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
    given : sequence of Structure or str
        Structures to try as well, as :meth:`Structure.parse` takes them.
    random_state : int
        The same seed finds the same set.

    Returns
    -------
    MotifSet

    Examples
    --------
    >>> import networkx as nx
    >>> motif_set(nx.path_graph(9), given=["triangle"]).given
    {'triangle': inf}
    """
    check_int("random_state", random_state, 0)
    structures = [Structure.parse(one) if isinstance(one, str) else one for one in given]
    is_collection = isinstance(graph, list | tuple)
    mined = MinedGraph.of(graph)
    return find_motif_set(
        mined,
        None if sizes is None else check_sizes("sizes", sizes, 2, MOST_NODES),
        random_state,
        [Pattern(one, sources=("given",)) for one in structures],
        is_collection=is_collection or mined.graph.num_graphs > 1,
    )


def find_motif_set(
    mined: MinedGraph,
    sizes: range | None,
    seed: int,
    proposed: Sequence[Pattern] = (),
    *,
    grows: bool = True,
    is_collection: bool = False,
    steps: Steps | None = None,
) -> MotifSet:
    """Search from several starts, which all processes share, and keep the shortest description."""
    steps = Steps() if steps is None else steps
    graph = mined.graph
    sizes = sizes or (COLLECTION_SIZES if is_collection else SIZES)
    if not len(graph.indices):
        return MotifSet((), 0.0, 0.0, num_graphs=graph.num_graphs, not_used=_not_used(mined))
    search: Callable[..., tuple[CodedSet, CodedSet | None]] = motif_set_of_graph
    starts = 1
    if is_collection:
        search = search_collection
    else:
        starts = num_starts(mined, sizes)

    def start(number: int) -> Arrays:
        return pack(
            search(
                mined,
                sizes,
                seed=seed * 1000 + number,
                proposed=proposed,
                grows=grows,
                is_over=steps.is_late,
            )
        )

    # 1. search
    found = [unpack(one) for one in steps.each("searching for the motif set", start, range(starts))]
    answers = [one for one, _ in found if one is not None]
    best = min(range(len(answers)), key=lambda number: answers[number].bits_total)
    # 2. in how many starts each motif came back
    times = Counter(motif.structure.key for one in answers for motif in one.motifs)
    # 3. in words of the caller
    answer, other = found[best]
    assert answer is not None, "each start has an answer"
    made = _as_motif_set(mined, answer, times, starts, is_collection)
    if other is not None:
        keys = Counter(
            motif.structure.key for _, one in found if one is not None for motif in one.motifs
        )
        made = replace(made, other=_as_motif_set(mined, other, keys, starts, is_collection))
    return replace(made, given=_misses(proposed, answer))


def _as_motif_set(
    mined: MinedGraph,
    found: CodedSet,
    times: Mapping[bytes, int],
    starts: int,
    is_collection: bool,
) -> MotifSet:
    """What was found, by the ids that were given, most bits first."""
    graph = mined.graph
    ordered = sorted(found.motifs, key=lambda one: (-one.bits, one.structure.key))
    nodes = np.zeros(graph.num_nodes, bool)
    num_edges = 0
    for one in ordered:
        nodes[one.copies] = True
        num_edges += len(one.copies) * (int(one.structure.joined.sum()) // 2)
    blocks = found.blocks
    return MotifSet(
        motifs=tuple(_as_pattern(mined, one, times[one.structure.key]) for one in ordered),
        bits_base=found.bits_base,
        bits_total=found.bits_total,
        base=found.base,
        num_blocks=None if blocks is None else len(np.unique(blocks)),
        nodes_covered=float(nodes.mean()),
        edges_covered=num_edges / (len(graph.indices) / 2),
        near=near_variants([(one.structure, len(one.copies)) for one in ordered]),
        complete=found.complete,
        cut=found.cut,
        num_starts=starts,
        closest=None if found.closest is None else _as_pattern(mined, found.closest, 0),
        not_used=_not_used(mined),
        # a list of one graph is a collection as well
        num_graphs=max(graph.num_graphs, 1 + is_collection),
    )


def _as_pattern(mined: MinedGraph, one: CodedMotif, found_in: int) -> Pattern:
    copies = mined.occurrences(one.copies.astype(np.int32))
    return Pattern(
        one.structure,
        sources=one.sources,
        feature_names=mined.graph.feature_names,
        motif=MotifPart(copies, one.bits, one.address, found_in),
    )


def _misses(proposed: Sequence[Pattern], found: CodedSet) -> dict[str, float]:
    """The bits by which each structure that the user gave misses the set; 0 where it is in it."""
    inside = {one.structure.key for one in found.motifs}
    given = [one.structure for one in proposed if "given" in one.sources]
    return {
        name: 0.0 if one.key in inside else found.missing.get(one.key, np.inf)
        for name, one in zip(describe_shapes(given), given, strict=True)
    }


def _not_used(mined: MinedGraph) -> tuple[str, ...]:
    """What the description leaves out, a phrase each."""
    graph = mined.graph
    left_out = ["the weights of the edges"] if graph.weights is not None else []
    if mined.has_numeric_features:
        left_out.append("numeric features of the nodes")
    return (*left_out, *(note for note in graph.notes if note.startswith(("dropped", "merged"))))


def near_variants(motifs: Sequence[tuple[Structure, int]]) -> tuple[tuple[int, ...], ...]:
    """Groups of structures one edge apart, given with their numbers of copies.

    A structure with fewer copies is a variant of one with more from which it differs by one edge;
    of several, of the one from which a random change of one edge gives it most often.

    >>> ring, chord = Structure.parse("ring-4"), Structure.parse("diamond")
    >>> near_variants([(chord, 3), (ring, 20), (Structure.parse("triangle"), 9)])
    ((1, 0),)
    """
    parents: dict[int, int] = {}
    changed = [_changes(one, motifs) for one, _ in motifs]
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
    return tuple(tuple(one) for _, one in sorted(groups.items()))


def _changes(structure: Structure, motifs: Sequence[tuple[Structure, int]]) -> Counter[bytes]:
    """How many changes of one edge give each structure, where another motif may be among them."""
    size, num_edges = structure.num_nodes, len(structure.edges)
    sizes = {(one.num_nodes, len(one.edges)) for one, _ in motifs}
    found = Counter[bytes]()
    if not {(size, num_edges - 1), (size, num_edges + 1)} & sizes:
        return found
    opposite = structure.relations.opposite
    for channel in structure.relations.outgoing.tolist():
        back = opposite[channel]
        pairs = combinations(range(size), 2)
        both = [(u, v) for pair in pairs for u, v in (pair, pair[::-1])]
        for u, v in both:
            if back == channel and u > v:
                continue
            channels = structure.channels.copy()
            channels[u, v, channel] = channels[v, u, back] = not channels[u, v, channel]
            try:
                found[replace(structure, channels=channels, name="", roles=()).key] += 1
            except InputError:
                # it falls apart
                continue
    return found


def summary(found: MotifSet) -> str:
    """The answer in a sentence or two: what the graph is made of.

    >>> import networkx as nx
    >>> print(summary(motif_set(nx.complete_graph(9))))
    The degrees determine the graph, so that no motif can shorten its description.
    """
    what = "graph" if found.num_graphs == 1 else "collection"
    if not found.bits_base:
        return f"The {what} has no edge between two different nodes, so there is nothing to find."
    if found.motifs:
        copies = sum(one.motif.num_copies for one in found.motifs if one.motif)
        number = len(found.motifs)
        verb = "shortens" if number == 1 else "shorten"
        cover = " The set is a clique cover: mostly groups in which all are joined." * (
            found.is_clique_cover
        )
        return (
            f"{count(number, 'motif')} with {copies:,} copies {verb} the "
            f"description of the {what} by {found.bits_saved:,.0f} of {found.bits_base:,.0f} bits, "
            f"given {found.given_what}; the copies hold {_percent(found.edges_covered)} of the "
            f"edges and {_percent(found.nodes_covered)} of the nodes.{cover}"
        )
    if found.num_blocks is not None and found.other is not None:
        fewer = found.other.bits_base - found.bits_total
        return (
            f"{count(found.num_blocks, 'block')} explain this {what}, {fewer:,.0f} bits shorter "
            "than the degrees; no motif beyond them."
        )
    if found.bits_base < LEAST_BITS:
        return "The degrees determine the graph, so that no motif can shorten its description."
    sentence = (
        f"No set of motifs shortens the description of the {what} by {LEAST_BITS:.0f} bits or "
        f"more, given {found.given_what}."
    )
    if found.closest is not None and found.closest.motif is not None:
        one = found.closest.motif
        effect = f"save {one.bits:.1f}" if one.bits > 0 else f"cost {-one.bits:.1f} more"
        name = describe_shapes([found.closest.structure])[0]
        sentence += f" Closest comes {name} × {one.num_copies}, which would {effect} bits."
    return sentence


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")
