"""Seed nodes → a batch of the subgraphs around them, for the data loaders of DGL and PyG.

The compiled search extracts the subgraphs, and they are put side by side as one graph of the
library, the nodes of each in breadth-first order. What joins the nodes is kept with them, so that
a layer reads subgraphs off a batch in place of searching again, see
:mod:`gomkcn_dgl.subgraph_transform`. Edges are looked up by their ends.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.checks import to_numpy
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph_objects import pyg_edges
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.subgraph_transform import (
    LEVEL,
    LINKS,
    NODES,
    ROOT,
    check_channels,
    check_graph,
    kept_links,
    read_for,
)
from gomkcn_dgl.subgraphs import (
    USUAL_SIZE,
    SubgraphBatch,
    SubgraphSettings,
    check_roots,
    extract_subgraphs,
    usual_hops,
)

_USUAL = SubgraphSettings(usual_hops(USUAL_SIZE), USUAL_SIZE)


@dataclasses.dataclass(eq=False)
class SubgraphSampler:
    """Sample the subgraphs around seed nodes, as a batch that a layer scores.

    It is a ``dgl.dataloading.Sampler``, to be given to ``dgl.dataloading.DataLoader``; for PyTorch
    Geometric, :meth:`node_loader` makes a ``NodeLoader``. A batch has a graph for each seed, in
    their order: the subgraph around it, as :class:`gomkcn.GOMKConv` takes it, with all edges among
    its nodes. A layer that is given the batch returns a row for each seed, equal to the row that
    the seed has in the whole graph, and extracts nothing.

    A batch has the attributes of the graph's nodes and edges, and these:

    ======================  ====================================================================
    ``dgl.NID``, ``n_id``   number of each node in the graph; DGL's name and that of PyG
    ``dgl.EID``, ``e_id``   number of each edge in the graph
    ``subgraph_root``       bool ``[V]``, whether a node is the root of its subgraph, its first node
    ``subgraph_level``      int32 ``[V]``, hops from the root within the subgraph
    ``subgraph_links``      ``[V, N]``, for several channels ``[V, N, C]``: whether a node is joined
                            to each of its subgraph, bool; or the weights of the edges, float32
    ======================  ====================================================================

    Levels here are those of the search, step 1 of the paper. The level embeddings of its step 2 are
    none of the batch: they depend on the kernel and, from the second layer of a network on, on what
    was learnt, so that a layer makes them on its own device, and gradients go through them.

    A graph is read when it is sampled first, and again when its edges, or the attributes that are
    named here, have changed. :meth:`read` does so before the workers of a loader start, each of
    which would read it by itself.

    Parameters
    ----------
    settings : SubgraphSettings, optional
        How subgraphs are taken; ``conv.sampler()`` has those of a layer. By default 6 nodes within
        3 hops, as those of :class:`gomkcn.GOMKConv`.
    relations : Relations, optional
        What edges are told apart, as in :class:`gomkcn.GOMKConv`.
    weight, relation : str, optional
        Attributes of the edges, as in :func:`gomkcn.as_csr`.
    prefetch_node_feats, prefetch_edge_feats : sequence of str, optional
        Attributes that DGL's loader fetches ahead, as in its own samplers; others are fetched when
        they are used.
    output_device : torch.device, optional
        Device of a batch; that of the graph when left out. ``device`` of DGL's loader moves it,
        too.

    Raises
    ------
    InputError
        For more than 8 channels: a relation with a direction has two, one without has one. When it
        samples: for seeds that are no nodes of the graph, a graph with several types of nodes, a
        message-flow block, and what :func:`gomkcn.as_csr` refuses.
    InputTypeError
        When it samples: for another kind of graph.

    Examples
    --------
    >>> import dgl, torch
    >>> from gomkcn import GOMKConv
    >>> graph = dgl.to_bidirected(dgl.rand_graph(20, 60))
    >>> graph.ndata["feat"] = torch.rand(20, 2)
    >>> conv = GOMKConv(2, 5)
    >>> loader = dgl.dataloading.DataLoader(graph, torch.arange(8), conv.sampler(), batch_size=4)
    >>> for batch in loader:
    ...     seeds = batch.ndata[dgl.NID][batch.ndata["subgraph_root"]]
    ...     print(seeds.tolist(), conv(batch, batch.ndata["feat"]).shape)
    [0, 1, 2, 3] torch.Size([4, 5])
    [4, 5, 6, 7] torch.Size([4, 5])
    """

    settings: SubgraphSettings = _USUAL
    relations: Relations | None = None
    weight: str | None = None
    relation: str | None = None
    prefetch_node_feats: Sequence[str] | None = None
    prefetch_edge_feats: Sequence[str] | None = None
    output_device: Any = None
    _read: _ReadGraph | None = dataclasses.field(default=None, init=False, repr=False)

    def __new__(cls, *_: Any, **__: Any) -> SubgraphSampler:
        """A sampler of DGL where DGL was imported; nobody is made to import it."""
        made: Any = cls
        return object.__new__(_as_dgl_sampler(made) if "dgl" in sys.modules else made)

    def __post_init__(self) -> None:
        check_channels(self.relations)

    def __reduce__(self) -> tuple[Any, ...]:
        """Of what it is made; a graph that was read stays behind."""
        options = [getattr(self, field.name) for field in dataclasses.fields(self) if field.init]
        return getattr(self, "_plain", type(self)), tuple(options)

    def sample(self, g: Any, seed_nodes: Any) -> Any:
        """Return the batch of the subgraphs around some nodes; a loader of DGL calls it.

        Parameters
        ----------
        g : DGLGraph, PyG Data or Batch
            A graph, or a batch of them, with one type of nodes.
        seed_nodes : Tensor, array or list
            Integer ``[S]``, repeats allowed; or a mapping from the type of nodes of a DGLGraph to
            that.

        Returns
        -------
        DGLGraph or PyG Batch
            A batch of S graphs, of the library that the graph is of.
        """
        self.read(g)
        assert self._read is not None
        # 1. the subgraphs, as arrays
        csr = self._read.csr
        if isinstance(seed_nodes, Mapping) and set(seed_nodes) == set(getattr(g, "ntypes", ())):
            [seed_nodes] = seed_nodes.values()
        roots = check_roots("seed_nodes", to_numpy(seed_nodes), csr.num_nodes)
        subgraphs = extract_subgraphs(csr, self.settings, roots)
        # 2. side by side, as a graph
        joined = _JoinedSubgraphs.of_batch(subgraphs, self._read)
        sampled = joined.to_dgl(g) if self._read.is_dgl else joined.to_pyg(g)
        # 3. what DGL's loader is to fetch
        if self._read.is_dgl:
            from gomkcn_dgl._dgl import dgl

            dgl.set_node_lazy_features(sampled, self.prefetch_node_feats)
            dgl.set_edge_lazy_features(sampled, self.prefetch_edge_feats)
        return sampled if self.output_device is None else sampled.to(self.output_device)

    def node_loader(self, data: Any, input_nodes: Any = None, **options: Any) -> Any:
        """Return a ``torch_geometric.loader.NodeLoader`` that yields such batches.

        The loader numbers the seeds, and the sampler is its ``transform``.

        Parameters
        ----------
        data : PyG Data or Batch
            The graph.
        input_nodes : Tensor, optional
            The seeds, int64 or a bool mask ``[V]``; None: all nodes.
        **options
            ``batch_size``, ``shuffle``, ``num_workers`` and all else that the loader takes.

        Examples
        --------
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from gomkcn import GOMKConv
        >>> ends = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> data = Data(x=torch.rand(3, 2), edge_index=ends)
        >>> conv = GOMKConv(2, 5)
        >>> loader = conv.sampler().node_loader(data, batch_size=2)
        >>> for batch in loader:
        ...     print(batch.n_id[batch.subgraph_root].tolist(), conv(batch, batch.x).shape)
        [0, 1] torch.Size([2, 5])
        [2] torch.Size([1, 5])
        """
        from torch_geometric.loader import NodeLoader

        self.read(data)
        around = partial(self._around, data)
        return NodeLoader(data, _SeedsAlone(), input_nodes, transform=around, **options)

    def _around(self, data: Any, seeds: Any) -> Any:
        """The batch around the seeds that a loader of PyG has drawn."""
        sampled = self.sample(data, seeds.n_id)
        sampled.input_id = seeds.input_id
        return sampled

    def read(self, graph: Any) -> None:
        """Read a graph, unless it was read; the workers of a loader that start later know it."""
        is_dgl = check_graph("SubgraphSampler", graph)
        parts = _parts_of(graph, is_dgl, (self.weight, self.relation))
        if self._read is None or not self._read.is_made_of(parts):
            csr = read_for(self.relations or SIMPLE, graph, self.weight, self.relation)
            edges = [_EdgesOfEntries.of_ends(*ends, csr) for ends in _all_ends(graph, is_dgl)]
            self._read = _ReadGraph(csr, edges, is_dgl, parts)


@cache
def _as_dgl_sampler(cls: Any) -> Any:
    """The class as one of DGL's samplers."""
    from gomkcn_dgl._dgl import dgl

    names = {"__module__": cls.__module__, "__doc__": cls.__doc__, "_plain": cls}
    return type(cls.__name__, (cls, dgl.dataloading.Sampler), names)


