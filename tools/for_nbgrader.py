"""The sheets as nbgrader takes them: ``nbgrader generate_assignment w1`` makes the release from them."""

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
from building import refuse_leaks, write, write_notebook
from emptied import REMOVED, alone, bare, copy_oracles, in_function, notebook_of, stub
from inlined import inlined
from nbformat import NotebookNode
from sheets import GRADED, WRITTEN, Sheet, called, points, regions, tag, task_of

FURTHER = "# Further checks stand here when your sheet is marked."
CONFIG = '''\
"""Settings of nbgrader for this course: {sheets}."""

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = {course!r}
c.ExecutePreprocessor.timeout = 120  # seconds for a cell
c.ClearSolutions.code_stub = {{"python": "# Your code"}}
c.ClearSolutions.text_stub = "*Your answer*"
'''
README = """\
Sheets for nbgrader. Copy this folder's content into the folder of your course, and keep source/ to yourself.
Install the library for yourself and for the students: pip install ppdm-….whl of `make student`.
nbgrader generate_assignment w1     makes release/w1: without solutions and hidden checks. Hand out this folder.
nbgrader autograde w1               marks submitted/*/w1: checks and predictions. You mark the texts.
nbgrader generate_feedback w1       writes feedback/*/w1. Points: nbgrader export, or the formgrader.
"""


def build_nbgrader(sheets: list[Sheet], folder: Path, course: str | None) -> None:
    """Write source/, the settings and a few lines on how to use them into an empty folder."""
    for sheet in sheets:
        place = folder / "source" / sheet.name
        write_notebook(place / f"{sheet.name}.ipynb", nbgrader_notebook(sheet, course))
        copy_oracles(sheet.path.parent / "oracles", place / "oracles")
    refuse_leaks(sheets, place / "oracles")  # all sheets get the same ones
    said = ", ".join(f"{sheet.name} gives {sheet.points} points" for sheet in sheets)
    name = re.sub(r"[^\w.-]+", "-", course or "ppdm").strip("-")
    write(folder / "nbgrader_config.py", CONFIG.format(course=name, sheets=said))
    write(folder / "README.txt", README)


def nbgrader_notebook(sheet: Sheet, course: str | None = None) -> NotebookNode:
    """The sheet with nbgrader's metadata. What its release could not drop is left out: rubrics and explanations."""
    cells = []
    seen: Counter[str] = Counter()
    for number, cell in enumerate(sheet.notebook.cells, 1):
        if tag(cell) == "hidden" or tag(cell) not in REMOVED:
            made = bare(cell, course)
            made.source = nbgrader_source(sheet, made, cell)
            if tag(cell) != "setup":
                made.metadata["nbgrader"] = nbformat.from_dict(metadata(cell, number, seen))
            cells.append(made)
    return notebook_of(sheet, cells)


def nbgrader_source(sheet: Sheet, made: NotebookNode, cell: NotebookNode) -> str:
    """What a cell says: its source is that of ``made``, which names nobody, and its tag that of ``cell``."""
    match tag(cell):
        case "hidden":
            return hidden_code(sheet, cell)
        case "answer" | "predict":
            return with_stubs(cell)
        case _:
            return alone(made, sheet)


def with_stubs(cell: NotebookNode) -> str:
    """The code of an answer; below each solution in a function stands what is left of the function without it.

    Where the solution ends with a return, this is the error that names the task: the solution does not come so far.
    """
    lines = cell.source.splitlines()
    for begin, end in reversed(regions(cell.source)):
        function = in_function(cell.source, begin)
        if function:
            last = [node for node in function.body if begin < node.lineno <= end][-1:]
            (line,) = stub(cell, begin)
            indent = line[: len(line) - len(line.lstrip())]
            lines.insert(end + 1, line if any(isinstance(node, ast.Return) for node in last) else f"{indent}...")
    return "\n".join(lines)


def metadata(cell: NotebookNode, number: int, seen: Counter[str]) -> dict[str, Any]:
    """What nbgrader must know of a cell: whether it is written by students, gives points, or stays as it is."""
    kind = tag(cell) or "given"
    name = f"{task_of(cell)}-{kind}".replace(".", "-") if tag(cell) else f"given-{number}"
    seen[name] += 1
    found = {
        "schema_version": 3,
        "grade_id": name if seen[name] == 1 else f"{name}-{seen[name]}",
        "grade": kind in GRADED,
        "solution": kind in WRITTEN,
        "locked": kind not in WRITTEN,
        "task": False,
    }
    return {**found, "points": points(cell)} if found["grade"] else found


def hidden_code(sheet: Sheet, cell: NotebookNode) -> str:
    """A hidden check that stands alone, between the marks by which nbgrader finds it."""
    function, answers = called(cell)
    scope = inlined(sheet.path.parent / "oracles" / f"hidden_{sheet.name}.py", function)
    call = f'print("{task_of(cell)} holds:", {scope.name}({", ".join(answers)}))'
    return f"{FURTHER}\n### BEGIN HIDDEN TESTS\n{ast.unparse(scope)}\n\n\n{call}\n### END HIDDEN TESTS"
