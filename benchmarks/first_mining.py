"""The first `gomkcn mine` of a user: with the machine code that a wheel brings, and without.

The package is copied as a wheel installs it, and its code compiled as for a release, by
`recipe/tagged_wheel.py`. Each run has an empty folder for Numba's code, and is a whole command with
its second process, on as many cores as the machine has.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from jobs import run
from record import Bench

ROOT = Path(__file__).resolve().parents[1]


def install(folder: Path) -> None:
    """The packages of the checkout, as `package_dir` of setup.cfg has them."""
    leave = shutil.ignore_patterns("__pycache__", "mining", "synthetic", "machine_code")
    shutil.copytree(ROOT / "gomkcn_dgl", folder / "gomkcn_dgl", ignore=leave)
    shutil.copytree(ROOT / "gomkcn", folder / "gomkcn", ignore=leave)
    for name in ("mining", "synthetic"):
        inner = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / "gomkcn" / name, ignore=inner)


def add_code(folder: Path, temporary: Path) -> None:
    """The machine code of a wheel, as `recipe/tagged_wheel.py` makes it."""
    sys.path.insert(0, str(ROOT / "recipe"))
    import tagged_wheel

    with environment(PYTHONPATH=str(folder)):
        code, _ = tagged_wheel.compile_code(sys.executable, temporary)
    shutil.copytree(code, folder / "gomkcn_dgl" / "machine_code")


@contextlib.contextmanager
def environment(**values: str) -> Iterator[None]:
    """Run what is started with some variables of the environment."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def main(bench: Bench) -> None:
    """Mine the planted graph of the paper for the first time, and once more."""
    # any processor
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.pop(name, None)
    table = bench.table(
        "`gomkcn mine planted.graph`",
        {
            "machine code": "",
            "functions compiled": "d",
            "processor, s": ".1f",
            "wall, s": ".1f",
            "patterns.json equal": "",
        },
    )
    with tempfile.TemporaryDirectory() as temporary:
        here = Path(temporary)
        pure, tagged, graph = here / "pure", here / "tagged", here / "planted.graph"
        install(pure)
        install(tagged)
        nodes = ("--nodes", "200") if bench.quick else ()
        quick = ("--null-samples", "99") if bench.quick else ()
        with environment(PYTHONPATH=str(pure), NUMBA_CACHE_DIR=str(here / "cache")):
            run("generate", "planted", "--out", str(graph), *nodes)
        add_code(tagged, here)
        rows = (
            ("none, as in the pure wheel or a checkout", pure, "pure"),
            ("of the wheel for this Python", tagged, "tagged"),
            ("kept by the first mining", pure, "pure"),
        )
        expected = b""
        for name, packages, cache in rows:
            folder, out = here / f"cache-{cache}", here / "out"
            before = len([*folder.rglob("*.nbc")])
            with environment(PYTHONPATH=str(packages), NUMBA_CACHE_DIR=str(folder)):
                wall, spent, _ = run(
                    "mine", str(graph), "--out", str(out), "--force", "--quiet", *quick
                )
            number = len([*folder.rglob("*.nbc")]) - before
            found = (out / "patterns.json").read_bytes()
            expected = expected or found
            table.add(name, number, spent, wall, "every byte" if found == expected else "NO")
