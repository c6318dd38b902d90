"""How the relations of a page are drawn: a colour and a line style each, the same everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gomkcn_dgl.relations import PLAIN, Relations
from mining.plots.colors import GREY
from mining.records.pattern import Pattern

# after Paul Tol's bright colours, without the light ones: told apart by every reader, also on dark
_COLORS = ("#4477aa", "#ee6677", "#228833", "#b3478f", "#a0820f", "#3a9fbf")
# dashes and gaps; dots mark what an occurrence lacks and are not among them
_DASHES = (None, "9 5", "10 4 2 4", "5 4")
_MOST_STYLES = len(_COLORS) * len(_DASHES)
_OTHERS = "another kind"


@dataclass(frozen=True)
class RelationStyle:
    """Name, direction, colour and dashes (SVG, None: solid) of the edges of one relation."""

    name: str
    directed: bool
    color: str = "currentColor"
    dashes: str | None = None


@dataclass(frozen=True)
class RelationStyles:
    """Styles of the relations that are drawn, most used first; from the 25th on they are grey."""

    styles: tuple[RelationStyle, ...]

    @classmethod
    def of(
        cls, patterns: Iterable[Pattern], others: Sequence[tuple[str, bool]] = ()
    ) -> RelationStyles:
        """Style the relations of some patterns, then ``others``, names with their directions.

        A single relation has the colour of the text.
        """
        used: Counter[tuple[str, bool]] = Counter()
        known = dict.fromkeys(others)
        for pattern in patterns:
            kinds = pattern.relations.kinds
            known |= dict.fromkeys(kinds)
            used.update(kinds[number] for number in pattern.edge_relations)
        ranked = [kind for kind, _ in used.most_common()]
        ranked += [kind for kind in known if kind not in used]
        if len(ranked) < 2:
            return cls(tuple(RelationStyle(*kind) for kind in ranked))
        return cls(tuple(RelationStyle(*kind, *_look(i)) for i, kind in enumerate(ranked)))

    @property
    def is_plain(self) -> bool:
        """Whether colour and dashes say nothing, since there is one relation."""
        return len(self.styles) < 2

    def in_order(self, relations: Relations) -> list[RelationStyle]:
        """Style of each relation of a graph."""
        style_of = {(style.name, style.directed): style for style in self.styles}
        kinds = relations.kinds
        return [style_of.get(kind, RelationStyle(*kind, GREY)) for kind in kinds]

    def legend(self, shown: Iterable[RelationStyle] | None = None) -> list[RelationStyle]:
        """Those of the ``shown`` relations (None: all) that a legend has to explain, in order.

        Grey ones are one entry.
        """
        if [style.name for style in self.styles] == [PLAIN]:
            return []
        wanted = set(self.styles if shown is None else shown)
        entries = [style for style in self.styles if style in wanted and style.color != GREY]
        others = {style.directed for style in wanted if style.color == GREY}
        return entries + [RelationStyle(_OTHERS, any(others), GREY)] * bool(others)


def _look(number: int) -> tuple[str, str | None]:
    """Colour and dashes of a relation; the dashes change where the colours begin anew."""
    if number >= _MOST_STYLES:
        return GREY, None
    turn = number // len(_COLORS)
    return _COLORS[number % len(_COLORS)], _DASHES[(number + turn) % len(_DASHES)]
