"""Put faults into a copy of the code, one at a time: `python fuzz/mutants.py [NAME ...]`.

Each is a mistake that gives wrong numbers and no error. The test that is named beside it must pass
without it and fail with it. A row whose text is no longer in its file is refused: it leaves with
the code that it guards, or is written anew as that is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("gomkcn", "gomkcn_dgl", "mining", "synthetic", "tests", "fuzz")


class Fault(NamedTuple):
    """A text that becomes another one; rows of one name are put in together."""

    name: str
    file: str
    text: str
    other: str
    test: str


FAULTS = [Fault(*row) for row in [
    ("numbers of a null model name no place", "mining/structures/table_column.py",
     "replace(part, path=(*path, *part.path))", "replace(part, path=part.path)",
     "test_report.py::test_every_number_of_the_page_is_that_of_patterns_json"),
    ("an interval ends where it begins", "mining/structures/pattern_columns.py",
     'return low, " to ", Number(digits(count.high), (*path, "high"))', 'return low, " to ", low',
     "test_report.py::test_estimates_have_an_interval_and_small_deviations_more_decimals"),

    ("a name that is not known is dropped", "gomkcn_dgl/settings.py",
     'refuse_unknown("a setting", given, known)', "pass",
     "test_settings.py::test_a_name_that_is_not_known_is_refused_with_the_nearest"),
    ("a bound that must be exceeded is met", "gomkcn_dgl/settings.py",
     "open_minimum=above is not None)", "open_minimum=False)",
     "test_settings.py::test_a_range_is_the_same_for_an_option_a_file_and_an_argument"),
    ("a kernel in the help has other defaults", "gomkcn/commands/options.py",
     "known[name] = replace(known[name], default=default)", "pass",
     "test_settings.py::test_a_default_in_the_help_is_that_of_the_settings"),
    ("one attempt an edge", "mining/significance/null_draws.py",
     "ATTEMPTS_PER_EDGE = 10", "ATTEMPTS_PER_EDGE = 1",
     "test_null_models.py::test_hardly_any_edge_stays_where_it_was"),
    ("no hub", "mining/significance/random_graphs.py",
     "        if model.is_walk:", "        if False:",
     "test_null_models.py::test_walks_start_from_a_hub_and_independent_graphs_do_not"),
    ("ties count for the graph", "mining/significance/verdicts.py",
     "largest >= ordered[0] - _SAME", "largest > ordered[0] + _SAME",
     "test_verdicts.py::test_verdicts_equal_those_of_loops"),
    ("occurrences at a root are independent", "mining/counting/counter.py",
     "effective = total**2 / float((counts**2).sum())", "effective = total",
     "test_estimates.py::test_estimates_from_roots_are_unbiased_and_intervals_hold"),
    ("squares of the shares halved", "mining/counting/tree_sampler.py",
     "squares += share * share", "squares += 0.5 * share * share",
     "test_estimates.py::test_estimates_vary_as_much_as_their_intervals_say"),
    ("draws end at twice the error", "mining/counting/counter.py",
     "if reached <= error:", "if reached <= 2 * error:",
     "test_estimates.py::"
     "test_draws_go_on_until_the_interval_is_as_narrow_as_was_asked_for"),
    ("the first places of a list", "mining/counting/occurrence_search.py",
     "row = random(search.stream[0], np.uint64(met), met + 1)", "row = np.int64(len(places))",
     "test_occurrence_search.py::test_each_occurrence_is_as_likely_in_a_sample"),
    ("classes without a correction", "mining/significance/verdicts.py",
     "adjusted[varies] = step_down(distance)",
     "adjusted[varies] = (distance >= distance[0] - _SAME).mean(axis=0)",
     "test_verdicts.py::test_nothing_is_found_where_classes_are_random"),
    ("as many occurrences as a search may meet", "mining/counting/occurrence_search.py",
     "and met <= limits.occurrences:", "and met < limits.occurrences:",
     "test_occurrence_search.py::test_a_search_ends_with_one_occurrence_more_than_it_may_meet"),
    ("a joined pair has no other edge", "mining/counting/query.py",
     "~(channels[:, :, None] & ~links).any(axis=3)", "(channels[:, :, None] == links).all(axis=3)",
     "test_counts.py::test_a_subgraph_may_have_more_edges_between_any_two_nodes"),
    ("families are not corrected for", "mining/significance/verdicts.py",
     "adjusted[inside] = len(numbers) * step_down", "adjusted[inside] = step_down",
     "test_verdicts.py::test_verdicts_equal_those_of_loops"),
    ("paths of four nodes twice", "mining/counting/set_formulas.py",
     "(degrees[graph.indices] - 1)).sum() / 2)", "(degrees[graph.indices] - 1)).sum())",
     "test_census.py::test_steps_grow_with_the_work_and_need_no_census"),
    ("no bit for the direction of a link", "mining/motif_sets/collection_description.py",
     "bits[same, same] += code.is_turned", "pass",
     "test_lengths.py::test_a_link_more_costs_what_is_said"),
    ("a motif goes without its edges", "mining/motif_sets/graph_description.py",
     "        used[self.code.edge_numbers(motif.structure, motif.copies)] = False\n", "",
     "test_descriptions.py::test_without_a_motif_a_description_is_as_if_it_had_not_come"),
    ("graphs are counted as they were", "mining/motif_sets/collection_description.py",
     "changed = Changed(np.flatnonzero(counts), classes)",
     "changed = Changed(np.flatnonzero(counts)[1:], classes)",
     "test_descriptions.py::test_the_order_of_motifs_that_share_nothing_does_not_matter"),
    ("a set without edits says that it has none", "mining/motif_sets/placed_motif.py",
     "    if any(len(motif.edits) for motif in motifs):", "    if motifs:",
     "test_descriptions.py::test_exact_copies_pay_for_no_edits"),
    ("a copy's degrees are not taken off", "mining/motif_sets/graph_description.py",
     "(taken * np.log2(np.maximum(degree, 1)) - falling)",
     "(falling - taken * np.log2(np.maximum(degree, 1)))",
     "test_descriptions.py::"
     "test_exact_copies_are_worth_what_they_are_where_copies_may_differ"),
    ("any node that is freed will do", "mining/motif_sets/collection_copies.py",
     "(freed is None or freed[choice.copies].any())",
     "(freed is None or freed.any())",
     "test_descriptions.py::test_a_choice_is_for_what_is_freed_and_for_copies_of_some_worth"),
    ("bits an edge are bits", "mining/motif_sets/motif_search.py",
     "score = choice.per_edge(description.length - longer.length, exponent)",
     "score = description.length - longer.length",
     "test_motif_search.py::test_a_greedy_step_takes_what_saves_most_or_most_for_its_edges"),
    ("what was tried is tried again", "mining/motif_sets/motif_search.py",
     "            tuple(sorted(tried)),\n", "            (),\n",
     "test_motif_search.py::test_a_state_says_what_was_tried"),
    ("a motif of a collection takes copies in the place of its own",
     "mining/motif_sets/collection_copies.py",
     "taken = {motif.structure.code for motif in description.motifs}", "taken: set[bytes] = set()",
     "test_motif_search.py::test_a_motif_of_a_collection_takes_all_its_copies_at_once"),
    ("a motif need not be worth anything", "mining/motif_sets/motif_search.py",
     "return description.length + self.settings.least_of_motif * len(description.motifs)",
     "return description.length",
     "test_motif_search.py::test_what_is_shorter_by_anything_that_counts_is_kept"),
    ("the search for exact copies is forgotten", "mining/motif_sets/motif_search.py",
     "            self.exact,\n", "            None,\n",
     "test_inexact_copies.py::test_a_search_for_drawings_that_is_killed_goes_on_where_it_was"),
    ("an idle filter moves to the best", "mining/filters/filter_training.py",
     "speed = (1 - similarity).clamp", "speed = similarity.clamp",
     "test_filter_training.py::test_an_idle_filter_moves_to_the_worst_represented_class"),
    ("the rarest filter first", "mining/filters/filter_miner.py",
     "np.argsort(-instances", "np.argsort(instances",
     "test_filter_miner.py::test_each_subgraph_belongs_to_the_filter_that_it_is"),
    ("categories do not make a subgraph another", "mining/filters/filter_bank.py",
     "colors[row, :stop] = self._colors(number)", "colors[row, :stop] = 0",
     "test_filter_miner.py::test_categories_decide_what_is_exact"),
    ("a sample counts as all", "mining/structures/pattern.py",
     "return cls(share * total, low, high, is_exact=False)",
     "return cls(hits, low, high, is_exact=False)",
     "test_filter_miner.py::test_a_sample_is_said_to_be_one"),
    ("responses are not divided by the largest score", "mining/filters/filter_bank.py",
     "similarity[:, numbers] = found.scores / np.float32(self.kernel.largest_score(size))",
     "similarity[:, numbers] = found.scores",
     "test_filter_miner.py::test_responses_are_the_kernel_of_the_paper"),
    ("only the last filter covers", "mining/filters/contrast.py",
     "        covered = _cover_more(covered, values[:, best])", "        covered = values[:, best]",
     "test_contrast.py::test_a_hand_worked_cover"),
    ("what random graphs gain counts", "mining/filters/contrast.py",
     "excess = gain - mean - margin * spread", "excess = gain - margin * spread",
     "test_contrast.py::test_a_hand_worked_cover"),
    ("random graphs are known as well as a distribution", "mining/filters/contrast.py",
     "return float(-stdtrit(num_random - 1, chance) * (1 + 1 / num_random) ** 0.5)",
     "return _MARGIN",
     "test_contrast.py::test_few_random_graphs_exceed_themselves_as_rarely_as_many"),
    ("structures with equal embeddings are alike", "mining/filters/contrast.py",
     "(similarity > AS_EXACT) & ~is_same, _TWIN", "(similarity > AS_EXACT) & ~is_same, 1.0",
     "test_instances.py::"
     "test_structures_with_equal_embeddings_are_filters_of_their_own"),
    ("each root is an instance", "mining/filters/instances.py",
     "(hits / _roots_of(graph, settings, node_sets)).sum()", "hits.sum()",
     "test_instances.py::test_an_instance_counts_as_often_as_it_would_be_seen"),
    ("isomorphic in the order of the nodes", "mining/filters/neighbourhoods.py",
     "order = canonical_forms(links, shown + 1).order",
     "order = np.tile(np.arange(size), (len(links), 1))",
     "test_neighbourhoods.py::test_codes_are_equal_for_isomorphic_graphs_alone"),
    ("rate of added edges", "synthetic/planting.py",
     "    add_prob /= number * (2 if relations.is_directed else 1)\n", "",
     "test_planting.py::test_perturbation_adds_edges_of_any_direction_and_relation"),
    ("mean for median degree", "synthetic/planting.py",
     "np.median(degrees)", "np.mean(degrees)",
     "test_planting.py::test_embedded_copies_are_on_nodes_of_few_edges"),
    ("half of a copy is attached", "synthetic/planting.py",
     "starts + pairs % sizes]", "starts + pairs % sizes // 2]",
     "test_planting.py::test_attaching_edges_are_drawn_like_those_of_the_background"),
    ("feature noise halved", "synthetic/planting.py",
     "vectors + settings.noise * rng", "vectors + 0.5 * settings.noise * rng",
     "test_planting.py::test_feature_noise_deviates_as_much_as_was_asked_for"),
    ("defaults over values in GraphML", "gomkcn_dgl/io/xml_files.py",
     "{**defaults, **record}", "{**record, **defaults}",
     "test_foreign_files.py::test_named_features_weights_and_defaults_of_keys"),
    ("parallel edges of one id", "gomkcn_dgl/io/xml_files.py",
     'edge.set("id", str(number))', "pass",
     "test_foreign_kinds.py::test_parallel_edges_of_one_id_are_kept"),
    ("ends that no node has", "gomkcn_dgl/io/xml_files.py",
     "if name not in ids:", "if False:",
     "test_foreign_kinds.py::test_graphml_that_is_refused"),
    ("equal labels name nodes", "gomkcn_dgl/io/foreign_files.py",
     "len(words) == content.num_nodes", "len(words) <= content.num_nodes",
     "test_foreign_kinds.py::test_equal_labels_of_pajek_are_different_nodes"),
    ("exponents of whole numbers in GML", "gomkcn_dgl/io/text_files.py",
     'return piece + ".0"', "return piece",
     "test_foreign_kinds.py::test_numbers_texts_and_parallel_edges_of_gml"),
    ("relations of several lists of Pajek", "gomkcn_dgl/io/pajek_files.py",
     "network.relation] if is_typed else None", "network.relation] if False else None",
     "test_foreign_kinds.py::test_lists_of_pajek"),
    ("edges both ways where some have a direction", "gomkcn_dgl/graph_objects.py",
     "back = np.flatnonzero(~has_way)", "back = np.flatnonzero(~has_way)[:0]",
     "test_foreign_kinds.py::test_pajek_with_arcs_and_edges_says_so"),
    ("positions over ids in JSON", "gomkcn_dgl/io/json_files.py",
     "if key is _exact and all", "if False and all",
     "test_foreign_kinds.py::test_forms_of_json"),
    ("half of a symmetric matrix", "gomkcn_dgl/io/text_files.py",
     'if symmetry != "general":', "if False:",
     "test_foreign_kinds.py::test_matrix_market"),
    ("direction from half of the edges", "gomkcn_dgl/io/edge_tables.py",
     "_NEARLY_ALL = 0.95", "_NEARLY_ALL = 0.5",
     "test_edge_tables.py::test_a_relation_is_undirected_if_nearly_all_of_its_edges_go_both_ways"),
    ("a number of a column is a name", "gomkcn_dgl/io/edge_layout.py",
     "isinstance(column, str) and not _is_place(column)}", "isinstance(column, str)}",
     "test_table_form.py::test_a_number_is_a_place_and_no_name"),
    ("zeros before an id", "gomkcn_dgl/io/tables.py",
     "self.is_text and _has_other_forms(column, array)", "False",
     "test_table_form.py::test_ids_are_numbers_only_where_they_are_written_as_such"),
    ("a first line of sizes for any number of rows", "gomkcn_dgl/io/table_form.py",
     "counts[-1] != num_rows", "False",
     "test_table_form.py::test_a_first_line_of_sizes_is_no_edge"),
    ("a time limit without its end", "mining/frequent/gspan.py",
     "self._steps.keep_for_end(num_found * _SECONDS_OF_ROW)", "pass",
     "test_gspan.py::test_a_search_leaves_time_for_the_lines_of_what_it_found"),
    ("closed by the last subgraph around it", "mining/frequent/gspan.py",
     "= max(supports.get(part.key, 0), len(inside))", "= len(inside)",
     "test_gspan.py::test_closed_ones_are_those_of_the_definition"),
    ("the first pieces of triangles again and again", "mining/temporal/temporal_motifs.py",
     "bounds[first:], incident,", "bounds, incident,",
     "test_temporal_motifs.py::test_a_count_looks_at_the_clock_and_pieces_change_nothing"),
    ("times behind a quote", "gomkcn_dgl/io/pajek_files.py",
     """max(line.rfind("]", 0, -1), line.rfind('"')) + 1""", """line.rfind("]", 0, -1) + 1""",
     "test_linear_scans.py::test_a_scan_by_hand_gives_what_the_expressions_gave"),
    ("a header by the first rows alone", "gomkcn_dgl/io/table_form.py",
     "return not any(_is_cell_of(cell, rest, form.separator) for cell in filled[:_MOST_CELLS])",
     "return True",
     "test_table_form.py::test_a_first_row_whose_nodes_come_back_late_is_no_header"),
    ("numbered nodes as a header", "gomkcn_dgl/io/table_form.py",
     "if any(map(_counts_on, cells, columns)):", "if False:",
     "test_table_form.py::test_numbered_nodes_are_no_header"),
    ("dense sampling prefers hubs", "gomkcn_dgl/kernels/bfs_numba.py",
     "length = min(degree(graph, node), MOST_RANKED_DEGREE)",
     "length = MOST_RANKED_DEGREE - min(degree(graph, node), MOST_RANKED_DEGREE)",
     "test_bfs_kernels.py::test_a_hand_worked_case"),
    ("a graph is sampled by its place", "gomkcn_dgl/subgraphs.py",
     "colored.colors[roots] >> np.uint64(FEATURE_BITS),", "roots,",
     "test_subgraphs.py::"
     "test_a_graph_shows_the_same_subgraphs_wherever_it_stands"),
    ("rows are walked by numbers", "gomkcn_dgl/kernels/bfs_numba.py",
     "graph._replace(indices=colored.rows),", "graph,",
     "test_numbering.py::test_numbers_of_nodes_change_no_row"),
    ("nodes that are alike go by numbers", "gomkcn_dgl/kernels/bfs_numba.py",
     "elif cut and alike:", "elif cut and alike and size < 0:",
     "test_numbering.py::test_numbers_of_nodes_change_no_row"),
    ("order of nodes without links", "gomkcn_dgl/node_order.py",
     "color[graph.indices] ^ over)", "color[graph.indices])",
     "test_node_order.py::test_renumbering_changes_nothing"),
    ("levels of sym for mean", "gomkcn_dgl/embeddings.py",
     'if aggregation == "mean":\n        return adj',
     'if aggregation == "none":\n        return adj',
     "test_embeddings.py::test_a_hand_worked_case"),
    ("mean pooling sums", "gomkcn_dgl/model.py",
     "pooled = pooled / graph_sizes.clamp(min=1).unsqueeze(1)", "pass",
     "test_model.py::test_nodes_are_pooled_as_by_numpy"),
    ("prediction in training mode", "gomkcn_dgl/training/training_loop.py",
     "    model.eval()\n", "    model.train()\n",
     "test_training_loop.py::test_predictions_depend_on_no_other_graph_and_on_no_dropout"),
    ("baseline of all labels", "gomkcn_dgl/training/labelled_data.py",
     "np.bincount(data.labels[split.train])", "np.bincount(data.labels)",
     "test_train_command.py::test_the_baseline_answers_what_is_most_frequent_in_training"),
    ("no node joins the star", "synthetic/base_graphs.py",
     'check_int("num_nodes", num_nodes, per_node + 1)',
     'check_int("num_nodes", num_nodes, per_node)',
     "test_base_graphs.py::test_a_node_must_be_left_to_join_those_of_the_star"),
    ("filters of half the similarity are one", "gomkcn_dgl/training/class_initialization.py",
     "limit = _SAME_SCORE * float(", "limit = 0.5 * _SAME_SCORE * float(",
     "test_class_initialization.py::"
     "test_of_subgraphs_that_are_nearly_one_the_second_is_no_filter"),
    ("the loss is asked for in each batch", "gomkcn_dgl/training/training_loop.py",
     "total[0] += loss.detach()", "total[0] += loss.item()",
     "test_training_loop.py::test_the_device_is_asked_for_the_loss_once_an_epoch"),
    ("features fill the interval at any contrast", "gomkcn_dgl/training/classifiers.py",
     "settings.model.contrast)", "1.0)",
     "test_train_command.py::test_columns_are_scaled_over_the_training_part"),
    ("classes of nodes are features", "gomkcn_dgl/io/reading.py",
     "default = tuple(name for name in content.default_features if name != column)",
     "default = content.default_features",
     "test_node_classes.py::test_classes_are_a_column_and_no_feature"),
    ("nodes without a class are learnt", "gomkcn_dgl/training/labelled_data.py",
     "np.unique(labels[labels >= 0])", "np.unique(labels)",
     "test_node_classes.py::test_usual_columns_are_found_and_names_are_given"),
    ("the input is read out with the paper's settings",
     "gomkcn_dgl/training/classifier_settings.py",
     '"read_input": False,', '"read_input": True,',
     "test_train_command.py::test_paper_is_what_the_paper_prints_and_nothing_else"),
    ("features are scaled by all graphs", "gomkcn_dgl/training/classifiers.py",
     "known_features = features[in_training]", "known_features = features",
     "test_train_command.py::test_columns_are_scaled_over_the_training_part"),
    ("a gamma of no sense", "gomkcn_dgl/kernel_machine.py",
     'check_float("gamma", self.gamma, 0, open_minimum=True)', "pass",
     "test_kernel_machine.py::test_the_gram_matrix_is_that_of_the_kernel"),
]]  # fmt: skip


def main() -> None:
    """Try the named faults, or all; end with an error if a test does not see its fault."""
    known = dict.fromkeys(fault.name for fault in FAULTS)
    names = sys.argv[1:] or list(known)
    if unknown := set(names) - set(known):
        raise SystemExit(f"no fault is called {min(unknown)!r}; there are: {', '.join(known)}.")
    tried = [fault for fault in FAULTS if fault.name in names]
    for fault in tried:
        path = ROOT / fault.file
        times = path.read_text().count(fault.text) if path.exists() else 0
        if times != 1:
            raise SystemExit(f"{fault.name}: {fault.text!r} is {times} times in {fault.file}.")
    failed, seconds = run([], tried)
    if failed:
        raise SystemExit(f"{failed} fails without any fault.")
    print(f"{'without any':<40}{seconds:>4.0f} s  all pass", flush=True)
    killed = 0
    for name in names:
        faults = [fault for fault in tried if fault.name == name]
        failed, seconds = run(faults, faults)
        killed += bool(failed)
        print(f"{name:<40}{seconds:>4.0f} s  {failed or 'LIVES'}", flush=True)
    print(f"{killed} of {len(names)} killed")
    if killed < len(names):
        raise SystemExit(1)


def left_out(folder: str, names: list[str]) -> list[str]:
    """Compiled files, and the links that `tox -e lint` makes in the place of a copy."""
    return [name for name in names if name == "__pycache__" or Path(folder, name).is_symlink()]


def run(faults: list[Fault], tested: list[Fault]) -> tuple[str, float]:
    """The first test of ``tested`` that fails in a new copy with ``faults``, and the time."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        for name in COPIED:
            shutil.copytree(ROOT / name, copy / name, ignore=left_out)
        shutil.copy(ROOT / "setup.cfg", copy)
        for fault in faults:
            path = copy / fault.file
            path.write_text(path.read_text().replace(fault.text, fault.other))
        # machine code of other sources is not used
        own = {"PYTHONPATH": str(copy), "NUMBA_CACHE_DIR": f"{folder}/compiled"}
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        for test in sorted({fault.test for fault in tested}):
            file, case = test.split("::")
            command += [f"{path}::{case}" for path in (copy / "tests").rglob(file)]
        done = subprocess.run(
            command, cwd=copy, env=os.environ | own, capture_output=True, text=True, check=False
        )
    failed = re.search(r"^FAILED .*?::(\w+)", done.stdout, re.MULTILINE)
    # 0: all passed, 1: one failed; else they were not run
    if done.returncode != bool(failed):
        raise SystemExit(f"{' '.join(command)} did not run:\n{done.stdout}{done.stderr}")
    return failed[1] if failed else "", time.perf_counter() - start


if __name__ == "__main__":
    main()
