"""What a release needs: one version, and the same requirements for pip and conda."""

import base64
import configparser
import hashlib
import importlib.util
import re
import shutil
import zipfile
from pathlib import Path

import llvmlite.binding as llvm
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


@pytest.fixture
def tagged_wheel():
    """The script of the release, which lies in no package."""
    spec = importlib.util.spec_from_file_location("tagged_wheel", ROOT / "recipe/tagged_wheel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_tagged_wheel_is_the_pure_one_with_machine_code_by_its_own_record(tagged_wheel, tmp_path):
    pure = tmp_path / "gomkcn_dgl-1.0-py3-none-any.whl"
    usual = "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n\n"
    with zipfile.ZipFile(pure, "w") as wheel:
        wheel.writestr("gomkcn/__init__.py", "a = 1\n")
        wheel.writestr("gomkcn_dgl-1.0.dist-info/WHEEL", usual)
        wheel.writestr("gomkcn_dgl-1.0.dist-info/RECORD", "gomkcn/__init__.py,sha256=x,6\n")
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "contents.json").write_bytes(b"{}")
    path = tagged_wheel._write(pure, folder, "cp311-cp311-manylinux_2_17_x.manylinux2014_x")
    assert path.name == "gomkcn_dgl-1.0-cp311-cp311-manylinux_2_17_x.manylinux2014_x.whl"
    with zipfile.ZipFile(path) as wheel:
        content = {name: wheel.read(name) for name in wheel.namelist()}
    record = content.pop("gomkcn_dgl-1.0.dist-info/RECORD").decode().splitlines()
    digests = {
        name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        for name, data in content.items()
    }
    assert record == [
        *(f"{name},sha256={digests[name]},{len(data)}" for name, data in content.items()),
        "gomkcn_dgl-1.0.dist-info/RECORD,,",
    ]
    assert content["gomkcn/__init__.py"] == b"a = 1\n"
    assert content["gomkcn_dgl/machine_code/contents.json"] == b"{}"
    head = content["gomkcn_dgl-1.0.dist-info/WHEEL"].decode().splitlines()
    assert "Root-Is-Purelib: false" in head
    tags = [line for line in head if line.startswith("Tag")]
    assert tags == ["Tag: cp311-cp311-manylinux_2_17_x", "Tag: cp311-cp311-manylinux2014_x"]


@pytest.mark.skipif(not shutil.which("nm"), reason="needs nm of the system")
@pytest.mark.parametrize(
    ("name", "is_everywhere"),
    [("NRT_Free", True), ("PyLong_FromLong", True), ("exp", True), ("__svml_exp4", False)],
)
def test_code_that_expects_what_a_system_may_lack_is_refused(
    tagged_wheel, tmp_path, name, is_everywhere
):
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(
        f"declare void @{name}()\ndefine void @work() {{ call void @{name}() ret void }}"
    )
    machine = llvm.Target.from_default_triple().create_target_machine()
    (tmp_path / "work.o").write_bytes(machine.emit_object(module))
    if is_everywhere:
        tagged_wheel._check_names(tmp_path)
    else:
        with pytest.raises(SystemExit, match=name):
            tagged_wheel._check_names(tmp_path)
