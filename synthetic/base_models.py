"""Base graphs, in which motifs are planted: each is a class with its settings and its drawing.

A class is all that there is to write of one: its name is a word of ``--base``, and its fields are
options of ``gomkcn generate planted``. NumPy is imported when a graph is drawn, so that the help
answers at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import get_annotations
from typing import TYPE_CHECKING, ClassVar

from gomkcn_dgl.bounds import LARGEST_COUNT
from gomkcn_dgl.settings import SettingsTable, setting

if TYPE_CHECKING:
    import numpy as np

    from gomkcn.synthetic.base_graphs import Seed


class BaseModel(SettingsTable):
    """A random graph without motifs."""

    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """Enter the class by its name; a TypeError for a name that another one has."""
        if "name" not in vars(cls):
            raise TypeError(f"the base graph {cls.__name__} lacks a name.")
        if cls.name in BASE_GRAPHS:
            other = BASE_GRAPHS[cls.name].__name__
            raise TypeError(f"{cls.name!r} names two base graphs: {other} and {cls.__name__}.")
        # an option of the command is a setting of one class
        for other_name, model in BASE_GRAPHS.items():
            shared = get_annotations(model).keys() & get_annotations(cls).keys()
            if shared:
                setting_name = min(shared)
                raise TypeError(
                    f"{setting_name!r} is a setting of two base graphs: {other_name!r} and "
                    f"{cls.name!r}."
                )
        BASE_GRAPHS[cls.name] = cls

    def draw(self, num_nodes: int, seed: Seed) -> np.ndarray:
        """The edges ``[E, 2]`` of a graph, as :mod:`gomkcn.synthetic.base_graphs` has them.

        Raises an InputError for settings that no graph of so many nodes has, and for a graph that
        is too large for the memory.
        """
        raise NotImplementedError


# by name, in the order of the classes below
BASE_GRAPHS: dict[str, type[BaseModel]] = {}


@dataclass(frozen=True)
class BarabasiAlbert(BaseModel):
    """Preferential attachment, the background of the GOMKCN paper."""

    name = "ba"
    edges_per_node: int = setting(1, "Edges per new node", least=1, most=LARGEST_COUNT)

    def draw(self, num_nodes: int, seed: Seed) -> np.ndarray:
        from gomkcn.synthetic.base_graphs import barabasi_albert

        return barabasi_albert(num_nodes, self.edges_per_node, seed)


@dataclass(frozen=True)
class ErdosRenyi(BaseModel):
    """Each two nodes are joined with the same probability."""

    name = "er"
    edge_prob: float = setting(0.005, "Edge probability", least=0, most=1)

    def draw(self, num_nodes: int, seed: Seed) -> np.ndarray:
        from gomkcn.synthetic.base_graphs import check_size, networkx_edges

        check_size(num_nodes, self.edge_prob * num_nodes * (num_nodes - 1) / 2)
        return networkx_edges("fast_gnp_random_graph", num_nodes, self.edge_prob, seed=seed)


@dataclass(frozen=True)
class WattsStrogatz(BaseModel):
    """A ring in which each node is joined to the nearest ones, and some edges are rewired."""

    name = "ws"
    # as many on both sides
    neighbors: int = setting(4, "Number of ring neighbors per node", least=2, most=LARGEST_COUNT)
    rewire_prob: float = setting(0.1, "Rewiring probability", least=0, most=1)

    def draw(self, num_nodes: int, seed: Seed) -> np.ndarray:
        from gomkcn.synthetic.base_graphs import check_size, networkx_edges
        from gomkcn_dgl.checks import check_int

        check_int("neighbors", self.neighbors, 2, num_nodes)
        check_size(num_nodes, num_nodes * self.neighbors / 2)
        arguments = num_nodes, self.neighbors, self.rewire_prob
        return networkx_edges("watts_strogatz_graph", *arguments, seed=seed)


@dataclass(frozen=True)
class Regular(BaseModel):
    """All nodes have the same degree."""

    name = "regular"
    degree: int = setting(3, "Degree of each node", least=1, most=LARGEST_COUNT)

    def draw(self, num_nodes: int, seed: Seed) -> np.ndarray:
        from gomkcn.synthetic.base_graphs import check_size, networkx_edges
        from gomkcn_dgl.checks import check_int

        check_int("degree", self.degree, 1, max(1, num_nodes - 1))
        check_size(num_nodes, num_nodes * self.degree / 2)
        return networkx_edges("random_regular_graph", self.degree, num_nodes, seed=seed)


@dataclass(frozen=True)
class Tree(BaseModel):
    """All trees with labelled nodes are equally likely."""

    name = "tree"

    def draw(self, num_nodes: int, seed: Seed) -> np.ndarray:
        from gomkcn.synthetic.base_graphs import check_size, networkx_edges

        check_size(num_nodes, num_nodes)
        return networkx_edges("random_labeled_tree", num_nodes, seed=seed)
