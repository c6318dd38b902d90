"""SMILES, tables with a column of SMILES, and SD files → molecules of RDKit → graphs.

Atoms are nodes with the category ``element``; ``charge`` and ``aromatic`` are there to be chosen.
Bonds are edges of the relations ``single``, ``double``, ``triple`` and ``aromatic``. Hydrogens are
left out, and everything else is as RDKit reads it: aromatic is what RDKit finds aromatic.
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import NONE, READING, ColumnChoice, GraphContent, relation_codes
from gomkcn_dgl.io.column_names import names_edges, other_pairs
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.parquet_tables import open_parquet
from gomkcn_dgl.io.same_molecules import (
    MOST_COMPARED,
    atoms_of,
    find_repeated,
    largest_fragments,
    same_molecules,
)
from gomkcn_dgl.io.table_form import TableForm, find_form, rows_of, shown
from gomkcn_dgl.io.tables import Source, as_texts, text_source
from gomkcn_dgl.messages import Argument, Message
from gomkcn_dgl.runtime.files import listed, printable

log = logging.getLogger("gomkcn_dgl")

# what columns and properties are called, in capitals or not
_SMILES_COLUMNS = ("smiles", "canonical_smiles", "isomeric_smiles", "smi")
CLASS_COLUMNS = ("class", "label", "activity", "active", "outcome", "target", "y")
# what a table writes where nothing is known; the last three are outcomes of assays in PubChem that
# are neither active nor inactive
_NO_CLASS = frozenset(
    ["", "na", "n/a", "nan", "null", "?", "nd", "n.d.", "missing", "unknown", "untested",
     "inconclusive", "unspecified", "indeterminate"]
)  # fmt: skip
# what a column that says what molecules are called is called, without capitals and separators, the
# plainest first; words within a longer name say nothing: "Molecule cyclized degree" is a number
_NAME_COLUMNS = (
    "name", "compoundname", "moleculename", "molname", "drugname", "title",
    "id", "compound", "molecule", "compoundid", "moleculeid", "molid", "cmpdid", "drugid",
    "cid", "sid", "pubchemcid", "chemblid", "moleculechemblid", "cmpdchemblid", "zincid",
    "drugbankid", "cas", "casrn", "casnumber",
)  # fmt: skip
# a property of molecules of RDKit, which reads it from SD files
_NAME = "_Name"
_TABLES = (".csv", ".tsv")
_PARQUET = ".parquet"
# the letters of a SMILES, whose atoms are of the usual elements or stand in brackets
_SMILES = re.compile(
    r"(?=[A-Za-z\[])(?:Br|Cl|[BCNOPSFIbcnops]|\[[^\[\]\s]+\]|[0-9%()=#+\-/\\.:@*])+"
)
_INCHI = re.compile(r"InChI=\S+")
# cells that RDKit tries, and columns that are looked at, to tell molecules by
_MOST_TRIED = 100
_MOST_COLUMNS = 100
# molecules that are kept to be read again: some 50 MB of drugs
_MOST_PARSED = 1 << 12
# the line that ends a record of an SD file
_END_OF_RECORD = re.compile(rb"^\$\$\$\$.*\n?", re.MULTILINE)


class Record(NamedTuple):
    """A molecule of a file with its place, and what is wrong with it, if anything, or its class.

    ``name`` is what the file calls the molecule, and ``column`` what it calls its classes. Records
    of the same SMILES share a molecule, to which nobody writes.
    """

    place: str
    mol: Any
    fault: str
    name: str = ""
    label: str | None = None
    column: str = ""

    @classmethod
    def of(
        cls,
        place: str,
        mol: Any,
        given: str,
        name: str = "",
        label: str | None = None,
        column: str = "",
    ) -> Record:
        """What RDKit makes of a SMILES, or of a record of an SD file with a title."""
        fault = "" if mol is not None and mol.GetNumAtoms() else "the molecule has no atoms"
        if mol is None:
            fault = "RDKit cannot read the molecule" + f" {shown(given)}" * bool(given)
        return cls(place, mol, fault, name, label, column)


# the place of a row, such as "line 3", and its cells
_PlacedRow = tuple[str, list[str]]
# the molecules that RDKit can read, and the places of others
Readable = tuple[list[Record], list[str]]


class MoleculeLabels(NamedTuple):
    """The label of each molecule of a file, as text, the column that has them, and their places.

    The label is None where the file has none.
    """

    column: str
    labels: list[str | None]
    places: list[str]


def load_rdkit() -> Any:
    """Import ``rdkit.Chem``, or say what to install."""
    try:
        from rdkit import Chem
    except ImportError:
        raise InputError(
            "molecules are read by RDKit, which is not installed; install it with "
            "pip install 'gomkcn-dgl[molecules]'."
        ) from None
    return Chem


def without_log(read: Callable[[str], Any], text: str) -> Any:
    """What a function of RDKit makes of a text, without a word on the terminal."""
    from rdkit import rdBase

    with rdBase.BlockLogs():
        return read(text)


def has_smiles_column(file: InputFile) -> bool:
    """Whether a table has a column of SMILES or InChI, by its name or by its cells."""
    # a file of which nothing can be read has no such column
    with contextlib.suppress(InputError):
        if file.ending == _PARQUET:
            return has_molecules(open_parquet(file))
        form = find_form(file.head, is_csv=True, has_header=True)
        return has_molecules(text_source(file.head, form))
    return False


def has_molecules(source: Source) -> bool:
    """Whether a table has a column of SMILES or InChI, by its name or by its cells."""
    return source.has_names and _find_molecules(source)[0] is not None


def read_molecule_table(source: Source, choice: ColumnChoice) -> GraphContent:
    """Read a table of molecules of any engine as graphs."""
    records = _table_records(source, _rows_of_source(source), choice)
    return _graphs_of(_readable(records, skip_invalid=choice.skip_invalid), choice)


def read_smiles(file: InputFile, choice: ColumnChoice) -> GraphContent:
    """Read a SMILES a line, or a table with a column of them, as graphs."""
    return _graphs_of(molecules_of_smiles(file, choice), choice)


def read_sd(file: InputFile, choice: ColumnChoice) -> GraphContent:
    """Read the records of an SD file as graphs."""
    return _graphs_of(molecules_of_sd(file, choice), choice)


def classes_of_smiles(file: InputFile, choice: ColumnChoice) -> MoleculeLabels | None:
    """The label of each molecule of a table, see :func:`_labels_of`."""
    if choice.class_column == NONE:
        return None
    return _labels_of(molecules_of_smiles(file, choice)[0], choice.class_column)


def classes_of_sd(file: InputFile, choice: ColumnChoice) -> MoleculeLabels | None:
    """The label of each molecule of an SD file, see :func:`_labels_of`."""
    if choice.class_column == NONE:
        return None
    return _labels_of(molecules_of_sd(file, choice)[0], choice.class_column)


def molecules_of_smiles(file: InputFile, choice: ColumnChoice) -> Readable:
    """The molecules of lines of SMILES, or of a table with a column of them."""
    return _readable(_records_of(file, choice), skip_invalid=choice.skip_invalid)


def molecules_of_sd(file: InputFile, choice: ColumnChoice) -> Readable:
    """The molecules of an SD file."""
    return _readable(_sd_records(file.data, choice), skip_invalid=choice.skip_invalid)


def _readable(records: Iterable[Record], *, skip_invalid: bool) -> Readable:
    """The molecules that RDKit can read, and the places of others; or refuse the first of these."""
    kept = list[Record]()
    skipped = list[str]()
    for record in records:
        if not record.fault:
            kept.append(record)
        elif skip_invalid:
            skipped.append(record.place)
        else:
            raise InputError(
                record.fault,
                way_out=(
                    "correct it, or give ",
                    Argument("skip_invalid", True),
                    " to leave out all such molecules",
                ),
                place=record.place,
            )
    if not kept:
        raise InputError("the file holds no molecule that RDKit can read.")
    return kept, skipped


def _graphs_of(found: Readable, choice: ColumnChoice) -> GraphContent:
    """The graphs of molecules; the log says what was left out, and what is there twice."""
    mols = _kept_parts(found, choice)
    names = [record.name for record in found[0]]
    content = from_molecules(mols)
    places = [record.place for record in found[0]]
    repeated = same_molecules(mols, places, names, uncharged=choice.largest_fragment)
    return replace(content, graph_names=_names_if_any(names), notes=(*content.notes, *repeated))


def mols_of(found: Readable, choice: ColumnChoice) -> list[Any]:
    """Molecules as RDKit has them, with their names; the log says what was left out."""
    chem = load_rdkit()
    # whoever has a molecule may write to it
    mols = [chem.Mol(mol) for mol in _kept_parts(found, choice)]
    for mol, record in zip(mols, found[0], strict=True):
        mol.SetProp(_NAME, record.name)
    return mols


def _kept_parts(found: Readable, choice: ColumnChoice) -> list[Any]:
    """The molecules of records, or their largest parts; the log says what was left out."""
    records, skipped = found
    if skipped:
        log.warning(
            "molecules: left out %d that RDKit cannot read: %s", len(skipped), listed(skipped)
        )
    mols = [record.mol for record in records]
    if choice.largest_fragment:
        mols, number = largest_fragments(mols)
        log.info("molecules: took the largest of several parts of %d", number)
    return mols


def _labels_of(found: Sequence[Record], class_column: str | None) -> MoleculeLabels | None:
    """The label of each molecule of a file; None where no molecule has one.

    A warning says how many have none where others have some: an empty cell, or a word that says
    that nothing is known. Labels that differ in capitals alone are one, with another warning.
    Raises an InputError where the column of the classes is named and it holds none.
    """
    texts = [(record.label or "").strip() for record in found]
    missing = [at for at, text in enumerate(texts) if text.casefold() in _NO_CLASS]
    if len(missing) == len(found):
        if class_column is not None:
            raise InputError(
                "class_column",
                f"{class_column!r} must hold classes of molecules, and each of them has none",
            )
        return None
    column = next(record.column for record in found if record.label)
    if missing:
        words = [text for text in dict.fromkeys(texts[at] for at in missing) if text]
        log.warning(
            "%d of %d molecules %s no class in the column %s%s, and %s left out where classes are "
            "compared or learnt; the first is in %s",
            len(missing),
            len(found),
            "has" if len(missing) == 1 else "have",
            printable(column),
            f" (no class: {listed(words)})" if words else "",
            "is" if len(missing) == 1 else "are",
            found[missing[0]].place,
        )
    labels = _usual_spellings(texts, set(missing))
    _tell_different_classes(found, labels)
    return MoleculeLabels(column, labels, [record.place for record in found])


def _tell_different_classes(found: Sequence[Record], labels: Sequence[str | None]) -> None:
    """Warn of molecules with another class than the same molecule, or a tautomer, before."""
    if len(found) > MOST_COMPARED:
        return
    repeated = find_repeated([record.mol for record in found])
    told = [
        f"{found[later].place} ({printable(of_later)}) and {found[first].place} "
        f"({printable(of_first)})"
        for later, first in sorted([*repeated.same, *repeated.tautomers])
        if (of_later := labels[later]) and (of_first := labels[first]) and of_later != of_first
    ]
    if told:
        log.warning(
            "%d %s another class than the same molecule, or a tautomer of it, before: %s",
            len(told),
            "molecule has" if len(told) == 1 else "molecules have",
            listed(told),
        )


def _usual_spellings(texts: Sequence[str], missing: set[int]) -> list[str | None]:
    """Labels in the most frequent spelling of each, None at the places of the ``missing``."""
    spellings = Counter(text for at, text in enumerate(texts) if at not in missing)
    # the most frequent spelling of each label, which the rarer ones do not overwrite
    usual = {text.casefold(): text for text, _ in reversed(spellings.most_common())}
    rare = [text for text in spellings if usual[text.casefold()] != text]
    if rare:
        log.warning(
            "classes that differ in capitals alone are one: %s",
            ", ".join(f"{printable(text)} is {printable(usual[text.casefold()])}" for text in rare),
        )
    return [usual.get(text.casefold()) for text in texts]


def _line_records(data: bytes, id_column: str | None) -> Iterator[Record]:
    """Lines of a SMILES and maybe a name; the first line may be a header."""
    load_rdkit()
    of_smiles = 0
    of_name: int | None = None if id_column == NONE else 1
    for number, words in rows_of(data, TableForm(None, marks="#%")):
        given = words[of_smiles] if of_smiles < len(words) else ""
        name = words[of_name] if of_name is not None and of_name < len(words) else ""
        record = Record.of(f"line {number}", _molecule_of(given), given, name)
        if number == 1 and record.fault:
            header = smiles_column(words)
            if header is not None:
                of_smiles = header
                of_name = name_column(words, id_column)
                _log_columns(words, of_smiles, of_name, "by its name", number)
                continue
            fault = f"{record.fault}, nor does the line name a column smiles as a header does"
            record = record._replace(fault=fault)
        elif number == 1 and id_column not in (None, NONE):
            raise InputError("id_column", "must name a column of a header", got=repr(id_column))
        yield record


def _records_of(file: InputFile, choice: ColumnChoice) -> Iterator[Record]:
    """The rows of a table, or lines of SMILES."""
    if file.ending in (*_TABLES, _PARQUET) or choice.smiles is not None:
        return _table_records(*_open_rows(file), choice)
    return _line_records(file.text, choice.id_column)


def _open_rows(file: InputFile) -> tuple[Source, Iterator[_PlacedRow]]:
    """Open a table with a header, and its rows, of which those of a text may be too short."""
    if file.ending == _PARQUET:
        source = open_parquet(file)
        return source, _rows_of_source(source)
    form = find_form(file.text, is_csv=True, has_header=True)
    rows = ((f"line {number}", cells) for number, cells in rows_of(file.text, form))
    return text_source(file.text, form), rows


def _rows_of_source(source: Source) -> Iterator[_PlacedRow]:
    table = source.read(range(len(source.names)))
    columns = [as_texts(table.columns[at]) for at in range(len(source.names))]
    for row, cells in enumerate(zip(*columns, strict=True)):
        yield table.place(row), list(cells)


def _find_molecules(source: Source) -> tuple[int | None, str]:
    """The column of SMILES or InChI, and what tells it, in the words of the log."""
    names = [*source.names]
    at = smiles_column(names)
    if at is not None:
        return at, "by its name"
    pairs = [*other_pairs(names)]
    # A and B may be two measurements of a molecule
    if names_edges(names) or any(not _are_measured(source, pair) for pair in pairs):
        return None, ""
    columns = {at: source.first(at)[:_MOST_TRIED] for at in range(len(names))[:_MOST_COLUMNS]}
    written = [at for at, cells in columns.items() if _are_written_as(_SMILES, cells)]
    # two of them may be the ends of edges
    if len(written) != 1:
        written = [at for at, cells in columns.items() if _are_written_as(_INCHI, cells)]
    if len(written) != 1 or not _are_molecules(columns[written[0]]):
        return None, ""
    return written[0], "whose cells RDKit reads"


def _are_measured(source: Source, columns: Sequence[int]) -> bool:
    """Whether columns hold numbers, some of which are not whole."""
    numbers = [finite_number(cell) for at in columns for cell in source.first(at) if cell]
    return None not in numbers and any(number % 1 for number in numbers if number is not None)


def _are_written_as(form: re.Pattern[str], cells: Sequence[str]) -> bool:
    """Whether cells have the letters of SMILES or InChI, and half of them more than two."""
    given = [cell for cell in cells if cell]
    num_long = sum(len(cell) > 2 for cell in given)
    return 2 * num_long > len(given) > 1 and all(map(form.fullmatch, given))


def _are_molecules(cells: Sequence[str]) -> bool:
    """Whether RDKit, if it is there, reads most cells; the others are refused with their lines."""
    with contextlib.suppress(InputError):
        load_rdkit()
        given = [cell for cell in cells if cell]
        return 2 * sum(_molecule_of(cell) is not None for cell in given) > len(given)
    return False


# the classes of a file are read after its graphs, and neither holds the molecules of the other
@lru_cache(_MOST_PARSED)
def _molecule_of(text: str) -> Any:
    """What RDKit makes of a SMILES or an InChI; None where it cannot read it."""
    chem = load_rdkit()
    return without_log(chem.MolFromInchi if _INCHI.match(text) else chem.MolFromSmiles, text)


def _table_records(
    source: Source, rows: Iterable[_PlacedRow], choice: ColumnChoice
) -> Iterator[Record]:
    """Rows of a table with a header."""
    load_rdkit()
    names = [*source.names]
    if choice.smiles is not None:
        of_smiles, evidence = _column("smiles", choice.smiles, (), names), "as given"
    else:
        of_smiles, evidence = _find_molecules(source)
    if of_smiles is None:
        raise InputError("smiles", f"must name a column, which are {listed(names)}", got="none")
    of_name = name_column(names, choice.id_column)
    if choice.class_column == NONE:
        # once: the classes are read again, by themselves
        _log_columns(names, of_smiles, of_name, evidence, source.header)
    of_class = _class_column(choice.class_column, names, (of_smiles, of_name))
    for place, row in rows:
        # a row that is too short has no molecule, or no class
        row += [""] * (len(names) - len(row))
        label = None if of_class is None else row[of_class]
        given = row[of_smiles]
        name = "" if of_name is None else row[of_name]
        column = "" if of_class is None else names[of_class]
        yield Record.of(place, _molecule_of(given), given, name, label, column)


def _sd_records(data: bytes, choice: ColumnChoice) -> Iterator[Record]:
    """The records of an SD file, with the class among their properties."""
    from rdkit import rdBase

    chem = load_rdkit()
    records = _END_OF_RECORD.split(data)
    # behind the last end there may be blank lines
    if len(records) > 1 and not records[-1].strip():
        records.pop()
    known: tuple[str, ...] = CLASS_COLUMNS
    if choice.class_column is not None:
        known = (choice.class_column,)
    known = () if choice.class_column == NONE else known
    with rdBase.BlockLogs():
        for number, record in enumerate(records, start=1):
            # each for itself: behind an empty record, RDKit leaves out the next one
            mol = next(iter(chem.ForwardSDMolSupplier(io.BytesIO(record))), None)
            names = [] if mol is None else list(mol.GetPropNames())
            at = _column_called(names, known)
            label = None if mol is None or at is None else mol.GetProp(names[at])
            title = record.partition(b"\n")[0].decode("utf-8", errors="replace").strip()
            # many writers leave the title empty, and have a property in its place
            of_name = _named_property(names, choice.id_column)
            name = "" if mol is None or of_name is None else mol.GetProp(names[of_name])
            if choice.id_column is None:
                name = title or name
            column = "" if at is None else names[at]
            found = Record.of(f"record {number}", mol, title, name, label, column)
            yield found if record.strip() else found._replace(fault="the record is empty")


def _named_property(names: Sequence[str], given: str | None) -> int | None:
    """The number of the property that is the name of a molecule, which may have none."""
    is_there = given in (None, NONE) or _column_called(names, (str(given),)) is not None
    return name_column(names, given) if is_there else None


def _column(option: str, given: str | None, usual: Sequence[str], names: list[str]) -> int | None:
    """The number of a column that was named, or has a usual name."""
    at = _column_called(names, usual if given is None else (given,))
    if at is None and given is not None:
        raise InputError(option, f"must name a column, which are {listed(names)}", got=repr(given))
    return at


def _class_column(given: str | None, names: list[str], taken: Sequence[int | None]) -> int | None:
    """The number of the column of the classes; the log names the others that may be.

    ``taken`` are the columns of the SMILES and of the names.
    """
    if given == NONE:
        return None
    at = _column("class_column", given, CLASS_COLUMNS, names)
    if given is None and at is not None:
        others = [
            name
            for name in names
            if name != names[at] and _column_called([name], CLASS_COLUMNS) == 0
        ]
        way_out = (Argument("class_column"), f" takes {listed(others)} in its place")
        fact = f"classes: column {printable(names[at])}"
        log.log(READING, "%s", Message(fact, way_out=way_out if others else ""))
    if given is None and at is None:
        others = [name for number, name in enumerate(names) if number not in taken]
        if others:
            way_out = (Argument("class_column"), f" takes one of the columns {listed(others)}")
            log.log(READING, "%s", Message("classes: none", way_out=way_out))
    return at


def number_columns(file: InputFile, choice: ColumnChoice) -> list[str]:
    """The columns of a table of molecules of which most cells are numbers."""
    if file.ending not in (*_TABLES, _PARQUET):
        return []
    source, placed = _open_rows(file)
    names = [*source.names]
    rows = [row + [""] * (len(names) - len(row)) for _, row in placed]
    taken = {name_column(names, choice.id_column), _find_molecules(source)[0]}
    return [
        name
        for at, name in enumerate(names)
        if at not in taken
        and name != choice.smiles
        and 2 * sum(finite_number(row[at]) is not None for row in rows) > len(rows)
    ]


def finite_number(text: str) -> float | None:
    """The finite number that a text says."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def smiles_column(names: Sequence[str]) -> int | None:
    """The number of the column of SMILES: one of a usual name, or the only one that has it in it.

    >>> smiles_column(["id", "RDKit SMILES"]), smiles_column(["smiles_1", "smiles_2"])
    (1, None)
    """
    usual = _column_called(names, _SMILES_COLUMNS)
    if usual is not None:
        return usual
    having = [at for at, name in enumerate(names) if _SMILES_COLUMNS[0] in name.casefold()]
    return having[0] if len(having) == 1 else None


