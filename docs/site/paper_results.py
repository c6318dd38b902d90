"""What the page on the paper says: every number and table, from the committed results."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from paper import (
    data_sets,
    drawings,
    epoch_time,
    frequent,
    interpretability,
    isomorphic,
    sensitivity,
    trained,
)
from paper.protocol import Experiment, read_experiment
from paper.records import Record, read_records, read_toml
from paper.row_experiment import RowExperiment
from paper.table import Cell, accuracy_rows, cell_text, cells, unfinished

PAPER = Path(__file__).parents[2] / "benchmarks" / "paper"
OURS = "GOMKCN"
ROW_EXPERIMENTS: dict[str, RowExperiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (
        *(isomorphic, frequent, interpretability, trained),
        *(data_sets, drawings, epoch_time, sensitivity),
    )
}
ACCURACIES = ("node_classification", "graph_classification", "node_budget", "graph_budget")


@cache
def lines(name: str) -> list[Record]:
    """The lines of an experiment that are of its settings."""
    experiment = ROW_EXPERIMENTS[name]
    return experiment.lines(PAPER / "results" / f"{name}.jsonl", settings(name))


@cache
def settings(name: str) -> dict[str, Any]:
    """The settings of an experiment, with what the paper prints."""
    return read_toml(PAPER / f"{name}.toml")


@cache
def accuracy(name: str) -> tuple[Experiment, dict[tuple[str, str], Cell], list[Record]]:
    """An accuracy table: its settings, its cells by model and data set, and its trials."""
    experiment = read_experiment(PAPER / f"{name}.toml")
    records = read_records(PAPER / "results" / f"{name}.jsonl")
    return experiment, cells(experiment, records), records


def fingerprint() -> str:
    """Of the results, and of what they are results of; a picture has that of its own."""
    digest = hashlib.sha256()
    for name in sorted([*ROW_EXPERIMENTS, *ACCURACIES]):
        for path in (PAPER / f"{name}.toml", PAPER / "results" / f"{name}.jsonl"):
            digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()[:16]


def values() -> dict[str, str]:
    """What takes the place of each ``{{ name }}`` of the page."""
    found = {
        **_isomorphic(),
        **_frequent(),
        **_interpretability(),
        **_trained(),
        **_accuracies("node_classification", "node"),
        **_accuracies("graph_classification", "graph"),
        **_budgets("node_budget", "graph_budget"),
        **_sensitivity(),
        **_epoch_time(),
        **_data_sets(),
    }
    found["made_on"] = "; ".join(
        sorted({_machine(line) for name in ROW_EXPERIMENTS for line in lines(name)})
    )
    return found


def _machine(line: Record) -> str:
    machine = line["made"]["machine"]
    return f"{machine['processor']}, {machine['cores']} cores"


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def _number(value: float | None, spec: str = ".1f") -> str:
    """A number, or a dash for what was not run."""
    return "–" if value is None or math.isnan(value) else format(value, spec)


def _signed(points: float) -> str:
    return f"{points:+.1f}".replace("-", "−")


def _of(done: float, every: float) -> str:
    return f"{done:.0f} of {every:.0f}"


# figure 7

# those of the table, and what their values are called
_KERNELS = {"GOMK": "gomk", "GOMK, levels not scaled, greedy": "printed", "RWK+": "rwk"}


def _isomorphic() -> dict[str, str]:
    rows, found = [], {}
    for kernel in _KERNELS:
        for features in ("uniform", "constant"):
            own = [
                line
                for line in lines("isomorphic")
                if (line["kernel"], line["features"]) == (kernel, features)
            ]
            total = {
                key: sum(line[key] for line in own)
                for key in (
                    "targets",
                    "isomorphic",
                    "ambiguous",
                    "isomorphic_not_ambiguous",
                    "mean_error_near",
                )
            }
            key = f"iso_{_KERNELS[kernel]}_{features}"
            found[key] = _of(total["isomorphic"], total["targets"])
            told = _of(total["isomorphic_not_ambiguous"], total["targets"] - total["ambiguous"])
            found[f"{key}_told"] = told
            rows.append(
                [
                    kernel,
                    features,
                    found[key],
                    told,
                    _of(total["mean_error_near"], total["targets"]),
                ]
            )
    head = [
        "kernel",
        "features",
        "isomorphic to the target",
        "of those that walks tell apart",
        "and features within .1",
    ]
    sparse = next(
        line
        for line in lines("isomorphic")
        if line["kernel"] == "RWK+" and line["features"] == "uniform"
    )
    found["iso_table"] = _table(head, rows)
    found["rwk_edges"] = (
        f"{sparse['edges_target']:.0%} of the pairs, the filters have {sparse['edges_learnt']:.0%}"
    )
    for name, key in (("GOMK", "course_gomk"), ("RWK+", "course_rwk")):
        course = _drawing("course", name)
        learnt, target = course["filters"][-1], course["target"]
        edges = [int((np.array(one["weights"]) > 0.5).sum() // 2) for one in (learnt, target)]
        found[key] = f"{edges[0]} edges where the target has {edges[1]}"
    return found


def _drawing(drawing: str, name: str) -> Record:
    return next(
        line for line in lines("drawings") if (line["drawing"], line["name"]) == (drawing, name)
    )


# figure 8


def frequent_groups() -> dict[tuple[str, str], list[Record]]:
    """The lines of section VI-B by features and way to learn."""
    return {key[1:]: own for key, own in frequent.grouped(lines("frequent")).items()}


def _frequent() -> dict[str, str]:
    rows, found = [], {}
    for (features, name), own in frequent_groups().items():
        if features == "per_type":
            continue
        every = len(own[0]["assigned"])
        all_found = _of(sum(line["recovered"] == every for line in own), len(own))
        mean = np.mean([line["recovered"] for line in own])
        counts = [count for line in own for count in line["exact"].values() if count]
        assigned = [
            n for line in own for motif, n in line["assigned"].items() if line["exact"][motif]
        ]
        kind = "for each node" if features == "per_node" else "constant"
        rows.append([kind, name, all_found, f"{mean:.1f}", _range(assigned), _range(counts)])
        key = f"frequent_{name.split(',')[-1].strip().replace(' ', '_')}_{features}"
        found[key] = all_found
        found[f"{key}_mean"] = f"{mean:.1f}"
        found[f"{key}_exact"], found[f"{key}_assigned"] = _range(counts), _range(assigned)
    head = [
        "features",
        "settings",
        "graphs with all four motifs",
        "motifs of four, mean",
        "nodes of a motif's filter",
        "of these exactly",
    ]
    found["frequent_table"] = _table(head, rows)
    one = lines("frequent")[0]["settings"]["graph"]
    sizes = {frequent.MOTIFS[name].num_nodes * one["copies"] for name in one["motifs"]}
    found["frequent_nodes"] = " or ".join(map(str, sorted(sizes)))
    return found


def _range(numbers: list[float]) -> str:
    """Median and range of counts."""
    return f"{np.median(numbers):.0f} ({min(numbers):.0f}–{max(numbers):.0f})" if numbers else "–"


# figure 9


def _interpretability() -> dict[str, str]:
    rows, found = [], {}
    for run in dict.fromkeys(line["run"] for line in lines("interpretability")):
        own = [line for line in lines("interpretability") if line["run"] == run]
        parts = [
            100 * np.mean([line["test"] for line in own]),
            np.mean([line["motifs"] for line in own]),
            100 * np.mean([line["inside"] for line in own]),
        ]
        how = own[0]["settings"]["run"]
        rows.append(
            [
                run,
                how["features"].replace("_", " "),
                f"{how['contrast']:g}",
                str(len(own)),
                f"{parts[0]:.2f}%",
                f"{parts[1]:.1f}",
                f"{parts[2]:.1f}%",
            ]
        )
        key = "interp_" + run.replace(",", "").replace(" ", "_")
        found |= {
            key: f"{parts[0]:.2f}%",
            f"{key}_seeds": str(len(own)),
            f"{key}_motifs": f"{parts[1]:.1f}",
            f"{key}_inside": f"{parts[2]:.1f}%",
        }
        found[f"{key}_epochs"] = str(own[0]["epochs"])
        found[f"{key}_graphs"] = f"{own[0]['settings']['data']['num_graphs']:,}"
    head = [
        "run",
        "features",
        "contrast",
        "seeds",
        "test accuracy",
        "classes whose filter is their motif",
        "highest response inside the motif",
    ]
    found["interp_table"] = _table(head, rows)
    return found


# the settings of section VI-C whose values have a name, by their options and number of graphs
_NAMED = {
    ("--preset paper", 800): "trained_paper_800",
    ("--preset tuned", 800): "trained_tuned_800",
    ("--preset paper --init classes", 800): "trained_start",
    ("--preset paper --feature-contrast 0.3", 800): "trained_contrast",
    ("--preset paper --matching optimal", 800): "trained_matching",
}


def _trained() -> dict[str, str]:
    rows, found = [], {}
    for name, run in settings("trained")["runs"].items():
        own = [line for line in lines("trained") if line["run"] == name]
        accuracy = _mean_and_range([100 * line["test"] for line in own], "%")
        motifs = _mean_and_range([line["motifs"] for line in own])
        options = " ".join(run["options"])
        rows.append(
            [
                f"`gomkcn train motifs.bin {options}`",
                f"{run['graphs']:,}",
                f"{len(own)} of {len(run['seeds'])}",
                accuracy,
                motifs,
            ]
        )
        if key := _NAMED.get((options, run["graphs"])):
            found |= {key: accuracy, f"{key}_motifs": motifs}
    head = ["command", "graphs", "seeds that were run", "test accuracy", "motifs among the filters"]
    found["trained_table"] = _table(head, rows)
    return found


def _mean_and_range(numbers: list[float], unit: str = "") -> str:
    if not numbers:
        return "–"
    least, most = min(numbers), max(numbers)
    spread = f" ({least:.1f}–{most:.1f})" if least < most else ""
    return f"{np.mean(numbers):.1f}{unit}{spread}"


# tables II, III, V, VII


def paper_models(experiment: Experiment) -> list[str]:
    """The models of a table of the paper, in its order."""
    return [model for model in experiment.models if model in experiment.printed]


def _accuracies(name: str, short: str) -> dict[str, str]:
    experiment, by_key, records = accuracy(name)
    printed = experiment.printed
    rows = [
        [
            model,
            *(
                cell_text(experiment, by_key.get((model, data)), printed[model].get(data))
                for data in _data_of(experiment)
            ),
        ]
        for model in paper_models(experiment)
    ]
    found = {f"{short}_table": _table(["", *_data_of(experiment)], rows)}
    ahead, behind = [], []
    for data in _data_of(experiment):
        cell = by_key[OURS, data]
        others = [
            by_key[model, data]
            for model in paper_models(experiment)
            if model != OURS and (model, data) in by_key
        ]
        # folds differ, so that a mean over fewer of them says less
        whole = [other.mean for other in others if len(other.accuracies) == experiment.splits]
        found[f"{short}_{data}"] = f"{cell.mean:.1f}"
        found[f"{short}_{data}_printed"] = f"{printed[OURS][data][0]:.1f}"
        if len(cell.accuracies) == experiment.splits:
            (ahead if cell.mean > max(whole) else behind).append(
                f"{data} ({_signed(cell.mean - max(whole))})"
            )
    found[f"{short}_ahead"] = ", ".join(ahead) or "none"
    found[f"{short}_behind"] = ", ".join(behind) or "none"
    apart = [
        by_key[OURS, data].mean - printed[OURS][data][0]
        for data in _data_of(experiment)
        if len(by_key[OURS, data].accuracies) == experiment.splits
    ]
    found[f"{short}_apart"] = f"{_signed(min(apart))} to {_signed(max(apart))}"
    found[f"{short}_splits"] = str(experiment.splits)
    found[f"{short}_trials"] = str(experiment.trials)
    found[f"{short}_ranges"] = _ranges(experiment, records)
    return found


def _budgets(*names: str) -> dict[str, str]:
    """The tables of equal budgets, and what of them is unfinished."""
    found, sets, missing = {}, 0, 0
    for name in names:
        experiment, by_key, records = accuracy(name)
        head, *rows = accuracy_rows(experiment, by_key)
        sentences = unfinished(experiment, records)
        sets, missing = sets + len(experiment.data_sets), missing + len(sentences)
        points = {record["model"]: record["points"] for record in records}
        found |= {
            f"{name}_table": _table(head, rows),
            f"{name}_unfinished": "\n".join(f"- {sentence}" for sentence in sentences),
            f"{name}_grids": ", ".join(f"{model} {number}" for model, number in points.items()),
            f"{name}_splits": str(experiment.splits),
            f"{name}_trials": str(experiment.trials),
        }
    found["budgets_finished"] = _of(sets - missing, sets)
    return found


def _data_of(experiment: Experiment) -> list[str]:
    """The sets of the paper that were run."""
    return [data for data in experiment.data_sets if data in experiment.printed[OURS]]


def _ranges(experiment: Experiment, records: list[Record]) -> str:
    """What the paper prints for each parameter, and the values that GOMKCN's trials took here."""
    params = [record["params"] for record in records if record["model"] == OURS]
    rows = []
    for name, entry in experiment.ranges.items():
        used = {one[name] for one in params if name in one}
        rows.append(
            [
                entry["called"],
                _listed(entry["printed"]),
                _listed(sorted(used, key=str)) if used else _DEFAULTS[name],
            ]
        )
    return _table(["parameter", "printed", "here"], rows)


