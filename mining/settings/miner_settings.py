"""The table ``[miner]`` of a settings file: the parameters of a miner, and their rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gomkcn.mining.significance.null_models import NULL_MODELS, check_null
from gomkcn_dgl.bounds import LONGEST
from gomkcn_dgl.errors import InputError, InputTypeError
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


def null_setting(default: Any) -> Any:
    """The field of the null models."""
    return setting(
        default,
        "Null model",
        words=_null_words,
        check=_read_null,
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

    @property
    def nulls(self) -> tuple[Any, ...]:
        """The null models that were asked for; the first one decides what is reported."""
        nulls = self.null if isinstance(self.null, tuple) else (self.null,)
        return () if nulls in ((None,), (NONE,)) else nulls
