"""GOMKCN: graph filters matched to subgraphs, for mining and learning the patterns of a graph.

Names are imported at first use, so that ``import gomkcn_dgl`` and ``gomkcn --help`` are quick and
a broken DGL is reported by what needs it, in one sentence.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gomkcn_dgl.class_starts import start_from_classes
    from gomkcn_dgl.collection import GraphBatch, GraphCollection
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
    from gomkcn_dgl.model import GOMKCN
    from gomkcn_dgl.random_walks import (
        DeepRandomWalkSettings,
        ImprovedRandomWalkSettings,
        RandomWalkSettings,
    )
    from gomkcn_dgl.subgraph_tensors import SubgraphTensors
    from gomkcn_dgl.subgraphs import SubgraphBatch, extract_subgraphs
    from gomkcn_dgl.training import (
        TrainingSettings,
        evaluate_classifier,
        predict_logits,
        train_classifier,
    )
    from gomkcn_dgl.transform import AttachSubgraphs, attached_subgraphs

_MODULE_OF = {
    "AttachSubgraphs": "transform",
    "BackendError": "errors",
    "CSRGraph": "graph",
    "DeepRandomWalkSettings": "random_walks",
    "GOMKCN": "model",
    "GOMKConv": "layer",
    "GOMKSettings": "matching",
    "GomkcnError": "errors",
    "GramMatrix": "gram",
    "GraphBatch": "collection",
    "GraphCollection": "collection",
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
    "TrainingSettings": "training",
    "as_csr": "graph",
    "attached_subgraphs": "transform",
    "evaluate_classifier": "training",
    "extract_subgraphs": "subgraphs",
    "gomk": "matching",
    "gomk_gram": "gram",
    "level_embeddings": "embeddings",
    "predict_logits": "training",
    "read_graph": "io",
    "start_from_classes": "class_starts",
    "train_classifier": "training",
    "write_graph": "io",
}

__all__ = [
    "AttachSubgraphs",
    "BackendError",
    "CSRGraph",
    "DeepRandomWalkSettings",
    "GOMKCN",
    "GOMKConv",
    "GOMKSettings",
    "GomkcnError",
    "GramMatrix",
    "GraphBatch",
    "GraphCollection",
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
    "TrainingSettings",
    "as_csr",
    "attached_subgraphs",
    "evaluate_classifier",
    "extract_subgraphs",
    "gomk",
    "gomk_gram",
    "level_embeddings",
    "predict_logits",
    "read_graph",
    "start_from_classes",
    "train_classifier",
    "write_graph",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
