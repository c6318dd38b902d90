"""The page and the cards: every number is that of the files, and any name is safe."""

import dataclasses
import hashlib
import re
from html import escape
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from self_contained import Page, assert_loads_nothing
from tiny_runs import (
    assert_numbers,
    block_of,
    difference_of,
    files_of_run,
    pattern_of,
    recovery_of,
    run_of,
    signed_loops,
    significance_of,
    typed_pattern_of,
)

from gomkcn_dgl.graph import csr_from_edges
from mining.html.explorer import page_script
from mining.html.report import _styles, patterns_html, render_report, run_figures, run_html
from mining.html.tables import format_run, pattern_table, recovery_table
from mining.html.tiles import headline
from mining.miner import PatternMiner
from mining.mining_run import MiningRun, compare_runs
from mining.pattern import AS_EXPECTED, LESS, MORE, Frequency, OccurrenceCount, Pattern
from mining.truth import compare_with_truth

EVIL = "<script>alert(1)</script>"
HOUSE = nx.Graph([(0, 1), (1, 2), (2, 3), (0, 3), (2, 4), (3, 4)])
PATH = nx.path_graph(4)


@pytest.fixture(scope="module")
def mined():
    graph = nx.disjoint_union_all([HOUSE] * 4 + [nx.star_graph(4)] * 5)
    # a star grows one leaf and a house gets a neighbour
    graph.add_edges_from([(20, 45), (0, 46)])
    edges = [list(edge) for edge in HOUSE.edges]
    houses = [list(range(5 * i, 5 * i + 5)) for i in range(4)]
    house = {"name": "house5", "num_nodes": 5, "edges": edges, "copies": 4, "instances": houses}
    ring = {"name": "ring", "num_nodes": 3, "edges": [[0, 1], [1, 2], [0, 2]], "copies": 0}
    truth = {"motifs": [house, {**ring, "instances": []}]}
    options = {"null": "none", "num_epochs": 5, "min_occurrences": 2, "backend": "reference"}
    miner = PatternMiner(num_patterns=2, pattern_size=(5, 5), **options).fit(graph)
    miner.patterns_ = [
        dataclasses.replace(
            pattern,
            significance={null: significance_of(null) for null in ("degree", "own")},
        )
        for pattern in miner.patterns_
    ]
    return MiningRun.of(miner, graph, recovery=compare_with_truth(miner.patterns_, truth))


@pytest.fixture(scope="module")
def molecules():
    """A collection with labels, one of which has a hostile name."""
    ring = nx.cycle_graph(6)
    kinds = [0, 0, 0, 0, 0, 1] * 12
    graphs = nx.disjoint_union_all([ring] * 12)
    graph = csr_from_edges(
        *np.array(graphs.edges).T,
        72,
        features=np.eye(2)[kinds],
        graph_ptr=np.arange(0, 73, 6),
        feature_names=["label=carbon", f"label={EVIL}"],
    )
    options = {"null": "none", "num_epochs": 0, "min_occurrences": 2, "backend": "reference"}
    miner = PatternMiner(num_patterns=2, pattern_size=(6, 6), **options)
    return MiningRun.of(miner.fit(graph), graph)


def test_the_headline_counts_what_it_says(mined):
    patterns = []
    for pattern, verdict in zip(mined.patterns, ("more frequent", "as expected"), strict=True):
        (like, *_) = pattern.significance.values()
        judged = {"degree": dataclasses.replace(like, verdict=verdict)}
        patterns.append(dataclasses.replace(pattern, significance=judged))
    said = headline(dataclasses.replace(mined, patterns=patterns))
    assert "1 of 2 that were compared occurs more often than in random graphs, none less" in said