def _listed(entries: list[Any]) -> str:
    numbers = all(isinstance(entry, (int, float)) for entry in entries)
    return ", ".join(
        f"{entry:g}" if numbers else str(entry)
        for entry in (sorted(entries) if numbers else entries)
    )


# what is not among the parameters of a trial
_DEFAULTS = {"num_filters": "as many as classes", "tau": "1"}


# figures 10 and 11


def _sensitivity() -> dict[str, str]:
    own, found = settings("sensitivity"), {}
    for figure, design in own["figures"].items():
        ran = [line for line in lines("sensitivity") if line["figure"] == figure]
        splits = {
            data: len({line["split"] for line in ran if line["data"] == data})
            for data in own["data"]
        }
        found[f"{figure}_splits"] = " and ".join(
            f"{number} split{'s' * (number > 1)} of {data}"
            for data, number in splits.items()
            if number
        )
        found[f"{figure}_epochs"] = str(design["epochs"])
    for data in own["data"]:
        found |= _size(data, own["printed"][data]) | _depth(data)
    return found


def _size(data: str, held: float) -> dict[str, str]:
    """Accuracy with one node, at the size that the paper calls enough, and at best."""
    points = sensitivity.accuracies(lines("sensitivity"), "size", data, "max_nodes")
    means = {size: float(np.mean(accuracies)) for (size,), accuracies in points.items()}
    whole = next(line["held_whole"] for line in lines("data_sets") if line["data"] == data)
    enough = next(size for size, share in enumerate(whole, 1) if share >= held)
    near = min(means, key=lambda size: abs(size - enough), default=enough)
    best = max(means, key=lambda size: means[size], default=1)
    largest = max(means, default=1)
    return {
        f"size_{data}_one": _number(means.get(1)),
        f"size_{data}_enough": str(enough),
        f"size_{data}_held": f"{held:.0%}",
        f"size_{data}_near": str(near),
        f"size_{data}_at_enough": _number(means.get(near)),
        f"size_{data}_most": f"{_number(means.get(largest))} with {_nodes(largest)}",
        f"size_{data}_best": f"{_number(means.get(best))} with {_nodes(best)}",
    }


