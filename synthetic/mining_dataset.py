"""The graph to mine of the GOMKCN paper, a data set of DGL where DGL is installed.

This module imports DGL, which takes seconds; what needs no such data set does not import it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from gomkcn.synthetic.base_graphs import Seed
from gomkcn.synthetic.datasets import MINING_MOTIFS, planted_motif_graph
from gomkcn.synthetic.dgl_dataset import MadeDataset
from gomkcn.synthetic.planted_graph import PlantedGraph
from gomkcn.synthetic.planting_settings import PlantingSettings
from gomkcn_dgl.graphs.structure import Structure


class MotifMiningDataset(MadeDataset):
    """The graph of :func:`planted_motif_graph` as a data set of one graph.

    It is a ``dgl.data.DGLDataset`` where DGL is installed; it reads and writes no files.
    :func:`gomkcn.as_csr` and :class:`gomkcn.FilterMiner` take it.

    Parameters
    ----------
    num_base_nodes, num_base_edges_per_node, copies, motifs, seed, settings
        As in :func:`planted_motif_graph`.
    transform : callable, optional
        What is done to the DGLGraph each time that it is taken from the data set.

    Attributes
    ----------
    planted : PlantedGraph
        The graph with its truth.
    motif_names : tuple of str
        Name of each motif.
    num_classes : int
        Types of nodes: those of the background, and of each motif.

    Examples
    --------
    >>> from gomkcn import FilterMiner, as_csr
    >>> dataset = MotifMiningDataset(num_base_nodes=20, copies=2, motifs=("square",), seed=1)
    >>> graph = dataset[0]
    >>> graph.ndata["feat"].shape, int(graph.ndata["node_mask"].sum())
    (torch.Size([28, 3]), 8)
    >>> graph.ndata["label"].unique().tolist(), dataset.num_classes
    ([0, 1], 2)
    >>> as_csr(dataset).num_nodes
    28
    """

    planted: PlantedGraph

    def __init__(
        self,
        num_base_nodes: int = 760,
        num_base_edges_per_node: int = 1,
        copies: int = 10,
        motifs: Sequence[str | Structure] | Mapping[str | Structure, int] = MINING_MOTIFS,
        seed: Seed = 0,
        settings: PlantingSettings | None = None,
        *,
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        self._options = (
            num_base_nodes, num_base_edges_per_node, copies, motifs, seed, settings
        )  # fmt: skip
        super().__init__("motif_mining", self._options, transform)

    def process(self) -> None:
        """Make the graph; DGL calls it."""
        self.planted = planted_motif_graph(*self._options)

    @cached_property
    def _graph(self) -> Any:
        """The graph, made at the first access; labels are the types of nodes."""
        graph = self.planted.to_dgl()
        graph.ndata["label"] = graph.ndata["node_type"]
        return graph

    def to_pyg(self) -> Any:
        """Return the graph as a ``torch_geometric.data.Data``, the types of nodes as ``y``, too.

        The other data are those of :meth:`gomkcn.synthetic.planted_graph.PlantedGraph.to_pyg`.
        """
        data = self.planted.to_pyg()
        data.y = data.node_type
        return data

    @property
    def num_classes(self) -> int:
        """Number of types of nodes."""
        return 1 + len(self.planted.motifs)

    @property
    def motif_names(self) -> tuple[str, ...]:
        """Name of each motif."""
        return self.planted.motif_names

    def __getitem__(self, idx: int) -> Any:
        """Return the graph, which has the number 0.

        Its data are those of :meth:`gomkcn.synthetic.planted_graph.PlantedGraph.to_dgl`, and the
        types of nodes as ``label``, too.
        """
        if idx not in (0, -1):
            raise IndexError(f"the data set has one graph, 0, got {idx}.")
        return self._transformed(self._graph)

    def __len__(self) -> int:
        return 1

    def __repr__(self) -> str:
        planted = self.planted
        return f"MotifMiningDataset({planted.num_nodes} nodes, motifs {planted.motif_names})"
