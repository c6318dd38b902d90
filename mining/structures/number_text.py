"""How numbers are written for people, on pages, in a terminal and in a notebook."""

from __future__ import annotations

# a smaller share is written as such, rather than rounded to nothing
_SMALL_SHARE = 0.01
# numbers from here on have all their digits
_LARGE = 100


def whole(value: float) -> str:
    """Such as 30,307.

    >>> whole(30306.7), whole(-12)
    ('30,307', '−12')
    """
    return f"{value:,.0f}".replace("-", "−")


def percent(share: float, decimals: int = 1) -> str:
    """Such as 24.0%.

    >>> percent(0.24), percent(0.24, 0)
    ('24.0%', '24%')
    """
    return f"{share:.{decimals}%}"


def signed(value: float) -> str:
    """Such as +22.4.

    >>> signed(22.36), signed(-22.36)
    ('+22.4', '−22.4')
    """
    return f"{value:+,.1f}".replace("-", "−")


def three_digits(value: float) -> str:
    """Three digits of a number, all of a large one.

    >>> three_digits(12.3456), three_digits(-4567.8)
    ('12.3', '−4,568')
    """
    return whole(value) if abs(value) >= _LARGE else f"{value:.3g}".replace("-", "−")


def expected(mean: float, sd: float) -> tuple[str, str]:
    """Mean and standard deviation to the same decimals, more for a small deviation.

    >>> expected(5700.37, 12.4), expected(13.54, 4.135), expected(0.2, 0.46)
    (('5,700', '12'), ('13.5', '4.1'), ('0.20', '0.46'))
    """
    decimals = 0 if sd >= 9.5 else 1 if sd >= 0.95 else 2
    return f"{mean:,.{decimals}f}", f"{sd:,.{decimals}f}"


def share_inside(inside: int, listed: int) -> str:
    """The share of the listed occurrences that lie inside copies; some are not none.

    >>> share_inside(0, 9), share_inside(2, 900), share_inside(899, 900), share_inside(9, 9)
    ('0%', '<1%', '>99%', '100%')
    """
    share = inside / listed
    if 0 < share < _SMALL_SHARE:
        return "<1%"
    return ">99%" if 1 - _SMALL_SHARE < share < 1 else f"{share:.0%}"
