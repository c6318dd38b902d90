"""Families and ranking: planted motifs come first, their parts and extensions belong to them."""

import numpy as np
import pytest

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


@pytest.mark.parametrize("directed", [False, True])
def test_planted_motifs_are_the_first_patterns(directed):
    names = ("bi-fan", "three-cycle") if directed else ("house", "cup", "wheel")
    graph = planted(dict.fromkeys(names, 10), directed=directed)
    found = gather_candidates(MinedGraph.of(graph), range(3, 7), seed=0, most=40)
    structures = [one.structure for one in found if one.structure.num_cycles > 0]
    families, _ = families_of(graph, structures)
    first = {structures[i].key for i in families.order()[: len(names)]}
    assert first == {MOTIFS[name].key for name in names}
