"""What students get: nothing of a solution, everything that they need, the same bytes at every build."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from building import build_student, replace
from emptied import alone, beside, student_notebook
from for_colab import INSTALL
from for_nbgrader import nbgrader_notebook, with_stubs
from for_otter import otter_notebook
from inlined import inlined
from leaks import leaks, secrets
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from rerun import COURSE, ROOT
from sheets import SheetError, kind_of_points, read_sheet, read_sheets, sheet_paths
from student import main

from .conftest import environment

REAL = sheet_paths()
WEEKS = [path for path in REAL if path.stem.startswith("w")]  # the project has no checks


def sources(notebook):
    return [each.source for each in notebook.cells]


def build(folder, target, *arguments):
    assert main(["--sheets", str(folder), "--to", str(target), *arguments]) == 0
    return target


@pytest.fixture(scope="module")
def built(small, tmp_path_factory):
    """The folder that students get of the small sheet."""
    return build(small, tmp_path_factory.mktemp("built") / "student", "--course", "autumn 2027")


@pytest.fixture(scope="module")
def emptied_small(built):
    return nbformat.read(built / "w1-small.ipynb", as_version=4)


# What is read from a sheet


def test_a_sheet_is_read(small):
    sheet = read_sheet(small / "w1-small.ipynb")
    assert (sheet.name, sheet.points, [each.id for each in sheet.tasks]) == (
        "w1",
        20,
        ["w1.1", "w1.2", "w1.3", "w1.4", "w1.5"],
    )
    second = sheet.task("w1.2")
    assert (second.title, second.points, second.minutes, second.level) == ("Task number 2", 6, 10, "medium")
    assert second.objectives == ("00.1", "00.2", "01.3")
    kinds = [kind_of_points(one, each) for one in sheet.tasks for each in one.graded]
    assert kinds == ["prediction", "check", "hidden", "check", "hidden", "answer-text", "prediction"]


def retag(place, *tags):
    return lambda cells: cells[place].metadata.update(tags=list(tags))


def own(place, **metadata):
    return lambda cells: cells[place].metadata.ppdm.update(metadata)


def say(place, old, new):
    return lambda cells: cells[place].update(source=cells[place].source.replace(old, new))


def drop(place):
    return lambda cells: cells.pop(place)


UNSOUND = [
    (say(5, "6 points", "5 points"), "w1.2: its heading says 5 points, its graded cells have 6"),
    (retag(6, "anser"), "cell 7: unknown tag 'anser'"),
    (retag(6, "answer", "check"), "cell 7: it has the tags answer and check"),
    (retag(16, "answer"), "cell 17: tagged answer, it is a markdown cell"),
    (drop(5), "cell 6: its metadata say task 'w1.2'; expected"),
    (say(5, "w1.2 ", "w2.2 "), "cell 6: w2.2 is not a task of the sheet w1"),
    (say(5, "w1.2 ", "w1.1 "), "cell 6: w1.1 is given twice"),
    (say(5, "medium", "middling"), "cell 6: its first line is not a heading such as"),
    (own(5, minutes=12), "cell 6: its heading says minutes 10, its metadata 12"),
    (say(6, "    ### END SOLUTION\n", ""), "cell 7: line 3, '### BEGIN SOLUTION', has no"),
    (say(6, "    ### BEGIN SOLUTION\n", ""), "cell 7: line 6, '### END SOLUTION', is out of place"),
    (say(7, "kept", "### BEGIN SOLUTION\nkept\n### END SOLUTION"), "cell 8: a solution is marked in it"),
    (lambda cells: cells[12].update(source="share = None"), "cell 13: tagged answer, it marks no solution"),
    (own(8, points=None), "cell 9: its points are None"),
    (own(8, points=True), "cell 9: its points are True"),
    (own(6, points=2), "cell 7: it has points, but only cells tagged check, hidden, answer-text"),
    (say(8, "w1.2", "w1.3"), 'cell 9: expected the one call check("w1.2", …)'),
    (say(8, ")", ", hidden=True)"), 'cell 9: expected the one call check("w1.2", …)'),
    (say(9, ", hidden=True", ""), 'cell 10: expected the one call check("w1.2", …, hidden=True)'),
    (say(8, "check(", "check[("), "cell 9: expected the one call"),
    (drop(1), "expected the tag setup at the first code cell"),
    (say(1, "ada.lovelace", 'ada" + "'), "the set-up cell names no student"),
    (lambda cells: (own(9, points=6)(cells), drop(8)(cells)), "w1.2: it has an answer, but no cell tagged check"),
    (drop(6), "w1.2: it has a check, but no cell tagged answer or predict"),
    (
        lambda cells: (say(2, "1 point", "0 points")(cells), drop(4)(cells)),
        "w1.1: no check stands below the pred",
    ),
    (
        lambda cells: (say(15, "6 points", "5 points")(cells), own(16, points=5)(cells)),
        "do not add up to 20 as they should: check 8 of 8, hidden 4 of 4, answer-text 5 of 6, prediction 2 of 2",
    ),
]


@pytest.mark.parametrize(
    ("spoil", "message"), UNSOUND, ids=lambda value: value if isinstance(value, str) else "cells"
)
def test_an_unsound_sheet_is_refused_and_the_cell_is_named(cells, course, spoil, message, capsys):
    spoil(cells)
    folder = course(cells)
    assert main(["--sheets", str(folder), "--to", str(folder / "out")]) == 1
    told = capsys.readouterr().err
    assert told.startswith("Nothing was written: w1-small.ipynb")
    assert message in told
    assert not (folder / "out").exists()


# The student version


def test_solutions_are_replaced_by_what_a_student_starts_from(emptied_small):
    told = sources(emptied_small)
    double = (
        'def double(number):\n    """Twice the number."""\n    raise NotImplementedError("w1.2")\n\n\ndef kept('
    )
    assert [text for text in told if text.startswith(double)]
    assert "guess = None  # per cent" in told
    assert "# Your code" in told
    assert "*Your answer*" in told
    assert 'me = student("your.name", course="autumn 2027")' in told[1]
    tags = [name for each in emptied_small.cells for name in each.metadata.get("tags", [])]
    assert set(tags) == {"setup", "task", "predict", "answer", "check", "answer-text"}
    assert len(told) == 18


def test_what_students_must_not_change_is_locked(emptied_small):
    free = [tuple(each.metadata.get("tags", [])) for each in emptied_small.cells if each.metadata.editable]
    assert free == [("setup",), ("predict",), ("answer",), ("answer",), ("answer-text",), ("predict",)]
    assert not any(each.metadata.deletable for each in emptied_small.cells)


def test_no_output_is_left_and_what_the_marker_needs_is_kept(emptied_small, small):
    code = [each for each in emptied_small.cells if each.cell_type == "code"]
    assert [each.outputs for each in code] == [[]] * len(code)
    assert {each.execution_count for each in code} == {None}
    assert emptied_small.metadata.ppdm == {"sheet": "w1"}
    solved = nbformat.read(small / "w1-small.ipynb", as_version=4)
    kept = {each.id: each.metadata.get("ppdm") for each in solved.cells}
    assert all(each.metadata.get("ppdm") == kept[each.id] for each in emptied_small.cells)


def test_links_lead_to_the_lessons_that_are_handed_out(emptied_small, built):
    assert "[the lesson](lessons/00-start-here.ipynb)" in emptied_small.cells[0].source
    assert "[the lesson](lessons/00-start-here.ipynb#first)" in emptied_small.cells[2].source
    assert (built / "lessons" / "00-start-here.ipynb").exists()


def test_links_of_the_lessons_lead_somewhere(built):
    for path in (built / "lessons").glob("*.ipynb"):
        for each in nbformat.read(path, as_version=4).cells:
            if each.cell_type == "markdown":
                for target in [part.partition(")")[0] for part in each.source.split("](")[1:]]:
                    if not target.startswith(("http", "#", "mailto:")):
                        assert (path.parent / target.partition("#")[0]).exists(), (path.name, target)


@pytest.mark.parametrize("target", ["plan.md", "solutions-00.ipynb", "oracles/hidden_w1.py", "../nowhere.ipynb"])
def test_a_link_to_what_students_do_not_get_is_refused(small, target):
    with pytest.raises(SheetError, match="students do not get"):
        beside(small / "w1-small.ipynb", target)


def test_a_sheet_that_stands_alone_has_no_links_to_files_and_its_short_name(cells, small):
    sheet = read_sheet(small / "w1-small.ipynb")
    assert alone(cells[0], sheet) == "# A small sheet\n\nAs in the lesson."
    text = "Hand in `w1-small.ipynb`. [a](https://example.org) [b](#c)"
    assert alone(new_markdown_cell(text), sheet) == "Hand in `w1.ipynb`. [a](https://example.org) [b](#c)"


FOR_NBGRADER = [
    (
        "def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION",
        '    raise NotImplementedError("w1.2")',
    ),
    ("def f(a):\n    ### BEGIN SOLUTION\n    b = a\n    ### END SOLUTION\n    return b", "    ...\n    return b"),
    ("### BEGIN SOLUTION\nshare = 12\n### END SOLUTION", "### END SOLUTION"),
]


@pytest.mark.parametrize(("code", "end"), FOR_NBGRADER)
def test_nbgraders_solutions_run_and_leave_a_function_that_can_be_read(code, end):
    made = with_stubs(new_code_cell(code, metadata={"ppdm": {"task": "w1.2"}}))
    assert made.startswith(code.partition("    return b")[0])
    assert made.endswith(end)


def test_a_cell_that_is_no_python_without_its_solution_is_refused(cells, course, tmp_path, capsys):
    cells[
        12
    ].source = 'share = (\n### BEGIN SOLUTION\nfloat(me.rng("w1.3").random(100).mean())\n### END SOLUTION\n'
    folder = course(cells)
    assert main(["--sheets", str(folder), "--to", str(tmp_path / "out")]) == 1
    assert "without its solution" in capsys.readouterr().err


BRANCHES = """if me.name:
    ### BEGIN SOLUTION
    share = float(me.rng("w1.3").random(100).mean())
    ### END SOLUTION"""


