"""For tests of the course: a small sheet with its checks, and environments of their own for other projects' tools."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from rerun import COURSE, FOLDER

ROOT = FOLDER.parent
CACHE = ROOT / "build" / "cache"
IN_CI = bool(os.environ.get("CI"))

CHECKS = """
from oracles import Student, WrongAnswerError, prediction

def w1_1(guess):
    return prediction(guess, 0, 100)

def w1_2(double):
    if double(2) != 4:
        raise WrongAnswerError(f"Twice 2 is 4; double(2) is {double(2)}.")
    return "twice 2 is 4."

def w1_3(me: Student, share):
    if not isinstance(share, float):
        raise WrongAnswerError(f"share is {share!r}; we expect a number.")
    return "share is a number."

def w1_5(other):
    return prediction(other, 0, 100)
"""

HIDDEN = '''
from collections.abc import Callable

import numpy as np

from oracles import Student, WrongAnswerError, w1

SECRET_CASES = [3, 5.5, -1]


def own_share(me: Student) -> float:
    """Nobody may see how the reference is computed."""
    return float(np.mean(me.rng("w1.3").random(100)))


REFERENCES = {"w1.3": own_share}


def w1_2(double: Callable) -> str:
    for number in SECRET_CASES:  # a comment that nobody may see
        _same(double(number), 2 * number, "some other numbers")
    return w1.w1_2(double)


def _same(found, right, kind):
    """Not the same: wrong."""
    if found != right:
        raise WrongAnswerError(f"Wrong for {kind}.")


def w1_3(me: Student, share) -> str:
    _same(round(share, 9), round(REFERENCES["w1.3"](me), 9), "your own numbers")
    return "it is the share of your own numbers."
'''

DOUBLE = '''def double(number):
    """Twice the number."""
    ### BEGIN SOLUTION
    # A comment of the solution.
    twice_the_number = number + number
    return twice_the_number
    ### END SOLUTION


def kept(number):
    return double(number)'''


def task(number: int, details: str):
    return new_markdown_cell(
        f"### w1.{number} Task number {number} ({details})\n\nSee [the lesson](../00-start-here.ipynb#first).",
        metadata={"tags": ["task"], "ppdm": {"task": f"w1.{number}"}},
    )


def cell(kind: str, number: int, source: str, points: int | None = None):
    make = new_markdown_cell if kind in ("answer-text", "rubric") else new_code_cell
    own = {"task": f"w1.{number}"} | ({} if points is None else {"points": points})
    return make(source, metadata={"tags": [kind], "ppdm": own})


def small_cells() -> list:
    """The cells of a sound sheet with every kind of cell."""
    setup = new_code_cell(
        'from oracles import check, student\n\nme = student("ada.lovelace")\nme.name',
        metadata={"tags": ["setup"], "ppdm": {}},
        outputs=[new_output("execute_result", {"text/plain": "'ada.lovelace'"}, execution_count=1)],
        execution_count=1,
    )
    marked = "### BEGIN SOLUTION\n{}\n### END SOLUTION"
    return [
        new_markdown_cell("# A small sheet\n\nAs in [the lesson](../00-start-here.ipynb)."),
        setup,
        task(1, "1 point, 2 minutes, easy, objective 00.1"),
        cell("predict", 1, "guess = None  # per cent\n" + marked.format("guess = 12.5  # of all")),
        cell("check", 1, 'check("w1.1", guess)', 1),
        task(2, "6 points, 10 minutes, medium, objectives 00.1, 00.2 and 01.3"),
        cell("answer", 2, DOUBLE),
        new_code_cell("kept"),
        cell("check", 2, 'check("w1.2", double)', 4),
        cell("hidden", 2, 'check("w1.2", double, hidden=True)', 2),
        cell("solution", 2, "# why twice is right\nprint(double(21) + 0)"),
        task(3, "6 points, 10 minutes, hard, objective 00.2"),
        cell("answer", 3, marked.format('share = float(me.rng("w1.3").random(100).mean())')),
        cell("check", 3, 'check("w1.3", me, share)', 4),
        cell("hidden", 3, 'check("w1.3", me, share, hidden=True)', 2),
        task(4, "6 points, 10 minutes, hard, objective 00.2"),
        cell("answer-text", 4, "The model answer of the fourth task.", 6),
        cell("rubric", 4, "6 points for the model answer, 3 for half of it."),
        task(5, "1 point, 2 minutes, easy, objective 00.1"),
        cell("predict", 5, "other = None\n" + marked.format("other = 99.25  # a guess")),
        cell("check", 5, 'check("w1.5", other)', 1),
        new_markdown_cell("That was all."),
    ]


def write_course(folder: Path, cells: list) -> Path:
    """A folder as notebooks/coursework is: one sheet of these cells, and the checks."""
    notebook = new_notebook(cells=cells)
    for number, each in enumerate(notebook.cells):
        each["id"] = f"cell-{number}"
    nbformat.write(notebook, folder / "w1-small.ipynb")
    (folder / "oracles").mkdir(exist_ok=True)
    shutil.copy(COURSE / "oracles" / "__init__.py", folder / "oracles")
    (folder / "oracles" / "w1.py").write_text(CHECKS, encoding="utf-8")
    (folder / "oracles" / "hidden_w1.py").write_text(HIDDEN, encoding="utf-8")
    return folder


@pytest.fixture
def cells() -> list:
    """The cells of the small sheet, to be spoilt."""
    return small_cells()


@pytest.fixture
def course(tmp_path) -> Callable[[list], Path]:
    """Writes a course with one sheet of given cells."""
    (tmp_path / "course").mkdir()
    return lambda cells: write_course(tmp_path / "course", cells)


@pytest.fixture(scope="session")
def small(tmp_path_factory) -> Path:
    """The folder of a course with one small sheet."""
    return write_course(tmp_path_factory.mktemp("course"), small_cells())


def environment(folder: Path, *packages: str) -> Path:
    """The Python of an environment that has these packages, and sees all that is installed here."""
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    here, stamp = sysconfig.get_path("purelib"), folder / "ready"
    made_of = f"{folder} {packages} {here} {sys.version}"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != made_of:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        site = next(path for path in folder.rglob("site-packages") if path.is_dir())
        (site / "here.pth").write_text(f"import site; site.addsitedir({here!r})\n", encoding="utf-8")
        if packages:
            command = [sys.executable, "-m", "pip", f"--python={python}", "install", "-qq", "--retries=1"]
            command += ["--disable-pip-version-check", f"--constraint={ROOT / 'constraints.txt'}", *packages]
            done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
            if done.returncode:
                reason = f"{packages[0]} could not be installed: {done.stderr.strip()[-400:]}"
                if IN_CI:
                    pytest.fail(reason)
                pytest.skip(reason)
        stamp.write_text(made_of, encoding="utf-8")
    return python


def call(python: Path, folder: Path, *arguments: str) -> str:
    """Run a module in an environment, and return all that it says; it must succeed."""
    own = {
        "HOME": str(folder),
        "JUPYTER_PATH": str(Path(sysconfig.get_path("data")) / "share" / "jupyter"),  # nbconvert's templates
        "OMP_NUM_THREADS": "1",
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
    }
    command = [python, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, env=own, check=False, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
