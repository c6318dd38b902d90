"""How patterns, runs and miners appear in a Jupyter notebook: registered here, in one place.

The records and the miner are in layers below the report and do not know it. ``mining/__init__.py``
imports this module, so that the representations are there whenever the package is.
"""

from __future__ import annotations

import html
from typing import Any

from mining.html.report import patterns_html, run_html
from mining.miner import PatternMiner
from mining.records.pattern import Pattern
from mining.runs.mining_run import MiningRun


def _miner_html(miner: PatternMiner) -> str:
    """The patterns as cards; before the fit the parameters."""
    if hasattr(miner, "patterns_"):
        return patterns_html(miner.patterns_)
    return f"<pre>{html.escape(repr(miner))}</pre>"


def _miner_bundle(miner: PatternMiner, **kwargs: Any) -> dict[str, str]:
    # takes the place of scikit-learn's own, which shows the parameters only
    return {"text/plain": repr(miner), "text/html": _miner_html(miner)}


def _register() -> None:
    representations: tuple[tuple[type, str, Any], ...] = (
        (Pattern, "_repr_html_", lambda pattern: patterns_html([pattern])),
        (MiningRun, "_repr_html_", run_html),
        (PatternMiner, "_repr_html_", _miner_html),
        (PatternMiner, "_repr_mimebundle_", _miner_bundle),
    )
    for owner, name, method in representations:
        setattr(owner, name, method)


_register()
