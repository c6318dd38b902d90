"""Copies that differ from their motif: their length, the loops that find them, and their record."""

import io
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations
from math import comb, factorial, log2, perm
from string import ascii_uppercase

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from coded_graphs import KINDS, csr_of, kind_of_graph, random_copies, random_structure
from motif_searches import KilledError, KilledSteps, content, digest, search_one

from gomkcn.mining import MiningRun, PatternMiner, load, motif_set
from gomkcn.mining.motif_sets.alignment_loops import (
    MOST_NEIGHBORS,
    WRONG_COLOR,
    FreeEdges,
    align_sets,
    describe_free,
    neighbors_of,
    new_scratch,
    observe,
    thin_sets,
)
from gomkcn.mining.motif_sets.coded_set import CodedSet
from gomkcn.mining.motif_sets.collection_code import CollectionCode
from gomkcn.mining.motif_sets.collection_description import CollectionDescription
from gomkcn.mining.motif_sets.drawing_fits import NEAR, DrawingFits, drawing_of
from gomkcn.mining.motif_sets.graph_code import ADDRESSES, GraphCode
from gomkcn.mining.motif_sets.graph_count import count_graphs, count_two_sided_graphs
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.integer_codes import histogram_bits, integer_bits
from gomkcn.mining.motif_sets.motif_search import MotifSearch
from gomkcn.mining.motif_sets.moves import GiveUpCopy, Redraw, codes_of
from gomkcn.mining.motif_sets.near_copies import NearProposals
from gomkcn.mining.motif_sets.searching import NEAR_SEARCH
from gomkcn.mining.runs.mine import MINE, run_of_mining
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.runtime.plain_values import read_value
from gomkcn_dgl.runtime.run import write_run
from gomkcn_dgl.runtime.steps import Steps


def links_in(rows):
    """What joins two nodes, seen from the first, by both."""
    return {
        (u, int(rows.indices[entry])): int(rows.links_at(entry))
        for u in range(len(rows.colors))
        for entry in range(int(rows.indptr[u]), int(rows.indptr[u + 1]))
    }


# the length


def falling(numbers, chosen):
    return sum(log2(perm(n, k)) for n, k in zip(numbers, chosen, strict=True))


def edit_bits(shape, number, missing, added, num_links):
    """Which edges are missing in so many copies, and which are beside them."""
    joined, pairs = number * len(shape.pairs), number * comb(shape.num_nodes, 2)
    others = pairs - joined + (missing if num_links > 1 else 0)
    return (
        integer_bits(missing) + log2(comb(joined, missing))
        + integer_bits(added) + log2(comb(others, added)) + added * log2(num_links)
    )  # fmt: skip


