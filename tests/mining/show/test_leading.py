"""What comes first: the comparison where edges have directions or types, motifs, or filters."""

import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from self_contained import Page
from tiny_runs import pattern_of, run_of, significance_of

from gomkcn import FilterMiner, PatternMiner, as_csr
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.show.leading import (
    COMPARISON,
    FILTERS,
    MOTIFS,
    leading_structures,
    order_of,
    order_of_parts,
)
from gomkcn.mining.show.report import render_report
from gomkcn.mining.show.roles_part import roles_part
from gomkcn.mining.show.terminal import follows_from_three, format_run
from gomkcn.mining.structures.pattern import LESS, MORE, OccurrenceCount, Pattern
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph

PLAIN, DIRECTED = [("edge", False)], [("edge", True)]


def called(text, number, verdict=MORE, z=9.0):
    pattern = Pattern(Structure.parse(text), id=number).counted(OccurrenceCount.exact(7))
    return replace(pattern, significance={"degree": significance_of(verdict=verdict, z=z)})


@pytest.fixture(scope="module")
def good_filter():
    miner = FilterMiner(1, filter_size=3, contrast=False).fit(nx.complete_graph(3))
    return miner.filters_[0]


@pytest.fixture(scope="module")
def ecoli_run(ecoli):
    graph = read_graph(ecoli, relation="none")
    miner = PatternMiner(3, null_samples=99, filters="none", random_state=1).fit(graph)
    return graph, MiningRun.of(miner, graph)


def test_the_parts_come_in_the_order_of_the_question(good_filter):
    square = pattern_of(nx.cycle_graph(4))
    motif = run_of([square], motifs=[(square, [[0, 1, 2, 3]])]).motif_set
    empty = run_of([]).motif_set
    one = [called("030T", 0)]
    same = [called("030T", 0, "not shown to differ")]
    # directions, or types: the comparison, motifs, filters
    for kinds in (DIRECTED, [("acts", False), ("stops", False)]):
        assert order_of(kinds, one, motif, [good_filter]) == [COMPARISON, MOTIFS, FILTERS]
    # neither: what recurs, then the comparison, unless it is all that was found
    assert order_of(PLAIN, one, motif, [good_filter]) == [FILTERS, MOTIFS, COMPARISON]
    assert order_of(PLAIN, one, motif, []) == [MOTIFS, COMPARISON, FILTERS]
    assert order_of(PLAIN, one, empty, []) == [COMPARISON, MOTIFS, FILTERS]
    # what does not differ does not lead
    assert order_of(DIRECTED, same, motif, [good_filter]) == [FILTERS, MOTIFS, COMPARISON]
    # filters that hardly a node shows, or that nearest nodes are unlike, come last
    few = replace(good_filter, exact=OccurrenceCount.exact(3),
                  nearest_nodes=OccurrenceCount.exact(55))  # fmt: skip
    unlike = replace(good_filter, similarity=(0.1, 0.1, 0.2, 0.9, 1.0))
    for mined in (few, unlike, replace(good_filter, similarity=())):
        assert order_of(PLAIN, one, motif, [mined]) == [MOTIFS, COMPARISON, FILTERS]


def test_the_first_sentence_names_what_people_know():
    patterns = [
        called("a->b, b->c, c->a, d->a, d->b", 0, z=90),
        called("bi-fan", 1, z=20),
        called("a->b, a->c, b->d", 2, z=15),
        called("030T", 3, z=10),
        called("021C", 4, LESS, z=-30),
    ]
    run = replace(run_of(patterns), null_models={"degree": "degrees"})
    assert [one.id for one in leading_structures(run)] == [3, 1, 0]
    page = render_report(run)
    lead = re.search(r'<p class="lead">(.*?)</p>', page, re.S)[1]
    words = " ".join(re.sub("<[^>]*>", " ", lead).split())
    assert words.startswith("4 structures occur more often than in random graphs, among them")
    assert "structure 0" in words and "4 nodes, 5 edges" not in words
    # the drawing stands in the line, as high as 48 pixels
    assert lead.count("<svg") == 3 and set(re.findall(r'height="(\d+)"', lead)) == {"48"}
    # the whole description is in the details alone
    assert "with a directed cycle" not in Page(page).words
    # a terminal has the edges in place of a drawing
    text = format_run(run)
    assert "structure 0" in text and "A->B" in text and "mfinder 204" in text


