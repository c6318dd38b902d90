"""Where inputs come from: atheris, which follows the lines that are reached, or seeds alone."""

from __future__ import annotations

import importlib.util
import random
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from mutate import LARGEST, mutate, mutate_members

ATHERIS, OWN = "atheris", "own"
_PACKAGES = ["gomkcn", "gomkcn_dgl", "mining", "synthetic"]
_COMPILED = re.compile(r"^@(compiled|overload|triton\.jit)\b", re.MULTILINE)

Run = Callable[[bytes], None]


def usual_engine() -> str:
    """Atheris where it is installed."""
    return ATHERIS if importlib.util.find_spec("atheris") else OWN


def import_targets(engine: str) -> dict:
    """Import the readers; atheris has to see that to count the lines they reach."""
    if engine == ATHERIS:
        import atheris

        with atheris.instrument_imports(include=_PACKAGES, exclude=_compiled_modules()):
            import targets
    else:
        import targets
    return targets.TARGETS


def _compiled_modules() -> list[str]:
    """Modules for Numba, which cannot compile what counts its lines."""
    root = Path(__file__).resolve().parents[1]
    files = [file for package in _PACKAGES for file in (root / package).rglob("*.py")]
    return [
        ".".join(file.relative_to(root).with_suffix("").parts)
        for file in files
        if _COMPILED.search(file.read_text(encoding="utf-8"))
    ]


def run_own(run: Run, seeds: Sequence[bytes], is_folder: bool, inputs: int, seed: int) -> None:
    """Change seeds, and now and then what a change has made."""
    rng = random.Random(seed)
    change = mutate_members if is_folder else mutate
    recent = list(seeds)
    for number in range(inputs):
        data = change(rng.choice(seeds if rng.random() < 0.7 else recent), rng, seeds)
        if number % 16 == 0:
            # what was changed before is changed again, most of it many times
            recent = [*seeds, *recent[-64:], data]
        run(data)


def run_atheris(
    run: Run, seeds: Sequence[bytes], is_folder: bool, inputs: int, seed: int, folder: Path
) -> None:
    """Let libFuzzer keep the inputs that reach something new; it ends the process itself."""
    import atheris

    change = mutate_members if is_folder else mutate
    for number, data in enumerate(seeds):
        (folder / f"seed{number}").write_bytes(data)

    def change_input(data: bytes, most: int, number: int) -> bytes:
        rng = random.Random(number)
        # half of the changes are libFuzzer's own; an archive they would only break
        if not is_folder and rng.random() < 0.5:
            return atheris.Mutate(data, most)
        changed = change(data, rng, seeds)
        return changed if len(changed) <= most else data

    options = [f"-runs={inputs}", f"-seed={seed or 1}", f"-max_len={LARGEST}", "-rss_limit_mb=0"]
    options += ["-timeout=86400", "-verbosity=0", "-print_final_stats=0", "-len_control=0"]
    atheris.Setup([sys.argv[0], *options, str(folder)], run, custom_mutator=change_input)
    atheris.Fuzz()
