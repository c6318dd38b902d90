"""Write the page on the paper, ``docs/paper.md``, and its pictures, from the committed results.

    python docs/site/make_paper_page.py

The text is ``paper.md.in`` beside this file, with a ``{{ name }}`` for each number and table. The
page that it makes is committed, so that it can be read without a build; a test tells when it is no
longer that of the results.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
DOCS = HERE.parent
# the experiments, which run in a checkout alone
sys.path[:0] = [str(DOCS.parent), str(DOCS.parent / "benchmarks")]

import paper_results  # noqa: E402
from draw_paper import draw_paper_pictures  # noqa: E402

TEXT = HERE / "paper.md.in"
PAGE = DOCS / "paper.md"
PICTURES = DOCS / "static" / "paper"
_VALUE = re.compile(r"\{\{ (\w+) \}\}")
_HEAD = (
    "<!-- made by docs/site/make_paper_page.py from paper.md.in: change that, and run it -->\n\n"
)


def make_page() -> str:
    """The page with all its numbers."""
    return _HEAD + fill_values(TEXT.read_text("utf-8"), paper_results.values())


def fill_values(text: str, values: Mapping[str, str]) -> str:
    """Put a value in the place of each ``{{ name }}``; every value must have a name."""
    return _VALUE.sub(lambda found: values[found[1]], text)


def main() -> None:
    """Write the page and the pictures."""
    PAGE.write_text(make_page(), "utf-8")
    PICTURES.mkdir(exist_ok=True)
    draw_paper_pictures(PICTURES)
    print(f"written: {PAGE} and {PICTURES}")


if __name__ == "__main__":
    main()