def name_column(names: Sequence[str], given: str | None = None) -> int | None:
    """The number of the column that says what molecules are called: that given, or a usual one.

    >>> name_column(["smiles", "Molecule ChEMBL ID"]), name_column(["id", "drug_name", "smiles"])
    (1, 1)
    >>> name_column(["smiles", "Molecule cyclized degree (MCD)"], None) is None
    True
    """
    if given == NONE:
        return None
    if given is not None:
        return _column("id_column", given, (), [*names])
    plain = [re.sub(r"[\W_]+", "", name.casefold()) for name in names]
    return next((plain.index(known) for known in _NAME_COLUMNS if known in plain), None)


def _log_columns(
    names: Sequence[str], of_smiles: int, of_name: int | None, evidence: str, header: int
) -> None:
    """Say in the log which columns are read, and what tells that of the molecules."""
    name = "" if of_name is None else f", name = {printable(names[of_name])}"
    where = f" (header on line {header})" if header else ""
    log.info("columns: smiles = %s%s%s, %s", printable(names[of_smiles]), name, where, evidence)


def _column_called(names: Sequence[str], known: Sequence[str]) -> int | None:
    """The number of the name that is known best, in capitals or not."""
    lower = [name.strip().casefold() for name in names]
    found = [lower.index(name.casefold()) for name in known if name.casefold() in lower]
    return found[0] if found else None


