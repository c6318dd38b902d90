"""Many graphs and their distances as one page without network or script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from markupsafe import Markup

from gomkcn.mining.patterns.graph_distances import (
    GRAPH_COLUMNS,
    MEASURES,
    GraphDistances,
    GraphRow,
)
from gomkcn.mining.plots.heat_map import draw_heat_map
from gomkcn.mining.show.distances_text import lead, measure_sentences, notes
from gomkcn.mining.show.page import flatten, render_page
from gomkcn.mining.show.page_table import PageTable, plain_number
from gomkcn_dgl.errors import InputError

# the style, and the squares of a heat map, which are a picture in the page itself
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
# rows of the page; the file has all
_MOST_ROWS = 200


def render_distances(found: GraphDistances, record: Mapping[str, Any], missing: str = "") -> str:
    """Return the page of many graphs; ``missing`` says what a partial run lacks."""
    by_name = {row.graph.name: row for row in found.rows}
    # as they stand in the heat map, and then those that are not there
    order = [found.names[at] for at in found.order().tolist()]
    every = [by_name[name] for name in dict.fromkeys([*order, *found.names])]
    rows = every[:_MOST_ROWS]
    table: PageTable[GraphRow] = PageTable.of(GRAPH_COLUMNS, rows)
    return render_page(
        "distances.html.jinja",
        policy=_POLICY,
        script="",
        data="",
        number=len(found.graphs),
        lead=lead(found),
        missing=missing,
        maps=[_heat_map(found, measure) for measure in found.measures],
        sentences=measure_sentences(found),
        notes=notes(found),
        table=table,
        rows=[{"name": row.graph.name, "cells": table.cells(row, plain_number)} for row in rows],
        num_hidden=len(every) - len(rows),
        settings=flatten(record["settings"]),
        provenance=flatten(record["provenance"]),
    )


def _heat_map(found: GraphDistances, measure: str) -> dict[str, Any]:
    """The drawing of a measure, or why there is none."""
    order = found.order(measure)
    title = MEASURES[measure]
    if len(order) < 2:
        note = "No two graphs have this distance."
        return {"title": title, "svg": "", "note": note, "number": 0}
    try:
        drawn = draw_heat_map(
            found.by(measure)[np.ix_(order, order)],
            [found.names[at] for at in order.tolist()],
            found.linkage(measure),
            title,
            f"Heat map of the {title} of {len(order)} graphs",
        )
    except InputError as error:
        # without seaborn the page has all else
        return {"title": title, "svg": "", "note": str(error), "number": len(order)}
    return {"title": title, "svg": Markup(drawn), "number": len(order)}
