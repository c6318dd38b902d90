"""Two runs side by side: every structure of both, profiles, and what is known of each."""

from dataclasses import replace
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from markupsafe import escape
from scipy.stats import norm
from self_contained import assert_loads_nothing
from tiny_runs import pattern_of, run_of, significance_of

from gomkcn.mining.counting.census import SUBGRAPH, count_structures
from gomkcn.mining.patterns.compared_structure import Family
from gomkcn.mining.patterns.run_comparison import compare, mine_structures
from gomkcn.mining.show.comparison_page import render_comparison
from gomkcn.mining.show.comparison_text import (
    called_text,
    difference_lead,
    format_comparison,
    headline,
    heads,
    influence_sentences,
    lead,
    result_sentences,
    warnings,
)
from gomkcn.mining.significance.null_models import NULL_MODELS
from gomkcn.mining.significance.random_graphs import sample_null
from gomkcn.mining.structures.pattern import LESS, MORE, NOT_SHOWN, OccurrenceCount
from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.standard_names import standard_names

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
    found = compare(runs["small"], runs["even"])
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
    found = compare(runs["small"], runs["large"])
    assert [one.family for one in found.profiles] == [
        Family(size, False, False) for size in (3, 4, 5)
    ]
    for profile in found.profiles:
        rows = [found.structures[row] for row in profile.rows]
        assert {one.structure.num_nodes for one in rows} == {profile.family.num_nodes}
        for which in ("first", "second"):
            z = np.array([getattr(one, which).z for one in rows])
            entries = getattr(profile, which)
            assert np.linalg.norm(np.nan_to_num(entries)) == pytest.approx(1)
            length = np.linalg.norm(np.nan_to_num(z))
            assert np.allclose(entries * length, z, equal_nan=True)
        if len(rows) > 2:
            both = profile.in_both
            assert profile.correlation == pytest.approx(
                np.corrcoef(profile.first[both], profile.second[both])[0, 1]
            )
    # of two structures it would be 1 or -1
    assert found.profiles[0].correlation is None


def test_networks_of_one_kind_and_different_size_have_one_profile(runs):
    alike = compare(runs["small"], runs["large"]).profiles[1].correlation
    other = compare(runs["small"], runs["even"]).profiles[1].correlation
    assert alike > 0.9 > other


def test_what_a_run_did_not_see_is_none_of_it_where_it_compared_all_of_the_family():
    first = run_of([compared_of(PATH, 9, 4.0, 5.0, MORE), compared_of(RING, 1, 4.0, -3.0, LESS)])
    second = run_of([compared_of(PATH, 7, 7.0, 0.0, LESS), pattern_of(nx.cycle_graph(6), count=2)])
    found = compare(first, second)
    rows = {one.name: one for one in found.structures}
    ring, path, six = (rows[f"{what} nodes"] for what in ("cycle of 4", "path of 4", "cycle of 6"))
    assert ring.second.count == OccurrenceCount.exact(0)
    # all random graphs have as many: none
    assert (ring.second.result.mean, ring.second.result.z) == (0, None)
    assert ring.signs == (-1, 0) and path.signs == (1, -1)
    # structures of six nodes were counted one by one
    assert six.first is None and six.second.sign is None and six.signs == (None, None)
    (profile,) = found.profiles
    assert len(profile.rows) == 2 and profile.in_both.sum() == 1
    assert found.with_signs(1, -1) == [path]


