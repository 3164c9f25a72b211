"""Export notebooks as web pages, as they are saved: nothing is run.

``python tools/export.py`` writes all of them to build/html, ``python tools/export.py 00-start-here`` only the named
ones. Every picture has its words as alternative text, solutions are folded, and in print all folds are open. Links lead
to the other pages; what else they lead to is copied beside them, with a folder up/ for each step upwards.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import nbformat
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from rerun import FOLDER, find

TEMPLATE = Path(__file__).with_name("page.html.j2")
PAGES = FOLDER.parent / "build" / "html"
MISSING = "No description has been provided for this image"  # what nbconvert says of pictures without words
HEADING = re.compile(r"(#{1,6}) +(.*)")


def export(path: Path, folder: Path = PAGES) -> Path:
    """Write the notebook at ``path`` as a page into the folder, and return the page's path."""
    notebook = nbformat.read(path, as_version=4)
    exporter = HTMLExporter(template_file=str(TEMPLATE), language_code="en")
    html, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": path.stem}})
    page = BeautifulSoup(html, "html.parser")
    if heading := page.select_one("main :is(h1, h2, h3, h4, h5, h6)"):
        page.title.string = heading.text.removesuffix("¶")  # type: ignore[union-attr]
    fold_solutions(page, notebook)
    try:
        mend_links(page, path.parent, folder)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path.name}: {error}") from error
    words = [str(image.get("alt", "")).strip() for image in page("img")]
    if nameless := sum(alt in ("", MISSING) for alt in words):
        raise ValueError(f"{path.name}: pictures without words: {nameless}; run make notebooks ARGS={path.stem}")
    target = folder / f"{path.stem}.html"
    folder.mkdir(parents=True, exist_ok=True)
    target.write_text(str(page), encoding="utf-8", newline="\n")
    return target


def level(cell: NotebookNode) -> int:
    """How deep the heading stands with which a cell begins; 9 for a cell without one."""
    found = HEADING.match(cell.source) if cell.cell_type == "markdown" else None
    return len(found[1]) if found else 9


def fold_solutions(page: BeautifulSoup, notebook: NotebookNode) -> None:
    """Put what stands under a collapsed heading into a fold that has this heading."""
    cells = [cell for cell in notebook.cells if cell.cell_type != "raw"]  # which pages do not show
    shown = list(zip(cells, page.select("main > .jp-Cell"), strict=True))
    for place, (cell, element) in enumerate(shown):
        if not cell.metadata.get("jp-MarkdownHeadingCollapsed") or not HEADING.match(cell.source):
            continue
        fold = page.new_tag("details", attrs={"class": "solution"})
        summary = page.new_tag("summary")
        element.insert_before(fold)
        fold.extend([summary, element])
        summary.extend(element.find_all(f"h{level(cell)}", limit=1))
        for later, other in shown[place + 1 :]:
            if level(later) <= level(cell):
                break
            fold.append(other)


def mend_links(page: BeautifulSoup, home: Path, folder: Path) -> None:
    """Let links to notebooks lead to their pages, and copy other files that are linked to or shown."""
    for element in page.select("a[href], img[src]"):
        key = "href" if element.name == "a" else "src"
        address = str(element[key])
        if address.startswith("data:"):  # a picture, and a long one
            continue
        parts = urlsplit(address)
        if parts.scheme or parts.netloc or not parts.path:
            continue
        target = Path(unquote(parts.path))
        file = home / target
        if target.is_absolute() or not file.is_file():
            raise ValueError(f"there is no file {address}; link to a file of the project, or to the web")
        inside = Path(*["up" if part == ".." else part for part in target.parts])
        if file.suffix == ".ipynb":
            inside = inside.with_suffix(".html")
        elif file.resolve() != (copy := folder / inside).resolve():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
        element[key] = urlunsplit(parts._replace(path=quote(inside.as_posix())))


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="notebooks, with or without .ipynb (default: all)")
    parser.add_argument("--to", type=Path, default=PAGES, help="the folder for the pages (default: build/html)")
    options = parser.parse_args()
    wrong = 0
    for path in find(options.names):
        try:
            print(export(path, options.to))
        except ValueError as error:
            print(error, file=sys.stderr)
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
