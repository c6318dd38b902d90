"""Every notebook runs from its first cell to its last, and is stored with what it shows."""

import re

import nbformat
import pytest
from run_notebooks import FOLDER as NOTEBOOKS
from run_notebooks import run

# bytes of a notebook as it is stored, pictures and all
MOST_BYTES = 600_000
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


def missing_pictures(notebook):
    """The cells that plot and whose outputs have no picture, by their first lines."""
    return [
        cell.source.partition("\n")[0]
        for cell in notebook.cells
        if cell.cell_type == "code"
        and re.search(r"plt\.show\(\)|\.plot\(", cell.source)
        and not any(
            kind.startswith("image/") for output in cell.outputs for kind in output.get("data", {})
        )
    ]


@pytest.mark.parametrize("name", sorted(SMALL))
def test_a_notebook_is_stored_with_its_outputs(name):
    """All plots are there, nothing failed, and nothing makes the file large."""
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    assert missing_pictures(notebook) == []
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    # run once, from the first to the last
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [
        output for cell in cells for output in cell.outputs if output.output_type == "error"
    ]
    assert "widgets" not in notebook.metadata
    assert (NOTEBOOKS / name).stat().st_size < MOST_BYTES


def test_a_plot_without_a_picture_is_seen():
    cell = nbformat.v4.new_code_cell("figure\nplt.show()")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    assert missing_pictures(notebook) == ["figure"]
    cell.outputs = [nbformat.v4.new_output("display_data", {"image/png": "", "text/plain": ""})]
    assert missing_pictures(notebook) == []


def test_the_mining_of_the_paper_finds_all_planted_motifs_in_its_notebook():
    """Filters as centres of clusters with their frequencies, which its text says in numbers."""
    notebook = nbformat.read(NOTEBOOKS / "03_mining.ipynb", as_version=4)
    number = next(k for k, cell in enumerate(notebook.cells) if '"frequency":' in cell.source)
    (output,) = notebook.cells[number].outputs
    cells = re.findall(r"<td>(.*?)</td>", output.data["text/html"])
    rows = [cells[start : start + 5] for start in range(0, len(cells), 5)]
    exactly = {planted: int(exact) for _, planted, _, exact, _ in rows if planted}
    assert len(exactly) == 4
    said = re.search(r"counts (\d+) to (\d+) of", notebook.cells[number + 1].source).groups()
    assert (min(exactly.values()), max(exactly.values())) == tuple(map(int, said))
    # each node belongs to one filter
    assert sum(int(frequency) for _, _, frequency, _, _ in rows) == 1000


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
    run(notebook, timeout=300)
    assert missing_pictures(notebook) == []
    shown = [output for cell in cells for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) for output in shown)
    assert not [output for output in shown if output.output_type == "error"]
