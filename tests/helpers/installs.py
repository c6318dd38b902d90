"""Install as README says, in a new environment, and run the first snippet of each page there.

    python tests/helpers/installs.py                    this checkout, by README's line
    python tests/helpers/installs.py dist/NAME.tar.gz   the archive unpacked, by the same line
    python tests/helpers/installs.py dist/NAME.whl      the wheel without constraints, as of PyPI

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
TITLES = {"dgl": "DGL", "rdkit": "RDKit", "torch": "PyTorch"}
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


def settings_in(environment: Path) -> dict[str, str]:
    """The variables of commands in an environment; no checkout is on a path, no browser opens."""
    hidden = ("PYTHONPATH", "DISPLAY", "WAYLAND_DISPLAY")
    settings = {name: value for name, value in os.environ.items() if name not in hidden}
    return settings | {"PATH": f"{environment / 'bin'}{os.pathsep}{settings['PATH']}"}


def install(line: str, package: Path | None, folder: Path) -> bool:
    """Make an environment in a folder and run a line of README there; the size is printed."""
    source, environment = ROOT, folder / "env"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    if package is not None and package.suffix == ".gz":
        with tarfile.open(package) as archive:
            archive.extractall(folder / "source", filter="data")
        (source,) = (folder / "source").iterdir()
    line = line_for(line, package)
    print(f"Python {sys.version.split()[0]}: {line}", flush=True)
    begin = time.monotonic()
    done = subprocess.run(shlex.split(line), cwd=source, env=settings_in(environment), check=False)
    print(f"  {time.monotonic() - begin:5.0f} s  {size_of(environment):.1f} GB", flush=True)
    return done.returncode == 0


def run_pages(pages: Sequence[str], folder: Path) -> bool:
    """Run the first snippets of pages, and README's other commands, beside the environment."""
    snippets = first_snippets()
    steps = [(name, ["python", "-c", snippets[name]], PAGES[name]) for name in pages]
    if "README.md" in pages:
        others = [line for line in install_lines() if " pip install " not in line]
        steps = [*((line, shlex.split(line), "") for line in others), *steps]
    found = []
    with TemporaryDirectory(dir=folder) as empty:
        for name, command, page in steps:
            begin = time.monotonic()
            result = subprocess.run(
                command,
                cwd=empty,
                env=settings_in(folder / "env"),
                capture_output=True,
                text=True,
                check=False,
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
    lines = [line for line in install_lines() if " pip install " in line]
    with TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        is_installed = install(lines[given.line - 1], given.package, folder)
        sys.exit(not (is_installed and run_pages(given.pages, folder)))


if __name__ == "__main__":
    main()
