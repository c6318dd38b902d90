"""Families and ranking: planted motifs come first, their parts and extensions belong to them."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.candidates.candidates import gather_candidates
from mining.counting.exact_counts import count_exact
from mining.judging.null_comparison import compare_with_null
from mining.judging.ranking import find_families
from mining.mined_graph import MinedGraph
from mining.null_models.null_samples import NullSamples
from mining.records.occurrence_count import OccurrenceCount
from mining.records.pattern import Pattern
from synthetic import MOTIFS, barabasi_albert, plant_motifs


def families_of(graph, structures):
    def count(sample, numbers):
        some = [structures[number] for number in numbers]
        return [OccurrenceCount.exact(count_exact(sample, one).count) for one in some]

    observed = count(graph, range(len(structures)))
    mined = MinedGraph.of(graph)
    drawn = NullSamples(mined.graph, "degree")
    compared = compare_with_null(drawn, count, observed, least=8, most=8)
    patterns = [
        Pattern(one, significance={"degree": own})
        for one, own in zip(structures, compared, strict=True)
    ]
    return find_families(mined, drawn, patterns), compared


def planted(motifs, **options):
    return plant_motifs(
        barabasi_albert(200, 1, 0), 200, motifs, features="constant", seed=0, **options
    ).to_csr()


def structure(*edges):
    return Structure.of_edges(1 + max(map(max, edges)), edges)


motif = MOTIFS.__getitem__


def test_parts_and_extensions_belong_to_a_planted_motif():
    wheel, triangle = motif("wheel"), structure((0, 1), (1, 2), (2, 0))
    dangling = np.pad(wheel.joined, (0, 1))
    dangling[0, 6] = dangling[6, 0] = True
    chain = structure((0, 1), (1, 2), (2, 3))
    # a part of the wheel and a node of the background
    half = structure((0, 1), (1, 2), (2, 0), (2, 3))
    graph = planted({"wheel": 12})
    families, compared = families_of(graph, [triangle, Structure(dangling), wheel, chain, half])
    assert families.head == [2, 2, 2, 3, 2]
    assert families.heads == [2]
    # members follow, and what does not stand out comes last
    order = families.order()
    assert order[0] == 2
    standing = [compared[i].stands_out for i in order]
    assert True in standing[1:] and standing == sorted(standing, reverse=True)


def test_a_part_of_two_motifs_is_not_a_head():
    # the triangle stands out more than either, and belongs to both
    graph = planted({"wheel5": 9, "house5": 9})
    structures = [structure((0, 1), (1, 2), (2, 0)), motif("wheel5"), motif("house5")]
    families, _ = families_of(graph, structures)
    assert sorted(families.heads) == [1, 2]
    assert families.head[0] in (1, 2)


def test_a_motif_and_one_that_contains_it_are_two_heads():
    graph = planted({"clique4": 9, "clique5": 9})
    families, _ = families_of(graph, [motif("clique4"), motif("clique5")])
    assert sorted(families.heads) == [0, 1]


def test_two_triangles_that_share_a_node_are_no_accident():
    graph = planted({"bowtie": 12})
    families, _ = families_of(graph, [structure((0, 1), (1, 2), (2, 0)), motif("bowtie")])
    assert families.heads == [1]
    assert families.head == [1, 1]


@pytest.mark.parametrize("directed", [False, True])
def test_planted_motifs_are_the_first_patterns(directed):
    names = ("bi-fan", "three-cycle") if directed else ("house", "cup", "wheel")
    graph = planted(dict.fromkeys(names, 10), directed=directed)
    found = gather_candidates(MinedGraph.of(graph), range(3, 7), seed=0, most=40)
    structures = [one.structure for one in found if one.structure.num_cycles > 0]
    families, _ = families_of(graph, structures)
    first = {structures[i].key for i in families.order()[: len(names)]}
    assert first == {MOTIFS[name].key for name in names}


def test_a_head_that_is_not_decided_stands_behind_what_stands_out():
    wheel, triangle = motif("wheel"), structure((0, 1), (1, 2), (2, 0))
    graph = planted({"wheel": 12})
    families, _ = families_of(graph, [triangle, wheel])
    assert families.heads == [1] and families.order() == [1, 0]
    families.excess[1] = replace(families.excess[1], stands_out=False)
    assert families.order() == [0, 1]


def test_nothing_in_excess_has_no_heads():
    graph = as_csr(nx.gnp_random_graph(200, 0.02, seed=0))
    structures = [structure((0, 1), (1, 2)), structure((0, 1), (1, 2), (2, 0)), motif("square")]
    families, _ = families_of(graph, structures)
    assert (families.heads, families.head) == ([], [0, 1, 2])
    assert sorted(families.order()) == [0, 1, 2]
