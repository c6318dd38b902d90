"""The settings of a run of repeated blocks: what is read, and what is searched for."""

from __future__ import annotations

from dataclasses import dataclass, field

from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn_dgl.bounds import LARGEST_COUNT, MOST_REPEATS
from gomkcn_dgl.settings import Settings, SettingsTable, seed_setting, setting

# nodes of a block: each pair of them is looked at in each copy
MOST_BLOCK_NODES = 500
# blocks that anybody looks at
MOST_BLOCKS = 1000
# with more, most pairs of a small block could differ
MOST_ERRORS = 20


@dataclass(frozen=True)
class BlockTable(SettingsTable):
    """The table ``[blocks]``: what :func:`gomkcn.repeated_blocks` is told."""

    copies: int = setting(
        3, "Least number of copies, which share no node", least=2, most=LARGEST_COUNT
    )
    least_nodes: int = setting(5, "Least nodes of a block", least=3, most=MOST_BLOCK_NODES)
    most_nodes: int = setting(100, "Most nodes of a block", least=3, most=MOST_BLOCK_NODES)
    errors: int = setting(
        0, "Edges that a copy may lack or have beside those of the block", least=0, most=MOST_ERRORS
    )
    most: int = setting(20, "Most blocks that are reported", least=1, most=MOST_BLOCKS)
    null: str = setting("degree", "Null model of the random graphs")
    null_samples: int = setting(
        19, "Number of random graphs; 0 for none", least=0, most=MOST_REPEATS
    )
    seed: int = seed_setting()


@dataclass(frozen=True)
class BlockSettings(Settings):
    """Everything that decides the result of a run of repeated blocks."""

    graph: GraphSettings = field(default_factory=GraphSettings)
    blocks: BlockTable = field(default_factory=BlockTable)
