"""Export notebooks as web pages, as they are saved: nothing is run.

``python tools/export.py`` writes all of them to build/html, ``python tools/export.py 00-start-here`` only the named
ones. Every picture has its words as alternative text, solutions are folded, and in print all folds are open. Links lead
to the other pages; what else they lead to is copied beside them.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

import nbformat
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from rerun import FOLDER, find

TEMPLATE = Path(__file__).with_name("page.html.j2")
PAGES = FOLDER.parent / "build" / "html"
MISSING = "No description"  # how the alternative text begins that nbconvert gives to pictures without one
HEADING = re.compile(r"(#{1,6}) +(.*)")


def export(path: Path, folder: Path = PAGES) -> Path:
    """Write the notebook at ``path`` as a page into the folder, and return the page's path."""
    notebook = nbformat.read(path, as_version=4)
    exporter = HTMLExporter(template_file=str(TEMPLATE), language_code="en")
    html, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": title(notebook)}})
    page = BeautifulSoup(html, "html.parser")
    fold_solutions(page, notebook)
    mend_links(page, path.parent, folder)
    words = [str(image.get("alt") or MISSING) for image in page("img")]
    if nameless := [alt for alt in words if alt.startswith(MISSING)]:
        raise ValueError(
            f"{path.name}: {len(nameless)} pictures say nothing; run make notebooks ARGS={path.stem}"
        )
    target = folder / f"{path.stem}.html"
    folder.mkdir(parents=True, exist_ok=True)
    target.write_text(str(page), encoding="utf-8", newline="\n")
    return target


def title(notebook: NotebookNode) -> str:
    """The words of the first heading."""
    headings = (HEADING.match(cell.source) for cell in notebook.cells if cell.cell_type == "markdown")
    return next(found[2] for found in headings if found)


def level(cell: NotebookNode) -> int:
    """How deep the heading stands with which a cell begins; 9 for a cell without one."""
    found = HEADING.match(cell.source) if cell.cell_type == "markdown" else None
    return len(found[1]) if found else 9


def fold_solutions(page: BeautifulSoup, notebook: NotebookNode) -> None:
    """Put what stands under a collapsed heading into a fold that has this heading."""
    shown = list(zip(notebook.cells, page.select("main > .jp-Cell"), strict=True))
    for place, (cell, element) in enumerate(shown):
        if not cell.metadata.get("jp-MarkdownHeadingCollapsed"):
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
    """Let links to notebooks lead to their pages, and copy other files that are linked to."""
    for link in page.select("a[href]"):
        target, sharp, anchor = str(link["href"]).partition("#")
        if not target or re.match(r"\w+:", target):
            continue
        file = home / unquote(target)
        inside = Path(*[part for part in Path(unquote(target)).parts if part != ".."])
        if file.suffix == ".ipynb":
            inside = inside.with_suffix(".html")
        else:
            (folder / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, folder / inside)
        link["href"] = f"{inside.as_posix()}{sharp}{anchor}"


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="notebooks, with or without .ipynb (default: all)")
    parser.add_argument("--to", type=Path, default=PAGES, help="the folder for the pages (default: build/html)")
    options = parser.parse_args()
    for path in find(options.names):
        try:
            print(export(path, options.to))
        except ValueError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
