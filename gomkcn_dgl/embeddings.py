"""Step 3: subgraphs as tensors, and adjacency and features → t-level subtree embeddings.

Where nodes can be joined in several ways, by an edge that leaves or one that arrives, by edges of
several types, each of these channels has a matrix of its own, fixed and orthogonal, and an
embedding is K times wider, K the rows of a matrix. A walk multiplies the matrices of the edges
along it, so that walks of different words end in different directions. Embeddings are then
multiplied by the square root of K: divided by their width, squared distances are as they were.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.kernels.channel_matrices import channel_matrices
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.runtime.memory import check_memory
from gomkcn_dgl.subgraphs import SubgraphBatch, SubgraphSettings, extract_subgraphs

# about how often a matrix of a subgraph is in memory while filters are trained, as was measured:
# its numbers, the products with it, and their gradients
_COPIES = 4
# tensors on any device, or arrays, for which PyTorch is not loaded
Array = TypeVar("Array", Tensor, np.ndarray)


class SubgraphTensors(NamedTuple):
    """A :class:`gomkcn_dgl.SubgraphBatch` as plain tensors.

    Attributes
    ----------
    nodes : Tensor
        int32 ``[S, N]``, root first, -1 = padding.
    num_nodes : Tensor
        int64 ``[S]`` nodes that are not padding.
    links : Tensor
        ``[S, N, N]`` all that joins node i to node j, a row of ``channels``; 0 = not joined.
    channels : Tensor
        bool ``[K, C]``, the channels of each link.
    weights : Tensor or None
        ``[S, N, N]`` edge weights, ``[S, N, N, C]`` for several channels.
    """

    nodes: Tensor
    num_nodes: Tensor
    links: Tensor
    channels: Tensor
    weights: Tensor | None = None

    @property
    def num_channels(self) -> int:
        """Ways in which nodes can be joined, each a direction of a relation."""
        return self.channels.shape[1]

    @classmethod
    def extract(
        cls,
        graph: CSRGraph,
        settings: SubgraphSettings,
        roots: np.ndarray | None = None,
        device: torch.device | str = "cpu",
    ) -> SubgraphTensors:
        """The subgraphs around ``roots``, or all nodes, see :func:`gomkcn.extract_subgraphs`."""
        return cls.of_batch(extract_subgraphs(graph, settings, roots), device)

    @classmethod
    def of_batch(cls, batch: SubgraphBatch, device: torch.device | str = "cpu") -> SubgraphTensors:
        """A batch as tensors on ``device``; on the CPU all but the sizes share memory with it."""
        arrays = (batch.nodes, batch.num_nodes.astype(np.int64), batch.links, batch.relations.links)
        # matrices, one for each channel where there are several
        weights = () if batch.weights is None else (batch.adjacency(),)
        return cls(*(torch.from_numpy(array).to(device) for array in (*arrays, *weights)))

    def select(self, rows: Tensor) -> SubgraphTensors:
        """Return some subgraphs, int64 ``[R]``."""
        return self._replace(
            nodes=self.nodes[rows],
            num_nodes=self.num_nodes[rows],
            links=self.links[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    def adjacency(self, dtype: torch.dtype) -> Tensor:
        """Edge weights, or 1 for an edge and 0 for none, ``[S, N, N]`` or ``[S, N, N, C]``."""
        count, size = self.nodes.shape
        # torch.compile can ask nothing of the machine
        if not torch.compiler.is_compiling():
            check_memory(
                f"the matrices of {count:,} subgraphs of {size} nodes",
                _COPIES * dtype.itemsize * self.num_channels * count * size * size,
                "give smaller subgraphs and filters, or smaller batches",
            )
        if self.weights is not None:
            return self.weights.to(dtype)
        # the only channel has the number 1
        return (self.links if self.num_channels == 1 else self.channels[self.links.long()]).to(
            dtype
        )

    def gather(self, feat: Tensor) -> Tensor:
        """Features of the nodes, zero for padding: ``[V, D]`` → ``[S, N, D]``, differentiable."""
        rows = feat[self.nodes.clamp(min=0).long()]
        return torch.where(self.nodes.unsqueeze(2) >= 0, rows, torch.zeros_like(rows))


def level_embeddings(
    adj: Array,
    feat: Array,
    num_levels: int,
    aggregation: str = "sum",
    level_scale: float = 1.0,
) -> Array:
    """Embed every node of every subgraph by its subtree: ``X_0 = X``, ``X_i = A X_{i-1} / c``.

    This is the paper's t-SE (section IV-B, the level embedding): level i holds the features at the
    end of all walks of length i, summed. The sums grow like degree^i, which drives the RBF to an
    exact 0 and its gradient with it, so ``level_scale`` divides level i by c^i, alike for
    subgraphs and filters. The paper has c = 1.

    Parameters
    ----------
    adj : Tensor or numpy.ndarray
        ``[B, N, N]`` symmetric, weights >= 0; or ``[B, N, N, C]``, a matrix for each channel.
    feat : Tensor or numpy.ndarray
        ``[B, N, D]``, of the kind and type of ``adj``.
    num_levels : int
        The paper's t; L = t + 1 levels come back.
    aggregation : {"sum", "mean", "sym"}
        ``A`` itself (the paper), ``A`` divided by the degree of its row, or divided by the square
        roots of both degrees. A node without edges gets 0.
    level_scale : float
        The divisor c of each step.

    Returns
    -------
    Tensor or numpy.ndarray
        ``[B, L, N, D]``, or ``[B, L, N, K D]`` for several channels, with K as
        ``channel_matrices`` has it; differentiable in both inputs.

    Examples
    --------
    >>> path = torch.tensor([[[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]])
    >>> level_embeddings(path, torch.ones(1, 3, 1), num_levels=2)[0, :, :, 0].tolist()
    [[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [2.0, 2.0, 2.0]]
    """
    with _full_precision(feat):
        transition = transition_matrix(adj, aggregation) / float(level_scale)
        if adj.ndim == 4:
            return _channel_levels(transition, feat, num_levels)
        # each level applies the transition matrix once more
        levels = [feat]
        for _ in range(num_levels):
            levels.append(transition @ levels[-1])
        stacked: Array = _library_of(feat).stack(levels, 1)
        return stacked


def _library_of(array: Any) -> Any:
    """NumPy or PyTorch, for what both call by the same name."""
    return np if isinstance(array, np.ndarray) else torch


def _full_precision(feat: Any) -> contextlib.AbstractContextManager[Any]:
    """Within torch.autocast, too, walks are summed in the type of the features.

    Where they overflow NumPy says no more than PyTorch.
    """
    if isinstance(feat, np.ndarray):
        return np.errstate(over="ignore", invalid="ignore")
    device = feat.device.type
    if device in ("cpu", "cuda") and torch.is_autocast_enabled(device):
        without: contextlib.AbstractContextManager[Any] = torch.autocast(device, enabled=False)
        return without
    return contextlib.nullcontext()


def _channel_levels(transition: Array, feat: Array, num_levels: int) -> Array:
    """Levels over several channels: ``X_i = sum over channels c of A_c X_{i-1} W_c``."""
    library = _library_of(feat)
    batch, size, width = feat.shape
    num_channels = transition.shape[3]
    matrices = channel_matrices_of(transition, num_channels)
    rows = matrices.shape[1]
    # the matrices put in place of the entries: one step is a product with [N K, N K]
    blocks = transition.reshape(-1, num_channels) @ matrices.reshape(num_channels, -1)
    blocks = blocks.reshape(batch, size, size, rows, rows)
    step = blocks.swapaxes(2, 3).reshape(batch, size * rows, size * rows)
    # level 0 stands in the first of K blocks of features, [B, N, K, D]; the others are empty
    first = rows**0.5 * feat[:, :, None]
    level = library.concatenate([first] + [library.zeros_like(first)] * (rows - 1), 2)
    levels = [level.reshape(batch, size * rows, width)]
    for _ in range(num_levels):
        levels.append(step @ levels[-1])
    stacked: Array = library.stack(levels, 1)
    return stacked.reshape(batch, num_levels + 1, size, rows * width)


def channel_matrices_of(feat: Array, num_channels: int) -> Array:
    """Matrix of each channel, ``[C, K, K]``, of the kind and type of ``feat``, on its device."""
    if isinstance(feat, np.ndarray):
        return channel_matrices(num_channels).astype(feat.dtype)
    # here, since it imports PyTorch
    from gomkcn_dgl.kernels.channel_operator import channel_matrices_like

    return channel_matrices_like(feat, num_channels)


def link_matrices(channels: Array, feat: Array) -> Array:
    """Sum of the matrices of each link's channels: ``[links, C]`` → ``[links, K, K]``.

    Of the kind and type of ``feat``, on its device.
    """
    matrices = channel_matrices_of(feat, channels.shape[1])
    # one after the other, so that both libraries round alike
    total = channels[:, 0, None, None] * matrices[0]
    for channel in range(1, len(matrices)):
        total = total + channels[:, channel, None, None] * matrices[channel]
    return total


def transition_matrix(adj: Array, aggregation: str) -> Array:
    """What a level takes from the one before, shaped as ``adj``; degrees are over all channels."""
    if aggregation == "sum":
        return adj
    library = _library_of(adj)
    # [B, N, 1] or [B, N, 1, 1]
    degree = library.sum(adj, tuple(range(2, adj.ndim)), keepdims=True)
    # a node without edges has a zero row whatever it is divided by
    degree = library.where(degree > 0, degree, library.ones_like(degree))
    if aggregation == "mean":
        return adj / degree
    # D^-1/2 A D^-1/2
    root = degree**-0.5
    return root * adj * root.swapaxes(1, 2)


def graph_levels(
    graph: CSRGraph,
    relations: Relations,
    num_levels: int,
    aggregation: str = "sum",
    level_scale: float = 1.0,
    dtype: str = "float64",
    most_nodes: int | None = None,
) -> list[Tensor]:
    """Embed the nodes of whole graphs, sparsely: a tensor ``[L, N, D]`` for each of a collection.

    What :func:`level_embeddings` is to subgraphs, over the channels of ``relations``. Of a graph
    with more than ``most_nodes`` nodes so many are kept, evenly spaced in the order of their
    degrees and levels; each has the embedding that it has in the whole graph.
    """
    channels = _sparse_transitions(graph, relations, aggregation)
    matrices = channel_matrices(len(channels)).astype(dtype)
    rows = matrices.shape[1]
    # level 0 stands in the first of K blocks of features
    level = np.zeros((graph.num_nodes, rows, graph.features.shape[1]), dtype)
    level[:, 0] = rows**0.5 * graph.features.astype(dtype)
    levels = [level]
    for _ in range(num_levels):
        before = levels[-1].reshape(graph.num_nodes, -1)
        level = np.zeros_like(levels[-1])
        for transition, matrix in zip(channels, matrices, strict=True):
            moved = (transition.astype(dtype) @ before).reshape(level.shape)
            level += moved if rows == 1 else np.einsum("ij,vjd->vid", matrix, moved)
        levels.append(level / np.array(level_scale, dtype))
    flat = np.stack([embedded.reshape(graph.num_nodes, -1) for embedded in levels])
    kept = _kept_nodes(graph, flat.sum(axis=2), most_nodes)
    return [torch.from_numpy(flat[:, nodes]) for nodes in kept]


def _sparse_transitions(graph: CSRGraph, relations: Relations, aggregation: str) -> list[Any]:
    """What each channel takes from the level before, sparse ``[V, V]``."""
    from scipy.sparse import csr_array

    weights = np.ones(len(graph.indices)) if graph.weights is None else graph.weights
    values = [weights.astype(np.float64)]
    if not relations.is_simple:
        links = np.ones(len(graph.indices), np.int64) if graph.links is None else graph.links
        has_channel = graph.relations.within(relations).links
        values = [values[0] * has_channel[links, c] for c in range(has_channel.shape[1])]
    shape = (graph.num_nodes, graph.num_nodes)
    channels = [
        csr_array((entries, graph.indices, graph.indptr), shape=shape) for entries in values
    ]
    if aggregation == "sum":
        return channels
    # the degree of a node counts its edges over all channels
    degree = np.asarray(sum(channel.sum(axis=1) for channel in channels))
    inverse = 1 / np.where(degree > 0, degree, 1)
    if aggregation == "mean":
        return [channel.multiply(inverse[:, None]).tocsr() for channel in channels]
    root = np.sqrt(inverse)
    return [channel.multiply(root[:, None]).multiply(root[None]).tocsr() for channel in channels]


def _kept_nodes(graph: CSRGraph, sums: np.ndarray, most: int | None) -> Sequence[np.ndarray]:
    """The nodes of each graph that stand for it, ascending; ``sums [L, V]`` are of their levels."""
    kept = []
    for first, last in zip(graph.graph_ptr[:-1], graph.graph_ptr[1:], strict=True):
        nodes = np.arange(first, last)
        if most is not None and len(nodes) > most:
            # however they are numbered, up to nodes that look alike
            ordered = nodes[np.lexsort((*sums[:, nodes], graph.degrees[nodes]))]
            nodes = np.sort(ordered[np.linspace(0, len(nodes) - 1, most).round().astype(np.int64)])
        kept.append(nodes)
    return kept


def overflows(scores: Tensor) -> bool:
    """Whether scores, or features, are not finite.

    On the CPU, where asking is cheap, and not in code that torch.compile compiles.
    """
    if scores.device.type != "cpu" or torch.compiler.is_compiling():
        return False
    # a sum has every NaN and infinity, and is there long before each number was asked
    return not (bool(scores.sum().isfinite()) or bool(scores.isfinite().all()))


def refuse_overflow(scores: Tensor, *inputs: Tensor) -> None:
    """Refuse scores that overflow where all inputs are finite."""
    if overflows(scores) and all(bool(tensor.isfinite().all()) for tensor in inputs):
        largest = max(tensor.detach().abs().max().item() for tensor in inputs)
        raise InputError(
            f"features and edge weights must be small enough for {scores.dtype} to hold their "
            f"level sums, products and squares, got numbers up to {largest:g}; scale them down, or "
            "use fewer levels."
        )
