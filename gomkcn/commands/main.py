"""The `gomkcn` command: the group of all commands."""

from __future__ import annotations

import click

from gomkcn.commands.base import Group
from gomkcn.commands.count_command import count
from gomkcn.commands.generate_command import generate
from gomkcn.commands.graph_commands import census, convert, info
from gomkcn.commands.mine_command import compare, demo, export, mine, report
from gomkcn.commands.train_command import explain, predict, train


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gomkcn-dgl")
def main() -> None:
    """Find the small patterns that occur again and again in graphs.

    \b
    gomkcn demo                                 an example: a small graph, its patterns, their page
    gomkcn generate planted --out planted.bin   a graph whose answer is known
    gomkcn info planted.bin                     what would be read from a file
    gomkcn convert friends.txt.gz friends.graph a large graph as a folder that stays on disk
    gomkcn mine planted.bin --out run           its patterns, with a report in run/report.html
    gomkcn count wheel planted.bin              how often one pattern occurs
    gomkcn census friends.txt.gz --size 3-5     how often every small structure occurs
    gomkcn compare run other                    the patterns that two runs share
    gomkcn export run --out tables              patterns and occurrences as tables
    gomkcn train motifs.bin --out run           a classifier of graphs or nodes, and what it learnt
    gomkcn predict run new.bin                  the classes of new graphs or nodes
    gomkcn explain run --graphs 0,5             what its filters respond to in these graphs
    """


for command in (
    demo, generate, info, convert, mine, report, count, census, compare, export, train, predict,
    explain,
):  # fmt: skip
    main.add_command(command)
