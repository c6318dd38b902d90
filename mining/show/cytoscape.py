"""The colours of the page on a graph that is exported, and the style that Cytoscape reads them by.

Cytoscape takes a style from an XML file (File → Import → Styles from File); it maps the columns
``color`` and ``relation`` of the graph. Gephi needs none: it reads ``color`` by itself.
"""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.plots.styles import (
    EDGE,
    INK,
    MOTIF_COLORS,
    NODE,
    SELECTED,
    Kind,
    is_blunt,
    relation_lines,
)
from gomkcn.mining.show.explorer import start_of
from gomkcn.mining.show.terminal import motif_colors

# what Cytoscape calls the lines of the page; a bond of several lines has two there
_LINES = {
    "solid": "SOLID", "dashed": "EQUAL_DASH", "dotted": "DOT", "dash-dot": "DASH_DOT",
    "single": "SOLID", "double": "PARALLEL_LINES", "triple": "PARALLEL_LINES",
    "aromatic": "EQUAL_DASH",
}  # fmt: skip
_STYLE = "gomkcn"


def color_graph(drawn: Any, run: MiningRun) -> None:
    """Give nodes and edges of a graph of :meth:`MiningRun.to_networkx` their ``color`` on the page.

    It is that of their motif; where there is no motif, that of what is selected at first.
    """
    colors = motif_colors(run.motif_set.shown)
    selected = f"pattern_{start_of(run)}_role"
    rows = [(attributes, NODE) for _, attributes in drawn.nodes(data=True)]
    rows += [(attributes, EDGE) for *_, attributes in drawn.edges(data=True)]
    for attributes, plain in rows:
        attributes["color"] = SELECTED if selected in attributes else plain
        if "motif" in attributes:
            attributes["color"] = MOTIF_COLORS[
                min(colors[attributes["motif"]], len(MOTIF_COLORS) - 1)
            ]


def cytoscape_style(run: MiningRun) -> bytes:
    """The style: colours of the columns ``color``, arrow heads, and a line for each relation."""
    kinds = [(relation.name, relation.directed) for relation in run.graph.relations]
    lines = relation_lines(run.graph.kinds)
    has_heads = any(directed for _, directed in kinds)
    root = ElementTree.Element("vizmap", id=_STYLE, documentVersion="3.0")
    style = ElementTree.SubElement(root, "visualStyle", name=_STYLE)
    network = ElementTree.SubElement(style, "network")
    _add(network, "NETWORK_BACKGROUND_PAINT", "#ffffff")
    node = ElementTree.SubElement(style, "node")
    ElementTree.SubElement(node, "dependency", name="nodeSizeLocked", value="true")
    _add(node, "NODE_SHAPE", "ELLIPSE")
    _add(node, "NODE_SIZE", "24.0")
    _add(node, "NODE_BORDER_WIDTH", "0.0")
    _add(node, "NODE_LABEL_COLOR", INK)
    _add(node, "NODE_LABEL_FONT_SIZE", "9")
    _add(node, "NODE_LABEL", "", column="name")
    _add(node, "NODE_FILL_COLOR", NODE, column="color")
    edge = ElementTree.SubElement(style, "edge")
    # heads have a mapping of their own, to the same column
    ElementTree.SubElement(edge, "dependency", name="arrowColorMatchesEdge", value="false")
    _add(edge, "EDGE_WIDTH", "1.5")
    _add(edge, "EDGE_STROKE_UNSELECTED_PAINT", EDGE, column="color")
    _add(edge, "EDGE_TARGET_ARROW_UNSELECTED_PAINT", EDGE, column="color")
    heads = {kind: _head_of(*kind) for kind in kinds}
    _add(edge, "EDGE_TARGET_ARROW_SHAPE", "DELTA" if has_heads else "NONE", values=heads)
    shapes = {kind: _LINES[lines[kind]] for kind in kinds}
    _add(edge, "EDGE_LINE_TYPE", "SOLID", values=shapes)
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return text + b"\n"


def _head_of(name: str, is_directed: bool) -> str:
    """What Cytoscape calls the end of an edge."""
    if not is_directed:
        return "NONE"
    return "T" if is_blunt(name) else "DELTA"


def _add(
    parent: ElementTree.Element,
    name: str,
    default: str,
    column: str = "",
    values: dict[Kind, str] | None = None,
) -> None:
    """A visual property, with its value from a column, or one for each relation."""
    made = ElementTree.SubElement(parent, "visualProperty", name=name, default=default)
    if column:
        ElementTree.SubElement(
            made, "passthroughMapping", attributeName=column, attributeType="string"
        )
    if values:
        mapping = ElementTree.SubElement(
            made, "discreteMapping", attributeName="relation", attributeType="string"
        )
        for (relation, _), value in values.items():
            ElementTree.SubElement(
                mapping, "discreteMappingEntry", attributeValue=relation, value=value
            )
