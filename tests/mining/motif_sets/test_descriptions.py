"""Laws of both descriptions: motifs come and go, nothing else changes, and copies are chosen."""

from itertools import permutations
from math import comb, log2

import networkx as nx
import numpy as np
import pytest
from choosing import choose
from coded_graphs import KINDS, csr_of, kind_of_graph, random_copies, random_structure

from gomkcn.mining.motif_sets.collection_candidates import GrownStructures
from gomkcn.mining.motif_sets.collection_code import CollectionCode
from gomkcn.mining.motif_sets.collection_description import CollectionDescription
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_copies import alone_values, edge_gains, list_candidate
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.grown_sets import seen_structures
from gomkcn.mining.motif_sets.integer_codes import integer_bits
from gomkcn.mining.motif_sets.placed_motif import edit_bits, edits_of
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.distinct_numbers import distinct_numbers
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure

GRAPHS = (*KINDS, "blocks")
NUM_GRAPHS = 12
COLLECTIONS = tuple((kind, base) for kind in KINDS for base in ("typed", "total"))
# a graph of each kind, a collection of each kind in each base
EVERY = [*GRAPHS, *COLLECTIONS]


def name_of(case):
    return case if isinstance(case, str) else "-".join(case)


every_description = pytest.mark.parametrize("case", EVERY, ids=name_of)


def empty_of(case, seed=0):
    """A description without motifs, of a graph or of a collection."""
    rng = np.random.default_rng(seed)
    if isinstance(case, str):
        pairs = list(nx.barabasi_albert_graph(40, 3, seed=seed).edges)
        code = GraphCode.of(MinedGraph.of(csr_of(case.replace("blocks", "plain"), pairs, 40, rng)))
        if case == "blocks":
            code = code.given(np.arange(40) % 3)
        return GraphDescription.of(code)
    kind, base = case
    graph = collection_of(kind, rng)
    found = Categories.find(graph.stored_features, graph.feature_names)
    colors = found.colors(graph.stored_features) if found else None
    return CollectionDescription.of(CollectionCode(graph, colors, base))


def collection_of(kind, rng):
    """Twelve graphs of a clique, a ring and six random nodes, joined by two edges."""
    pairs = []
    relation = []
    for first in range(0, 15 * NUM_GRAPHS, 15):
        parts = [*nx.complete_graph(4).edges, *((4 + k, 4 + (k + 1) % 5) for k in range(5))]
        others = nx.gnm_random_graph(6, 7, seed=first)
        parts += [(9 + u, 9 + v) for u, v in others.edges]
        parts += [(int(rng.integers(4)), 9), (4, int(rng.integers(9, 15)))]
        pairs += [(first + u, first + v) for u, v in parts]
        relation += [int(u + v > 10) for u, v in parts]
    num_nodes = 15 * NUM_GRAPHS
    kinds = kind_of_graph(kind, relation, np.arange(num_nodes) % 15 % 2)
    ptr = np.arange(0, num_nodes + 1, 15)
    return csr_from_edges(*np.array(pairs).T, num_nodes, graph_ptr=ptr, **kinds)


def noisy_motifs(description, seed=0):
    """Three motifs whose copies differ; in a graph they share edges, in a collection no node."""
    rng = np.random.default_rng(seed)
    code = description.code
    reverse = np.asarray(description.graph.relations.reverse)
    free = np.ones(description.graph.num_nodes, bool)
    motifs = []
    for size in (4, 3, 3):
        shape = random_structure(rng, size, len(reverse), reverse, code)
        if not description.nodes_apart:
            motifs.append((shape, random_copies(rng, shape, code.colors, 3)))
            continue
        copies = []
        for graph in range(NUM_GRAPHS):
            here = free & (code.graph_of == graph)
            if all((here & (code.colors == one)).sum() >= size for one in shape.colors):
                copies.append(random_copies(rng, shape, code.colors, 1, among=here)[0])
                free[copies[-1]] = False
        motifs.append((shape, np.array(copies)))
    return motifs


