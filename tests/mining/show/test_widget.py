"""What is selected on a page in a notebook: the same in Python, in the input's own ids."""

import sys
from dataclasses import replace
from functools import cache

import networkx as nx
import pytest
from self_contained import Page
from tiny_runs import block_of, pattern_of, run_of, run_with_variant, significance_of

from gomkcn.mining import MiningRun, PatternMiner
from gomkcn.mining.show.explorer import MOST_DRAWN
from gomkcn.mining.show.report import render_report
from gomkcn.mining.structures.pattern import MORE
from gomkcn_dgl.errors import InputError

PATH, RING = nx.path_graph(4), nx.cycle_graph(4)


def mined(graph):
    return MiningRun.of(PatternMiner(null="none").fit(graph), graph)


def named():
    """Cliques in a ring, whose nodes have names, one of which is no text of a page."""
    graph = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(36)])
    names = {node: f"n{node}" for node in graph} | {0: "a\x00b"}
    return mined(nx.relabel_nodes(graph, names))


@cache
def collection():
    """Cliques with tails, in graphs whose nodes have numbers."""
    return mined([nx.lollipop_graph(4, 3 + number % 3) for number in range(12)])


@pytest.mark.parametrize("make", [named, collection, run_with_variant])
def test_each_place_that_the_page_draws_is_known_in_python(make):
    run = make()
    explorer, record = run.explore(), block_of(render_report(run))
    names = [name.replace("�", "\x00") if isinstance(name, str) else name
             for name in record["names"]]  # fmt: skip

    def seen(address, nodes):
        """What is selected at an address, where the page has some nodes."""
        explorer._address = address
        graphs = {record["graphs"][node] for node in nodes} if record["collection"] else ()
        assert ({explorer.selected["graph"]} if graphs else ()) == graphs
        return explorer.selected

    places = 0
    for kind, listed in (("motif", "motifs"), ("pattern", "patterns")):
        for at, one in enumerate(record[listed]):
            number = int(one.get("label", at))
            explorer._address = f"{kind}-{number}"
            assert explorer.selected == {kind: number}
            for place, nodes in enumerate(one["places"], 1):
                selected = seen(f"{kind}-{number}-{place}", nodes)
                assert selected["nodes"] == [names[node] for node in nodes]
                structure = {"motif": run.motif_set.motifs, "pattern": run.patterns}[kind][number]
                if kind == "motif":
                    own = structure.motif.copies[selected["copy"]]
                else:
                    own = structure.occurrences[selected["occurrence"]]
                assert list(own.nodes) == selected["nodes"]
                places += 1
                # and back
                found, explorer.selected = explorer.selected, None
                assert explorer._address == ""
                explorer.selected = {name: found[name] for name in found if name != "nodes"}
                assert (explorer.selected, explorer._address) == (found, f"{kind}-{number}-{place}")
    assert places > 6
    for node, name in enumerate(names):
        assert seen(f"node-{node}", [node])["node"] == name
        found, explorer.selected = explorer.selected, None
        explorer.selected = found
        assert explorer._address == f"node-{node}"


def test_what_is_selected_is_observed():
    explorer, seen = collection().explore(), []
    explorer.observe(lambda change: seen.append((change["old"], change["new"])), "selected")
    explorer.selected = {"graph": 3}
    assert explorer._address == "graph-3"
    explorer._address = "motif-0"
    explorer._address = ""
    assert seen == [(None, {"graph": 3}), ({"graph": 3}, {"motif": 0}), ({"motif": 0}, None)]


@pytest.mark.parametrize(
    "asked",
    [{}, {"motif": 3}, {"motif": -1}, {"motif": "0"}, {"motif": 0, "copy": 2}, {"copy": 0},
     {"pattern": 0, "copy": 0}, {"node": 400}, {"graph": 0}, {"graph": [0]}, {"motif": 0, "x": 1},
     {"motif": 0, "copy": 0, "nodes": [3, 2, 1, 0]}],
)  # fmt: skip
def test_what_the_page_does_not_draw_is_refused(asked):
    explorer = run_with_variant().explore()
    explorer.selected = {"motif": 1}
    with pytest.raises(InputError, match='such as {"motif": 0, "copy": 2}, got {'):
        explorer.selected = asked
    assert explorer.selected == {"motif": 1}


def test_who_asks_for_another_motif_is_told_which_there_are():
    explorer = run_with_variant().explore()
    with pytest.raises(InputError, match=r"got \{'motif': 17\}; each motif: 0, 1, 2\.$"):
        explorer.selected = {"motif": 17}


def test_an_occurrence_that_is_not_drawn_is_refused():
    explorer = run_with_variant().explore()
    shown, said = [], ""
    for number in range(MOST_DRAWN + 50):
        try:
            explorer.selected = {"pattern": 0, "occurrence": number}
        except InputError as error:
            said = str(error)
            continue
        shown.append(number)
    assert len(shown) == MOST_DRAWN
    # and is told which are
    first = ", ".join(map(str, shown[:10]))
    assert said.endswith(f"; occurrences of this pattern are {first}, …, {shown[-1]}.")


def test_without_a_motif_the_pattern_of_the_page_is_selected():
    called = {"degree": significance_of(verdict=MORE, p_adjusted=0.01)}
    shapes = RING, PATH, nx.path_graph(3), nx.star_graph(3)
    patterns = [pattern_of(shape, number) for number, shape in enumerate(shapes)]
    # of those that are called, the one of fewest nodes
    run = run_of([patterns[0], *(replace(one, significance=called) for one in patterns[1:])])
    explorer = run.explore()
    assert (explorer.selected, explorer._address) == ({"pattern": 2}, "pattern-2")
    assert run_with_variant().explore().selected is None


def test_where_there_are_no_widgets_the_tables_are_shown():
    run = run_with_variant(3)
    bundle, _ = run.explore()._repr_mimebundle_()
    assert bundle["text/html"] == run._repr_html_()
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_without_anywidget_the_page_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "gomkcn.mining.show.widget", raising=False)
    run = run_with_variant(3)
    shown = run.explore()
    frame = Page(shown._repr_html_())
    assert frame.words.startswith(repr(shown))
    assert "pip install gomkcn-dgl[notebooks]" in repr(shown)
    for use in (lambda: shown.selected, lambda: setattr(shown, "selected", {"motif": 0})):
        with pytest.raises(InputError, match=r"^selected needs anywidget; pip install gomkcn-dgl"):
            use()
    assert dict(frame.attributes)["srcdoc"] == render_report(run)
    assert "allow-same-origin" not in dict(frame.attributes)["sandbox"]