def plain_length(code, motifs):
    """The description by its definition: its bits and, of each motif, missing, added, addresses."""
    rows, reverse = code.rows, code.mined.graph.relations.reverse
    links, colors = links_in(rows), rows.colors.tolist()
    nodes = range(len(colors))
    layers = {
        tuple(sorted([(colors[u], link, colors[v]), (colors[v], reverse[link], colors[u])]))
        for (u, v), link in links.items()
    }
    slots = sorted({one[1:] for layer in layers for one in layer})
    degrees = [dict.fromkeys(slots, 0) for _ in nodes]
    for (u, v), link in links.items():
        degrees[u][link, colors[v]] += 1
    left = [dict(one) for one in degrees]
    in_all = [sum(one.values()) for one in degrees]
    classes = [*zip(colors, in_all, strict=True)]
    num_links, owned, bits, said, parts = len({one for one, _ in slots}), set(), 0.0, 0.0, []
    for shape, copies in motifs:
        # 1. edits, and the demand of each node
        number, missing, added, demands = len(copies), 0, 0, []
        for copy in copies.tolist():
            own = [dict.fromkeys(slots, 0) for _ in copy]
            for i, j in combinations(range(shape.num_nodes), 2):
                pair = frozenset((copy[i], copy[j]))
                link = 0 if pair in owned else links.get((copy[i], copy[j]), 0)
                missing += shape.links[i, j] > 0 and link != shape.links[i, j]
                added += link > 0 and link != shape.links[i, j]
                if link:
                    owned.add(pair)
                    own[i][link, int(shape.colors[j])] += 1
                    own[j][int(reverse[link]), int(shape.colors[i])] += 1
            demands += own
        bits += code.head_bits(shape) + integer_bits(number)
        said += 1
        if missing + added:
            said += edit_bits(shape, number, missing, added, num_links)
        # 2. where the copies are
        placed = copies.ravel().tolist()
        total = [sum(own.values()) for own in demands]
        rest = np.bincount([in_all[u] - k for u, k in zip(placed, total, strict=True)])
        histogram = integer_bits(len(rest) - 1) + histogram_bits(rest)
        uniform = by_degree = 0.0
        for u, own in zip(placed, demands, strict=True):
            able = [
                degrees[w]
                for w in nodes
                if colors[w] == colors[u] and all(degrees[w][s] >= own[s] for s in slots)
            ]
            weights = [2 ** falling(one.values(), own.values()) for one in able]
            uniform += log2(len(able))
            by_degree += log2(sum(weights)) - falling(degrees[u].values(), own.values())
        sizes = {one: classes.count(one) for one in classes}
        addresses = [uniform, by_degree, histogram + sum(log2(sizes[classes[u]]) for u in placed)]
        addresses += [np.inf, np.inf]
        if len({*placed}) == len(placed):
            if slots == [(1, 0)]:
                able = [
                    sum(one >= demand for one in in_all) - before
                    for before, demand in enumerate(sorted(total, reverse=True))
                ]
                addresses[3] = sum(map(log2, able))
            taken = [sum(classes[u] == one for u in placed) for one in sizes]
            addresses[4] = histogram + falling(sizes.values(), taken)
        bits += min(addresses) - log2(factorial(number)) - number * shape.automorphism_bits
        bits += 6 * number * shape.num_pendant
        parts.append((missing, added, np.array(addresses) - min(addresses)))
        for u, own in zip(placed, demands, strict=True):
            for slot in slots:
                left[u][slot] -= own[slot]
    # 3. what is left
    for a, b in layers:
        first, second = (
            np.array([left[u][one[1:]] for u in nodes if colors[u] == one[0]]) for one in (a, b)
        )
        if a == b:
            bits += count_graphs(first).bits
        else:
            bits += count_two_sided_graphs(first, second, a[0] == b[0]).bits
    # 4. a set without edits does not speak of them
    if any(missing + added for missing, added, _ in parts):
        bits += said
    return bits + integer_bits(len(motifs)), parts


@pytest.mark.parametrize("kind", KINDS)
def test_the_length_of_a_graph_is_that_of_its_definition(kind):
    addresses = set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        # in the last one, copies are where few nodes have a degree that says much
        base = (
            nx.gnm_random_graph(24, 70, seed=seed),
            nx.barabasi_albert_graph(60, 3, seed=seed),
            nx.random_regular_graph(4, 40, seed=seed),
            nx.Graph(nx.configuration_model([6] * 40 + [3] * 120, seed=seed)),
        )[seed % 4]
        base.remove_edges_from(list(nx.selfloop_edges(base)))
        mined = MinedGraph.of(csr_of(kind, list(base.edges), len(base), rng))
        code = GraphCode.of(mined)
        reverse = mined.graph.relations.reverse
        # copies that share nodes and edges, then some that do not
        motifs = []
        for apart in (False, True):
            shape = random_structure(rng, 4 + seed % 2, len(reverse), reverse, code)
            among = mined.graph.degrees == 6 if seed % 4 == 3 else True
            motifs.append((shape, random_copies(rng, shape, code.colors, 3, apart, among)))
        covered = GraphDescription.of(code)
        for one in motifs:
            covered = covered.add(*one)
        bits, parts = plain_length(code, motifs)
        assert covered.length == pytest.approx(bits, abs=1e-3)
        for one, (missing, added, more) in zip(covered.motifs, parts, strict=True):
            signs = one.edits[:, 3].tolist()
            assert (signs.count(-1), signs.count(1)) == (missing, added)
            assert more[ADDRESSES.index(one.address)] == pytest.approx(0, abs=1e-6)
            addresses.add(one.address)
        # an edge is of the first copy that has both of its ends, and no other
        degrees = sum(one.sum() for one in covered.degrees)
        assert degrees == 2 * (~covered.used).sum() and (covered.degrees >= 0).all()
    assert addresses == {*ADDRESSES} - ({"without replacement"} if kind != "plain" else set())


