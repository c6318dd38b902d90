from synthetic.classification_dataset import (
    MotifClassificationDataset as MotifClassificationDataset,
)
from synthetic.datasets import planted_motif_graph as planted_motif_graph
from synthetic.mining_dataset import MotifMiningDataset as MotifMiningDataset
from synthetic.motifs import MOTIFS as MOTIFS
from synthetic.motifs import get_motif as get_motif
from synthetic.planted_graph import PlantedGraph as PlantedGraph
from synthetic.planting import PlantingSettings as PlantingSettings
from synthetic.planting import plant_motifs as plant_motifs
