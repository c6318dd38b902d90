"""Step 4: embeddings x graph filters → scores, by the graph optimal matching kernel.

The GOMKCN paper (arXiv:2504.16360) calls a subgraph a *structural factor* and a score a
*projection*; this package says subgraph and score.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.embeddings import (
    Array,
    SubgraphTensors,
    channel_matrices_of,
    graph_levels,
    level_embeddings,
    link_matrices,
    overflows,
    refuse_overflow,
)
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.kernel_settings import KernelSettings
from gomkcn_dgl.kernels import GPU_MAX_NODES, load_backend
from gomkcn_dgl.kernels.matching_reference import (
    BestFilters,
    Matched,
    best_of,
    matched_similarity,
)
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.subgraphs import SubgraphBatch

# the names of the types, by which they are told without loading PyTorch
DTYPES = ("torch.float32", "torch.float64", "torch.bfloat16", "torch.float16")


@dataclass(frozen=True)
class GOMKKernel(KernelSettings):
    """What defines the kernel; every use of it, from ``gomk`` to the miner, goes through these.

    Attributes
    ----------
    num_levels : int
        The paper's t, at least 0: L = t + 1 levels are compared.
    tau : float or sequence of float
        Width of the RBF that compares two level embeddings, from 1e-30 to 1e30; one for all levels
        or one for each of the L.
    aggregation : {"sum", "mean", "sym"}
        How a level is made from the one before.
    level_scale : float
        Level i is divided by ``level_scale ** i``; from 1e-30 to 1e30.
    matching : {"optimal", "greedy"}
        Exact assignment, or the paper's sequential one in node order.
    anchor_root : bool
        Match the root to filter node 0.
    padding : {"match", "mask"}
        Padded nodes take part as isolated nodes with zero features, or not at all.
    """

    def embed(self, adj: Array, feat: Array) -> Array:
        """Level embeddings ``[B, L, N, D]`` of subgraphs or filters (step 3).

        ``adj`` is ``[B, N, N]``, or ``[B, N, N, C]`` for several channels of edges: then they are
        wider, see :func:`~gomkcn_dgl.embeddings.level_embeddings`. Tensors give tensors, and arrays
        give arrays, for which PyTorch is not loaded.
        """
        adj = _widen_half(adj)
        feat = _widen_half(feat)
        return level_embeddings(adj, feat, self.num_levels, self.aggregation, self.level_scale)

    def embed_graphs(
        self,
        graph: CSRGraph,
        relations: Relations,
        dtype: str = "float64",
        most_nodes: int | None = None,
    ) -> list[Tensor]:
        """Level embeddings ``[L, N, D]`` of each graph of a collection, as a whole."""
        steps = self.num_levels, self.aggregation, self.level_scale
        return graph_levels(graph, relations, *steps, dtype, most_nodes)

    def bandwidth(self, feature_width: int) -> list[float]:
        """The divisor ``D * tau_i`` of each level, ``[L]``."""
        return [feature_width * float(width) for width in self.widths]

    def largest_score(self, filter_size: int) -> float:
        """Score of a filter with itself, M (t + 1)."""
        return float(filter_size * (self.num_levels + 1))

    def match(self, x: Tensor, z: Tensor, num_nodes: Tensor | None, backend: str) -> Matched:
        """Scores ``[S, F]`` and matching ``[S, F, N]`` of level embeddings ``x`` and ``z``.

        The matching is int16 or int64, -1 = unmatched.
        """
        x = _widen_half(x)
        z = _widen_half(z)
        module = self._backend(backend, x, z, x.shape[2])
        # Triton's kernels widen bfloat16 themselves, as they load it
        if not module.__name__.endswith("_triton"):
            x, z = _widen(x), _widen(z)
        matched: Matched = module.match(
            x,
            z,
            self.bandwidth(x.shape[3]),
            self._rows(num_nodes, x.shape[0], x.shape[2], x.device),
            self.matching,
            self.anchor_root,
        )
        return matched

    def match_subgraphs(
        self, subgraphs: SubgraphTensors, feat: Tensor, z: Tensor, backend: str
    ) -> Matched:
        """Steps 3 and 4 at once: subgraphs and features ``[V, D]`` → scores and matching.

        The matching is int16 or int64, -1 = unmatched. Differentiable in ``feat``, ``z`` and the
        weights of the subgraphs. The backend for the CPU embeds each subgraph as it goes, so that
        the level embeddings exist in memory only where weights get a gradient.
        """
        feat = _widen_half(feat)
        z = _widen_half(z)
        nodes = subgraphs.nodes
        module = self._backend(backend, feat, z, nodes.shape[1])
        given = subgraphs.weights
        is_weighted = given is not None
        needs_levels = torch.is_grad_enabled() and given is not None and given.requires_grad
        if needs_levels or not module.__name__.endswith("_numba"):
            x = self.embed(subgraphs.adjacency(feat.dtype), subgraphs.gather(feat))
            return self.match(x, z, subgraphs.num_nodes, backend)
        feat = _widen(feat)
        weights = subgraphs.adjacency(feat.dtype) if is_weighted else None
        matrices, edges = _edges(subgraphs.links, subgraphs.channels, weights, feat)
        matched: Matched = module.match_subgraphs(
            feat,
            _widen(z),
            matrices,
            self._rows(subgraphs.num_nodes, nodes.shape[0], nodes.shape[1], nodes.device),
            *self._settings(z),
            nodes=nodes,
            **edges,
        )
        return matched

    def match_levels(
        self, x: np.ndarray, z: np.ndarray, num_nodes: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """What :meth:`match` is to tensors, for arrays on the CPU; PyTorch is not loaded.

        Scores ``[S, F]`` and matching int16 ``[S, F, N]`` of level embeddings ``x`` and ``z``,
        both float32 or both float64.
        """
        # here, since it loads the compiler
        from gomkcn_dgl.kernels import matching_arrays

        rows = self._array_rows(num_nodes, x.shape[0], x.shape[2])
        bandwidth = self.bandwidth(x.shape[3])
        return matching_arrays.match(x, z, bandwidth, rows, self.matching, self.anchor_root)

    def match_arrays(
        self, batch: SubgraphBatch, feat: np.ndarray, z: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What :meth:`match_subgraphs` is to tensors, for arrays on the CPU.

        PyTorch is not loaded. Subgraphs and features ``[V, D]`` → scores ``[S, F]`` and matching
        int16 ``[S, F, N]``; ``feat`` and ``z`` are both float32 or both float64.

        >>> import networkx as nx
        >>> from gomkcn import SubgraphSettings, as_csr, extract_subgraphs
        >>> batch = extract_subgraphs(as_csr(nx.path_graph(3)), SubgraphSettings(1, 3))
        >>> kernel, feat = GOMKKernel(num_levels=1), np.ones((3, 1))
        >>> z = kernel.embed(nx.to_numpy_array(nx.path_graph(3))[None], feat[None])
        >>> scores, matching = kernel.match_arrays(batch, feat, z)
        >>> scores.round(2).tolist(), matching[1, 0].tolist()
        ([[4.39], [6.0], [4.39]], [1, 0, 2])
        """
        # here, since it loads the compiler
        from gomkcn_dgl.kernels import matching_arrays

        weights = None if batch.weights is None else batch.adjacency().astype(feat.dtype)
        matrices, edges = _edges(batch.links, batch.relations.links, weights, feat)
        rows = self._array_rows(batch.num_nodes, *batch.nodes.shape)
        return matching_arrays.match_subgraphs(
            feat, z, matrices, rows, *self._settings(z), nodes=batch.nodes, **edges
        )

    @torch.no_grad()
    def match_best(
        self, subgraphs: SubgraphTensors, feat: Tensor, z: Tensor, backend: str
    ) -> BestFilters:
        """The most similar of F >= 1 filters for every subgraph, the first of several.

        What ``match_subgraphs`` returns for that filter alone: on a GPU neither scores ``[S, F]``
        nor matchings ``[S, F, N]`` of all filters are written.
        """
        feat, z = _widen_half(feat), _widen_half(z)
        nodes, links = subgraphs.nodes, subgraphs.links
        module = self._backend(backend, feat, z, nodes.shape[1])
        if not module.__name__.endswith("_triton"):
            return best_of(self.match_subgraphs(subgraphs, feat, z, backend))
        rows = self._rows(subgraphs.num_nodes, len(nodes), nodes.shape[1], nodes.device)
        given = self.bandwidth(z.shape[3]), rows, self.matching, self.anchor_root
        is_plain = subgraphs.weights is None and subgraphs.num_channels == 1
        best: BestFilters
        if is_plain and feat.dtype == torch.float32:
            steps = self.aggregation, self.level_scale
            best = module.embed_and_match_best(nodes, links, feat, z, *steps, *given)
        else:
            x = self.embed(subgraphs.adjacency(feat.dtype), subgraphs.gather(feat))
            best = module.match_best(x, z, *given)
        return best

    def match_graphs(
        self, adj: Tensor, feat: Tensor, z: Tensor, num_nodes: Tensor | None, backend: str
    ) -> Matched:
        """Steps 3 and 4 at once: ``adj`` and ``feat`` as in :func:`gomk` → scores and matching.

        Nodes behind the first ``num_nodes [S]`` are taken as isolated ones of feature 0, whatever
        they hold. Differentiable in ``adj``, too, for which the level embeddings are made first.
        """
        needs_levels = torch.is_grad_enabled() and adj.requires_grad
        module = self._backend(backend, _widen_half(feat), _widen_half(z), feat.shape[1])
        if needs_levels or not module.__name__.endswith("_numba"):
            if num_nodes is not None:
                adj, feat = _clear_padding(adj, feat, num_nodes)
            return self.match(self.embed(adj, feat), z, num_nodes, backend)
        feat = _widen(_widen_half(feat))
        count, size = feat.shape[:2]
        matched: Matched = module.match_subgraphs(
            feat,
            _widen(_widen_half(z)),
            channel_matrices_of(feat, adj.shape[3] if adj.dim() > feat.dim() else 1),
            self._rows(num_nodes, count, size, feat.device),
            *self._settings(z),
            sizes=torch.full((count,), size) if num_nodes is None else num_nodes.long(),
            weights=adj.detach().to(feat.dtype),
        )
        return matched

    def _settings(self, z: Tensor | np.ndarray) -> tuple[str, float, list[float], str, bool]:
        """What a backend that embeds subgraphs itself is told about the kernel."""
        bandwidth = self.bandwidth(z.shape[3])
        return self.aggregation, self.level_scale, bandwidth, self.matching, self.anchor_root

    def score(
        self, subgraphs: SubgraphTensors, feat: Tensor, filter_adj: Tensor, filter_feat: Tensor
    ) -> Tensor:
        """Scores ``[S, F]`` in [0, 1] of subgraphs with features ``[V, D]``.

        They are divided by the score of a filter with itself.
        """
        z = self.embed(filter_adj, filter_feat)
        scores = self.match_subgraphs(subgraphs, feat, z, "auto").scores
        return scores / self.largest_score(filter_adj.shape[1])

    def _backend(self, backend: str, left: Tensor, z: Tensor, num_nodes: int) -> ModuleType:
        is_large = max(num_nodes, z.shape[2]) > GPU_MAX_NODES
        return load_backend(backend, left.device.type, str(left.dtype), is_large=is_large)

    def _rows(
        self, num_nodes: Tensor | None, batch: int, size: int, device: torch.device
    ) -> Tensor:
        """Nodes of each subgraph that may be matched, int64 ``[S]``."""
        if num_nodes is None or self.padding == "match":
            return torch.full((batch,), size, device=device)
        return num_nodes.to(device=device, dtype=torch.int64)

    def _array_rows(self, num_nodes: np.ndarray | None, batch: int, size: int) -> np.ndarray:
        """What :meth:`_rows` returns, as an array."""
        if num_nodes is None or self.padding == "match":
            return np.full(batch, size, np.int64)
        return num_nodes.astype(np.int64)

    def score_pairs(self, x: Tensor, z: Tensor, matching: Tensor) -> Tensor:
        """Scores ``[P]`` of pairs ``x [P, L, N, D]``, ``z [P, L, M, D]`` under a known matching."""
        return matched_similarity(x, z, matching, self.bandwidth(x.shape[3]))


