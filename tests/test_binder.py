"""environment.yml serves Binder as it is. What Binder does with it, as far as it can be done without conda:

it finds the file and its Python; it stages the repository, because pip installs a part of it; it runs that pip step in
the repository's folder; it opens a notebook in JupyterLab. The packages that conda would bring are those of the same
names that are installed here, and no others are there. Not tried: conda itself, its solver, and its Python.
"""

import ast
import json
import re
import subprocess
import sys
import urllib.request
from importlib.metadata import Distribution, distribution, packages_distributions
from pathlib import Path

import nbformat
import pytest
import yaml
from lab import free_port, served_at, wait_for
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
FILE = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
NAMES = [re.match(r"[\w.-]+", entry)[0] for entry in FILE["dependencies"] if isinstance(entry, str)]
(PIP_STEP,) = FILE["dependencies"][-1]["pip"]
NOTEBOOKS = sorted(ROOT.glob("notebooks/**/*.ipynb"))
START = "notebooks/00-start-here.ipynb"
# Where Binder looks first, and what it would build from instead of environment.yml.
OTHERS = ("binder", ".binder", "Dockerfile", "postBuild", "start", "apt.txt", "runtime.txt", "requirements.txt")
PYTHONS = {f"3.{minor}" for minor in range(8, 15)}  # of which Binder has a base, at the end of 2025


def closure() -> dict[str, Distribution]:
    """The distributions that environment.yml names, with all that they need."""
    found: dict[str, Distribution] = {}
    project = PIP_STEP.removeprefix("-e .")
    waiting = [Requirement(name) for name in NAMES if name not in ("python", "pip")] + [
        Requirement(f"ppdm{project}")
    ]
    seen = set()
    while waiting:
        need = waiting.pop()
        name = canonicalize_name(need.name)
        if (name, frozenset(need.extras)) in seen:
            continue
        seen.add((name, frozenset(need.extras)))
        found[name] = distribution(name)
        for line in found[name].requires or []:
            other = Requirement(line)
            if any(not other.marker or other.marker.evaluate({"extra": extra}) for extra in {"", *need.extras}):
                waiting.append(other)
    return found


@pytest.fixture(scope="module")
def named():
    return closure()


def test_binder_finds_the_file_and_a_python_that_it_has():
    assert [name for name in OTHERS if (ROOT / name).exists()] == []
    (python,) = [entry for entry in FILE["dependencies"] if re.match("python[^-]", str(entry))]
    version = re.fullmatch(
        r"python=(\d+\.\d+)", python
    )  # of a range such as >=3.11 it would take its default, 3.10
    assert version, "Binder reads the Python of environment.yml if it is one minor version, as in python=3.12"
    assert version[1] in PYTHONS
    project = re.search(r'requires-python = "(.*)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert SpecifierSet(project[1]).contains(version[1])


def imported(source: str) -> set[str]:
    """The packages that a cell or a module imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module))
    return {name.partition(".")[0] for name in found}


def test_everything_that_notebooks_and_checks_import_is_named(named):
    sources = [
        cell.source for path in NOTEBOOKS for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"
    ]
    sources += [path.read_text(encoding="utf-8") for path in ROOT.glob("notebooks/coursework/oracles/*.py")]
    modules = [*ROOT.glob("ppdm/**/*.py"), *ROOT.glob("widgets/*.py")]
    optional = {"pyarrow"}  # for Parquet, on demand
    sources += [path.read_text(encoding="utf-8") for path in modules]
    wanted = set().union(*map(imported, sources)) - {"ppdm", "oracles"} - optional - set(sys.stdlib_module_names)
    known = packages_distributions()
    brought = {
        module for module in wanted if {canonicalize_name(name) for name in known.get(module, [])} & named.keys()
    }
    assert brought == wanted


def link(found: Distribution, site: Path, prefix: Path) -> None:
    """Let an installed distribution stand in another environment, too."""
    here = Path(found.locate_file(""))
    for file in found.files or []:
        if file.parts[0] != "..":
            place = site / file.parts[0]
            source = here / file.parts[0]
        elif "share" in file.parts or "etc" in file.parts:
            source = Path(found.locate_file(file)).resolve()
            place = prefix / Path(*file.parts[file.parts.index("share" if "share" in file.parts else "etc") :])
        else:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            place.symlink_to(source)


def run(command, folder, **more):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def staged(named, tmp_path_factory):
    """The repository's folder as Binder has it, and the Python of an environment after both steps."""
    home = tmp_path_factory.mktemp("jovyan")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("which files belong to the repository is known by git alone")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes((ROOT / name).read_bytes())
    prefix = tmp_path_factory.mktemp("conda")
    run([sys.executable, "-m", "venv", "--without-pip", prefix], home)
    python = prefix / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    (site,) = [path for path in prefix.rglob("site-packages") if path.is_dir()][:1]
    for name, found in named.items():
        if name != "ppdm":
            link(found, site, prefix)
    link(distribution("setuptools"), site, prefix)  # pip fetches it for a build; here it stands ready
    command = [sys.executable, "-m", "pip", f"--python={python}", "install", "-qq", "--disable-pip-version-check"]
    run([*command, "--no-index", "--no-build-isolation", *PIP_STEP.split()], home)
    return home, python


def test_after_the_two_steps_the_notebooks_have_all_that_they_import(staged):
    home, python = staged
    lines = sorted(
        {
            line
            for path in NOTEBOOKS
            if path.parent.name == "notebooks"
            for cell in nbformat.read(path, 4).cells
            if cell.cell_type == "code"
            for line in cell.source.splitlines()
            if re.match(r"(import|from) [\w.]+( import [\w, ]+)?( as \w+)?$", line)
        }
    )
    told = "import ppdm; print(ppdm.__file__)"
    found = run([python, "-I", "-c", "\n".join([*lines, told])], home / "notebooks", env={"MPLBACKEND": "agg"})
    assert len(lines) > 50
    assert Path(found.strip()).is_relative_to(home)


def test_after_the_two_steps_the_first_notebook_runs(staged):
    home, python = staged
    script = f"""
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read({START!r}, as_version=4)
notebook.cells = notebook.cells[:16]
NotebookClient(notebook, kernel_name="python3", resources={{"metadata": {{"path": "notebooks"}}}}).execute()
print(sum("image/png" in output.get("data", {{}}) for cell in notebook.cells for output in cell.get("outputs", [])))
"""
    told = run([python, "-I", "-c", script], home, env={"HOME": str(home), "PPDM_PROGRESS": "off"})
    assert int(told) >= 2


def test_after_the_two_steps_jupyterlab_shows_the_first_notebook(staged, tmp_path):
    home, python = staged
    site = f"http://127.0.0.1:{(port := free_port())}"
    command = [python, "-I", *served_at(port)]
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=home, env={"HOME": str(tmp_path)}, stdout=log, stderr=log)
        try:
            wait_for(server, site)
            with urllib.request.urlopen(f"{site}/lab/tree/{START}", timeout=20) as answer:
                assert "JupyterLab" in answer.read().decode()
            with urllib.request.urlopen(f"{site}/api/contents/{START}?content=0", timeout=20) as answer:
                assert json.load(answer)["type"] == "notebook"
        finally:
            server.kill()
            server.wait()
