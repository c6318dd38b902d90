"""Frequent patterns of a 1000-node graph: which of the four planted motifs are found, how often?

    python benchmarks/paper/frequent.py             whatever results/frequent.jsonl lacks
    python benchmarks/paper/frequent.py --smoke     a tiny version, in seconds

The paper's section "Frequent Subgraph Pattern Mining": its settings beside our defaults, the start
of each before any training, and both readings of a frequency beside what is true. A line of the
results is one miner on one graph; the table and the figure are made from the lines.
"""

from __future__ import annotations

import itertools
import logging
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np

from gomkcn_dgl import as_csr
from gomkcn_dgl.runtime.provenance import describe_provenance
from mining import PatternMiner, compare_with_truth, covered_occurrences
from synthetic import MOTIFS, PlantedMotifDataset

# a script sees its own folder only
sys.path.append(str(Path(__file__).resolve().parents[1]))
from measure import use_threads
from record import Table, write_markdown

from paper.frequent_figure import draw_found
from paper.isomorphic_figure import write_figure
from paper.result_lines import find_line, find_lines
from paper.results_file import ResultsFile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
SMOKE_GRAPH = {"num_base_nodes": 60, "copies": 5, "motifs": ["wheel", "crown"]}
SMOKE_EPOCHS = 5

Settings = Mapping[str, Any]


def read_settings(path: Path, smoke: bool) -> Settings:
    settings = tomllib.loads(path.read_text(encoding="utf-8"))
    if smoke:
        settings["seeds"] = 1
        settings["graph"].update(SMOKE_GRAPH, features=["per_node"], num_base_edges_per_node=[1])
        for miner in settings["miners"].values():
            miner["num_epochs"] = min(SMOKE_EPOCHS, miner.get("num_epochs", SMOKE_EPOCHS))
    return settings


def all_rows(settings: Settings) -> Iterator[dict[str, Any]]:
    """What decides each line of the results."""
    graph = dict(settings["graph"])
    kinds = itertools.product(graph.pop("num_base_edges_per_node"), graph.pop("features"))
    for edges, features in kinds:
        for name, miner in settings["miners"].items():
            for seed in range(settings["seeds"]):
                kind = {"num_base_edges_per_node": edges, "features": features}
                yield {
                    "miner": name,
                    "seed": seed,
                    "settings": {"graph": {**graph, **kind}, "miner": miner},
                }


def run_row(row: dict[str, Any]) -> dict[str, Any]:
    """Generate one graph, mine it, and compare with the truth."""
    settings, seed = row["settings"], row["seed"]
    dataset = PlantedMotifDataset(**settings["graph"], seed=seed)
    csr, truth = as_csr(dataset[0]), dataset.planted.truth()
    miner = PatternMiner(**settings["miner"], random_state=seed)
    start = time.perf_counter()
    miner.fit(csr)
    seconds = time.perf_counter() - start
    batch = miner.extract(csr)
    assigned = {pattern.id: pattern.frequency.assigned for pattern in miner.patterns_}
    motifs = [
        {
            "name": motif.name,
            "patterns": list(motif.pattern_ids),
            "assigned": sum(assigned[number] for number in motif.pattern_ids),
            "distinct": motif.distinct,
            "copies": motif.copies,
            "copies_found": motif.planted_found,
            "covered": covered_occurrences(csr, batch, MOTIFS[motif.name].adjacency()),
        }
        for motif in compare_with_truth(miner.patterns_, truth)
    ]
    return {
        **row,
        "recovered": sum(bool(motif["patterns"]) for motif in motifs),
        "motifs": motifs,
        "num_patterns": len(miner.patterns_),
        "loss": [round(miner.loss_curve_[0], 5), round(miner.loss_curve_[-1], 5)],
        # for the figure: always the first seed
        "patterns": [describe_pattern(pattern) for pattern in miner.patterns_] if seed == 0 else [],
        "seconds": round(seconds, 2),
    }


def describe_pattern(pattern: Any) -> dict[str, Any]:
    """A pattern without its occurrences."""
    record = pattern.to_dict()
    record.pop("occurrences")
    return dict(record)


def complete(results: ResultsFile, settings: Settings, miners: tuple[str, ...]) -> None:
    """Run what the file lacks, and append it line by line."""
    lines = results.read()
    for row in all_rows(settings):
        if row["miner"] in miners and find_line(lines, row) is None:
            line = run_row(row)
            made = describe_provenance(row["seed"], line["seconds"])
            results.append({"experiment": "frequent", **line, "made": made})
            print(_sentence(line), flush=True)


