"""Accuracy over the size of the subgraphs, and over depth and levels; with the degrees beside it.

    python benchmarks/paper/hyperparameters.py             what results/hyperparameters.jsonl lacks
    python benchmarks/paper/hyperparameters.py --smoke     a tiny version, in seconds

The paper's section "Hyperparameter Analysis". A line of the results is one point on one split; the
table and the figure are made from the lines. Nothing is chosen here: test accuracies are those of
the best epoch by validation.
"""

from __future__ import annotations

import dataclasses
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

# a script sees its own folder only
sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import numpy as np
from measure import use_threads
from record import Table, data_option, write_markdown

from gomkcn_dgl.runtime.provenance import describe_provenance
from paper.data import NodeData, load_node_data
from paper.hyperparameters_figure import draw_sweeps
from paper.isomorphic_figure import write_figure
from paper.models import node_trial
from paper.result_lines import find_line, find_lines
from paper.results_file import ResultsFile
from paper.smoke import tiny_node_data

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
SWEEPS = ("sizes", "depths")
Settings = Mapping[str, Any]


def read_settings(path: Path, smoke: bool) -> Settings:
    settings = tomllib.loads(path.read_text(encoding="utf-8"))
    if smoke:
        settings.update(data_sets=["tiny"], splits=1)
        settings["base"]["epochs"] = 2
        settings["sizes"]["max_nodes"] = [1, 4]
        settings["depths"] = {"num_layers": [1, 2], "num_steps": [0, 1]}
    return settings


def all_rows(settings: Settings) -> Iterator[dict[str, Any]]:
    """What decides each line of the results."""
    for data, sweep in itertools.product(settings["data_sets"], SWEEPS):
        names, values = zip(*settings[sweep].items(), strict=True)
        for point, split in itertools.product(
            itertools.product(*values), range(settings["splits"])
        ):
            params = {**settings["base"], **dict(zip(names, point, strict=True))}
            yield {"data": data, "sweep": sweep, "params": params, "split": split}


def complete(results: ResultsFile, settings: Settings, sets: Mapping[str, NodeData]) -> None:
    """Run every row that has no line yet."""
    lines = results.read()
    for row in all_rows(settings):
        if find_line(lines, row) is not None:
            continue
        data, start = sets[row["data"]], time.perf_counter()
        outcome = node_trial(data, data.splits[row["split"]], row["params"], seed=row["split"])
        made = describe_provenance(row["split"], time.perf_counter() - start)
        results.append({**row, **dataclasses.asdict(outcome), "made": made})
        print(f"{row['data']}, {row['sweep']}: {_point(settings, row)}, split {row['split']}: "
              f"validation {100 * outcome.val:.1f}", flush=True)  # fmt: skip


def _point(settings: Settings, row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {row['params'][name]}" for name in settings[row["sweep"]])


def write_results(
    out: Path, settings: Settings, lines: list[dict[str, Any]], sets: Mapping[str, NodeData]
) -> None:
    """One table for each sweep, and the figure."""
    if not lines:
        return
    tables = []
    for sweep in SWEEPS:
        names = list(settings[sweep])
        table = Table(
            f"Accuracy in percent over {' and '.join(names)}",
            {
                "data": "",
                **dict.fromkeys(names, "d"),
                "validation": ".1f",
                "test": "",
                "splits": "d",
            },
        )
        for (data, *point), group in _grouped(lines, sweep, names).items():
            test = 100 * np.array([line["test"] for line in group])
            spread = f" ± {test.std(ddof=1):.1f}" if len(test) > 1 else ""
            val = 100 * float(np.mean([line["val"] for line in group]))
            table.add(data, *point, val, f"{test.mean():.1f}{spread}", len(test))
        tables.append(table.markdown())
    how = [f"{settings['splits']} splits, 1 thread"]
    write_markdown(out / "hyperparameters.md", lines[-1]["made"], how, tables)
    grouped = {sweep: _grouped(lines, sweep, list(settings[sweep])) for sweep in SWEEPS}
    degrees = {name: data.graph.degrees for name, data in sets.items()}
    write_figure(
        draw_sweeps(grouped["sizes"], grouped["depths"], degrees), out / "hyperparameters.svg"
    )


def _grouped(
    lines: list[dict[str, Any]], sweep: str, names: list[str]
) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Lines of each point of a sweep, by data set and the values that it sweeps."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in lines:
        if line["sweep"] == sweep:
            key = (line["data"], *(line["params"][name] for name in names))
            groups.setdefault(key, []).append(line)
    return groups


@click.command()
@click.option(
    "--settings", "path", type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=HERE / "hyperparameters.toml", help="Which points.",
)  # fmt: skip
@click.option("--smoke", is_flag=True, help="Tiny data; nothing is kept.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Results.")
@data_option
def main(path: Path, smoke: bool, out: Path | None, data: Path) -> None:
    """Sweep the size of the subgraphs, the depth and the levels."""
    use_threads(1)
    settings = read_settings(path, smoke)
    if not smoke and not data.is_dir():
        raise click.UsageError(f"--data must name the folder of the real graphs, got {data}.")
    sets = {
        name: tiny_node_data(name) if smoke else load_node_data(name, data)
        for name in settings["data_sets"]
    }
    with tempfile.TemporaryDirectory() as scratch:
        out = out or (Path(scratch) if smoke else HERE / "results")
        results = ResultsFile(out / "hyperparameters.jsonl")
        complete(results, settings, sets)
        write_results(out, settings, find_lines(results.read(), all_rows(settings)), sets)


if __name__ == "__main__":
    main()