def test_what_has_no_z_is_in_no_profile_and_no_correlation():
    endless = compared_of(STAR, 5, 2.0, None, MORE)
    still = compared_of(RING, 4, 4.0, None, NOT_SHOWN)
    paw, clique = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3)]), nx.complete_graph(4)
    others = [(PATH, 5.0, 4.0), (paw, -2.0, -1.0), (clique, 3.0, -3.0)]
    first, second = (
        run_of(
            [endless, still]
            + [compared_of(graph, 9, 4.0, one[side], MORE) for graph, *one in others]
        )
        for side in (0, 1)
    )
    seen = compared_of(RING, 4, 3.0, 2.0, NOT_SHOWN)
    second = replace(
        second, patterns=[seen if one.key == seen.key else one for one in second.patterns]
    )
    found = compare(first, second)
    rows = {one.name: number for number, one in enumerate(found.structures)}
    (profile,) = found.profiles
    star, ring = rows["star with 3 leaves"], rows["cycle of 4 nodes"]
    # the star has z in neither graph, the cycle in the second alone
    assert set(profile.rows) == set(rows.values()) - {star}
    assert profile.in_both.sum() == 3
    assert profile.correlation == pytest.approx(np.corrcoef([5, -2, 3], [4, -1, -3])[0, 1])
    # as in the paper, where it is 0: nothing is added to the length of the others
    assert found.structures[rows["path of 4 nodes"]].first.entry == pytest.approx(5 / 38**0.5)
    assert found.structures[rows["path of 4 nodes"]].second.entry == pytest.approx(4 / 30**0.5)
    # the table, the terminal and the page say the same
    table = found.columns()
    for row, entry, has_z in ((star, [None, None], [False, False]),
                              (ring, [None, 2 / 30**0.5], [False, True])):  # fmt: skip
        assert [table[f"profile_{which}"][row] for which in ("first", "second")] == entry
        assert [table[f"has_z_{which}"][row] for which in ("first", "second")] == has_z
    text = format_comparison(found)
    line = next(line for line in text.splitlines() if line.startswith("cycle of 4 nodes"))
    # z and the entry of the profile
    assert line.split()[-3] == "-" and line.split()[-1] == "-"
    assert "over 3 of the 4 structures of 4 nodes" in " ".join(text.split())
    page = render_comparison(found)
    (drawn,) = page.split('class="profiles"')[1:]
    drawn = drawn.split("</figure>")[0]
    # three bars of the first graph, four of the second, and a mark where there is no z
    assert drawn.count('class="entry"') == 7
    assert drawn.count("cycle of 4 nodes: first no z, second +0.37") == 2
    assert "over 3 of the 4 structures of 4 nodes, those with z in both" in drawn


def test_what_neither_graph_has_is_shown_alike_whether_a_run_counted_it_or_not():
    none, some = compared_of(RING, 0, 0.0, None, NOT_SHOWN), compared_of(RING, 6, 2.0, 3.0, MORE)
    path = compared_of(PATH, 9, 4.0, 5.0, MORE)
    shown = []
    for own in ([none, path], [path]):
        # the numbers of the cycle that are no numbers of the hand-made run itself
        own = [
            replace(one, significance={"degree": replace(one.significance["degree"], p=1.0,
                    p_adjusted=1.0, sd=0.0 if one is none else 1.0, largest=0.0)})
            if one is none else one for one in own
        ]  # fmt: skip
        found = compare(run_of(own), run_of([some, path]))
        row = {one.name: one for one in found.structures}["cycle of 4 nodes"]
        columns = {k: v for k, v in found.columns().items() if k.endswith("_first")}
        place = found.structures.index(row)
        shown.append(({k: v[place] for k, v in columns.items()}, format_comparison(found)))
    assert shown[0] == shown[1]
    assert shown[0][0]["count_first"] == 0 and shown[0][0]["p_adjusted_first"] == 1


@pytest.mark.parametrize(
    "null", [name for name, model in NULL_MODELS.items() if not model.permutes]
)
def test_counts_of_three_nodes_determine_one_another_where_degrees_are_kept(null):
    rng = np.random.default_rng(3)
    edges = [(u, v, s) for u, v, s in rng.integers([25, 25, 2], size=(90, 3)).tolist() if u != v]
    for graph in (signed(edges), signed([(u, v, 0) for u, v, _ in edges], names=("acts",))):
        open_counts = []
        for seed in range(4):
            counts = count_structures(sample_null(graph, null, seed), range(3, 4), SUBGRAPH)
            open_counts.append(
                {
                    one.key: number
                    for one, number in counts.items()
                    if len(one.pairs) == 2 and number
                }
            )
        # subgraphs of two joined pairs are as many in all, however many close: so the induced ones,
        # which are those less what closes, follow from the structures with three joined pairs
        assert all(one == open_counts[0] for one in open_counts) == NULL_MODELS[null].keeps_degrees


def test_results_that_follow_from_others_are_no_findings_of_their_own(runs):
    found = compare(runs["small"], runs["large"])
    assert [one.name for one in found.that_follow] == ["path of 3 nodes"]
    assert "1 of these has 3 nodes and a pair that is not joined" in lead(found)
    assert lead(found) in " ".join(format_comparison(found).split())
    assert not replace(found, null="erdos-renyi").that_follow
    # what no test calls is no result
    alike = compared_of(nx.path_graph(3), 4, 4.0, 0.0, NOT_SHOWN)
    calm = run_of([alike, compared_of(nx.complete_graph(3), 4, 4.0, 0.0, NOT_SHOWN)])
    assert not compare(calm, calm).that_follow


