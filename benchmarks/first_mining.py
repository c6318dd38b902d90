"""The first `gomkcn mine` of a user: with the machine code that a wheel brings, and without.

The package is copied as a wheel installs it, and the code of a mining compiled as for a release,
by `recipe/tagged_wheel.py`. Each run is a whole command; where nothing is compiled yet, a second
process compiles beside it, if it may use two threads.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from jobs import run
from record import Bench

ROOT = Path(__file__).resolve().parents[1]


def install(folder: Path) -> None:
    """The packages of the checkout, as `package_dir` of setup.cfg has them."""
    leave = shutil.ignore_patterns("__pycache__", "mining", "synthetic", "machine_code")
    for name in ("gomkcn_dgl", "gomkcn"):
        shutil.copytree(ROOT / name, folder / name, ignore=leave)
    inner = shutil.ignore_patterns("__pycache__")
    for name in ("mining", "synthetic"):
        shutil.copytree(ROOT / name, folder / "gomkcn" / name, ignore=inner)


def add_code(packages: Path, temporary: Path, command: Sequence[str]) -> None:
    """The machine code of a wheel, as `recipe/tagged_wheel.py` makes it, as far as a command goes.

    That of all usual commands takes some minutes, and a mining reads no more of it.
    """
    sys.path.insert(0, str(ROOT / "recipe"))
    import tagged_wheel

    code, _ = tagged_wheel.compile_code(sys.executable, temporary, command)
    shutil.copytree(code, packages / "gomkcn_dgl" / "machine_code")


@contextlib.contextmanager
def using(packages: Path, cache: Path, threads: int) -> Iterator[None]:
    """Run what is started by some packages, and not by the checkout that this folder may be."""
    before, folder = dict(os.environ), Path.cwd()
    os.environ |= {
        "PYTHONPATH": str(packages),
        "NUMBA_CACHE_DIR": str(cache),
        "NUMBA_NUM_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
    }
    os.chdir(packages)
    try:
        yield
    finally:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(before)


def main(bench: Bench) -> None:
    """Mine the planted graph of the paper for the first time, and once more."""
    table = bench.table(
        "`gomkcn mine planted.graph`",
        {
            "machine code": "",
            "threads": "d",
            "functions compiled": "d",
            "processor, s": ".1f",
            "wall, s": ".1f",
            "patterns.json equal": "",
        },
    )
    with tempfile.TemporaryDirectory() as temporary:
        here = Path(temporary)
        pure, tagged, out = here / "pure", here / "tagged", here / "out"
        graph = here / "planted.graph"
        install(pure)
        install(tagged)
        nodes = ("--nodes", "200") if bench.quick else ()
        mine = ("mine", str(graph), "--out", str(out), "--force", "--quiet")
        mine += ("--null-samples", "99") if bench.quick else ()
        with using(pure, here / "of-generate", 1):
            run("generate", "planted", "--out", str(graph), *nodes)
        with using(tagged, here / "of-wheel", bench.threads):
            add_code(tagged, here, mine)
        rows = (
            ("none, as in a checkout", 1, pure, "of-one"),
            ("none, a second process beside it", 2, pure, "of-two"),
            ("of the wheel for this Python", 1, tagged, "of-tagged"),
            ("kept by the first mining", 1, pure, "of-one"),
        )
        expected = b""
        for name, threads, packages, cache in rows:
            if threads > bench.threads:
                bench.note("There is no second CPU, so that no second process starts.")
                continue
            before = len([*(here / cache).rglob("*.nbc")])
            with using(packages, here / cache, threads):
                wall, spent, _ = run(*mine)
            number = len([*(here / cache).rglob("*.nbc")]) - before
            found = (out / "patterns.json").read_bytes()
            expected = expected or found
            equal = "every byte" if found == expected else "NO"
            table.add(name, threads, number, spent, wall, equal)
