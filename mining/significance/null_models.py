"""Null models: random graphs that keep some properties of a graph and nothing else.

``"degree"``
    All simple graphs in which each node has as many neighbours as before: in each relation, with
    directions as many that it only leads to, that only lead to it, and both; of each category where
    nodes have categories. An undirected graph of two sides keeps them.
``"joint-degree"``
    The same, and as many edges as before join nodes of each two degrees.
``"erdos-renyi"``
    As many edges as before, by relation and direction, between random nodes of each graph.

All that joins two nodes is one edge and stays together, so that two relations join the same nodes
only as they do in the graph. In a collection no edge leaves its graph. Features stay at their
nodes, and weights are dropped. Any other null model is a function of one's own.

To add one is to write its class: options, refusals and the help read its name. Compiled code is
imported when a graph is drawn, so that the help answers soon.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import get_annotations
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from gomkcn.mining.structures.categories import Categories
from gomkcn_dgl.checks import RandomState, as_seed
from gomkcn_dgl.csr import CSRGraph, pack
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_csr

# attempts of a walk for each edge; after some 2 an edge has forgotten where it was
ATTEMPTS_PER_EDGE = 10
# attempts for which random numbers are drawn together: a MiB and a half of them
ATTEMPTS_AT_ONCE = 1 << 16
# a graph with fewer cycles may have even ones alone by chance: one of 32
_LEAST_CYCLES = 5
# where fewer of the attempts succeed, few graphs can be reached
_LEAST_ACCEPTED = 0.01
# a graph has other triangles than a null model if their numbers differ by so many standard
# deviations
_DISTANCE = 5.0
# and by this factor
_FACTOR = 1.5
# and if this share of the nodes with two neighbours is in one: where copies of a motif are planted,
# few nodes have many
_SHARE = 0.6
# random graphs by which this is told; the differences that matter are large
_NUM_LOOKED_AT = 4


def _never_late() -> None:
    """For as long as it takes."""


@runtime_checkable
class NullModel(Protocol):
    """What a null model is: one of this module, or an object of one's own of the same shape."""

    @property
    def name(self) -> str:
        """A word for tables."""

    @property
    def keeps(self) -> str:
        """What it keeps of the graph, in words that follow "it keeps"."""

    @property
    def is_walk(self) -> bool:
        """Whether it walks a fixed number of attempts of a symmetric chain from its graph."""

    def sample(self, graph: CSRGraph, seed: int) -> CSRGraph:
        """Draw a random graph with the nodes of ``graph``; the same seed gives the same graph."""

    def doubt(self, graph: CSRGraph) -> str:
        """Why the comparison says little of this graph, in a sentence or two; mostly ``""``."""


class NamedModel:
    """The base of the null models that have a name of ours, by which they are asked for."""

    name: ClassVar[str]
    is_walk: ClassVar[bool]
    # whether it keeps the degree of each node by edge type and direction
    keeps_degrees: ClassVar[bool]

    def __init_subclass__(cls) -> None:
        """Enter the class by its name; a TypeError if it lacks a member, or its name is taken."""
        has: set[str] = set()
        for base in cls.__mro__[: cls.__mro__.index(NamedModel)]:
            has |= {*vars(base), *get_annotations(base)}
        lacking = [member for member in _MEMBERS if member not in has]
        if lacking:
            raise TypeError(f"the null model {cls.__name__} lacks {', '.join(lacking)}.")
        if cls.name in NULL_MODELS:
            other = NULL_MODELS[cls.name].__name__
            raise TypeError(f"{cls.name!r} names two null models: {other} and {cls.__name__}.")
        NULL_MODELS[cls.name] = cls

    @classmethod
    def of(cls, graph: CSRGraph) -> NullModel:
        """The model of a graph; what it keeps depends on what the graph has."""
        raise NotImplementedError


# what a class of a null model says, or takes from another one
_MEMBERS = ("name", "is_walk", "keeps_degrees", "keeps", "of", "sample", "doubt")
# by name, in the order in which they stand below
NULL_MODELS: dict[str, type[NamedModel]] = {}


