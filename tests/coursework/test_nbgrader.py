"""nbgrader itself takes the build as it is: release, marks, feedback. It is installed for this test only."""

import json
import shutil
import sqlite3

import nbformat
import pytest
from leaks import leaks, secrets
from sheets import read_sheet
from student import main

from .conftest import CACHE, call, environment

VERSION = "0.9.6"


@pytest.fixture(scope="module")
def python():
    return environment(CACHE / f"nbgrader-{VERSION}", f"nbgrader=={VERSION}")


@pytest.fixture(scope="module")
def graded(python, small, tmp_path_factory):
    """The folder of a course after everything that a lecturer does: two students handed in, everything is marked."""
    folder = tmp_path_factory.mktemp("nbgrader") / "course"
    assert main(["--for", "nbgrader", "--sheets", str(small), "--to", str(folder)]) == 0
    call(python, folder, "nbgrader", "generate_assignment", "w1")
    for student, source in (("solved", folder / "source"), ("untouched", folder / "release")):
        handed_in = folder / "submitted" / student / "w1"
        handed_in.mkdir(parents=True)
        shutil.copy(source / "w1" / "w1.ipynb", handed_in)
    without_hidden_checks(folder / "submitted" / "solved" / "w1" / "w1.ipynb")
    call(python, folder, "nbgrader", "autograde", "w1")
    call(python, folder, "nbgrader", "generate_feedback", "w1")
    return folder


def without_hidden_checks(path):
    """A student has the release, so the hidden checks are not in what a student hands in."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.partition("### BEGIN HIDDEN TESTS")[0]
    nbformat.write(notebook, path)


def scores(folder):
    """The automatic points in the gradebook: student, cell, points."""
    query = """
        SELECT submitted_assignment.student_id, base_cell.name, grade.auto_score FROM grade
        JOIN base_cell ON grade.cell_id = base_cell.id
        JOIN submitted_notebook ON grade.notebook_id = submitted_notebook.id
        JOIN submitted_assignment ON submitted_notebook.assignment_id = submitted_assignment.id"""
    with sqlite3.connect(folder / "gradebook.db") as gradebook:
        rows = gradebook.execute(query).fetchall()
    found = {}
    for student, cell, points in rows:
        found.setdefault(student, {})[cell] = points
    return found


FULL = {"w1-1-check": 1, "w1-2-check": 4, "w1-2-hidden": 2, "w1-3-check": 4, "w1-3-hidden": 2, "w1-5-check": 1}


def test_a_solved_sheet_gets_all_automatic_points_and_an_untouched_one_none(graded):
    found = scores(graded)
    text = {name: found[name].pop("w1-4-answer-text") for name in found}
    assert found == {"solved": FULL, "untouched": dict.fromkeys(FULL, 0)}
    assert text == {"solved": None, "untouched": 0}  # a text that is written waits for somebody to read it


def test_the_release_shows_nothing_of_a_solution(graded, small):
    hidden = secrets([read_sheet(small / "w1-small.ipynb")], small / "oracles")
    assert leaks(graded / "release", hidden) == []
    assert leaks(graded / "source", hidden)  # the same search finds them where they are
    notebook = json.loads((graded / "release" / "w1" / "w1.ipynb").read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert "guess = None  # per cent\n# Your code" in sources
    assert '    """Twice the number."""\n    # Your code\n    raise NotImplementedError("w1.2")\n' in "".join(
        sources
    )
    assert "# Further checks stand here when your sheet is marked." in sources
    assert "*Your answer*" in sources
    assert {path.name for path in (graded / "release").rglob("*.py")} == {"__init__.py", "w1.py"}


def test_each_student_gets_feedback(graded):
    for student in ("solved", "untouched"):
        page = (graded / "feedback" / student / "w1" / "w1.html").read_text(encoding="utf-8")
        assert "Task number 2" in page


def test_the_solution_is_valid(python, graded):
    told = call(python, graded, "nbgrader", "validate", "source/w1/w1.ipynb")
    assert "Success" in told
