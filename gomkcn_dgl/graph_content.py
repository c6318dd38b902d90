"""What a graph of any library holds, and the choice of what is used of it → a CSRGraph.

Attributes are named columns; those that are chosen become a matrix of numbers, or the relation of
each edge.
"""

from __future__ import annotations

import contextlib
import logging
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from gomkcn_dgl.checks import to_numpy
from gomkcn_dgl.csr import UNUSED_WEIGHTS, CSRGraph, csr_from_edges
from gomkcn_dgl.edge_bounds import EdgeBounds
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.messages import Argument, Message
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import listed
from gomkcn_dgl.sides import sides_of_ends

log = logging.getLogger("gomkcn_dgl")

# level of the log for what a file was taken for, which commands show that show no other line
READING = 25

Column = str | int
# name of the features in DGL's data sets; its columns are called x0, x1, …
DEFAULT_FEATURE = "feat"
# in place of a column: edges have no relations, or no weights
NONE = "none"
# how a note of counts begins, and the count from which on edges are proposed to be kept
COUNTS = "edges carry counts in"
LEAST_COUNT = 5
# attribute of edges that holds their weights, where nothing else is said
DEFAULT_WEIGHT = "weight"
_ZEROS = {"0", "0.0", "-0.0", "0."}
# what a note of attributes that are not used begins with
NOT_USED = "not used: "
# a text column of more values is a name or a description, not a category
MAX_CATEGORIES = 1000


@dataclass(frozen=True)
class ColumnChoice:
    """Which attributes are used, by name or as arrays, and whether edges have a direction.

    Columns of a table of edges are named, or numbered from 1. Those of molecules are told by their
    usual names where they are None; that of the classes is "none" where nobody asks for them.
    """

    features: Any = None
    weight: Any = None
    directed: bool | None = None
    relation: Any = None
    # of features that are an array
    feature_names: tuple[str, ...] | None = None
    # of a table of edges
    source: Column | None = None
    target: Column | None = None
    # whether its two ends have nodes of their own; None: as its columns are called
    bipartite: bool | None = None
    # of edges: attributes that patterns compare with values, and the bounds of some
    edge_attributes: tuple[str, ...] = ()
    # of nodes: what is used of them beside features
    node_attributes: tuple[str, ...] = ()
    bounds: EdgeBounds = field(default_factory=EdgeBounds)
    # of molecules
    smiles: str | None = None
    id_column: str | None = None
    class_column: str | None = NONE
    skip_invalid: bool = False
    largest_fragment: bool = False

    def __post_init__(self) -> None:
        for name in ("directed", "bipartite"):
            given = getattr(self, name)
            if not isinstance(given, (bool, np.bool_, type(None))):
                raise InputTypeError(name, "must be True, False or None", got=repr(given))

    @property
    def columns(self) -> set[Column]:
        """The columns of a table of edges that are named, or numbered."""
        return {self.source, self.target, self.relation, self.weight} - {None, NONE}

    @property
    def asked_of_edges(self) -> tuple[str, ...]:
        """The attributes of edges that are compared with values, by patterns or by bounds."""
        return (*self.edge_attributes, *self.bounds.names)

    @property
    def given(self) -> list[str]:
        """What is chosen about edges and molecules."""
        of_edges = ("directed", "source", "target", "bipartite", "relation", "weight")
        named = (*of_edges, "smiles", "id_column")
        marked = ("skip_invalid", "largest_fragment")
        return [
            *(name for name in named if getattr(self, name) is not None),
            *self.bounds.arguments,
            *(name for name in marked if getattr(self, name)),
        ]


