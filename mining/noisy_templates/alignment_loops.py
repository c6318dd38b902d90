"""The compiled sum over alignments: how well subgraphs fit a template, whoever plays which node.

Nodes of a subgraph are placed one by one on free template nodes. While there are at most as many
partial alignments as particles all of them go on, and the sum is exact. Of more, those of large
weight are kept as they are and the rest is thinned out by a systematic draw, the kept ones of
which share the weight of all (optimal resampling of Fearnhead and Clifford, J. R. Stat. Soc. B 65,
2003): the sum is then an unbiased estimate.

Arguments are prepared by ``noisy_templates.py``.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled


@compiled()
def sum_alignments(fit, pairs, template, factors, draws, particles, sums, seats, joined, seen):
    """Sum the likelihood over all alignments of each subgraph with one template.

    Parameters
    ----------
    fit : numpy.ndarray
        float64 ``[U, N, N]`` factor of subgraph node i as template node m.
    pairs, template : numpy.ndarray
        int8 ``[U, N, N]`` and ``[N, N]``: 0 no edge, 1 an edge, 2 a node of the pair is padding.
    factors : numpy.ndarray
        float64 ``[3, 3]`` factor of a pair, by state in the template and in the subgraph.
    draws : numpy.ndarray
        float64 ``[U, N]`` uniform in [0, 1): decide what is thinned out.
    particles : int
        Most partial alignments kept.
    sums : numpy.ndarray
        float64 ``[U]``, written.
    seats, joined, seen : numpy.ndarray
        float64 ``[U, N, N]``, written: posterior probability that node i plays node m; that the
        template's pair (m, k), m < k, falls on an edge; that it falls on a pair of real nodes. Of
        no rows when only the sums are wanted.
    """
    size = len(template)
    width = particles * size
    place, following = np.empty((2, particles, size), np.int64)
    weight, parent, node = np.empty(width), np.empty(width, np.int64), np.empty(width, np.int64)
    kept, value = np.empty(particles), np.empty(size)
    # factor of a pair in each state, one of whose nodes plays m: contiguous over the other's part
    beside = np.empty((3, size, size))
    for state in range(3):
        for m in range(size):
            for k in range(size):
                beside[state, m, k] = factors[template[m, k], state]
    for u in range(len(fit)):
        count, kept[0] = 1, 1.0
        for level in range(size):
            found = 0
            for k in range(count):
                for m in range(size):
                    value[m] = kept[k] * fit[u, level, m]
                for i in range(level):
                    row = beside[pairs[u, level, i], place[k, i]]
                    for m in range(size):
                        value[m] *= row[m]
                for i in range(level):
                    value[place[k, i]] = -1.0
                for m in range(size):
                    if value[m] >= 0.0:
                        weight[found], parent[found], node[found] = value[m], k, m
                        found += 1
            if found > particles:
                found = _thin_out(weight, parent, node, found, particles, draws[u, level])
            for k in range(found):
                for i in range(level):
                    following[k, i] = place[parent[k], i]
                following[k, level] = node[k]
                kept[k] = weight[k]
            place, following = following, place
            count = found
        total = kept[:count].sum()
        sums[u] = total
        if len(seats) and total > 0.0:
            for k in range(count):
                share = kept[k] / total
                for i in range(size):
                    m = place[k, i]
                    seats[u, i, m] += share
                    for j in range(i):
                        state = pairs[u, i, j]
                        if state != 2:
                            first, second = min(m, place[k, j]), max(m, place[k, j])
                            seen[u, first, second] += share
                            joined[u, first, second] += share * state


@compiled()
def _thin_out(weight, parent, node, found, particles, start):
    """Keep at most ``particles`` of the partial alignments, in place; return how many."""
    ordered = np.sort(weight[:found])
    # the threshold c with sum(min(1, weight / c)) = particles, the largest weights above it
    below, large = ordered.sum(), 0
    while large < particles - 1 and ordered[found - 1 - large] * (particles - large) > below:
        below -= ordered[found - 1 - large]
        large += 1
    threshold = below / (particles - large)
    if threshold <= 0.0:
        # all that is left underflowed to 0
        return particles
    reached, count = start, 0
    for k in range(found):
        value = weight[k]
        if value < threshold:
            reached += value / threshold
            if reached < 1.0:
                continue
            reached -= 1.0
            value = threshold
        if count == particles:
            break
        weight[count], parent[count], node[count] = value, parent[k], node[k]
        count += 1
    return count
