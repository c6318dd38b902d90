"""What a release needs: one version, and the same requirements for pip and conda."""

import configparser
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# what conda-forge calls otherwise
CONDA = {"torch": "pytorch", "igraph": "python-igraph"}
config = configparser.ConfigParser()
config.read(ROOT / "setup.cfg")


@pytest.mark.parametrize("name", ["CITATION.cff", "recipe/recipe.yaml"])
def test_the_version_is_that_of_setup_cfg(name):
    (version,) = re.findall(r"^ *version: \"?([\d.]+)\"?$", (ROOT / name).read_text(), re.M)
    assert version == config["metadata"]["version"]


def test_the_recipe_requires_what_setup_cfg_requires():
    lines = config["options"]["install_requires"].splitlines()
    wanted = [
        re.fullmatch(r"([\w-]+)([^;]*)(;.*)?", line).groups()
        for line in lines
        if line and not line.startswith("#")
    ]
    # conda has no conditions on the version of Python for packages of any
    expected = {f"{CONDA.get(name, name)} {rule}".strip() for name, rule, _ in wanted}
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text()
    run = recipe.split("  run:\n")[1].split("\n\n")[0]
    assert set(re.findall(r"- (.*)", run)) == expected | {"python >=3.10"}


def test_every_folder_of_modules_is_installed():
    folders = dict(re.findall(r"(\S+) = (\S+)", config["options"]["package_dir"]))
    expected = {
        f"{package}.{'.'.join(path.parent.relative_to(ROOT / folder).parts)}".rstrip(".")
        for package, folder in folders.items()
        for path in (ROOT / folder).rglob("__init__.py")
        # the links that `tox -e lint` makes
        if not any(parent.is_symlink() for parent in path.parents)
    }
    assert set(config["options"]["packages"].split()) == expected