@dataclass(frozen=True, eq=False)
class GraphContent:
    """Edges and attributes of one graph or a collection, as its library lists them.

    ``directed`` has an entry for each relation: whether its edges have a direction, or None where
    the object does not say so. Then it has none if at least a share ``undirected_from`` of its
    edges is there both ways, and one for the reason ``why_directed``, where there is another than
    its edges. ``listed_once`` means that an edge without direction is listed in one of its two
    directions. ``node_type`` is the attribute that is always a feature, and ``owner`` names the
    object in messages. ``graph_names`` are text ``[G]``, None where no graph has a name.
    ``has_loops`` says that self-loops would be among the edges. ``atoms`` are int8 ``[V, 2]``,
    charges and hydrogens, which a drawing of molecules shows. ``end_names`` are what the columns of
    the two ends of a table are called, empty where they have no names; None for what is no table.
    """

    owner: str
    source: np.ndarray
    target: np.ndarray
    num_nodes: int
    nodes: Mapping[str, Any] = field(default_factory=dict)
    edges: Mapping[str, Any] = field(default_factory=dict)
    default_features: tuple[str, ...] = ()
    default_weight: str | None = None
    node_type: str | None = None
    directed: tuple[bool | None, ...] = (None,)
    undirected_from: float = 1.0
    why_directed: str = ""
    listed_once: bool = False
    relation: np.ndarray | None = None
    relation_names: tuple[str, ...] = (PLAIN,)
    graph_ptr: np.ndarray | None = None
    node_ids: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    graph_names: np.ndarray | None = None
    has_loops: bool = True
    atoms: np.ndarray | None = None
    end_names: tuple[str, ...] | None = None

    @property
    def num_graphs(self) -> int:
        """Number of graphs in the collection; 1 for a single graph."""
        return 1 if self.graph_ptr is None else len(self.graph_ptr) - 1

    @property
    def ids(self) -> np.ndarray:
        """The name of each node ``[V]``, also where it is the row number."""
        return np.arange(self.num_nodes) if self.node_ids is None else np.asarray(self.node_ids)

    def attributes(self) -> dict[str, Any]:
        """The attributes of nodes that are one value each, None where one is missing."""
        found: dict[str, Any] = {}
        for name in self.nodes:
            with contextlib.suppress(InputError):
                values = with_gaps(self.nodes, name)
                values = values if isinstance(values, list) else to_numpy(values)
                # one column is as good as none
                if np.shape(values) == (self.num_nodes, 1):
                    values = np.reshape(values, -1)
                if np.shape(values) == (self.num_nodes,):
                    found[name] = values
        return found

    @property
    def codes(self) -> np.ndarray:
        """The relation of each edge ``[E]``, also where all are of one."""
        return np.zeros(len(self.source), int) if self.relation is None else self.relation


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """The edges of a graph as they were given, self-loops among them, with their attributes.

    Attributes
    ----------
    source, target : numpy.ndarray
        int64 ``[E]``, rows of nodes.
    relation : numpy.ndarray
        int64 ``[E]``, the number of each edge's relation in the graph.
    columns : mapping of str to array or list
        Numbers or text ``[E]`` by the name of the attribute, None or NaN where one is missing.
    has_loops : bool
        Whether self-loops would be among the edges; those of a CSRGraph have no attributes.
    """

    source: np.ndarray
    target: np.ndarray
    relation: np.ndarray
    columns: Mapping[str, Any]
    has_loops: bool = True

    @classmethod
    def of(cls, content: GraphContent, choice: ColumnChoice) -> EdgeTable:
        """The edges that :func:`make_csr` makes a graph of."""
        if choice.directed:
            content = both_ways(content)
        check_edge_attributes(choice.edge_attributes, content.edges, content.owner)
        relation, _, _ = _relations(content, choice.relation)
        if relation is None:
            relation = np.zeros(len(content.source), np.int64)
        columns = {name: with_gaps(content.edges, name) for name in choice.edge_attributes}
        return cls(content.source, content.target, relation, columns, content.has_loops)

    @cached_property
    def _by_ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The edges in the order of their ends, and a number of the ends of each, ascending."""
        keys = self._numbers(self.source, self.target)
        order = np.argsort(keys, kind="stable")
        return order, keys[order]

    def _numbers(self, source: np.ndarray, target: np.ndarray) -> np.ndarray:
        width = 1 + max(self.source.max(initial=0), self.target.max(initial=0))
        # of a node that no edge reaches there is no number
        known = (source < width) & (target < width)
        return np.where(known, source * width + target, -1)

    def between(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All edges from each node ``first [K]`` to ``second [K]``: the row of each, and the edge.

        >>> ends = np.array([0, 1]), np.array([1, 2])
        >>> edges = EdgeTable(*ends, np.zeros(2, np.int64), {})
        >>> [column.tolist() for column in edges.between(np.array([0, 0]), np.array([2, 1]))]
        [[1], [0]]
        """
        order, keys = self._by_ends
        wanted = self._numbers(first, second)
        start = np.searchsorted(keys, wanted)
        length = np.searchsorted(keys, wanted, side="right") - start
        rows = np.repeat(np.arange(len(wanted)), length)
        inside = np.arange(len(rows)) - np.repeat(np.cumsum(length) - length, length)
        return rows, order[np.repeat(start, length) + inside]


