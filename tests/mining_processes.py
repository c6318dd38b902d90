"""`gomkcn mine` as each process of tests/test_mining_job.py runs it: in parts, and killed once."""

import os
import signal
import time
from pathlib import Path

import mining.miner
from gomkcn.commands.main import main
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore

mining.miner.PART_SIZE = 20
keep = CheckpointStore._keep
KILLED = Path("killed")


def keep_and_die(steps, name, arrays):
    """The second process is killed once, after its first step beside the parts of the first."""
    keep(steps, name, arrays)
    if KILLED.exists() or steps.folder is None or not name.startswith(("sightings", "thresholds")):
        return
    if os.environ["RANK"] == "1":
        KILLED.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    # else the first process might make all of them
    while not KILLED.exists():
        time.sleep(0.01)


CheckpointStore._keep = keep_and_die
main()
