"""What tells classes apart is all that a complete search finds, by RDKit and by SciPy."""

import logging

import networkx as nx
import numpy as np
import pytest
from rdkit import Chem
from scipy.stats import fisher_exact
from self_contained import Page

from gomkcn import PatternMiner, as_csr, frequent_subgraphs
from gomkcn.mining.motif_sets.motif_set import summary
from gomkcn.mining.patterns import choice, class_search
from gomkcn.mining.patterns.class_search import (
    MOST_FOLLOWING,
    SUPPORT,
    _search_up_to,
    search_classes,
)
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.show.report import render_report
from gomkcn.mining.show.terminal import format_run
from gomkcn.mining.significance.verdicts import adjust_for_family, correction_of_family
from gomkcn.mining.structures.class_columns import differing
from gomkcn.mining.structures.fragments import to_smarts
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.whole_rings import RingCompletion
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import JobProgress
from gomkcn_dgl.runtime.steps import Steps

# pyridines, of which some have a chain; and benzenes, with other chains
PYRIDINES = [f"{chain}c1cccnc1" for chain in ("CC", "CCC", "CCO", "CCN", "CC(C)", "CCCC", "OCC")]
QUINOLINES = [f"{chain}c1cnc2ccccc2c1" for chain in ("CC", "CCC", "CCO")]
BENZENES = [f"{chain}c1ccccc1" for chain in ("O", "CO", "N", "CN", "C(=O)", "CS", "Cl", "F", "C")]
SMILES = PYRIDINES + QUINOLINES + 2 * BENZENES
MOLS = [Chem.MolFromSmiles(smiles) for smiles in SMILES]
Y = np.array(["active"] * 10 + ["inactive"] * 18)


@pytest.fixture(scope="module")
def mined():
    return MinedGraph.of(as_csr(MOLS), Y)


@pytest.fixture(scope="module")
def answer(mined):
    return search_classes(mined, range(2, 7), Steps())


def test_each_number_is_that_of_rdkit_and_scipy(answer):
    assert answer.search.num_compared == len(answer.structures) > 20
    for structure, difference in zip(answer.structures, answer.differences, strict=True):
        query = Chem.MolFromSmarts(to_smarts(structure))
        contains = np.array([mol.HasSubstructMatch(query) for mol in MOLS])
        for contrast in difference.contrasts:
            own = contrast.name == Y
            inside, outside = int(contains[own].sum()), int(contains[~own].sum())
            assert (contrast.containing, contrast.others_containing) == (inside, outside)
            table = [[inside, own.sum() - inside], [outside, (~own).sum() - outside]]
            assert contrast.p == pytest.approx(fisher_exact(table).pvalue, rel=1e-6)


def test_it_is_what_frequent_subgraphs_are(answer, mined):
    found = frequent_subgraphs(mined.given, SUPPORT, (2, 6), y=Y, closed=True)
    assert {one.key for one in answer.structures} == {one.key for one in found.structures}
    best = min(one.strongest.p for one in answer.differences)
    assert best == min(min(one.p for one in row) for row in found.contrasts)
    assert answer.search.num_searched == len(found.family)
    smallest = min(one.p_adjusted for one in answer.differences)
    assert (
        smallest
        == pytest.approx(found.p_adjusted[0])
        == pytest.approx(min(1.0, best * answer.search.num_tests))
    )
    assert answer.search.is_complete
    assert answer.search.num_differing == sum(p <= 0.05 for p in found.p_adjusted)


