"""The table ``[filters]`` of a settings file: how many filters of which size, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from mining.filters.filter_learning import FilterLearning
from mining.filters.filter_mining import FilterMining

M = TypeVar("M", bound=FilterMining)

# nodes of a filter, as in the paper
USUAL_SIZE = 6


@dataclass(frozen=True)
class FilterSettings:
    """Parameters of :class:`gomkcn.FilterMiner` that are plain values.

    Those of how filters are learnt are in the tables ``[learning]`` and ``[kernel]``. Where
    ``filter_size`` is None, filters have six nodes, or as many as the largest pattern that
    ``gomkcn mine`` is asked for.
    """

    num_filters: int = 8
    filter_size: int | None = None
    device: str = "auto"
    max_assigned: int = 200_000

    @classmethod
    def of(cls, miner: FilterMining) -> FilterSettings:
        """The settings of a miner."""
        return cls(miner.num_filters, miner.size, str(miner.device), miner.max_assigned)

    def miner(
        self, kind: type[M], learning: FilterLearning, seed: int, usual: int = USUAL_SIZE
    ) -> M:
        """The miner with these settings, not fitted; filters have ``usual`` nodes by default.

        It is a :class:`gomkcn.FilterMiner`, or what that is without scikit-learn.
        """
        return kind(
            self.num_filters,
            usual if self.filter_size is None else self.filter_size,
            learning=learning,
            device=self.device,
            max_assigned=self.max_assigned,
            random_state=seed,
        )
