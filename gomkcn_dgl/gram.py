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
from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.runtime.steps import Steps

DTYPES = ("float64", "float32")
# graphs that are matched at a time as filters
_COLUMNS = 16


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
    # 1. the level embeddings of all nodes
    rows = as_csr(graphs)
    columns = rows if others is None else as_csr(others)
    # channels are those of the relations of both sides; one that is directed on one side is so
    directed: dict[str, bool] = {}
    for one in (rows.relations, columns.relations):
        for name, has_direction in one.kinds:
            directed[name] = directed.get(name, False) or has_direction
    relations = relations_of(list(directed), list(directed.values()))
    check_choice("dtype", dtype, DTYPES)
    sides = [rows] if others is None else [rows, columns]
    widths = rows.features.shape[1], columns.features.shape[1]
    if widths[0] != widths[1]:
        raise InputError(
            f"graphs and others must have the same feature width, got {widths[0]} and {widths[1]}."
        )
    levels = [kernel.embed_graphs(one, relations, dtype, most_nodes) for one in sides]
    # 2. the raw scores of all pairs
    largest = max(one.shape[1] for side in levels for one in side)
    filled = largest if kernel.padding == "match" else None
    steps = Steps() if steps is None else steps
    values = _scores(levels[0], levels[-1], kernel, filled, steps)
    # 3. divide by the geometric mean of both self-scores
    if normalize:
        own = [[kernel.largest_score(filled or one.shape[1]) for one in side] for side in levels]
        values /= np.sqrt(np.outer(own[0], own[-1]))
    refuse_overflow(torch.from_numpy(values), *(torch.from_numpy(one.features) for one in sides))
    return values if others is not None else (values + values.T) / 2


class _Block(NamedTuple):
    """Pairs of graphs whose scores are computed together: all rows with all columns."""

    rows: np.ndarray  # padded to the largest of them
    columns: np.ndarray  # all of one size


def _blocks(left: np.ndarray, right: np.ndarray, is_symmetric: bool) -> list[_Block]:
    """All pairs of graphs of these sizes in blocks; with symmetry each pair once."""
    blocks = []
    for own in np.unique(right):
        same = np.flatnonzero(right == own)
        for columns in np.split(same, range(_COLUMNS, len(same), _COLUMNS)):
            rows = np.arange(len(left))
            if is_symmetric:
                # the graph of a pair that is smaller, or comes later
                rows = rows[(left < own) | ((left == own) & (rows >= columns[0]))]
            is_small = left[rows] <= own
            blocks += [_Block(some, columns) for some in (rows[is_small], rows[~is_small])]
    return [block for block in blocks if len(block.rows)]


class _Levels:
    """The level embeddings of graphs in one array, which workers map into memory."""

    def __init__(self, graphs: list[torch.Tensor]) -> None:
        self.sizes = np.array([one.shape[1] for one in graphs])
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.values = torch.cat(graphs, 1).numpy()  # [L, sum of sizes, D]

    def stack(self, graphs: np.ndarray, size: int) -> torch.Tensor:
        """Those of B graphs, filled up with isolated nodes of feature 0: ``[B, L, size, D]``."""
        num_levels, _, width = self.values.shape
        filled = np.zeros((len(graphs), num_levels, size, width), self.values.dtype)
        for row, start, own in zip(filled, self.starts[graphs], self.sizes[graphs], strict=True):
            row[:, :own] = self.values[:, start : start + own]
        return torch.from_numpy(filled)


def _scores(
    left: list[torch.Tensor],
    right: list[torch.Tensor],
    kernel: GOMKKernel,
    size: int | None,
    steps: Steps,
) -> np.ndarray:
    """Raw scores ``[G, H]`` of level embeddings, filled up to ``size``; symmetric pairs once."""
    is_symmetric = right is left and kernel.matching == "optimal"
    num_rows, num_columns = (
        np.array([size or one.shape[1] for one in side]) for side in (left, right)
    )
    blocks = _blocks(num_rows, num_columns, is_symmetric)
    rows = _Levels(left)
    columns = rows if right is left else _Levels(right)

    def score(item: tuple[int, _Block]) -> np.ndarray:
        _, block = item
        num_nodes = num_rows[block.rows]
        x = rows.stack(block.rows, int(num_nodes.max()))
        z = columns.stack(block.columns, int(num_columns[block.columns[0]]))
        matched = kernel.match(x, z, torch.from_numpy(num_nodes), "auto")
        return matched.scores.numpy()

    # one job may make the matrices of several kernels
    found = steps.each(
        "kernel matrix",
        np.ndarray,
        score,
        enumerate(blocks),
        lambda item: f"{kernel} {item[0]}".encode(),
    )
    values = np.empty((len(left), len(right)))
    for block, scores in zip(blocks, found, strict=True):
        wanted = len(block.rows), len(block.columns)
        if scores.shape != wanted:
            raise InputError(
                f"a stored part of the kernel matrix must have the shape {list(wanted)}, got "
                f"{list(scores.shape)}; remove the unfinished run and begin anew."
            )
        values[np.ix_(block.rows, block.columns)] = scores
        if is_symmetric:
            values[np.ix_(block.columns, block.rows)] = scores.T
    return values
