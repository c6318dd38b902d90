"""Step-down max-T against loops and by hand; classes: permutations, odds ratios, and laws."""

import itertools
import json
from math import comb
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from command_line import gomkcn
from graph_files import write_tu
from scipy.stats import binom, fisher_exact
from scipy.stats.contingency import odds_ratio

from gomkcn import count as count_pattern
from gomkcn.mining import PatternMiner, load
from gomkcn.mining.significance.verdicts import (
    adjust_for_family,
    class_contrasts,
    class_differences,
    compare_classes,
    compare_with_random,
    exact_p,
    group_differences,
    odds_ratio_interval,
    step_down,
)
from gomkcn.mining.structures.mined_graph import classes_of
from gomkcn.mining.structures.pattern import Pattern, differing_groups
from gomkcn.mining.structures.records import as_record
from gomkcn_dgl import as_csr
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure


def plain_comparison(counts, families=None):
    """(z, p, p_adjusted, verdict) of each structure, by the formulas, one number after the other.

    Also the exact distances, so that nothing depends on how they are rounded.
    """
    families = families or [0] * len(counts[0])
    num_samples, size = len(counts) - 1, len(counts[0])
    floor = 0.25 if num_samples >= 199 else 1
    signed = [[0.0] * size for _ in counts]
    for s in range(size):
        column = [row[s] for row in counts]
        mean = sum(column) / len(column)
        variance = sum((c - mean) ** 2 for c in column) / len(column)
        for i, c in enumerate(column):
            signed[i][s] = (c - mean) / (variance + floor) ** 0.5
    occurring = [s for s in range(size) if any(row[s] for row in counts)]
    adjusted = [1.0] * size
    numbers = {families[s] for s in occurring}
    for number in numbers:
        family = [s for s in occurring if families[s] == number]
        order = sorted(family, key=lambda s: -abs(signed[0][s]))
        largest_so_far = 0.0
        for j, s in enumerate(order):
            beyond = 0
            for row in signed:
                beyond += max(abs(row[k]) for k in order[j:]) >= abs(signed[0][s]) - 1e-9
            largest_so_far = max(largest_so_far, beyond / len(counts))
            adjusted[s] = min(1.0, len(numbers) * largest_so_far)
    found = []
    for s in range(size):
        drawn = [row[s] for row in counts[1:]]
        mean = sum(drawn) / num_samples
        sd = (sum((c - mean) ** 2 for c in drawn) / (num_samples - 1)) ** 0.5
        z = (counts[0][s] - mean) / sd if sd else None
        more = signed[0][s] > 0
        rank = 1 + sum(c >= counts[0][s] if more else c <= counts[0][s] for c in drawn)
        far = "more frequent" if more else "less frequent"
        verdict = far if adjusted[s] <= 0.05 else "not shown to differ"
        found.append((z, rank / len(counts), adjusted[s], verdict))
    return found


# the first structure occurs in no graph, so that its family counts for nothing
@pytest.mark.parametrize("families", [None, [5, 1, 1, 2, 2, 1, 3, 2]], ids=["one", "three"])
@pytest.mark.parametrize("num_samples", [2, 99, 198, 199])
def test_verdicts_equal_those_of_loops(num_samples, families):
    rng = np.random.default_rng(num_samples)
    rates = np.array([0, 0.02, 0.5, 3, 40, 2000])
    counts = rng.poisson(rates, (num_samples + 1, len(rates)))
    counts[0] += np.array([0, 1, 2, 7, -9, 5])
    # structures that go together
    counts = np.concatenate([counts, counts[:, 3:5] + rng.poisson(1, (num_samples + 1, 2))], axis=1)
    wanted = plain_comparison(counts.tolist(), families)
    for one, (z, p, adjusted, verdict) in zip(
        compare_with_random("degree", counts, families), wanted, strict=True
    ):
        assert one.z == (None if z is None else pytest.approx(z))
        assert one.p == pytest.approx(p)
        assert one.p_adjusted == pytest.approx(adjusted)
        assert one.verdict == verdict
        assert one.p <= one.p_adjusted + 1e-12


