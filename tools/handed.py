"""What students have handed in: whose file it is, which sheet, and the notebook in it. None of it can be trusted."""

import re
import sys
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from marking import Mark, clean
from nbformat import NotebookNode
from nbformat.reader import NotJSONError
from sheets import Sheet

# What Moodle adds to the name of a student's folder, and Canvas to that of a file.
ADDED = re.compile(r"_\d+_assignsubmission_\w+$|(_LATE)?_\d+_\d+$")


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
    asides: list[str] = field(default_factory=list)  # what the marker alone should know, as it may name others

    def total(self) -> float:
        """The points so far."""
        return sum(mark.points or 0 for mark in self.marks)


def find_submissions(folder: Path, sheets: dict[str, Sheet]) -> list[Submission]:
    """The notebooks of a folder: in a folder for each student, or a file for each; or such folders for each sheet."""
    if not folder.is_dir():
        sys.exit(f"SUBMISSIONS is {folder}, which is no folder; name the one with the students' files")
    weeks = {name for sheet in sheets.values() for name in (sheet.name, sheet.path.stem)}
    inside = {}  # where a file or a folder lies, as seen from the folder that has one for each student
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if not any(part.startswith((".", "__")) for part in parts):
            inside[path] = parts[1:] if parts[0].lower() in weeks else parts
    paths = [path for path in inside if path.suffix == ".ipynb" and path.is_file() and not path.is_symlink()]
    if not paths:
        sys.exit(f"there is no notebook in {folder}; expected ada.lovelace/w1-reconstruction.ipynb, or the like")
    found = [Submission(called(inside[path], sheets), sheet_of(path, sheets), path) for path in paths]
    for path, parts in inside.items():
        if len(parts) == 1 and path.is_dir() and not any(other.is_relative_to(path) for other in paths):
            held = ", ".join(sorted(other.name for other in path.rglob("*"))[:3])
            found.append(Submission(harmless(parts[0]), "", path))
            found[-1].notes.append(f"there is no notebook in the folder, which holds {held or 'nothing'}")
    name_plainly(found)
    twice = [each for each, number in Counter((one.who, one.sheet) for one in found).items() if number > 1]
    for who, sheet in twice:
        several = [one for one in found if (one.who, one.sheet) == (who, sheet)]
        newest = max(several, key=lambda one: (one.path.stat().st_mtime, one.path))
        newest.notes.append(f"{len(several)} files of {sheet}; the newest counts, {newest.path.name}")
        if len({one.path.parent for one in several}) > 1:
            newest.asides.append(f"they lie in several folders: is {who} one student?")
        found = [one for one in found if one not in several or one is newest]
    return found


def called(parts: tuple[str, ...], sheets: dict[str, Sheet]) -> str:
    """Whose file it is: by the folder that it lies in, or by its name."""
    names = [name for sheet in sheets.values() for name in (sheet.path.stem, sheet.name)]
    stems = rf"(?<![^\W_])({'|'.join(map(re.escape, names))})(?![^\W_])"
    stem = parts[-1].removesuffix(".ipynb")
    own = re.sub(stems, "", re.sub(rf"(?<=.){stems}(-\d{{1,2}})?( ?\(\d+\))?$", "", stem)).strip("-_. ")
    return harmless(parts[0] if len(parts) > 1 else own or stem)


def harmless(name: str) -> str:
    """A name that can be a file's, stand in a table, and be printed: no formula, no signs that steer a terminal."""
    return re.sub(r"^[=+@\-]", "_", clean(unicodedata.normalize("NFC", name), "_").replace("\n", "_"))[:60]


def name_plainly(found: list[Submission]) -> None:
    """Take off what learning platforms add to a name, as it is another one each week; unless two would be alike."""
    plain = {one.who: ADDED.sub("", one.who) or one.who for one in found}
    same = Counter((plain[who], sheet) for who, sheet in {(one.who, one.sheet) for one in found})
    unclear = {who for (who, _), number in same.items() if number > 1}
    for one in found:
        if "_LATE_" in one.who:
            one.notes.append("late, as its name says")
        if plain[one.who] not in unclear:
            one.who = plain[one.who]
        elif plain[one.who] != one.who:
            one.asides.append(f"several students are called {plain[one.who]}")


def sheet_of(path: Path, sheets: dict[str, Sheet]) -> str:
    """Which sheet a file is: by what it says itself, or by its name."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # nobody may read it; marking says so
        text = ""
    said = Counter(
        re.findall(r'"task": *"(\w+)\.\w+"', text) + re.findall(r"^ *\"#+ (\w+)\.\w+ ", text, re.MULTILINE)
    )
    said = Counter({name: number for name, number in said.items() if name in sheets})
    if said:
        return said.most_common(1)[0][0]
    return next((name for name in sheets if re.search(rf"(?<![^\W_]){name}(?![^\W_])", path.stem)), "")


class NoNotebookError(ValueError):
    """A file that is no notebook; the message says what it seems to be."""


def read_notebook(path: Path) -> NotebookNode:
    """The notebook in a file."""
    raw = path.read_bytes()
    if not raw.strip():
        raise NoNotebookError("the file is empty")
    if raw.startswith(b"PK"):
        raise NoNotebookError("the file is no notebook, but a Word file or an archive that was given its name")
    try:
        notebook = nbformat.reads(raw.decode("utf-8-sig"), as_version=4)
    except (UnicodeDecodeError, NotJSONError):
        raise NoNotebookError("the file is no notebook, or a part of one: it cannot be read") from None
    for cell in notebook.cells:
        cell.source = clean(cell.source)
    return notebook
