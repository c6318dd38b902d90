"""`gomkcn train`, `predict` and `explain`: parse, call one library function, print."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from gomkcn.commands.base import (
    INPUT,
    Command,
    check_table_name,
    choose_folder,
    device_option,
    inputs_of,
    learning_options,
    option_table,
    print_table,
    run_options,
    say,
    show_log,
    table_options,
)
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import visible

if TYPE_CHECKING:
    from gomkcn_dgl.training.train_settings import TrainSettings


@click.command(cls=Command)
@click.argument("path", type=INPUT, metavar="PATH", required=False)
@run_options
@learning_options
@table_options
@option_table("""
Input
    --nodes        YES/NO  Classify the nodes of a graph, in place of graphs
    * --class-column  TEXT  Column of the classes: of molecules [class, label or activity], of nodes
        [class, label, labels or y]
    * --class-names  READ  Names of the classes (.csv) [NAME.classes.csv beside NAME.bin or such]
Training
    --paper        FLAG   All settings of section VI-C of the GOMKCN paper; other options override
        them
    --method       TEXT  Classifier: network, which learns patterns, or kernel, which compares whole
        graphs [network]
    --filters num_filters  N  Number of filters [8]
    --size filter_size  N  Nodes of a filter [6]
    --hops num_hops  N   Radius of the subgraphs, in hops [2]
    * --split        X,X   Shares of training, validation and test [0.8,0.1,0.1]
Limits
    * --jobs n_jobs    N   Processes that share the work of --method kernel [1]
Graph filters and other details
    * --epochs num_epochs  N  Maximum number of epochs [200]
    * --hidden hidden_feats  N  Features of a filter; 0: those of the data [up to 32]
    * --contrast feature_contrast  X  Part of [0, 1] that the features fill, with --hidden 0 [0.3]
    * --read-input/--no-read-input  YES/NO  Whether the features of the input layer are read out,
        too [yes]
    * --subgraph-size max_nodes  N  Nodes of a subgraph [--size]
    * --levels num_levels  N  Number of levels of the kernel [2; a kernel machine 1 to 3]
    * --layers num_layers  N  Number of layers of filters [1]
    * --tau        X     Width of the similarity of nodes [1; a kernel machine .1 to 1]
    * --pooling    TEXT  Pooling over the nodes of a graph: max, mean or sum [max]
    * --dropout    X     Dropout before the last layer [0]
    * --input-dropout  X  Dropout of the features [0]
    * --policy     TEXT  Nodes to keep in a truncated subgraph: bfs or dense [bfs]
    * --init       TEXT  Initialization of filters: classes or random [classes]
    * --patience   N     Epochs without improvement before training stops [50]
    * --lr learning_rate  X  Learning rate [0.01]
    * --weight-decay  X  Weight decay, except of filters [0]
    * --batch-size  N    Graphs of a batch [128]
    * --seed       N     Random seed [0]
    * --folds num_folds  N  Folds of the cross-validation that chooses the kernel [5]
    * --most-nodes  N    Maximum number of nodes that stand for a larger graph [128]
    * --patterns num_patterns  N  Number of patterns by which nodes are matched; 0: one by one [64
        if that is long]