def test_distances_by_hand():
    """Three graphs: T[0] is 3, 1.2, 1; others reach 1.2 with the second structure alone."""
    distance = np.array([[1.0, 3.0, 1.2], [0.5, 2.0, 1.2], [1.1, 0.0, 0.0]])
    # second: only itself; third: itself and graph 1 by a tie; first: itself and graph 2, and no
    # less than what came before
    assert step_down(distance).tolist() == pytest.approx([2 / 3, 1 / 3, 2 / 3])
    # what rounding alone tells apart is a tie
    assert step_down(np.array([[0.1 + 0.2], [0.3], [0.0]])).tolist() == [2 / 3]


def test_large_counts_are_compared_exactly():
    """Of 2 to the 62 and a little more, and of numbers beyond 64 bits."""
    rng = np.random.default_rng(1)
    small = rng.poisson(20, (200, 3)).astype(np.int64)
    small[0] = 21, 60, 20
    small[:, 2] = 5
    wanted = [(one.p, one.p_adjusted, one.verdict) for one in compare_with_random("a", small)]
    for shifted in (small + 2**62, small.astype(object) + 2**80):
        found = compare_with_random("a", shifted)
        assert [(one.p, one.p_adjusted, one.verdict) for one in found] == wanted
    assert wanted[1][2] == "more frequent"


@pytest.mark.parametrize("num_families", [1, 2])
def test_the_level_holds_exactly_over_all_orders_of_exchangeable_graphs(num_families):
    """Each of 40 graphs in turn is the one that is judged: at most 2 are called at .05."""
    rng = np.random.default_rng(2)
    families = np.arange(12) % num_families
    most = 0
    for _ in range(20):
        counts = rng.poisson(rng.choice([0.1, 1, 30], 12), (40, 12)) * rng.integers(1, 9, 12)
        called = 0
        for first in range(40):
            order = [first, *(i for i in range(40) if i != first)]
            found = compare_with_random("degree", counts[order], families)
            called += min(one.p_adjusted for one in found) <= 0.05
        most = max(most, called)
    assert most == 2


def plain_class_p(counts, labels, orders):
    """Adjusted p by differences of means, over the permutations that are given."""

    def differences(own):
        rows = []
        for s in range(counts.shape[1]):
            column = counts[:, s]
            best = 0.0
            for label in sorted(set(labels)):
                inside = column[own == label]
                outside = column[own != label]
                n, m = len(inside), len(outside)
                # standard deviation of the difference over all permutations
                sd = column.std() * np.sqrt((n + m) ** 2 / (n * m * (n + m - 1)))
                best = max(best, abs(inside.mean() - outside.mean()) / sd)
            rows.append(best)
        return rows

    return step_down(np.array([differences(np.array(labels)[list(order)]) for order in orders]))


@pytest.mark.parametrize("labels", [[0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 2, 2, 0, 2]])
def test_permuted_classes_equal_all_permutations(labels):
    counts = np.random.default_rng(3).poisson([1, 3, 9], (7, 3))
    counts[:, 1] += 4 * np.array(labels)
    wanted = plain_class_p(counts, labels, list(itertools.permutations(range(7))))
    found = compare_classes(counts, np.array(labels), num_samples=2000, seed=1)
    # the error of a share of 2,000
    assert np.abs(found - wanted).max() < 0.05


def test_odds_ratio_by_hand_and_beside_the_conditional_one():
    ratio, low, high = odds_ratio_interval(*map(np.array, (10, 30, 5, 40)))
    # 10.5 / 20.5 * 35.5 / 5.5; the error of its logarithm is sqrt(1/10.5 + 1/20.5 + 1/5.5 + 1/35.5)
    np.testing.assert_allclose([ratio, low, high], [3.305987, 1.030030, 10.610901], rtol=1e-5)
    exact = odds_ratio([[10, 20], [5, 35]])
    assert low < exact.statistic < high
    bounds = exact.confidence_interval(0.95)
    # the exact interval is never too narrow, and so the wider one
    assert bounds.low < low < high < bounds.high


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
    # finite numbers, which JSON can hold
    assert json.dumps(as_record(differences), allow_nan=False)
    assert str(separating.strongest).startswith(
        "200 of 200 (100%) of class 1, 0 of 300 (0%) of the others; odds ratio "
    )