def null_model(
    null: str | NullModel | Callable[[CSRGraph, int], Any], graph: CSRGraph
) -> NullModel:
    """The null model of a graph; what it keeps depends on what the graph has.

    Parameters
    ----------
    null : str, callable or NullModel
        A name of ``NULL_MODELS``; a function of a graph and a seed that returns a graph with the
        same nodes; or an object with the attributes of :class:`NullModel`.
    graph : CSRGraph
        One graph or a collection.

    Raises
    ------
    InputError
        For another name.
    InputTypeError
        For what is neither a name nor a function nor such an object.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import as_csr
    >>> grid = as_csr(nx.grid_2d_graph(4, 4))
    >>> null_model("degree", grid).keeps
    'the degree of each node and its two sides'
    >>> null_model("degree", as_csr(nx.karate_club_graph())).keeps
    'the degree of each node'
    """
    check_null(null)
    if isinstance(null, str):
        return NULL_MODELS[null].of(graph)
    return null if isinstance(null, NullModel) else OwnModel(null)


def check_null(null: Any, others: Sequence[str] = ()) -> None:
    """Refuse what is no null model, as ``null_model`` says, and ``others`` that may be given."""
    if not isinstance(null, str):
        if not (isinstance(null, NullModel) or callable(null)):
            raise InputTypeError(
                "null",
                (
                    "must be a name, a function of a graph and a seed, or an object with name, "
                    "keeps, is_walk, sample and doubt"
                ),
                got=type(null).__name__,
            )
    elif null not in NULL_MODELS:
        known = ", ".join(map(repr, (*others, *NULL_MODELS)))
        raise InputError(
            "null", f"must be one of {known}, or a function of a graph and a seed", got=repr(null)
        )


def sample_null(graph: Any, null: Any = "degree", seed: RandomState = 0) -> CSRGraph:
    """Draw one graph of a null model by ``null_model``, from anything ``as_csr`` takes.

    >>> import networkx as nx
    >>> graph = nx.barabasi_albert_graph(30, 2, seed=0)
    >>> sample_null(graph, "degree", seed=1).degrees.tolist() == [one for _, one in graph.degree]
    True
    """
    graph = graph if isinstance(graph, CSRGraph) else as_csr(graph)
    return RandomGraphs(null_model(null, graph), graph, as_seed("seed", seed)).draw(0)


class RandomGraphs:
    """Random graphs that, under the null model, are exchangeable with the graph itself.

    A walk leads from the graph to a hub, and from the hub to each random graph. Read backwards, the
    first part is a walk like the others, so that nothing tells the graph from the random ones,
    however short the walks are (J. Besag and P. Clifford, Biometrika 76, 1989). Graphs that are
    drawn independently need no hub, which is the graph then. Each graph has a random stream of its
    own. ``check_time`` is called now and then while a graph is drawn, and may raise.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> house = as_csr(nx.house_graph())
    >>> RandomGraphs(null_model("degree", house), house, seed=1).draw(3).num_edges
    6
    """

    def __init__(
        self,
        model: NullModel,
        graph: CSRGraph,
        seed: int = 0,
        check_time: Callable[[], None] = _never_late,
    ) -> None:
        self.model = model
        self.graph = graph
        self.seed = seed
        self.check_time = check_time
        self.hub = graph
        if model.is_walk:
            self.hub = self._checked(self._samples_of(graph)(self._seed_of(0)))
        # from the hub, by a seed
        self._sample = self._samples_of(self.hub)

    def draw(self, number: int) -> CSRGraph:
        """The random graph with a number, from 0; it does not depend on which were drawn before."""
        return self._checked(self._sample(self._seed_of(number + 1)))

    def _samples_of(self, start: CSRGraph) -> Callable[[int], CSRGraph]:
        """What draws a graph by its seed, and looks at ``start`` once."""
        if isinstance(self.model, DegreeWalk):
            walk_by = self.model.walk_from(start, self.check_time)
            return lambda seed: walk_by(seed)[0]
        return partial(self.model.sample, start)

    def _seed_of(self, number: int) -> int:
        stream = zlib.crc32(self.model.name.encode())
        words = np.random.SeedSequence(self.seed, spawn_key=(stream, number)).generate_state(1)
        return int(words[0])

    def _checked(self, sample: Any) -> CSRGraph:
        """A graph that was drawn; an InputError if it is none, or has other nodes or relations."""
        same = (
            isinstance(sample, CSRGraph)
            and np.array_equal(sample.graph_ptr, self.graph.graph_ptr)
            and sample.relations.kinds == self.graph.relations.kinds
        )
        if not same:
            got = type(sample).__name__
            if isinstance(sample, CSRGraph):
                got = f"{sample.num_nodes} nodes, {sample.relations.kinds}"
            raise InputError(
                f"null {self.model.name!r} must return graphs with the nodes and relations of its "
                f"graph ({self.graph.num_nodes} nodes, {self.graph.relations.kinds}), got {got}."
            )
        assert isinstance(sample, CSRGraph), "the same"
        return sample


