"""A fitted PatternMiner as a plain value, which a file holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gomkcn.mining.motif_sets.motif_set_record import StoredMotifSet
from gomkcn.mining.repeats.block_finding import RepeatedBlocks
from gomkcn.mining.structures.pattern import ClassSearch, StoredPatterns
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.relations import Relations


@dataclass(frozen=True)
class StoredParams:
    """The parameters of a miner but ``filters`` and ``random_state``; null models by name."""

    pattern_size: int | str | tuple[int, ...] | None
    sources: str | tuple[str, ...]
    given: tuple[Structure | str, ...]
    exact_copies: bool
    null: str | tuple[str, ...] | None
    null_samples: int | None
    weight: str | None
    within: str | None
    count_error: float
    count_seconds: float | None
    values: str
    n_jobs: int | None


@dataclass(frozen=True, eq=False)
class StoredMiner:
    """What a fitted miner needs to transform graphs, and to show what it has found.

    Attributes
    ----------
    params : StoredParams
    seed : int
        That was used, which stands for a generator of seeds.
    filters : str or None
        The parameter; None for a miner of filters, which is as the fitted one.
    fitted_filters : bytes or None
        The file of the fitted miner of filters.
    patterns, others : StoredPatterns
    motif_set : StoredMotifSet
    roles : dict from str to numpy.ndarray, or None
        The columns of the table of roles.
    relations, feature_names, is_partial, notes, warnings, null_models, random_graphs, classes
        The attributes of the miner.
    class_search : ClassSearch or None
    blocks : RepeatedBlocks or None
    miner_format : int
    """

    params: StoredParams
    seed: int
    filters: str | None
    fitted_filters: bytes | None
    patterns: StoredPatterns
    others: StoredPatterns
    motif_set: StoredMotifSet
    roles: dict[str, np.ndarray] | None
    relations: Relations
    feature_names: tuple[str, ...]
    is_partial: bool
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    null_models: dict[str, str]
    random_graphs: dict[str, str]
    classes: GraphClasses | None
    class_search: ClassSearch | None
    blocks: RepeatedBlocks | None
    miner_format: Literal[1] = 1
