"""A search starts several times: what each start found, what they have in all, what is said."""

from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from motif_searches import late, search_one, search_starts

import gomkcn
from gomkcn.mining.motif_sets import finding, graph_search
from gomkcn.mining.motif_sets.coded_set import Answer, CodedSet, GivenPattern
from gomkcn.mining.motif_sets.finding import _as_motif_set, find_motif_set
from gomkcn.mining.motif_sets.graph_candidates import GraphProposals
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.graph_search import answer_of_graph
from gomkcn.mining.motif_sets.motif_search import MotifSearch
from gomkcn.mining.motif_sets.motif_set import MotifSet, starts_sentence, summary
from gomkcn.mining.motif_sets.searching import Question
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import Pattern
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps

CLUSTERED = Path(__file__).parents[4] / "shared" / "clustered"
SIZES = range(3, 7)
PRISM, WHEEL, WHEEL7 = nx.circular_ladder_graph(3), nx.wheel_graph(5), nx.wheel_graph(8)


def clustered(copies=4, seed=0):
    """A clustered host with copies of a prism and a wheel."""
    host = nx.watts_strogatz_graph(120, 4, 0.3, seed=seed)
    return nx.disjoint_union_all([host, *[PRISM] * copies, *[WHEEL] * copies])


def structure_of(number):
    return Structure.of_edges(number + 2, [(k, k + 1) for k in range(number + 1)])


def test_the_set_is_at_least_as_short_as_that_of_each_start():
    found = search_starts(MinedGraph.of(clustered()), SIZES, exact_copies=True)
    assert len(found.bits_of_starts) in (2, 4)
    assert found.bits_saved >= max(found.bits_of_starts) - 1e-6
    assert all(0 <= motif.starts <= len(found.bits_of_starts) for motif in found.motifs)
    shapes = {motif.structure.key for motif in found.motifs}
    assert {Structure.from_networkx(shape).key for shape in (PRISM, WHEEL)} <= shapes


def test_starts_with_other_sets_are_two_more_in_a_small_graph_and_their_sets_are_crossed(
    monkeypatch,
):
    """Each start finds but one of two motifs, and what they have in all is both."""
    calls = []
    first, second = (Structure.from_networkx(shape).key for shape in (PRISM, WHEEL))
    mined = MinedGraph.of(clustered())
    whole = search_one(mined, SIZES, exact_copies=True)

    def search(question, empty, steps, settings=graph_search.GRAPH_SEARCH, known=None):
        calls.append(question)
        if known is not None:
            proposed = {pattern.key for pattern in question.proposed}
            assert {first, second} <= proposed
            return whole
        kept = [
            motif
            for motif in whole.motifs
            if motif.structure.key == (first, second)[len(calls) % 2]
        ]
        return replace(whole, motifs=tuple(kept), bits_total=whole.bits_total + 50 * len(calls))

    monkeypatch.setattr(graph_search, "search_graph", search)
    found = search_starts(mined, SIZES, exact_copies=True)
    # four starts of other seeds, and what crosses their sets
    assert len({question.seed for question in calls[:4]}) == 4 and len(calls) == 5
    saved = whole.bits_saved
    assert found.bits_of_starts == pytest.approx([saved - 50 * k for k in (1, 2, 3, 4)])
    assert found.bits_saved == saved
    starts = {motif.structure.key: motif.starts for motif in found.motifs}
    assert starts[first] == starts[second] == 2


def test_what_crossing_found_by_itself_is_known_to_the_search_after_it(monkeypatch):
    mined = MinedGraph.of(clustered())
    whole = search_one(mined, SIZES, exact_copies=True)
    starts = []
    search_graph = graph_search.search_graph

    def search(question, empty, steps, settings=graph_search.GRAPH_SEARCH, known=None):
        if not question.exact_copies:
            # the last search goes on from what was crossed
            assert known is whole
            return search_graph(question, empty, steps, settings, known)
        if known is not None:
            return whole
        starts.append(question.seed)
        kept = whole.motifs[len(starts) % 2 :][:1]
        return replace(whole, motifs=kept, bits_total=whole.bits_total + 50)

    monkeypatch.setattr(graph_search, "search_graph", search)
    assert len(whole.motifs) > 2
    given = [Pattern(Structure.parse("triangle"), sources=("given",))]
    for proposed in ((), given):
        found = search_starts(mined, SIZES, proposed=proposed)
        assert found.bits_total <= whole.bits_total + 1e-6