""")
@device_option
@click.pass_context
def train(
    ctx: click.Context,
    /,
    out: str | None,
    settings_file: str | None,
    force: bool,
    resume: bool,
    quiet: bool,
    paper: bool,
    device: str | None,
    **options: Any,
) -> None:
    """Train a classifier of graphs, or of nodes, and show what it learnt.

    PATH is a TU folder, a DGL .bin, or a table of molecules with their classes. With --nodes it is
    any graph whose nodes have an attribute with their classes, or a column of the feature file.

    \b
    gomkcn train MUTAG/
    gomkcn train motifs.bin --paper
    gomkcn train friends.csv --nodes --class-column team
    gomkcn train ENZYMES/ --method kernel --jobs 4
    gomkcn train motifs.bin --out run --hops 3 --filters 4
    gomkcn train ENZYMES/ --out run --features attributes,labels --pooling sum
    gomkcn train MUTAG/ --out run --relation none
    gomkcn train drugs.csv --out run --split 0.6,0.2,0.2
    gomkcn train --settings run/settings.toml --out again
    gomkcn train ENZYMES/ --out run --resume
    torchrun --nproc-per-node 4 -m gomkcn train ENZYMES/ --out run
    """
    from gomkcn_dgl.runtime.job import Interrupts, JobProgress
    from gomkcn_dgl.runtime.output_folder import lock_folder
    from gomkcn_dgl.runtime.processes import is_first, join_processes, world_size
    from gomkcn_dgl.training import training_run as training
    from mining.html.explanation_page import explain_run

    interrupts = Interrupts(options["time_limit"])
    with join_processes():
        show_log(quiet or not is_first())
        settings = _settings(settings_file, paper, options | {"device": device})
        if out is not None:
            # refused before the data are read
            own = settings.data
            files = inputs_of(ctx, own.path, own.feature_file, own.label_names, own.class_names)
            if resume and settings_file in files:
                # it goes on with its own settings
                files.remove(settings_file)
            training.check_training_folder(out, force, resume, files)
        data = training.read_training_data(settings.data)
        if settings.method == "kernel" and world_size() > 1:
            raise InputError("method kernel is shared by --jobs 4; leave torchrun out.")
        out = choose_folder(out, settings.data.path, resume=resume)
        with lock_folder(out) as folder:
            unfinished = training.prepare_training_folder(folder, force, resume)
            if unfinished is None:
                say(f"nothing to resume: the run is finished, {folder / training.METRICS}")
                return
            with JobProgress(not quiet and sys.stderr.isatty() and is_first()) as bar:
                classifier, metrics = training.run_training(
                    settings,
                    data,
                    unfinished,
                    interrupts,
                    bar,
                    options["n_jobs"],
                    "auto" if device is None else device,
                )
            training.write_training(folder, classifier, metrics)
            if is_first():
                say(training.format_results(metrics))
                _, page = explain_run(folder, data=data)
                say(f"what it learnt: {page}")


def _settings(file: str | None, paper: bool, options: dict[str, Any]) -> TrainSettings:
    """The settings of a file, or of the paper or none, and the options, which win."""
    from gomkcn_dgl.training.train_settings import TrainSettings, read_train_settings

    if file is None:
        return TrainSettings.of_options(options, paper=paper)
    if paper:
        raise InputError("paper has all settings, and so has a settings file; give one of both.")
    return read_train_settings(file).override(options)


@click.command(cls=Command)
@click.argument("run", type=INPUT, metavar="RUN")
@click.argument("path", type=INPUT, metavar="PATH")
@option_table("""
Output
    --out    WRITE  Table to write: .csv, .parquet or .json [shown on the screen]
    --force  FLAG   Overwrite files that exist
""")
@device_option
def predict(run: str, path: str, out: str | None, force: bool, device: str | None) -> None:
    """Predict the class of each graph, or of each node.

    RUN is the folder of `gomkcn train`. PATH has graphs of the same kind, with the same features;
    classes, if it has any, are not looked at. Where nodes were learnt, it is the graph itself, or
    another one.

    \b
    gomkcn predict run new.bin
    gomkcn predict run MUTAG/ --out classes.csv
    """
    from gomkcn_dgl.runtime.output_folder import problems_of_run
    from gomkcn_dgl.training.training_run import load_classifier, predict_file

    show_log(brief=True)
    check_table_name(out)
    with problems_of_run(run):
        classifier = load_classifier(run, "auto" if device is None else device)
    table = predict_file(classifier, path)
    if out is None:
        print_table(table)
        return
    table.write(out)
    number = len(table.columns()["predicted"])
    of_what = "nodes" if classifier.settings.data.nodes else "graphs"
    say(f"{out}: the classes of {number:,} {of_what}")


@click.command(cls=Command)
@click.argument("run", type=INPUT, metavar="RUN")
@option_table("""
Output
    --graphs          N,N   Graphs, or nodes, to show, such as 0,5,9 [of each class one that is
        predicted rightly]
    --data data_path  READ  Data set, if it was moved
    --out             TEXT  Folder of the page [RUN/explanation]
    --force           FLAG  Overwrite a page that exists
""")
def explain(
    run: str,
    graphs: tuple[int, ...] | None,
    data_path: str | None,
    out: str | None,
    force: bool,
) -> None:
    """Explain what a trained classifier responds to in chosen graphs, or nodes.

    \b
    gomkcn explain run
    gomkcn explain run --graphs 0,5,9 --out why
    """
    from gomkcn_dgl.runtime.output_folder import problems_of_run
    from mining.html.explanation_page import explain_run

    with problems_of_run(run):
        explanation, page = explain_run(run, graphs, data_path=data_path, out=out, force=force)
    names = explanation.class_names
    for response in explanation.decisions:
        classes = f"predicted {names[response.predicted]}, true {names[response.true]}"
        say(visible(f"{response.name}: {classes}; {explanation.reason(response)}"))
    say(f"page: {page}")
