"""How much memory mining takes, said before it is taken."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.runtime.memory import check_memory, parse_size

# bytes a subgraph that finding its pattern takes at most, beside its rows in the table: numbers of
# subgraphs and similarities, an order, a hash of the node set, the nodes that play
_SHARING = 120
# copies of the level embeddings that telling types apart takes: as they are, as whole numbers and
# mixed, in bytes a number
_LEVEL_BYTES = 28
# the part of the memory for the sample, for a part of the stream and for the table of all
_SAMPLE, _PART, _TABLE = 0.5, 0.1, 0.3


@dataclass(frozen=True)
class MinerMemory:
    """What a miner may take, and what a subgraph takes of it.

    Attributes
    ----------
    limit : int
        Bytes.
    max_nodes, num_levels, num_features, num_filters : int
        N, L, D and F.
    """

    limit: int
    max_nodes: int
    num_levels: int
    num_features: int
    num_filters: int

    @property
    def of_subgraph(self) -> float:
        """Bytes that a subgraph takes while it is extracted and compared."""
        size = self.max_nodes
        levels = self.num_levels * size * self.num_features * _LEVEL_BYTES
        return levels + 8 * size * -(-size // 64) + 8 * size * size + 8 * self.num_filters

    @property
    def sample(self) -> int:
        """Subgraphs that can be looked at at once to learn filters."""
        return int(_SAMPLE * self.limit / self.of_subgraph)

    @property
    def part(self) -> int:
        """Subgraphs of a part that is looked at and forgotten."""
        return max(1, int(_PART * self.limit / self.of_subgraph))

    @property
    def table(self) -> float:
        """Bytes that rows of all subgraphs may take."""
        return _TABLE * self.limit

    def check(self, num_subgraphs: int, num_sampled: int, chance: int) -> None:
        """Refuse what would take too much.

        Parameters
        ----------
        num_subgraphs : int
            Subgraphs to be mined.
        num_sampled : int
            Those that filters are learnt on.
        chance : int
            Bytes of a graph made by chance while the sample is there; 0 if none is made.

        Raises
        ------
        InputError
            If ``limit`` is too small.
        """
        check_memory(
            num_subgraphs * _SHARING + self.of_subgraph,
            self.limit,
            f"the patterns of {num_subgraphs:,} subgraphs",
        )
        if chance:
            check_memory(
                chance + num_sampled * self.of_subgraph,
                self.limit,
                "the chance graph for thresholds, which min_similarity spares",
            )


def read_limit(limit: int | str | None) -> int:
    """Return a limit in bytes; half of the machine's memory for None.

    Examples
    --------
    >>> read_limit("2GiB") == read_limit(2 * 2**30)
    True
    """
    if limit is None:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    if isinstance(limit, str):
        return parse_size(limit)
    return check_int("memory_limit", limit, 1)
