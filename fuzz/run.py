"""Feed readers with wrong files: `python fuzz/run.py [READER ...] --examples 100000`.

Each reader is fed in a process of its own with bounded memory, which a crash ends. Hypothesis makes
an input that fails as small as it can. It is then kept in tests/gomkcn_dgl/io/corpus, which the
tests read again.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, seed, settings
from mutate import mutated
from targets import TARGETS

_CORPUS = Path(__file__).resolve().parents[1] / "tests/gomkcn_dgl/io/corpus"
_MILLISECONDS = 5000
_MEMORY = 2 << 30
# what no reader may do, by the names of Python's audit events
_FORBIDDEN = {"pickle.find_class", "os.exec", "os.fork", "os.system", "subprocess.Popen"}
_FORBIDDEN |= {"socket.connect", "socket.getaddrinfo"}


def main() -> None:
    """Fuzz the named readers, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readers", nargs="*", metavar="READER", default=list(TARGETS))
    parser.add_argument("--examples", type=int, default=10_000, help="for each reader [10000]")
    parser.add_argument("--seed", type=int, default=0)
    given_options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    for reader in given_options.readers:
        with tempfile.TemporaryDirectory() as folder:
            options = (reader, given_options.examples, given_options.seed, Path(folder))
            child = context.Process(target=_feed, args=options)
            child.start()
            child.join()
            if child.exitcode and not (Path(folder) / "last").exists():
                raise SystemExit(f"{reader}: the process ended before it read anything; see above.")
            if child.exitcode:
                data = (Path(folder) / "last").read_bytes()
                path = _CORPUS / reader / hashlib.sha1(data).hexdigest()[:8]
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
                print(f"{reader}: exit code {child.exitcode}, input kept in {path}")
            else:
                print(f"{reader}: nothing in {given_options.examples} inputs")


def _feed(reader: str, examples: int, random_seed: int, folder: Path) -> None:
    """Feed one reader in this process; the input that was read last is kept."""
    target, inside = TARGETS[reader], [False]
    work = folder / "work"
    work.mkdir()
    for data in target.seeds:
        target.feed(work, data)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, resource.RLIM_INFINITY))

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if inside[0] and event in _FORBIDDEN:
            raise AssertionError(f"{event} {arguments!r:.200}")

    @seed(random_seed)
    @settings(
        max_examples=examples,
        deadline=_MILLISECONDS,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(data=mutated(target.seeds, target.is_folder))
    def read_or_refuse(data: bytes) -> None:
        (folder / "last").write_bytes(data)
        inside[0] = True
        try:
            target.feed(work, data)
        finally:
            inside[0] = False

    sys.addaudithook(audit)
    read_or_refuse()


if __name__ == "__main__":
    main()
