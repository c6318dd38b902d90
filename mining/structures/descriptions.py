"""Structures in words: shape, and how many nodes are of each category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gomkcn.mining.structures.fragments import describe_fragment
from gomkcn_dgl.graphs.shapes import describe_shape
from gomkcn_dgl.graphs.structure import Structure, category_value

# the elements of organic molecules and their usual salts
_ELEMENTS = {
    "H": "hydrogen", "Li": "lithium", "B": "boron", "C": "carbon", "N": "nitrogen",
    "O": "oxygen", "F": "fluorine", "Na": "sodium", "Mg": "magnesium", "Al": "aluminium",
    "Si": "silicon", "P": "phosphorus", "S": "sulfur", "Cl": "chlorine", "K": "potassium",
    "Ca": "calcium", "Fe": "iron", "Cu": "copper", "Zn": "zinc", "As": "arsenic",
    "Se": "selenium", "Br": "bromine", "Sn": "tin", "I": "iodine", "Hg": "mercury",
    "Pb": "lead",
}  # fmt: skip


def category_words(names: Sequence[str]) -> dict[str, str]:
    """What categories such as "label=C" are called: chemical elements, or as the data call them.

    >>> category_words(["label=C", "label=N"]), category_words(["kind=B", "kind=2"])
    ({'label=C': 'carbon', 'label=N': 'nitrogen'}, {'kind=B': 'B', 'kind=2': 'labelled 2'})
    """
    values = {name: category_value(name) for name in names}
    if all(value in _ELEMENTS for value in values.values()):
        return {name: _ELEMENTS[value] for name, value in values.items()}
    return {
        name: value if any(map(str.isalpha, value)) else f"labelled {value}"
        for name, value in values.items()
    }


def describe_structure(structure: Structure, feature_names: Sequence[str] = ()) -> str:
    """The shape of a structure and how many of its nodes are of each category.

    A piece of a molecule has the name that chemists give it, and its SMILES.
    ``feature_names`` are those of the graph, which tell chemical elements from other letters.

    >>> ring = Structure.parse("ring-6")
    >>> describe_structure(ring)
    'cycle of 6 nodes'
    """
    if fragment := describe_fragment(structure):
        return fragment
    shape = describe_shape(structure)
    firsts = [names[0] for names in structure.categories if names]
    if not firsts:
        return shape
    family = firsts[0].partition("=")[0]
    words = category_words(
        [name for name in feature_names if name.partition("=")[0] == family] or firsts
    )
    # of as many nodes in the order of the words, whatever the order of the nodes
    counts = sorted(Counter(words.get(name, name) for name in firsts).items())
    counts.sort(key=lambda row: -row[1])
    listed = ", ".join(f"{number} {word}" for word, number in counts)
    # the relations follow the first colon
    return f"{shape} ({listed})" if ": " in shape else f"{shape}: {listed}"
