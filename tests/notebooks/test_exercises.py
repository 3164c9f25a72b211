"""Exercises stand beside what they practise, and their solutions stand elsewhere: in notebooks/coursework."""

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from rerun import COURSE, FOLDER

LESSONS = sorted(FOLDER.glob("*.ipynb"))
OBJECTIVE = re.compile(r"^(\d+)\. ", re.MULTILINE)
EXERCISE = re.compile(r"^#{3,4} (Exercise (\d+): [^(\n]+) \((.*)\)$", re.MULTILINE)
DETAILS = re.compile(r"(pencil, )?(\d+) minutes, (easy|medium|hard), objectives? (\d+(?:(?:, | and )\d+)*)")
STATED = re.compile(r"and (\d+) of exercises")
PREDICT = re.compile(r"\*\*Predict\b")
EMPTY = re.compile(r"(?:#.*|\w+ = (?:None|\{.*\})(?:  #.*)?|\*Your answer[^*]*\*)?")


def tagged(cell: Any, tag: str) -> bool:
    return tag in cell.metadata.get("tags", [])


def exercises(notebook: Any) -> list[re.Match[str]]:
    found = [EXERCISE.search(cell.source) for cell in notebook.cells if tagged(cell, "task")]
    return [match for match in found if match]


def no_solutions(notebook: Any, _) -> Iterator[str]:
    for cell in notebook.cells:
        if tagged(cell, "solution") or re.search(r"^#+ .*Solution", cell.source, re.MULTILINE):
            yield f"solutions stand in notebooks/coursework: {cell.source[:80]}"
        if re.search(r"^#+ (\d+ )?Exercises?$", cell.source, re.MULTILINE):
            yield "an exercise stands beside what it practises, not in a section of exercises"


def statements(notebook: Any, _) -> Iterator[str]:
    numbers = [int(match[2]) for match in exercises(notebook)]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"exercises are numbered 1, 2, 3 … as they stand: {numbers}"
    for cell in notebook.cells:
        match = EXERCISE.search(cell.source) if cell.cell_type == "markdown" else None
        if tagged(cell, "task") != bool(match):
            yield f"a cell tagged task, and no other, begins with '### Exercise n: …': {cell.source[:80]}"
        if match and not DETAILS.fullmatch(match[3]):
            yield f"an exercise states (10 minutes, easy, objective 2), not ({match[3]})"


def objectives(notebook: Any, _) -> Iterator[str]:
    """Each objective of the first cell is practised."""
    given = set(OBJECTIVE.findall(notebook.cells[0].source))
    if not given:
        yield "the first cell numbers the objectives: 1. …"
    details = [DETAILS.fullmatch(match[3]) for match in exercises(notebook)]
    practised = {number for match in details if match for number in re.findall(r"\d+", match[4])}
    if practised != given:
        yield f"objectives {sorted(given)}, exercises for {sorted(practised)}"


def time(notebook: Any, _) -> Iterator[str]:
    stated = STATED.search(" ".join(notebook.cells[0].source.split()))
    details = [DETAILS.fullmatch(match[3]) for match in exercises(notebook)]
    total = sum(int(match[2]) for match in details if match)
    if not stated or abs(int(stated[1]) - total) > 5:
        yield f"the first cell says how long the exercises take: and {total} of exercises"


def places(notebook: Any, _) -> Iterator[str]:
    """Below each exercise and each question stands a place to write, and there is nothing in it."""
    for cell, after in zip(notebook.cells, [*notebook.cells[1:], new_markdown_cell()]):
        if tagged(cell, "task") and not tagged(after, "answer"):
            yield f"no place for the answer, a cell tagged answer: {cell.source[:80]}"
        asks = cell.cell_type == "markdown" and PREDICT.search(cell.source)
        if asks and not tagged(after, "predict"):
            yield f"no place for the prediction, a cell tagged predict: {cell.source[-80:]}"
        written = tagged(cell, "answer") or tagged(cell, "predict")
        if written and not all(EMPTY.fullmatch(line) for line in cell.source.splitlines()):
            yield f"somebody has written here: {cell.source}"


def solved(notebook: Any, stem: str) -> Iterator[str]:
    """The solutions of a lesson stand under a heading that links to it, each under its own title."""
    path = COURSE / f"solutions-{stem[:2]}.ipynb"
    text = "\n\n".join(cell.source for cell in nbformat.read(path, 4).cells) if path.exists() else ""
    own = re.search(
        rf"^# [^\n]*\]\(\.\./{re.escape(stem)}\.ipynb\)(.*?)(?=^# |\Z)", text, re.DOTALL | re.MULTILINE
    )
    for match in exercises(notebook):
        if not own or not re.search(rf"^## {re.escape(match[1])}$", own[1], re.MULTILINE):
            yield f"{path.name} has no '## {match[1]}' under '# … [{stem[:2]}](../{stem}.ipynb)'"


RULES = [no_solutions, statements, objectives, time, places, solved]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_exercises(path, rule):
    assert list(rule(nbformat.read(path, as_version=4), path.stem)) == []


TASK = "### Exercise 1: a step by hand (pencil, 10 minutes, easy, objective 1)\n\nDo it."
LESSON = new_notebook(
    cells=[
        new_markdown_cell("# Nine\n\n1. do a step\n\n**Time**: 5 minutes, and 10 of exercises."),
        new_markdown_cell("**Predict**: how many are old?", metadata={"tags": ["predicts"]}),
        new_code_cell("old = None  # of nine", metadata={"tags": ["predict"]}),
        new_markdown_cell(TASK, metadata={"tags": ["task"]}),
        new_code_cell("# Your step", metadata={"tags": ["answer"]}),
    ]
)


def say(place: int, text: str) -> Callable[[Any], None]:
    return lambda notebook: notebook.cells[place].update(source=text)


def drop(place: int) -> Callable[[Any], None]:
    return lambda notebook: notebook.cells.pop(place)


DEFECTS = [
    (no_solutions, lambda notebook: notebook.cells[4].metadata.update(tags=["solution"])),
    (no_solutions, say(1, "#### Solution 1")),
    (no_solutions, say(1, "## 7 Exercises")),
    (statements, say(3, TASK.replace("Exercise 1", "Exercise 2"))),
    (statements, say(3, TASK.replace("easy", "simple"))),
    (statements, say(3, "Do it.")),
    (statements, say(1, TASK)),
    (objectives, say(0, "# Nine\n\n1. do a step\n2. do two\n\n**Time**: 5 minutes, and 10 of exercises.")),
    (objectives, say(0, "# Nine")),
    (time, say(3, TASK.replace("10", "20"))),
    (places, drop(4)),
    (places, drop(2)),
    (places, say(2, "old = 3")),
    (places, say(4, "em_step(thirds)")),
]


@pytest.mark.parametrize("rule", RULES[:-1], ids=lambda rule: rule.__name__)
def test_each_rule_is_content_with_a_good_lesson(rule):
    assert list(rule(LESSON, "")) == []


@pytest.mark.parametrize(("rule", "spoil"), DEFECTS)
def test_each_rule_sees_its_defect(rule, spoil):
    lesson = copy.deepcopy(LESSON)
    spoil(lesson)
    assert list(rule(lesson, "")) != []


def test_a_solution_that_is_missing_is_seen():
    assert list(solved(LESSON, "00-start-here"))
