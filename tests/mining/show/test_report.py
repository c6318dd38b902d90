"""The page and the terminal: every number is that of the files, and any name is safe."""

import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from self_contained import Page, assert_loads_nothing
from tiny_runs import (
    assert_numbers,
    block_of,
    class_search_of,
    difference_of,
    files_of_run,
    pattern_of,
    recovery_of,
    run_of,
    run_with_variant,
    significance_of,
    typed_pattern_of,
)

from gomkcn.mining import FilterMiner, PatternMiner, compare_with_truth
from gomkcn.mining.motif_sets.coded_set import GivenPattern
from gomkcn.mining.motif_sets.motif_columns import LEAST_ADDED
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.show.report import render_report
from gomkcn.mining.show.terminal import EDITS_NOTE, GROUP_NOTE, LINE_NOTE, class_table, format_run
from gomkcn.mining.show.text_table import TextTable
from gomkcn.mining.structures.pattern import (
    LESS,
    MORE,
    NOT_SHOWN,
    Following,
    OccurrenceCount,
    OrbitFeature,
    Pattern,
)
from gomkcn.mining.structures.pattern_columns import Patterns
from gomkcn_dgl.graphs.structure import Structure

EVIL = "<script>alert(1)</script>"
PATH, RING = nx.path_graph(4), nx.cycle_graph(4)


@pytest.fixture(scope="module")
def mined():
    """Cliques on a long ring, all of them planted, with the called structures of a real test."""
    graph = nx.cycle_graph(60)
    for copy in range(8):
        graph.update(nx.relabel_nodes(nx.complete_graph(5), lambda v, c=copy: 60 + 5 * c + v))
        graph.add_edge(60 + 5 * copy, 7 * copy)
    copies = [list(range(60 + 5 * copy, 65 + 5 * copy)) for copy in range(8)]
    edges = [list(edge) for edge in nx.complete_graph(5).edges]
    clique = {"name": "clique", "num_nodes": 5, "edges": edges, "copies": 8, "instances": copies}
    miner = PatternMiner(pattern_size=(3, 5), null_samples=99).fit(graph)
    recovery = compare_with_truth(miner.patterns_, {"motifs": [clique]})
    return graph, MiningRun.of(miner, graph, recovery=recovery)


def rows_of(page, table):
    """The cells of each row of a table, as text."""
    body = re.search(rf'<table id="{table}">(.*?)</table>', page, re.S)[1]
    rows = re.findall(r"<tr[^>]*data-csv.*?</tr>", body, re.S)
    cells = [re.findall(r"<t[dh].*?</t[dh]>", row, re.S) for row in rows]
    return [[" ".join(re.sub("<[^>]*>", " ", cell).split()) for cell in row] for row in cells]


