"""The table ``[filters]`` of a settings file: how many filters of which size, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.filter_mining import AUTO, FilterMining

M = TypeVar("M", bound=FilterMining)


@dataclass(frozen=True)
class FilterSettings:
    """Parameters of :class:`gomkcn.FilterMiner` that are plain values.

    Those of how filters are learnt are in the tables ``[learning]`` and ``[kernel]``. Where
    ``filter_size`` is "auto", a miner takes the sizes of the patterns that it is asked for.
    """

    num_filters: int | str = AUTO
    filter_size: int | str = AUTO
    contrast: bool | str = AUTO
    device: str = AUTO
    max_assigned: int = 200_000

    @classmethod
    def of(cls, miner: FilterMining) -> FilterSettings:
        """The settings of a miner."""
        size = miner.size
        if not isinstance(size, int | str):
            size = "-".join(map(str, size))
        return cls(miner.num_filters, size, miner.contrast, str(miner.device), miner.max_assigned)

    def miner(self, kind: type[M], learning: FilterLearning, seed: int) -> M:
        """The miner with these settings, not fitted.

        It is a :class:`gomkcn.FilterMiner`, or what that is without scikit-learn.
        """
        return kind(
            self.num_filters,
            self.filter_size,
            contrast=self.contrast,
            learning=learning,
            device=self.device,
            max_assigned=self.max_assigned,
            random_state=seed,
        )
