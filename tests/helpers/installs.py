"""Install as README says, in a new environment, and run the first snippet of each page there.

    python tests/helpers/installs.py                            this checkout, by README's line
    python tests/helpers/installs.py dist/gomkcn_dgl-1.tar.gz   the archive unpacked, by the same line
    python tests/helpers/installs.py dist/gomkcn_dgl-1.whl      the wheel without constraints, as from PyPI

The environment has the Python that runs this. What a snippet lacks is no fault where its page says
that it needs it; all else that fails is, and the exit code is 1.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tarfile
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from documented import BLOCKS, PAGES, ROOT, install_lines

# what a package is called in a sentence, by the name that is imported
TITLES = {"torch": "PyTorch"}
ABSENT = re.compile(r"No module named '(\w+)|[Tt]he package '(\w+)' is not|(PyTorch), which is not")


def first_snippets() -> dict[str, str]:
    """The first Python of README, of the first steps and of each how-to."""
    is_for_users = re.compile(r"README\.md|docs/start\.md|docs/howto/.*")
    return {name: blocks[0] for name, blocks in BLOCKS.items() if is_for_users.fullmatch(name)}


def needs(page: str, library: str) -> bool:
    """Whether a page has a sentence that says: this needs that library.

    >>> needs("The examples need Polars and DuckDB.", "duckdb")
    True
    """
    return re.search(rf"\bneeds?\b[^.]*\b{TITLES.get(library, library)}\b", page, re.I) is not None


def judge(page: str, code: int, out: str, err: str) -> str:
    """What came of a snippet: "runs", "skipped: …" for a stated reason, or "FAILS: …"."""
    if code == 0:
        return "runs" if out else "FAILS: prints nothing"
    last = err.strip().splitlines()[-1] if err.strip() else f"exit code {code}"
    absent = ABSENT.search(last)
    library = next(filter(None, absent.groups())) if absent else ""
    if library and needs(page, library):
        return f"skipped: needs {TITLES.get(library, library)}, as the page says"
    return f"FAILS: {last}"


def line_for(line: str, package: Path | None) -> str:
    """README's line, which a wheel stands in for the checkout in; PyPI has no constraints."""
    if package is None or package.suffix != ".whl":
        return line
    installed = re.sub(r"-c \S+ ", "", line)
    if not installed.endswith(" ."):
        raise SystemExit(f"README's line must end in the checkout, a dot: {line}")
    return f"{installed[:-1]}{shlex.quote(str(package.resolve()))}"


def size_of(folder: Path) -> float:
    """The size of all files in a folder, in GB."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e9


def try_install(package: Path | None, number: int, folder: Path, pages: Sequence[str]) -> bool:
    """Install, run README's other commands and the snippets, and print what came of each."""
    source, environment, empty = folder / "source", folder / "env", folder / "empty"
    empty.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    if package is None:
        source = ROOT
    elif package.suffix == ".gz":
        with tarfile.open(package) as archive:
            archive.extractall(source, filter="data")
        (source,) = source.iterdir()
    else:
        source.mkdir()
    # no checkout is on the path, and no browser opens
    hidden = ("PYTHONPATH", "DISPLAY", "WAYLAND_DISPLAY")
    settings = {name: value for name, value in os.environ.items() if name not in hidden}
    settings["PATH"] = f"{environment / 'bin'}{os.pathsep}{settings['PATH']}"
    lines = install_lines()
    installing = [line for line in lines if " pip install " in line]
    line = line_for(installing[number - 1], package)
    print(f"Python {sys.version.split()[0]}: {line}", flush=True)
    begin = time.monotonic()
    done = subprocess.run(shlex.split(line), cwd=source, env=settings, check=False)
    print(f"  {time.monotonic() - begin:5.0f} s  {size_of(environment):.1f} GB", flush=True)
    if done.returncode:
        return False
    steps = [(one, shlex.split(one), "") for one in lines if one not in installing]
    snippets = first_snippets()
    steps += [(name, ["python", "-c", snippets[name]], PAGES[name]) for name in pages]
    found = []
    for name, command, page in steps:
        begin = time.monotonic()
        result = subprocess.run(
            command, cwd=empty, env=settings, capture_output=True, text=True, check=False
        )
        found.append(judge(page, result.returncode, result.stdout, result.stderr))
        print(f"  {time.monotonic() - begin:5.0f} s  {name}: {found[-1]}", flush=True)
    return not any(text.startswith("FAILS") for text in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", nargs="?", type=Path, help="a wheel or an sdist [the checkout]")
    parser.add_argument("--line", type=int, default=1, help="which of README's lines installs [1]")
    parser.add_argument("--pages", nargs="+", default=[*first_snippets()], help="[all]")
    parser.add_argument("--folder", type=Path, help="where the environment is made, and kept")
    given = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        sys.exit(not try_install(given.package, given.line, folder, given.pages))


if __name__ == "__main__":
    main()
