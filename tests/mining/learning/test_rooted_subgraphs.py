"""The structures of a batch are those of its subgraphs, one by one."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs
from mining.learning.rooted_subgraphs import CanonicalForms

SHAPES = [nx.path_graph(3), nx.complete_graph(3), nx.path_graph(2), nx.empty_graph(1)]


def random_batch(kind):
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, 60, (2, 110))
    typed = {"relation": rng.integers(0, 2, 110), "relation_names": ["acts", "binds"]}
    options = {"plain": {}, "directed": {"directed": True}, "typed": typed}[kind]
    graph = csr_from_edges(source, target, 60, **options)
    return extract_subgraphs(graph, SubgraphSettings(num_hops=3, max_nodes=6))


@pytest.mark.parametrize("kind", ["plain", "directed", "typed"])
def test_keys_are_those_of_each_subgraph(kind):
    batch = random_batch(kind)
    forms, by_key = CanonicalForms(batch), {}
    links, relations = batch.structure(), batch.relations
    structures = [
        Structure(relations.links[own[:size, :size]], relations)
        for own, size in zip(links, batch.num_nodes, strict=True)
    ]
    for row, one in enumerate(structures):
        assert forms.key(row) == one.key
        by_key.setdefault(one.key, []).append(row)
    assert 10 < len(by_key) < len(batch)
    for key, rows in by_key.items():
        assert np.flatnonzero(forms.has(key)).tolist() == rows
    # one row at least of each structure, and the same for all that are alike
    chosen = batch.num_nodes == 6
    firsts = forms.first_rows(chosen)
    assert {forms.key(row) for row in firsts} == {structures[i].key for i in np.flatnonzero(chosen)}
    assert chosen[firsts].all() and len(firsts) < chosen.sum()


def test_the_rows_of_each_shape_by_hand():
    graph = as_csr(nx.disjoint_union_all([*SHAPES, *SHAPES]))
    forms = CanonicalForms(extract_subgraphs(graph, SubgraphSettings(num_hops=2, max_nodes=4)))
    rows = [[0, 1, 2, 9, 10, 11], [3, 4, 5, 12, 13, 14], [6, 7, 15, 16], [8, 17]]
    for shape, expected in zip(SHAPES, rows, strict=True):
        key = Structure(nx.to_numpy_array(shape)).key
        assert np.flatnonzero(forms.has(key)).tolist() == expected
    assert not forms.has(Structure.parse("path-4").key).any()