def test_a_page_without_a_correlation_says_why(runs):
    # undirected, paths and triangles are the two structures of three nodes
    page = " ".join(render_comparison(compare(runs["small"], runs["even"])).split())
    assert "No correlation, which needs three structures" in page
    assert "all 2 structures of 3 nodes" in page and "too few all" not in page


def test_a_warning_says_of_which_graph_it_is(runs):
    warned = replace(runs["large"], warnings=("The graph has more triangles.",))
    found = compare(replace(runs["small"], warnings=()), warned)
    assert warnings(found) == ["Second, graph: The graph has more triangles."]
    for shown in (format_comparison(found), render_comparison(found)):
        assert "Second, graph: The graph has more triangles." in shown


def test_the_heads_count_what_the_table_has(runs):
    found = compare(runs["small"], runs["even"])
    for which, head in zip(("first", "second"), heads(found), strict=True):
        number = sum(getattr(one, which).count.value > 0 for one in found.structures)
        assert 0 < number < len(found.structures)
        assert (
            f"edges, {number} structures, {len(found.structures)} with those of 199 random" in head
        )


def test_the_first_sentences_have_both_answers():
    """A random graph, and the same with rings: no share is sure, and random graphs tell."""
    before = nx.gnm_random_graph(150, 240, seed=1, directed=True)
    after = nx.gnm_random_graph(150, 240, seed=2, directed=True)
    for first in range(0, 45, 3):
        nx.add_cycle(after, range(first, first + 3))
    # joined to by so many that the errors of all shares are from this node
    after.add_edges_from((node, "hub") for node in range(60))
    found = compare(before, after, null_samples=59)
    ring = next(one for one in found.structures if one.name == "three-cycle")
    assert ring.signs == (0, 1) and not any(one.is_sure for one in found.structures)
    assert found.called_apart[0] is ring
    assert f"{len(found.called_apart)} called by random graphs in one graph alone" in repr(found)
    shares, called = headline(found)
    assert "differs surely" in shares
    assert (
        f"three-cycle (over-represented in the second alone: {ring.first.count.short} →" in called
    )
    # what follows from the rings comes after them, and says so
    follow = [one for one in found.called_apart if one in found.that_follow]
    assert follow and found.called_apart[-len(follow) :] == follow
    assert "follows from others of 3 nodes" in called_text(found, follow[0])
    assert "follows" not in called_text(found, ring)
    # lines end behind hyphens as well
    page, text = render_comparison(found), " ".join(format_comparison(found).split())
    text = text.replace("- ", "-")
    header = page.split("</header>")[0]
    assert shares in header and "<b>three-cycle</b>" in header and called in text
    count = f"{ring.first.count.short} → {ring.second.count.short}"
    assert f'the second alone: <span class="nb">{count}</span>, z <span class="nb">' in header
    assert text.index(shares) < text.index(called) < text.index("/ error")
    # the node that makes the errors large, and what its graph would have without it
    assert found.first.influence is None
    node = found.second.influence
    assert (node.node, node.num_neighbours) == ("hub", 60)
    after.remove_node("hub")
    counts = {one.key: n for one, n in count_structures(as_csr(after), range(3, 5)).items()}
    of_size = node.structure.num_nodes
    total = sum(
        n for one, n in count_structures(as_csr(after), range(of_size, of_size + 1)).items()
    )
    assert node.share_without == pytest.approx(counts.get(node.structure.key, 0) / total)
    (sentence,) = influence_sentences(found)
    assert sentence.startswith("hub makes the errors of the second graph large: ")
    assert sentence in text and sentence in page
    # bars of both graphs, that of what random graphs tell apart before the tables
    bars = page[page.index('<ul class="bars">') : page.index("Differences</h2>")]
    assert bars.count('class="share"') == 2 * bars.count("<li>") > 2
    assert f'href="#row-{ring.number}">three-cycle</a>' in bars


