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
    "03_mining.ipynb": {"NUM_SAMPLES": 99, "NUM_BASE_NODES": 30, "COPIES": 5},
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


def output_of(notebook, first):
    """The HTML or the text of the only output of the cell that has ``first`` in its source."""
    (cell,) = [one for one in notebook.cells if one.cell_type == "code" and first in one.source]
    (output,) = cell.outputs
    return output.get("text") or output.data["text/html"]


def test_the_planted_motifs_are_the_filters_of_the_notebook_on_mining():
    """Each with its copies as instances, which its text says in numbers; a star comes after."""
    notebook = nbformat.read(NOTEBOOKS / "03_mining.ipynb", as_version=4)
    cells = re.findall(r"<td>(.*?)</td>", output_of(notebook, 'table["planted"] ='))
    rows = [cells[start : start + 7] for start in range(0, len(cells), 7)]
    instances = [int(number) for _, planted, _, number, *_ in rows if planted]
    assert instances == [10] * 4
    assert [planted for _, planted, *_ in rows[4:]] == [""]
    assert rows[4][0].startswith("star")
    text = "".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "the instances of each are its 10 copies. The fifth filter is a star" in text


def test_the_notebook_on_mining_finds_no_filter_in_a_random_graph():
    notebook = nbformat.read(NOTEBOOKS / "03_mining.ipynb", as_version=4)
    assert output_of(notebook, "gnm_random_graph").startswith("0 filters. The graph has no")


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