def test_the_page_of_a_run(mined):
    html = render_report(mined)
    assert html == render_report(mined)
    assert_loads_nothing(html)
    assert_numbers(html, files_of_run(mined))
    page = Page(html)
    for sentence in (
        headline(mined),
        "This is the planted motif house5",
        "miner.num_epochs 5",
        *(pattern.description for pattern in mined.patterns),
    ):
        assert sentence in page.words
    # the tables of the terminal
    assert page.tags.count("table") >= 4
    for table in (pattern_table(mined), recovery_table(mined.recovery)):
        assert all(cell in page.words for row in table.rows for cell in row)
    for label in ("Curve", "how often each pattern occurs"):
        assert sum(label in value for _, value in page.attributes if value) == 1
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = {v for n, v in page.attributes if n in {"href", "xlink:href"} and v.startswith("#")}
    assert "#pattern-1" in links
    assert {link[1:] for link in links} <= set(ids)


def test_the_page_of_a_collection_with_labels(molecules):
    html = render_report(molecules)
    assert_loads_nothing(html)
    assert_numbers(html, files_of_run(molecules))
    page = Page(html)
    assert "/patterns/0/frequency/graphs" in {path for _, path, *_ in page.marked}
    assert "12 graphs" in page.words
    assert "A node has the colour of its label; grey" in page.words
    # in the legend of the colours, in the description and in the table of features
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 3
    block = block_of(html)
    assert block["collection"] and block["texts"] == [f"label={EVIL}", "label=carbon"]


def test_every_kind_of_number_in_a_card():
    pattern = dataclasses.replace(
        pattern_of(PATH, count=12345, ids=("a", "b", "c", None)),
        frequency=Frequency(
            OccurrenceCount(7.8071234e9, 7.79e9, 7.824e9, is_exact=False), 1, 54321, 12, 12345, 9
        ),
        significance={
            "degree": significance_of(
                mean=1234.5678, sd=0.000123, z=-12.3456, p_adjusted=0.005, verdict=LESS
            ),
            "erdos-renyi": significance_of("erdos-renyi", observed=0.0, p_adjusted=0.049999),
        },
        classes=difference_of("toxic", "harmless"),
        sources=("filters", "consensus"),
    )
    run = run_of([pattern])
    html = render_report(run)
    assert_numbers(html, files_of_run(run))
    words = Page(html).words
    for text in ("7.807 · 10⁹ occurrences in the whole graph, estimated from random draws",
                 "95 % interval 7.79 · 10⁹ to 7.824 · 10⁹", "9 of 12,345 listed places share",
                 "54,321 nodes have it around them", "12 nodes are nearest to it", "1,235 ±",
                 "z = −12.3", "adjusted p = 0.05",
                 "Less frequent than in nearly all of 100 random graphs of the model “degree”",
                 "As frequent as in many of 100 random graphs of the model “erdos-renyi”",
                 "Graphs of class toxic contain it more often than the others : 9 of 10 graphs of "
                 "class toxic, 2 of 20 of the others.", "46.8 ( 5.75 to 383 )",
                 "Noisy copies agree on it", "The 10 most similar of"):  # fmt: skip
        assert text in words, text
    paths = {path for _, path, *_ in Page(html).marked}
    assert "/patterns/0/occurrences/9/similarity" in paths
    assert "/patterns/0/occurrences/10/similarity" not in paths


def test_counts_say_how_they_are_known():
    counts = [OccurrenceCount.exact(1), OccurrenceCount(0, 0, 31.5, is_exact=False)]
    patterns = [
        dataclasses.replace(pattern_of(PATH, number), frequency=Frequency(count, 1, 0, 0, 3, 1))
        for number, count in enumerate(counts)
    ]
    run = run_of(patterns)
    html = render_report(run)
    assert_numbers(html, files_of_run(run))
    words = Page(html).words
    assert "1 occurrence in the whole graph, counted exactly occurrences :" in words
    assert "fewer than 31.5 occurrences in the whole graph, random draws found none" in words
    words = words.partition("All patterns in one table")[2]
    # nothing was compared or repeated
    for absent in ("estimated", "random graph", "class", "come back"):
        assert absent not in words, absent


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (MORE, "More frequent than in nearly all"),
        (LESS, "Less frequent than in nearly all"),
        (AS_EXPECTED, "As frequent as in many"),
    ],
)
def test_the_verdict_is_that_of_the_record(verdict, words):
    """It is not judged a second time from z and p."""
    significance = {null: significance_of(null, verdict=verdict) for null in ("degree", "own")}
    pattern = dataclasses.replace(pattern_of(PATH), significance=significance)
    keeps = {"degree": "the degrees of Zeus", "own": "what Hera keeps"}
    run = dataclasses.replace(run_of([pattern]), null_models=keeps)
    page = Page(render_report(run))
    assert page.words.count(words) == 2
    # and what each null model keeps is said
    for null, kept in keeps.items():
        assert f"Random graphs of the model “{null}” keep {kept}." in page.words


