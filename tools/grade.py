"""Mark the sheets that students have handed in: ``python tools/grade.py FOLDER``, or ``make grade SUBMISSIONS=FOLDER``.

The folder holds a folder for each student, or one file for each. What comes out is in build/grades: ``grades.csv`` with
a row for each student, a page of feedback for each, and ``to-mark.html`` with all texts, question by question. Their
points go into ``texts.csv``, which stays in FOLDER. Mark again when it is filled in: what is marked already is not run
twice.
"""

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
from desk import Desk, LostError
from feedback import feedback_page, to_mark_page
from handed import NoNotebookError, Submission, find_submissions, read_notebook
from jupyter_core.utils import ensure_event_loop
from marking import Mark, Marking, clean, named
from rerun import COURSE, ROOT
from sheets import NOBODY, Sheet, Student, kind_of_points, points, read_sheets
from texts import read_texts, with_texts

GRADES = ROOT / "build" / "grades"
TEXTS = "texts.csv"
BEST = 3  # of the four weeks


def mark_file(one: Submission, sheets: dict[str, Sheet], options: argparse.Namespace) -> None:
    """Mark one file. Whatever happens, it has a mark for every graded cell of its sheet afterwards."""
    if one.path.is_dir():
        return
    if one.sheet not in sheets:
        one.notes.append(f"the file {clean(one.path.name)} belongs to no sheet of the course")
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
        notebook = read_notebook(one.path)
        me = named(notebook)
        if me is None or me.name == NOBODY:
            notes.append("the sheet names no student")
            me = Student(one.who, *([me.course] if me else []))
        one.numbers, one.course = me.name, me.course
        desk = Desk(options.limit, [options.submissions, options.to])
        try:
            one.marks = Marking(sheet, notebook, desk, me).mark()
        finally:
            desk.close()
    except (Exception, LostError) as error:  # a file that is no notebook must not stop the others
        kind = "" if isinstance(error, NoNotebookError) else f"{type(error).__name__}: "
        notes.append(clean(f"could not be run: {kind}{str(error)[:200]}"))
        one.notes += notes
        one.marks = nothing(sheet, notes[-1])
        return  # and nothing is stored, because next time it may run
    one.notes += notes
    stored.parent.mkdir(parents=True, exist_ok=True)
    told = {"numbers": one.numbers, "course": one.course, "notes": notes}
    told |= {"marks": [asdict(mark) for mark in one.marks]}
    draft = stored.with_suffix(".new")  # so that a mark is whole or not there, whenever this is stopped
    draft.write_text(json.dumps(told), encoding="utf-8")
    draft.replace(stored)


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


def grades(found: list[Submission], sheets: dict[str, Sheet]) -> pd.DataFrame:
    """A row for each student: the points of each sheet, of the course where the project is in, and of each task."""
    rows = [(one.who, one.sheet, mark.task, mark.points) for one in found for mark in one.marks]
    marks = pd.DataFrame(rows, columns=["student", "sheet", "task", "points"]).astype({"points": float})
    who = pd.Index(sorted({one.who for one in found}), name="student")
    by_sheet, by_task = (
        marks.pivot_table(index="student", columns=column, values="points", aggfunc="sum", dropna=False).reindex(
            who
        )
        for column in ("sheet", "task")
    )
    for one in found:
        for mark in one.marks:
            if mark.points is None:  # not marked yet, which is not 0
                by_task.loc[one.who, mark.task] = np.nan
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
    notes = [*one.notes, *one.asides, *([f"{unmarked} texts not marked yet"] if unmarked else [])]
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
        one.asides.append(note)
    table = grades(found, sheets)
    options.to.mkdir(parents=True, exist_ok=True)
    table.to_csv(options.to / "grades.csv", lineterminator="\n", encoding="utf-8-sig")
    pages = options.to / "feedback"
    pages.mkdir(exist_ok=True)
    for old in pages.glob("*.html"):
        old.unlink()  # whoever is not there any more
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
    if options.limit < 1:
        parser.error(f"the limit is {options.limit:g}; expected a second at least")
    options.submissions, options.to = options.submissions.resolve(), options.to.resolve()
    sheets = {sheet.name: sheet for sheet in read_sheets()}
    found = find_submissions(options.submissions, sheets)
    read_texts(options.submissions / TEXTS)  # what is wrong with it is said before the sheets run

    def one_of_all(one: Submission) -> Submission:
        try:
            mark_file(one, sheets, options)
        except Exception as error:  # one file must not stop the others
            one.notes.append(clean(f"could not be marked: {type(error).__name__}: {str(error)[:200]}"))
            one.marks = nothing(sheets[one.sheet], one.notes[-1]) if one.sheet in sheets else []
        finally:
            ensure_event_loop().close()  # of this thread: the kernel's client has left it open
        return one

    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        try:
            for number, one in enumerate(pool.map(one_of_all, found), 1):
                told = "; ".join(one.notes + one.asides)
                said = f"{one.who} {one.sheet or '-'}: {one.total():g} points{f' ({told})' if told else ''}"
                print(f"{number}/{len(found)} {said}", flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            print(
                "Stopped, once the sheets that run now are done (Ctrl-C again stops them, too).", file=sys.stderr
            )
            print("What is marked is stored: run this again, and it goes on from there.", file=sys.stderr)
            return 130
    try:
        write_all(found, sheets, options)
    except OSError as error:
        why = f"{error.filename} could not be written ({error.strerror})"
        print(f"{why}: it may be open in another program, or nobody may write there.", file=sys.stderr)
        print("Run this again afterwards: what is marked is stored.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
