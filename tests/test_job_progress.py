"""The bar of a job: what is left follows from the planned seconds and from the time so far."""

import logging
import sys
import threading
import time

import pytest

from gomkcn_dgl.runtime import job_progress
from gomkcn_dgl.runtime.job_progress import JobProgress
from mining.job_stages import planned_seconds

SIZES = {"num_edges": 10**5, "num_roots": 1000, "num_patterns": 12, "num_epochs": 60}
PLAIN = {"nulls": (), "num_samples": 32, "has_classes": False, "is_large": False}
PLAIN |= {"rank": "surprise", "count_seconds": 1.0}


def test_stages_count_by_their_seconds():
    progress = JobProgress()
    progress.plan({"first": 10, "second": 30})
    progress.begin("first")
    assert progress.share_done == 0
    progress.move(0.5)
    assert progress.share_done == pytest.approx(1 / 8)
    # several parts of a stage may each end, and the bar does not go back
    progress.move(0.2)
    assert progress.share_done == pytest.approx(1 / 8)
    # a stage that was not planned takes no time, and what is over stays so
    progress.begin("between")
    progress.move(1)
    assert progress.share_done == pytest.approx(1 / 4)
    progress.begin("second")
    progress.move(2)
    assert progress.share_done == 1


def test_stages_that_are_left_out_are_waited_for_no_more():
    progress = JobProgress()
    progress.plan({"last": 10})
    progress.plan({"first": 10, "for undecided ones": 100, "then": 20})
    progress.begin("first")
    progress.begin("then")
    assert progress.share_done == pytest.approx(10 / 40)
    progress.begin("last")
    assert progress.share_done == pytest.approx(30 / 40)


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self):
        return self.now


def test_what_was_there_takes_no_time():
    progress = JobProgress(clock=Clock())
    progress.plan({"counting": 100, "listing": 100})
    progress.begin("counting")
    progress.move(0.0, left_out=0.9)
    assert progress.seconds_left == pytest.approx(110)
    progress.move(0.1, left_out=0.9)
    progress.begin("listing")
    assert progress.share_done == pytest.approx(10 / 110)


def test_what_is_left_follows_the_pace_so_far():
    clock = Clock()
    progress = JobProgress(clock=clock)
    # what is not planned says nothing of the pace
    progress.begin("reading")
    clock.now += 1000
    assert progress.seconds_left == 0
    progress.plan({"first": 100, "second": 100})
    assert progress.seconds_left == pytest.approx(200)
    progress.begin("first")
    clock.now += 100
    progress.begin("second")
    assert progress.seconds_left == pytest.approx(100)
    progress.move(1)
    assert progress.seconds_left == 0


def test_a_slow_machine_is_nearly_believed_and_time_goes_on_between_two_steps():
    clock = Clock()
    progress = JobProgress(clock=clock)
    progress.plan({"first": 100, "second": 50, "third": 50})
    progress.begin("first")
    clock.now += 300
    progress.begin("second")
    left = progress.seconds_left
    assert 250 < left < 300
    clock.now += 60
    assert progress.seconds_left == pytest.approx(left - 60)
    # a stage that takes longer than planned makes what is behind it take longer, too
    clock.now += 300
    late = progress.seconds_left
    assert late > left / 2
    clock.now += 60
    assert progress.seconds_left > late


def test_the_bar_goes_on_while_a_step_takes_long(capsys, monkeypatch):
    monkeypatch.setattr(job_progress, "_REDRAW", 0.01)
    clock = Clock()
    with JobProgress(show=True, clock=clock) as progress:
        progress.plan({"counting": 40})
        progress.begin("counting")
        clock.now = 15.0
        shown, end = "", time.monotonic() + 60
        while "about 00:25 left" not in shown and time.monotonic() < end:
            shown += capsys.readouterr().err
    assert "about 00:40 left" in shown and "about 00:25 left" in shown
    assert not any(thread.name == job_progress.REDRAWING for thread in threading.enumerate())


def test_the_bar_names_the_stage_and_goes(capsys):
    with JobProgress(show=True) as progress:
        progress.plan({"counting": 4})
        progress.begin("counting")
        progress.move(0.25)
    shown = capsys.readouterr().err
    assert "counting:  25%" in shown and "about 00:" in shown and shown.endswith("\r")


def test_what_is_logged_without_a_handler_is_written_above_the_bar(capsys, monkeypatch):
    own = logging.getLogger("gomkcn_dgl")
    monkeypatch.setattr(own, "propagate", False)
    assert not own.handlers
    with JobProgress(show=True) as progress:
        progress.plan({"counting": 4})
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
            progress.plan({"counting": 4})
            progress.begin("counting")
            own.warning("a structure was left out")
    finally:
        log.removeHandler(handler)
    lines = capsys.readouterr().err.replace("\r", "\n").split("\n")
    assert [line for line in lines if "structure" in line] == ["a structure was left out"]


def test_random_graphs_and_counts_of_a_large_graph_take_most():
    plain = planned_seconds(**SIZES, **PLAIN)
    assert not any("random graphs (" in stage for stage in plain)
    nulls = {**PLAIN, "nulls": ("degree", "triangles")}
    compared = planned_seconds(**SIZES, **nulls)
    rounds = [stage for stage in compared if "random graphs (" in stage]
    assert rounds[:3] == [f"counting in {n} random graphs (degree)" for n in (8, 16, 32)]
    assert rounds[3:] == [f"counting in {n} random graphs (triangles)" for n in (8, 16, 32)]
    assert sum(compared[stage] for stage in rounds) > 0.5 * sum(compared.values())
    large = {**PLAIN, "is_large": True, "count_seconds": 10.0}
    planned = planned_seconds(**SIZES, **large)
    assert (planned["counting structures"], planned["counting patterns"]) == (160, 0)
    # any other order counts all candidates first, and then those that are reported
    planned = planned_seconds(**SIZES, **{**large, "rank": "frequency"})
    assert planned["counting structures"] < 160 and planned["counting patterns"] == 120
