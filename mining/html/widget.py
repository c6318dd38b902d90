"""The page of a run as a widget of a notebook, which knows what is selected on the page.

The page runs in a frame of its own: its style and script do not reach the notebook. A module of
JavaScript, ``widget.js``, carries the address of what is selected, such as ``motif-0-3`` for the
third copy of a motif, and it is read and written here in the words of Python.
"""

from __future__ import annotations

import re
from typing import Any

import anywidget
import traitlets

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime import html_of
from mining.html.explorer import drawn_nodes, drawn_places, start_of
from mining.html.page import read_text
from mining.html.report import render_report
from mining.mining_run import MiningRun

_ADDRESS = re.compile(r"(motif|pattern|node|graph)-(\d+)(?:-(\d+))?")
# what a place of a structure is called
_PLACE = {"motif": "copy", "pattern": "occurrence"}
Selection = dict[str, Any]


class Explorer(anywidget.AnyWidget):
    """The page of a run; ``selected`` is what :meth:`mining.MiningRun.explore` says."""

    selected = traitlets.Instance(dict, allow_none=True)
    _esm = read_text("widget.js")
    _page = traitlets.Unicode().tag(sync=True)
    _address = traitlets.Unicode().tag(sync=True)

    def __init__(self, run: MiningRun) -> None:
        self._run = run
        self._drawn = drawn_places(run)
        self._nodes = drawn_nodes(run, self._drawn)
        # the numbers of the graphs of a collection
        self._graphs = [*{graph for graph, _ in self._nodes}] if run.graph.num_graphs > 1 else []
        start = start_of(run)
        super().__init__(_page=render_report(run))
        if start is not None:
            self.selected = {"pattern": start}

    @traitlets.validate("selected")
    def _complete(self, proposal: dict[str, Any]) -> Selection | None:
        """The whole record of what is asked for, nodes included."""
        asked = proposal["value"]
        if asked is None:
            return None
        found = self._selection_at(self._address_of(asked)) or {}
        if not asked or any(found.get(name) != value for name, value in asked.items()):
            raise InputError(
                "selected must be None or what the page draws, such as "
                f'{{"motif": 0, "copy": 2}}, got {asked}.'
            )
        return found

    @traitlets.observe("selected")
    def _tell_page(self, _: object) -> None:
        self._address = self._address_of(self.selected or {})

    @traitlets.observe("_address")
    def _hear_page(self, _: object) -> None:
        self.selected = self._selection_at(self._address)

    def _address_of(self, selected: Selection) -> str:
        """The address of a selection; empty where the page draws no such thing."""
        for kind, word in _PLACE.items():
            for number, places in enumerate(self._drawn[kind]):
                if selected.get(kind) == number:
                    at = selected.get(word)
                    rows = places.drawn.tolist()
                    shown = f"-{rows.index(at) + 1}" if at in rows else ""
                    return f"{kind}-{number}{shown}"
        if "node" in selected:
            node = (selected.get("graph", 0), selected["node"])
            return f"node-{self._nodes.index(node)}" if node in self._nodes else ""
        return f"graph-{selected['graph']}" if selected.get("graph") in self._graphs else ""

    def _selection_at(self, address: str) -> Selection | None:
        """What the page has at an address; None where nothing is selected."""
        found = _ADDRESS.fullmatch(address)
        if found is None:
            return None
        kind, number = found[1], int(found[2])
        if kind == "graph":
            return {"graph": number}
        if kind == "node":
            graph, name = self._nodes[number]
            return {"node": name, **self._graph(graph)}
        if found[3] is None:
            return {kind: number}
        places = self._drawn[kind][number]
        row = int(places.drawn[int(found[3]) - 1])
        one = places.listed[row]
        return {kind: number, _PLACE[kind]: row, "nodes": list(one.nodes), **self._graph(one.graph)}

    def _graph(self, number: int) -> Selection:
        """Which graph, where there are several."""
        return {"graph": number} if self._graphs else {}

    def __repr__(self) -> str:
        """What is selected."""
        return f"Explorer(selected={self.selected})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget, and the tables where a notebook is read without widgets."""
        bundle = super()._repr_mimebundle_(**kwargs)
        assert bundle is not None, "the widget has a view"
        data, metadata = bundle
        return {**data, "text/html": html_of(self._run)}, metadata
