"""Class differences: counts by hand, odds ratios beside SciPy's, and laws."""

import dataclasses
import itertools
import json
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from command_line import gomkcn
from graph_files import write_tu
from scipy.stats.contingency import odds_ratio

from gomkcn_dgl import as_csr
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from mining import MiningRun, PatternMiner, bag_of_patterns, load_miner, read_run
from mining import pattern_table as export_table
from mining.html.report import render_report
from mining.html.tables import class_table
from mining.mined_graph import classes_of
from mining.pattern import OccurrenceCount, Pattern
from mining.significance import class_differences, odds_ratio_interval


def test_odds_ratio_by_hand_and_beside_the_conditional_one():
    ratio, low, high = odds_ratio_interval(*map(np.array, (10, 30, 5, 40)))
    # 10.5 / 20.5 * 35.5 / 5.5; the error of its logarithm is sqrt(1/10.5 + 1/20.5 + 1/5.5 + 1/35.5)
    np.testing.assert_allclose([ratio, low, high], [3.305987, 1.030030, 10.610901], rtol=1e-5)
    exact = odds_ratio([[10, 20], [5, 35]])
    assert low < exact.statistic < high
    bounds = exact.confidence_interval(0.95)
    # the exact interval is never too narrow, and so the wider one
    assert bounds.low < low < high < bounds.high


@pytest.mark.parametrize(("sizes", "others"), [(20, 30), (63, 125)])
def test_interval_covers_the_odds_ratio(sizes, others):
    # exactly, by the probabilities of all tables
    from scipy.stats import binom

    inside, outside = np.meshgrid(np.arange(sizes + 1), np.arange(others + 1), indexing="ij")
    _, low, high = odds_ratio_interval(inside, sizes, outside, others)
    coverage = []
    for own, rest in itertools.product([0.05, 0.2, 0.5, 0.9], repeat=2):
        truth = own / (1 - own) * (1 - rest) / rest
        probability = binom.pmf(inside, sizes, own) * binom.pmf(outside, others, rest)
        coverage.append(probability[(low <= truth) & (truth <= high)].sum())
    assert min(coverage) > 0.94
    assert np.mean(coverage) > 0.95


def test_counts_of_three_classes():
    labels = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    contains = np.zeros((9, 2), bool)
    contains[[0, 1, 3], 0] = True
    contains[[5, 6, 7, 8], 1] = True
    spread, own = class_differences(contains, labels, ["a", "b", "c"])
    assert [(one.name, one.containing, one.num_graphs) for one in spread.contrasts] == [
        ("a", 2, 3),
        ("b", 1, 2),
        ("c", 0, 4),
    ]
    assert [(one.others_containing, one.num_others) for one in spread.contrasts] == [
        (1, 6),
        (2, 7),
        (3, 5),
    ]
    assert own.strongest.name == "c"
    # such a split of nine graphs is one of 126, and one of two patterns must have it
    assert 0.5 / 126 < own.p_adjusted < 4 / 126
    assert spread.p_adjusted > 0.2


def test_two_classes_have_one_p_and_opposite_odds():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 60)
    contains = rng.random((60, 5)) < 0.2 + 0.5 * labels[:, None]
    for difference in class_differences(contains, labels, ["no", "yes"]):
        no, yes = difference.contrasts
        assert no.odds_ratio == pytest.approx(1 / yes.odds_ratio)
        assert difference.strongest.is_more_frequent
    assert class_differences(contains[:, :0], labels, ["no", "yes"]) == []


@pytest.mark.parametrize("num_classes", [2, 6])
def test_nothing_is_found_where_classes_are_random(num_classes):
    rng = np.random.default_rng(3)
    contains = rng.random((120, 10)) < np.linspace(0.05, 0.95, 10)
    names = [str(number) for number in range(num_classes)]
    found = 0
    for _ in range(100):
        differences = class_differences(contains, rng.permutation(120) % num_classes, names)
        found += min(one.p_adjusted for one in differences) <= 0.05
    # 5 % of 100 by chance, with 3 standard deviations
    assert found <= 5 + 3 * np.sqrt(100 * 0.05 * 0.95)


