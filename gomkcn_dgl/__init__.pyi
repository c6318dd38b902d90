from gomkcn_dgl.edge_masks import explainable as explainable
from gomkcn_dgl.errors import GomkcnError as GomkcnError
from gomkcn_dgl.errors import InputError as InputError
from gomkcn_dgl.exported import load_exported as load_exported
from gomkcn_dgl.filters import GraphFilters as GraphFilters
from gomkcn_dgl.graph import CSRGraph as CSRGraph
from gomkcn_dgl.graph import as_csr as as_csr
from gomkcn_dgl.graphs.structure import Structure as Structure
from gomkcn_dgl.io.reading import read_graph as read_graph
from gomkcn_dgl.io.temporal_edges import read_temporal_edges as read_temporal_edges
from gomkcn_dgl.io.writing import write_graph as write_graph
from gomkcn_dgl.kernel_machine import GOMKClassifier as GOMKClassifier
from gomkcn_dgl.kernel_machine import GOMKGram as GOMKGram
from gomkcn_dgl.layer import GOMKConv as GOMKConv
from gomkcn_dgl.matching import GOMKKernel as GOMKKernel
from gomkcn_dgl.matching import gomk as gomk
from gomkcn_dgl.model import GOMKCN as GOMKCN
from gomkcn_dgl.model import GraphCollection as GraphCollection
from gomkcn_dgl.runtime.tabular import Table as Table
from gomkcn_dgl.subgraph_sampler import SubgraphSampler as SubgraphSampler
from gomkcn_dgl.subgraph_transform import SubgraphTransform as SubgraphTransform
from gomkcn_dgl.subgraphs import SubgraphSettings as SubgraphSettings
from gomkcn_dgl.subgraphs import extract_subgraphs as extract_subgraphs
from gomkcn_dgl.training.class_initialization import (
    initialize_from_classes as initialize_from_classes,
)
from gomkcn_dgl.training.classifier_settings import TrainingSettings as TrainingSettings
from gomkcn_dgl.training.labelled_data import read_labelled as read_labelled
from gomkcn_dgl.training.training_loop import evaluate_classifier as evaluate_classifier
from gomkcn_dgl.training.training_loop import train_classifier as train_classifier
