"""GOMKCN: graph filters matched to subgraphs, for mining and learning the patterns of a graph."""

from gomkcn_dgl._graphbolt import register_finder
from gomkcn_dgl.runtime import lazy_names, register_html_module

register_finder()
register_html_module("gomkcn_dgl", "gomkcn_dgl.graph_html")

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
