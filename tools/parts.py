"""The parts of the handout: lessons and sheets in order, where the page of each stands, and where its links lead."""

import copy
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import nbformat
from bs4 import BeautifulSoup
from emptied import LESSONS, SOLUTIONS, YOUR_LECTURER, handed_out, student_notebook
from nbformat import NotebookNode
from rerun import COURSE, FOLDER
from sheets import Sheet, read_sheets

INDEX = Path("index.html")


@dataclass(frozen=True, eq=False)
class Part:
    """A lesson or a sheet of the site: its file, what the file holds, and what of it is shown."""

    path: Path
    own: NotebookNode
    notebook: NotebookNode
    sheet: Sheet | None = None

    @property
    def page(self) -> Path:
        """Where the page stands in the site."""
        return (Path() if self.sheet else LESSONS) / f"{self.path.stem}.html"

    @property
    def home(self) -> Path:
        """The folder of the lessons."""
        return self.path.parent.parent if self.sheet else self.path.parent

    @property
    def companion(self) -> bool:
        """Whether it goes further than the lesson before it."""
        return "-further" in self.path.stem

    def meant(self, target: str, own: bool = False) -> Path:
        """The file of the project that a link leads to, in the notebook as it is shown or in the file's own text."""
        steps = Path(target).parts
        if not self.sheet or own or steps[0] != LESSONS.name:
            return Path(os.path.normpath(self.path.parent / target))
        if steps[1:2] == ("up",):  # a sheet that students get names files as they stand for students
            return self.home.parent.joinpath(*steps[2:])
        return self.home.joinpath(*steps[1:])


def lessons(folder: Path = FOLDER) -> list[Part]:
    """The lessons of the series, in the order in which the first one's map links to them."""
    found = [(path, nbformat.read(path, as_version=4)) for path in sorted(folder.glob("*.ipynb"))]
    maps = [cell.source for cell in found[0][1].cells if re.match(r"#+ .*\bmap\b", cell.source)] if found else []
    places = {name: place for place, name in enumerate(re.findall(r"\(([^()]+\.ipynb)\)", "\n".join(maps)))}
    found[1:] = sorted(found[1:], key=lambda pair: (pair[0].name[:2], places.get(pair[0].name, len(places))))
    return [Part(path, notebook, shown(notebook)) for path, notebook in found]


def shown(notebook: NotebookNode) -> NotebookNode:
    """A lesson as students get it: it says who has the solutions, and does not link to them."""
    made = copy.deepcopy(notebook)
    for cell in made.cells:
        if cell.cell_type == "markdown":
            cell.source = SOLUTIONS.sub(YOUR_LECTURER, cell.source)
    return made


def sheets(folder: Path = COURSE) -> list[Part]:
    """The sheets of the course, as students get them."""
    return [Part(sheet.path, sheet.notebook, student_notebook(sheet), sheet) for sheet in read_sheets(folder)]


def place(file: Path, home: Path) -> Path | None:
    """Where a file of the project stands in the site; None for what students do not get."""
    found = handed_out(file, home)
    return found.with_suffix(".html") if found and file.suffix == ".ipynb" else found


def mend_links(body: BeautifulSoup, part: Part, here: Path, folder: Path, own: bool = False) -> None:
    """Let links of a page at ``here`` lead to pages, and copy other files that it links to."""
    for element in body.select("a[href], img[src]"):
        key = "href" if element.name == "a" else "src"
        address = str(element[key])
        if address.startswith("data:"):  # a picture, and a long one
            continue
        parts = urlsplit(address)
        if parts.scheme or parts.netloc or not parts.path:
            continue
        given = unquote(parts.path)
        file = part.meant(given, own)
        if Path(given).is_absolute() or not file.is_file():
            raise ValueError(f"there is no file {address}; link to a file of the project, or to the web")
        target = place(file, part.home)
        if target is None:
            raise ValueError(f"students do not get {address}; link to a lesson, a sheet or the web")
        if file.suffix != ".ipynb" and file.resolve() != (duplicate := folder / target).resolve():
            duplicate.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, duplicate)
        element[key] = urlunsplit(parts._replace(path=quote(relative(target, here))))


def relative(target: Path, here: Path) -> str:
    """The address of a page of the site, as seen from another one."""
    return Path(os.path.relpath(target, here.parent)).as_posix()
