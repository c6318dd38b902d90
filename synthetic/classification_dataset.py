"""The graphs to classify of the GOMKCN paper, a data set of DGL where DGL is installed.

This module imports DGL, which takes seconds; what needs no such data set does not import it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gomkcn.synthetic.base_graphs import Seed, as_generator, barabasi_albert, orient_edges
from gomkcn.synthetic.dgl_dataset import MadeDataset
from gomkcn.synthetic.planting import check_motifs, plant_copies
from gomkcn.synthetic.planting_settings import PlantingSettings, as_settings
from gomkcn_dgl._torch import torch
from gomkcn_dgl.checks import check_int
from gomkcn_dgl.graph_objects import TypedGraph
from gomkcn_dgl.graphs.structure import Structure


class MotifClassificationDataset(MadeDataset):
    """Graphs to classify by the motif they hold, as in the GOMKCN paper.

    The paper (arXiv:2504.16360, "Interpretability Analysis") has 8000 graphs, each a 25-node
    Barabási–Albert graph and one of Book, Diamond, Circle and Email, split 8:1:1. With the defaults
    here: 8000 graphs of 31 nodes, 2000 of each class in random order, and 6400 / 800 / 800 graphs
    for training, validation and test, every part holding each class equally often.

    It is a ``dgl.data.DGLDataset`` where DGL is installed; it reads and writes no files.

    Features are drawn for each node, as in the paper, so that only the structure tells the label;
    with ``"per_type"`` the features alone give it away.

    Parameters
    ----------
    num_graphs : int
        Number of graphs, at least ten per motif so that each part of the split has every class.
        When it is not a multiple of the number of motifs, the first classes hold one more.
    num_base_nodes, num_base_edges_per_node : int
        As in :func:`planted_motif_graph`, for each graph.
    motifs : sequence of (str or Structure)
        One per class, in the order of the labels.
    seed : int, RandomState, Generator or None
        The same seed gives the same result. None: one is drawn, which the log says.
    settings : PlantingSettings, optional
        As in :func:`planted_motif_graph`; a type's vector is the same in all graphs.
    transform : callable, optional
        What is done to a DGLGraph each time that it is taken from the data set.

    Attributes
    ----------
    labels : torch.Tensor
        int64 ``[num_graphs]``.
    train_idx, val_idx, test_idx : torch.Tensor
        int64, disjoint, in random order; together all graphs.
    motif_names : tuple of str
        Name of each class.
    num_classes : int
        Number of motifs.
    planted : PlantedGraph
        All graphs side by side as one, with the truth; graph g has the nodes
        ``node_offsets[g]`` to ``node_offsets[g + 1] - 1`` of it.
    node_offsets : numpy.ndarray
        int64 ``[num_graphs + 1]``.

    Examples
    --------
    >>> from gomkcn import PlantingSettings
    >>> dataset = MotifClassificationDataset(40, settings=PlantingSettings("constant"))
    >>> graph, label = dataset[0]
    >>> graph.num_nodes(), int(graph.ndata["node_mask"].sum())
    (31, 6)
    >>> sorted(dataset.labels[dataset.val_idx].tolist())
    [0, 1, 2, 3]
    """

    def __init__(
        self,
        num_graphs: int = 8000,
        num_base_nodes: int = 25,
        num_base_edges_per_node: int = 1,
        motifs: Sequence[str | Structure] = ("book", "diamond6", "circle", "email"),
        seed: Seed = 0,
        settings: PlantingSettings | None = None,
        *,
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        self._motifs = check_motifs(motifs, Sequence)
        self._num_graphs = check_int("num_graphs", num_graphs, 10 * len(self._motifs))
        self._base = num_base_nodes, num_base_edges_per_node
        self._seed, self._settings = seed, as_settings(settings)
        super().__init__(
            "motif_classification",
            (num_graphs, *self._base, self._motifs, seed, settings),
            transform,
        )

    def process(self) -> None:
        """Make the graphs; DGL calls it."""
        settings = self._settings
        rng = as_generator(self._seed)
        table = self._motifs
        num_graphs = self._num_graphs
        size, edges_per_node = self._base
        base_edges = barabasi_albert(size, edges_per_node, rng, num_graphs=num_graphs)
        # Copies are planted class by class; copy c goes to graph graph_of_copy[c].
        class_of_copy = np.sort(np.arange(num_graphs) % len(table))
        graph_of_copy = rng.permutation(num_graphs)
        hosts = np.stack([graph_of_copy * size, np.full(num_graphs, size)], axis=1)
        counts = tuple(np.bincount(class_of_copy).tolist())
        if settings.directed:
            base_edges = orient_edges(base_edges, rng)
        num_nodes = num_graphs * size
        planted = plant_copies(base_edges, num_nodes, table, counts, hosts, settings, rng)
        labels = np.empty(num_graphs, dtype=np.int64)
        labels[graph_of_copy] = class_of_copy
        self.labels = torch.from_numpy(labels)
        # Bring the nodes of each graph together, base nodes first.
        is_base = planted.node_instance < 0
        copy_of_node = planted.node_instance
        base_graph = np.arange(planted.num_nodes) // size
        graph_of_node = np.where(is_base, base_graph, graph_of_copy[copy_of_node])
        order = np.argsort(graph_of_node, kind="stable")
        self.planted = planted.relabel(np.argsort(order))
        self._graph_of_node = graph_of_node[order]
        sizes = np.bincount(graph_of_node, minlength=num_graphs)
        self.node_offsets = np.concatenate([[0], np.cumsum(sizes)])
        # Split each class 8:1:1.
        pieces = []
        for label in range(len(table)):
            members = rng.permutation(np.flatnonzero(labels == label))
            tenth = len(members) // 10
            val, test, train = np.split(members, [tenth, 2 * tenth])
            pieces.append((train, val, test))
        # Shuffled again, so that a part is not sorted by class.
        self.train_idx, self.val_idx, self.test_idx = (
            torch.from_numpy(rng.permutation(np.concatenate(part)))
            for part in zip(*pieces, strict=True)
        )

    @cached_property
    def _graphs(self) -> list[Any]:
        """All graphs, made at the first access: one large graph whose edges are sorted by graph."""
        from gomkcn_dgl._dgl import dgl

        of_edge = self._graph_of_edge
        whole = self.planted.to_dgl(np.argsort(of_edge, kind="stable"))
        whole.set_batch_num_nodes(torch.from_numpy(np.diff(self.node_offsets)))
        whole.set_batch_num_edges(torch.from_numpy(np.bincount(of_edge)))
        return list(dgl.unbatch(whole))

    @property
    def _graph_of_edge(self) -> np.ndarray:
        """The graph of each row of ``planted.arcs()``."""
        ends, _ = self.planted.arcs()
        return self._graph_of_node[ends[:, 0]]

    def to_typed(self) -> list[TypedGraph]:
        """Return all graphs as arrays, which a ``.bin`` file takes, without the transform.

        The data of nodes and edges are those of
        :meth:`gomkcn.synthetic.planted_graph.PlantedGraph.to_dgl`.
        """
        of_edge = self._graph_of_edge
        order = np.argsort(of_edge, kind="stable")
        whole = self.planted.to_typed(order)
        (nodes,), (edges,) = whole.nodes.values(), whole.edges
        # nodes and edges of a graph stand together
        first = self.node_offsets[of_edge[order]]
        node_cuts = self.node_offsets[1:-1]
        edge_cuts = np.cumsum(np.bincount(of_edge, minlength=len(self)))[:-1]
        source, target = (
            np.split(ends - first, edge_cuts) for ends in (edges.source, edges.target)
        )
        node_data, edge_data = _cut(nodes, node_cuts), _cut(edges.columns, edge_cuts)
        return [
            TypedGraph.of_one_type((source[g], target[g]), size, node_data[g], edge_data[g])
            for g, size in enumerate(np.diff(self.node_offsets).tolist())
        ]

    def to_pyg(self) -> Any:
        """Return all graphs as a ``torch_geometric.data.InMemoryDataset``, their labels as ``y``.

        The data of nodes and edges are those of
        :meth:`gomkcn.synthetic.planted_graph.PlantedGraph.to_pyg`. It has no folder; its
        ``transform`` may be set, and numbers of graphs such as ``train_idx`` choose a part of it.
        """
        from torch_geometric.data import InMemoryDataset

        whole = self.planted.to_pyg()
        of_edge = self._graph_of_node[whole.edge_index[0].numpy()]
        whole.edge_index = whole.edge_index - torch.from_numpy(self.node_offsets[of_edge])
        # nodes stand graph by graph, edges are brought into that order
        order = torch.from_numpy(np.argsort(of_edge, kind="stable"))
        nodes = np.diff(self.node_offsets).tolist()
        edges = np.bincount(of_edge).tolist()
        parts = {name: whole[name].split(nodes) for name in whole.node_attrs()}
        for name in whole.edge_attrs():
            parts[name] = whole[name][..., order].split(edges, dim=-1)
        graphs = [
            type(whole)(**{name: rows[number] for name, rows in parts.items()}, y=label.reshape(1))
            for number, label in enumerate(self.labels)
        ]
        dataset = InMemoryDataset()
        dataset.data, dataset.slices = InMemoryDataset.collate(graphs)
        return dataset

    @property
    def num_classes(self) -> int:
        """Number of motifs."""
        return len(self.planted.motifs)

    @property
    def motif_names(self) -> tuple[str, ...]:
        """Name of each class."""
        return self.planted.motif_names

    def __getitem__(self, idx: int) -> tuple[Any, torch.Tensor]:
        """Return graph ``idx`` and its label, int64 ``[]``."""
        return self._transformed(self._graphs[idx]), self.labels[idx]

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"MotifClassificationDataset({len(self)} graphs, classes {self.motif_names})"


def _cut(table: Mapping[str, np.ndarray], cuts: np.ndarray) -> list[dict[str, np.ndarray]]:
    """Cut each column of a table before the rows ``cuts``; return the tables between."""
    parts = [np.split(values, cuts) for values in table.values()]
    return [dict(zip(table, rows, strict=True)) for rows in zip(*parts, strict=True)]
