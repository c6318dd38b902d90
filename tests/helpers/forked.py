"""A function in a process of its own, for tests that kill it, or a program in a new one."""

import json
import os
import subprocess
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


def run(program, **environment):
    """What a program prints as JSON, in a new interpreter that compiles."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0", **environment}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
