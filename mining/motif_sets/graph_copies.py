"""The copies of a structure in one graph: which there are, and which of them save most."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gomkcn.mining.counting.occurrence_search import OccurrenceSearch, SearchLimits, SearchPace
from gomkcn.mining.counting.query import Query, allowed_links, eligible_by_color
from gomkcn.mining.motif_sets.candidate import LEAST_COPIES, Candidate, Choice
from gomkcn.mining.motif_sets.copy_loops import (
    EQUAL_WORTH,
    Addresses,
    Costs,
    Logarithms,
    choose_copies,
    find_free,
    save_edges,
    write_logarithms,
)
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.grown_sets import distinct, hash_sets
from gomkcn.mining.motif_sets.integer_codes import integer_lengths, log2_factorials
from gomkcn.mining.structures.node_sets import PENDANT_BITS
from gomkcn_dgl.graphs.structure import Structure


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


class ListedCopies(NamedTuple):
    """Copies of a structure, int32 ``[K, M]``, and whether these are all."""

    copies: np.ndarray
    is_complete: bool

    @property
    def num_bytes(self) -> int:
        """Bytes of the copies."""
        return self.copies.nbytes


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
    # 1. all copies, or as many as the limits allow; other searches have mostly listed the same
    key = seed, limits, structure.links.tobytes(), structure.colors.tobytes()
    copies, is_complete = code.listed.find(key, lambda: _list_copies(code, structure, seed, limits))
    if not is_complete:
        copies = np.concatenate([copies, seen.astype(np.int32)])
        copies = copies[distinct(hash_sets(copies)[:, -1])]
    candidate = candidate_of(code, structure, copies, sources, is_complete)
    # 2. the best of them
    most = max(limits.kept, limits.kept_of_node * len(code.colors))
    if len(copies) > most:
        values = alone_values(empty, candidate)
        order_of_values = np.argsort(-np.rint(values / EQUAL_WORTH), kind="stable")
        best = np.sort(order_of_values[:most])
        candidate = candidate_of(code, structure, copies[best], sources, False)
    return candidate


def _list_copies(
    code: GraphCode, structure: Structure, seed: int, limits: ListingLimits
) -> ListedCopies:
    """All copies of a structure, or as many as the limits allow."""
    num_nodes = len(code.colors)
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
    # without what was set aside for more of them
    return ListedCopies(copies.copy(), not search.unfinished)


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
        logarithms(
            len(code.colors),
            len(copies) * structure.num_nodes,
            int(code.num_neighbors.max(initial=0)),
        ),
    )


def logarithms(num_nodes: int, num_roles: int, most_degree: int) -> Logarithms:
    """Tables for a graph, and so many roles of copies of a structure in it."""
    return _logarithms(*(int(n + 1).bit_length() for n in (num_nodes, num_roles, most_degree)))


@lru_cache(maxsize=64)
def _logarithms(bits_of_nodes: int, bits_of_roles: int, bits_of_degree: int) -> Logarithms:
    num_roles = 1 << bits_of_roles
    tables = Logarithms(
        np.empty(1 << bits_of_nodes),
        np.empty(num_roles),
        np.empty(2 * num_roles + (1 << bits_of_degree)),
    )
    write_logarithms(*tables)
    return tables


def symmetry_bits(structure: Structure) -> float:
    """Bits that each copy saves since the order of its nodes is free, less its pendant nodes."""
    return structure.automorphism_bits - PENDANT_BITS * structure.num_pendant


def edge_gains(description: GraphDescription, candidate: Candidate, rows: np.ndarray) -> np.ndarray:
    """Bits that taking the edges of some copies out saves, to first order, without addresses.

    An edge of nodes i and j saves -log2 x_i x_j; a node that has q of its d edges in a copy, q
    log2 d - log2 d (d - 1) ... (d - q + 1) for each slot.
    """
    assert candidate.addresses is not None, "candidates of one graph have addresses"
    terms = candidate.addresses.terms
    return save_edges(rows, candidate.edges, candidate.copies, terms, description.left)


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
    used, code = description.used, candidate.code
    taken = np.zeros(0, np.int64)
    for motif in description.motifs:
        if motif.structure.code == code:
            taken = candidate.rows_of(motif.copies)
    needs_freed = freed is not None
    free, has_freed = find_free(
        candidate.edges, candidate.watched, used, freed if needs_freed else used, needs_freed
    )
    least_new = 1 if len(taken) else LEAST_COPIES
    if len(free) < least_new or not has_freed:
        return None
    most = max(len(description.code.colors), len(taken) + len(free))
    costs = Costs(
        description.code.head_bits(candidate.structure),
        integer_lengths(len(taken) + len(free)),
        symmetry_bits(candidate.structure),
        log2_factorials(most),
    )
    rows, gain = choose_copies(
        free,
        edge_gains(description, candidate, free),
        taken,
        candidate.copies,
        candidate.edges,
        candidate.addresses,
        costs,
        least_new,
        least_worth,
        np.zeros(len(used), np.bool_),
        np.zeros(description.code.degrees.shape[1], np.bool_),
    )
    if not len(rows):
        return None
    return Choice(candidate, candidate.chosen(rows), len(rows) - len(taken), gain)
