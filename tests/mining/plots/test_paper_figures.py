"""Figures for a paper: their sizes, files and what they show; methods and citations."""

import math
from dataclasses import replace

import networkx as nx
import pytest
from tiny_runs import pattern_of, run_of, significance_of

from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.patterns.run_comparison import compare, mine_structures
from gomkcn.mining.plots.paper_figure import tallest
from gomkcn.mining.plots.profile import ProfileColumn, draw_profile, draw_profiles
from gomkcn_dgl.errors import InputError

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("seaborn")


def compared_run(zs=(3.0, -4.0, None)):
    graphs = [nx.cycle_graph(4), nx.complete_graph(3), nx.path_graph(3)]
    return run_of([
        replace(pattern_of(graph, number), significance={"degree": significance_of(z=z)})
        for number, (graph, z) in enumerate(zip(graphs, zs, strict=True))
    ])  # fmt: skip


def bars(figure):
    return [
        (round(box.get_x() + box.get_width() / 2), box.get_height())
        for box in figure.axes[0].containers[0]
    ]


def test_a_profile_has_its_bars_its_rings_and_the_name_of_the_tallest():
    figure = compared_run().plot("profile")
    # smaller structures first; z over the length of all z
    assert bars(figure) == [(1, pytest.approx(-0.8)), (2, pytest.approx(0.6))]
    rings = figure.axes[0].collections[-1].get_offsets()
    assert rings.tolist() == [[0.0, 0.0]]
    assert [text.get_text() for text in figure.axes[0].texts] == ["triangle"]
    # a drawing below each
    assert len(figure.axes[0].child_axes) == 3
    figure = compared_run().plot("profile", most=1)
    assert [height for _, height in bars(figure)] == [pytest.approx(-0.8)]


@pytest.mark.parametrize(
    ("given", "size"),
    [({"width": 5, "height": 3}, (5, 3)), ({"width": 7}, (7, 4.8)), ({"height": 1.2}, (1.75, 1.2))],
)
def test_figures_have_the_size_that_is_asked_for(given, size):
    figure = compared_run().plot("profile", **given)
    assert tuple(figure.get_size_inches()) == pytest.approx(size)
    motifs = compared_run()
    assert motifs.plot("table", width=4).get_size_inches()[0] == 4
    pattern = motifs.patterns[0]
    assert tuple(pattern.plot(width=2.5).get_size_inches()) == pytest.approx((2.5, 2))