def check_edge_attributes(names: Iterable[str], known: Iterable[str], owner: str) -> None:
    """Refuse the name of an attribute that the edges do not have."""
    have = list(known)
    for name in names:
        if name not in have:
            which = listed(have) if have else "of which there is none"
            raise InputError(
                f"an edge attribute must be one of those in {owner}, {which}, got {name!r}."
            )


def leave_out_edges(content: GraphContent, bounds: EdgeBounds) -> GraphContent:
    """Leave out the edges with a value outside the bounds, or with none; a note says how many.

    >>> ends = np.array([0, 1]), np.array([1, 2])
    >>> content = GraphContent("a graph", *ends, 3, edges={"p": [1, 5]})
    >>> leave_out_edges(content, EdgeBounds.read({"p": 3}, None)).notes
    ("left out 1 of 2 edges, whose 'p' is below 3",)
    """
    if not bounds:
        return content
    check_edge_attributes(bounds.names, content.edges, content.owner)
    rows, notes = bounds.keep(len(content.source), lambda name: with_gaps(content.edges, name))
    for note in notes:
        log.log(READING, "%s", note)
    table = content.edges

    def gaps_of(name: str) -> Any:
        values = with_gaps(table, name)
        return [values[row] for row in rows.tolist()] if isinstance(values, list) else values[rows]

    return replace(
        content,
        source=np.asarray(content.source)[rows],
        target=np.asarray(content.target)[rows],
        edges=Columns(
            table, lambda name: column_values(name, table, content.owner)[rows], with_gaps=gaps_of
        ),
        relation=None if content.relation is None else content.relation[rows],
        notes=(*content.notes, *notes),
    )


def make_csr(content: GraphContent, choice: ColumnChoice) -> CSRGraph:
    """Choose the columns and build the graph; what is not used becomes a note."""
    sides = None
    if content.end_names is not None:
        ends = content.source, content.target
        sides = sides_of_ends(*ends, content.num_nodes, content.end_names)
        if sides is not None and content.node_type is not None:
            sides = sides._replace(are_stated=True)
    if choice.directed:
        content = both_ways(content)
    features, feature_names, used_nodes = _node_features(content, choice)
    weights, used_weight = _edge_weights(content, choice.weight)
    relation, relation_names, used_type = _relations(content, choice.relation)
    directed = content.directed
    if choice.relation is not None:
        directed = directed * len(relation_names)
    if choice.directed is not None:
        directed = (choice.directed,) * len(relation_names)
    is_strict = content.undirected_from == 1 and directed == (None,)
    if is_strict and weights is not None and _differ_by_direction(content, weights):
        log.info("directed: the weights of the two directions of an edge differ")
        directed = (True,)
    graph = csr_from_edges(
        content.source,
        content.target,
        content.num_nodes,
        weights=weights,
        features=features,
        graph_ptr=content.graph_ptr,
        node_ids=content.node_ids,
        feature_names=feature_names,
        directed=directed,
        relation=relation,
        relation_names=relation_names,
        undirected=content.listed_once,
        undirected_from=content.undirected_from,
    )
    notes = [*content.notes, *graph.notes]
    if None in directed:
        notes += _say_direction(graph, content.why_directed)
    for of_weights in (*_of_unused_weights(content, choice), *_of_counts(content, choice, weights)):
        log.log(READING, "%s", of_weights)
        notes.append(of_weights.note)
    used_edges = [*used_weight, *used_type, *choice.asked_of_edges]
    if used_nodes is not None:
        used_nodes = [*used_nodes, *choice.node_attributes]
    notes += _unused(content, used_nodes, used_edges)
    return replace(
        graph,
        notes=tuple(dict.fromkeys(notes)),
        graph_names=content.graph_names,
        loops=graph.loops if content.has_loops else None,
        atoms=content.atoms,
        sides=sides,
    )


