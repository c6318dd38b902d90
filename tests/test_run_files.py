"""The folder of a run: what may be overwritten, and files written together."""

import pytest

from gomkcn_dgl import InputError
from gomkcn_dgl.runtime.run_files import prepare_run_folder, write_files


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_may_be_done_with_an_unfinished_or_a_finished_run(tmp_path):
    (tmp_path / "state.pt").write_text("state")

    def prepare(force=False, resume=False):
        options = {"resume": resume, "checkpoint": "state.pt"}
        return prepare_run_folder(tmp_path, ("run.json",), force, **options)

    with pytest.raises(InputError, match=r"unfinished run \(state.pt\); go on with --resume"):
        prepare()
    with pytest.raises(InputError, match=r"^resume must not come with --force"):
        prepare(force=True, resume=True)
    assert names(prepare(resume=True)) == ["state.pt"]
    assert names(prepare(force=True)) == []
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(InputError, match=r"already holds a run \(run\.json\)"):
        prepare()
    assert names(prepare(resume=True)) == ["run.json"]


def test_files_are_written_together_or_not_at_all(tmp_path):
    write_files(tmp_path, {"a": "old", "run.json": b"old"})
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/b' cannot be written \(File exists\)\.$"):
        write_files(tmp_path, {"a": "new", "file/b": "x", "run.json": "new"}, mark="run.json")

    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="No space left"):
        write_files(tmp_path, {"a": "new", "b/c": fail, "run.json": "new"}, mark="run.json")
    assert [(tmp_path / name).read_text() for name in ("a", "run.json")] == ["old", "old"]
    write_files(tmp_path, {"a": "é", "b/c": lambda file: file.write(b"x")}, mark="run.json")
    assert (tmp_path / "a").read_bytes() == "é".encode()
    # the mark of the old run is gone
    assert names(tmp_path) == ["a", "b", "file"]
