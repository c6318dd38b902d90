"""Two runs side by side: every structure of both, profiles, and what is known of each."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from self_contained import assert_loads_nothing
from tiny_runs import pattern_of, run_of, significance_of

from gomkcn_dgl.csr import csr_from_edges
from mining.html.comparison_page import render_comparison
from mining.html.comparison_text import format_comparison
from mining.pattern import LESS, MORE, OccurrenceCount
from mining.run_comparison import Family, compare_runs, mine_structures

PATH, STAR, RING = nx.path_graph(4), nx.star_graph(3), nx.cycle_graph(4)


def compared_of(graph, count, mean, z, verdict):
    """A pattern with a comparison of its own."""
    result = significance_of(observed=float(count), mean=mean, z=z, verdict=verdict)
    return replace(pattern_of(graph, count=count), significance={"degree": result})


def signed(edges, names=("acts", "stops")):
    source, target, sign = np.array(edges).T
    return csr_from_edges(
        source, target, int(max(source.max(), target.max())) + 1,
        relation=sign, relation_names=list(names), directed=[True] * len(names),
    )  # fmt: skip


@pytest.fixture(scope="module")
def runs():
    small = nx.watts_strogatz_graph(40, 6, 0.1, seed=0)
    large = nx.watts_strogatz_graph(120, 6, 0.1, seed=1)
    even = nx.gnm_random_graph(90, 200, seed=2)
    return {"small": mine_structures(small), "large": mine_structures(large),
            "even": mine_structures(even)}  # fmt: skip


def test_every_structure_that_either_counted_is_compared(runs):
    found = compare_runs(runs["small"], runs["even"])
    held = {one.key for run in (runs["small"], runs["even"]) for one in run.counted
            if one.frequency.count or any(r.mean for r in one.significance.values())}  # fmt: skip
    assert {one.structure.key for one in found.structures} == held
    for which, run in (("first", runs["small"]), ("second", runs["even"])):
        by_key = {one.key: one for one in run.counted}
        for row in found.structures:
            side, own = getattr(row, which), by_key.get(row.structure.key)
            assert side.count.value == (own.frequency.count if own else 0)
            assert side.result == (own.significance["degree"] if own else None)


def test_profiles_are_z_over_their_length_in_each_family(runs):
    found = compare_runs(runs["small"], runs["large"])
    assert [one.family for one in found.profiles] == [
        Family(size, False, False) for size in (3, 4, 5)
    ]
    for profile in found.profiles:
        rows = [found.structures[row] for row in profile.rows]
        assert {one.structure.num_nodes for one in rows} == {profile.family.num_nodes}
        for which in ("first", "second"):
            z = np.array([getattr(one, which).z for one in rows])
            entries = getattr(profile, which)
            assert np.linalg.norm(entries) == pytest.approx(1)
            assert np.allclose(entries * np.linalg.norm(z), z)
        if len(rows) > 2:
            assert profile.correlation == pytest.approx(
                np.corrcoef(profile.first, profile.second)[0, 1]
            )
    # of two structures it would be 1 or -1
    assert found.profiles[0].correlation is None


def test_networks_of_one_kind_and_different_size_have_one_profile(runs):
    alike = compare_runs(runs["small"], runs["large"]).profiles[1].correlation
    other = compare_runs(runs["small"], runs["even"]).profiles[1].correlation
    assert alike > 0.9 > other


def test_what_a_run_did_not_see_is_none_of_it_where_it_compared_all_of_the_family():
    first = run_of([compared_of(PATH, 9, 4.0, 5.0, MORE), compared_of(RING, 1, 4.0, -3.0, LESS)])
    second = run_of([compared_of(PATH, 7, 7.0, 0.0, LESS), pattern_of(nx.cycle_graph(6), count=2)])
    found = compare_runs(first, second)
    rows = {one.name: one for one in found.structures}
    ring, path, six = (rows[f"{what} nodes"] for what in ("cycle of 4", "path of 4", "cycle of 6"))
    assert ring.second.count == OccurrenceCount.exact(0) and ring.second.z == 0
    assert ring.signs == (-1, 0) and path.signs == (1, -1)
    # structures of six nodes were counted one by one
    assert six.first is None and six.second.sign is None and six.signs == (None, None)
    (profile,) = found.profiles
    assert len(profile.rows) == 2
    assert found.with_signs(1, -1) == [path]


def test_z_without_a_bound_is_in_no_profile():
    endless = compared_of(STAR, 5, 2.0, None, MORE)
    still = compared_of(RING, 4, 4.0, None, LESS)
    others = [compared_of(PATH, 9, 4.0, 5.0, MORE)]
    found = compare_runs(run_of([endless, still, *others]), run_of([endless, still, *others]))
    rows = {one.name: number for number, one in enumerate(found.structures)}
    (profile,) = found.profiles
    assert set(profile.rows) == set(rows.values()) - {rows["star with 3 leaves"]}
    # where all graphs have as many it is 0
    assert found.structures[rows["cycle of 4 nodes"]].first.z == 0
    assert found.columns()["profile_first"][rows["star with 3 leaves"]] is None


def test_signed_and_unsigned_graphs_share_structures_alone():
    rng = np.random.default_rng(0)
    edges = [(u, v, s) for u, v, s in rng.integers([18, 18, 2], size=(45, 3)).tolist() if u != v]
    plain = [(u, v, 0) for u, v, _ in edges]
    both = mine_structures(signed(edges))
    found = compare_runs(both, mine_structures(signed(plain, names=("interacts",))))
    assert {one.family.has_kinds for one in found.profiles} == {False}
    for one in found.structures:
        if one.structure.alone is one.structure:
            # the same graph, but for signs
            assert one.first.count == one.second.count
        else:
            assert one.second is None
    # signs that have the same names are compared
    profiles = compare_runs(both, both).profiles
    assert {one.family.has_kinds for one in profiles} == {True, False}
    assert all(one.correlation in (None, pytest.approx(1)) for one in profiles)
    other = mine_structures(signed(edges, names=("binds", "cuts")))
    rows = [one for one in compare_runs(both, other).structures
            if one.structure.alone is not one.structure]  # fmt: skip
    assert rows and all((one.first is None) != (one.second is None) for one in rows)


def test_directed_and_undirected_graphs_share_nothing_and_it_is_said(runs):
    directed = mine_structures(nx.gnp_random_graph(30, 0.1, seed=0, directed=True))
    found = compare_runs(runs["small"], directed)
    assert not found.profiles
    assert "read both graphs with the same --directed or --undirected" in " ".join(
        format_comparison(found).split()
    )


def test_runs_without_a_null_model_compare_counts():
    first, second = (
        run_of([pattern_of(STAR), pattern_of(RING, 1, count=5)]),
        run_of([pattern_of(PATH)]),
    )
    text = format_comparison(compare_runs(first, second))
    assert "no null model in common" in text
    rows = [line.rsplit("  ", 1) for line in text.splitlines() if " | " in line]
    assert sorted([name.strip(), counts] for name, counts in rows) == [
        ["cycle of 4 nodes", "5 | -"],
        ["path of 4 nodes", "- | 3"],
        ["star with 3 leaves", "3 | -"],
    ]


def test_copies_of_both_motif_sets_are_shown():
    turned = nx.Graph([(3, 0), (0, 2), (2, 1), (1, 3)])
    motifs = (
        [(pattern_of(RING), [[0, 1, 2, 3], [4, 5, 6, 7]])],
        [(pattern_of(turned), [[0, 1, 2, 3]])],
    )
    first, second = (
        run_of(
            [replace(own[0][0], motif=run_of([], motifs=own).motif_set.motifs[0].motif)], motifs=own
        )
        for own in motifs
    )
    found = compare_runs(first, second)
    (ring,) = found.in_a_set
    assert (ring.first.copies, ring.second.copies) == (2, 1)
    assert "Motif sets: 1 of 1 motif in both." in format_comparison(found)


def test_the_page_has_every_structure_and_loads_nothing(runs):
    found = compare_runs(runs["small"], runs["even"])
    page = render_comparison(found)
    assert page == render_comparison(found)
    assert_loads_nothing(page)
    assert page.count('<tr id="row-') == len(found.structures)
    assert page.count('class="profile"') == len(found.profiles)
    for number, one in enumerate(found.structures):
        (row,) = (part for part in page.split('<tr id="')[1:] if part.startswith(f'row-{number}"'))
        assert one.first.count.short in row and one.second.count.short in row
    evil = replace(runs["small"].graph, source="<script>alert(1)</script>")
    named = compare_runs(replace(runs["small"], graph=evil), runs["even"])
    assert "<script>" not in render_comparison(named)


def test_the_terminal_shows_the_answer_first_and_all_rows_it_has_room_for(runs):
    found = compare_runs(runs["small"], runs["large"])
    text = format_comparison(found)
    assert text.index("The profiles correlate by") < text.index("adjusted p ")
    assert "over-represented" in text.lower()
    assert max(map(len, text.splitlines())) <= 130
    assert sum(" | " in line for line in text.splitlines()) == min(len(found.structures), 40)
