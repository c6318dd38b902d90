"""From scores to readable findings: the patterns of a graph, where they occur and how often."""

import mining.html.notebook  # noqa: F401 — registers the HTML representations
from mining.assessment.evaluation import (
    MotifRecovery,
    OccurrenceAgreement,
    compare_occurrences,
    compare_with_truth,
    covered_occurrences,
    induced_occurrences,
    read_truth,
)
from mining.assessment.significance import add_significance
from mining.assessment.stability import add_stability
from mining.counting.build_patterns import add_exact_counts
from mining.counting.exact_counts import (
    ExactCount,
    SampledCount,
    count_exact,
    count_similar,
)
from mining.descriptions.feature_background import FeatureBackground
from mining.descriptions.feature_descriptions import FeatureDescription, describe_features
from mining.explanation.occurrence_alignment import explain_node, explain_occurrence
from mining.explanation.occurrence_explanation import OccurrenceExplanation
from mining.learning.filter_learning import FilterLearning
from mining.miner import PatternMiner
from mining.plots.figures import draw_choice
from mining.records.choice import Choice
from mining.records.frequency import Frequency
from mining.records.occurrence import Medoid, Occurrence
from mining.records.pattern import Pattern
from mining.records.significance import Significance
from mining.records.stability import Stability
from mining.results.export import occurrence_table, pattern_table, to_igraph, write_tables
from mining.results.run_folder import load_miner, read_run
from mining.runs.mining_run import GraphSummary, MiningRun
from mining.runs.run_comparison import RunComparison, SharedPattern, compare_runs

__all__ = [
    "Choice",
    "ExactCount",
    "FeatureBackground",
    "FeatureDescription",
    "FilterLearning",
    "Frequency",
    "GraphSummary",
    "Medoid",
    "MiningRun",
    "MotifRecovery",
    "Occurrence",
    "OccurrenceAgreement",
    "OccurrenceExplanation",
    "Pattern",
    "PatternMiner",
    "RunComparison",
    "SampledCount",
    "SharedPattern",
    "Significance",
    "Stability",
    "add_exact_counts",
    "add_significance",
    "add_stability",
    "compare_occurrences",
    "compare_runs",
    "compare_with_truth",
    "count_exact",
    "count_similar",
    "covered_occurrences",
    "describe_features",
    "draw_choice",
    "explain_node",
    "explain_occurrence",
    "induced_occurrences",
    "load_miner",
    "occurrence_table",
    "pattern_table",
    "read_run",
    "read_truth",
    "to_igraph",
    "write_tables",
]
