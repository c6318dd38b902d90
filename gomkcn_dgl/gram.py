"""Whole graphs → a Gram matrix that a support vector machine takes as a precomputed kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl._torch import torch
from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.embeddings import refuse_overflow
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel, check_kernel
from gomkcn_dgl.relations import Relations, relations_of
from gomkcn_dgl.runtime.steps import Steps

DTYPES = ("float64", "float32")
# graphs of one size that are matched at a time, as filters. The matrix of 300 graphs of 20 nodes
# takes 0.39 s with 16, 0.44 s with 4 and 0.52 s with 64; a stopped job loses what it did of a block
_BLOCK_COLUMNS = 16


def gomk_gram(
    graphs: Any,
    others: Any = None,
    *,
    kernel: GOMKKernel | None = None,
    most_nodes: int | None = None,
    normalize: bool = True,
    dtype: str = "float64",
    steps: Steps | None = None,
) -> np.ndarray:
    """Score every graph against every other, as whole graphs.

    Parameters
    ----------
    graphs, others : list of graphs, batched DGLGraph or CSRGraph
        Anything that :func:`gomkcn.as_csr` takes. ``others=None`` compares ``graphs`` with
        themselves; for predictions give the test graphs first and the training graphs second.
    kernel : GOMKKernel, optional
        ``GOMKKernel(padding="mask")`` when left out: a pair of graphs matches as many nodes as the
        smaller one has. With ``"match"`` every graph is first filled up with isolated nodes, to the
        size of the largest, so that scores depend on it.
    most_nodes : int, optional
        Of a graph with more nodes so many stand for it, evenly spaced in the order of their
        structure, with the embeddings that they have in the whole graph.
    normalize : bool
        Divide by the geometric mean of both self-scores; the diagonal is then 1.
    dtype : {"float64", "float32"}
        What scores are computed in. Those in float32 agree to about 1e-6 and take half the time.
    steps : Steps, optional
        Keeps blocks of the matrix, so that a job resumes and several processes share it.

    Returns
    -------
    numpy.ndarray
        float64 ``[G, G]`` or ``[G, H]``. ``"greedy"`` matching depends on which graph comes first,
        so its matrix is averaged with its transpose when there are no others.

    Raises
    ------
    InputError
        For feature widths that differ, or features so large that a score overflows.

    Notes
    -----
    The kernel is not positive semi-definite in general: ``numpy.linalg.eigvalsh`` says how far a
    matrix is from it. ``SVC`` takes it as it is.

    Examples
    --------
    >>> import networkx as nx
    >>> graphs, kernel = [nx.cycle_graph(3), nx.path_graph(3)], GOMKKernel(1, padding="mask")
    >>> gomk_gram(graphs, kernel=kernel).round(3).tolist()
    [[1.0, 0.789], [0.789, 1.0]]
    """
    kernel = check_kernel(kernel, GOMKKernel(padding="mask"))
    check_choice("dtype", dtype, DTYPES)
    steps = Steps() if steps is None else steps
    rows = as_csr(graphs)
    columns = rows if others is None else as_csr(others)
    widths = rows.features.shape[1], columns.features.shape[1]
    if widths[0] != widths[1]:
        raise InputError(
            f"graphs and others must have the same feature width, got {widths[0]} and {widths[1]}."
        )
    # 1. the level embeddings of all nodes
    relations = _common_relations(rows.relations, columns.relations)
    sides = [rows] if others is None else [rows, columns]
    embeddings = [kernel.embed_graphs(side, relations, dtype, most_nodes) for side in sides]
    # 2. the raw scores of all pairs
    largest = max(graph.shape[1] for side in embeddings for graph in side)
    filled_size = largest if kernel.padding == "match" else None
    values = _scores(embeddings[0], embeddings[-1], kernel, filled_size, steps)
    # 3. divide by the geometric mean of both self-scores
    if normalize:
        self_scores = [
            [kernel.largest_score(filled_size or graph.shape[1]) for graph in side]
            for side in embeddings
        ]
        values /= np.sqrt(np.outer(self_scores[0], self_scores[-1]))
    refuse_overflow(torch.from_numpy(values), *(torch.from_numpy(side.features) for side in sides))
    return values if others is not None else (values + values.T) / 2


def _common_relations(left: Relations, right: Relations) -> Relations:
    """The relations of both sides; one that is directed on one side is so."""
    is_directed: dict[str, bool] = {}
    for name, has_direction in (*left.kinds, *right.kinds):
        is_directed[name] = is_directed.get(name, False) or has_direction
    return relations_of(list(is_directed), list(is_directed.values()))


def _scores(
    left: list[torch.Tensor],
    right: list[torch.Tensor],
    kernel: GOMKKernel,
    filled_size: int | None,
    steps: Steps,
) -> np.ndarray:
    """Raw scores ``[G, H]`` of level embeddings, filled up to a size; symmetric pairs once."""
    is_symmetric = right is left and kernel.matching == "optimal"
    row_sizes = np.array([filled_size or graph.shape[1] for graph in left])
    column_sizes = np.array([filled_size or graph.shape[1] for graph in right])
    blocks = _blocks(row_sizes, column_sizes, is_symmetric)
    rows = _Embeddings(left)
    columns = rows if right is left else _Embeddings(right)

    def score(numbered: tuple[int, _Block]) -> np.ndarray:
        _, block = numbered
        num_nodes = row_sizes[block.rows]
        x = rows.stack(block.rows, int(num_nodes.max()))
        z = columns.stack(block.columns, int(column_sizes[block.columns[0]]))
        matched = kernel.match(x, z, torch.from_numpy(num_nodes), "auto")
        return matched.scores.numpy()

    scores_of_blocks = steps.each(
        "kernel matrix",
        np.ndarray,
        score,
        enumerate(blocks),
        # with the kernel, since one job may make the matrices of several
        lambda numbered: f"{kernel} {numbered[0]}".encode(),
    )
    values = np.empty((len(left), len(right)))
    for block, scores in zip(blocks, scores_of_blocks, strict=True):
        shape = len(block.rows), len(block.columns)
        if scores.shape != shape:
            raise InputError(
                f"a stored part of the kernel matrix must have the shape {list(shape)}, got "
                f"{list(scores.shape)}; remove the unfinished run and begin anew."
            )
        values[np.ix_(block.rows, block.columns)] = scores
        if is_symmetric:
            values[np.ix_(block.columns, block.rows)] = scores.T
    return values


class _Block(NamedTuple):
    """Pairs of graphs whose scores are computed together: all rows with all columns."""

    rows: np.ndarray  # numbers of graphs, which are padded to the largest of them
    columns: np.ndarray  # numbers of graphs of one size


def _blocks(row_sizes: np.ndarray, column_sizes: np.ndarray, is_symmetric: bool) -> list[_Block]:
    """All pairs of graphs of these sizes in blocks; with symmetry each pair once."""
    blocks = []
    for size in np.unique(column_sizes):
        of_size = np.flatnonzero(column_sizes == size)
        for columns in np.split(of_size, range(_BLOCK_COLUMNS, len(of_size), _BLOCK_COLUMNS)):
            rows = np.arange(len(row_sizes))
            if is_symmetric:
                # of a pair, the graph that is smaller is the row, and of two of a size the later
                is_row = (row_sizes < size) | ((row_sizes == size) & (rows >= columns[0]))
                rows = rows[is_row]
            # two blocks, so that small rows are not padded to the size of the large ones
            is_small = row_sizes[rows] <= size
            blocks += [_Block(part, columns) for part in (rows[is_small], rows[~is_small])]
    return [block for block in blocks if len(block.rows)]


class _Embeddings:
    """The level embeddings of the graphs of a side, in one array, which workers map into memory."""

    def __init__(self, graphs: list[torch.Tensor]) -> None:
        self.sizes = np.array([graph.shape[1] for graph in graphs])
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.values = torch.cat(graphs, 1).numpy()  # [L, sum of sizes, D]

    def stack(self, numbers: np.ndarray, filled_size: int) -> torch.Tensor:
        """Those of B graphs, with isolated nodes of feature 0: ``[B, L, filled_size, D]``."""
        num_levels, _, width = self.values.shape
        stacked = np.zeros((len(numbers), num_levels, filled_size, width), self.values.dtype)
        for number, graph in zip(numbers, stacked, strict=True):
            size = self.sizes[number]
            start = self.starts[number]
            graph[:, :size] = self.values[:, start : start + size]
        return torch.from_numpy(stacked)
