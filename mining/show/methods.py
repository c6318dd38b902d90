"""The paragraph of methods of a run, to copy into a paper, and BibTeX of what it cites.

Every number is one of the record of the run, and nothing is cited that the run did not use.
"""

from __future__ import annotations

from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.permuted import permutes_in
from gomkcn.mining.show.terminal import correction_sentence, follows_from_three, num_families
from gomkcn.mining.significance.looks import FIRST_SAMPLES, MOST_SAMPLES
from gomkcn.mining.significance.null_draws import ATTEMPTS_PER_EDGE
from gomkcn.mining.significance.null_models import NULL_MODELS
from gomkcn.mining.structures.pattern import COUNT, LESS, LEVEL, MORE, RESULT_WORDS, measure_of
from gomkcn_dgl.csr import CONSTANT, MIRRORED
from gomkcn_dgl.graphs.shapes import count

# how any list of edges without features is read, which changes nothing
_USUAL = tuple(note.partition("{")[0] for note in (CONSTANT, MIRRORED))
# as BibTeX names the fields of an article
_ENTRIES = {
    "gomkcn_dgl": """@software{gomkcn_dgl,
  title   = {{gomkcn-dgl}: motifs of graphs, with graph optimal matching kernels},
  author  = {{The gomkcn-dgl developers}},
  version = {VERSION},
  license = {Apache-2.0}
}""",
    "wang2025gomkcn": """@misc{wang2025gomkcn,
  title  = {Disentangled Graph Representation Based on Substructure-Aware Graph Optimal Matching
            Kernel Convolutional Networks},
  author = {Wang, Mao and Wu, Tao and Xian, Xingping and Qiao, Shaojie and Niu, Weina and
            Cui, Canyixing},
  year   = {2025},
  eprint = {2504.16360},
  archivePrefix = {arXiv}
}""",
    "milo2002motifs": """@article{milo2002motifs,
  title   = {Network Motifs: Simple Building Blocks of Complex Networks},
  author  = {Milo, R. and Shen-Orr, S. and Itzkovitz, S. and Kashtan, N. and Chklovskii, D. and
             Alon, U.},
  journal = {Science},
  volume  = {298},
  number  = {5594},
  pages   = {824--827},
  year    = {2002},
  doi     = {10.1126/science.298.5594.824}
}""",
    "milo2004superfamilies": """@article{milo2004superfamilies,
  title   = {Superfamilies of Evolved and Designed Networks},
  author  = {Milo, R. and Itzkovitz, S. and Kashtan, N. and Levitt, R. and Shen-Orr, S. and
             Ayzenshtat, I. and Sheffer, M. and Alon, U.},
  journal = {Science},
  volume  = {303},
  number  = {5663},
  pages   = {1538--1542},
  year    = {2004},
  doi     = {10.1126/science.1089167}
}""",
    "fosdick2018configuring": """@article{fosdick2018configuring,
  title   = {Configuring Random Graph Models with Fixed Degree Sequences},
  author  = {Fosdick, Bailey K. and Larremore, Daniel B. and Nishimura, Joel and Ugander, Johan},
  journal = {SIAM Review},
  volume  = {60},
  number  = {2},
  pages   = {315--355},
  year    = {2018},
  doi     = {10.1137/16M1087175}
}""",
    "westfall1993resampling": """@book{westfall1993resampling,
  title     = {Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment},
  author    = {Westfall, Peter H. and Young, S. Stanley},
  publisher = {Wiley},
  year      = {1993}
}""",
    "benichou2024compression": """@article{benichou2024compression,
  title   = {Compression-Based Inference of Network Motif Sets},
  author  = {B{\\'e}nichou, Alexis and Masson, Jean-Baptiste and Vestergaard, Christian L.},
  journal = {PLOS Computational Biology},
  volume  = {20},
  number  = {10},
  pages   = {e1012460},
  year    = {2024},
  doi     = {10.1371/journal.pcbi.1012460}
}""",
    "besag1989generalized": """@article{besag1989generalized,
  title   = {Generalized {Monte Carlo} Significance Tests},
  author  = {Besag, Julian and Clifford, Peter},
  journal = {Biometrika},
  volume  = {76},
  number  = {4},
  pages   = {633--642},
  year    = {1989},
  doi     = {10.1093/biomet/76.4.633}
}""",
    "besag1991sequential": """@article{besag1991sequential,
  title   = {Sequential {Monte Carlo} $p$-Values},
  author  = {Besag, Julian and Clifford, Peter},
  journal = {Biometrika},
  volume  = {78},
  number  = {2},
  pages   = {301--304},
  year    = {1991},
  doi     = {10.1093/biomet/78.2.301}
}""",
    "tarone1990discrete": """@article{tarone1990discrete,
  title   = {A Modified {B}onferroni Method for Discrete Data},
  author  = {Tarone, R. E.},
  journal = {Biometrics},
  volume  = {46},
  number  = {2},
  pages   = {515--522},
  year    = {1990},
  doi     = {10.2307/2531456}
}""",
    "onnela2005intensity": """@article{onnela2005intensity,
  title   = {Intensity and Coherence of Motifs in Weighted Complex Networks},
  author  = {Onnela, Jukka-Pekka and Saram{\\"a}ki, Jari and Kert{\\'e}sz, J{\\'a}nos and
             Kaski, Kimmo},
  journal = {Physical Review E},
  volume  = {71},
  number  = {6},
  pages   = {065103},
  year    = {2005},
  doi     = {10.1103/PhysRevE.71.065103}
}""",
    "yan2002gspan": """@inproceedings{yan2002gspan,
  title     = {{gSpan}: Graph-Based Substructure Pattern Mining},
  author    = {Yan, Xifeng and Han, Jiawei},
  booktitle = {Proceedings of the 2002 IEEE International Conference on Data Mining},
  pages     = {721--724},
  year      = {2002},
  doi       = {10.1109/ICDM.2002.1184038}
}""",
}
# how a paragraph names what it cites
_CITED = {
    "wang2025gomkcn": "Wang et al. 2025",
    "milo2002motifs": "Milo et al. 2002",
    "milo2004superfamilies": "Milo et al. 2004",
    "fosdick2018configuring": "Fosdick et al. 2018",
    "westfall1993resampling": "Westfall and Young 1993",
    "benichou2024compression": "Bénichou et al. 2024",
    "besag1989generalized": "Besag and Clifford 1989",
    "besag1991sequential": "Besag and Clifford 1991",
    "onnela2005intensity": "Onnela et al. 2005",
    "tarone1990discrete": "Tarone 1990",
    "yan2002gspan": "Yan and Han 2002",
}


