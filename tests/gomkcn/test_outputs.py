"""What commands write: never over an input, over another file only by force, before any work."""

import os
import shutil
from pathlib import Path

import networkx as nx
import pytest
from command_line import gomkcn, invoke, refused
from graph_files import write_tu

from gomkcn.commands.main import main

pytestmark = pytest.mark.usefixtures("folder")
TRAIN = "train TU --method kernel --num-levels 1 --tau 1 --quiet"
# commands that write a file, without where
WRITERS = {
    "census graph.csv --sizes 3 --out {}": ".csv",
    "predict net TU --out {}": ".csv",
    "generate planted --nodes 50 --features constant --out {}": ".csv",
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    place = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        write_tu("TU", [nx.cycle_graph(5), nx.star_graph(4)] * 10, [0, 1] * 10)
        gomkcn(f"{TRAIN} --out net")
    return place


@pytest.fixture
def data(folder, trained):
    Path("graph.csv").write_text("a,b\nx,y\ny,z\nz,x\n")
    rows = [f"{i % 5},{i % 7},{i}\n" for i in range(9)]
    Path("mail.csv").write_text("source,target,time\n" + "".join(rows))
    for name in ("TU", "net"):
        shutil.copytree(trained / name, name)


@pytest.mark.parametrize("command", WRITERS)
def test_a_file_that_exists_needs_force_and_an_input_is_never_replaced(data, command, monkeypatch):
    out = Path(f"out{WRITERS[command]}")
    out.write_text("mine")
    with monkeypatch.context() as patch:
        # before any work
        patch.setattr("gomkcn_dgl.io.reading.read_graph", None)
        said = refused(command.format(out))
    assert f"the output '{out}' exists; choose another name, or overwrite it with --force" in said
    assert out.read_text() == "mine"
    gomkcn(command.format(out) + " --force")
    assert out.read_text() != "mine"
    # by another name as well
    for source in {"graph.csv", "mail.csv"} & set(command.split()):
        link = Path(f"link{WRITERS[command]}")
        for make in (os.symlink, os.link):
            make(source, link)
            before = Path(source).read_text()
            assert f"is the input '{source}', which would be lost" in refused(
                command.format(link) + " --force"
            )
            assert Path(source).read_text() == before
            link.unlink()


def test_what_is_read_beside_a_graph_is_an_input(data):
    Path("graph.features.csv").write_text("id,x\nx,1\ny,2\nz,3\n")
    for name, more in {
        "graph.features.csv": "",
        "graph.csv": "",
        "own.csv": " --feature-file own.csv",
    }.items():
        Path("own.csv").write_text("id,x\nx,1\ny,2\nz,3\n")
        said = refused(f"census graph.csv --sizes 3 --force --out {name}{more}")
        assert "would be lost; choose another name" in said


def test_generated_graphs_and_what_lies_beside_them_need_force(data):
    planted = "generate planted --nodes 50 --out p"
    for end in (".csv", ".graph"):
        gomkcn(f"{planted}{end}")
        assert "--force" in refused(f"{planted}{end}")
        gomkcn(f"{planted}{end} --force")
        Path(f"p{end}").rename(f"q{end}")
        # the truth, and the features, would be those of another graph
        assert "exists; choose another name" in refused(f"{planted}{end}")
        Path("p.truth.json").unlink()
    Path("motif.csv").write_text("0 1\n1 2\n")
    said = refused("generate planted --out motif.csv --motif motif.csv=3 --force")
    assert "is the input 'motif.csv'" in said
    Path("m.classes.csv").write_text("mine")
    said = refused("generate classification --num-graphs 40 --out m.bin")
    assert "'m.classes.csv' exists" in said and not Path("m.bin").exists()


def test_a_graph_folder_is_not_converted_into_itself(data):
    gomkcn("convert graph.csv g.graph --quiet")
    Path("link").symlink_to("g.graph")
    for source in ("g.graph", "link"):
        assert "is the input" in refused(f"convert {source} g.graph --force --quiet")
    command = "convert graph.csv g.graph --feature-file g.graph/indptr.npy --force --quiet"
    assert "holds the input 'g.graph/indptr.npy'" in refused(command)


FOREIGN = ["map.json", "copies.parquet", "occurrences.parquet", "report.html", "filters/run.json"]
MINE = "mine graph.csv --null none --filters none --quiet --out own"


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("force", ["", " --force"])
def test_a_folder_of_somebody_else_is_left_as_it_is(data, name, force):
    path = Path("own", name)
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    assert f"holds '{name}', which no run of gomkcn wrote there" in refused(MINE + force)
    assert path.read_text() == "{}"
    # nor by the others
    if name == "map.json":
        command = MINE.replace("--null none --filters none", "").replace("mine", "filters")
        assert "which no run of gomkcn wrote" in refused(command + force)


def test_a_run_is_not_written_over_what_it_reads(data):
    gomkcn(MINE)
    for more in ("--label-names own/map.json", "--settings own/settings.toml"):
        assert "would be lost" in refused(f"{MINE} --force {more}")
    # what it leaves there stays
    Path("own/notes.txt").write_text("mine")
    gomkcn(f"{MINE} --force")
    assert Path("own/notes.txt").read_text() == "mine"
    # a run of another kind has other files
    gomkcn(
        "filters graph.csv --num-epochs 1 --num-filters 2 --filter-size 3 --quiet --force --out own"
    )
    assert not Path("own/patterns.json").exists() and Path("own/notes.txt").exists()
    Path("own/filters.html").unlink()
    Path("own/filters.html").symlink_to("../graph.csv")
    assert "symbolic link 'filters.html'" in refused("report own")


def test_tables_and_explanations_need_force(data):
    gomkcn(MINE)
    Path("tables").mkdir()
    Path("tables/structures.csv").write_text("mine")
    assert "'tables/structures.csv' exists" in refused("export own --out tables")
    gomkcn("export own --out tables --force")
    assert "is a part of the input 'own'" in refused(
        "export own --out own --format parquet --force"
    )
    Path("why").mkdir()
    Path("why/explanation.html").write_text("mine")
    assert "exists" in refused("explain net --out why")
    gomkcn("explain net --out why --force")
    # that of the run is its own
    gomkcn("explain net")


def test_every_command_that_writes_has_force():
    commands = {**main.commands, **main.commands["generate"].commands}
    for name, command in commands.items():
        options = {option.name for option in command.params}
        writes = options & {"out", "page"}
        assert not writes or "force" in options, name


def test_names_do_not_steer_a_terminal(data):
    Path("esc.csv").write_text('source,target\n"a\x1b[31m",b\nb,"c\td"\n"c\td","e\nf"\n')
    said = invoke("count 'a->b' esc.csv --list 5")
    assert said.exit_code == 0
    rows = said.stdout.splitlines()[-4:]
    assert [row.count("\t") for row in rows] == [1] * 4
    assert "\x1b" not in said.output and "a�[31m\tb" in rows
    for command in ("info esc.csv", "census esc.csv --sizes 3", "count 'a\x1b->b' esc.csv"):
        assert "\x1b" not in invoke(command).output
    for path in ("\x1b[31mnone.csv", "none\n.csv"):
        for command in ("info", "count a--b", "mine", "census"):
            assert "\x1b" not in invoke(f"{command} '{path}'").output
