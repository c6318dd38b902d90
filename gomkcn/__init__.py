"""Find the small patterns that keep coming back in graphs: everything public, under one name.

Names are imported at first use, so that ``import gomkcn`` and ``gomkcn --help`` are quick and a
broken DGL is reported by what needs it, in one sentence.

Examples
--------
>>> import gomkcn
>>> gomkcn.get_motif("wheel").num_nodes
6
"""

from __future__ import annotations

import importlib
from typing import Any

_MODULE_OF = {
    "AttachSubgraphs": "gomkcn_dgl.transform",
    "BASE_GRAPHS": "synthetic.base_graphs",
    "BackendError": "gomkcn_dgl.errors",
    "CSRGraph": "gomkcn_dgl.graph",
    "Choice": "mining.records.choice",
    "DeepRandomWalkKernel": "gomkcn_dgl.random_walks",
    "ExactCount": "mining.counting.exact_counts",
    "FeatureBackground": "mining.descriptions.feature_background",
    "FeatureDescription": "mining.descriptions.feature_descriptions",
    "FilterLearning": "mining.learning.filter_learning",
    "Frequency": "mining.records.frequency",
    "GOMKCN": "gomkcn_dgl.model",
    "GOMKConv": "gomkcn_dgl.layer",
    "GOMKKernel": "gomkcn_dgl.matching",
    "GomkcnError": "gomkcn_dgl.errors",
    "GramMatrix": "gomkcn_dgl.gram",
    "GraphBatch": "gomkcn_dgl.training.collection",
    "GraphCollection": "gomkcn_dgl.training.collection",
    "GraphFilters": "gomkcn_dgl.filters",
    "GraphKernel": "gomkcn_dgl.layer",
    "GraphKernelConv": "gomkcn_dgl.layer",
    "GraphSummary": "mining.runs.mining_run",
    "ImprovedRandomWalkKernel": "gomkcn_dgl.random_walks",
    "InputError": "gomkcn_dgl.errors",
    "InputTypeError": "gomkcn_dgl.errors",
    "MOTIFS": "synthetic.motifs",
    "Medoid": "mining.records.occurrence",
    "MiningRun": "mining.runs.mining_run",
    "MissingDGLError": "gomkcn_dgl.errors",
    "Motif": "synthetic.motifs",
    "MotifClassificationDataset": "synthetic.datasets",
    "MotifRecovery": "mining.assessment.evaluation",
    "Occurrence": "mining.records.occurrence",
    "OccurrenceAgreement": "mining.assessment.evaluation",
    "OccurrenceExplanation": "mining.explanation.occurrence_explanation",
    "Pattern": "mining.records.pattern",
    "PatternMiner": "mining.miner",
    "PlantedGraph": "synthetic.planted_graph",
    "PlantedMotifDataset": "synthetic.datasets",
    "RandomWalkKernel": "gomkcn_dgl.random_walks",
    "RunComparison": "mining.runs.run_comparison",
    "SampledCount": "mining.counting.exact_counts",
    "SharedPattern": "mining.runs.run_comparison",
    "Significance": "mining.records.significance",
    "Stability": "mining.records.stability",
    "SubgraphBatch": "gomkcn_dgl.subgraphs",
    "SubgraphTensors": "gomkcn_dgl.subgraph_tensors",
    "TrainingSettings": "gomkcn_dgl.training.training_loop",
    "add_exact_counts": "mining.counting.build_patterns",
    "add_significance": "mining.assessment.significance",
    "add_stability": "mining.assessment.stability",
    "as_csr": "gomkcn_dgl.graph",
    "attached_subgraphs": "gomkcn_dgl.transform",
    "barabasi_albert": "synthetic.base_graphs",
    "compare_occurrences": "mining.assessment.evaluation",
    "compare_runs": "mining.runs.run_comparison",
    "compare_with_truth": "mining.assessment.evaluation",
    "count_exact": "mining.counting.exact_counts",
    "count_similar": "mining.counting.exact_counts",
    "covered_occurrences": "mining.assessment.evaluation",
    "describe_features": "mining.descriptions.feature_descriptions",
    "draw_choice": "mining.plots.figures",
    "erdos_renyi": "synthetic.base_graphs",
    "evaluate_classifier": "gomkcn_dgl.training.training_loop",
    "explain_node": "mining.explanation.occurrence_alignment",
    "explain_occurrence": "mining.explanation.occurrence_alignment",
    "extract_subgraphs": "gomkcn_dgl.subgraphs",
    "get_motif": "synthetic.motifs",
    "gomk": "gomkcn_dgl.matching",
    "gomk_gram": "gomkcn_dgl.gram",
    "induced_occurrences": "mining.assessment.evaluation",
    "initialize_from_classes": "gomkcn_dgl.training.class_initialization",
    "level_embeddings": "gomkcn_dgl.embeddings",
    "load_miner": "mining.results.run_folder",
    "motif_from_networkx": "synthetic.motifs",
    "occurrence_table": "mining.results.export",
    "pattern_table": "mining.results.export",
    "plant_motifs": "synthetic.planting",
    "predict_logits": "gomkcn_dgl.training.training_loop",
    "random_regular": "synthetic.base_graphs",
    "random_tree": "synthetic.base_graphs",
    "read_graph": "gomkcn_dgl.io.reading",
    "read_motif": "synthetic.motifs",
    "read_run": "mining.results.run_folder",
    "read_truth": "mining.assessment.evaluation",
    "to_igraph": "mining.results.export",
    "train_classifier": "gomkcn_dgl.training.training_loop",
    "watts_strogatz": "synthetic.base_graphs",
    "write_graph": "gomkcn_dgl.io.writing",
    "write_tables": "mining.results.export",
}

__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