_USUAL = GOMKKernel()


def check_kernel(kernel: Any, default: GOMKKernel | None, kind: type = GOMKKernel) -> Any:
    """Return ``kernel``, or ``default`` where it is None; refuse what is no kernel."""
    kernel = default if kernel is None else kernel
    if not isinstance(kernel, kind):
        raise InputTypeError("kernel", "must be a gomkcn.GOMKKernel", got=repr(kernel))
    return kernel


def gomk(
    adj: Tensor,
    feat: Tensor,
    filter_adj: Tensor,
    filter_feat: Tensor,
    *,
    kernel: GOMKKernel | None = None,
    num_nodes: Tensor | None = None,
    normalize: bool = False,
    return_matching: bool = False,
    backend: str = "auto",
) -> Tensor | tuple[Tensor, Tensor]:
    r"""Score every subgraph against every graph filter with the graph optimal matching kernel.

    The score is the largest sum of node similarities over injective matchings (the paper's
    equation for :math:`\kappa`, section IV-C); two nodes are as similar as their t-level subtrees.

    Parameters
    ----------
    adj : Tensor
        ``[S, N, N]`` symmetric, weights >= 0. For edges with a direction or several types
        ``[S, N, N, C]``, a matrix for each channel: of a relation with a direction the edges that
        leave (row to column) and those that arrive, of one without a symmetric matrix.
    feat : Tensor
        ``[S, N, D]``.
    filter_adj : Tensor
        ``[F, M, M]`` or ``[F, M, M, C]``, zero diagonal. M may differ from N.
    filter_feat : Tensor
        ``[F, M, D]``.
    kernel : GOMKKernel, optional
        ``GOMKKernel()`` when left out.
    num_nodes : Tensor, optional
        Integer ``[S]`` nodes of each subgraph that are not padding, from 0 to N, which is not
        checked on a GPU. What the padded rows of ``adj`` and ``feat`` hold is ignored. None: all N
        are nodes.
    normalize : bool
        Divide by the score of a filter with itself, M (t + 1). For N = M that is the
        cosine in [0, 1]; for a smaller subgraph, the share of the filter that it explains.
    return_matching : bool
        Return also which filter node each node was matched to.
    backend : {"auto", "numba", "triton", "reference"}
        ``reference`` is plain PyTorch and runs on any device, except that optimal matchings are
        found on the CPU; ``numba`` is for the CPU; ``triton`` is for a GPU, float32 or bfloat16 and
        at most 64 nodes a side. ``auto`` is the fastest that can; where that is ``reference``, the
        log says so and why, once.

    Returns
    -------
    Tensor
        Scores ``[S, F]``, float32 for bfloat16 and float16, differentiable in all four tensors. The
        matching is found without gradient, which is exact for ``"optimal"`` wherever the best one
        is unique.
    Tensor
        With ``return_matching``: int64 ``[S, F, N]``, -1 = unmatched.

    Raises
    ------
    InputError, InputTypeError
        For shapes that do not fit each other, a setting out of range, or finite features so large
        that a score overflows (on the CPU, and not in what torch.compile compiles; a feature that
        is NaN gives a score that is).

    Notes
    -----
    The kernel is symmetric and the score of a graph with itself is N (t + 1), but it is not
    positive semi-definite in general: the paper's Proposition 5 speaks of one pair of sets.
    ``numpy.linalg.eigvalsh`` says how far a matrix is from it. With constant features, graphs whose
    walk counts agree at all levels have the same score (Proposition 6 asks for full rank).

    Examples
    --------
    >>> triangle = torch.ones(1, 3, 3) - torch.eye(3)
    >>> path = torch.tensor([[[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]])
    >>> ones = torch.ones(1, 3, 1)
    >>> kernel = GOMKKernel(num_levels=1)
    >>> gomk(triangle, ones, torch.cat([triangle, path]), torch.ones(2, 3, 1), kernel=kernel)
    tensor([[6.0000, 4.7358]])

    A three-cycle beside itself and beside a feed-forward loop, where one edge is the other way:

    >>> cycle = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    >>> loop = torch.tensor([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    >>> adj = torch.stack([torch.stack([one, one.T], dim=2) for one in (cycle, loop)])
    >>> gomk(adj[:1], ones, adj, torch.ones(2, 3, 1), kernel=kernel)
    tensor([[6.0000, 4.2707]])
    """
    kernel = check_kernel(kernel, _USUAL)
    _check_tensors(adj, feat, filter_adj, filter_feat)
    if num_nodes is not None:
        num_nodes = torch.as_tensor(num_nodes)
        _check_num_nodes(num_nodes, feat)
        num_nodes = num_nodes.to(adj.device)
    z = kernel.embed(filter_adj, filter_feat)
    scores, assignment = kernel.match_graphs(adj, feat, z, num_nodes, backend)
    if overflows(scores):
        if num_nodes is not None:
            adj, feat = _clear_padding(adj, feat, num_nodes)
        refuse_overflow(scores, adj, feat, filter_adj, filter_feat)
    if normalize:
        scores = scores / kernel.largest_score(filter_adj.shape[1])
    return (scores, assignment.long()) if return_matching else scores


