"""Exact counts of a structure in each graph, with colours, which the public ``count`` lacks."""

from gomkcn.mining.counting.occurrence_search import OccurrenceSearch
from gomkcn.mining.counting.query import Query


def count_by_graph(graph, structure, colors=None, max_steps=None):
    """int64 ``[G]``; None where the search took more than ``max_steps``."""
    search = OccurrenceSearch(Query.of_structure(graph, structure, colors))
    search.run(max_steps=max_steps)
    return None if search.unfinished else search.count_by_graph