def test_every_number_of_the_page_is_that_of_patterns_json(mined):
    _, run = mined
    html = render_report(run)
    assert html == render_report(run)
    assert_loads_nothing(html)
    shown = assert_numbers(html, files_of_run(run))
    needed = {f"/motif_set/{name}" for name in ("bits_base", "bits_saved", "nodes_covered")}
    needed |= {f"/motif_set/motifs/{at}/{name}" for at in range(len(run.motif_set))
               for name in ("copies", "share")}  # fmt: skip
    needed |= {f"/patterns/{at}/significance/degree/{name}"
               for at, one in enumerate(run.patterns) if one.significance
               for name in ("mean", "sd", "p_adjusted")}  # fmt: skip
    assert needed <= shown
    ids = [value for name, value in Page(html).attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = {v for n, v in Page(html).attributes if n == "href" and v.startswith("#")}
    # nodes are found by the script
    assert {link[1:] for link in links if not link.startswith("#node-")} <= set(ids)


def test_shares_are_direct_counts(mined):
    graph, run = mined
    html, motifs = render_report(run), run.motif_set
    for row, one in zip(rows_of(html, "t-a"), motifs, strict=True):
        copies = [set(place.nodes) for place in one.motif.copies]
        nodes, edges = len(set().union(*copies)), len(copies) * len(one.edges)
        # all occurrences are copies
        assert row[2] == str(len(copies))
        assert row[3:5] == [f"{nodes / len(graph):.1%}", f"{edges / graph.number_of_edges():.1%}"]
    inside = {one.name: sum(one.inside) for one in run.patterns}
    held = [set(place.nodes) for one in motifs for place in one.motif.copies]
    for one in run.patterns:
        assert (
            sum(any({*place.nodes} <= copy for copy in held) for place in one.occurrences)
            == (inside[one.name])
        )
    # 8 cliques of 5 nodes hold all 80 triangles
    triangle = next(one for one in run.patterns if one.name == "triangle")
    assert (triangle.frequency.count, sum(triangle.inside)) == (80, 80)
    # the name, and the number of tables and GraphML
    (row,) = [row for row in rows_of(html, "t-b0") if f"pattern {triangle.id} " in row[1]]
    assert row[1].startswith("triangle")
    assert row[2:4] == ["80 100% inside copies", "100%"]


def test_the_block_holds_the_graph_copies_and_occurrences(mined):
    graph, run = mined
    block = block_of(render_report(run))
    assert {frozenset(pair) for pair in zip(block["from"], block["to"], strict=True)} == {
        frozenset(edge) for edge in graph.edges
    }
    assert block["degrees"] == [graph.degree[node] for node in block["names"]]
    for drawn in block["motifs"]:
        for place in drawn["places"]:
            for u, v, _ in drawn["edges"]:
                assert graph.has_edge(block["names"][place[u]], block["names"][place[v]])
    # a copy that shares no node with another has the shape of the drawing
    places, xy = block["motifs"][0]["places"], np.column_stack([block["x"], block["y"]])
    sides = [sorted(np.linalg.norm(np.diff(xy[place], axis=0), axis=1)) for place in places]
    ratio = [np.array(one) / one[-1] for one in sides]
    np.testing.assert_allclose(ratio, np.tile(ratio[0], (len(ratio), 1)), atol=0.05)


def test_the_comparison_is_grouped_by_result():
    verdicts = [MORE, MORE, LESS, NOT_SHOWN]
    patterns = [
        replace(pattern_of(PATH, number),
                            significance={"degree": significance_of(verdict=verdict)})
        for number, verdict in enumerate(verdicts)
    ]  # fmt: skip
    run = replace(run_of(patterns), others=(pattern_of(RING, -1),))
    words = Page(render_report(run)).words
    for head in (
        "Over-represented: 2 of 4",
        "Under-represented: 1 of 4",
        "Not shown to differ: 1 of 4",
        "Not compared: 1",
    ):
        assert head in words
    # rows of what is called are set off
    assert render_report(run).count('class="row hit sig"') == 3


def test_a_structure_without_z_has_a_ring_in_the_profile():
    """All random graphs have none of it, and this graph has many."""
    star = nx.star_graph(3)
    path = replace(pattern_of(star, 0), significance={"degree": significance_of(z=-2.0)})
    told = significance_of(z=None, sd=0.0, mean=0.0, verdict=MORE, p_adjusted=0.01)
    ring = replace(pattern_of(RING, 1), significance={"degree": told})
    page = render_report(run_of([path, ring]))
    (profile,) = re.findall(r'<svg class="profile".*?</figure>', page, re.S)
    assert profile.count('class="no-z"') == 1 and "cycle of 4 nodes, G5: no z" in profile
    assert profile.count('class="entry"') == 1 and "z +0.0" not in profile
    assert "A ring: no z, as all random graphs have the same count." in Page(page).words
    page = render_report(run_of([path, replace(ring, significance=path.significance)]))
    assert "A ring:" not in Page(page).words


def test_a_long_profile_has_the_bars_of_the_largest_z():
    # a profile for each size, each of the largest z of its size, and of no other
    shapes = [RING if number % 2 else nx.path_graph(3) for number in range(100)]
    patterns = [
        replace(pattern_of(shape, number),
                significance={"degree": significance_of(z=(-1) ** number * number / 2)})
        for number, shape in enumerate(shapes)
    ]  # fmt: skip
    html = render_report(run_of(patterns))
    bars = re.findall(r'href="#pattern-(\d+)"', html)
    kept = range(20, 100)
    assert list(map(int, bars)) == [*kept[::2], *kept[1::2]]
    titles = [f"{size} nodes; the 40 of 50 structures with the largest |z|" for size in (3, 4)]
    assert re.findall(r"z / length of all z: ([^<]*)</text>", html) == titles
    # the axis of each size ends at the largest of its entries
    drawn = [
        max(map(float, re.findall(r'class="entry"[^>]*height="([\d.]+)"', one)))
        for one in html.split('<svg class="profile"')[1:]
    ]
    # z of 49 and -49.5 over the length of all of that size, each beside others of its sign alone
    assert drawn == [110.0, 110.0]


def test_the_set_of_the_other_base_is_shown_and_said_to_be_that():
    ring = pattern_of(RING, 0)
    other = run_of([ring], motifs=[(ring, [[0, 1, 2, 3]])]).motif_set
    run = run_of([ring], motif_set=MotifSet((), 90.0, 90.0, "blocks", 3, other=other))
    html, said = render_report(run), "Given the degrees alone, 1 motif would save 200 of 500 bits:"
    assert_numbers(html, files_of_run(run))
    assert "Below: the motif set given the degrees alone." in Page(html).words
    assert rows_of(html, "t-a")[0][1].startswith("0 cycle of 4 nodes")
    for text in (run._repr_html_(), format_run(run)):
        assert said in text and text.index(said) < text.index("cycle of 4 nodes")


def test_estimates_have_an_interval_and_small_deviations_more_decimals():
    many = OccurrenceCount(7.8071234e9, 7.79e9, 7.824e9, is_exact=False)
    few = OccurrenceCount(0, 0, 31.5, is_exact=False)
    patterns = [
        replace(
            pattern_of(PATH, number).counted(count),
            significance={"degree": significance_of(mean=1234.5678, sd=0.4, z=None)},
        )
        for number, count in enumerate((many, few))
    ]
    run = run_of(patterns)
    html = render_report(run)
    assert_numbers(html, files_of_run(run))
    words = Page(html).words
    for text in ("≈ 7.807 · 10⁹", "95% CI 7.79 · 10⁹ to 7.824 · 10⁹", "fewer than 31.5",
                 "1,234.57 ± 0.40"):  # fmt: skip
        assert text in words, text


def test_classes_say_which_structures_differ():
    never = Following(0, 0.083)
    patterns = [
        replace(pattern_of(graph, number), classes=difference_of("toxic", "harmless", **more))
        for number, (graph, more) in enumerate(
            [
                (nx.star_graph(3), {"p": 2e-4, "group": 1}),
                (PATH, {"p": 1e-6, "group": 0}),
                (RING, {"p_adjusted": 0.2}),
                (nx.complete_graph(3), {"p": 3e-6, "group": 0, "follows": never}),
                (nx.path_graph(3), {"p": 2e-6, "group": 0, "follows": Following(11, 0.6)}),
            ]
        )
    ]
    run = run_of(patterns, num_graphs=30)
    html = render_report(run)
    assert_numbers(html, files_of_run(run))
    # the surest first, and what follows from it below it
    leader, part, beside, other = rows_of(html, "t-c")
    # what a narrow page has no column for stands twice
    narrow = "p 1e-06 adjusted p 0.001"
    shares = ["9 of 10 90%", f"2 of 20 10% {narrow}"]
    odds = "46.8 5.75 to 383"
    assert leader[:2] == ["path of 4 nodes", "▲ toxic odds ratio 46.8"]
    assert leader[2:7] == [*shares, odds, "1e-06", "0.001"]
    assert part[0] == "part of it: path of 3 nodes"
    # what shares no graph with the leader is not said to go with it
    assert beside[0] == "never with it in 11: triangle"
    assert other[0] == "star with 3 leaves"
    words = Page(html).words
    assert "4 structures differ between the classes." in words
    said = (
        "2 lead, 2 others follow: they are implied by a stronger one, or tell no more.",
        "Searched completely: the 40 subgraphs of 2 to 8 nodes in as many graphs as 10% of the "
        "smallest class. p is adjusted over the 30 tests that could reach the level (Tarone).",
    )
    for sentence in said:
        assert sentence in words and sentence in " ".join(format_run(run).split())
    # the answer comes before all else
    assert "The classes differ most surely in path of 4 nodes: it is in 9 of 10 graphs" in words
    assert html.index('id="classes"') < html.index('id="motif-set"')
    rows = class_table(run).rows
    assert [row[0] for row in rows] == [
        "path of 4 nodes",
        "– part of it: path of 3 nodes",
        "– never with it in 11: triangle",
        "star with 3 leaves",
    ]
    assert rows[0][1:] == (
        "▲ toxic",
        "9 of 10",
        "2 of 20",
        "46.8",
        "1e-06",
        "0.001",
    )
    # what was not searched whole is not called the surest
    for changes, head in (
        ({"most_nodes": 6, "left_out": "the search ended early"},
         "Of subgraphs of up to 6 nodes, the classes differ most in path of 4 nodes"),
        ({"most_nodes": 0, "is_complete_enough": False},
         "Of what was compared, the classes differ most in path of 4 nodes"),
    ):  # fmt: skip
        search = class_search_of(patterns, **changes)
        partly = Page(render_report(replace(run, class_search=search))).words
        assert head in partly and "surely" not in partly and str(search) in partly
    assert format_run(run).startswith("4 of 5 structures differ between the classes")
    # where none does, that is said
    run = run_of(patterns[2:3], num_graphs=30)
    assert "No structure differs between the classes." in Page(render_report(run)).words
    assert format_run(run).startswith("0 of 1 structure differ between the classes")


def test_each_state_of_the_set_says_itself():
    blocks = MotifSet((), 90.0, 90.0, "blocks", 3, other=MotifSet((), 120.0, 120.0))
    cut = replace(run_of([]).motif_set, cut="Cut after 5 steps.")
    states = {
        "No motif saves bits, given the degrees.": run_of([]),
        "3 blocks describes the graph in 30 of 120 bits less than the degrees alone": run_of(
            [], motif_set=blocks
        ),
        "The search was cut before it found a motif. Cut after 5 steps.": run_of([], motif_set=cut),
        "no edge between two different nodes": run_of([], motif_set=MotifSet((), 0.0, 0.0)),
    }
    for text, run in states.items():
        html = render_report(run)
        assert_numbers(html, files_of_run(run))
        assert text in Page(html).words, text


def test_an_estimate_in_the_motif_table_is_marked_and_has_its_interval():
    ring = pattern_of(nx.cycle_graph(6), 0)
    rows = np.arange(30).reshape(5, 6)
    estimate = OccurrenceCount(4_581_000.0, 28_027.0, 748_248_500.0, is_exact=False)
    for count, said in {
        estimate: "5 of ≈ 4,581,000 95% CI 28,030 to 748,200,000",
        OccurrenceCount.exact(1234): "5 of 1,234",
        OccurrenceCount.exact(5): "5",
    }.items():
        known = replace(ring, frequency=replace(ring.frequency, occurrences=count))
        run = run_of([known], motifs=[(known, rows)])
        html = render_report(run)
        assert_numbers(html, files_of_run(run))
        assert rows_of(html, "t-a")[0][2] == said


@pytest.mark.parametrize("command", ["gomkcn mine a.txt --out run --resume", ""])
def test_a_run_that_was_cut_says_one_reason_and_what_continues_it(command):
    cut = replace(run_of([]).motif_set, cut="Time was up before the search ended.")
    run = replace(run_of([], motif_set=cut), is_partial=True, command=command)
    page = Page(render_report(run)).words
    sentence = "The time limit ended the run."
    assert (f"{sentence} To continue it: {command}" if command else sentence) in page
    said = format_run(run)
    assert said.endswith(f"{sentence} To continue it:\n{command}" if command else sentence)
    for text in (page, said):
        assert "Time was up" not in text and "limit;" not in text
        assert "No set of motifs" not in text and "No motif saves" not in text
        assert "The search was cut before it found" in text


@pytest.mark.parametrize("num_blocks", [None, 3])
def test_blocks_come_before_what_is_called_and_the_lack_of_motifs_after(num_blocks):
    called = significance_of(verdict=MORE, z=5.0, p_adjusted=0.01)
    path = replace(pattern_of(PATH, 0), significance={"degree": called})
    found = MotifSet((), 90.0, 90.0)
    if num_blocks:
        found = replace(found, base="blocks", num_blocks=3, other=MotifSet((), 120.0, 120.0))
    run = run_of([path], motif_set=found)
    page = Page(render_report(run)).words
    sets = "A partition into 3 blocks describes" if num_blocks else "No motif saves bits"
    both = page.index(sets), page.index("occurs more often than in random graphs")
    heads = page.index("Motif set"), page.index("Comparison with random graphs")
    said = format_run(run)
    lines = said.index("A partition" if num_blocks else "No set of motifs"), said.index("1 struct")
    for first, second in (both, heads, lines):
        assert (first < second) == bool(num_blocks)


def test_words_are_explained_where_they_stand():
    """Of bits on each page, of blocks and variants on those that have some."""
    run = run_with_variant()
    plain = replace(run.motif_set, near=())
    words = {
        "Bits given the degrees: length of the description": plain,
        "Blocks: groups of nodes, such as communities": replace(plain, num_blocks=2),
        "Variant of a motif: one edge apart from a motif that has more copies.": run.motif_set,
    }
    for said, found in words.items():
        page = Page(render_report(replace(run, motif_set=found))).words
        assert "Bits given the degrees:" in page
        for other in words:
            assert (other in page) == (other == said or other.startswith("Bits")), said


@pytest.mark.parametrize(
    ("bits_of_starts", "sentence"),
    [
        ((9.0, 9.0), "Both starts of the search found this set."),
        ((9.0, 7.5), "1 of 2 starts of the search found this set; that of the other saves 1.5"),
        ((8.0, 7.5), "This set was found from those of 2 starts of the search, which save 1.0 to"),
    ],
)
def test_how_many_starts_found_a_motif_is_told_where_not_all_did(bits_of_starts, sentence):
    shapes = ((RING, 2), (PATH, 1 + (bits_of_starts[1] == 9.0)))
    run = run_of([], motifs=[(pattern_of(shape), [[*range(4 * k, 4 * k + 4)]], {"starts": starts})
                             for k, (shape, starts) in enumerate(shapes)])  # fmt: skip
    found = replace(
        run.motif_set,
        bits_base=90.0,
        bits_total=81.0,
        bits_of_starts=bits_of_starts,
        bits_from_starts=9.0,
    )
    run = replace(run, motif_set=found)
    text, page = " ".join(format_run(run).split()), Page(render_report(run)).words
    assert sentence in text and sentence in page
    differ = bits_of_starts != (9.0, 9.0)
    assert ("Starts: of the starts" in text) == differ
    rows = [line.split() for line in format_run(run).splitlines() if " 4 nodes " in line]
    assert [" ".join(row[-4:]) == "1 of 2 starts" for row in rows] == [False, differ]
    # of the second motif alone
    assert page.count("found by 1 of 2 starts") == differ
    assert ("Starts: of the starts" in page) == ("and last what few starts found" in page) == differ
    assert found.table().columns()["starts"] == [starts for _, starts in shapes]


def test_a_near_variant_stands_below_its_motif_in_its_colour():
    ring, chord = pattern_of(RING, 0), pattern_of(nx.Graph([*RING.edges, (0, 2)]), 1)
    path = pattern_of(PATH, 2)
    rows = np.arange(12).reshape(3, 1, 4).tolist()
    run = run_of([chord, ring], motifs=list(zip((ring, path, chord), rows, strict=True)))
    near = replace(run.motif_set, near=((0, 2),))
    html = render_report(replace(run, motif_set=near))
    assert re.findall(r'id="motif-(\d)"', html) == ["0", "2", "1"]
    colors = re.findall(r'<tr class="row (m\d)', html)
    assert colors == ["m0", "m0", "m1"]
    assert "2 motifs and 1 near variant, 3 copies in all" in Page(html).words


def test_a_group_without_exact_copies_is_no_structure_that_can_be_counted():
    ring = pattern_of(RING, 0)
    for num_exact, num_gone, is_group in ((0, 2, True), (1, 2, True), (2, 2, False), (0, 1, False)):
        # of 30 copies, one in twenty must be exact, or a fifth of the pairs at most differ
        rows = np.arange(120).reshape(30, 4)
        gone = list(RING.edges)[:num_gone]
        edits = np.array([[copy, *edge, -1] for copy in range(num_exact, 30) for edge in gone])
        run = run_of([], motifs=[(ring, rows, {"edits": edits})])
        name = "dense group (cycle of 4 nodes)" if is_group else "cycle of 4 nodes"
        assert run.motif_set.names == [run.motif_set[0].name] == [name]
        table = run.motif_set.table().columns()
        assert (table["structure"][0], table["edges"][0] is None) == (name, is_group)
        text, html = " ".join(format_run(run).split()), render_report(run)
        for shown in (text, Page(html).words, run._repr_html_()):
            assert (GROUP_NOTE in shown) == is_group
        # no drawing in the table
        assert ('<td class="pic"></td>' in html) == is_group
        assert f"30 ({num_exact} exact)" in text


def test_what_adds_few_bits_stands_below_a_line():
    shapes = [pattern_of(shape, k) for k, shape in enumerate((RING, PATH, nx.star_graph(3)))]
    rows = np.arange(12).reshape(3, 1, 4).tolist()
    run = run_of(shapes, motifs=list(zip(shapes, rows, strict=True)))
    every = zip(run.motif_set, (50.0, LEAST_ADDED, LEAST_ADDED - 0.1), strict=True)
    # the number of the table, and not what the description grows by without the motif
    changed = [replace(one, motif=replace(one.motif, share=bits)) for one, bits in every]
    for number in (3, 2):
        found = replace(run.motif_set, motifs=tuple(changed[:number]))
        with_line = replace(run, motif_set=found)
        text, html = format_run(with_line), render_report(with_line)
        assert (LINE_NOTE in " ".join(text.split())) == (number == 3)
        assert html.count('<tr class="line">') == (number == 3)
        lines = [line for line in text.splitlines() if set(line) == {"-"}]
        assert len(lines) == (number == 3)
    found = replace(run.motif_set, motifs=tuple(changed))
    text, html = (show(replace(run, motif_set=found)) for show in (format_run, render_report))
    rows = text.splitlines()
    (at,) = [k for k, line in enumerate(rows) if set(line) == {"-"}]
    assert rows[at - 1].split()[0] == "1" and rows[at + 1].split()[0] == "2"
    assert html.index('id="motif-1"') < html.index('<tr class="line">') < html.index('id="motif-2"')
    # a line above all of them would divide nothing
    found = replace(run.motif_set, motifs=(changed[2],))
    text, html = (show(replace(run, motif_set=found)) for show in (format_run, render_report))
    assert '<tr class="line">' not in html and not [
        line for line in text.splitlines() if set(line) == {"-"}
    ]
    for shown in (text, Page(html).words):
        assert "Each motif adds fewer than 10 bits." in shown and LINE_NOTE not in shown


def test_edits_and_features_of_a_motif_are_shown():
    ring = pattern_of(RING, 0)
    (gone, *_), other = RING.edges, (0, 2)
    # of eight copies two lack an edge and one has a chord: dotted, and too few to be drawn
    edits = np.array([[1, *gone, -1], [4, *gone, -1], [4, *other, 1]])
    features = (
        OrbitFeature(EVIL, (0, 1, 2, 3), 12.3456, 1.25, -4567.8, 98.5),
        OrbitFeature("x", (0, 1, 2, 3), 0.0, 0.0, 1.0, 2.0),
    )
    copies = np.arange(32).reshape(8, 4)
    run = run_of([ring], motifs=[(ring, copies, {"edits": edits, "features": features})])
    html = render_report(run)
    assert_loads_nothing(html)
    shown = assert_numbers(html, files_of_run(run))
    own = {"copies_exact", "missing", "added", "missing_rate", "added_rate", "features/0/mean"}
    assert {f"/motif_set/motifs/0/{name}" for name in own} <= shown
    words = Page(html).words
    assert "8 copies, 6 exact; 2 of 32 edges missing ( 6.2% ), 1 added ( 6.2% of 16" in words
    assert "A B C D 12.3 ± 1.25 −4,568 ± 98.5" in words
    letters = "–".join("ABCD"[node] for node in gone)
    (label, *_) = re.findall(r'aria-label="(edges [^"]*)"', html)
    assert label.endswith(f"; dotted: {letters}")
    assert "8 (6 exact)" in run._repr_html_() and EDITS_NOTE in run._repr_html_()
    # nothing of it where all copies are exact
    html = render_report(run_of([ring], motifs=[(ring, copies)]))
    html = re.sub(r' data-csv="[^"]*"', "", html.partition("<main>")[2].partition("<script")[0])
    assert not re.search("exact|dotted|missing", html)


def test_hostile_names_stay_text():
    evil = f"{EVIL}\x00\x1b[31m\u202e"
    pattern = replace(
        pattern_of(nx.path_graph(2), ids=(EVIL, '"><img src=x onerror=f()>')), description=evil
    )
    run = run_of([pattern], [recovery_of(EVIL)], source=EVIL, settings={EVIL: EVIL, "f": "a\x00b"})
    run = replace(run, notes=(evil,), warnings=(evil,))
    for html in (render_report(run), pattern._repr_html_(), run._repr_html_()):
        assert_loads_nothing(html)
        assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202e]", html)
    assert "a�b" in Page(render_report(run)).words