class _SeedsAlone:
    """A sampler of PyG that samples nothing but the seeds."""

    edge_permutation = None

    def sample_from_nodes(self, index: Any) -> Any:
        """The seeds, without edges."""
        from torch_geometric.sampler import SamplerOutput

        none = index.node.new_empty(0)
        return SamplerOutput(index.node, none, none, none, metadata=(index.input_id, index.time))


class _ReadGraph(NamedTuple):
    """A graph as it was read, and what it was made of at that time."""

    csr: CSRGraph
    edges: list[_EdgesOfEntries]
    is_dgl: bool
    parts: list[tuple[Any, Any]]

    def is_made_of(self, parts: list[tuple[Any, Any]]) -> bool:
        """Whether these are the same objects, and none of them was changed."""
        return len(parts) == len(self.parts) and all(
            part is known_part and version == known
            for (part, version), (known_part, known) in zip(parts, self.parts, strict=True)
        )


def _parts_of(graph: Any, is_dgl: bool, names: Sequence[str | None]) -> list[tuple[Any, Any]]:
    """What a graph is made of: its edges and some of their attributes, and how often each changed.

    Objects that are asked for again are the same until they are replaced.
    """
    if is_dgl:
        # the index, of which DGL makes a new one where nodes or edges are added or removed
        found: list[Any] = [graph._graph]
        tables: list[Any] = [graph.edges[kind].data for kind in graph.canonical_etypes]
    else:
        found = [getattr(graph, "adj_t", None) if graph.edge_index is None else graph.edge_index]
        tables = [graph]
    found += [
        table[name] for table in tables for name in names if name is not None and name in table
    ]
    count = graph.num_nodes() if is_dgl else graph.num_nodes
    return [(part, (count, _version(part))) for part in found]