def _node_features(
    content: GraphContent, choice: ColumnChoice
) -> tuple[np.ndarray | None, tuple[str, ...] | None, list[str] | None]:
    """Features, their names, and the attributes that they are; None where an array was given."""
    features = choice.features
    if features is not None and not is_text(features):
        return features, choice.feature_names, None
    chosen = list(content.default_features)
    if features is not None:
        chosen = [features] if isinstance(features, str) else list(features)
        if not chosen:
            raise InputError(
                "features",
                "must name at least one attribute",
                got="no name",
                way_out=(Argument("features", NONE), " leaves all out"),
            )
        # an attribute of that name is meant by it
        if chosen == [NONE] and NONE not in content.nodes:
            chosen = []
    if content.node_type is not None and content.node_type not in chosen:
        chosen.insert(0, content.node_type)
    if not chosen:
        return None, None, []
    used = [_column_of(name, content.nodes) for name in chosen]
    return (*pick_columns(chosen, content.nodes, content.owner), used)


def _edge_weights(content: GraphContent, chosen: Any) -> tuple[np.ndarray | None, Sequence[str]]:
    """Weight of each edge, and the attribute that it is."""
    used: Sequence[str] = ()
    if not isinstance(chosen, Column | None):
        weights = column_values("weight", {"weight": chosen}, content.owner)
    else:
        name = content.default_weight if chosen is None else str(chosen)
        if name is None or name == NONE:
            return None, ()
        used = [name]
        # an attribute that is nowhere was misspelt
        if name not in content.edges:
            column_values(name, content.edges, content.owner)
        try:
            weights = column_values(name, content.edges, content.owner)
            _check_weights(weights)
        except (InputError, InputTypeError) as error:
            way_out = (Argument("weight", NONE), f" leaves the weights {name!r} out")
            raise type(error).of(replace(error.message, way_out=way_out)) from None
    # a matrix of one column is a list of weights
    return weights.reshape(-1) if weights.shape[1:] == (1,) else weights, used


def _check_weights(weights: np.ndarray) -> None:
    """Refuse what is no weight, with the first value that is none."""
    rule = "an edge weight must be a finite number of at least 0"
    if weights.dtype.kind == "U":
        raise InputTypeError(f"{rule}, got the text {str(weights.flat[0])!r}.")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise InputError(f"{rule}, got {weights.flat[wrong[0]]:g}.")


def _of_unused_weights(content: GraphContent, choice: ColumnChoice) -> list[Message]:
    """Say that weights are not used, and of how many edges a weight of 0 would have made none."""
    name = content.default_weight or DEFAULT_WEIGHT
    is_left_out = isinstance(choice.weight, str) and choice.weight == NONE
    if not is_left_out or name not in list(content.edges) or not len(content.source):
        return []
    number = 0
    # some graphs of a collection may have no weights
    with contextlib.suppress(InputError, InputTypeError):
        values = np.asarray(with_gaps(content.edges, name), object).reshape(-1)
        # numbers in a text count as what they are
        number = sum(str(value) in _ZEROS for value in values.tolist())
    return unused_weights(name, number, is_asked=name in choice.asked_of_edges)


def _of_counts(content: GraphContent, choice: ColumnChoice, weights: Any) -> list[Message]:
    """What is said of the first attribute of edges that has counts, where none is used."""
    if weights is not None or choice.bounds:
        return []
    # those that are asked for are used
    for name in content.edges:
        if name in choice.edge_attributes:
            continue
        with contextlib.suppress(InputError, InputTypeError):
            if said := counts_of_edges(name, with_gaps(content.edges, name)):
                return said
    return []


def unused_weights(name: str, num_zeros: int, *, is_asked: bool) -> list[Message]:
    """What is said of weights that are not used, nor asked for, and of those that are 0."""
    way_out = (Argument("minimum"), f" leaves out edges with a small {name!r}")
    if is_asked:
        return []
    messages = [Message(UNUSED_WEIGHTS, way_out=way_out)]
    if num_zeros:
        edges = "edge of weight 0 stays an edge"
        edges = edges if num_zeros == 1 else "edges of weight 0 stay edges"
        messages.append(Message(f"{num_zeros} {edges}, since weights are not used"))
    return messages


