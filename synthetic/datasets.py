"""The two data sets of the GOMKCN paper: a graph to mine, and graphs to classify."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gomkcn_dgl._torch import torch
from gomkcn_dgl.checks import check_int
from gomkcn_dgl.graphs.structure import Structure
from synthetic.base_graphs import Seed, as_generator, barabasi_albert, orient_edges
from synthetic.planted_graph import PlantedGraph
from synthetic.planting import PlantingSettings, check_motifs, plant_copies, plant_motifs

_MINING_MOTIFS = ("house", "cup", "wheel", "crown")


def planted_motif_graph(
    num_base_nodes: int = 760,
    num_base_edges_per_node: int = 1,
    copies: int = 10,
    motifs: Sequence[str | Structure] | Mapping[str | Structure, int] = _MINING_MOTIFS,
    seed: Seed = 0,
    settings: PlantingSettings | None = None,
) -> PlantedGraph:
    """One graph to mine: motifs planted in a Barabási–Albert graph, as in the GOMKCN paper.

    The paper (arXiv:2504.16360, "Frequent Subgraph Pattern Mining") has 1000 nodes: 760 of the
    background and ten copies each of House, Cup, Wheel and Crown (240 nodes), every copy joined by
    one edge. It draws features for each node, and leaves open the edges that a new base node brings
    (here 1, so that no motif occurs by chance).
    With the defaults: 1000 nodes, 759 base edges, 10 (8 + 7 + 10 + 9) = 340 motif edges and 40
    attaching edges. Node types: 760 of the background, 60 of each motif.

    Parameters
    ----------
    num_base_nodes : int
        Nodes of the background.
    num_base_edges_per_node : int
        Edges that each new node of the background brings.
    copies : int
        Copies of every motif, unless ``motifs`` is a mapping.
    motifs : sequence of (str or Structure), or mapping from them to int
        Which motifs; a mapping gives each its own number of copies and ``copies`` is not used.
    seed : int or numpy.random.Generator
        The same seed gives the same result.
    settings : PlantingSettings, optional
        How copies are planted; with ``directed``, the background's edges have random directions.

    Returns
    -------
    PlantedGraph
        The graph with its truth.

    Examples
    --------
    >>> planted = planted_motif_graph(num_base_nodes=20, copies=2, motifs=("square",), seed=1)
    >>> planted.num_nodes, int(planted.node_mask.sum())
    (28, 8)
    >>> planted.truth()["motifs"][0]["copies"]
    2
    """
    settings, rng = settings or PlantingSettings(), as_generator(seed)
    if not isinstance(motifs, Mapping):
        motifs = dict.fromkeys(check_motifs(motifs, Sequence), check_int("copies", copies, 0))
    base_edges = barabasi_albert(num_base_nodes, num_base_edges_per_node, rng)
    if settings.directed:
        base_edges = orient_edges(base_edges, rng)
    return plant_motifs(base_edges, num_base_nodes, motifs, settings, seed=rng)


class MotifClassificationDataset:
    """Graphs to classify by the motif they hold, as in the GOMKCN paper.

    The paper (arXiv:2504.16360, "Interpretability Analysis") has 8000 graphs, each a 25-node
    Barabási–Albert graph and one of Book, Diamond, Circle and Email, split 8:1:1. With the defaults
    here: 8000 graphs of 31 nodes, 2000 of each class in random order, and 6400 / 800 / 800 graphs
    for training, validation and test, every part holding each class equally often.

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
    seed : int or numpy.random.Generator
        The same seed gives the same result.
    settings : PlantingSettings, optional
        As in :func:`planted_motif_graph`; a type's vector is the same in all graphs.

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
    >>> from synthetic import PlantingSettings
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
        motifs: Sequence[str | Structure] = ("book", "diamond", "circle", "email"),
        seed: Seed = 0,
        settings: PlantingSettings | None = None,
    ) -> None:
        settings, rng = settings or PlantingSettings(), as_generator(seed)
        table = check_motifs(motifs, Sequence)
        num_graphs = check_int("num_graphs", num_graphs, 10 * len(table))
        size = num_base_nodes
        base_edges = barabasi_albert(size, num_base_edges_per_node, rng, num_graphs=num_graphs)
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
        is_base, copy_of_node = planted.node_instance < 0, planted.node_instance
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

        planted = self.planted
        ends, _ = planted.arcs()
        graph_of_edge = self._graph_of_node[ends[:, 0]]
        whole = planted.to_dgl(np.argsort(graph_of_edge, kind="stable"))
        whole.set_batch_num_nodes(torch.from_numpy(np.diff(self.node_offsets)))
        whole.set_batch_num_edges(torch.from_numpy(np.bincount(graph_of_edge)))
        return list(dgl.unbatch(whole))

    def to_pyg(self) -> list[Any]:
        """Return all graphs as ``torch_geometric.data.Data``, the label of each as ``y``.

        The data of nodes and edges are those of :meth:`PlantedGraph.to_pyg`.
        """
        whole = self.planted.to_pyg()
        of_edge = self._graph_of_node[whole.edge_index[0].numpy()]
        whole.edge_index = whole.edge_index - torch.from_numpy(self.node_offsets[of_edge])
        # nodes stand graph by graph, edges are brought into that order
        order = torch.from_numpy(np.argsort(of_edge, kind="stable"))
        nodes, edges = np.diff(self.node_offsets).tolist(), np.bincount(of_edge).tolist()
        parts = {name: whole[name].split(nodes) for name in whole.node_attrs()}
        for name in whole.edge_attrs():
            parts[name] = whole[name][..., order].split(edges, dim=-1)
        return [
            type(whole)(**{name: rows[number] for name, rows in parts.items()}, y=label.reshape(1))
            for number, label in enumerate(self.labels)
        ]

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
        return self._graphs[idx], self.labels[idx]

    def __len__(self) -> int:
        return len(self.labels)
