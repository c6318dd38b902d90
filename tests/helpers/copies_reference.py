"""The copies that save most beside a description of one graph, in plain NumPy.

It is what ``copy_loops.py`` does in compiled code, a step of each at a time.
"""

import numpy as np

from gomkcn.mining.motif_sets.candidate import LEAST_COPIES, Choice
from gomkcn.mining.motif_sets.copy_loops import EQUAL_WORTH
from gomkcn.mining.motif_sets.graph_copies import symmetry_bits
from gomkcn.mining.motif_sets.integer_codes import log2_factorials


def plain_gains(description, candidate, rows):
    """What taking the edges of some copies out saves, to first order, without addresses."""
    gains = description.edge_bits[candidate.edges[rows]].sum(axis=1)
    terms = candidate.addresses.terms
    roles, slots, numbers = terms[terms[:, 2] > 1].T
    degrees = description.degrees[slots, candidate.copies[rows][:, roles]]
    factorials = log2_factorials(int(description.degrees.max(initial=1)))
    falling = factorials[degrees] - factorials[degrees - numbers]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log2(np.maximum(degrees, 1))
    return gains + (numbers * logs - falling).sum(axis=1)


def choose_plainly(description, candidate, freed, least_worth):
    """As :func:`choose_in_graph`."""
    used = description.used
    taken = np.zeros(0, np.int64)
    for motif in description.motifs:
        if motif.structure.code == candidate.code:
            taken = candidate.rows_of(motif.copies)
    free = np.flatnonzero(~used[candidate.edges].any(axis=1))
    least_new = 1 if len(taken) else LEAST_COPIES
    has_freed = freed is None or freed[candidate.edges[free]].any()
    if len(free) < least_new or not has_freed:
        return None
    gains = np.zeros(len(candidate.copies))
    gains[free] = plain_gains(description, candidate, free)
    best, best_gain = None, -np.inf
    for address in ("uniform", "by degree", "by residual degree"):
        # 1. free copies by falling worth
        if address == "uniform":
            costs = np.full(len(free), candidate.addresses.uniform)
        elif address == "by degree":
            costs = candidate.addresses.by_degree[free]
        elif best is None:
            break
        else:
            costs = bits_by_residual_degree(candidate, free, best[len(taken) :])
        worth = np.rint((costs - gains[free] - symmetry_bits(candidate.structure)) / EQUAL_WORTH)
        order = np.argsort(worth, kind="stable")
        rows = free[order[worth[order] < -least_worth / EQUAL_WORTH]]
        # 2. those that share no edge, and of these those that share no node
        chosen = apart_rows(rows, candidate.edges)
        apart = apart_rows(chosen, candidate.copies)
        for new in [chosen] if len(apart) == len(chosen) else [chosen, apart]:
            if len(new) >= least_new:
                number, gain = best_number(description, candidate, taken, new, gains[new])
                if gain > best_gain:
                    best, best_gain = np.concatenate([taken, new[:number]]), gain
    if best is None:
        return None
    return Choice(candidate, candidate.chosen(best), len(best) - len(taken), best_gain)


def apart_rows(rows, members):
    """The rows, in their order, whose members are in none that was chosen before."""
    seen, chosen = set(), []
    for row in rows.tolist():
        if seen.isdisjoint(members[row].tolist()):
            seen.update(members[row].tolist())
            chosen.append(row)
    return np.array(chosen, np.int64)


def best_number(description, candidate, taken, new, gains):
    """How many of the new copies, in their order, save most beside those taken, and how much."""
    code, shape = description.code, candidate.structure
    inside = code.inside(shape.links[None], shape.colors)
    rows = np.concatenate([taken, new])

    def cost(number):
        return code.motif_bits(shape, candidate.chosen(rows[:number]), inside)[0] if number else 0.0

    before = len(taken)
    least = 1 if before else LEAST_COPIES
    saved = [
        cost(before) + gains[:number].sum() - cost(before + number)
        for number in range(least, len(new) + 1)
    ]
    best = int(np.argmax(np.round(saved, 9)))
    return least + best, saved[best]


def bits_by_residual_degree(candidate, rows, near):
    """Bits of the address of each copy by the histogram of some, each bin with half more."""
    addresses = candidate.addresses
    of_near = addresses.degrees[candidate.copies[near]] - addresses.inside
    counts = np.bincount(of_near.reshape(-1)) + 0.5
    costs = np.log2(counts.sum() / counts)
    top = len(counts) - 1
    nodes = candidate.copies[rows]
    left = addresses.degrees[nodes] - addresses.inside
    bits = costs[np.minimum(left, top)]
    bits += np.log2(addresses.class_sizes[addresses.classes[nodes]])
    bits += np.where(left > top, 3.0 * np.log2(np.maximum(left, 1)), 0.0)
    return bits.sum(axis=1)
