"""GOMKCN: graph filters matched to subgraphs, for mining and learning the patterns of a graph."""

from gomkcn_dgl.runtime import lazy_names, register_html_module

register_html_module("gomkcn_dgl", "gomkcn_dgl.graph_html")

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "csr": ["split_graphs"],
        "embeddings": ["level_embeddings", "SubgraphTensors"],
        "errors": [
            "BackendError",
            "GomkcnError",
            "InputError",
            "InputTypeError",
            "MissingDGLError",
            "MissingTorchError",
        ],
        "filters": ["GraphFilters"],
        "gram": ["gomk_gram"],
        "graph": ["as_csr", "CSRGraph"],
        "graphs.structure": ["Structure"],
        "io.reading": ["read_graph"],
        "io.temporal_edges": ["read_temporal_edges", "TemporalEdges"],
        "io.writing": ["write_graph"],
        "kernel_machine": ["GOMKClassifier", "GOMKGram"],
        "layer": ["GOMKConv", "GraphBatch", "GraphKernel"],
        "matching": ["gomk", "GOMKKernel"],
        "model": ["GOMKCN", "GraphCollection"],
        "runtime.tabular": ["Table"],
        "subgraph_transform": ["SubgraphTransform"],
        "subgraphs": ["extract_subgraphs", "SubgraphBatch", "SubgraphSettings"],
        "training.class_initialization": ["initialize_from_classes"],
        "training.training_loop": [
            "evaluate_classifier",
            "predict_logits",
            "train_classifier",
            "TrainingSettings",
        ],
    },
)
