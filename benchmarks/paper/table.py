"""Results → tables: the paper's figure, ours and the peers', and who is ahead of whom.

They stand in README.md between ``<!-- tables -->`` and ``<!-- end of tables -->``, and come from
``results/`` alone.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from paper.protocol import Experiment, read_experiment, select_trial
from paper.records import Record, read_records

HERE = Path(__file__).parent
TABLES = (
    "node_classification",
    "node_budget",
    "graph_classification",
    "graph_budget",
    "motif_classification",
    "bond_classification",
    "machine_classification",
)
_BEGIN, _END = "<!-- tables -->", "<!-- end of tables -->"


@dataclass(frozen=True)
class Cell:
    """What a model reached on a data set."""

    accuracies: dict[int, float]  # test accuracy in percent of each split's selected trial
    validation: float  # mean validation accuracy of these
    trials: tuple[int, int]  # fewest and most trials of a split
    seconds: float  # of processor that the trials of a split took together, mean over the splits

    @property
    def mean(self) -> float:
        return statistics.mean(self.accuracies.values())

    @property
    def deviation(self) -> float:
        values = list(self.accuracies.values())
        return statistics.stdev(values) if len(values) > 1 else 0.0


def _counts(experiment: Experiment, record: Record) -> bool:
    """Whether a trial is among those of the settings, and was not cut by its budget."""
    return _is_of(experiment, record) and record["val"] is not None


def _is_of(experiment: Experiment, record: Record) -> bool:
    return bool(record["trial"] < experiment.trials and record["split"] < experiment.splits)


def finished_searches(
    experiment: Experiment, records: Iterable[Record]
) -> dict[tuple[str, str], dict[int, list[Record]]]:
    """The trials of each split, by (model, data set); under a budget, of a search that is over.

    Trials past the settings do not count.
    """
    found: dict[tuple[str, str], dict[int, list[Record]]] = defaultdict(dict)
    for record in records:
        if _is_of(experiment, record):
            key = record["model"], record["data"]
            found[key].setdefault(record["split"], []).append(record)
    return {
        (model, data): {
            split: trials
            for split, trials in sorted(splits.items())
            if experiment.is_searched(data, trials)
        }
        for (model, data), splits in found.items()
    }


def cells(experiment: Experiment, records: Iterable[Record]) -> dict[tuple[str, str], Cell]:
    """One cell for each (model, data set) of which a trial has ended."""
    table = {}
    for key, searches in finished_searches(experiment, records).items():
        ended = {
            split: [record for record in trials if _counts(experiment, record)]
            for split, trials in searches.items()
        }
        selected = {split: select_trial(trials) for split, trials in ended.items() if trials}
        if not selected:
            continue
        numbers = [len(trials) for trials in ended.values()]
        seconds = [sum(one["cpu_seconds"] for one in trials) for trials in searches.values()]
        table[key] = Cell(
            {split: 100 * record["test"] for split, record in selected.items()},
            statistics.mean(record["val"] for record in selected.values()),
            (min(numbers), max(numbers)),
            statistics.mean(seconds),
        )
    return table


def accuracy_table(experiment: Experiment, records: Iterable[Record]) -> str:
    """Rows are models, columns data sets; the figure printed in the paper is in brackets."""
    records = list(records)
    by_key = cells(experiment, records)
    printed = experiment.printed
    said = "; in brackets what the paper prints" if printed else ""
    head, *rows = accuracy_rows(experiment, by_key)
    lines = [
        f"**{experiment.title}**, mean ± standard deviation over the splits{said}. Behind the "
        "semicolon: the number of splits, where it is not "
        f"{experiment.splits}, of trials, and the seconds of processor that the trials of a split "
        "took together",
        "",
        f"| {' | '.join(head)} |",
        "|---" * len(head) + "|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    lines += _filters_that_are_motifs(experiment, records)
    standings = _standings(experiment, by_key)
    if standings:
        lines += [
            "",
            "Paired differences over the splits that both have, ± their standard error:",
            "",
        ]
        lines += standings
    lines.append("")
    lines += [f"- {sentence}" for sentence in unfinished(experiment, records)]
    lines += [f"- {note}" for note in experiment.notes.values()]
    return "\n".join(lines) + "\n"


def accuracy_rows(
    experiment: Experiment, by_key: Mapping[tuple[str, str], Cell]
) -> list[list[str]]:
    """The head, data sets with their budgets, and a row for each model."""
    heads = [
        f"{data}, {experiment.budgets[data]:g} s" if data in experiment.budgets else data
        for data in experiment.data_sets
    ]
    rows = [["", *heads]]
    for model in experiment.models:
        printed = experiment.printed.get(model, {})
        cells_of_row = (
            cell_text(experiment, by_key.get((model, data)), printed.get(data))
            for data in experiment.data_sets
        )
        rows.append([model, *cells_of_row])
    return rows


def unfinished(experiment: Experiment, records: Iterable[Record]) -> list[str]:
    """A sentence for each data set whose budgets were not spent on all splits."""
    searches, lines = finished_searches(experiment, records), []
    for data in experiment.budgets:
        done = min(len(searches.get((model, data), {})) for model in experiment.models)
        if done < experiment.splits:
            command = f"python benchmarks/run.py {experiment.name}"
            lines.append(
                f"{data} is unfinished: all models have spent their budget on {done} of "
                f"{experiment.splits} splits; `{command}` goes on."
            )
    return lines


def cost_table(experiment: Experiment, records: Iterable[Record]) -> str:
    """Processor time of a trial, training and test, and of the test alone."""
    by_key: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        if _counts(experiment, record):
            by_key[record["model"], record["data"]].append(record)
    lines = [
        "Seconds of processor time of a trial on one thread, median (and most); behind the "
        "semicolon those of predicting the test part, where they were measured:",
        "",
        f"| | {' | '.join(experiment.data_sets)} |",
        "|---" * (len(experiment.data_sets) + 1) + "|",
    ]
    for model in experiment.models:
        row = [_cost_text(by_key.get((model, data), [])) for data in experiment.data_sets]
        lines.append(f"| {model} | {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def _cost_text(records: list[Record]) -> str:
    if not records:
        return "–"
    seconds = [record["cpu_seconds"] for record in records]
    text = f"{statistics.median(seconds):.3g} ({max(seconds):.3g})"
    predicting = [r["predict_seconds"] for r in records if r.get("predict_seconds") is not None]
    return text + (f"; {statistics.median(predicting):.2g}" if predicting else "")


def _filters_that_are_motifs(experiment: Experiment, records: Iterable[Record]) -> list[str]:
    """A sentence for each of our networks and data sets: how many motifs are among the filters."""
    lines = []
    for data in experiment.data_sets:
        for model in experiment.ours:
            by_split: dict[int, list[Record]] = defaultdict(list)
            for record in records:
                is_it = (record["model"], record["data"]) == (model, data)
                if is_it and record.get("motifs") is not None and _counts(experiment, record):
                    by_split[record["split"]].append(record)
            found = [select_trial(trials)["motifs"] for trials in by_split.values()]
            if found:
                lines.append(
                    f"- {data}: motifs among the filters of {model}, in {len(found)} splits: "
                    f"{', '.join(map(str, sorted(found, reverse=True)))}."
                )
    return ["", *lines] if lines else []


def cell_text(experiment: Experiment, cell: Cell | None, printed: list[float] | None) -> str:
    """Mean ± standard deviation in percent, what the paper prints, and what it took."""
    of_paper = "" if printed is None else f" ({printed[0]:.1f} ± {printed[1]:.1f})"
    if cell is None:
        return f"–{of_paper}"
    splits = len(cell.accuracies)
    low, high = cell.trials
    parts = [
        f"{low if low == high else f'{low} to {high}'} trial{'s' * (high > 1)}",
        f"{cell.seconds:.{0 if cell.seconds >= 10 else 1}f} s",
    ]
    if splits < experiment.splits:
        parts.insert(0, f"{splits} split{'s' * (splits > 1)}")
    spread = f" ± {cell.deviation:.1f}" * (splits > 1)
    return f"{cell.mean:.1f}{spread}{of_paper}; {', '.join(parts)}"


def compare(ours: Cell, other: Cell) -> tuple[float, float, int]:
    """Mean difference over the splits that both have, its standard error, and their number."""
    both = sorted(set(ours.accuracies) & set(other.accuracies))
    differences = [ours.accuracies[split] - other.accuracies[split] for split in both]
    if len(differences) < 2:
        return (differences or [0.0])[0], float("inf"), len(differences)
    return statistics.mean(differences), statistics.stdev(differences) / len(both) ** 0.5, len(both)


def _standings(experiment: Experiment, by_key: Mapping[tuple[str, str], Cell]) -> list[str]:
    """For each data set: the best peer, how far ours are ahead or behind, and the ablation."""
    lines = []
    for data in experiment.data_sets:
        found = {model: cell for model in experiment.models if (cell := by_key.get((model, data)))}
        own = [model for model in experiment.ours if model in found]
        lacking = {model for models in experiment.ablations.values() for model in models}
        peers = [m for m in found if m not in (*experiment.ours, *lacking)]
        sentences = []
        if own and peers:
            # folds differ, so that a mean over fewer of them says less
            most = max(len(found[model].accuracies) for model in peers)
            complete = [model for model in peers if len(found[model].accuracies) == most]
            best = max(complete, key=lambda model: found[model].mean)
            sentences.append(f"{best} is the best peer")
            sentences += [_standing(model, found[model], found[best]) for model in own]
            sentences += _choice(experiment, found)
        sentences += [
            f"{full} is {_difference(found[full], found[model], model)}"
            for full, models in experiment.ablations.items()
            for model in models
            if full in found and model in found and compare(found[full], found[model])[2]
        ]
        if sentences:
            lines.append(f"- {data}: {'; '.join(sentences)}.")
    return lines


def _choice(experiment: Experiment, found: Mapping[str, Cell]) -> list[str]:
    """Which of ours validation chooses, where all have the same splits, and it no more trials."""
    cells_of = {model: found[model] for model in experiment.alternatives if model in found}
    splits = {tuple(cell.accuracies) for cell in cells_of.values()}
    if len(cells_of) < 2 or len(splits) > 1:
        return []
    chosen = max(cells_of, key=lambda model: cells_of[model].validation)
    # the best of more trials is better for that reason alone
    if cells_of[chosen].trials[1] > min(cell.trials[0] for cell in cells_of.values()):
        return []
    return [f"of {' and '.join(cells_of)} validation chooses {chosen}"]


def _standing(model: str, ours: Cell, best: Cell) -> str:
    """How far a model is ahead of the best peer or behind it."""
    if not compare(ours, best)[2]:
        return f"{model} has no split in common with it"
    return f"{model} is {_difference(ours, best)}"


def _difference(ours: Cell, other: Cell, name: str = "") -> str:
    difference, error, splits = compare(ours, other)
    side = "ahead" if difference > 0 else "behind" if difference < 0 else "level"
    if name:
        side += {"ahead": " of", "behind": "", "level": " with"}[side] + f" “{name}”"
    text = f"{abs(difference):.1f}"
    if splits < 2:
        return f"{text} {side} on one split, which says nothing of the spread"
    few = (
        "" if splits == max(len(ours.accuracies), len(other.accuracies)) else f" on {splits} splits"
    )
    return f"{text} ± {error:.1f} {side}{few}"


def write_tables(readme: Path, results: Path) -> None:
    """Put the tables of all experiments between the marks of a README."""
    parts = []
    for name in TABLES:
        records = read_records(results / f"{name}.jsonl")
        experiment = read_experiment(HERE / f"{name}.toml")
        # a budget that was not begun is said to be unfinished
        if records or experiment.budgets:
            parts.append(accuracy_table(experiment, records))
        if records:
            parts.append(cost_table(experiment, records))
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


def _made_by(records: list[Record]) -> str:
    """Machines, commits and time of the trials."""
    hours = sum(record["cpu_seconds"] for record in records) / 3600
    machines = sorted({f"{r['machine']}, {r['device']}" for r in records})
    commits = sorted({str(record["commit"]) for record in records})
    return (
        f"{len(records)} trials, {hours:.1f} hours of processor time, one thread each; "
        f"{'; '.join(machines)}; commits {', '.join(commits)}.\n"
    )
