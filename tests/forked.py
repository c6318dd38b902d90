"""A function in a process of its own, without a new interpreter, for tests that kill it."""

import os
import sys
import time
import traceback
import warnings


def start(work):
    """Run ``work`` in a child process; return its id."""
    with warnings.catch_warnings():
        # Python 3.12 warns of threads that the child does not have
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(code)
    return child


def wait_for(path):
    """Wait for a file, for at most a minute."""
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def exit_code(child):
    """Wait for the end of a child; -N for signal N."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