@dataclass(frozen=True, eq=False)
class DegreeWalk(NamedModel):
    """``"degree"`` of one graph, and of all graphs that it keeps alike.

    ``colors [V]`` is what a node may not be exchanged against, and ``joint [V]`` the class of its
    degrees where these are to stay joined, else 0.
    """

    name = "degree"
    is_walk = True
    keeps_degrees = True
    joins_degrees: ClassVar[bool] = False

    keeps: str
    colors: np.ndarray
    joint: np.ndarray

    @classmethod
    def of(cls, graph: CSRGraph) -> DegreeWalk:
        """The model of a graph: its categories, or its sides if it has two."""
        categories = Categories.find(graph.stored_features, graph.feature_names)
        sides = find_sides(graph)
        # 1. what tells nodes apart
        columns = [graph.graph_of(np.arange(graph.num_nodes))]
        columns += [categories.colors(graph.features)] if categories else []
        columns += [] if sides is None else [sides]
        degrees = np.zeros(graph.num_nodes, np.int64)
        if cls.joins_degrees:
            degrees = np.unique(_kind_degrees(graph), axis=0, return_inverse=True)[1].reshape(-1)
        # 2. in words
        kept = ["the degree of each node"]
        if graph.links is not None:
            kept = ["the degree of each node by edge type and direction"]
            if graph.relations.kinds[1:] == []:
                kept = ["the numbers of outgoing and incoming edges and mutual pairs of each node"]
        kept += ["the categories of the neighbours of each node"] if categories else []
        kept += [] if sides is None else ["its two sides"]
        kept += (
            ["the number of edges between nodes of each two degrees"] if cls.joins_degrees else []
        )
        return cls(_listed(kept), _grouped(*columns), degrees)

    def sample(self, graph: CSRGraph, seed: int) -> CSRGraph:
        """Walk ten attempts an edge from a graph."""
        return self.walk_from(graph)(seed)[0]

    def walk_from(
        self,
        graph: CSRGraph,
        check_time: Callable[[], None] = _never_late,
        *,
        attempts_per_edge: int = ATTEMPTS_PER_EDGE,
        attempts_at_once: int = ATTEMPTS_AT_ONCE,
    ) -> Callable[[int], tuple[CSRGraph, float]]:
        """What walks from a graph, which is looked at once, by a seed.

        It returns the graph at the end of a walk, and the share of its attempts that were not
        refused.
        """
        from gomkcn.mining.significance.degree_walk import new_table, walk

        edges, kinds = _edges_and_kinds(graph)
        # readings may be exchanged that agree in this: kind, and nodes at both ends
        sources = edges.reshape(-1)
        targets = edges[:, ::-1].reshape(-1)
        groups = _grouped(self.colors[sources], self.colors[targets], kinds, self.joint[targets])
        ends = np.concatenate([[0], np.cumsum(np.bincount(groups))])
        members = np.argsort(groups, kind="stable")
        # links that read otherwise from the other end
        reverse = graph.relations.reverse
        one_way = None
        if graph.links is not None:
            one_way = reverse != np.arange(len(reverse))

        def walk_by(seed: int) -> tuple[CSRGraph, float]:
            if len(edges) == 0:
                return replace(graph, weights=None, loops=None), 1.0
            walked = edges.copy()
            pairs = new_table(walked)
            rng = np.random.default_rng(seed)
            attempts = attempts_per_edge * len(edges)
            count = 0
            for made in range(0, attempts, attempts_at_once):
                check_time()
                numbers = rng.random((min(attempts_at_once, attempts - made), 3))
                count += walk(walked, kinds, one_way, groups, ends, members, pairs, numbers)
            return _graph_of(walked, kinds, graph), count / attempts

        return walk_by

    def doubt(self, graph: CSRGraph) -> str:
        """That hardly any graph keeps this, or that there are other triangles."""
        walked = list(map(self.walk_from(graph), range(_NUM_LOOKED_AT)))
        accepted = float(np.mean([share for _, share in walked]))
        if accepted < _LEAST_ACCEPTED:
            return (
                f"{1000 * accepted:.0f} of 1,000 swaps of the null model “{self.name}” succeed. "
                "Its random graphs hardly differ from the graph: the comparison has little power."
            )
        return doubt_triangles(self.name, graph, [sample for sample, _ in walked])


