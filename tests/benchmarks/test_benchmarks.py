"""Every benchmark runs at a tiny size; the README lists them; no time is checked."""

import json
import os
import re
import subprocess
import sys

import pytest
import torch
from click.testing import CliRunner
from paper.protocol import read_experiment
from paper.table import HERE as PAPER
from registry import BENCHMARKS, HERE, listing
from run import main

ROOT = HERE.parent
REAL_DATA = ROOT.parent / "shared" / "data"
BY_NAME = {one.name: one for one in BENCHMARKS}
# what a table must never say
WRONG = ("DIFFERENT", "| NO |")


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
def test_a_benchmark_runs_at_a_tiny_size(name, tmp_path):
    if name == "matching_cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    answer = subprocess.run(
        [sys.executable, str(HERE / "run.py"), name, "--quick", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "Warning" not in answer.stderr
    if not (tmp_path / f"{name}.jsonl").exists() and not REAL_DATA.is_dir():
        pytest.skip(f"the real data are not at {REAL_DATA}")
    lines = [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()]
    assert all(line.get("made", line).keys() >= {"machine", "commit"} for line in lines)
    if BY_NAME[name].path.name != "README.md":
        table = (tmp_path / f"{name}.md").read_text()
        assert table.startswith("Commit ") and "|---|" in table
        assert not any(word in table for word in WRONG)
    if name.endswith(("_classification", "_budget")):
        # ours always; a peer that is not installed is named
        for model in read_experiment(PAPER / f"{name}.toml").models:
            assert f"{model}: not installed" in answer.stdout or f", {model}, " in answer.stdout


def test_the_readme_lists_the_benchmarks():
    assert listing() in (HERE / "README.md").read_text("utf-8")
    assert CliRunner().invoke(main, ["--list"]).stdout == listing()


@pytest.mark.parametrize("name", BY_NAME)
def test_each_table_is_there_and_stands_behind_a_sentence(name):
    one = BY_NAME[name]
    assert "|---|" in one.path.read_text("utf-8")
    assert callable(one.load())
    assert one.backs
    for page, words in one.backs.items():
        text = (ROOT / page).read_text("utf-8")
        assert words in " ".join(text.split())
        link = os.path.relpath(one.path, (ROOT / page).parent)
        assert (
            f"]({link}" in text
            or one.path == ROOT / page
            or f"`{one.path.relative_to(ROOT)}`" in text
        )


def test_each_table_that_a_page_cites_is_of_a_benchmark():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    made = ROOT / "docs" / "results"
    text = " ".join(page.read_text("utf-8") for page in pages if made not in page.parents)
    cited = set(re.findall(r"benchmarks/((?:paper/)?results/\w+\.md)", text))
    tables = {one.path.relative_to(HERE).as_posix() for one in BENCHMARKS}
    # that of `python fuzz/run.py`
    assert cited - tables == {"results/fuzzing.md"}
    written = {path.relative_to(HERE).as_posix() for path in HERE.glob("results/*.md")}
    assert written - tables == {"results/fuzzing.md"}
