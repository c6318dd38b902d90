"""Every benchmark: its question, what answers it, and the sentence that rests on its table."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import LONG_CALL, LONG_REPEATS

HERE = Path(__file__).resolve().parent
PAPER = "paper/README.md"
INTERLEAVED = (
    f"interleaved repeats, {LONG_REPEATS} of what takes over {LONG_CALL:.0f} s: median (range)"
)
EACH_GRAPH, EACH_SEED = "run of each graph", "run of each seed"


@dataclass(frozen=True)
class Benchmark:
    """One entry; ``repeats`` and ``how`` are for the head of its table."""

    name: str
    question: str
    # "module:function"; the function takes a :class:`record.Bench`
    function: str
    # a page → how the sentence begins that the table stands behind
    backs: Mapping[str, str]
    # the file with the table, below benchmarks/; results/NAME.md unless it is another
    table: str = ""
    threads: int = 1
    repeats: int = 1
    how: str = EACH_GRAPH

    @property
    def path(self) -> Path:
        return HERE / (self.table or f"results/{self.name}.md")

    @property
    def is_of_paper(self) -> bool:
        return self.function.startswith("paper.")

    def load(self) -> Callable[[Any], None]:
        module, _, function = self.function.partition(":")
        loaded: Callable[[Any], None] = getattr(importlib.import_module(module), function)
        return loaded


BENCHMARKS = (
    Benchmark(
        "counting_pairs",
        "Random pairs of a pattern and a graph: are exact counts right, and intervals honest?",
        "counting:random_pairs",
        {"README.md": "Exact counts equal", "docs/testing.md": "In 200 of 200 random pairs"},
        repeats=2,
        how="seeds of each estimate",
        threads=2,
    ),
    Benchmark(
        "counting",
        "Patterns in real graphs: do intervals hold the exact count, and what does each take?",
        "counting:real_graphs",
        {"docs/howto/count.md": "On ego-Facebook, of 88,234 edges"},
        repeats=2,
        how="seeds of each estimate",
        threads=2,
    ),
    Benchmark(
        "census_speed",
        "The census and the orbits of nodes: equal to ESCAPE's and ORCA's, and how fast?",
        "census_speed:main",
        {"docs/compare.md": "the census equals that of ESCAPE"},
        repeats=3,
        how="repeats of ours and one of theirs, processor seconds",
    ),
    Benchmark(
        "random_graphs",
        "A random graph of given degrees: how fast beside the general walk and igraph's?",
        "degree_walks:main",
        {"docs/null_models.md": "A random graph of ego-Facebook"},
        repeats=5,
        how="repeats, processor seconds",
    ),
    Benchmark(
        "repeated_blocks",
        "Planted blocks of netlists: found exactly, and nothing where nothing is planted?",
        "repeated_blocks:main",
        {"docs/howto/blocks.md": "Of the copies that were planted"},
        how="run of each netlist, processor seconds",
    ),
    Benchmark(
        "communities",
        "The pairs of nodes that share a motif: equal to products of matrices, and how fast?",
        "communities:main",
        {"docs/compare.md": "all 13 directed triads"},
        repeats=5,
        how="repeats, processor seconds",
    ),
    Benchmark(
        "frequent_subgraphs",
        "All frequent subgraphs of molecules and proteins: gspan-mining's, and in what time?",
        "complete:frequent",
        {"docs/howto/frequent.md": "On MUTAG with support 19"},
        repeats=5,
        how="repeats of ours",
    ),
    Benchmark(
        "frequent_one_graph",
        "All frequent subgraphs of one graph by minimum node image: in what time?",
        "complete:frequent_one_graph",
        {"docs/howto/frequent_one_graph.md": "all 30 structures of up to five nodes"},
        repeats=3,
        how="repeats, processor seconds of the search with occurrences and without reading",
    ),
    Benchmark(
        "temporal",
        "Motifs of three events in messages: the counts of Raphtory and SNAP, and in what time?",
        "complete:temporal",
        {"docs/howto/temporal.md": "In CollegeMsg"},
        repeats=5,
        how="repeats",
    ),
    Benchmark(
        "level",
        "Graphs drawn from the null model itself: in how many is a structure called?",
        "level:main",
        {"README.md": "16 of 1,000 graphs", "docs/testing.md": "Of 1,000 graphs of ten kinds"},
        how=EACH_SEED,
    ),
    Benchmark(
        "level_permuted",
        "Weights, or categories, at random: in how many graphs is a structure called?",
        "level_permuted:main",
        {"docs/howto/weights.md": "Where weights or categories are drawn at random"},
        how=EACH_SEED,
    ),
    Benchmark(
        "power",
        "Structures that are known to be frequent: are they called?",
        "level:power",
        {"docs/testing.md": "Planted cliques and prisms"},
        how=EACH_SEED,
    ),
    Benchmark(
        "compared_graphs",
        "Two graphs of one model: does the error of the difference hold it, and what is called?",
        "compared_graphs:coverage",
        {"docs/howto/compare_networks.md": "In graphs drawn twice from one model"},
        how="run of each pair",
    ),
    Benchmark(
        "graph_families",
        "Many graphs: are families of random graphs clusters, and how sure are profiles?",
        "graph_families:main",
        {"docs/howto/compare_networks.md": "Ten graphs each of four families"},
        how="run of each seed",
    ),
    Benchmark(
        "motif_set",
        "Is the motif set what was planted, with its copies?",
        "motif_set:planted",
        {
            "README.md": "Four motifs with ten copies each",
            "docs/testing.md": "Four motifs with ten copies each",
        },
    ),
    Benchmark(
        "clustered_hosts",
        "Graphs that cluster: is the motif set as short as with the planted motifs given?",
        "clustered_hosts:main",
        {"docs/testing.md": "Two random motifs in seven hosts"},
        threads=2,
    ),
    Benchmark(
        "motif_set_links",
        "The same with directions, categories and relations.",
        "motif_set:links",
        {"docs/testing.md": "One directed motif with 12 or 25 copies"},
    ),
    Benchmark(
        "motif_set_nothing",
        "Is it empty where nothing was planted?",
        "motif_set:nothing",
        {"README.md": "None of 130 graphs"},
    ),
    Benchmark(
        "motif_set_collections",
        "Collections: are known motifs found, and nothing in random ones?",
        "motif_set_collections:main",
        {"README.md": "Nor has any of 260 random collections"},
        how=EACH_SEED,
    ),
    Benchmark(
        "motif_set_large",
        "2,000 hidden copies in a million edges: found, and what does it take?",
        "motif_set:large",
        {"docs/testing.md": "2,000 copies of four motifs"},
    ),
    Benchmark(
        "motif_set_real",
        "Real graphs: bits saved by one start.",
        "motif_set:real",
        {"README.md": "cliques of coauthors"},
    ),
    Benchmark(
        "inexact",
        "Is a motif whose copies differ found as one motif?",
        "inexact:hidden_motifs",
        {
            "README.md": "One motif whose copies differ",
            "docs/testing.md": "One motif of 8 nodes in 1,000",
            "docs/numbers.md": "Two noisy motifs of one size",
        },
        threads=2,
    ),
    Benchmark(
        "inexact_nothing",
        "And where nothing is hidden in a graph?",
        "inexact:nothing",
        {"docs/testing.md": "No motif in 120 random graphs"},
        threads=2,
    ),
    Benchmark(
        "inexact_silence",
        "And where nothing is hidden in a collection?",
        "inexact:silence",
        {"docs/testing.md": "nor in 40 collections"},
        threads=2,
    ),
    Benchmark(
        "inexact_ecoli",
        "A real graph without a tenth of its edges: how much of the answer comes back?",
        "inexact:lost_edges",
        {"docs/gallery.md": "a tenth of the edges was removed"},
        threads=2,
    ),
    Benchmark(
        "sources",
        "What do trained filters add to grown sets, and at what cost?",
        "sources:main",
        {"docs/kernel.md": "As starts of the search"},
        repeats=2,
        how="graphs a cell",
        threads=2,
    ),
    Benchmark(
        "filter_motifs",
        "Filters: are planted motifs among them, of one size and of five sizes at once?",
        "filter_contrast:found",
        {"README.md": "Four motifs of six nodes"},
        how=EACH_GRAPH,
    ),
    Benchmark(
        "filter_instances",
        "Are all planted copies among the instances of a filter, and what else is?",
        "filter_contrast:instances",
        {"README.md": "planted copies of the motifs that are found are among the instances"},
        how=EACH_GRAPH,
    ),
    Benchmark(
        "filter_nothing",
        "Is there no filter in random graphs?",
        "filter_contrast:nothing",
        {"README.md": "there is no filter"},
        how=EACH_SEED,
    ),
    Benchmark(
        "filter_noise",
        "Are motifs found where the edges of their copies are changed?",
        "filter_contrast:noise",
        {"README.md": "of the edges changed"},
        how=EACH_GRAPH,
    ),
    Benchmark(
        "filter_features",
        "Numeric features of filters: a single copy, the mean over copies, and gradients.",
        "filter_features:main",
        {"docs/kernel.md": "With numeric features"},
        repeats=4,
        how="graphs of each kind",
    ),
    Benchmark(
        "filter_commands",
        "`gomkcn filters` on the paper's graph: motifs by default and as printed, and seconds.",
        "filter_commands:main",
        {"README.md": "With `--paper`, which is what the paper prints"},
        repeats=5,
        how="runs that are timed",
    ),
    Benchmark(
        "class_patterns",
        "Which patterns separate the classes of MUTAG? Each number beside a direct count.",
        "class_patterns:main",
        {"README.md": "In MUTAG eight carbons", "docs/howto/classes.md": "In MUTAG (188 molecules"},
        how="run of each data set",
    ),
    Benchmark(
        "large_graphs",
        "Convert and mine 10^4 to 10^9 edges: time, memory and disk? Half an hour, 40 GB of disk.",
        "large_graphs:main",
        {"docs/scaling.md": "Preferential attachment with five edges a node"},
        how="run of each size",
        threads=2,
    ),
    Benchmark(
        "processes",
        "Two workers of joblib beside one process, one that is killed, and those of Dask and Ray.",
        "processes:main",
        {"docs/scaling.md": "Two workers of one thread beside one process"},
        how="run of each, beside other work",
    ),
    Benchmark(
        "first_mining",
        "The first mining of a user: with the machine code that a wheel brings, and without.",
        "first_mining:main",
        {"docs/testing.md": "A wheel for the Python at hand"},
        how="run of each",
        threads=2,
    ),
    Benchmark(
        "sampling",
        "Subgraphs a second on one thread, beside samplers of DGL and PyG, igraph and NetworkX.",
        "sampling:main",
        {"docs/compare.md": "Measured for the last row", "docs/kernel_notes.md": "The sampler"},
        repeats=7,
        how=INTERLEAVED,
        threads=2,
    ),
    Benchmark(
        "matching",
        "Forward and backward of the kernel on a CPU, beside plain PyTorch, and on one thread.",
        "matching:on_cpu",
        {"docs/kernel_notes.md": "Matching on a CPU"},
        repeats=7,
        how=INTERLEAVED,
        threads=2,
    ),
    Benchmark(
        "matching_cuda",
        "The same on a GPU.",
        "matching:on_gpu",
        {"docs/testing.md": "On an H100, in float32"},
        repeats=7,
        how=INTERLEAVED,
        threads=2,
    ),
    Benchmark(
        "training_step",
        "A whole step of training with its extraction, and a whole FilterMiner.fit, by device.",
        "training_step:main",
        {"docs/kernel_notes.md": "A whole step of training"},
        repeats=3,
        how=INTERLEAVED,
        threads=1,
    ),
    Benchmark(
        "layer_parts",
        "Where does a step of a layer go, and what does a graph that is known save?",
        "layer_parts:main",
        {"docs/kernel_notes.md": "Where a step of a layer goes"},
        repeats=7,
        how=INTERLEAVED,
        threads=1,
    ),
    Benchmark(
        "filters",
        "Sampling, matching, structures and the choice of filters, by device.",
        "device_filters:main",
        {"docs/kernel_notes.md": "The steps of filters on a GPU"},
        repeats=7,
        how=INTERLEAVED,
        threads=2,
    ),
    Benchmark(
        "reading",
        "How long does it take to read a file, beside igraph, pandas, NetworkX, DGL and RDKit?",
        "reading:main",
        {"docs/formats.md": "A table of a million edges"},
        repeats=5,
        how=INTERLEAVED,
        threads=1,
    ),
    Benchmark(
        "gram",
        "What a pair of graphs takes, beside SciPy's assignment and GraKeL's kernels.",
        "gram:main",
        {"docs/kernel_notes.md": "Gram matrices"},
        repeats=3,
        how=INTERLEAVED,
        threads=1,
    ),
    Benchmark(
        "isomorphic",
        "A filter that maximises the kernel: does it become its target?",
        "paper.isomorphic:EXPERIMENT",
        {"benchmarks/paper/README.md": "Isomorphic graph learning"},
        "paper/results/isomorphic.md",
    ),
    Benchmark(
        "frequent",
        "Which of four planted motifs do filters find in 1,000 nodes?",
        "paper.frequent:EXPERIMENT",
        {"benchmarks/paper/README.md": "Frequent patterns"},
        "paper/results/frequent.md",
    ),
    Benchmark(
        "interpretability",
        "8,000 graphs: do filters become the motifs, and point at them?",
        "paper.interpretability:EXPERIMENT",
        {"benchmarks/paper/README.md": "Interpretability"},
        "paper/results/interpretability.md",
    ),
    Benchmark(
        "drawings",
        "The filters of the paper's figures, as numbers: what do they look like?",
        "paper.drawings:EXPERIMENT",
        {"docs/paper.md": "The drawings"},
        "paper/results/drawings.md",
    ),
    Benchmark(
        "data_sets",
        "What do the data sets of the paper hold?",
        "paper.data_sets:main",
        {"docs/paper.md": "Data sets"},
        "paper/results/data_sets.md",
    ),
    Benchmark(
        "sensitivity",
        "How do size of the subgraphs, depth and levels change the accuracy on nodes?",
        "paper.sensitivity:main",
        {"docs/paper.md": "Subgraph size"},
        "paper/results/sensitivity.md",
    ),
    Benchmark(
        "epoch_time",
        "What does an epoch take, and the extraction of subgraphs?",
        "paper.epoch_time:main",
        {"docs/paper.md": "Time of an epoch"},
        "paper/results/epoch_time.md",
    ),
    Benchmark(
        "trained",
        "`gomkcn train --preset paper` and `--preset tuned`: which accuracy of "
        "section VI-C do both reach?",
        "paper.trained:EXPERIMENT",
        {"docs/howto/classify.md": "On graphs of its own seeds"},
        "paper/results/trained.md",
    ),
    Benchmark(
        "node_classification",
        "Accuracy on nodes, beside the peers of the paper.",
        "paper.accuracy:main",
        {"benchmarks/paper/README.md": "Accuracy on nodes"},
        PAPER,
    ),
    Benchmark(
        "node_budget",
        "Accuracy on nodes, where every model has the same processor time.",
        "paper.accuracy:main",
        {"benchmarks/paper/README.md": "Equal budgets"},
        PAPER,
    ),
    Benchmark(
        "graph_classification",
        "Accuracy on graphs, beside the peers of the paper.",
        "paper.accuracy:main",
        {"README.md": "On the ten folds of ENZYMES"},
        PAPER,
    ),
    Benchmark(
        "graph_budget",
        "Accuracy on graphs, where every model has the same processor time.",
        "paper.accuracy:main",
        {"benchmarks/paper/README.md": "Equal budgets"},
        PAPER,
    ),
    Benchmark(
        "motif_classification",
        "Classes that only directions or types of edges tell.",
        "paper.accuracy:main",
        {"benchmarks/paper/README.md": "Classes that are motifs"},
        PAPER,
    ),
    Benchmark(
        "bond_classification",
        "MUTAG without and with the types of bonds.",
        "paper.accuracy:main",
        {"benchmarks/paper/README.md": "Bonds"},
        PAPER,
    ),
    Benchmark(
        "machine_classification",
        "Kernel machines of large and of many graphs: cost and accuracy.",
        "paper.accuracy:main",
        {"docs/howto/classify.md": "What each way costs"},
        PAPER,
    ),
)


def listing() -> str:
    """The table of README.md, a row for each benchmark."""
    lines = ["| name | question | table | stands behind |", "|---|---|---|---|"]
    for one in BENCHMARKS:
        table = one.path.relative_to(HERE).as_posix()
        pages = (f"[{_name(page)}]({_link(page)}): {words} …" for page, words in one.backs.items())
        cells = (f"`{one.name}`", one.question, f"[{table}]({table})", "; ".join(pages))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _name(page: str) -> str:
    """Such as README, howto/count or paper."""
    return page.removesuffix(".md").removeprefix("docs/").removeprefix("benchmarks/")


def _link(page: str) -> str:
    """A page of the project, seen from this folder."""
    return os.path.relpath(HERE.parent / page, HERE)