def methods_text(run: MiningRun) -> str:
    """How a run was made, as a paragraph of methods: see :meth:`gomkcn.MiningRun.methods`."""
    sentences = [_graph_sentence(run), *_comparison_sentences(run), *_motif_sentences(run)]
    if run.filters is not None and run.filters.filters:
        number = len(run.filters.filters)
        were = f"neighbourhood{' of nodes was' if number == 1 else 's of nodes were'}"
        sentences.append(
            f"{number} frequent {were} selected as graph filter{'s' * (number != 1)} "
            f"({_CITED['wang2025gomkcn']})."
        )
    sentences += _class_sentences(run)
    if run.is_partial:
        sentences.append("A time limit ended the run early.")
    return " ".join([*sentences, _software_sentence(run)])


def citations(run: MiningRun) -> str:
    """BibTeX of the package, and of what :func:`methods_text` cites."""
    text = methods_text(run)
    version = str(run.provenance.get("version", "unknown"))
    keys = ["gomkcn_dgl", "wang2025gomkcn"]
    keys += [key for key, name in _CITED.items() if name in text and key not in keys]
    return "\n\n".join(_ENTRIES[key].replace("VERSION", version) for key in keys) + "\n"


def _graph_sentence(run: MiningRun) -> str:
    """The graph, and its size."""
    graph = run.graph
    size = f"{count(graph.num_nodes, 'node')} and {count(graph.num_edges, 'edge')}"
    ways = {relation.directed for relation in graph.relations}
    if len(ways) == 1:
        size += ", directed" if ways == {True} else ", undirected"
    if len(graph.relations) > 1:
        size += ", of the types " + ", ".join(relation.name for relation in graph.relations)
    what = "graph" if graph.num_graphs == 1 else f"collection of {graph.num_graphs:,} graphs"
    changes = changes_of_input(run)
    changed = f" Changed or left out of the input: {'; '.join(changes)}." if changes else ""
    return f"The {what} {graph.source!r} has {size}.{changed}"


def changes_of_input(run: MiningRun) -> list[str]:
    """What was changed or left out of the input: self-loops, duplicates, weights without a use."""
    return [note for note in run.notes if not note.startswith(_USUAL)]


def _drawing_sentences(run: MiningRun, null: str, number: int) -> list[str]:
    """How the random graphs of a null model were drawn, and when no more were."""
    sentences = []
    if null in NULL_MODELS and NULL_MODELS[null].is_walk:
        sentences.append(
            "They were drawn by a random walk of swaps of the ends of two edges, with "
            f"{ATTEMPTS_PER_EDGE} attempts an edge ({_CITED['besag1989generalized']})."
        )
    # how many, why, and which p are kept from the first look
    sentences += filter(None, [run.random_graphs.get(null)])
    if number > FIRST_SAMPLES and run.settings.get("miner", {}).get("null_samples") is None:
        sentences.append(
            f"Their number was chosen sequentially, from {FIRST_SAMPLES} to at most "
            f"{MOST_SAMPLES:,} ({_CITED['besag1991sequential']})."
        )
    return sentences


