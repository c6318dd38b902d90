"""Ready-made DGL data sets with known answers, generated in memory in moments."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.checks import check_int
from gomkcn_dgl.errors import InputError, InputTypeError
from synthetic.base_graphs import barabasi_albert, barabasi_albert_batch
from synthetic.motifs import Motif, get_motif
from synthetic.planted_graph import PlantedGraph
from synthetic.planting import PlantingSettings, plant_copies, plant_motifs
from synthetic.random_state import as_generator

Transform = Callable[[Any], Any]


class _GeneratedDataset(dgl.data.DGLDataset):
    """A data set that is cheaper to generate than to read, so it leaves the disk alone."""

    def __init__(
        self,
        name: str,
        raw_dir: str | None,
        force_reload: bool,
        verbose: bool,
        transform: Transform | None,
    ) -> None:
        super().__init__(
            name,
            # For None, DGL would look for its folder ~/.dgl and thereby make it.
            raw_dir="" if raw_dir is None else raw_dir,
            force_reload=force_reload,
            verbose=verbose,
            transform=transform,
        )

    def _load(self) -> None:
        # DGL's own version makes raw_dir before there is anything to write.
        self.process()

    def has_cache(self) -> bool:
        """Return False: nothing is ever read back."""
        return False

    def save(self) -> None:
        """Write nothing; ``dgl.save_graphs`` writes a graph where you say."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(num_graphs={len(self)}, seed={self.seed})"


class PlantedMotifDataset(_GeneratedDataset):
    """One graph to mine: motifs planted in a Barabási–Albert graph, as in the GOMKCN paper.

    The paper (arXiv:2504.16360, "Frequent Subgraph Pattern Mining") has 1000 nodes: 760 of the
    background and ten copies each of House, Cup, Wheel and Crown (240 nodes), every copy joined by
    one edge. It leaves open the edges that a new base node brings (here 1, so that no motif occurs
    by chance) and draws features for each node (``features="per_node"``; here per type by default).
    With the defaults: 1000 nodes, 759 base edges, 10 (8 + 7 + 10 + 9) = 340 motif edges and 40
    attaching edges, each stored in both directions (2278). Node classes: 760 of the background, 60
    of each motif.

    Parameters
    ----------
    num_base_nodes : int
        Nodes of the background.
    num_base_edges_per_node : int
        Edges that each new node of the background brings.
    copies : int
        Copies of every motif, unless ``motifs`` is a mapping.
    motifs : sequence of (str or Motif), or mapping from them to int
        Which motifs; a mapping gives each its own number of copies and ``copies`` is not used.
    features, feature_dim, noise, remove_prob, add_prob, edges_per_motif, shuffle
        As in :func:`synthetic.plant_motifs`.
    seed : int or numpy.random.Generator
        The same seed gives the same result.
    raw_dir, force_reload, verbose
        Taken as every DGL data set does. The graph is always generated and nothing is written.
    transform : callable, optional
        Applied to the graph at every access.

    Attributes
    ----------
    planted : PlantedGraph
        The graph with its truth; the transform does not touch it.
    num_classes : int
        Number of node types: the motifs and the background.

    Raises
    ------
    InputError, InputTypeError
        As :func:`synthetic.plant_motifs`.

    Examples
    --------
    >>> dataset = PlantedMotifDataset(num_base_nodes=20, copies=2, motifs=("square",), seed=1)
    >>> graph = dataset[0]
    >>> graph.num_nodes(), int(graph.ndata["node_mask"].sum())
    (28, 8)
    >>> dataset.planted.truth()["motifs"][0]["copies"]
    2

    """

    def __init__(
        self,
        num_base_nodes: int = 760,
        num_base_edges_per_node: int = 1,
        copies: int = 10,
        motifs: Sequence[str | Motif] | Mapping[str | Motif, int] = (
            "house",
            "cup",
            "wheel",
            "crown",
        ),
        features: str = "per_type",
        seed: int | np.random.Generator = 0,
        raw_dir: str | None = None,
        force_reload: bool = False,
        verbose: bool = False,
        transform: Transform | None = None,
        *,
        feature_dim: int = 3,
        noise: float = 0.0,
        remove_prob: float = 0.0,
        add_prob: float = 0.0,
        edges_per_motif: int = 1,
        shuffle: bool = False,
    ) -> None:
        self.num_base_nodes = num_base_nodes
        self.num_base_edges_per_node = num_base_edges_per_node
        self.copies = copies
        self.motifs = motifs
        self.seed = seed
        self._planting: dict[str, Any] = {
            "features": features,
            "feature_dim": feature_dim,
            "noise": noise,
            "remove_prob": remove_prob,
            "add_prob": add_prob,
            "edges_per_motif": edges_per_motif,
            "shuffle": shuffle,
        }
        super().__init__("planted_motifs", raw_dir, force_reload, verbose, transform)

    def process(self) -> None:
        """Generate the graph; called once, by the constructor."""
        rng = as_generator(self.seed)
        counts = self.motifs
        if not isinstance(counts, Mapping):
            table = _as_motifs(counts)
            counts = dict.fromkeys(table, check_int("copies", self.copies, 0))
        base_edges = barabasi_albert(self.num_base_nodes, self.num_base_edges_per_node, rng)
        self.planted: PlantedGraph = plant_motifs(
            base_edges, self.num_base_nodes, counts, **self._planting, seed=rng
        )
        self._graph = self.planted.to_dgl()

    @property
    def num_classes(self) -> int:
        """Number of node types: the motifs and the background."""
        return 1 + len(self.planted.motifs)

    def __getitem__(self, idx: int) -> Any:
        """Return the graph, transformed; ``idx`` must be 0."""
        _check_index(idx, 1)
        return self._graph if self._transform is None else self._transform(self._graph)

    def __len__(self) -> int:
        return 1


