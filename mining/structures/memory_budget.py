"""How much memory mining takes, computed before it is taken."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.embeddings import channel_matrices
from gomkcn_dgl.runtime.files import check_memory, parse_size

# most bytes that one neighbourhood takes while patterns are located: similarities, and whether it
# has the structure, for each pattern
_COUNTING_BYTES = 120
# bytes for one number of the level embeddings while subgraphs are grouped into classes: the number
# itself, the same as an integer, and its hash
_LEVEL_BYTES = 28
# subgraphs compared at once, unless memory allows fewer
PART_SIZE = 65_536
# shares of the limit for the sample, and for the subgraphs compared at once
_SAMPLE_SHARE, _PART_SHARE = 0.5, 0.1


@dataclass(frozen=True)
class MemoryBudget:
    """What mining may take, in bytes, and how many subgraphs fit into it.

    The subgraphs have at most ``max_nodes`` nodes, ``num_levels`` level embeddings of
    ``num_features`` numbers a node, and are compared with ``num_filters`` filters. With several
    channels of edges the embeddings are wider.
    """

    limit: int
    max_nodes: int
    num_levels: int
    num_features: int
    num_filters: int
    num_channels: int = 1

    @property
    def subgraph_bytes(self) -> float:
        """Bytes that one subgraph takes while it is extracted and compared."""
        size = self.max_nodes
        width = self.num_features * channel_matrices(self.num_channels).shape[1]
        levels = self.num_levels * size * width * _LEVEL_BYTES
        return levels + 8 * size * -(-size // 64) + 8 * size * size + 8 * self.num_filters

    @property
    def sample_size(self) -> int:
        """Most subgraphs in memory while filters are trained."""
        return int(_SAMPLE_SHARE * self.limit / self.subgraph_bytes)

    @property
    def part_size(self) -> int:
        """Most subgraphs compared at once."""
        return max(1, min(PART_SIZE, int(_PART_SHARE * self.limit / self.subgraph_bytes)))

    def check(self, num_sampled: int) -> None:
        """Raise an InputError where so many subgraphs in memory take more than the limit."""
        check_memory(
            num_sampled * _COUNTING_BYTES + self.subgraph_bytes,
            self.limit,
            f"the patterns of {num_sampled:,} subgraphs",
        )


def read_limit(limit: int | str | None) -> int:
    """Return a limit in bytes; half of the machine's memory for None.

    >>> read_limit("2GiB") == read_limit(2 * 2**30)
    True
    """
    if limit is None:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    if isinstance(limit, str):
        return parse_size(limit)
    return check_int("memory_limit", limit, 1)
