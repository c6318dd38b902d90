"""The table ``[filters]`` of a settings file: how many filters of which size, and where."""

from __future__ import annotations

from dataclasses import dataclass

from mining.filters.filter_learning import FilterLearning
from mining.filters.filter_miner import FilterMiner


@dataclass(frozen=True)
class FilterSettings:
    """Parameters of :class:`gomkcn.FilterMiner` that are plain values.

    Those of how filters are learnt are in the tables ``[learning]`` and ``[kernel]``.
    """

    num_filters: int = 8
    filter_size: int = 6
    device: str = "auto"
    max_assigned: int = 200_000

    @classmethod
    def of(cls, miner: FilterMiner) -> FilterSettings:
        """The settings of a miner."""
        return cls(miner.num_filters, miner.size, str(miner.device), miner.max_assigned)

    def miner(self, learning: FilterLearning, seed: int) -> FilterMiner:
        """The miner with these settings, not fitted."""
        return FilterMiner(
            self.num_filters,
            self.filter_size,
            learning=learning,
            device=self.device,
            max_assigned=self.max_assigned,
            random_state=seed,
        )
