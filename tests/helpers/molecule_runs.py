"""A run of molecules made by hand, whose occurrences are those that RDKit finds."""

import dataclasses

import numpy as np
from tiny_runs import frequency_of, run_of

from gomkcn.mining.patterns.mining_run import with_names
from gomkcn.mining.plots.graph_map import GraphMap
from gomkcn.mining.structures.descriptions import describe_structure
from gomkcn.mining.structures.fragments import find_smarts, structure_of
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn.mining.structures.occurrences import Occurrences
from gomkcn.mining.structures.pattern import Pattern
from gomkcn_dgl.graph import as_csr


def run_of_molecules(mols, pieces=("c1ccccc1", "CC=O"), motif="c1ccccc1"):
    """Patterns from SMILES of pieces; ``motif`` is one of them, whose places are its copies."""
    graph = as_csr(mols)
    patterns, motifs = [], []
    for number, smiles in enumerate(pieces):
        rows = find_smarts(smiles, mols)
        listed = Occurrences(rows[:, 1:], rows[:, 0])
        pattern = Pattern(
            structure_of(smiles), listed, ("filters",), frequency_of(len(rows)), id=number
        )
        patterns.append(pattern)
        if smiles == motif:
            motifs.append((pattern, rows[:, 1:].tolist()))
    run = run_of(patterns, motifs=motifs)
    # copies are in their molecules
    part = dataclasses.replace(run.motif_set.motifs[0].motif, copies=patterns[0].occurrences)
    leading = dataclasses.replace(run.motif_set.motifs[0], motif=part)
    found = dataclasses.replace(run.motif_set, motifs=(leading,))
    described = [
        dataclasses.replace(pattern, description=describe_structure(pattern.structure))
        for pattern in (leading, *patterns[1:])
    ]
    return dataclasses.replace(
        run,
        graph=GraphSummary.of(graph, "drugs.smi"),
        patterns=described,
        motif_set=with_names(found, described, graph.feature_names),
        map=GraphMap.of(graph, found, patterns),
    )


def as_names(mols, names):
    """Give molecules their names, in place."""
    for mol, name in zip(mols, names, strict=True):
        mol.SetProp("_Name", name)
    return mols


def many_like(mols, number):
    """So many molecules: those that are given, again and again, each with a name of its own."""
    chosen = [type(mols[0])(mols[at % len(mols)]) for at in range(number)]
    return as_names(chosen, [f"molecule-{at:04d}" for at in np.arange(number)])
