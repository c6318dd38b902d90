"""The search for a set: it goes on where it was killed, says where it was cut, and is content."""

from dataclasses import replace
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from motif_searches import (
    CLIQUE,
    WHEEL,
    KilledError,
    KilledSteps,
    digest,
    found_in_graph,
    late,
    planted,
    search_many,
    search_of,
    search_starts,
)

from gomkcn.mining.motif_sets.coded_set import CodedSet
from gomkcn.mining.motif_sets.collection_candidates import CollectionProposals, GrownStructures
from gomkcn.mining.motif_sets.collection_search import (
    COLLECTION_SEARCH,
    answer_of_collection,
    empty_descriptions,
    search_collection,
)
from gomkcn.mining.motif_sets.graph_search import DECIDING_SEARCH
from gomkcn.mining.motif_sets.motif_search import MotifSearch, MotifSearchState
from gomkcn.mining.motif_sets.moves import (
    CoverAnew,
    Drop,
    DropAndCover,
    DropPairs,
    Gap,
    PutFirst,
    Swap,
    codes_of,
    put_in,
)
from gomkcn.mining.motif_sets.search_settings import SearchSettings
from gomkcn.mining.motif_sets.searching import Question
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import Pattern
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps


def rings_and_stars():
    """Twenty random trees of edges of two kinds, each with a typed ring and a typed star."""
    rng = np.random.default_rng(0)
    edges = []
    for first in range(0, 20 * 16, 16):
        ring = [(k, (k + 1) % 5, int(k < 2)) for k in range(5)]
        star = [(5, 6, 0), (5, 7, 0), (5, 8, 1), (6, 7, 1)]
        tree = nx.random_labeled_tree(7, seed=first)
        rest = [(9 + u, 9 + v, int(rng.integers(2))) for u, v in tree.edges]
        joins = [(0, 9, 0), (5, int(rng.integers(9, 16)), 1)]
        edges += [(first + u, first + v, one) for u, v, one in ring + star + rest + joins]
    source, target, relation = np.array(edges).T
    ptr = np.arange(0, 20 * 16 + 1, 16)
    kinds = {"relation": relation, "relation_names": ["single", "double"]}
    return MinedGraph.of(csr_from_edges(source, target, 20 * 16, graph_ptr=ptr, **kinds))


def found_in_collection(mined, steps):
    return answer_of_collection(Question(mined, range(2, 6)), steps)


def found_with_edits(mined, steps):
    return found_in_graph(mined, steps, sizes=range(3, 5), exact_copies=False)


def found_with_given(mined, steps):
    """From several starts, with what is given: a structure that is there, and another."""
    given = [
        Pattern(Structure.from_networkx(shape), sources=("given",))
        for shape in (nx.cycle_graph(4), CLIQUE)
    ]
    return search_starts(mined, range(3, 5), steps=steps, proposed=given)


def found_in_one_round(mined, steps):
    """By a search that is cut: more rounds are not to be made."""
    return found_in_graph(mined, steps, SearchSettings(least_of_round=-1.0, most_rounds=1))


def found_from_one_set(mined, steps):
    return found_in_graph(mined, steps, DECIDING_SEARCH)


def improved(search, move, best):
    """A set after a move."""
    search.best = best
    return search.make(move)


