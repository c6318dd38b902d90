"""The parameters of a PatternMiner: their defaults, their rules, and the objects they define."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from sklearn.base import BaseEstimator

from gomkcn_dgl.checks import check_choice, check_float, check_int
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.kernels.bfs_reference import POLICIES
from gomkcn_dgl.matching import GOMKKernel, resolve_kernel
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.runtime.notebook import html_of
from gomkcn_dgl.subgraphs import MAX_HOPS, MAX_SUBGRAPH_NODES
from mining.learning.filter_learning import FilterLearning
from mining.learning.initialization import INITIALIZATIONS
from mining.locating.occurrence_assignment import OCCURRENCE_RULES
from mining.model_selection.selection import MOST_PATTERNS, SIZES, check_count
from mining.noisy_templates.noisy_patterns import MOST_NOISY_NODES, NOISY_COPIES
from mining.structures.feature_scaling import FeatureScaling
from mining.structures.memory_budget import MemoryBudget, read_limit
from mining.structures.subgraph_source import SubgraphSource

# what the options of the kernel change where no kernel is given
DEFAULT_KERNEL = GOMKKernel(3, tau=0.5)
KERNEL_OPTIONS = ("num_levels", "tau", "node_similarity", "matching", "anchor_root")


@dataclass(eq=False, repr=False)
class MinerParameters(BaseEstimator):
    """Stores the parameters as scikit-learn asks; :class:`gomkcn.PatternMiner` documents them."""

    num_patterns: int | str = 12
    pattern_size: int | str = 6
    num_hops: int | None = None
    _: KW_ONLY
    policy: str = "dense"
    num_views: int = 1
    init: str = "facility_location"
    n_init: int = 1
    num_epochs: int = 60
    learning: FilterLearning | None = None
    noisy_copies: str = "auto"
    occurrence_rule: str = "isomorphic"
    min_similarity: float | None = None
    min_support: int = 5
    random_state: int = 0
    memory_limit: int | str | None = None
    kernel: GOMKKernel | None = None
    num_levels: int | None = None
    tau: float | Sequence[float] | None = None
    node_similarity: str | None = None
    matching: str | None = None
    anchor_root: bool | None = None
    backend: str = "auto"

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
        num_patterns, pattern_size = self._check()
        return MemoryBudget(
            read_limit(self.memory_limit),
            pattern_size or max(SIZES),
            self.resolve_kernel().num_levels + 1,
            num_features,
            # filters of structures that the kernel cannot tell apart are added later
            4 * (num_patterns or MOST_PATTERNS),
            len(relations.channels),
        )

    def make_source(self, scaling: FeatureScaling, relations: Relations = SIMPLE) -> SubgraphSource:
        """Check the parameters; return what takes subgraphs from graphs as they say.

        Where the pattern size is "auto", the subgraphs have the largest size that is tried.
        """
        budget = self.make_budget(len(scaling.offset), relations)
        return SubgraphSource(
            self.resolve_kernel(),
            scaling,
            budget,
            max_nodes=budget.max_nodes,
            num_hops=self.num_hops,
            policy=self.policy,
            num_views=self.num_views,
            seed=self.random_state,
            sample_error=self.resolve_learning().sample_error,
            backend=self.backend,
            relations=relations,
        )

    def _check(self) -> tuple[int | None, int | None]:
        """Check the rules; return number and size of the patterns, None for "auto"."""
        num_patterns = check_count("num_patterns", self.num_patterns, 1)
        pattern_size = check_count("pattern_size", self.pattern_size, 1, MAX_SUBGRAPH_NODES)
        if self.num_hops is not None:
            check_int("num_hops", self.num_hops, 0, MAX_HOPS)
        check_choice("policy", self.policy, POLICIES)
        check_choice("init", self.init, INITIALIZATIONS)
        check_choice("occurrence_rule", self.occurrence_rule, OCCURRENCE_RULES)
        check_choice("noisy_copies", self.noisy_copies, NOISY_COPIES)
        minima = {"num_views": 1, "n_init": 1, "num_epochs": 0, "min_support": 0, "random_state": 0}
        for name, minimum in minima.items():
            check_int(name, getattr(self, name), minimum)
        if self.min_similarity is not None:
            check_float("min_similarity", self.min_similarity, 0, 1)
        sample_size = self.resolve_learning().sample_size
        check_int("sample_size", sample_size, num_patterns or MOST_PATTERNS)
        if self.noisy_copies == "yes" and (pattern_size or 0) > MOST_NOISY_NODES:
            raise InputError(
                f"noisy_copies can be 'yes' for patterns of at most {MOST_NOISY_NODES} nodes, "
                f"got a pattern_size of {pattern_size}; take 'auto' or smaller patterns."
            )
        return num_patterns, pattern_size

    def _repr_html_(self) -> str | None:
        """The patterns as cards, for a notebook."""
        return html_of(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str | None]:
        # scikit-learn's own shows only the parameters
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
