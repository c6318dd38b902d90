"""The `gomkcn` command: the group of all commands."""

from __future__ import annotations

import click

from gomkcn.commands.base import Group
from gomkcn.commands.blocks_command import blocks
from gomkcn.commands.compare_command import compare
from gomkcn.commands.compile_command import compile_ahead
from gomkcn.commands.count_command import count
from gomkcn.commands.filters_command import filters
from gomkcn.commands.generate_command import generate
from gomkcn.commands.graph_commands import census, convert, frequent, info, temporal
from gomkcn.commands.mine_command import demo, export, mine, report
from gomkcn.commands.scaffolds_command import scaffolds
from gomkcn.commands.train_command import explain, predict, train


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gomkcn-dgl")
def main() -> None:
    """Find frequent neighbourhoods, motifs and over-represented patterns in graphs.

    \b
    gomkcn demo                                 a small example and its page
    gomkcn generate planted --out planted.bin   a graph with planted motifs
    gomkcn info planted.bin                     how a file is read
    gomkcn convert friends.txt.gz friends.graph a large graph as a folder on disk
    gomkcn filters planted.bin                  its frequent neighbourhoods; page: filters.html
    gomkcn mine planted.bin --out run           filters, motifs, patterns; page: run/report.html
    gomkcn count wheel planted.bin              occurrences of one pattern
    gomkcn census friends.txt.gz --sizes 3-5     occurrences of every small structure
    gomkcn temporal messages.csv --window 1h    motifs of events in the order of time
    gomkcn frequent MUTAG/ --support .1         all subgraphs of a tenth of the graphs
    gomkcn frequent friends.txt.gz --support 99 … or that one graph repeats
    gomkcn blocks netlist.csv --directed        large subgraphs that occur several times
    gomkcn scaffolds assay.csv                  rings of molecules, and how classes differ
    gomkcn compare may.csv june.csv             how two graphs or runs differ, and how surely
    gomkcn export run --out tables              patterns, occurrences and copies as tables
    gomkcn train motifs.bin --out run           a classifier of graphs
    gomkcn predict run new.bin                  classes of new graphs
    gomkcn explain run --graphs 0,5             what its filters respond to
    gomkcn compile                              machine code ahead of the first mining
    """


for command in (
    demo, generate, info, convert, filters, mine, report, count, census, temporal, frequent,
    blocks, scaffolds, compare, export, train, predict, explain, compile_ahead,
):  # fmt: skip
    main.add_command(command)
