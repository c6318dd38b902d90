"""The sentence, the table and the page: true to the run, safe with any name."""

import dataclasses
import json
import re
from html.parser import HTMLParser

import networkx as nx
import numpy as np
import pytest

import mining.report
from mining.evaluation import MotifRecovery, compare_with_truth
from mining.frequencies import Frequency
from mining.miner import PatternMiner
from mining.patterns import Medoid, Occurrence, Pattern
from mining.report import (
    describe_shape,
    format_table,
    pattern_card,
    patterns_html,
    render_report,
    summary_sentence,
)
from mining.run import GraphSummary, MiningRun
from mining.significance import Significance

EVIL = "<script>alert(1)</script>"
VOID = {"meta", "br", "hr", "img", "input", "link"}


def pattern_of(graph, number=0, distinct=3, assigned=5, features=None, ids=None):
    graph = nx.convert_node_labels_to_integers(graph)
    size = len(graph)
    features = np.ones((size, 1)) if features is None else features
    ids = tuple(ids or range(100, 100 + size))
    edges = tuple(sorted(tuple(sorted(edge)) for edge in graph.edges))
    return Pattern(
        id=number,
        edges=edges,
        edge_weights=tuple(np.linspace(0.611111, 0.987654, len(edges)).tolist()),
        features=features,
        feature_names=tuple(f"x{column}" for column in range(features.shape[1])),
        medoid=Medoid(ids, 0.912345, root=ids[0]),
        frequency=Frequency(assigned, distinct, min(distinct, 2)),
        min_similarity=0.75,
        occurrences=tuple(Occurrence(ids, 0.9 - i / 1000) for i in range(distinct)),
    )


def run_of(patterns, recovery=None, **changes):
    summary = GraphSummary("graph.csv", 1, 40, 60, ("x0",), 40, 0.25)
    names = {f.name for f in dataclasses.fields(GraphSummary)}
    summary = dataclasses.replace(summary, **{k: v for k, v in changes.items() if k in names})
    return MiningRun(
        summary,
        list(patterns),
        changes.get("loss_curve", [0.5, 0.25]),
        changes.get("settings", {"miner": {"num_patterns": 8, "tau": 0.75}, "path": None}),
        changes.get("provenance", {"version": "0.1.0", "seconds": 12.5}),
        recovery,
    )


def recovery_of(name="house", pattern_ids=(0,), copies=10, planted_found=9):
    return MotifRecovery(name, 6, 8, copies, tuple(pattern_ids), 12, planted_found)


