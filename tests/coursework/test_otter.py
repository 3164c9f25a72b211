"""otter-grader itself takes the build as it is: student version, autograder, marks. Installed for this test only."""

import json
import re

import pytest
from leaks import leaks, secrets
from sheets import read_sheet
from student import main

from .conftest import CACHE, call, environment

VERSION = "7.0.0"


@pytest.fixture(scope="module")
def python():
    return environment(CACHE / f"otter-grader-{VERSION}", f"otter-grader=={VERSION}")


@pytest.fixture(scope="module")
def assigned(python, small, tmp_path_factory):
    """The folder that otter assign makes of the build; it stops if the solution does not get full marks."""
    folder = tmp_path_factory.mktemp("otter") / "build"
    assert main(["--for", "otter", "--sheets", str(small), "--to", str(folder)]) == 0
    told = call(python, folder / "w1", "otter", "assign", "w1.ipynb", "dist", "-v")
    assert "All autograder tests passed" in told
    assert re.search(r"Total points: 20\s.*Autograded: +14\s.*Manual: +6\s", told, re.DOTALL)
    return folder / "w1" / "dist"


def test_an_untouched_sheet_gets_no_automatic_points(python, assigned):
    (archive,) = assigned.glob("autograder/*.zip")
    call(python, assigned, "otter", "run", "student/w1.ipynb", "-a", str(archive))
    tests = json.loads((assigned / "results.json").read_text(encoding="utf-8"))["tests"]
    found = {test["name"]: test["score"] for test in tests if "max_score" in test}
    assert {name: points for name, points in found.items() if points} == {}
    assert len(found) >= 4


def test_the_students_version_shows_nothing_of_a_solution(assigned, small):
    hidden = secrets([read_sheet(small / "w1-small.ipynb")], small / "oracles")
    assert leaks(assigned / "student", hidden) == []
    assert leaks(assigned / "autograder", hidden)  # the same search finds them where they are
    notebook = json.loads((assigned / "student" / "w1.ipynb").read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert '    """Twice the number."""\n    raise NotImplementedError("w1.2")\n' in "".join(sources)
    assert "# Your code" in sources
    assert "*Your answer*" in sources
    assert {path.name for path in (assigned / "student").rglob("*.py")} == {"__init__.py", "w1.py"}
