"""What a class weighs in a training: a word or weights by class → a number for each class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_float, read_number
from gomkcn_dgl.errors import InputError

BALANCED = "balanced"
# as scikit-learn has it
ClassWeight = Mapping[Any, float] | str | None


def read_class_weight(name: str, value: Any) -> Any:
    """What weights of classes are given as: None, "balanced" or a dict, which a text may hold.

    >>> read_class_weight("class_weight", "active=3, inactive=1")
    {'active': 3.0, 'inactive': 1.0}
    """
    if value is None or value == BALANCED:
        return value
    if isinstance(value, str) and "=" in value:
        parts = [part.rpartition("=") for part in value.split(",")]
        value = {
            class_name.strip(): read_number(f"{name} of {class_name.strip()!r}", weight, float)
            for class_name, _, weight in parts
        }
    if not isinstance(value, Mapping):
        raise InputError(
            name,
            f"must be {BALANCED!r}, or a weight for each class such as active=3,inactive=1",
            got=repr(value),
        )
    return {
        class_name: check_float(f"{name} of {class_name!r}", weight, 0, open_minimum=True)
        for class_name, weight in value.items()
    }


def weights_of_classes(
    class_weight: ClassWeight, names: Sequence[Any], counts: np.ndarray
) -> np.ndarray:
    """What each class weighs, float64 ``[C]``, of classes with names and numbers of members.

    "balanced" gives all classes that have members the same sum; a class that a dict does not name
    has 1.

    >>> weights_of_classes("balanced", ["a", "b"], np.array([1, 3])).tolist()
    [2.0, 0.6666666666666666]
    """
    weights = np.ones(len(names))
    if class_weight == BALANCED:
        has_members = counts > 0
        np.divide(counts.sum(), has_members.sum() * counts, out=weights, where=has_members)
    elif isinstance(class_weight, Mapping):
        for number, weight in by_number(class_weight, names).items():
            weights[number] = weight
    return weights


def by_number(class_weight: ClassWeight, names: Sequence[Any]) -> Any:
    """The same by the numbers of classes in place of their names; unknown names are refused."""
    if not isinstance(class_weight, Mapping):
        return class_weight
    number_of = {class_name: number for number, class_name in enumerate(names)}
    for class_name in class_weight:
        if class_name not in number_of:
            raise InputError(
                "class_weight", f"must name classes, {list(names)}", got=repr(class_name)
            )
    return {number_of[class_name]: weight for class_name, weight in class_weight.items()}