def _nodes(number: int) -> str:
    return f"{number} node{'s' * (number > 1)}"


# what is said of depth and levels
_OF_DEPTH = ("best", "flat", "one", "most", "range")


def _depth(data: str) -> dict[str, str]:
    """Accuracy of the best point, of one layer, and of the point farthest from it."""
    points = sensitivity.accuracies(lines("sensitivity"), "depth", data, "num_layers", "num_steps")
    if not points:
        return dict.fromkeys((f"depth_{data}_{what}" for what in _OF_DEPTH), "–")
    means = {point: float(np.mean(accuracies)) for point, accuracies in points.items()}
    best = max(means, key=lambda point: means[point])
    most = max(means, key=sum)
    return {
        f"depth_{data}_best": _number(means.get(best)) + " at L = {}, t = {}".format(*best),
        f"depth_{data}_range": f"{min(means.values()):.1f} and {max(means.values()):.1f}",
        f"depth_{data}_flat": _number(means.get((1, 0))),
        f"depth_{data}_one": _number(means.get((1, 1))),
        f"depth_{data}_most": _number(means.get(most)) + " at L = {}, t = {}".format(*most),
    }


# figure 12


def _epoch_time() -> dict[str, str]:
    own, models = settings("epoch_time"), settings("epoch_time")["models"]
    # what was not run is not a number
    median = defaultdict(
        lambda: math.nan,
        {(one["model"], one["data"]): np.median(one["measured"]) for one in lines("epoch_time")},
    )
    sets, extraction = own["data"], epoch_time.EXTRACTION
    rows = [[model, *(_number(median[model, data], ".3f") for data in sets)] for model in models]
    found = {"epoch_table": _table(["seconds of an epoch", *sets], rows)}
    printed = own["printed"]["extraction"]
    rows = [
        [f"{model}, printed", *(f"{seconds[data]:.2f}" for data in sets)]
        for model, seconds in printed.items()
    ]
    rows.append(["here", *(_number(median[extraction, data], ".3f") for data in sets)])
    found["extraction_table"] = _table(["seconds of the extraction", *sets], rows)
    for data in sets:
        ours = median[OURS, data]
        found |= {
            f"epoch_{data}": _number(ours, ".2f"),
            f"epoch_{data}_over_KerGNN": _number(ours / median["KerGNN", data]),
            f"epoch_{data}_over_GCN": _number(ours / median["GCN", data]),
            f"extraction_{data}": _number(median[extraction, data], ".3f"),
            f"extraction_{data}_printed": f"{printed[OURS][data]:.2f}",
        }
    found["epoch_params"] = (
        "{num_filters} filters of {filter_size} nodes, t = {num_steps}, width {hidden}, "
        "{batch_size} graphs a batch".format(**own["params"])
    )
    return found


# tables IV and VI


def _data_sets() -> dict[str, str]:
    own, found = settings("data_sets"), {}
    for kind in data_sets.KINDS:
        rows = [
            [line["data"], *data_sets.beside_printed(line, own).values()]
            for line in lines("data_sets")
            if line["kind"] == kind
        ]
        names = data_sets.NAMES if kind == "graph" else data_sets.NAMES[1:]
        found[f"{kind}_data"] = _table(["", *names], rows)
    return found
