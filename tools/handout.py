"""Write the series and the sheets as one site to read, as they are saved: nothing is run.

``python tools/handout.py`` writes build/handout: an index, a page for each lesson, and one for each sheet as students
get it. ``python tools/handout.py 00-start-here`` writes this page alone. Pictures have their words, panels their
numbers, formulas are set, and in print all folds are open; nothing comes from the web. What pages link to is copied
beside them, with a folder up/ for each step upwards. A site that would show a line of a solution is refused.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

from about import About, about
from bs4 import BeautifulSoup
from building import replace, write, write_notebook
from cells import markdown
from leaks import leaks, secrets
from markupsafe import Markup
from pages import TEMPLATES, finished, page_of, text_of
from parts import INDEX, Part, lessons, mend_links, relative, sheets
from rerun import COURSE, FOLDER
from sheets import SheetError

SITE = FOLDER.parent / "build" / "handout"
LANDMARKS = {"map": "a map of the series", "glossary": "a glossary"}  # words of headings that the index leads to
READ_ONLY = "You read the sheet as students get it. Its code, checks and pictures run in JupyterLab."


def build(parts: list[Part], folder: Path) -> None:
    """Write the whole site into an empty folder."""
    write_pages(parts, parts, folder)
    write(folder / INDEX, index(parts, folder))
    refuse_solutions(parts, folder)


def build_some(parts: list[Part], names: Iterable[str], target: Path) -> list[Path]:
    """Write the pages of the named lessons and sheets into a site that may be there already; returns them."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        pages = write_pages(parts, [part for part in parts if part.path.stem in names], folder)
        refuse_solutions(parts, folder)
        shutil.copytree(folder, target, dirs_exist_ok=True)
    return [target / page for page in pages]


def write_pages(parts: list[Part], chosen: list[Part], folder: Path) -> list[Path]:
    """Write the pages of the chosen parts; returns where they stand in the site."""
    titles = [about(part.own, part.path.name).title for part in parts]
    for part in chosen:
        number = parts.index(part)
        near = {"before": number - 1, "after": number + 1}
        ways = {
            side: SimpleNamespace(address=relative(parts[other].page, part.page), title=titles[other])
            for side, other in near.items()
            if 0 <= other < len(parts)
        }
        try:
            page = page_of(part.notebook, part.path.stem)
            mend_links(page.body, part, part.page, folder)
        except (OSError, ValueError) as error:
            raise ValueError(f"{part.path.name}: {error}") from error
        hint = READ_ONLY if part.sheet else ""
        write(folder / part.page, text_of(page, home=relative(INDEX, part.page), hint=hint, **ways))
    return [part.page for part in chosen]


def index(parts: list[Part], folder: Path) -> str:
    """The text of the first page: what each notebook says of itself."""
    entries = [entry(part, about(part.own, part.path.name), folder) for part in parts]
    start = page_of(parts[0].notebook, parts[0].path.stem)
    found = [
        (words, f"{entries[0].address}#{quote(line.anchor)}")
        for key, words in LANDMARKS.items()
        for line in start.contents
        if key in line.words.lower()
    ]
    body = TEMPLATES.get_template("index.html.j2").render(
        lessons=[one for one in entries if not one.points],
        sheets=[one for one in entries if one.points],
        landmarks=found,
    )
    page = finished(BeautifulSoup(body, "html.parser"), "index")
    first = SimpleNamespace(address=entries[0].address, title=entries[0].about.title)
    return text_of(page, home="", after=first, hint="")


def entry(part: Part, said: About, folder: Path) -> SimpleNamespace:
    """What the index tells of a notebook, with links that lead on from there."""

    def shown(source: str) -> Markup:
        text = BeautifulSoup(markdown(source), "html.parser")
        mend_links(text, part, INDEX, folder, own=True)
        return Markup(str(text))

    goals = "\n".join(f"{number}. {goal}" for number, goal in enumerate(said.goals, 1))
    return SimpleNamespace(
        about=said,
        address=relative(part.page, INDEX),
        companion=part.companion,
        number="" if part.sheet or part.companion else part.path.stem[:2],
        points=part.sheet.points if part.sheet else 0,
        lead=shown(said.lead),
        needs=shown(f"**You need**: {said.needs}") if said.needs else "",
        goals=shown(f"{said.goals_said}\n\n{goals}"),
    )


def refuse_solutions(parts: list[Part], folder: Path) -> None:
    """Raise SheetError if a page, or what is behind one, shows what students must not see."""
    hidden = secrets((part.sheet for part in parts if part.sheet), COURSE / "oracles")
    with tempfile.TemporaryDirectory() as behind:
        for part in parts:
            write_notebook(Path(behind) / part.page.with_suffix(".ipynb"), part.notebook)
        found = leaks(Path(behind), hidden) + leaks(folder, hidden)
    if found:
        raise SheetError("the pages would show solutions:\n" + "\n".join(found))


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="lessons and sheets, with or without .ipynb (default: all)")
    parser.add_argument("--to", type=Path, default=SITE, help="the folder for the site (default: build/handout)")
    options = parser.parse_args(arguments)
    names = [Path(name).stem for name in options.names]
    try:
        parts = [*lessons(), *sheets()]
        if missing := sorted(set(names) - {part.path.stem for part in parts}):
            raise ValueError(f"there is no such lesson or sheet: {', '.join(missing)}")
        if names:
            print(*build_some(parts, names, options.to), sep="\n")
        else:
            replace(options.to, lambda folder: build(parts, folder))
            print(options.to / INDEX)
    except (SheetError, ValueError) as error:
        print(f"Nothing was written: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
