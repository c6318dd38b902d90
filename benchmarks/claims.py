"""Each number of a page beside the command that makes it; ``claims.toml`` has them.

\b
python benchmarks/claims.py                 make anew what takes under a minute, compare with the
                                            pages, say the commit of the others
python benchmarks/claims.py --record NAME   run a command on a clean commit, keep what it prints
python benchmarks/claims.py --fill          write the numbers that were kept into the pages; with
                                            NAME those of a command
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import click
from record import clean_commit, headline
from registry import BENCHMARKS, HERE
from run import DATA

from gomkcn_dgl.runtime.files import parse_toml
from gomkcn_dgl.runtime.output_folder import describe_provenance

ROOT = HERE.parent
FILE = HERE / "claims.toml"
# what the commands printed when they were recorded
RECORDS = HERE / "claims"
PACKAGED = ROOT / "docs" / "data"
# processor seconds of a command that is run anew each time, at most
QUICK = 60
# what a command types is what is installed beside this Python
_SHELL = """set -euo pipefail
gomkcn() {{ {python} -m gomkcn "$@"; }}
python() {{ {python} "$@"; }}
"""
_BENCHMARK = "python benchmarks/run.py "
_NUMBER = r"[-+−]?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)"
# a number of a claim, and one of an output that is none
_HOLE, _OTHER = "{}", "{_}"
# what is no claim though it has digits: code, addresses and versions
_NO_CLAIMS = (
    r"```.*?```",
    r"`[^`]*`",
    r"\]\([^)]*\)",
    r"^    (?:gomkcn|python3) .*$",
    r"^\d\. ",
    r"arXiv:[\d.]+",
    r"Python 3\.\d+(?: to 3\.\d+)?",
    r"(?<=; )3\.13(?= has none)",
    # names, such as s420, H100 or Apache-2.0
    r"[A-Za-z][\w-]*[\d.]*\d",
)


class ClaimError(Exception):
    """A phrase that is not on its page, or numbers that no output has."""


class Tables:
    """The output of a command, or the tables of a benchmark, as the fields of claims see them."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tables(self) -> list[list[dict[str, str]]]:
        """For each table a list of rows, which are dictionaries of texts."""
        found = []
        for block in re.findall(r"(?:^\|.*\n)+", self.text, re.M):
            head, _, *rows = (
                [cell.strip() for cell in line.strip("|\n").split(" | ")]
                for line in block.splitlines()
            )
            found.append([dict(zip(head, row, strict=True)) for row in rows])
        return found

    def rows(self, number: int = 0, **where: str) -> list[dict[str, str]]:
        """The rows of a table that have some values; ``_`` stands for a space in their names."""
        named = {name.replace("_", " "): value for name, value in where.items()}
        return [row for row in self.tables[number] if named.items() <= row.items()]

    def lines(self, text: str) -> int:
        """In how many lines a text is."""
        return sum(text in line for line in self.text.splitlines())


def value(text: str) -> float:
    """The first number of a cell, in seconds where it has a unit."""
    found = re.match(rf"({_NUMBER})%? ?(ms|µs)?", text)
    if not found:
        raise ClaimError(f"{text!r} begins with no number")
    return float(found[1].replace(",", "")) * {None: 1, "ms": 1e-3, "µs": 1e-6}[found[2]]


def total(cells: Sequence[str]) -> tuple[int, int]:
    """Such as (130, 130): sums of cells such as "10 of 10", or "20/20"."""
    pairs = [re.findall(r"\d+", cell)[:2] for cell in cells]
    return sum(int(done) for done, _ in pairs), sum(int(every) for _, every in pairs)


