"""How motifs are planted: the settings of :func:`gomkcn.plant_motifs`."""

from __future__ import annotations

from dataclasses import dataclass

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.settings import SettingsTable, setting

FEATURE_MODES = ("constant", "per_type", "per_node", "per_type_noise")
# more kinds of edges are names of something else: gomkcn_dgl.relations.MAX_RELATIONS
MOST_RELATIONS = 1000


@dataclass(frozen=True)
class PlantingSettings(SettingsTable):
    """How copies of motifs are attached, altered and given features.

    Attributes
    ----------
    features : {"per_node", "per_type", "per_type_noise", "constant"}
        One uniform [0, 1] vector for each node (the paper), one for all nodes of a motif type and
        one for all base nodes, per type plus normal(0, ``noise``), clipped to [0, 1], or 1.0
        everywhere, in one column.
    feature_dim : int
        Feature width D, for all modes but ``"constant"``.
    noise : float
        Standard deviation of the feature noise.
    remove_prob, add_prob : float
        Probability that a motif edge of a copy is deleted, and that an edge is added between two
        nodes of a copy that are not joined. The truth keeps the intended motif.
    directed : bool
        Whether the edges have a direction. A motif without directions gets some at random, the same
        in all copies; attaching edges lead either way with equal probability.
    relations : int
        How many relations the edges have: those that the motifs name, and more up to this number.
        Base edges, and a motif that names none, get some at random, the same in all
        copies; attaching edges have the relation of a random base edge.
    embedded : bool
        A copy has no nodes of its own: it takes random base nodes that no other copy has, the edges
        among them become those of the motif, and each keeps its edges to all others. They are nodes
        with at most two edges more than the median, before the copies are planted.
    """

    features: str = setting("per_node", "Node features", words=FEATURE_MODES)
    feature_dim: int = setting(3, "Number of features per node", least=1, most=65_536)
    noise: float = setting(
        0.0, "Standard deviation of the noise of per_type_noise", least=0, most=1e6
    )
    remove_prob: float = setting(0.0, "Probability of removing a motif edge", least=0, most=1)
    add_prob: float = setting(0.0, "Probability of adding an edge inside a copy", least=0, most=1)
    directed: bool = setting(False, "Assign a random direction to each edge of the base graph")
    relations: int = setting(
        1, "Number of edge types, including those of the motifs", least=1, most=MOST_RELATIONS
    )
    embedded: bool = setting(False, "Plant copies on existing nodes, which keep their other edges")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.noise > 0 and self.features != "per_type_noise":
            raise InputError(
                "noise",
                ("must be 0 with ", Argument("features", self.features)),
                got=self.noise,
                way_out=("use ", Argument("features", "per_type_noise")),
            )


def as_settings(settings: PlantingSettings | None) -> PlantingSettings:
    """The settings, or the usual ones where none are given."""
    if settings is not None and not isinstance(settings, PlantingSettings):
        raise InputTypeError(
            "settings", "must be a gomkcn.PlantingSettings", got=type(settings).__name__
        )
    return PlantingSettings() if settings is None else settings
