"""A sheet of the course as tools read it: its tasks, their cells by tag, and the points of each graded cell.

The sheets are the notebooks ``w1-….ipynb`` … ``w4-….ipynb`` and ``project.ipynb`` of the folder notebooks/coursework.
They hold the solutions. `read_sheet` refuses a sheet that students or markers could not use, and names the cell.
"""

import ast
import re
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from rerun import COURSE

sys.path.insert(0, str(COURSE))  # the checks belong to the course; tools get them from here
from oracles import NOBODY, Student, WrongAnswerError, student  # noqa: F401

# What kind of cell each tag means, and which tags only serve slides and lessons.
KINDS = {
    "setup": "code",
    "task": "markdown",
    "predict": "code",
    "answer": "code",
    "check": "code",
    "hidden": "code",
    "answer-text": "markdown",
    "rubric": "markdown",
    "solution": None,
}
OTHER_TAGS = {"aha", "slide", "subslide", "fragment", "skip", "notes"}
GRADED = ("check", "hidden", "answer-text")
WRITTEN = ("predict", "answer", "answer-text")  # by students
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
WEEK = {"check": 8, "hidden": 4, "answer-text": 6, "prediction": 2}  # points of a weekly sheet, 20 in all
HEADING = re.compile(r"#{2,4} +(?P<task>\w+\.\w+):? +(?P<title>.*\S) +\((?P<details>[^()]*)\)")
DETAILS = re.compile(
    r"(?P<points>\d+) points?, (?:pencil, )?(?P<minutes>\d+) minutes, (?P<level>easy|medium|hard), "
    r"objectives? (?P<objectives>\d+\.\d+(?:(?:, | and )\d+\.\d+)*)"
)
EXAMPLE = "### w1.2 The width of an interval (2 points, 10 minutes, easy, objectives 01.1 and 00.2)"
NAMED = re.compile(
    r"""\bstudent\(\s*(["'])[^"'\n]*\1(?=\s*[,)])"""
)  # the call in the set-up cell that names the student


class SheetError(ValueError):
    """A sheet that cannot be handed out; the message names the cell and says what would be right."""


@dataclass(frozen=True)
class Task:
    """A task of a sheet: what its heading says, and its cells in order, the statement first."""

    id: str
    title: str
    points: int
    minutes: int
    level: str
    objectives: tuple[str, ...]
    cells: tuple[NotebookNode, ...]

    def tagged(self, *tags: str) -> list[NotebookNode]:
        """The cells of the task that have one of these tags."""
        return [cell for cell in self.cells if tag(cell) in tags]

    @property
    def graded(self) -> list[NotebookNode]:
        """The cells that give points: checks, hidden checks and texts."""
        return self.tagged(*GRADED)


@dataclass(frozen=True)
class Sheet:
    """A sheet: its short name (w1), its file, its notebook and its tasks in order."""

    name: str
    path: Path
    notebook: NotebookNode
    tasks: tuple[Task, ...]

    @property
    def points(self) -> int:
        """The points of the whole sheet."""
        return sum(task.points for task in self.tasks)

    def task(self, name: str) -> Task:
        """The task with this id."""
        for task in self.tasks:
            if task.id == name:
                return task
        raise KeyError(f"{self.path.name} has no task {name!r}")


def tag(cell: NotebookNode) -> str | None:
    """The tag that says what a cell is for, or None for prose and given code."""
    return next((name for name in cell.metadata.get("tags", []) if name in KINDS), None)


def task_of(cell: NotebookNode) -> str | None:
    """The id of the task that a cell belongs to."""
    return cell.metadata.get("ppdm", {}).get("task")


def points(cell: NotebookNode) -> int:
    """What a graded cell is worth; 0 for other cells."""
    return cell.metadata.get("ppdm", {}).get("points", 0)


def kind_of_points(task: Task, cell: NotebookNode) -> str:
    """What the points of a graded cell are for: check, hidden, answer-text, or prediction (the check of a guess)."""
    before = task.cells[: task.cells.index(cell)]
    written = [tag(other) for other in before if tag(other) in WRITTEN]
    return "prediction" if tag(cell) == "check" and written[-1:] == ["predict"] else str(tag(cell))


