"""What made a result: versions, commit, machine, device and time."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

_LIBRARIES = ("torch", "dgl", "networkx", "numba", "numpy", "scipy", "igraph", "scikit-learn")


def describe_provenance(seed: int, seconds: float, device: str = "cpu") -> dict[str, Any]:
    """Describe the circumstances of a result that has just been computed.

    Parameters
    ----------
    seed : int
        The seed it was computed with.
    seconds : float
        How long it took.
    device : str
        Where it was computed.

    Returns
    -------
    dict
        Text and numbers only, ready for JSON.

    Examples
    --------
    >>> sorted(describe_provenance(seed=0, seconds=1.5))[:4]
    ['commit', 'created', 'device', 'libraries']
    """
    return {
        "version": importlib.metadata.version("gomkcn-dgl"),
        "commit": _commit(),
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seed": seed,
        "seconds": round(seconds, 3),
        "device": device,
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
        },
        "libraries": {name: importlib.metadata.version(name) for name in _LIBRARIES},
    }


def _commit() -> str | None:
    """Commit of the checkout that this package was imported from, marked when it has changes."""
    folder = Path(__file__).parent
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None


def _processor() -> str:
    """Model name of the processor, as Linux tells it, or as Python does elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
