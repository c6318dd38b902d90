"""What is changed in every page of the site: pictures for dark pages, and lines that wrap."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform
from take_pictures import dark_path

# lines that a shell reads, which may be broken anywhere
_COMMAND = re.compile(r"(?:gomkcn|python3?|pip|torchrun|[A-Z_]+=\S+|export|tox)\b")

# characters of a line; what a command prints in columns has no more
_WIDEST_TABLE = 100
_HANGING = " " * 12
# and those that a page of the site has room for
_COLUMNS_OF_PAGE = 88


class DarkPictures(SphinxTransform):
    """Put ``NAME_dark.png`` beside ``NAME.png``; the theme shows the one that the page is for.

    A page names the first alone, so that it also reads well outside of the site.
    """

    # before the pictures of the page are collected
    default_priority = 800

    def apply(self, **options: object) -> None:
        """Add the pictures, with what is said of those that they stand for."""
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for light in list(self.document.findall(nodes.image)):
            path = Path(light["uri"])
            if "://" in light["uri"] or not (folder / dark_path(path)).exists():
                continue
            dark = light.deepcopy()
            dark["uri"] = dark_path(path).as_posix()
            light["classes"].append("only-light")
            dark["classes"].append("only-dark")
            light.parent.insert(light.parent.index(light) + 1, dark)


class LongLines(SphinxTransform):
    """Break long lines of commands and of messages, and make columns small enough to be seen."""

    default_priority = 800

    def apply(self, **options: object) -> None:
        """Mark what the style of the site wraps or makes smaller; programs scroll."""
        for block in self.document.findall(nodes.literal_block):
            lines = [line for line in block.astext().splitlines() if line.strip()]
            width = max(map(len, lines), default=0)
            # a program, or a drawing of lines that stand below each other
            keeps_lines = block.get("language") in ("python", "py") or any(
                line.startswith(_HANGING) for line in lines
            )
            if (
                len(lines) == 1
                or all(_COMMAND.match(line) for line in lines)
                or (not keeps_lines and width > _WIDEST_TABLE)
            ):
                block["classes"].append("wrapped")
            elif not keeps_lines and width > _COLUMNS_OF_PAGE:
                block["classes"].append("columns")
