"""The public names: what is listed exists, and importing a package loads nothing heavy."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import gomkcn
import gomkcn_dgl

HOUSE = Path(__file__).parents[1] / "setup.cfg"
HEAVY = ("torch", "dgl", "numba", "networkx", "numpy")


def test_the_door_has_every_public_name_of_the_three_packages():
    packages = [importlib.import_module(name) for name in ("gomkcn_dgl", "mining", "synthetic")]
    listed = [name for package in packages for name in package.__all__]
    assert sorted(gomkcn.__all__) == sorted(listed)
    assert len(set(listed)) == len(listed)
    assert dir(gomkcn) == gomkcn.__all__
    for package in packages:
        for name in package.__all__:
            assert getattr(gomkcn, name) is getattr(package, name)
            assert getattr(gomkcn, name).__doc__


def test_the_core_names_live_in_the_core():
    from gomkcn_dgl import GOMKConv, as_csr, extract_subgraphs, gomk

    assert (GOMKConv, as_csr, extract_subgraphs, gomk) == (
        gomkcn.GOMKConv,
        gomkcn.as_csr,
        gomkcn.extract_subgraphs,
        gomkcn.gomk,
    )


def test_every_import_keeps_to_the_order_of_the_house():
    command = [Path(sys.executable).with_name("lint-imports"), "--config", HOUSE, "--no-cache"]
    result = subprocess.run(command, cwd=HOUSE.parent, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("package", [gomkcn, gomkcn_dgl])
def test_an_unknown_name_is_an_attribute_error(package):
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        package.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (f"import sys, gomkcn; print([m for m in {HEAVY!r} if m in sys.modules])", "[]"),
        # scores and filters need no DGL
        (
            "import sys; from gomkcn import gomk, level_embeddings, GraphFilters, GOMKKernel; "
            "print('dgl' in sys.modules)",
            "False",
        ),
        # importing starts no thread, touches no GPU and silences nothing
        (
            "import logging, threading, torch; from gomkcn import GOMKConv, PatternMiner; "
            "print(threading.active_count(), torch.cuda.is_initialized(), "
            "logging.getLogger('gomkcn_dgl').disabled)",
            "1 False False",
        ),
    ],
)
def test_importing_has_no_side_effects(code, printed, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == printed
