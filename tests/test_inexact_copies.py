"""Copies that differ from their motif: their length, the loops that find them, and their record."""

from itertools import combinations, permutations
from math import comb, factorial, log2, perm

import networkx as nx
import numpy as np
import pytest
from test_code_length import RECORDS, mined_of, motif_of
from test_collection_code import KNOWN, LENGTHS, collection, shape_of

from gomkcn_dgl.csr import csr_from_edges
from mining.candidates.shapes import Shape
from mining.categories import Categories
from mining.mined_graph import MinedGraph
from mining.motif_sets.alignment_loops import (
    MOST_NEIGHBORS,
    WRONG_COLOR,
    View,
    align_sets,
    choose_apart,
    describe_free,
    neighbors_of,
    new_nearby,
    observe,
    thin_sets,
)
from mining.motif_sets.code_length import ADDRESSES, GraphCode
from mining.motif_sets.coded_graph import CodedGraph
from mining.motif_sets.collection_code import CollectionCode
from mining.motif_sets.edited_collection import EditedCollection
from mining.motif_sets.edited_graph import EditedGraph
from mining.motif_sets.graph_count import count_graphs, count_two_sided_graphs
from mining.motif_sets.integer_codes import histogram_bits, integer_bits

KINDS = ("plain", "directed", "relations", "categories")


def csr_of(kind, pairs, num_nodes, rng, **options):
    """A graph of some pairs, whose edges or nodes are of random kinds."""
    turned = [pair[:: rng.choice([-1, 1])] for pair in pairs]
    options |= {
        "plain": {},
        "directed": {"directed": True},
        "relations": {"relation": rng.integers(2, size=len(pairs)), "directed": [False, True],
                      "relation_names": ["acts", "binds"]},
        "categories": {"features": np.eye(2)[rng.integers(2, size=num_nodes)],
                       "feature_names": ("kind=a", "kind=b")},
    }[kind]  # fmt: skip
    return csr_from_edges(*np.array(turned).T, num_nodes, **options)


def links_in(rows):
    """What joins two nodes, seen from the first, by both."""
    return {
        (u, int(rows.indices[entry])): int(rows.links[entry])
        for u in range(len(rows.colors))
        for entry in range(int(rows.indptr[u]), int(rows.indptr[u + 1]))
    }


def random_shape(rng, size, num_links, reverse, num_colors=1):
    """A ring of some nodes with random chords and kinds."""
    links = np.zeros((size, size), int)
    for i, j in combinations(range(size), 2):
        if j - i in (1, size - 1) or rng.random() < 0.3:
            links[i, j] = rng.integers(1, num_links)
            links[j, i] = reverse[links[i, j]]
    return Shape.of(links, rng.integers(num_colors, size=size))


def random_copies(rng, shape, colors, number, apart=False):
    """Random nodes of the colours of a shape; copies share none if they are apart."""
    copies, busy = [], set()
    while len(copies) < number:
        row = [int(rng.choice(np.flatnonzero(colors == one))) for one in shape.colors]
        if len({*row}) == len(row) and not (apart and busy & {*row}):
            copies.append(row)
            busy |= {*row}
    return np.array(copies)


# the length


@pytest.mark.parametrize("record", RECORDS, ids=[one["name"] for one in RECORDS])
def test_without_edits_a_motif_costs_a_bit_more_than_in_the_exact_code(record):
    mined = mined_of(record)
    graph, blocks = CodedGraph.of(mined), None
    if record["blocks"] is not None:
        blocks = np.array(record["blocks"])[mined.order.nodes]
    empty = EditedGraph.of(GraphCode(graph, blocks))
    for expected in record["sets"]:
        covered = empty
        for one in expected["motifs"]:
            covered = covered.add(*motif_of(mined, graph, one, record["directed"]))
        assert covered.length == pytest.approx(
            expected["total"] + len(expected["motifs"]), abs=1e-3
        )


def falling(numbers, chosen):
    return sum(log2(perm(n, k)) for n, k in zip(numbers, chosen, strict=True))


def plain_length(code, motifs):
    """The description by its definition: its bits and, of each motif, missing, added, address."""
    rows, reverse = code.graph.rows, code.graph.mined.graph.relations.reverse
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
    num_links, owned, bits, parts = len({one for one, _ in slots}), set(), 0.0, []
    for shape, copies in motifs:
        # 1. edits, and the demand of each node
        size, number, edges = shape.num_nodes, len(copies), len(shape.edges)
        missing = added = 0
        demands = []
        for copy in copies.tolist():
            own = [dict.fromkeys(slots, 0) for _ in copy]
            for i, j in combinations(range(size), 2):
                pair = frozenset((copy[i], copy[j]))
                link = 0 if pair in owned else links.get((copy[i], copy[j]), 0)
                missing += shape.links[i, j] > 0 and link != shape.links[i, j]
                added += link > 0 and link != shape.links[i, j]
                if link:
                    owned.add(pair)
                    own[i][link, int(shape.colors[j])] += 1
                    own[j][int(reverse[link]), int(shape.colors[i])] += 1
            demands += own
        others = number * (comb(size, 2) - edges) + (missing if num_links > 1 else 0)
        bits += code.head(shape) + integer_bits(number) + log2(5) + 1
        if missing + added:
            bits += integer_bits(missing) + log2(comb(number * edges, missing))
            bits += integer_bits(added) + log2(comb(others, added)) + added * log2(num_links)
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
        parts.append((missing, added, ADDRESSES[int(np.argmin(addresses))]))
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
    return bits + integer_bits(len(motifs)), parts


@pytest.mark.parametrize("kind", KINDS)
def test_the_length_of_a_graph_is_that_of_its_definition(kind):
    addresses = set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        base = (nx.gnm_random_graph(24, 70, seed=seed), nx.barabasi_albert_graph(60, 3, seed=seed),
                nx.random_regular_graph(4, 40, seed=seed))[seed % 3]  # fmt: skip
        mined = MinedGraph.of(csr_of(kind, list(base.edges), len(base), rng))
        graph = CodedGraph.of(mined)
        reverse = mined.graph.relations.reverse
        # copies that share nodes and edges, then some that do not
        motifs = []
        for apart in (False, True):
            shape = random_shape(rng, 4 + seed % 2, len(reverse), reverse, graph.num_colors)
            motifs.append((shape, random_copies(rng, shape, graph.colors, 3, apart)))
        code = GraphCode(graph)
        covered = EditedGraph.of(code)
        for one in motifs:
            covered = covered.add(*one)
        bits, parts = plain_length(code, motifs)
        assert covered.length == pytest.approx(bits, abs=1e-3)
        assert [(int(one.edits.missing.sum()), int(one.edits.added.sum()), one.address)
                for one in covered.motifs] == parts  # fmt: skip
        addresses |= {one[2] for one in parts}
        # an edge is of the first copy that has both of its ends, and no other
        degrees = sum(one.sum() for one in covered.degrees)
        assert degrees == 2 * (~covered.used).sum() and (covered.degrees >= 0).all()
    print(addresses)
