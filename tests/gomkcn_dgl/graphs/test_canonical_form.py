"""Canonical forms: equal for isomorphic graphs alone, and one order by both ways to find it."""

from itertools import combinations, permutations
from math import factorial

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graphs.canonical_form import canonical_form, canonical_forms

SYMMETRIC = {
    "clique": (nx.complete_graph(9), factorial(9)),
    "ring": (nx.cycle_graph(9), 18),
    "star": (nx.star_graph(9), factorial(9)),
    "cube": (nx.hypercube_graph(4), 384),
    "Petersen": (nx.petersen_graph(), 120),
    "bipartite": (nx.complete_bipartite_graph(4, 5), factorial(4) * factorial(5)),
    # nothing that hangs on the middle can be exchanged without what hangs on it
    "spider": (nx.Graph([(0, i) for i in range(1, 9)] + [(i, i + 8) for i in range(1, 9)]), 40320),
    "pairs": (nx.complete_multipartite_graph(*[2] * 6), factorial(6) * 2**6),
    "large ring": (nx.cycle_graph(70), 140),
    "large clique": (nx.complete_graph(62), float(factorial(62))),
}


def draw(rng, number, size, num_links, num_colors):
    """Random link matrices, in which link 2 is the reverse of 3, and colours."""
    upper = np.triu(rng.integers(num_links, size=(number, size, size)), 1)
    reverse = np.array([0, 1, 3, 2])
    links = upper + np.triu(reverse[upper], 1).swapaxes(1, 2)
    return links.astype(np.uint16), rng.integers(num_colors, size=(number, size))


def turned(links, colors, order):
    """Graphs with their nodes in an order of each."""
    rows = np.arange(len(links))[:, None, None]
    links = links[rows, order[:, :, None], order[:, None, :]]
    return links, np.take_along_axis(colors, order, axis=1)


def forms_of(links, colors):
    """Colours and links in canonical order, as bytes, and numbers of automorphisms."""
    found = canonical_forms(links, colors)
    rows = zip(*turned(links, colors, found.order), strict=True)
    return [a.tobytes() + b.tobytes() for a, b in rows], found.num_automorphisms.tolist()


def automorphisms_of(links, colors):
    """All automorphisms, by trying each order."""
    orders = np.array(list(permutations(range(len(colors)))))
    same = (links[orders[:, :, None], orders[:, None, :]] == links).all(axis=(1, 2))
    return orders[same & (colors[orders] == colors).all(axis=1)]


@pytest.mark.parametrize("num_colors", [1, 2])
@pytest.mark.parametrize("num_links", [2, 4])
@pytest.mark.parametrize("size", [1, 2, 4, 5])
def test_forms_are_equal_for_isomorphic_graphs_and_no_others(size, num_links, num_colors):
    rng = np.random.default_rng([size, num_links, num_colors])
    links, colors = draw(rng, 150, size, num_links, num_colors)
    forms, numbers = forms_of(links, colors)
    orbits = canonical_forms(links, colors).orbits
    # the least of all orders, which is another form
    orders = np.array(list(permutations(range(size))))
    least = [
        min(one[np.ix_(order, order)].tobytes() + own[order].tobytes() for order in orders)
        for one, own in zip(links, colors, strict=True)
    ]
    assert len(set(forms)) == len(set(least)) == len(set(zip(forms, least, strict=True)))
    for k in range(0, 150, 10):
        every = automorphisms_of(links[k], colors[k])
        assert numbers[k] == len(every)
        assert orbits[k].tolist() == every.min(axis=0).tolist()


def assert_same_order(links, colors):
    """Both ways find one order and the same orbits."""
    found = canonical_forms(links[None], colors[None])
    form = canonical_form(links.tolist(), colors.tolist())
    assert found.order[0].tolist() == form.order
    assert found.orbits[0].tolist() == form.orbits
    assert found.num_automorphisms[0] == pytest.approx(float(form.num_automorphisms))


@pytest.mark.parametrize("size", range(1, 11))
def test_both_ways_find_the_same_order(size):
    rng = np.random.default_rng(size)
    for num_links, num_colors in ((2, 1), (2, 2), (4, 1), (4, 2)):
        links, colors = draw(rng, 30, size, num_links, num_colors)
        # sparse ones have symmetries
        for one, own in zip(links, colors, strict=True):
            kept = np.triu(rng.random(one.shape) < rng.random())
            assert_same_order(one * (kept | kept.T), own)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_graphs(name):
    graph, number = SYMMETRIC[name]
    adjacency, size = nx.to_numpy_array(graph).astype(np.int64), len(graph)
    rng = np.random.default_rng(0)
    orders = [np.arange(size), *(rng.permutation(size) for _ in range(4))]
    links, colors = np.stack([adjacency[np.ix_(one, one)] for one in orders]), np.zeros((5, size))
    forms, numbers = forms_of(links, colors.astype(np.int64))
    assert len(set(forms)) == 1
    assert numbers == pytest.approx([number] * 5, rel=1e-12)
    for one in links:
        assert_same_order(one, np.zeros(size, np.int64))


def test_only_the_order_of_the_numbers_counts():
    links, colors = draw(np.random.default_rng(3), 100, 6, 4, 3)
    # 2^40 is above what a pair of a link and a cell needs
    others = np.array([0, 5, 6, 2**40])[links], np.array([-7, 0, 100])[colors]
    assert (canonical_forms(links, colors).order == canonical_forms(*others).order).all()
    for u, v in combinations(range(3), 2):
        assert forms_of(links, colors)[0][u] != forms_of(links, colors)[0][v]