def test_letters_of_words_are_those_of_the_drawing():
    edges = [("activates", 2, 0), ("represses", 2, 1), ("represses", 0, 1)]
    pattern = typed_pattern_of(3, edges, {"activates": True, "represses": True})
    html = render_report(run_of([pattern]))
    assert "C activates A, both repress B" in Page(html).words
    assert "C→A activates" in html and "A→B represses" in html


def test_notebooks_show_tables_with_drawings(mined):
    _, run = mined
    html = run._repr_html_()
    drawn = len(run.filters.filters) + len(run.motif_set) + len(run.patterns)
    assert html.count("<svg") == drawn and run.filters.filters
    # in the order of the page: filters, motif set, patterns
    assert html.index('class="filters') < html.index("shorten") < html.index("<th>Result")
    assert "shorten" in run.motif_set._repr_html_()
    table = Patterns([Pattern(Structure.parse(name)) for name in ("triangle", "ring-4")])
    assert table._repr_html_().count("<svg") == 2
    few = {"null": None, "pattern_size": 3}
    frequent = FilterMiner(2, filter_size=3, contrast=False)
    fitted = PatternMiner(**few, filters=frequent).fit(nx.path_graph(4))
    # no row, no table
    assert 'class="filters' in fitted._repr_html_() and "<table" not in fitted._repr_html_()
    # where no filter is beyond chance a sentence says so, after the other answers
    fitted = PatternMiner(**few, filters=FilterMiner(filter_size=3)).fit(nx.path_graph(4))
    assert fitted.filters_.filters_ == ()
    assert fitted._repr_html_().startswith("<p>The degrees")
    assert fitted._repr_html_().endswith(f"<p>{fitted.filters_.note_}</p>")
    miner = PatternMiner(null_samples=99)
    assert miner._repr_mimebundle_()["text/html"] == "<pre>PatternMiner(null_samples=99)</pre>"


