"""The page of a run as a widget of a notebook, which knows what is selected on the page.

The page runs in a frame of its own: its style and script do not reach the notebook. A module of
JavaScript, ``widget.js``, carries the address of what is selected, such as ``motif-0-3`` for the
third copy of a motif, and it is read and written here in the words of Python.
"""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.show.explorer import drawn_nodes, drawn_places, start_of
from gomkcn.mining.show.page import read_text
from gomkcn.mining.show.report import render_report
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime import html_of
from gomkcn_dgl.runtime.files import listed

# what is selected, and what a place of it is called
_KINDS = {"motif": "copy", "pattern": "occurrence", "node": "", "graph": ""}
Selection = dict[str, Any]


def _selections(run: MiningRun) -> dict[str, Selection]:
    """What can be selected on the page, by its address."""
    drawn = drawn_places(run)
    nodes = drawn_nodes(run, drawn)
    graphs = sorted({graph for graph, _ in nodes}) if run.graph.num_graphs > 1 else []

    def within(graph: int) -> Selection:
        return {"graph": graph} if graphs else {}

    found: dict[str, Selection] = {f"graph-{number}": within(number) for number in graphs}
    for number, (graph, name) in enumerate(nodes):
        found[f"node-{number}"] = {"node": name, **within(graph)}
    for kind, several in drawn.items():
        for number, places in enumerate(several):
            found[f"{kind}-{number}"] = {kind: number}
            for at, (row, place) in enumerate(zip(*places, strict=True), start=1):
                record = {kind: number, _KINDS[kind]: row, "nodes": list(place.nodes)}
                found[f"{kind}-{number}-{at}"] = record | within(place.graph)
    return found


class Explorer(anywidget.AnyWidget):
    """The page of a run; ``selected`` is what :meth:`mining.MiningRun.explore` says."""

    selected = traitlets.Instance(dict, allow_none=True)
    _esm = read_text("widget.js")
    _page = traitlets.Unicode().tag(sync=True)
    _address = traitlets.Unicode().tag(sync=True)

    def __init__(self, run: MiningRun) -> None:
        self._run = run
        self._selections = _selections(run)
        start = start_of(run)
        super().__init__(_page=render_report(run))
        if start is not None:
            self.selected = {"pattern": start}

    @traitlets.validate("selected")
    def _complete(self, proposal: dict[str, Any]) -> Selection | None:
        """The whole record of what is asked for, nodes included."""
        selected = proposal["value"]
        if selected is None:
            return None
        if address := self._address_of(selected):
            return {**self._selections[address]}
        # a sample of many occurrences is drawn
        drawn = [
            str(selection["occurrence"])
            for selection in self._selections.values()
            if "occurrence" in selection and selection["pattern"] == selected.get("pattern")
        ]
        way_out = f"; occurrences of this pattern are {listed(drawn)}" if drawn else ""
        for kind in selected.keys() & _KINDS:
            known = dict.fromkeys(
                selection[kind] for selection in self._selections.values() if kind in selection
            )
            if selected[kind] not in list(known):
                way_out = f"; each {kind}: {listed(map(str, known)) or 'none'}"
        raise InputError(
            "selected must be None or what the page draws, such as "
            f'{{"motif": 0, "copy": 2}}, got {selected}{way_out}.'
        )

    @traitlets.observe("selected")
    def _tell_page(self, _: object) -> None:
        self._address = self._address_of(self.selected or {})

    @traitlets.observe("_address")
    def _hear_page(self, _: object) -> None:
        self.selected = self._selections.get(self._address)

    def _address_of(self, selected: Selection) -> str:
        """The address of the first selection that is as asked; empty where there is none."""
        if not selected.keys() & _KINDS:
            return ""
        found = (
            at
            for at, selection in self._selections.items()
            if selected.items() <= selection.items()
        )
        return next(found, "")

    def __repr__(self) -> str:
        """What is selected."""
        return f"Explorer(selected={self.selected})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget, and the tables where a notebook is read without widgets."""
        bundle = super()._repr_mimebundle_(**kwargs)
        assert bundle is not None, "the widget has a view"
        data, metadata = bundle
        return {**data, "text/html": html_of(self._run)}, metadata
