"""One mining job on several hosts, and what happens when one of them fails; needs root.

    python benchmarks/hosts.py

The hosts are network namespaces of this machine: each has an address of its own on a bridge, a name
and processes of its own, and all see one folder. `torchrun` with a c10d rendezvous on the first
host starts a process on each. After a number of steps drawn uniformly from those of a job, or where
it is 0 within the first ten seconds, one of these befalls it:

- killed: all processes of the second host get SIGKILL
- paused: all processes of the second host stand still for 30 seconds
- cut: the second host's link is down for 30 seconds
- rendezvous lost: all processes of the first host get SIGKILL

A job that then ends is gone on with by `--resume`, on all hosts. Is the result that of one process?
Jobs mostly wait after a fault, so that those of all faults run side by side, each on its own hosts.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import click
from jobs import GOMKCN, finish, plant, steps_in
from record import Bench, bench_command

RUNS = 20
NODES = 5_000
# how long a host stands still, and within how long a job begins
SECONDS, START = 30, 10
# a job that has not ended by then hangs
LIMIT = 600
PORT = 29_500
SEED = 0
SETTINGS = ["--sample-error", "0.02", "--null", "degree", "--null-samples", "99", "--size", "3-5"]
# counts end by their work, so that they are equal on a busy machine
SETTINGS += ["--count-error", "0.1", "--count-seconds", "100"]
FAULTS = ("killed", "paused", "cut", "rendezvous lost")
# the sentence of a process whose others are gone
SENTENCE = b"another process of this run has ended or cannot be reached"


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


@dataclass
class Hosts:
    """Network namespaces on a bridge, and the processes in them."""

    number: int
    folder: Path
    group: int
    jobs: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def name(self, host: int) -> str:
        return f"gomkcn{os.getpid() % 10_000}-{self.group}-{host}"

    def link(self, host: int) -> str:
        return f"gk{os.getpid() % 10_000}v{self.group}{host}"

    @contextlib.contextmanager
    def up(self) -> Iterator[Hosts]:
        """Make the bridge and the hosts; take all away at the end."""
        bridge = self.link(0)
        try:
            ip("link", "add", bridge, "type", "bridge")
            ip("link", "set", bridge, "up")
            names = [f"10.77.0.{host} {self.name(host)}" for host in range(1, self.number + 1)]
            for host in range(1, self.number + 1):
                space, link = self.name(host), self.link(host)
                ip("netns", "add", space)
                own = Path("/etc/netns") / space
                own.mkdir(parents=True)
                (own / "hosts").write_text("\n".join(["127.0.0.1 localhost", *names, ""]))
                ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
                ip("link", "set", link, "master", bridge, "up")
                ip("-n", space, "address", "add", f"10.77.0.{host}/24", "dev", "eth0")
                ip("-n", space, "link", "set", "eth0", "up")
                ip("-n", space, "link", "set", "lo", "up")
            yield self
        finally:
            self.kill_all()
            for host in range(1, self.number + 1):
                subprocess.run(["ip", "netns", "delete", self.name(host)], check=False)
                own = Path("/etc/netns") / self.name(host)
                if own.exists():
                    (own / "hosts").unlink()
                    own.rmdir()
            subprocess.run(["ip", "link", "delete", bridge], check=False)

    def start(self, job: str, *command: str) -> None:
        """Begin a gomkcn command on all hosts."""
        run = [sys.executable, "-m", "torch.distributed.run", "--nnodes", f"1:{self.number}"]
        run += ["--nproc-per-node", "1", "--max-restarts", "3", "--rdzv-backend", "c10d"]
        run += ["--rdzv-endpoint", f"{self.name(1)}:{PORT}", "--rdzv-id", job, "-m", "gomkcn"]
        self.jobs = []
        for host in range(1, self.number + 1):
            inside = ["ip", "netns", "exec", self.name(host), "unshare", "--uts", "sh", "-c"]
            inside += ['hostname "$0"; exec "$@"', self.name(host), *run, *command]
            messages = (self.folder / f"{job}-{host}.log").open("ab")
            self.jobs.append(subprocess.Popen(inside, stdout=subprocess.DEVNULL, stderr=messages))
            messages.close()

    def signal(self, host: int, number: int) -> None:
        """Send a signal to every process of a host."""
        pids = subprocess.run(
            ["ip", "netns", "pids", self.name(host)], capture_output=True, check=True
        ).stdout.split()
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), number)

    def kill_all(self) -> None:
        for host in range(1, self.number + 1):
            with contextlib.suppress(subprocess.CalledProcessError):
                self.signal(host, signal.SIGKILL)

    def wait(self) -> bool:
        """Wait for all hosts; whether any of them ended in time and well."""
        end = time.monotonic() + LIMIT
        for job in self.jobs:
            with contextlib.suppress(subprocess.TimeoutExpired):
                job.wait(max(1.0, end - time.monotonic()))
        well = any(job.returncode == 0 for job in self.jobs)
        self.kill_all()
        for job in self.jobs:
            job.wait()
        return well

    def said(self, job: str) -> bool:
        """Whether any process said that others cannot be reached."""
        return any(SENTENCE in path.read_bytes() for path in self.folder.glob(f"{job}-*.log"))


def befall(hosts: Hosts, fault: str) -> None:
    """Let one thing happen to a job that is under way."""
    if fault == "killed":
        hosts.signal(2, signal.SIGKILL)
    elif fault == "paused":
        hosts.signal(2, signal.SIGSTOP)
        time.sleep(SECONDS)
        hosts.signal(2, signal.SIGCONT)
    elif fault == "cut":
        ip("link", "set", hosts.link(2), "down")
        time.sleep(SECONDS)
        ip("link", "set", hosts.link(2), "up")
    elif fault == "rendezvous lost":
        hosts.signal(1, signal.SIGKILL)


def disturb(
    hosts: Hosts, fault: str, runs: int, command: list[str], total: int, expected: bytes
) -> tuple[object, ...]:
    """Let a fault befall some jobs of so many steps; return the row of the table."""
    rng = random.Random(f"{SEED} {fault}")
    alone = resumed = said = same = 0
    seconds = []
    for run in range(runs):
        job = f"{fault.replace(' ', '-')}{run}"
        out = hosts.folder / job
        start = time.perf_counter()
        hosts.start(job, *command, str(out))
        if fault != "none":
            steps = rng.randrange(total)
            if not steps:
                time.sleep(rng.uniform(0, START))
            while len(steps_in(out)) < steps and any(one.poll() is None for one in hosts.jobs):
                time.sleep(0.02)
            befall(hosts, fault)
        well = hosts.wait() and (out / "run.json").exists()
        alone += well
        if not well:
            resumed += 1
            hosts.start(f"{job}-again", *command, str(out), "--resume")
            hosts.wait()
        seconds.append(time.perf_counter() - start)
        said += hosts.said(job)
        found = out / "patterns.json"
        same += found.exists() and found.read_bytes() == expected
    return fault, runs, alone, resumed, statistics.median(seconds), max(seconds), said, same


@bench_command("hosts", RUNS, "runs of each fault")
@click.option("--hosts", "number", type=click.IntRange(2, 4), default=2, show_default=True)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    type=click.Choice(FAULTS),
    default=FAULTS,
    help="Which, several times for several.",
)
def main(bench: Bench, number: int, faults: tuple[str, ...]) -> None:
    """Disturb a job on several hosts, go on with it, compare."""
    os.environ |= {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    # a store for each restart, as the guide says
    os.environ["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
    bench.threads = 1
    # the jobs may use all processors
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    runs = 1 if bench.quick else bench.repeats
    table = bench.table(
        f"{number} hosts with one process each",
        {
            "fault": "",
            "runs": "d",
            "went on by itself": "d",
            "ended, gone on with --resume": "d",
            "seconds, median": ".0f",
            "most": ".0f",
            "said that others cannot be reached": "d",
            "same patterns as one process": "d",
        },
    )
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        graph, reference = str(folder / "big.graph"), folder / "reference"
        plant(Path(graph), 500 if bench.quick else NODES)
        command = ["mine", graph, "--quiet", *SETTINGS, "--out"]
        started = subprocess.Popen(
            [*GOMKCN, *command, str(reference)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        total = 0
        while started.poll() is None:
            total = max(total, len(steps_in(reference)))
            time.sleep(0.02)
        finish(started)
        bench.note(f"The job has {total} steps. Jobs of all rows ran side by side.")
        expected = (reference / "patterns.json").read_bytes()
        every = ("none", *faults)
        groups = [stack.enter_context(Hosts(number, folder, i).up()) for i in range(len(every))]
        with ThreadPoolExecutor(len(every)) as pool:
            rows = [
                pool.submit(disturb, hosts, fault, runs, command, total, expected)
                for fault, hosts in zip(every, groups, strict=True)
            ]
            for row in rows:
                table.add(*row.result())


if __name__ == "__main__":
    main()
