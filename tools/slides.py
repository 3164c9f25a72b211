"""Make slides of the lecturer's script: ``python tools/slides.py`` writes a page for each week into build/slides.

The script is notebooks/coursework/slides.md. A heading of level one begins a week, one of level two a slide. A picture
is that of a notebook's cell: ``![](../00-start-here.ipynb#shared-out)`` shows what the cell with this id has saved,
with its words. What stands after ``Note:`` is for the speaker. Nothing is run, and a page needs nothing but a browser.
"""

import argparse
import re
import sys
from html import escape
from pathlib import Path

import mistune
import nbformat
from rerun import COURSE, FOLDER

SCRIPT = COURSE / "slides.md"
PAGES = FOLDER.parent / "build" / "slides"
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)#]+\.ipynb)#([^)]+)\)")
STYLE = """
* { box-sizing: border-box; }
html { scroll-snap-type: y mandatory; font: 3.2vmin/1.45 system-ui, sans-serif; color: #1a1a1a; }
body { margin: 0; }
section { height: 100vh; padding: 5vmin 8vmin; scroll-snap-align: start; display: flex; flex-direction: column; }
section > h1 { margin: auto 0; font-size: 8vmin; font-weight: 500; }
h2 { font-size: 5vmin; font-weight: 500; line-height: 1.2; margin: 0 0 3vmin; }
img { max-width: 100%; max-height: 56vmin; object-fit: contain; align-self: flex-start; }
p:has(img) { margin: 0; flex: 0 1 auto; min-height: 0; }
table { border-collapse: collapse; } th, td { padding: .3em 1em; border-bottom: 1px solid #999; text-align: left; }
aside { display: none; font-size: 2.4vmin; background: #f2f2f2; padding: 2vmin 3vmin; margin-top: auto; }
.notes aside { display: block; }
footer { margin-top: auto; font-size: 2vmin; color: #555; }
@media print {
  html { font-size: 12pt; } section { height: auto; min-height: 90vh; break-after: page; } aside { display: block; }
}
"""
KEYS = """
const slides = [...document.querySelectorAll("section")]
const shown = () => slides.reduce((best, slide) => {
  const away = one => Math.abs(one.getBoundingClientRect().top)
  return away(slide) < away(best) ? slide : best
})
const step = by => slides[Math.min(slides.length - 1, Math.max(0, slides.indexOf(shown()) + by))].scrollIntoView()
addEventListener("keydown", event => {
  if (["ArrowRight", "ArrowDown", "PageDown", " "].includes(event.key)) step(1)
  else if (["ArrowLeft", "ArrowUp", "PageUp"].includes(event.key)) step(-1)
  else if (event.key === "n") document.body.classList.toggle("notes")
  else return
  event.preventDefault()
})
"""


def picture(home: Path, found: re.Match[str]) -> str:
    """The saved picture of a notebook's cell, with its words, as an element of a page."""
    path = (home / found[2]).resolve()
    cells = {cell.id: cell for cell in nbformat.read(path, as_version=4).cells} if path.is_file() else {}
    for output in cells.get(found[3], {}).get("outputs", []):
        if png := output.get("data", {}).get("image/png"):
            alt = found[1] or output.get("metadata", {}).get("image/png", {}).get("alt", "")
            if not alt:
                raise ValueError(f"the picture {found[2]}#{found[3]} has no words; write some: ![words](…)")
            return f'<img src="data:image/png;base64,{"".join(png.split())}" alt="{escape(alt)}">'
    raise ValueError(
        f"there is no picture {found[2]}#{found[3]}; expected a notebook and the id of a cell with one"
    )


def section(home: Path, text: str, number: int, title: str) -> str:
    """A slide: its text and pictures, then the note for the speaker."""
    shown, _, note = text.partition("\nNote:")
    body = str(mistune.html(PICTURE.sub(lambda found: picture(home, found), shown)))
    aside = f"<aside>{mistune.html(note.strip())}</aside>" if note.strip() else ""
    return f'<section id="slide-{number}">{body}{aside}<footer>{escape(title)} · {number}</footer></section>'


def build(script: Path = SCRIPT, folder: Path = PAGES) -> list[Path]:
    """Write a page for each week of the script; return the pages."""
    pages: dict[str, str] = {}
    text = script.read_text(encoding="utf-8")
    for number, week in enumerate(re.split(r"^(?=# )", text, flags=re.MULTILINE)[1:], 1):
        title = week.partition("\n")[0].removeprefix("# ").strip()
        slides = re.split(r"^(?=## )", week, flags=re.MULTILINE)
        sections = [section(script.parent, slide, place, title) for place, slide in enumerate(slides, 1)]
        head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
        hint = "<!-- arrows: next and previous slide; n: notes for the speaker -->"
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