class MotifClassificationDataset(_GeneratedDataset):
    """Graphs to classify by the motif they hold, as in the GOMKCN paper.

    The paper (arXiv:2504.16360, "Interpretability Analysis") has 8000 graphs, each a 25-node
    Barabási–Albert graph and one of Book, Diamond, Circle and Email, split 8:1:1. With the defaults
    here: 8000 graphs of 31 nodes, 2000 of each class in random order, and 6400 / 800 / 800 graphs
    for training, validation and test, every part holding each class equally often.

    With ``features="per_type"`` (the default) the features alone give the label away; ask for
    ``"constant"`` or ``"per_node"`` (the paper's) where only the structure should speak.

    Parameters
    ----------
    num_graphs : int
        Number of graphs, at least ten per motif so that each part of the split has every class.
        When it is not a multiple of the number of motifs, the first classes hold one more.
    num_base_nodes, num_base_edges_per_node : int
        As in :class:`PlantedMotifDataset`, for each graph.
    motifs : sequence of (str or Motif)
        One per class, in the order of the labels.
    features, feature_dim, noise, remove_prob, add_prob, edges_per_motif
        As in :func:`synthetic.plant_motifs`; a type's vector is the same in all graphs.
    seed : int or numpy.random.Generator
        The same seed gives the same result.
    raw_dir, force_reload, verbose
        Taken as every DGL data set does. The graphs are always generated and nothing is written.
    transform : callable, optional
        Applied to a graph at every access.

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

    Raises
    ------
    InputError, InputTypeError
        As :func:`synthetic.plant_motifs`.

    Examples
    --------
    >>> dataset = MotifClassificationDataset(num_graphs=40, features="constant")
    >>> graph, label = dataset[0]
    >>> graph.num_nodes(), int(graph.ndata["node_mask"].sum())
    (31, 6)
    >>> batch, labels = dataset.batch(dataset.val_idx)
    >>> batch.batch_size, sorted(labels.tolist())
    (4, [0, 1, 2, 3])

    """

    def __init__(
        self,
        num_graphs: int = 8000,
        num_base_nodes: int = 25,
        num_base_edges_per_node: int = 1,
        motifs: Sequence[str | Motif] = ("book", "diamond", "circle", "email"),
        features: str = "per_type",
        seed: int | np.random.Generator = 0,
        raw_dir: str | None = None,
        force_reload: bool = False,
        verbose: bool = False,
        transform: Transform | None = None,
        *,
        feature_dim: int = 3,
        noise: float = 0.0,
        remove_prob: float = 0.0,
        add_prob: float = 0.0,
        edges_per_motif: int = 1,
    ) -> None:
        self.num_graphs = num_graphs
        self.num_base_nodes = num_base_nodes
        self.num_base_edges_per_node = num_base_edges_per_node
        self.motifs = motifs
        self.seed = seed
        self._settings = PlantingSettings(
            edges_per_motif, features, feature_dim, noise, remove_prob, add_prob
        )
        super().__init__("motif_classification", raw_dir, force_reload, verbose, transform)

    def process(self) -> None:
        """Generate all graphs as one, in one pass; called once, by the constructor."""
        rng = as_generator(self.seed)
        table = _as_motifs(self.motifs)
        num_graphs = check_int("num_graphs", self.num_graphs, 10 * len(table))
        size = self.num_base_nodes
        base_edges = barabasi_albert_batch(num_graphs, size, self.num_base_edges_per_node, rng)
        # Copies are planted class by class; copy c goes to graph graph_of_copy[c].
        class_of_copy = np.sort(np.arange(num_graphs) % len(table))
        graph_of_copy = rng.permutation(num_graphs)
        hosts = np.stack([graph_of_copy * size, np.full(num_graphs, size)], axis=1)
        counts = tuple(np.bincount(class_of_copy).tolist())
        planted = plant_copies(
            base_edges, num_graphs * size, table, counts, hosts, self._settings, rng
        )
        labels = np.empty(num_graphs, dtype=np.int64)
        labels[graph_of_copy] = class_of_copy
        self.labels = torch.from_numpy(labels)
        self._sort_by_graph(planted, graph_of_copy)
        self._split(labels, rng)

    def _sort_by_graph(self, planted: PlantedGraph, graph_of_copy: np.ndarray) -> None:
        """Bring the nodes and edges of each graph together, base nodes first, and mark the ends."""
        num_base = self.num_graphs * self.num_base_nodes
        graph_of_node = np.arange(planted.num_nodes) // self.num_base_nodes
        graph_of_node[num_base:] = graph_of_copy[planted.node_instance[num_base:]]
        order = np.argsort(graph_of_node, kind="stable")
        new_id = np.empty_like(order)
        new_id[order] = np.arange(len(order))
        self.planted = planted.relabel(new_id)
        graph_of_node = graph_of_node[order]
        self.node_offsets = _offsets(graph_of_node, self.num_graphs)
        # Both directions of every edge, [2 E], sorted by graph; nodes are counted within the graph.
        ends = np.concatenate([self.planted.edges, self.planted.edges[:, ::-1]])
        graph_of_edge = graph_of_node[ends[:, 0]]
        by_graph = np.argsort(graph_of_edge, kind="stable")
        local = ends - self.node_offsets[graph_of_edge][:, None]
        self._edge_offsets = _offsets(graph_of_edge, self.num_graphs)
        self._ends = local[by_graph].T.copy()
        self._edge_mask = np.tile(self.planted.edge_mask, 2)[by_graph]

    def _split(self, labels: np.ndarray, rng: np.random.Generator) -> None:
        """Split each class 8:1:1."""
        parts: dict[str, list[np.ndarray]] = {"train": [], "val": [], "test": []}
        for label in range(len(self.motifs)):
            members = rng.permutation(np.flatnonzero(labels == label))
            tenth = len(members) // 10
            parts["val"].append(members[:tenth])
            parts["test"].append(members[tenth : 2 * tenth])
            parts["train"].append(members[2 * tenth :])
        # Shuffled again, so that a part is not sorted by class.
        self.train_idx, self.val_idx, self.test_idx = (
            torch.from_numpy(rng.permutation(np.concatenate(parts[part])))
            for part in ("train", "val", "test")
        )

    @property
    def num_classes(self) -> int:
        """Number of motifs."""
        return len(self.planted.motifs)

    @property
    def motif_names(self) -> tuple[str, ...]:
        """Name of each class."""
        return self.planted.motif_names

    def __getitem__(self, idx: int) -> tuple[Any, torch.Tensor]:
        """Return graph ``idx``, built now and transformed, and its label, int64 ``[]``."""
        idx = _check_index(idx, self.num_graphs)
        nodes = slice(*self.node_offsets[idx : idx + 2].tolist())
        edges = slice(*self._edge_offsets[idx : idx + 2].tolist())
        graph = self._build(self._ends[:, edges], nodes, edges, nodes.stop - nodes.start)
        return graph if self._transform is None else self._transform(graph), self.labels[idx]

    def __len__(self) -> int:
        return self.num_graphs

    def batch(self, indices: Iterable[int]) -> tuple[Any, torch.Tensor]:
        """Return some graphs as one batched ``DGLGraph``, and their labels.

        The same as ``dgl.batch`` of the single graphs, without making them: the arrays are
        gathered at once.

        Parameters
        ----------
        indices : iterable of int
            At least one; a tensor or array ``[B]`` will do. An index may come twice.

        Returns
        -------
        DGLGraph, torch.Tensor
            The batch and int64 ``[B]``.

        Raises
        ------
        InputError
            For no index.
        IndexError
            For one out of range.

        """
        # A tensor is turned into a list first: reading its items one by one is slow.
        given = indices.tolist() if isinstance(indices, torch.Tensor) else indices
        chosen = np.array([_check_index(i, self.num_graphs) for i in given], dtype=np.int64)
        if not len(chosen):
            raise InputError("indices must hold at least one index, got none.")
        if self._transform is None:
            return self._gather_batch(chosen), self.labels[chosen]
        return dgl.batch([self[i][0] for i in chosen.tolist()]), self.labels[chosen]

    def _gather_batch(self, chosen: np.ndarray) -> Any:
        """Gather the arrays of the chosen graphs ``[B]`` and make one batched graph."""
        nodes, num_nodes = _gather(self.node_offsets, chosen)
        edges, num_edges = _gather(self._edge_offsets, chosen)
        shift = np.cumsum(num_nodes) - num_nodes
        ends = self._ends[:, edges] + np.repeat(shift, num_edges)
        graph = self._build(ends, nodes, edges, len(nodes))
        graph.set_batch_num_nodes(torch.from_numpy(num_nodes))
        graph.set_batch_num_edges(torch.from_numpy(num_edges))
        return graph

    def _build(self, ends: np.ndarray, nodes: Any, edges: Any, num_nodes: int) -> Any:
        """Make a graph of some nodes and edges, slices or positions, that shares no memory."""
        # Copied by NumPy: torch would wake all its threads for a few kilobytes.
        source, target = torch.from_numpy(np.array(ends))
        graph = dgl.graph((source, target), num_nodes=num_nodes)
        for name, values in self.planted.node_data().items():
            graph.ndata[name] = torch.from_numpy(np.array(values[nodes]))
        graph.edata["edge_mask"] = torch.from_numpy(np.array(self._edge_mask[edges]))
        return graph