def _edges(
    links: Array, channels: Array, weights: Array | None, feat: Array
) -> tuple[Array, dict[str, Any]]:
    """The edges of subgraphs as the backend for the CPU takes them, and the matrices of edges."""
    if weights is not None:
        return channel_matrices_of(feat, channels.shape[1]), {"weights": weights}
    return link_matrices(channels, feat), {"links": links, "num_channels": channels.sum(1)}


def _widen(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype == torch.bfloat16 else tensor


def _widen_half(array: Array) -> Array:
    """float16 as float32, before anything is summed: walks soon are more than its 65,504."""
    if isinstance(array, np.ndarray):
        return array.astype(np.float32) if array.dtype == np.float16 else array
    return array.float() if array.dtype == torch.float16 else array


def _check_num_nodes(num_nodes: Tensor, feat: Tensor) -> None:
    size = feat.shape[1]
    whole = not (num_nodes.is_floating_point() or num_nodes.dtype == torch.bool)
    if num_nodes.shape != (len(feat),) or not whole:
        raise InputError(
            "num_nodes",
            f"must be integers of shape [{len(feat)}]",
            got=f"{num_nodes.dtype} of shape {list(num_nodes.shape)}",
        )
    # on a GPU they are not read, which would wait for it; the kernel there takes more than N for N
    if num_nodes.device.type != "cpu" or torch.compiler.is_compiling():
        return
    if len(num_nodes) and not all(0 <= int(end) <= size for end in num_nodes.aminmax()):
        raise InputError("num_nodes", f"must be from 0 to N = {size}", got=num_nodes.tolist())


def _clear_padding(adj: Tensor, feat: Tensor, num_nodes: Tensor) -> tuple[Tensor, Tensor]:
    """Isolate the padded nodes and zero their features."""
    padded = torch.arange(feat.shape[1], device=feat.device) >= num_nodes.unsqueeze(1)  # [S, N]
    either = padded.unsqueeze(2) | padded.unsqueeze(1)  # [S, N, N]
    # filled and not multiplied: padding may hold NaN
    adj = adj.masked_fill(either if adj.dim() == 3 else either.unsqueeze(3), 0)
    return adj, feat.masked_fill(padded.unsqueeze(2), 0)


def _check_tensors(adj: Tensor, feat: Tensor, filter_adj: Tensor, filter_feat: Tensor) -> None:
    # 1. each tensor by itself: kind, axes, dtype and device
    named = {"adj": adj, "feat": feat, "filter_adj": filter_adj, "filter_feat": filter_feat}
    for name, tensor in named.items():
        if not isinstance(tensor, torch.Tensor) or str(tensor.dtype) not in DTYPES:
            kind = tensor.dtype if isinstance(tensor, torch.Tensor) else type(tensor).__name__
            raise InputTypeError(
                name, "must be a tensor of float32, float64, bfloat16 or float16", got=kind
            )
        if tensor.dim() != (adj.dim() if name == "filter_adj" else 3) and (
            name != "adj" or tensor.dim() != 4
        ):
            axes = adj.dim() if name == "filter_adj" else 3
            raise InputError(name, f"must have {axes} axes", got=f"the shape {list(tensor.shape)}")
        if tensor.dtype != adj.dtype or tensor.device != adj.device:
            raise InputTypeError(
                name,
                f"must have the dtype and device of adj ({adj.dtype}, {adj.device})",
                got=f"{tensor.dtype}, {tensor.device}",
            )
    # 2. each matrix with its features
    for matrix, rows in (("adj", "feat"), ("filter_adj", "filter_feat")):
        batch, size, width = named[matrix].shape[:3]
        if size != width or named[rows].shape[:2] != (batch, size):
            raise InputError(
                f"{matrix} [B, N, N] and {rows} [B, N, D] must agree, got "
                f"{list(named[matrix].shape)} and {list(named[rows].shape)}."
            )
    # 3. subgraphs with filters
    if filter_feat.shape[1] == 0:
        raise InputError("filter_adj", "must have at least 1 node a filter", got="0")
    if feat.shape[2] != filter_feat.shape[2] or feat.shape[2] == 0:
        raise InputError(
            "feat and filter_feat must have the same number of features, at least 1, got "
            f"{feat.shape[2]} and {filter_feat.shape[2]}."
        )