def _relations(
    content: GraphContent, chosen: Any
) -> tuple[np.ndarray | None, tuple[str, ...], Sequence[str]]:
    """Relation of each edge, the names of all, and the attribute that they are."""
    if chosen is None:
        return content.relation, content.relation_names, ()
    if content.relation is not None:
        raise InputError(
            "relation",
            (
                f"cannot be given for {content.owner}, whose edges have the types "
                f"{listed(content.relation_names)}"
            ),
        )
    if not isinstance(chosen, str):
        given = column_values("relation", {"relation": chosen}, content.owner)
        return (*relation_codes("relation", given), ())
    values = column_values(chosen, content.edges, content.owner)
    return (*relation_codes(chosen, values), [chosen])


def counts_of_edges(name: str, values: Any) -> list[Message]:
    """What is said of an attribute that has counts, which mining does not use, as of synapses.

    Counts are positive whole numbers, most of which are small: 1 is the most frequent one, and some
    are at least five. Five is the usual least number of synapses of published wiring diagrams (S.
    Dorkenwald et al., Nature 634, 2024): fewer are as often an error of the reconstruction.

    >>> (said,) = counts_of_edges("value", [1, 1, 1, 2, 7])
    >>> said.note
    "edges carry counts in 'value': 60% have 1, and 1 of 5 has 5 or more"
    >>> counts_of_edges("value", [0.5, 1, 7]), counts_of_edges("value", [3, 3, 3, 7])
    ([], [])
    """
    if isinstance(values, list) and not all(isinstance(value, (int, float)) for value in values):
        return []
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iuf" or numbers.ndim != 1 or not len(numbers):
        return []
    if not (np.isfinite(numbers) & (numbers >= 1) & (numbers == np.rint(numbers))).all():
        return []
    found, how_many = np.unique(numbers, return_counts=True)
    ones = int(how_many[0])
    many = int((numbers >= LEAST_COUNT).sum())
    if found[0] != 1 or ones < how_many.max() or not many:
        return []
    rule = (
        f"{COUNTS} {name!r}: {ones / len(numbers):.0%} have 1, and {many:,} of {len(numbers):,} "
        f"{'has' if many == 1 else 'have'} {LEAST_COUNT} or more"
    )
    return [
        Message(rule, way_out=(Argument("minimum", (f"{name}={LEAST_COUNT}",)), " keeps these"))
    ]


def _differ_by_direction(content: GraphContent, weights: Any) -> bool:
    """Whether the edges are there both ways, and weights of opposite edges differ."""
    source, target, values = (
        np.asarray(column) for column in (content.source, content.target, weights)
    )
    there, back = np.lexsort((target, source)), np.lexsort((source, target))
    if values.shape != source.shape or values.dtype.kind not in "biuf":
        return False
    both_ways = np.array_equal(source[there], target[back])
    both_ways = both_ways and np.array_equal(target[there], source[back])
    # a matrix that was computed need not be symmetric to the last digit
    return both_ways and not np.allclose(values[there], values[back], rtol=1e-5, atol=0)


def undirected_as(reason: str) -> Message:
    """A line of the log that edges have no direction, for a reason."""
    way_out = (Argument("directed", True), " gives edges a direction")
    return Message(f"undirected, as {reason}", way_out=way_out)


def _say_direction(graph: CSRGraph, why: str) -> list[str]:
    """Say in the log whether edges have a direction, as is seen; note what else says that."""
    one_way = [name for name, directed in graph.relations.kinds if directed]
    if not one_way:
        log.log(READING, "%s", undirected_as("its edges are there both ways"))
        return []
    which = "" if len(graph.relations.names) == 1 else f" of {listed(one_way)}"
    seen = f"some edges{which} are there in one direction only"
    way_out = (Argument("directed", False), " leaves directions out")
    log.log(READING, "%s", Message(f"directed, as {why or seen}", way_out=way_out))
    return [f"directed, as {why}"] if why else []


