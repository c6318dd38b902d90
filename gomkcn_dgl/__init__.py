"""GOMKCN: graph filters matched to subgraphs, for mining and learning the patterns of a graph.

Names are imported at first use, so that ``import gomkcn_dgl`` and ``gomkcn --help`` are quick and
a broken DGL is reported by what needs it, in one sentence.
"""

from __future__ import annotations

import importlib
from typing import Any

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
    "initialize_from_classes": "training.class_initialization",
    "level_embeddings": "embeddings",
    "predict_logits": "training.training_loop",
    "read_graph": "io.reading",
    "train_classifier": "training.training_loop",
    "write_graph": "io.writing",
}

__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