def _version(part: Any) -> int | None:
    """How often a tensor was written to, where PyTorch counts that."""
    counted = isinstance(part, torch.Tensor) and not part.is_inference()
    return int(part._version) if counted else None


def _all_ends(graph: Any, is_dgl: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """Source and target of all edges of each type, in their order."""
    if not is_dgl:
        source, target = to_numpy(pyg_edges(graph).edge_index)
        return [(source, target)]
    if not any("coo" in layouts for layouts in graph.formats().values()):
        graph = graph.formats("coo")
    pairs = [graph.edges(order="eid", etype=kind) for kind in graph.canonical_etypes]
    return [(to_numpy(source), to_numpy(target)) for source, target in pairs]


class _EdgesOfEntries(NamedTuple):
    """The edges of a library's graph at each entry of the CSRGraph that was read from it.

    An entry, the place of a node in the row of another, has none where the only edge between them
    leads the other way, and several where edges are parallel. The self-loop of node v is at the
    entry E + v.
    """

    # int64 [E + V + 1], where the edges of each entry begin
    first: np.ndarray
    # int64, edges in the order of their entries
    edges: np.ndarray

    @classmethod
    def of_ends(cls, source: np.ndarray, target: np.ndarray, csr: CSRGraph) -> _EdgesOfEntries:
        """Put edges from sources to targets where they belong."""
        entry = _entries_of(source, target, csr)
        # an edge of weight 0 is none of the CSRGraph
        edges = np.flatnonzero(entry >= 0)
        edges = edges[np.argsort(entry[edges], kind="stable")]
        counts = np.bincount(entry[edges], minlength=len(csr.indices) + csr.num_nodes)
        return cls(np.concatenate([[0], np.cumsum(counts)]), edges)

    def at(self, entries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The edges at some entries ``[P]``: which of these each is at, and the edge."""
        first = self.first[entries]
        counts = self.first[entries + 1] - first
        owner = np.repeat(np.arange(len(entries)), counts)
        # edges of one entry stand one after the other
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        return owner, self.edges[first[owner] + within]


def _entries_of(source: np.ndarray, target: np.ndarray, csr: CSRGraph) -> np.ndarray:
    """The entry from each source to its target, int64; -1 where they are not joined."""
    # imported where it is needed: it loads the compiler
    from gomkcn_dgl.kernels.compiled_graph import CompiledGraph

    ends = np.stack([source, target], axis=1)
    entries = CompiledGraph.of(csr).entries_of(ends, np.array([[0, 1]]))[:, 0]
    return np.where(source == target, len(csr.indices) + source.astype(np.int64), entries)


class _JoinedSubgraphs(NamedTuple):
    """S subgraphs side by side as one graph of V nodes, each with its root first.

    Arrays of an extracted batch in which no subgraph is padded are views of it.
    """

    # int32 [V], of the graph that was sampled
    nodes: np.ndarray
    # int64 [S]
    num_nodes: np.ndarray
    # bool [V] and int32 [V]
    root: np.ndarray
    level: np.ndarray
    # [V, N] or [V, N, C], see `kept_links`
    links: np.ndarray
    # of each type: ends int64 [2, E], edges of the graph that was sampled [E], and their number in
    # each subgraph [S]
    edges: list[tuple[np.ndarray, np.ndarray, np.ndarray]]

    @classmethod
    def of_batch(cls, batch: SubgraphBatch, read: _ReadGraph) -> _JoinedSubgraphs:
        """Join extracted subgraphs, and find their edges in the graph."""
        is_node = batch.nodes >= 0
        num_nodes = batch.num_nodes.astype(np.int64)
        begin = np.cumsum(num_nodes) - num_nodes
        # 1. rows of nodes, without those of padding
        whole = bool(is_node.all())
        root = np.zeros(batch.nodes.shape, bool)
        root[:, :1] = True
        nodes, root, level, links = (
            rows.reshape(-1, *rows.shape[2:]) if whole else rows[is_node]
            for rows in (batch.nodes, root, batch.levels(), kept_links(batch))
        )
        # 2. pairs of nodes between which there are edges: those that are joined, and self-loops
        joined = batch.links > 0
        diagonal = np.arange(joined.shape[1])
        joined[:, diagonal, diagonal] = is_node
        owner, i, j = joined.nonzero()
        entries = _entries_of(batch.nodes[owner, i], batch.nodes[owner, j], read.csr)
        # 3. the edges of each type
        edges = []
        for of_type in read.edges:
            pair, edge = of_type.at(entries)
            of_edge = owner[pair]
            ends = np.stack([begin[of_edge] + i[pair], begin[of_edge] + j[pair]])
            edges.append((ends, edge, np.bincount(of_edge, minlength=len(batch))))
        return cls(nodes, num_nodes, root, level, links, edges)

    def kept(self, device: torch.device) -> dict[str, Tensor]:
        """What a layer reads, and levels."""
        named = {ROOT: self.root, LEVEL: self.level, LINKS: self.links}
        return {name: torch.from_numpy(rows).to(device) for name, rows in named.items()}

    def to_dgl(self, graph: Any) -> Any:
        """As a batch of DGL; attributes of ``graph``, from which they are, are copied when read."""
        from gomkcn_dgl._dgl import dgl

        device, kind = graph.device, graph.ntypes[0]
        # 1. the graph
        ends, edges, sizes = {}, [], {}
        for name, (pair, edge, size) in zip(graph.canonical_etypes, self.edges, strict=True):
            source, target = torch.from_numpy(pair).to(device)
            ends[name] = (source, target)
            edges.append(torch.from_numpy(edge).to(device, graph.idtype))
            sizes[name] = torch.from_numpy(size).to(device)
        total = {kind: len(self.nodes)}
        joined = dgl.heterograph(ends, total, idtype=graph.idtype, device=device)
        # 2. attributes, as in DGL's own subgraphs
        nodes = torch.from_numpy(self.nodes).to(device, graph.idtype)
        node_frames = dgl.utils.extract_node_subframes(graph, [nodes])
        edge_frames = dgl.utils.extract_edge_subframes(graph, edges)
        dgl.utils.set_new_frames(joined, node_frames=node_frames, edge_frames=edge_frames)
        joined.ndata.pop(NODES, None)
        joined.ndata.update(self.kept(device))
        # 3. where each subgraph ends
        joined.set_batch_num_nodes({kind: torch.from_numpy(self.num_nodes).to(device)})
        joined.set_batch_num_edges(sizes)
        return joined

    def to_pyg(self, graph: Any) -> Any:
        """As a batch of PyG, with the attributes of ``graph``, from which they are."""
        from torch_geometric.data import Batch

        [(ends, edge, _)] = self.edges
        device = pyg_edges(graph).edge_index.device
        nodes, edges = (
            torch.from_numpy(rows.astype(np.int64, copy=False)) for rows in (self.nodes, edge)
        )
        sizes = torch.from_numpy(self.num_nodes)
        # 1. the graph
        batch = Batch(
            edge_index=torch.from_numpy(ends).to(device),
            batch=torch.arange(len(sizes)).repeat_interleave(sizes).to(device),
            ptr=torch.nn.functional.pad(sizes.cumsum(0), (1, 0)).to(device),
            num_nodes=len(nodes),
            n_id=nodes.to(device),
            e_id=edges.to(device),
        )
        # 2. attributes
        of_nodes, of_edges = set(graph.node_attrs()), set(graph.edge_attrs())
        for name, value in graph.to_dict().items():
            if name in batch or name in (NODES, "adj_t"):
                continue
            rows = nodes if name in of_nodes else edges if name in of_edges else None
            axis = graph.__cat_dim__(name, value)
            batch[name] = value if rows is None else _take(value, rows, axis)
        batch.update(self.kept(device))
        return batch


def _take(values: Any, rows: Tensor, axis: int) -> Any:
    """Rows of an attribute of PyG: a tensor, an array or a list."""
    if isinstance(values, torch.Tensor):
        return values.index_select(axis, rows.to(values.device))
    if isinstance(values, np.ndarray):
        return np.take(values, rows.numpy(), axis)
    return [values[row] for row in rows.tolist()]
