"""The text of a pattern, as every command and function takes it: a name, edges, a file, SMILES."""

from __future__ import annotations

import os
import re
from typing import NoReturn

from gomkcn.mining.structures.graph_relations import with_signs_of
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.motif_table import MOTIF_ROWS
from gomkcn_dgl.graphs.named_structures import FAMILIES, SMALL, is_name, name_like
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import SIMPLE, Relations

# what benzene is depends on the bonds of the graph
BENZENE = "benzene"
SMILES = "smiles:"
# each text of edges has one of these
_JOINS = ("->", "--", "-[")
# neither edges nor conditions
_WORDS = re.compile(r"[\w -]+")
_SEPARATOR = re.compile(r"[,;\n]")


def read_pattern(text: str, relations: Relations = SIMPLE) -> Structure:
    """The structure that a text stands for in a graph with some relations.

    It is a name, SMILES behind ``smiles:``, a file of edges, or edges as :meth:`Structure.parse`
    takes them. A name stays what it is beside a file of the same name. The named loops of
    activation and repression have the words of the graph for these.

    >>> read_pattern("ring-4").edges
    ((0, 1), (0, 3), (1, 2), (2, 3))
    """
    text = text.strip()
    if is_named(text):
        return _of_name(text, relations)
    if text.startswith(SMILES):
        # RDKit, which few need
        from gomkcn.mining.structures.fragments import structure_of

        return structure_of(text.removeprefix(SMILES))
    if os.path.isfile(text):
        return Structure.read(text)
    if has_edges(text):
        return Structure.parse(text)
    if is_named(_parts(text)[0]):
        raise InputError(
            "pattern",
            "must be a name alone",
            got=repr(text),
            way_out="gomkcn count takes conditions, as gomkcn.count in Python",
        )
    _refuse_name(text)


def as_structure(pattern: Structure | str, relations: Relations = SIMPLE) -> Structure:
    """A structure as it is, or the one that a text stands for in a graph with some relations.

    >>> as_structure("ring-4").num_nodes
    4
    """
    if isinstance(pattern, str):
        return read_pattern(pattern, relations)
    if not isinstance(pattern, Structure):
        raise InputTypeError(
            "pattern",
            "must be a Structure, or a text such as 'triangle' or 'a--b, b--c'",
            got=type(pattern).__name__,
        )
    return pattern


def is_named(text: str) -> bool:
    """Whether a text is the name of a structure."""
    return text == BENZENE or is_name(text)


def is_alone(text: str) -> bool:
    """Whether a text is a name, SMILES or a file, beside which no conditions are written."""
    return is_named(text) or text.startswith(SMILES) or os.path.isfile(text)


def has_edges(text: str) -> bool:
    """Whether edges are written in a text.

    >>> has_edges("a--b, b--c"), has_edges("feed-forward-loop")
    (True, False)
    """
    return any(join in text for join in _JOINS)


def edges_of_name(text: str, relations: Relations = SIMPLE) -> str:
    """The text with its edges in place of a name that stands before conditions.

    The nodes of the name are called A, B, C and so on, in the order in which a list of its
    occurrences has them. A text that does not begin with a name is returned as it is.

    >>> edges_of_name('feed-forward-loop, A.name = "crp"')
    'A->B, A->C, B->C, A.name = "crp"'
    """
    name, comma, conditions = _parts(text)
    if not comma or not is_named(name):
        return text
    return f"{_of_name(name, relations).to_text()}, {conditions}"


def edges_of_text(text: str, relations: Relations = SIMPLE) -> str:
    """The text with its edges in place of a name, with or without conditions behind it.

    A word that is no name is refused, and so is SMILES without its prefix.

    >>> edges_of_text("triangle"), edges_of_text("a -> b")
    ('A--B, A--C, B--C', 'a -> b')
    """
    if is_named(text):
        return _of_name(text, relations).to_text()
    word, *_ = _parts(text)
    has_word = not is_named(word) and not has_edges(word)
    if has_word and (_WORDS.fullmatch(word) or _as_smiles(word)):
        _refuse_name(text)
    return edges_of_name(text, relations)


def _parts(text: str) -> tuple[str, str, str]:
    """What stands before the first comma, the comma, and what stands behind it."""
    text = text.strip()
    comma = _SEPARATOR.search(text)
    if comma is None:
        return text, "", ""
    return text[: comma.start()].rstrip(), ",", text[comma.end() :].lstrip()


def _of_name(name: str, relations: Relations) -> Structure:
    """The structure of a name, in the words of a graph."""
    if name != BENZENE:
        return with_signs_of(relations, Structure.parse(name))
    bond = "-[aromatic]-" if "aromatic" in relations.names else "--"
    return Structure.parse(", ".join(f"{i}:C{bond}{(i + 1) % 6}" for i in range(6)), BENZENE)


def _refuse_name(text: str) -> NoReturn:
    if smiles := _as_smiles(text):
        raise InputError(
            "pattern",
            "must say that it is of a molecule",
            got=repr(text),
            way_out=(
                f"give {SMILES}{smiles}, or smarts:{smiles} for gomkcn count, which RDKit matches"
            ),
        )
    if like := name_like(_parts(text)[0], [BENZENE]):
        raise InputError(
            "pattern", "must be a known name", got=repr(text), way_out=f"the nearest is {like!r}"
        )
    words = sorted(name for name in {*SMALL, *MOTIF_ROWS} if " " not in name)
    raise InputError(
        "pattern",
        (
            "must be edges such as 'a->b, b->c', a file of edges, smiles:TEXT, RUN:ID of "
            f"gomkcn count, {BENZENE}, {', '.join(FAMILIES)} of N nodes, 030T, mfinder-38, G8 and "
            f"the like, or one of {', '.join(words)}"
        ),
        got=repr(text),
    )


def _as_smiles(text: str) -> str:
    """The SMILES that a text is, or that of a fragment of its name; "" for any other text."""
    # RDKit, which few need
    from gomkcn.mining.structures.fragments import FRAGMENTS, is_smiles

    names = (text, f"{text} ring", f"{text} group")
    return next(
        (FRAGMENTS[name] for name in names if name in FRAGMENTS), text if is_smiles(text) else ""
    )
