"""The settings of a run: one TOML file, strict about names and types."""

import pytest

from gomkcn_dgl import GOMKKernel
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import parse_toml
from mining import FilterLearning, PatternMiner
from mining.settings import GraphSettings, RunSettings
from mining.settings import read_settings as read_settings_file

MINER = {"null_samples": 9, "memory_limit": "2GiB", "pattern_size": "4-6"}


@pytest.fixture
def read_settings(write):
    return lambda content: read_settings_file(write("settings.toml", content))


@pytest.mark.parametrize(
    "settings",
    [
        RunSettings(),
        RunSettings(GraphSettings('a "quoted" größe.csv', "csv", ("x 0", "größe"), "f.npy")),
        RunSettings().override({"miner": MINER}),
        RunSettings().override({"miner": {"num_patterns": 7, "pattern_size": 5}}),
        RunSettings().override({"miner": {"null": ("degree", "erdos-renyi")}}),
        RunSettings(
            kernel=GOMKKernel(1, (1.0, 0.5), anchor_root=True),
            learning=FilterLearning(relocate=False, sample_error=0.25, num_hops=2, policy="bfs"),
        ),
    ],
    ids=["default", "graph", "miner", "sizes", "null models", "other tables"],
)
def test_settings_are_read_back(settings, read_settings):
    assert read_settings(settings.to_toml()) == settings


def test_what_a_file_leaves_out_has_its_default(read_settings):
    assert read_settings("") == RunSettings()
    settings = read_settings("[miner]\nnull_samples = 9\n[kernel]\ntau = 2\n")
    assert settings.miner == {**RunSettings().miner, "null_samples": 9}
    # an integer is read as a float
    assert settings.kernel == GOMKKernel(3, tau=2.0)
    assert type(settings.kernel.tau) is float


def test_the_file_leaves_out_what_is_not_set():
    tables = parse_toml(RunSettings(GraphSettings("g.csv", features=("x0",))).to_toml().encode())
    assert set(tables) == {"graph", "miner", "kernel", "learning"}
    assert tables["graph"] == {"path": "g.csv", "features": ["x0"]}
    assert "memory_limit" not in tables["miner"] and "num_hops" not in tables["learning"]


def test_a_miner_has_the_settings_it_was_made_with():
    miner = PatternMiner(
        3, kernel=GOMKKernel(3, tau=0.25), learning=FilterLearning(batch_size=8), min_occurrences=2
    )
    settings = RunSettings.of(miner)
    assert settings.kernel == GOMKKernel(3, tau=0.25)
    assert (settings.miner["num_patterns"], settings.learning.batch_size) == (3, 8)
    assert RunSettings.of(settings.make_miner()) == settings


def test_values_override_and_none_does_not():
    settings = RunSettings(GraphSettings("old.txt", "edges", ("x0",)))
    graph = {"path": "new.csv", "format": None, "feature_file": "f.npy"}
    changed = settings.override({"graph": graph, "miner": {"null_samples": 9, "level": None}})
    assert changed.graph == GraphSettings("new.csv", "edges", ("x0",), "f.npy")
    assert changed.miner == {**settings.miner, "null_samples": 9}
    assert settings.graph.path == "old.txt"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[graf]\n", "unknown name 'graf'; known are graph, kernel, learning, miner\\."),
        (
            "[graph]\npth = 'x'\n",
            r"\[graph\] of .* unknown name 'pth'; known are class_column, class_names, dir",
        ),
        ("[miner]\ntau = 1.0\n", r"\[miner\] of .* unknown name 'tau'"),
        ("[miner]\nnull = 3\n", "null in .* must be a value of type str or list, got 3"),
        ("graph = 3\n", r"\[graph\] of settings file '.*' must be a table\."),
        ("[miner]\nnum_epochs = 2.5\n", "num_epochs in .* must be a value of type int, got 2.5"),
        ("[graph]\nfeatures = [0]\n", "features in .* must be a value of type str, got 0"),
        ("[miner]\nnum_patterns = 2.0\n", "num_patterns in .* must be .* int, got 2.0"),
        ("[kernel]\ntau = true\n", "tau in .* must be a value of type float or list, got True"),
        ("[kernel]\ntau = -1\n", "tau must be at least"),
        ("[miner\n", "is not valid TOML: .*line 1"),
        (b"\xff\xfe\x00", "is not valid TOML"),
    ],
)
def test_a_bad_file_is_refused(content, words, read_settings):
    with pytest.raises(InputError, match=words):
        read_settings(content)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml' cannot be read"):
        read_settings_file(tmp_path / "none.toml")