def _unused(
    content: GraphContent, used_nodes: list[str] | None, used_edges: list[str]
) -> list[str]:
    """Name the attributes that are not used, in the log and in a phrase."""
    tables: list[tuple[str, Mapping[str, Any], list[str] | None]] = [
        ("node ", content.nodes, used_nodes),
        ("edge ", content.edges, used_edges),
    ]
    # an object that does not tell them apart
    if content.nodes is content.edges:
        used = None if used_nodes is None else used_nodes + used_edges
        tables = [("", content.nodes, used)]
    phrases = []
    for kind, table, used in tables:
        names = [name for name in table if used is not None and name not in used]
        if names:
            phrases.append(f"{kind}attribute{'s' if len(names) > 1 else ''} {listed(names)}")
    if not phrases:
        return []
    note = NOT_USED + "; ".join(phrases)
    log.info("%s", note)
    return [note]


def both_ways(content: GraphContent) -> GraphContent:
    """List each edge in both directions."""
    if not content.listed_once:
        return content
    return replace(
        content,
        source=np.concatenate([content.source, content.target]),
        target=np.concatenate([content.target, content.source]),
        edges=joined_columns([content.edges] * 2, [content.owner] * 2, [len(content.source)] * 2),
        relation=None if content.relation is None else np.tile(content.relation, 2),
        listed_once=False,
    )


def join_contents(parts: Sequence[GraphContent], labels: Sequence[str]) -> GraphContent:
    """Join graphs to a collection; a relation has a direction if it has one in any of them."""
    for name in ("default_features", "default_weight", "node_type"):
        _check_same(name, [getattr(part, name) for part in parts])
    directed = _joint_directions(parts)
    listed_once = all(part.listed_once for part in parts) and set(directed.values()) == {False}
    if not listed_once:
        parts = [both_ways(part) for part in parts]
    # nodes are numbered after those of all graphs before
    starts = np.cumsum([0, *(part.num_nodes for part in parts)])
    source, target, pointers = [], [], [starts[:1]]
    for part, start in zip(parts, starts, strict=False):
        source.append(np.asarray(part.source) + start)
        target.append(np.asarray(part.target) + start)
        inner = [part.num_nodes] if part.graph_ptr is None else part.graph_ptr[1:]
        pointers.append(np.asarray(inner) + start)
    relation = ids = None
    if any(part.relation is not None for part in parts):
        number = {name: k for k, name in enumerate(directed)}
        numbers = [np.array([number[name] for name in part.relation_names]) for part in parts]
        relation = np.concatenate([new[p.codes] for new, p in zip(numbers, parts, strict=True)])
    if any(part.node_ids is not None for part in parts):
        ids = _joint_ids(parts, starts, np.concatenate(pointers))
    graph_names = None
    if any(part.graph_names is not None for part in parts):
        graph_names = np.concatenate(
            [np.full(p.num_graphs, "") if p.graph_names is None else p.graph_names for p in parts]
        )
    # of a drawing that has all of them
    atoms = [part.atoms for part in parts if part.atoms is not None]
    nodes = joined_columns(
        [part.nodes for part in parts], labels, [part.num_nodes for part in parts]
    )
    # an object that does not tell attributes of nodes and edges apart
    mixed = all(part.nodes is part.edges for part in parts)
    return GraphContent(
        owner="the collection",
        source=np.concatenate(source),
        target=np.concatenate(target),
        num_nodes=int(starts[-1]),
        nodes=nodes,
        edges=nodes
        if mixed
        else joined_columns(
            [part.edges for part in parts], labels, [len(part.source) for part in parts]
        ),
        default_features=parts[0].default_features,
        default_weight=parts[0].default_weight,
        node_type=parts[0].node_type,
        directed=tuple(directed.values()),
        listed_once=listed_once,
        relation=relation,
        relation_names=tuple(directed),
        graph_ptr=np.concatenate(pointers),
        node_ids=ids,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        graph_names=graph_names,
        has_loops=all(part.has_loops for part in parts),
        why_directed=parts[0].why_directed if len({p.why_directed for p in parts}) == 1 else "",
        atoms=np.concatenate(atoms) if len(atoms) == len(parts) else None,
    )