def test_a_base_far_behind_the_other_one_gets_no_more_than_greedy_sets(tmp_path):
    mined = rings_and_stars()
    empty = empty_descriptions(mined)
    question = Question(mined, range(2, 6))
    grown = GrownStructures(mined, empty, question.sizes, 0)

    def search(base, bits_total=None):
        """What is found in a base with a set of so many bits to beat, and by its greedy sets."""
        steps = KilledSteps(tmp_path / f"{base} {bits_total}")
        to_beat = None if bits_total is None else CodedSet((), bits_total, bits_total)
        (found,) = steps.each(
            "searching",
            CodedSet,
            lambda base: search_collection(question, grown, base, steps, None, to_beat),
            [base],
        )
        return found, {motif.structure.code for motif in steps.states[0].motifs}

    least = []
    for base in range(2):
        whole, _ = search(base)
        least.append(whole.bits_total)
        # one that comes near is searched for as if there were no other
        near, _ = search(base, whole.bits_total - 0.02 * whole.bits_saved)
        assert digest(near) == digest(whole) and not whole.cut
        far, greedy = search(base, whole.bits_total - 0.5 * whole.bits_saved)
        assert "ended early" in far.cut and far.codes == greedy
        assert whole.bits_total <= far.bits_total < far.bits_base
    # the answer is that of both searched to their ends
    answer = answer_of_collection(question, Steps())
    assert answer.found.bits_total == min(least)


def test_what_a_search_tells_of_its_progress_grows_and_never_ends():
    told = []
    search = search_of(planted("plain"), SearchSettings(most_rounds=3))
    search.report = told.append
    search.run()
    assert told == sorted(told) and told[0] == 0.0 and len(told) > search.num_steps
    # however many rounds there are, the last ones move it
    search.stage = 40
    search.tell()
    search.num_steps += 1
    search.tell()
    assert told[-3] < told[-2] < told[-1] < 1.0


def test_a_search_that_is_cut_before_its_first_set_has_the_motif_that_saves_most(monkeypatch):
    search = search_of(planted("plain"))

    def propose(description, number):
        """What is proposed is known, and then time is up."""
        search.take(search.proposals(description, number, search.candidates))
        monkeypatch.setattr(search.steps, "is_late", lambda: True)

    monkeypatch.setattr(search, "propose", propose)
    best = search.run()
    assert search.cut == "Time was up before the search ended."
    known = [choice for choice in search.alone.values() if choice is not None]
    assert len(best.motifs) == 1 and search.empty.length - best.length > 10
    assert best.length == min(search.with_choice(search.empty, one).length for one in known)