class Page(HTMLParser):
    """Collects tags, attributes and text, and checks that every tag is closed."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.text, self._open = [], [], [], []
        self.feed(html)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self._open and self._open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        self.text.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


def numbers_in(record):
    if isinstance(record, dict):
        record = list(record.values())
    if isinstance(record, list):
        return [number for item in record for number in numbers_in(item)]
    return [json.dumps(record)] if isinstance(record, (int, float)) else []


def assert_loads_nothing(html):
    page = Page(html)
    assert "script" not in page.tags
    assert not {"link", "img", "iframe", "object", "embed"} & set(page.tags)
    for name, value in page.attributes:
        assert not name.startswith("on"), f"{name} runs a script"
        if name in {"src", "href", "xlink:href", "srcset", "action"}:
            assert value.startswith("#")
    assert "@import" not in html
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", html))


@pytest.fixture(scope="module")
def mined():
    house = nx.Graph([(0, 1), (1, 2), (2, 3), (0, 3), (2, 4), (3, 4)])
    graph = nx.disjoint_union_all([house] * 4 + [nx.star_graph(4)] * 5)
    truth = {
        "motifs": [
            {
                "name": "house5",
                "num_nodes": 5,
                "edges": [list(edge) for edge in house.edges],
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
    return run_of(
        miner.patterns_,
        compare_with_truth(miner.patterns_, truth),
        num_nodes=45,
        num_edges=44,
        num_subgraphs=45,
        loss_curve=miner.loss_curve_,
        settings={"miner": miner.get_params()},
    )


def test_a_mined_run_in_one_sentence(mined):
    assert summary_sentence(mined) == (
        "In the 45-node graph, 2 patterns cover the surroundings of 45 nodes (100%); the most "
        "frequent is a star with 4 leaves, found 5 times; 1 of 2 planted motifs was recovered."
    )


def test_a_mined_run_as_a_table(mined):
    assert format_table(mined).splitlines() == [
        "pattern  shape               nodes  edges  distinct  assigned  planted",
        "      0  star with 4 leaves      5      4         5        25  -",
        "      1  5 nodes, 6 edges        5      6         4        20  house5 × 4",
        "",
        "planted motif  copies  recovered",
        "house5              4  yes (pattern 1, planted copies found 4/4)",
        "ring                0  no",
    ]


def test_a_mined_run_as_a_page_holds_every_number(mined):
    html = render_report(mined)
    assert_loads_nothing(html)
    words = Page(html).words
    shown = set(re.findall(r"\d+(?:\.\d+)?(?:e-\d+)?", words))
    for pattern in mined.patterns:
        missing = set(numbers_in(pattern.to_dict())) - shown
        assert not missing
    assert summary_sentence(mined) in words
    assert "This is the planted motif house5" in words
    assert "4 of 4 planted copies found" in words
    assert "25% of them reached further" in words
    assert "miner.num_epochs 5" in words
    assert "prefers-color-scheme: dark" in html


def test_the_page_is_the_same_on_every_call(mined):
    assert render_report(mined) == render_report(mined)


def test_ids_of_a_page_are_unique_and_its_links_lead_somewhere(mined):
    page = Page(render_report(mined))
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = {v for name, v in page.attributes if name in {"href", "xlink:href"}}
    assert "#pattern-1" in links
    assert {link[1:] for link in links} <= set(ids)


def test_hostile_names_stay_text():
    features = np.array([[1.0, 2.0], [3.0, 4.0]])
    pattern = dataclasses.replace(
        pattern_of(nx.path_graph(2), features=features, ids=(EVIL, '"><img src=x onerror=f()>')),
        feature_names=(EVIL, "a'b\"c&d"),
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
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 8
    assert_loads_nothing(pattern_card(pattern))


def test_hostile_names_do_not_steer_the_terminal():
    table = format_table(run_of([pattern_of(nx.path_graph(3))], [recovery_of("a\x1b[31m\nb")]))
    assert "\x1b" not in table
    assert "a�[31m�b × 10" in table


def test_only_the_telling_features_and_first_occurrences_are_listed():
    features = np.random.default_rng(0).normal(size=(4, 18)).round(3)
    pattern = pattern_of(nx.path_graph(4), distinct=30, features=features)
    words = Page(render_report(run_of([pattern]))).words
    assert "6 of 18 features: those in which a node differs most from the mean" in words
    assert "Occurrences (10 of 30, most similar first)" in words
    assert "0.891" in words
    assert "0.88 " not in words


def test_the_listed_features_are_those_furthest_from_the_mean():
    features = np.tile(np.repeat([0.0, 1.0], 6)[:, None], (1, 8))
    # the mean is near 0 and one node is far from it
    features[:, [2, 5]] = 0
    features[0, [2, 5]] = 1
    columns = mining.report._telling_columns([pattern_of(nx.path_graph(12), features=features)])
    assert len(columns) == 6
    assert {2, 5} < set(columns)


def test_a_constant_feature_is_one_line_and_a_varying_one_a_table():
    constant = Page(pattern_card(pattern_of(nx.path_graph(2)))).words
    assert "Every node has x0 = 1.0." in constant
    varying = pattern_of(nx.path_graph(2), features=np.array([[0.123], [0.456]]))
    words = Page(pattern_card(varying)).words
    assert "Every node" not in words
    assert "0.123" in words and "0.456" in words


def test_a_collection_names_the_graph_of_each_occurrence():
    html = render_report(run_of([pattern_of(nx.path_graph(2))], num_graphs=3))
    assert "Around node 100 of graph 0" in Page(html).words
    assert "of graph" not in Page(pattern_card(pattern_of(nx.path_graph(2)))).words


def test_a_pattern_node_that_nothing_plays_is_said_so():
    pattern = pattern_of(nx.path_graph(2), ids=("a", None))
    assert "1 → none" in Page(pattern_card(pattern)).words


def test_cards_work_in_jupyter():
    patterns = [pattern_of(nx.path_graph(3), 0), pattern_of(nx.cycle_graph(4), 1)]
    assert patterns[0]._repr_html_() == pattern_card(patterns[0])
    html = patterns_html(patterns)
    assert_loads_nothing(html)
    page = Page(html)
    assert page.tags.count("article") == 2
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert "No patterns were found." in Page(patterns_html([])).words


def test_a_run_without_patterns_truth_or_loss():
    run = run_of([], loss_curve=[], truncated_share=0.0)
    words = Page(render_report(run)).words
    assert summary_sentence(run) == "In the 40-node graph, no pattern was found."
    assert "No patterns were found." in words
    assert "Planted motifs" not in words
    assert "reached further" not in words
    assert format_table(run) == "pattern  shape  nodes  edges  distinct  assigned"


STAR, PATH = nx.star_graph(5), nx.path_graph(4)


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (
            run_of([pattern_of(STAR, 0, 7, 3)]),
            "In the 40-node graph, 1 pattern covers the surroundings of 3 nodes (7%); it is a star "
            "with 5 leaves, found 7 times.",
        ),
        (
            run_of([pattern_of(PATH, 0, 2, 1), pattern_of(STAR, 1, 2, 0)]),
            "In the 40-node graph, 2 patterns cover the surroundings of 1 node (2%); the most "
            "frequent 2 were found 2 times each.",
        ),
        (
            run_of([pattern_of(nx.path_graph(2), 0, 1, 0)], num_subgraphs=80),
            "In the 40-node graph, 1 pattern was found; it is an edge, found once.",
        ),
        (
            run_of([pattern_of(PATH, 0, 0, 30)], num_graphs=4),
            "In 4 graphs with 40 nodes in all, 1 pattern covers the surroundings of 30 nodes "
            "(75%); none of them has an occurrence of its own.",
        ),
        (
            run_of(
                [pattern_of(nx.ladder_graph(3), 0, 5, 40)],
                [recovery_of(), recovery_of("cup", pattern_ids=())],
            ),
            "In the 40-node graph, 1 pattern covers the surroundings of 40 nodes (100%); it is a "
            "graph of 6 nodes, 7 edges, found 5 times; 1 of 2 planted motifs was recovered.",
        ),
        (
            run_of([pattern_of(PATH, 0, 3, 39)], [recovery_of(pattern_ids=())]),
            "In the 40-node graph, 1 pattern covers the surroundings of 39 nodes (97%); it is a "
            "path of 4 nodes, found 3 times; 0 of 1 planted motif were recovered.",
        ),
    ],
)
def test_summary_sentences(run, sentence):
    assert summary_sentence(run) == sentence


def test_shares_are_rounded_down():
    run = run_of([pattern_of(PATH, 0, 3, 9999)], num_nodes=10000, num_subgraphs=10000)
    assert "9999 nodes (99%)" in summary_sentence(run)
    run = run_of([pattern_of(PATH, 0, 3, 1)], num_nodes=10000, num_subgraphs=10000)
    assert "1 node (under 1%)" in summary_sentence(run)


def test_a_table_stays_within_100_columns():
    names = ["m" * 60, "n" * 60]
    recovery = [recovery_of(name, pattern_ids=range(0, 40)) for name in names]
    pattern = pattern_of(nx.complete_bipartite_graph(5, 7), assigned=10**6)
    pattern = dataclasses.replace(pattern, frequency=Frequency(10**6, 10**9, 10**9))
    table = format_table(run_of([pattern], recovery))
    assert max(map(len, table.splitlines())) == 100
    assert "complete bipartite graph" in table
    assert "…" in table
    assert "1000000000" in table


def test_a_table_says_how_counts_compare_with_chance():
    entry = Significance("degree", 100, 50, 3, 0.5, 0.75, 3.25, 0.1, 0.04, 0.0775)
    patterns = [
        dataclasses.replace(pattern_of(PATH, number), significance={"degree": entry})
        for number in range(2)
    ]
    header, first, _ = format_table(run_of(patterns)).splitlines()
    assert header.endswith("distinct  assigned  z degree  q degree")
    assert first.split()[-4:] == ["3", "5", "3.2", "0.077"]
    html = render_report(run_of(patterns))
    assert all(text in html for text in ("z 3.25", "q 0.0775", "against 0.5 ± 0.75"))


def test_a_table_without_truth_has_no_planted_column():
    table = format_table(run_of([pattern_of(PATH)]))
    assert "planted" not in table
    assert table.splitlines()[1].split() == ["0", "path", "of", "4", "nodes", "4", "3", "3", "5"]


def test_a_pattern_that_is_two_motifs_and_a_motif_that_is_two_patterns():
    patterns = [pattern_of(PATH, 0), pattern_of(PATH, 1)]
    table = format_table(run_of(patterns, [recovery_of("cup", (0, 1)), recovery_of("book", (0,))]))
    assert "cup × 10, book × 10" in table
    assert "yes (patterns 0, 1, planted copies found 9/10)" in table


@pytest.mark.parametrize(
    ("graph", "shape"),
    [
        (nx.empty_graph(1), "single node"),
        (nx.path_graph(2), "edge"),
        (nx.path_graph(3), "path of 3 nodes"),
        (nx.path_graph(7), "path of 7 nodes"),
        (nx.star_graph(3), "star with 3 leaves"),
        (nx.star_graph(5), "star with 5 leaves"),
        (nx.Graph([(0, 1), (1, 2), (2, 3), (1, 4)]), "tree with 5 nodes"),
        (nx.cycle_graph(3), "triangle"),
        (nx.cycle_graph(4), "cycle of 4 nodes"),
        (nx.cycle_graph(6), "cycle of 6 nodes"),
        (nx.complete_graph(4), "clique of 4 nodes"),
        (nx.complete_graph(6), "clique of 6 nodes"),
        (nx.wheel_graph(5), "wheel with 4 spokes"),
        (nx.wheel_graph(6), "wheel with 5 spokes"),
        (nx.complete_bipartite_graph(2, 3), "complete bipartite graph, 2 and 3 nodes"),
        (nx.complete_bipartite_graph(3, 3), "complete bipartite graph, 3 and 3 nodes"),
        (nx.ladder_graph(3), "6 nodes, 7 edges"),
        (nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3)]), "triangle with 1 node hanging on"),
        (nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 5)]),
         "cycle of 4 nodes with 2 nodes hanging on"),
        (nx.complement(nx.from_edgelist([(0, 1), (2, 3), (4, 5)])), "6 nodes, 12 edges"),
        (nx.complement(nx.disjoint_union(nx.path_graph(2), nx.empty_graph(4))),
         "clique of 6 nodes less 1 edge"),
        (nx.complement(nx.disjoint_union(nx.path_graph(3), nx.empty_graph(3))),
         "clique of 6 nodes less 2 edges"),
        (nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]), "4 nodes, 5 edges"),
        # a hub on two triangles has the degrees of a wheel and is none
        (nx.full_join(nx.empty_graph(1), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)),
                      rename=("a", "b")), "7 nodes, 12 edges"),
        (nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)), "6 nodes, 6 edges"),
        (nx.disjoint_union(nx.cycle_graph(3), nx.empty_graph(1)), "4 nodes, 3 edges"),
        (nx.empty_graph(2), "2 nodes, no edges"),
    ],
)  # fmt: skip
def test_describe_shape(graph, shape):
    assert describe_shape(pattern_of(graph)) == shape
