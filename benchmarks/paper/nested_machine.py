"""A support vector machine whose kernel and C are chosen inside training and validation part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from paper.data import NodeData, Split
from paper.protocol import Family, Params, TrialOutcome

COSTS = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]
# the kernel matrix of all graphs or nodes of a set, for one of the settings
Gram = Callable[[Any, Any], np.ndarray]


def nested_machine(
    name: str, gram: Gram, settings: Sequence[Any], requires: Sequence[str] = ()
) -> Family:
    """A family of one trial, which chooses by five-fold cross-validation as ours does."""

    def trial(data: NodeData, split: Split, params: Params, seed: int) -> TrialOutcome:
        known = np.concatenate([split.train, split.val])
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        best, chosen = None, settings[0]
        for setting in settings:
            values = gram(data, setting)[np.ix_(known, known)]
            search = GridSearchCV(SVC(kernel="precomputed"), {"C": COSTS}, cv=folds)
            search.fit(values, data.labels[known])
            if best is None or search.best_score_ > best.best_score_:
                best, chosen = search, setting
        assert best is not None
        values = gram(data, chosen)[np.ix_(split.test, known)]
        accuracy = float((best.predict(values) == data.labels[split.test]).mean())
        return TrialOutcome(float(best.best_score_), None, accuracy, 1, 1)

    return Family(name, {}, trial, requires)
