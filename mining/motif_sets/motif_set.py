"""The motif set: the few structures whose copies shorten a graph's description, and by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn.mining.counting.counter import list_query
from gomkcn.mining.counting.pattern_counts import category_colors
from gomkcn.mining.counting.query import Query
from gomkcn.mining.motif_sets.coded_set import GivenPattern
from gomkcn.mining.motif_sets.collection_search import answer_of_collection
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.graph_search import search_graph
from gomkcn.mining.motif_sets.motif_columns import (
    MotifRow,
    copies_table,
    feature_table,
    motif_rows,
    motif_table,
)
from gomkcn.mining.motif_sets.motif_set_record import (
    GivenRecord,
    MotifRecord,
    MotifSetRecord,
    StoredMotifSet,
)
from gomkcn.mining.motif_sets.searching import Question
from gomkcn.mining.structures.marked_graph import marked_graph
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.occurrences import NONE, Occurrences, StoredOccurrences, pick_disjoint
from gomkcn.mining.structures.pattern import (
    NO_EDITS,
    UNCOUNTED,
    MotifPart,
    OrbitFeature,
    Pattern,
    StoredPatterns,
)
from gomkcn.mining.structures.records import as_record
from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.graphs.shapes import count, describe_shapes
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.runtime import html_of
from gomkcn_dgl.runtime.plain_values import save_value, saved_value
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Table, WithTables

# what a set must save to be reported
LEAST_BITS = 10.0
# share of the covered edges from which on cliques are said to make up a set
_CLIQUE_SHARE = 0.8
# sets whose bits differ by less are the same but for rounding
_SAME_BITS = 1e-3
LEVELS = ("graph", "node")
MOTIF_TABLES = ("motifs", "copies", "features", "blocks")
# copies of a motif that are listed
_MOST_COPIES, _MOST_STEPS = 2_000_000, 1 << 28


@dataclass(frozen=True, eq=False)
class MotifSet(WithTables):
    """The motifs of a graph: structures that shorten its description when copies are named.

    A graph is described by its degrees and the number of graphs that have them. Where the edges of
    some copies of a structure are told by naming the structure and the places, less is left to
    describe; a structure belongs to the set if that saves bits (minimum description length). The
    list is that of the degrees alone, unless a partition of the nodes into blocks describes the
    graph in fewer bits and leaves nothing to motifs: then it is empty.

    Attributes
    ----------
    motifs : tuple of Pattern
        Each has a ``motif`` with its copies. First comes what the description would grow most
        without; what fewer than half of the starts of the search found comes after the others.
    bits_base, bits_total : float
        Bits that describe the graph without motifs, and with them.
    base : {"degrees", "blocks", "typed", "total"}
        What they are given: the degrees; the degrees and a partition into blocks; in collections
        the degrees of each type of edge, or of all types together.
    num_blocks : int or None
        Blocks of that partition.
    blocks : Table or None
        Which node is in which block: ``graph`` (of a collection), ``node`` (the input's own id) and
        ``block``, a number from 0; None where the bits are not given blocks.
    nodes_covered, edges_covered : float
        Share of the nodes and of the edges that lie in copies.
    near : tuple of tuple of int
        Groups of motifs one edge apart: the one that the others are variants of, then these.
    cut : str
        A sentence that says where the search was cut; empty where it ended by itself.
    bits_of_starts : tuple of float
        Bits that the set of each start of the search saves: exact copies, without what is given.
        Empty for a collection, whose search has one.
    bits_from_starts : float
        Bits that their sets save crossed.
    other : MotifSet or None
        The set of the other base, where there is one.
    closest : Pattern or None
        Where the set is empty, the structure that comes closest to saving bits.
    given : mapping from str to GivenPattern
        For each structure that was given, ``bits`` by which the description grows with it: 0 where
        it is in the set, None where it has too few copies. Its ``reason`` says it in words.
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
    blocks: Table | None = None
    nodes_covered: float = 0.0
    edges_covered: float = 0.0
    near: tuple[tuple[int, ...], ...] = ()
    cut: str = ""
    bits_of_starts: tuple[float, ...] = ()
    bits_from_starts: float = 0.0
    other: MotifSet | None = None
    closest: Pattern | None = None
    given: Mapping[str, GivenPattern] = field(default_factory=dict)
    not_used: tuple[str, ...] = ()
    num_graphs: int = 1

    @property
    def bits_saved(self) -> float:
        """How much shorter the description is with the motifs."""
        return self.bits_base - self.bits_total

    @property
    def shown(self) -> MotifSet:
        """The set whose motifs are shown: of the other base where this one has none."""
        return self if self.motifs or self.other is None or not self.other.motifs else self.other

    @property
    def known_blocks(self) -> Table | None:
        """Which node is in which block, of this set or of that of the other base."""
        return self.blocks if self.blocks is not None or self.other is None else self.other.blocks

    @property
    def bits_shorter_with_other(self) -> float:
        """How much shorter the description of the other base is, with its motifs; 0 where not."""
        return 0.0 if self.other is None else max(0.0, self.bits_total - self.other.bits_total)

    @property
    def complete(self) -> bool:
        """Whether the search ended by itself."""
        return not self.cut

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
        for pattern in self.motifs:
            assert pattern.motif is not None
            joined = pattern.structure.joined
            is_clique = pattern.num_nodes > 2 and joined.sum() == joined.size - len(joined)
            edges[is_clique] += pattern.motif.num_copies * int(joined.sum()) // 2
            edges[is_clique] += pattern.motif.added - pattern.motif.missing
        return edges[True] > 0 and edges[True] >= _CLIQUE_SHARE * edges.total()

    def __iter__(self) -> Iterator[Pattern]:
        """The motifs, those first without which most is lost; dense groups last."""
        return iter(self.motifs)

    def __getitem__(self, number: int) -> Pattern:
        """The motif of a number, as pages and tables have it."""
        return self.motifs[number]

    def __len__(self) -> int:
        """Number of motifs."""
        return len(self.motifs)

    def __repr__(self) -> str:
        """The motifs with their copies, and the bits that they save."""
        rows = zip(self.names, self.motifs, strict=True)
        listed = ", ".join(
            f"{name} × {pattern.motif.num_copies}" for name, pattern in rows if pattern.motif
        )
        return (
            f"MotifSet({listed or 'no motif'}; {self.bits_saved:,.0f} of {self.bits_base:,.0f} "
            f"bits saved, given {self.given_what})"
        )

    @property
    def names(self) -> list[str]:
        """The name of each motif; no two are the same."""
        shapes = describe_shapes([pattern.structure for pattern in self.motifs])
        return [
            f"dense group ({shape})" if pattern.is_dense_group else shape
            for shape, pattern in zip(shapes, self.motifs, strict=True)
        ]

    def with_patterns(self, patterns: Sequence[Pattern]) -> MotifSet:
        """The same set with what else is known of each motif: its number, counts and places."""
        by_key = {pattern.key: pattern for pattern in patterns}
        return replace(
            self, motifs=tuple(by_key.get(pattern.key, pattern) for pattern in self.motifs)
        )

    def get_feature_names_out(
        self, input_features: object = None, *, level: str = "graph"
    ) -> np.ndarray:
        """Names of the columns of :meth:`transform`."""
        if level == "node":
            return np.array(["motif", "copy", "orbit"], dtype=object)
        return np.array([*self.names, "left over"], dtype=object)

    def transform(self, graphs: Any, level: str = "graph") -> np.ndarray:
        """Cover graphs with exact copies of the motifs, without a search.

        Copies that differ from their motif by some edges are not looked for, so that a graph may
        get fewer copies than were found in it. The motifs take turns, those of most edges first;
        each takes copies until no other is left that shares no edge (in collections no node) with
        those that were taken. What a graph gets does not depend on the others.

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
        graph = as_unweighted(graphs)
        copies = copies_in(graph, self.motifs, share_edges=self.num_graphs == 1)
        if level == "node":
            return places_of(graph, self.motifs, copies)
        table = np.zeros((graph.num_graphs, len(self.motifs) + 1))
        joined = np.diff(graph.indptr[graph.graph_ptr]) / 2
        table[:, -1] = joined
        for column, (pattern, rows) in enumerate(zip(self.motifs, copies, strict=True)):
            owner = graph.graph_of(rows[:, 0])
            table[:, column] = np.bincount(owner, minlength=graph.num_graphs)
            table[:, -1] -= table[:, column] * (pattern.structure.joined.sum() // 2)
        table[:, -1] = np.divide(
            table[:, -1], joined, out=np.zeros(graph.num_graphs), where=joined > 0
        )
        return table

    def compare(self, other: Any) -> Table:
        """The motifs in another graph: what each saves there, beside what it saves here.

        There, copies are exact; here, they may differ from their motif.

        Returns
        -------
        Table
            A row for each motif: ``motif``, ``copies``, ``bits``, ``copies_other``, ``bits_other``.
        """
        mined = MinedGraph.of(as_unweighted(other))
        given = [Pattern(pattern.structure, sources=("given",)) for pattern in self.motifs]
        question = Question(mined, proposed=given, grows=False, exact_copies=True)
        if self.num_graphs > 1:
            found = answer_of_collection(question, Steps()).found
        else:
            empty = GraphDescription.of(GraphCode.of(mined))
            found = search_graph(question, empty, Steps())
        by_key = {motif.structure.key: motif for motif in found.motifs}
        parts = [pattern.motif for pattern in self.motifs if pattern.motif is not None]
        there = [by_key.get(pattern.key) for pattern in self.motifs]
        return Table(
            {
                "motif": self.names,
                "copies": [part.num_copies for part in parts],
                "bits": [part.bits for part in parts],
                "copies_other": [0 if coded is None else len(coded.copies) for coded in there],
                "bits_other": [0.0 if coded is None else coded.bits for coded in there],
            }
        )

    def rows(self, planted: Sequence[str] = ()) -> list[MotifRow]:
        """The rows of the table of the set; ``planted`` names the planted motifs of each motif."""
        num_starts = len(self.bits_of_starts)
        shares = (self.nodes_covered, self.edges_covered)
        return motif_rows(self.motifs, self.near, *shares, planted, num_starts)

    def table(self, which: str = "motifs") -> Table:
        """What the set holds, as a table.

        Parameters
        ----------
        which : {"motifs", "copies", "features", "blocks"}
            A row for each motif; for each copy, with its nodes by their letters and its ``edits``,
            such as ``-A-D +B-E`` where it lacks an edge and has another; for each numeric feature
            at nodes of a motif; or for each node, where bits are given blocks. The page on reading
            a report says what the columns are.

        Returns
        -------
        Table

        Raises
        ------
        InputError
            For another name, or for blocks where there are none.

        Examples
        --------
        >>> import networkx as nx
        >>> import gomkcn
        >>> found = gomkcn.motif_set(nx.disjoint_union_all([nx.complete_graph(5)] * 4))
        >>> found.table().columns()["copies"], list(found.table("copies").columns())
        ([4], ['motif', 'copy', 'graph', 'A', 'B', 'C', 'D', 'E', 'edits'])
        """
        check_choice("which", which, MOTIF_TABLES)
        if which == "motifs":
            return motif_table(self.rows())
        if which == "blocks":
            if self.known_blocks is None:
                raise InputError("which", "must not be 'blocks': no node of this set is in a block")
            return self.known_blocks
        return copies_table(self.motifs) if which == "copies" else feature_table(self.motifs)

    def plot(
        self,
        path: str | Path | None = None,
        *,
        width: float | None = None,
        height: float | None = None,
    ) -> Any:
        """Draw the motifs, each with its copies and the bits that it saves.

        Parameters
        ----------
        path : path, optional
            A file to write as well, which ends in .pdf, .svg or .png.
        width, height : float, optional
            In inches; a width alone keeps the proportions.

        Returns
        -------
        matplotlib.figure.Figure
        """
        # layouts need igraph, which nothing else here does
        from gomkcn.mining.motif_sets.motif_figure import plot_motifs
        from gomkcn.mining.plots.paper_figure import FigureSize

        size = FigureSize(path, width, height)
        return plot_motifs(self.shown.rows(), summary(self), size)

    def to_networkx(self, graph: Any) -> Any:
        """The graph with the copies as attributes, for Cytoscape or Gephi.

        Nodes and edges in copies have ``motif`` and ``copy``, the numbers of the first one, and
        ``motif_role``: what they are in the motif, by its letters, such as ``"A/B"`` for a node
        that symmetries exchange with another, and ``"A/B--C"`` for an edge. Nodes have their
        ``block`` where there are some. That of a run has occurrences as well, see
        :meth:`gomkcn.MiningRun.to_networkx`.
        """
        return marked_graph(as_unweighted(graph), self.motifs, blocks=self.known_blocks)

    def to_record(self) -> MotifSetRecord:
        """The record of ``patterns.json``."""
        return MotifSetRecord(
            motifs=[_record_of(motif) for motif in self.motifs],
            bits_base=float(self.bits_base),
            bits_total=float(self.bits_total),
            bits_saved=float(self.bits_saved),
            base=self.base,
            blocks=self.num_blocks,
            nodes_covered=float(self.nodes_covered),
            edges_covered=float(self.edges_covered),
            near=self.near,
            complete=self.complete,
            cut=self.cut,
            bits_of_starts=tuple(map(float, self.bits_of_starts)),
            bits_from_starts=float(self.bits_from_starts),
            num_graphs=self.num_graphs,
            closest=None if self.closest is None else _record_of(self.closest),
            given={
                name: GivenRecord(bits=pattern.bits, reason=pattern.reason)
                for name, pattern in self.given.items()
            },
            not_used=self.not_used,
            other=None if self.other is None else self.other.to_record(),
        )

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        record: dict[str, Any] = as_record(self.to_record())
        return record

    @classmethod
    def of_record(
        cls,
        record: MotifSetRecord,
        relations: Relations,
        copies: Sequence[Sequence[Occurrences]],
        edits: Sequence[Sequence[np.ndarray]] | None = None,
        blocks: Table | None = None,
    ) -> MotifSet:
        """Read a record, with the copies of each motif, and of each of the other base.

        So are their edits. ``blocks`` are those of the set that has some.
        """
        of_set, *others = copies
        own_edits, *other_edits = edits or [[NO_EDITS] * len(places) for places in copies]
        other = record.other
        return cls(
            motifs=tuple(
                _pattern_of(motif, relations, places, changed)
                for motif, places, changed in zip(record.motifs, of_set, own_edits, strict=True)
            ),
            bits_base=record.bits_base,
            bits_total=record.bits_total,
            nodes_covered=record.nodes_covered,
            edges_covered=record.edges_covered,
            base=record.base,
            cut=record.cut,
            bits_of_starts=record.bits_of_starts,
            bits_from_starts=record.bits_from_starts,
            num_graphs=record.num_graphs,
            num_blocks=record.blocks,
            blocks=None if record.blocks is None else blocks,
            near=record.near,
            closest=(
                None if record.closest is None else _pattern_of(record.closest, relations, NONE)
            ),
            given={
                name: GivenPattern(given.bits, given.reason) for name, given in record.given.items()
            },
            not_used=record.not_used,
            other=(
                None
                if other is None
                else cls.of_record(other, relations, others, other_edits, blocks)
            ),
        )

    @property
    def stored(self) -> StoredMotifSet:
        """A plain value, which :meth:`of_stored` reads."""
        bases = [self] if self.other is None else [self, self.other]
        parts = [[part.motif for part in base.motifs if part.motif is not None] for base in bases]
        shown = [*self.motifs, *bases[-1].motifs, *(base.closest for base in bases)]
        structures = [pattern.structure for pattern in shown if pattern is not None]
        blocks = self.known_blocks
        return StoredMotifSet(
            self.to_record(),
            structures[0].relations if structures else SIMPLE,
            StoredOccurrences.of([part.copies for of_base in parts for part in of_base]),
            [[part.edits for part in of_base] for of_base in parts],
            StoredPatterns.of([one for one in self if one.frequency.occurrences != UNCOUNTED]),
            None if blocks is None else blocks.columns(),
        )

    @classmethod
    def of_stored(cls, stored: StoredMotifSet) -> MotifSet:
        """Read what :attr:`stored` gave; a ValueError for parts that do not belong together."""
        records = [record for record in (stored.record, stored.record.other) if record is not None]
        sizes = [motif.num_nodes for record in records for motif in record.motifs]
        rest = iter(stored.copies.read(sizes))
        copies = [list(islice(rest, len(record.motifs))) for record in records]
        blocks = None if stored.blocks is None else Table(stored.blocks)
        found = cls.of_record(stored.record, stored.relations, copies, stored.edits, blocks)
        part_of = {pattern.key: pattern.motif for pattern in found.motifs}
        return found.with_patterns(stored.known.read(part_of))

    def save(self, path: str | Path) -> None:
        """Write the set to a file, of arrays and JSON, in which nothing can run code.

        ``table().save(path)`` writes a table, and ``plot().savefig(path)`` a picture.

        Examples
        --------
        >>> import networkx as nx
        >>> import gomkcn
        >>> graph = nx.disjoint_union_all([nx.complete_graph(5)] * 4)
        >>> gomkcn.motif_set(graph).save("cliques.motifs")
        >>> gomkcn.MotifSet.load("cliques.motifs").transform([nx.complete_graph(6)]).tolist()
        [[1.0, 0.33...]]
        """
        save_value(path, self.stored)

    @classmethod
    def load(cls, path: str | Path) -> MotifSet:
        """Read a set that :meth:`save` wrote.

        Raises
        ------
        InputError
            For a file that cannot be read, or is no such set.
        """
        with saved_value(path, StoredMotifSet, "MotifSet.save") as stored:
            return cls.of_stored(stored)

    def _repr_html_(self) -> str | None:
        """The motifs with their drawings, for a notebook."""
        return html_of(self)


def _record_of(pattern: Pattern) -> MotifRecord:
    """A motif: its number among the patterns, None for none, its structure, copies and bits."""
    motif, structure = pattern.motif, pattern.structure
    assert motif is not None, "a motif has copies"
    rows = zip(structure.edges, structure.edge_relations, strict=True)
    several = len(structure.relations.names) > 1
    missing_rate, added_rate = motif.rates(structure)
    return MotifRecord(
        pattern=pattern.id if pattern.id >= 0 else None,
        num_nodes=structure.num_nodes,
        edges=[[*ends, number] if several else list(ends) for ends, number in rows],
        categories=[list(names) for names in structure.categories],
        sources=pattern.sources,
        starts=motif.starts,
        copies=motif.num_copies,
        copies_exact=motif.copies_exact,
        missing=motif.missing,
        added=motif.added,
        missing_rate=float(missing_rate),
        added_rate=float(added_rate),
        bits=float(motif.bits),
        share=float(motif.share),
        address=motif.address,
        features=tuple(OrbitFeature(**as_record(feature)) for feature in motif.features),
    )


def _pattern_of(
    record: MotifRecord, relations: Relations, copies: Occurrences, edits: np.ndarray = NO_EDITS
) -> Pattern:
    """Read what :func:`_record_of` gave."""
    structure = Structure.from_dict(
        {
            "num_nodes": record.num_nodes,
            "categories": record.categories,
            "edges": [row[:2] for row in record.edges],
            "edge_relations": [row[2] if len(row) > 2 else 0 for row in record.edges],
            "relations": [{"name": name, "directed": way} for name, way in relations.kinds],
        }
    )
    part = MotifPart(
        copies,
        record.bits,
        record.address,
        share=record.share,
        starts=record.starts,
        num_copies=len(copies),
        edits=edits,
        features=record.features,
    )
    return Pattern(
        structure,
        sources=record.sources,
        motif=replace(part, num_copies=record.copies),
        id=-1 if record.pattern is None else record.pattern,
    )


def summary(found: MotifSet) -> str:
    """The answer in a sentence or two: what the graph is made of.

    >>> import networkx as nx
    >>> import gomkcn
    >>> print(summary(gomkcn.motif_set(nx.complete_graph(9))))
    The degrees determine the graph, so that no motif can shorten its description.
    """
    what = "graph" if found.num_graphs == 1 else "collection"
    if not found.bits_base:
        return f"The {what} has no edge between two different nodes, so there is nothing to find."
    if found.motifs:
        copies = sum(pattern.motif.num_copies for pattern in found.motifs if pattern.motif)
        verb = "shortens" if len(found) == 1 else "shorten"
        cover = " The set is a clique cover: mostly groups of nodes that are all joined." * (
            found.is_clique_cover
        )
        return (
            f"{number_of_motifs(found)} with {copies:,} copies {verb} the "
            f"description of the {what} by {found.bits_saved:,.0f} of {found.bits_base:,.0f} bits, "
            f"given {found.given_what}; the copies hold {_percent(found.edges_covered)} of the "
            f"edges and {_percent(found.nodes_covered)} of the nodes.{cover}"
            f"{shorter_sentence(found)}{starts_sentence(found)}"
        )
    if found.num_blocks is not None and found.other is not None:
        fewer = found.other.bits_base - found.bits_total
        return (
            f"A partition into {count(found.num_blocks, 'block')} describes the {what} in "
            f"{fewer:,.0f} bits less than the degrees alone; no motif saves bits beside it."
        )
    if found.bits_base < LEAST_BITS:
        return "The degrees determine the graph, so that no motif can shorten its description."
    wanted = f"the description of the {what} by {LEAST_BITS:.0f} bits or more"
    sentence = f"No set of motifs shortens {wanted}, given {found.given_what}."
    sentence += starts_sentence(found)
    if found.cut:
        sentence = f"The search was cut before it found motifs that shorten {wanted}."
    if found.closest is not None and found.closest.motif is not None:
        motif = found.closest.motif
        effect = f"save {motif.bits:,.1f}" if motif.bits > 0 else f"cost {-motif.bits:,.1f} more"
        name = describe_shapes([found.closest.structure])[0]
        closest = "Closest so far comes" if found.cut else "Closest comes"
        sentence += f" {closest} {name} × {motif.num_copies:,}, which would {effect} bits."
    return sentence


def number_of_motifs(found: MotifSet) -> str:
    """How many motifs there are, and how many near variants of them.

    >>> number_of_motifs(MotifSet((), 0.0, 0.0))
    '0 motifs'
    """
    variants = sum(len(group) - 1 for group in found.near)
    motifs = count(len(found) - variants, "motif")
    return f"{motifs} and {count(variants, 'near variant')}" if variants else motifs


def starts_sentence(found: MotifSet) -> str:
    """How many starts of the search found a set, and what the others save; empty without starts.

    >>> found = MotifSet((), 100.0, 60.0, bits_of_starts=(40.0, 31.5, 40.0), bits_from_starts=40.0)
    >>> starts_sentence(found)
    ' 2 of 3 starts of the search found this set; that of the other saves 8.5 bits less.'
    >>> starts_sentence(replace(found, bits_of_starts=(31.5, 36.0)))
    ' This set was found from those of 2 starts of the search, which save 4.0 to 8.5 bits less.'
    >>> starts_sentence(replace(found, bits_of_starts=(40.0,)))
    ' The search started once; from another start it may end with another set.'
    >>> later = replace(found, bits_of_starts=(31.5, 31.5), bits_from_starts=31.5)
    >>> starts_sentence(later).partition("; ")[2]
    'with copies that differ, looked for once, 8.5 bits more are saved.'
    """
    starts = found.bits_of_starts
    if not starts:
        return ""
    if len(starts) == 1:
        return " The search started once; from another start it may end with another set."
    # 1. what the starts found, which is the set, or what it began with
    more = found.bits_saved - found.bits_from_starts
    is_same = more <= _SAME_BITS
    less = [found.bits_from_starts - bits for bits in starts]
    others = [bits for bits in less if bits > _SAME_BITS]
    every = "Both" if len(starts) == 2 else f"All {len(starts)}"
    low, high = f"{min(others, default=0):,.1f}", f"{max(others, default=0):,.1f}"
    bits = f"{low} bits" if low == high else f"{low} to {high} bits"
    if not others:
        verdict = "none"
        if found.bits_from_starts > _SAME_BITS:
            verdict = "this set" if is_same else "the same exact copies"
        sentence = f" {every} starts of the search found {verdict}"
    elif len(others) == len(starts):
        what = "This set was" if is_same else "Its exact copies were"
        sets = f"those of {len(starts)} starts of the search"
        sentence = f" {what} found from {sets}, which save {bits} less"
    else:
        what = "this set" if is_same else "its exact copies"
        same = len(starts) - len(others)
        rest = "that of the other saves" if len(others) == 1 else "those of the others save"
        sentence = f" {same} of {len(starts)} starts of the search found {what}; {rest} {bits} less"
    # 2. what came after them
    if is_same:
        return f"{sentence}."
    later = "copies that differ"
    if found.given:
        has_edits = any(pattern.motif and len(pattern.motif.edits) for pattern in found.motifs)
        later = f"{later} or what is given" if has_edits else "what is given"
    return f"{sentence}; with {later}, looked for once, {more:,.1f} bits more are saved."


def shorter_sentence(found: MotifSet) -> str:
    """That another description is shorter than the one that leads; empty where none is."""
    fewer = found.bits_shorter_with_other
    if found.other is None or fewer < LEAST_BITS:
        return ""
    return (
        f" {_in_other_words(found.other)} would describe it in {fewer:,.0f} bits less; the motifs "
        "given the degrees are shown all the same, as motifs save bits beside blocks too."
    )


def _in_other_words(other: MotifSet) -> str:
    return f"{count(other.num_blocks or 0, 'block')} of nodes with {number_of_motifs(other)}"


def _percent(share: float) -> str:
    return f"{share:.0%}"


def copies_in(graph: CSRGraph, motifs: Sequence[Pattern], share_edges: bool) -> list[np.ndarray]:
    """Copies of each motif in a graph, int64 ``[k, M]``: as many as there is room for.

    The motifs take turns, those of most edges, then nodes, first. Copies share no edge, or, unless
    ``share_edges``, no node.
    """
    colors, of_motifs = category_colors(motifs, graph)
    taken = np.zeros(len(graph.indices) if share_edges else graph.num_nodes, bool)
    found: list[np.ndarray] = [np.empty(0)] * len(motifs)
    sizes = [(-pattern.structure.joined.sum(), -pattern.num_nodes) for pattern in motifs]
    for number in sorted(range(len(motifs)), key=lambda number: sizes[number]):
        structure, colors_of_motif = motifs[number].structure, of_motifs[number]
        known = None if colors_of_motif is None else (colors_of_motif, colors)
        query = Query.of_structure(graph, structure, known)
        rows, _ = list_query(query, most=_MOST_COPIES, max_steps=_MOST_STEPS)
        rows = rows[np.lexsort(rows.T[::-1])]
        parts = _edges_of(graph, structure, rows) if share_edges else rows
        free = ~taken[parts].any(axis=1)
        rows, parts = rows[free], parts[free]
        picked = pick_disjoint(parts)
        taken[parts[picked]] = True
        found[number] = rows[picked].astype(np.int64)
    return found


def _edges_of(graph: CSRGraph, structure: Structure, rows: np.ndarray) -> np.ndarray:
    """The entry of the larger end in the row of the smaller one, of each edge, int64 ``[K, P]``."""
    u, v = np.nonzero(np.triu(structure.joined))
    ends = np.sort(np.stack([rows[:, u], rows[:, v]]).astype(np.int64), axis=0)
    entries = np.repeat(np.arange(graph.num_nodes), graph.degrees) * graph.num_nodes + graph.indices
    return np.searchsorted(entries, ends[0] * graph.num_nodes + ends[1])


def places_of(
    graph: CSRGraph, motifs: Sequence[Pattern], copies: Sequence[np.ndarray]
) -> np.ndarray:
    """The first motif of each node, the copy of it in its graph, and its orbit, int64 ``[V, 3]``.

    -1 for none.
    """
    places = np.full((graph.num_nodes, 3), -1)
    # the first motif is written last
    for number in reversed(range(len(copies))):
        rows = copies[number]
        owner = graph.graph_of(rows[:, 0])
        copy_in_graph = np.arange(len(rows)) - np.searchsorted(np.sort(owner), owner)
        for node, orbit in enumerate(motifs[number].structure.orbits.tolist()):
            places[rows[:, node], 0] = number
            places[rows[:, node], 1] = copy_in_graph
            places[rows[:, node], 2] = orbit
    return places
