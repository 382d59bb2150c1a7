"""What gets installed is what is in the tree, and importing the core stays light."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

FOLDERS = ("envs", "agents", "openspiel", "testing", "cli", "web", "widget", "benchmarks")
EXTRAS = (
    "PIL",
    "anywidget",
    "jax",
    "matplotlib",
    "openskill",
    "pygame",
    "resvg_py",
    "rich",
    "sb3_contrib",
    "stable_baselines3",
    "starlette",
    "torch",
    "typer",
    "uvicorn",
    "websockets",
)


def packaged_files(root: Path) -> set[str]:
    """Files under the package folders, as they should be named in a wheel."""
    return {
        f"ludotheque/{path.relative_to(root).as_posix()}"
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }


@pytest.fixture(scope="module")
def project(root: Path) -> dict:
    """The table [project] of pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel built from that archive.

    It is built from a copy: setuptools leaves a folder `build`, whose stale files would get into
    the next wheel.
    """
    pytest.importorskip("build")
    copy = tmp_path_factory.mktemp("tree")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, copy)
    for folder in FOLDERS:
        shutil.copytree(
            root / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", ".*")
        )
    out = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(copy)],
        capture_output=True,
        text=True,
        cwd=out,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.fixture(scope="module")
def wheel_names(built: Path) -> set[str]:
    (path,) = built.glob("*.whl")
    return set(zipfile.ZipFile(path).namelist())


def test_wheel_holds_every_module_and_data_file_of_the_tree(root: Path, wheel_names: set[str]):
    expected = packaged_files(root)
    inside = {name for name in wheel_names if ".dist-info/" not in name}
    assert sorted(expected - inside) == [], "in the tree, not in the wheel: see pyproject.toml"
    assert sorted(inside - expected) == [], "in the wheel, not in the tree"


def test_wheel_brings_one_top_level_name(wheel_names: set[str]):
    tops = {name.split("/")[0] for name in wheel_names if ".dist-info/" not in name}
    assert tops == {"ludotheque"}


def test_namespace_has_no_init(root: Path, wheel_names: set[str]):
    """With an `__init__.py`, other distributions could no longer add to the namespace."""
    assert "ludotheque/__init__.py" not in wheel_names
    assert not (root / "__init__.py").exists()


def test_wheel_carries_licence_and_command(wheel_names: set[str], built: Path):
    (licence,) = [name for name in wheel_names if name.endswith("licenses/LICENSE")]
    (entry,) = [name for name in wheel_names if name.endswith("entry_points.txt")]
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        assert b"MIT License" in wheel.read(licence)
        assert b"ludotheque = ludotheque.cli:main" in wheel.read(entry)


def test_source_archive_holds_the_same_files(root: Path, built: Path):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        inside = {f"ludotheque/{name.split('/', 1)[-1]}" for name in archive.getnames()}
    assert sorted(packaged_files(root) - inside) == []


def test_every_package_folder_is_declared(root: Path):
    """A new package missing from the list works in the checkout but not when installed."""
    declared = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    found = {
        "ludotheque." + path.parent.relative_to(root).as_posix().replace("/", ".")
        for folder in FOLDERS
        for path in (root / folder).rglob("__init__.py")
    }
    assert found == set(declared["tool"]["setuptools"]["packages"])


def test_pages_name_the_version(root: Path, project: dict):
    version = project["version"]
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## \[(.+?)\]", changelog, flags=re.MULTILINE)
    assert newest is not None and newest.group(1) == version
    assert version in (root / "README.md").read_text("utf-8")
    assert f"\nversion: {version}\n" in (root / "CITATION.cff").read_text("utf-8")


def test_hooks_and_workflow_run_what_make_runs(root: Path):
    """Commits, pushes and continuous integration run the same checks."""
    hooks = (root / ".pre-commit-config.yaml").read_text("utf-8")
    makefile = (root / "Makefile").read_text("utf-8")
    workflow = (root / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    for check in ("ruff check", "ruff format", "types"):
        assert check in hooks and check in makefile
    assert "bash .ci/run" in workflow
    assert "make lint docs" in (root / ".ci" / "run").read_text("utf-8")
    assert re.search(r'python: \["3\.11", "3\.12", "3\.13"\]', workflow)


def test_every_package_says_that_it_has_types(wheel_names: set[str]):
    assert {f"ludotheque/{folder}/py.typed" for folder in FOLDERS} <= wheel_names


def test_dependencies_have_both_bounds(project: dict):
    """A range without an upper bound breaks on the day of another project's release."""
    tools = ("setuptools",)  # builds from any recent version
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    for requirement in (line for group in groups for line in group):
        if requirement.startswith(("ludotheque[", *tools)):
            continue
        assert ">=" in requirement and "<" in requirement, requirement


def test_pinned_torch_lies_in_its_range(root: Path, project: dict):
    """`make` installs torch first: outside the range, pip would download it again."""
    from packaging.requirements import Requirement

    pinned = re.search(r"^TORCH \?= torch==(\S+)", (root / "Makefile").read_text(), re.MULTILINE)
    (torch,) = [
        requirement
        for requirement in map(Requirement, project["optional-dependencies"]["train"])
        if requirement.name == "torch"
    ]
    assert pinned is not None and torch.specifier.contains(pinned.group(1))


def test_core_imports_no_extra(run_python):
    code = (
        "import json, sys\n"
        "import ludotheque.envs\n"
        f"print(json.dumps([name for name in {EXTRAS!r} if name in sys.modules]))"
    )
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


@pytest.mark.parametrize("module", ["agents.sb3", "agents.ppo"])
@pytest.mark.parametrize("missing", ["stable_baselines3", "torch"])
def test_without_train_its_modules_say_what_to_install(run_python, module: str, missing: str):
    done = run_python(
        f"import sys; sys.modules[{missing!r}] = None\nimport ludotheque.{module}",
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith('Try: pip install "ludotheque[train]"')
