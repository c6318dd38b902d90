"""Colours in plain Python, for the eye: what ``gomkcn_dgl/kernels/colors_numba.py`` describes."""

import numpy as np

from gomkcn_dgl.kernels.colors_numba import FEATURE_BITS, MARK, ColoredRows

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
_ROUNDS = 6


def plain_colored_rows(graph):
    """What ``CSRGraph.colored_rows`` is, of a graph of any size."""
    features_vary = (graph.features != graph.features[:1]).any()
    weights_vary = graph.weights is not None and (graph.weights != graph.weights[:1]).any()
    rows = [
        _row(graph, node, not features_vary and weights_vary) for node in range(graph.num_nodes)
    ]
    plain = [_row(graph, node, False) for node in range(graph.num_nodes)]
    structure = _refine([0] * graph.num_nodes, graph, plain)
    colors = [color >> FEATURE_BITS << FEATURE_BITS for color in structure]
    if features_vary or weights_vary:
        hashes = [_hash_features(values) if features_vary else 0 for values in graph.features]
        seen = [(color + value) & MASK for color, value in zip(structure, hashes, strict=True)]
        refined = _refine(seen, graph, rows)
        colors = [a | (b >> (64 - FEATURE_BITS)) for a, b in zip(colors, refined, strict=True)]
    entries = []
    for row in rows:
        ordered = sorted(row, key=lambda node: (colors[node], node))
        for k, node in enumerate(ordered):
            before = ordered[k - 1] if k else None
            alike = k > 0 and colors[node] == colors[before]
            is_marked = alike and not _are_twins(rows, node, before)
            entries.append(node | MARK if is_marked else node)
    return ColoredRows(np.array(colors, np.uint64), np.array(entries, np.uint32))


def _row(graph, node, weighed):
    """What joins a node to each of its neighbours: the channels of their link, and the weight."""
    row = {}
    for entry in range(graph.indptr[node], graph.indptr[node + 1]):
        channels = graph.relations.links[1 if graph.links is None else graph.links[entry]]
        weight = int(graph.weights[entry].view(np.uint32)) if weighed else None
        row[int(graph.indices[entry])] = (tuple(np.flatnonzero(channels).tolist()), weight)
    return row


def _refine(colors, graph, rows):
    for _ in range(_ROUNDS):
        colors = [
            mix(
                (colors[node] * GOLDEN + sum(finalize(colors[v] ^ _kind(*row[v])) for v in row))
                & MASK
            )
            for node, row in enumerate(rows)
        ]
    return colors


def _kind(channels, weight):
    kind = finalize(sum(finalize(channel + 1) for channel in channels) & MASK)
    return kind if weight is None else finalize((kind + weight) & MASK)


def _hash_features(values):
    """A number for the features of a node, each rounded to 16 bits."""
    total = 0
    for column, value in enumerate(values):
        bits = (int(np.float32(value).view(np.uint32)) + 0x8000) >> 16
        if bits & 0x7FFF:
            total += mix((column << 32) | bits)
    return total & MASK


def _are_twins(rows, node, other):
    """Whether two nodes have the same neighbours, each other left out, and are joined alike."""
    left = {v: kind for v, kind in rows[node].items() if v != other}
    right = {v: kind for v, kind in rows[other].items() if v != node}
    return left == right and rows[node].get(other) == rows[other].get(node)


def mix(value):
    """Scramble 64 bits: the next number of SplitMix64 (Steele, Lea and Flood, 2014)."""
    return finalize((value + GOLDEN) & MASK)


def finalize(value):
    """Scramble 64 bits, 0 to 0."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)
