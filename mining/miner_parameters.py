"""The parameters of a PatternMiner: their defaults, their rules, and the objects they define."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from sklearn.base import BaseEstimator

from gomkcn_dgl.checks import check_choice, check_float, check_int, check_jobs, check_sizes
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.matching import GOMKKernel, check_kernel
from gomkcn_dgl.runtime import html_of
from mining.choice import LEAST_SAMPLES, ChoiceRules
from mining.counting.sought import steps_in
from mining.learning.filter_learning import FilterLearning
from mining.mined_graph import MinedGraph
from mining.motif_sets.finding import MOST_NODES
from mining.null_models import check_null
from mining.pattern_counts import LEVELS, VALUES

DEFAULT_KERNEL = GOMKKernel(3, tau=0.5)
AUTO, NONE = "auto", "none"
# sizes of which structures are counted and compared, where none is given
USUAL_SIZES = range(3, 9)
# what may show structures
SOURCES = ("grown", "filters", "frequent")
# filters have as many nodes as the largest pattern, where no size is given this many
FILTER_NODES = 8
# the null model of "auto", which is drawn where that takes two minutes at most
DEFAULT_NULL = "degree"
# most work to count a pattern, in seconds of a thread, and in a graph of more edges
COUNT_SECONDS, LARGE_COUNT_SECONDS, LARGE = 1.0, 10.0, 8_000_000


@dataclass(eq=False, repr=False)
class MinerParameters(BaseEstimator):
    """Stores the parameters as scikit-learn asks; :class:`gomkcn.PatternMiner` documents them."""

    num_patterns: int = 12
    pattern_size: int | str | tuple[int, int] | None = None
    _: KW_ONLY
    sources: str | tuple[str, ...] = AUTO
    given: tuple[Structure | str, ...] = ()
    exact_copies: bool = False
    null: str | tuple[str, ...] | None = "auto"
    null_samples: int = 199
    count_error: float = 0.02
    count_seconds: float | None = None
    num_epochs: int = 60
    learning: FilterLearning | None = None
    min_occurrences: int = 5
    level: str = "node"
    values: str = "copies"
    random_state: int = 0
    kernel: GOMKKernel | None = None
    backend: str = "auto"
    n_jobs: int | None = None

    @property
    def sizes(self) -> range | None:
        """The sizes of patterns, as ``pattern_size`` says it; None for the usual ones."""
        return (
            None
            if self.pattern_size is None
            else check_sizes("pattern_size", self.pattern_size, 1, MOST_NODES)
        )

    @property
    def filter_nodes(self) -> int:
        """Nodes of a filter."""
        return FILTER_NODES if self.sizes is None else self.sizes[-1]

    def sources_for(self, mined: MinedGraph) -> tuple[str, ...]:
        """What shows structures of a graph, as ``sources`` says it."""
        named = self._named_sources()
        if named != (AUTO,):
            return named
        return SOURCES[: 2 if mined.has_numeric_features else 1]

    def _named_sources(self) -> tuple[str, ...]:
        names = self.sources.split(",") if isinstance(self.sources, str) else self.sources
        return tuple(dict.fromkeys(one.strip() for one in names))

    @property
    def nulls(self) -> tuple[Any, ...]:
        """The null models that were asked for; the first one decides what is reported."""
        nulls = tuple(self.null) if isinstance(self.null, list | tuple) else (self.null,)
        return () if nulls in ((None,), (NONE,)) else nulls

    def resolve_kernel(self) -> GOMKKernel:
        """``kernel``, or the default."""
        kernel: GOMKKernel = check_kernel(self.kernel, DEFAULT_KERNEL)
        return kernel

    def resolve_learning(self) -> FilterLearning:
        """``learning``, or the default."""
        learning = FilterLearning() if self.learning is None else self.learning
        if not isinstance(learning, FilterLearning):
            raise InputTypeError(f"learning must be a gomkcn.FilterLearning, got {learning!r}.")
        return learning

    def choice_rules(self, num_edges: int) -> ChoiceRules:
        """What is reported of a graph of so many edges."""
        return ChoiceRules(
            self.sizes or USUAL_SIZES,
            self.num_patterns,
            tuple(dict.fromkeys(DEFAULT_NULL if one == AUTO else one for one in self.nulls)),
            AUTO in self.nulls,
            self.null_samples,
            self.count_error,
            steps_in(self.seconds_of_a_count(num_edges > LARGE)),
            self.min_occurrences,
            self.random_state,
        )

    def seconds_of_a_count(self, is_large: bool = False) -> float:
        """Most work of a count, in seconds of one thread."""
        usual = LARGE_COUNT_SECONDS if is_large else COUNT_SECONDS
        return usual if self.count_seconds is None else self.count_seconds

    def check(self) -> None:
        """Raise an InputError for a parameter out of range."""
        check_int("num_patterns", self.num_patterns, 1)
        # a size that is no such number is refused
        _ = self.sizes
        for one in self._named_sources():
            check_choice("sources", one, (AUTO, *SOURCES))
        check_choice("level", self.level, LEVELS)
        check_choice("values", self.values, VALUES)
        for null in self.nulls:
            if null == NONE:
                raise InputError("null must be 'none' alone, got another null model beside it.")
            if null != AUTO:
                check_null(null)
        minima = {"num_epochs": 0, "min_occurrences": 0, "random_state": 0}
        minima["null_samples"] = LEAST_SAMPLES
        for name, minimum in minima.items():
            check_int(name, getattr(self, name), minimum)
        check_float("count_error", self.count_error, 0, 1, open_minimum=True)
        check_float("count_seconds", self.seconds_of_a_count(), 0, open_minimum=True)
        check_jobs("n_jobs", self.n_jobs)
        self.resolve_learning()
        self.resolve_kernel()

    def _repr_html_(self) -> str | None:
        """The patterns as cards, for a notebook."""
        return html_of(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str | None]:
        # scikit-learn's own shows only the parameters
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
