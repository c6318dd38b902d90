"""The settings of the graph optimal matching kernel, apart from what computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.settings import SettingsTable, setting

AGGREGATIONS = ("sum", "mean", "sym")
MATCHINGS = ("optimal", "greedy")
PADDINGS = ("match", "mask")
# walks longer than this say nothing about a small graph, and their number overflows
MAX_LEVELS = 64
# numbers whose product with a feature width, and its inverse, single precision can hold
SMALLEST, LARGEST = 1e-30, 1e30


def known_policies() -> tuple[str, ...]:
    """Which nodes of a larger neighbourhood remain in a subgraph, by name."""
    from gomkcn_dgl.kernels import POLICIES

    return tuple(POLICIES)


@dataclass(frozen=True)
class KernelSettings(SettingsTable):
    """The table ``[kernel]``: what :class:`gomkcn.GOMKKernel` documents."""

    num_levels: int = setting(2, "Number of levels of the kernel", least=0, most=MAX_LEVELS)
    tau: float | Sequence[float] = setting(
        1.0, "Width of the similarity of nodes, of all levels or of each", least=SMALLEST,
        most=LARGEST,
    )  # fmt: skip
    aggregation: str = setting("sum", "How a level is made from the one before", words=AGGREGATIONS)
    level_scale: float = setting(
        1.0, "Divisor of a level, to the power of its number", least=SMALLEST, most=LARGEST
    )
    matching: str = setting("optimal", "Node matching, greedy as in the paper", words=MATCHINGS)
    anchor_root: bool = setting(False, "Match the root to the first node of a filter")
    padding: str = setting(
        "match",
        "Whether padded nodes take part as isolated nodes, or not at all",
        words=PADDINGS,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.widths) != self.num_levels + 1:
            raise InputError(
                "tau",
                f"must be one number or num_levels + 1 = {self.num_levels + 1} of them",
                got=len(self.widths),
            )

    @property
    def widths(self) -> Sequence[float]:
        """``tau`` of each level."""
        if isinstance(self.tau, int | float):
            return [self.tau] * (self.num_levels + 1)
        return self.tau
