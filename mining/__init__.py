"""From scores to readable findings: the patterns of a graph, where they occur and how often."""

from mining.alignment import explain_node, explain_occurrence
from mining.compare import RunComparison, SharedPattern, compare_runs
from mining.counting import ExactCount, SampledCount, count_exact, count_similar, exact_census
from mining.evaluation import MotifRecovery, compare_with_truth, covered_occurrences, read_truth
from mining.export import occurrence_table, pattern_table, to_igraph, write_tables
from mining.feature_background import FeatureBackground
from mining.feature_words import FeatureWords, describe_features
from mining.frequencies import Frequency
from mining.label_names import read_label_names
from mining.miner import PatternMiner
from mining.patterns import Medoid, Occurrence, Pattern
from mining.place_explanation import PlaceExplanation
from mining.run import GraphSummary, MiningRun
from mining.run_folder import load_miner, read_run
from mining.significance import Significance, add_significance

__all__ = [
    "ExactCount",
    "FeatureBackground",
    "FeatureWords",
    "Frequency",
    "GraphSummary",
    "Medoid",
    "MiningRun",
    "MotifRecovery",
    "Occurrence",
    "Pattern",
    "PatternMiner",
    "PlaceExplanation",
    "RunComparison",
    "SampledCount",
    "SharedPattern",
    "Significance",
    "add_significance",
    "compare_runs",
    "compare_with_truth",
    "count_exact",
    "count_similar",
    "covered_occurrences",
    "describe_features",
    "exact_census",
    "explain_node",
    "explain_occurrence",
    "load_miner",
    "occurrence_table",
    "pattern_table",
    "read_label_names",
    "read_run",
    "read_truth",
    "to_igraph",
    "write_tables",
]
