"""Figures for a paper: their sizes, files and what they show; methods and citations."""

import itertools
import math
import re
from dataclasses import replace
from functools import partial

import networkx as nx
import pytest
from tiny_runs import pattern_of, run_of, significance_of, typed_pattern_of

from gomkcn.mining.patterns import run_figures
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.patterns.run_comparison import compare, mine_structures
from gomkcn.mining.plots.paper_figure import FigureSize, plot_profile, tallest
from gomkcn.mining.plots.profile import DRAWING, PAIR_WIDTH, ProfileColumn, draw_profile
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import DASHES
from gomkcn.mining.show.report import render_report
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("seaborn")


def compared_run(zs=(3.0, -4.0, None)):
    graphs = [nx.path_graph(4), nx.complete_graph(4), nx.cycle_graph(4)]
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
    # fewer edges first; z over the length of all z
    assert bars(figure) == [(0, pytest.approx(0.6)), (2, pytest.approx(-0.8))]
    rings = figure.axes[0].collections[-1].get_offsets()
    assert rings.tolist() == [[1.0, 0.0]]
    assert [text.get_text() for text in figure.axes[0].texts] == ["clique of 4 nodes"]
    # a drawing below each
    assert len(figure.axes[0].child_axes) == 3
    figure = compared_run().plot("profile", most=1)
    assert [height for _, height in bars(figure)] == [pytest.approx(-0.8)]
    assert "the 1 of 3 structures" in figure.axes[0].get_xlabel()


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
    columns = [
        ProfileColumn("square", "#a", "", (0.1, math.nan)),
        ProfileColumn("clique: 1 C", "#b", "", (0.2, -0.9)),
    ]
    drawn = draw_profile(columns, "", PAIR_WIDTH, DRAWING)
    assert ">clique</text>" in drawn and ">square<" not in drawn
    assert tallest(columns) == (1, -0.9)
    ring = ProfileColumn("path", "#c", "", (math.nan,))
    assert ">path</text>" not in draw_profile([ring], "", PAIR_WIDTH, DRAWING)


def kinds_of(nodes, relations):
    """A structure alone, and with a relation of each of its edges."""
    ends = list(nodes.edges)
    named = [(relation, *pair) for relation, pair in zip(relations, ends, strict=True)]
    return typed_pattern_of(len(nodes), named, {"up": True, "down": True, "both": True})


def run_of_families():
    """Structures of 3 and 4 nodes alone, and of 3 nodes with relations."""
    alone = [nx.path_graph(3), nx.complete_graph(3), nx.path_graph(4), nx.cycle_graph(4)]
    patterns = [pattern_of(graph, number) for number, graph in enumerate(alone)]
    path = nx.path_graph(3)
    patterns += [kinds_of(path, ("both", "up")), kinds_of(path, ("both", "both"))]
    zs = (3.0, -4.0, 30.0, 40.0, 5.0, 12.0)
    return run_of([
        replace(pattern, id=number, significance={"degree": significance_of(z=z)})
        for number, (pattern, z) in enumerate(zip(patterns, zs, strict=True))
    ])  # fmt: skip


def heights_of(figure):
    return [height for _, height in bars(figure)]


def test_a_profile_is_of_structures_of_a_size_alone_or_with_kinds():
    run = run_of_families()
    figure = run.plot("profile", num_nodes=3)
    assert heights_of(figure) == pytest.approx([0.6, -0.8])
    assert figure.axes[0].get_xlabel() == "3 nodes"
    # the largest size, as where two graphs are compared
    assert heights_of(run.plot("profile")) == pytest.approx([0.6, 0.8])
    figure = run.plot("profile", with_kinds=True)
    assert sorted(heights_of(figure)) == pytest.approx([5 / 13, 12 / 13])
    assert figure.axes[0].get_xlabel() == "3 nodes, directed, with kinds"
    # the page has the same
    titles = re.findall(r"z / length of all z: ([^<]*)<", render_report(run))
    assert titles == ["3 nodes", "4 nodes", "3 nodes, directed, with kinds"]
    with pytest.raises(InputError, match="^num_nodes must be one of '3', '4', got '5'"):
        run.plot("profile", num_nodes=5)
    with pytest.raises(InputError, match="^with_kinds must be left out, since this run"):
        compared_run().plot("profile", with_kinds=True)


def dashes_of(drawn):
    return {*re.findall(r'stroke-dasharray="([^"]*)"', str(drawn))}


def test_a_relation_has_one_line_everywhere():
    run = run_of_families()
    of_both = run.patterns[-1]
    # "both" is the first by the alphabet: solid, also of a pattern that has nothing else
    page = render_report(run)
    for drawn in (of_both._repr_html_(), run._repr_html_(), page):
        assert "5 3" not in dashes_of(drawn)
        assert "both" in drawn
    up = run.patterns[-2]
    assert dashes_of(up._repr_html_()) == dashes_of(run._repr_html_()) == {"1.5 2.5"}
    # a key of these lines, where there are several
    assert "any relation" in run._repr_html_() and "any relation" not in up._repr_html_()
    assert "<p style" not in run.patterns[0]._repr_html_()
    legend = run.plot("profile", with_kinds=True).axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["both", "up"]
    looks = [line._unscaled_dash_pattern[1] for line in legend.get_lines()]
    assert looks == [None, [0.75, 1.25]]
    assert run.plot("profile").axes[0].get_legend() is None


NAMES = ("mutual pair with a common source and a target of one of them", "a" * 70)


