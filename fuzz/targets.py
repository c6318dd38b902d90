"""Every reader of the project as a function of bytes, and what it may do with them.

A reader may read the input or refuse it in one printable sentence. The input is the content of a
file or, where a reader takes a folder, an archive of which only files with known names are taken.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import seeds
from mutate import unpack
from self_contained import assert_loads_nothing

from gomkcn.mining.patterns.mining_settings import RunSettings
from gomkcn.mining.patterns.run_comparison import compare
from gomkcn.mining.runs.export import read_places
from gomkcn.mining.runs.kinds import load
from gomkcn.mining.show.comparison_text import format_comparison
from gomkcn.mining.show.report import render_report
from gomkcn.mining.show.terminal import format_run
from gomkcn.mining.structures.truth import read_truth
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.features import read_label_names
from gomkcn_dgl.io.formats import FORMATS, Format
from gomkcn_dgl.io.graph_classes import read_graph_classes
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.training_run import load_classifier, read_metrics


@dataclass(frozen=True)
class Target:
    """A reader: the name of its file or folder, how it reads, and valid inputs."""

    name: str
    read: Callable[[Path], object]
    make_seeds: Callable[[], list[bytes]]
    is_folder: bool = False

    @cached_property
    def seeds(self) -> list[bytes]:
        """Valid inputs."""
        return self.make_seeds()

    def feed(self, folder: Path, data: bytes) -> str | None:
        """Write an input into a folder and read it; return the sentence of a refusal."""
        path = folder / self.name
        if self.is_folder:
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
            known = {name for seed in self.seeds for name in unpack(seed) or {}}
            for name, content in (unpack(data) or {}).items():
                if name in known:
                    (path / name).write_bytes(content)
        else:
            path.write_bytes(data)
        try:
            self.read(path)
        except (InputError, InputTypeError) as error:
            sentence = str(error)
            assert sentence.endswith(".") and sentence.isprintable() and len(sentence) < 2000
            return sentence
        return None


def _feature_file(path: Path) -> None:
    graph = path.with_name("graph.txt")
    graph.write_text(seeds.EDGES)
    read_graph(graph, feature_file=path)


def _settings(path: Path) -> None:
    settings = RunSettings().read(path)
    settings.to_toml().encode()


def _run(path: Path) -> None:
    """Read the files of a run, and lay out all that needs no figure."""
    run = load(path)
    texts = [format_run(run), format_comparison(compare(run, run))]
    tables = run.table("structures"), run.table("motifs"), run.table("occurrences")
    texts += [str(table.columns()) for table in tables]
    "".join(texts).encode()


def _occurrences(path: Path) -> None:
    for occurrences in read_places(path, [(number, 3) for number in seeds.COUNTS]):
        list(occurrences)


def _report(path: Path) -> None:
    """Render the page of a run; it must be whole and load nothing, whatever names are in it."""
    page = render_report(load(path))
    page.encode()
    assert_loads_nothing(page)


def of_format(row: Format) -> Target:
    """The reader of a format: the graph, with attributes that some have, and the classes."""
    name = f"g{row.endings[0]}" if row.endings else "g"
    read_as = partial(read_graph, format=None if row.endings else row.name)

    def read(path: Path) -> None:
        read_as(path)
        if row.read_classes is not None:
            read_graph_classes(path, format=row.name)
        attributes = ({"relation": "kind"}, {"features": ["a"]})
        for options in attributes if row.has_node_attributes else ():
            try:
                read_as(path, **options)
            except InputError as error:
                assert str(error).endswith(".")

    return Target(name, read, lambda: seeds.of_format(row), row.is_folder)


def _texts(*texts: str) -> Callable[[], list[bytes]]:
    return lambda: [text.encode() for text in texts]


_train_toml = '[data]\npath = "g.bin"\nsplit = [0.8, 0.1, 0.1]\n[model]\nnum_filters = 4\n'

TARGETS = {
    **{row.name: of_format(row) for row in FORMATS.values()},
    "edges_gz": Target(
        "g.txt.gz", read_graph, lambda: [gzip.compress(seeds.EDGES.encode(), mtime=0)]
    ),
    "features_npy": Target("values.npy", _feature_file, seeds.feature_arrays),
    "features_csv": Target("values.csv", _feature_file, _texts(*seeds.FEATURE_TABLES)),
    "names_csv": Target("n.csv", read_label_names, _texts('label,name\n1,helix\n"a","b c"\n')),
    "settings": Target("s.toml", _settings, seeds.settings_files),
    "train_settings": Target(
        "t.toml",
        lambda path: ClassifierSettings().read(path).to_toml().encode(),
        lambda: [_train_toml.encode(), ClassifierSettings().to_toml().encode()],
    ),
    "motif": Target("m.txt", Structure.read, _texts("1 2\n2 3  # c\n3 1\n", "cat dog\ndog cow\n")),
    "truth": Target("t.json", read_truth, _texts(json.dumps(seeds.TRUTH))),
    "run": Target("run", _run, seeds.run_folders, True),
    "occurrences": Target("o.parquet", _occurrences, seeds.occurrence_files),
    "report": Target("run", _report, seeds.run_folders, True),
    "metrics": Target("train", read_metrics, seeds.train_folders, True),
    "train_checkpoint": Target("train", load_classifier, seeds.train_folders, True),
}
