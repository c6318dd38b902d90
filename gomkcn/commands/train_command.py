"""`gomkcn train` and `gomkcn explain`: parse, call one library function, print."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gomkcn.commands.base import Command, show_log
from gomkcn_dgl.errors import InputError

# the libraries are imported inside the commands, so that --help answers at once

Decorated = Callable[..., Any]


def _train_options(command: Decorated) -> Decorated:
    """Options of a classifier; a settings file takes all.

    Of two defaults the first is for graphs, the second for nodes.
    """
    options = [
        click.option("--task", help="Classify graphs or nodes: graph or node. [what has labels]"),
        click.option("--features", help="Names of the features to use, separated by commas."),
        click.option("--node-label", help="Node data of a .bin that holds the classes. [label]"),
        click.option(
            "--split",
            help="Shares for training, validation and test. [masks in the file, or 0.8,0.1,0.1]",
        ),
        click.option(
            "--scaling",
            help="Scaling of the features: standard, rows or none. [standard; rows for Planetoid]",
        ),
        click.option(
            "--kernel", help="Graph kernel: gomk, random-walk, deep-random-walk or rwk+. [gomk]"
        ),
        click.option(
            "--hidden",
            "hidden_feats",
            type=int,
            help="Feature width of the filters; 0 leaves the features as they are. [up to 32]",
        ),
        click.option("--filters", "num_filters", type=int, help="Filters in each layer. [8]"),
        click.option(
            "--class-filters/--linear-head",
            default=None,
            help="The last layer has one filter for each class, or a linear map. [linear; class]",
        ),
        click.option("--size", "filter_size", type=int, help="Nodes of a filter. [6; 4]"),
        click.option(
            "--subgraph-size", "max_nodes", type=int, help="Nodes of a subgraph. [--size; 16]"
        ),
        click.option("--hops", "num_hops", type=int, help="Radius of a subgraph. [2; 1]"),
        click.option(
            "--levels", "num_levels", type=int, help="Levels of gomk, or steps of a walk. [2]"
        ),
        click.option("--layers", "num_layers", type=int, help="Number of convolutions. [1]"),
        click.option("--tau", type=float, help="Width of the node similarity of gomk. [1.0]"),
        click.option("--pooling", help="Pooling of nodes of a graph: max, mean or sum. [max]"),
        click.option("--dropout", type=float, help="Dropout before the linear maps. [0]"),
        click.option("--input-dropout", type=float, help="Dropout of the features. [0; 0.5]"),
        click.option(
            "--policy", help="Which nodes a large subgraph keeps: bfs, dense or random. [bfs]"
        ),
        click.option("--init", help="Initial filters: classes or random. [classes]"),
        click.option("--epochs", "num_epochs", type=int, help="Largest number of epochs. [200]"),
        click.option(
            "--patience", type=int, help="Stop after this many epochs without a better one. [50]"
        ),
        click.option("--lr", "learning_rate", type=float, help="Learning rate of Adam. [0.01]"),
        click.option("--weight-decay", type=float, help="Weight decay, except of the filters. [0]"),
        click.option("--batch-size", type=int, help="Graphs in a batch. [128]"),
        click.option("--seed", type=int, help="Seed of all random numbers. [0]"),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command(cls=Command)
@click.argument("path", metavar="PATH", required=False)
@click.option("--out", required=True, help="Folder of the run.")
@_train_options
@click.option("--settings", "settings_file", help="A TOML file such as the settings.toml of a run.")
@click.option("--force", is_flag=True, help="Overwrite a run in the folder.")
@click.option("--resume", is_flag=True, help="Continue an unfinished run in the folder.")
@click.option(
    "--checkpoint-every",
    type=int,
    metavar="EPOCHS",
    help="Epochs between two checkpoints for --resume. [twice a minute]",
)
@click.option("--time-limit", type=float, metavar="SECONDS", help="End after this time.")
@click.option("--quiet", is_flag=True, help="Show no log and no progress bar.")
def train(
    path: str | None,
    out: str,
    features: str | None,
    split: str | None,
    settings_file: str | None,
    force: bool,
    resume: bool,
    checkpoint_every: int | None,
    time_limit: float | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Train a classifier of graphs or nodes on the labelled data at PATH.

    PATH is a DGL .bin, a TU folder or a Planetoid folder. Of two defaults below the first is for
    graphs, the second for nodes.

    \b
    gomkcn train motifs.bin --out run --hops 3 --filters 4
    gomkcn train ENZYMES/ --out run --features attributes,labels --pooling sum
    gomkcn train cora/ --out run --split 0.6,0.2,0.2
    gomkcn train --settings run/settings.toml --out again
    gomkcn train ENZYMES/ --out run --resume
    torchrun --nproc-per-node 4 -m gomkcn train ENZYMES/ --out run
    """
    from gomkcn_dgl.runtime.interrupts import Interrupts
    from gomkcn_dgl.runtime.processes import is_first, join_processes
    from gomkcn_dgl.runtime.run_lock import lock_folder
    from gomkcn_dgl.training import training_run as training
    from gomkcn_dgl.training.train_settings import TrainSettings, read_train_settings

    interrupts = Interrupts(time_limit)
    with join_processes():
        show_log(quiet or not is_first())
        settings = TrainSettings() if settings_file is None else read_train_settings(settings_file)
        names = None if features is None else tuple(features.split(","))
        shares = None if split is None else _parse_shares(split)
        settings = settings.override({**options, "path": path, "features": names, "split": shares})
        data = training.read_training_data(settings.data)
        with lock_folder(out) as folder:
            checkpoint = training.prepare_training_folder(folder, force, resume, checkpoint_every)
            if checkpoint is None:
                click.echo(
                    f"nothing to go on with: the run is finished, {folder / training.METRICS}"
                )
                return
            watched = not quiet and sys.stderr.isatty() and is_first()
            run = training.run_training(
                settings, data, progress=watched, checkpoint=checkpoint, interrupts=interrupts
            )
            training.write_training(folder, run)
            if is_first():
                click.echo(training.format_results(run))
                click.echo(
                    f"run: {folder / training.METRICS}; what it learnt: gomkcn explain {folder}"
                )


