"""The table ``[filters]`` of a settings file: how many filters of which size, and where."""

from __future__ import annotations

from dataclasses import dataclass

from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.filter_miner import AUTO, FilterMiner


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
    def of(cls, miner: FilterMiner) -> FilterSettings:
        """The settings of a miner."""
        size = miner.size
        if not isinstance(size, int | str):
            size = "-".join(map(str, size))
        return cls(miner.num_filters, size, miner.contrast, str(miner.device), miner.max_assigned)

    def miner(self, learning: FilterLearning, seed: int) -> FilterMiner:
        """The miner with these settings, not fitted."""
        return FilterMiner(
            self.num_filters,
            self.filter_size,
            contrast=self.contrast,
            learning=learning,
            device=self.device,
            max_assigned=self.max_assigned,
            random_state=seed,
        )