@pytest.mark.parametrize("base", ["typed", "total"])
@pytest.mark.parametrize("kind", KINDS)
def test_edits_of_a_collection_cost_what_says_them_and_nothing_else(kind, base):
    """Where they are undone, the exact code describes what is left in as many bits."""
    rng = np.random.default_rng(len(kind))
    graphs = [nx.gnm_random_graph(9, 14, seed=one) for one in range(12)]
    pairs = list(nx.disjoint_union_all(graphs).edges)
    graph = csr_of(kind, pairs, 108, rng, graph_ptr=np.arange(0, 109, 9))
    found = Categories.find(graph.stored_features, graph.feature_names)
    colors = found.colors(graph.stored_features) if found else None
    code = CollectionCode(graph, colors, base)
    links, num_links = links_in(code.rows), len(code.reverse) - 1
    motifs, free = [], np.ones(108, bool)
    for size in (4, 3):
        shape = random_structure(rng, size, num_links + 1, code.reverse, code)
        copies = []
        for first in range(0, 108, 9):
            here = free & (np.arange(108) // 9 == first // 9)
            if all((here & (code.colors == one)).sum() >= size for one in shape.colors):
                copies.append(random_copies(rng, shape, code.colors, 1, among=here)[0])
                free[copies[-1]] = False
        motifs.append((shape, np.array(copies)))
    # 1. bits of the edits, and a graph without them
    bits, undone = 0.0, dict(links)
    for shape, copies in motifs:
        missing = added = 0
        for copy in copies.tolist():
            for i, j in permutations(range(len(copy)), 2):
                link, drawn = links.get((copy[i], copy[j]), 0), int(shape.links[i, j])
                missing += i < j and 0 < drawn != link
                added += i < j and 0 < link != drawn
                undone.pop((copy[i], copy[j]), 0)
                if drawn:
                    undone[copy[i], copy[j]] = drawn
        bits += 1 + edit_bits(shape, len(copies), missing, added, num_links)
        assert missing and (added or shape.num_nodes == 3)
    # 2. what it is in the exact code
    ends, relation = [], []
    for (u, v), link in undone.items():
        if u < v:
            number, way = graph.relations.channels[int(graph.relations.links[link].argmax())]
            ends.append((v, u) if way == "in" else (u, v))
            relation.append(number)
    other = csr_from_edges(
        *np.array(ends).T, 108, directed=graph.relations.directed, graph_ptr=graph.graph_ptr,
        relation=np.array(relation), relation_names=graph.relations.names,
    )  # fmt: skip
    covered = CollectionDescription.of(code)
    exact = CollectionDescription.of(CollectionCode(other, colors, base))
    for one in motifs:
        covered, exact = covered.add(*one), exact.add(*one)
    assert covered.length == pytest.approx(exact.length + bits, abs=1e-6)
    assert (exact.code.rows.links_of(motifs[0][1]) == motifs[0][0].links).all()


def test_the_order_of_copies_saves_what_is_said_about():
    graph = GraphDescription.of(GraphCode.of(MinedGraph.of(nx.cycle_graph(6))))
    numbers = np.arange(1, 1001)
    exact = [log2(factorial(one)) - integer_bits(one) for one in numbers.tolist()]
    # never more, and at most six bits less
    missed = exact - graph.order_bits(numbers)
    assert ((missed > 0) & (missed < 6)).all()


# the loops


class Scene:
    """A graph of nine nodes part of which is free, and a drawing of four with its weights."""

    def __init__(self, kind, seed):
        rng = self.rng = np.random.default_rng(seed)
        pairs = list(nx.gnm_random_graph(9, 22, seed=seed).edges)
        graph = self.graph = GraphCode.of(MinedGraph.of(csr_of(kind, pairs, 9, rng)))
        reverse = np.asarray(graph.mined.graph.relations.reverse, np.int64)
        self.is_free = rng.random(graph.num_edges) < 0.85
        bits = rng.uniform(1, 6, graph.num_edges)
        self.view = FreeEdges(graph.rows, reverse, self.is_free[graph.edge_of], bits[graph.edge_of])
        # link, edge and bits of what joins two nodes and is free
        joined = zip(links_in(graph.rows).items(), graph.edge_of.tolist(), strict=True)
        self.free = {ends: (link, e, bits[e]) for (ends, link), e in joined if self.is_free[e]}
        self.shape = random_structure(rng, 4, len(reverse), reverse, graph)
        # both ends of a pair weigh alike
        weights = np.tril(np.ones((4, 4)), -1)[..., None] * -rng.uniform(0, 8, (4, 4, len(reverse)))
        self.weights = weights + weights.transpose(1, 0, 2)[:, :, reverse]
        self.sets = np.array([rng.choice(9, 4, replace=False) for _ in range(8)])

    def link(self, u, v):
        return self.free.get((u, v), (0, -1, 0.0))

    def worth(self, nodes):
        wrong = (self.graph.colors[list(nodes)] != self.shape.colors).sum()
        pairs = ((i, j, self.link(nodes[i], nodes[j])) for i in range(4) for j in range(i))
        return wrong * WRONG_COLOR + sum(self.weights[i, j, one[0]] + one[2] for i, j, one in pairs)

    def align(self, starts, kept):
        out, worth = np.empty_like(starts), np.empty(len(starts))
        what = self.view, self.weights, self.shape.colors, starts, kept, np.uint64(7)
        with np.errstate(over="ignore"):
            align_sets(0, len(starts), *what, out, worth, new_scratch(9, 4))
        return out.tolist(), worth


@pytest.mark.parametrize("kind", KINDS)
def test_an_aligned_set_is_worth_what_is_said_and_no_exchange_pays(kind):
    best_found = 0
    for scene in (Scene(kind, seed) for seed in range(6)):
        every = {nodes: scene.worth(nodes) for nodes in permutations(range(9), 4)}
        most = max(every.values())
        for kept in (True, False):
            found, worth = scene.align(scene.sets, kept)
            for start, nodes, own in zip(scene.sets.tolist(), found, worth, strict=True):
                assert own == pytest.approx(every[tuple(nodes)]) and own <= most + 1e-6
                assert not kept or own >= every[tuple(start)] - 1e-6
                # no two roles, and no node and a neighbour of the set, are better exchanged
                near = {v for u, v in scene.free if u in nodes} - {*nodes}
                others = [[*nodes[:i], w, *nodes[i + 1 :]] for w in near for i in range(4)]
                for i, j in combinations(range(4), 2):
                    others.append(list(nodes))
                    others[-1][i], others[-1][j] = nodes[j], nodes[i]
                assert max(every[tuple(one)] for one in others) <= own + 1e-5
            best_found += max(worth) > most - 1e-6
        # the best one stays
        best = [list(max(every, key=every.get))]
        assert scene.align(np.array(best), True)[0] == best
    assert best_found >= 7


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_free_and_nearby(kind):
    for scene in (Scene(kind, seed) for seed in range(4)):
        rows, of, sets = scene.graph.rows, scene.graph.edge_of, scene.sets.tolist()
        view = scene.view
        links, edges = describe_free(rows, view.reverse, view.is_free, of, scene.sets)
        # copies own an edge if no other before does
        owned = {*np.flatnonzero(~scene.is_free).tolist()}
        is_used = ~scene.is_free
        observed = observe(rows, view.reverse, of, is_used, scene.sets)
        for nodes, link, edge, own in zip(sets, links, edges, observed, strict=True):
            joined = [[scene.link(u, v) for v in nodes] for u in nodes]
            assert [[one[0] for one in row] for row in joined] == link.tolist()
            assert [joined[i][j][1] for i in range(4) for j in range(i)] == edge.tolist()
            first = [[0 if one[1] in owned else one[0] for one in row] for row in joined]
            assert first == own.tolist()
            owned |= {int(one) for one in edge if one >= 0}
        assert {*np.flatnonzero(is_used).tolist()} == owned
        # neighbours by free edges, each once
        found = neighbors_of(view, scene.sets, 3)
        expected = []
        for owner, nodes in enumerate(sets):
            for w in {v for u, v in scene.free if u in nodes} - {*nodes}:
                every = [scene.link(w, u) for u in nodes]
                bits = round(sum(one[2] for one in every), 9)
                expected.append((owner, w, *(one[0] for one in every), bits))
        columns = (one.tolist() for one in found)
        rows = [(u, w, *link, round(bits, 9)) for u, w, link, bits in zip(*columns, strict=True)]
        assert sorted(rows) == sorted(expected)


def test_some_neighbours_of_a_hub_are_looked_at_with_all_their_edges():
    star = nx.star_graph(MOST_NEIGHBORS + 30)
    star.add_edges_from([(1, leaf) for leaf in range(30, 90)] + [(2, 3), (89, 90)])
    graph = GraphCode.of(MinedGraph.of(star))
    view, hubs = GraphDescription.of(graph).free_edges, graph.mined.order.position[[0, 1]]
    near = neighbors_of(view, hubs[None], 1)
    _, nodes, links, bits = (one.tolist() for one in near)
    known = links_in(graph.rows)
    assert MOST_NEIGHBORS <= len(nodes) == len({*nodes}) < len(star) - 2
    assert links == [[known.get((w, u), 0) for u in hubs] for w in nodes]
    cost = dict(zip(known, view.bits, strict=True))
    assert bits == pytest.approx([sum(cost.get((w, u), 0) for u in hubs) for w in nodes])


def test_the_first_sets_are_kept_until_all_their_nodes_are_in_enough():
    rng = np.random.default_rng(0)
    sets = np.array([rng.choice(30, 3, replace=False) for _ in range(40)])
    times, kept = np.zeros(30, int), []
    for row, nodes in enumerate(sets):
        if times[nodes].min() < 2:
            times[nodes] += 1
            kept.append(row)
    assert 5 < len(kept) < 40
    for most in (5, 40):
        assert thin_sets(sets, 2, most).tolist() == kept[:most]


# what is found


def hidden(kind, seed, motif, copies, noise, num_nodes=200, degree=4):
    """A random graph with noisy copies of a motif that has a kind for each edge, and their nodes.

    Each edge is lost with the probability ``noise``, and as many are put in, as is expected.
    """
    rng, size = np.random.default_rng(seed), len(motif)
    kinds = 2 if kind == "relations" else 1
    base = nx.gnm_random_graph(num_nodes, num_nodes * degree // 2, seed=seed)
    edges = {
        frozenset(one): (*one[:: rng.choice([-1, 1])], int(rng.integers(kinds)))
        for one in base.edges
    }
    apart = comb(size, 2) - motif.number_of_edges()
    chance = noise * motif.number_of_edges() / apart if apart else 0
    places = rng.permutation(num_nodes)[: size * copies].reshape(copies, size)
    for place in places.tolist():
        for i, j in combinations(range(size), 2):
            pair = frozenset((place[i], place[j]))
            edges.pop(pair, None)
            if motif.has_edge(i, j) and rng.random() >= noise:
                edges[pair] = place[i], place[j], (i + j) % kinds
            elif not motif.has_edge(i, j) and rng.random() < chance:
                edges[pair] = place[i], place[j], int(rng.integers(kinds))
    source, target, relation = np.array([*edges.values()]).T
    return csr_from_edges(source, target, num_nodes, **kind_of_graph(kind, relation)), places


def share_found(places, copies):
    """The share of hidden copies of which a copy has most nodes, by the Jaccard index."""
    sets = [{*copy} for copy in copies]
    best = [max((len(own & {*one}) / len(own | {*one}) for own in sets), default=0)
            for one in places]  # fmt: skip
    return np.mean(np.array(best) >= 0.8)


def check_edits(rows, drawn, copies, edits):
    """Edits turn a motif into what is joined in its copies, and each edge is in one copy."""
    links, owner = links_in(rows), Counter()
    signs = {(copy, *sorted(ends, reverse=True), sign) for copy, *ends, sign in edits.tolist()}
    assert len(signs) == len(edits)
    for number, copy in enumerate(copies.tolist()):
        for i, j in permutations(range(len(copy)), 2):
            link, one = links.get((copy[i], copy[j]), 0), drawn[i, j]
            missing, added = ((number, max(i, j), min(i, j), sign) in signs for sign in (-1, 1))
            own = (one > 0 and not missing) or added
            owner[copy[i], copy[j]] += own
            assert not missing or one > 0
            # what a copy has as it is drawn, and not so
            assert not own or (link > 0 and (link == one) == (not added))
    # an edge that is in no copy is missing in none
    assert {ends for ends, times in owner.items() if times} == owner.keys() & links.keys()
    assert max(owner.values()) == 1


DENSE = nx.gnm_random_graph(7, 14, seed=4)
SEVEN = range(7, 8)


@pytest.mark.parametrize("kind", ["directed", "relations"])
def test_noisy_copies_are_found_and_what_differs_is_what_is_there(kind):
    graph, places = hidden(kind, 1, DENSE, 10, 0.1)
    mined = MinedGraph.of(graph)
    found, again = (search_one(mined, range(7, 8)) for _ in range(2))
    (one,) = found.motifs
    assert share_found(places.tolist(), mined.order.given(one.copies.astype(np.int32))) >= 0.8
    # 1. the drawing, the edits and the bits
    code = GraphCode.of(mined)
    shape = code.shape_of(one.structure)
    assert len(one.structure.edges) == DENSE.number_of_edges() and len(one.edits)
    check_edits(code.rows, shape.links, one.copies, one.edits)
    empty = GraphDescription.of(code)
    assert found.bits_total == pytest.approx(empty.add(shape, one.copies).length, abs=1e-3)
    assert found.bits_base == pytest.approx(empty.length, abs=1e-3)
    assert one.bits == pytest.approx(found.bits_saved, abs=1e-3)
    # 2. a set without edits is longer
    exact = search_one(mined, range(7, 8), exact_copies=True)
    assert found.bits_total < exact.bits_total - 1
    assert not any(len(own.edits) for own in exact.motifs)
    # 3. it is written down as it is, and the seed decides
    kept = read_value(io.BytesIO(content(found)), CodedSet)
    assert kept.motifs[0].edits.tolist() == one.edits.tolist()
    assert content(kept) == content(again) == content(found)


@pytest.mark.parametrize("kind", ["plain", "directed", "relations"])
def test_copies_agree_on_what_was_hidden_and_differ_as_often_as_they_do(kind):
    graph, places = hidden(kind, 1, DENSE, 10, 0.1)
    mined = MinedGraph.of(graph)
    empty = GraphDescription.of(GraphCode.of(mined))
    fits = DrawingFits(empty, range(7, 8), 0)
    rows = mined.order.position[places]
    drawn, (missing, added) = fits.majority(empty, rows, np.zeros(7, int))
    number = DENSE.number_of_edges()
    assert ((drawn > 0) == nx.to_numpy_array(DENSE, nodelist=range(7))).all()
    signs = (
        empty.add(empty.code.structure(drawn, np.zeros(7, int)), rows)
        .motifs[0]
        .edits[:, 3]
        .tolist()
    )
    # half an edit more of each, so that none is impossible
    assert missing == pytest.approx((signs.count(-1) + 0.5) / (10 * number + 1))
    assert added == pytest.approx((signs.count(1) + 0.5) / (10 * (21 - number) + 1))


def test_without_noise_both_searches_find_the_same():
    """Wheels and complete bipartite graphs, at least four edges apart."""
    base, rng = nx.gnm_random_graph(200, 300, seed=1), np.random.default_rng(0)
    nodes = iter(rng.permutation(200).tolist())
    for one in [nx.wheel_graph(7), nx.complete_bipartite_graph(4, 4)] * 8:
        place = [next(nodes) for _ in one]
        base.remove_edges_from(list(combinations(place, 2)))
        base.add_edges_from([(place[u], place[v]) for u, v in one.edges])
    mined = MinedGraph.of(base)
    exact, found = (search_one(mined, range(7, 9), exact_copies=only) for only in (True, False))
    assert [len(one.copies) for one in exact.motifs] == [8, 8]
    assert content(found) == content(exact)


@pytest.mark.parametrize(
    ("motif", "number", "base"),
    [(nx.complete_bipartite_graph(4, 4), 24, "total"), (nx.complete_graph(8), 24, "blocks")],
    ids=["bipartite", "clique"],
)
def test_noisy_copies_in_a_collection(motif, number, base):
    """One copy in each graph, which has as many other nodes."""
    made = [hidden("plain", seed, motif, 1, 0.04, num_nodes=16, degree=2) for seed in range(number)]
    graphs, places = zip(*made, strict=True)
    found = motif_set(list(graphs), "8")
    (one,) = found
    assert found.base == base and nx.is_isomorphic(one.structure.to_networkx(), motif)
    graph = as_csr(list(graphs))
    rows = one.motif.copies.rows_in(graph)
    owner = graph.graph_of(rows[:, 0])
    assert len({*owner.tolist()}) > 0.85 * number
    first = graph.graph_ptr[:-1, None]
    assert share_found((np.concatenate(places) + first).tolist(), rows.tolist()) >= 0.8
    code = CollectionCode(graph, None, "total")
    check_edits(code.rows, one.structure.joined.astype(int), rows, one.motif.edits)
    assert one.motif.missing > 0 and (one.motif.added > 0) == (base == "total")


@pytest.fixture(scope="module")
def small():
    """A small graph with noisy copies, and a search for drawings in it, before it runs."""
    graph, _ = hidden("plain", 1, DENSE, 7, 0.1, num_nodes=70, degree=3)
    mined = MinedGraph.of(graph)
    return mined, GraphDescription.of(GraphCode.of(mined))


@pytest.fixture(scope="module")
def small_set(small):
    """The set of it."""
    return search_one(small[0], SEVEN)


def drawing_search(empty, drawings=()):
    # few drawings are shaken, and seldom: that takes most of the time
    settings = replace(NEAR, shaken_drawings=1, shaken=3, most_failed=1)
    fits = DrawingFits(empty, range(7, 8), 0, settings)
    return MotifSearch(empty, NearProposals(fits, drawings), NEAR_SEARCH, Steps())


def test_a_search_for_drawings_that_is_killed_goes_on_where_it_was(small, small_set, tmp_path):
    mined, _ = small

    def find(steps):
        return steps.once("searching", CodedSet, partial(search_one, steps=steps), mined, SEVEN)

    whole = KilledSteps(tmp_path / "whole")
    expected = digest(find(whole))
    assert expected == digest(small_set)
    states = [digest(state) for state in whole.states]
    # first copies are exact; what was found then is kept with what comes after
    are_exact = [state.exact is None for state in whole.states]
    assert are_exact == sorted(are_exact, reverse=True) and len({*are_exact}) == 2
    # where one goes over into the other; other places are those of all searches
    number = are_exact.index(False)
    folder = tmp_path / "killed"
    with pytest.raises(KilledError):
        find(KilledSteps(folder, number))
    resumed = KilledSteps(folder)
    assert digest(find(resumed)) == expected
    assert [digest(state) for state in resumed.states] == states[number:]


def test_a_motif_is_redrawn_as_most_of_its_copies_are(small, small_set):
    """From a drawing that lacks an edge."""
    _, empty = small
    (found,) = small_set.motifs
    shape = empty.code.shape_of(found.structure)
    best = empty.add(shape, found.copies)
    search = drawing_search(empty)
    # what was found is as short as it gets
    search.best = best
    assert search.make(Redraw()) is best
    changed = 0
    some = shape.pairs[::3]
    for u, v in some:
        links = shape.links.astype(int)
        links[u, v] = links[v, u] = 0
        if not nx.is_connected(nx.Graph(links)):
            continue
        before = empty.add(empty.code.structure(links, shape.colors), found.copies)
        search.best = before
        after = search.make(Redraw())
        assert after.length < before.length
        # the other drawing is one that may come back
        assert {*codes_of(after)} <= search.candidates.keys()
        changed += after.length <= best.length + 1e-6
    assert changed >= len(some) // 2


def test_of_two_motifs_the_copy_that_is_worth_least_is_given_up(small, small_set):
    _, empty = small
    (found,) = small_set.motifs
    shape = empty.code.shape_of(found.structure)
    links = shape.links.astype(int)
    u, v = next(
        (u, v)
        for u, v in nx.Graph(links).edges
        if nx.is_connected(nx.restricted_view(nx.Graph(links), [], [(u, v)]))
    )
    links[u, v] = links[v, u] = 0
    search = drawing_search(empty)
    assert len(found.copies) == 5
    search.best = empty.add(shape, found.copies[:3])
    assert not [*GiveUpCopy().propose(search)]
    best = search.best.add(empty.code.structure(links, shape.colors), found.copies[3:])
    search.best = best
    # two copies stay
    (change,) = GiveUpCopy().propose(search)
    motif, other = best.motifs
    assert change.length == min(
        empty.add(other.structure, other.copies)
        .add(motif.structure, np.delete(motif.copies, copy, 0))
        .length
        for copy in range(3)
    )
    assert GiveUpCopy().apply(search, change).length <= change.length
    # the best set is as it was
    assert search.best is best


@pytest.mark.parametrize(("nodes", "sizes"), [(9, 3), (4, None), (4, (2, 3))])
def test_motifs_smaller_than_all_drawings_are_searched_for(nodes, sizes):
    """Drawings have four nodes at least: the set is then that of exact copies."""
    graph = nx.disjoint_union_all([nx.complete_graph(nodes)] * 2)
    found, exact = (motif_set(graph, sizes, exact_copies=only) for only in (False, True))
    assert found.bits_total == exact.bits_total
    fits = DrawingFits(GraphDescription.of(GraphCode.of(MinedGraph.of(graph))), range(3, 4), 0)
    assert not fits.sizes and fits.dense_sets(fits.empty) == {}


def test_of_the_copies_of_a_drawing_no_number_more_or_less_saves_more(small):
    """A chosen prefix is as long as it should be, by the length of the whole description."""
    _, empty = small
    search = drawing_search(empty)
    search.propose(empty, 0)
    checked = 0
    for choice in search.alone.values():
        if choice is None:
            continue
        structure, copies = choice.candidate.structure, choice.copies
        if len(copies) > NEAR.least_copies:
            fewer = empty.add(structure, copies[:-1])
            assert empty.length - fewer.length <= choice.gain + 1e-5
            checked += 1
    assert checked


def test_copies_of_a_drawing_are_chosen_beside_a_set_that_has_none_of_it(small):
    _, empty = small
    search = drawing_search(empty)
    search.propose(empty, 0)
    best = max(search.candidates.values(), key=lambda candidate: search.gain_alone(candidate.code))
    choice = search.alone[best.code]
    # a gain is no estimate
    longer = search.with_choice(empty, choice)
    assert choice.gain == pytest.approx(empty.length - longer.length)
    assert search.choose(longer, best) is None
    # drawings that are given are fitted as well, each once
    given = drawing_of(best.structure, choice.copies)
    known = drawing_search(empty, [given, given]).proposals(empty, 0, {})
    assert [candidate.code for candidate in known].count(best.code) == 1
    (bare,) = search.proposals.give(best.structure, ("given",))
    assert bare.sources == ("given",) and not len(bare.copies)
    # nothing is found where nothing saves more than is asked for
    assert not drawing_search(empty).run(least_alone=choice.gain + 1).motifs
    assert drawing_search(empty).run(least_alone=choice.gain - 1).motifs


def test_a_fit_is_the_same_whatever_was_fitted_before_it(small):
    """Each drawing from each of some starts, beside two descriptions in turn, and anew."""
    _, empty = small
    settings = replace(NEAR, rounds=2)
    fits = DrawingFits(empty, range(7, 8), 0, settings)
    sets = fits.dense_sets(empty)[7]
    first, second = [*fits.drawings_of(empty, sets[:40])][:2]
    found = fits.fit(empty, first, sets[:60], 2)
    longer = empty.add(found.candidate.structure, found.copies)
    near = replace(first, copies=found.copies)
    jobs = [
        (description, drawing, starts, rounds, least)
        for description in (empty, longer, empty)
        for drawing in (first, near, second)
        for starts in (sets[:60], sets[60:90])
        for rounds, least in ((1, None), (2, None), (2, 0.0))
    ]

    def said(choice):
        return choice and (choice.candidate.code, choice.copies.tolist(), choice.gain)

    kept = [said(fits.fit(*job)) for job in [*jobs, *jobs]]
    alone = [said(DrawingFits(empty, range(7, 8), 0, settings).fit(*job)) for job in jobs]
    assert kept == [*alone, *alone]
    assert len({repr(one) for one in alone}) > 8


def test_what_is_given_misses_a_collection_whose_copies_differ():
    """The motif is none of the structures that exact copies show."""
    motif = nx.complete_bipartite_graph(4, 4)
    made = [hidden("plain", seed, motif, 1, 0.08, num_nodes=16, degree=2) for seed in range(24)]
    found = motif_set([graph for graph, _ in made], "8", given=["path-3", "edge"])
    (one,) = found
    assert nx.is_isomorphic(one.structure.to_networkx(), motif) and one.motif.missing > 0
    # each has too few copies that pay, or makes it longer
    assert len(found.given) == 2
    assert all(one.bits is None or one.bits > 0 for one in found.given.values())


# the record


@pytest.fixture(scope="module")
def noisy():
    """A graph with noisy copies, and its set."""
    graph, _ = hidden("plain", 1, DENSE, 12, 0.1)
    return graph, motif_set(graph, "7")


def test_a_set_with_edits_is_read_back(noisy, tmp_path):
    graph, found = noisy
    (one,) = found
    part, rows = one.motif, one.motif.copies.rows_in(graph)
    miner = PatternMiner(null=None).fit(nx.path_graph(9))
    run = replace(MiningRun.of(miner, nx.path_graph(9)), motif_set=found)
    write_run(MINE, tmp_path, run_of_mining(run))
    (back,) = load(tmp_path).motif_set
    assert back.key == one.key and back.motif.copies.rows_in(graph).tolist() == rows.tolist()
    assert sorted(back.motif.edits.tolist()) == sorted(
        [copy, *sorted(ends), sign] for copy, *ends, sign in part.edits.tolist()
    )
    # the text of each copy makes of the drawing what is there
    table = pd.read_parquet(tmp_path / "copies.parquet")
    whole = nx.Graph([*zip(*(ends.tolist() for ends in graph.edges()[:2]), strict=True)])
    for row in table.to_dict("records"):
        made = nx.relabel_nodes(nx.Graph(list(one.edges)), dict(enumerate(ascii_uppercase)))
        for edit in row["edits"].split():
            change = made.add_edge if edit[0] == "+" else made.remove_edge
            change(*edit[1:].split("-"))
        nodes = {letter: row[letter] for letter in made}
        ends = {frozenset((nodes[u], nodes[v])) for u, v in made.edges}
        assert ends == {frozenset(pair) for pair in whole.subgraph(nodes.values()).edges}


def test_new_graphs_are_covered_with_exact_copies(noisy):
    graph, found = noisy
    (one,) = found
    exact = one.motif.copies_exact
    row = found.transform(graph)[0]
    assert 0 < exact <= row[0] < one.motif.num_copies
    assert row[1] == pytest.approx(1 - row[0] * len(one.edges) / graph.num_edges)
    drawn = found.to_networkx(graph)
    marked = [ends for *ends, own in drawn.edges(data=True) if "motif" in own]
    edges = 12 * len(one.edges) - one.motif.missing + one.motif.added
    assert len(marked) == edges == round(found.edges_covered * graph.num_edges)
    table = found.compare(graph).to_pandas()
    assert table["copies"].tolist() == [12] and table["copies_other"][0] in (0, row[0])