@dataclass(frozen=True)
class Command:
    """What a user types, and what it needs.

    ``seconds`` are those of a processor; ``data`` are files of ``docs/data``, or patterns of paths
    in the folder of the real graphs, which the command finds in the folder it runs in.
    """

    name: str
    types: tuple[str, ...]
    seconds: float
    data: tuple[str, ...] = ()
    # the benchmark whose table is read; for the commands of users none
    benchmark: str = ""
    record: Path = field(init=False)

    def __post_init__(self) -> None:
        tables = {one.name: one.path for one in BENCHMARKS}
        path = tables[self.benchmark] if self.benchmark else RECORDS / f"{self.name}.txt"
        object.__setattr__(self, "record", path)

    @property
    def is_quick(self) -> bool:
        return self.seconds < QUICK

    def paths(self, data: Path) -> list[Path] | None:
        """Where the data are; None where some are not there."""
        found = [
            next(iter(sorted([*PACKAGED.glob(one), *data.glob(one)])), None) for one in self.data
        ]
        return None if None in found else [path for path in found if path]

    @property
    def needs_real_data(self) -> bool:
        return self.paths(Path(os.devnull)) is None

    def run(self, data: Path) -> tuple[str, float]:
        """What it prints, and the processor seconds that it takes."""
        types = "\n".join(self.types)
        with tempfile.TemporaryDirectory() as folder:
            for path in self.paths(data) or []:
                Path(folder, path.name).symlink_to(path)
            if self.benchmark:
                options = shlex.join(["--out", folder, "--data", str(data)])
                types = f"cd {shlex.quote(str(ROOT))}\n{types} {options}"
            python = shlex.quote(sys.executable)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            answer = subprocess.run(
                ["bash", "-c", _SHELL.format(python=python) + types],
                capture_output=True,
                text=True,
                cwd=folder,
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if answer.returncode:
                raise ClaimError(f"{self.name} failed: {answer.stderr.strip()[-500:]}")
            printed = answer.stdout
            if self.benchmark:
                printed = Path(folder, self.record.name).read_text("utf-8")
        spent = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
        return printed, spent


@dataclass(frozen=True)
class Claim:
    """A phrase of a page, each ``{}`` of which is a number that a command makes.

    The numbers are where the output has the same phrase, or those of ``prints``, one after the
    other, or else what the expressions ``fields`` make of the tables. ``within`` is the factor by
    which a time may differ on another machine.
    """

    page: str
    says: str
    command: str
    prints: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    within: float = 1.0

    @property
    def num_numbers(self) -> int:
        return self.says.count(_HOLE)

    def place(self, text: str) -> re.Match[str]:
        """Where a page says it."""
        found = list(re.finditer(_pattern(self.says), text))
        if len(found) != 1:
            raise ClaimError(f"{self.page} has {len(found)} times: {self.says!r}")
        return found[0]

    def on_page(self, text: str) -> list[str]:
        """The numbers that the page says."""
        return list(self.place(text).groups())

    def made(self, output: str) -> list[str]:
        """The numbers that an output has."""
        if self.fields:
            names = {"output": (tables := Tables(output)), "rows": tables.rows}
            names |= {"lines": tables.lines, "value": value, "total": total, "short": short}
            names |= {one.__name__: one for one in (sum, min, max, len, abs, zip, int, float, re)}
            numbers = [eval(one, {"__builtins__": {}, **names}) for one in self.fields]
            return [f"{one:,}" if isinstance(one, int) else str(one) for one in numbers]
        numbers = []
        for template in self.prints or (self.says,):
            found = re.search(_pattern(template), output)
            if not found:
                raise ClaimError(f"{self.command} does not print {template!r}")
            numbers += found.groups()
        if len(numbers) != self.num_numbers:
            raise ClaimError(f"{self.command} prints {len(numbers)} numbers for {self.says!r}")
        return numbers

    def agrees(self, said: str, made: str) -> bool:
        """Whether a page says what was made."""
        if self.within == 1:
            return plain(said) == plain(made)
        ratio = float(plain(said)) / max(float(plain(made)), 1e-9)
        return 1 / self.within <= ratio <= self.within


def short(number: float, spec: str = ".2f") -> str:
    """As the docs write a number below 1: without the zero before the point."""
    return re.sub(r"^(-|−)?0\.", r"\1.", f"{number:{spec}}".replace("-", "−"))


def plain(number: str) -> str:
    """A number without what separates thousands."""
    return number.replace(",", "").replace("−", "-")


def _pattern(template: str) -> str:
    """The expression for a phrase, which a page or a terminal may break anywhere."""
    words = re.escape(template).replace(re.escape(_HOLE), f"({_NUMBER})")
    words = words.replace(re.escape(_OTHER), f"(?:{_NUMBER})")
    return re.sub(r"(?:\\ )+", r"\\s+", words)


def read_claims() -> tuple[dict[str, Command], list[Claim]]:
    """The commands by name, and all claims."""
    commands: dict[str, Command] = {}
    claims: list[Claim] = []
    for name, table in parse_toml(FILE.read_bytes()).items():
        claims += (Claim(command=name, **_of_toml(one)) for one in table.pop("claims"))
        types = table.pop("types").strip()
        benchmark = types.removeprefix(_BENCHMARK) if types.startswith(_BENCHMARK) else ""
        commands[name] = Command(
            name, tuple(types.splitlines()), benchmark=benchmark, **_of_toml(table)
        )
    return commands, claims


def _of_toml(table: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a table, lists as tuples."""
    return {key: tuple(one) if isinstance(one, list) else one for key, one in table.items()}


def uncovered(page: str, claims: Sequence[Claim]) -> list[str]:
    """The lines of a page with a number that is in no claim, that number in brackets."""
    text = (ROOT / page).read_text("utf-8")
    is_free = [True] * len(text)

    def cover(first: int, last: int) -> None:
        is_free[first:last] = [False] * (last - first)

    for rule in _NO_CLAIMS:
        for found in re.finditer(rule, text, re.M | re.S if rule.startswith("```") else re.M):
            cover(*found.span())
    for claim in claims:
        if claim.page == page:
            place = claim.place(text)
            for number in range(1, claim.num_numbers + 1):
                cover(*place.span(number))
    left = []
    for found in re.finditer(_NUMBER, text):
        if any(is_free[found.start() : found.end()]):
            line = text[: found.start()].count("\n") + 1
            left.append(f"{page}:{line}: [{found[0]}] {text.splitlines()[line - 1].strip()}")
    return left


def check(claims: Sequence[Claim], output: str) -> Iterator[str]:
    """What differs between the pages and the output of a command, a sentence each."""
    for claim in claims:
        try:
            said = claim.on_page((ROOT / claim.page).read_text("utf-8"))
            made = claim.made(output)
        except ClaimError as error:
            yield str(error)
            continue
        for one, other in zip(said, made, strict=True):
            if not claim.agrees(one, other):
                yield f"{claim.page} says {one}, {claim.command} makes {other}: {claim.says!r}"


def fill(claims: Sequence[Claim], outputs: Mapping[str, str]) -> None:
    """Write the numbers of the records into the pages."""
    for claim in claims:
        path = ROOT / claim.page
        text = path.read_text("utf-8")
        place = claim.place(text)
        for number, (said, made) in reversed(
            list(enumerate(zip(place.groups(), claim.made(outputs[claim.command]), strict=True)))
        ):
            if not claim.agrees(said, made):
                first, last = place.span(number + 1)
                written = f"{int(made):,}" if made.isdigit() else made
                text = text[:first] + written + text[last:]
        path.write_text(text, "utf-8")


def record(commands: Sequence[Command], data: Path) -> None:
    """Run commands of users, and keep what they print; a commit with changes is refused."""
    commit = clean_commit()
    for command in commands:
        if command.benchmark:
            raise click.UsageError(f"{command.name}: run {command.types[0]}")
        printed, spent = command.run(data)
        made = describe_provenance(0, spent) | {"commit": commit}
        command.record.parent.mkdir(exist_ok=True)
        head = headline(made, [took(spent)])
        command.record.write_text(f"{head}\n\n{printed}", "utf-8")
        click.echo(f"{command.record.relative_to(ROOT)}: {head}")


def took(spent: float) -> str:
    """What a command takes, as records and claims have it."""
    return f"{spent:.1f} processor seconds"


def of_record(command: Command) -> str:
    """The line that says what made a record: commit, date, machine."""
    lines = command.record.read_text("utf-8").splitlines()
    return next(line for line in lines if re.search(r"\bcommits? \S*[0-9a-f]{7}", line, re.I))


@click.command(help=__doc__)
@click.argument("names", nargs=-1)
@click.option("--record", "is_recorded", is_flag=True, help="Keep what the commands NAMES print.")
@click.option("--fill", "is_filled", is_flag=True, help="Write the numbers into the pages.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=DATA,
    help="Folder of the real graphs; what needs one that is not there is skipped.",
)
def main(names: tuple[str, ...], is_recorded: bool, is_filled: bool, data: Path) -> None:
    commands, claims = read_claims()
    if unknown := sorted(set(names) - set(commands)):
        raise click.UsageError(f"NAMES must be among {', '.join(commands)}; got {unknown[0]}.")
    if is_recorded:
        record([commands[name] for name in names], data)
        return
    if is_filled:
        outputs = {name: commands[name].record.read_text("utf-8") for name in names or commands}
        fill([one for one in claims if one.command in outputs], outputs)
        return
    differences: list[str] = []
    # numbers of each page
    made, every = Counter[str](), Counter[str]()
    for name in names or commands:
        command = commands[name]
        of_command = [one for one in claims if one.command == name]
        numbers = sum(one.num_numbers for one in of_command)
        of_pages = Counter(one.page for one in of_command for _ in range(one.num_numbers))
        every += of_pages
        if not names and not command.is_quick:
            click.echo(f"{name}: {numbers} numbers, not made anew. {of_record(command)}")
        elif command.paths(data) is None:
            missing = ", ".join(command.data)
            click.echo(
                f"{name}: {numbers} numbers, skipped: no {missing} in {data}. {of_record(command)}"
            )
        else:
            output, spent = command.run(data)
            found = list(check(of_command, f"{output}\n{took(spent)}"))
            differences += found
            made += of_pages
            click.echo(f"{name}: {numbers} numbers made anew in {took(spent)}")
            for one in found:
                click.echo(f"    {one}")
    for page, number in every.items():
        click.echo(f"{page}: {made[page]} of {number} numbers made anew")
    if differences:
        raise click.ClickException(f"{len(differences)} numbers differ.")


if __name__ == "__main__":
    main()
