"""The looks at random graphs: the level by numbers alone, and what is drawn, kept and said."""

import threading

import networkx as nx
import numba
import numpy as np
import pytest
from command_line import gomkcn
from ends_after import EndsAfter
from scipy.stats import betabinom, binom

from gomkcn.mining import PatternMiner, load
from gomkcn.mining.counting.census import CensusTable
from gomkcn.mining.patterns import choice, random_censuses
from gomkcn.mining.show.report import render_report
from gomkcn.mining.show.terminal import format_run
from gomkcn.mining.significance.looks import FIRST_LEVEL, Looks
from gomkcn.mining.significance.random_graphs import sample_null
from gomkcn.mining.significance.verdicts import adjust_by_ranks, compare_with_random
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import LEVEL
from gomkcn_dgl import as_csr, read_graph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime import compiled
from gomkcn_dgl.runtime.steps import Steps


def test_the_looks_are_at_fixed_numbers():
    assert Looks().ends == (199, 399, 799, 1599, 1999)
    assert Looks(250, 250).ends == (250,)


def final_p(looks, num_families):
    """The adjusted p, and its probability, where how far a graph lies out never changes.

    Of random graphs that are exchangeable with the graph, those that lie as far out are as the
    draws of an urn (Pólya): any number of the first is as likely as any other.
    """
    first, *later = looks.ends
    found = []
    for beyond in range(first + 1):
        at_first = np.array([min(1.0, num_families * (beyond + 1) / (first + 1))])
        states = {beyond: 1 / (first + 1)}
        number = first
        for end in [*later, None]:
            going_on = {}
            for count, probability in states.items():
                now = np.minimum(1.0, num_families * (np.array([count]) + 1) / (number + 1))
                if end is None or looks.are_over(at_first, now, number):
                    found.append((looks.adjusted(at_first, now, number).item(), probability))
                    continue
                draws = end - number
                more = betabinom.pmf(np.arange(draws + 1), draws, count + 1, number - count + 1)
                for k, share in enumerate((probability * more).tolist()):
                    going_on[count + k] = going_on.get(count + k, 0.0) + share
            states, number = going_on, end
    return np.array(found)


@pytest.mark.parametrize("num_families", [1, 3, 4])
@pytest.mark.parametrize("looks", [Looks(), Looks(99, 299), Looks(199, 199)])
def test_p_is_valid_at_every_level_where_distances_never_change(looks, num_families):
    p, probability = final_p(looks, num_families).T
    assert probability.sum() == pytest.approx(1)
    levels, at = np.unique(p.round(9), return_inverse=True)
    at_most = np.bincount(at, probability).cumsum()
    # those of 1 are cut off there
    assert (at_most <= levels / num_families + 1e-9)[levels < 1].all()
    # nor is much of the level left over
    assert at_most[levels <= LEVEL + 1e-9][-1] >= 0.5 * LEVEL / num_families


def test_p_is_valid_where_each_look_has_means_and_variances_of_its_own():
    """Rare structures, and some that go together; of 2,000 graphs each is one of its null model."""
    looks, families = Looks(99, 799), np.array([0, 0, 0, 0, 1, 1])
    rates = np.array([0.003, 0.02, 0.5, 3, 40])
    rng = np.random.default_rng(5)
    found = []
    for _ in range(2000):
        counts = rng.poisson(rates, (looks.most + 1, 5)) * rng.integers(1, 9, 5)
        counts = np.concatenate([counts, counts[:, 3:4] + rng.poisson(1, (len(counts), 1))], axis=1)
        for number in looks.ends:
            some = counts[: number + 1]
            at_first = adjust_by_ranks(counts[: looks.first + 1], families)
            if looks.are_over(at_first, adjust_by_ranks(some, families), number):
                break
        results = compare_with_random("degree", some, families, looks)
        found.append(min(result.p_adjusted for result in results))
    for level in (0.02, 0.05, 0.1, 0.2, 0.4):
        called = int((np.array(found) <= level).sum())
        # a rule that spends twice the level fails at .05 with a probability over .999
        assert called <= binom.ppf(0.999, len(found), level)


def test_what_the_first_look_calls_keeps_its_p_and_the_others_pay_for_it():
    looks = Looks()
    rng = np.random.default_rng(0)
    counts = np.stack([rng.poisson(30, 2000), rng.poisson(3, 2000), rng.poisson(9, 2000)], axis=1)
    counts[0] = 100, 8, 9
    for number in (199, 399):
        clear, near, usual = (
            one.p_adjusted for one in compare_with_random("a", counts[: number + 1], looks=looks)
        )
        alone = [one.p_adjusted for one in compare_with_random("a", counts[: number + 1])]
        spent = 0 if number == 199 else FIRST_LEVEL
        assert clear == 1 / 200 and min(near, usual) > FIRST_LEVEL
        assert [near, usual] == [min(1.0, p + spent) for p in alone[1:]]


