"""A layer or a network under ``torch.export``: the sizes that stay open, and a file, read again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gomkcn_dgl import layer
from gomkcn_dgl._torch import torch
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.errors import InputTypeError
from gomkcn_dgl.kernels import channel_operator, matching_numba
from gomkcn_dgl.runtime.files import file_problems

# what defines the operators and the arguments of a program, when it is imported
_DEFINES = (channel_operator, matching_numba, layer)
# arguments that a program was exported with, which are no more than tensors
_ARGUMENTS: list[Any] = [SubgraphTensors, layer.GraphBatch]


def dynamic_shapes(*arguments: Any) -> tuple[Any, ...]:
    """Leave the sizes of graphs open: ``dynamic_shapes`` of ``torch.export.export``.

    The program then takes graphs of other sizes, batches of other numbers of graphs and, where
    nodes are joined in several ways, other links. The nodes of a subgraph and the width of features
    are those of the layer. A size of 1 stays as it is, as PyTorch has it: export with two graphs of
    several nodes, and the program takes one graph, or one node, as well.

    Parameters
    ----------
    *arguments : SubgraphTensors, GraphBatch or Tensor
        What the layer or the network is exported with: ``subgraphs, feat``, or a batch of a
        :class:`gomkcn.GraphCollection`.

    Returns
    -------
    tuple
        For each argument what may change of it.

    Raises
    ------
    InputTypeError
        For an argument that no program takes.

    Examples
    --------
    >>> import torch, networkx as nx
    >>> from gomkcn import GOMKConv
    >>> from gomkcn_dgl.exported import dynamic_shapes
    >>> conv = GOMKConv(2, 3, filter_size=4, num_hops=1)
    >>> ring, star = conv.subgraphs(nx.cycle_graph(5)), conv.subgraphs(nx.star_graph(8))
    >>> given = ring, torch.rand(5, 2)
    >>> program = torch.export.export(conv, given, dynamic_shapes=dynamic_shapes(*given))
    >>> program.module()(star, torch.rand(9, 2)).shape
    torch.Size([9, 3])
    """
    shapes = []
    for argument in arguments:
        if isinstance(argument, SubgraphTensors):
            shapes.append(_open_subgraphs(argument))
        elif isinstance(argument, layer.GraphBatch):
            subgraphs, feat, graph_sizes, later = argument
            shapes.append(
                layer.GraphBatch(
                    _open_subgraphs(subgraphs),
                    _open_rows(feat),
                    _open_rows(graph_sizes, "graphs"),
                    tuple(map(_open_subgraphs, later)),
                )
            )
        elif isinstance(argument, torch.Tensor):
            shapes.append(_open_rows(argument))
        else:
            raise InputTypeError(
                "arguments",
                "must be subgraphs with their features, or a batch of a GraphCollection",
                got=type(argument).__name__,
                way_out="give conv.subgraphs(graph) in place of a graph",
            )
    return tuple(shapes)


def _open_subgraphs(subgraphs: SubgraphTensors) -> Any:
    rows = _open_rows(subgraphs.nodes)
    # one relation without direction has two links, an edge and none
    links: Any = {} if subgraphs.num_channels == 1 else _open_rows(subgraphs.channels, "links")
    weights = None if subgraphs.weights is None else rows
    return SubgraphTensors(rows, rows, rows, links, weights)


def _open_rows(tensor: Any, kind: str = "nodes") -> Any:
    size, dim = tensor.shape[0], torch.export.Dim
    if size == 1:
        return {}
    # before PyTorch 2.6 sizes have names, and those that must be the same have the same name
    return {0: dim.DYNAMIC if hasattr(dim, "DYNAMIC") else dim(f"{kind}_as_{size}")}


def load_exported(path: str | os.PathLike[str]) -> Any:
    """Read a layer or a network that ``torch.export.save`` wrote, as a module of PyTorch.

    It is ``torch.export.load(path).module()``, where the operators of this package are known.
    A program takes subgraphs and features, of as many nodes as those that it was exported with,
    unless :func:`gomkcn_dgl.exported.dynamic_shapes` left these sizes open.

    Read only files that you trust: ``torch.export.load`` can run code that is in the file, which
    PyTorch says of it, too. The folder of ``gomkcn train``, which :func:`gomkcn.load` reads, and a
    ``state_dict`` that ``torch.load(path, weights_only=True)`` reads, cannot.

    Parameters
    ----------
    path : str or path
        A file of ``torch.export.save``.

    Returns
    -------
    torch.nn.Module
        What it was made of, for the same kind of arguments.

    Raises
    ------
    InputError
        For a file that is not there.

    Examples
    --------
    In one process ``torch.export.save(torch.export.export(conv, (subgraphs, feat)), "conv.pt2")``,
    and in another ``load_exported("conv.pt2")(subgraphs, feat)``, where ``conv`` is a
    :class:`gomkcn.GOMKConv` and ``subgraphs`` are ``conv.subgraphs(graph)``.
    """
    if torch.cuda.is_available():
        from gomkcn_dgl.kernels import matching_triton  # noqa: F401
    file = Path(path)
    with file_problems(file), file.open("rb"):
        pass
    # else they are read by a pickle of any kind, and PyTorch warns of it
    torch.serialization.add_safe_globals(_ARGUMENTS)
    return torch.export.load(str(file)).module()
