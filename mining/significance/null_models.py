"""Null models: random graphs that keep some properties of a graph and nothing else.

``"degree"``
    All simple graphs in which each node has as many neighbours as before: in each relation, with
    directions as many that it only leads to, that only lead to it, and both; of each category where
    nodes have categories. An undirected graph of two sides keeps them.
``"joint-degree"``
    The same, and as many edges as before join nodes of each two degrees.
``"erdos-renyi"``
    As many edges as before, by relation and direction, between random nodes of each graph.
``"weights"``
    The graph, with the weights of its edges permuted among the edges of each graph and relation.
``"strength"``
    The same, among edges of one class of the product of the strengths of their ends.
``"categories"``
    The graph, with the categories of its nodes permuted over the nodes of each graph, or of each
    group of nodes.

Where edges are drawn, all that joins two nodes is one edge and stays together, so that two
relations join the same nodes only as they do in the graph; features stay at their nodes, and
weights are dropped. In a collection nothing leaves its graph. Any other null model is a function of
one's own.

To add one is to write its class: options, refusals and the help read its name. What draws is
imported when a graph is drawn, so that the help answers soon.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from inspect import get_annotations
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.messages import Argument

if TYPE_CHECKING:
    import numpy as np

    from gomkcn.mining.significance.null_draws import Walk
    from gomkcn.mining.structures.categories import Categories
    from gomkcn_dgl.csr import CSRGraph


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
    # what it permutes over a graph whose edges stay, WEIGHTS or CATEGORIES; empty: it draws edges
    permutes: ClassVar[str] = ""

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


# what a null model may permute over a graph that stays
WEIGHTS, CATEGORIES = "weights", "categories"
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


@dataclass(frozen=True, eq=False)
class DegreeWalk(NamedModel):
    """``"degree"`` of one graph, and of all graphs that it keeps alike.

    ``colors [V]`` is what a node may not be exchanged against, and ``joint [V]`` the class of its
    degrees where these are to stay joined, None elsewhere.
    """

    name = "degree"
    is_walk = True
    keeps_degrees = True
    joins_degrees: ClassVar[bool] = False

    keeps: str
    colors: np.ndarray
    joint: np.ndarray | None

    @classmethod
    def of(cls, graph: CSRGraph) -> DegreeWalk:
        """The model of a graph: its categories, or its sides if it has two."""
        from gomkcn.mining.significance.null_draws import degree_groups, kept_sides, node_groups
        from gomkcn.mining.structures.categories import NO_CATEGORIES, Categories

        # 1. what tells nodes apart
        categories = Categories.find(graph.stored_features, graph.feature_names)
        sides = kept_sides(graph)
        colors = node_groups(graph, categories, sides)
        joint = degree_groups(graph) if cls.joins_degrees else None
        # 2. in words
        kept = ["the degree of each node"]
        if graph.links is not None:
            kept = ["the degree of each node by edge type and direction"]
            if graph.relations.kinds[1:] == []:
                kept = ["the numbers of outgoing and incoming edges and mutual pairs of each node"]
        # of categories that are the sides, these are named
        of_sides = node_groups(graph, NO_CATEGORIES, sides)
        if categories and (sides is None or colors.max() > of_sides.max()):
            kept.append("the categories of the neighbours of each node")
        kept += [] if sides is None else ["its two sides"]
        kept += (
            ["the number of edges between nodes of each two degrees"] if cls.joins_degrees else []
        )
        return cls(_listed(kept), colors, joint)

    def sample(self, graph: CSRGraph, seed: int) -> CSRGraph:
        """Walk ten attempts an edge from a graph."""
        return self.walk_from(graph)(seed)[0]

    def walk_from(self, graph: CSRGraph, check_time: Callable[[], None] | None = None) -> Walk:
        """What walks from a graph, which is looked at once, by a seed.

        It returns the graph at the end of a walk, and the share of its attempts that were not
        refused.
        """
        from gomkcn.mining.significance.null_draws import walk_from

        return walk_from(graph, self.colors, self.joint, check_time)

    def doubt(self, graph: CSRGraph) -> str:
        """That hardly any graph keeps this, or that there are other triangles."""
        from gomkcn.mining.significance.null_draws import doubt_walks

        return doubt_walks(self.name, graph, self.walk_from(graph))


class JointDegreeWalk(DegreeWalk):
    """``"joint-degree"``: the same, with the number of edges between nodes of each two degrees."""

    name = "joint-degree"
    joins_degrees = True


@dataclass(frozen=True)
class ErdosRenyi(NamedModel):
    """``"erdos-renyi"``: the edges of each graph between random nodes of it, each pair once.

    ``sides [V]`` are those that edges join, None where there are no two.
    """

    name = "erdos-renyi"
    is_walk = False
    keeps_degrees = False

    keeps: str = "the numbers of nodes and of edges by edge type and direction"
    sides: np.ndarray | None = None

    @classmethod
    def of(cls, graph: CSRGraph) -> ErdosRenyi:
        """The same for all graphs, but for the sides of one that has two."""
        from gomkcn.mining.significance.null_draws import kept_sides

        sides = kept_sides(graph)
        kept = "the numbers of nodes on each of two sides and of edges by edge type and direction"
        return cls() if sides is None else cls(kept, sides)

    def sample(self, graph: CSRGraph, seed: int) -> CSRGraph:
        """Put each edge between two random nodes of its graph, of its two sides if it has any."""
        from gomkcn.mining.significance.null_draws import with_random_edges

        return with_random_edges(graph, seed, self.sides)

    def doubt(self, graph: CSRGraph) -> str:
        """That there are other triangles; it keeps no degrees either, which its name says."""
        from gomkcn.mining.significance.null_draws import NUM_LOOKED_AT, doubt_triangles

        return doubt_triangles(
            self.name, graph, [self.sample(graph, seed) for seed in range(NUM_LOOKED_AT)]
        )


@dataclass(frozen=True)
class PermutedWeights(NamedModel):
    """``"weights"``: the graph as it is, its weights permuted among the edges of a relation."""

    name = "weights"
    is_walk = False
    keeps_degrees = True
    permutes = WEIGHTS
    by_strength: ClassVar[bool] = False

    keeps: str = "all edges, with the weights of each edge type in random order"

    @classmethod
    def of(cls, graph: CSRGraph) -> PermutedWeights:
        """The same for all graphs with weights; an InputError for one without."""
        if graph.weights is None:
            raise InputError(
                "null",
                f"{cls.name!r} permutes the weights of edges, and the graph has none",
                way_out=(Argument("weight"), " names the column that has them"),
            )
        return cls()

    def sample(self, graph: CSRGraph, seed: int) -> CSRGraph:
        """Permute the weights; what joins two nodes in a direction has one."""
        from gomkcn.mining.significance.permutations import with_permuted_weights

        return with_permuted_weights(graph, seed, by_strength=self.by_strength)

    def doubt(self, graph: CSRGraph) -> str:
        """Nothing: no weight has a place that others have not."""
        return ""


@dataclass(frozen=True)
class PermutedByStrength(PermutedWeights):
    """``"strength"``: the same, among edges whose ends have a like product of strengths."""

    name = "strength"
    by_strength = True

    keeps: str = (
        "all edges, with the weights of each edge type in random order among edges of one class of "
        "the product of their ends' strengths without them, at most ten classes"
    )


@dataclass(frozen=True, eq=False)
class PermutedCategories(NamedModel):
    """``"categories"``: the graph as it is, the categories of its nodes permuted over them.

    ``within [V]`` are groups of nodes within which they are permuted, None for all of a graph.
    """

    name = "categories"
    is_walk = False
    keeps_degrees = True
    permutes = CATEGORIES

    categories: Categories
    keeps: str = "all edges, with the categories of the nodes in random order"
    within: np.ndarray | None = None

    @classmethod
    def of(cls, graph: CSRGraph) -> PermutedCategories:
        """The model of a graph whose nodes have categories; an InputError for another one."""
        from gomkcn.mining.structures.categories import Categories
        from gomkcn_dgl.sides import side_category

        categories = Categories.find(graph.stored_features, graph.feature_names)
        # nodes stay on their side, and so does what says it
        of_sides = () if graph.sides is None else map(side_category, graph.sides.names)
        known = {graph.feature_names[column] for column in categories.columns} - {*of_sides}
        if not known:
            raise InputError(
                "null",
                f"{cls.name!r} permutes the categories of nodes, and the graph has none",
                way_out=(Argument("features"), " names a column of nodes that has them"),
            )
        if graph.sides is None:
            return cls(categories)
        return cls(categories, keeps=f"{cls.keeps} on each of the two sides")

    def in_groups(self, name: str, within: np.ndarray) -> PermutedCategories:
        """The same within groups ``[V]`` of nodes, by what they are called."""
        return replace(self, keeps=f"{self.keeps} within each group by {name!r}", within=within)

    def sample(self, graph: CSRGraph, seed: int) -> CSRGraph:
        """Permute the categories, all of one node together."""
        from gomkcn.mining.significance.permutations import (
            category_groups,
            with_permuted_categories,
        )

        groups = category_groups(graph, self.within)
        return with_permuted_categories(graph, self.categories, groups, seed)

    def doubt(self, graph: CSRGraph) -> str:
        """Nothing: no category has a place that others have not."""
        return ""


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
        from gomkcn_dgl.graph import as_csr

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


def _listed(parts: list[str]) -> str:
    """Parts of a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
