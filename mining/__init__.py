"""From scores to findings: the patterns of a graph, where they occur and how often."""

from gomkcn_dgl.runtime import lazy_names, register_html_module, register_run_module

register_html_module("gomkcn.mining", "gomkcn.mining.show.notebook")
register_run_module("gomkcn.mining", "gomkcn.mining.runs.saving")

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
