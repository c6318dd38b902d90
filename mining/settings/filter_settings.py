"""The table ``[filters]`` of a settings file: how many filters of which size, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gomkcn_dgl.bounds import LARGEST_COUNT, LONGEST, MOST_FILTERS
from gomkcn_dgl.settings import SettingsTable, seed_setting, setting

AUTO = "auto"
# more nodes of a filter take long to match, and look like no pattern
MOST_FILTER_NODES = 64


def _read_device(name: str, value: Any) -> str:
    """A device of PyTorch as a text; whether it is there is seen when it is needed."""
    return str(value)


@dataclass(frozen=True)
class FilterSettings(SettingsTable):
    """Parameters of :class:`gomkcn.FilterMiner`.

    Those of how filters are learnt are in the tables ``[learning]`` and ``[kernel]``. Where
    ``filter_size`` is "auto", a miner takes the sizes of the patterns that it is asked for.
    """

    num_filters: int | str = setting(
        AUTO,
        "Number of filters",
        least=1,
        most=MOST_FILTERS,
        words=(AUTO,),
        usual="as many as the graph has more of than random graphs",
    )
    filter_size: int | str | tuple[int, int] = setting(
        AUTO,
        "Nodes of a filter and of a subgraph",
        least=2,
        most=MOST_FILTER_NODES,
        words=(AUTO,),
        usual="3-8, or the sizes of patterns; without contrast 6",
    )
    contrast: bool | str = setting(
        AUTO,
        "Compare with random graphs that have the same degrees, or find the most frequent "
        "neighbourhoods, whatever random graphs have",
        words=(AUTO,),
        usual="contrast, but for molecules",
    )
    device: str = setting(
        AUTO, "Device: cpu, cuda, or auto for a GPU if there is one", check=_read_device
    )
    max_assigned: int = setting(
        200_000,
        "Nodes to assign to filters; of more, a random sample",
        least=1,
        most=LARGEST_COUNT,
    )


@dataclass(frozen=True)
class SeededFilters(FilterSettings):
    """The table ``[filters]`` of a run of filters alone: with the seed, and the work of a count.

    ``count_seconds`` bounds the work of counting a structure in the graph, in seconds of one
    thread, which stand for 10⁸ steps on any machine.
    """

    random_state: int = seed_setting()
    count_seconds: float = setting(
        0.25,
        "Work limit per count: X · 10⁸ steps, about X seconds of one thread",
        above=0,
        most=LONGEST,
    )