def regions(source: str) -> list[tuple[int, int]]:
    """The lines of the solutions in a cell, as pairs: the line of BEGIN, the line of END, counted from 0."""
    found: list[tuple[int, int]] = []
    begin = None
    for number, line in enumerate(source.splitlines()):
        mark = line.strip()
        if mark == BEGIN and begin is None:
            begin = number
        elif mark == END and begin is not None:
            found.append((begin, number))
            begin = None
        elif re.match(r"#+ *(BEGIN|END) +SOLUTION", mark, re.IGNORECASE):
            raise ValueError(
                f"line {number + 1}, {mark!r}, is out of place: {BEGIN} … {END}, one after the other"
            )
    if begin is not None:
        raise ValueError(f"line {begin + 1}, {BEGIN!r}, has no {END!r}")
    return found


def solution(source: str) -> list[str]:
    """The lines between the marks of a cell."""
    lines = source.splitlines()
    return [line for begin, end in regions(source) for line in lines[begin + 1 : end]]


def short(path: Path) -> str:
    """The short name of a sheet: w1 of w1-reconstruction.ipynb."""
    return path.stem.partition("-")[0]


def sheet_paths(folder: Path = COURSE) -> list[Path]:
    """The sheets of the course in order: the weeks, then the project."""
    weeks = [path for path in folder.glob("w*.ipynb") if re.fullmatch(r"w\d+", short(path))]
    return sorted(weeks) + sorted(folder.glob("project*.ipynb"))


def read_sheets(folder: Path = COURSE) -> list[Sheet]:
    """All sheets of the course."""
    paths = sheet_paths(folder)
    if not paths:
        raise SheetError(f"{folder}: no sheet is here; expected w1-….ipynb, … or project.ipynb")
    return [read_sheet(path) for path in paths]


def read_sheet(path: Path) -> Sheet:
    """The sheet at ``path``, after every rule has been checked; raises SheetError."""
    notebook = nbformat.read(path, as_version=4)
    name, started, found = short(path), "", {}
    cells: dict[str, list[NotebookNode]] = {}
    for number, cell in enumerate(notebook.cells, 1):
        try:
            check_cell(cell)
            if tag(cell) == "task":
                task = heading(cell, name)
                if task["id"] in found:
                    raise ValueError(f"{task['id']} is given twice: number the tasks in order")
                started = task["id"]
                found[started], cells[started] = task, []
            if tag(cell) not in (None, "setup"):
                cells[place(cell, started)].append(cell)
        except ValueError as error:
            raise SheetError(f"{path.name}, cell {number}: {error} (the cell is: {excerpt(cell)})") from None
    tasks = tuple(Task(**task, cells=tuple(cells[task["id"]])) for task in found.values())
    try:
        check_setup(notebook)
        for each in tasks:
            check_task(each, weekly=name != "project")
        check_sheet(tasks, weekly=name != "project")
    except ValueError as error:
        raise SheetError(f"{path.name}: {error}") from None
    return Sheet(name, path, notebook, tasks)


def excerpt(cell: NotebookNode) -> str:
    """The first line of a cell, for a message."""
    first = (cell.source.splitlines() or ["empty"])[0]
    return repr(first if len(first) <= 60 else f"{first[:59]}…")


def check_cell(cell: NotebookNode) -> None:
    """Raise ValueError for a cell that is unsound by itself."""
    tags = cell.metadata.get("tags", [])
    if unknown := [name for name in tags if name not in KINDS and name not in OTHER_TAGS]:
        raise ValueError(f"unknown tag {unknown[0]!r}; expected one of {', '.join(KINDS)}")
    if len(known := [name for name in tags if name in KINDS]) > 1:
        raise ValueError(f"it has the tags {' and '.join(known)}; expected one of them")
    kind, marked = tag(cell), regions(cell.source)
    if kind and KINDS[kind] and cell.cell_type != KINDS[kind]:
        raise ValueError(f"tagged {kind}, it is a {cell.cell_type} cell; expected {KINDS[kind]}")
    if marked and kind not in ("answer", "predict", "solution"):
        raise ValueError("a solution is marked in it, but it has not the tag answer or predict")
    if kind in ("answer", "predict") and not solution(cell.source):
        raise ValueError(f"tagged {kind}, it marks no solution; expected {BEGIN} … {END}")
    worth = cell.metadata.get("ppdm", {}).get("points")
    if kind in GRADED and (not isinstance(worth, int) or isinstance(worth, bool) or worth < 1):
        raise ValueError(
            f'its points are {worth!r}; expected a whole number in the metadata, "ppdm": {{"points": 2}}'
        )
    if kind not in GRADED and worth is not None:
        raise ValueError(f"it has points, but only cells tagged {', '.join(GRADED)} have points")
    if kind in ("check", "hidden"):
        check_call(cell, kind == "hidden")