@pytest.mark.parametrize(
    ("ending", "begin"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")]
)
@pytest.mark.parametrize("which", ["profile", "table", "motifs"])
def test_one_call_writes_a_file(tmp_path, which, ending, begin):
    path = tmp_path / f"figure.{ending}"
    compared_run().plot(which, path, width=3)
    assert path.read_bytes().startswith(begin)
    if ending == "pdf":
        # letters of type 3 are refused by journals
        assert b"/Type3" not in path.read_bytes()


def test_a_figure_can_be_drawn_on_an_axis():
    figure = matplotlib.figure.Figure()
    first, second = figure.subplots(1, 2)
    assert compared_run().plot("profile", ax=first) is figure
    assert compared_run().patterns[0].plot(ax=second) is figure
    assert first.containers and second.patches
    with pytest.raises(InputError, match=r"^width must be left out"):
        compared_run().plot("profile", ax=first, width=3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"which": "bars"}, r"^which must be one of 'motifs', 'profile', 'table', got 'bars'"),
        ({"which": "profile", "width": 0}, r"^width must be greater than 0, got 0"),
        ({"which": "profile", "path": "x.gif"}, r"^the ending of path must be one of"),
        ({"which": "profile", "null": "mine"}, r"^null must be one of 'degree'"),
        ({"which": "table", "most": 0}, r"^most must be at least 1"),
        ({"which": "motifs", "most": 3}, r"^most must be left out of the figure of motifs"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        compared_run().plot(**arguments)


def test_without_random_graphs_there_is_no_profile():
    graph = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
    run = MiningRun.of(PatternMiner(null=None).fit(graph), graph)
    with pytest.raises(InputError, match="compared with random graphs, and this run has none"):
        run.plot("profile")


def test_the_profiles_of_two_graphs_have_a_bar_of_each(tmp_path):
    first, second = (
        mine_structures(graph)
        for graph in (
            nx.watts_strogatz_graph(40, 6, 0.1, seed=0),
            nx.gnm_random_graph(50, 110, seed=1),
        )
    )
    found = compare(first, second)
    figure = found.plot(tmp_path / "two.pdf", num_nodes=4)
    axis = figure.axes[0]
    profile = next(one for one in found.profiles if one.family.num_nodes == 4)
    for which, container in zip((profile.first, profile.second), axis.containers, strict=True):
        heights = sorted(box.get_height() for box in container)
        assert heights == pytest.approx(sorted(which[~(which != which)].tolist()))
    assert len(axis.get_legend().get_texts()) == 2
    assert (tmp_path / "two.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(InputError, match="^num_nodes must be"):
        found.plot(num_nodes=7)


def test_the_tallest_bar_of_a_page_is_named():
    rows = [
        ("triangle", "#a", 2.0, True),
        ("star: 1 C", "#b", -5.0, False),
        ("path", "#c", None, False),
    ]
    drawn = draw_profile(rows)
    assert drawn.count("<text") == 1 and ">star</text>" in drawn
    assert "<text" not in draw_profile([("path", "#c", None, True)])
    columns = [
        ProfileColumn("square", "#a", "", (0.1, math.nan)),
        ProfileColumn("clique", "#b", "", (0.2, -0.9)),
    ]
    assert ">clique</text>" in draw_profiles(columns) and ">square<" not in draw_profiles(columns)
    assert tallest(columns) == (1, -0.9)


def test_methods_name_what_was_done_and_cite_what_was_used():
    graph = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(20)])
    miner = PatternMiner(pattern_size=3, null="degree", null_samples=99, random_state=7).fit(graph)
    run = MiningRun.of(miner, graph)
    text = run.methods()
    assert "has 44 nodes and 56 edges, undirected." in text
    assert (
        "of 3 nodes were counted in it and in 99 random graphs of the null model “degree”" in text
    )
    assert "step-down max-T" in text and "with the random seed 7." in text
    assert f"gomkcn-dgl {run.provenance['version']}" in text
    assert "Fosdick et al. 2018" in text
    # how the random graphs were drawn
    assert "by a random walk of swaps of the ends of two edges, with 10 attempts an edge" in text
    assert "besag1989generalized" in run.bibtex()
    assert "99 random graphs were drawn, as many as were asked for" in text
    assert "sequentially" not in text and "besag1991" not in run.bibtex()
    found = run.bibtex()
    for key in ("gomkcn_dgl", "wang2025gomkcn", "milo2002motifs", "fosdick2018configuring"):
        assert f"{{{key}," in found
    for one in found.split("\n\n"):
        assert one.count("{") == one.count("}")
    # a run that drew more since a structure was near the level, of an input that was changed
    (null,) = run.null_models
    compared = run.patterns[0]
    many = replace(compared.significance[null], num_samples=1999)
    changed = replace(
        run,
        patterns=[replace(compared, significance={null: many})],
        others=(),
        notes=("no node features; using the constant 1 (44 nodes)", "dropped 58 self-loops"),
        settings={"miner": {"null_samples": None}},
    )
    assert "sequentially, from 199 to at most 1,999 (Besag and Clifford 1991)" in changed.methods()
    assert "besag1991sequential" in changed.bibtex()
    asked_for = replace(changed, settings={"miner": {"null_samples": 1999}})
    assert "sequentially" not in asked_for.methods()
    assert (
        "undirected. Changed or left out of the input: dropped 58 self-loops. " in changed.methods()
    )
    # what is not used is not cited
    plain = MiningRun.of(PatternMiner(null=None).fit(graph), graph)
    assert "random graphs" not in plain.methods()
    assert "milo2002" not in plain.bibtex() and "fosdick" not in plain.bibtex()
    other = MiningRun.of(
        PatternMiner(pattern_size=3, null="erdos-renyi", null_samples=99).fit(graph), graph
    )
    assert "milo2002" in other.bibtex() and "fosdick" not in other.bibtex()
