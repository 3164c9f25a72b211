"""The wheel: what is in it, and that the library works where nothing but its own requirements is installed."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BUILT_FROM = ["pyproject.toml", "README.md", "LICENSE", "ppdm", "widgets"]
# What the extras bring: a library inside a service has no use for it.
EXTRAS = ["matplotlib", "PIL", "ipywidgets", "IPython", "jupyterlab", "jupyter_core", "nbval", "pytest", "tqdm"]

OPENED = """
import json, sys
opened = []
sys.addaudithook(lambda event, values: event == "open" and opened.append(str(values[0])))
import ppdm
print(json.dumps(opened))
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="an empty environment is made of symbolic links")


def closure(names):
    """The distributions that these need here, without any extra: they themselves, what they need, and so on."""
    found, left = {}, list(names)
    while left:
        name = canonicalize_name(left.pop())
        if name not in found:
            found[name] = distribution(name)
            needs = map(Requirement, found[name].requires or [])
            left += [need.name for need in needs if not need.marker or need.marker.evaluate({"extra": ""})]
    return found


def link(distributions, site):
    """Make a distribution's top-level files and folders visible from another site-packages, and nothing else."""
    for found in distributions.values():
        for top in {file.parts[0] for file in found.files} - {"..", "__pycache__"}:
            (site / top).symlink_to(found.locate_file(top))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy, so that no build folder is left behind and no old one is taken in."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, tree)
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(out)!r})"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", build], cwd=tree, check=True, capture_output=True, timeout=120
    )
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def bare_python(wheel, tmp_path_factory):
    """A Python that sees the installed wheel and links to the distributions that it requires."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    python = folder / "bin" / "python"
    link(closure(Requirement(need).name for need in PROJECT["project"]["dependencies"]), site)
    command = [
        sys.executable,
        "-m",
        "pip",
        f"--python={python}",
        "install",
        "-qq",
        "--no-deps",
        "--no-index",
        wheel,
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)

    def run(code):
        command = [python, "-W", "error", "-c", code]
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_wheel_holds_every_package_with_its_data(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("ppdm/**/*.py")}
    panels = {f"ppdm/widgets/{path.name}" for path in ROOT.glob("widgets/*.py")}
    data = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("ppdm/data/[!_]*/*.*")} | {
        "ppdm/data/SOURCES.md"
    }
    assert modules | panels | data | {"ppdm/py.typed"} <= names
    others = names - modules - panels - data - {"ppdm/py.typed"}
    assert {name.partition("/")[0] for name in others} == {f"ppdm-{PROJECT['project']['version']}.dist-info"}


def test_the_readmes_example_needs_the_library_alone(bare_python):
    example = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    promised = re.search(r"# ([\d.]+)", example.splitlines()[-1])[1]
    assert bare_python(example).strip() == promised


def test_the_command_is_installed_and_needs_the_library_alone(bare_python):
    code = """
import subprocess, sys
from pathlib import Path
done = subprocess.run([Path(sys.executable).with_name("ppdm"), "--help"], capture_output=True, text=True, check=True)
print(done.stdout.split()[:2])"""
    assert bare_python(code).strip() == "['usage:', 'ppdm']"


def test_no_extra_comes_with_the_library(bare_python):
    there = f"import importlib.util as u; print([name for name in {EXTRAS} if u.find_spec(name)])"
    assert bare_python(there).strip() == "[]"


def test_all_but_figures_panels_and_engines_of_parties_imports_without_extras(bare_python):
    engines = {f"ppdm.parties.{name}" for name in ("columns", "party", "shamir", "sums")}
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in ROOT.glob("ppdm/**/*.py")
        if "plots" not in path.parts
    }
    bare_python(f"import importlib\nfor name in {sorted(names - engines)}:\n    importlib.import_module(name)")


def test_parties_say_what_they_need(bare_python):
    code = """
from ppdm import parties
try:
    parties.local({"a": None, "b": None, "c": None})
except ImportError as error:
    print(error)"""
    assert bare_python(code).strip() == (
        'parties need mpyc, gmpy2, cryptography; expected an installation by: pip install "ppdm[parties]"'
    )


def test_a_sweep_needs_no_progress_bar(bare_python):
    code = "from ppdm import sweep\nprint(len(sweep(lambda n, rng: n, {'n': [1, 2]}, repeats=2, jobs=1)))"
    assert bare_python(code).strip() == "4"


def test_importing_the_package_reads_no_source(bare_python):
    bare_python("import ppdm")  # leaves compiled files, if none were there
    assert [name for name in json.loads(bare_python(OPENED)) if re.search(r"[/\\]ppdm[/\\].*\.py$", name)] == []
