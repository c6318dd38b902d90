"""What tests of several modules need: a folder, the real data; and where there is no PyTorch."""

import gzip
import importlib.util
import logging
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from both_doors import arguments_in, made_by_a_command, options_in, spelling_of_all_commands

from gomkcn_dgl.messages import Message

MEMORY = Path("/dev/shm")
ROOM = 2 << 30
# on Python 3.13 there is neither; what an import of them says, or a refusal of ours
ABSENT = [name for name in ("torch", "dgl") if importlib.util.find_spec(name) is None]
SAID_OF_ABSENT = re.compile(
    r"No module named '(torch|dgl)'|(PyTorch, which|The package 'dgl') is not installed"
)


def pytest_configure() -> None:
    """Temporary folders are in memory where there is room, so that no test waits for a disk."""
    # tables are as wide as a terminal
    os.environ["COLUMNS"] = "100"
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """A file that imports an absent library is skipped whole."""
    report = yield
    if ABSENT and report.failed and SAID_OF_ABSENT.search(str(report.longrepr)):
        report.outcome = "skipped"
        report.longrepr = str(collector.path), 0, f"{' and '.join(ABSENT)} not installed"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    return (yield from skip_if_absent())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    return (yield from skip_if_absent())


def skip_if_absent():
    """Skip a test that is refused since a library is absent."""
    try:
        return (yield)
    except Exception as error:
        said = f"{error} {getattr(error, 'stderr', '')}"
        if ABSENT and SAID_OF_ABSENT.search(said):
            pytest.skip(f"{' and '.join(ABSENT)} not installed")
        raise


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test runs in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def mutag() -> Path:
    """The TU folder of 188 molecules, see ``data/README.md``."""
    return Path(__file__).parent / "data" / "MUTAG"


@pytest.fixture(scope="session")
def ecoli() -> Path:
    """The table of what regulates what in E. coli."""
    return Path(__file__).parents[1] / "notebooks" / "ecoli_regulation.csv"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the real data are not at {folder}")
    return folder


@pytest.fixture(autouse=True)
def log_as_before():
    """What a command sets up for its log ends with the test."""
    log = logging.getLogger("gomkcn_dgl")
    handlers, level = list(log.handlers), log.level
    yield
    log.handlers[:] = handlers
    log.setLevel(level)


@pytest.fixture(autouse=True)
def sentences_for_both_doors(monkeypatch):
    """All that the library says in a test is a sentence for Python, and for a command."""
    messages, make = [], Message.__init__

    def remember(message, *fields, **more):
        make(message, *fields, **more)
        if not made_by_a_command():
            messages.append(message)

    monkeypatch.setattr(Message, "__init__", remember)
    yield
    monkeypatch.undo()
    for message in messages:
        # a file may have any name
        sentence = replace(message, place="")
        assert options_in(str(sentence)) == [], str(sentence)
        command = sentence.spelled(spelling_of_all_commands())
        assert arguments_in(command) == [], command


@pytest.fixture
def log(caplog):
    """Give the messages that reading has logged so far."""
    caplog.set_level(logging.INFO, logger="gomkcn_dgl")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.fixture
def write(tmp_path):
    """Write a file into a folder of this test and return its path."""

    def write_file(name, content):
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write_file


@pytest.fixture
def nan_filled_memory():
    """Uninitialised tensors hold NaN, so that an element that nobody writes shows."""
    import torch

    torch.use_deterministic_algorithms(True, warn_only=True)
    assert torch.utils.deterministic.fill_uninitialized_memory
    yield
    torch.use_deterministic_algorithms(False)


@pytest.fixture
def no_extraction(monkeypatch):
    """What a test calls to have every extraction by a layer refused from then on."""
    from gomkcn_dgl import embeddings

    def refuse(*_):
        raise AssertionError("a layer extracted")

    return lambda: monkeypatch.setattr(embeddings, "extract_subgraphs", refuse)