def test_copies_of_a_known_set_that_were_not_listed_are_known_after_it():
    """A motif of the set gets more copies beside those that it has, which must be found again."""
    mined = MinedGraph.of(clustered())
    whole = search_one(mined, SIZES, exact_copies=True)
    empty = GraphDescription.of(GraphCode.of(mined))
    proposals = GraphProposals(empty, SIZES, 0)
    search = MotifSearch(empty, proposals, graph_search.GRAPH_SEARCH, Steps())
    for motif in whole.motifs:
        (listed,) = proposals.give(motif.structure, ("grown",))
        search.take([proposals.completed(replace(listed, copies=listed.copies[:2]))])
    known = search.set_of(whole.motifs)
    search.start_from(known)
    assert search.best.length == pytest.approx(known.length)
    for motif in search.best.motifs:
        candidate = search.candidates[motif.structure.code]
        np.testing.assert_array_equal(
            candidate.chosen(candidate.rows_of(motif.copies)), motif.copies
        )


def test_starts_that_agree_are_two(monkeypatch):
    calls = []

    def search(question, *rest):
        calls.append(question)
        return CodedSet((), 100.0, 100.0)

    monkeypatch.setattr(graph_search, "search_graph", search)
    found = search_starts(MinedGraph.of(clustered()), SIZES, exact_copies=True)
    assert len(calls) == 2 and found.bits_of_starts == (0.0, 0.0)
    # a start takes a minute in a graph of many edges
    calls.clear()
    large = MinedGraph.of(nx.gnm_random_graph(6_000, 10_001, seed=0))
    assert search_starts(large, SIZES, exact_copies=True).bits_of_starts == (0.0,)
    assert len(calls) == 1


def test_every_second_start_is_without_what_was_proposed():
    proposed = [Pattern(Structure.parse("clique-5"), sources=("filters",))]
    question = Question(MinedGraph.of(PRISM), proposed=proposed)
    assert question.started(0) is question
    assert [bool(question.started(k).proposed) for k in range(4)] == [True, False, True, False]
    # nothing else would show structures
    alone = replace(question, grows=False)
    assert all(alone.started(k).proposed for k in range(4))
    other = replace(question, seed=1)
    assert len({start.started(k).seed for start in (question, other) for k in range(4)}) == 8


def test_without_what_was_given_the_search_is_that_of_a_run_where_nothing_is(monkeypatch):
    """What filters propose stays, also where it is given, and in the same order."""
    ring, clique = Structure.parse("ring-6"), Structure.parse("clique-5")
    questions = []

    def answer(question, steps):
        questions.append(question)
        return Answer(CodedSet((), 100.0, 100.0), None)

    monkeypatch.setattr(finding, "propose_filters", lambda *_: (ring, clique))
    monkeypatch.setattr(finding, "answer_of_graph", answer)
    for given in ((), (clique, Structure.parse("ring-5"))):
        patterns = [Pattern(structure, sources=("given",)) for structure in given]
        find_motif_set(MinedGraph.of(PRISM), SIZES, 0, patterns)
    plain, with_given = questions
    assert with_given.has_given and not with_given.ungiven.has_given
    shown = [(pattern.key, pattern.sources) for pattern in plain.proposed]
    assert shown == [(ring.key, ("filters",)), (clique.key, ("filters",))]
    assert [(one.key, one.sources) for one in with_given.ungiven.proposed] == shown


def test_time_that_is_up_ends_with_one_start():
    found = search_starts(MinedGraph.of(clustered()), SIZES, steps=late())
    assert found.cut and len(found.bits_of_starts) == 1


def test_the_table_says_how_many_starts_have_a_motif():
    found = gomkcn.motif_set(clustered(), (3, 6), exact_copies=True)
    parts = [replace(one, motif=replace(one.motif, starts=k % 2)) for k, one in enumerate(found)]
    rows = replace(found, motifs=tuple(parts), bits_of_starts=(1.0, 1.0)).rows()
    assert [row.part.starts for row in rows] == [k % 2 for k in range(len(found))]
    table = replace(found, motifs=tuple(parts), bits_of_starts=(1.0, 1.0)).table().columns()
    assert table["starts"] == [k % 2 for k in range(len(found))]


@pytest.mark.parametrize("few", [1, 2])
def test_what_fewer_than_half_of_the_starts_found_stands_after_the_others(few):
    mined = MinedGraph.of(clustered())
    whole = search_one(mined, SIZES, exact_copies=True)
    best = whole.best_motif
    motifs = tuple(replace(one, starts=few if one is best else 3) for one in whole.motifs)
    found = _as_motif_set(mined, replace(whole, motifs=motifs, bits_of_starts=(1.0,) * 4), 1)
    above = [one for one in found if one.motif.bits >= 10]
    assert len(above) > 2
    # half of them is not few
    assert above[-1 if few == 1 else 0].key == best.structure.key


