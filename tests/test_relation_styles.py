"""Relations keep one style on a page, those of the patterns first."""

from tiny_runs import typed_pattern_of

from gomkcn_dgl.relations import relations_of
from mining.plots.styles import GREY, RelationStyles

KINDS = {f"r{number}": bool(number % 2) for number in range(9)}


def test_the_relations_of_the_patterns_come_first():
    patterns = [
        typed_pattern_of(3, [("r7", 0, 1), ("r7", 1, 2)], KINDS),
        typed_pattern_of(2, [("r3", 0, 1)], KINDS),
    ]
    styles = RelationStyles.of(patterns)
    assert [style.name for style in styles.styles[:3]] == ["r7", "r3", "r0"]
    assert len(styles.styles) == 9 and not styles.is_plain
    first, second = styles.styles[:2]
    assert first.dashes is None and second.dashes
    looks = [(style.color, style.dashes) for style in styles.styles]
    # told apart by colour, the first few also by dashes, and all by both
    assert len({color for color, _ in looks[:6]}) == 6
    assert len({dashes for _, dashes in looks[:4]}) == 4
    assert len(set(looks)) == 9


def test_the_relations_beyond_the_styles_are_one_entry_of_the_legend():
    styles = RelationStyles.of([], [(f"r{number}", True) for number in range(1000)])
    looks = [(style.color, style.dashes) for style in styles.styles]
    assert len(set(looks[:24])) == 24 and set(looks[24:]) == {(GREY, None)}
    assert [style.name for style in styles.legend()][23:] == ["r23", "another kind"]
    shown = styles.in_order(relations_of(["r900", "r1", "r30"], [True] * 3))
    assert [style.name for style in styles.legend(shown)] == ["r1", "another kind"]


def test_styles_follow_names_and_directions():
    styles = RelationStyles.of([], [("cites", True), ("cites", False), ("reads", True)])
    found = styles.in_order(relations_of(["reads", "cites", "unknown"], [True, False, True]))
    assert [(style.name, style.directed) for style in found[:2]] == [
        ("reads", True), ("cites", False)
    ]  # fmt: skip
    assert found[2].color == GREY
    assert styles.legend(iter(found[:2])) == [styles.styles[1], styles.styles[2]]