@pytest.mark.parametrize("directed", [False, True])
def test_a_node_is_named_where_most_of_the_errors_is_from_it_alone(directed):
    even = nx.gnm_random_graph(120, 200, seed=3, directed=directed)

    def with_hubs(number):
        # before the others, so that it is not where its degree puts it
        graph = type(even)([(f"hub {k}", k * 40) for k in range(number)])
        graph.add_edges_from(even.edges)
        graph.add_edges_from(
            (f"hub {k}", node) for k in range(number) for node in range(k * 40, k * 40 + 40)
        )
        return graph

    found = compare(with_hubs(3), with_hubs(1), null=None)
    # three make the errors of the first graph
    assert found.first.influence is None
    assert (found.second.influence.node, found.second.influence.num_neighbours) == ("hub 0", 40)


def test_structures_without_a_name_have_a_number_and_edges_that_no_line_cuts():
    rng = np.random.default_rng(5)
    edges = [(u, v, s) for u, v, s in rng.integers([30, 30, 2], size=(90, 3)).tolist() if u != v]
    plain = signed([(u, v, 0) for u, v, _ in edges], names=("acts",))
    for found in (compare(plain, plain, null=None), compare(*[signed(edges)] * 2, null=None)):
        labels = [one.label for one in found.structures]
        assert len(set(labels)) == len(labels)
        for number, one in enumerate(found.structures):
            if one.has_name:
                assert one.label == one.name == one.label_and_edges
            elif one.structure.alone is one.structure:
                assert one.label == f"mfinder {standard_names(one.structure).mfinder}"
            else:
                assert one.label == f"structure {number}"
        unnamed = next(one for one in found.structures if not one.has_name)
        for edge in unnamed.structure.to_text().split(", "):
            assert f'<span class="nb">{escape(edge)}' in render_comparison(found)


def test_random_graphs_of_one_graph_are_used_and_left_out_where_none_are_wanted(runs):
    alone = replace(runs["even"], null_models={}, others=tuple(
        replace(one, significance={}) for one in runs["even"].others))  # fmt: skip
    found = compare(runs["small"], alone)
    assert found.null == "degree" and (found.num_random("first"), found.num_random("second")) == (
        199, 0
    )  # fmt: skip
    called = [one for one in found.structures if one.signs[0]]
    assert called and all(one.second.result is None for one in found.structures)
    text = " ".join(format_comparison(found).split())
    assert "Only the first graph is compared with random graphs" in text
    assert "Over-represented in the first, the only one with random graphs" in text
    assert "null model in common" not in text and len(headline(found)) == 1
    other = replace(
        runs["even"], null_models={"erdos-renyi": "the number of edges"}, others=alone.others
    )
    assert "no null model in common" in format_comparison(compare(runs["small"], other))
    # of runs they are left out as well
    found = compare(runs["small"], runs["even"], null=None)
    assert not found.null and all(one.signs == (None, None) for one in found.structures)
    assert "there are no random graphs" in format_comparison(found)


def test_what_is_no_graph_is_refused_in_a_sentence(runs):
    with pytest.raises(InputTypeError, match="must be a graph, got the path 'worm'"):
        compare(runs["small"], "worm")
    with pytest.raises(InputError, match="must have an edge between two different nodes"):
        compare(nx.empty_graph(3), runs["small"])
    with pytest.raises(InputError, match="null_samples must be at least 2, got 1"):
        compare(PATH, PATH, null_samples=1)


