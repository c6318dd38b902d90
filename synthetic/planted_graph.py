"""The record of a planted graph: the graph, its features and its truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_objects import TypedGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import SIMPLE, Relations

_NODE_DATA = ("node_type", "node_mask", "node_instance", "node_role")


# Arrays have no single truth value, so records are compared by identity.
@dataclass(frozen=True, eq=False)
class PlantedGraph:
    """A graph with motifs planted in it, and where they are.

    Attributes
    ----------
    num_nodes : int
        Number of nodes V.
    edges : numpy.ndarray
        int64 ``[E, 2]``, from the first node to the second, or each edge once with ``u < v`` where
        they have no direction.
    features : numpy.ndarray
        float32 ``[V, D]``, in [0, 1].
    node_type : numpy.ndarray
        int64 ``[V]``: 0 for a base node, ``1 + i`` for a node of motif i.
    node_instance : numpy.ndarray
        int64 ``[V]``: index into ``instances``, -1 for a base node.
    node_role : numpy.ndarray
        int64 ``[V]``: index of the motif node that it copies, -1 for a base node.
    edge_mask : numpy.ndarray
        bool ``[E]``: True for an edge inside a motif copy.
    instances : tuple of (str, tuple of int)
        Each copy: the motif's name and its node ids in motif-node order.
    motifs : tuple of Structure
        The motif types, as they were planted; a type may have no copy.
    relations : Relations
        The relations of the edges, and whether they have a direction.
    edge_relation : numpy.ndarray
        int64 ``[E]``, a number of ``relations.names``.

    Examples
    --------
    >>> from gomkcn import plant_motifs
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
    node_instance: np.ndarray
    node_role: np.ndarray
    edge_mask: np.ndarray
    instances: tuple[tuple[str, tuple[int, ...]], ...]
    motifs: tuple[Structure, ...]
    relations: Relations
    edge_relation: np.ndarray

    @property
    def node_mask(self) -> np.ndarray:
        """Whether each node is of a motif copy, bool ``[V]``."""
        return self.node_type > 0

    @property
    def motif_names(self) -> tuple[str, ...]:
        """Names of the motif types, in the order of ``node_type - 1``."""
        return tuple(motif.name for motif in self.motifs)

    def to_dgl(self, order: np.ndarray | None = None) -> Any:
        """Return a ``DGLGraph`` holding each edge once, or in both ways if it has no direction.

        ``ndata``: ``feat`` float32 ``[V, D]``, ``node_mask`` bool ``[V]`` and ``node_type``,
        ``node_instance``, ``node_role`` int64 ``[V]``. ``edata``: ``edge_mask`` bool and, where
        there are several relations, ``relation`` int64. Without directions edge e runs from u to v
        at e and back at E + e, unless ``order`` puts the rows of ``arcs`` in another order. The
        tensors are copies.
        """
        from gomkcn_dgl._dgl import dgl
        from gomkcn_dgl._torch import torch

        sizes, nodes, (edges,) = self.to_typed(order)
        ends = torch.from_numpy(edges.source), torch.from_numpy(edges.target)
        graph = dgl.graph(ends, num_nodes=self.num_nodes)
        for kind in sizes:
            graph.ndata.update({name: torch.tensor(values) for name, values in nodes[kind].items()})
        graph.edata.update({name: torch.tensor(values) for name, values in edges.columns.items()})
        return graph

    def to_typed(self, order: np.ndarray | None = None) -> TypedGraph:
        """Return the edges and data of :meth:`to_dgl` as arrays, which a ``.bin`` file takes."""
        ends, edge = self.arcs()
        if order is not None:
            ends = ends[order]
            edge = edge[order]
        nodes = {"feat": self.features} | {key: getattr(self, key) for key in _NODE_DATA}
        edges = {"edge_mask": self.edge_mask[edge]}
        if len(self.relations.names) > 1:
            edges["relation"] = self.edge_relation[edge]
        source, target = ends.T.copy()
        return TypedGraph.of_one_type((source, target), self.num_nodes, nodes, edges)

    def to_pyg(self) -> Any:
        """Return a ``torch_geometric.data.Data`` with the edges, in the order of :meth:`to_dgl`.

        The data are those, with the features as ``x`` and the relations as ``edge_type``.
        """
        from gomkcn_dgl._torch import torch

        try:
            from torch_geometric.data import Data
        except ImportError:
            raise InputError(
                "graphs of PyTorch Geometric need it; install it with pip install torch-geometric."
            ) from None
        ends, edge = self.arcs()
        data = Data(torch.tensor(self.features), torch.from_numpy(ends.T.copy()))
        for key in _NODE_DATA:
            data[key] = torch.tensor(getattr(self, key))
        data.edge_mask = torch.from_numpy(self.edge_mask[edge])
        if len(self.relations.names) > 1:
            data.edge_type = torch.from_numpy(self.edge_relation[edge])
        return data

    def to_csr(self) -> CSRGraph:
        """Return the graph as the miner takes it; a constant feature counts as none."""
        source, target = self.edges.T
        is_constant = self.features.shape[1] == 1 and bool((self.features == 1).all())
        return csr_from_edges(
            source,
            target,
            self.num_nodes,
            features=None if is_constant else self.features,
            directed=self.relations.directed,
            relation=self.edge_relation,
            relation_names=self.relations.names,
            undirected=True,
        )

    def arcs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the edges and, where they have no direction, the edges back, int64 ``[A, 2]``.

        The second array is the row of ``edges`` that each comes from, int64 ``[A]``.
        """
        rows = np.arange(len(self.edges))
        if self.relations.is_directed:
            return self.edges, rows
        return np.concatenate([self.edges, self.edges[:, ::-1]]), np.tile(rows, 2)

    def truth(self) -> dict[str, Any]:
        """Return what was planted, as plain lists that JSON can hold.

        ``{"motifs": [{"name", "num_nodes", "edges", "copies", "instances"}, ...]}``; each instance
        lists its node ids in motif-node order. Motifs with directions or relations have
        ``"relations": [{"name", "directed"}, ...]`` and ``"edge_relations"``, a number of these for
        each edge. These are the copies planted: a graph may hold more occurrences by chance, and
        fewer if edges were deleted.
        """
        instances: dict[str, list[list[int]]] = {motif.name: [] for motif in self.motifs}
        for name, nodes in self.instances:
            instances[name].append(list(nodes))
        return {"motifs": [motif_truth(motif, instances[motif.name]) for motif in self.motifs]}

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
            raise InputError("new_id", f"must be a permutation of 0 to {self.num_nodes - 1}")
        old_id = np.argsort(new_id)
        names = new_id.tolist()
        edges = new_id[self.edges]
        return replace(
            self,
            edges=edges if self.relations.is_directed else np.sort(edges, axis=1),
            features=self.features[old_id],
            node_type=self.node_type[old_id],
            node_instance=self.node_instance[old_id],
            node_role=self.node_role[old_id],
            instances=tuple(
                (motif, tuple(names[node] for node in nodes)) for motif, nodes in self.instances
            ),
        )


def motif_truth(motif: Structure, instances: list[list[int]]) -> dict[str, Any]:
    """Return one row of the truth: a motif, and the nodes of each copy."""
    entry: dict[str, Any] = {
        "name": motif.name,
        "num_nodes": motif.num_nodes,
        "edges": [list(edge) for edge in motif.edges],
    }
    if motif.relations != SIMPLE:
        kinds = motif.relations.kinds
        entry["relations"] = [
            {"name": name, "directed": is_directed} for name, is_directed in kinds
        ]
        entry["edge_relations"] = list(motif.edge_relations)
    return entry | {"copies": len(instances), "instances": instances}
