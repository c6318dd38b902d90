"""From scores to readable findings: the patterns of a graph, where they occur and how often."""

from mining.evaluation import MotifRecovery, compare_with_truth, covered_occurrences, read_truth
from mining.miner import PatternMiner
from mining.patterns import Medoid, Occurrence, Pattern
from mining.run import GraphSummary, MiningRun
from mining.run_folder import load_miner, read_run

__all__ = [
    "GraphSummary",
    "Medoid",
    "MiningRun",
    "MotifRecovery",
    "Occurrence",
    "Pattern",
    "PatternMiner",
    "compare_with_truth",
    "covered_occurrences",
    "load_miner",
    "read_run",
    "read_truth",
]