def _joint_ids(
    parts: Sequence[GraphContent], starts: np.ndarray, graph_ptr: np.ndarray
) -> np.ndarray:
    """The names of the nodes of all parts; nodes without a name are numbered in each graph."""
    numbers = np.arange(starts[-1]) - np.repeat(graph_ptr[:-1], np.diff(graph_ptr))
    pairs = zip(parts, np.split(numbers, starts[1:-1]), strict=True)
    return np.concatenate(
        [numbered if part.node_ids is None else part.ids for part, numbered in pairs]
    )


def _joint_directions(parts: Sequence[GraphContent]) -> dict[str, bool | None]:
    """Direction of each relation: True if some graph says so, None if some leaves it open."""
    declared: dict[str, set[bool | None]] = {}
    for part in parts:
        for name, is_directed in zip(part.relation_names, part.directed, strict=True):
            declared.setdefault(name, set()).add(is_directed)
    return {
        name: True if True in found else None if None in found else False
        for name, found in declared.items()
    }


def _check_same(name: str, values: Sequence[Any]) -> None:
    if len(set(values)) > 1:
        other = next(k for k, value in enumerate(values) if value != values[0])
        what = "edge weights" if name == "default_weight" else "features"
        raise InputError(
            f"all graphs must have the same {what}",
            got=f"{values[0]} in graph 0 and {values[other]} in graph {other}",
            way_out="name those to use",
        )


def is_from(library: str, name: str, value: Any) -> bool:
    """Whether a value is of a class of a library; one that nobody imported has made nothing."""
    module = sys.modules.get(library)
    return module is not None and isinstance(value, getattr(module, name))


def is_text(names: Any) -> bool:
    """Whether this is a name or a sequence of names."""
    if isinstance(names, str):
        return True
    return isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)


class Columns(Mapping[str, Any]):
    """A table whose columns are formed only when they are asked for; without rows it has all."""

    def __init__(
        self,
        names: Iterable[str],
        column: Callable[[str], Any],
        is_empty: bool = False,
        with_gaps: Callable[[str], Any] | None = None,
    ) -> None:
        self._names = dict.fromkeys(names)
        self._column = column
        self._is_empty = is_empty
        # a column in which values that are missing are None
        self.with_gaps = column if with_gaps is None else with_gaps

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(name)
        return self._column(name)

    def __contains__(self, name: object) -> bool:
        return self._is_empty or name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def with_gaps(table: Mapping[str, Any], name: str) -> Any:
    """One column, None where a value is missing."""
    return table.with_gaps(name) if isinstance(table, Columns) else table[name]


def record_columns(records: Sequence[Mapping[Any, Any]], owner_of: Callable[[int], Any]) -> Columns:
    """Table of attributes that are stored node by node or edge by edge, as NetworkX does."""

    def with_gaps(name: str) -> list[Any]:
        return [record.get(name) for record in records]

    def column(name: str) -> list[Any]:
        values = with_gaps(name)
        missing = [row for row, value in enumerate(values) if value is None]
        if missing:
            raise InputError(
                f"the attribute {name!r} must be set everywhere, and {owner_of(missing[0])!r} does "
                "not have it."
            )
        return values

    names = (str(key) for record in records for key in record)
    return Columns(names, column, is_empty=not records, with_gaps=with_gaps)


def joined_columns(
    tables: Sequence[Mapping[str, Any]], labels: Sequence[str], sizes: Sequence[int]
) -> Columns:
    """Tables of several graphs, or several types of nodes, one below the other.

    A column that a table of ``sizes`` rows does not have, or not everywhere, has gaps.
    """

    def column_with_gaps(name: str) -> list[Any]:
        found: list[Any] = []
        for table, size in zip(tables, sizes, strict=True):
            values = with_gaps(table, name) if name in table else [None] * size
            # an attribute of a whole graph is a single value
            some = values if isinstance(values, list) else to_numpy(values).tolist()
            found += some if isinstance(some, list) else [some]
        return found

    def column(name: str) -> np.ndarray:
        pairs = [
            (column_values(name, table, label), label)
            for table, label in zip(tables, labels, strict=True)
        ]
        # an empty column has neither a type nor a width
        pairs = [pair for pair in pairs if len(pair[0])] or pairs[:1]
        first, label = pairs[0]
        for part, other in pairs:
            if (part.dtype.kind == "U") != (first.dtype.kind == "U"):
                raise InputError(f"{name!r} must hold numbers everywhere or text everywhere.")
            if part.shape[1:] != first.shape[1:]:
                widths = [" × ".join(map(str, block.shape[1:])) or "1" for block in (first, part)]
                raise InputError(
                    f"{name!r} must have the same width everywhere",
                    got=f"{widths[0]} for {label}, {widths[1]} for {other}",
                    way_out=("name attributes of one width with ", Argument("features")),
                )
        return np.concatenate([part for part, _ in pairs])

    names = (name for table in tables for name in table)
    return Columns(names, column, with_gaps=column_with_gaps)


