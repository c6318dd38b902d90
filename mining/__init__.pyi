from gomkcn.mining.counting.counts import count as count
from gomkcn.mining.counting.counts import places as places
from gomkcn.mining.counting.motif_adjacency import motif_adjacency as motif_adjacency
from gomkcn.mining.counting.node_roles import node_roles as node_roles
from gomkcn.mining.counting.orbit_features import OrbitCounts as OrbitCounts
from gomkcn.mining.counting.structure_census import census as census
from gomkcn.mining.counting.structure_census import orbit_counts as orbit_counts
from gomkcn.mining.filters.filter_learning import FilterLearning as FilterLearning
from gomkcn.mining.filters.filter_miner import FilterMiner as FilterMiner
from gomkcn.mining.filters.filters_run import FiltersRun as FiltersRun
from gomkcn.mining.frequent.gspan import SubgraphFeatures as SubgraphFeatures
from gomkcn.mining.frequent.gspan import frequent_subgraphs as frequent_subgraphs
from gomkcn.mining.motif_sets.finding import motif_set as motif_set
from gomkcn.mining.motif_sets.motif_set import MotifSet as MotifSet
from gomkcn.mining.patterns.mining_run import MiningRun as MiningRun
from gomkcn.mining.patterns.pattern_miner import PatternMiner as PatternMiner
from gomkcn.mining.patterns.run_comparison import compare as compare
from gomkcn.mining.repeats.block_finding import RepeatedBlocks as RepeatedBlocks
from gomkcn.mining.repeats.block_finding import repeated_blocks as repeated_blocks
from gomkcn.mining.runs.export import write_tables as write_tables
from gomkcn.mining.runs.kinds import load as load
from gomkcn.mining.significance.random_graphs import sample_null as sample_null
from gomkcn.mining.structures.pattern import OccurrenceCount as OccurrenceCount
from gomkcn.mining.structures.pattern import Pattern as Pattern
from gomkcn.mining.structures.truth import compare_with_truth as compare_with_truth
from gomkcn.mining.temporal.temporal_motifs import temporal_census as temporal_census
from gomkcn.mining.temporal.temporal_occurrences import (
    temporal_occurrences as temporal_occurrences,
)