def test_a_cut_ring_is_shown_whole(answer, mined):
    (leader, *others), *_ = differing(answer.patterns)
    assert leader.strongest.name == "active" and leader.strongest.containing == 10
    for row in [leader, *others[:MOST_FOLLOWING]]:
        piece = Chem.MolFromSmarts(to_smarts(row.pattern.structure))
        ring_bonds = sum(bond.IsInRing() for bond in piece.GetBonds())
        aromatic = sum(str(bond.GetBondType()) == "AROMATIC" for bond in piece.GetBonds())
        assert (row.classes.rings is not None) == (aromatic > ring_bonds)
        if row.classes.rings is not None:
            rings = row.classes.rings
            whole = Chem.MolFromSmiles(rings.smiles)
            assert whole.HasSubstructMatch(piece) and whole.GetRingInfo().NumRings()
            with_rings = sum(mol.HasSubstructMatch(whole) for mol in MOLS)
            with_piece = sum(mol.HasSubstructMatch(piece) for mol in MOLS)
            assert (rings.graphs, rings.num_graphs) == (with_rings, with_piece)
            assert row.in_rings == f"in {rings.smiles}, {rings.graphs} of {rings.num_graphs}"
        # no word of a graph stands for a fragment of molecules
        assert Chem.MolFromSmarts(row.name.rpartition(": ")[2]) is not None, row.name
    # most molecules have a benzene ring, and some a pyridine ring alone
    carbon = answer.structures[0].parse("a:element=C-[aromatic]-b:element=C")
    found = RingCompletion(mined).complete(carbon, range(28))
    benzene = Chem.MolFromSmiles("c1ccccc1")
    with_benzene = sum(mol.HasSubstructMatch(benzene) for mol in MOLS)
    assert found.smiles == "c1ccccc1"
    assert (found.graphs, found.num_graphs) == (with_benzene, 28) == (21, 28)
    # a bond of the ring with nitrogen says nothing of a second ring
    nitrogen = answer.structures[0].parse("a:element=C-[aromatic]-b:element=N")
    graphs = [at for at, graph in enumerate(mined.order.graphs.tolist()) if graph < 10]
    found = RingCompletion(mined).complete(nitrogen, graphs)
    assert (found.smiles, found.graphs, found.num_graphs) == ("c1ccncc1", 10, 10)


@pytest.mark.parametrize(
    ("smiles", "piece", "whole"),
    [
        # an aromatic atom of which the fragment has no aromatic bond is an atom as any
        (["NC(=O)c1ccccc1", "NC(=O)Cc1ccccc1"], "C-C(=O)-N", None),
        (["CCc1ccccc1C(=O)c1ccccc1"], "C-C(=O)-C:C-C", "CC(=O)c1ccccc1C"),
        # hydrogens of nitrogen, which a graph has not
        (["CCc1c[nH]cn1", "CCc1cn(C)cn1"], "C-C:C:N", "Cc1cnc[nH]1"),
        (["Cc1ccn2nccc2n1"], "C-C:C:C", "Cc1ccncn1"),
        # the oxygen of a pyridone makes it one, and charges of a nitro group are those of a SMILES
        (["CCc1cc[nH]c(=O)c1"], "C-C:C", "Cc1cc[nH]c(=O)c1"),
        (["O=[N+]([O-])c1ccc(C)cc1"], "O=N(-O)-C:C", "O=[N+]([O-])c1ccccc1"),
        (["O=[N+]([O-])c1ccc(C)cc1"], "O=N-C:C", "O=Nc1ccccc1"),
        # a pyridinium without its charge and substituent is no molecule
        (["CC[n+]1ccccc1"], "C-N:C", None),
    ],
)
def test_whole_rings_are_molecules_that_rdkit_reads(smiles, piece, whole):
    mols = [Chem.MolFromSmiles(text) for text in smiles]
    query = Chem.MolFromSmarts(piece)
    fragment = Structure.of_edges(
        query.GetNumAtoms(),
        [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in query.GetBonds()],
        [str(bond.GetBondType()).lower() for bond in query.GetBonds()],
        categories=tuple((f"element={atom.GetSymbol()}",) for atom in query.GetAtoms()),
    )
    mined = MinedGraph.of(as_csr(mols))
    found = RingCompletion(mined).complete(fragment, range(len(mols)))
    if whole is None:
        assert found is None
        return
    assert Chem.CanonSmiles(found.smiles) == Chem.CanonSmiles(whole)
    number = sum(mol.HasSubstructMatch(Chem.MolFromSmiles(found.smiles)) for mol in mols)
    assert (found.graphs, found.num_graphs) == (number, len(mols)) and number


