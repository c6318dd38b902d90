"""The paper's sweeps and timings at a tiny size, and the one command for all experiments."""

import subprocess
import sys
from pathlib import Path

import pytest
from paper.__main__ import EXPERIMENTS
from paper.timing import MODELS

PAPER = Path(__file__).resolve().parents[1] / "benchmarks" / "paper"


def run(*arguments):
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, cwd=PAPER.parents[1]
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_hyperparameters_smoke_writes_lines_table_and_figure(tmp_path):
    run(PAPER / "hyperparameters.py", "--smoke", "--out", tmp_path)
    results = tmp_path / "hyperparameters.jsonl"
    lines = results.read_text().splitlines()
    assert len(lines) == 2 + 4
    for name in ("hyperparameters.md", "hyperparameters.svg"):
        assert (tmp_path / name).stat().st_size
    # what a killed run left half is run again, the rest is not
    results.write_text("\n".join(lines)[:-20])
    said = run(PAPER / "hyperparameters.py", "--smoke", "--out", tmp_path)
    assert said.count(": validation ") == 1
    assert results.read_text().splitlines()[:-1] == lines[:-1]


@pytest.mark.slow
def test_timing_names_every_model():
    said = run(PAPER / "timing.py", "--quick", "--threads", 1, "--repeats", 1)
    for model in MODELS:
        assert f"| ENZYMES | {model} |" in said
    assert "Extraction" in said


def test_the_command_for_all_says_what_it_takes():
    done = subprocess.run([sys.executable, PAPER], capture_output=True, text=True)
    assert done.returncode == 2
    for task in ("smoke", "run", "tables"):
        assert f"python benchmarks/paper {task}" in done.stderr
    # every experiment of the folder is in it
    assert {script for script, *_ in EXPERIMENTS} == {
        path.name for path in PAPER.glob("*.py") if '__name__ == "__main__"' in path.read_text()
    } - {"table.py", "__main__.py"}