def exact_motifs(description):
    """Up to three motifs with all disjoint copies that are free, of different structures."""
    candidates = candidates_of(description)
    motifs = []
    for candidate in candidates:
        choice = choose(description, candidate, None, -np.inf)
        if choice is not None:
            description = description.add(candidate.structure, choice.copies)
            motifs.append((candidate.structure, choice.copies))
        if len(motifs) == 3:
            break
    return motifs


def candidates_of(description, sizes=range(3, 5)):
    """Structures of a description without motifs, those with most copies first."""
    code = description.code
    if description.nodes_apart:
        grown = GrownStructures(MinedGraph.of(code.graph), (description,), sizes, 0)
        candidates = grown.found
    else:
        free = np.ones(len(description.graph.indices), bool)
        seen = seen_structures(description.graph, code.colors, free, sizes, 0)
        candidates = [
            list_candidate(description, one.structure, one.copies, ("grown",), 0)
            for of_size in seen.values()
            for one in of_size
        ]
    return sorted(candidates, key=lambda one: (-len(one.copies), one.code))[:40]


def with_motifs(description, motifs):
    for shape, copies in motifs:
        description = description.add(shape, copies)
    return description


def state_of(description):
    """All arrays of a description that are not those of its code, and what it says."""
    names = ("degrees", "used") if not description.nodes_apart else ("class_of", "copy_of")
    arrays = [getattr(description, name).tolist() for name in names]
    motifs = [
        (
            motif.structure.code,
            motif.copies.tolist(),
            motif.cost,
            motif.edit_cost,
            motif.edits.tolist(),
        )
        for motif in description.motifs
    ]
    return arrays, motifs, description.length, description.free_edges.bits.tolist()


@pytest.mark.parametrize("motifs_of", [noisy_motifs, exact_motifs])
@every_description
def test_without_a_motif_a_description_is_as_if_it_had_not_come(case, motifs_of):
    empty = empty_of(case)
    motifs = motifs_of(empty)
    whole = with_motifs(empty, motifs)
    assert len(whole.motifs) == len(motifs) > 0
    for number in range(len(motifs)):
        fewer = whole.without(number)
        # anew, where no length is known
        others = with_motifs(empty_of(case), motifs[:number] + motifs[number + 1 :])
        assert fewer.length == pytest.approx(others.length, abs=1e-9)
        assert [motif.structure.code for motif in fewer.motifs] == [
            motif.structure.code for motif in others.motifs
        ]
        assert fewer.used.tolist() == others.used.tolist()
        # it can come back
        again = fewer.add(*motifs[number])
        once = with_motifs(
            empty_of(case), [*motifs[:number], *motifs[number + 1 :], motifs[number]]
        )
        assert again.length == pytest.approx(once.length, abs=1e-9)
    # the last one goes as it came
    last = with_motifs(empty_of(case), motifs[:-1])
    assert whole.without(len(motifs) - 1).length == pytest.approx(last.length, abs=1e-9)
    # and without any it is the empty one
    for _ in motifs:
        whole = whole.without(0)
    assert whole.length == pytest.approx(empty.length, abs=1e-9) and not whole.used.any()


@every_description
def test_the_order_of_motifs_that_share_nothing_does_not_matter(case):
    empty = empty_of(case)
    motifs = exact_motifs(empty)
    lengths = [with_motifs(empty, order).length for order in permutations(motifs)]
    assert lengths == pytest.approx([lengths[0]] * len(lengths), abs=1e-9)
    # nor does that of the copies
    turned = [(shape, copies[::-1]) for shape, copies in motifs]
    assert with_motifs(empty, turned).length == pytest.approx(lengths[0], abs=1e-9)
    # and the motifs of a description are all that makes it
    whole = with_motifs(empty, motifs)
    motifs = [(motif.structure, motif.copies) for motif in whole.motifs]
    again = with_motifs(empty_of(case), motifs)
    assert again.length == whole.length
    assert state_of(again) == state_of(whole)


@pytest.mark.parametrize("case", COLLECTIONS, ids=name_of)
def test_a_length_that_is_known_is_that_of_the_same_motifs_and_copies(case):
    """Each set is measured with a code of its own, and among all others with one code."""
    empty = empty_of(case)
    (shape, copies), (other, of_other), *_ = exact_motifs(empty)
    sets = [
        [(shape, copies)],
        [(shape, copies[1:])],
        [(shape, copies[:-1])],
        [(other, of_other)],
        [(shape, copies), (other, of_other)],
        [(other, of_other), (shape, copies)],
        [],
    ]
    alone = [with_motifs(empty_of(case), motifs).length for motifs in sets]
    assert len({round(length, 6) for length in alone}) >= len(sets) - 1
    for _ in range(2):
        assert [with_motifs(empty, motifs).length for motifs in sets] == alone


