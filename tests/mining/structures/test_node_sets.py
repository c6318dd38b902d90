"""Structures of sets of nodes: each with the canonical form that it would find by itself."""

import io
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from random_graphs import link_matrix, random_graph

from gomkcn.mining.motif_sets.candidate import Candidate, bare
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.node_sets import (
    distinct_structures,
    palette_of_numbers,
    structure_of_nodes,
)
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.runtime.plain_values import read_value, write_value

PALETTE = (("b",), ("c",), ("a",))


def sets_of(graph, size, number=80):
    """Links and colours of random sets of nodes."""
    rng = np.random.default_rng(5)
    sets = np.stack([rng.permutation(graph.num_nodes)[:size] for _ in range(number)])
    colors = rng.integers(len(PALETTE), size=graph.num_nodes)
    return link_matrix(graph)[sets[:, :, None], sets[:, None, :]].astype(np.uint16), colors[sets]


def renumbered(relations, links):
    """The same links where relations and links have other numbers."""
    columns = [
        column
        for number in reversed(range(len(relations.names)))
        for column, (of_relation, _) in enumerate(relations.channels)
        if of_relation == number
    ]
    table = relations.links[:, columns]
    order = np.concatenate([[0], np.arange(1, len(table))[::-1]])
    other = Relations(relations.names[::-1], relations.directed[::-1], table[order])
    return other, np.argsort(order)[links].astype(np.uint16)


@pytest.mark.parametrize("size", [2, 4, 5])
def test_each_is_handed_the_form_that_it_would_find(size):
    graph, _ = random_graph(np.random.default_rng(2), 14, 50)
    links, colors = sets_of(graph, size)
    relations, links_by_others = renumbered(graph.relations, links)
    turned = tuple(reversed(PALETTE))
    first = distinct_structures(links, colors, graph.relations, PALETTE)
    other = distinct_structures(links_by_others, len(PALETTE) - 1 - colors, relations, turned)
    assert len(first.structures) == len(other.structures) > 3
    for found in (first, other):
        codes = {one.code for one in found.structures}
        assert len(codes) == len({one.key for one in found.structures}) == len(found.structures)
        for one in found.structures:
            alone = replace(one, known_form=None)
            assert alone.form.order.tolist() == one.form.order.tolist()
            assert (alone.code, alone.key) == (one.code, one.key)
            assert alone.num_automorphisms == one.num_automorphisms
            together = {tuple(np.flatnonzero(one.orbits == k)) for k in range(one.num_orbits)}
            assert together == {tuple(np.flatnonzero(alone.orbits == k)) for k in set(alone.orbits)}
    # 1. each set has the structure that it is said to have, whatever the numbers
    for row, (number, place) in enumerate(zip(first.number, first.order, strict=True)):
        structure = first.structures[number]
        assert (links[row][np.ix_(place, place)] == structure.links).all()
        assert (colors[row][place] == structure.colors).all()
        assert other.structures[other.number[row]].key == structure.key
        # 2. in the order that was given it is the same
        given = structure_of_nodes(links[row], colors[row], graph.relations, PALETTE)
        assert given.links.tolist() == links[row].tolist()
        assert (given.code, given.key) == (structure.code, structure.key)
        orbits = given.orbits[place]
        assert (
            (orbits[:, None] == orbits) == (structure.orbits[:, None] == structure.orbits)
        ).all()


def test_colors_without_names_are_in_the_order_of_their_numbers():
    palette = palette_of_numbers(12)
    assert list(palette) == sorted(set(palette)) and len(palette) == 12


def test_a_candidate_that_was_kept_is_itself_again():
    graph, colors = random_graph(np.random.default_rng(3), 22, 90)
    labels = {"features": np.eye(2)[colors], "feature_names": ("kind=b", "kind=a")}
    code = GraphCode.of(MinedGraph.of(replace(graph, **labels)))
    sets = code.edges[:1].astype(np.int32)
    links, colors = code.rows.links_of(sets), code.colors[sets]
    (structure,) = distinct_structures(
        links, colors, code.mined.graph.relations, code.palette
    ).structures
    candidate = Candidate(structure, sets, np.zeros((1, 1), np.int64), ("grown",))
    file = io.BytesIO()
    write_value(file, candidate.bare())
    file.seek(0)
    again = read_value(file, Candidate)
    assert again.copies.tolist() == sets.tolist()
    back = code.named(again.structure)
    assert (back.code, back.key) == (structure.code, structure.key)
    assert back.categories == structure.categories and back.relations == structure.relations
    assert back.form.orbits.tolist() == structure.form.orbits.tolist()
    # the names of the graph are not kept with each
    assert bare(structure).palette == ((),)


def test_a_given_structure_comes_in_the_numbers_of_the_graph_and_in_its_own_order():
    code = GraphCode.of(MinedGraph.of(nx.path_graph(5)))
    given = Structure.parse("x--y, y--z")
    assert code.shape_of(given).key == given.key
    assert code.shape_of(given).links.tolist() == given.links.tolist()
