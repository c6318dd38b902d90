"""The table ``[miner]`` of a settings file: the parameters of a miner, and their rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gomkcn.mining.significance.null_models import (
    CATEGORIES,
    NULL_MODELS,
    WEIGHTS,
    check_null,
)
from gomkcn_dgl.bounds import LONGEST
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.settings import SettingsTable, jobs_setting, seed_setting, setting

AUTO, NONE = "auto", "none"
# what shows structures that may be motifs
GROWN, FILTERS, FREQUENT = "grown", "filters", "frequent"
# structures of more nodes are not searched for
MOST_PATTERN_NODES = 10
# of one random graph there is no standard deviation; how many the test needs, a warning says
LEAST_SAMPLES = 2
_WHAT_IS_GIVEN = "structures: each a gomkcn.Structure, or a text such as 'ring-6' or 'a--b, b--c'"


def _null_words() -> tuple[str, ...]:
    """The names of the null models."""
    return (*NULL_MODELS, NONE)


def _names_that_permute(what: str) -> list[str]:
    """The null models that permute weights, or categories."""
    return [name for name, model in NULL_MODELS.items() if model.permutes == what]


def _words_that_draw() -> tuple[str, ...]:
    """The names of the null models that draw edges."""
    return (*_names_that_permute(""), NONE)


def _read_drawing_null(name: str, value: Any) -> Any:
    """Null models that draw edges, as a tuple: of others there is nothing to compare two graphs."""
    nulls = _read_null(name, value)
    for null in nulls if isinstance(nulls, tuple) else ():
        if isinstance(null, str) and null != AUTO and NULL_MODELS[null].permutes:
            known = ", ".join(map(repr, _words_that_draw()))
            raise InputError(name, f"must be one of {known} here", got=repr(null))
    return nulls


def _read_null(name: str, value: Any) -> Any:
    """Null models, by name or as such, as a tuple."""
    if value is None:
        return NONE
    nulls = tuple(value) if isinstance(value, list | tuple) else (value,)
    if nulls == (NONE,):
        return NONE
    for null in nulls:
        if null == NONE:
            raise InputError(name, "must be 'none' alone", got="another null model beside it")
        if null != AUTO:
            check_null(null, (AUTO, NONE))
    return nulls


def null_setting(default: Any, *, only_drawing: bool = False) -> Any:
    """The field of the null models; ``only_drawing``, of those that draw edges."""
    return setting(
        default,
        "Null model",
        words=_words_that_draw if only_drawing else _null_words,
        check=_read_drawing_null if only_drawing else _read_null,
        is_repeated=True,
        usual="degree, at as many sizes as take two minutes; none for molecules",
    )


def read_given(name: str, value: Any) -> Any:
    """Structures that a user gives as a tuple; a single one is a list of its own."""
    from gomkcn_dgl.graphs.structure import Structure

    is_single = isinstance(value, str | Structure)
    given = (value,) if is_single else value
    is_list = isinstance(given, Iterable) and hasattr(given, "__len__")
    others = [given]
    if is_list:
        others = [entry for entry in given if not isinstance(entry, str | Structure)]
    if others:
        kind = type(others[0]).__name__
        raise InputTypeError(name, f"must be a list of {_WHAT_IS_GIVEN}", got=kind)
    return tuple(given)


@dataclass(frozen=True)
class MinerSettings(SettingsTable):
    """What :class:`gomkcn.PatternMiner` documents."""

    pattern_size: int | str | tuple[int, int] | None = setting(
        None, "Motif size in nodes", least=1, most=MOST_PATTERN_NODES, usual="3-8; collections 2-10"
    )
    sources: tuple[str, ...] = setting(
        (GROWN, FILTERS),
        "Sources of candidates, separated by commas: sets of nodes that are grown; filters, not "
        "in molecules, nor above 10,000 edges; frequent subgraphs of a collection",
        words=(GROWN, FILTERS, FREQUENT),
    )
    given: tuple[Any, ...] = setting(
        (),
        "Pattern to try as well: a name such as ring-6, edges, a file or a SMILES",
        check=read_given,
        is_repeated=True,
    )
    exact_copies: bool = setting(False, "Copies have all edges of their motif and no others")
    null: str | tuple[Any, ...] | None = null_setting(AUTO)
    null_samples: int | None = setting(
        None,
        "Number of random graphs per null model",
        least=LEAST_SAMPLES,
        most=10**6,
        usual="199; to 1,999 while results are near the level, if that takes seconds",
    )
    weight: str | None = setting(
        None,
        "Column of edge weights: intensity and coherence of structures of 3 and 4 nodes, compared "
        "with permuted weights",
    )
    within: str | None = setting(
        None,
        "Column of nodes, component or degree: categories are permuted within its groups",
    )
    count_error: float = setting(0.02, "Target relative error of estimated counts", above=0, most=1)
    count_seconds: float | None = setting(
        None,
        "Work limit per count: X · 10⁸ steps, about X seconds of one thread; a step checks a node",
        above=0,
        most=LONGEST,
        usual="1; 10 above 8 million edges",
    )
    filters: str = setting(
        AUTO, "Whether frequent neighbourhoods are found as well, as filters", words=(AUTO, NONE)
    )
    values: str = setting(
        "copies",
        "Rows of transform: copies of motifs, occurrences of patterns, or their logarithm",
        words=("copies", "occurrences", "log"),
    )
    random_state: int = seed_setting()
    n_jobs: int | None = jobs_setting("Processes that share the work, -1 for one on each core")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sources", tuple(dict.fromkeys(self.sources)))
        of_weights = [null for null in self.nulls if null in _names_that_permute(WEIGHTS)]
        if of_weights and self.weight is None:
            raise InputError(
                "null",
                f"{of_weights[0]!r} permutes the weights of edges",
                got="no column of weights",
                way_out=("name it with ", Argument("weight")),
            )
        of_categories = [null for null in self.nulls if null in _names_that_permute(CATEGORIES)]
        if self.within is not None and not of_categories:
            raise InputError(
                "within",
                "is for the null model 'categories'",
                got=repr(self.within),
                way_out=("give ", Argument("null", CATEGORIES), " as well"),
            )

    @property
    def nulls(self) -> tuple[Any, ...]:
        """The null models that were asked for; the first one decides what is reported.

        Where a column of weights is named, that of permuted weights is one of them.
        """
        nulls = self.null if isinstance(self.null, tuple) else (self.null,)
        if nulls in ((None,), (NONE,)):
            return ()
        is_more = self.weight is not None and WEIGHTS not in nulls
        return (*nulls, WEIGHTS) if is_more else nulls
