"""Canonical forms in bulk, against the plain ones of structures."""

from math import factorial

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graphs.structure import canonical_form
from mining.candidates.shapes import canonical_orders

SYMMETRIC = {
    "clique": nx.complete_graph(9),
    "star": nx.star_graph(8),
    "ring": nx.cycle_graph(9),
    "cube": nx.hypercube_graph(3),
    "Petersen": nx.petersen_graph(),
    "bipartite": nx.complete_bipartite_graph(4, 5),
    "without a matching": nx.complete_multipartite_graph(2, 2, 2, 2),
    "two cliques": nx.barbell_graph(4, 0),
}


def draw(rng, number, size, num_links, num_colors):
    """Random link matrices, in which link 2 is the reverse of 3, and colours."""
    upper = np.triu(rng.integers(num_links, size=(number, size, size)), 1)
    reverse = np.array([0, 1, 3, 2])
    links = upper + np.triu(reverse[upper], 1).swapaxes(1, 2)
    return links.astype(np.uint16), rng.integers(num_colors, size=(number, size))


def forms_of(links, colors):
    """Colours and links in canonical order, as bytes, and numbers of automorphisms."""
    order, automorphisms, _ = canonical_orders(links, colors)
    rows = np.arange(len(links))[:, None, None]
    links = links[rows, order[:, :, None], order[:, None, :]]
    colors = np.take_along_axis(colors, order, axis=1)
    forms = [a.tobytes() + b.tobytes() for a, b in zip(links, colors, strict=True)]
    return forms, automorphisms.tolist()


def automorphisms_of(links, colors):
    generators = canonical_form(links.tolist(), colors.tolist()).generators
    group = {tuple(range(len(links)))}
    while True:
        larger = group | {tuple(g[i] for i in one) for one in group for g in generators}
        if larger == group:
            return len(group)
        group = larger


@pytest.mark.parametrize("num_colors", [1, 2])
@pytest.mark.parametrize("num_links", [2, 4])
@pytest.mark.parametrize("size", [1, 2, 4, 5])
def test_forms_are_equal_for_isomorphic_graphs_and_no_others(size, num_links, num_colors):
    rng = np.random.default_rng([size, num_links, num_colors])
    links, colors = draw(rng, 150, size, num_links, num_colors)
    forms, automorphisms = forms_of(links, colors)
    plain = [
        canonical_form(one.tolist(), own.tolist()).values
        for one, own in zip(links, colors, strict=True)
    ]
    assert len(set(forms)) == len(set(plain)) == len(set(zip(forms, plain, strict=True)))
    for k in range(0, 150, 10):
        assert automorphisms[k] == automorphisms_of(links[k], colors[k])


def test_symmetries_beyond_64_bits():
    links = np.zeros((1, 30, 30), np.uint16)
    links[0, 0, 1:] = links[0, 1:, 0] = 1
    _, automorphisms, orbits = canonical_orders(links, np.zeros((1, 30), np.int64))
    assert automorphisms[0] == pytest.approx(float(factorial(29)))
    assert orbits[0].tolist() == [0] + [1] * 29


@pytest.mark.parametrize("size", [7, 8, 10])
def test_forms_do_not_depend_on_the_order_of_the_nodes(size):
    rng = np.random.default_rng(size)
    links, colors = draw(rng, 60, size, 4, 2)
    orders = np.stack([rng.permutation(size) for _ in links])
    rows = np.arange(len(links))[:, None, None]
    turned = links[rows, orders[:, :, None], orders[:, None, :]]
    assert forms_of(links, colors) == forms_of(turned, np.take_along_axis(colors, orders, axis=1))


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_graphs_have_one_form_and_all_their_automorphisms(name):
    rng = np.random.default_rng(0)
    adjacency = nx.to_numpy_array(SYMMETRIC[name]).astype(np.uint16)
    size = len(adjacency)
    orders = [rng.permutation(size) for _ in range(5)]
    links = np.stack([adjacency[np.ix_(one, one)] for one in orders])
    forms, automorphisms = forms_of(links, np.zeros((5, size), np.int64))
    group = nx.isomorphism.GraphMatcher(SYMMETRIC[name], SYMMETRIC[name])
    known = {"clique": 362880, "star": 40320, "bipartite": 2880}
    number = known.get(name) or sum(1 for _ in group.isomorphisms_iter())
    assert len(set(forms)) == 1
    assert set(automorphisms) == {number}