def test_the_set_comes_first_then_what_is_called():
    ring = pattern_of(nx.cycle_graph(6), 0)
    called = [
        replace(pattern_of(PATH, 1, count=1000),
                significance={"degree": significance_of(verdict=MORE, z=12.34, p_adjusted=0.005)}),
        replace(pattern_of(nx.star_graph(3), 2),
                significance={"degree": significance_of(verdict=LESS, z=-4.0, p_adjusted=0.02)}),
    ]  # fmt: skip
    called[0] = replace(called[0], inside=(2,))
    run = run_of([ring, *called], [recovery_of("b\x1b\nk", (0,))],
                 motifs=[(ring, [[0, 1, 2, 3, 4, 5]])])  # fmt: skip
    text = format_run(run)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0].startswith("1 motif with 1 copies shortens") or "1 motif" in lines[0]
    motif = next(line for line in lines if line.strip().startswith("0  "))
    assert motif.split() == ["0", "cycle", "of", "6", "nodes", "6", "1", "90", "b��k"]
    assert "2 structures compared with random graphs: 1 over-represented, 1 under-" in text
    row = next(line for line in lines if line.startswith("path of 4 nodes"))
    assert row.split()[4:] == ["1,000", "<1%", "0.50", "±", "0.75", "+12.3", "0.005"]
    assert text.index("motif") < text.index("path of 4 nodes") < text.index("planted motif")


