"""The sheets as ``otter assign`` takes them: it makes a student's version and an autograder from each."""

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

from building import build_wheel, refuse_leaks, write, write_notebook
from emptied import REMOVED, YOUR_ANSWER, YOUR_CODE, alone, bare, copy_oracles, emptied, notebook_of, stub
from inlined import inlined
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_raw_cell
from sheets import Sheet, called, points, regions, tag, task_of

CHECKS = ("check", "hidden")
CONFIG = """\
# ASSIGNMENT CONFIG
name: {name}
files:
- oracles
- {wheel}
requirements: requirements.txt
export_cell:
  pdf: false
tests:
  ok_format: false
"""
README = """\
Sheets for otter-grader. Keep these folders to yourself; of what otter makes, hand out the folder student alone.
cd w1, then: otter assign w1.ipynb dist
dist/student/                        what students get, with the library: pip install ppdm-….whl
dist/autograder/*.zip                for otter grade, otter run or Gradescope: checks and predictions
You mark the questions whose name ends with text. Sheets with students' own numbers need the names that they put in.
"""


def build_otter(sheets: list[Sheet], folder: Path, course: str | None) -> None:
    """Write a folder for each sheet, and a few lines on how to use them, into an empty folder."""
    wheel = build_wheel(folder)
    for sheet in sheets:
        place = folder / sheet.name
        write_notebook(place / f"{sheet.name}.ipynb", otter_notebook(sheet, wheel, course))
        copy_oracles(sheet.path.parent / "oracles", place / "oracles")
        shutil.copyfile(folder / wheel, place / wheel)
        write(place / "requirements.txt", f"/autograder/source/files/{wheel}[panels]\n")  # where otter unpacks it
    refuse_leaks(sheets, place / "oracles")  # all sheets get the same ones
    (folder / wheel).unlink()
    write(folder / "README.txt", README)


def otter_notebook(sheet: Sheet, wheel: str, course: str | None = None) -> NotebookNode:
    """The sheet in otter's format: a question for each run of checks and for each text."""
    cells = [raw(CONFIG.format(name=sheet.name, wheel=wheel))]
    numbers: dict[str, int] = {}
    for part in parts(sheet.notebook.cells):
        graded = [cell for cell in part if points(cell)]
        if graded:
            name = f"{task_of(graded[0])}".replace(".", "_")
            name += "_text" if tag(graded[0]) == "answer-text" else ""
            numbers[name] = numbers.get(name, 0) + 1
            name = name if numbers[name] == 1 else f"{name}_{numbers[name]}"
            cells += question(sheet, name, part, course)
        else:
            cells += [plain(sheet, cell, course) for cell in part if tag(cell) not in REMOVED]
    for place, cell in enumerate(cells):
        if not cell.metadata:  # otter's own, with an id drawn by chance
            cell.id = f"otter-{place}"
    return notebook_of(sheet, cells)


def raw(text: str) -> NotebookNode:
    """A raw cell, by which otter finds its way."""
    return new_raw_cell(text.rstrip("\n"))


def plain(sheet: Sheet, cell: NotebookNode, course: str | None) -> NotebookNode:
    """A cell that students get as it is."""
    made = bare(cell, course)
    made.source = alone(made, sheet)
    return made


def parts(cells: list[NotebookNode]) -> Iterator[list[NotebookNode]]:
    """The cells cut into questions and what stands between them: after a text, and after the last check of a run."""
    part: list[NotebookNode] = []
    for cell in (cell for cell in cells if tag(cell) not in ("rubric", "solution")):
        graded = [tag(one) for one in part if points(one)]
        ended = graded and (graded[-1] == "answer-text" or tag(cell) not in CHECKS)
        if part and (ended or (tag(cell) == "task" and not graded)):
            yield part
            part = []
        part.append(cell)
    yield part


def question(sheet: Sheet, name: str, part: list[NotebookNode], course: str | None) -> Iterator[NotebookNode]:
    """The cells of one question."""
    manual = tag(part[-1]) == "answer-text"
    worth = sum(points(cell) for cell in part)
    yield raw(f"# BEGIN QUESTION\nname: {name}\npoints: {worth}" + ("\nmanual: true" if manual else ""))
    for cell in part:
        match tag(cell):
            case "answer" | "predict":
                made = bare(cell, course)
                made.source = otter_code(cell, sheet.path.name)
                yield from (raw("# BEGIN SOLUTION"), made, raw("# END SOLUTION"))
            case "answer-text":
                prompt = bare(cell, course)
                prompt.source, prompt.id = YOUR_ANSWER, f"{cell.id}-p"[-64:]
                yield from (raw("# BEGIN PROMPT"), prompt, raw("# END PROMPT"))
                yield from (raw("# BEGIN SOLUTION"), bare(cell, course), raw("# END SOLUTION"))
            case "check" | "hidden":
                continue
            case _:
                yield plain(sheet, cell, course)
    tests = [cell for cell in part if tag(cell) in CHECKS]
    if tests:
        yield raw("# BEGIN TESTS")
        for number, cell in enumerate(tests, 1):
            yield new_code_cell(test(sheet, name, number, cell))
        yield raw("# END TESTS")
    yield raw("# END QUESTION")


def otter_code(cell: NotebookNode, file: str) -> str:
    """The code of an answer with otter's marks; what students see in the place of a solution is its prompt."""
    lines = cell.source.splitlines()
    for begin, end in reversed(regions(cell.source)):
        indent = lines[begin][: len(lines[begin]) - len(lines[begin].lstrip())]
        shown = stub(cell, begin)
        if not indent and emptied(cell, file) == YOUR_CODE:
            shown = [YOUR_CODE]
        prompt = [indent + '""" # BEGIN PROMPT', *shown, indent + '""" # END PROMPT']
        inner = lines[begin + 1 : end]
        marked = [f"{indent}# BEGIN SOLUTION NO PROMPT", *inner, f"{indent}# END SOLUTION"]
        lines[begin : end + 1] = [*marked, *(prompt if shown else [])]
    return "\n".join(lines)


def test(sheet: Sheet, name: str, number: int, cell: NotebookNode) -> str:
    """A test of otter: a function whose parameters are the names that it takes from the student's notebook."""
    function, given = called(cell)
    answers = ", ".join(given)
    names = {part.id for part in ast.walk(ast.parse(f"f({answers})")) if isinstance(part, ast.Name)} - {"f"}
    hidden = tag(cell) == "hidden"
    if hidden:
        scope = inlined(sheet.path.parent / "oracles" / f"hidden_{sheet.name}.py", function)
        body = [ast.unparse(scope), f"{scope.name}({answers})"]
    else:
        body = ["from oracles import check", f"check({task_of(cell)!r}, {answers})"]
    tree = ast.parse(f"def test_{name}_{number}({', '.join(sorted(names))}):\n    pass").body[0]
    assert isinstance(tree, ast.FunctionDef)
    tree.body = [statement for text in body for statement in ast.parse(text).body]
    config = (
        f'""" # BEGIN TEST CONFIG\npoints: {points(cell)}\nhidden: {str(hidden).lower()}\n""" # END TEST CONFIG\n'
    )
    return config + ast.unparse(tree)