def graph_with_triangles(seed):
    graph = nx.gnm_random_graph(40, 60, seed=seed)
    for first in (0, 3, 6, 9):
        nx.add_cycle(graph, range(first, first + 3))
    return graph


# a seed whose triangles are usual, one where they stay near the level, and one where they do not
USUAL, NEAR, LEFT = 0, 9, 10


def compared(seed, steps=None, **options):
    """The result of the triangle, and how many random graphs were drawn and why."""
    mined = MinedGraph.of(graph_with_triangles(seed))
    more_steps = options.pop("more_steps", None)
    rules = PatternMiner(pattern_size=3, **options).choice_rules(mined.graph)
    if more_steps is not None:
        rules = choice.replace(rules, more_steps=more_steps)
    found = choice.compare_structures(mined, rules, steps or Steps())
    return found.patterns[Structure.parse("triangle").key].significance["degree"], (
        found.random_graphs["degree"]
    )


@pytest.mark.parametrize(
    ("edges", "samples", "end"),
    [
        ([(0, 1)], None, "were drawn, and no structure that is compared is in any."),
        ([(0, 1), (1, 2)], 2500, "as many as were asked for; the smallest adjusted p is 0.0004."),
    ],
)
def test_the_smallest_p_is_said_where_it_is_one(edges, samples, end):
    rules = PatternMiner(null_samples=samples).choice_rules(as_csr(nx.Graph(edges)))
    found = choice.compare_structures(MinedGraph.of(nx.Graph(edges)), rules, Steps())
    assert found.random_graphs["degree"].endswith(end)


@pytest.mark.parametrize(
    ("seed", "number", "why"),
    [
        (USUAL, 199, "since no structure is near the level; the smallest adjusted p is 0.005."),
        (LEFT, 799, "until no structure was near the level; the smallest adjusted p is 0.005. A "),
        (NEAR, 1999, "the most, since structures stayed near the level; the smallest adjusted p "),
    ],
)
def test_random_graphs_are_drawn_while_a_structure_is_near_the_level(seed, number, why):
    result, said = compared(seed)
    assert result.num_samples == number
    assert said.startswith(f"{number:,} random graphs were drawn, {why}")
    assert ("plus 0.02" in said) == (number > 199)
    # they are those of a run that is asked for so many
    asked, said = compared(seed, null_samples=number)
    assert said.startswith(f"{number:,} random graphs were drawn, as many as were asked for; ")
    spent = FIRST_LEVEL if number > 199 else 0
    assert (result.mean, result.sd, result.z, result.p) == (
        asked.mean,
        asked.sd,
        asked.z,
        asked.p,
    )
    assert result.p_adjusted == pytest.approx(asked.p_adjusted + spent)


def test_a_structure_is_called_by_more_random_graphs():
    result, _ = compared(NEAR)
    few, _ = compared(NEAR, null_samples=199)
    assert few.p_adjusted > FIRST_LEVEL and result.is_called
    assert result.p_adjusted <= LEVEL


def test_where_more_would_take_long_the_first_look_has_the_whole_level():
    result, said = compared(NEAR, more_steps=1.0)
    assert result == compared(NEAR, null_samples=199)[0]
    assert said.startswith("199 random graphs were drawn, since 1,999 would take about 1 minute of")


def test_what_is_clear_needs_no_more_random_graphs():
    cliques = nx.disjoint_union_all([nx.complete_graph(4)] * 12)
    cliques.add_edges_from((node, (node + 7) % 48) for node in range(48))
    mined = MinedGraph.of(cliques)
    rules = PatternMiner(pattern_size=3).choice_rules(mined.graph)
    found = choice.compare_structures(mined, rules, Steps())
    results = [one.significance["degree"] for one in found.patterns.values()]
    assert results and all(one.is_called and one.num_samples == 199 for one in results)


def test_what_the_first_look_does_not_call_waits_for_the_last_one():
    triangle, looks = Structure.parse("triangle"), Looks()
    drawn = [12] * 4 + [number % 4 for number in range(1995)]
    censuses = [{triangle: count} for count in (10, *drawn)]
    # four of the first 199 have as many, p is .025; none of the next 200, which is .0125
    for end in looks.ends:
        some = CensusTable.of(*censuses[: end + 1])
        assert random_censuses.looks_are_over(some, looks) == (end == 1999)
    found = random_censuses.compare_censuses("degree", CensusTable.of(*censuses), looks)
    assert found[triangle].is_called


def test_random_graphs_of_every_null_model_take_time():
    mined = MinedGraph.of(graph_with_triangles(NEAR))
    rules = PatternMiner(pattern_size=3).choice_rules(mined.graph)
    sizes = choice._sizes_to_compare(mined, [None], rules)
    work = 1999 * (sizes.steps[3] + choice._steps_of_walk(mined))
    for share, num_models, most in ((1.01, 1, 1999), (0.99, 1, 199), (1.01, 2, 199)):
        some = choice.replace(rules, more_steps=share * work)
        looks, why = choice._looks_in_time(mined, sizes, range(3, 4), num_models, some)
        assert (looks, bool(why)) == (Looks(199, most), most == 199)


