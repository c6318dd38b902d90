"""The bar of a job names the stage, and what is logged is written above it."""

import logging
import sys

import pytest

from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.job_progress import JobProgress


def test_the_bar_names_each_stage_and_goes(capsys):
    with JobProgress(show=True) as progress:
        progress.begin("counting")
        progress.begin("listing")
    shown = capsys.readouterr().err
    assert "counting:   0%" in shown and "listing:   0%" in shown and shown.endswith("\r")


def test_the_bar_moves_with_the_tasks_and_never_back():
    with JobProgress(show=True) as progress:
        store = CheckpointStore(progress=progress)
        progress.begin("squares")
        bar, seen = progress._bar, []

        def square(number):
            seen.append(bar.n)
            return {}

        store.do_all("square", range(4), square)
        assert seen == pytest.approx([0, 1 / 4, 1 / 2, 3 / 4])
        # what is there says nothing of the pace
        progress.begin("more squares")
        bar, seen = progress._bar, []
        store.do_all("square", range(5), square)
        assert seen == pytest.approx([4 / 5]) and (bar.n, bar.initial) == pytest.approx((1, 4 / 5))
        progress.move(0.1)
        assert bar.n == pytest.approx(1)


def test_what_is_logged_without_a_handler_is_written_above_the_bar(capsys, monkeypatch):
    own = logging.getLogger("gomkcn_dgl")
    monkeypatch.setattr(own, "propagate", False)
    assert not own.handlers
    with JobProgress(show=True) as progress:
        progress.begin("counting")
        own.warning("a structure was left out")
    lines = capsys.readouterr().err.replace("\r", "\n").split("\n")
    assert [line for line in lines if "structure" in line] == ["a structure was left out"]


@pytest.mark.parametrize("name", ["gomkcn_dgl", None])
def test_what_is_logged_is_written_once_above_the_bar(name, capsys):
    log, own = logging.getLogger(name), logging.getLogger("gomkcn_dgl")
    handler = logging.StreamHandler(sys.stderr)
    log.addHandler(handler)
    try:
        with JobProgress(show=True) as progress:
            progress.begin("counting")
            own.warning("a structure was left out")
    finally:
        log.removeHandler(handler)
    lines = capsys.readouterr().err.replace("\r", "\n").split("\n")
    assert [line for line in lines if "structure" in line] == ["a structure was left out"]
