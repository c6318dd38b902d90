"""The copies of a structure in one graph: which there are, and which of them save most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn.mining.counting.occurrence_search import OccurrenceSearch, SearchLimits, SearchPace
from gomkcn.mining.counting.query import Query, allowed_links, eligible_by_color
from gomkcn.mining.motif_sets.candidate import LEAST_COPIES, Candidate, Choice
from gomkcn.mining.motif_sets.copy_loops import (
    Addresses,
    choose_disjoint,
    find_free,
    prefix_addresses,
)
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.grown_sets import distinct, hash_sets
from gomkcn.mining.motif_sets.integer_codes import integer_lengths, log2_factorials
from gomkcn.mining.structures.node_sets import PENDANT_BITS
from gomkcn_dgl.graphs.structure import Structure

# copies that are tried, by falling worth; more than these a graph of a million edges has no use for
_MOST_TRIED = 60_000
# worths of copies that differ by less are equal, so that rounding does not order them
_EQUAL_WORTH = 1e-6
# a degree that no copy so far has costs so many times its logarithm, as good as excluding it
_UNSEEN_DEGREE = 3.0


class ListingLimits(NamedTuple):
    """What bounds the listing of the copies of a structure, so that its work is known."""

    copies: int = 20_000  # of one structure
    # about 10 ns each: a third of a second; a step looks at a node, or marks one
    steps: int = 30_000_000
    # of each node that a copy can begin at, at least and in all of these together, so that a hub
    # does not take all
    copies_of_root: int = 20
    copies_of_roots: int = 60_000
    steps_of_root: int = 6_000
    steps_of_roots: int = 16_000_000
    # the best copies that are kept, at least, and for each node of the graph
    kept: int = 3_000
    kept_of_node: int = 2


LIMITS = ListingLimits()
# so many structures are looked for that candidates are ruled out by colour and degree alone
PACE = SearchPace(most_passes=0)


def list_candidate(
    empty: GraphDescription,
    structure: Structure,
    seen: np.ndarray,
    sources: tuple[str, ...],
    seed: int,
    limits: ListingLimits = LIMITS,
) -> Candidate:
    """List the copies of a structure, those that save most alone where there are too many.

    Copies that were ``seen``, int32 ``[K, M]``, are among them; the seed orders the nodes that
    copies are looked for at.
    """
    code = empty.code
    num_nodes = len(code.colors)
    # 1. all copies, or as many as the limits allow
    graph = code.mined.graph
    num_links = len(graph.relations.links)
    query = Query(
        graph,
        structure,
        allowed_links(structure.links, num_links),
        eligible_by_color(structure, (structure.colors, code.colors), graph),
    )
    search = OccurrenceSearch(query, PACE)
    roots = np.random.default_rng([seed, 12]).permutation(num_nodes)
    bounds = SearchLimits(
        limits.copies,
        max(limits.copies_of_root, limits.copies_of_roots // num_nodes),
        max(limits.steps_of_root, limits.steps_of_roots // num_nodes),
    )
    copies = search.list_places(limits.copies, limits.steps, roots, seed=seed, limits=bounds)
    is_complete = not search.unfinished
    if not is_complete:
        copies = np.concatenate([copies, seen.astype(np.int32)])
        copies = copies[distinct(hash_sets(copies)[:, -1])]
    candidate = candidate_of(code, structure, copies, sources, is_complete)
    # 2. the best of them
    most = max(limits.kept, limits.kept_of_node * num_nodes)
    if len(copies) > most:
        values = alone_values(empty, candidate)
        order_of_values = np.argsort(-np.rint(values / _EQUAL_WORTH), kind="stable")
        best = np.sort(order_of_values[:most])
        candidate = candidate_of(code, structure, copies[best], sources, False)
    return candidate


def candidate_of(
    code: GraphCode,
    structure: Structure,
    copies: np.ndarray,
    sources: tuple[str, ...] = ("grown",),
    is_complete: bool = True,
) -> Candidate:
    """A structure with some copies, int32 ``[K, M]``, their edges and what addresses them."""
    edges = code.edge_numbers(structure, copies)
    addresses = addresses_of(code, structure, copies)
    return Candidate(structure, copies, edges, sources, is_complete, addresses)


def addresses_of(code: GraphCode, structure: Structure, copies: np.ndarray) -> Addresses:
    """What says where the copies ``[K, M]`` of a structure are."""
    roles = code.inside(structure.links, structure.colors)
    (uniform,), by_degree = code.address_bits(structure, copies, roles[None])
    eligible = np.zeros(0, np.int64)
    if code.is_plain:
        # the nodes of a role could all play those of smaller degree
        able = np.searchsorted(code.ascending_degrees, np.sort(roles[:, 0])[::-1])
        eligible = len(code.ascending_degrees) - able
    terms = np.column_stack([*np.nonzero(roles), roles[roles > 0]])
    return Addresses(
        terms,
        by_degree,
        uniform,
        eligible,
        roles.sum(axis=1),
        code.num_neighbors,
        code.class_of,
        code.class_sizes,
    )


def symmetry_bits(structure: Structure) -> float:
    """Bits that each copy saves since the order of its nodes is free, less its pendant nodes."""
    return structure.automorphism_bits - PENDANT_BITS * structure.num_pendant


def edge_gains(description: GraphDescription, candidate: Candidate, rows: np.ndarray) -> np.ndarray:
    """Bits that taking the edges of some copies out saves, to first order, without addresses.

    An edge of nodes i and j saves -log2 x_i x_j; a node that has q of its d edges in a copy, q
    log2 d - log2 d (d - 1) ... (d - q + 1) for each slot.
    """
    assert candidate.addresses is not None, "candidates of one graph have addresses"
    gains: np.ndarray = description.edge_bits[candidate.edges[rows]].sum(axis=1)
    terms = candidate.addresses.terms
    roles, slots, numbers = terms[terms[:, 2] > 1].T
    degrees = description.degrees[slots, candidate.copies[rows][:, roles]]
    log_factorials = log2_factorials(int(description.degrees.max(initial=1)))
    falling = log_factorials[degrees] - log_factorials[degrees - numbers]
    return gains + (numbers * np.log2(degrees) - falling).sum(axis=1)


def alone_values(description: GraphDescription, candidate: Candidate) -> np.ndarray:
    """About the bits that each copy saves, by the cheaper of two addresses, float64 ``[K]``."""
    assert candidate.addresses is not None, "candidates of one graph have addresses"
    gains = edge_gains(description, candidate, np.arange(len(candidate.copies)))
    costs = np.minimum(candidate.addresses.uniform, candidate.addresses.by_degree)
    return gains + symmetry_bits(candidate.structure) - costs


def choose_in_graph(
    description: GraphDescription,
    candidate: Candidate,
    freed: np.ndarray | None,
    least_worth: float,
) -> Choice | None:
    """The free copies that save most beside those that the motif has in the description.

    A motif has at least two copies, each of at least ``least_worth`` bits. None where there are not
    enough, and where no free copy has an edge that is ``freed``, bool ``[num_edges]``.

    Copies are tried by falling worth, under three of the addresses; so that no two share an edge,
    and so that no two share a node; and the best number of them is taken.
    """
    used = description.used
    taken = np.zeros(0, np.int64)
    for motif in description.motifs:
        if motif.structure.code == candidate.code:
            taken = candidate.rows_of(motif.copies)
    free, has_freed = find_free(candidate.edges, used, ~used if freed is None else freed)
    least_new = 1 if len(taken) else LEAST_COPIES
    if len(free) < least_new or not has_freed:
        return None
    gains = np.zeros(len(candidate.copies))
    gains[free] = edge_gains(description, candidate, free)
    symmetry = symmetry_bits(candidate.structure)
    best: _Prefix | None = None
    for address in ("uniform", "by degree", "by residual degree"):
        # 1. free copies by falling worth
        if address == "by residual degree" and best is None:
            break
        near = free[:0] if best is None else best.rows[len(taken) :]
        costs = _costs_by(address, candidate, free, near)
        worth = np.rint((costs - gains[free] - symmetry) / _EQUAL_WORTH)
        order = np.argsort(worth, kind="stable")
        rows = free[order[worth[order] < -least_worth / _EQUAL_WORTH]][:_MOST_TRIED]
        # 2. those that share no edge, and of these those that share no node
        chosen = choose_disjoint(rows, candidate.edges, np.zeros(len(used), bool))
        apart = choose_disjoint(chosen, candidate.copies, _no_nodes(description))
        for new in [chosen] if len(apart) == len(chosen) else [chosen, apart]:
            prefix = _best_number(description, candidate, taken, new, gains[new])
            if prefix is not None and (best is None or prefix.gain > best.gain):
                best = prefix
    if best is None:
        return None
    return Choice(candidate, candidate.chosen(best.rows), len(best.rows) - len(taken), best.gain)


def _costs_by(address: str, candidate: Candidate, rows: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Bits of an address of each of some copies, by the degrees of those ``near`` if by these."""
    addresses = candidate.addresses
    assert addresses is not None, "candidates of one graph have addresses"
    if address == "uniform":
        return np.full(len(rows), addresses.uniform)
    if address == "by degree":
        return addresses.by_degree[rows]
    return _bits_by_residual_degree(candidate, rows, near)