def boxes_of(figure):
    """Names and extents of all letters and drawings of a figure."""
    figure.draw_without_rendering()
    axis = figure.axes[0]
    low, high = axis.get_ylim()
    ticks = zip(axis.get_yticks(), axis.get_yticklabels(), strict=True)
    texts = [label for at, label in ticks if low <= at <= high]
    texts += [*axis.texts, axis.xaxis.label, axis.yaxis.label]
    legend = axis.get_legend()
    parts = [*texts, *axis.child_axes, *([legend] if legend else [])]
    return [
        (part, part.get_window_extent()) for part in parts if getattr(part, "_text", "x").strip()
    ]


@pytest.mark.parametrize("size", [{"width": 3.5, "height": 2.2}, {"width": 3.5}, {"width": 7.2}])
@pytest.mark.parametrize("number", [13, 40, 199])
@pytest.mark.parametrize(("tallest_at", "sides"), [(0, 1), (0.5, 2), (1, 1)])
@pytest.mark.filterwarnings("error")
def test_letters_of_a_profile_lie_in_the_figure_and_on_nothing(size, number, tallest_at, sides):
    drawing = draw_structure(Structure.parse("a->b, b->c"), *DRAWING, letters=False)
    columns = [
        ProfileColumn(NAMES[at % 2], "", drawing, ((-1) ** sides * 0.3 / (1 + at % 7),) * sides)
        for at in range(number)
    ]
    place = int(tallest_at * (number - 1))
    columns[place] = columns[place]._replace(entries=(-0.9,) * sides)
    key = [(name, (name, True), line) for name, line in DASHES.items()]
    names = ("ecoli_regulation_of_operons.csv", "celegansneural.gml")[: sides if sides > 1 else 0]
    title = f"4 nodes, directed, with kinds; the {number} of 1,999 structures with the largest |z|"
    size = FigureSize(**size)
    figure = plot_profile(columns, size, title=title, names=names, key=key[: 4 * (2 - sides)])
    boxes = boxes_of(figure)
    # drawings are there, or the label says that they are not
    axis = figure.axes[0]
    assert bool(axis.child_axes) != ("no room for drawings" in " ".join(axis.get_xlabel().split()))
    for part, box in boxes:
        assert box.x0 >= 0 and box.y0 >= 0, part
        assert box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1, part
    for (one, first), (other, second) in itertools.combinations(boxes, 2):
        # neighbours touch at most
        assert not first.padded(-0.5).overlaps(second.padded(-0.5)), (one, other)
    # the axis keeps room for bars
    assert axis.bbox.height > 0.3 * figure.bbox.height
    bar = axis.containers[0][place].get_window_extent()
    assert axis.bbox.y0 <= bar.y0 and bar.y1 <= axis.bbox.y1


def test_a_table_that_is_wide_keeps_its_letters_and_has_a_key_of_lines():
    run = run_of_families()
    usual, wide = run.plot("table"), run.plot("table", width=14)
    assert wide.get_size_inches()[1] == pytest.approx(usual.get_size_inches()[1])
    # a smaller one keeps the proportions
    width, height = usual.get_size_inches()
    assert run.plot("table", width=width / 2).get_size_inches()[1] == pytest.approx(height / 2)
    # a row of the key: the same structures without relations have none
    alone = replace(run, patterns=run.patterns[:4]).plot("table", most=4)
    assert run.plot("table", most=4).get_size_inches()[1] == alone.get_size_inches()[1]
    kinds = replace(run, patterns=run.patterns[2:])
    assert kinds.plot("table").get_size_inches()[1] > alone.get_size_inches()[1]


def test_the_table_says_that_p_is_adjusted(monkeypatch):
    found = []
    real = run_figures.plot_table
    monkeypatch.setattr(
        run_figures, "plot_table", lambda heads, *rest: found.extend(heads) or real(heads, *rest)
    )
    compared_run().plot("table")
    assert "Adjusted\np" in found and "p" not in found


def test_motifs_have_the_same_arguments_alone_and_in_a_run(tmp_path):
    pattern = kinds_of(nx.complete_graph(3), ("both", "up", "up"))
    run = run_of([pattern], motifs=[(pattern, [[0, 1, 2]])])
    for plot in (run.motif_set.plot, partial(run.plot, "motifs")):
        figure = plot(tmp_path / "motifs.svg", width=4, height=3)
        assert tuple(figure.get_size_inches()) == (4, 3)
        assert (tmp_path / "motifs.svg").read_text().startswith("<?xml")
        (legend,) = figure.legends
        assert [text.get_text() for text in legend.get_texts()] == ["both", "up"]
        with pytest.raises(InputError, match="^width must be greater than 0"):
            plot(width=0)
    with pytest.raises(InputError, match="^num_nodes must be left out of the figure 'motifs'"):
        run.plot("motifs", num_nodes=3)


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


def test_methods_say_over_what_p_of_the_classes_is_adjusted():
    graphs = [nx.cycle_graph(5)] * 6 + [nx.star_graph(4)] * 6
    miner = PatternMiner(null=None, pattern_size=(2, 4)).fit(graphs, ["ring"] * 6 + ["star"] * 6)
    run = MiningRun.of(miner, graphs)
    search = run.class_search
    assert search.is_complete_enough
    assert f"adjusted over the {search.num_tests} tests that could reach the level" in run.methods()
    assert "(Tarone 1990)" in run.methods() and "Westfall" not in run.methods()
    assert "{tarone1990discrete," in run.bibtex() and "{yan2002gspan," in run.bibtex()
    assert "westfall" not in run.bibtex()
    # of what was counted, where that takes too long
    cut = replace(run, class_search=replace(search, is_complete_enough=False))
    assert "over all of them (step-down max-T; Westfall and Young 1993)" in cut.methods()
    assert "tarone" not in cut.bibtex() and "yan2002" not in cut.bibtex()
