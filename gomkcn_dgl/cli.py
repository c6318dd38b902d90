"""The `gomkcn` command: parse, call one library function, print; sees all three packages."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.cli_base import Group, show_log
from gomkcn_dgl.cli_count import count
from gomkcn_dgl.cli_runs import compare, export
from gomkcn_dgl.cli_train import explain, train
from gomkcn_dgl.errors import InputError

# the libraries are imported inside the commands, so that --help answers at once

TRUTH_SUFFIX = ".truth.json"
# more copies would hold more nodes than a graph may have
MAX_COPIES = 10**8

Command = Callable[..., Any]


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gomkcn-dgl")
def main() -> None:
    """Find the small patterns that keep coming back in graphs.

    \b
    gomkcn generate planted --out planted.bin   a graph whose answer is known
    gomkcn info planted.bin                     what would be read
    gomkcn mine planted.bin --out run           its patterns, in run/report.html
    gomkcn count wheel planted.bin              how often one pattern occurs
    gomkcn compare run other                    what two runs have in common
    gomkcn export run --out tables              patterns and occurrences as tables
    gomkcn train motifs.bin --out run           a classifier of graphs or nodes
    gomkcn explain run                          its filters, and where they respond
    """


main.add_command(train)
main.add_command(explain)
main.add_command(count)
main.add_command(compare)
main.add_command(export)


def _graph_options(command: Command) -> Command:
    """Options that say how a graph is read."""
    options = [
        click.argument("path", metavar="PATH", required=False),
        click.option(
            "--features",
            help="Features to use, by name: node attributes, columns of the feature file, or "
            "'attributes' and 'labels' of a TU folder; comma-separated.",
        ),
        click.option("--feature-file", help="A .npy or .csv with one row a node."),
        click.option("--label-names", help="A .csv, .json or .toml that says what labels mean."),
        click.option("--format", help="edges, csv, graphml, dgl, npz or tu; told by the name."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _number_or_auto(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    try:
        return text if text in (None, "auto") else int(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither a whole number nor auto.") from None


def _miner_options(command: Command) -> Command:
    """Options of the miner that a first user may want; a settings file takes all."""
    options = [
        click.option(
            "--patterns",
            "num_patterns",
            metavar="N|auto",
            callback=_number_or_auto,
            help="Patterns to look for; auto: as many as stand out from chance. [12]",
        ),
        click.option(
            "--size",
            "pattern_size",
            metavar="N|auto",
            callback=_number_or_auto,
            help="Most nodes of a pattern; auto: where most stands out from chance. [6]",
        ),
        click.option(
            "--hops", "num_hops", type=int, help="Radius around each node. [3, or half the size]"
        ),
        click.option("--levels", "num_levels", type=int, help="Steps of neighbours compared. [3]"),
        click.option(
            "--policy", help="Nodes that stay in a large ball: dense, bfs, random. [dense]"
        ),
        click.option("--views", "num_views", type=int, help="Subgraphs around each node. [1]"),
        click.option(
            "--start", help="facility_location, kmeans++, sample, random. [facility_location]"
        ),
        click.option("--matching", help="optimal, or the paper's greedy. [optimal]"),
        click.option("--epochs", "num_epochs", type=int, help="Gradient epochs. [60]"),
        click.option(
            "--noisy-copies",
            help="Also find patterns of which few copies are intact: auto, no, yes. [auto]",
        ),
        click.option("--restarts", "num_restarts", type=int, help="Starts to try. [1]"),
        click.option(
            "--contrast", "feature_contrast", type=float, help="Weight of features. [0.3]"
        ),
        click.option(
            "--rule", "occurrence_rule", help="Occurrences: isomorphic or similar. [isomorphic]"
        ),
        click.option(
            "--min-similarity",
            type=float,
            help="Least similarity of an assigned node. [what chance rarely reaches]",
        ),
        click.option("--min-support", type=int, help="Least occurrences of a pattern. [5]"),
        click.option(
            "--exact",
            "exact_seconds",
            type=float,
            metavar="SECONDS",
            help="Count each structure in the whole graph, for so long at most. [not counted]",
        ),
        click.option("--seed", "random_state", type=int, help="Seed of everything. [0]"),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _judging_options(command: Command) -> Command:
    """Options that say how far the patterns can be trusted."""
    options = [
        click.option(
            "--null",
            multiple=True,
            help="Compare with chance: degree, configuration or features; repeatable.",
        ),
        click.option("--null-samples", "num_samples", type=int, help="Samples to count in. [100]"),
        click.option("--null-decoys", "num_decoys", type=int, help="Samples to mine. [20]"),
        click.option(
            "--stability",
            "num_runs",
            type=int,
            metavar="RUNS",
            help="Runs from other starts, and as many on resampled nodes, to see which patterns "
            "come back. [0]",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@main.command()
@_graph_options
@click.option("--out", required=True, help="Folder of the run.")
@_miner_options
@_judging_options
@click.option("--settings", "settings_file", help="A TOML file, such as a run's settings.toml.")
@click.option("--truth", "truth_file", help="Planted truth; found beside the graph.")
@click.option("--force", is_flag=True, help="Overwrite a run in the folder.")
@click.option("--quiet", is_flag=True, help="No log and no progress bar.")
def mine(
    path: str | None,
    features: str | None,
    feature_file: str | None,
    label_names: str | None,
    format: str | None,
    out: str,
    settings_file: str | None,
    truth_file: str | None,
    force: bool,
    quiet: bool,
    null: tuple[str, ...],
    num_samples: int | None,
    num_decoys: int | None,
    num_runs: int | None,
    **miner_options: Any,
) -> None:
    """Find the patterns that keep coming back in the graph at PATH.

    \b
    gomkcn mine friends.txt.gz --out run --patterns 12 --size 6
    gomkcn mine ENZYMES/ --out run --features labels --label-names names.csv
    gomkcn mine graph.graphml --out run --features x0,x1
    gomkcn mine friends.txt.gz --out run --null degree --stability 10 --exact 10
    gomkcn mine --settings run/settings.toml --out again
    """
    show_log(quiet)
    from gomkcn_dgl.settings import RunSettings, read_settings
    from mining import MiningRun, PatternMiner, compare_with_truth, read_truth
    from mining.chance.significance import add_significance, check_samples
    from mining.pages.run_table import format_table
    from mining.results.run_folder import REPORT, prepare_folder, write_run
    from mining.stability import add_stability

    defaults = PatternMiner().get_params()
    settings = RunSettings() if settings_file is None else read_settings(settings_file, defaults)
    names = None if features is None else tuple(features.split(","))
    graph_options = {"path": path, "features": names, "feature_file": feature_file}
    graph_options |= {"format": format, "label_names": label_names}
    null_options = {"models": null or None, "samples": num_samples, "decoys": num_decoys}
    stability_options = {"restarts": num_runs, "bootstrap": num_runs}
    settings = settings.override(graph_options, miner_options, null_options, stability_options)
    watched = not quiet and sys.stderr.isatty()
    miner = PatternMiner(**{**settings.miner, "progress": watched})
    settings = settings.override({}, miner.get_params())
    chance, again = settings.null, settings.stability
    check_samples(chance.models, chance.samples, chance.decoys)
    for runs in (again.restarts, again.bootstrap):
        check_int("num_runs", runs, 0)
    graph = _read(settings.graph)
    truth_path = _truth_beside(settings.graph.path) if truth_file is None else Path(truth_file)
    truth = None if truth_path is None else read_truth(truth_path)
    folder = prepare_folder(out, force)
    start = time.perf_counter()
    miner.fit(graph)
    add_significance(
        miner,
        graph,
        chance.models,
        num_samples=chance.samples,
        num_decoys=chance.decoys,
        progress=watched,
    )
    add_stability(
        miner,
        graph,
        num_restarts=again.restarts,
        num_bootstrap=again.bootstrap,
        progress=watched,
    )
    seconds = time.perf_counter() - start
    recovery = None if truth is None else compare_with_truth(miner.patterns_, truth)
    run = MiningRun.of(miner, graph, settings=settings, seconds=seconds, recovery=recovery)
    write_run(folder, run, settings, miner)
    click.echo(format_table(run))
    click.echo(f"\nmined in {seconds:.1f} s; report: {folder / REPORT}")


@main.command()
@click.argument("run", metavar="RUN")
def report(run: str) -> None:
    """Print the table of a finished RUN and write its report anew.

    \b
    gomkcn report run
    """
    from mining.pages.run_table import format_table
    from mining.results.run_folder import prepare_folder, read_run, write_report

    finished = read_run(run)
    page = write_report(prepare_folder(run, force=True), finished)
    click.echo(format_table(finished))
    click.echo(f"\nreport: {page}")


@main.command()
@_graph_options
@click.option("--hops", "num_hops", type=int, help="[3, or half the size]")
@click.option("--size", "max_nodes", type=int, default=6, show_default=True)
def info(
    path: str | None,
    features: str | None,
    feature_file: str | None,
    label_names: str | None,
    format: str | None,
    num_hops: int | None,
    max_nodes: int,
) -> None:
    """Say what would be read from PATH, and how much of it the subgraphs can hold.

    \b
    gomkcn info friends.txt.gz --hops 2 --size 8
    """
    show_log(quiet=False)
    from gomkcn_dgl.csr import describe_graph
    from gomkcn_dgl.settings import GraphSettings
    from gomkcn_dgl.subgraphs import extract_subgraphs, usual_hops

    names = None if features is None else tuple(features.split(","))
    graph = _read(GraphSettings(path or "", format, names, feature_file, label_names))
    num_hops = usual_hops(max_nodes) if num_hops is None else num_hops
    batch = extract_subgraphs(graph, num_hops, max_nodes)
    for name, value in describe_graph(graph).items():
        click.echo(f"{name:<18} {value}")
    share = f"{batch.truncated.mean():.1%} of the {num_hops}-hop subgraphs have more than "
    click.echo(f"{'truncated':<18} {share}{max_nodes} nodes")


@main.group()
def generate() -> None:
    """Write graphs whose answer is known.

    \b
    gomkcn generate planted --out planted.bin
    gomkcn generate classification --out motifs.bin
    """


@generate.command()
@click.option("--out", required=True, help="Graph file; its truth goes beside it.")
@click.option("--base", default="ba", show_default=True, help="ba, er, ws, regular or tree.")
@click.option("--nodes", default=760, show_default=True, help="Nodes of the base graph.")
@click.option("--edges-per-node", default=1, show_default=True, help="For ba.")
@click.option("--edge-prob", default=0.005, show_default=True, help="For er.")
@click.option("--neighbors", default=4, show_default=True, help="For ws.")
@click.option("--rewire-prob", default=0.1, show_default=True, help="For ws.")
@click.option("--degree", default=3, show_default=True, help="For regular.")
@click.option(
    "--motif",
    "motifs",
    multiple=True,
    help="NAME=COPIES, or FILE=COPIES for an edge list of your own; repeatable. "
    "[house, cup, wheel, crown: 10 each]",
)
@click.option(
    "--features",
    default="per_type",
    show_default=True,
    help="constant, per_type, per_node or per_type_noise.",
)
@click.option("--feature-dim", default=3, show_default=True)
@click.option("--noise", default=0.0, show_default=True, help="For per_type_noise.")
@click.option("--remove-prob", default=0.0, show_default=True, help="Of each motif edge.")
@click.option("--add-prob", default=0.0, show_default=True, help="Of each non-edge in a motif.")
@click.option("--seed", default=0, show_default=True)
def planted(
    out: str, base: str, nodes: int, motifs: tuple[str, ...], seed: int, **options: Any
) -> None:
    """Plant motifs in a base graph; the defaults are the 1000-node graph of the GOMKCN paper.

    \b
    gomkcn generate planted --out planted.bin
    gomkcn generate planted --out big.npz --nodes 10000 --motif wheel=50 --motif mine.txt=50
    """
    show_log(quiet=False)
    import json

    import numpy as np

    from gomkcn_dgl.checks import check_choice, check_int
    from gomkcn_dgl.graph import as_csr
    from gomkcn_dgl.io import atomic_write, write_dgl_graphs, write_graph
    from synthetic import BASE_GRAPHS, plant_motifs

    check_choice("base", base, BASE_GRAPHS)
    shape = {
        "ba": ("edges_per_node",),
        "er": ("edge_prob",),
        "ws": ("neighbors", "rewire_prob"),
        "regular": ("degree",),
        "tree": (),
    }
    arguments = {name: options.pop(name) for names in shape.values() for name in names}
    rng = np.random.default_rng(check_int("seed", seed, 0))
    edges = BASE_GRAPHS[base](nodes, *(arguments[name] for name in shape[base]), rng)
    graph = plant_motifs(edges, nodes, _parse_motifs(motifs), seed=rng, **options)
    path = Path(out)
    if path.suffix == ".bin":
        write_dgl_graphs(path, [graph.to_dgl()])
    else:
        write_graph(path, as_csr(graph.to_dgl()))
    truth, truth_path = graph.truth(), _truth_path(path)
    atomic_write(truth_path, json.dumps(truth) + "\n")
    copies = ", ".join(f"{entry['copies']} {entry['name']}" for entry in truth["motifs"])
    click.echo(f"{path}: {graph.num_nodes} nodes, {len(graph.edges)} edges, planted {copies}")
    click.echo(f"{truth_path}: where they are")


@generate.command()
@click.option("--out", required=True, help="A .bin file of DGL graphs with their labels.")
@click.option("--graphs", "num_graphs", default=8000, show_default=True)
@click.option("--nodes", "num_base_nodes", default=25, show_default=True)
@click.option("--edges-per-node", "num_base_edges_per_node", default=1, show_default=True)
@click.option("--features", default="per_type", show_default=True)
@click.option("--seed", default=0, show_default=True)
def classification(out: str, **options: Any) -> None:
    """Write graphs that each hold one of four motifs, which is their label.

    \b
    gomkcn generate classification --out motifs.bin --graphs 800 --features constant
    """
    show_log(quiet=False)
    from gomkcn_dgl.io import write_dgl_graphs
    from synthetic import MotifClassificationDataset

    dataset = MotifClassificationDataset(**options)
    write_dgl_graphs(out, [graph for graph, _ in dataset], dataset.labels)
    names = ", ".join(dataset.motif_names)
    click.echo(f"{out}: {len(dataset)} graphs, labels 0 to {dataset.num_classes - 1} = {names}")


def _read(settings: Any) -> Any:
    from gomkcn_dgl.io import read_graph

    if not settings.path:
        raise InputError("PATH of a graph must be given, here or in the settings file.")
    return read_graph(
        settings.path,
        features=settings.features,
        feature_file=settings.feature_file,
        format=settings.format,
        label_names=settings.label_names,
    )


def _truth_path(path: Path) -> Path:
    path = path.resolve()
    return path.with_name(path.name.removesuffix(path.suffix) + TRUTH_SUFFIX)


def _truth_beside(path: str) -> Path | None:
    truth = _truth_path(Path(path))
    return truth if truth.is_file() else None


def _parse_motifs(given: tuple[str, ...]) -> dict[Any, int]:
    """``NAME=COPIES`` or ``FILE=COPIES`` each."""
    from synthetic import MOTIFS, read_motif

    motifs: dict[Any, int] = {}
    for text in given or ("house=10", "cup=10", "wheel=10", "crown=10"):
        name, _, copies = text.rpartition("=")
        if not name or not copies.isdecimal():
            raise InputError(f"--motif must be NAME=COPIES or FILE=COPIES, got {text!r}.")
        motif = name if name in MOTIFS or not Path(name).is_file() else read_motif(name)
        if motif in motifs:
            raise InputError(f"--motif must name each motif once, got {name!r} twice.")
        motifs[motif] = check_int("--motif copies", int(copies), 0, MAX_COPIES)
    return motifs
