"""Every experiment of the paper in one command.

python benchmarks/paper smoke     a minute-size version of each; nothing is kept
python benchmarks/paper run       all of them, for half a day; each goes on where it stopped
python benchmarks/paper tables    the tables of README.md from the committed results
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
# what makes each of them small
SMOKE = {"timing.py": "--quick"}
EXPERIMENTS = (
    ("isomorphic.py",),
    ("frequent.py",),
    ("interpretability.py",),
    ("run.py", FOLDER / "node_classification.toml"),
    ("run.py", FOLDER / "graph_classification.toml"),
    ("run.py", FOLDER / "motif_classification.toml"),
    ("run.py", FOLDER / "bond_classification.toml"),
    ("run.py", FOLDER / "machine_classification.toml"),
    ("hyperparameters.py",),
    ("timing.py",),
)


def main() -> int:
    """Run the commands one after the other; the exit code says whether one failed."""
    task = sys.argv[1] if len(sys.argv) > 1 else ""
    if task not in ("smoke", "run", "tables"):
        print(__doc__, file=sys.stderr)
        return 2
    commands = [("table.py",)] if task == "tables" else EXPERIMENTS
    codes = []
    for script, *arguments in commands:
        options = [SMOKE.get(script, "--smoke")] if task == "smoke" else sys.argv[2:]
        print(f"== {' '.join(map(str, [script, *arguments, *options]))}", flush=True)
        command = [sys.executable, str(FOLDER / script), *map(str, arguments), *options]
        codes.append(subprocess.run(command).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
