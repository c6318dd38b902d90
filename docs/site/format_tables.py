"""The tables of docs/formats.md, of the rows of formats: `python docs/site/format_tables.py`.

A test says when the page is not what this writes.
"""

from __future__ import annotations

import re
from pathlib import Path

from gomkcn_dgl.io.formats import FORMATS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/formats.md"
READINGS = ROOT / "tests/data/readings"
# files in the folder of examples that are none
_NO_EXAMPLES = {"write_files.py", "__pycache__"}
# what the tools are called that the names of examples begin with, where it is not that word
_TOOLS = {
    "networkx": "NetworkX",
    "igraph": "igraph (Python, R and C)",
    "graph_tool": "graph-tool",
    "cytoscape": "Cytoscape",
    "gephi": "Gephi",
    "gomkcn": "gomkcn",
    "pajek": "Pajek",
    "socnetv": "SocNetV",
    "yed": "yEd",
    "d3": "D3",
    "echarts": "ECharts",
    "vis": "vis.js",
    "graphology": "Graphology",
    "jgf": "JSON Graph Format",
    "snap": "SNAP",
    "string": "STRING",
    "biogrid": "BioGRID",
    "konect": "KONECT",
    "newman": "Network data of Newman",
    "suitesparse": "SuiteSparse Matrix Collection",
    "dimacs": "DIMACS challenges",
    "orca": "ORCA",
    "pandas": "pandas",
    "r": "R",
    "excel": "Excel",
    "scipy": "SciPy",
    "dgl": "DGL",
    "pyg": "PyG (`TUDataset`)",
    "rdkit": "RDKit",
}


def examples() -> list[Path]:
    """The files, and folders, that have the exact form of their tools."""
    return sorted(path for path in READINGS.iterdir() if path.name not in _NO_EXAMPLES)


def formats_table() -> str:
    """A row for each format: names of files, directions, names of nodes, what it lacks."""
    head = ["`--format`", "format", "names of files", "direction of edges", "names of nodes"]
    rows = [
        [
            f"`{row.name}`",
            row.title,
            " ".join(f"`{ending}`" for ending in row.endings) or "by the content",
            row.directions,
            row.node_names,
            row.lacks,
        ]
        for row in FORMATS.values()
    ]
    return _table([*head, "it cannot hold"], rows)


def readers_table() -> str:
    """A row for each format: the library that reads it, and why, and who writes it."""
    rows = [
        [f"`{row.name}`", row.reader, row.why, "yes" if row.write is not None else ""]
        for row in FORMATS.values()
    ]
    return _table(["format", "read by", "why, and what is put right", "written"], rows)


def readings_table() -> str:
    """The examples by the tool that writes them."""
    by_tool: dict[str, list[str]] = {}
    for path in examples():
        word = path.name.partition(".")[0]
        tool = next((_TOOLS[key] for key in (word, word.split("_")[0]) if key in _TOOLS), word)
        by_tool.setdefault(tool, []).append(f"`{path.name}`")
    rows = [[tool, ", ".join(names)] for tool, names in sorted(by_tool.items())]
    return _table(["written by", "files that are read"], rows)


def filled(page: str) -> str:
    """The text of the page with the tables as they are now, each between two marks."""
    for name, table in (
        ("formats", formats_table()),
        ("readers", readers_table()),
        ("readings", readings_table()),
    ):
        begin, end = f"<!-- table of {name} -->\n", f"<!-- end of {name} -->"
        page = re.sub(
            f"{begin}.*?{end}", lambda _, new=f"{begin}{table}{end}": new, page, flags=re.DOTALL
        )
    return page


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines).replace("|  |", "| |")


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")
