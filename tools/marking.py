"""Mark one student's sheet: run what the student wrote in the order of the sheet, and let the checks ask.

The sheet of the course says what is run and asked; of the student's file we take the answers, the texts, and the cells
that were added. So it does no harm if a student has changed or removed a check.
"""

import ast
import re
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from desk import Desk, EmptyError, LostError
from emptied import YOUR_ANSWER
from nbformat import NotebookNode
from sheets import (
    NAMED,
    WRITTEN,
    Sheet,
    Student,
    WrongAnswerError,
    called,
    kind_of_points,
    points,
    solution,
    tag,
    task_of,
)

STEERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")  # a terminal; or what cannot be saved


def clean(text: str, instead: str = "\ufffd") -> str:
    """A text without the signs that steer a terminal, and without halves of signs, which no file can hold."""
    return STEERS.sub(instead, text)


@dataclass
class Mark:
    """What one graded cell gives: points, and why. Points are None as long as a person has to say."""

    task: str
    kind: str  # prediction, check, hidden or answer-text
    of: int
    points: int | float | None
    said: str = ""
    text: str = ""  # the student's, of an answer-text


@dataclass
class HandedIn:
    """What a student's file holds, by the cells of the sheet: what was written there, and what was added after them."""

    written: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    code: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    prose: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def named(notebook: NotebookNode) -> Student | None:
    """The student whom a file names, in a call such as ``student("ada.lovelace")``."""
    for cell in notebook.cells:
        if cell.cell_type != "code" or "student(" not in cell.source:
            continue
        try:
            nodes = list(ast.walk(ast.parse(cell.source)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in nodes:
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "student":
                values = [*node.args, *(word.value for word in node.keywords)]
                said = [str(value.value).strip() for value in values if isinstance(value, ast.Constant)]
                if said and all(said):
                    return Student(*said[:2])
    return None


def sort_cells(sheet: Sheet, notebook: NotebookNode) -> HandedIn:
    """Find for each cell of a student's file the cell of the sheet that it is, or behind which it was added.

    A cell is known by its id, by its task and tag, or by its text. Some programs keep none of the first three.
    """
    ids = {cell.id: cell for cell in sheet.notebook.cells}
    tasks = {(task_of(cell), tag(cell)): cell.id for cell in sheet.notebook.cells if tag(cell) in WRITTEN}
    texts = {cell.source.strip(): cell.id for cell in sheet.notebook.cells}
    handed, last = HandedIn(), sheet.notebook.cells[0].id
    for cell in notebook.cells:
        same = ids.get(cell.get("id", ""))
        found = same.id if same is not None and same.cell_type == cell.cell_type else None
        found = found or tasks.get((task_of(cell), tag(cell))) or texts.get(cell.source.strip())
        if found is None and cell.cell_type == "code" and NAMED.search(cell.source):
            continue  # the set-up, which the marker writes
        if found is None:
            added = handed.code if cell.cell_type == "code" else handed.prose
            added[last].append(cell.source)
            continue
        last = found
        if tag(ids[found]) in WRITTEN:
            handed.written[found].append(cell.source)
    return handed


class Marking:
    """The marking of one sheet at one desk."""

    def __init__(self, sheet: Sheet, notebook: NotebookNode, desk: Desk, me: Student, most: float = 1_200):
        self.sheet, self.desk, self.me = sheet, desk, me
        self.handed = sort_cells(sheet, notebook)
        self.until = desk.until = time.monotonic() + most
        self.history: list[str] = []  # what must run again in an empty kernel
        self.lost: dict[str, str] = {}  # by task: why nothing of it can be asked
        self.stopped: dict[str, str] = {}  # by task: the last error of its cells
        self.marks: list[Mark] = []

    def run(self, source: str, task: str) -> None:
        """Run a cell, and note what went wrong in it."""
        if time.monotonic() > self.until:
            self.lost.setdefault(task, "no time was left for it")
            return
        ran = self.guarded(task, self.desk.run, source)
        if ran is not None:
            self.history.append(source)
            if ran.error:
                self.stopped[task] = ran.error

    def guarded(self, task: str, do: Callable[..., Any], *arguments: Any) -> Any:
        """Do something at the desk; if the kernel is lost by it, note why and run again what ran before."""
        try:
            return do(*arguments)
        except EmptyError as error:
            self.lost[task] = str(error)
            self.run_again()
        except LostError as error:
            self.lost[task] = str(error)
        return None

    def run_again(self) -> None:
        """Run in an empty kernel what ran before. What kills the kernel now is left out, and we begin once more."""
        self.desk.until = self.until
        for source in list(self.history):
            try:
                self.desk.run(source)
            except EmptyError:
                self.history.remove(source)
                return self.run_again()
            except LostError:
                continue
        return None

    def mark(self) -> list[Mark]:
        """Go through the sheet once; what a failed task defines is then defined by its solution, for later tasks."""
        now, mine = "", f"student({self.me.name!r}, {self.me.course!r}"
        for cell in self.sheet.notebook.cells:
            kind, task = tag(cell), task_of(cell) or now
            if now and task != now:
                self.carry_forward(now)
            now = task
            if kind == "setup":
                self.run(NAMED.sub(lambda _: mine, cell.source), task)
            elif kind in ("predict", "answer"):
                for source in self.handed.written[cell.id]:
                    self.run(source, task)
            elif kind is None and cell.cell_type == "code":
                self.run(cell.source, task)
            elif kind in ("check", "hidden"):
                self.marks.append(self.asked(cell, task))
            elif kind == "answer-text":
                self.marks.append(self.read(cell, task))
            for source in self.handed.code[cell.id]:
                self.run(source, task)
        return self.marks

    def asked(self, cell: NotebookNode, task: str) -> Mark:
        """The mark of a check: all its points, or none and the reason."""
        kind = kind_of_points(self.sheet.task(task), cell)
        mark = Mark(task, kind, points(cell), 0)
        if task not in self.lost:
            self.desk.until = min(self.until, time.monotonic() + self.desk.limit)  # for all its calls together
            self.guarded(task, self.ask, cell, task, mark)
            self.desk.until = self.until
        if task in self.lost:
            mark.points, mark.said = 0, f"not checked: {self.lost[task]}"
        mark.said = clean(mark.said)
        return mark

    def ask(self, cell: NotebookNode, task: str, mark: Mark) -> None:
        """Let the check ask the student's functions."""
        function, names = called(cell)
        module = import_module(f"oracles.{'hidden_' if tag(cell) == 'hidden' else ''}{self.sheet.name}")
        test = getattr(module, function)
        try:
            answers = [self.me if name == "me" else self.desk.look(name) for name in names]
            mark.said = str(test(*answers))
            mark.points = mark.of
        except (WrongAnswerError, NameError) as error:
            mark.said = str(error)
        except Exception as error:
            mark.said = f"the check could make nothing of the answer ({type(error).__name__}: {error})"
        if not mark.points and task in self.stopped:
            mark.said += f" (A cell of this task stopped: {self.stopped[task]})"

    def read(self, cell: NotebookNode, task: str) -> Mark:
        """The text that was written: for a person to mark, or 0 where nothing was written."""
        places = [cell.id] + [
            other.id for other in self.sheet.task(task).cells if tag(other) in ("task", "rubric")
        ]
        own = [text for place in places[:1] for text in self.handed.written[place]]
        texts = own + [text for place in places for text in self.handed.prose[place]]
        text = "\n\n".join(text.strip() for text in texts if text.strip() not in ("", YOUR_ANSWER))
        text = re.sub(re.escape(YOUR_ANSWER), "", text).strip()
        return Mark(
            task, "answer-text", points(cell), None if text else 0, "" if text else "nothing written", text
        )

    def carry_forward(self, task: str) -> None:
        """After a task that failed, later tasks get what the solution defines."""
        failed = any(
            mark.task == task and not mark.points and mark.kind in ("check", "hidden") for mark in self.marks
        )
        for cell in self.sheet.task(task).tagged("answer") if failed else []:
            if solution(cell.source):
                self.run(cell.source, "")
