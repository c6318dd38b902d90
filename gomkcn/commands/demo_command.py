"""`gomkcn demo`: a small graph whose patterns are known, mined at once, and its page."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

import click

from gomkcn.commands.base import OUTPUT, Command, add_options, choose_folder
from gomkcn.commands.generate_command import planted
from gomkcn.commands.mine_command import mine

# what is hidden
MOTIFS = ("house=6", "wheel=6", "crown=6")


@click.command(cls=Command)
@add_options(
    ("--out", str, "Write to this folder. [runs/demo, with a number where it is taken]"),
    ("--no-open", bool, "Do not open the page in the browser."),
    group=OUTPUT,
)
@click.pass_context
def demo(ctx: click.Context, out: str | None, no_open: bool) -> None:
    """Mine a small example, and open its page.

    Three shapes are hidden in the example, six copies of each, and mining finds them.

    \b
    gomkcn demo
    gomkcn demo --out example --no-open
    """
    from mining.results.run_folder import REPORT

    folder = Path(choose_folder(out, "demo"))
    folder.mkdir(parents=True, exist_ok=True)
    graph = folder / "example.bin"
    steps = {
        planted: {"out": str(graph), "nodes": 200, "motifs": MOTIFS, "features": "constant"},
        mine: {"path": str(graph), "out": str(folder), "pattern_size": "4-6", "null_samples": 8},
    }
    for command, options in steps.items():
        ctx.invoke(command, **options)
    page = (folder / REPORT).resolve()
    click.echo(f"\nopen it in a browser: {page}\nnow with your own graph: gomkcn mine PATH")
    if not no_open and _has_screen():
        webbrowser.open(page.as_uri())


def _has_screen() -> bool:
    """Whether a browser would have a window to open; without one it might fill the terminal."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in displays)
