"""`gomkcn filters`: the frequent patterns of a graph, as the GOMKCN paper mines them."""

from __future__ import annotations

from typing import Any

import click
from cloup import option, option_group

from gomkcn.commands.base import Command, inputs_of_run, truth_beside
from gomkcn.commands.option_types import InputPath
from gomkcn.commands.options import (
    class_options,
    file_options,
    folder_options,
    run_limits,
    setting_options,
    settings_of_options,
    settings_option,
    truth_option,
)
from gomkcn.commands.printing import show_log
from gomkcn.commands.run_command import (
    import_igraph,
    import_special_functions,
    loading,
    refuse_torchrun,
    required_path,
    run_into_folder,
)
from gomkcn.mining.filters.filter_learning import USUAL_KERNEL, FilterLearning
from gomkcn.mining.settings.filter_settings import SeededFilters
from gomkcn_dgl.kernel_settings import KernelSettings

# the settings of the short help; all others are details
_SHOWN = ("num_filters", "filter_size", "contrast", "device")
_SHOWN_OF_LEARNING = ("num_hops", "num_epochs")


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="GRAPH", required=False)
@option_group("Input", file_options, class_options)
@option_group(
    "Filters",
    setting_options(SeededFilters, *_SHOWN, shown=_SHOWN),
    setting_options(FilterLearning, *_SHOWN_OF_LEARNING, shown=_SHOWN_OF_LEARNING),
    option(
        "--paper",
        is_flag=True,
        help="What section VI-B of the paper prints and nothing else: the most frequent "
        "neighbourhoods, filters from random numbers; options given beside it win",
    ),
)
@option_group("Output", folder_options)
@option_group("Limits", run_limits)
@option_group(
    "Graph filters and other details",
    settings_option,
    setting_options(SeededFilters, without=_SHOWN),
    setting_options(FilterLearning, without=_SHOWN_OF_LEARNING),
    setting_options(KernelSettings, defaults=USUAL_KERNEL),
    truth_option,
)
@click.pass_context
def filters(
    ctx: click.Context,
    /,
    out: str | None,
    settings_file: str | None,
    force: bool,
    resume: bool,
    quiet: bool,
    paper: bool,
    time_limit: float | None,
    truth: str | None,
    path: str | None,
    **options: Any,
) -> None:
    """Find the frequent patterns of a graph, as filters.

    GRAPH is the file or the folder of a graph or a collection. Filters are structures that it has
    more of than random graphs with its degrees; each says how many instances there are.

    \b
    gomkcn filters friends.txt.gz
    gomkcn filters friends.txt.gz --out run --num-filters 12 --filter-size 4-6
    gomkcn filters friends.txt.gz --no-contrast --num-filters 8
    gomkcn filters planted.bin --paper
    gomkcn filters planted.bin --paper --num-epochs 100 --init facility_location
    gomkcn filters MUTAG/ --features labels
    gomkcn filters table.csv --source gene --target other --relation effect
    gomkcn filters --settings run/settings.toml --out again
    gomkcn filters friends.graph --out run --time-limit 600
    gomkcn filters friends.graph --out run --resume
    """
    from gomkcn_dgl.runtime.files import check_path

    # before the libraries are imported, which takes seconds
    if path is not None:
        check_path(path)
    with loading():
        import_igraph()
        import_special_functions()
        from gomkcn.mining.filters.filters_settings import FiltersSettings
        from gomkcn.mining.runs.filters import FILTERS
        from gomkcn.mining.runs.graph_inputs import GraphInputs
        from gomkcn_dgl.runtime.job import Interrupts

    refuse_torchrun("filters", "runs in one process")
    show_log(quiet)
    plain = FiltersSettings.paper() if paper else FiltersSettings()
    settings = settings_of_options(plain, settings_file, {"path": path, **options})
    miner = settings.miner()
    miner.check()
    # before the time limit begins; a GPU that is not there is refused
    miner.load_torch()
    interrupts = Interrupts(time_limit, has_end=True)
    path = required_path(ctx, settings.graph.path)
    planted = truth or truth_beside(path)
    run_into_folder(
        ctx,
        FILTERS,
        settings,
        interrupts,
        lambda: GraphInputs.read(settings.graph, planted),
        path=path,
        files=inputs_of_run(ctx, settings.graph, settings_file if resume else None),
        out=out,
        force=force,
        resume=resume,
        quiet=quiet,
    )