def test_what_is_nearly_called_and_what_was_asked_for_is_said_with_its_numbers():
    near = replace(
        pattern_of(PATH, 0, count=203),
        sources=("given",),
        significance={"degree": significance_of(z=9.1, observed=203.0, p_adjusted=0.06)},
    )
    absent = replace(
        pattern_of(nx.star_graph(3), 1, count=0),
        significance={"degree": significance_of(p_adjusted=0.9)},
    )
    run = run_of([near, absent])
    given = GivenPattern(17.34, "is not in the set: it costs 17.3 bits more")
    run = replace(run, motif_set=replace(run.motif_set, given={"path of 4 nodes": given}))
    text = " ".join(format_run(run).split())
    assert "1 structure compared with random graphs (and 1 that these alone have): 0 over-" in text
    # one family
    samples = near.significance["degree"].num_samples
    error = (0.05 * 0.95 / samples) ** 0.5
    said = "Close to being called: path of 4 nodes (203, 0.50 expected, adjusted p = 0.060)."
    assert (
        f"{said} With {samples} random graphs such a p has a standard error of {error:.2f}" in text
    )
    asked = f"Given: path of 4 nodes {given.reason}; 203 occurrences, 0.50 ± 0.75"
    assert f"{asked} expected, adjusted p = 0.060." in text
    page = " ".join(re.sub("<[^>]*>", "", render_report(run)).split())
    assert said in page and asked in page
    far = replace(near, significance={"degree": significance_of(p_adjusted=0.2)})
    assert "Close to being" not in format_run(run_of([far]))


