"""From scores to findings: the patterns of a graph, where they occur and how often."""

from gomkcn_dgl.runtime import lazy_names, register_html_module

register_html_module("mining", "mining.html.notebook")

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "counting.conditions": ["count_where", "list_where"],
        "counting.counter": ["count_occurrences", "list_places"],
        "counting.occurrence_search": ["count_by_graph"],
        "export": [
            "copies_table",
            "feature_table",
            "occurrence_table",
            "pattern_table",
            "write_tables",
        ],
        "gspan": ["frequent_subgraphs", "FrequentSubgraphs", "SubgraphFeatures"],
        "inexact_counts": ["count_inexact", "InexactCounts", "Variant"],
        "filters.filter_learning": ["FilterLearning"],
        "filters.filter_miner": ["FilterMiner"],
        "filters.mined_filter": ["MinedFilter", "NearestSubgraph"],
        "pattern_miner": ["PatternMiner"],
        "motif_sets.finding": ["motif_set"],
        "motif_sets.motif_set": ["MotifSet"],
        "filters_folder": ["read_filters_run"],
        "filters_run": ["FiltersRun"],
        "graph_summary": ["GraphSummary"],
        "mining_run": ["MiningRun"],
        "occurrences": ["Occurrence", "Occurrences"],
        "orbit_features": ["OrbitCounts"],
        "pattern": [
            "ClassContrast",
            "ClassDifference",
            "Frequency",
            "MotifPart",
            "NullComparison",
            "OccurrenceCount",
            "OrbitFeature",
            "Pattern",
        ],
        "pattern_counts": ["bag_of_patterns"],
        "null_models": ["null_model", "NullModel", "sample_null"],
        "run_comparison": ["compare_runs", "mine_structures", "RunComparison"],
        "run_folder": ["read_run"],
        "significance": ["class_differences"],
        "structure_census": [
            "Census",
            "census",
            "graphlet_agreement",
            "orbit_counts",
            "orbit_table",
        ],
        "counting.temporal_motifs": ["temporal_census", "TemporalCensus"],
        "truth": [
            "compare_with_truth",
            "MotifRecovery",
            "read_truth",
        ],
    },
)
