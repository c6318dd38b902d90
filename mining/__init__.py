"""From scores to readable findings: the patterns of a graph, where they occur and how often."""

from mining.chance.choosing import Choice
from mining.chance.significance import Significance, add_significance
from mining.counting import ExactCount, SampledCount, count_exact, count_similar, exact_census
from mining.drawing.choice_figure import draw_choice
from mining.evaluation import (
    MotifRecovery,
    OccurrenceAgreement,
    compare_occurrences,
    compare_with_truth,
    covered_occurrences,
    induced_occurrences,
    read_truth,
)
from mining.explain.alignment import explain_node, explain_occurrence
from mining.explain.place_explanation import PlaceExplanation
from mining.frequencies import Frequency
from mining.miner import PatternMiner
from mining.occurrence_list import Medoid, Occurrence
from mining.patterns import Pattern
from mining.results.compare import RunComparison, SharedPattern, compare_runs
from mining.results.export import occurrence_table, pattern_table, to_igraph, write_tables
from mining.results.run import GraphSummary, MiningRun
from mining.results.run_folder import load_miner, read_run
from mining.stability import Stability, add_stability
from mining.words.feature_background import FeatureBackground
from mining.words.feature_words import FeatureWords, describe_features

__all__ = [
    "Choice",
    "ExactCount",
    "FeatureBackground",
    "FeatureWords",
    "Frequency",
    "GraphSummary",
    "Medoid",
    "MiningRun",
    "MotifRecovery",
    "Occurrence",
    "OccurrenceAgreement",
    "Pattern",
    "PatternMiner",
    "PlaceExplanation",
    "RunComparison",
    "SampledCount",
    "SharedPattern",
    "Significance",
    "Stability",
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
    "exact_census",
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
