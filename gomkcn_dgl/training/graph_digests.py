"""By what a classifier knows a graph again that it learnt from: a digest of all that it sees."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.node_order import NodeOrder

# two graphs have the same by chance once in 2^128
DIGEST_BYTES = 16


def graph_digests(graph: CSRGraph) -> np.ndarray:
    """A digest of each graph of a collection, uint8 ``[G, 16]``: of its edges, relations, features.

    It does not depend on the order of the nodes, up to graphs of so much symmetry that no order of
    their own is found; graphs that differ have different ones.

    >>> import networkx as nx
    >>> from gomkcn import as_csr
    >>> graphs = [nx.path_graph(3), nx.Graph([(0, 1), (0, 2)]), nx.cycle_graph(3)]
    >>> first, same, other = graph_digests(as_csr(graphs)).tolist()
    >>> first == same, first == other
    (True, False)
    """
    order = NodeOrder.of(graph)
    ordered = order.graph
    features = ordered.features.astype(np.float32)
    links = np.ones(len(ordered.indices), np.int64) if ordered.links is None else ordered.links
    # whatever other links a collection has
    channels = ordered.relations.links[links]
    digests = np.zeros((graph.num_graphs, DIGEST_BYTES), np.uint8)
    for number, (first, last) in enumerate(pairwise(ordered.graph_ptr.tolist())):
        begin, end = ordered.indptr[first], ordered.indptr[last]
        digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
        for part in (
            ordered.indptr[first : last + 1].astype(np.int64) - begin,
            ordered.indices[begin:end].astype(np.int64) - first,
            channels[begin:end].astype(bool),
            features[first:last],
        ):
            digest.update(f"{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        digests[order.graphs[number]] = np.frombuffer(digest.digest(), np.uint8)
    return digests


def is_among(digests: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Which digests are among others, bool ``[G]``."""
    seen = {row.tobytes() for row in known}
    return np.array([row.tobytes() in seen for row in digests], bool)
