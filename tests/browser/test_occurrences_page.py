"""The page of a pattern of events in a browser: rows are selected, searched and sorted."""

import pandas as pd
import pytest

pytest.importorskip("playwright")

from gomkcn.mining.show.occurrences_page import render_occurrences
from gomkcn.mining.temporal.temporal_occurrences import temporal_occurrences

ROWS = [
    ("a", "b", "2024-03-01 10:00", 1500.5),
    ("b", "a", "2024-03-02 10:30", 1400.0),
    ("a", "c", "2024-03-05 00:00", 10.0),
    ("c", "a", "2024-03-05 01:00", 9.0),
    ("d", "e", "2024-03-07 00:00", 90.0),
    ("e", "d", "2024-03-07 02:00", 81.0),
]


@pytest.fixture
def page(started, tmp_path):
    frame = pd.DataFrame(ROWS, columns=["payer", "payee", "booked_at", "sum"])
    frame["booked_at"] = pd.to_datetime(frame["booked_at"])
    text = "A -> B as x, B -> A as y, y.sum >= .9 * x.sum within 7d"
    found = temporal_occurrences(frame, text, null="none")
    record = {"source": "paid.csv", "settings": {"temporal": {}}, "provenance": {}}
    file = tmp_path / "temporal.html"
    file.write_text(render_occurrences(found, record, "occurrences.csv"))
    one = started.new_page(viewport={"width": 1400, "height": 900})
    errors = []
    one.on("pageerror", lambda error: errors.append(error))
    one.goto(file.as_uri())
    one.wait_for_selector("#events tbody tr")
    yield one
    assert not errors
    one.close()


def test_the_selected_occurrence_is_drawn_with_names_and_amounts(page):
    drawn = page.text_content("#drawing svg")
    assert "1,500.5" in drawn and "1,400.0" in drawn
    page.click("#after")
    assert page.text_content("#which") == "Occurrence 1"
    assert page.text_content("#drawing [data-node='1'] title") == "c"
    assert "1 h of 7d" in page.text_content("#times")
    page.click("tr[data-occurrence='2']")
    assert "81.0" in page.text_content("#drawing svg")
    # the pattern stays what it was
    assert page.text_content("#pattern svg [data-node='0']") == "A"


def test_rows_are_searched_and_sorted(page):
    page.click("button[data-name-of='a']")
    assert page.text_content("#found") == "2 occurrences"
    page.fill("#find", "E")
    assert page.locator("#t-o tbody tr:visible").count() >= 1
    page.fill("#find", "2024-03-07")
    assert page.text_content("#found") == "1 occurrence"
    assert page.text_content("#which") == "Occurrence 2"
    page.fill("#find", "")
    head = page.locator("#t-o thead button", has_text="duration")
    numbers = "rows => rows.map((row) => Number(row.dataset.occurrence))"
    head.click()
    assert page.eval_on_selector_all("#t-o tbody tr", numbers) == [0, 2, 1]
    head.click()
    assert page.eval_on_selector_all("#t-o tbody tr", numbers) == [1, 2, 0]


def test_a_narrow_page_stacks_what_a_row_says(page):
    page.set_viewport_size({"width": 420, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 420
    box = page.locator("#t-o").bounding_box()
    assert box["x"] + box["width"] <= 420
