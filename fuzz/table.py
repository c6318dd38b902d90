"""Rows of results → the table that says what was tried, what broke and what was mended."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gomkcn_dgl.runtime.file_bytes import parse_toml

_MENDED = Path(__file__).with_name("mended.toml")
_HEAD = """# Wrong files: what was tried, what broke

`python fuzz/run.py` feeds each reader with files that begin as valid ones and are changed in a few
places, in their bytes, inside their archives, or in the values of their JSON. An input is a finding
when the reader neither reads it nor refuses it with one printable sentence; when it takes more than
5 s of the processor, 256 MiB of growth or 1 GiB of address space; when it starts a program, opens a
connection, unpickles a class or writes outside its folder; or when the process dies. The engine
`atheris` keeps inputs that reach new lines; `own` changes valid files alone.

Findings are told apart by what went wrong and in which function. "before" is code in which what was
found was not mended yet, "after" is the code of the reader with all that is listed below. A number
of inputs says how much was tried, not that nothing is left.

| reader | engine | inputs before | found before | inputs after | found after | refused | s |
|---|---|---:|---|---:|---|---:|---:|
"""


def write_table(results: Path) -> None:
    """Write the table beside the results."""
    rows = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    readers = list(dict.fromkeys(row["reader"] for row in rows))
    text = _HEAD + "".join(_line(reader, rows) for reader in readers)
    mended = parse_toml(_MENDED.read_bytes())
    text += "\n## What was mended\n"
    for title, lines in mended.items():
        text += f"\n### {title}\n\n" + "".join(f"- {line}\n" for line in lines)
    results.with_suffix(".md").write_text(text, encoding="utf-8")


def _line(reader: str, rows: Sequence[dict[str, Any]]) -> str:
    before = [row for row in rows if row["reader"] == reader and row["round"] == "before"]
    after = [row for row in rows if row["reader"] == reader and row["round"] == "after"]
    count = sum(row["inputs"] for row in after)
    refused = f"{sum(row['refused'] for row in after) / count:.2%}" if count else "–"
    cells = [
        f"`{reader}`",
        ", ".join(sorted({row["engine"] for row in [*before, *after]})),
        str(sum(row["inputs"] for row in before)) if before else "–",
        _findings(before),
        str(count) if after else "–",
        _findings(after),
        refused,
        f"{sum(row['seconds'] for row in after):.0f}",
    ]
    return f"| {' | '.join(cells)} |\n"


def _findings(rows: Sequence[dict[str, Any]]) -> str:
    """How many different findings of each kind."""
    if not rows:
        return "–"
    found = {(one["kind"], one["place"]) for row in rows for one in row["findings"]}
    kinds = Counter(kind for kind, _ in found)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "nothing"