def test_the_exact_p_of_one_table_is_fishers():
    rng = np.random.default_rng(5)
    for _ in range(200):
        size, others = rng.integers(1, 60, 2).tolist()
        inside, outside = rng.integers(size + 1), rng.integers(others + 1)
        table = (int(inside), size, int(outside), others)
        wanted = fisher_exact([[inside, outside], [size - inside, others - outside]]).pvalue
        assert exact_p(table) == pytest.approx(wanted, rel=1e-6), table
    # permutations do not bound it, nor do many graphs
    assert 0 < exact_p((190, 400, 30, 2600)) < 1e-100
    assert exact_p((50_000, 100_000, 50_000, 100_000)) == pytest.approx(1)


def plain_stratified_p(tables):
    """By all ways to put marks on graphs of each stratum, one loop for each."""
    chances = {0: 1.0}
    for inside, size, outside, others in tables:
        total = comb(size + others, inside + outside)
        own = {
            k: comb(size, k) * comb(others, inside + outside - k) / total
            for k in range(size + 1)
            if 0 <= inside + outside - k <= others
        }
        sums = {}
        for (k, one), (m, two) in itertools.product(chances.items(), own.items()):
            sums[k + m] = sums.get(k + m, 0.0) + one * two
        chances = sums
    seen = chances[sum(inside for inside, *_ in tables)]
    return sum(chance for chance in chances.values() if chance <= seen * (1 + 1e-7))


def test_the_exact_p_of_strata_is_that_of_all_ways():
    rng = np.random.default_rng(6)
    for _ in range(100):
        tables = []
        for size, others in rng.integers(0, 25, (3, 2)).tolist():
            tables.append(
                (int(rng.integers(size + 1)), size, int(rng.integers(others + 1)), others)
            )
        assert exact_p(*tables) == pytest.approx(plain_stratified_p(tables), rel=1e-6), tables
    # with thousands of graphs, of which the ends of the distributions are cut off
    tables = (800, 2000, 2000, 5000), (90, 300, 1000, 3000)
    assert exact_p(*tables) == pytest.approx(plain_stratified_p(tables), rel=1e-6)
    assert exact_p((2000, 2000, 0, 5000), (300, 300, 0, 3000)) == 0.0


@pytest.mark.parametrize("sizes", [[12, 48], [30, 10, 20]])
def test_tests_that_cannot_reach_the_level_are_not_counted(sizes):
    supports = np.random.default_rng(9).integers(1, 40, 300)
    total = sum(sizes)
    least = []
    for support in supports.tolist():
        # of both classes the test is the same
        for size in sizes[: 1 if len(sizes) == 2 else None]:
            inside = range(max(0, support - (total - size)), min(support, size) + 1)
            own = [exact_p((k, size, support - k, total - size)) for k in inside]
            least.append(min(own))
    factor = next(k for k in range(1, 1000) if sum(p <= 0.05 / k for p in least) <= k)
    assert 1 < factor < len(least)
    found = adjust_for_family(np.array([1e-5, 0.5]), supports, sizes)
    assert np.allclose(found, [1e-5 * factor, 1.0])
    # where none can, the first p still counts once
    assert adjust_for_family(np.array([0.5]), np.array([1, 1]), [5, 5]).tolist() == [0.5]


def groups_of(contains, labels, sizes):
    found = class_differences(contains, labels, ["a", "b"])
    return [one.group for one in group_differences(found, contains, labels, sizes)]


def test_what_follows_from_a_stronger_one_is_told_from_a_second_reason():
    rng = np.random.default_rng(7)
    labels = np.repeat([1, 0], [60, 240])
    cause = rng.random(300) < np.where(labels, 0.5, 0.02)
    second = rng.random(300) < np.where(labels, 0.45, 0.08)
    columns = [
        # a part of the cause, which others have as well, and one in the same graphs
        cause | (rng.random(300) < 0.1),
        cause,
        cause.copy(),
        # what contains the cause
        cause & (rng.random(300) < 0.7),
        second,
        second | (rng.random(300) < 0.1),
        # both have it
        cause | second | (rng.random(300) < 0.35),
        rng.random(300) < 0.3,
    ]
    contains = np.stack(columns, axis=1)
    # the largest of those in the same graphs leads, whichever comes first
    sizes = [2, 3, 4, 5, 4, 3, 2, 3]
    groups = groups_of(contains, labels, sizes)
    assert groups == [0, 0, 0, 0, 1, 1, groups[6], None]
    assert groups[6] in (0, 1)
    found = class_differences(contains, labels, ["a", "b"])
    patterns = [
        Pattern(Structure.parse(f"star-{size}"), classes=one, id=number)
        for number, (one, size) in enumerate(
            zip(group_differences(found, contains, labels, sizes), sizes, strict=True)
        )
    ]
    (first, *_), (other, *_) = differing_groups(patterns)
    assert (first.id, other.id) == (2, 4)
    # nor does the order of the patterns matter
    order = rng.permutation(8)
    again = groups_of(contains[:, order], labels, np.array(sizes)[order])
    assert [again[at] for at in np.argsort(order)] == groups


