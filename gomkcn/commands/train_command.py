"""`gomkcn train`, `predict` and `explain`: parse, call one library function, print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from cloup import option, option_group

from gomkcn.commands.base import Command, inputs_of
from gomkcn.commands.option_types import InputPath, Names, Number, Numbers, TablePath
from gomkcn.commands.options import (
    device_option,
    folder_options,
    force_option,
    learning_options,
    run_limits,
    settings_option,
    table_options,
)
from gomkcn.commands.printing import print_table, say, show_log
from gomkcn.commands.run_command import run_into_folder
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import visible

if TYPE_CHECKING:
    from gomkcn_dgl.training.classifier_settings import ClassifierSettings


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="PATH", required=False)
@option_group(
    "Input",
    option(
        "--nodes",
        is_flag=True,
        default=None,
        help="Classify the nodes of a graph, in place of graphs",
    ),
    learning_options,
    table_options,
    option(
        "--class-column",
        hidden=True,
        help="Column of the classes: of molecules [class, label, activity, active, outcome, target "
        "or y], of nodes [class, label, labels or y]",
    ),
    option(
        "--threshold",
        hidden=True,
        help="Make classes of numbers of graphs: those below 6.5 and all others; or median, 75%",
    ),
    option(
        "--class-names",
        type=InputPath(),
        hidden=True,
        help="Names of the classes (.csv) [NAME.classes.csv beside NAME.bin or such]",
    ),
)
@option_group(
    "Training",
    option(
        "--paper",
        is_flag=True,
        help="All that section VI-C of the GOMKCN paper prints, and nothing else, with a test "
        "accuracy of .79 on 800 graphs; other options override it",
    ),
    option(
        "--tuned",
        is_flag=True,
        help="The same numbers with our start, contrast and matching of filters, with a test "
        "accuracy of 1.00",
    ),
    option(
        "--method",
        help="Classifier: kernel, which compares whole graphs, network, which learns patterns, or "
        "auto: the better one in a cross-validation without the test part [auto]",
    ),
    option("--filters", "num_filters", type=Number(int), help="Number of filters [8]"),
    option("--size", "filter_size", type=Number(int), help="Nodes of a filter [6]"),
    device_option,
    option(
        "--split",
        type=Numbers(float),
        hidden=True,
        help="Shares of training, validation and test [0.8,0.1,0.1]",
    ),
)
@option_group("Output", folder_options)
@option_group(
    "Limits",
    run_limits,
    option(
        "--jobs",
        "n_jobs",
        type=Number(int),
        hidden=True,
        help="Processes that share the work of --method kernel, or of the comparison of both [1]",
    ),
)
@option_group(
    "Graph filters and other details",
    settings_option,
    option(
        "--epochs",
        "num_epochs",
        type=Number(int),
        hidden=True,
        help="Maximum number of epochs [200]",
    ),
    option(
        "--hidden",
        "hidden_feats",
        type=Number(int),
        hidden=True,
        help="Features of a filter; 0: those of the data [up to 32]",
    ),
    option(
        "--feature-contrast",
        type=Number(float),
        hidden=True,
        help="Part of [0, 1] that the features fill, with --hidden 0 [0.3]",
    ),
    option(
        "--read-input/--no-read-input",
        default=None,
        hidden=True,
        help="Whether the features of the input layer are read out, too [yes]",
    ),
    option(
        "--hops",
        "num_hops",
        type=Number(int),
        hidden=True,
        help="Radius of the subgraphs, in hops [2]",
    ),
    option(
        "--subgraph-size",
        "max_nodes",
        type=Number(int),
        hidden=True,
        help="Nodes of a subgraph [--size]",
    ),
    option(
        "--levels",
        "num_levels",
        type=Number(int),
        hidden=True,
        help="Number of levels of the kernel [2; a kernel machine 1 to 3]",
    ),
    option(
        "--layers",
        "num_layers",
        type=Number(int),
        hidden=True,
        help="Number of layers of filters [1]",
    ),
    option(
        "--tau",
        type=Number(float),
        hidden=True,
        help="Width of the similarity of nodes [1; a kernel machine .1 to 1]",
    ),
    option(
        "--pooling",
        hidden=True,
        help="Pooling over the nodes of a graph: max, mean or sum [max]",
    ),
    option(
        "--dropout",
        type=Number(float),
        hidden=True,
        help="Dropout before the last layer [0]",
    ),
    option(
        "--input-dropout",
        type=Number(float),
        hidden=True,
        help="Dropout of the features [0]",
    ),
    option(
        "--policy",
        hidden=True,
        help="Nodes to keep in a truncated subgraph: bfs or dense [bfs]",
    ),
    option(
        "--init",
        hidden=True,
        help="Initialization of filters: classes or random [classes]",
    ),
    option(
        "--matching",
        hidden=True,
        help="Matching of nodes: optimal, or greedy as in the paper [optimal]",
    ),
    option(
        "--patience",
        type=Number(int),
        hidden=True,
        help="Epochs without improvement before training stops [50]",
    ),
    option(
        "--lr",
        "learning_rate",
        type=Number(float),
        hidden=True,
        help="Learning rate [0.01]",
    ),
    option(
        "--weight-decay",
        type=Number(float),
        hidden=True,
        help="Weight decay, except of filters [0]",
    ),
    option("--batch-size", type=Number(int), hidden=True, help="Graphs of a batch [128]"),
    option("--seed", type=Number(int), hidden=True, help="Random seed [0]"),
    option(
        "--folds",
        "num_folds",
        type=Number(int),
        hidden=True,
        help="Folds of the cross-validation that chooses the kernel [5]",
    ),
    option(
        "--most-nodes",
        type=Number(int),
        hidden=True,
        help="Maximum number of nodes that stand for a larger graph [128]",
    ),
    option(
        "--patterns",
        "num_patterns",
        type=Number(int),
        hidden=True,
        help="Number of patterns by which nodes are matched; 0: one by one [64 if that is long]",
    ),
)
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
    tuned: bool,
    device: str | None,
    **options: Any,
) -> None:
    """Train a classifier of graphs, or of nodes, and show what it learnt.

    PATH is a TU folder, a DGL .bin, or a table of molecules with their classes. With --nodes it is
    any graph whose nodes have an attribute with their classes, or a column of the feature file.

    \b
    gomkcn train MUTAG/
    gomkcn train motifs.bin --paper
    gomkcn train motifs.bin --tuned
    gomkcn train friends.csv --nodes --class-column team
    gomkcn train ENZYMES/ --method kernel --jobs 4
    gomkcn train motifs.bin --method network
    gomkcn train motifs.bin --out run --hops 3 --filters 4
    gomkcn train ENZYMES/ --out run --features attributes,labels --pooling sum
    gomkcn train MUTAG/ --out run --relation none
    gomkcn train drugs.csv --out run --split 0.6,0.2,0.2
    gomkcn train --settings run/settings.toml --out again
    gomkcn train ENZYMES/ --out run --resume
    torchrun --nproc-per-node 4 -m gomkcn train ENZYMES/ --out run
    """
    from gomkcn.mining.runs.train import TRAIN, TrainingInputs
    from gomkcn_dgl.runtime.job import Interrupts
    from gomkcn_dgl.runtime.processes import is_first, join_processes, world_size
    from gomkcn_dgl.training.training_run import read_training_data

    interrupts = Interrupts(options["time_limit"])
    with join_processes():
        show_log(quiet or not is_first())
        preset = _preset(settings_file, paper, tuned)
        settings = _settings(settings_file, options | {"device": device, "preset": preset})
        of_data = settings.data
        files = inputs_of(
            ctx, of_data.path, of_data.feature_file, of_data.label_names, of_data.class_names
        )
        if resume and settings_file in files:
            # it goes on with its own settings
            files.remove(settings_file)
        if settings.method == "kernel" and world_size() > 1:
            raise InputError("method kernel is shared by --jobs 4; leave torchrun out.")
        run_into_folder(
            ctx,
            TRAIN,
            settings,
            interrupts,
            lambda: TrainingInputs(
                read_training_data(of_data), "auto" if device is None else device
            ),
            path=of_data.path,
            files=files,
            out=out,
            force=force,
            resume=resume,
            quiet=quiet,
            n_jobs=options["n_jobs"],
        )


def _preset(file: str | None, paper: bool, tuned: bool) -> str | None:
    """The name of the settings that options win over; None for the defaults, or those of a file."""
    if paper and tuned:
        raise InputError("--paper has all settings, and so has --tuned; give one of both.")
    preset = "paper" if paper else "tuned" if tuned else None
    if preset and file is not None:
        raise InputError(
            f"{preset} has all settings, and so has a settings file; give one of both."
        )
    return preset


def _settings(file: str | None, options: dict[str, Any]) -> ClassifierSettings:
    """The settings of a file, or of a preset or none, and the options, which win."""
    from gomkcn_dgl.training.classifier_settings import ClassifierSettings, read_classifier_settings

    if file is None:
        return ClassifierSettings.of_options(options)
    return read_classifier_settings(file).override(options)


@click.command(cls=Command)
@click.argument("run", type=InputPath(), metavar="RUN")
@click.argument("path", type=InputPath(), metavar="PATH")
@option_group(
    "Input",
    option(
        "--skip-invalid",
        is_flag=True,
        help="Leave out molecules that RDKit cannot read, and graphs with a category, such as an "
        "element, that was not learnt",
    ),
)
@option_group("Training", device_option)
@option_group(
    "Output",
    option(
        "--out",
        type=TablePath(),
        help="Table to write: .csv, .parquet or .json [shown on the screen]",
    ),
    force_option,
)
def predict(
    run: str, path: str, out: str | None, force: bool, device: str | None, skip_invalid: bool
) -> None:
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
    with problems_of_run(run):
        classifier = load_classifier(run, "auto" if device is None else device)
    table = predict_file(classifier, path, skip_invalid=skip_invalid)
    if out is None:
        print_table(table)
        return
    table.save(out)
    number = len(table.columns()["predicted"])
    of_what = "nodes" if classifier.settings.data.nodes else "graphs"
    say(f"{out}: the classes of {number:,} {of_what}")


@click.command(cls=Command)
@click.argument("run", type=InputPath(), metavar="RUN")
@option_group(
    "Output",
    option(
        "--graphs",
        type=Names(),
        help="Graphs, by number or name, or nodes, to show, such as 0,5,9 [of each class one that "
        "is predicted rightly]",
    ),
    option("--data", "data_path", type=InputPath(), help="Data set, if it was moved"),
    option("--out", help="Folder of the page [RUN/explanation]"),
    option("--force", is_flag=True, help="Overwrite a page that exists"),
)
def explain(
    run: str,
    graphs: tuple[str, ...] | None,
    data_path: str | None,
    out: str | None,
    force: bool,
) -> None:
    """Explain what a trained classifier responds to in chosen graphs, or nodes.

    \b
    gomkcn explain run
    gomkcn explain run --graphs 0,5,9 --out why
    gomkcn explain run --graphs celecoxib,aspirin
    """
    from gomkcn.mining.runs.train import EXPLANATION, TRAIN
    from gomkcn.mining.show.explanation_page import explain_run
    from gomkcn_dgl.runtime.files import check_output
    from gomkcn_dgl.runtime.output_folder import problems_of_run, refuse_foreign, write_files
    from gomkcn_dgl.runtime.run import read_run

    with problems_of_run(run):
        trained = read_run(TRAIN, run)
        page = Path(run, EXPLANATION) if out is None else Path(out, Path(EXPLANATION).name)
        if out is None:
            refuse_foreign(Path(run), [EXPLANATION])
        else:
            check_output(page, [run, trained.found.settings.data.path], force=force)
        explanation, html = explain_run(trained.found, trained.record, graphs, data_path=data_path)
        write_files(page.parent, {page.name: html})
    names = explanation.class_names
    for response in explanation.decisions:
        classes = f"predicted {names[response.predicted]}, true {names[response.true]}"
        say(visible(f"{response.name}: {classes}; {explanation.reason(response)}"))
    say(f"page: {page}")