class _Prefix(NamedTuple):
    """The first of some copies, and about what they save."""

    rows: np.ndarray
    gain: float


def _best_number(
    description: GraphDescription,
    candidate: Candidate,
    taken: np.ndarray,
    new: np.ndarray,
    gains: np.ndarray,
) -> _Prefix | None:
    """The copies ``taken`` and as many of the new ones, in their order, as save most."""
    before = len(taken)
    least_new = 1 if before else LEAST_COPIES
    if len(new) < least_new:
        return None
    # 1. what the motif costs with its first 1, 2, … copies
    rows = np.concatenate([taken, new])
    most = max(len(description.code.colors), len(rows))
    log_factorials = log2_factorials(most)
    bits, _ = prefix_addresses(
        rows, candidate.copies, candidate.addresses, log_factorials, _no_nodes(description)
    )
    numbers = np.arange(1, len(rows) + 1)
    bits += description.code.head_bits(candidate.structure) + integer_lengths(len(rows))[1:]
    bits -= log_factorials[numbers] + numbers * symmetry_bits(candidate.structure)
    # 2. what each number of new ones saves more than that
    bits_before = bits[before - 1] if before else 0.0
    saved = bits_before + np.cumsum(gains) - bits[before:]
    last = least_new - 1 + int(saved[least_new - 1 :].argmax())
    return _Prefix(rows[: before + last + 1], float(saved[last]))


def _bits_by_residual_degree(
    candidate: Candidate, rows: np.ndarray, near: np.ndarray
) -> np.ndarray:
    """Bits of the address of each copy by the histogram of some, each bin with ½ more."""
    addresses = candidate.addresses
    assert addresses is not None, "candidates of one graph have addresses"
    of_near = addresses.degrees[candidate.copies[near]] - addresses.inside
    counts = np.bincount(of_near.reshape(-1)) + 0.5
    costs = np.log2(counts.sum() / counts)
    top = len(counts) - 1
    nodes = candidate.copies[rows]
    left = addresses.degrees[nodes] - addresses.inside
    bits = costs[np.minimum(left, top)]
    bits += np.log2(addresses.class_sizes[addresses.classes[nodes]])
    bits += np.where(left > top, _UNSEEN_DEGREE * np.log2(np.maximum(left, 1)), 0.0)
    total: np.ndarray = bits.sum(axis=1)
    return total


def _no_nodes(description: GraphDescription) -> np.ndarray:
    return np.zeros(len(description.code.colors), bool)