def column_values(name: str, table: Mapping[str, Any], owner: str) -> np.ndarray:
    """One column as an array of numbers or of text."""
    if name not in table:
        raise InputError(f"{owner} has no {name!r}; it holds {sorted(map(str, table))}.")
    values = table[name]
    if isinstance(values, (list, tuple)):
        if len({isinstance(value, str) for value in values}) > 1:
            raise InputTypeError(f"{name!r} must hold numbers or text, not both.")
        try:
            values = np.array([to_numpy(value) for value in values])
        except ValueError:
            raise InputError(f"{name!r} must have the same shape everywhere.") from None
    array = to_numpy(values)
    if array.dtype == object and all(isinstance(value, str) for value in array.flat):
        array = array.astype(str)
    if array.dtype.kind not in "biufU":
        raise InputTypeError(f"{name!r} must hold numbers or text, got {array.dtype}.")
    return array


def pick_columns(
    names: Sequence[str], table: Mapping[str, Any], owner: str
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Put columns side by side: numbers as they are, text as one column for each value.

    The name kind=tf is that of one value of the column kind.
    """
    blocks, titles = [], []
    for name in names:
        column = _column_of(name, table)
        values, titles_of_column = _numbers_of(column, column_values(column, table, owner))
        if column != name:
            if name not in titles_of_column:
                raise InputError(f"{owner} has no {name!r}; it holds {titles_of_column}.")
            values, titles_of_column = values[:, [titles_of_column.index(name)]], [name]
        blocks.append(values)
        titles += titles_of_column
    return np.concatenate(blocks, axis=1), tuple(titles)


def _column_of(name: str, table: Mapping[str, Any]) -> str:
    """The column that a feature is of."""
    column = name.partition("=")[0]
    return column if name not in table and column in table else name


def _numbers_of(name: str, values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """A column as numbers ``[rows, D]``, and what each of the D is called."""
    values = values.reshape(len(values), math.prod(values.shape[1:]))
    if values.dtype.kind == "U":
        values, categories = _one_hot(name, values)
        return values, [f"{name}={category}" for category in categories]
    # an attribute of several columns gives each a number
    plain, width = "x" if name == DEFAULT_FEATURE else name, values.shape[1]
    return values, [name] if width == 1 else [f"{plain}{column}" for column in range(width)]


def _one_hot(name: str, values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    if values.shape[1] != 1:
        raise InputError(f"the text {name!r} must be one value each, got {values.shape[1]}.")
    categories, codes = np.unique(values[:, 0], return_inverse=True)
    if len(categories) > MAX_CATEGORIES:
        raise InputError(
            f"the text {name!r} must have at most {MAX_CATEGORIES} different values to become "
            f"features, got {len(categories)}; leave out what is a name."
        )
    return np.eye(len(categories), dtype=np.float32)[codes], categories.tolist()


def relation_codes(name: str, values: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the relations of edges, which text or integers tell."""
    if values.ndim == 2 and values.shape[1] > 1:
        raise InputError(
            "relation", f"{name!r} must be one value for each edge", got=values.shape[1]
        )
    values = values.reshape(-1)
    if values.dtype.kind == "f":
        if not (np.isfinite(values).all() and (values == np.round(values)).all()):
            raise InputError(
                "relation", f"{name!r} must hold text or integers", got="other numbers"
            )
        values = values.astype(np.int64)
    kinds, codes = np.unique(values, return_inverse=True)
    # a graph without edges still has a relation
    return codes, tuple(map(str, kinds.tolist())) or (PLAIN,)
