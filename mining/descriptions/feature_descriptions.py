"""Features in words: which features make a pattern, said as a chemist would say it.

The rule. A *label* (columns of which each node has exactly one) is named where at least 80 % of the
places agree on it; as "carbon or nitrogen" where two labels make up 90 % there and less than that
in the whole graph; as "mostly-carbon node" where 60 % agree, and a tenth more than in the whole
graph. A *number* is telling where the mean over the places is at least one standard deviation of
the whole graph away from the graph's mean, and the spread over the places is at most half of that
standard deviation. A *yes or no* that is no label is telling where its share differs by at least
one half.

The limits were chosen on MUTAG and ENZYMES. PROTEINS reads like ENZYMES; on 60 graphs of DD, with
82 labels, the places agree nowhere, and all of 12 patterns have "any labels". On four planted
graphs of 620 nodes for each kind of features, numbers of the 27 patterns that are no trees were
named 209 times where the motifs have features of their own, 124 and 46 times with noise of .1 and
.2, and of the trees 0, 0 and 3 times. Where features are drawn for each node by chance, 16 of some
700 numbers are named all the same: of nodes that are alike in structure, the matching gives the
same one the largest value. A smaller limit of the spread does not mend that: .3 names 7 of those 16
and 48 of the 124.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining.descriptions.feature_background import FeatureBackground, measure_places
from mining.descriptions.phrases import ANY_LABEL, describe_nodes, listed_in_words
from mining.descriptions.value_names import Noun, name_labels
from mining.records.pattern import Pattern

_LABEL_SHARE, _TWO_LABELS_SHARE, _SECOND_SHARE = 0.8, 0.9, 0.1
_MOSTLY_SHARE, _MOSTLY_GAP = 0.6, 0.1
_LEAST_DISTANCE, _MOST_SPREAD = 1.0, 0.5
_LEAST_SHARE_GAP = 0.5
# numbers named in a sentence and for a node
_MOST_FEATURES = 3


@dataclass(frozen=True)
class TellingFeature:
    """A feature that sets a pattern node apart.

    Attributes
    ----------
    name : str
        Of the column.
    value, usual : float
        Mean over the places and over the whole graph, in the input's units.
    distance : float
        Between the two, in standard deviations of the whole graph.
    spread : float or None
        Standard deviation over the places, over that of the graph; None where the places are not
        known.
    is_binary : bool
        A yes or no: ``value`` and ``usual`` are shares.
    """

    name: str
    value: float
    usual: float
    distance: float
    spread: float | None
    is_binary: bool

    @property
    def words(self) -> str:
        """Such as "x1 about 4, usually 2"."""
        if self.is_binary:
            return f"{self.name} in {self.value:.0%}, usually in {self.usual:.0%}"
        return f"{self.name} about {self.value:.2g}, usually {self.usual:.2g}"


@dataclass(frozen=True)
class NodeWords:
    """What can be said about a pattern node.

    Attributes
    ----------
    noun : Noun or None
        What the node is, by its label; None where the data have no labels.
    share, usual_share : float or None
        Share of the places, and of all nodes, with that label (with either, where it is two).
    telling : tuple of TellingFeature
        Furthest from the usual first, at most three.
    """

    noun: Noun | None
    share: float | None
    usual_share: float | None
    telling: tuple[TellingFeature, ...]

    @property
    def words(self) -> str:
        """Label and telling features; empty where there is nothing to say."""
        label = [] if self.noun is None else [self.noun.one]
        return "; ".join([*label, *(feature.words for feature in self.telling)])


@dataclass(frozen=True)
class FeatureWords:
    """A pattern in words.

    Attributes
    ----------
    nodes : tuple of NodeWords
        One for each pattern node.
    sentence : str
        Shape and features, such as "a ring of six carbons".
    """

    nodes: tuple[NodeWords, ...]
    sentence: str

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence


def describe_features(
    pattern: Pattern,
    source: Any,
    *,
    background: FeatureBackground | None = None,
) -> FeatureWords:
    """Say in words what a pattern is made of.

    Parameters
    ----------
    pattern : Pattern
    source : FeatureBackground, or anything :func:`gomkcn_dgl.as_csr` takes
        The graph that was mined: its features at the pattern's occurrences are compared with those
        of all nodes. Or its background alone: then the pattern's own features are compared, and
        nothing is known about their spread.
    background : FeatureBackground, optional
        Of ``source``, where it is known from another pattern already.

    Returns
    -------
    FeatureWords

    Raises
    ------
    InputError
        For another number of features, or another graph.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl.graph import csr_from_edges
    >>> from mining import PatternMiner
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(6)] * 5)
    >>> atoms = np.eye(2)[[0, 0, 0, 0, 0, 1] * 5]
    >>> graph = csr_from_edges(*np.array(rings.edges).T, 30, features=atoms,
    ...                        feature_names=["label=C", "label=N"])
    >>> (pattern,) = PatternMiner(num_patterns=1, num_epochs=0).fit(graph).patterns_
    >>> describe_features(pattern, graph).sentence
    'a ring of five carbons and a nitrogen'
    """
    if isinstance(source, FeatureBackground):
        background, mean, std = source, np.asarray(pattern.features), None
    else:
        graph = as_csr(source)
        background = FeatureBackground.fit(graph) if background is None else background
        mean, std = measure_places(pattern, graph)
    if len(background.names) != pattern.features.shape[1]:
        raise InputError(
            f"source must have the {pattern.features.shape[1]} features of the pattern, "
            f"got {len(background.names)}."
        )
    nodes = tuple(
        _describe_node(mean[i], None if std is None else std[i], background)
        for i in range(pattern.num_nodes)
    )
    return FeatureWords(nodes, _sentence(pattern, nodes, background))


def _describe_node(
    mean: np.ndarray, std: np.ndarray | None, background: FeatureBackground
) -> NodeWords:
    labelled = {column for group in background.label_groups for column in group}
    noun, share, usual = None, None, None
    if background.label_groups:
        # further labels of a node are features like others
        labelled = set(background.label_groups[0])
        noun, share, usual = _describe_label(mean, background)
    telling = []
    for column in range(len(mean)):
        if column not in labelled:
            feature = _describe_number(column, mean, std, background)
            if feature is not None:
                telling.append(feature)
    telling.sort(key=lambda feature: -feature.distance)
    return NodeWords(noun, share, usual, tuple(telling[:_MOST_FEATURES]))


def _describe_label(mean: np.ndarray, background: FeatureBackground) -> tuple[Noun, float, float]:
    group = list(background.label_groups[0])
    codes = [background.names[column].rpartition("=")[2] for column in group]
    words = name_labels(codes)
    shares = np.clip(mean[group], 0, None)
    shares = shares / max(float(shares.sum()), 1e-12)
    usual = background.mean[group]
    first, *others = np.argsort(-shares, kind="stable").tolist()
    second = others[0]
    if shares[first] >= _LABEL_SHARE:
        return _noun(words[first], codes[first]), float(shares[first]), float(usual[first])
    both, usually = float(shares[first] + shares[second]), float(usual[first] + usual[second])
    if both >= _TWO_LABELS_SHARE > usually and shares[second] >= _SECOND_SHARE:
        one, other = (_noun(words[i], codes[i]) for i in sorted((first, second)))
        noun = Noun(f"{one.one} or {other.one}", f"{one.many} or {other.many}")
        return noun, both, usually
    share = float(shares[first])
    if share >= _MOSTLY_SHARE and share >= usual[first] + _MOSTLY_GAP:
        word = words[first] or codes[first]
        noun = Noun(f"mostly-{word} node", f"mostly-{word} nodes")
        return noun, share, float(usual[first])
    return ANY_LABEL, 1.0, 1.0


def _noun(word: str | None, code: str) -> Noun:
    return (
        Noun(f"node labelled {code}", f"nodes labelled {code}") if word is None else Noun.of(word)
    )


def _describe_number(
    column: int, mean: np.ndarray, std: np.ndarray | None, background: FeatureBackground
) -> TellingFeature | None:
    usual, unit = float(background.mean[column]), float(background.std[column])
    if unit < 1e-9:
        return None
    value, binary = float(mean[column]), bool(background.is_binary[column])
    distance = abs(value - usual) / unit
    spread = None if std is None else float(std[column]) / unit
    if binary:
        telling = abs(value - usual) >= _LEAST_SHARE_GAP
    else:
        telling = distance >= _LEAST_DISTANCE and (spread is None or spread <= _MOST_SPREAD)
    if not telling:
        return None
    return TellingFeature(background.names[column], value, usual, distance, spread, binary)


def _sentence(pattern: Pattern, nodes: tuple[NodeWords, ...], background: FeatureBackground) -> str:
    base = describe_nodes(pattern, [node.noun for node in nodes])
    clauses = _number_clauses(nodes)
    varies = (background.std > 1e-9).any()
    if not clauses and varies and not background.label_groups:
        clauses = ["no feature stands out"]
    return "; ".join([base, *clauses])


def _number_clauses(nodes: tuple[NodeWords, ...]) -> list[str]:
    """One clause for each set of nodes, with the features that set them apart from the graph."""
    found: dict[tuple[str, bool], list[tuple[int, TellingFeature]]] = {}
    for number, node in enumerate(nodes):
        for feature in node.telling:
            key = (feature.name, feature.value > feature.usual)
            found.setdefault(key, []).append((number, feature))
    ranked = sorted(found.values(), key=lambda entries: -sum(e.distance for _, e in entries))
    told: dict[tuple[int, ...], list[str]] = {}
    for entries in ranked[:_MOST_FEATURES]:
        where = tuple(number for number, _ in entries)
        told.setdefault(where, []).append(_say([feature for _, feature in entries]))
    return [listed_in_words(said) + _where(at, len(nodes)) for at, said in told.items()]


def _say(features: list[TellingFeature]) -> str:
    """One feature at several nodes: "x1 about 3 to 4 (usually 2)"."""
    first = features[0]
    style = ".0%" if first.is_binary else ".2g"
    low, high = (format(end(one.value for one in features), style) for end in (min, max))
    values = low if low == high else f"{low} to {high}"
    about = "in" if first.is_binary else "about"
    return f"{first.name} {about} {values} (usually {format(first.usual, style)})"


def _where(numbers: tuple[int, ...], size: int) -> str:
    if len(numbers) == size:
        return "" if size == 1 else " at all nodes"
    listed = listed_in_words([str(number) for number in numbers])
    return f" at node{'s' * (len(numbers) > 1)} {listed}"