@pytest.mark.parametrize("largest", [3, 10**9])
def test_distinct_numbers_are_those_of_numpy(largest):
    numbers = np.random.default_rng(0).integers(largest, size=50)
    found, expected = distinct_numbers(numbers), np.unique(numbers, return_inverse=True)
    assert [one.tolist() for one in found] == [one.tolist() for one in expected]
    assert [one.tolist() for one in distinct_numbers(numbers[:0])] == [[], []]


@every_description
def test_a_description_never_changes(case):
    empty = empty_of(case)
    shape, copies = noisy_motifs(empty)[0]
    whole = empty.add(shape, copies, ("given",))
    before = state_of(empty), state_of(whole)
    for description in (empty, whole):
        for motif in noisy_motifs(empty, seed=1)[1:]:
            if not description.nodes_apart or not description.used[motif[1]].any():
                description.add(*motif).without(0)
        for candidate in candidates_of(empty)[:5]:
            choice = choose(description, candidate, None, -np.inf)
            if choice is not None:
                description.add(candidate.structure, choice.copies).length  # noqa: B018
        links = np.tile(shape.links.astype(np.int64), (len(copies), 1, 1))
        description.copy_values(shape, copies, links, np.zeros(len(copies)))
    assert (state_of(empty), state_of(whole)) == before
    assert whole.motifs[0].sources == ("given",)
    assert whole.without(0).motifs == () and not empty.motifs
    # what saw a motif stays when another goes
    other = noisy_motifs(empty)[1]
    assert empty.add(*other).add(shape, copies, ("given",)).without(0).motifs[0].sources == (
        "given",
    )


@every_description
def test_edges_are_free_where_no_copy_has_them(case):
    """Or, in a collection, neither of their ends."""
    empty = empty_of(case)
    assert empty.free_edges.is_free.all()
    for description in (empty, with_motifs(empty, noisy_motifs(empty))):
        is_free = ~description.used
        if description.nodes_apart:
            source = np.repeat(np.arange(empty.graph.num_nodes), empty.graph.degrees)
            expected = is_free[source] & is_free[empty.graph.indices]
        else:
            expected = is_free[description.edge_of]
        assert description.free_edges.is_free.tolist() == expected.tolist()


@every_description
def test_chosen_copies_are_free_and_share_nothing(case):
    empty = empty_of(case)
    candidates = candidates_of(empty)
    (first, *_) = exact_motifs(empty)
    some = empty.add(*first)
    num_chosen = 0
    for description in (empty, some):
        for candidate in candidates:
            choice = choose(description, candidate, None, -15.0)
            if choice is None:
                continue
            has_it = candidate.code in {motif.structure.code for motif in description.motifs}
            new = choice.copies[len(choice.copies) - choice.num_new :]
            assert candidate.copies[candidate.rows_of(choice.copies)].tolist() == (
                choice.copies.tolist()
            )
            if description.nodes_apart:
                assert choice.num_new == len(choice.copies)
                taken = new.reshape(-1)
                graphs = description.code.graph_of[new[:, 0]]
                assert len(np.unique(graphs)) >= 3
            else:
                assert len(new) == choice.num_new >= (1 if has_it else 2)
                taken = description.code.edge_numbers(candidate.structure, new).reshape(-1)
                if has_it:
                    before = description.motifs[0].copies.tolist()
                    assert choice.copies[: len(before)].tolist() == before
            assert not description.used[taken].any()
            assert len(np.unique(taken)) == len(taken)
            # copies are induced: they have no edits, and a set without any does not speak of them
            after = empty.add(candidate.structure, choice.copies)
            assert not len(after.motifs[0].edits)
            num_chosen += 1
    assert num_chosen >= 2