@click.command(cls=Command)
@click.argument("run", metavar="RUN")
@click.option("--graphs", help="Graphs to show, such as 0,5,9. [one test graph of each class]")
@click.option("--nodes", help="Nodes to show, for a classifier of nodes.")
@click.option("--data", "data_path", help="The data set, if it was moved.")
@click.option("--out", help="Folder for the page and the drawings. [RUN/explanation]")
def explain(
    run: str, graphs: str | None, nodes: str | None, data_path: str | None, out: str | None
) -> None:
    """Draw the filters of a trained RUN, and where they respond in a few graphs.

    \b
    gomkcn explain run
    gomkcn explain run --graphs 0,5,9 --out why
    """
    from gomkcn_dgl.training.training_run import load_classifier, read_metrics, read_training_data
    from mining.explanation.classifier_explanation import check_same_data, explain_classifier
    from mining.html.explanation_report import describe_truth, write_explanation

    classifier, metrics = load_classifier(run), read_metrics(run)
    task = classifier.settings.data.task
    if (nodes if task == "graph" else graphs) is not None:
        raise InputError(f"--{task}s must be given for this run, which classifies {task}s.")
    rows = _parse_numbers(f"--{task}s", graphs if task == "graph" else nodes)
    settings = classifier.settings.override({"path": data_path})
    data = read_training_data(settings.data)
    check_same_data(data, metrics["data"])
    explanation = explain_classifier(classifier, data, rows)
    page = write_explanation(
        Path(run) / "explanation" if out is None else out, explanation, metrics, settings.to_dict()
    )
    for response in explanation.responses:
        verdict = f"predicted {response.predicted}, true {response.true}"
        best = response.best_filter
        high = response.highest[best]
        click.echo(
            f"{task} {response.row}: {verdict}; highest response {high:.3f} to filter {best}"
        )
    for line in describe_truth(explanation):
        click.echo(line)
    click.echo(f"page: {page}")


def _parse_shares(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--split must be shares such as 0.8,0.1,0.1, got {text!r}.") from None


def _parse_numbers(name: str, text: str | None) -> list[int] | None:
    if text is None:
        return None
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise InputError(f"{name} must be numbers such as 0,5,9, got {text!r}.")
    return [int(part) for part in parts]
