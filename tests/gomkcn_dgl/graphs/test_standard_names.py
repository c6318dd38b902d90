"""The names of the literature: triads, numbers of mfinder, graphlets; as names and as input."""

from itertools import product

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.named_structures import SMALL, is_name
from gomkcn_dgl.graphs.standard_names import StandardNames, standard_names
from gomkcn_dgl.graphs.standard_numbers import TRIADS
from gomkcn_dgl.graphs.structure import Structure

# U. Alon's and mfinder's own numbers, from the motif dictionary of Milo et al. (2002)
KNOWN_NUMBERS = {
    "feed-forward-loop": 38,
    "three-cycle": 98,
    "bi-fan": 204,
    "bi-parallel": 904,
    "a->b, a->c, a->d": 14,
    "uplinked-mutual-dyad": 46,
    "fully-connected-triad": 238,
    "a->b, b->c": 12,
    "a->c, b->c": 36,
    "a->b, a->c": 6,
}


def digraphs(size):
    """Each connected digraph of so many nodes, as often as it has labelled forms."""
    pairs = [(u, v) for u, v in product(range(size), repeat=2) if u != v]
    for has in product([False, True], repeat=len(pairs)):
        graph = nx.DiGraph()
        graph.add_nodes_from(range(size))
        graph.add_edges_from(pair for pair, there in zip(pairs, has, strict=True) if there)
        if nx.is_weakly_connected(graph):
            yield graph


def test_triads_are_those_of_networkx():
    for graph in digraphs(3):
        assert standard_names(Structure.from_networkx(graph)).triad == nx.triad_type(graph)


@pytest.mark.parametrize("text", KNOWN_NUMBERS)
def test_numbers_are_those_of_the_motif_dictionary(text):
    assert standard_names(Structure.parse(text)).mfinder == KNOWN_NUMBERS[text]


def test_a_number_names_one_structure_of_a_size():
    structures = {}
    for graph in digraphs(4):
        structure = Structure.from_networkx(graph)
        structures.setdefault(structure.key, structure)
    numbers = {standard_names(structure).mfinder for structure in structures.values()}
    assert len(numbers) == len(structures) == 199
    for structure in structures.values():
        number = standard_names(structure).mfinder
        assert Structure.parse(f"mfinder4-{number}").key == structure.key


@pytest.mark.parametrize("name", TRIADS)
def test_a_triad_is_read_by_its_name_and_by_its_number(name):
    triad = Structure.parse(name)
    names = standard_names(triad)
    assert names.triad == name
    assert Structure.parse(f"mfinder3-{names.mfinder}").key == triad.key


def test_graphlets_are_numbered_in_their_order():
    for at, name in enumerate(SMALL):
        assert standard_names(Structure.parse(name)) == StandardNames(graphlet=f"G{at}")
        assert Structure.parse(f"G{at}").key == Structure.parse(name).key


def test_types_and_categories_do_not_matter():
    typed = Structure.parse("a:gene-[acts]->b:gene, a-[stops]->c:gene, b-[acts]->c")
    assert str(standard_names(typed)) == "030T, mfinder 38"
    assert str(standard_names(Structure.parse("a:C--b:N, b--c:C, a--c"))) == "G2"


def test_what_has_no_standard_name_has_none():
    assert str(standard_names(Structure.parse("a->b, b->c, c->d, d->e"))) == ""
    assert str(standard_names(Structure.parse("ring-6"))) == ""
    assert str(standard_names(Structure.parse("a->b, b-[binds]-c"))) == ""
    assert str(standard_names(Structure.of_channels(np.zeros((1, 1))))) == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mfinder-14", "write mfinder3-14 or mfinder4-14"),
        ("mfinder-5", "as in mfinder-38 and mfinder-204"),
        # the three-cycle as another order of its nodes has it
        ("mfinder3-140", "of 3 nodes"),
        # two nodes and two nodes, not joined
        ("mfinder4-18", "connected"),
        ("mfinder3-1", "smallest"),
        ("G30", "from G0 to G29"),
    ],
)
def test_another_number_is_refused_with_a_way_out(name, said):
    assert is_name(name)
    with pytest.raises(InputError, match=said):
        Structure.parse(name)


def test_words_beside_the_names_are_none():
    assert not any(map(is_name, ("030", "030X", "G", "g8", "mfinder", "mfinder5-14", "H8")))
