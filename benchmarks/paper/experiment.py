"""The settings of an experiment, read from its .toml, and the trials that it asks for."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gomkcn_dgl.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KINDS = ("node", "graph")


@dataclass(frozen=True)
class Trial:
    """One line of the results: which model, where, which point of its grid."""

    data: str
    model: str
    split: int
    trial: int


@dataclass(frozen=True)
class Experiment:
    """An accuracy table of the paper.

    Attributes
    ----------
    name, title : str
        Name of the .toml, and what the table is about.
    kind : str
        ``"node"`` or ``"graph"``.
    data_sets, models : list of str
        Columns and rows.
    splits, trials : int
        How many splits, from 0, and trials on each, from 0; the same for every model.
    limit : float
        Seconds after which a trial is given up and "not finished" is the result.
    printed : dict
        The paper's figures in percent, ``{model: {data set: [mean, deviation]}}``.
    notes : dict
        A sentence on a data set, below the table.
    """

    name: str
    title: str
    kind: str
    data_sets: list[str]
    models: list[str]
    splits: int
    trials: int
    limit: float
    printed: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def all_trials(self) -> Iterator[Trial]:
        """All trials; every model has its trial ``i`` on every split before any has ``i + 1``."""
        for data in self.data_sets:
            for trial in range(self.trials):
                for split in range(self.splits):
                    for model in self.models:
                        yield Trial(data, model, split, trial)


def read_experiment(path: Path) -> Experiment:
    """Read an experiment; a key that is not known or not there is an error."""
    with path.open("rb") as file:
        settings: Mapping[str, Any] = tomllib.load(file)
    fields = {one.name: one for one in dataclasses.fields(Experiment) if one.name != "name"}
    unknown = sorted(set(settings) - set(fields))
    needed = {name for name, one in fields.items() if one.default_factory is dataclasses.MISSING}
    missing = sorted(needed - set(settings))
    if unknown or missing:
        raise InputError(
            f"{path.name} must have the keys {', '.join(sorted(needed))}; "
            f"unknown: {', '.join(unknown) or 'none'}; missing: {', '.join(missing) or 'none'}."
        )
    if settings["kind"] not in KINDS:
        raise InputError(f"kind must be one of {', '.join(KINDS)}, got {settings['kind']!r}.")
    return Experiment(name=path.stem, **settings)
