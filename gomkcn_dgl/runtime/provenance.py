"""What made a result: versions, commit, machine, device and time."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

_LIBRARIES = ("torch", "dgl", "networkx", "numba", "numpy", "scipy", "igraph", "scikit-learn")


def describe_provenance(seed: int, seconds: float, device: str = "cpu") -> dict[str, Any]:
    """Describe how a result was just computed: seed, duration, versions, machine; for JSON."""
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
    """Commit of the checkout that this package lies in, marked ``-dirty`` when it has changes."""
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None


def _processor() -> str:
    """Model name of the processor, from Linux or else from Python."""
    file = Path("/proc/cpuinfo")
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    names = re.findall(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return names[0] if names else platform.processor() or "unknown"
