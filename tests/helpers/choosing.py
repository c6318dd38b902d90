"""Copies of a candidate that save most, in either description."""

from gomkcn.mining.motif_sets import collection_copies, graph_copies


def choose(description, candidate, freed, least_worth):
    """As the search asks for them."""
    if description.nodes_apart:
        (choice,) = collection_copies.choose_in_collection(description, [candidate], freed)
        return choice
    return graph_copies.choose_in_graph(description, candidate, freed, least_worth)
