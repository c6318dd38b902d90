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
_DASHES = (None, "9 5", "10 4 2 4", "5 4", None, "9 5")


@dataclass(frozen=True)
class RelationStyle:
    """Name, direction, colour and dashes (SVG, None: solid) of the edges of one relation."""

    name: str
    directed: bool
    color: str = "currentColor"
    dashes: str | None = None


@dataclass(frozen=True)
class RelationStyles:
    """Styles of the relations that are drawn, most used first; all others are grey."""

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
            kinds = list(zip(pattern.relations.names, pattern.relations.directed, strict=True))
            known |= dict.fromkeys(kinds)
            used.update(kinds[number] for number in pattern.edge_relations)
        ranked = [kind for kind, _ in used.most_common()]
        ranked += [kind for kind in known if kind not in used]
        if len(ranked) < 2:
            return cls(tuple(RelationStyle(*kind) for kind in ranked))
        looks = [*zip(_COLORS, _DASHES, strict=True)]
        looks += [(GREY, None)] * (len(ranked) - len(looks))
        return cls(
            tuple(RelationStyle(*kind, *look) for kind, look in zip(ranked, looks, strict=False))
        )

    @property
    def is_plain(self) -> bool:
        """Whether colour and dashes say nothing, since there is one relation."""
        return len(self.styles) < 2

    def in_order(self, relations: Relations) -> list[RelationStyle]:
        """Style of each relation of a graph."""
        style_of = {(style.name, style.directed): style for style in self.styles}
        kinds = zip(relations.names, relations.directed, strict=True)
        return [style_of.get(kind, RelationStyle(*kind, GREY)) for kind in kinds]

    def legend(self, shown: Iterable[RelationStyle] | None = None) -> list[RelationStyle]:
        """Those of the ``shown`` relations (None: all) that a legend has to explain, in order."""
        if [style.name for style in self.styles] == [PLAIN]:
            return []
        wanted = set(self.styles if shown is None else shown)
        return [style for style in self.styles if style in wanted]
