"""The golden values hold: graphs, scores, counts and patterns are what was recorded."""

import math

import pytest
import recording

# how much floats may differ; training sums over many rounded numbers, which processors do in other
# orders
USUAL, TOLERANCE = 1e-6, {"training": 1e-3}


def differences(found, expected, name=""):
    """Names of what differs; floats may by a millionth, and more in some sections."""
    tolerance = TOLERANCE.get(name.partition("/")[0], USUAL)
    if isinstance(found, dict) and isinstance(expected, dict):
        for one in sorted(found.keys() | expected.keys()):
            yield from differences(found.get(one), expected.get(one), f"{name}/{one}")
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for number, pair in enumerate(zip(found, expected, strict=True)):
            yield from differences(*pair, f"{name}[{number}]")
    elif isinstance(found, float) and isinstance(expected, float):
        if not math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance / 10):
            yield f"{name}: {expected} was recorded, {found} is computed"
    elif found != expected:
        yield f"{name}: {expected!r} was recorded, {found!r} is computed"


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("section", recording.SECTIONS)
def test_golden_values(section):
    found = recording.compute(section)
    wrong = [*differences(found, recording.stored()[section], section)]
    assert not wrong, f"{len(wrong)} values differ:\n" + "\n".join(wrong[:40])
