"""What tests of several modules need: benchmarks that can be imported, a folder, the real data."""

import sys
from pathlib import Path

import pytest

# the commands of benchmarks/ find each other by name
sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test runs in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the real data are not at {folder}")
    return folder
