"""Make slides of the lecturer's script: ``python tools/slides.py`` writes a page for each week into build/slides.

The script is notebooks/coursework/slides.md. A heading of level one begins a week, one of level two a slide. A picture
is that of a notebook's cell: ``![](../00-start-here.ipynb#shared-out)`` shows what the cell with this id has saved,
with its words. What stands after ``Note:`` is for the speaker. Nothing is run, and a page needs nothing but a browser.
The arrow keys turn the slides, and n shows the notes. Printed, each slide has a page, with its notes if they are shown.
"""

import argparse
import re
import struct
import sys
from base64 import b64decode
from functools import cache
from html import escape
from pathlib import Path

import mistune
import nbformat
from nbformat import NotebookNode
from rerun import COURSE, FOLDER

SCRIPT = COURSE / "slides.md"
PAGES = FOLDER.parent / "build" / "slides"
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)#]+\.ipynb)#([^)]+)\)")
BROAD = 2.2  # times as wide as high: such a picture has the whole width, others have the words beside them
STYLE = """
* { box-sizing: border-box; }
html { scroll-snap-type: y mandatory; overflow-x: hidden; background: #fff; color: #1a1a1a; }
html { font: min(3.6vh, 2.4vw)/1.4 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
body { margin: 0; }
section { height: 100vh; padding: 2em 2.6em 1em; scroll-snap-align: start; overflow: hidden; }
section { display: grid; grid-template: "head head" auto "main main" 1fr "note note" auto "foot foot" auto / 1fr; }
section { gap: 0 1.6em; outline: none; }
.beside { grid-template: "head head" auto "show main" 1fr "note note" auto "foot foot" auto / 2fr 1fr; }
.above { grid-template: "head" auto "show" 1fr "main" auto "note" auto "foot" auto / 1fr; }
h1, h2 { grid-area: head; margin: 0 0 .5em; font-weight: 600; line-height: 1.2; color: #14365c; text-wrap: balance; }
h1 { font-size: 2.4em; } h2 { font-size: 1.6em; }
.first h1 { margin-top: 2.2em; }
figure { grid-area: show; margin: 0; min-height: 0; min-width: 0; }
img { width: 100%; height: 100%; object-fit: contain; object-position: left top; }
.beside img { object-position: left center; }
.words { grid-area: main; align-self: start; min-width: 0; }
.beside .words { align-self: center; }
.above .words { margin-top: .5em; }
.first .words, .plain .words { font-size: 1.25em; margin-top: .6em; }
.words > * { margin: 0 0 .6em; } ul { padding-left: 1.1em; } li { margin-bottom: .45em; }
table { border-collapse: collapse; } th, td { padding: .3em 1em .3em 0; text-align: left; vertical-align: top; }
th, td { border-bottom: 1px solid #999; }
aside { display: none; grid-area: note; font-size: .72em; max-height: 34vh; overflow-y: auto; }
aside { background: #f2f2f2; padding: .6em 1.2em; margin-top: .6em; } aside p { margin: .3em 0; }
.notes aside { display: block; }
footer { grid-area: foot; font-size: .6em; color: #555; margin-top: .8em; }
@page { size: 1280px 720px; margin: 0; }
@page noted { size: 210mm 297mm; margin: 14mm; }
@media print {
  html { font-size: 26px; overflow: visible; } section { height: 719px; break-after: page; break-inside: avoid; }
  section:last-of-type { break-after: auto; }
  .notes section { page: noted; height: auto; display: block; padding: 0; font-size: 15px; }
  .notes img { max-height: 110mm; } .notes aside { font-size: 14px; max-height: none; }
}
"""
KEYS = """
const slides = [...document.querySelectorAll("section")]
const away = slide => Math.abs(slide.getBoundingClientRect().top)
const shown = () => slides.reduce((best, slide) => away(slide) < away(best) ? slide : best)
const show = place => {
  const slide = slides[Math.min(slides.length - 1, Math.max(0, place))]
  slide.scrollIntoView()
  slide.focus({preventScroll: true})
  history.replaceState(null, "", "#" + slide.id)
}
const turns = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1}
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const here = shown()
  if (event.key in turns) show(slides.indexOf(here) + (event.shiftKey ? -1 : 1) * turns[event.key])
  else if (event.key === "Home") show(0)
  else if (event.key === "End") show(slides.length - 1)
  else if (event.key === "n") { document.body.classList.toggle("notes"); here.scrollIntoView() }
  else return
  event.preventDefault()
})
addEventListener("resize", () => slides[slides.findIndex(slide => "#" + slide.id === location.hash)]?.scrollIntoView())
"""


