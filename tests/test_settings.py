"""The settings of a run: one TOML file, strict about names and types."""

import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.file_bytes import parse_toml
from mining import PatternMiner
from mining.settings import (
    GraphSettings,
    NullSettings,
    RunSettings,
    StabilitySettings,
    read_settings,
)

DEFAULTS = PatternMiner().get_params()
CHOSEN = {**DEFAULTS, "num_hops": 2, "min_similarity": 0.5, "exact_seconds": 2.0}
CHOSEN |= {"memory_limit": "2GiB"}


def read(tmp_path, text):
    file = tmp_path / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return read_settings(file, DEFAULTS)


@pytest.mark.parametrize(
    "settings",
    [
        RunSettings(),
        RunSettings(GraphSettings("graph.txt")),
        RunSettings(GraphSettings('a "quoted" größe.csv', "csv", ("x 0", "größe"), "f.npy")),
        RunSettings(GraphSettings("g.npz"), CHOSEN),
        RunSettings(null=NullSettings(("degree", "features"), 30, 5)),
        RunSettings(stability=StabilitySettings(0, 20)),
        RunSettings(miner={"num_patterns": "auto", "pattern_size": "auto"}),
        RunSettings(miner={"num_patterns": 3, "tau": 2.0, "anchor_root": True, "init": "sample"}),
    ],
    ids=[
        "nothing",
        "path",
        "all of the graph",
        "all of the miner",
        "null models",
        "stability",
        "what the miner chooses",
        "some of the miner",
    ],
)
def test_settings_come_back(settings, tmp_path):
    assert read(tmp_path, settings.to_toml()) == settings


def test_the_file_is_toml_without_what_is_not_set():
    text = RunSettings(GraphSettings("g.csv", features=("x0",)), {"num_patterns": 3}).to_toml()
    assert parse_toml(text.encode()) == {
        "graph": {"path": "g.csv", "features": ["x0"]},
        "miner": {"num_patterns": 3},
    }


def test_both_tables_may_be_left_out(tmp_path):
    assert read(tmp_path, "") == RunSettings()
    assert read(tmp_path, "[miner]\nnum_hops = 2\n") == RunSettings(miner={"num_hops": 2})


def test_a_whole_number_will_do_for_a_float(tmp_path):
    tau = read(tmp_path, "[miner]\ntau = 2\n").miner["tau"]
    assert tau == 2.0
    assert type(tau) is float


def test_given_values_win_and_none_does_not():
    settings = RunSettings(
        GraphSettings("old.txt", "edges", ("x0",)), {"num_patterns": 3, "num_hops": 1}
    )
    changed = settings.override(
        {"path": "new.csv", "format": None, "features": None, "feature_file": "f.npy"},
        {"num_hops": 2, "num_levels": 0, "num_patterns": None},
    )
    assert changed.graph == GraphSettings("new.csv", "edges", ("x0",), "f.npy")
    assert changed.miner == {"num_patterns": 3, "num_hops": 2, "num_levels": 0}
    # the old ones are as they were
    assert settings.graph.path == "old.txt"
    assert settings.miner == {"num_patterns": 3, "num_hops": 1}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[graf]\n",
            r"settings file '.*' has the unknown name 'graf'; "
            r"known are graph, miner, null, stability\.",
        ),
        (
            "[graph]\npth = 'x'\n",
            r"\[graph\] of settings file '.*' has the unknown name 'pth'; "
            r"known are feature_file, features, format, label_names, path\.",
        ),
        (
            "[miner]\nnum_pattern = 3\n",
            r"\[miner\] of settings file '.*' has the unknown name 'num_pattern'; known are .*",
        ),
        ("graph = 3\n", r"\[graph\] of settings file '.*' must be a table\."),
        (
            "[stability]\nrestarts = 2.5\n",
            r"restarts in settings file '.*' must be a int, got 2\.5\.",
        ),
        ("miner = []\n", r"\[miner\] of settings file '.*' must be a table\."),
        ("[graph]\npath = 3\n", r"path in settings file '.*' must be text, got 3\."),
        ("[graph]\nformat = true\n", r"format in settings file '.*' must be text, got True\."),
        (
            "[graph]\nfeatures = 'x0'\n",
            r"features in settings file '.*' must be a list of names, got 'x0'\.",
        ),
        (
            "[graph]\nfeatures = [0, 1]\n",
            r"features in settings file '.*' must be a list of names, got \[0, 1\]\.",
        ),
        (
            "[miner]\nnum_patterns = 2.0\n",
            r"num_patterns in settings file '.*' must be a int, got 2\.0\.",
        ),
        (
            "[miner]\nnum_patterns = 'many'\n",
            r"num_patterns in settings file '.*' must be a int, got 'many'\.",
        ),
        (
            "[miner]\nnum_patterns = true\n",
            r"num_patterns in settings file '.*' must be a int, got True\.",
        ),
        ("[miner]\ntau = '1'\n", r"tau in settings file '.*' must be a float, got '1'\."),
        ("[miner]\ntau = true\n", r"tau in settings file '.*' must be a float, got True\."),
        ("[miner]\nrelocate = 1\n", r"relocate in settings file '.*' must be a bool, got 1\."),
        ("[miner\n", r"settings file '.*' is not valid TOML: .*line 1.*\."),
        ("[miner]\ntau = 1\ntau = 2\n", r"settings file '.*' is not valid TOML: .*\."),
    ],
)
def test_a_bad_file_is_one_sentence(text, sentence, tmp_path):
    with pytest.raises(InputError, match=f"^{sentence}$"):
        read(tmp_path, text)


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"^settings file '.*none\.toml' cannot be read \(.*\)\.$"):
        read_settings(tmp_path / "none.toml", DEFAULTS)


def test_a_file_that_is_not_text_is_one_sentence(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not valid TOML"):
        read_settings(file, DEFAULTS)