def test_what_stands_in_a_branch_leaves_it_empty(cells, course):
    cells[12].source = BRANCHES
    told = sources(student_notebook(read_sheet(course(cells) / "w1-small.ipynb")))
    assert "if me.name:\n    pass" in told


# The folder


def test_the_folder_holds_all_that_a_student_needs(built):
    names = {path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file()}
    others = {name for name in names if not name.startswith("lessons/")}
    assert others == {
        "LICENSE.txt",
        "README.txt",
        "constraints.txt",
        "oracles/__init__.py",
        "oracles/w1.py",
        "ppdm-0.1.0-py3-none-any.whl",
        "requirements.txt",
        "runtime.txt",
        "student.zip",
        "w1-small.ipynb",
    }
    assert "lessons/results/one-idea.csv" in names
    assert re.fullmatch(r"python-3\.\d+\n", (built / "runtime.txt").read_text(encoding="utf-8"))
    readme = (built / "README.txt").read_text(encoding="utf-8")
    assert "ppdm-0.1.0-py3-none-any.whl" in readme
    assert "w1-small.ipynb" in readme
    assert max(map(len, readme.splitlines())) <= 120


def test_the_archive_holds_the_folder_in_order_as_of_one_moment(built):
    with zipfile.ZipFile(built / "student.zip") as packed:
        names = packed.namelist()
        assert {entry.date_time for entry in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        inside = [path for path in sorted(built.rglob("*")) if path.is_file() and path.name != "student.zip"]
        assert names == [f"ppdm-course/{path.relative_to(built).as_posix()}" for path in inside]
        assert all(packed.read(name) == path.read_bytes() for name, path in zip(names, inside))


def digests(folder):
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def test_two_builds_are_the_same_to_the_byte_and_leave_nothing_behind(built, small, tmp_path):
    before = sorted(ROOT.iterdir())
    again = build(small, tmp_path / "student", "--course", "autumn 2027")
    assert digests(again) == digests(built)
    assert sorted(ROOT.iterdir()) == before
    assert sorted(tmp_path.iterdir()) == [again]


def test_two_builds_for_others_are_the_same_to_the_byte(small, tmp_path):
    one, two = (build(small, tmp_path / name, "--for", "nbgrader") for name in ("one", "two"))
    assert digests(one) == digests(two)
    sheet = read_sheet(small / "w1-small.ipynb")
    assert otter_notebook(sheet, "a.whl") == otter_notebook(sheet, "a.whl")


def test_a_build_that_fails_leaves_the_old_one(tmp_path):
    target = tmp_path / "build" / "student"

    def fill(folder):
        (folder / "new.txt").write_text("new", encoding="utf-8")
        if target.exists():
            raise SheetError("no")

    assert replace(target, fill) == [Path("new.txt")]
    (target / "old.txt").write_text("old", encoding="utf-8")
    with pytest.raises(SheetError):
        replace(target, fill)
    assert sorted(path.name for path in target.iterdir()) == ["new.txt", "old.txt"]
    assert [path.name for path in target.parent.iterdir()] == ["student"]


def test_a_new_build_starts_from_an_empty_folder(tmp_path):
    target = tmp_path / "student"
    target.mkdir()
    (target / "left-over.txt").write_text("old", encoding="utf-8")
    assert replace(target, lambda _: None) == []


# No solution is shown


def test_nothing_of_a_solution_is_shown(built, small):
    hidden = secrets(read_sheets(small), small / "oracles")
    assert leaks(built, hidden) == []
    said = {line for secret in hidden for line in secret.lines}
    assert {
        "# A comment of the solution.",
        "for number in SECRET_CASES:  # a comment that nobody may see",
    } <= said
    assert {"The model answer of the fourth task.", "guess = 12.5  # of all", "print(double(21) + 0)"} <= said
    assert len(leaks(small, hidden)) >= len(hidden)


SHOWN = "twice_the_number = number + number"
PICTURE = {"image/png": "iVBORw0KGgo=", "text/plain": SHOWN}
PLACES = {
    "notes.txt": SHOWN,
    "oracles/w1.py": f"def w1_2(double):\n    # {SHOWN}\n    return 1\n",
    "page.html": f"<p>{SHOWN}</p>",
    "output.ipynb": new_notebook(cells=[new_code_cell("1", outputs=[new_output("display_data", PICTURE)])]),
    "metadata.ipynb": new_notebook(metadata={"notes": {"of": [SHOWN]}}),
    "lines.ipynb": new_notebook(cells=[new_markdown_cell(f"So:\n{SHOWN}\nand so on")]),
    "lessons/00.ipynb": new_notebook(cells=[new_code_cell(f"# A comment of the solution.\n{SHOWN}")]),
}


@pytest.mark.parametrize("name", [*PLACES, "a.zip", "a.whl", "zip.zip"])
def test_a_line_of_a_solution_is_found_wherever_it_stands(small, tmp_path, name):
    hidden = secrets(read_sheets(small), small / "oracles")
    path = tmp_path / "out" / name
    path.parent.mkdir(parents=True)
    if name in PLACES:
        found = PLACES[name]
        path.write_text(found if isinstance(found, str) else nbformat.writes(found), encoding="utf-8")
    else:
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("ppdm.dist-info/METADATA" if name == "a.whl" else "read.md", SHOWN)
    if name == "zip.zip":
        with zipfile.ZipFile(tmp_path / "out" / "outer.zip", "w") as packed:
            packed.write(path, "inner.zip")
        path.unlink()
    (found,) = {message.partition(": ")[2] for message in leaks(tmp_path / "out", hidden)}
    assert found.startswith("it shows w1-small.ipynb, cell 7 ('def double(number):'): ")


def test_what_is_public_is_not_taken_for_a_leak(small, tmp_path):
    hidden = secrets(read_sheets(small), small / "oracles")
    (tmp_path / "lessons").mkdir()
    one_line = new_notebook(cells=[new_code_cell(SHOWN)])
    (tmp_path / "lessons" / "00.ipynb").write_text(nbformat.writes(one_line), encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as packed:
        packed.writestr("ppdm/double.py", SHOWN)  # the library's source
    (tmp_path / "notes.txt").write_text("return kept(number)\nfor number in numbers:\n", encoding="utf-8")
    assert leaks(tmp_path, hidden) == []


@pytest.mark.parametrize("options", [[], ["--for", "nbgrader"], ["--for", "otter"], ["--for", "colab"]])
def test_a_build_that_would_show_a_solution_is_refused(cells, course, tmp_path, capsys, options):
    folder = course(cells)
    with (folder / "oracles" / "w1.py").open("a", encoding="utf-8") as checks:
        checks.write(f"\n# {SHOWN}\n")
    assert main(["--sheets", str(folder), "--to", str(tmp_path / "out"), *options]) == 1
    told = capsys.readouterr().err
    assert told.startswith("Nothing was written: the build would show solutions:\n")
    assert "w1.py: it shows w1-small.ipynb, cell 7" in told
    assert not (tmp_path / "out").exists()


def test_a_whole_solution_in_a_given_cell_is_refused(cells, course, tmp_path, capsys):
    cells[7].source = "# A comment of the solution.\ntwice_the_number = number + number\ntwice_the_number"
    folder = course(cells)
    assert main(["--sheets", str(folder), "--to", str(tmp_path / "out")]) == 1
    assert "w1-small.ipynb: it shows w1-small.ipynb, cell 7" in capsys.readouterr().err


# Checks of an untouched sheet fail

RUN = """
import json, os, sys, traceback
sys.path.insert(0, "")
names, failed = {}, []
for place, (graded, code) in enumerate(json.load(sys.stdin)):
    try:
        exec(compile(code, f"cell {place}", "exec"), names)
        if graded:
            print("passes:", code, file=sys.stderr)
    except Exception as error:
        failed.append([place, graded, type(error).__name__])
print(json.dumps(failed))
"""


def run_alone(notebook, oracles, folder):
    """Run a notebook beside the visible checks: which cells are graded, which ones fail with what, and messages."""
    shutil.copytree(oracles, folder / "oracles", ignore=shutil.ignore_patterns("hidden_*", "__pycache__"))
    code = [each for each in notebook.cells if each.cell_type == "code"]
    sent = [["check" in each.metadata.get("tags", []), each.source] for each in code]
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=folder,
        input=json.dumps(sent),
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
        env={**os.environ, "MPLBACKEND": "agg", "PYTHONPATH": str(ROOT)},
    )
    failed = json.loads(done.stdout.splitlines()[-1])
    graded = [number for number, (is_graded, _) in enumerate(sent) if is_graded]
    return graded, failed, done.stderr


@pytest.mark.parametrize("path", WEEKS, ids=lambda path: path.stem)
def test_every_check_of_an_untouched_sheet_fails(path, tmp_path):
    graded, failed, told = run_alone(student_notebook(read_sheet(path)), COURSE / "oracles", tmp_path)
    assert [number for number, is_graded, _ in failed if is_graded] == graded, told


def test_every_check_of_an_untouched_small_sheet_fails(emptied_small, small, tmp_path):
    graded, failed, _ = run_alone(emptied_small, small / "oracles", tmp_path)
    assert len(graded) == 4
    assert [number for number, _, _ in failed] == graded
    assert [kind for _, _, kind in failed] == [
        "WrongAnswerError",
        "NotImplementedError",
        "NameError",
        "WrongAnswerError",
    ]


@pytest.mark.parametrize("path", WEEKS, ids=lambda path: path.stem)
def test_a_solution_passes_all_checks_as_nbgrader_runs_them(path, tmp_path):
    notebook = nbgrader_notebook(read_sheet(path))
    assert run_alone(notebook, COURSE / "oracles", tmp_path)[1] == []


# The real sheets


def test_the_real_sheets_are_built_and_hidden_checks_stand_alone(tmp_path):
    build_student(read_sheets(), tmp_path)  # refuses what shows a solution
    assert {path.name for path in REAL} <= {path.name for path in tmp_path.glob("*.ipynb")}
    assert list(tmp_path.rglob("*hidden_*")) == []
    assert list(tmp_path.rglob("solutions-*")) == []
    for made_for in ("nbgrader", "otter"):
        build(COURSE, tmp_path / made_for, "--for", made_for)


MODULE = """
from . import WrongAnswerError as Wrong
from .w1 import helper
import os.path
import numpy as np, json

LIMIT: int = 3
ONE, TWO = 1, 2
unused = json.dumps(1)

class Case:
    limit = LIMIT

def w1_2(answer):
    with np.errstate():
        return later(answer, Case.limit) + TWO

def later(answer, limit):
    return helper(answer) + os.path.join(limit) if limit else Wrong

def other(): return w1_2(1)
"""


def test_a_hidden_check_takes_with_it_what_it_needs_and_nothing_else(tmp_path):
    import ast

    (tmp_path / "hidden_w1.py").write_text(MODULE, encoding="utf-8")
    lines = ast.unparse(inlined(tmp_path / "hidden_w1.py", "w1_2")).splitlines()
    assert lines[:7] == [
        "def hidden_w1_2(*answers):",
        "    from oracles import WrongAnswerError as Wrong",
        "    from oracles.w1 import helper",
        "    import os.path",
        "    import numpy as np",
        "    LIMIT: int = 3",
        "    ONE, TWO = (1, 2)",
    ]
    assert [line for line in lines if "json" in line or "other" in line] == []
    assert lines[-1] == "    return w1_2(*answers)"


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("def w1_3(answer): return 1", "has no function w1_2"),
        ("def w1_2(answer):\n    global x\n    x = 1", "needs a global name"),
        (
            "from oracles import hidden_w2\ndef w1_2(answer): return hidden_w2.f",
            "another module with hidden checks",
        ),
        ("from .hidden_w2 import f\ndef w1_2(answer): return f", "another module with hidden checks"),
    ],
)
def test_a_hidden_check_that_cannot_stand_alone_is_refused(tmp_path, module, message):
    (tmp_path / "hidden_w1.py").write_text(module, encoding="utf-8")
    with pytest.raises(SheetError, match=message):
        inlined(tmp_path / "hidden_w1.py", "w1_2")