def test_copies_that_differ_are_said_and_others_are_not():
    ring = pattern_of(nx.cycle_graph(6), 0)
    rows, edits = np.arange(30).reshape(5, 6), np.array([[3, 0, 1, -1], [3, 0, 3, 1]])
    text = format_run(run_of([ring], motifs=[(ring, rows, {"edits": edits})]))
    assert "5 (4 exact)" in text and EDITS_NOTE in text.replace("\n", " ")
    assert "exact" not in format_run(run_of([ring], motifs=[(ring, rows)]))
    # classes, and a run that was cut
    one = replace(pattern_of(PATH), classes=difference_of("toxic", "harmless"))
    text = format_run(replace(run_of([one], num_graphs=30), is_partial=True))
    assert "1 of 1 structure differs between the classes" in text
    assert "9 of 10" in text and "2 of 20" in text
    assert text.endswith("The time limit ended the run.")


def test_the_row_of_filters_says_their_instances(mined):
    _, run = mined
    one = run.filters.filters[0]
    assert (one.name, one.instances.value) == ("clique of 5 nodes", 8)
    words = Page(render_report(run)).words
    assert "have 1 filter : clique of 5 nodes ( 8 instances)." in words
    assert run.filters.note in words
    assert f"8 instances {one.random_instances} in random graphs motif 0" in words
    assert format_run(run).startswith("1 filter: clique of 5 nodes (8 instances). ")