def names_of(mols: Sequence[Any]) -> np.ndarray | None:
    """What molecules of RDKit are called, text ``[G]``; None where none has a name."""
    return _names_if_any([mol.GetProp(_NAME) if mol.HasProp(_NAME) else "" for mol in mols])


def _names_if_any(names: Sequence[str]) -> np.ndarray | None:
    """Names as an array; None where all are empty."""
    return np.array(names, str) if any(names) else None


def from_molecules(mols: Sequence[Any]) -> GraphContent:
    """The atoms and bonds of molecules of RDKit, a graph each.

    >>> from rdkit import Chem
    >>> content = from_molecules([Chem.MolFromSmiles(one) for one in ("CC=O", "c1ccccc1")])
    >>> content.num_nodes, content.relation_names, content.nodes["element"][:3].tolist()
    (9, ('aromatic', 'double', 'single'), ['C', 'C', 'O'])
    """
    chem = load_rdkit()
    is_counted = not any(mol.NeedsUpdatePropertyCache() for mol in mols)
    elements, charges, aromatic, hydrogens = list[str](), list[int](), list[bool](), list[int]()
    starts, ends, kinds = list[int](), list[int](), list[Any]()
    # one molecule after the other: the atoms of all in a list take as long as to parse these
    for mol in mols:
        atoms = [*atoms_of(mol)]
        elements += map(chem.Atom.GetSymbol, atoms)
        charges += map(chem.Atom.GetFormalCharge, atoms)
        aromatic += map(chem.Atom.GetIsAromatic, atoms)
        if is_counted:
            hydrogens += map(chem.Atom.GetTotalNumHs, atoms)
        bonds = [*map(mol.GetBondWithIdx, range(mol.GetNumBonds()))]
        starts += map(chem.Bond.GetBeginAtomIdx, bonds)
        ends += map(chem.Bond.GetEndAtomIdx, bonds)
        kinds += map(chem.Bond.GetBondType, bonds)
    graph_ptr = np.cumsum([0, *(mol.GetNumAtoms() for mol in mols)])
    first = np.repeat(graph_ptr[:-1], [mol.GetNumBonds() for mol in mols])
    called = {kind: kind.name.lower() for kind in {*kinds}}
    relation, names = relation_codes("bonds", np.array([called[kind] for kind in kinds], str))
    return GraphContent(
        owner="a molecule",
        source=np.array(starts, np.int64) + first,
        target=np.array(ends, np.int64) + first,
        num_nodes=len(elements),
        nodes={
            "element": np.array(elements, str),
            # such as "+1", and "0"
            "charge": np.array([f"{charge:+d}" if charge else "0" for charge in charges], str),
            "aromatic": np.array([*map(str, aromatic)], str),
        },
        default_features=("element",),
        directed=(False,) * len(names),
        listed_once=True,
        relation=relation,
        relation_names=names,
        graph_ptr=graph_ptr,
        graph_names=names_of(mols),
        # what drawings show, where RDKit has counted the hydrogens
        atoms=np.array([charges, hydrogens], np.int8).T.copy() if is_counted else None,
    )
