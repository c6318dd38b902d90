"""The parameters of a PatternMiner: their defaults, their rules, and the objects they define."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from sklearn.base import BaseEstimator

from gomkcn_dgl.checks import check_choice, check_float, check_int
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.matching import GOMKKernel, resolve_kernel
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.runtime import html_of
from mining.candidates.small_graphs import LARGE
from mining.categories import NO_CATEGORIES, Categories
from mining.choice import LEAST_SAMPLES, ChoiceRules
from mining.counting.exact_search import steps_in
from mining.learning.filter_learning import FilterLearning
from mining.learning.rooted_subgraphs import FeatureScaling
from mining.learning.subgraph_source import MemoryBudget, SubgraphSource, read_limit
from mining.pattern_counts import LEVELS, VALUES
from mining.random_graphs import check_null

# what the options of the kernel change where no kernel is given
DEFAULT_KERNEL = GOMKKernel(3, tau=0.5)
AUTO, NONE = "auto", "none"
# patterns where no number is given, and the nodes that a graph has for each of them
USUAL_PATTERNS, NODES_PER_PATTERN = 12, 4
# the null model of "auto", which is drawn where that takes two minutes at most
DEFAULT_NULL = "degree"
# most work to count a pattern, in seconds of a thread, and in a graph of over 8 million edges
COUNT_SECONDS, LARGE_COUNT_SECONDS = 1.0, 10.0
# larger patterns take minutes to gather and to count, and are seldom told from chance
MOST_NODES = 10
KERNEL_OPTIONS = ("num_levels", "tau", "matching", "anchor_root")


@dataclass(eq=False, repr=False)
class MinerParameters(BaseEstimator):
    """Stores the parameters as scikit-learn asks; :class:`gomkcn.PatternMiner` documents them."""

    num_patterns: int | None = None
    pattern_size: int | str | tuple[int, int] = "3-8"
    _: KW_ONLY
    null: str | tuple[str, ...] | None = "auto"
    null_samples: int = 199
    count_error: float = 0.02
    count_seconds: float | None = None
    num_epochs: int = 60
    learning: FilterLearning | None = None
    min_occurrences: int = 5
    level: str = "node"
    values: str = "auto"
    random_state: int = 0
    memory_limit: int | str | None = None
    kernel: GOMKKernel | None = None
    num_levels: int | None = None
    tau: float | Sequence[float] | None = None
    matching: str | None = None
    anchor_root: bool | None = None
    backend: str = "auto"

    @property
    def sizes(self) -> range:
        """The sizes of patterns, as ``pattern_size`` says it."""
        return read_sizes(self.pattern_size)

    @property
    def most_patterns(self) -> int:
        """Most patterns to report, of a graph of any size."""
        return USUAL_PATTERNS if self.num_patterns is None else int(self.num_patterns)

    def most_patterns_of(self, num_nodes: int) -> int:
        """Most patterns to report of a graph of so many nodes; a small graph has few by default.

        >>> MinerParameters().most_patterns_of(20), MinerParameters(12).most_patterns_of(20)
        (5, 12)
        """
        if self.num_patterns is not None:
            return self.most_patterns
        return max(1, min(USUAL_PATTERNS, num_nodes // NODES_PER_PATTERN))

    @property
    def nulls(self) -> tuple[Any, ...]:
        """The null models that were asked for; the first one decides what is reported."""
        nulls = tuple(self.null) if isinstance(self.null, list | tuple) else (self.null,)
        return () if nulls in ((None,), (NONE,)) else nulls

    def resolve_kernel(self) -> GOMKKernel:
        """The kernel that ``kernel`` or its options define."""
        options = {name: getattr(self, name) for name in KERNEL_OPTIONS}
        return resolve_kernel(self.kernel, DEFAULT_KERNEL, **options)

    def resolve_learning(self) -> FilterLearning:
        """``learning``, or the default."""
        learning = FilterLearning() if self.learning is None else self.learning
        if not isinstance(learning, FilterLearning):
            raise InputTypeError(f"learning must be a gomkcn.FilterLearning, got {learning!r}.")
        return learning

    def make_budget(self, num_features: int, relations: Relations = SIMPLE) -> MemoryBudget:
        """Check the parameters; return the memory that graphs of this kind may take."""
        self.check()
        return MemoryBudget(
            read_limit(self.memory_limit),
            self.sizes[-1],
            self.resolve_kernel().num_levels + 1,
            num_features,
            # filters of structures that the kernel cannot tell apart are added later
            4 * self.most_patterns,
            len(relations.channels),
        )

    def make_source(
        self,
        scaling: FeatureScaling,
        relations: Relations = SIMPLE,
        categories: Categories = NO_CATEGORIES,
    ) -> SubgraphSource:
        """Check the parameters; return what takes subgraphs from graphs as they say."""
        budget, learning = self.make_budget(len(scaling.offset), relations), self.resolve_learning()
        return SubgraphSource(
            self.resolve_kernel(),
            scaling,
            budget,
            max_nodes=budget.max_nodes,
            num_hops=learning.num_hops,
            policy=learning.policy,
            seed=self.random_state,
            sample_error=learning.sample_error,
            backend=self.backend,
            relations=relations,
            categories=categories,
        )

    def choice_rules(self, num_nodes: int, num_edges: int) -> ChoiceRules:
        """What is reported of a graph of so many nodes and edges."""
        return ChoiceRules(
            self.sizes,
            self.most_patterns_of(num_nodes),
            tuple(dict.fromkeys(DEFAULT_NULL if one == AUTO else one for one in self.nulls)),
            AUTO in self.nulls,
            self.null_samples,
            self.count_error,
            steps_in(self.seconds_of_a_count(2 * num_edges > LARGE)),
            self.min_occurrences,
            self.random_state,
        )

    def seconds_of_a_count(self, is_large: bool = False) -> float:
        """Most work of a count, in seconds of one thread."""
        usual = LARGE_COUNT_SECONDS if is_large else COUNT_SECONDS
        return usual if self.count_seconds is None else self.count_seconds

    def check(self) -> None:
        """Raise an InputError for a parameter out of range."""
        if self.num_patterns is not None:
            check_int("num_patterns", self.num_patterns, 1)
        read_sizes(self.pattern_size)
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
        check_int("sample_size", self.resolve_learning().sample_size, self.most_patterns)

    def _repr_html_(self) -> str | None:
        """The patterns as cards, for a notebook."""
        return html_of(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str | None]:
        # scikit-learn's own shows only the parameters
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def read_sizes(size: object) -> range:
    """The sizes that a number, a pair of numbers or a text such as "3-8" stand for.

    >>> read_sizes("3-8"), read_sizes(5), read_sizes((4, 4))
    (range(3, 9), range(5, 6), range(4, 5))
    """
    ends: list[object] = [size]
    if isinstance(size, str):
        ends = [int(end) if end.strip().isdigit() else end for end in size.split("-")]
    elif isinstance(size, Sequence):
        ends = list(size)
    if len(ends) not in (1, 2) or any(isinstance(end, str) for end in ends):
        raise InputTypeError(
            f"pattern_size must be a number of nodes, or the smallest and the largest number as in "
            f"(3, 8) or '3-8', got {size!r}."
        )
    first, last = (check_int("pattern_size", one, 1) for one in (ends[0], ends[-1]))
    if last > MOST_NODES:
        raise InputError(
            f"pattern_size must be at most {MOST_NODES} nodes, got {last}; a larger pattern "
            "that is known is counted with gomkcn count or gomkcn.count_exact."
        )
    if first > last:
        raise InputError(
            f"pattern_size must have the smallest number first, as in '{last}-{first}', got "
            f"{size!r}."
        )
    return range(first, last + 1)