def test_a_warning_stands_above_the_patterns():
    run = dataclasses.replace(run_of([pattern_of(PATH)]), warnings=("This graph has triangles.",))
    assert Page(render_report(run)).words.count("This graph has triangles.") == 1
    assert "This graph has triangles." in format_run(run)


def test_hostile_names_stay_text():
    features = np.array([[1.0, 2.0], [3.0, 4.0]])
    ids = (EVIL, '"><img src=x onerror=f()>')
    pattern = dataclasses.replace(
        pattern_of(nx.path_graph(2), features=features, ids=ids),
        feature_names=(EVIL, "a'b\"c&d"),
        description=f"{EVIL}\x00\x1b[31m\u202e",
    )
    settings = {EVIL: EVIL, "features": "a\x00b"}
    run = run_of([pattern], [recovery_of(EVIL)], source=EVIL, settings=settings)
    for html in (render_report(run), patterns_html([pattern]), run_html(run)):
        assert_loads_nothing(html)
        assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202e]", html)
    html = render_report(run)
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 9
    assert "a�b" in Page(html).words


def test_a_wrong_number_is_noticed(mined):
    html, files = render_report(mined), files_of_run(mined)
    mark = re.search(r"<data [^>]*/frequency/disjoint[^>]*>\d+</data>", html)[0]
    wrong = [re.sub(r">\d+<", ">77<", mark), mark.replace('value="', 'value="7'), "3"]
    for replacement in [*wrong, mark.replace("/0/", "/1/")]:
        with pytest.raises(AssertionError):
            assert_numbers(html.replace(mark, replacement, 1), files)


def test_features_are_a_line_or_a_table_of_those_that_vary_most():
    constant = Page(patterns_html([pattern_of(nx.path_graph(2))])).words
    assert "Every node has x0 = 1 ." in constant
    features = np.tile(np.repeat([0.0, 1.0], 6)[:, None], (1, 8))
    # the mean is near 0 and one node is far from it
    features[:, [2, 5]] = 0
    features[0, [2, 5]] = 1
    page = Page(patterns_html([pattern_of(nx.path_graph(12), features=features)]))
    assert "6 of 8 features: those in which a node differs most from the others" in page.words
    columns = {int(path.split("/")[-1]) for _, path, *_ in page.marked if "features" in path}
    assert len(columns) == 6
    assert {2, 5} < columns


def test_notebooks_show_cards(mined):
    patterns = [pattern_of(nx.path_graph(3), 0), pattern_of(nx.cycle_graph(4), 1)]
    assert patterns[0]._repr_html_() == patterns_html(patterns[:1])
    page = Page(patterns_html(patterns))
    assert page.tags.count("article") == 2
    assert not [value for name, value in page.attributes if name == "id"]
    assert_numbers(mined._repr_html_(), files_of_run(mined))
    # what is not reported has no places that a card would show
    other = dataclasses.replace(patterns[0], id=-1, profiles=())
    for one in (other, Pattern(patterns[0].structure)):
        assert one._repr_html_() == f"<pre>{escape(repr(one))}</pre>"
    miner = PatternMiner(num_patterns=2)
    assert miner._repr_mimebundle_()["text/html"] == "<pre>PatternMiner(num_patterns=2)</pre>"
    miner.patterns_ = patterns
    assert miner._repr_html_() == patterns_html(patterns)
    comparison = compare_runs(run_of(patterns), run_of(patterns[:1]))
    assert "1 of 2 patterns in both runs" in comparison._repr_html_()


