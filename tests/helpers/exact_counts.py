"""Exact counts of a structure in each graph, with colours, which the public ``count`` lacks."""

from gomkcn.mining.counting.occurrence_search import OccurrenceSearch
from gomkcn.mining.counting.query import Query
from gomkcn.mining.structures.pattern_reading import as_structure
from gomkcn_dgl import as_csr


def count_by_graph(graph, structure, colors=None, max_steps=None):
    """int64 ``[G]``; None where the search took more than ``max_steps``."""
    search = OccurrenceSearch(Query.of_structure(as_csr(graph), as_structure(structure), colors))
    search.run(max_steps=max_steps)
    return None if search.unfinished else search.count_by_graph
