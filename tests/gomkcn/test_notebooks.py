"""Every notebook runs from its first cell to its last, with the small sizes given here."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
SMALL = {
    "01_subgraphs.ipynb": {"NUM_BASE_NODES": 60, "COPIES": 3},
    "02_kernel.ipynb": {"NUM_STEPS": 5},
    "03_mining.ipynb": {
        "NUM_EPOCHS": 1,
        "NUM_SAMPLES": 99,
        "NUM_BASE_NODES": 30,
        "COPIES": 5,
    },
    "04_classifier.ipynb": {"NUM_GRAPHS": 40, "NUM_EPOCHS": 1},
    "05_your_own_data.ipynb": {"NUM_SAMPLES": 99},
    "06_directions_and_types.ipynb": {"NUM_SAMPLES": 99},
}
# at these sizes compiling takes longer than plain Python, but for training and counting
COMPILED = (
    "03_mining.ipynb",
    "04_classifier.ipynb",
    "05_your_own_data.ipynb",
    "06_directions_and_types.ipynb",
)


def test_every_notebook_has_small_sizes():
    assert {path.name for path in NOTEBOOKS.glob("*.ipynb")} == set(SMALL)


def shrink(source: str, sizes: dict[str, int]) -> str:
    """Give the constants of the first code cell new values; each must be there once."""
    for name, value in sizes.items():
        source, count = re.subn(rf"^{name} = \d+$", f"{name} = {value}", source, flags=re.MULTILINE)
        assert count == 1, f"{name} is not set once in the first code cell"
    return source


# the kernel's messages travel over sockets whose asyncio calls Python has begun to deprecate
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.notebooks
@pytest.mark.parametrize("name", sorted(SMALL))
def test_notebook_runs(name, monkeypatch):
    if name not in COMPILED:
        # the kernel inherits it
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    cells[0].source = shrink(cells[0].source, SMALL[name])
    NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(NOTEBOOKS)}}
    ).execute()
    shown = [output for cell in cells for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) for output in shown)
    assert not [output for output in shown if output.output_type == "error"]
