"""Data with known answers: motifs, base graphs, and graphs in which motifs are planted."""

from gomkcn_dgl.runtime import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