class JointDegreeWalk(DegreeWalk):
    """``"joint-degree"``: the same, with the number of edges between nodes of each two degrees."""

    name = "joint-degree"
    joins_degrees = True


@dataclass(frozen=True)
class ErdosRenyi(NamedModel):
    """``"erdos-renyi"``: the edges of each graph between random nodes of it, each pair once."""

    name = "erdos-renyi"
    is_walk = False
    keeps_degrees = False

    keeps: str = "the numbers of nodes and of edges by edge type and direction"

    @classmethod
    def of(cls, graph: CSRGraph) -> ErdosRenyi:
        """The same for all graphs."""
        return cls()

    def sample(self, graph: CSRGraph, seed: int) -> CSRGraph:
        """Put each edge between two random nodes of its graph."""
        if len(graph.indices) == 0:
            return replace(graph, weights=None, loops=None)
        rng = np.random.default_rng(seed)
        edges, kinds = _edges_and_kinds(graph)
        # 1. pairs of nodes of each graph, as many as there are edges
        numbers = np.bincount(graph.graph_of(edges[:, 0]), minlength=graph.num_graphs)
        starts = graph.graph_ptr[:-1].tolist()
        ends = np.cumsum(numbers).tolist()
        sizes = np.diff(graph.graph_ptr).tolist()
        for start, size, number, end in zip(starts, sizes, numbers.tolist(), ends, strict=True):
            pairs = rng.choice(size * (size - 1) // 2, number, replace=False)
            edges[end - number : end] = start + _nodes_of_pairs(pairs)
        # 2. in which direction each edge leads
        turned = rng.random(len(edges)) < 0.5
        edges[turned] = edges[turned, ::-1]
        return _graph_of(edges, kinds, graph)

    def doubt(self, graph: CSRGraph) -> str:
        """That there are other triangles; it keeps no degrees either, which its name says."""
        samples = [self.sample(graph, seed) for seed in range(_NUM_LOOKED_AT)]
        return doubt_triangles(self.name, graph, samples)


@dataclass(frozen=True)
class OwnModel:
    """A function of a graph and a seed as a null model; its graphs are taken to be independent."""

    function: Callable[[CSRGraph, int], Any]
    is_walk: bool = False

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    @property
    def keeps(self) -> str:
        """The first line of its text."""
        lines = (self.function.__doc__ or "").strip().splitlines()
        return lines[0] if lines else f"what the function {self.name} keeps"

    def sample(self, graph: CSRGraph, seed: int) -> CSRGraph:
        """What the function returns, with the features of the graph."""
        made = as_csr(self.function(graph, seed))
        if made.num_nodes != graph.num_nodes:
            return made
        return replace(
            made,
            features=graph.features,
            feature_names=graph.feature_names,
            graph_ptr=graph.graph_ptr,
            node_ids=graph.node_ids,
            weights=None,
        )

    def doubt(self, graph: CSRGraph) -> str:
        """Nothing is known of it."""
        return ""


def find_sides(graph: CSRGraph) -> np.ndarray | None:
    """Side of each node, int64 ``[V]`` of 0 and 1, where all edges join the two sides; else None.

    That is said of undirected graphs with several cycles: trees have two sides, whatever they mean.
    In each component the node with most neighbours is on side 0.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> find_sides(as_csr(nx.complete_bipartite_graph(3, 4))).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    >>> find_sides(as_csr(nx.star_graph(4))) is None
    True
    """
    from gomkcn.mining.significance.degree_walk import split_sides

    if graph.links is not None:
        return None
    sides = np.full(graph.num_nodes, -1)
    waiting = np.empty(graph.num_nodes, np.int64)
    order = np.argsort(-graph.degrees, kind="stable")
    components = split_sides(graph.indptr, graph.indices, order, sides, waiting)
    if components < 0 or len(graph.indices) // 2 - len(sides) + components < _LEAST_CYCLES:
        return None
    return sides


def doubt_triangles(name: str, graph: CSRGraph, samples: list[CSRGraph]) -> str:
    """Say that a graph has other triangles than random ones, where it has them all over."""
    from gomkcn.mining.counting.census_formulas import count_triangles

    at_nodes = count_triangles(graph)
    observed = int(at_nodes.sum()) // 3
    able = graph.degrees > 1
    share = float((at_nodes[able] > 0).mean()) if able.any() else 0.0
    counts = [int(count_triangles(sample).sum()) // 3 for sample in samples]
    mean = float(np.mean(counts))
    sd = float(np.std(counts, ddof=1))
    difference = abs(observed - mean)
    is_alike = difference <= _DISTANCE * max(sd, mean**0.5, 1.0)
    is_alike |= difference <= (_FACTOR - 1) * min(observed, mean)
    if is_alike or (observed > mean and share < _SHARE):
        return ""
    what = "graphs have" if graph.num_graphs > 1 else "graph has"
    if observed > mean:
        number, verdict = "more", "over"
        where = f"; {share:.0%} of the nodes with two or more neighbours are in one"
        why = " Where edges join what is near, in space or in a group, nearly all dense ones are."
    else:
        number, verdict = "fewer", "under"
        where, why = "", ""
    return (
        f"The {what} {number} triangles than random graphs of the null model “{name}”, "
        f"{observed:,} against {mean:,.0f}{where}. Structures that contain triangles may be "
        f"{verdict}-represented for this reason alone.{why}"
    )


def _edges_and_kinds(graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of joined nodes, int64 ``[E, 2]``, and the link of each as read from either end."""
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    there = np.flatnonzero(row < graph.indices)
    edges = np.stack([row[there], graph.indices[there].astype(np.int64)], axis=1)
    if graph.links is None:
        return edges, np.ones(2 * len(edges), np.int64)
    kinds = graph.links[np.stack([there, graph.opposite_entries[there]], axis=1)]
    return edges, kinds.reshape(-1).astype(np.int64)


def _graph_of(edges: np.ndarray, kinds: np.ndarray, graph: CSRGraph) -> CSRGraph:
    """The graph of these edges, with the nodes of ``graph``."""
    row = edges.reshape(-1)
    column = edges[:, ::-1].reshape(-1)
    order = np.argsort(pack(row, column))
    degrees = np.bincount(row, minlength=graph.num_nodes)
    return replace(
        graph,
        indptr=np.concatenate([[0], np.cumsum(degrees)]),
        indices=column[order].astype(np.int32),
        links=None if graph.links is None else kinds[order].astype(graph.links.dtype),
        weights=None,
        # no random graph has any
        loops=None,
    )


def _kind_degrees(graph: CSRGraph) -> np.ndarray:
    """Neighbours of each node by link, int64 ``[V, K]``."""
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    links = np.ones(len(row), np.int64) if graph.links is None else graph.links
    number = len(graph.relations.links)
    return np.bincount(row * number + links, minlength=graph.num_nodes * number).reshape(-1, number)


def _nodes_of_pairs(pairs: np.ndarray) -> np.ndarray:
    """The nodes ``i < j`` of pair number ``i + j (j - 1) / 2``, int64 ``[E, 2]``."""
    high = ((1 + np.sqrt(1 + 8 * pairs.astype(np.float64))) / 2).astype(np.int64)
    # the root of a large number may be rounded up
    high -= high * (high - 1) // 2 > pairs
    return np.stack([pairs - high * (high - 1) // 2, high], axis=1)


def _grouped(*columns: np.ndarray) -> np.ndarray:
    """A number for each different row of some columns of numbers from 0, int64."""
    _, groups = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    return groups.reshape(-1)


def _listed(parts: list[str]) -> str:
    """Parts of a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