def test_time_and_workers_change_nothing_but_how_many_are_drawn(tmp_path):
    whole = compared(NEAR)
    assert compared(NEAR, Steps(n_jobs=2)) == whole
    # 1. cut between the first look and the second one
    identity = {"job": 1}
    steps = Steps(tmp_path / "job", identity, interrupts=EndsAfter(560))
    cut, said = compared(NEAR, steps)
    assert steps.is_partial and 199 < cut.num_samples < 1999
    assert said.startswith(f"{cut.num_samples:,} random graphs were drawn, until time was up; ")
    # 2. the last look is at those that are there
    again = compared(NEAR, null_samples=cut.num_samples)[0]
    assert cut.p_adjusted == pytest.approx(again.p_adjusted + FIRST_LEVEL)
    # 3. and the job goes on with the others
    assert compared(NEAR, Steps(tmp_path / "job", identity)) == whole


def test_threads_change_nothing(monkeypatch):
    one_by_one = compared(NEAR, null_samples=60)
    # 1. each random graph by a thread, as large ones are
    monkeypatch.setattr(random_censuses, "_ENTRIES_TOGETHER", 1)
    threads = set()
    draw = random_censuses.RandomGraphs.draw

    def seen(graphs, number):
        threads.add(threading.get_ident())
        return draw(graphs, number)

    monkeypatch.setattr(random_censuses.RandomGraphs, "draw", seen)
    for module in (random_censuses, compiled):
        monkeypatch.setattr(module, "num_threads", lambda: 3)
    assert compared(NEAR, null_samples=60) == one_by_one
    assert len(threads) > 1 or numba.config.DISABLE_JIT
    # 2. a user's function is called by one
    threads.clear()
    mined = MinedGraph.of(graph_with_triangles(NEAR))

    def drawn(graph, seed):
        return sample_null(graph, "erdos-renyi", seed)

    rules = PatternMiner(pattern_size=3, null=drawn, null_samples=20).choice_rules(mined.graph)
    assert choice.compare_structures(mined, rules, Steps()).random_graphs.keys() == {"drawn"}
    assert len(threads) == 1


def test_only_so_many_random_graphs_are_drawn_at_a_time_as_the_memory_holds(monkeypatch):
    monkeypatch.setattr(random_censuses, "num_threads", lambda: 16)
    sparse, dense = as_csr(nx.path_graph(1000)), as_csr(nx.complete_graph(45))
    assert len(sparse.indices) > len(dense.indices)
    for memory, number in ((2**40, 16), (8 * 1998 * 400, 2), (1, 1)):
        monkeypatch.setattr(random_censuses, "total_memory", lambda memory=memory: memory)
        assert random_censuses.threads_of_censuses(sparse) == number
    # triangles take memory as well
    monkeypatch.setattr(random_censuses, "total_memory", lambda: 32 * 1998 * 400)
    threads_of = random_censuses.threads_of_censuses
    assert threads_of(dense) < threads_of(sparse) == 8


def test_terminal_page_and_files_say_how_many_were_drawn_and_what_being_called_means(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    nx.write_edgelist(graph_with_triangles(NEAR), "near.txt", data=False)
    nx.write_edgelist(graph_with_triangles(USUAL), "usual.txt", data=False)
    for name, is_called in (("near", True), ("usual", False)):
        text = " ".join(
            gomkcn(f"mine {name}.txt --pattern-size 3 --filters none --out {name}").split()
        )
        run = load(name)
        said = run.random_graphs["degree"]
        assert said in text and said in " ".join(format_run(run).split())
        page = render_report(run)
        assert said in page
        for shown in (text, page):
            assert ("It is no claim that a structure was planted" in shown) == is_called
            kept = "unlike random graphs that keep the degree of each node."
            assert (kept in shown) == is_called


@pytest.mark.slow
def test_loops_and_bi_fans_of_signed_e_coli_are_called(ecoli):
    """203 bi-fans, where random graphs have 67 ± 15."""
    mined = MinedGraph.of(read_graph(ecoli))
    rules = PatternMiner().choice_rules(mined.graph)
    found = choice.compare_structures(mined, rules, Steps()).patterns
    wanted = {
        "a->b, a->c, b->c": 40,
        "a->c, a->d, b->c, b->d": 203,
        "a-[activates]->b, a-[activates]->c, b-[activates]->c": 23,
    }
    for text, count in wanted.items():
        result = found[Structure.parse(text).key].significance["degree"]
        assert (result.observed, result.verdict) == (count, "more frequent")