def test_roles_stand_on_the_page_in_the_file_and_in_tables(ecoli_run):
    _, run = ecoli_run
    assert order_of_parts(run)[0] == COMPARISON
    table = run.table("roles").to_pandas()
    loops = table[(table.structure == "feed-forward loop") & (table.position == "source")]
    assert loops.node.tolist()[:3] == ["crp", "fnr", "flhDC"]
    assert loops.occurrences.tolist()[:3] == [16, 6, 5]
    assert set(table.occurrences_are) == {"exact"}
    # each occurrence has one source, and its number is that of the pattern
    (number,) = set(loops.pattern)
    assert loops.occurrences.sum() == run.patterns[number].frequency.count == 40
    # under-represented structures have no roles
    assert set(table.pattern) == {
        one.id for one in run.patterns if one.significance["degree"].verdict == MORE
    }
    page = render_report(run)
    body = re.search(r'<table id="t-r">(.*?)</table>', page, re.S)[1]
    row = re.search(r"<tr data-csv.*?</tr>", body, re.S)[0]
    cells = [re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<t[dh].*?</t[dh]>", row)]
    assert cells == ["crp", "16", "", ""]
    assert "Numbers are exact." in page and "roles.csv has the roles" in page
    # the link of a node leads to that node of the drawing
    (node,) = re.findall(r'href="#node-(\d+)"', row)
    assert list(run.map.names)[int(node)] == "crp"


def test_a_page_has_so_many_nodes_and_says_how_many_there_are(ecoli_run):
    _, run = ecoli_run
    star = np.arange(300)
    table = run.roles.columns()
    first = {key: np.repeat(np.asarray(values)[:1], 300) for key, values in table.items()}
    many = replace(run, roles=type(run.roles)(first | {"node": np.array(star.astype(str))}))
    part = roles_part(many, {}, {}, "roles.csv")
    assert len(part["rows"]) == 200
    assert "The first 200 of 300 nodes." in part["note"]
    estimated = first | {"occurrences_are": np.repeat("estimated", 300)}
    part = roles_part(replace(run, roles=type(run.roles)(estimated)), {}, {}, "roles.csv")
    assert "estimates" in part["note"]


def test_a_collection_and_a_graph_without_findings_have_no_roles():
    rings = [nx.cycle_graph(4), nx.cycle_graph(5)] * 4
    miner = PatternMiner(3, null=None, filters="none").fit(rings)
    assert miner.roles_ is None
    miner = PatternMiner(3, null=None, filters="none").fit(nx.path_graph(5))
    assert miner.roles_ is None
    assert MiningRun.of(miner, as_csr(nx.path_graph(5))).roles is None


def test_the_first_sentence_names_structures_alone_where_it_may():
    kinds = "a:x->b:y, a->c:y, b->c"
    named = [called("030T", 0, z=5), called(kinds, 1, z=9)]
    run = replace(run_of(named), null_models={"degree": "degrees"})
    assert [one.id for one in leading_structures(run)] == [0]
    # with kinds alone, they are told in words
    told = replace(named[1], id=0, description="feed-forward loop: A:x, B and C:y")
    page = render_report(replace(run_of([told]), null_models={"degree": "degrees"}))
    lead = re.search(r'<p class="lead">(.*?)</p>', page, re.S)[1]
    assert told.description in " ".join(re.sub("<[^>]*>", " ", lead).split())


def test_structures_that_may_follow_from_three_nodes_are_counted():
    def said(*patterns, null="degree"):
        run = replace(run_of(patterns), null_models={null: "degrees"})
        return follows_from_three(run, null)

    loop, fan = called("030T", 0), called("bi-fan", 1)
    two = called("a->b, a->c, b->c, a->d, b->d", 2)
    text = said(loop, fan, two)
    assert "Of 2 over-represented structures of more than 3 nodes, 1 holds one of 3 nodes" in text
    assert "it may follow" in text
    # without a loop that is called there is nothing to follow from
    assert said(fan, two) == said(called("030T", 0, LESS), two) == said(loop, fan) == ""
    # a null model of one's own may keep the counts of three nodes
    assert said(loop, two, null="own") == ""


def test_terminal_and_page_list_structures_in_one_order():
    # a motif is the first pattern of a run, whatever its result
    numbers = {"021C": (LESS, -30), "bi-fan": (MORE, 20), "030T": (MORE, 10), "021D": (LESS, -40)}
    patterns = [called(name, at, *numbers[name]) for at, name in enumerate(numbers)]
    run = replace(run_of(patterns), null_models={"degree": "degrees"})
    text, page = format_run(run), render_report(run)
    names = [patterns[at].name for at in (2, 1, 3, 0)]
    assert sorted(names, key=text.index) == names
    assert re.findall(r'<tr id="pattern-(\d)"', page) == ["2", "1", "3", "0"]