def test_a_notebook_shows_the_page_in_a_frame(mined):
    frame = Page(mined.show()._repr_html_())
    assert frame.tags == ["iframe"]
    assert dict(frame.attributes)["srcdoc"] == render_report(mined)
    # the script of the page does not reach the notebook
    assert "allow-same-origin" not in dict(frame.attributes)["sandbox"]


def test_a_run_without_patterns_truth_or_loss():
    run = run_of([], loss_curve=[], truncated_share=0.0)
    words = Page(render_report(run)).words
    assert "No patterns were found." in words
    for absent in ("Planted motifs", "Overview", "were cut"):
        assert absent not in words
    assert run_figures(run) == {}


@pytest.fixture(scope="module")
def signed():
    graph = signed_loops()
    return MiningRun.of(
        PatternMiner(num_patterns=2, pattern_size=3, num_epochs=0, null="none").fit(graph), graph
    )


def test_relations_and_notes_are_on_the_page(signed):
    assert [relation.num_edges for relation in signed.graph.relations] == [6, 12, 5]
    html = render_report(signed)
    page = Page(html)
    assert_numbers(html, files_of_run(signed))
    assert_loads_nothing(html)
    assert "Edges with a direction: 12 “represses”, 6 “activates”." in page.words
    assert "Edges without a direction: 5 “binds”." in page.words
    assert "dropped 1 self-loops" in signed.notes and "dropped 1 self-loops" in page.words
    loop = r"coherent feed-forward loop of type 3: \d activates \d, both repress \d"
    assert re.search(loop, page.words)
    # below the graph, and on every card
    assert html.count('class="gomkcn-key gomkcn-relations"') == 1 + len(signed.patterns)


def test_the_words_have_the_numbers_of_the_drawing():
    edges = [("activates", 2, 0), ("represses", 2, 1), ("represses", 0, 1)]
    pattern = typed_pattern_of(3, edges, {"activates": True, "represses": True})
    words = Page(patterns_html([pattern])).words
    assert "2 activates 0, both repress 1" in words
    assert "2→0 activates:" in words and "0→1 represses:" in words


def test_the_script_of_the_page_is_that_of_its_sources():
    """Else `npm ci && npm run build` in page/ makes it anew."""
    sources = hashlib.sha256()
    for path in sorted((Path(__file__).parents[1] / "page/src").iterdir()):
        sources.update(path.read_bytes())
    assert f"src/ {sources.hexdigest()}, with" in page_script().partition("\n")[0]


def test_the_block_of_data_holds_the_graph_and_all_places(signed):
    block = block_of(render_report(signed))
    pattern, shown = signed.patterns[0], signed.map
    assert block["names"] == [f"gene{number}" for number in range(18)]
    assert [len(block["x"]), len(block["from"])] == [18, 23]
    assert [one["color"] for one in block["relations"]] == [
        style.color for style in _styles(signed).in_order(pattern.relations)
    ]
    entry = block["patterns"][0]
    places = np.array(entry["places"]).reshape(-1, pattern.num_nodes)
    named = [tuple(block["names"][node] for node in place) for place in places]
    assert named == [place.nodes for place in pattern.occurrences]
    # each place has the edges of the pattern
    edges = {*zip(block["from"], block["to"], block["kind"], strict=True)}
    for place in places:
        assert all((place[u], place[v], kind) in edges for u, v, kind in entry["edges"])
    assert len(shown.positions) == len(np.unique(shown.positions, axis=0)) == 18


def test_places_off_the_map_have_names(mined):
    """Of a large graph the map is a part, and a list of places may name other nodes."""
    pattern = pattern_of(PATH, ids=(0, 1, "far", None))
    shown = dataclasses.replace(mined.map, faces=[["#4c72b0"] * 4])
    run = dataclasses.replace(mined, patterns=[pattern], map=shown, recovery=None)
    block = block_of(render_report(run))
    known = len(mined.map.names)
    assert block["names"][known:] == ["far"]
    assert block["patterns"][0]["places"][:4] == [0, 1, known, -1]
    assert len(block["x"]) == known