def test_titles_take_lines_where_a_table_is_too_wide():
    columns = {"name": ["a--b, " * 9], "nearest nodes": ["1"], "n": ["2" * 60]}
    first, second, row, *_ = str(TextTable(columns, {"name"})).splitlines()
    assert first.split() == ["nearest"] and second.split() == ["name", "nodes", "n"]
    assert first.index("nearest") + len("nearest") == second.index("nodes") + len("nodes")
    # edges stay whole
    assert row.split()[-3:] == ["a--b,", "1", "2" * 60]
    # a table that fits keeps its titles in a line
    columns |= {"n": ["2"]}
    assert str(TextTable(columns, {"name"})).splitlines()[0].split() == [
        "name",
        "nearest",
        "nodes",
        "n",
    ]


def test_tables_fit_the_terminal():
    table = TextTable({"name": ["word " * 60, "short"], "n": ["1", "2"]}, {"name"})
    lines = str(table).splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[-1].split() == ["short", "2"]
    endless = str(TextTable({"name": ["word " * 999]}, {"name"})).splitlines()
    assert len(endless) == 1 + 6 and endless[-1].endswith("…")


def test_what_random_graphs_alone_have_is_counted_and_has_no_row():
    held, lacked, called = (
        replace(pattern_of(graph, -1, count=count), significance={"degree": significance_of(**own)})
        for graph, count, own in (
            (PATH, 3, {}),
            (RING, 0, {"observed": 0.0}),
            (nx.star_graph(3), 0, {"observed": 0.0, "verdict": LESS, "p_adjusted": 0.01}),
        )
    )
    # what only the graphs of another null model have is none of these
    elsewhere = replace(
        pattern_of(nx.complete_graph(4), -1, count=0),
        significance={"degree": replace(significance_of(observed=0.0, mean=0.0), largest=0.0)},
    )
    others = (called, held, lacked, elsewhere)
    run = replace(run_of([]), others=others, null_models={"degree": "degrees"})
    assert "(and 2 that these alone have)" in " ".join(format_run(run).split())
    page = render_report(run)
    assert "Not shown to differ: 2 of 3" in page
    assert "1 that random graphs alone have are not listed" in page
    assert len(rows_of(page, "t-b0")) == 2
    # it has a bar of the profile, which is no link
    assert page.count("cycle of 4 nodes") == page.count('<g role="img" aria-label="cycle of 4') + 1
