"""The figures of the README and the docs are those of the committed tables."""

import re
import statistics

from click.testing import CliRunner
from paper.protocol import read_experiment
from paper.records import read_records
from paper.table import HERE as PAPER
from paper.table import cells, compare
from registry import BENCHMARKS, HERE

from gomkcn.commands.train_command import train

TABLES = {one.name: one.path for one in BENCHMARKS}


def tables(name):
    """The tables of a benchmark: for each a list of rows, which are dictionaries of texts."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", TABLES[name].read_text("utf-8"), re.M):
        head, _, *rows = (
            [cell.strip() for cell in line.strip("|").split(" | ")] for line in block.splitlines()
        )
        found.append([dict(zip(head, row, strict=True)) for row in rows])
    return found


def rows(name, number=0, **where):
    """The rows of a table that have some values."""
    return [row for row in tables(name)[number] if where.items() <= row.items()]


def row(name, number=0, **where):
    (found,) = rows(name, number, **where)
    return found


def value(text):
    """The first number of a cell, in seconds where it has a unit."""
    number, unit = re.match(r"([-+\d,.]+)%? ?(ms|µs)?", text).groups()
    return float(number.replace(",", "")) * {None: 1, "ms": 1e-3, "µs": 1e-6}[unit]


def short(number, spec=".2f"):
    """As the docs write a number below 1: without the zero before the point."""
    return re.sub(r"^(-|−)?0\.", r"\1.", f"{number:{spec}}".replace("-", "−"))


def total(cells):
    """Such as 130 of 130: sums of cells such as "10 of 10", or "20/20"."""
    pairs = [map(int, re.match(r"(\d+)(?: of |/)(\d+)", cell).groups()) for cell in cells]
    done, every = map(sum, zip(*pairs, strict=True))
    return f"{done} of {every}"


def says(page, *sentences):
    text = " ".join((HERE.parent / page).read_text("utf-8").split())
    for sentence in sentences:
        assert sentence in text


def test_counts():
    pairs = row("counting_pairs", **{"kind": "all", "wanted error": "0.05"})
    equal, number = pairs["exact counts equal"], pairs["estimates"]
    kinds = [one for one in tables("counting_pairs")[0] if one["kind"] != "all"]
    worst = min(kinds, key=lambda one: value(one["covered, %"]))
    assert len(kinds) == 8
    assert equal == "200 of 200"
    says(
        "README.md",
        "Exact counts equal an independent count in all 200 random pairs",
        f"The 95% intervals of {number} estimates contain the true count in {pairs['covered, %']}%",
        f"Of eight kinds of graphs the worst is {worst['covered, %']}% of {worst['estimates']}",
    )
    says(
        "docs/testing.md",
        f"In {equal} random pairs",
        f"error of {number}: {short(value(pairs['mean']))}, variance "
        f"{value(pairs['variance']):.2f}; {pairs['covered, %']}% of the intervals",
    )
    says("docs/numbers.md", f"Of {number} estimates", f"{pairs['covered, %']}% of the intervals")
    cliques = row("counting", graph="ego-Facebook", pattern="K6")
    # two seeds
    says(
        "docs/howto/count.md",
        f"1% in {value(cliques['processor seconds']):.1f} processor seconds: "
        f"{cliques['occurrences']}; there are {cliques['exact count']}",
    )


def test_census():
    found = tables("census_speed")[0]
    assert {one["equal"] for one in found} == {"yes"}
    assert [one["equal at every node"] for one in found] == ["yes", "–", "–"]
    assert found[0]["graph"] == "ca-GrQc"
    edges, ratios = ([value(one[key]) for one in found] for key in ("edges", "ratio"))
    assert (round(min(ratios)), round(max(ratios))) == (3, 11)
    between = f"{min(edges):,.0f} to {max(edges):,.0f} edges"
    says("docs/compare.md", f"{between}, in a third to an eleventh of its time")


def test_planted_motif_sets():
    ten, five, large, *_ = (one["as it should be"] for one in tables("motif_set")[0])
    directed = row("motif_set_links", graphs="one of four directed × 12 or 25")["as it should be"]
    says(
        "README.md",
        f"exactly the motif set in {ten} graphs. With five copies it is {five}, with 7 to 9 nodes "
        f"{large}. One directed motif with 12 or 25 copies is in the set of {directed} graphs",
    )
    alone = row("motif_set_links", graphs="triangle A, A, B × 40 among 60: alone")
    first = row("motif_set_links", graphs="the same graphs: listed first")
    says(
        "README.md",
        f"is never the set alone ({alone['as it should be']}), but listed first in "
        f"{first['as it should be']}",
    )
    says("docs/testing.md", f"in {ten} graphs, with exactly the planted copies")
    one, two = tables("motif_set_large")[0]
    found = (f"{value(each['copies found']):,.0f}" for each in (one, two))
    says(
        "README.md",
        f"finds {' and '.join(found)} of them, in "
        f"{one['processor s']} and {two['processor s']} seconds and "
        f"{max(each['GiB at most'] for each in (one, two))} GiB at most",
    )
    assert one["others in the set"] == "3"
    saved = [value(one["saved"]) for one in rows("motif_set_real", graph="ca-GrQc")]
    bits = row("motif_set_real", graph="ca-GrQc", seed="0")["bits"]
    says("README.md", f"{min(saved):,.0f} to {max(saved):,.0f} of {bits} bits")
    circuit = row("motif_set_real", graph="s420, directed")
    says("README.md", f"{circuit['saved']} of {circuit['bits']} bits")


def test_motifs_of_molecules():
    copies = [one["copies"] for one in tables("motif_set_collections")[1]]
    text = TABLES["motif_set_collections"].read_text("utf-8")
    base, total_bits = (
        value(part) for part in re.search(r"MUTAG: (\S+) bits .* (\S+) with them", text).groups()
    )
    says(
        "README.md",
        f"aromatic ring × {copies[0]}, nitro group × {copies[1]}, both joined × {copies[2]}, ring "
        f"with two double bonds × {copies[3]}; {base - total_bits:,.0f} of {base:,.0f} bits",
    )


def test_nothing_where_nothing_is():
    nothing = [one["as it should be"] for one in tables("motif_set_nothing")[0][:-1]]
    assert total(nothing) == "130 of 130"
    says("README.md", "None of 130 graphs without planted motifs has a motif set")
    right = [one for one in tables("motif_set_collections")[0] if "clique" not in one["collection"]]
    assert total(one["right"] for one in right) == "260 of 260"
    says("README.md", "Nor has any of 260 random collections")
    graphs = [one for one in tables("inexact_nothing")[0] if "collections" not in one["graphs"]]
    silent = tables("inexact_silence")[0]
    assert {one["a set"] for one in graphs + silent} == {"0"}
    number, among = (sum(int(one["number"]) for one in some) for some in (graphs, silent))
    says(
        "docs/testing.md",
        f"No motif in {number} random graphs of six kinds",
        f"nor in {among} collections of ten kinds",
    )
    assert (len(graphs), len(silent)) == (6, 10)


def test_copies_that_differ():
    alone = rows("inexact", motifs="1", noise="0.10")
    pairs = rows("inexact", motifs="2", noise="0.05")
    one_each = sum(one["found"].count(" × ") == 1 for one in alone)
    equal = sum(one["drawings equal"] == "1 of 1" for one in alone)
    enough = sum(value(one["bits"]) >= 0.98 * value(one["truth, bits"]) for one in alone)
    one_drawing = sum(one["found"].count(" × ") == 1 for one in pairs)
    says(
        "README.md",
        f"It is one motif in {one_each} of {len(alone)} graphs, with a drawing equal to the hidden "
        f"one in {equal}. The description has at least 98% of the bits of the hidden one in "
        f"{enough}. Two such motifs, with a twentieth of their edges changed, come back as one "
        f"drawing in {one_drawing} of",
    )
    covered = [value(one["M-Jaccard"]) for one in alone]
    copies = sum(value(one["copies"]) >= 0.85 for one in alone)
    says(
        "docs/testing.md",
        f"(.98 of its bits) in {enough} of {len(alone)} graphs, with copies that cover its nodes "
        f"with a Jaccard of {short(min(covered))} to {short(max(covered))}",
        f".85 of them with a Jaccard of .8 or more, which is a node missing at most, in "
        f"{copies} of {len(alone)} graphs. Two such motifs, a twentieth of their edges changed, "
        f"come back as one drawing in {one_drawing} of {len(pairs)} graphs",
    )


def test_a_real_graph_without_a_tenth_of_its_edges():
    exact, edited = (row("inexact_ecoli", copies=copies) for copies in ("exact", "may differ"))
    mean, low, high = map(float, re.findall(r"[\d.]+", edited["nodes of its copies, M-Jaccard"]))
    back, of = re.match(r"(\S+) of (\d+)", edited["called structures that come back"]).groups()
    says(
        "docs/gallery.md",
        f"{edited['bits, mean']} of {edited['bits of all']}, and {exact['bits, mean']} of "
        f"{exact['bits of all']} where copies must be exact",
        f"a Jaccard of {short(mean)} on average ({short(low)} to {short(high)}). Of the {of} "
        f"structures that differ from random graphs, {back} came back",
    )


def test_false_positives_and_power():
    called = {}
    # igraph keeps no signs
    for name, number in (("tool", 1000), ("igraph", 675)):
        drawn = rows("level", **{"drawn by": name})
        called[name] = sum(int(one["called"]) for one in drawn)
        assert sum(int(one["graphs"]) for one in drawn) == number
    says(
        "README.md",
        f"{called['tool']} of 1,000 graphs drawn from the null model",
        f"So do {called['igraph']} of 675 graphs that igraph rewired",
    )
    says(
        "docs/testing.md",
        f"were drawn from the null model itself {called['tool']} have",
        f"of 675 that igraph rewired {called['igraph']}",
    )
    hosts = {one["host"]: f"{one['called']} of {one['graphs']}" for one in rows("level", 1)}
    assert hosts["four blocks"] == hosts["Watts–Strogatz"]
    says(
        "docs/null_models.md",
        f"in {hosts['Barabási–Albert']} Barabási–Albert graphs, and in "
        f"{hosts['four blocks']} of four blocks",
    )
    sought = [*rows("power")[:4], rows("power")[-1]]
    assert [one["graph"] for one in sought[2:]] == ["E. coli", "E. coli", "ca-GrQc"]
    assert all(one["seeds"] == one["more frequent"] for one in sought)
    says("docs/testing.md", "Planted cliques and prisms in 10 of 10 random graphs")


def test_sources_of_candidates():
    ways = ("grown", "grown, filters")
    plain, both = (rows("sources", **{"drawings from": way}) for way in ways)
    bits, seconds = (
        [value(b[key]) / value(a[key]) for a, b in zip(plain, both, strict=True)]
        for key in ("bits", "s")
    )
    says(
        "docs/kernel.md",
        f"add {abs(100 * (min(bits) - 1)):.0f} to {100 * (max(bits) - 1):.0f} % of the bits for up "
        f"to {max(seconds):.1f} times the time",
    )


def test_filters():
    *_, every = tables("filter_motifs")[0]
    low, high = re.match(r"(\d+) to (\d+)", every["filters"]).groups()
    together = tables("filter_motifs")[1]
    whole = sum(one["found"] == "5 of 5" for one in together)
    says(
        "README.md",
        f"With all defaults {every['found']} are among the filters",
        f"a graph has {low} to {high}, and {every['trees']} filters are trees",
        f"Motifs of 4, 5, 6, 7 and 8 nodes in one graph are all found in {whole} of "
        f"{len(together)} graphs",
    )
    counted = tables("filter_instances")[0]
    copies = [one for one in counted if one["graphs"].endswith(" copies")]
    bases = [one for one in counted if one not in copies]
    assert [one["graphs"].split()[0] for one in copies] == ["3", "5", "10", "30"]
    inside, beyond = (
        total(one[key] for one in copies)
        for key in ("planted copies among them", "are occurrences, by NetworkX")
    )
    assert inside.split()[0] == inside.split()[-1] and beyond.split()[0] == beyond.split()[-1]
    seen = [value(one["share that is seen"]) for one in bases if one["share that is seen"] != "–"]
    says(
        "README.md",
        f"All {int(inside.split()[0]):,} planted copies of the motifs that are found are among the "
        "instances",
        f"Of other occurrences, which overlap, they are {min(seen):.0f} to {max(seen):.0f}%",
    )
    silent = total(one["without a filter"] for one in tables("filter_nothing")[0])
    says("README.md", f"In {silent} random graphs there is no filter")
    noisy = {
        copies: [value(one["motifs found"]) for one in rows("filter_noise", copies=copies)]
        for copies in ("10", "30")
    }
    few, many = (
        "{:.0f}, {:.0f} and {:.0f}".format(*numbers) for numbers in (noisy["10"], noisy["30"])
    )
    says(
        "README.md",
        f"With 5, 10 and 20% of the edges changed, {few} of 24 motifs with ten copies are found",
        f"With thirty copies it is {many}",
    )


def test_commands_of_filters():
    found = {
        command: total(one["all four"] for one in rows("filter_commands", 1, command=command))
        for command in ("gomkcn filters", "gomkcn filters --paper")
    }
    says(
        "README.md",
        "On its planted graph all four motifs are among the filters in "
        f"{found['gomkcn filters']} graphs",
        f"With `--paper`, which is what the paper prints, it is {found['gomkcn filters --paper']}",
    )


def test_features_of_filters():
    of_motif, of_node = (
        row("filter_features", noise="0.2", **{"planted features": kind})
        for kind in ("of the motif", "of its node")
    )

    def error(of, of_what):
        return short(value(of[of_what]), ".3f")

    same = total(one["same structures after the epochs"] for one in tables("filter_features")[0])
    says(
        "docs/kernel.md",
        f"With ten copies and noise of .2 a single copy is off by {error(of_motif, 'one copy')} "
        f"where all nodes of a motif have the same, and by {error(of_node, 'one copy')} where each "
        f"has its own; a filter by {error(of_motif, 'filter')} and {error(of_node, 'filter')}, and "
        f"after 60 epochs of gradients by {error(of_motif, 'after 60 epochs')} and "
        f"{error(of_node, 'after 60 epochs')}",
        f"is off by {error(of_motif, 'mean of the copies')} and "
        f"{error(of_node, 'mean of the copies')}",
        f"The epochs keep the structures in {same} graphs",
    )


def test_classes():
    (found,) = [
        one for one in rows("class_patterns")
        if one["in words"] == "`aromatic branched chain of 4 atoms: cc(c)c`"
    ]  # fmt: skip
    others, mutagens = found["class -1 (63)"], found["class 1 (125)"]
    says("README.md", f"in {mutagens} of 125 mutagens and in {others} of 63 other molecules")
    ratio, low, high = re.findall(r"[\d.]+", found["odds ratio (95 %)"])
    says(
        "docs/howto/classes.md",
        f"is in {mutagens} of the mutagens and in {others} of the 63 other molecules: odds ratio "
        f"{ratio} ({low} to {high}), adjusted p {short(float(found['adjusted p']), '.3f')}",
    )
    text = TABLES["class_patterns"].read_text("utf-8")
    assert "all numbers of" in text and "agree with direct counts" in text


def accuracies(name):
    """An experiment of the paper, and its cells by model and data set."""
    experiment = read_experiment(PAPER / f"{name}.toml")
    records = read_records(PAPER / "results" / f"{name}.jsonl")
    return experiment, cells(experiment, records), records


def test_accuracy():
    experiment, by_key, _ = accuracies("graph_classification")
    machine = {data: by_key["GOMK machine", data] for data in experiment.data_sets}
    printed = {data: paper[0] for data, paper in experiment.printed["GOMKCN"].items()}
    assert {len(one.accuracies) for one in machine.values()} == {10}
    peers = {
        model: cell
        for (model, data), cell in by_key.items()
        if data == "ENZYMES" and model not in experiment.ours
    }
    best = max(peers, key=lambda model: peers[model].mean)
    assert best == "WWL nested"
    behind, error, _ = compare(machine["PROTEINS"], by_key[best, "PROTEINS"])
    enzymes = machine["ENZYMES"]
    says(
        "README.md",
        "On the ten folds of ENZYMES a support vector machine over the kernel has "
        f"{enzymes.mean:.1f} ± {enzymes.deviation:.1f}% accuracy. The best of the other kernels "
        f"run here, Wasserstein Weisfeiler–Lehman, has {peers[best].mean:.1f}%, and the paper "
        f"prints {printed['ENZYMES']:.1f}%",
        *(
            f"{data}: {machine[data].mean:.1f}% (paper: {printed[data]:.1f}%)"
            for data in ("DD", "REDDIT-BINARY")
        ),
        f"On PROTEINS it is {-behind:.1f} ± {error:.1f} points behind",
    )


def test_cost_of_the_kernel_machine():
    experiment, by_key, records = accuracies("machine_classification")
    model_of = {
        "all nodes": "GOMK machine",
        "`--most-nodes 16`": "machine of 16 nodes",
        "`--num-patterns 64`": "machine of 64 patterns",
    }
    text = (HERE.parent / "docs/howto/classify.md").read_text("utf-8")
    for words, model in model_of.items():
        (line,) = re.findall(rf"^\| {re.escape(words)} \|.*$", text, re.M)
        for data, cell in zip(experiment.data_sets, line.split(" | ")[1:], strict=True):
            # the machine takes patterns by itself where graphs are large
            of_machine = "GOMK machine" if data in ("DD", "REDDIT-BINARY") else model
            if "%" in cell:
                spent = [
                    one["cpu_seconds"] for one in records
                    if (one["model"], one["data"]) == (of_machine, data)
                ]  # fmt: skip
                mean = by_key[of_machine, data].mean
                assert cell.strip(" |") == f"{statistics.median(spent):.0f} s, {mean:.1f}%"


def test_accuracies_of_the_two_settings_of_training():
    """Each has its accuracy, in the how-to and in the help, and neither that of the other."""
    printed = row("trained", command="`train --preset paper`", run="800 graphs, as printed")
    tuned = row("trained", command="`train --preset tuned`", run="800 graphs, tuned")
    of_printed, of_tuned = (value(one["test accuracy"]) for one in (printed, tuned))
    assert of_printed < 0.9 < of_tuned
    motifs = [value(one["motifs among the filters"]) for one in (printed, tuned)]
    says(
        "docs/howto/classify.md",
        f"`--preset paper` is right in {of_printed:.1%} of the test graphs "
        f"({printed['seeds']} seeds), and {motifs[0]:.1f} of its four filters are motifs. "
        f"`--preset tuned` is right in {of_tuned:.1%} ({tuned['seeds']} seeds), "
        f"with {motifs[1]:.1f}",
    )
    shown = " ".join(CliRunner().invoke(train, ["--help"]).output.split())
    assert f"accuracy of {short(of_printed)} on 800 graphs" in shown
    assert f"contrast and matching, with {of_tuned:.2f}" in shown


def test_large_graphs():
    mined = tables("large_graphs")[0]
    seconds = [value(one["mine, s"]) for one in mined[:3]]
    assert {one["motifs found"] for one in mined} == {"3 of 4", "4 of 4"}
    says(
        "docs/scaling.md",
        f"{seconds[0]:.0f} s for 10^4 edges and {seconds[1]:.0f} s for 10^5",
        f"{seconds[2]:.0f} s for 10^6",
    )
    speed, lost, backends = tables("processes")
    for one in speed:
        alone, two = value(one["one, s"]), value(one["two, s"])
        spent, spent_by_two = value(one["processor, one, s"]), value(one["processor, two, s"])
        says(
            "docs/scaling.md",
            f"{alone:.0f} and {two:.0f} s for {one['nodes']} nodes, with {spent:.0f} and "
            f"{spent_by_two:.0f} s of processor",
        )
    assert {one["equal"] for one in (*speed, *backends[1:])} == {"every byte"}
    assert [one["resumed, equal"] for one in lost] == ["every byte"]
    mined = {one["workers"]: value(one["mine, s"]) for one in backends}
    says(
        "docs/scaling.md",
        f"{mined['one process']:.0f} s by one process, {mined['joblib']:.0f} s by two workers of "
        f"joblib and {mined['distributed']:.0f} s by two of Dask",
        f"Two of Ray took {mined['ray']:.0f} s",
    )


def test_speed():
    def a_second(who, graph="PROTEINS, 2 hops, cap 10"):
        return value(row("sampling", graph=graph, who=who)["subgraphs/s"])

    ours, share = a_second("ours, bfs, 1 thread"), rows("sampling")[0]["share of the copy limit"]
    igraph = round(a_second("igraph neighborhood + induced_subgraph"), -3)
    networkx = round(a_second("networkx ego_graph"), -2)
    says(
        "docs/compare.md",
        f"{ours / 1e6:.1f} million subgraphs a second on one thread; `ego_graph` {networkx:,.0f} "
        f"k-hop subgraphs a second; igraph {igraph:,.0f}",
    )
    says(
        "docs/kernel_notes.md",
        f"{ours / 1e6:.1f} million subgraphs of PROTEINS a second on one thread, at "
        f"{value(share):.0f}% of the rate",
    )
    greedy = [value(one["reference / it"]) for one in rows("matching", who="numba, greedy")]
    peer = [
        value(one["it / our greedy"])
        for one in rows("matching", who="PyTorch, matrix products, greedy")
    ]
    on_gpu = row("matching_cuda", who="triton, greedy", dtype="float32")
    gpu_peer = row("matching_cuda", who="PyTorch, matrix products, greedy", dtype="float32")
    by_default = row("matching_cuda", who="triton, optimal", dtype="float32")
    times, of_peer = value(on_gpu["reference / it"]), value(gpu_peer["it / our greedy"])
    says(
        "docs/kernel_notes.md",
        f"{min(greedy):.0f} to {max(greedy):.0f} times as fast as the plain PyTorch reference, and "
        f"{min(peer):.1f} to {max(peer):.1f} times",
        f"On a GPU it is {times:.0f} and {of_peer:.1f} times",
    )
    says(
        "README.md",
        f"with gradients, in {1000 * value(by_default['time']):.1f} ms. The matching is optimal",
        f"The greedy matching takes {1000 * value(on_gpu['time']):.1f} ms",
        f"{times:.0f} times as fast as the plain PyTorch reference for the same, and "
        f"{of_peer:.1f} times",
    )
    double, single, scipy = (1e6 * value(one["time of a pair"]) for one in tables("gram")[0][:3])
    says(
        "docs/kernel_notes.md",
        f"{double:.0f} µs a pair in float64 and {single:.0f} in float32, where SciPy's assignment "
        f"takes {scipy:.0f} µs",
    )


def test_steps_of_training():
    large = rows("training_step", device="cpu")[-1]
    planted = row("training_step", 1, graph="planted, 1,000 nodes", device="cpu")
    says(
        "docs/kernel_notes.md",
        "with 16 filters of 8 nodes on 20,000 nodes, extraction included, takes "
        f"{1000 * value(large['whole, processor']):.0f} ms of processor, and a whole "
        "`FilterMiner().fit` of the planted graph of 1,000 nodes "
        f"{value(planted['processor']):.1f} s",
    )
    # the sentence leaves with the first row of a GPU
    assert rows("training_step", device="cuda")[-1]["whole"] == "not yet measured"


def test_filters_on_a_gpu():
    # the sentence leaves with the first number of a GPU
    assert {one["cuda"] for one in rows("filters")} == {"not yet measured"}
    says("docs/kernel_notes.md", "The steps of filters on a GPU are not measured yet")


def test_reading():
    numbers, names = rows("reading")[-2:]
    assert {one["equal"] for one in rows("reading")} == {"yes", "–"}
    says(
        "docs/formats.md",
        "A table of a million edges of numbers is read in "
        f"{value(numbers['read_graph']):.1f} s, where igraph takes "
        f"{value(numbers['peer reads']):.1f} s; one of names in a CSV file in "
        f"{value(names['read_graph']):.1f} s, where pandas and igraph take "
        f"{value(names['peer reads']):.1f} s",
    )


def test_frequent_subgraphs_and_events():
    mutag, enzymes = tables("frequent_subgraphs")[0]
    ratio = "gspan-mining / ours"
    says(
        "docs/howto/frequent.md",
        f"On MUTAG with support {mutag['support']} and 3 to 6 nodes the {mutag['subgraphs']} "
        f"subgraphs and their supports are those of gspan-mining, in a {mutag[ratio]}th",
        f"ENZYMES with support {enzymes['support']} and 3 or 4 nodes the {enzymes['subgraphs']} "
        f"are, in a {enzymes[ratio]}th",
    )
    windows = tables("temporal")[0]
    ratios = [round(value(one["Raphtory / ours"])) for one in windows]
    says(
        "docs/howto/temporal.md",
        f"take a {max(ratios)}th to a {min(ratios)}th of Raphtory's processor time",
    )
    equal = {mutag["equal supports"], enzymes["equal supports"]}
    assert equal | {one["equal counts"] for one in windows} == {"yes"}
