"""Results → tables: the paper's figure, ours and the peers', and who is ahead of whom.

    python benchmarks/paper/table.py

rewrites the part of README.md between ``<!-- tables -->`` and ``<!-- end of tables -->``. The
README says what was done; the numbers come from ``results/`` alone.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from paper.protocol import Experiment, read_experiment, select_trial
from paper.records import Record, read_records

HERE = Path(__file__).parent
TABLES = ("node_classification", "graph_classification")
OURS = "GOMKCN"
_BEGIN, _END = "<!-- tables -->", "<!-- end of tables -->"


@dataclass(frozen=True)
class Cell:
    """What a model reached on a data set."""

    accuracies: dict[int, float]  # test accuracy in percent of each split's selected trial
    trials: tuple[int, int] = (0, 0)  # fewest and most trials of a split
    unfinished: str | None = None  # why there is no figure

    @property
    def mean(self) -> float:
        return statistics.mean(self.accuracies.values())

    @property
    def deviation(self) -> float:
        values = list(self.accuracies.values())
        return statistics.stdev(values) if len(values) > 1 else 0.0


def cells(experiment: Experiment, records: Iterable[Record]) -> dict[tuple[str, str], Cell]:
    """One cell for each (model, data set) with results; trials past the settings do not count."""
    by_split: dict[tuple[str, str], dict[int, list[Record]]] = defaultdict(dict)
    unfinished: dict[tuple[str, str], str] = {}
    for record in records:
        if record["trial"] >= experiment.trials or record["split"] >= experiment.splits:
            continue
        key = record["model"], record["data"]
        if record["val"] is None:
            unfinished[key] = record["unfinished"]
        else:
            by_split[key].setdefault(record["split"], []).append(record)
    table = {key: Cell({}, unfinished=reason) for key, reason in unfinished.items()}
    for key, splits in by_split.items():
        accuracies = {
            split: 100 * select_trial(trials)["test"] for split, trials in sorted(splits.items())
        }
        counts = [len(trials) for trials in splits.values()]
        table[key] = Cell(accuracies, (min(counts), max(counts)))
    return table


def accuracy_table(experiment: Experiment, records: Iterable[Record]) -> str:
    """Rows are models, columns data sets; the figure printed in the paper is in brackets."""
    by_key = cells(experiment, records)
    printed = experiment.printed
    lines = [
        f"**{experiment.title}**, mean ± standard deviation over the splits; in brackets what the "
        "paper prints",
        "",
        f"| | {' | '.join(experiment.data_sets)} |",
        "|---" * (len(experiment.data_sets) + 1) + "|",
    ]
    for model in experiment.models:
        row = [
            _cell_text(experiment, by_key.get((model, data)), printed.get(model, {}).get(data))
            for data in experiment.data_sets
        ]
        lines.append(f"| {model} | {' | '.join(row)} |")
    lines += ["", *_standings(experiment, by_key)]
    lines += [f"- {note}" for note in experiment.notes.values()]
    return "\n".join(lines) + "\n"


def _cell_text(experiment: Experiment, cell: Cell | None, printed: list[float] | None) -> str:
    if cell is None:
        text = "–"
    elif not cell.accuracies:
        text = str(cell.unfinished)
    else:
        splits = len(cell.accuracies)
        text = f"{cell.mean:.1f}" + f" ± {cell.deviation:.1f}" * (splits > 1)
        if splits < experiment.splits or cell.trials != (experiment.trials,) * 2:
            low, high = cell.trials
            trials = f"{low}" if low == high else f"{low} to {high}"
            text += f", {splits} split{'s' * (splits > 1)}, {trials} trial{'s' * (high > 1)}"
    return text if printed is None else f"{text} ({printed[0]:.1f} ± {printed[1]:.1f})"


def compare(ours: Cell, other: Cell) -> tuple[float, float, int]:
    """Mean difference over the splits that both have, its standard error, and their number."""
    both = sorted(set(ours.accuracies) & set(other.accuracies))
    differences = [ours.accuracies[split] - other.accuracies[split] for split in both]
    if len(differences) < 2:
        return (differences or [0.0])[0], float("inf"), len(differences)
    return statistics.mean(differences), statistics.stdev(differences) / len(both) ** 0.5, len(both)


def _standings(experiment: Experiment, by_key: Mapping[tuple[str, str], Cell]) -> list[str]:
    """For each data set: the best other model, and by how much ours is ahead or behind."""
    lines = []
    for data in experiment.data_sets:
        ours = by_key.get((OURS, data))
        others = {
            model: cell
            for model in experiment.models
            if model != OURS and (cell := by_key.get((model, data))) and cell.accuracies
        }
        if not ours or not ours.accuracies or not others:
            continue
        # folds differ, so that a mean over fewer of them says less
        paired = {model: compare(ours, cell)[2] for model, cell in others.items()}
        most = [model for model in others if paired[model] == max(paired.values())]
        best = max(most, key=lambda model: others[model].mean)
        difference, error, splits = compare(ours, others[best])
        within = sorted(
            model
            for model, cell in others.items()
            # of one split no error is known
            if abs(compare(ours, cell)[0]) <= compare(ours, cell)[1] < math.inf
        )
        side = "ahead of" if difference > 0 else "behind" if difference < 0 else "level with"
        if splits < 2:
            lines.append(
                f"- {data}: {OURS} is {abs(difference):.1f} {side} {best}, the best other model, "
                "on the one split that both have, which says nothing of the spread."
            )
            continue
        lines.append(
            f"- {data}: {OURS} is {abs(difference):.1f} ± {error:.1f} {side} {best}, the best "
            f"other model ({splits} paired splits, standard error of the difference); within one "
            f"standard error: {', '.join(within) or 'none'}."
        )
    return lines


def write_tables(readme: Path, results: Path) -> str:
    """Put the tables of all experiments between the marks of a README, and return them."""
    parts = []
    for name in TABLES:
        records = read_records(results / f"{name}.jsonl")
        if records:
            parts.append(accuracy_table(read_experiment(HERE / f"{name}.toml"), records))
            parts.append(_made_by(records))
    tables = "\n".join(parts)
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, mark, after = rest.partition(_END)
    if not mark:
        raise ValueError(f"{readme.name} must hold the lines {_BEGIN} and {_END}.")
    written = readme.with_suffix(".tmp")
    written.write_text(f"{before}{_BEGIN}\n{tables}{_END}{after}", encoding="utf-8")
    written.replace(readme)
    return tables


def _made_by(records: list[Record]) -> str:
    """Machines, commits and time of the trials."""
    hours = sum(record["cpu_seconds"] for record in records) / 3600
    machines = sorted({f"{r['machine']}, {r['device']}" for r in records})
    commits = sorted({str(record["commit"]) for record in records})
    return (
        f"{len(records)} trials, {hours:.1f} hours of processor time, one thread each; "
        f"{'; '.join(machines)}; commits {', '.join(commits)}.\n"
    )


if __name__ == "__main__":
    print(write_tables(HERE / "README.md", HERE / "results"))
