"""A sheet as students get it: without solutions, outputs and hidden checks; cells around the answers are locked."""

import ast
import copy
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from rerun import COURSE, FOLDER, METADATA
from sheets import NAMED, NOBODY, WRITTEN, Sheet, SheetError, excerpt, regions, sheet_paths, tag, task_of

REMOVED = ("hidden", "rubric", "solution")
KEPT_TAGS = ("setup", "task", "predict", "answer", "check", "answer-text")
LESSONS = Path("lessons")  # the lessons' folder beside the sheets
YOUR_ANSWER, YOUR_CODE = "*Your answer*", "# Your code"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")
SOLUTIONS = re.compile(r"\[([^\]]*)\]\(coursework/solutions-[^)]*\)")  # of lessons; students do not get them
YOUR_LECTURER = r"\1, which your lecturer has"

Link = Callable[[str], str]  # turns the target of a link into another one


def student_notebook(sheet: Sheet, course: str | None = None) -> NotebookNode:
    """The student version of a sheet, for the folder in which the lessons stand in a folder of their own."""
    cells = []
    for cell in sheet.notebook.cells:
        if tag(cell) not in REMOVED:
            cells.append(student_cell(sheet, cell, course))
    return notebook_of(sheet, cells)


def notebook_of(sheet: Sheet, cells: list[NotebookNode]) -> NotebookNode:
    """A notebook of these cells that says which sheet it is."""
    made = nbformat.v4.new_notebook(cells=cells, metadata={**METADATA, "ppdm": {"sheet": sheet.name}})
    made.nbformat_minor = 5
    nbformat.validate(made)
    return made


def student_cell(sheet: Sheet, cell: NotebookNode, course: str | None) -> NotebookNode:
    """One cell as students get it."""
    made = bare(cell, course)
    if tag(cell) == "answer-text":
        made.source = YOUR_ANSWER
    elif tag(cell) in ("answer", "predict"):
        made.source = emptied(cell, sheet.path.name)
    made.source = linked(made, lambda target: beside(sheet.path, target))
    return made


def bare(cell: NotebookNode, course: str | None) -> NotebookNode:
    """A copy without outputs and foreign tags, named for nobody, locked unless students write in it."""
    made = copy.deepcopy(cell)
    if made.cell_type == "code":
        made.outputs, made.execution_count = [], None
    kept: dict[str, Any] = {"deletable": False, "editable": tag(cell) in (*WRITTEN, "setup")}
    if tag(cell) in KEPT_TAGS:
        kept["tags"] = [tag(cell)]
    if "ppdm" in cell.metadata:
        kept["ppdm"] = cell.metadata["ppdm"]
    made.metadata = nbformat.from_dict(kept)
    if tag(cell) == "setup":
        words = "" if course is None else f", course={json.dumps(course, ensure_ascii=False)}"
        made.source = NAMED.sub(lambda _: f'student("{NOBODY}"{words}', made.source, count=1)
    return made


def emptied(cell: NotebookNode, file: str) -> str:
    """The code of a cell without its solution. In a function an error takes its place, which names the task."""
    lines = cell.source.splitlines()
    try:
        for begin, end in reversed(regions(cell.source)):
            lines[begin : end + 1] = stub(cell, begin)
        text = re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip("\n")
        ast.parse(text)
    except SyntaxError as error:
        raise SheetError(
            f"{file}: without its solution, the cell {excerpt(cell)} cannot be read: {error}"
        ) from None
    return text or YOUR_CODE


def stub(cell: NotebookNode, line: int) -> list[str]:
    """What takes the place of a solution that begins after a line of the cell, counted from 0."""
    mark = cell.source.splitlines()[line]
    indent = mark[: len(mark) - len(mark.lstrip())]
    if in_function(cell.source, line):
        return [f'{indent}raise NotImplementedError("{task_of(cell)}")']
    return [f"{indent}pass"] if indent else []


def in_function(source: str, line: int) -> ast.FunctionDef | None:
    """The innermost function to whose body a line, counted from 0, belongs."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    around = [node for node in nodes if node.lineno <= line <= (node.end_lineno or 0) - 1]
    return max(around, key=lambda node: node.lineno, default=None)


def linked(cell: NotebookNode, link: Link) -> str:
    """The source of a cell with every link to a file replaced; strings in code that begin with ../ too."""
    if cell.cell_type == "markdown":
        source = SOLUTIONS.sub(YOUR_LECTURER, cell.source)
        return LINK.sub(lambda found: f"{found[1]}[{found[2]}]({link(found[3])}{found[4] or ''})", source)
    return re.sub(r"""(["'])(\.\./[^"'\n]*)""", lambda found: found[1] + link(found[2]), cell.source)


def alone(cell: NotebookNode, sheet: Sheet) -> str:
    """The source of a cell where the sheet stands alone, as w1.ipynb: links to other files become plain words."""
    if cell.cell_type == "markdown":
        return LINK.sub(lambda found: found[2], cell.source).replace(sheet.path.name, f"{sheet.name}.ipynb")
    return cell.source


def visible_modules(oracles: Path) -> list[Path]:
    """The modules with checks that students get."""
    return sorted(path for path in oracles.glob("*.py") if not path.name.startswith("hidden_"))


def copy_oracles(oracles: Path, folder: Path) -> None:
    """Copy the visible checks into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in visible_modules(oracles):
        shutil.copyfile(path, folder / path.name)


def handed_out(file: Path, home: Path = FOLDER) -> Path | None:
    """Where a file of the project with lessons in ``home`` stands for students; None for what they must not get."""
    course, root = home / COURSE.name, home.parent
    if file.is_relative_to(course):
        return Path(file.name) if file in sheet_paths(course) else None
    if file.is_relative_to(home):
        return LESSONS / file.relative_to(home)
    return LESSONS / "up" / file.relative_to(root) if file.is_relative_to(root) else None


def beside(path: Path, target: str) -> str:
    """Where the target of a link in the notebook at ``path`` stands, as seen from its student version."""
    file = (COURSE if path.parent.name != FOLDER.name else FOLDER) / target
    found = handed_out(Path(os.path.normpath(file)))
    if found is None or not file.exists():
        raise SheetError(f"{path.name}: students do not get {target}; link to a lesson, a sheet or the web")
    start = LESSONS if path.parent == FOLDER else Path()
    return Path(os.path.relpath(found, start)).as_posix() + ("/" if target.endswith("/") else "")