@every_description
def test_a_choice_is_for_what_is_freed_and_for_copies_of_some_worth(case):
    empty = empty_of(case)
    whole = with_motifs(empty, exact_motifs(empty))
    fewer = whole.without(0)
    freed = whole.used & ~fewer.used
    assert freed.any()
    nothing = np.zeros(len(freed), bool)
    num_chosen = 0
    for candidate in candidates_of(empty):
        assert choose(fewer, candidate, nothing, -np.inf) is None
        anywhere = choose(fewer, candidate, None, -np.inf)
        there = choose(fewer, candidate, freed, -np.inf)
        if there is None:
            continue
        num_chosen += 1
        # the same copies, where there is one of them at what is freed
        assert there.copies.tolist() == anywhere.copies.tolist()
        assert there.gain == anywhere.gain
        members = there.copies if empty.nodes_apart else candidate.edges
        elsewhere = np.ones(len(freed), bool)
        elsewhere[members] = False
        assert choose(fewer, candidate, elsewhere, -np.inf) is None
        if not empty.nodes_apart:
            dear = choose(fewer, candidate, None, 1e3)
            assert dear is None
    assert num_chosen > 0


def test_estimates_are_near_what_copies_save():
    """Planted cliques and rings in a graph, and in a collection."""
    parts = [nx.complete_graph(5)] * 8 + [nx.cycle_graph(6)] * 8 + [nx.gnm_random_graph(60, 70, 1)]
    empty = GraphDescription.of(GraphCode.of(MinedGraph.of(nx.disjoint_union_all(parts))))
    for candidate in candidates_of(empty, range(5, 7)):
        choice = choose(empty, candidate, None, -15.0)
        if choice is None:
            continue
        after = empty.add(candidate.structure, choice.copies)
        saved = empty.length - after.length
        # what the edges save is to first order; what says where the copies are is exact
        of_edges = empty.residual.bits - after.residual.bits
        assert abs(choice.gain - saved) < 0.25 * of_edges
    ring = nx.cycle_graph(6)
    trees = [nx.random_labeled_tree(12, seed=k) for k in range(40)]
    mined = MinedGraph.of([nx.disjoint_union(ring, tree) for tree in trees])
    empty = CollectionDescription.of(CollectionCode(mined.graph, None, "total"))
    gains = {}
    for candidate in candidates_of(empty, range(5, 8)):
        choice = choose(empty, candidate, None, -np.inf)
        if choice is not None:
            gains[choice.gain] = empty.length - empty.add(candidate.structure, choice.copies).length
    # what others then save is not looked at, so that it is no more than an order
    assert gains[max(gains)] == max(gains.values()) > 0


@pytest.mark.parametrize("kind", GRAPHS)
def test_exact_copies_are_worth_what_they_are_where_copies_may_differ(kind):
    """The values of a search for copies that differ are those of the search for exact ones."""
    empty = empty_of(kind)
    num_told = 0
    for description in (empty, with_motifs(empty, exact_motifs(empty)[:1])):
        for candidate in candidates_of(empty)[:10]:
            is_free = ~description.used[candidate.edges].any(axis=1)
            copies = candidate.copies[is_free].astype(np.int64)
            if not len(copies):
                continue
            shape = candidate.structure
            links = np.tile(shape.links.astype(np.int64), (len(copies), 1, 1))
            worth = description.edge_bits[candidate.edges[is_free]].sum(axis=1)
            uniform, by_degree = description.copy_values(shape, copies, links, worth)
            gains = edge_gains(description, candidate, np.flatnonzero(is_free))
            gains += shape.automorphism_bits - 6 * shape.num_pendant
            addresses = candidate.addresses
            np.testing.assert_allclose(uniform, gains - addresses.uniform, atol=1e-9)
            np.testing.assert_allclose(by_degree, gains - addresses.by_degree[is_free], atol=1e-9)
            if description is empty:
                best = np.maximum(uniform, by_degree)
                np.testing.assert_allclose(alone_values(empty, candidate), best, atol=1e-9)
            num_told += len(copies)
    assert num_told > 50


