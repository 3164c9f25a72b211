"""A notebook as an accessible page: one heading of level 1, contents, tables with labels, folds, words for pictures."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from cells import cell_html
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from nbformat import NotebookNode

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
EFFORT = re.compile(r" \([^()]*\bminutes\b[^()]*\)$")  # what a task's heading says besides its title
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)


@dataclass(frozen=True)
class Entry:
    """A line of a page's contents: the heading's level, its anchor and its words."""

    level: int
    anchor: str
    words: str


@dataclass
class Page:
    """The text of a page as a tree of elements, its title, and its contents."""

    body: BeautifulSoup
    title: str
    contents: list[Entry]


def page_of(notebook: NotebookNode, name: str) -> Page:
    """The page of a notebook, whose links still lead to notebooks."""
    cells = [cell for cell in notebook.cells if cell.cell_type != "raw"]  # which pages do not show
    body = BeautifulSoup("".join(map(cell_html, cells)), "html.parser")
    return finished(body, name)


def finished(body: BeautifulSoup, name: str) -> Page:
    """A page of this text: headings in order, labelled tables, words for every picture."""
    entries = put_in_order(body, name)
    label_tables(body)
    for style in body("style"):
        style.decompose()  # pandas repeats one with each table
    if nameless := sum(not str(image.get("alt", "")).strip() for image in body("img")):
        raise ValueError(f"pictures without words: {nameless}; run make notebooks ARGS={name}")
    return Page(body, entries[0].words, entries[1:])


def put_in_order(body: BeautifulSoup, name: str) -> list[Entry]:
    """Give headings levels without jumps, one of them level 1, and anchors; returns the contents, the title first."""
    if not body.find(HEADINGS):
        body.insert(0, body.new_tag("h1", string=name))
    entries: list[Entry] = []
    above: list[int] = []
    taken = {str(element["id"]) for element in body.select("[id]")}
    for heading in body(HEADINGS):
        deep = int(heading.name[1])
        while above and above[-1] >= deep:
            above.pop()
        above.append(deep)
        own = min(len(above) + 1, 6) if entries else 1
        if not entries:
            above.clear()  # all others stand below the title
        heading.name = f"h{own}"
        words = EFFORT.sub("", " ".join(heading.get_text().split()))
        heading["id"] = free(taken, heading.get_text().replace(" ", "-"))  # as JupyterLab has it
        entries.append(Entry(own, str(heading["id"]), words))
    return entries


def free(taken: set[str], anchor: str) -> str:
    """The anchor, or the next one like it that is not taken; it is taken from now on."""
    found, number = anchor, 1
    while found in taken:
        number += 1
        found = f"{anchor}-{number}"
    taken.add(found)
    return found


def label_tables(body: BeautifulSoup) -> None:
    """Say of each heading of a table what it heads; let tables scroll in boxes that have a label."""
    for number, table in enumerate(body("table"), 1):
        for heading in table("th"):
            if not heading.get_text(strip=True):
                heading.name = "td"
            elif not heading.get("scope"):
                wide = int(str(heading.get("colspan") or 1)) > 1
                heading["scope"] = ("colgroup" if wide else "col") if heading.find_parent("thead") else "row"
        if table.thead and not table.thead.get_text(strip=True):
            table.thead.decompose()
        for old in ("border", "class"):
            table.attrs.pop(old, None)
        caption = table.caption or body.new_tag("caption", attrs={"class": "unseen"})
        if not table.caption:
            above = table.find_previous(HEADINGS)
            caption.string = f"Table {number}" + (f", in: {' '.join(above.get_text().split())}" if above else "")
            table.insert(0, caption)
        caption["id"] = f"table-{number}"
        box = body.new_tag("div", attrs={"class": "scroll", "role": "group"})
        box["aria-labelledby"] = caption["id"]
        table.wrap(box)


def text_of(page: Page, **place: Any) -> str:
    """The text of a page's file; ``place`` says what leads to it and from it."""
    return TEMPLATES.get_template("page.html.j2").render(page=page, body=Markup(str(page.body)), **place)
