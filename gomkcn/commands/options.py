"""Options that several commands share, each of which puts them into the groups of its help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from cloup import option

from gomkcn.commands.option_types import BadOptionError, InputPath, Names, Number, TablePath, Word
from gomkcn_dgl.io.formats import FORMATS

Decorated = Callable[..., Any]

# words of options, which the shell completes; they are here so that this loads no library
NULLS = ("degree", "joint-degree", "erdos-renyi", "none")
TEMPORAL_NULLS = ("directions", "gaps", "timelines", "times")
READINGS = ("induced", "subgraph")


def none_if_empty(ctx: click.Context, option: click.Parameter, given: Any) -> Any:
    """The callback of an option that may be repeated: None where it is not given."""
    return given or None


def only_one(ctx: click.Context, option: click.Parameter, given: tuple[Any, ...]) -> Any:
    """The callback of an option that other commands repeat: its one value."""
    if len(given) > 1:
        named = " and ".join(map(str, given))
        sentence = f"{option.opts[0]} must be given once, got {named}; run it once for each."
        raise BadOptionError(sentence)
    return given[0]


def together(*decorators: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """One decorator in the place of several, the first of which is the first in the help."""

    def decorate(command: Decorated) -> Decorated:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


# what is said of the graphs to learn from
learning_options = together(
    option("--directed/--undirected", default=None, help="Edge direction [from the file]"),
    option("--relation", help="Edge-type column, or none [from the header]"),
    option(
        "--features",
        type=Names(),
        help="Node features to use, separated by commas [by format]",
    ),
    option("--label-names", type=InputPath(), hidden=True, help="Names of node labels (.csv)"),
    option(
        "--smiles",
        hidden=True,
        help="Column of SMILES in a table of molecules [smiles, canonical_smiles]",
    ),
    option(
        "--skip-invalid",
        is_flag=True,
        default=None,
        hidden=True,
        help="Leave out molecules that RDKit cannot read",
    ),
)
# and of the tables that they are in
table_options = together(
    option(
        "--source",
        hidden=True,
        help="Column of source nodes, by name or number [from the header]",
    ),
    option(
        "--target",
        hidden=True,
        help="Column of target nodes, by name or number [from the header]",
    ),
    option(
        "--feature-file",
        type=InputPath(),
        hidden=True,
        help="Node features, one row per node: .npy or .csv",
    ),
    option(
        "--format",
        type=Word(*FORMATS),
        hidden=True,
        help=f"File format: {', '.join(FORMATS)} [by file name]",
    ),
)
minimum_option = option(
    "--min",
    "minimum",
    multiple=True,
    hidden=True,
    callback=none_if_empty,
    metavar="NAME=X",
    help="Least value of an edge attribute, such as score=700; may be repeated",
)
# all that decides how a file is read, as in read_graph, but for its weights
file_options = together(learning_options, minimum_option, table_options)
# of the commands that keep weights; counting and mining use none
weight_option = option("--weight", hidden=True, help="Edge-weight column, or none [weight]")
# of the commands that compare classes
class_options = together(
    option("--class-names", type=InputPath(), hidden=True, help="Names of graph classes (.csv)"),
    option(
        "--class-column",
        hidden=True,
        help="Column of the classes of molecules, or none [class, label, activity, active, "
        "outcome, target or y]",
    ),
    option(
        "--threshold",
        help="Make classes of the numbers of --class-column: those below 6.5 and all others; or "
        "median, 75%, or several with commas between",
    ),
)
# what these options are called
CLASS_OPTIONS = ("class_names", "class_column", "threshold")
truth_option = option(
    "--truth",
    type=InputPath(),
    hidden=True,
    help="Planted motifs to compare with [STEM.truth.json next to the graph]",
)
# how they learn filters
learning_details = together(
    option(
        "--levels",
        "num_levels",
        type=Number(int),
        hidden=True,
        help="Number of levels of the kernel [3]",
    ),
    option(
        "--matching",
        type=Word("optimal", "greedy"),
        hidden=True,
        help="Node matching: optimal, or greedy as in the paper [optimal]",
    ),
    option(
        "--init",
        type=Word("facility_location", "random"),
        hidden=True,
        help="Initialization: facility_location or random [facility_location]",
    ),
    option(
        "--policy",
        type=Word("dense", "bfs"),
        hidden=True,
        help="Nodes to keep in a truncated subgraph: dense or bfs [dense]",
    ),
    option(
        "--feature-contrast",
        type=Number(float),
        hidden=True,
        help="Weight of node features relative to structure, above 0 and up to 1 [0.2]",
    ),
)
# of the commands that find filters
num_filters_option = option(
    "--filters",
    "num_filters",
    type=Number(int),
    help="Number of filters [as many as the graph has more of than random graphs]",
)
# of the commands that write the folder of a long run
folder_options = together(
    option("--out", help="Output folder [runs/NAME, numbered if it exists]"),
    option("--force", is_flag=True, help="Overwrite an existing run"),
    option("--quiet", is_flag=True, hidden=True, help="Hide the log and the progress bar"),
)
run_limits = together(
    option(
        "--time-limit",
        type=Number(float),
        help="Stop after X seconds and report partial results",
    ),
    option("--resume", is_flag=True, help="Resume the unfinished run in the output folder"),
)
settings_option = option(
    "--settings",
    "settings_file",
    type=InputPath(),
    hidden=True,
    help="Settings file (TOML); options on the command line override it",
)
# of the commands that count, and print what is known when time is up
time_limit_option = option(
    "--time-limit",
    type=Number(float),
    help="Stop after X seconds and print what is known",
)
quiet_option = option("--quiet", is_flag=True, help="Hide the progress bar")
reading_option = option(
    "--reading",
    type=Word(*READINGS),
    default="induced",
    help="Reading of a count: induced, or every subgraph [induced]",
)
# of the commands that write a table, or other files
table_option = option(
    "--out",
    type=TablePath(),
    help="Table to write: .csv, .parquet or .json",
)
force_option = option("--force", is_flag=True, help="Overwrite files that exist")
seed_option = option("--seed", type=Number(int), default=0, help="Random seed [0]")
device_option = option(
    "--device", help="Device: auto, cpu or cuda [auto: a GPU if PyTorch finds one]"
)
# of the commands that generate graphs
features_option = option(
    "--features",
    default="per_node",
    help="Node features: constant, per_type, per_node or per_type_noise [per_node]",
)