def test_what_a_stronger_one_implies_stands_below_it(answer):
    leading = [group[0].pattern.structure for group in differing(answer.patterns)]
    for first in leading:
        assert not any(first is not other and first.is_part_of(other) for other in leading)


def test_a_search_ends_at_the_size_that_its_steps_allow(mined):
    whole = search_classes(mined, range(2, 7), Steps())
    few = search_classes(mined, range(2, 7), Steps(), most_steps=500_000)
    assert few.search.most_nodes == 4 and few.search.is_complete_enough
    assert not few.search.is_complete and "500,000 steps" in few.search.left_out
    # what is said of these sizes is said of all of them
    again = search_classes(mined, range(2, 5), Steps())
    assert few.search.num_searched == again.search.num_searched < whole.search.num_searched
    assert "Larger ones, those of up to 6, were not searched whole" in str(few.search)
    none = search_classes(mined, range(2, 7), Steps(), most_steps=1)
    assert not none.search.is_complete_enough and not none.structures
    assert "A complete search for subgraphs takes too long here" in str(none.search)


def test_whichever_sizes_are_searched_before_the_largest_one_the_same_is_found(mined, monkeypatch):
    searched = []

    def search(most, *arguments):
        found = _search_up_to(most, *arguments)
        searched.append((most, bool(found.left_out)))
        return found

    monkeypatch.setattr(class_search, "_search_up_to", search)
    # 1. the largest after those that take few steps, or after all others
    quick = search_classes(mined, range(2, 7), Steps())
    assert searched == [(4, False), (6, False)]
    searched.clear()
    monkeypatch.setattr(class_search, "_MANY_TIMES", 10**12)
    slow = search_classes(mined, range(2, 7), Steps())
    assert searched == [(4, True), (2, False), (4, False), (6, False)]
    assert quick.search == slow.search and str(quick) == str(slow)
    # 2. where the largest one then takes too many steps, those before it stay
    searched.clear()
    monkeypatch.setattr(class_search, "_MANY_TIMES", 1)
    few = search_classes(mined, range(2, 7), Steps(), most_steps=500_000)
    assert searched == [(4, False), (6, True), (2, False), (4, False), (6, True)]
    assert few.search.most_nodes == 4 and "500,000 steps" in few.search.left_out


def test_graphs_that_are_no_molecules_are_searched_as_well():
    graphs = [nx.disjoint_union(nx.cycle_graph(5), nx.path_graph(3)) for _ in range(8)]
    graphs += [nx.star_graph(5) for _ in range(8)]
    found = search_classes(
        MinedGraph.of(as_csr(graphs), ["a"] * 8 + ["b"] * 8), range(2, 6), Steps()
    )
    names = {row.name for group in differing(found.patterns) for row in group}
    assert {"cycle of 5 nodes", "star with 3 leaves"} & names
    assert all(one.rings is None for one in found.differences)


def test_the_classes_are_searched_first_and_what_was_found_is_said(caplog, monkeypatch):
    monkeypatch.setattr(choice, "MOST_FOLLOWING", 2)
    begun = []

    class Bar(JobProgress):
        def begin(self, stage, total=None, is_steady=True):
            begun.append(stage)

    miner = PatternMiner(null=None, filters="none", pattern_size=(2, 5))
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        miner.fit(MOLS, Y, steps=Steps(progress=Bar()))
    # before the motif set, which takes all the time that there is
    assert begun[0] == "searching all that tells the classes apart"
    search = miner.class_search_
    said = (
        f"{search.num_differing} of {search.num_compared} subgraphs of 2 to 5 nodes differ between "
        "the classes (adjusted p ≤ 0.05); first "
    )
    (first,) = [text for text in caplog.messages if text.startswith(said)]
    assert "(in 10 of 10 graphs of class active, and in 0 of 18 others)" in first
    # all that differ are counted and in the table, and the page says how many it lists
    every = [*miner.patterns_, *miner.others_]
    searched = [one for one in every if one.classes.group is not None]
    assert len(searched) == search.num_differing
    assert all(one.classes.differs and one.frequency.occurrences.is_exact for one in searched)
    run = MiningRun.of(miner, MOLS, has_map=False)
    p_classes = run.table("structures").columns()["p_classes"]
    differing_in_all = search.num_differing + search.num_beside_differing
    assert sum(p <= 0.05 for p in p_classes) == differing_in_all
    groups = differing(miner.patterns_)
    assert max(map(len, groups)) == 3
    num_listed = sum(map(len, groups))
    assert num_listed < search.num_differing
    where = f"of the {search.num_differing} are listed here; all are in structures.csv"
    assert f"{num_listed} {where}" in Page(render_report(run)).words
    words = " ".join(format_run(run).split())
    assert where in words
    messages = caplog.messages
    assert messages.index(first) < messages.index(str(summary(miner.motif_set_)))