def test_what_is_left_of_a_difference_is_what_the_data_say():
    """By hand, as in MUTAG: in other graphs than the two that lead, and few without both."""
    # 63 and 125 graphs of two classes, with either leading pattern, with both, with none
    labels = np.repeat([0, 1], [63, 125])
    first = np.r_[np.arange(63) < 8, np.arange(125) < 70]
    second = np.r_[np.arange(63) >= 55, np.arange(125) >= 98]
    never = ~first & ~second & np.r_[np.arange(63) < 17, np.arange(125) < 71]
    copy = first.copy()
    contains = np.stack([first, second, never, copy], axis=1)
    found = class_differences(contains, labels, ["a", "b"])
    leads, _, other, same = group_differences(found, contains, labels, [3, 3, 2, 2])
    assert leads.follows is None and leads.group == same.group == 0
    # the copy is in all graphs of the leader, so that none are left to tell
    assert same.follows.shared == 78 and same.follows.p == 1.0
    assert other.strongest.p < 0.01 and other.strongest.name == "a"
    # the second pattern is not called, and what is left is 9 of 55 and 1 of 55 without the first
    assert other.follows.shared == 0
    assert other.follows.p == pytest.approx(fisher_exact([[9, 46], [1, 54]]).pvalue, rel=1e-6)
    # the absence of a strong leader says all of what is in its place, and enough graphs say so
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 600)
    cause = rng.random(600) < np.where(labels, 0.8, 0.2)
    instead = ~cause & (rng.random(600) < 0.6)
    contains = np.stack([cause, instead], axis=1)
    found = class_differences(contains, labels, ["a", "b"])
    leads, follows = group_differences(found, contains, labels, [3, 3])
    assert leads.follows is None and follows.group == 0
    assert follows.follows.shared == 0 and follows.follows.p > 0.05
    # it stands below the leader that it is instead of, and not below another one
    other = rng.random(600) < np.where(labels, 0.9, 0.1)
    contains = np.stack([cause, instead, other], axis=1)
    found = class_differences(contains, labels, ["a", "b"])
    groups = [one.group for one in group_differences(found, contains, labels, [3, 3, 3])]
    assert groups == [1, 1, 0]


def test_what_a_stronger_one_implies_stands_below_it():
    labels = np.repeat([0, 1], 100)
    graph = np.arange(200)
    cause = (graph < 60) | (graph >= 195)
    # in nearly the same graphs, and surer of the class in those where the cause is not
    nearly = (graph < 66) | (graph >= 190)
    # by itself it would lead, but it is a part of the cause
    part = (graph < 95) | (graph >= 150)
    other = (graph >= 60) & (graph < 92)
    contains = np.stack([cause, nearly, part, other], axis=1)
    found = class_differences(contains, labels, ["a", "b"])
    order = np.argsort([one.rank[0] for one in found])
    assert all(one.differs for one in found)
    sizes = [4, 4, 2, 3]
    free = [one.group for one in group_differences(found, contains, labels, sizes)]
    leader = int(order[0])
    pairs = {(2, 0), (2, 1)}
    tied = group_differences(found, contains, labels, sizes, lambda a, b: (a, b) in pairs)
    groups = [one.group for one in tied]
    assert groups[0] == groups[1] == 0 and leader in (0, 1)
    assert groups[2] == 0 and tied[2].follows.shared == int((part & contains[:, leader]).sum())
    # which leads where nobody says that it is one
    assert free[2] not in (None, 0)
    # what no edge and no graph ties to the cause leads
    assert groups[3] == 1 and tied[3].follows is None


