"""The points of texts, which a person gives: they are read from ``texts.csv``, and a row is written for each text."""

from __future__ import annotations

import csv
import io
import math
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grade import Submission

TEXT_COLUMNS = ["student", "task", "of", "points", "comment", "text"]  # the last: which text the points are for


def read_texts(path: Path) -> tuple[list[dict[str, str]], str]:
    """The rows of ``texts.csv`` and what separates their cells, also as a spreadsheet program has saved them."""
    if not path.is_file():
        return [], ","
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")  # what Excel calls "CSV"
    lines = text.splitlines() or [""]
    separator = max(",;\t", key=lines[0].count)
    names, *rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator)) or [[]]
    names = [name.strip().lower() for name in names]
    if missing := [name for name in TEXT_COLUMNS[:-2] if name not in names]:
        sys.exit(f"{path} has no column {missing[0]!r}; expected {', '.join(TEXT_COLUMNS)}")
    cells = [{name: cell.strip() for name, cell in zip(names, row) if name} for row in rows]
    return [dict.fromkeys(TEXT_COLUMNS, "") | row for row in cells if any(row.values())], separator


def points_of(row: dict[str, str], path: Path, most: int | None = None) -> float | None:
    """The points in a row, or None where there are none yet; 1,5 is 1.5."""
    said = row["points"]
    try:
        number = float(said.replace(",", ".")) if said else None
    except ValueError:
        number = math.nan
    if number is not None and not 0 <= number <= (math.inf if most is None else most):
        expected = "a number" if most is None else f"0 to {most}"
        sys.exit(f"{path}: {row['student']} has {said!r} points for {row['task']}; expected {expected}")
    return number


def again(row: dict[str, str], text: str) -> None:
    """Note which text a row is for. Points of another text, handed in before, go into the comment."""
    if row["text"] not in ("", text) and row["points"]:
        row["comment"] = f"{row['comment']} [An earlier text had {row['points']} points.]".strip()
        row["points"] = ""
    row["text"] = text


def with_texts(found: list[Submission], path: Path) -> int:
    """Put the points of ``texts.csv`` into the marks, and write a row for each text; return how many are not marked.

    Comments and columns that the marker has added stay, and so does the kind of file that a spreadsheet program made.
    """
    known, separator = read_texts(path)
    given = {(row["student"], row["task"]): row for row in known}
    rows, left = [], 0
    for one in found:
        for mark in one.marks:
            if mark.kind != "answer-text" or mark.points is not None:
                continue
            row = given.pop((one.who, mark.task), dict.fromkeys(TEXT_COLUMNS, ""))
            again(row, f"t{zlib.crc32(mark.text.encode()):08x}")  # t: no spreadsheet takes it for a number
            row |= {"student": one.who, "task": mark.task, "of": str(mark.of)}
            mark.points, mark.said = points_of(row, path, mark.of), row["comment"]
            left += mark.points is None
            rows.append(row)
    for row in given.values():  # of texts that are not here now
        if row["points"] or row["comment"]:
            points_of(row, path)
            rows.append(row | {"of": ""})
            print(
                f"{path.name}: no text of {row['student']} for {row['task']} is here; its row stays",
                file=sys.stderr,
            )
    if not rows:
        return left
    rows.sort(key=lambda row: ([part.zfill(3) for part in row["task"].split(".")], row["student"]))
    names = list(dict.fromkeys([*TEXT_COLUMNS, *(name for row in rows for name in row)]))
    draft = path.with_suffix(".new")
    with draft.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.DictWriter(file, names, "", delimiter=separator, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    draft.replace(path)
    return left