def test_motifs_and_counted_structures_have_classes_of_a_family_of_their_own(answer):
    miner = PatternMiner(null=None, filters="none", pattern_size=(2, 6))
    miner.fit(MOLS, Y)
    every = {one.key: one for one in (*miner.patterns_, *miner.others_)}
    # those that the search did not compare, since they are no closed subgraphs or in few graphs
    known = {structure.key for structure in answer.structures}
    beside = [one for key, one in every.items() if key not in known]
    search = miner.class_search_
    assert len(beside) == search.num_beside > 20
    assert all(motif.key in every for motif in miner.motif_set_.motifs)
    supports, least = [], []
    for pattern in beside:
        query = to_smarts(pattern.structure)
        first, second = pattern.classes.contrasts
        assert pattern.classes.group is None
        supports.append(first.containing + first.others_containing)
        least.append(min(first.p, second.p))
        table = [
            [first.containing, first.num_graphs - first.containing],
            [first.others_containing, first.num_others - first.others_containing],
        ]
        assert first.p == pytest.approx(fisher_exact(table).pvalue, rel=1e-6)
        if query is not None:
            smarts = Chem.MolFromSmarts(query)
            contains = np.array([mol.HasSubstructMatch(smarts) for mol in MOLS])
            assert first.containing == contains[first.name == Y].sum()
    adjusted = adjust_for_family(np.array(least), np.array(supports), [10, 18])
    assert [one.classes.p_adjusted for one in beside] == pytest.approx(adjusted)
    assert search.num_beside_differing == (adjusted <= 0.05).sum()
    sentence = f"The {len(beside)} motifs and counted structures that are none of these"
    assert sentence in str(search)
    # a molecule without a class is in no number of the family
    classes = [None if at in (0, 20) else name for at, name in enumerate(Y)]
    fewer = PatternMiner(null=None, filters="none", pattern_size=(2, 6)).fit(MOLS, classes)
    assert fewer.class_search_.num_without_class == 2
    searched = search_classes(MinedGraph.of(as_csr(MOLS), classes), range(2, 7), Steps())
    known = {structure.key for structure in searched.structures}
    beside = [one for one in (*fewer.patterns_, *fewer.others_) if one.key not in known]
    contrasts = [one.classes.contrasts[0] for one in beside]
    assert {(one.num_graphs, one.num_others) for one in contrasts} == {(9, 17)}
    supports = np.array([one.containing + one.others_containing for one in contrasts])
    assert fewer.class_search_.num_beside_tests == correction_of_family(supports, [9, 17])
    # the same columns as what was searched
    columns = MiningRun.of(miner, MOLS, has_map=False).table("structures").columns()
    assert all(share is not None for share in columns["p_classes"])


@pytest.mark.parametrize("both", ["Cc1ccncc1Cc1ccccc1", "c1ccc(Cc2cnccc2C)cc1"])
def test_the_rings_are_those_that_most_molecules_have(both):
    # at some place of it the fragment has a pyridine ring more often, and in all molecules benzene
    mols = [Chem.MolFromSmiles(text) for text in [both] * 3 + ["Cc1ccccc1"] * 2]
    fragment = Structure.parse("a:element=C-[single]-b:element=C, b-[aromatic]-c:element=C")
    found = RingCompletion(MinedGraph.of(as_csr(mols))).complete(fragment, range(5))
    assert (found.smiles, found.graphs, found.num_graphs) == ("Cc1ccccc1", 5, 5)