def _as_motifs(motifs: Sequence[str | Motif]) -> tuple[Motif, ...]:
    """Return the motifs, at least one, with different names."""
    # A name alone is also a sequence, of letters.
    if isinstance(motifs, (str, Motif)) or not isinstance(motifs, Sequence):
        raise InputTypeError(f"motifs must be a sequence of motifs, got {motifs!r}.")
    table = tuple(get_motif(motif) for motif in motifs)
    names = [motif.name for motif in table]
    if not names or len(set(names)) < len(names):
        raise InputError(f"motifs must be at least one and have different names, got {names}.")
    return table


def _check_index(idx: int, length: int) -> int:
    """Return the index counted from 0; IndexError ends a ``for`` loop over a data set."""
    index = operator.index(idx)
    if not -length <= index < length:
        raise IndexError(f"idx must be from 0 to {length - 1}, got {index}.")
    return index % length


def _offsets(graph_of: np.ndarray, num_graphs: int) -> np.ndarray:
    """Return where each graph's items begin and end, int64 ``[G + 1]``."""
    return np.concatenate([[0], np.cumsum(np.bincount(graph_of, minlength=num_graphs))])


def _gather(offsets: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of all items of the chosen graphs, and how many each has."""
    counts = offsets[chosen + 1] - offsets[chosen]
    before = np.cumsum(counts) - counts
    return np.arange(counts.sum()) + np.repeat(offsets[chosen] - before, counts), counts
