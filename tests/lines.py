"""Lines and files of Python in each part of the tree, against the limits that setup.cfg names.

    python tests/lines.py

Whoever needs more raises a limit, in a commit that says why.
"""

import configparser
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def exceeded(root: Path) -> list[str]:
    """Print the table; the parts of the tree that are over a limit."""
    limits = configparser.ConfigParser()
    limits.read(root / "setup.cfg")
    over = []
    for part, limit in limits["lines"].items():
        most_lines, most_files = map(int, limit.split())
        files = [path for name in part.split("+") for path in (root / name.strip()).rglob("*.py")]
        lines = sum(len(path.read_text("utf-8").splitlines()) for path in files)
        print(f"{part}: {lines:,} lines of {most_lines:,}, {len(files)} files of {most_files}")
        if lines > most_lines or len(files) > most_files:
            over.append(part)
    return over


if __name__ == "__main__":
    if parts := exceeded(ROOT):
        sys.exit(f"more than setup.cfg allows: {', '.join(parts)}.")
