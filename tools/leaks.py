"""Whether a solution stands in what students get: the lines that they must not see, and where one of them stands.

A line of fewer than 12 characters says too little to be looked for, and so does one such as ``for group in groups:``.
A line that stands in a given cell of a sheet as well is known anyway. Lines of an answer stand in no visible check;
hidden checks and cells that draw a solution may share lines with one. A lesson derives what a sheet asks for, so it may
have single lines of a solution. But no cell and no file may have all lines of one. The library's source is public: it
may hold what a student is asked to write.
"""

import ast
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from emptied import LESSONS, REMOVED, student_notebook, visible_modules
from sheets import Sheet, excerpt, solution, tag

MIN_LENGTH = 12
BLAND = re.compile(r"return \w+|for \w+(, \w+)* in \w+:|if (not )?\w+:|import .*|from [\w.]+ import .*")
MARKUP = re.compile(
    r"\]\([^)]*\)|^ *(?:#+|-|\d+\.) |[\s*_`$\\|\[\]]", re.MULTILINE
)  # what a page does not show, or shows as room
TEXTS = {".csv", ".json", ".md", ".py", ".toml", ".txt"}


@dataclass(frozen=True)
class Secret:
    """Something that students must not see: what it is, its lines, and what else says some of these lines anyway."""

    name: str
    lines: tuple[str, ...]
    known: str

    def as_shown(self) -> "Secret":
        """The secret as a page shows it."""
        lines = tuple(line for line in map(as_shown, self.lines) if len(line) >= MIN_LENGTH)
        return Secret(self.name, lines, as_shown(self.known))

    def told_by(self, text: str, lesson: bool) -> str | None:
        """A line by which a text gives the secret away, or None."""
        shown = [line for line in self.lines if line in text]
        if len(shown) == len(self.lines) > 1:
            return shown[0]
        return None if lesson else next((line for line in shown if line not in self.known), None)


def secrets(sheets: Iterable[Sheet], oracles: Path) -> list[Secret]:
    """All that students must not see, of the sheets and of the hidden checks in the folder of the oracles."""
    sheets = list(sheets)
    given = "\n".join(cell.source for sheet in sheets for cell in student_notebook(sheet).cells)
    visible = "\n".join(path.read_text(encoding="utf-8") for path in visible_modules(oracles))
    found = []
    for sheet in sheets:
        for name, lines, answer in of_sheet(sheet):
            found.append(Secret(name, telling(lines), given if answer else given + "\n" + visible))
    for path in sorted(oracles.glob("hidden_*.py")):
        for name, lines in bodies(path.read_text(encoding="utf-8")):
            found.append(Secret(f"{path.name}, {name}", telling(lines), given + "\n" + visible))
    return [secret for secret in found if secret.lines]


def telling(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines that say something."""
    stripped = [line.strip() for line in lines]
    return tuple(line for line in stripped if len(line) >= MIN_LENGTH and not BLAND.fullmatch(line))


def of_sheet(sheet: Sheet) -> Iterator[tuple[str, list[str], bool]]:
    """What must not be seen of a sheet, cell by cell: a name, the lines, and whether they are an answer."""
    for number, cell in enumerate(sheet.notebook.cells, 1):
        name = f"{sheet.path.name}, cell {number} ({excerpt(cell)})"
        if tag(cell) in (*REMOVED, "answer-text"):
            yield name, cell.source.splitlines(), tag(cell) == "answer-text"
        elif lines := solution(cell.source):
            yield name, lines, True


def bodies(text: str) -> Iterator[tuple[str, list[str]]]:
    """The functions of a module, each with the lines below its first one, comments included."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, lines[node.body[0].lineno - 1 : node.end_lineno]


def leaks(folder: Path, hidden: Iterable[Secret]) -> list[str]:
    """What students must not see but would, as messages that name the file, the secret and the line."""
    hidden = list(hidden)
    on_pages = [secret for secret in map(Secret.as_shown, hidden) if secret.lines]
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        for name, piece in pieces(path.relative_to(folder).as_posix(), path.read_bytes()):
            looked_for = on_pages if name.endswith(".html") else hidden
            found += [f"{name}: {message}" for message in told(name, piece, looked_for)]
    return found


@cache
def as_shown(text: str) -> str:
    """A text without room and without the marks of Markdown, which a page does not show."""
    return MARKUP.sub("", text)


def page_pieces(text: str) -> Iterator[str]:
    """What a page shows: each cell, the words of pictures, and all that stands around the cells."""
    page = BeautifulSoup(text, "html.parser")
    for image in page("img"):
        yield as_shown(str(image.get("alt", "")))
    for cell in page.select("div.cell"):
        yield as_shown(cell.get_text())
        cell.clear()
    yield as_shown(page.get_text())


def told(name: str, piece: str, hidden: list[Secret]) -> Iterator[str]:
    """Which secrets a text gives away."""
    lesson = LESSONS.name in Path(name).parts
    for secret in hidden:
        if line := secret.told_by(piece, lesson):
            yield f"it shows {secret.name}: {line}"


def pieces(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    """The texts in a file: the cells of a notebook, and the files in an archive; but not the library's source."""
    kind = Path(name).suffix
    if kind in (".zip", ".whl"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                if kind == ".zip" or not member.endswith(".py"):
                    yield from pieces(f"{name}/{member}", archive.read(member))
    elif kind == ".ipynb":
        notebook = json.loads(content)
        yield name, "\n".join(strings(notebook["metadata"]))
        for cell in notebook["cells"]:
            yield name, "\n".join(strings(cell))
    elif kind == ".html":
        yield from ((name, piece) for piece in page_pieces(content.decode("utf-8")))
    elif kind in TEXTS or Path(name).name in ("METADATA", "RECORD"):
        yield name, content.decode("utf-8")


def strings(value: Any) -> Iterator[str]:
    """All texts in a part of a notebook, without pictures."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield (
            "".join(value)
            if all(isinstance(part, str) for part in value)
            else "\n".join(text for part in value for text in strings(part))
        )
    elif isinstance(value, dict):
        for key, part in value.items():
            if not key.startswith("image/"):
                yield from strings(part)