def test_graphs_are_compared_by_shares_and_the_surest_difference_is_first():
    clustered = nx.watts_strogatz_graph(60, 6, 0.1, seed=0)
    even = nx.gnm_random_graph(90, 200, seed=1)
    found = compare(clustered, even, null=None)
    rows = found.by_difference
    assert [one.sureness for one in rows] == sorted((one.sureness for one in rows), reverse=True)
    for graph, which in ((clustered, "first"), (even, "second")):
        counts = {
            one.key: number for one, number in count_structures(as_csr(graph), range(3, 6)).items()
        }
        for size in (3, 4, 5):
            of_size = [one for one in rows if one.structure.num_nodes == size]
            total = sum(counts[one.structure.key] for one in of_size)
            for one in of_size:
                side = getattr(one, which)
                number = counts[one.structure.key]
                assert side.count.value == number
                assert side.share == pytest.approx(number / total)
                assert side.per_node == pytest.approx(number / len(graph))
                assert side.per_edge == pytest.approx(number / graph.number_of_edges())
    # clustering is what differs, and a graph does not differ from itself
    triangle = next(one for one in rows if one.name == "triangle")
    assert triangle.is_sure and triangle.difference < 0 and triangle.ratio < 0.5
    table = found.to_pandas()
    assert table["structure"].tolist() == [one.name for one in rows]
    assert np.allclose(table["difference_z"], table["difference"] / table["difference_error"])
    assert np.allclose(
        table["difference_error"],
        np.hypot(table["share_error_first"], table["share_error_second"]),
    )
    # each p is multiplied by how many are less sure, the surest by all
    p = 2 * norm.sf(np.abs(table["difference_z"]))
    expected = np.maximum.accumulate(p * np.arange(len(p), 0, -1)).clip(max=1)
    assert np.allclose(table["p_difference"], expected)
    # what the second graph does not have is none of it
    gone = [one for one in rows if one.first.share and not one.second.share]
    assert gone and all(one.ratio == 0 for one in gone)
    assert all(np.isnan(one.ratio) for one in rows if not one.first.share)
    same = compare(clustered, clustered, null=None)
    assert not any(one.is_sure or one.difference for one in same.structures)
    text, page = format_comparison(found), " ".join(render_comparison(found).split())
    sure = sum(one.is_sure for one in rows)
    assert f"{sure} of the {len(rows)} structures of either graph differ" in text
    assert page.index("Differences</h2>") < page.index("Comparison with random graphs</h2>")
    # without random graphs
    assert not found.null and "there are no random graphs" in text


def test_a_run_whose_graph_is_gone_has_shares_without_errors(runs):
    found = compare(runs["small"], runs["even"])
    for one in found.structures:
        assert 0 <= one.first.share <= 1 and np.isnan(one.first.share_error)
        assert one.sureness == -1 and not one.is_sure
    assert "of the first and the second graph no counts at nodes are known" in " ".join(
        format_comparison(found).split()
    )


def test_collections_and_graphs_with_kinds_are_compared_as_well():
    rings = [nx.cycle_graph(5 + k % 3) for k in range(24)]
    trees = [nx.random_labeled_tree(7, seed=k) for k in range(30)]
    found = compare(rings, trees, null=None)
    assert (found.first.unit, found.first.num_units) == ("graphs", 24)
    assert "single graphs, not in collections" in format_comparison(found)
    assert found.by_difference[0].is_sure
    rng = np.random.default_rng(1)
    graphs = []
    for share in (0.2, 0.8):
        edges = rng.integers([50, 50, 1], size=(150, 3))
        edges[:, 2] = rng.random(150) < share
        graphs.append(signed([edge for edge in edges.tolist() if edge[0] != edge[1]]))
    found = compare(*graphs, null=None)
    assert found.first.num_units == 40 and "40 groups of nodes" in render_comparison(found)
    with_kinds = [one for one in found.by_difference if one.structure.alone is not one.structure]
    assert with_kinds[0].is_sure
    for size in (3, 4):
        of_size = [one for one in with_kinds if one.structure.num_nodes == size]
        assert sum(one.first.share for one in of_size if one.first) == pytest.approx(1)


@pytest.mark.parametrize(("samples", "is_warned"), [(2, True), (58, True), (59, False)])
def test_few_random_graphs_are_drawn_and_a_sentence_says_what_they_cannot_tell(samples, is_warned):
    run = mine_structures(nx.watts_strogatz_graph(40, 6, 0.1, seed=0), null_samples=samples)
    results = [one.significance["degree"] for one in run.others]
    assert {one.num_samples for one in results} == {samples}
    # three families: sizes of three, four and five nodes
    said = f"the smallest adjusted p is {3 / (samples + 1):.3g}"
    assert any(said in warning for warning in run.warnings) == is_warned
    assert any("which takes 59 or more" in warning for warning in run.warnings) == is_warned
    assert any(one.is_called for one in run.others) != is_warned


def test_signed_and_unsigned_graphs_share_structures_alone():
    rng = np.random.default_rng(0)
    edges = [(u, v, s) for u, v, s in rng.integers([12, 12, 2], size=(26, 3)).tolist() if u != v]
    plain = [(u, v, 0) for u, v, _ in edges]
    both = mine_structures(signed(edges))
    found = compare(both, mine_structures(signed(plain, names=("interacts",))))
    assert {one.family.has_kinds for one in found.profiles} == {False}
    for one in found.structures:
        if one.structure.alone is one.structure:
            # the same graph, but for signs
            assert one.first.count == one.second.count
        else:
            assert one.second is None
    # what one has alone follows from nothing that both have
    assert all(None not in one.signs for one in found.that_follow)
    # signs that have the same names are compared
    profiles = compare(both, both).profiles
    assert {one.family.has_kinds for one in profiles} == {True, False}
    assert all(one.correlation in (None, pytest.approx(1)) for one in profiles)
    other = mine_structures(signed(edges, names=("binds", "cuts")))
    rows = [one for one in compare(both, other).structures
            if one.structure.alone is not one.structure]  # fmt: skip
    assert rows and all((one.first is None) != (one.second is None) for one in rows)


