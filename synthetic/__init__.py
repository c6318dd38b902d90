"""Data with known answers: motifs, base graphs, and graphs in which motifs are planted."""

from gomkcn_dgl.runtime import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "base_graphs": [
            "barabasi_albert",
            "BASE_GRAPHS",
            "networkx_edges",
            "orient_edges",
        ],
        "classification_dataset": ["MotifClassificationDataset"],
        "datasets": ["planted_motif_graph"],
        "motifs": ["get_motif", "MOTIFS"],
        "planted_graph": ["PlantedGraph"],
        "planting": ["plant_motifs", "PlantingSettings"],
    },
)
