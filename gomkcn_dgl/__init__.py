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
    from gomkcn_dgl.io.reading import read_graph, write_graph
    from gomkcn_dgl.layer import GOMKConv, GraphKernel, GraphKernelConv
    from gomkcn_dgl.matching import GOMKKernel, gomk
    from gomkcn_dgl.model import GOMKCN
    from gomkcn_dgl.random_walks import (
        DeepRandomWalkKernel,
        ImprovedRandomWalkKernel,
        RandomWalkKernel,
    )
    from gomkcn_dgl.subgraph_tensors import SubgraphTensors
    from gomkcn_dgl.subgraphs import SubgraphBatch, extract_subgraphs
    from gomkcn_dgl.training.class_initialization import initialize_from_classes
    from gomkcn_dgl.training.collection import GraphBatch, GraphCollection
    from gomkcn_dgl.training.training_loop import (
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
    "DeepRandomWalkKernel": "random_walks",
    "GOMKCN": "model",
    "GOMKConv": "layer",
    "GOMKKernel": "matching",
    "GomkcnError": "errors",
    "GramMatrix": "gram",
    "GraphBatch": "training.collection",
    "GraphCollection": "training.collection",
    "GraphFilters": "filters",
    "GraphKernel": "layer",
    "GraphKernelConv": "layer",
    "ImprovedRandomWalkKernel": "random_walks",
    "InputError": "errors",
    "InputTypeError": "errors",
    "MissingDGLError": "errors",
    "RandomWalkKernel": "random_walks",
    "SubgraphBatch": "subgraphs",
    "SubgraphTensors": "subgraph_tensors",
    "TrainingSettings": "training.training_loop",
    "as_csr": "graph",
    "attached_subgraphs": "transform",
    "evaluate_classifier": "training.training_loop",
    "extract_subgraphs": "subgraphs",
    "gomk": "matching",
    "gomk_gram": "gram",
    "level_embeddings": "embeddings",
    "predict_logits": "training.training_loop",
    "read_graph": "io.reading",
    "initialize_from_classes": "training.class_initialization",
    "train_classifier": "training.training_loop",
    "write_graph": "io.writing",
}

__all__ = [
    "AttachSubgraphs",
    "BackendError",
    "CSRGraph",
    "DeepRandomWalkKernel",
    "GOMKCN",
    "GOMKConv",
    "GOMKKernel",
    "GomkcnError",
    "GramMatrix",
    "GraphBatch",
    "GraphCollection",
    "GraphFilters",
    "GraphKernel",
    "GraphKernelConv",
    "ImprovedRandomWalkKernel",
    "InputError",
    "InputTypeError",
    "MissingDGLError",
    "RandomWalkKernel",
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
    "initialize_from_classes",
    "train_classifier",
    "write_graph",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