def _comparison_sentences(run: MiningRun) -> list[str]:
    """What was counted, the null models, the numbers of random graphs, and the correction."""
    sentences = []
    for null, keeps in run.null_models.items():
        compared = [pattern for pattern in run.counted if null in pattern.significance]
        if not compared:
            continue
        results = [pattern.significance[null] for pattern in compared]
        sizes = sorted({pattern.num_nodes for pattern in compared})
        of_size = "–".join(map(str, dict.fromkeys([sizes[0], sizes[-1]])))
        exact = all(pattern.frequency.occurrences.is_exact for pattern in compared)
        verdicts = [result.verdict for result in results]
        more, less = verdicts.count(MORE), verdicts.count(LESS)
        words = RESULT_WORDS[measure_of(null)]
        called = f"{count(more, 'structure')} {'is' if more == 1 else 'are'} {words[0]}"
        what = f"{count(len(compared), 'connected structure')} of {of_size} nodes"
        how = "counted" if exact else "counted, or estimated where they are many,"
        done = f"Induced occurrences of {what} were {how}"
        if (measure := measure_of(null)) != COUNT:
            done = (
                f"The {measure} of {what}, over all induced occurrences "
                f"({_CITED['onnela2005intensity']}), was measured"
            )
        cited = _cited_of(null)
        sentences += [
            f"{done} in it and in {results[0].num_samples:,} random graphs of the null model "
            f"“{null}”, which keep {keeps}{cited}.",
            *_drawing_sentences(run, null, results[0].num_samples),
            f"p is adjusted {correction_sentence(num_families(compared, null), null)} "
            f"({_CITED['westfall1993resampling']}); at an adjusted p ≤ {LEVEL}, {called} and "
            f"{less} {words[1]}.{follows_from_three(run, null)}",
        ]
    if sentences:
        sentences.append(
            "z is the distance of a count from the mean of the random graphs in their standard "
            "deviations, and a significance profile is z over the length of all z of structures "
            "of a size, alone or with their kinds "
            f"({_CITED['milo2004superfamilies']})."
        )
    return sentences


def _cited_of(null: str) -> str:
    """What is cited of random graphs; nothing of those that keep all edges."""
    if permutes_in(null):
        return ""
    cited = [_CITED["milo2002motifs"]]
    if null == "degree":
        cited.append(_CITED["fosdick2018configuring"])
    return f" ({'; '.join(cited)})"


def _class_sentences(run: MiningRun) -> list[str]:
    """How the classes of the graphs were compared, and over what p is adjusted."""
    search = run.class_search
    if search is None:
        return []
    test = "Classes of graphs were compared by Fisher's exact test of how many graphs contain"
    if not search.is_complete_enough:
        return [
            f"{test} each of {count(search.num_compared, 'structure')} that were counted, with p "
            f"adjusted over all of them (step-down max-T; {_CITED['westfall1993resampling']})."
        ]
    return [
        f"{test} a subgraph, for all subgraphs of {search.least_nodes} to {search.most_nodes} "
        f"nodes in as many graphs as {search.support:.0%} of the smallest class, of several in the "
        f"same graphs the largest ({_CITED['yan2002gspan']}), with p adjusted over the "
        f"{search.num_tests:,} tests that could reach the level ({_CITED['tarone1990discrete']})."
    ]


def _motif_sentences(run: MiningRun) -> list[str]:
    """The motif set, by the length of the description."""
    found = run.motif_set
    if not found.bits_base:
        return []
    what = (
        f"{count(len(found.motifs), 'motif')} {'saves' if len(found.motifs) == 1 else 'save'} "
        f"{found.bits_saved:,.0f} of {found.bits_base:,.0f} bits"
        if found.motifs
        else f"no motif saves any of {found.bits_base:,.0f} bits"
    )
    return [
        "The motif set is the one found of shortest description (minimum description length, after "
        f"{_CITED['benichou2024compression']}): given {found.given_what}, {what}."
    ]


def _software_sentence(run: MiningRun) -> str:
    """The package with its version and commit, and the seed."""
    made = run.provenance
    version = f" {made['version']}" if "version" in made else ""
    commit = f", commit {made['commit']}" if made.get("commit") else ""
    python = f", Python {made['machine']['python']}" if "machine" in made else ""
    seed = f", with the random seed {made['seed']}" if "seed" in made else ""
    return f"Computed with gomkcn-dgl{version}{commit}{python}{seed}."
