"""What a release needs: one version, and the same requirements for pip and conda."""

import base64
import configparser
import hashlib
import importlib.util
import re
import runpy
import shutil
import zipfile
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from documented import install_lines
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
# what conda-forge calls otherwise
CONDA = {"torch": "pytorch", "igraph": "python-igraph"}
config = configparser.ConfigParser()
config.read(ROOT / "setup.cfg")
CONSTRAINTS = (ROOT / "constraints.txt").read_text().splitlines()


@pytest.mark.parametrize("name", ["CITATION.cff", "recipe/recipe.yaml"])
def test_the_version_is_that_of_setup_cfg(name):
    (version,) = re.findall(r"^ *version: \"?([\d.]+)\"?$", (ROOT / name).read_text(), re.M)
    assert version == config["metadata"]["version"]


def of_setup():
    """What setup.cfg requires, a line each."""
    lines = config["options"]["install_requires"].splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def requirements():
    """Of each requirement of setup.cfg the name, the versions, and the condition on Python."""
    for line in of_setup():
        name, versions, _, condition = re.fullmatch(
            r"([\w-]+)([^;]*)(; python_version (.*))?", line
        ).groups()
        yield name, versions, (condition or "").replace('"', "").replace(" ", "")


def test_the_recipe_requires_what_setup_cfg_requires_but_for_dgl():
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text()
    run = recipe.split("  run:\n")[1].split("\n\n")[0]
    # - NAME VERSIONS, or of some versions of Python alone
    rows = re.findall(r'- (?:if: match\(python, "(.*)"\)\n *then: )?(.*)', run)
    expected = {
        (condition, f"{CONDA.get(name, name)} {versions}".strip())
        for name, versions, condition in requirements()
        if name != "dgl"
    }
    assert {*rows} == expected | {("", "python")}
    assert len(rows) == len({*rows})


def test_the_recipe_tries_what_is_installed():
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text()
    imported = re.search(r"imports: \[(.*)\]", recipe)[1].split(", ")
    assert imported == [*re.findall(r"(\S+) = ", config["options"]["package_dir"])]


def test_what_is_submitted_has_the_archive_of_the_release():
    submitted = runpy.run_path(str(ROOT / "recipe" / "submitted.py"))["submitted"]
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text()
    text = submitted(recipe, b"archive", "someone")
    assert f"  sha256: {hashlib.sha256(b'archive').hexdigest()}\n" in text
    assert text.endswith("  recipe-maintainers:\n    - someone\n")
    assert "../dist" not in text
    with pytest.raises(ValueError, match=r"must have this line once: path: \.\./dist"):
        submitted(text, b"archive", "someone")


page_of = runpy.run_path(str(ROOT / "setup.py"))["page_of"]
README = (ROOT / "README.md").read_text("utf-8")
TARGETS = [
    target for _, _, target in runpy.run_path(str(ROOT / "setup.py"))["LINK"].findall(README)
]


def test_links_of_the_page_of_pypi_lead_to_the_tag():
    page = page_of(README, "https://example.org/x", "v1")
    links = re.findall(r"\]\(([^)]*)\)", page)
    assert all(link.startswith("https://") for link in links)
    assert "![" in page and "https://example.org/x/raw/v1/docs/static/filters.png" in links
    assert "https://example.org/x/blob/v1/docs/start.md" in links
    # nothing else is changed
    assert (
        page.replace("https://example.org/x/blob/v1/", "").replace(
            "https://example.org/x/raw/v1/", ""
        )
        == README
    )


def test_without_an_address_no_link_of_the_page_is_broken():
    page = page_of(README, "", "v1")
    assert "![" not in page and "start here, gallery of real reports" in page
    assert all(link.startswith("https://") for link in re.findall(r"\]\(([^)]*)\)", page))


@pytest.mark.parametrize("target", sorted({target.partition("#")[0] for target in TARGETS}))
def test_what_the_readme_links_to_exists(target):
    assert (ROOT / target).exists()


def test_an_archive_holds_the_constraints_that_readme_names():
    (name,) = {line.split(" -c ")[1].split()[0] for line in install_lines() if " -c " in line}
    assert f"include {name}\n" in (ROOT / "MANIFEST.in").read_text()
    assert (ROOT / name).exists()


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.12", "3.13"])
def test_each_python_has_at_most_one_version_of_a_package(python):
    """All that are required have one; a condition leaves none out but what that Python lacks."""
    lines = [Requirement(line) for line in CONSTRAINTS if line and not line.startswith("#")]
    of_python = {"python_version": python}
    held = [one for one in lines if one.marker is None or one.marker.evaluate(of_python)]
    names = [canonicalize_name(one.name) for one in held]
    assert len(names) == len(set(names))
    assert all(len(one.specifier) == 1 and "==" in str(one.specifier) for one in held)
    required = {
        canonicalize_name(one.name)
        for one in map(Requirement, of_setup())
        if one.marker is None or one.marker.evaluate(of_python)
    }
    assert required <= set(names)


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
