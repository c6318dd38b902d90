"""The text of a pattern is bounded before anything is made of it."""

import networkx as nx
import pytest

from gomkcn import InputError, PatternMiner, Structure, count, motif_set, places
from gomkcn.mining.counting import occurrence_search
from gomkcn.mining.patterns import pattern_miner
from gomkcn_dgl.graphs import structure as structure_module
from gomkcn_dgl.graphs.named_structures import MOST_NODES
from gomkcn_dgl.graphs.pattern_text import PatternText

TOO_LONG = f"^pattern must have at most {MOST_NODES} nodes, got "
GRAPH = nx.karate_club_graph()


def path_text(num_edges):
    return ", ".join(f"a{i}--a{i + 1}" for i in range(num_edges))


@pytest.mark.parametrize(
    "use",
    [
        PatternText.read,
        Structure.parse,
        lambda text: count(GRAPH, text),
        lambda text: count(GRAPH, text, where="a0.degree > 1"),
        lambda text: count(GRAPH, text, errors=1),
        lambda text: places(GRAPH, text),
        lambda text: motif_set(GRAPH, 3, given=[text]),
        lambda text: PatternMiner(pattern_size=3, null=None, given=[text]).fit(GRAPH),
    ],
)
@pytest.mark.parametrize("num_edges", [MOST_NODES, 500])
def test_a_text_of_more_nodes_than_a_search_takes_is_refused_before_work(
    use, num_edges, monkeypatch
):
    # neither a structure nor a search is made
    work = [
        (structure_module.Structure, "of_channels"),
        (occurrence_search, "new_search"),
        (pattern_miner, "compare_structures"),
    ]
    for owner, name in work:
        monkeypatch.setattr(owner, name, lambda *_, name=name, **__: pytest.fail(name))
    with pytest.raises(InputError, match=f"{TOO_LONG}{num_edges + 1}"):
        use(path_text(num_edges))


def test_as_many_nodes_as_a_search_takes_are_taken():
    assert Structure.parse(path_text(MOST_NODES - 1)).num_nodes == MOST_NODES


def test_structures_of_graphs_and_edges_have_the_same_bound(tmp_path):
    graph = nx.path_graph(MOST_NODES + 1)
    file = tmp_path / "path.txt"
    file.write_text("\n".join(f"{u} {v}" for u, v in graph.edges))
    for make in (
        lambda: Structure.from_networkx(graph),
        lambda: Structure.of_edges(MOST_NODES + 1, list(graph.edges)),
    ):
        with pytest.raises(InputError, match=f"{TOO_LONG}{MOST_NODES + 1}"):
            make()
    with pytest.raises(InputError, match=f"path.txt: {TOO_LONG[1:]}{MOST_NODES + 1}"):
        Structure.read(file)


def test_a_text_of_a_million_letters_is_no_pattern():
    with pytest.raises(InputError, match="must have at most 1,000,000 letters, got 1,000,004"):
        Structure.parse(f"a--{'b' * 1_000_001}")


def test_a_fault_in_a_long_text_is_shown_with_what_stands_around_it():
    with pytest.raises(InputError) as caught:
        Structure.parse(f"a--b, {'c.size > 1, ' * 1000}d!!e")
    *_, line, caret = str(caught.value).splitlines()
    assert len(line) < 130
    assert line[caret.index("^") :].startswith("!!e")
