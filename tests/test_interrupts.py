"""Signals and time limits as a reason to stop."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from gomkcn_dgl import InputError
from gomkcn_dgl.runtime.interrupts import Interrupts, RunInterruptedError

SIGNALS = [signal.SIGTERM, signal.SIGINT]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_noted_and_the_old_handlers_come_back(number):
    before = [signal.getsignal(each) for each in SIGNALS]
    with Interrupts() as interrupts:
        assert (interrupts.reason, interrupts.stop_requested) == ("", False)
        os.kill(os.getpid(), number)
        assert (interrupts.reason, interrupts.stop_requested) == (number.name, True)
        # the next one kills
        assert [signal.getsignal(each) for each in SIGNALS] == [signal.SIG_DFL] * 2
    assert [signal.getsignal(each) for each in SIGNALS] == before
    assert interrupts.agree() == number.name


def test_handlers_come_back_after_an_error():
    before = [signal.getsignal(each) for each in SIGNALS]
    with pytest.raises(ZeroDivisionError), Interrupts():
        raise ZeroDivisionError
    assert [signal.getsignal(each) for each in SIGNALS] == before


@pytest.mark.parametrize("number", SIGNALS)
def test_a_second_signal_kills(number):
    script = """
import sys, time
from gomkcn_dgl.runtime.interrupts import Interrupts
with Interrupts() as interrupts:
    print("ready", flush=True)
    while True:
        if interrupts.stop_requested:
            print(interrupts.reason, flush=True)
            time.sleep(60)
        time.sleep(0.01)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.stdout.readline() == f"{number.name}\n"
        process.send_signal(number)
    assert process.returncode == -number


def test_a_time_limit(monkeypatch):
    now = 100.0
    monkeypatch.setattr("gomkcn_dgl.runtime.interrupts.time.monotonic", lambda: now)
    interrupts = Interrupts(time_limit=5)
    now = 104.9
    assert interrupts.reason == ""
    now = 105.0
    assert (interrupts.reason, interrupts.stop_requested) == ("time limit", True)
    assert interrupts.agree() == "time limit"


def test_a_signal_counts_before_a_time_limit():
    with Interrupts(time_limit=1e-9) as interrupts:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupts.reason == "SIGTERM"


def test_the_processes_agree(monkeypatch):
    monkeypatch.setattr(
        "gomkcn_dgl.runtime.interrupts.gather_objects",
        lambda mine: ["time limit", mine, "SIGINT", ""],
    )
    assert Interrupts().agree() == "SIGINT"


def test_outside_the_main_thread_there_is_the_time_limit_alone():
    before, seen = [signal.getsignal(each) for each in SIGNALS], []

    def work():
        with Interrupts(time_limit=0.01) as interrupts:
            seen.append([signal.getsignal(each) for each in SIGNALS])
            time.sleep(0.02)
            seen.append(interrupts.reason)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before, "time limit"]


def test_exit_codes_and_the_sentence():
    assert RunInterruptedError("SIGTERM", "after epoch 3").exit_code == 143
    error = RunInterruptedError("SIGINT", "after epoch 3")
    assert (error.exit_code, str(error)) == (
        130,
        "stopped by SIGINT after epoch 3; go on with --resume.",
    )


@pytest.mark.parametrize("limit", [0, -1.0, float("nan")])
def test_a_bad_time_limit(limit):
    with pytest.raises(InputError, match="^time_limit must be "):
        Interrupts(time_limit=limit)