# The command line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--for", "moodle"], "invalid choice: 'moodle'"),
        (["--course", " "], "expected a name of at most 64 bytes"),
        (["--course", "x" * 65], "expected a name of at most 64 bytes"),
        (["--from", "https://example.org/student.zip"], "needed for colab only"),
        (["--for", "colab", "--from", "student.zip"], "expected https://…/student.zip"),
    ],
)
def test_a_wrong_command_line_is_refused(arguments, message, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err


def test_a_folder_without_sheets_is_refused(tmp_path, capsys):
    assert main(["--sheets", str(tmp_path), "--to", str(tmp_path / "out")]) == 1
    assert "no sheet is here" in capsys.readouterr().err


def test_a_build_says_what_it_wrote_and_what_to_hand_out(small, tmp_path, capsys):
    build(small, tmp_path / "out", "--for", "nbgrader")
    assert f"{tmp_path / 'out' / 'source' / 'w1' / 'w1.ipynb'}\n" in capsys.readouterr().out
    build(small, tmp_path / "colab", "--for", "colab")
    assert "hand it out" in capsys.readouterr().out


# Colab


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    return environment(tmp_path_factory.mktemp("fresh") / "python")


def run_in(python, folder, code, *arguments):
    command = [python, "-c", code, *arguments]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=240, env={})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Colab is Linux")