@every_description
def test_exact_copies_pay_for_no_edits(case):
    """One that differs costs its edits, and each other motif the bit that says it has none."""
    empty = empty_of(case)
    motifs = exact_motifs(empty)
    whole = with_motifs(empty, motifs)
    of_motifs = sum(motif.cost for motif in whole.motifs) + integer_bits(len(motifs))
    if empty.nodes_apart:
        rest = sum(whole.class_bits) + whole.graph_bits.sum() + whole.link_bits
        rest += empty.code.two_bases
    else:
        rest = whole.residual.bits
    assert whole.length == pytest.approx(rest + of_motifs, abs=1e-9)
    assert [motif.edit_cost for motif in whole.motifs] == [1.0] * len(motifs)
    if empty.nodes_apart:
        return
    # the same copies as those of a drawing with one edge less, or one more
    shape, copies = motifs[0]
    drawn = shape.links.copy()
    i, j = shape.pairs[0]
    drawn[i, j] = drawn[j, i] = 0
    other = whole.without(0).add(empty.code.structure(drawn, shape.colors), copies)
    assert other.used.tolist() == whole.used.tolist()
    assert other.motifs[-1].edits.tolist() == [[k, j, i, 1] for k in range(len(copies))]
    of_motifs = sum(motif.cost + motif.edit_cost for motif in other.motifs)
    rest = whole.residual.bits + integer_bits(len(motifs))
    assert other.length == pytest.approx(rest + of_motifs, abs=1e-9)


def test_edits_and_their_bits_by_hand():
    """Two copies of a path of four nodes: one lacks an edge, the other has one more."""
    path = Structure.parse("a--b, b--c, c--d")
    links = np.stack([path.links, path.links]).astype(np.int64)
    links[0, 1, 2] = links[0, 2, 1] = 0
    links[1, 0, 3] = links[1, 3, 0] = 1
    edits = edits_of(path, links)
    assert edits.tolist() == [[0, 2, 1, -1], [1, 3, 0, 1]]
    # one of 6 edges, and one of 2 * 6 - 6 pairs
    expected = 1 + integer_bits(1) + log2(6) + integer_bits(1) + log2(6)
    assert edit_bits(path, 2, edits, 1) == pytest.approx(expected)
    # an edge of one of three links says which, and may stand where one is missing
    expected = 1 + integer_bits(1) + log2(6) + integer_bits(1) + log2(7) + log2(3)
    assert edit_bits(path, 2, edits, 3) == pytest.approx(expected)
    # two are missing
    links[0, 0, 1] = links[0, 1, 0] = 0
    edits = edits_of(path, links)
    expected = 1 + integer_bits(2) + log2(comb(6, 2)) + integer_bits(1) + log2(6)
    assert edit_bits(path, 2, edits, 1) == pytest.approx(expected)
    # none
    assert edit_bits(path, 2, edits[:0], 3) == 1
    # another link is one missing and one added
    other = np.where(path.links > 0, 2, 0)[None].astype(np.int64)
    assert edits_of(path, other).tolist() == [
        [0, 1, 0, -1], [0, 2, 1, -1], [0, 3, 2, -1], [0, 1, 0, 1], [0, 2, 1, 1], [0, 3, 2, 1]
    ]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_edges_that_copies_share_are_of_the_first(kind):
    """Two structures on the same nodes: the second one has nothing left."""
    empty = empty_of(kind)
    shape, copies = noisy_motifs(empty)[0]
    rows, code = empty.code.rows.links_of(copies), empty.code
    first = empty.add(shape, copies)
    both = first.add(shape, copies)
    assert both.used.tolist() == first.used.tolist()
    assert both.degrees.tolist() == first.degrees.tolist()
    # all its edges are missing, and none was added
    signs = both.motifs[1].edits[:, 3].tolist()
    assert signs == [-1] * (len(copies) * len(shape.pairs))
    # without the first, they are of the second
    assert both.without(0).used.tolist() == first.used.tolist()
    assert both.without(0).length == pytest.approx(first.length, abs=1e-9)
    # degrees are those of the edges that are left
    left = np.zeros(code.degrees.shape, int)
    for number, (u, v) in enumerate(code.edges.tolist()):
        if not first.used[number]:
            slot, other = code.edge_slots[number]
            left[slot, u] += 1
            left[other, v] += 1
    assert first.degrees.tolist() == left.tolist() and rows.any()
