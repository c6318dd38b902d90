"""What a search keeps: it finds the same with less work, in so many bytes."""

import hashlib
import pickle
from dataclasses import replace

import numpy as np
import pytest
from copies_reference import choose_plainly
from motif_searches import digest, found_in_graph, planted, search_of

from gomkcn.mining.motif_sets import graph_candidates, graph_code
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_count import GraphCount
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.kept_results import KeptResults, digest_of
from gomkcn_dgl.runtime.steps import Steps

KINDS = ["plain", "directed", "relations", "categories"]
# bits and copies of what was found before anything was kept
FOUND = {
    "plain": (898.5270183602374, "cce547c060362b1c"),
    "directed": (904.4205532546828, "006db254310120c9"),
    "relations": (911.3931778650133, "47bce72944e4b7cb"),
    "categories": (744.1118869030809, "ee5fe9032ecf43cd"),
}


def counted(monkeypatch, owner, name):
    """A list that grows by the arguments of each call."""
    calls = []
    original = getattr(owner, name)

    def call(*args, **named):
        calls.append(args)
        return original(*args, **named)

    monkeypatch.setattr(owner, name, call)
    return calls


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_finds_the_same_where_it_keeps_nothing_and_with_less_work(kind, monkeypatch):
    mined = planted(kind)
    choices = counted(monkeypatch, graph_candidates, "choose_in_graph")
    counts = counted(monkeypatch, GraphCode, "residual")
    found = found_in_graph(mined, Steps())
    few_choices, few_counts = len(choices), len(counts)
    choices.clear()
    counts.clear()
    monkeypatch.setattr(graph_candidates, "_MOST_KEPT", 0)
    monkeypatch.setattr(graph_code, "_MOST_KEPT", 0)
    assert digest(found_in_graph(mined, Steps())) == digest(found)
    assert 0 < few_choices < len(choices) and 0 < few_counts < len(counts)
    # and it is what was found before
    bits, copies = FOUND[kind]
    assert found.bits_total == pytest.approx(bits, abs=1e-6)
    sha = hashlib.sha256()
    for motif in found.motifs:
        sha.update(motif.copies.astype("<i8").tobytes())
    assert sha.hexdigest()[:16] == copies


@pytest.mark.parametrize("kind", ["plain", "relations"])
def test_a_choice_that_is_kept_is_for_what_it_was_made_of(kind):
    """Edges that are left or freed, copies that a motif has, the copies of a candidate, bits."""
    search = search_of(planted(kind))
    search.propose(search.empty, 0)
    proposals, rng = search.proposals, np.random.default_rng(0)
    best = search.add(search.empty, 0.0)
    sets = [search.empty, best, best.without(0), best.without(len(best.motifs) - 1)]
    # the same edges are used by one motif, or by two with a structure
    candidates = [*search.candidates.values()][:8]
    first = best.motifs[0]
    half = search.empty.add(first.structure, first.copies[:3])
    sets.append(half)
    num_chosen = 0
    for _ in range(2):
        for description in sets:
            for freed in (None, best.used, rng.random(len(best.used)) < 0.1):
                for candidate in candidates:
                    few = replace(
                        candidate,
                        copies=candidate.copies[::2].copy(),
                        edges=candidate.edges[::2].copy(),
                        addresses=candidate.addresses._replace(
                            by_degree=candidate.addresses.by_degree[::2].copy()
                        ),
                    )
                    has_taken = {*codes(description)} & {candidate.code}
                    for some in [candidate] if has_taken else [candidate, few]:
                        for least_worth in (-15.0, -np.inf):
                            args = description, some, freed, least_worth
                            found, expected = proposals.choose(*args), choose_plainly(*args)
                            assert (found is None) == (expected is None)
                            if found is not None:
                                num_chosen += 1
                                assert found.num_new == expected.num_new
                                assert found.gain == pytest.approx(expected.gain, abs=1e-9)
    assert num_chosen > 20


def codes(description):
    return [motif.structure.code for motif in description.motifs]


def test_nothing_is_looked_at_where_all_that_was_freed_is_used(monkeypatch):
    search = search_of(planted("plain"))
    search.propose(search.empty, 0)
    best = search.add(search.empty, 0.0)
    calls = counted(monkeypatch, graph_candidates, "choose_in_graph")
    candidates = [*search.candidates.values()]
    found = [*search.proposals.choices(best, candidates, best.used, -15.0)]
    assert found == [None] * len(candidates) and not calls


def test_what_sets_of_equal_edges_leave_is_counted_once(monkeypatch):
    search = search_of(planted("plain"))
    search.propose(search.empty, 0)
    best = search.add(search.empty, 0.0)
    assert len(best.motifs) >= 2
    others = search.empty
    for motif in reversed(best.motifs):
        others = others.add(motif.structure, motif.copies)
    counts = counted(monkeypatch, GraphCode, "residual")
    assert others.residual is best.residual and not counts
    assert others.length == pytest.approx(best.length, abs=1e-9)
    fewer = others.without(0)
    assert fewer.residual is not best.residual and len(counts) == 1
    whole = GraphDescription.of(search.empty.code)
    assert whole.residual is search.empty.code.whole


def test_what_was_not_asked_for_longest_is_forgotten_and_nothing_is_sent():
    large = GraphCount(1.0, (), between=np.zeros((10, 10)))
    kept = KeptResults(4_000)
    for key in range(4):
        assert kept.find(key, lambda: large) is large
    assert [*kept.results] == [1, 2, 3]
    other = pickle.loads(pickle.dumps(kept))
    assert other.most_bytes == 4_000 and not other.results
    # one that is larger than all is kept until the next
    tight = KeptResults(10)
    tight.find("first", lambda: large)
    assert [*tight.results] == ["first"]
    tight.find("second", lambda: large)
    assert [*tight.results] == ["second"]


def test_arrays_have_keys_of_their_own():
    flags = np.zeros(20, bool)
    keys = {digest_of(flags)}
    for place in range(20):
        flags[place] = True
        keys.add(digest_of(flags))
    keys |= {digest_of(np.arange(6).reshape(2, 3)), digest_of(np.arange(6).reshape(2, 3).T)}
    assert len(keys) == 23
