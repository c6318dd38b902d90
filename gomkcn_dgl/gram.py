"""Whole graphs → a Gram matrix that a support vector machine takes as a precomputed kernel."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import torch

from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.embeddings import refuse_overflow
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph, as_csr
from gomkcn_dgl.matching import GOMKKernel, resolve_kernel
from gomkcn_dgl.relations import Relations, channel_adjacency, relations_of

log = logging.getLogger("gomkcn_dgl")


@dataclass(frozen=True)
class GramMatrix:
    """A Gram matrix and how far it is from positive semi-definite.

    Attributes
    ----------
    values : numpy.ndarray
        float64 ``[G, G]`` or ``[G, H]``; ``numpy.asarray(gram)`` gives the same array.
    smallest_eigenvalue : float or None
        Before any repair; None for graphs compared with other graphs.
    """

    values: np.ndarray
    smallest_eigenvalue: float | None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return the values, so that the matrix goes wherever an array goes."""
        # NumPy 1 knows no copy=None
        if copy is None:
            return np.asarray(self.values, dtype=dtype)
        return np.array(self.values, dtype=dtype, copy=copy)


def gomk_gram(
    graphs: Any,
    others: Any = None,
    *,
    kernel: GOMKKernel | None = None,
    num_levels: int | None = None,
    tau: float | Sequence[float] | None = None,
    node_similarity: str | None = None,
    matching: str | None = None,
    max_nodes: int | None = None,
    normalize: bool = True,
    psd: str | None = None,
    features: str | Sequence[str] | None = None,
    backend: str = "auto",
) -> GramMatrix:
    """Score every graph against every other, as whole graphs.

    Parameters
    ----------
    graphs, others : list of graphs, batched DGLGraph or CSRGraph
        Anything that :func:`gomkcn.as_csr` takes. ``others=None`` compares ``graphs`` with
        themselves; for predictions give the test graphs first and the training graphs second.
    kernel : GOMKKernel, optional
        All settings of the kernel; ``GOMKKernel(padding="mask")`` when left out. With
        ``padding="mask"`` a pair of graphs matches as many nodes as the smaller one has; with
        ``"match"`` every graph is first filled up with isolated nodes.
    num_levels, tau, node_similarity, matching
        The usual settings of :class:`gomkcn.GOMKKernel`, in place of ``kernel``.
    max_nodes : int, optional
        The size that ``"match"`` fills up to; the largest graph when left out. Scores depend on
        it: give training and test graphs the same.
    normalize : bool
        Divide by the geometric mean of both self-scores; the diagonal is then 1.
    psd : {"clip", "shift"} or None
        The kernel is not positive semi-definite in general. ``"clip"`` sets negative eigenvalues to
        0, ``"shift"`` adds the smallest one to the diagonal. Only without ``others``.
    features : str or sequence of str, optional
        Node attributes to use, as in ``as_csr``.
    backend : str
        As in :func:`gomkcn.gomk`.

    Returns
    -------
    GramMatrix
        float64 ``[G, G]`` or ``[G, H]``. ``"greedy"`` matching depends on which graph comes first,
        so its matrix is averaged with its transpose when there are no others.

    Raises
    ------
    InputError
        For ``psd`` together with ``others``, feature widths that differ, or features so large that
        a score overflows.

    Examples
    --------
    >>> import networkx as nx
    >>> gram = gomk_gram([nx.cycle_graph(3), nx.path_graph(3)], num_levels=1)
    >>> gram.values.round(3).tolist()
    [[1.0, 0.789], [0.789, 1.0]]
    """
    kernel = resolve_kernel(
        kernel,
        GOMKKernel(padding="mask"),
        num_levels=num_levels,
        tau=tau,
        node_similarity=node_similarity,
        matching=matching,
    )
    if psd is not None:
        check_choice("psd", psd, ("clip", "shift"))
        if others is not None:
            raise InputError(
                "psd cannot be combined with others: only a square matrix has eigenvalues."
            )
    # 1. each graph as a dense adjacency matrix
    rows = as_csr(graphs, features=features)
    columns = rows if others is None else as_csr(others, features=features)
    # channels are those of the relations of both sides; one that is directed on one side is so
    directed: dict[str, bool] = {}
    for one in (rows.relations, columns.relations):
        for name, has_direction in one.kinds:
            directed[name] = directed.get(name, False) or has_direction
    relations = relations_of(list(directed), list(directed.values()))
    left = _split(rows, relations)
    right = left if others is None else _split(columns, relations)
    widths = left[0].feat.shape[1], right[0].feat.shape[1]
    if widths[0] != widths[1]:
        raise InputError(
            f"graphs and others must have the same feature width, got {widths[0]} and {widths[1]}."
        )
    # 2. the raw scores of all pairs
    largest = max(len(graph.feat) for graph in left + right)
    size = largest if max_nodes is None else check_int("max_nodes", max_nodes, largest)
    values = _scores(left, right, kernel, size, backend)
    # 3. divide by the geometric mean of both self-scores
    if normalize:
        values /= np.sqrt(np.outer(_radii(left, kernel, size), _radii(right, kernel, size)))
    refuse_overflow(torch.from_numpy(values), *(graph.feat for graph in left + right))
    if others is not None:
        return GramMatrix(values, None)
    return _repair((values + values.T) / 2, psd)


