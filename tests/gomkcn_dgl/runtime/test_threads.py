"""Blocks of work over threads: each once, errors raised, forks and late threads survived."""

import numpy as np
import pytest
from forked import run

from gomkcn_dgl.runtime.compiled import run_blocks

PROGRAM = """
import os, json, threading, numba, numpy as np
from gomkcn_dgl.runtime.compiled import run_blocks
numba.set_num_threads(2)
done = np.zeros(64, int)
def work(first, last):
    done[first:last] += 1
"""


@pytest.mark.parametrize("num_blocks", [1, 7, 1000])
def test_each_block_is_done_once(num_blocks):
    done = np.zeros(num_blocks, int)

    def work(first, last):
        done[first:last] += 1

    run_blocks(work, num_blocks, 1e9)
    assert (done == 1).all()


def test_an_error_in_a_thread_is_raised():
    def work(first, last):
        if first <= 500 < last:
            raise ValueError("block 500")

    with pytest.raises(ValueError, match="block 500"):
        run_blocks(work, 1000, 1e9)


def test_a_forked_process_has_threads_of_its_own():
    program = """
run_blocks(work, 64, 1e9)
child = os.fork()
if child == 0:
    run_blocks(work, 64, 1e9)
    os._exit(int((done != 2).any()))
print(json.dumps(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
"""
    assert run(PROGRAM + program, NUMBA_NUM_THREADS="2") == 0


def test_a_thread_may_go_on_when_the_main_one_has_ended():
    program = """
def late():
    threading.main_thread().join()
    run_blocks(work, 64, 1e9)
    print(json.dumps(done.tolist()), flush=True)
threading.Thread(target=late).start()
"""
    assert run(PROGRAM + program, NUMBA_NUM_THREADS="2") == [1] * 64
