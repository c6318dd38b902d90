"""The settings of a run: one TOML file, strict about names and types."""

import pytest

from gomkcn_dgl import GOMKKernel
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.file_bytes import parse_toml
from mining import FilterLearning, PatternMiner
from mining.settings import (
    ExactSettings,
    GraphSettings,
    NullSettings,
    RunSettings,
    StabilitySettings,
    read_settings,
)


def read(tmp_path, text):
    file = tmp_path / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return read_settings(file)


MINER = {"num_hops": 2, "min_similarity": 0.5, "memory_limit": "2GiB", "pattern_size": "auto"}


@pytest.mark.parametrize(
    "settings",
    [
        RunSettings(),
        RunSettings(GraphSettings('a "quoted" größe.csv', "csv", ("x 0", "größe"), "f.npy")),
        RunSettings().override({"miner": MINER, "exact": {"seconds": 2.0}}),
        RunSettings(kernel=GOMKKernel(1, (1.0, 0.5), anchor_root=True), exact=ExactSettings(1.5)),
        RunSettings(learning=FilterLearning(relocate=False, sample_error=0.25)),
        RunSettings(null=NullSettings(("degree", "features"), 30, 5)),
        RunSettings(stability=StabilitySettings(0, 20)),
    ],
    ids=["default", "graph", "miner", "kernel", "learning", "null models", "stability"],
)
def test_settings_are_read_back(settings, tmp_path):
    assert read(tmp_path, settings.to_toml()) == settings


def test_a_file_may_leave_everything_out(tmp_path):
    assert read(tmp_path, "") == RunSettings()
    settings = read(tmp_path, "[miner]\nnum_hops = 2\n[kernel]\ntau = 2\n")
    assert settings.miner == {**RunSettings().miner, "num_hops": 2}
    # a whole number is taken for a float
    assert settings.kernel == GOMKKernel(3, tau=2.0)
    assert type(settings.kernel.tau) is float


def test_the_file_leaves_out_what_is_not_asked_for():
    tables = parse_toml(RunSettings(GraphSettings("g.csv", features=("x0",))).to_toml().encode())
    assert set(tables) == {"graph", "miner", "kernel", "learning"}
    assert tables["graph"] == {"path": "g.csv", "features": ["x0"]}
    assert "num_hops" not in tables["miner"]


def test_settings_and_miner_belong_to_each_other():
    miner = PatternMiner(3, tau=0.25, learning=FilterLearning(batch_size=8), min_support=2)
    settings = RunSettings.of(miner)
    assert settings.kernel == GOMKKernel(3, tau=0.25)
    assert (settings.miner["num_patterns"], settings.learning.batch_size) == (3, 8)
    assert RunSettings.of(settings.make_miner()) == settings


def test_given_values_override_and_none_does_not():
    settings = RunSettings(GraphSettings("old.txt", "edges", ("x0",)))
    changed = settings.override(
        {
            "graph": {"path": "new.csv", "format": None, "feature_file": "f.npy"},
            "miner": {"num_hops": 2, "num_patterns": None},
        }
    )
    assert changed.graph == GraphSettings("new.csv", "edges", ("x0",), "f.npy")
    assert changed.miner == {**settings.miner, "num_hops": 2}
    assert settings.graph.path == "old.txt"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[graf]\n", "unknown name 'graf'; known are exact, graph, kernel, learning, miner, null,"),
        ("[graph]\npth = 'x'\n", r"\[graph\] of .* unknown name 'pth'; known are feature_file"),
        ("[miner]\ntau = 1.0\n", r"\[miner\] of .* unknown name 'tau'"),
        ("graph = 3\n", r"\[graph\] of settings file '.*' must be a table\."),
        ("[stability]\nrestarts = 2.5\n", "restarts in .* must be a value of type int, got 2.5"),
        ("[graph]\nformat = true\n", "format in .* must be a value of type str, got True"),
        ("[graph]\nfeatures = 'x0'\n", "features in .* must be a value of type list, got 'x0'"),
        ("[graph]\nfeatures = [0]\n", "features in .* must be a value of type str, got 0"),
        ("[miner]\nnum_patterns = 2.0\n", "num_patterns in .* must be .* int or str, got 2.0"),
        ("[kernel]\ntau = true\n", "tau in .* must be a value of type float or list, got True"),
        ("[kernel]\ntau = -1\n", "tau must be at least"),
        ("[learning]\nrelocate = 1\n", "relocate in .* must be a value of type bool, got 1"),
        ("[miner\n", "is not valid TOML: .*line 1"),
    ],
)
def test_a_bad_file_is_refused(text, words, tmp_path):
    with pytest.raises(InputError, match=words):
        read(tmp_path, text)


def test_a_missing_file_and_one_that_is_not_text_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml' cannot be read"):
        read_settings(tmp_path / "none.toml")
    (tmp_path / "settings.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not valid TOML"):
        read_settings(tmp_path / "settings.toml")