def test_what_is_in_nearly_the_same_graphs_does_not_lead():
    """By the exact test alone it would: where the first is not, it is in graphs of one class."""
    labels = np.repeat([0, 1], 1000)
    graph = np.arange(2000)
    first = graph < 600
    for more, group in ((60, 0), (200, 1)):
        second = (graph < 550) | ((graph >= 1000) & (graph < 1000 + more))
        contains = np.stack([first, second], axis=1)
        found = class_differences(contains, labels, ["a", "b"])
        leads, other = group_differences(found, contains, labels, [3, 3])
        assert leads.group == 0 and leads.follows is None and other.group == group
        if other.follows is not None:
            assert other.follows.shared == 550 and other.follows.p < 1e-6


def test_strata_that_cannot_tell_change_no_p():
    tables = [(3, 20, 0, 260), (4, 9, 1, 30)]
    certain = [(5, 5, 8, 8), (0, 7, 0, 9), (3, 9, 0, 0)]
    assert exact_p(*tables, *certain) == pytest.approx(exact_p(*tables), rel=1e-12)


def test_graphs_without_a_class_do_not_count():
    rng = np.random.default_rng(5)
    labels = np.repeat([0, 1], 60)
    contains = rng.random((120, 4)) < np.where(labels, 0.7, 0.2)[:, None]
    more = np.r_[contains, np.ones((40, 4), bool)]
    found = class_differences(contains, labels, ["a", "b"])
    of_more = class_differences(more, np.r_[labels, np.full(40, -1)], ["a", "b"])
    assert found == of_more and any(one.differs for one in found)
    assert group_differences(found, contains, labels, [2] * 4) == group_differences(
        found, more, np.r_[labels, np.full(40, -1)], [2] * 4
    )


def test_what_is_in_no_graph_or_in_all_has_no_odds_ratio():
    contains = np.zeros((30, 3), bool)
    contains[:, 1] = contains[0, 2] = True
    rows = class_contrasts(contains, np.repeat([0, 1], 15), ["a", "b"])
    assert [[one.odds_ratio is None for one in row] for row in rows] == [[1, 1], [1, 1], [0, 0]]
    assert rows[0][0].interval == "-" and rows[0][0].strength == 0.0
    assert str(rows[0][0]) == "0 of 15 (0%) of class a, 0 of 15 (0%) of the others; p = 1"
    assert str(rows[2][0]).count("odds ratio 3.21") == 1


def test_parts_of_a_cause_hardly_ever_lead():
    rng = np.random.default_rng(8)
    labels = np.repeat([1, 0], [40, 260])
    lead = 0
    for _ in range(60):
        cause = rng.random(300) < np.where(labels, 0.45, 0.02)
        parts = [cause | (rng.random(300) < share) for share in (0.02, 0.05, 0.1, 0.2)]
        groups = groups_of(np.stack([cause, *parts], axis=1), labels, [5, 4, 3, 2, 2])
        lead += len({group for group in groups if group is not None}) > 1
    # each of four at the level at which structures are called: 5 % of 60 with 3 deviations
    assert lead <= 3 + 3 * np.sqrt(3)


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
    miner = PatternMiner(pattern_size=(4, 5), null=None).fit(graphs, y)
    # what was searched completely was compared, and none of it alone is left out
    counted = [one for one in (*miner.patterns_, *miner.others_) if one.classes is not None]
    search = miner.class_search_
    assert search.is_complete and (search.least_nodes, search.most_nodes) == (4, 5)
    assert search.num_differing == sum(one.classes.differs for one in counted)
    first = min(counted, key=lambda one: one.classes.rank)
    contrast = first.classes.strongest
    assert (contrast.name, contrast.containing, contrast.others_containing) == ("ring", 12, 0)
    assert nx.is_isomorphic(nx.Graph(first.edges), nx.cycle_graph(5))
    assert first.classes.p_adjusted == pytest.approx(contrast.p * search.num_tests)
    for pattern in counted:
        counts = [count_pattern(one, pattern.structure, reading="subgraph") for one in graphs]
        contains = np.array([one.value for one in counts]) > 0
        for own in pattern.classes.contrasts:
            assert own.containing == contains[y == own.name].sum()


def test_classes_of_targets():
    graph = as_csr([nx.path_graph(3)] * 4)
    assert classes_of(None, graph) is None
    assert classes_of(np.zeros(12), graph) is None
    assert classes_of([0.5, 1.5, 2.5, 2.5], graph) is None
    assert classes_of(["b", "a", "b", "b"], graph).names == ("a", "b")
    with pytest.raises(InputError, match="y must have a class for each of the 4 graphs, or a targ"):
        classes_of([1, 2, 1], graph)


