"""`gomkcn train`, `predict` and `explain`: parse, call one library function, print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from cloup import option, option_group

from gomkcn.commands.base import Command, inputs_of
from gomkcn.commands.option_types import InputPath, Names, PagePath, TablePath
from gomkcn.commands.options import (
    device_option,
    folder_options,
    force_option,
    jobs_option,
    run_limits,
    setting_options,
    settings_option,
)
from gomkcn.commands.printing import print_table, say, show_log
from gomkcn.commands.run_command import import_igraph, run_into_folder
from gomkcn.commands.spelling import RenamedOption
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.kernel_settings import KernelSettings
from gomkcn_dgl.runtime.files import visible
from gomkcn_dgl.training.classifier_settings import (
    ClassifierSettings,
    DataSettings,
    MachineSettings,
    ModelSettings,
    TrainingSettings,
)

# the settings of the short help; all others are details
_SHOWN_OF_DATA = ("nodes", "directed", "relation", "features")
_SHOWN_OF_MODEL = ("method", "preset", "num_filters", "filter_size")


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="PATH", required=False)
@option_group(
    "Input", setting_options(DataSettings, without=("path", "split"), shown=_SHOWN_OF_DATA)
)
@option_group(
    "Training",
    setting_options(ModelSettings, *_SHOWN_OF_MODEL, shown=_SHOWN_OF_MODEL),
    device_option,
    setting_options(DataSettings, "split"),
)
@option_group("Output", folder_options)
@option_group(
    "Limits",
    run_limits,
    jobs_option("Processes that share the work of --method kernel, or of the comparison of both"),
)
@option_group(
    "Graph filters and other details",
    settings_option,
    # relations are those of the data
    setting_options(ModelSettings, without=(*_SHOWN_OF_MODEL, "relations")),
    setting_options(KernelSettings),
    setting_options(TrainingSettings),
    # a machine has choices where a kernel has one value
    setting_options(MachineSettings, without=("num_levels", "tau", "class_weight", "seed")),
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
    device: str | None,
    n_jobs: int | None,
    time_limit: float | None,
    **options: Any,
) -> None:
    """Train a classifier of graphs, or of nodes, and show what it learnt.

    PATH is a TU folder, a DGL .bin, or a table of molecules with their classes. With --nodes it is
    any graph whose nodes have an attribute with their classes, or a column of the feature file.

    \b
    gomkcn train MUTAG/
    gomkcn train motifs.bin --preset paper
    gomkcn train motifs.bin --preset tuned
    gomkcn train friends.csv --nodes --class-column team
    gomkcn train ENZYMES/ --method kernel --n-jobs 4
    gomkcn train motifs.bin --method network
    gomkcn train motifs.bin --out run --num-hops 3 --num-filters 4
    gomkcn train ENZYMES/ --out run --features attributes,labels --pooling sum
    gomkcn train MUTAG/ --out run --relation none
    gomkcn train drugs.csv --out run --split 0.6,0.2,0.2
    gomkcn train --settings run/settings.toml --out again
    gomkcn train ENZYMES/ --out run --resume
    torchrun --nproc-per-node 4 -m gomkcn train ENZYMES/ --out run
    """
    import_igraph()
    from gomkcn.mining.runs.train import TRAIN, TrainingInputs
    from gomkcn_dgl.runtime.job import Interrupts
    from gomkcn_dgl.runtime.processes import is_first, join_processes, world_size
    from gomkcn_dgl.training.training_run import read_training_data

    interrupts = Interrupts(time_limit)
    with join_processes():
        show_log(quiet or not is_first())
        settings = _settings(settings_file, options | {"device": device, "n_jobs": n_jobs})
        of_data = settings.data
        files = inputs_of(
            ctx, of_data.path, of_data.feature_file, of_data.label_names, of_data.class_names
        )
        if resume and settings_file in files:
            # it goes on with its own settings
            files.remove(settings_file)
        if settings.method == "kernel" and world_size() > 1:
            raise InputError("--method kernel is shared by --n-jobs 4; leave torchrun out.")
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
            n_jobs=n_jobs,
        )


def _settings(file: str | None, options: dict[str, Any]) -> ClassifierSettings:
    """The settings of a file, or of a preset or none, and the options, which win."""
    if file is None:
        return ClassifierSettings.of_options(options)
    if options["preset"] is not None:
        raise InputError("--preset has all settings, and so has a settings file; give one of both.")
    return ClassifierSettings().read(file).override(options)


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
        help="Table to write: .csv (a ' before what a spreadsheet would run), .parquet or .json "
        "[shown on the screen]",
    ),
    option(
        "--page",
        type=PagePath(),
        help="Page to write, .html: each graph with its class, the atoms of molecules in colour "
        "[none]",
    ),
    force_option,
)
def predict(
    run: str,
    path: str,
    out: str | None,
    page: str | None,
    force: bool,
    device: str | None,
    skip_invalid: bool,
) -> None:
    """Predict the class of each graph, or of each node.

    RUN is the folder of `gomkcn train`. PATH has graphs of the same kind, with the same features;
    classes, if it has any, are not looked at. Where nodes were learnt, it is the graph itself, or
    another one.

    \b
    gomkcn predict run new.bin
    gomkcn predict run MUTAG/ --out classes.csv
    gomkcn predict run drugs.csv --page classes.html
    """
    from gomkcn_dgl.runtime.output_folder import problems_of_run
    from gomkcn_dgl.training.training_run import load_classifier, predict_file

    show_log(brief=True)
    with problems_of_run(run):
        classifier = load_classifier(run, "auto" if device is None else device)
    if page is not None and classifier.settings.data.nodes:
        raise InputError("--page shows graphs, and this classifier is of nodes; give --out.")
    found = predict_file(classifier, path, skip_invalid=skip_invalid)
    of_what = "nodes" if found.of_nodes else "graphs"
    if out is not None:
        found.table().save(out)
        say(f"{out}: the classes of {len(found.predicted):,} {of_what}")
    if page is not None:
        import_igraph()
        from gomkcn.mining.show.predictions_page import render_predictions
        from gomkcn_dgl.runtime.files import atomic_write

        atomic_write(page, render_predictions(classifier, found, path))
        say(f"page: {page}")
    if out is None and page is None:
        print_table(found.table())


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
    option(
        "--data",
        "data_path",
        cls=RenamedOption,
        parameters=("path",),
        type=InputPath(),
        help="Data set, if it was moved",
    ),
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
    import_igraph()
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
        told = f"{classes} ({response.part}); {explanation.reason(response)}"
        say(visible(f"{response.name}: {told}"))
    say(f"page: {page}")
