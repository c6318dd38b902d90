"""Data with known answers: motifs, background graphs, and the graphs in which they are planted."""

from synthetic.base_graphs import (
    BASE_GRAPHS,
    barabasi_albert,
    erdos_renyi,
    random_regular,
    random_tree,
    watts_strogatz,
)
from synthetic.datasets import MotifClassificationDataset, PlantedMotifDataset
from synthetic.motifs import MOTIFS, Motif, get_motif, motif_from_networkx, read_motif
from synthetic.planted_graph import PlantedGraph
from synthetic.planting import plant_motifs

__all__ = [
    "BASE_GRAPHS",
    "MOTIFS",
    "Motif",
    "MotifClassificationDataset",
    "PlantedGraph",
    "PlantedMotifDataset",
    "barabasi_albert",
    "erdos_renyi",
    "get_motif",
    "motif_from_networkx",
    "plant_motifs",
    "random_regular",
    "random_tree",
    "read_motif",
    "watts_strogatz",
]
