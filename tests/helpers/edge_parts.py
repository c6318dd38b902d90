"""The parts of a structure that have an edge less."""

import networkx as nx
import numpy as np

from gomkcn_dgl.graphs.structure import Structure


def parts_without_an_edge(structure):
    """The connected structures of all edges but one, each pair of ends by itself."""
    parts = []
    for u, v, channel in np.argwhere(structure.channels):
        other = structure.relations.opposite[channel]
        channels = structure.channels.copy()
        channels[u, v, channel] = channels[v, u, other] = False
        joined = nx.Graph(np.argwhere(channels.any(axis=2)).tolist())
        left = np.array(sorted(joined), int)
        least = max(2, structure.num_nodes - 1)
        if (u, channel) > (v, other) or len(left) < least or not nx.is_connected(joined):
            continue
        categories = [structure.categories[node] for node in left if structure.categories]
        some = channels[np.ix_(left, left)]
        parts.append(Structure.of_channels(some, structure.relations, tuple(categories)))
    return parts
