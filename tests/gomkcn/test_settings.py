"""A setting is said once: options, TOML files and Python have its name, default and range."""

import ast
import inspect
import re
from dataclasses import replace

import click
import pytest
from command_line import gomkcn, refused

from gomkcn import FilterMiner, GOMKClassifier, GOMKKernel, PatternMiner
from gomkcn.commands.main import main
from gomkcn.commands.options import SettingOption, default_of, help_of
from gomkcn.mining.filters.filter_learning import USUAL_KERNEL, FilterLearning
from gomkcn.mining.filters.filters_settings import FiltersSettings
from gomkcn.mining.patterns.mining_settings import RunSettings
from gomkcn.mining.settings.block_settings import BlockSettings
from gomkcn.mining.settings.comparison_settings import ComparisonSettings
from gomkcn.mining.settings.filter_settings import FilterSettings, SeededFilters
from gomkcn.mining.settings.frequent_settings import FrequentSettings
from gomkcn.mining.settings.miner_settings import MinerSettings
from gomkcn.mining.settings.temporal_settings import TemporalSettings
from gomkcn.synthetic.base_models import BASE_GRAPHS
from gomkcn.synthetic.planting_settings import PlantingSettings
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.kernel_settings import KernelSettings
from gomkcn_dgl.runtime.files import parse_toml
from gomkcn_dgl.settings import settings_of
from gomkcn_dgl.training.classifier_settings import ClassifierSettings, MachineSettings

# how classes are read, which a comparison does without
OF_CLASSES = ("class_names", "class_column", "threshold")
# the settings of a command, and what of them is no option: an argument, what a run has no use for,
# what the data say, and what a kernel machine chooses from and another table has
SETTINGS = {
    "mine": (RunSettings, {"path", "values"}),
    "filters": (FiltersSettings, {"path"}),
    "train": (ClassifierSettings, {"path", "relations"}),
    "temporal": (TemporalSettings, {"path"}),
    "frequent": (FrequentSettings, {"path"}),
    "blocks": (BlockSettings, {"path", *OF_CLASSES}),
    "compare": (ComparisonSettings, {"path", "graphs", *OF_CLASSES}),
}
TABLES = {
    (command, name): type(table)
    for command, (settings, _) in SETTINGS.items()
    for name, table in settings().tables().items()
}


def options_of(command):
    return {option.name: option for option in command.params if isinstance(option, click.Option)}


def out_of_range(field):
    """Numbers just outside of the range of a field."""
    known = field.setting
    low = known.above if known.above is not None else known.least
    beyond = [] if low is None else [low if known.above is not None else low - 1]
    return [*beyond, *([] if known.most is None else [known.most * 2 + 1])]


@pytest.mark.parametrize("command", SETTINGS)
def test_each_setting_has_an_option_of_its_name(command):
    settings, others = SETTINGS[command]
    options = options_of(main.commands[command])
    names = {
        field.name for table in settings().tables().values() for field in settings_of(type(table))
    }
    assert names - others <= options.keys()
    for name in names - others:
        assert options[name].opts[0] == f"--{name.replace('_', '-')}"
    # and no option sets what is no setting
    made = {name for name, option in options.items() if isinstance(option, SettingOption)}
    assert made == names - others


@pytest.mark.parametrize(("command", "table"), TABLES)
def test_a_table_of_a_file_has_the_names_and_defaults_of_its_fields(command, table):
    defaults = SETTINGS[command][0]()
    stored = defaults.to_dict()[table]
    assert list(stored) == [field.name for field in settings_of(TABLES[command, table])]
    written = parse_toml(defaults.to_toml().encode())
    for name, value in stored.items():
        assert (
            value is None or written[table][name] == value or tuple(written[table][name]) == value
        )


def test_a_default_in_the_help_is_that_of_the_settings():
    for command, (settings, _) in SETTINGS.items():
        # a kernel machine has choices where a kernel has one value
        tables = {**settings().to_dict()}
        tables.pop("machine", None)
        values = {name: value for table in tables.values() for name, value in table.items()}
        for name, option in options_of(main.commands[command]).items():
            if isinstance(option, SettingOption) and name in values:
                assert option.field.default == values[name], (command, name)
                assert option.default is None
                usual = default_of(option.field)
                assert help_of(option.field).endswith(f"[{usual}]" if usual else "")


@pytest.mark.parametrize(
    ("table", "estimator", "renamed"),
    [
        (MinerSettings, PatternMiner, {}),
        (SeededFilters, FilterMiner, {"count_seconds": None}),
        (KernelSettings, GOMKKernel, {}),
        (MachineSettings, GOMKClassifier, {"seed": "random_state"}),
    ],
)
def test_an_argument_in_python_has_the_name_and_the_default(table, estimator, renamed):
    parameters = inspect.signature(estimator).parameters
    for field in settings_of(table):
        name = renamed.get(field.name, field.name)
        if name is not None:
            assert parameters[name].default == field.default, name


