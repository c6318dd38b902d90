"""Run benchmarks by name.

\b
python benchmarks/run.py --list             every one, with its question and its table
python benchmarks/run.py motif_set level    these two; the tables go to results/
python benchmarks/run.py all                all, for several hours, but for those of the paper
python benchmarks/run.py paper              the experiments of the paper, for half a day; each goes
                                            on where it stopped
python benchmarks/run.py paper --quick      tiny sizes, to see that they run; nothing is written
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import torch
from measure import pin
from record import Bench, clean_commit, commit_of_code
from registry import BENCHMARKS, HERE, Benchmark, listing

DATA = HERE.parents[1] / "shared" / "data"
QUICK_REPEATS = 2


def chosen(names: tuple[str, ...]) -> list[Benchmark]:
    """The benchmarks of some names, or groups of names."""
    groups = {
        "all": [
            one
            for one in BENCHMARKS
            if not one.is_of_paper and (one.name != "matching_cuda" or torch.cuda.is_available())
        ],
        "paper": [one for one in BENCHMARKS if one.is_of_paper],
        **{one.name: [one] for one in BENCHMARKS},
    }
    if unknown := sorted(set(names) - set(groups)):
        raise click.UsageError(
            f"a name must be among {', '.join(groups)}; got {', '.join(unknown)}."
        )
    return [one for name in names for one in groups[name]]


def run_one(one: Benchmark, quick: bool, out: Path | None, data: Path, device: str) -> None:
    """Run a benchmark in this process, on as many CPUs as it asks for."""
    threads = pin(one.threads)
    repeats = min(one.repeats, QUICK_REPEATS) if quick else one.repeats
    folder = one.path.parent if one.path.parent.name == "results" else one.path.parent / "results"
    # what is written elsewhere is nobody's record
    is_record = not quick and out is None
    commit = clean_commit() if is_record else str(commit_of_code())
    out = out or (None if quick else folder)
    bench = Bench(one.name, threads, repeats, one.how, quick, out, data, device, commit)
    one.load()(bench)
    bench.write()


@click.command(help=__doc__)
@click.argument("names", nargs=-1)
@click.option("--list", "is_listed", is_flag=True, help="List them, as a table.")
@click.option("--quick", is_flag=True, help="Tiny sizes; nothing is written without --out.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder of results.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=DATA,
    help="Folder of the real graphs; what needs one that is not there is skipped.",
)
@click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    help="Where training runs; with cuda beside the CPU, in training_step and filters.",
)
def main(
    names: tuple[str, ...],
    is_listed: bool,
    quick: bool,
    out: Path | None,
    data: Path,
    device: str,
) -> None:
    if is_listed or not names:
        click.echo(listing(), nl=False)
        return
    benchmarks = chosen(names)
    if len(benchmarks) == 1:
        run_one(benchmarks[0], quick, out, data, device)
        return
    # each in a process of its own, so that none sees the memory or the threads of another
    options = [
        *["--quick"] * quick,
        *(["--out", str(out)] if out else []),
        "--data",
        str(data),
        "--device",
        device,
    ]
    failed = []
    for one in benchmarks:
        click.echo(f"== {one.name}")
        if subprocess.run([sys.executable, __file__, one.name, *options]).returncode:
            failed.append(one.name)
    if failed:
        raise click.ClickException(f"these failed: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