def test_directed_and_undirected_graphs_share_nothing_and_it_is_said(runs):
    directed = mine_structures(nx.gnp_random_graph(30, 0.1, seed=0, directed=True))
    found = compare(runs["small"], directed)
    assert not found.profiles
    assert "No structure was counted in both graphs" in difference_lead(found)
    assert "read both graphs as directed or both as undirected" in " ".join(
        format_comparison(found).split()
    )
    # what was not compared is not called alike
    assert headline(found) == [difference_lead(found)]


def test_runs_without_a_null_model_compare_counts():
    first, second = (
        run_of([pattern_of(STAR), pattern_of(RING, 1, count=5)]),
        run_of([pattern_of(PATH)]),
    )
    text = format_comparison(compare(first, second))
    assert "there are no random graphs" in text and "no null model in common" not in text
    table = [line.split() for line in text.split("Structures of 4 nodes")[-1].splitlines()]
    counts = {}
    for above, below in pairwise(table):
        if "first" in above:
            counts[" ".join(above[:-2])] = (above[-1], below[-1])
    assert {name: counts[name] for name in
            ("cycle of 4 nodes", "path of 4 nodes", "star with 3 leaves")} == {
        "cycle of 4 nodes": ("5", "-"), "path of 4 nodes": ("-", "3"),
        "star with 3 leaves": ("3", "-"),
    }  # fmt: skip


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
    found = compare(first, second)
    (ring,) = found.in_a_set
    assert (ring.first.copies, ring.second.copies) == (2, 1)
    assert "Motif sets: 1 of 1 motif in both." in format_comparison(found)


def test_the_page_has_every_structure_and_loads_nothing(runs):
    found = compare(runs["small"], runs["even"])
    page = render_comparison(found)
    assert page == render_comparison(found)
    assert_loads_nothing(page)
    assert page.count('<tr id="row-') == len(found.structures)
    assert page.count('class="profiles"') == len(found.profiles)
    for number, one in enumerate(found.structures):
        (row,) = (part for part in page.split('<tr id="')[1:] if part.startswith(f'row-{number}"'))
        assert one.first.count.short in row and one.second.count.short in row
    evil = replace(runs["small"].graph, source="<script>alert(1)</script>")
    named = compare(replace(runs["small"], graph=evil), runs["even"])
    # one script, that of the page
    page = render_comparison(named)
    assert page.count("<script>") == 1 and "<script>alert" not in page


def test_the_terminal_shows_the_answer_first_and_each_size_by_itself(runs):
    found = compare(runs["small"], runs["large"])
    text = format_comparison(found)
    assert text.index("The profiles correlate by") < text.index("adjusted p  ")
    assert "over-represented" in text.lower()
    # names may hold commas
    for sentence in result_sentences(found):
        number, names = sentence.removesuffix(").").split(": ", 1)[1].split(" (", 1)
        told = [one for one in names.split("; ") if one != "…"]
        assert len(told) == min(int(number), 4)
        assert set(told) <= {one.name for one in found.structures}
    assert max(map(len, text.splitlines())) <= 100
    sizes = [one.structure.num_nodes for one in found.structures]
    blocks = [text.index(f"{size} nodes: {sizes.count(size)} structures") for size in (3, 4, 5)]
    assert blocks == sorted(blocks)
    # those with the largest entries, which the table has; first and second of each
    most = f"{sizes.count(5)} structures; the 13 with the largest entries, the page and the table"
    assert most in text
    assert sum("  second " in line for line in text.splitlines()) == 2 + 6 + 13
    largest = [line.split()[-1] for line in text[blocks[1] : blocks[2]].splitlines()
               if "  first " in line or "  second " in line]  # fmt: skip
    entries = [abs(float(one.replace("−", "-"))) for one in largest]
    both = [max(pair) for pair in zip(entries[::2], entries[1::2], strict=True)]
    assert both == sorted(both, reverse=True)