def test_colabs_first_cell_installs_what_a_sheet_needs(small, built, fresh, tmp_path):
    archive = tmp_path / "handed out" / "student.zip"
    archive.parent.mkdir()
    shutil.copy(built / "student.zip", archive)
    made = build(small, tmp_path / "colab", "--for", "colab", "--from", archive.as_uri())
    assert {path.name for path in made.iterdir()} == {"w1.ipynb", "student.zip"}
    first, *others = nbformat.read(made / "w1.ipynb", as_version=4).cells
    assert sources(student_notebook(read_sheet(small / "w1-small.ipynb"))) == [each.source for each in others]

    content = tmp_path / "content"
    content.mkdir()
    assert "All is installed. Go on with the next cell." in run_in(fresh, content, first.source)
    then = "from oracles import student\nimport ppdm\nprint(student('a').name, ppdm.__file__)"
    assert run_in(fresh, content, then).startswith(f"a {fresh.parents[1]}")


UPLOAD = """
def upload():
    return {"student (1).zip": b"..."}
"""
PIP = """
import subprocess
subprocess.run = lambda command, check: print(command[1:])
"""


def test_colab_asks_for_the_archive_where_no_address_is_known(built, tmp_path):
    (tmp_path / "google" / "colab").mkdir(parents=True)
    (tmp_path / "google" / "colab" / "files.py").write_text(UPLOAD, encoding="utf-8")
    shutil.copy(built / "student.zip", tmp_path / "student (1).zip")
    told = run_in(sys.executable, tmp_path, PIP + INSTALL.format(address=None))
    assert told.startswith("Choose student.zip")
    assert "['-m', 'pip', 'install', '--quiet', './ppdm-0.1.0-py3-none-any.whl[panels]']" in told
    assert (tmp_path / "oracles" / "w1.py").exists()


UPGRADE = """
import importlib.metadata, subprocess, types
found = [types.SimpleNamespace(name="numpy", version="1")]
importlib.metadata.distributions = lambda: found
subprocess.run = lambda command, check: setattr(found[0], "version", "2")
"""


def test_colab_asks_for_a_new_session_where_a_package_changed(built, tmp_path):
    told = run_in(sys.executable, tmp_path, UPGRADE + INSTALL.format(address=(built / "student.zip").as_uri()))
    assert "choose Runtime > Restart session" in told


def test_the_students_commands_work(built, fresh):
    code = "import subprocess, sys\nsubprocess.run([sys.executable, *sys.argv[1:]], check=True)"
    command = ["-m", "pip", "install", "--dry-run", "--no-index", "-r", "requirements.txt"]
    assert "ppdm" in run_in(fresh, built, code, *command)
