"""What is counted: a structure in terms of the links and the colours of one graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.named_structures import MOST_NODES
from gomkcn_dgl.graphs.structure import Structure
from mining.categories import Colors
from mining.graph_relations import links_in

# node sets whose induced subgraph is the structure; or its subgraphs, which are mappings of the
# structure, those that differ by one of its symmetries once
INDUCED, SUBGRAPH = READINGS = ("induced", "subgraph")
# told of the steps that were made between two of its calls; what it raises ends a count
Spend = Callable[[float], object]
# told now and then what share of a count is done, at most, and whether it goes on
Watch = Callable[[float], bool]
# from so many nodes on, a pattern is looked for in each connected component
_LARGE_PATTERN = 9
# a step checks a graph node, or marks one: what one thread does in about a second
STEPS_PER_SECOND = 100_000_000


class UncountableError(InputError):
    """What would take more memory than there is, or more digits than a number has."""


def spend_freely(steps: float) -> None:
    """Go on, whatever has been spent."""


def to_the_end(share: float) -> bool:
    """Go on, whatever share is done."""
    return True


def half_of(watch: Watch, number: int) -> Watch:
    """What watches the first half of a count, number 0, or the second one."""
    return lambda share: watch((number + min(share, 1.0)) / 2)


def steps_in(seconds: float) -> int:
    """The steps that stand for some seconds of one thread, whatever machine it runs on.

    >>> steps_in(0.5)
    50000000
    """
    return max(1, round(seconds * STEPS_PER_SECOND))


@dataclass(frozen=True, eq=False)
class Sought:
    """A structure of M nodes in terms of the graph in which it is counted.

    ``links`` is int64 ``[M, M]``: 0 where nodes are not joined, -1 where they are joined as no two
    nodes of the graph are. ``colors [M]`` are those that its nodes are mapped to, among the colours
    ``[V]`` of the graph, and the symmetries of the structure keep them; None without any.
    """

    structure: Structure
    links: np.ndarray
    colors: np.ndarray | None
    colors_of_graph: np.ndarray | None

    @classmethod
    def of(cls, graph: CSRGraph, structure: Structure, colors: Colors | None) -> Sought:
        """Check a structure and the colours of structure and graph."""
        if not isinstance(structure, Structure):
            raise InputTypeError(
                f"structure must be a Structure, got {type(structure).__name__}; make one with "
                "Structure.parse('a--b, b--c') or Structure.of_channels(adjacency)."
            )
        if structure.num_nodes > MOST_NODES:
            raise InputError(
                f"structure must have at most {MOST_NODES} nodes, got {structure.num_nodes}."
            )
        own, of_graph = None, None
        if colors is not None:
            own, of_graph = _check_colors(*colors, structure.num_nodes, graph.num_nodes)
        links = links_in(graph.relations, structure)
        # nodes that differ in colour cannot be exchanged, and no others are kept apart
        names = color_names(own)
        known = structure.categories
        if not len({*zip(names, known, strict=False)}) == len({*names}) == len({*known}):
            structure = structure.with_categories(names)
        return cls(structure, links, own, of_graph)


def color_names(colors: np.ndarray | None) -> tuple[tuple[str, ...], ...]:
    """Colours ``[M]`` as categories of a structure."""
    return () if colors is None else tuple((str(color),) for color in colors.tolist())


def _check_colors(structure: np.ndarray, graph: np.ndarray, size: int, num_nodes: int) -> Colors:
    """Return both as int64, or refuse what is not one whole number for each node."""
    for colors, length in ((structure, size), (graph, num_nodes)):
        if np.shape(colors) != (length,) or np.asarray(colors).dtype.kind not in "iu":
            raise InputError(
                f"colors must be whole numbers for the {size} nodes of the structure and for the "
                f"{num_nodes} of the graph, got {np.asarray(colors).dtype} of shape "
                f"{np.shape(colors)}."
            )
    return np.asarray(structure, np.int64), np.asarray(graph, np.int64)


def may_hold(graph: CSRGraph, joined: np.ndarray) -> np.ndarray:
    """Nodes ``[V]`` in whose graph a connected pattern ``[M, M]`` may occur, as far as sizes tell.

    A graph has no fewer nodes, edges, and nodes of each degree than the pattern; and where this is
    large, so has a connected component.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> star = Structure.parse("star-4").joined
    >>> may_hold(as_csr([nx.path_graph(3), nx.star_graph(5)]), star).nonzero()[0].tolist()
    [3, 4, 5, 6, 7, 8]
    """
    degrees, own = graph.degrees, joined.sum(axis=1)
    if len(joined) >= _LARGE_PATTERN:
        # compiled, which takes long to load, and few patterns are so large
        part = graph.component_starts
    else:
        part = graph.graph_of(np.arange(graph.num_nodes))
    number = int(part.max(initial=-1)) + 1
    holds = np.bincount(part, degrees, minlength=number) >= own.sum()
    for degree in np.unique(own):
        holds &= np.bincount(part[degrees >= degree], minlength=number) >= (own >= degree).sum()
    return holds[part]