def test_numbers_that_are_printed():
    counts = np.zeros((200, 3), np.int64)
    counts[0], counts[1:100, 0], counts[1:, 2] = (9, 4, 7), 2, 7
    first, second, third = compare_with_random("degree", counts)
    assert (first.observed, first.largest, first.num_samples) == (9, 2, 199)
    assert first.mean == pytest.approx(2 * 99 / 199)
    assert first.sd == pytest.approx(np.std(counts[1:, 0], ddof=1))
    assert first.z == pytest.approx((9 - first.mean) / first.sd)
    assert (first.p, first.p_adjusted, first.verdict) == (1 / 200, 1 / 200, "more frequent")
    # 0 in all others: no spread, hence no z
    assert (second.mean, second.sd, second.z, second.p) == (0, 0, None, 1 / 200)
    assert second.verdict == "more frequent"
    # the same everywhere
    assert (third.mean, third.z, third.p, third.p_adjusted) == (7, None, 1, 1)
    # at the mean the rank is that of what is rarer
    (middle,) = compare_with_random("degree", np.array([[2], [1], [1], [4]]))
    assert (middle.p, middle.z) == (3 / 4, 0)
    with pytest.raises(InputError, match=r"at least two random graphs, got the shape \(2, 4\)"):
        compare_with_random("degree", np.ones((2, 4), int))


def test_what_all_graphs_or_one_class_hold_has_nothing_to_say():
    counts, labels = np.random.default_rng(3).poisson(4, (7, 2)), np.array([0, 1, 1, 2, 2, 0, 2])
    both = [compare_classes(one, labels, num_samples=99)
            for one in (counts, np.column_stack([counts, np.full(7, 0.1)]))]  # fmt: skip
    assert both[1].tolist() == [*both[0].tolist(), 1.0]
    assert compare_classes(counts, np.zeros(7, int)).tolist() == [1.0, 1.0]
    with pytest.raises(InputError, match="num_samples must be at least 1, got 0"):
        compare_classes(counts, labels, num_samples=0)


def test_the_command_reads_classes_of_a_tu_folder(folder):
    graphs, y = stars_and_rings()
    write_tu("T", graphs, [3 if label == "ring" else -1 for label in y])
    Path("names.csv").write_text("label,name\n3,with ring\n")
    options = "--pattern-size 4-5 --given ring-5 --null none --quiet"
    assert "with ring" in gomkcn(f"mine T --out run {options} --class-names names.csv")
    run = load("run")
    assert run.class_search.is_complete
    compared = [one for one in (*run.patterns, *run.others) if one.classes is not None]
    first = min(compared, key=lambda one: one.classes.p_adjusted)
    strongest = first.classes.strongest
    assert (strongest.name, strongest.containing, strongest.num_graphs) == ("with ring", 12, 12)
    assert [one.name for one in first.classes.contrasts] == ["-1", "with ring"]


@pytest.mark.parametrize(("sizes", "others"), [(20, 30), (63, 125)])
def test_interval_covers_the_odds_ratio(sizes, others):
    # exactly, by the probabilities of all tables
    inside, outside = np.meshgrid(np.arange(sizes + 1), np.arange(others + 1), indexing="ij")
    _, low, high = odds_ratio_interval(inside, sizes, outside, others)
    coverage = []
    for own, rest in itertools.product([0.05, 0.2, 0.5, 0.9], repeat=2):
        truth = own / (1 - own) * (1 - rest) / rest
        probability = binom.pmf(inside, sizes, own) * binom.pmf(outside, others, rest)
        coverage.append(probability[(low <= truth) & (truth <= high)].sum())
    assert min(coverage) > 0.94
    assert np.mean(coverage) > 0.95


def test_measures_that_differ_by_rounding_alone_are_equal():
    sums = np.full((20, 1), 0.3)
    sums[0] = 0.1 + 0.2
    assert sums[0] != sums[1]
    (result,) = compare_with_random("weights", sums)
    assert (result.p_adjusted, result.p, result.z, result.sd) == (1, 1, None, 0)
    # and those that differ are told apart, whatever their unit
    for unit in (1e-9, 1.0, 1e9):
        (result,) = compare_with_random("weights", unit * np.arange(20.0, 0.0, -1.0)[:, None])
        assert (result.p, result.p_adjusted) == (0.05, 0.1)
