"""pyproject.toml, environment.yml and constraints.txt say the same, and so does what is installed."""

import re
import sys
import tomllib
from importlib.metadata import distributions, requires, version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
PINS = [line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]


def bounds(lines):
    """The bounds by distribution. An extra of ours stands for what it names; a bound that follows replaces its own."""
    found = {}
    for need in map(Requirement, lines):
        ours = [
            bounds(PROJECT["optional-dependencies"][extra])
            for extra in sorted(need.extras)
            if need.name == "ppdm"
        ]
        for part in ours or [{canonicalize_name(need.name): need.specifier}]:
            found |= part
    return found


LIBRARY = bounds(PROJECT["dependencies"])
NOTEBOOKS = LIBRARY | bounds(PROJECT["optional-dependencies"]["notebooks"])
ALL = NOTEBOOKS | bounds(PROJECT["optional-dependencies"]["dev"])
PINNED = bounds(PINS)


def test_the_library_alone_needs_the_scientific_four_and_what_they_bring():
    four = ["numpy", "pandas", "scipy", "scikit-learn"]
    needs = [Requirement(need) for name in four for need in requires(name) or []]
    brought = {need.name for need in needs if not need.marker or need.marker.evaluate({"extra": ""})}
    assert set(four) <= LIBRARY.keys() <= brought | set(four)


def test_each_extra_holds_what_it_is_for():
    extras = {name: bounds(lines) for name, lines in PROJECT["optional-dependencies"].items()}
    assert extras.keys() == {"plots", "parquet", "parties", "panels", "notebooks", "dev"}
    assert extras["parties"].keys() == {"mpyc", "gmpy2", "cryptography"} <= extras["notebooks"].keys()
    assert extras["plots"].keys() == {"matplotlib", "pillow"}
    assert extras["panels"].keys() == {"matplotlib", "pillow", "ipywidgets"}
    assert extras["panels"].keys() <= extras["notebooks"].keys()
    assert not extras["dev"].keys() & NOTEBOOKS.keys()
    assert not extras["notebooks"]["matplotlib"].contains("3.12"), "the saved pictures need 3.11"


def test_conda_and_pip_ask_for_the_same():
    python, *others = [entry for entry in CONDA["dependencies"] if isinstance(entry, str)]
    assert SpecifierSet(PROJECT["requires-python"]).contains(
        python.removeprefix("python=")
    )  # more: test_binder.py
    conda = bounds(others)
    assert conda.pop("pip") == SpecifierSet()
    assert conda | bounds(PROJECT["optional-dependencies"]["parties"]) == NOTEBOOKS


def test_conda_takes_all_but_the_project_itself_and_its_parties_from_conda_forge():
    assert CONDA["channels"] == ["conda-forge", "nodefaults"]
    assert [entry for entry in CONDA["dependencies"] if isinstance(entry, dict)] == [{"pip": ["-e .[parties]"]}]


def test_every_dependency_is_bounded_above():
    assert [name for name, specifier in ALL.items() if not {"<", "=="} & {s.operator for s in specifier}] == []


def test_a_constraint_is_one_exact_version_and_no_address():
    assert [line for line in PINS if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*", line)] == []


@pytest.mark.parametrize("name", ALL)
def test_every_dependency_is_pinned_within_its_bounds(name):
    assert ALL[name].contains(str(PINNED[name]).removeprefix("=="))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_is_installed_is_within_the_bounds(name):
    assert NOTEBOOKS[name].contains(version(name))


@pytest.mark.skipif(
    Path(sys.prefix) != ROOT / ".venv", reason="only `make` promises the pinned versions, in .venv"
)
def test_what_make_installed_is_what_is_pinned():
    installed = {canonicalize_name(found.name): found.version for found in distributions()}
    both = PINNED.keys() & installed.keys()  # some are for certain systems only
    assert both >= ALL.keys()
    assert {name: installed[name] for name in both if not PINNED[name].contains(installed[name])} == {}


def test_the_citation_names_this_version_and_the_papers():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= cited.keys()
    assert (cited["version"], cited["license"]) == (PROJECT["version"], PROJECT["license"])
    years = {entry["authors"][0]["family-names"]: entry.get("year") for entry in cited["references"]}
    # The manuscript without a title page has no year that anyone could check.
    assert years == {"Agrawal": 2000, "Li": 2003, "Islam": 2003, "Du": 2003, "Zhan": None, "Vaidya": 2004}
