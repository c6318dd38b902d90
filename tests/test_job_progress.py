"""The bar of a job: what is left follows from the planned seconds and from the time so far."""

import pytest

from gomkcn_dgl.runtime.job_progress import JobProgress
from mining.job_stages import planned_seconds

SIZES = {"num_edges": 10**5, "num_roots": 1000, "num_patterns": 12, "count_seconds": 1.0}


def test_stages_count_by_their_seconds():
    progress = JobProgress()
    progress.plan({"first": 10, "second": 30})
    progress.begin("first")
    assert progress.share_done == 0
    progress.move(0.5)
    assert progress.share_done == pytest.approx(1 / 8)
    # a stage that was not planned takes no time, and what is over stays so
    progress.begin("between")
    progress.move(1)
    assert progress.share_done == pytest.approx(1 / 4)
    progress.begin("second")
    progress.move(2)
    assert progress.share_done == 1


def test_the_bar_names_the_stage_and_goes(capsys):
    with JobProgress(show=True) as progress:
        progress.plan({"counting": 4})
        progress.begin("counting")
        progress.move(0.25)
    shown = capsys.readouterr().err
    assert "counting:  25%" in shown and shown.endswith("\r")


def test_random_graphs_and_counts_of_a_large_graph_take_most():
    plain = planned_seconds(**SIZES, is_large=False, num_samples=0)
    compared = planned_seconds(**SIZES, is_large=False, num_samples=32)
    assert plain["counting in random graphs"] == 0
    assert compared["counting in random graphs"] > 0.5 * sum(compared.values())
    large = planned_seconds(**{**SIZES, "count_seconds": 10.0}, is_large=True, num_samples=0)
    assert large["counting structures"] == 160
