"""From scores to findings: the patterns of a graph, where they occur and how often."""

from gomkcn_dgl.runtime import lazy_names, register_html_module

register_html_module("mining", "mining.html.notebook")

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "assessment.evaluation": [
            "compare_with_truth",
            "covered_occurrences",
            "induced_occurrences",
            "MotifRecovery",
            "read_truth",
        ],
        "orbit_features": ["OrbitCounts"],
        "orbits": ["graphlet_agreement", "orbit_counts", "orbit_table"],
        "pattern_counts": ["bag_of_patterns"],
        "structure_census": ["Census", "census"],
        "class_contrasts": ["class_differences"],
        "counting.exact_counts": ["count_by_graph", "count_exact", "ExactCount"],
        "counting.occurrence_counts": ["count_occurrences"],
        "counting.occurrence_lists": ["list_places"],
        "descriptions.feature_background": ["FeatureBackground"],
        "descriptions.feature_descriptions": ["describe_features", "FeatureDescription"],
        "explanation.occurrence_alignment": ["explain_node", "explain_occurrence"],
        "explanation.occurrence_explanation": ["OccurrenceExplanation"],
        "learning.filter_learning": ["FilterLearning"],
        "miner": ["PatternMiner"],
        "random_graphs": ["null_model", "NullModel", "sample_null"],
        "records.class_difference": ["ClassContrast", "ClassDifference"],
        "records.frequency": ["Frequency"],
        "records.occurrence": ["Occurrence", "Occurrences"],
        "records.occurrence_count": ["OccurrenceCount"],
        "records.pattern": ["Pattern"],
        "records.null_comparison": ["NullComparison"],
        "results.export": ["occurrence_table", "pattern_table", "write_tables"],
        "results.run_folder": ["load_miner", "read_run"],
        "runs.mining_run": ["GraphSummary", "MiningRun"],
        "runs.run_comparison": ["compare_runs", "RunComparison"],
    },
)
