"""Feed readers with wrong files: `python fuzz/run.py [READER ...] --inputs 100000`.

One process reads many inputs; it is started anew where it dies. The file that it read last tells
what killed it. Findings are minimised and kept in the corpus, which `tests/test_fuzz.py` replays;
a row a reader goes to a file of results, of which `--table` makes `benchmarks/results/fuzzing.md`.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import hashlib
import json
import logging
import multiprocessing
import shutil
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engines import ATHERIS, OWN, import_targets, run_atheris, run_own, usual_engine
from table import write_table

_ROOT = Path(__file__).resolve().parents[1]
_CORPUS = _ROOT / "tests" / "corpus"
_RESULTS = _ROOT / "benchmarks" / "results" / "fuzzing.jsonl"
_SILENT_SECONDS = 300
_MOST_STARTS = 50


def main() -> None:
    """Fuzz the named readers, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readers", nargs="*", metavar="READER")
    parser.add_argument("--inputs", type=int, default=100_000, help="for each reader [100000]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=(ATHERIS, OWN), default=usual_engine())
    parser.add_argument("--corpus", type=Path, default=_CORPUS, help="where findings are kept")
    parser.add_argument("--out", type=Path, default=_RESULTS, help="file of results")
    parser.add_argument("--round", default="after", help="name of the code that is fed [after]")
    parser.add_argument("--table", action="store_true", help="only write the table of the results")
    given = parser.parse_args()
    if given.table:
        write_table(given.out)
        return
    for reader in given.readers or _reader_names():
        row = fuzz(reader, given.engine, given.inputs, given.seed, given.corpus, given.round)
        with given.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        kinds = ", ".join(f"{one['kind']} {one['place']}" for one in row["findings"])
        print(f"{reader}: {row['inputs']} inputs, {row['seconds']:.0f} s, {kinds or 'nothing'}")


def fuzz(
    reader: str, engine: str, inputs: int, seed: int, corpus: Path, label: str
) -> dict[str, Any]:
    """Feed one reader; return the row of results."""
    start = time.perf_counter()
    fork = multiprocessing.get_context("spawn")
    done, refused = fork.Value(ctypes.c_longlong, 0), fork.Value(ctypes.c_longlong, 0)
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as name:
        folder = Path(name)
        for part in ("work", "found", "kept"):
            (folder / part).mkdir()
        for attempt in range(_MOST_STARTS):
            left = inputs - done.value
            if left <= 0:
                break
            # the seed of a process that follows one that died
            options = (reader, engine, left, seed + 1000 * attempt, name)
            child = fork.Process(target=_work, args=(*options, done, refused))
            child.start()
            _watch(child, done)
            if not (folder / "last").exists():
                raise SystemExit(f"{reader}: the process ended before it read anything; see above.")
            # it ended by itself, at an input that it had not finished
            if child.exitcode != 0 and done.value < inputs:
                _keep_last(folder, "hang" if child.exitcode == -9 else "crash", child.exitcode)
        findings = [
            json.loads(path.read_text()) for path in sorted((folder / "found").glob("*.json"))
        ]
        for path in (folder / "found").glob("*.bin"):
            (corpus / reader).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, corpus / reader / path.stem)
    return {
        "reader": reader,
        "engine": engine,
        "inputs": done.value,
        "refused": refused.value,
        "seed": seed,
        "seconds": round(time.perf_counter() - start, 1),
        "findings": findings,
        "round": label,
        "python": sys.version.split()[0],
    }


def _reader_names() -> list[str]:
    return list(import_targets(OWN))


def _watch(child: Any, done: Any) -> None:
    """Wait for a process; kill it when it reads nothing for too long."""
    before, since = -1, time.monotonic()
    while child.is_alive():
        child.join(0.5)
        if done.value != before:
            before, since = done.value, time.monotonic()
        if time.monotonic() - since > _SILENT_SECONDS:
            child.kill()


def _keep_last(folder: Path, kind: str, code: int) -> None:
    last = folder / "last"
    if last.is_file():
        finding = {"kind": kind, "place": f"exit code {code}", "message": ""}
        _write_finding(folder / "found", finding, last.read_bytes())


def _write_finding(folder: Path, finding: dict[str, str], data: bytes) -> None:
    name = f"{finding['kind']}-{hashlib.sha1(finding['place'].encode()).hexdigest()[:8]}"
    (folder / f"{name}.bin").write_bytes(data)
    (folder / f"{name}.json").write_text(json.dumps({**finding, "name": name}))


def _work(
    reader: str, engine: str, inputs: int, seed: int, name: str, done: Any, refused: Any
) -> None:
    """Read inputs in this process."""
    logging.getLogger("gomkcn_dgl").setLevel(logging.CRITICAL)
    target = import_targets(engine)[reader]
    from judge import Finding, Judge, TimeUpError
    from minimise import minimise

    from gomkcn_dgl.errors import InputError

    folder = Path(name)
    judge = Judge(target.read, folder / "work")
    seeds = target.seeds()
    for data in seeds:
        # also loads what a reader loads late
        with contextlib.suppress(InputError):
            target.read(folder / "work", data)
    judge.start()
    places: set[tuple[str, str]] = set()

    def run(data: bytes) -> None:
        (folder / "last").write_bytes(data)
        try:
            found = judge.find(data)
        # the clock ran out just after
        except TimeUpError:
            found = Finding("time", "after the input", "")
        refused.value += judge.was_refused
        if found is not None and (found.kind, found.place) not in places:
            places.add((found.kind, found.place))
            small = minimise(judge, found, data, target.is_folder)
            _write_finding(folder / "found", asdict(found), small)
        done.value += 1

    if engine == ATHERIS:
        run_atheris(run, seeds, target.is_folder, inputs, seed, folder / "kept")
    else:
        run_own(run, seeds, target.is_folder, inputs, seed)


if __name__ == "__main__":
    main()