@pytest.mark.parametrize(
    ("find", "mined"),
    [
        (found_with_edits, planted("plain")),
        (found_with_given, planted("plain")),
        (found_in_one_round, planted("plain")),
        (found_from_one_set, planted("plain")),
        (found_in_graph, planted("directed")),
        (found_in_graph, planted("relations")),
        (found_in_graph, planted("categories")),
        (found_in_collection, rings_and_stars()),
    ],
    ids=[
        "edits",
        "given",
        "one round",
        "one set",
        "directed",
        "relations",
        "categories",
        "collection",
    ],
)
def test_a_search_that_is_killed_goes_on_where_it_was(find, mined, tmp_path):
    whole = KilledSteps(tmp_path / "whole")
    expected = digest(find(mined, whole))
    assert digest(find(mined, Steps())) == expected
    states = [digest(state) for state in whole.states]
    # a single greedy set is over before there is anything to go on from
    assert states or find is found_from_one_set
    places = range(1, len(states) + 1)
    if find not in (found_with_edits, found_with_given):
        # what is kept at one place is kept at all
        places = places[len(places) // 2 :][:1]
    for number in places:
        folder = tmp_path / str(number)
        with pytest.raises(KilledError):
            find(mined, KilledSteps(folder, number))
        resumed = KilledSteps(folder)
        assert digest(find(mined, resumed)) == expected
        # what was done is not done again, and what comes then is as if nothing had been
        assert [digest(state) for state in resumed.states] == states[number:]
        # nothing but results stays
        assert not [*folder.glob("*so-far*")]


def test_a_state_that_is_damaged_is_as_none(tmp_path):
    mined = planted("plain")
    expected = digest(found_in_graph(mined, Steps()))
    with pytest.raises(KilledError):
        found_in_graph(mined, KilledSteps(tmp_path, 2))
    (kept,) = tmp_path.glob("*so-far*")
    kept.write_bytes(kept.read_bytes()[:-100])
    assert digest(found_in_graph(mined, KilledSteps(tmp_path))) == expected


@pytest.mark.parametrize("kind", ["plain", "directed", "relations", "categories"])
def test_no_motif_of_a_set_is_one_too_many(kind):
    mined = planted(kind)
    search = search_of(mined)
    best = search.run()
    assert len(best.motifs) >= 2 and not search.cut
    assert best.length < search.empty.length
    for number in range(len(best.motifs)):
        assert best.without(number).length > best.length
    # nor does any structure that was proposed save much beside them
    for candidate in search.candidates.values():
        choice = search.choose(best, candidate)
        if choice is not None:
            assert search.with_choice(best, choice).length > best.length - 2
    # another search finds the same
    again = search_of(mined).run()
    assert again.length == best.length
    assert [motif.copies.tolist() for motif in again.motifs] == [
        motif.copies.tolist() for motif in best.motifs
    ]


def test_of_a_collection_each_motif_is_worth_what_it_must_be():
    bases = search_many(rings_and_stars(), range(2, 6))
    # the one that is far behind ends after its greedy sets, and says so
    assert [not found.cut for found in bases].count(True) == 1
    assert not max(bases, key=lambda found: found.bits_saved).cut
    for found in bases:
        assert len(found.motifs) >= 2
        assert all(motif.bits >= 10 for motif in found.motifs)
        assert found.bits_saved > max(motif.bits for motif in found.motifs)


class LookedSteps(Steps):
    """Steps whose time is up after so many looks."""

    def __init__(self, most=np.inf):
        super().__init__()
        self.most = most
        self.looks = 0

    def is_late(self):
        self.looks += 1
        return self.looks > self.most


def test_a_search_may_be_cut_at_any_of_its_looks_at_the_time():
    mined = planted("plain")
    steps = LookedSteps()
    whole = search_of(mined, steps=steps)
    best_of_all = whole.run()
    lengths = []
    for looks in range(0, steps.looks, steps.looks // 8):
        search = search_of(mined, steps=LookedSteps(looks))
        best = search.run()
        lengths.append(best.length)
        assert search.cut == "Time was up before the search ended."
        # once it is said, nothing else is begun
        assert search.num_steps <= whole.num_steps and search.stops()
    # the more time, the shorter
    assert lengths == sorted(lengths, reverse=True) and len(lengths) > 5
    assert lengths[0] == whole.empty.length > lengths[-1] >= best_of_all.length


def test_so_many_steps_are_made_and_it_is_said():
    mined = planted("plain")
    free = search_of(mined)
    free.run()
    for most in (1, 2, 5, free.num_steps - 1, free.num_steps + 1):
        search = search_of(mined, SearchSettings(most_steps=most))
        best = search.run()
        is_cut = most < free.num_steps
        assert search.num_steps == min(most, free.num_steps)
        assert bool(search.cut) == is_cut
        if is_cut:
            assert search.cut == f"The search ended after {most} steps."
        assert best.motifs or most == 1


def test_rounds_that_gain_little_are_the_last():
    mined = planted("plain")
    kept = []
    for least in (-1.0, 0.5, 1e9):
        settings = SearchSettings(least_of_round=least, most_rounds=3)
        steps = Steps()
        states = []
        steps.keep = states.append
        search = search_of(mined, settings, steps)
        search.run()
        kept.append([state.stage for state in states])
        is_cut = search.cut == "Shorter sets were still found after 3 rounds."
        assert is_cut == (least < 0)
    # three greedy sets, then rounds; the last one keeps nothing to go on from
    assert kept[0] == [1, 2, 3, 4, 5]
    assert kept[2] == [1, 2, 3]
    assert kept[2] <= kept[1] <= kept[0]


def test_nothing_is_tried_where_the_first_set_is_empty():
    steps = Steps()
    states = []
    steps.keep = states.append
    mined = MinedGraph.of(nx.gnp_random_graph(60, 0.06, seed=2))
    search = search_of(mined, steps=steps)
    assert not search.run().motifs and not search.cut
    assert search.stage == 1 and not states


def test_structures_are_proposed_in_so_many_rounds():
    mined = planted("plain")
    for rounds in (0, 1, 2):
        settings = SearchSettings(rounds_of_proposals=rounds, least_of_round=-1.0, most_rounds=3)
        asked = []
        search = search_of(mined, settings)
        proposals = search.proposals

        class Listening:
            give = proposals.give
            completed = proposals.completed
            redrawn = proposals.redrawn
            choose = proposals.choose
            choices = proposals.choices

            def __call__(self, description, number, known, asked=asked, ask=proposals):
                asked.append((number, len(description.motifs)))
                return ask(description, number, known)

        search.proposals = Listening()
        search.run()
        assert [number for number, _ in asked] == [*range(rounds + 1)]
        # at first of the empty graph, then of what the set leaves over
        assert [motifs > 0 for _, motifs in asked] == [False] + [True] * rounds
        # what does not grow is asked for nothing
        silent = search_of(mined, settings)
        silent.proposals = None
        assert not silent.run(grows=False).motifs


def test_a_state_says_what_was_tried():
    mined = planted("plain")
    steps = Steps()
    states = []
    steps.keep = states.append
    best = search_of(mined, SearchSettings(least_of_round=-1.0), steps).run()
    last = states[-1]
    assert isinstance(last, MotifSearchState)
    assert codes_of(last) == codes_of(best)
    singles = {numbers for numbers, _ in last.tried if len(numbers) == 1}
    # each motif was left out, to no avail
    assert singles == {(number,) for number in range(len(best.motifs))}
    for numbers, exponent in last.tried:
        assert numbers == tuple(sorted(numbers)) and exponent in (0.0, 1.0, 0.5)
    # so that it is not done again
    search = search_of(mined)
    resumed = search.run(state=replace(last, stage=5))
    assert [digest(motif.copies) for motif in resumed.motifs] == [
        digest(motif.copies) for motif in best.motifs
    ]


def test_a_greedy_step_takes_what_saves_most_or_most_for_its_edges():
    """Large sparse copies that save more in all, and small dense ones that save more an edge."""
    parts = [nx.complete_graph(4)] * 6 + [nx.petersen_graph()] * 6 + [nx.cycle_graph(40)]
    mined = MinedGraph.of(nx.disjoint_union_all(parts))
    search = search_of(mined, sizes=range(4, 11))
    search.take(
        [
            candidate
            for name in (nx.complete_graph(4), nx.petersen_graph())
            for candidate in search.proposals.give(Structure.from_networkx(name), ("given",))
        ]
    )
    by_bits = search.add(search.empty, 0.0)
    by_edge = search.add(search.empty, 1.0)
    assert [motif.structure.num_nodes for motif in by_bits.motifs] == [10, 4]
    assert [motif.structure.num_nodes for motif in by_edge.motifs] == [4, 10]
    # what is banned does not come, and what is there stays
    clique = by_edge.motifs[0].structure.code
    without = search.add(search.empty, 0.0, banned={clique})
    assert [motif.structure.num_nodes for motif in without.motifs] == [10]
    assert search.add(by_bits, 0.0) is by_bits
    # a gap is filled with what was there, or not at all where this is banned
    assert search.refill(by_bits, Gap((0,), 0.0)).length == pytest.approx(by_bits.length)
    fewer = by_bits.without(0)
    freed = by_bits.used & ~fewer.used
    again = search.add(fewer, 0.0, freed)
    assert again.length == pytest.approx(by_bits.length, abs=1e-9)
    assert search.add(fewer, 0.0, ~freed) is fewer


def test_late_steps_propose_nothing():
    search = search_of(planted("plain"), steps=late())
    search.proposals = None
    assert not search.run().motifs and not search.candidates
    assert search.cut == "Time was up before the search ended."


def given_search(whole, *structures):
    """A search of a graph that knows some structures alone, and these."""
    search = search_of(MinedGraph.of(whole))
    candidates = [
        candidate
        for one in structures
        for candidate in search.proposals.give(Structure.from_networkx(one), ("given",))
    ]
    search.take(candidates)
    return search, candidates


def test_each_motif_that_is_one_too_many_goes():
    """Two that cost more than they save stand before one that saves."""
    parts = [nx.complete_graph(4)] * 8 + [nx.gnm_random_graph(40, 60, seed=1)]
    path, star, clique = nx.path_graph(3), nx.star_graph(3), nx.complete_graph(4)
    search, candidates = given_search(nx.disjoint_union_all(parts), path, star, clique)
    description = search.add(search.empty, 0.0)
    (saving,) = description.motifs
    for candidate in candidates[:2]:
        # two copies of each, at edges that no copy has
        rows = []
        used = description.used.copy()
        for row in candidate.copies.astype(np.int64):
            edges = search.empty.code.edge_numbers(candidate.structure, row[None])
            if len(rows) < 2 and not used[edges].any():
                rows.append(row)
                used[edges] = True
        description = description.add(candidate.structure, np.stack(rows))
    assert len(description.motifs) == 3
    turned = search.empty
    for motif in description.motifs[::-1]:
        turned = turned.add(motif.structure, motif.copies)
    for motifs in (description, turned):
        after = improved(search, Drop(), motifs)
        assert [motif.structure.code for motif in after.motifs] == [saving.structure.code]
        assert after.length < motifs.length
        search.tried.clear()


def test_two_motifs_that_meet_give_way_to_one():
    """In cliques of six nodes, a clique of four and a triangle have one node in common."""
    whole = nx.disjoint_union_all(
        [nx.complete_graph(6)] * 8 + [nx.gnm_random_graph(40, 60, seed=1)]
    )
    cliques = [nx.complete_graph(size) for size in (3, 4, 6)]
    search, (triangle, four, six) = given_search(whole, *cliques)
    copies = six.copies.astype(np.int64)
    assert len(copies) == 8
    both = search.empty.add(four.structure, copies[:, :4]).add(triangle.structure, copies[:, 3:])
    # neither goes alone
    assert six.code not in {motif.structure.code for motif in improved(search, Drop(), both).motifs}
    search.tried.clear()
    # by bits alone the two would come back
    search.best = both
    gaps = [(gap.numbers, gap.exponent) for gap in DropPairs().propose(search)]
    assert gaps == [((0, 1), 1.0), ((0, 1), 0.5)]
    (motif,) = improved(search, DropPairs(), both).motifs
    assert motif.structure.code == six.code and len(motif.copies) == 8
    # two that do not meet are not left out together
    search.tried.clear()
    apart = search.empty.add(four.structure, copies[:4, :4]).add(triangle.structure, copies[4:, 3:])
    assert improved(search, DropPairs(), apart) is apart and not search.tried


def test_two_motifs_with_a_node_in_common_come_in_the_place_of_one_that_hides_them():
    """Each copy of a clique less an edge has a node in common with a wheel."""
    clique, wheel = nx.complete_graph(5), nx.wheel_graph(5)
    clique.remove_edge(3, 4)
    both = nx.union(clique, nx.relabel_nodes(wheel, {k: 10 + k for k in range(5)}))
    both = nx.contracted_nodes(both, 0, 11, copy=True)
    both = nx.Graph(both.edges)
    # most of each: without the nodes of least degree
    large = nx.Graph(both.subgraph([0, 1, 2, 3, 10, 12, 14]).edges)
    tree = nx.random_labeled_tree(300, seed=1)
    whole = nx.disjoint_union_all([both] * 4 + [tree])
    search, (first, second, hiding) = given_search(whole, clique, wheel, large)
    covered = search.cover([hiding.code])
    (motif,) = covered.motifs
    assert len(motif.copies) == 4
    # nothing is left of the two
    assert search.add(covered, 0.0) is covered
    assert not search.finds_room(covered, first.code)
    after = improved(search, PutFirst(), covered)
    assert {one.structure.code for one in after.motifs} == {first.code, second.code}
    assert [len(one.copies) for one in after.motifs] == [4, 4]
    assert after.length < covered.length
    # what chose first in a set to no avail is not tried in it again
    search.best = after
    others = [gap.first for gap in PutFirst().propose(search)]
    assert not [*PutFirst().propose(search)] and len({*others}) == len(others)
    # nothing is tried that has nothing in its way
    search.best = search.empty
    assert not [*PutFirst().propose(search)]


def test_what_is_shorter_by_anything_that_counts_is_kept():
    for least_of_motif in (0.0, 10.0):
        search = search_of(planted("plain"), SearchSettings(least_of_motif=least_of_motif))
        ten, less, more, equal, larger, smaller = (
            SimpleNamespace(length=10 + bits, motifs=[None] * number)
            for bits, number in ((0, 2), (-1e-3, 2), (1e-3, 2), (-1e-8, 2), (-9, 3), (9, 1))
        )
        kept = []
        for other in (less, more, equal, larger, smaller):
            search.best = ten
            search.keep_shorter(other)
            kept.append(search.best is other)
        # a motif more must be worth what a motif must be
        assert kept == [True, False, False, least_of_motif == 0.0, least_of_motif > 0.0]


@pytest.fixture(scope="module")
def collection():
    """What searches of rings and stars in the base of total degrees begin with."""
    mined = rings_and_stars()
    empty = empty_descriptions(mined)
    grown = GrownStructures(mined, empty, range(2, 6), 0)
    return empty[1], CollectionProposals(empty[1], 1, grown)


def search_in(collection, **settings):
    search = MotifSearch(*collection, replace(COLLECTION_SEARCH, **settings), Steps())
    search.propose(search.empty, 0)
    return search


def test_copies_of_many_structures_at_once_are_those_of_each(collection):
    empty, proposals = collection
    search = search_in(collection)
    candidates = [*search.candidates.values()]
    # of several sizes, in an order that mixes them, and beside a motif, whose copies are not free
    candidates.sort(key=lambda candidate: candidate.code)
    assert len({candidate.structure.num_nodes for candidate in candidates}) > 1
    with_motif = search.add(empty, 0.0)
    freed = np.zeros(empty.code.graph.num_nodes, bool)
    freed[::3] = True
    for description in (empty, with_motif):
        for some in (None, freed):
            together = [*proposals.choices(description, candidates, some, 0.0)]
            each = [proposals.choose(description, one, some, 0.0) for one in candidates]
            assert [one is None for one in together] == [one is None for one in each]
            assert any(one is None for one in each) or description is empty
            pairs = [(a, b) for a, b in zip(together, each, strict=True) if a is not None]
            assert len(pairs) > 3 or description is with_motif
            for a, b in pairs:
                # to the last bit, so that it does not matter which others are there
                assert a.gain == b.gain and np.array_equal(a.copies, b.copies)
                assert a.candidate is b.candidate


def test_in_a_collection_each_motif_that_stays_is_worth_ten_bits(collection):
    search = search_in(collection)
    best = search.run()
    assert len(best.motifs) >= 2
    # one that is worth less than a motif must be goes
    weakest = min(search.worth(best, number) for number in range(len(best.motifs)))
    dear = search_in(collection, least_of_motif=weakest + 1)
    before = dear.cover(codes_of(best))
    assert len(improved(dear, DropAndCover(), before).motifs) < len(best.motifs)
    for key in sorted(search.candidates)[::3]:
        before = search.cover([*codes_of(best), key])
        after = improved(search, DropAndCover(), improved(search, CoverAnew(), before))
        for number in range(len(after.motifs)):
            assert search.worth(after, number) >= 10 - 1e-6
        assert after.length <= best.length + 1e-6 or len(after.motifs) < len(best.motifs)


def test_a_set_that_is_known_to_be_no_shorter_is_not_made_again(collection):
    search = search_in(collection)
    search.run()
    best, codes = search.best, codes_of(search.best)[:1]
    assert search.cover_anew(codes).length >= best.length
    chosen = []
    search.cover = lambda codes: chosen.append(codes)
    assert search.cover_anew(codes) is best and not chosen
    del search.cover
    # it is where the best one is longer
    search.best = search.empty
    again = search.cover_anew(codes)
    assert codes_of(again) == codes and again.length < search.empty.length


def test_a_structure_is_put_in_before_those_that_are_not_larger(collection):
    search = search_in(collection)
    best = search.run()
    first, second = sorted(codes_of(best)[:2], key=lambda key: search.candidates[key].rank)
    large, small = search.candidates[first], search.candidates[second]
    for one, other in ((large, small), (small, large)):
        after = search.cover(put_in(search, (one.code,), other))
        assert codes_of(after) == (first, second)
    # or in the place of another
    assert put_in(search, (second, small.code), large, second)[0] == first


@pytest.mark.parametrize("moves", [{"most_put_in": 0}, {"most_in_place": 0}])
def test_a_part_of_a_motif_gives_way_to_it(collection, moves):
    """In its place, or since it is put in before it."""
    whole = search_in(collection).run()
    search = search_in(collection, **moves)
    parts = {part for key in codes_of(whole) for part in search.candidates[key].parts}
    part = max(
        (search.candidates[key] for key in parts & search.candidates.keys()),
        key=lambda one: search.gain_alone(one.code),
    )
    before = search.cover([part.code])
    assert codes_of(before) == (part.code,)
    after = improved(search, Swap(), before)
    assert after.length < before.length and codes_of(after) != (part.code,)
    # without any such move it stays
    still = search_in(collection, most_put_in=0, most_in_place=0)
    assert codes_of(improved(still, Swap(), still.cover([part.code]))) == (part.code,)


def test_a_motif_of_a_collection_takes_all_its_copies_at_once(collection):
    search = search_in(collection)
    best = search.run()
    for code in codes_of(best):
        assert search.choose(best, search.candidates[code]) is None
        assert search.choose(search.empty, search.candidates[code]) is not None


def test_in_one_graph_a_part_of_a_motif_gives_way_to_it():
    whole = nx.disjoint_union_all([WHEEL] * 8 + [nx.gnm_random_graph(40, 60, seed=1)])
    search, (part, wheel) = given_search(whole, nx.diamond_graph(), WHEEL)
    before = search.cover([part.code])
    assert codes_of(before) == (part.code,)
    after = improved(search, Swap(), before)
    assert codes_of(after)[0] == wheel.code and after.length < before.length
    # those that choose anew take what the others leave
    turned = search.cover([part.code, wheel.code])
    assert improved(search, CoverAnew(), turned).length <= turned.length


def test_a_structure_without_copies_leaves_a_cover_as_it_is(collection):
    search = search_in(collection)
    first, second = codes_of(search.run())[:2]
    covered = search.cover([first])
    absent = [
        code
        for code, candidate in sorted(search.candidates.items())
        if code != first and search.choose(covered, candidate) is None
    ]
    assert absent
    # what follows is not looked for again
    assert search.cover([first, *absent, second]) is search.cover([first, second])


def test_what_cannot_save_most_by_its_estimate_is_not_measured():
    lengths = {}
    for most in (0.0, 20.0, np.inf):
        search = search_of(planted("plain"), SearchSettings(bits_more_than_estimate=most))
        search.propose(search.empty, 0)
        counted = []
        with_choice = search.with_choice
        search.with_choice = lambda *given, to=with_choice, seen=counted: (
            seen.append(given) or to(*given)
        )
        lengths[most] = search.add(search.empty, 0.0).length, len(counted)
    # the same is found, with the fewer lengths the more is known
    assert lengths[20.0][0] == lengths[np.inf][0]
    assert lengths[0.0][1] < lengths[20.0][1] < lengths[np.inf][1]
