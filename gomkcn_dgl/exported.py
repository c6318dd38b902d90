"""A layer or a network that ``torch.export`` has written to a file, read again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gomkcn_dgl import layer
from gomkcn_dgl._torch import torch
from gomkcn_dgl.kernels import channel_operator, matching_numba
from gomkcn_dgl.runtime.files import file_problems

# what defines the operators and the arguments of a program, when it is imported
_DEFINES = (channel_operator, matching_numba, layer)


def load_exported(path: str | os.PathLike[str]) -> Any:
    """Read a layer or a network that ``torch.export.save`` wrote, as a module of PyTorch.

    It is ``torch.export.load(path).module()``, where the operators of this package are known.
    A program is made of subgraphs and features, of as many nodes as those that it was exported
    with, unless ``dynamic_shapes`` of ``torch.export.export`` says otherwise.

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
    return torch.export.load(str(file)).module()
