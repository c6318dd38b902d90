"""The page and the cards: every number is that of the files, and any name is safe."""

import dataclasses
import gc
import re

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure
from tiny_runs import (
    Page,
    assert_loads_nothing,
    assert_numbers,
    files_of_run,
    pattern_of,
    recovery_of,
    run_of,
    significance_of,
)

from gomkcn_dgl.graph import as_csr, csr_from_edges
from mining.assessment.evaluation import compare_with_truth
from mining.html.report import patterns_html, render_report, run_figures, run_html
from mining.html.summary import summary_sentence
from mining.miner import PatternMiner
from mining.records.choice import Choice
from mining.records.frequency import Frequency
from mining.records.occurrence import Occurrence
from mining.records.stability import Stability
from mining.runs.mining_run import MiningRun

EVIL = "<script>alert(1)</script>"
HOUSE = nx.Graph([(0, 1), (1, 2), (2, 3), (0, 3), (2, 4), (3, 4)])
PATH = nx.path_graph(4)


@pytest.fixture(scope="module")
def mined():
    graph = nx.disjoint_union_all([HOUSE] * 4 + [nx.star_graph(4)] * 5)
    # a star grows one leaf and a house gets a neighbour
    graph.add_edges_from([(20, 45), (0, 46)])
    truth = {
        "motifs": [
            {
                "name": "house5",
                "num_nodes": 5,
                "edges": [list(edge) for edge in HOUSE.edges],
                "copies": 4,
                "instances": [list(range(5 * i, 5 * i + 5)) for i in range(4)],
            },
            {"name": "ring", "num_nodes": 3, "edges": [[0, 1], [1, 2], [0, 2]], "copies": 0,
             "instances": []},
        ]
    }  # fmt: skip
    miner = PatternMiner(
        num_patterns=2, pattern_size=5, num_epochs=5, min_support=2, backend="reference"
    ).fit(graph)
    miner.patterns_ = [
        dataclasses.replace(
            pattern,
            frequency=dataclasses.replace(pattern.frequency, exact=7, exact_state="counted"),
            significance={null: significance_of(null, q=0.01) for null in ("degree", "features")},
            stability={"restarts": Stability(9 - pattern.id, 10)},
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
    miner = PatternMiner(num_patterns=2, num_epochs=0, min_support=2, backend="reference")
    return MiningRun.of(miner.fit(graph), graph)


def test_every_number_of_a_mined_run_is_that_of_its_files(mined):
    html = render_report(mined)
    assert_loads_nothing(html)
    assert_numbers(html, files_of_run(mined))
    marked = {path: text for _, path, _, text in Page(html).marked}
    distinct = [pattern.frequency.distinct for pattern in mined.patterns]
    assert [marked[f"/patterns/{i}/frequency/distinct"] for i in range(2)] == [
        str(count) for count in distinct
    ]
    assert marked["/patterns/1/stability/restarts/returned"] == "8"
    assert marked["/recovery/0/planted_found"] == "4"


def test_a_mined_run_as_a_page(mined):
    html = render_report(mined)
    words = Page(html).words
    assert summary_sentence(mined) in words
    assert "This is the planted motif house5" in words
    assert "In 9 of 10 searches from other starting points." in words
    assert "miner.num_epochs 5" in words
    assert "prefers-color-scheme: dark" in html
    assert all(pattern.words in words for pattern in mined.patterns)
    for label in ("Map of the graph", "Histogram", "Curve", "how often each pattern occurs"):
        assert sum(label in value for _, value in Page(html).attributes if value) == 1


def test_every_number_of_a_collection_is_that_of_its_files(molecules):
    html = render_report(molecules)
    assert_loads_nothing(html)
    assert_numbers(html, files_of_run(molecules))
    assert "/patterns/0/frequency/num_graphs" in {path for _, path, *_ in Page(html).marked}
    assert "12 graphs" in Page(html).words
    # in the legend of the colours, in the words and in the table of features
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 3
    assert "A node has the colour of its label." in Page(html).words


def test_a_number_that_is_missing_or_wrong_is_noticed(mined):
    html, files = render_report(mined), files_of_run(mined)
    mark = re.search(r"<data [^>]*/frequency/disjoint[^>]*>\d+</data>", html)[0]
    for wrong in (
        re.sub(r">\d+<", ">77<", mark),
        mark.replace('value="', 'value="7'),
        mark.replace("/0/", "/1/"),
        "3",
        "",
    ):
        with pytest.raises(AssertionError):
            assert_numbers(html.replace(mark, wrong, 1), files)


def test_every_kind_of_number_in_a_card():
    pattern = dataclasses.replace(
        pattern_of(PATH, distinct=12345, ids=("a", "b", "c", "d")),
        frequency=Frequency(
            12345678, 12345, 9, None, "not finished", 1, {"distinct": (12000, 13000)}
        ),
        significance={
            "degree": significance_of(mean=1234.5678, std=0.000123, z=-12.3456, q=1.0),
            "configuration": significance_of("configuration", observed=0, q=0.049999),
        },
        stability={"restarts": Stability(0, 10), "bootstrap": Stability(10, 10)},
        num_filters=3,
    )
    run = run_of([pattern])
    html = render_report(run)
    assert_numbers(html, files_of_run(run))
    words = Page(html).words
    for text in ("12 345 678", "1235 ±", "z = −12.3", "q = 0.05", "not finished in time",
                 "here are fewer", "Chance may explain it", "More than chance makes"):  # fmt: skip
        assert text in words.replace(" :", ":"), text


def test_a_pattern_without_intact_copies_is_said_so():
    pattern = pattern_of(PATH)
    sentence = "Few copies are intact"
    assert sentence not in Page(patterns_html([pattern])).words
    assert sentence in Page(patterns_html([dataclasses.replace(pattern, noisy=True)])).words


def test_what_the_miner_chose_is_said_and_drawn():
    choices = (
        Choice("pattern_size", (3, 4, 5), (0.0, 9.0, 4.0), (0.0, 3.0, 2.0), 4, True),
        Choice("num_patterns", (1, 2), (0.0, 0.0), (0.0, 0.0), 12, False),
    )
    run = dataclasses.replace(run_of([pattern_of(PATH)]), choices=choices)
    html = render_report(run)
    assert_numbers(html, files_of_run(run))
    marked = {path: text for _, path, _, text in Page(html).marked}
    assert (marked["/choices/0/chosen"], marked["/choices/1/chosen"]) == ("4", "12")
    assert "at most 4 nodes was chosen by what comes back" in Page(html).words
    assert "12 patterns were looked for is the usual choice" in Page(html).words
    assert list(run_figures(run)) == ["frequencies", "pattern_size", "num_patterns", "loss"]


def test_the_page_is_the_same_on_every_call(mined):
    assert render_report(mined) == render_report(mined)


def test_a_page_keeps_no_figure(mined):
    def count_figures():
        for _ in range(3):
            gc.collect()
        return sum(type(one) is Figure for one in gc.get_objects())

    before = count_figures()
    render_report(mined)
    assert count_figures() == before


def test_ids_of_a_page_are_unique_and_its_links_lead_somewhere(mined):
    page = Page(render_report(mined))
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = {
        v for name, v in page.attributes if name in {"href", "xlink:href"} and v.startswith("#")
    }
    assert "#pattern-1" in links
    assert {link[1:] for link in links} <= set(ids)


def test_hostile_names_stay_text():
    features = np.array([[1.0, 2.0], [3.0, 4.0]])
    pattern = dataclasses.replace(
        pattern_of(nx.path_graph(2), features=features, ids=(EVIL, '"><img src=x onerror=f()>')),
        feature_names=(EVIL, "a'b\"c&d"),
        words=EVIL,
    )
    run = run_of(
        [pattern],
        [recovery_of(EVIL)],
        source=EVIL,
        settings={EVIL: EVIL},
        provenance={"commit": [EVIL]},
    )
    html = render_report(run)
    assert_loads_nothing(html)
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 9
    assert_loads_nothing(patterns_html([pattern]))
    assert_loads_nothing(run_html(run))


def test_no_control_character_reaches_a_page():
    pattern = dataclasses.replace(
        pattern_of(nx.path_graph(2), ids=("a\x1b[31m", "b\u202e")), words="one\x00two"
    )
    run = run_of([pattern], source="c\x07", settings={"graph": {"features": "a\x00b"}})
    html = render_report(run)
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202e]", html)
    for shown in ("a�b", "c�", "one�two", "a�[31m"):
        assert shown in Page(html).words, shown


def test_only_the_telling_features_and_first_occurrences_are_listed():
    features = np.random.default_rng(0).normal(size=(4, 18)).round(3)
    run = run_of([pattern_of(PATH, distinct=30, features=features)])
    html = render_report(run)
    words = Page(html).words
    assert "6 of 18 features: those in which a node differs most from the others" in words
    assert "The 10 most similar of 30 places" in words
    paths = {path for _, path, *_ in Page(html).marked}
    assert "/patterns/0/occurrences/9/similarity" in paths
    assert "/patterns/0/occurrences/10/similarity" not in paths


def test_the_listed_features_are_those_furthest_from_the_mean():
    features = np.tile(np.repeat([0.0, 1.0], 6)[:, None], (1, 8))
    # the mean is near 0 and one node is far from it
    features[:, [2, 5]] = 0
    features[0, [2, 5]] = 1
    html = patterns_html([pattern_of(nx.path_graph(12), features=features)])
    columns = {int(path.split("/")[-1]) for _, path, *_ in Page(html).marked if "features" in path}
    assert len(columns) == 6
    assert {2, 5} < columns


def test_a_constant_feature_is_one_line_and_a_varying_one_a_table():
    constant = Page(patterns_html([pattern_of(nx.path_graph(2))])).words
    assert "Every node has x0 = 1 ." in constant
    varying = pattern_of(nx.path_graph(2), features=np.array([[0.123], [0.456]]))
    words = Page(patterns_html([varying])).words
    assert "Every node" not in words
    assert "0.123" in words and "0.456" in words


def test_a_collection_names_the_graph_of_each_occurrence():
    html = render_report(run_of([pattern_of(nx.path_graph(2))], num_graphs=3))
    assert "around node 100 of graph 0" in Page(html).words
    assert "of graph" not in Page(patterns_html([pattern_of(nx.path_graph(2))])).words


def test_a_pattern_node_that_nothing_plays_is_said_so():
    pattern = pattern_of(nx.path_graph(2), ids=("a", None))
    assert "1 → none" in Page(patterns_html([pattern])).words


def test_cards_work_in_jupyter(mined):
    patterns = [pattern_of(nx.path_graph(3), 0), pattern_of(nx.cycle_graph(4), 1)]
    assert patterns[0]._repr_html_() == patterns_html(patterns[:1])
    html = patterns_html(patterns)
    assert_loads_nothing(html)
    page = Page(html)
    assert page.tags.count("article") == 2
    assert not [value for name, value in page.attributes if name == "id"]
    assert "No patterns were found." in Page(patterns_html([])).words
    html = mined._repr_html_()
    assert_numbers(html, files_of_run(mined))
    assert summary_sentence(mined) in Page(html).words
    # pattern, medoid and places, without the figures of the page
    assert Page(html).tags.count("figure") == sum(
        2 + len(drawing.occurrences) for drawing in mined.drawings.patterns
    )
    assert "No patterns" not in run_html(run_of([]))


def test_a_run_without_patterns_truth_or_loss():
    run = run_of([], loss_curve=[], truncated_share=0.0)
    words = Page(render_report(run)).words
    assert summary_sentence(run) == "In the 40-node graph, no pattern was found."
    assert "No patterns were found." in words
    assert "Planted motifs" not in words
    assert "At a glance" not in words
    assert "reached further" not in words
    assert run_figures(run) == {}


def test_a_large_graph_has_no_map():
    size = 5000
    graph = as_csr(nx.disjoint_union_all([nx.path_graph(2)] * (size // 2)))
    miner = PatternMiner(
        num_patterns=1, pattern_size=2, num_epochs=0, min_similarity=0.5, backend="reference"
    ).fit(graph)
    run = MiningRun.of(miner, graph)
    assert run.drawings.map is None
    assert set(run_figures(run)) == {"frequencies", "similarities", "loss"}
    assert "Map" not in render_report(run)


def test_an_occurrence_without_a_drawing_has_its_place_in_the_table():
    pattern = dataclasses.replace(
        pattern_of(nx.path_graph(2)), occurrences=(Occurrence((7, 8), 0.5, 3),)
    )
    html = patterns_html([pattern])
    assert "Where it is" not in html
    assert "/patterns/0/occurrences/0/graph" in html
