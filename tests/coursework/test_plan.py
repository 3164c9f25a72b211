"""The lecturer's plan: its links lead somewhere, its numbers are those of the sheets, and its minutes add up."""

import re
from collections.abc import Iterator
from functools import cache
from urllib.parse import unquote

import nbformat
import pandas as pd
import pytest
from marks import EXAMPLE, MARKS
from rerun import COURSE, FOLDER

PLAN = (COURSE / "plan.md").read_text(encoding="utf-8")
SLIDES = (COURSE / "slides.md").read_text(encoding="utf-8")
PAGES = ["plan.md", "README.md", "slides.md"]
TASKS = pd.read_csv(MARKS, index_col="task")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(?:#([^)\s]+))?\)")
OBJECTIVE = re.compile(r"(?<![\w.])(0\d)\.(\d)(?!\d)")
TASK = re.compile(r"\bw(\d)\.(\d+)(?: to w\1\.(\d+))?")
PART = re.compile(r"^\| (lecture 1|lab 1|lecture 2|lab 2|home) \| (\d+) \| (.*) \|$", re.MULTILINE)
MOST_WORDS = 35


def split(text: str, mark: str) -> list[str]:
    """The parts of a page that begin with a heading of this level."""
    return re.split(rf"^(?={mark} )", text, flags=re.MULTILINE)[1:]


WEEKS = [part for part in split(PLAN, "##") if part.startswith("## Week")]
SHOWN = [
    [int(minutes) for minutes in re.findall(r"^Note: (\d+) ", week, re.MULTILINE)] for week in split(SLIDES, "#")
]


@cache
def notebook(name: str) -> nbformat.NotebookNode:
    return nbformat.read(COURSE / name, as_version=4)


def anchors(name: str) -> set[str]:
    """The headings of a notebook, as JupyterLab and nbconvert write them in addresses."""
    text = "\n".join(cell.source for cell in notebook(name).cells if cell.cell_type == "markdown")
    return {heading.strip().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def dead(text: str) -> Iterator[str]:
    """Links of a page that lead nowhere."""
    for picture, _, file, place in LINK.findall(text):
        if file.startswith("http"):
            continue
        if not (COURSE / file).is_file():
            yield f"there is no {file}"
        elif picture and place not in {cell.id for cell in notebook(file).cells}:
            yield f"{file} has no cell {place}"
        elif place and not picture and unquote(place) not in anchors(file):
            yield f"{file} has no heading {place}"


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    assert not list(dead((COURSE / page).read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "link",
    [
        "[a](no-such.ipynb)",
        "[a](../00-start-here.ipynb#1-Ten-people)",
        "![](../00-start-here.ipynb#no-such-cell)",
    ],
)
def test_a_dead_link_is_found(link):
    assert list(dead(link))


def objectives() -> set[str]:
    """All objectives of the lessons, such as 01.2."""
    found = set()
    for path in FOLDER.glob("0?-*.ipynb"):
        if "further" not in path.stem:
            first = nbformat.read(path, as_version=4).cells[0].source
            found |= {f"{path.stem[:2]}.{number}" for number in re.findall(r"^(\d)\. ", first, re.MULTILINE)}
    return found


def test_objectives_are_those_of_the_lessons_and_the_sheets():
    named = {f"{lesson}.{number}" for lesson, number in OBJECTIVE.findall(PLAN)}
    assert named <= objectives()
    for number, week in enumerate(WEEKS, 1):
        (line,) = re.findall(r"^Students practise (.*?)\. Slides", week, re.MULTILINE)
        own = TASKS[TASKS.index.str.startswith(f"w{number}.")]["objectives"]
        assert set(re.split(", | and ", line)) == set(" ".join(own).split())


def rows_of(first: str) -> list[list[str]]:
    """The rows of the plan's tables whose first entry begins so."""
    lines = re.findall(rf"^\| ({first}[^|]*\|.*) \|$", PLAN, re.MULTILINE)
    return [[entry.strip() for entry in line.split("|")] for line in lines]


def test_numbers_to_mark_by_are_those_of_the_table():
    quoted = {
        row[0]: [float(entry) for entry in row[1:]]
        for row in rows_of(r"w\d")
        if len(row) == 5 and row[4][0] in "01"
    }
    known = TASKS.dropna(subset=["tolerance"])[[EXAMPLE, "5 %", "95 %", "tolerance"]]
    assert quoted == {task: list(numbers) for task, numbers in zip(known.index, known.to_numpy(), strict=True)}


def test_points_of_texts_are_those_of_the_table():
    texts = TASKS["answer-text"][TASKS["answer-text"] > 0]
    told = {row[0]: int(row[1]) for row in rows_of(r"(?:w\d|project\.)") if row[1].isdigit()}
    assert told == texts.to_dict()


def tasks_in(text: str) -> set[str]:
    """The tasks that a line names, also those between two."""
    found = set()
    for week, first, last in TASK.findall(text):
        found |= {f"w{week}.{number}" for number in range(int(first), int(last or first) + 1)}
    return found


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_minutes_of_a_week_add_up(number):
    parts = pd.DataFrame(PART.findall(WEEKS[number - 1]), columns=["part", "minutes", "what"])
    parts["minutes"] = parts["minutes"].astype(int)
    sums = parts.groupby("part")["minutes"].sum()
    assert (sums.drop("home") == 45).all()
    row = rows_of(f"{number} ")[0]
    assert [int(minutes) for minutes in row[-3:]] == [90, 90, sums["home"]]
    own = TASKS[TASKS.index.str.startswith(f"w{number}.")]["minutes"]
    named = [tasks_in(what) for what in parts["what"]]
    assert sum(map(len, named)) == len(own)
    assert set().union(*named) == set(own.index)
    for minutes, tasks in zip(parts["minutes"], named, strict=True):
        assert own[list(tasks)].sum() <= minutes


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_slides_take_the_minutes_of_the_plan(number):
    shown = SHOWN[number - 1]
    found: list[int] = []
    for part, minutes, what in PART.findall(WEEKS[number - 1]):
        if part.startswith("lecture"):
            first, last = re.findall(r"slides? (\d+)(?: to (\d+))?", what)[0]
            places = range(int(first), int(last or first) + 1)
            assert sum(shown[place - 1] for place in places) == int(minutes), what
            found += places
    assert found == list(range(1, len(shown) + 1))


def test_questions_of_the_plan_are_asked_where_it_says():
    for week, slides in zip(WEEKS, split(SLIDES, "#"), strict=True):
        notes = re.split(r"^(?=##? )", slides, flags=re.MULTILINE)[1:]
        asked = [int(place) for place in re.findall(r"^\*\*Question \d\*\* \(slide (\d+)\)", week, re.MULTILINE)]
        assert len(asked) == 3
        for number, place in enumerate(asked, 1):
            assert f"question {number} of the plan" in " ".join(notes[place - 1].split())


def test_the_project_takes_the_minutes_of_its_tasks():
    minutes = TASKS[TASKS.index.str.startswith("project")]["minutes"].sum()
    (row,) = rows_of("all ")
    assert int(row[-1]) == minutes


@pytest.mark.parametrize("page", PAGES)
def test_sentences_are_short(page):
    """And no line inside a paragraph begins as an item of a list does."""
    text = LINK.sub(r"\2", (COURSE / page).read_text(encoding="utf-8"))
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"^[|#].*$|^Note:|`[^`\n]*`", "", text, flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n|\n(?=- )", text):
        assert not re.search(r"\n(?:[-+*]|\d+[.)]) ", paragraph), paragraph
        for sentence in re.split(r"(?<=[.!?:])[\"*)]*\s+", " ".join(paragraph.split())):
            assert len(re.findall(r"[^\W\d_][\w’'-]*", sentence)) <= MOST_WORDS, sentence
