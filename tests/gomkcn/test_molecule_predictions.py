"""Which atoms speak for a class: on the page of a classifier, and on that of `gomkcn predict`."""

import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("rdkit")
from command_line import gomkcn, refused
from rdkit import Chem
from self_contained import Page
from tiny_runs import block_of

from gomkcn.mining.classifier_explanation import node_contributions
from gomkcn.mining.show.predictions_page import render_predictions
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.training.classifiers import TrainedMachine
from gomkcn_dgl.training.training_run import load_classifier, predict_file

ALCOHOLS = ("CCO", "CCCO", "OCCCC", "CC(C)O", "OCC(C)C", "OC1CCCC1")
AMINES = ("CCN", "CCCN", "NCCCC", "CC(C)N", "NCC(C)C", "NC1CCCC1")
METHODS = {
    "network": "--method network --num-epochs 3 --num-hops 1 --num-filters 2 --filter-size 3",
    "kernel": "--method kernel --num-levels 1",
}


@pytest.fixture(scope="module", params=METHODS)
def place(request, tmp_path_factory):
    """A folder with a classifier of alcohols and amines."""
    folder = tmp_path_factory.mktemp(request.param)
    rows = [(smiles, f"alcohol{at}", "alcohol") for at, smiles in enumerate(ALCOHOLS * 2)]
    rows += [(smiles, f"amine{at}", "amine") for at, smiles in enumerate(AMINES * 2)]
    table = "smiles,name,class\n" + "".join(f"{','.join(row)}\n" for row in rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("known.csv").write_text(table)
        gomkcn(f"train known.csv --out run --split 0.5,0.25,0.25 --quiet {METHODS[request.param]}")
        new = ("CCCCO propyl", "NCCCCN putrescine", "C methane", "OCC(O)CN three")
        Path("new.smi").write_text("".join(f"{line}\n" for line in new))
    return folder


@pytest.fixture
def classifier(place, monkeypatch):
    monkeypatch.chdir(place)
    return load_classifier("run")


def test_what_was_learnt_is_told_from_what_was_not(classifier):
    """Also where the atoms of a molecule come in another order; equal ones count, too."""
    split, rows = classifier.split, [*ALCOHOLS * 2, *AMINES * 2]
    assert len(classifier.learnt) == len(split.train) + len(split.val)
    learnt = {Chem.CanonSmiles(rows[at]) for at in (*split.train, *split.val)}
    others = {Chem.CanonSmiles(text) for text in rows} - learnt | {"C1CCCCO1", "CCCCCCO"}
    texts = [*sorted(learnt), *sorted(others)]
    turned = [
        Chem.MolToSmiles(Chem.MolFromSmiles(text), canonical=False, doRandom=True) for text in texts
    ]
    Path("both.smi").write_text("".join(f"{text}\n" for text in turned))
    found = predict_file(classifier, "both.smi")
    assert found.learnt.tolist() == [True] * len(learnt) + [False] * len(others)
    column = found.table().columns()["learnt"]
    assert list(column) == ["yes"] * len(learnt) + ["no"] * len(others)
    page = render_predictions(classifier, found, "both.smi")
    assert block_of(page)["learnt"] == [1] * len(learnt) + [0] * len(others)
    assert f"{len(learnt)} of the {len(texts)} graphs were learnt from" in page
    # nothing is said where all are new
    Path("unseen.smi").write_text("C1CCCCO1\n")
    page = render_predictions(classifier, predict_file(classifier, "unseen.smi"), "unseen.smi")
    assert "learnt from:" not in page


def test_an_explanation_says_of_which_part_a_molecule_is(classifier):
    split, is_machine = classifier.split, isinstance(classifier, TrainedMachine)
    rows = {"test": split.test[0], "train": split.train[0], "val": split.val[0]}
    parts = {"test": "of the test part", "train": "learnt from", "val": "of the validation part"}
    if is_machine:
        parts["val"] = "learnt from"
    numbers = ",".join(map(str, rows.values()))
    said = gomkcn(f"explain run --graphs {numbers} --out why --force").splitlines()
    page = Page(Path("why/explanation.html").read_text()).words
    for line, (name, part) in zip(said, parts.items(), strict=False):
        told = line.partition(";")[0]
        assert told.endswith(f"({part})"), name
        assert told in page


def log_odds(scores):
    return np.log(scores) - np.log(1 - scores)


def test_a_contribution_is_the_log_odds_less_those_without_the_atom(classifier):
    found = predict_file(classifier, "new.smi")
    contributed = node_contributions(classifier, found.graph, found.predicted)
    assert [len(values) for values in contributed] == [5, 6, 1, 6]
    # nothing is left of methane without its atom
    assert contributed[2].tolist() == [0]
    for number in (0, 1, 3):
        whole = found.graph[number]
        label = found.predicted[number]
        before = log_odds(found.probabilities[number, label].astype(float))
        source, target, relation = whole.edges()
        for node in range(whole.num_nodes):
            others = [at for at in range(whole.num_nodes) if at != node]
            place_of = {at: row for row, at in enumerate(others)}
            kept = [
                (place_of[u], place_of[v], kind)
                for u, v, kind in zip(source.tolist(), target.tolist(), relation, strict=True)
                if node not in (u, v)
            ]
            ends = np.array(kept, int).reshape(-1, 3).T
            left = csr_from_edges(
                ends[0], ends[1], len(others),
                features=whole.features[others], feature_names=whole.feature_names,
                relation=ends[2], relation_names=whole.relations.names,
                directed=whole.relations.directed,
            )  # fmt: skip
            after = log_odds(classifier.decide(left)[1][0, label].astype(float))
            assert contributed[number][node] == pytest.approx(before - after, abs=2e-4)


def test_atoms_that_are_alike_contribute_the_same(classifier):
    found = predict_file(classifier, "new.smi")
    putrescine = node_contributions(classifier, found.graph, found.predicted)[1]
    np.testing.assert_allclose(putrescine, putrescine[::-1], atol=1e-4)


def test_directions_of_edges_are_kept_where_a_node_is_left_out():
    from gomkcn.mining.classifier_explanation import _without_each_node

    loop = as_csr(nx.DiGraph([(0, 1), (0, 2), (1, 2), (2, 1)]))
    parts = list(_without_each_node(loop))
    edges = [sorted(zip(*map(np.ndarray.tolist, one.edges()[:2]), strict=True)) for one in parts]
    assert edges == [[(0, 1), (1, 0)], [(0, 1)], [(0, 1)]]


def test_predict_leaves_a_page_with_each_molecule_once(classifier):
    said = gomkcn("predict run new.smi --page classes.html --out classes.csv --force")
    assert "page: classes.html" in said and "classes.csv: the classes of 4 graphs" in said
    record = block_of(Path("classes.html").read_text())
    assert record["graphNames"] == {
        "0": "propyl", "1": "putrescine", "2": "methane", "3": "three"
    }  # fmt: skip
    found = predict_file(classifier, "new.smi")
    assert record["predicted"] == found.predicted.tolist()
    np.testing.assert_allclose(record["probabilities"], found.probabilities, atol=5.1e-4)
    truth = np.concatenate(node_contributions(classifier, found.graph, found.predicted))
    np.testing.assert_allclose(np.array(record["contributions"]) / 1000, truth, atol=6e-4)
    assert record["molecules"]["hydrogens"][:5] == [3, 2, 2, 2, 1]


def test_of_many_atoms_the_first_molecules_have_colours(classifier):
    found = predict_file(classifier, "new.smi")
    page = render_predictions(classifier, found, "new.smi", most_atoms=11)
    assert len(block_of(page)["contributions"]) == 11
    assert "The first 2 molecules have colours." in page
    # none fits, and no legend speaks of colours
    page = render_predictions(classifier, found, "new.smi", most_atoms=3)
    assert block_of(page)["contributions"] == [] and "Orange speaks" not in page


def test_a_page_is_html_and_of_graphs(classifier):
    assert "--page must end in .html, got 'classes.pdf'" in refused(
        "predict run new.smi --page classes.pdf"
    )
    Path("there.html").write_text("mine")
    assert "there.html" in refused("predict run new.smi --page there.html")
    assert Path("there.html").read_text() == "mine"


def test_the_page_of_a_classifier_colours_the_atoms_of_its_samples(classifier):
    html = Path("run/explanation/explanation.html").read_text()
    drawings = re.findall(
        r"<svg[^>]*in the colours of what they contribute[^>]*>.*?</svg>", html, re.S
    )
    assert len(drawings) == 2
    for drawing in drawings:
        atoms = int(re.search(r"(\d+) nodes", drawing)[1])
        assert 0 < drawing.count('class="halo"') <= atoms
        colors = set(re.findall(r'class="halo"[^>]*fill="([^"]*)"', drawing))
        assert colors <= {"var(--match)", "var(--m0)"}
    assert "Orange speaks for the class, blue against it." in html
    assert "log odds of the class" in html
