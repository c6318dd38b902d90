"""The profile of a census: z of each small structure beside random graphs (Milo et al. 2004)."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

# more bars are too thin to be hit
MOST_BARS = 40
# pixels of the drawing: as wide as the text of the page
_WIDTH = 620.0
_HEIGHT = 80.0
# where the line of z = 0 is
_MIDDLE = 40.0


def draw_profile(rows: Sequence[tuple[str, str, float, bool]]) -> Markup:
    """Draw z of each structure as a bar that is a link; the profile is z over the length of all z.

    A row is the name of a structure, the address of its row, z, and whether the test calls it.

    >>> print(draw_profile([("triangle", "#pattern-0", 3.0, True)]).count("<a "))
    1
    """
    # the bars have the proportions of the profile, and the highest one fills the drawing
    highest = max(abs(z) for *_, z, _ in rows) or 1.0
    step = _WIDTH / max(len(rows), 12)
    shapes = f'<path stroke="var(--rule-2)" d="M0 {_MIDDLE}H{_WIDTH}"/>'
    for number, (name, address, z, is_called) in enumerate(rows):
        height = max(1.5, abs(z) / highest * (_MIDDLE - 2))
        top = _MIDDLE - height if z > 0 else _MIDDLE
        look = 'fill="var(--ink)"' if is_called else 'fill="var(--rule-2)"'
        said = escape(f"{name}: z {z:+.1f}".replace("-", "−"))
        left = step * number
        shapes += (
            f'<a href="{escape(address)}" aria-label="{said}"><title>{said}</title>'
            f'<rect x="{left:.1f}" y="0" width="{step:.1f}" height="{_HEIGHT:g}" fill="none" '
            'pointer-events="all"/>'
            f'<rect x="{left + 0.15 * step:.1f}" y="{top:.1f}" width="{0.7 * step:.1f}" '
            f'height="{height:.1f}" {look}/></a>'
        )
    return Markup(
        f'<svg class="profile" role="group" aria-label="Profile of the structures" '
        f'viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}">{shapes}</svg>'
    )
