"""Mark the sheets that students have handed in: ``python tools/grade.py FOLDER``, or ``make grade SUBMISSIONS=FOLDER``.

The folder holds a folder for each student, or one file for each. What comes out is in build/grades: ``grades.csv`` with
a row for each student, a page of feedback for each, and ``to-mark.html`` with all texts, question by question. Their
points go into ``texts.csv``, which stays in FOLDER. Mark again when it is filled in: what is marked already is not run
twice.
"""

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
from desk import ROOT, Desk, LostError
from feedback import feedback_page, to_mark_page
from jupyter_core.utils import ensure_event_loop
from marking import Mark, Marking, named
from rerun import COURSE
from sheets import Sheet, kind_of_points, points, read_sheet, sheet_paths, short, student

GRADES = ROOT / "build" / "grades"
TEXTS = "texts.csv"
BEST = 3  # of the four weeks


@dataclass
class Submission:
    """One file of one student: whose it is, what it gives, and what the marker should know of it."""

    who: str
    sheet: str
    path: Path
    numbers: str = ""  # whose numbers it uses
    notes: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    course: str = ""  # the course of these numbers

    def total(self) -> float:
        """The points so far."""
        return sum(mark.points or 0 for mark in self.marks)


def find_submissions(folder: Path, sheets: dict[str, Sheet]) -> list[Submission]:
    """The notebooks of a folder: in a folder for each student, or a file for each student."""
    if not folder.is_dir():
        sys.exit(f"SUBMISSIONS is {folder}, which is no folder; name the one with the students' files")
    paths = sorted(path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    if not paths:
        sys.exit(f"there is no notebook in {folder}; expected ada.lovelace/w1-reconstruction.ipynb, or the like")
    found = []
    for path in paths:
        inside = path.relative_to(folder)
        stem = re.sub("|".join(re.escape(sheet.path.stem) for sheet in sheets.values()), "", path.stem)
        who = inside.parts[0] if len(inside.parts) > 1 else stem.strip("-_. ")
        found.append(Submission(who, sheet_of(path, sheets), path))
    twice = [each for each, number in Counter((one.who, one.sheet) for one in found).items() if number > 1]
    for who, sheet in twice:
        several = [one for one in found if (one.who, one.sheet) == (who, sheet)]
        newest = max(several, key=lambda one: (one.path.stat().st_mtime, one.path))
        newest.notes.append(f"{len(several)} files of {sheet}; the newest counts, {newest.path.name}")
        found = [one for one in found if one not in several or one is newest]
    return found


def sheet_of(path: Path, sheets: dict[str, Sheet]) -> str:
    """Which sheet a file is: by what it says itself, or by its name."""
    text = path.read_text(encoding="utf-8", errors="replace")
    said = Counter(
        re.findall(r'"task": *"(\w+)\.\w+"', text) + re.findall(r"^ *\"#+ (\w+)\.\w+ ", text, re.MULTILINE)
    )
    said = Counter({name: number for name, number in said.items() if name in sheets})
    if said:
        return said.most_common(1)[0][0]
    return next((name for name in sheets if re.search(rf"\b{name}\b", path.stem)), "")


def mark_file(one: Submission, sheets: dict[str, Sheet], options: argparse.Namespace) -> None:
    """Mark one file. Whatever happens, it has a mark for every graded cell of its sheet afterwards."""
    if one.sheet not in sheets:
        one.notes.append(f"{one.path.name} belongs to no sheet of the course")
        return
    sheet = sheets[one.sheet]
    key = digest(one, sheet, options)
    stored = options.to / "marks" / f"{key}.json"
    if stored.is_file():
        told = json.loads(stored.read_text(encoding="utf-8"))
        one.numbers, one.course = told["numbers"], told["course"]
        one.notes += told["notes"]
        one.marks = [Mark(**mark) for mark in told["marks"]]
        return
    notes: list[str] = []
    try:
        notebook = nbformat.read(one.path, as_version=4)
        me = named(notebook)
        if me is None or me.name == "your.name":
            notes.append("the sheet names no student")
            me = student(one.who)
        one.numbers, one.course = me.name, me.course
        desk = Desk(options.limit, [options.submissions, options.to])
        try:
            one.marks = Marking(sheet, notebook, desk, me).mark()
        finally:
            desk.close()
    except (Exception, LostError) as error:  # a file that is no notebook must not stop the others
        notes.append(f"could not be run: {type(error).__name__}: {str(error)[:200]}")
        one.marks = nothing(sheet, notes[-1])
    one.notes += notes
    stored.parent.mkdir(parents=True, exist_ok=True)
    told = {"numbers": one.numbers, "course": one.course, "notes": notes}
    told |= {"marks": [asdict(mark) for mark in one.marks]}
    stored.write_text(json.dumps(told), encoding="utf-8")


def digest(one: Submission, sheet: Sheet, options: argparse.Namespace) -> str:
    """What a mark depends on: the file, whose it is, the sheet, the checks, the tools and the limit."""
    parts = [
        one.path,
        sheet.path,
        *sorted((COURSE / "oracles").glob("*.py")),
        *sorted(Path(__file__).parent.glob("*.py")),
    ]
    text = b"\0".join([one.who.encode(), repr(options.limit).encode(), *(path.read_bytes() for path in parts)])
    return hashlib.sha256(text).hexdigest()[:32]


def nothing(sheet: Sheet, why: str) -> list[Mark]:
    """No points for any graded cell, and the reason."""
    return [
        Mark(task.id, kind_of_points(task, cell), points(cell), 0, why)
        for task in sheet.tasks
        for cell in task.graded
    ]


def with_texts(found: list[Submission], path: Path) -> int:
    """Put the points of ``texts.csv`` into the marks, and write a row for each text; return how many are not marked."""
    columns = ["student", "task", "of", "points"]
    known = (
        pd.read_csv(path, dtype={"student": str, "task": str})
        if path.is_file()
        else pd.DataFrame(columns=columns)
    )
    if missing := [name for name in columns if name not in known]:
        sys.exit(f"{path} has no column {missing[0]!r}; expected {', '.join(columns)}")
    given = dict(zip(zip(known["student"], known["task"]), pd.to_numeric(known["points"], errors="coerce")))
    rows: list[tuple[str, str, object, str]] = []
    left = 0
    for one in found:
        for mark in one.marks:
            if mark.kind != "answer-text" or mark.points is not None:
                continue
            said = given.pop((one.who, mark.task), np.nan)
            if not np.isnan(said) and not 0 <= said <= mark.of:
                sys.exit(f"{path}: {one.who} has {said:g} points for {mark.task}; expected 0 to {mark.of}")
            mark.points = None if np.isnan(said) else float(said)
            left += mark.points is None
            rows.append((one.who, mark.task, mark.of, "" if mark.points is None else f"{mark.points:g}"))
    strangers: list[tuple[str, str, object, str]] = [
        (who, task, "", f"{said:g}") for (who, task), said in given.items() if not np.isnan(said)
    ]
    table = pd.DataFrame(rows + strangers, columns=columns).sort_values(["task", "student"])
    if rows or strangers:
        draft = path.with_suffix(".new")
        table.to_csv(draft, index=False, lineterminator="\n")
        draft.replace(path)
    return left


def grades(found: list[Submission], sheets: dict[str, Sheet]) -> pd.DataFrame:
    """A row for each student: the points of each sheet, of the course where the project is in, and of each task."""
    rows = [(one.who, one.sheet, mark.task, mark.points or 0) for one in found for mark in one.marks]
    marks = pd.DataFrame(rows, columns=["student", "sheet", "task", "points"]).astype({"points": float})
    who = pd.Index(sorted({one.who for one in found}), name="student")
    by_sheet, by_task = (
        marks.pivot_table(index="student", columns=column, values="points", aggfunc="sum").reindex(who)
        for column in ("sheet", "task")
    )
    handed = [name for name in sheets if name in by_sheet]
    table = by_sheet[handed].copy()
    if "project" in handed:
        weeks = table.drop(columns="project").div([sheets[name].points for name in handed if name != "project"])
        best = np.sort(weeks.reindex(columns=[name for name in sheets if name != "project"]).fillna(0))[:, -BEST:]
        table["course"] = 60 * best.mean(axis=1) + 40 * table["project"].fillna(0) / sheets["project"].points
    table = table.join(by_task[[task.id for name in handed for task in sheets[name].tasks if task.id in by_task]])
    notes = {name: [note for one in found if one.who == name for note in told_of(one)] for name in who}
    return table.round(1).assign(note=["; ".join(notes[name]) for name in who])


def told_of(one: Submission) -> list[str]:
    """What the marker should know of a submission."""
    unmarked = sum(mark.points is None for mark in one.marks)
    notes = [*one.notes, *([f"{unmarked} texts not marked yet"] if unmarked else [])]
    return [f"{one.sheet}: {note}" if one.sheet else note for note in notes]


def shared_numbers(found: list[Submission]) -> Iterator[tuple[Submission, str]]:
    """Submissions of one sheet by different students with the numbers of one."""
    for one in found:
        mine = (one.sheet, one.numbers, one.course)
        alike = [other for other in found if (other.sheet, other.numbers, other.course) == mine and one.numbers]
        if others := [other.who for other in alike if other is not one]:
            yield one, f"it has the numbers of {one.numbers}, and so have {', '.join(others)}"


def other_courses(found: list[Submission]) -> Iterator[tuple[Submission, str]]:
    """Submissions with the numbers of another course than most have: last year's, perhaps."""
    courses = Counter(one.course for one in found if one.course)
    for one in found:
        if one.course and one.course != courses.most_common(1)[0][0]:
            yield one, f"it has the numbers of the course {one.course!r}, unlike the others"


def write_all(found: list[Submission], sheets: dict[str, Sheet], options: argparse.Namespace) -> None:
    """The table, the pages, and the list of texts."""
    left = with_texts(found, options.submissions / TEXTS)
    for one, note in [*shared_numbers(found), *other_courses(found)]:
        one.notes.append(note)
    table = grades(found, sheets)
    options.to.mkdir(parents=True, exist_ok=True)
    table.to_csv(options.to / "grades.csv", lineterminator="\n")
    pages = options.to / "feedback"
    pages.mkdir(exist_ok=True)
    for who in sorted({one.who for one in found}):
        page = feedback_page(who, [one for one in found if one.who == who], sheets)
        (pages / f"{who}.html").write_text(page, encoding="utf-8", newline="\n")
    (options.to / "to-mark.html").write_text(to_mark_page(found, sheets), encoding="utf-8", newline="\n")
    print(f"{len(table)} students: {options.to / 'grades.csv'}, {pages}")
    if left:
        print(f"{left} texts to mark: read {options.to / 'to-mark.html'}, then")
        print(f"fill in {options.submissions / TEXTS} and run this again")


def main(words: list[str] | None = None) -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("submissions", type=Path, help="the folder with the students' files")
    parser.add_argument(
        "--to", type=Path, default=GRADES, help="the folder for the results (default: build/grades)"
    )
    parser.add_argument("--limit", type=float, default=120, help="seconds for a cell or a check (default: 120)")
    parser.add_argument("--jobs", type=int, default=2, help="how many sheets run at once (default: 2)")
    options = parser.parse_args(words)
    options.submissions, options.to = options.submissions.resolve(), options.to.resolve()
    sheets = {short(path): read_sheet(path) for path in sheet_paths()}
    found = find_submissions(options.submissions, sheets)

    def one_of_all(one: Submission) -> Submission:
        try:
            mark_file(one, sheets, options)
        finally:
            ensure_event_loop().close()  # of this thread: the kernel's client has left it open
        return one

    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for number, one in enumerate(pool.map(one_of_all, found), 1):
            told = "; ".join(one.notes)
            print(
                f"{number}/{len(found)} {one.who} {one.sheet}: {one.total():g} points{f' ({told})' if told else ''}",
                flush=True,
            )
    write_all(found, sheets, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