@cache
def cells_of(path: Path) -> dict[str, NotebookNode]:
    """The cells of a notebook by their ids; none if there is no such notebook."""
    return {cell.id: cell for cell in nbformat.read(path, as_version=4).cells} if path.is_file() else {}


def picture(home: Path, found: re.Match[str]) -> tuple[str, str]:
    """The saved picture of a notebook's cell, with its words, as an element of a page; and where the words go."""
    for output in cells_of((home / found[2]).resolve()).get(found[3], NotebookNode()).get("outputs", []):
        if png := "".join(output.get("data", {}).get("image/png", "").split()):
            alt = found[1] or output.get("metadata", {}).get("image/png", {}).get("alt", "")
            if not alt:
                raise ValueError(f"the picture {found[2]}#{found[3]} has no words; write some: ![words](…)")
            width, height = struct.unpack(">II", b64decode(png)[16:24])
            image = f'<img src="data:image/png;base64,{png}" alt="{escape(alt)}">'
            return f"<figure>{image}</figure>", "above" if width > BROAD * height else "beside"
    raise ValueError(
        f"there is no picture {found[2]}#{found[3]}; expected a notebook and the id of a cell with one"
    )


def section(home: Path, text: str, number: int, foot: str) -> str:
    """A slide: its heading, its picture, its words, then the note for the speaker."""
    shown, _, note = text.partition("\nNote:")
    head, _, words = shown.partition("\n")
    figure, kind = "", "first" if number == 1 else "plain"
    for found in PICTURE.finditer(words):
        figure, kind = picture(home, found)
    body = str(mistune.html(head)) + figure
    if words := PICTURE.sub("", words).strip():
        body += f'<div class="words">{mistune.html(words)}</div>'
    elif kind == "beside":
        kind = "above"
    aside = f"<aside>{mistune.html(note.strip())}</aside>" if note.strip() else ""
    begin = f'<section id="slide-{number}" class="{kind}" tabindex="-1">'
    return f"{begin}{body}{aside}<footer>{escape(foot)}</footer></section>"


def build(script: Path = SCRIPT, folder: Path = PAGES) -> list[Path]:
    """Write a page for each week of the script; return the pages."""
    pages: dict[str, str] = {}
    text = script.read_text(encoding="utf-8")
    for number, week in enumerate(re.split(r"^(?=# )", text, flags=re.MULTILINE)[1:], 1):
        title = week.partition("\n")[0].removeprefix("# ").strip()
        slides = re.split(r"^(?=## )", week, flags=re.MULTILINE)
        sections = []
        for place, slide in enumerate(slides, 1):
            sections.append(section(script.parent, slide, place, f"{title} · {place} of {len(slides)}"))
        head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
        head += '<meta name="viewport" content="width=device-width">'
        hint = "<!-- arrows, Home, End: turn the slides; n: notes for the speaker -->"
        page = [f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{hint}<main>', *sections]
        pages[f"w{number}.html"] = "\n".join([*page, f"</main><script>{KEYS}</script></body></html>", ""])
    if not pages:
        raise ValueError(f"{script} has no week: expected a heading '# Week 1: …'")
    folder.mkdir(parents=True, exist_ok=True)
    for name, page_text in pages.items():
        (folder / name).write_text(page_text, encoding="utf-8", newline="\n")
    return [folder / name for name in pages]


def main(words: list[str] | None = None) -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--script", type=Path, default=SCRIPT, help="the script (default: the course's)")
    parser.add_argument("--to", type=Path, default=PAGES, help="the folder for the pages (default: build/slides)")
    options = parser.parse_args(words)
    try:
        for path in build(options.script, options.to):
            print(path)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
