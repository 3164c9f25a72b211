"""Build what students get from the sheets of the course: the versions without solutions, and all that they need.

``python tools/student.py`` writes build/student: the sheets, the lessons, the checks, the library, and one student.zip
of all. ``--for nbgrader``, ``--for otter`` and ``--for colab`` write what these take, to build/nbgrader and so on. A
build that would show a line of a solution is refused, and leaves the old one as it was.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from building import build_student, replace
from emptied import LESSONS
from for_colab import build_colab
from for_nbgrader import build_nbgrader
from for_otter import build_otter
from rerun import COURSE, ROOT
from sheets import Sheet, SheetError, read_sheets

MAX_COURSE = 64  # bytes: what keys a student's numbers


def filler(options: argparse.Namespace, sheets: list[Sheet]) -> Callable[[Path], None]:
    """What fills the folder that the command line asks for."""
    course = options.course
    return {
        None: lambda folder: build_student(sheets, folder, course),
        "nbgrader": lambda folder: build_nbgrader(sheets, folder, course),
        "otter": lambda folder: build_otter(sheets, folder, course),
        "colab": lambda folder: build_colab(sheets, folder, course, options.address),
    }[options.made_for]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line, checked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--for", dest="made_for", choices=["nbgrader", "otter", "colab"], metavar="WHAT")
    parser.add_argument("--course", help="the name of this course; the students' numbers depend on it")
    parser.add_argument("--from", dest="address", help="for colab: the address of student.zip on the web")
    parser.add_argument("--to", type=Path, help="the folder to write (default: build/student, or build/WHAT)")
    parser.add_argument("--sheets", type=Path, default=COURSE, help="the folder of the sheets")
    options = parser.parse_args(arguments)
    options.course = options.course and options.course.strip()
    if options.course is not None and not 0 < len(options.course.encode()) <= MAX_COURSE:
        parser.error(f"the course is {options.course!r}; expected a name of at most {MAX_COURSE} bytes")
    if options.address is not None and options.made_for != "colab":
        parser.error("an address of student.zip is needed for colab only")
    if options.address is not None and not options.address.startswith(("https://", "http://", "file://")):
        parser.error(f"the address is {options.address!r}; expected https://…/student.zip")
    options.to = options.to or ROOT / "build" / (options.made_for or "student")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says."""
    options = parse(arguments)
    try:
        sheets = read_sheets(options.sheets)
        files = replace(options.to, filler(options, sheets))
    except (SheetError, RuntimeError) as error:
        print(f"Nothing was written: {error}", file=sys.stderr)
        return 1
    lessons = [path for path in files if LESSONS.name in path.parts]
    for path in files:
        if path not in lessons:
            print(options.to / path)
    if lessons:
        print(f"{options.to / LESSONS}: {len(lessons)} files")
    if options.made_for is None:
        print(f"Hand out {options.to / 'student.zip'}, which holds all of this.")
    if options.made_for == "colab" and options.address is None:
        print(
            "A sheet will ask for student.zip, so hand it out, too; or put it on the web and say FROM=https://…"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
