"""What the data sets of the accuracy tables hold, beside the numbers that the paper prints.

A line of the results is one data set, with the share of nodes that each size of a one-hop subgraph
holds whole.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Iterator

import numpy as np
from record import Bench, ResultTable

from paper.data import NodeData, load_graph_data, load_node_data
from paper.row_experiment import Record, RowExperiment, Settings
from paper.tiny_data import tiny_graph_data, tiny_node_data

KINDS = ("node", "graph")
# the largest subgraph of the paper's figure on its size
LARGEST_SIZE = 16
NAMES = ("graphs", "nodes", "edges", "features", "classes")


def shrink(settings: Settings) -> None:
    settings.update({kind: settings[kind][:1] for kind in KINDS})


def all_rows(settings: Settings) -> Iterator[Record]:
    """What decides each line of the results."""
    for kind in KINDS:
        for data in settings[kind]:
            yield {"kind": kind, "data": data}


def run_row(row: Record, loads: dict[str, Callable[[str], NodeData]]) -> Record:
    """Count what a data set holds."""
    start = time.perf_counter()
    data = loads[row["kind"]](row["data"])
    graph = data.graph
    # a node and its neighbours
    sizes = 1 + graph.degrees
    whole = [float((sizes <= size).mean()) for size in range(1, 1 + LARGEST_SIZE)]
    return {
        **row,
        "graphs": len(graph.graph_ptr) - 1 if row["kind"] == "graph" else 1,
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "features": graph.features.shape[1],
        "classes": data.num_classes,
        "held_whole": np.round(whole, 4).tolist(),
        "seconds": round(time.perf_counter() - start, 1),
    }


def describe(line: Record) -> str:
    return f"{line['data']}: {line['nodes']} nodes, {line['edges']} edges"


def beside_printed(line: Record, settings: Settings) -> dict[str, str]:
    """Each number of a data set, with what the paper prints in brackets where that differs."""
    names = NAMES if line["kind"] == "graph" else NAMES[1:]
    printed = settings["printed"].get(line["data"], [line[name] for name in names])
    return {
        name: f"{line[name]:,}" + (f" ({other:,})" if other != line[name] else "")
        for name, other in zip(names, printed, strict=True)
    }


def tables(lines: list[Record], settings: Settings) -> list[ResultTable]:
    """A row for each data set."""
    made = []
    for kind in KINDS:
        own = [line for line in lines if line["kind"] == kind]
        names = NAMES if kind == "graph" else NAMES[1:]
        table = ResultTable(
            f"{kind} classification; in brackets what the paper prints, where that differs",
            {"data": "", **dict.fromkeys(names, "")},
        )
        for line in own:
            table.add(line["data"], *beside_printed(line, settings).values())
        made.append(table)
    return made


def main(bench: Bench) -> None:
    """Run what the results lack; tiny data stand for any set where this is quick."""
    real = [
        functools.partial(load, data_folder=bench.data)
        for load in (load_node_data, load_graph_data)
    ]
    loads = [tiny_node_data, tiny_graph_data] if bench.quick else real
    run = functools.partial(run_row, loads=dict(zip(KINDS, loads, strict=True)))
    dataclasses.replace(EXPERIMENT, run=run)(bench)


EXPERIMENT = RowExperiment("data_sets", all_rows, run_row, describe, tables, shrink)
