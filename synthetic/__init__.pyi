from gomkcn.synthetic.classification_dataset import (
    MotifClassificationDataset as MotifClassificationDataset,
)
from gomkcn.synthetic.datasets import planted_motif_graph as planted_motif_graph
from gomkcn.synthetic.mining_dataset import MotifMiningDataset as MotifMiningDataset
from gomkcn.synthetic.motifs import MOTIFS as MOTIFS
from gomkcn.synthetic.motifs import get_motif as get_motif
from gomkcn.synthetic.planting import plant_motifs as plant_motifs
from gomkcn.synthetic.planting_settings import PlantingSettings as PlantingSettings
