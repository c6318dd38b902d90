"""The record of a planted graph: the graph, its features and its truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import networkx as nx
import numpy as np
import torch

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import InputError
from synthetic.motif import Motif


# Arrays have no single truth value, so records are compared by identity.
@dataclass(frozen=True, eq=False)
class PlantedGraph:
    """A graph with motifs planted in it, and where they are.

    Attributes
    ----------
    num_nodes : int
        Number of nodes V.
    edges : numpy.ndarray
        int64 ``[E, 2]``, each undirected edge once with ``u < v``.
    features : numpy.ndarray
        float32 ``[V, D]``, in [0, 1].
    node_type : numpy.ndarray
        int64 ``[V]``: 0 for a base node, ``1 + i`` for a node of motif i.
    node_mask : numpy.ndarray
        bool ``[V]``: True for a node of a motif copy.
    node_instance : numpy.ndarray
        int64 ``[V]``: index into ``instances``, -1 for a base node.
    node_role : numpy.ndarray
        int64 ``[V]``: index of the motif node that it copies, -1 for a base node.
    edge_mask : numpy.ndarray
        bool ``[E]``: True for an edge inside a motif copy.
    instances : tuple of (str, tuple of int)
        Each copy: the motif's name and its node ids in motif-node order.
    motifs : tuple of Motif
        The motif types; a type may have no copy.

    Examples
    --------
    >>> from synthetic import plant_motifs
    >>> planted = plant_motifs([[0, 1]], 2, {"square": 1}, seed=0)
    >>> planted.node_type.tolist()
    [0, 0, 1, 1, 1, 1]
    >>> planted.node_role.tolist()
    [-1, -1, 0, 1, 2, 3]

    """

    num_nodes: int
    edges: np.ndarray
    features: np.ndarray
    node_type: np.ndarray
    node_mask: np.ndarray
    node_instance: np.ndarray
    node_role: np.ndarray
    edge_mask: np.ndarray
    instances: tuple[tuple[str, tuple[int, ...]], ...]
    motifs: tuple[Motif, ...]

    @property
    def motif_names(self) -> tuple[str, ...]:
        """Names of the motif types, in the order of ``node_type - 1``."""
        return tuple(motif.name for motif in self.motifs)

    def to_dgl(self) -> Any:
        """Return a ``DGLGraph`` holding every edge in both directions.

        ``ndata``: ``feat`` float32 ``[V, D]``, ``node_mask`` bool ``[V]`` and ``node_type``,
        ``node_instance``, ``node_role`` int64 ``[V]``. ``edata``: ``edge_mask`` bool ``[2 E]``.
        Edge e runs from u to v at e and back at E + e. The tensors are copies.
        """
        u, v = torch.from_numpy(self.edges.T.copy())
        graph = dgl.graph((torch.cat([u, v]), torch.cat([v, u])), num_nodes=self.num_nodes)
        for name, values in self.node_data().items():
            graph.ndata[name] = torch.tensor(values)
        graph.edata["edge_mask"] = torch.tensor(self.edge_mask).repeat(2)
        return graph

    def node_data(self) -> dict[str, np.ndarray]:
        """Return the node arrays under the names they have in ``ndata``."""
        return {
            "feat": self.features,
            "node_type": self.node_type,
            "node_mask": self.node_mask,
            "node_instance": self.node_instance,
            "node_role": self.node_role,
        }

    def to_networkx(self) -> nx.Graph:
        """Return a networkx graph with the same node and edge attributes, as plain values."""
        graph = nx.Graph()
        columns = {name: values.tolist() for name, values in self.node_data().items()}
        for node in range(self.num_nodes):
            graph.add_node(node, **{name: values[node] for name, values in columns.items()})
        for (u, v), inside in zip(self.edges.tolist(), self.edge_mask.tolist(), strict=True):
            graph.add_edge(u, v, edge_mask=inside)
        return graph

    def truth(self) -> dict[str, Any]:
        """Return what was planted, as plain lists that JSON can hold.

        ``{"motifs": [{"name", "num_nodes", "edges", "copies", "instances"}, ...]}``; each instance
        lists its node ids in motif-node order. These are the copies planted: a graph may hold more
        occurrences by chance, and fewer if edges were deleted.
        """
        return {"motifs": [self._truth_of(motif) for motif in self.motifs]}

    def _truth_of(self, motif: Motif) -> dict[str, Any]:
        """Return one row of the truth."""
        instances = [list(nodes) for name, nodes in self.instances if name == motif.name]
        return {
            "name": motif.name,
            "num_nodes": motif.num_nodes,
            "edges": [list(edge) for edge in motif.edges],
            "copies": len(instances),
            "instances": instances,
        }

    def relabel(self, new_id: np.ndarray) -> PlantedGraph:
        """Return the same graph with node v called ``new_id[v]``.

        Parameters
        ----------
        new_id : numpy.ndarray
            int64 ``[V]``, a permutation of ``0 .. V-1``.

        Raises
        ------
        InputError
            When it is not a permutation.

        """
        new_id = np.asarray(new_id)
        if not np.array_equal(np.sort(new_id), np.arange(self.num_nodes)):
            raise InputError(f"new_id must be a permutation of 0 to {self.num_nodes - 1}.")
        old_id = np.argsort(new_id)
        names = new_id.tolist()
        return replace(
            self,
            edges=np.sort(new_id[self.edges], axis=1),
            features=self.features[old_id],
            node_type=self.node_type[old_id],
            node_mask=self.node_mask[old_id],
            node_instance=self.node_instance[old_id],
            node_role=self.node_role[old_id],
            instances=tuple(
                (motif, tuple(names[node] for node in nodes)) for motif, nodes in self.instances
            ),
        )
