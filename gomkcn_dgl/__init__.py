"""GOMKCN: graph filters matched to subgraphs, for mining and learning the patterns of a graph.

Names are imported at first use, so that ``import gomkcn_dgl`` and ``gomkcn --help`` are quick and
a broken DGL is reported by what needs it, in one sentence.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gomkcn_dgl.embeddings import level_embeddings
    from gomkcn_dgl.errors import (
        BackendError,
        GomkcnError,
        InputError,
        InputTypeError,
        MissingDGLError,
    )
    from gomkcn_dgl.filters import GraphFilters
    from gomkcn_dgl.gram import GramMatrix, gomk_gram
    from gomkcn_dgl.graph import CSRGraph, as_csr
    from gomkcn_dgl.io import read_graph, write_graph
    from gomkcn_dgl.layer import GOMKConv, GraphKernel, GraphKernelConv
    from gomkcn_dgl.matching import GOMKSettings, gomk
    from gomkcn_dgl.random_walks import (
        DeepRandomWalkSettings,
        ImprovedRandomWalkSettings,
        RandomWalkSettings,
    )
    from gomkcn_dgl.subgraph_tensors import SubgraphTensors
    from gomkcn_dgl.subgraphs import SubgraphBatch, extract_subgraphs
    from gomkcn_dgl.transform import AttachSubgraphs, attached_subgraphs

_MODULE_OF = {
    "AttachSubgraphs": "transform",
    "BackendError": "errors",
    "CSRGraph": "graph",
    "DeepRandomWalkSettings": "random_walks",
    "GOMKConv": "layer",
    "GOMKSettings": "matching",
    "GomkcnError": "errors",
    "GramMatrix": "gram",
    "GraphFilters": "filters",
    "GraphKernel": "layer",
    "GraphKernelConv": "layer",
    "ImprovedRandomWalkSettings": "random_walks",
    "InputError": "errors",
    "InputTypeError": "errors",
    "MissingDGLError": "errors",
    "RandomWalkSettings": "random_walks",
    "SubgraphBatch": "subgraphs",
    "SubgraphTensors": "subgraph_tensors",
    "as_csr": "graph",
    "attached_subgraphs": "transform",
    "extract_subgraphs": "subgraphs",
    "gomk": "matching",
    "gomk_gram": "gram",
    "level_embeddings": "embeddings",
    "read_graph": "io",
    "write_graph": "io",
}

__all__ = [
    "AttachSubgraphs",
    "BackendError",
    "CSRGraph",
    "DeepRandomWalkSettings",
    "GOMKConv",
    "GOMKSettings",
    "GomkcnError",
    "GramMatrix",
    "GraphFilters",
    "GraphKernel",
    "GraphKernelConv",
    "ImprovedRandomWalkSettings",
    "InputError",
    "InputTypeError",
    "MissingDGLError",
    "RandomWalkSettings",
    "SubgraphBatch",
    "SubgraphTensors",
    "as_csr",
    "attached_subgraphs",
    "extract_subgraphs",
    "gomk",
    "gomk_gram",
    "level_embeddings",
    "read_graph",
    "write_graph",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