def test_the_answer_says_how_many_starts_found_it():
    found = gomkcn.motif_set(clustered(), (3, 6), exact_copies=True)
    assert starts_sentence(found) in summary(found) and "of the search" in summary(found)
    none = gomkcn.motif_set(nx.gnm_random_graph(60, 120, seed=0), (3, 5), exact_copies=True)
    assert not none.motifs and "Both starts of the search found none." in summary(none)
    # a collection has one
    several = gomkcn.motif_set([PRISM] * 8, (3, 6))
    assert several.bits_of_starts == () and "start" not in summary(several)
    assert "starts" not in several.table().columns()


def test_starts_do_not_lose_the_filters_that_are_given_as_well(monkeypatch):
    """What is given comes after them, so that it can only make the description shorter."""
    ring, prism = Structure.parse("ring-4"), Structure.from_networkx(PRISM)
    question = Question(
        MinedGraph.of(PRISM),
        proposed=[Pattern(prism, sources=("filters", "given")), Pattern(ring, sources=("given",))],
    )
    assert question.has_given and not question.ungiven.has_given
    assert [one.sources for one in question.ungiven.proposed] == [("filters",)]
    # the prism is among the filters, which keep their order
    calls = []

    def answer(question, steps):
        calls.append(question)
        return answer_of_graph(question, steps)

    monkeypatch.setattr(finding, "answer_of_graph", answer)
    without, beside = (
        gomkcn.motif_set(clustered(), (3, 6), given=given, exact_copies=True)
        for given in ([], [ring, prism])
    )
    filters, others = ([one.key for one in call.ungiven.proposed] for call in calls)
    assert filters == others and prism.key in filters[1:]
    assert beside.bits_of_starts == without.bits_of_starts
    assert beside.bits_saved >= without.bits_saved


def test_copies_that_differ_come_after_the_starts():
    """Of a motif that was looked for once it is not known how many starts would find it."""
    rng = np.random.default_rng(0)
    graph = nx.disjoint_union_all([nx.gnm_random_graph(120, 150, seed=0), *[WHEEL7] * 12])
    inside = [edge for edge in graph.edges if edge[0] >= 120]
    graph.remove_edges_from([inside[k] for k in rng.choice(len(inside), 18, replace=False)])
    found = gomkcn.motif_set(graph, (3, 8))
    assert any(len(one.motif.edits) for one in found)
    assert found.bits_from_starts < found.bits_saved
    assert "with copies that differ, looked for once" in summary(found)
    assert {one.motif.starts for one in found} == {None}


def test_bits_that_exact_copies_of_what_is_given_save_are_no_copies_that_differ():
    given = {"triangle": GivenPattern(0.0, "is in the set, which saves 40.0 bits")}
    found = MotifSet((), 100.0, 60.0, bits_of_starts=(31.5, 31.5), bits_from_starts=31.5)
    with_given = starts_sentence(replace(found, given=given))
    assert with_given.endswith("; with what is given, looked for once, 8.5 bits more are saved.")


def test_a_record_keeps_what_starts_found():
    found = gomkcn.motif_set(clustered(), (3, 6), exact_copies=True)
    record = found.to_record()
    copies = [[one.motif.copies for one in found]]
    again = MotifSet.of_record(record, found[0].structure.relations, copies)
    assert again.bits_of_starts == found.bits_of_starts
    assert [one.motif.starts for one in again] == [one.motif.starts for one in found]


def test_filters_propose_where_nothing_grows():
    mined = MinedGraph.of(clustered(6))
    found = find_motif_set(mined, SIZES, 0, sources=("filters",), exact_copies=True)
    assert {one.sources for one in found} == {("filters",)}
    keys = {one.key for one in found}
    assert {Structure.from_networkx(shape).key for shape in (PRISM, WHEEL)} <= keys
    assert "filters" in found.table().columns()["seen_by"][0]
    grown = find_motif_set(mined, SIZES, 0, sources=("grown",), exact_copies=True)
    assert {one.sources for one in grown} == {("grown",)}


@pytest.mark.slow
@pytest.mark.skipif(not CLUSTERED.is_dir(), reason="the clustered graphs of ../shared are not here")
@pytest.mark.parametrize(
    ("name", "sizes", "least"), [("geo-8", (3, 8), 3623), ("ws3-5", (3, 10), 1130)]
)
def test_planted_motifs_of_clustered_graphs_are_found(name, sizes, least):
    graph = gomkcn.read_graph(CLUSTERED / f"{name}.txt")
    assert gomkcn.motif_set(graph, sizes).bits_saved >= least


@pytest.mark.skipif(not CLUSTERED.is_dir(), reason="the clustered graphs of ../shared are not here")
def test_two_motifs_that_share_a_node_are_found():
    found = gomkcn.motif_set(gomkcn.read_graph(CLUSTERED / "tree_shared.txt"), (3, 8))
    assert found.bits_saved >= 295 and [one.motif.copies_exact for one in found] == [4, 4]
