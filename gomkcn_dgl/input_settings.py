"""The settings of what is read: a graph, a collection, or graphs to learn from."""

from __future__ import annotations

from dataclasses import dataclass

from gomkcn_dgl.io.formats import FORMATS
from gomkcn_dgl.settings import SettingsTable, bound_setting, setting

# the columns in which the classes of graphs are looked for
_CLASS_COLUMNS = "class, label, activity, active, outcome, target or y"


@dataclass(frozen=True)
class InputSettings(SettingsTable):
    """What a file is and how it is read: arguments of :func:`gomkcn.read_graph`, and classes."""

    path: str = setting("", "File or folder of the graph")
    directed: bool | None = setting(None, "Whether edges have a direction", usual="from the file")
    relation: str | None = setting(None, "Edge-type column, or none", usual="from the header")
    features: tuple[str, ...] | None = setting(
        None, "Node features to use, separated by commas, or none", usual="by format"
    )
    label_names: str | None = setting(None, "Names of node labels: .csv, .json or .toml")
    smiles: str | None = setting(
        None, "Column of SMILES in a table of molecules", usual="smiles, canonical_smiles"
    )
    id_column: str | None = setting(
        None, "Column of the names of molecules, or none", usual="name, id, compound, molecule …"
    )
    skip_invalid: bool | None = setting(None, "Leave out molecules that RDKit cannot read")
    largest_fragment: bool | None = setting(
        None, "Of a molecule of several parts, such as a salt, the part of most atoms alone"
    )
    source: str | None = setting(
        None, "Column of source nodes, by name or number", usual="from the header"
    )
    target: str | None = setting(
        None, "Column of target nodes, by name or number", usual="from the header"
    )
    bipartite: bool | None = setting(
        None,
        "Whether the two columns have nodes of their own, as of users and items",
        usual="by their names",
    )
    minimum: tuple[str, ...] | None = bound_setting("Least", "min")
    maximum: tuple[str, ...] | None = bound_setting("Most", "max")
    feature_file: str | None = setting(None, "Node features, one row per node: .npy or .csv")
    format: str | None = setting(None, "File format", words=tuple(FORMATS), usual="by file name")
    class_names: str | None = setting(None, "Names of the classes: .csv, .json or .toml")
    class_column: str | None = setting(
        None, "Column of the classes of molecules or of nodes, or none", usual=_CLASS_COLUMNS
    )
    threshold: float | str | None = setting(
        None,
        "What makes classes of the numbers of the class column: 6.5 (below, and all others), "
        "median, 75%, or several with commas between",
    )