def _sentence(line: Mapping[str, Any]) -> str:
    graph = line["settings"]["graph"]
    return (
        f"{line['miner']}, {graph['num_base_edges_per_node']}, {graph['features']}, "
        f"seed {line['seed']}: {line['recovered']}/{len(line['motifs'])} motifs, "
        f"{line['seconds']:.1f} s"
    )


def as_table(lines: list[dict[str, Any]]) -> Table:
    """A row for each miner on each kind of graph, over the seeds."""
    table = Table(
        "",
        {
            "BA edges": "",
            "features": "",
            "miner": "",
            "all motifs": "",
            "mean motifs": ".1f",
            "assigned / 60 nodes": "",
            "distinct / covered": "",
            "copies found": "",
            "loss": "",
            "s": ".1f",
        },
    )
    for (edges, features, miner), own in _groups(lines).items():
        found = [motif for line in own for motif in line["motifs"] if motif["patterns"]]
        every = [motif for line in own for motif in line["motifs"]]
        losses = np.mean([line["loss"] for line in own], axis=0)
        size = own[0]["settings"]["miner"].get("pattern_size", 6)
        table.add(
            str(edges),
            features,
            miner,
            f"{sum(line['recovered'] == len(line['motifs']) for line in own)}/{len(own)}",
            float(np.mean([line["recovered"] for line in own])),
            _share([motif["assigned"] / (size * motif["copies"]) for motif in found]),
            _share([motif["distinct"] / max(1, motif["covered"]) for motif in found]),
            f"{sum(m['copies_found'] for m in every)}/{sum(m['copies'] for m in every)}",
            f"{losses[0]:.3f} → {losses[1]:.3f}",
            float(np.median([line["seconds"] for line in own])),
        )
    return table


def _groups(lines: list[dict[str, Any]]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in lines:
        graph = line["settings"]["graph"]
        key = (graph["num_base_edges_per_node"], graph["features"], line["miner"])
        groups.setdefault(key, []).append(line)
    return groups


def _share(values: list[float]) -> str | None:
    """Median and range of the motifs that were found."""
    if not values:
        return None
    return f"{np.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def figure_lines(
    lines: list[dict[str, Any]], settings: Settings
) -> list[tuple[str, dict[str, Any]]]:
    """The lines that the figure shows: seed 0 of some miners on one kind of graph."""
    wanted = settings["figure"]
    return [
        (name, line)
        for name in wanted["miners"]
        for line in lines
        if (line["miner"], line["seed"]) == (name, 0)
        and line["settings"]["graph"]["features"] == wanted["features"]
        and line["settings"]["graph"]["num_base_edges_per_node"]
        == wanted["num_base_edges_per_node"]
    ]


def write_results(out: Path, settings: Settings, lines: list[dict[str, Any]]) -> None:
    """Write the table and the figure of the lines at hand."""
    table = as_table(lines)
    if lines:
        how = ["one thread a run", f"seeds 0 to {settings['seeds'] - 1}"]
        write_markdown(out / "frequent.md", lines[-1]["made"], how, [table.markdown()])
    shown = figure_lines(lines, settings)
    if shown:
        write_figure(draw_found(shown), out / "frequent.svg")


@click.command()
@click.argument(
    "path", type=click.Path(path_type=Path, exists=True), default=HERE / "frequent.toml"
)
@click.option("--miners", multiple=True, help="Only this row of the settings; may be repeated.")
@click.option("--smoke", is_flag=True, help="Tiny sizes; needs --out to keep anything.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write to.")
def main(path: Path, miners: tuple[str, ...], smoke: bool, out: Path | None) -> None:
    """Mine the paper's graph over several seeds and compare the patterns with what was planted."""
    use_threads(1)
    logging.getLogger("gomkcn_dgl").setLevel(logging.ERROR)
    settings = read_settings(path, smoke)
    if set(miners) - set(settings["miners"]):
        raise click.UsageError(f"--miners must be among {list(settings['miners'])}.")
    with tempfile.TemporaryDirectory() as scratch:
        out = out or (Path(scratch) if smoke else HERE / "results")
        results = ResultsFile(out / "frequent.jsonl")
        complete(results, settings, miners or tuple(settings["miners"]))
        write_results(out, settings, find_lines(results.read(), all_rows(settings)))


if __name__ == "__main__":
    main()
