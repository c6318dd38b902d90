"""Every benchmark runs at a tiny size and leaves its table and its record; no time is checked."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import measure
import pytest
from click.testing import CliRunner

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
REAL_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
COMMANDS = (
    "memory", "motif_set", "motif_set_collections", "planted", "renumbered",
    "sampling", "sources", "convert", "large_graphs", "processes", "kills", "endurance",
    "matching", "assignment", "gram", "level", "noisy_copies", "verdicts",
    "class_patterns", "counting", "census_speed", "page",
    "inexact",
)  # fmt: skip
# mining a graph of 1000 nodes takes minutes as plain Python, everything else seconds
COMPILED = (
    "gram",
    "motif_set", "motif_set_collections", "planted", "renumbered",
    "level", "noisy_copies", "sources", "verdicts",
    "class_patterns", "counting", "census_speed", "large_graphs", "processes", "kills",
    "endurance", "inexact",
)  # fmt: skip


def run(name, *options, before=()):
    environment = dict(os.environ)
    if name not in COMPILED:
        environment["NUMBA_DISABLE_JIT"] = "1"
    return subprocess.run(
        [sys.executable, *before, str(BENCHMARKS / f"{name}.py"), *options],
        capture_output=True,
        text=True,
        env=environment,
    )


def invoke(monkeypatch, name, *options):
    """The same in this process, which is not pinned to some processors."""
    module = importlib.import_module(name)
    monkeypatch.setattr("record._pin_threads", lambda threads: 1)
    return CliRunner().invoke(module.main, options, catch_exceptions=False)


def test_every_command_is_run_here():
    written = {path.stem for path in BENCHMARKS.glob("*.py") if "@click" in path.read_text()}
    written |= {path.stem for path in BENCHMARKS.glob("*.py") if "@bench_" in path.read_text()}
    assert written - {"record"} == set(COMMANDS)


# what is not among these is run by `tox -e slow`: it mines graphs or starts many processes
CASES = [name for name in COMMANDS if name != "assignment"]
# what a table must say, and what it must not
SAYS = {"matching": ("not yet measured", "--device cuda")}
NEVER_SAYS = {"sampling": "DIFFERENT", "assignment": "NOT OPTIMAL"}


def test_a_quick_command_leaves_a_table_and_a_record(tmp_path, monkeypatch):
    answer = invoke(monkeypatch, "assignment", "--quick", "--out", str(tmp_path))
    assert answer.exit_code == 0, answer.stderr
    check_results("assignment", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_command_leaves_a_table_and_a_record(name, tmp_path):
    if name == "page":
        pytest.importorskip("playwright")
    answer = run(name, "--quick", "--out", str(tmp_path))
    assert answer.returncode == 0, answer.stderr
    assert "Warning" not in answer.stderr
    if name in ("class_patterns") and not REAL_DATA.is_dir():
        assert "is not in the folder" in (tmp_path / f"{name}.md").read_text()
        pytest.skip(f"the real data are not at {REAL_DATA}")
    check_results(name, tmp_path)


def check_results(name, folder):
    table = (folder / f"{name}.md").read_text()
    assert table.startswith("Commit ")
    assert "|---|" in table
    last = (folder / f"{name}.jsonl").read_text().splitlines()
    assert json.loads(last[0]).get("made", json.loads(last[0])).keys() >= {"machine", "commit"}
    assert all(text in table for text in SAYS.get(name, ()))
    assert name not in NEVER_SAYS or NEVER_SAYS[name] not in table


def test_a_gpu_that_is_not_there_is_refused(monkeypatch):
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    answer = invoke(monkeypatch, "matching", "--device", "cuda")
    assert answer.exit_code == 2
    assert "Error: --device cuda needs a CUDA GPU" in answer.stderr


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        ((1.0, 2.0, 3.0), "2.00 s (1.00–3.00)"),
        ((0.0123, 0.0124, 1.5), "12.4 ms (12.3–1,500)"),
        ((25e-6,), "25.0 µs (25.0–25.0)"),
        ((5e-9,), "5.00 ns (5.00–5.00)"),
    ],
)
def test_a_timing_reads_as_median_and_range(seconds, text):
    assert f"{measure.Timing(seconds)}" == text


def test_calls_are_timed_in_turn(monkeypatch):
    monkeypatch.setattr(measure, "LEAST_SAMPLE", 0.0)
    monkeypatch.setattr(measure, "SHORT_CALL", 0.0)
    order = []
    calls = {name: lambda name=name: order.append(name) for name in "ab"}
    timings = measure.time_interleaved(calls, 3)
    # each is warmed up twice
    assert "".join(order) == "aabb" + "ab" * 3
    assert [len(timing.seconds) for timing in timings.values()] == [3, 3]