def check_call(cell: NotebookNode, hidden: bool) -> None:
    """A check is one call of check(), for the cell's task, hidden or not as the tag says."""
    right = f'check("{task_of(cell)}", …{", hidden=True" if hidden else ""})'
    try:
        statements = ast.parse(cell.source).body
    except SyntaxError:
        statements = []
    match statements:
        case [ast.Expr(ast.Call(ast.Name("check"), [ast.Constant(str(task)), *_], keywords))]:
            stated = {word.arg: ast.unparse(word.value) for word in keywords}
            if task == task_of(cell) and stated == ({"hidden": "True"} if hidden else {}):
                return
    raise ValueError(f"expected the one call {right}")


def called(cell: NotebookNode) -> tuple[str, list[str]]:
    """The function that a check calls, and its arguments as code."""
    call: Any = ast.parse(cell.source).body[0]  # a sound sheet has nothing else in this cell
    task, *answers = call.value.args
    return task.value.replace(".", "_"), [ast.unparse(answer) for answer in answers]


def heading(cell: NotebookNode, name: str) -> dict[str, Any]:
    """What the first line of a task says."""
    match = HEADING.fullmatch((cell.source.splitlines() or [""])[0].rstrip())
    details = DETAILS.fullmatch(match["details"]) if match else None
    if not match or not details:
        raise ValueError(f"its first line is not a heading such as '{EXAMPLE}'")
    if match["task"].partition(".")[0] != name:
        raise ValueError(f"{match['task']} is not a task of the sheet {name}")
    said = {
        "id": match["task"],
        "title": match["title"],
        "points": int(details["points"]),
        "minutes": int(details["minutes"]),
        "level": details["level"],
        "objectives": tuple(re.findall(r"\d+\.\d+", details["objectives"])),
    }
    for key, value in cell.metadata.get("ppdm", {}).items():
        if key in ("minutes", "level") and value != said[key]:
            raise ValueError(f"its heading says {key} {said[key]}, its metadata {value}")
    return said


def place(cell: NotebookNode, started: str) -> str:
    """The task that a tagged cell belongs to; it must be the one under whose heading the cell stands."""
    task = task_of(cell)
    if task is None and tag(cell) == "solution" and started:
        return started
    if not started:
        raise ValueError(f"it stands above the first task, but its tag is {tag(cell)}")
    if task != started:
        raise ValueError(f'its metadata say task {task!r}; expected "ppdm": {{"task": "{started}"}}')
    return started


def check_setup(notebook: NotebookNode) -> None:
    """The first code cell, and no other, is the set-up; it names the student."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if [tag(cell) == "setup" for cell in code[:1]] != [True] or any(tag(cell) == "setup" for cell in code[1:]):
        raise ValueError("expected the tag setup at the first code cell, and at no other")
    if not NAMED.search(code[0].source):
        raise ValueError('the set-up cell names no student; expected me = student("ada.lovelace")')


def check_task(task: Task, weekly: bool) -> None:
    """What is written is graded, and the cells give the points that the heading says."""
    total = sum(points(cell) for cell in task.graded)
    if total != task.points:
        raise ValueError(f"{task.id}: its heading says {task.points} points, its graded cells have {total}")
    for cell, after in pairwise([*task.tagged("predict", "answer", *GRADED), None]):
        if cell is not None and tag(cell) == "predict" and (after is None or tag(after) != "check"):
            raise ValueError(f"{task.id}: no check stands below the prediction {excerpt(cell)}")
    if task.tagged("answer") and not task.tagged(*(["check"] if weekly else GRADED)):
        raise ValueError(f"{task.id}: it has an answer, but no cell tagged check")
    if task.tagged("check", "hidden") and not task.tagged("answer", "predict"):
        raise ValueError(f"{task.id}: it has a check, but no cell tagged answer or predict")


def check_sheet(tasks: tuple[Task, ...], weekly: bool) -> None:
    """A weekly sheet gives 20 points: so many for each kind of graded cell."""
    if not tasks:
        raise ValueError(f"it has no task; expected a cell tagged task with a heading such as '{EXAMPLE}'")
    given: Counter[str] = Counter()
    for task in tasks:
        for cell in task.graded:
            given[kind_of_points(task, cell)] += points(cell)
    if weekly and given != WEEK:
        said = ", ".join(f"{kind} {given[kind]} of {WEEK[kind]}" for kind in WEEK)
        raise ValueError(f"the points do not add up to 20 as they should: {said}")
