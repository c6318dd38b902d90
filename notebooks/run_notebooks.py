"""Run notebooks from the first cell to the last, and store them with their outputs.

python notebooks/run_notebooks.py                       all of them
python notebooks/run_notebooks.py 01_subgraphs.ipynb    some of them
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent
# seconds of a cell; filters that are trained twice take half a minute
_TIMEOUT = 900
# dots per inch of a picture: it is read as well as with 100, in half the bytes
_DPI = 72


def run(notebook: nbformat.NotebookNode, timeout: int = _TIMEOUT) -> None:
    """Run all cells in a new kernel, and put their outputs into the notebook.

    What differs from run to run is left out: times of cells, and the page of a widget, which
    repeats the tables that stand in its place.
    """
    # another backend draws nothing into a notebook
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    client = NotebookClient(
        notebook,
        timeout=timeout,
        resources={"metadata": {"path": str(FOLDER)}},
        extra_arguments=[f"--InlineBackend.rc={{'figure.dpi': {_DPI}}}"],
        store_widget_state=False,
        record_timing=False,
    )
    client.execute(env=environment)
    notebook.metadata.pop("widgets", None)


def main(names: list[str]) -> None:
    """Run the notebooks that are named, or all, and write them."""
    for path in [FOLDER / name for name in names] or sorted(FOLDER.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        run(notebook)
        nbformat.write(notebook, path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
