"""The roles of nodes, compared with all mappings that networkx finds."""

from collections import Counter
from itertools import permutations

import networkx as nx
import numpy as np
import pytest

from gomkcn import Structure, as_csr, count, node_roles
from gomkcn.mining.structures.roles import roles_of
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.reading import read_graph


def brute_force(graph, structure):
    """How often each node is at each role, from all isomorphisms of the induced subgraphs."""
    wanted = structure.to_networkx()
    kind = nx.DiGraph if structure.relations.is_directed else nx.Graph
    wanted = kind(wanted.edges)
    matcher = nx.algorithms.isomorphism
    matcher = matcher.DiGraphMatcher if structure.relations.is_directed else matcher.GraphMatcher
    found = [Counter() for _ in roles_of(structure)]
    places = {}
    for mapping in matcher(graph, wanted).subgraph_isomorphisms_iter():
        places.setdefault(frozenset(mapping), {of: node for node, of in mapping.items()})
    for place in places.values():
        for role, counts in zip(roles_of(structure), found, strict=True):
            counts.update(place[node] for node in role.nodes)
    return [dict(counts) for counts in found]


def by_node(graph, counts):
    """Counts above 0 of each role, by node."""
    nodes = list(graph)
    return [
        {nodes[at]: int(column[at]) for at in np.flatnonzero(column)} for column in counts.counts.T
    ]


@pytest.mark.parametrize("text", ["030T", "021C", "bi-fan", "bi-parallel", "030C", "mfinder-12"])
def test_roles_in_a_directed_graph_are_those_of_all_isomorphisms(text):
    graph = nx.gnp_random_graph(18, 0.16, seed=3, directed=True)
    (found,) = node_roles(graph, [text])
    assert found.is_exact
    assert by_node(graph, found) == brute_force(graph, Structure.parse(text))


@pytest.mark.parametrize("text", ["triangle", "paw", "diamond", "fork", "kite", "house", "G12"])
def test_formulas_give_the_roles_of_all_isomorphisms(text):
    graph = nx.gnp_random_graph(16, 0.35, seed=5)
    (found,) = node_roles(graph, [text])
    assert by_node(graph, found) == brute_force(graph, Structure.parse(text))
    # too few steps for formulas, which are then not asked
    (listed,) = node_roles(graph, [text], max_steps=200_000)
    assert listed.is_exact
    assert listed.counts.tolist() == found.counts.tolist()


def test_the_letters_are_those_of_the_structure_that_is_given():
    graph = nx.gnp_random_graph(16, 0.35, seed=5)
    paw = Structure.parse("paw")
    for order in permutations(range(4)):
        turned = paw.with_nodes(list(order))
        (found,) = node_roles(graph, [turned])
        assert by_node(graph, found) == brute_force(graph, turned)


def test_roles_add_up_to_the_occurrences():
    graph = nx.gnp_random_graph(40, 0.1, seed=1, directed=True)
    for text in ("030T", "bi-fan", "a->b, b->a, b->c"):
        (found,) = node_roles(graph, [text])
        number = count(graph, text).value
        sizes = [len(role.nodes) for role in found.roles]
        assert found.counts.sum(axis=0).tolist() == [number * size for size in sizes]


def test_too_many_occurrences_are_estimated_without_bias():
    graph = nx.gnp_random_graph(60, 0.3, seed=2, directed=True)
    (exact,) = node_roles(graph, ["021C"])
    drawn = [node_roles(graph, ["021C"], max_places=1000, seed=seed)[0] for seed in range(12)]
    assert exact.is_exact
    assert not any(found.is_exact for found in drawn)
    mean = np.mean([found.counts for found in drawn], axis=0)
    # of 12,000 draws a node has 200 in the mean
    assert np.abs(mean - exact.counts).max() < 0.5 * exact.counts.max()
    assert np.allclose(mean.sum(axis=0), exact.counts.sum(axis=0), rtol=0.05)


def test_relations_and_categories_are_kept():
    typed = nx.MultiDiGraph()
    typed.add_edge("x", "y", relation="acts")
    typed.add_edge("x", "z", relation="stops")
    typed.add_edge("y", "z", relation="acts")
    graph = as_csr(typed, relation="relation")
    first, other = node_roles(
        graph,
        ["a-[acts]->b, a-[stops]->c, b-[acts]->c", "a-[acts]->b, a-[acts]->c, b-[acts]->c"],
    )
    assert first.counts.sum() == 3
    assert other.counts.sum() == 0


def test_a_limit_out_of_range_is_refused():
    with pytest.raises(InputError, match="max_places"):
        node_roles(nx.path_graph(3), ["triangle"], max_places=0)
    with pytest.raises(InputError, match="max_steps"):
        node_roles(nx.path_graph(3), ["triangle"], max_steps=0)


def test_masters_of_feed_forward_loops_of_e_coli_by_brute_force(ecoli):
    graph = read_graph(ecoli, relation="none")
    (found,) = node_roles(graph, ["030T"])
    source, target, _ = graph.edges()
    arcs = set(zip(source.tolist(), target.tolist(), strict=True))
    out = {}
    for u, v in arcs:
        out.setdefault(u, set()).add(v)
    loops = [
        (u, v, w)
        for u in out
        for v in out[u]
        for w in out[u] & out.get(v, set())
        if not {(v, u), (w, u), (w, v)} & arcs
    ]
    names = graph.original_ids(np.arange(graph.num_nodes))
    for at, position in enumerate(("source", "intermediate", "sink")):
        assert found.roles[at].position == position
        told = {names[node]: int(found.counts[node, at]) for node in range(graph.num_nodes)}
        wanted = Counter(names[loop[at]] for loop in loops)
        assert {name: number for name, number in told.items() if number} == wanted
    masters = dict(zip(names, found.counts[:, 0].tolist(), strict=True))
    assert sorted(masters, key=masters.get)[-3:] == ["flhDC", "fnr", "crp"]