class _DenseGraph(NamedTuple):
    adj: torch.Tensor  # [N, N], or [N, N, C] with links
    feat: torch.Tensor  # [N, D]


def _split(graph: CSRGraph, relations: Relations) -> list[_DenseGraph]:
    """One dense adjacency and feature matrix a graph, each of its own size."""
    own = graph.relations.within(relations)

    def dense(values: np.ndarray, first: int, last: int) -> np.ndarray:
        matrix = sp.csr_matrix((values, graph.indices, graph.indptr), shape=(graph.num_nodes,) * 2)
        return matrix[first:last, first:last].toarray()

    ones = np.ones(len(graph.indices), np.float32)
    values = ones if graph.weights is None else graph.weights
    links = ones.astype(np.int64) if graph.links is None else graph.links
    graphs = []
    for first, last in zip(graph.graph_ptr[:-1], graph.graph_ptr[1:], strict=True):
        adj = dense(values, first, last)
        if not relations.is_simple:
            weights = None if graph.weights is None else adj
            adj = channel_adjacency(dense(links, first, last), weights, own)
        features = torch.tensor(graph.features[first:last], dtype=torch.float64)
        graphs.append(_DenseGraph(torch.from_numpy(adj).double(), features))
    return graphs


def _scores(
    left: list[_DenseGraph],
    right: list[_DenseGraph],
    kernel: GOMKKernel,
    size: int,
    backend: str,
) -> np.ndarray:
    """Raw scores ``[G, H]``: each graph on the right serves as a filter of its own size."""
    num_nodes = torch.tensor([len(graph.feat) for graph in left])
    x = torch.stack([_embed(graph, kernel, size) for graph in left])
    # the graphs on the left are one padded batch, those on the right have their own size
    scores = []
    for graph in right:
        fill = size if kernel.padding == "match" else len(graph.feat)
        z = _embed(graph, kernel, fill).unsqueeze(0)
        scores.append(kernel.match(x, z, num_nodes, backend).scores[:, 0])
    return torch.stack(scores, dim=1).numpy()


def _embed(graph: _DenseGraph, kernel: GOMKKernel, size: int) -> torch.Tensor:
    """Level embeddings ``[L, size, D]``, filled up with isolated nodes of feature 0."""
    levels = kernel.embed(graph.adj.unsqueeze(0), graph.feat.unsqueeze(0))[0]
    return torch.nn.functional.pad(levels, (0, 0, 0, size - levels.shape[1]))


def _radii(graphs: list[_DenseGraph], kernel: GOMKKernel, size: int) -> np.ndarray:
    """Score of each graph with itself, every node matched to itself: ``[G]``."""
    scores = []
    for graph in graphs:
        fill = size if kernel.padding == "match" else len(graph.feat)
        x = _embed(graph, kernel, fill).unsqueeze(0)
        scores.append(kernel.score_pairs(x, x, torch.arange(fill).unsqueeze(0)).item())
    return np.array(scores)


def _repair(values: np.ndarray, psd: str | None) -> GramMatrix:
    """Measure the spectrum and, if asked, make it non-negative."""
    eigenvalues, vectors = np.linalg.eigh(values)
    smallest = float(eigenvalues[0])
    log.info("smallest eigenvalue of the Gram matrix: %.3g", smallest)
    # clip changes the spectrum only, shift moves all of it up
    if psd == "clip":
        values = (vectors * np.maximum(eigenvalues, 0)) @ vectors.T
    elif psd == "shift" and smallest < 0:
        values = values - smallest * np.eye(len(values))
    return GramMatrix(values, smallest)
