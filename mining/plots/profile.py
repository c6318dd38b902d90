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
# half as wide as a ring
_RING = 3.5


def draw_profile(rows: Sequence[tuple[str, str, float | None, bool]]) -> Markup:
    """Draw z of each structure as a bar that is a link; the profile is z over the length of all z.

    A row is the name of a structure, the address of its row, z, and whether the test calls it.
    Where there is no z, a ring on the line of 0 stands in the place of the bar.

    >>> drawn = draw_profile([("triangle", "#row-0", 3.0, True), ("clique", "#row-1", None, True)])
    >>> drawn.count("<a "), drawn.count("<circle ")
    (2, 1)
    """
    # the bars have the proportions of the profile, and the highest one fills the drawing
    highest = max(abs(z or 0.0) for *_, z, _ in rows) or 1.0
    step = _WIDTH / max(len(rows), 12)
    shapes = f'<path stroke="var(--rule-2)" d="M0 {_MIDDLE}H{_WIDTH}"/>'
    for number, (name, address, z, is_called) in enumerate(rows):
        color = "var(--ink)" if is_called else "var(--rule-2)"
        said = escape(f"{name}: no z" if z is None else f"{name}: z {z:+.1f}".replace("-", "−"))
        left = step * number
        if z is None:
            mark = (
                f'<circle cx="{left + 0.5 * step:.1f}" cy="{_MIDDLE:g}" r="{_RING:g}" '
                f'fill="var(--paper)" stroke="{color}" stroke-width="1.5"/>'
            )
        else:
            height = max(1.5, abs(z) / highest * (_MIDDLE - 2))
            mark = (
                f'<rect x="{left + 0.15 * step:.1f}" '
                f'y="{_MIDDLE - height if z > 0 else _MIDDLE:.1f}" width="{0.7 * step:.1f}" '
                f'height="{height:.1f}" fill="{color}"/>'
            )
        shapes += (
            f'<a href="{escape(address)}" aria-label="{said}"><title>{said}</title>'
            f'<rect x="{left:.1f}" y="0" width="{step:.1f}" height="{_HEIGHT:g}" fill="none" '
            f'pointer-events="all"/>{mark}</a>'
        )
    return Markup(
        f'<svg class="profile" role="group" aria-label="Profile of the structures" '
        f'viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}">{shapes}</svg>'
    )


def draw_profiles(rows: Sequence[tuple[str, str, float, float]]) -> Markup:
    """Draw the profiles of two graphs: of each structure the entries of both, side by side.

    A row is the name of a structure, the address of its row, and its entry of each profile. The
    first graph has the colour ``--m0``, the second one ``--m1``.

    >>> print(draw_profiles([("triangle", "#row-0", 0.6, -0.8)]).count("<rect "))
    3
    """
    highest = max((abs(entry) for _, _, *both in rows for entry in both), default=0.0) or 1.0
    step = _WIDTH / max(len(rows), 12)
    shapes = f'<path stroke="var(--rule-2)" d="M0 {_MIDDLE}H{_WIDTH}"/>'
    for number, (name, address, *both) in enumerate(rows):
        said = escape(f"{name}: {both[0]:+.2f} and {both[1]:+.2f}".replace("-", "−"))
        left = step * number
        shapes += (
            f'<a href="{escape(address)}" aria-label="{said}"><title>{said}</title>'
            f'<rect x="{left:.1f}" y="0" width="{step:.1f}" height="{_HEIGHT:g}" fill="none" '
            'pointer-events="all"/>'
        )
        for side, entry in enumerate(both):
            height = max(1.5, abs(entry) / highest * (_MIDDLE - 2))
            top = _MIDDLE - height if entry > 0 else _MIDDLE
            shapes += (
                f'<rect x="{left + (0.12 + 0.38 * side) * step:.1f}" y="{top:.1f}" '
                f'width="{0.38 * step:.1f}" height="{height:.1f}" fill="var(--m{side})"/>'
            )
        shapes += "</a>"
    return Markup(
        f'<svg class="profile" role="group" aria-label="Profiles of both graphs" '
        f'viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}">{shapes}</svg>'
    )
