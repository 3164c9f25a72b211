"""Write the marker's table: ``python tools/marks.py`` writes notebooks/coursework/marks.csv.

It has a row for each task of the sheets. Where the answer is a number of the student's own data, the row says what the
model finds for the student of the saved sheet, between which values it lies for most students, and how far an answer
may be off.
"""

import argparse
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
from rerun import COURSE
from sheets import kind_of_points, points, read_sheets, student

MARKS, STUDENTS, EXAMPLE = COURSE / "marks.csv", 200, "ada.lovelace"
MIDDLE = [0.05, 0.95]


def rows(students: int = STUDENTS) -> Iterator[dict[str, object]]:
    """What is known of each task."""
    for sheet in read_sheets():
        try:
            hidden = import_module(f"oracles.hidden_{sheet.name}")
        except ModuleNotFoundError:  # the project is marked by people
            hidden = None
        references, tolerances = getattr(hidden, "REFERENCES", {}), getattr(hidden, "TOLERANCES", {})
        for task in sheet.tasks:
            row: dict[str, object] = {
                "task": task.id,
                "title": task.title,
                "objectives": " ".join(task.objectives),
            }
            row |= {"level": task.level, "minutes": task.minutes, "points": task.points}
            for kind in ("prediction", "check", "hidden", "answer-text"):
                row[kind] = sum(points(cell) for cell in task.graded if kind_of_points(task, cell) == kind)
            if task.id in references:
                found = [references[task.id](student(f"student.{number}")) for number in range(students)]
                low, high = np.quantile(found, MIDDLE)
                row |= {EXAMPLE: references[task.id](student(EXAMPLE)), "5 %": low, "95 %": high}
                row["tolerance"] = tolerances[task.id]
            yield row


def table(students: int = STUDENTS) -> pd.DataFrame:
    """All rows, with at most four digits."""
    columns = ["task", "title", "objectives", "level", "minutes", "points", "prediction", "check", "hidden"]
    columns += ["answer-text", EXAMPLE, "5 %", "95 %", "tolerance"]
    return pd.DataFrame(rows(students)).reindex(columns=columns).round(4)


def main(words: list[str] | None = None) -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--to", type=Path, default=MARKS, help="the table (default: notebooks/coursework/marks.csv)"
    )
    options = parser.parse_args(words)
    table().to_csv(options.to, index=False, lineterminator="\n")
    print(options.to)
    return 0


if __name__ == "__main__":
    sys.exit(main())
