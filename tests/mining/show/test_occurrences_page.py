"""The page of a pattern of events: what it draws, lists and hides from a script of the data."""

import base64
import json
import re
import zlib

import pandas as pd

from gomkcn.mining.show.occurrences_page import render_occurrences
from gomkcn.mining.temporal.temporal_occurrences import temporal_occurrences

HOSTILE = "</script><img src=x onerror=alert(1)>"
TEXT = 'A -> B as x, B -> A as y, y.sum >= .9 * x.sum; A.name in ("a", "x,y") within 7d'


def page_of(rows, text=TEXT, most=10):
    frame = pd.DataFrame(rows, columns=["payer", "payee", "booked_at", "sum"])
    frame["booked_at"] = pd.to_datetime(frame["booked_at"])
    found = temporal_occurrences(frame, text, null="none", most=most)
    record = {"source": "paid.csv", "settings": {"temporal": {}}, "provenance": {}}
    page = render_occurrences(found, record, "occurrences.csv")
    block = re.search(r'id="run-data">([^<]*)<', page)[1]
    return page, json.loads(zlib.decompress(base64.b64decode(block)))


ROWS = [
    ("a", HOSTILE, "2024-03-01 10:00", 1500.5),
    (HOSTILE, "a", "2024-03-02 10:30", 1400),
    ("a", "c", "2024-03-05 00:00", 10),
    ("c", "a", "2024-03-05 00:00", 9),
]


def test_the_page_has_the_pattern_its_conditions_and_a_row_for_each_occurrence():
    page, data = page_of(ROWS)
    assert page.count('data-node="') == 2 and page.count('data-edge="') == 2
    conditions = re.findall(r"<li><code>(.*?)</code></li>", page)
    assert conditions[:2] == ["y.sum &gt;= .9 * x.sum", "A.name in (&#34;a&#34;, &#34;x,y&#34;)"]
    assert "all within <code>7d</code>" in page
    assert page.count('<tr class="row"') == len(data["occurrences"]) == 2
    assert "<img" not in page
    first, second = data["occurrences"]
    assert first["nodes"] == ["a", HOSTILE] and first["amounts"] == ["1,500.5", "1,400.0"]
    assert first["since"] == [0, 88_200] and first["gaps"] == ["1 d 30 min"]
    assert second["gaps"] == ["0 s"] and data["window"] == 7 * 86_400
    # what rows are sorted by are numbers, whatever is shown
    assert first["sort"][-2:] == [1500.5, 1400] and first["sort"][-3] == 88_200


def test_who_is_in_several_occurrences_is_listed_with_the_number():
    page, _ = page_of(ROWS)
    assert re.findall(r'data-name-of="(.*?)">.*?<td class="n">(\d+)<', page) == [("a", "2")]


def test_a_page_without_occurrences_has_the_pattern_alone():
    page, data = page_of(ROWS[:1])
    assert not data["occurrences"] and 'data-node="1"' in page and 'id="t-o"' not in page
