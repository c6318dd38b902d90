"""The gates see a fault that is put into a copy of their record; no search runs."""

from dataclasses import replace

import gates
import gates_counts
import pytest
from click.testing import CliRunner
from gates import GATES, Found, FoundMotif, compare, read_record


def one_worse(record, number, **changes):
    """A copy of a record, of which one graph has other values."""
    now = list(record)
    now[number] = replace(now[number], **changes)
    return now


def failing(name, now):
    """The groups of a row whose bounds do not hold."""
    lines = compare(GATES[name], now, read_record(name))
    return [line.group for line in lines if not line.verdict.holds]


@pytest.mark.parametrize("name", GATES)
def test_what_was_recorded_holds_its_own_bounds(name):
    record = read_record(name)
    assert record
    assert failing(name, record) == []
    # other graphs than those of the record do not, nor do fewer of them
    assert failing(name, one_worse(record, 0, name="another")) == [record[0].group]
    fewer = [graph for graph in record[1:] if graph.group == record[0].group]
    assert failing(name, fewer) == [record[0].group] * bool(fewer)


@pytest.mark.parametrize("name", ["planted", "links", "collections", "silent", "noisy"])
def test_a_graph_that_is_no_longer_right_is_seen(name):
    record = read_record(name)
    number = next(number for number, one in enumerate(record) if one.right)
    assert failing(name, one_worse(record, number, right=0)) == [record[number].group]


@pytest.mark.parametrize("name", ["planted", "links", "collections", "differ"])
def test_longer_descriptions_are_seen(name):
    record = read_record(name)
    group = [one for one in record if one.group == record[0].group]
    total = sum(one.bits_total for one in group)
    for share, is_seen in ((0.0009, False), (0.0011, True)):
        longer = record[0].bits_total + share * total
        found = failing(name, one_worse(record, 0, bits_total=longer))
        assert found == [record[0].group] * is_seen


def test_other_drawings_count_only_where_the_set_is_no_shorter():
    record = read_record("differ")
    number = next(number for number, one in enumerate(record) if one.right)
    bits = record[number].bits_total
    assert failing("differ", one_worse(record, number, right=0, bits_total=bits + 1))
    assert not failing("differ", one_worse(record, number, right=0, bits_total=bits - 1))


@pytest.mark.parametrize("name", [name for name in GATES if name in gates.REAL])
def test_lost_bits_of_a_real_graph_are_seen(name):
    (record,) = read_record(name)
    assert record.bits_saved > 50 and record.motifs
    assert failing(name, [replace(record, bits_total=record.bits_total + 0.02)])
    assert not failing(name, [replace(record, bits_total=record.bits_total - 0.02)])


def test_five_pieces_in_the_place_of_one_noisy_motif_are_seen():
    record = read_record("noisy")
    fewer = record[0].bits_total + 0.04 * record[0].bits_saved
    assert failing("noisy", one_worse(record, 0, bits_total=fewer)) == ["noisy_a"]
    assert failing("noisy", one_worse(record, 1, right=0)) == ["noisy_b"]


def test_counts_and_lengths_that_differ_are_seen(monkeypatch):
    monkeypatch.setattr(
        gates_counts,
        "every_count",
        lambda: iter(
            [gates_counts.Counted("kind", f"pair {number}", number, 3) for number in (3, 4)]
        ),
    )
    (found,) = GATES["counts"].run(None)
    assert (found.asked, found.right) == (2, 1)
    assert found.wrong == ("pair 4: 4, by the slow way 3",)
    (known,) = read_record("lengths")
    wrong = Found.of_checks(known.group, ["one"], known.asked, 0.0)
    assert failing("lengths", [wrong]) == [known.group]


def test_sets_are_compared_by_structures_and_copies():
    motif = FoundMotif("0--1, 1--2, 0--2", copies=4, bits=20.0)
    recorded = Found("group", "0", 1, 1, motifs=(motif,))
    same = replace(recorded, motifs=(replace(motif, structure="triangle"),))
    other = replace(recorded, motifs=(replace(motif, copies=5),))
    notes = [compare(GATES["planted"], [found], [recorded])[0].note for found in (same, other)]
    assert notes == ["1 of 1 sets as recorded", "0 of 1 sets as recorded"]


def test_a_worse_row_fails_the_command(monkeypatch):
    record = read_record("s420")
    worse = [replace(one, bits_total=one.bits_total + 1) for one in record]
    monkeypatch.setattr(gates, "warm_up", lambda: None)
    for now, code in ((record, 0), (worse, 1), ([], 0)):
        monkeypatch.setitem(
            gates.GATES, "s420", replace(GATES["s420"], run=lambda data, now=now: iter(now))
        )
        answer = CliRunner().invoke(gates.main, ["s420"])
        assert answer.exit_code == code, answer.output
        assert ("FAIL" in answer.output) == bool(code)
    assert "skip" in answer.output