def test_extreme_tables_and_records():
    labels = np.repeat([0, 1], [300, 200])
    contains = np.stack([labels == 1, labels < 2, labels > 1], axis=1)
    differences = class_differences(contains, labels, ["0", "1"])
    separating, everywhere, nowhere = differences
    assert separating.p_adjusted == 0.001
    assert separating.strongest.low > 1000
    assert everywhere.p_adjusted == nowhere.p_adjusted == 1
    for difference in differences:
        counted = Pattern(Structure.parse("triangle")).counted(OccurrenceCount.exact(1))
        pattern = dataclasses.replace(counted, classes=difference)
        record = json.loads(json.dumps(pattern.to_dict(), allow_nan=False))
        again = Pattern.from_dict(record, ()).classes
        assert again.to_dict() == difference.to_dict()
        assert str(again) == str(difference)
    assert str(separating).startswith(
        "200 of 200 (100%) of class 1, 0 of 300 (0%) of the others; odds ratio "
    )


def stars_and_rings():
    """Trees, half of them with a ring of five nodes, and which ones: classes."""
    graphs = []
    for number in range(24):
        tree = nx.random_labeled_tree(9, seed=number)
        if number % 2:
            tree = nx.disjoint_union(tree, nx.cycle_graph(5))
            tree.add_edge(0, 9)
        graphs.append(tree)
    return graphs, np.array(["tree", "ring"] * 12)


def test_the_table_of_classes_has_what_separates_them_first():
    graphs, y = stars_and_rings()
    options = {"pattern_size": (4, 5), "null": None}
    miner = PatternMiner(**options).fit(graphs, y)
    counted = [*miner.patterns_, *miner.others_]
    first = min(counted, key=lambda one: (one.classes.p_adjusted, -one.classes.strongest.strength))
    contrast = first.classes.strongest
    assert (contrast.name, contrast.containing, contrast.others_containing) == ("ring", 12, 0)
    assert nx.is_isomorphic(nx.Graph(first.edges), nx.cycle_graph(5))
    assert first.classes.p_adjusted == 0.001
    for pattern in counted:
        bag = bag_of_patterns([pattern], graphs)[:, 0]
        for own in pattern.classes.contrasts:
            assert own.containing == (bag[y == own.name] > 0).sum()
    # table, page and export have the same numbers
    run = MiningRun.of(miner, as_csr(graphs))
    table = class_table(run).columns
    assert (table["class"][0], table["adjusted p"][0]) == ("ring", "0.001")
    assert table["odds ratio"][0] == f"{contrast.odds_ratio:.3g}"
    row = export_table([first]).iloc[0]
    assert (row["graphs_ring"], row["graphs_tree"]) == (12, 0)
    assert row["odds_ratio_ring"] == contrast.odds_ratio
    assert row["p_classes"] == first.classes.p_adjusted
    page = re.sub(r"(<[^>]+>|\s)+", " ", render_report(run))
    assert re.search(r"Classes .* ring 100% 12 of 12 0% 0 of 12 625 ", page)
    # without classes there are no differences
    plain = PatternMiner(**options).fit(graphs)
    assert all(pattern.classes is None for pattern in plain.patterns_)
    assert not class_table(MiningRun.of(plain, as_csr(graphs))).rows


def test_classes_of_targets():
    graph = as_csr([nx.path_graph(3)] * 4)
    assert classes_of(None, graph) is None
    assert classes_of(np.zeros(12), graph) is None
    assert classes_of([0.5, 1.5, 2.5, 2.5], graph) is None
    assert classes_of(["b", "a", "b", "b"], graph).names == ("a", "b")
    with pytest.raises(InputError, match="y must have a class for each of the 4 graphs, or a targ"):
        classes_of([1, 2, 1], graph)


def test_the_command_reads_classes_of_a_tu_folder(folder):
    graphs, y = stars_and_rings()
    write_tu("T", graphs, [3 if label == "ring" else -1 for label in y])
    Path("names.csv").write_text("label,name\n3,with ring\n")
    options = "--size 4-5 --given ring-5 --null none --quiet"
    assert "with ring" in gomkcn(f"mine T --out run {options} --class-names names.csv")
    run = read_run("run")
    first = min((*run.patterns, *run.others), key=lambda one: one.classes.p_adjusted)
    strongest = first.classes.strongest
    assert (strongest.name, strongest.containing, strongest.num_graphs) == ("with ring", 12, 12)
    assert [one.name for one in first.classes.contrasts] == ["-1", "with ring"]
    # a miner that is read turns graphs into a bag of its patterns
    miner = load_miner("run").set_params(level="graph", values="occurrences")
    bag = miner.transform(graphs)
    assert bag.sum() > 0
    assert bag.sum(axis=0).tolist() == [one.frequency.count for one in miner.patterns_]
    # the settings are enough to do it again
    gomkcn("mine --settings run/settings.toml --out again --quiet")
    assert [one.classes for one in read_run("again").patterns] == [
        one.classes for one in read_run("run").patterns
    ]
