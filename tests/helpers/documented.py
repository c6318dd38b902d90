"""What the documentation tells a user to run: pages, their blocks of Python, README's install."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# folders of pages that are made
MADE = {"_build", "gallery", "pictures", "results"}

PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (ROOT / "README.md", ROOT / "benchmarks/README.md", *sorted(DOCS.rglob("*.md")))
    if not MADE & set(path.relative_to(ROOT).parts)
}

BLOCKS = {
    name: blocks
    for name, page in PAGES.items()
    if (blocks := re.findall(r"```python\n(.*?)```", page, re.S))
}


def install_lines() -> list[str]:
    """The commands below README's heading "Install", without what is beside them."""
    section = PAGES["README.md"].partition("\n## Install\n")[2].partition("\n## ")[0]
    return [line.partition("  #")[0] for line in re.findall(r"^ {4}(\S.*)", section, re.M)]