@pytest.mark.parametrize(
    ("table", "estimator", "read_as", "others"),
    [
        (MinerSettings, PatternMiner, {"null": "nulls"}, set()),
        # of another table: the learning and the seed; of no table: what a row of transform is of
        (FilterSettings, FilterMiner, {}, {"learning", "level", "random_state"}),
    ],
)
def test_an_estimator_takes_explains_and_uses_each_setting(table, estimator, read_as, others):
    names = {field.name for field in settings_of(table)}
    assert inspect.signature(estimator).parameters.keys() - {"_"} == names | others
    # 1. in the docstring, where several may share a line
    parameters = (
        inspect.getdoc(estimator).partition("Parameters\n---")[2].partition("\nAttributes\n")
    )
    heads = re.findall(r"^(\w.*?) : ", parameters[0], re.MULTILINE)
    explained = {name for head in heads for name in head.split(", ")}
    assert explained == names | others
    # 2. read of the estimator or its settings, and not of the table, which gives the default
    tree = ast.parse(inspect.getsource(inspect.getmodule(estimator)))
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and ast.unparse(node.value) in ("self", "settings", "self.settings")
    }
    assert {read_as.get(name, name) for name in names} <= used


@pytest.mark.parametrize(("command", "table"), TABLES)
def test_a_range_is_the_same_for_an_option_a_file_and_an_argument(command, table, write):
    kind = TABLES[command, table]
    number = 0
    for field in settings_of(kind):
        if field.has_sizes or {int, float, field.entry}.isdisjoint({*field.types, field.entry}):
            continue
        if {int, float}.isdisjoint({*field.types, field.entry}):
            continue
        for value in out_of_range(field):
            given = (value,) if field.entry is not None and field.types[:1] != (float,) else value
            with pytest.raises(InputError, match=rf"^{field.name} must be ") as python:
                kind(**{field.name: given})
            text = f"[{table}]\n{field.name} = {[value] if isinstance(given, tuple) else value}\n"
            if table == "machine":
                text = f'[model]\nmethod = "kernel"\n{text}'
            with pytest.raises(InputError) as toml:
                SETTINGS[command][0]().read(write("settings.toml", text))
            assert str(toml.value).endswith(str(python.value))
            if field.name in options_of(main.commands[command]) and table != "machine":
                option = field.name.replace("_", "-")
                said = refused(f"{command} none.txt --{option}={value}")
                assert said == f"--{option}{str(python.value).removeprefix(field.name)}"
            number += 1
    assert number or table in ("graph", "data", "compare")


def test_a_name_that_is_not_known_is_refused_with_the_nearest(write):
    for settings in (RunSettings(), FiltersSettings(), ClassifierSettings()):
        with pytest.raises(InputError, match="got 'num_filter'; did you mean 'num_filters'"):
            settings.override({"num_filter": 3})
        with pytest.raises(InputError, match="; known are .*num_filters"):
            settings.override({"q": 3})
        with pytest.raises(
            InputError, match="got 'grph'; did you mean 'graph'|got 'grph'; known are"
        ):
            settings.read(write("settings.toml", "[grph]\n"))


def test_a_list_is_spelled_alike(write):
    for given in ("a,b", ["a", "b"], ("a", "b")):
        assert RunSettings().override({"features": given}).graph.features == ("a", "b")
    read = RunSettings().read(write("settings.toml", '[graph]\nfeatures = "a,b"\n'))
    assert read.graph.features == ("a", "b")
    assert PatternMiner(sources="grown,filters").settings.sources == ("grown", "filters")
    assert ClassifierSettings().override({"split": "0.6,0.2,0.2"}).data.split == (0.6, 0.2, 0.2)
    # commas are within what is repeated
    assert PatternMiner(given="a--b, b--c").settings.given == ("a--b, b--c",)
    for wrong in (3, {"a": 1}):
        with pytest.raises(InputTypeError, match="^features must be a list, got"):
            RunSettings().override({"features": wrong})


def test_values_of_the_wrong_kind_are_refused():
    for table, given in (
        (MinerSettings, {"exact_copies": 1}),
        (MinerSettings, {"null_samples": True}),
        (MinerSettings, {"null_samples": "199"}),
        (MinerSettings, {"count_seconds": "x"}),
        (SeededFilters, {"contrast": 0}),
        (SeededFilters, {"num_filters": "many"}),
        (KernelSettings, {"tau": "1"}),
        (FilterLearning, {"relocate": "yes"}),
        (FilterLearning, {"policy": ["dense"]}),
    ):
        ((name, value),) = given.items()
        with pytest.raises((InputError, InputTypeError), match=f"^{name} must be "):
            table(**given)
        assert field_of(table, name).read(field_of(table, name).default) is not value


def field_of(table, name):
    return next(field for field in settings_of(table) if field.name == name)


def test_settings_do_not_change_and_are_equal_by_value():
    settings = RunSettings().override({"num_levels": 2, "features": ["a"]})
    assert settings.learning.kernel == GOMKKernel(2, tau=USUAL_KERNEL["tau"])
    assert settings == RunSettings().override({"num_levels": 2, "features": "a"})
    with pytest.raises(AttributeError):
        settings.graph.path = "x"
    assert replace(settings) == settings


def test_options_of_base_graphs_and_planting_have_different_names():
    tables = [*BASE_GRAPHS.values(), PlantingSettings]
    names = [field.name for table in tables for field in settings_of(table)]
    assert len({*names}) == len(names)
    options = options_of(main.commands["generate"].commands["planted"])
    assert {*names} <= options.keys()
    assert all(name in gomkcn("generate planted --help") for name in BASE_GRAPHS)
