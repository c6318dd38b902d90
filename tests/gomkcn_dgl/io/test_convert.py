"""`gomkcn convert`: a folder that holds what reading the file gives."""

import pytest
from command_line import gomkcn, refused
from graph_files import assert_same

from gomkcn_dgl.graph_folder import read_graph_folder
from gomkcn_dgl.io.reading import read_graph


def test_the_folder_is_the_graph_of_the_file(folder):
    (folder / "edges").write_text("u,v\n0,1\n")
    (folder / "x.csv").write_text("a,b\n1,2\n3,4\n")
    command = "convert edges out --format csv --feature-file x.csv --features b --quiet"
    assert gomkcn(command).startswith("wrote out: 2 nodes, 1 edges, ")
    assert read_graph_folder("out").features.tolist() == [[2], [4]]
    assert "overwrite it with --force" in refused(command)
    gomkcn(command + " --force")
    (folder / "t.txt").write_text("a likes b\nb likes a\nb knows c\n")
    assert ", 2 edges, " in gomkcn("convert t.txt t.graph --quiet")
    assert_same(read_graph("t.graph"), read_graph("t.txt"))
    gomkcn("convert t.txt t.graph --relation none --directed --target 3 --force --quiet")
    assert read_graph_folder("t.graph").num_edges == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("g.npz out", "g.npz: the file must be one that scipy.sparse.save_npz writes ("),
        ("g.txt g.txt", "out folder '"),
        ("g.txt out --memory-limit 40", "--memory-limit must be at least 256.0 MiB for sorting"),
    ],
)
def test_refusals(folder, arguments, sentence):
    (folder / "g.txt").write_text("0 1\n")
    (folder / "g.npz").write_text("0 1\n")
    assert refused(f"convert {arguments} --quiet").startswith(sentence)
    assert sorted(path.name for path in folder.iterdir()) == ["g.npz", "g.txt"]
