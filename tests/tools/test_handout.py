"""The site of the series and the sheets: whole, linked, labelled, the same at every build, and without a solution."""

import copy
import re
import subprocess
import sys
from itertools import pairwise
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup
from handout import INDEX, build, build_some, main
from leaks import as_shown
from parts import lessons, sheets
from rerun import FOLDER
from sheets import SheetError, solution, tag

TOOL = FOLDER.parent / "tools" / "handout.py"
LESSON, SHEET = "00-start-here", "w1-reconstruction"
HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]


@pytest.fixture(scope="module")
def parts():
    return [*lessons(), *sheets()]


@pytest.fixture(scope="module")
def site(parts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    build(parts, folder)
    return folder


@pytest.fixture(scope="module")
def pages(parts, site):
    """All pages as trees, the index first, then in order."""
    paths = [INDEX, *(part.page for part in parts)]
    return {path: BeautifulSoup((site / path).read_text(encoding="utf-8"), "html.parser") for path in paths}


def wrong(pages, of_page):
    """What is found wrong, by page."""
    found = {path.as_posix(): of_page(page) for path, page in pages.items()}
    return {name: faults for name, faults in found.items() if faults}


def test_the_site_is_one_page_for_each_lesson_and_each_sheet_and_no_other(site, pages):
    assert set(site.rglob("*.html")) == {site / path for path in pages}
    assert {path.stem for path in pages if path.parent.name == "lessons"} == {
        path.stem for path in FOLDER.glob("*.ipynb")
    }
    assert [path for path in site.rglob("*") if path.suffix in (".ipynb", ".py")] == []


def test_pages_lead_from_one_to_the_next_and_back(pages):
    order = list(pages)
    for number, (path, page) in enumerate(pages.items()):
        after, before = ({link["href"] for link in page.select(f"a[rel={rel}]")} for rel in ("next", "prev"))
        if number + 1 < len(order):
            assert [resolved(path, link) for link in after] == [order[number + 1].as_posix()]
        if number > 1:
            assert [resolved(path, link) for link in before] == [order[number - 1].as_posix()]
            assert page.select_one("header a")["href"].endswith("index.html")


def resolved(path, link):
    """Where a link of a page leads to in the site."""
    steps = [*path.parent.parts]
    for step in unquote(link).split("/"):
        steps = steps[:-1] if step == ".." else [*steps, step]
    return "/".join(steps)


def test_companions_follow_their_lesson_in_the_order_of_the_map(pages):
    names = [path.stem for path in pages]
    assert names.index("02-further-li-shaw-lin-2003") == names.index("02-li-shaw-lin-2003") + 1
    assert names.index("04-further-privacy") == names.index("04-further-trees") + 1
    assert names[-2:] == ["w4-privacy", "project"]


def test_all_links_and_anchors_lead_somewhere(site, pages):
    anchors = {
        path.as_posix(): {element["id"] for element in page.select("[id]")} for path, page in pages.items()
    }
    lost = []
    for path, page in pages.items():
        for link in page.select("a[href]"):
            target, _, anchor = link["href"].partition("#")
            if target.startswith(("http", "mailto:")):
                continue
            place = resolved(path, target) if target else path.as_posix()
            own = anchors.get(place, {unquote(anchor)})  # a file that is no page has none
            if not (site / place).is_file() or (anchor and unquote(anchor) not in own):
                lost.append(f"{path}: {link['href']}")
    assert lost == []


def test_nothing_is_fetched_from_the_web(pages):
    def fetched(page):
        shown = [element["src"] for element in page.select("[src]") if not element["src"].startswith("data:")]
        return (
            shown
            + page.select("link, iframe, object, script[src]")
            + re.findall(r"url\(|@import", str(page.style))
        )

    assert wrong(pages, fetched) == {}


def test_every_page_says_its_language_its_title_and_its_landmarks(pages):
    titles = {page.title.text for page in pages.values()}
    assert len(titles) == len(pages)
    for page in pages.values():
        assert page.html["lang"] == "en"
        assert page.title.text.startswith(" ".join(page.h1.text.split()))
        assert [len(page(name)) for name in ("header", "main", "footer")] == [1, 1, 1]
        names = [nav["aria-label"] for nav in page("nav")]
        assert len(set(names)) == len(names) == 3
        skip = page.select_one("body > a")
        assert skip["href"] == f"#{page.main['id']}"


def test_headings_stand_in_order(pages):
    def jumps(page):
        levels = [int(heading.name[1]) for heading in page(HEADINGS)]
        assert levels.count(1) == 1
        assert levels[0] == 1
        return [(first, second) for first, second in pairwise(levels) if second > first + 1]

    assert wrong(pages, jumps) == {}


def test_the_contents_of_a_page_are_its_parts_and_sections(pages):
    for page in pages.values():
        listed = [unquote(link["href"])[1:] for link in page.select("nav.contents a")]
        assert listed == [heading["id"] for heading in page.main(["h2", "h3"])]


def test_no_two_elements_of_a_page_have_the_same_id(pages):
    def twice(page):
        ids = [element["id"] for element in page.select("[id]")]
        return sorted({name for name in ids if ids.count(name) > 1})

    assert wrong(pages, twice) == {}


def test_every_picture_has_words(pages):
    assert wrong(pages, lambda page: [1 for image in page("img") if not image["alt"].strip()]) == {}
    assert sum(len(page("img")) for page in pages.values()) > 100


def test_every_table_has_a_caption_and_says_what_its_headings_head(pages):
    def unlabelled(page):
        for table in page("table"):
            if not table.caption.get_text(strip=True) or table.parent["aria-labelledby"] != table.caption["id"]:
                yield table.caption
            yield from (
                heading for heading in table("th") if not heading.text.strip() or not heading.get("scope")
            )

    assert wrong(pages, lambda page: list(unlabelled(page))) == {}


def test_every_fold_says_what_is_in_it(pages):
    folds = [fold for page in pages.values() for fold in page("details")]
    assert [fold for fold in folds if not (fold.summary and fold.summary.text.strip())] == []


def test_every_formula_is_set(pages):
    def left(page):
        texts = page.find_all(string=re.compile(r"\\[a-z]"))
        return [text for text in texts if not text.find_parent(["pre", "code", "style", "script"])]

    assert wrong(pages, left) == {}
    assert sum(len(page("math")) for page in pages.values()) > 300


def test_every_panel_is_shown_with_its_controls_and_its_numbers(parts, pages):
    for part in parts:
        outputs = [output for cell in part.notebook.cells for output in cell.get("outputs", [])]
        lines = [output.data["text/plain"] for output in outputs if "image/png" in output.get("data", {})]
        panels = pages[part.page].select("figure.panel")
        assert len(panels) == sum("Explorer(" in line for line in lines)
        for panel in panels:
            controls, numbers = panel("table")
            assert panel.img["alt"].startswith(controls.caption.text.removeprefix("Controls of "))
            assert len(controls("tr")) > 3
            assert len(numbers("tr")) > 3
            assert "JupyterLab" in panel.p.find_next("p").text


def test_the_index_says_what_the_notebooks_say_of_themselves(parts, pages):
    told = " ".join(pages[INDEX].get_text().split())
    for part in parts:
        title = part.own.cells[0].source.partition("\n")[0].removeprefix("# ")
        assert title in told
        assert part.page.as_posix() in {link["href"] for link in pages[INDEX].select("h3 a, h4 a")}
        assert re.search(r"\d+(?: \+ \d+)? minutes|\d+ hours", told.partition(title)[2])
    assert len(pages[INDEX].select("main ol > li")) >= 4 * len(parts) - 10
    assert [link["href"].partition("#")[0] for link in pages[INDEX].select("main > ul a")] == [
        "lessons/00-start-here.html"
    ] * 3


def test_no_page_holds_a_solution_or_leads_to_one(parts, site, pages):
    shown = {path: page.get_text() for path, page in pages.items()}
    for mark in ("BEGIN SOLUTION", "hidden=True", "ada.lovelace"):
        assert [path for path, text in shown.items() if mark in text] == []
    assert [
        path for path in site.rglob("*") if re.search("solutions-|hidden_|marks|plan|slides", path.name)
    ] == []
    for part in parts:
        if part.sheet:
            text = shown[part.page]
            answers = [cell for cell in part.own.cells if tag(cell) == "answer"]
            bodies = ["\n".join(solution(cell.source)).strip() for cell in answers]
            texts = [cell.source for cell in part.own.cells if tag(cell) in ("answer-text", "rubric", "hidden")]
            assert [body for body in bodies + texts if body in text] == []
            assert ("NotImplementedError" in text) == (part.path.stem != "project")
            assert "Your answer" in text


def leak(parts, name, change):
    """The parts, one of them with a cell changed."""
    (number,) = [number for number, part in enumerate(parts) if part.path.stem == name]
    spoilt = copy.deepcopy(parts[number])
    change(spoilt.notebook)
    return [*parts[:number], spoilt, *parts[number + 1 :]]


def test_a_page_that_would_show_a_solution_is_refused(parts, tmp_path):
    (sheet,) = [part for part in parts if part.path.stem == SHEET]
    secret = {tag(cell): cell for cell in reversed(sheet.own.cells)}
    texts = [secret[kind].source for kind in ("answer-text", "rubric", "hidden")]
    texts.append("\n".join(solution(secret["answer"].source)))

    def change(notebook):
        notebook.cells[0].source += f"\n\n{texts[0]}\n\n{texts[1]}"
        notebook.cells[2].source += f"\n\n{texts[2]}\n{texts[3]}"

    with pytest.raises(SheetError) as refused:
        build_some(leak(parts, SHEET, change), [SHEET], tmp_path / "out")
    on_page = "\n".join(line for line in str(refused.value).splitlines() if line.startswith(f"{SHEET}.html: "))
    for text in texts:
        lines = [line.strip() for line in text.splitlines()]
        assert any(as_shown(line) in on_page for line in lines if len(as_shown(line)) >= 12)
    assert not (tmp_path / "out").exists()


def test_one_page_is_the_same_as_in_the_site_in_another_process_too(site, parts, tmp_path):
    (page,) = build_some(parts, [SHEET], tmp_path / "one")
    assert page.read_bytes() == (site / f"{SHEET}.html").read_bytes()
    command = [sys.executable, TOOL, "--to", tmp_path / "two", f"{LESSON}.ipynb"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    page = tmp_path / "two" / "lessons" / f"{LESSON}.html"
    assert done.stdout.strip() == str(page)
    assert page.read_bytes() == (site / "lessons" / f"{LESSON}.html").read_bytes()


def test_the_whole_site_is_replaced_and_what_fails_leaves_the_old_one(parts, tmp_path, monkeypatch, capsys):
    few = [part for part in parts if part.path.stem in (LESSON, SHEET, "01-agrawal-srikant-2000")]
    monkeypatch.setattr("handout.lessons", lambda: few[:2])
    monkeypatch.setattr("handout.sheets", lambda: few[2:])
    target = tmp_path / "site"
    target.mkdir()
    (target / "old.html").touch()
    assert main(["--to", str(target)]) == 0
    assert capsys.readouterr().out.strip() == str(target / "index.html")
    assert not (target / "old.html").exists()
    broken = copy.deepcopy(few[0])
    broken.notebook.cells[0].source += "\n\n[gone](gone.csv)"
    monkeypatch.setattr("handout.lessons", lambda: [broken])
    before = (target / "index.html").read_bytes()
    assert main(["--to", str(target)]) == 1
    assert capsys.readouterr().err.startswith(
        "Nothing was written: 00-start-here.ipynb: there is no file gone.csv"
    )
    assert (target / "index.html").read_bytes() == before


def test_a_name_that_is_no_lesson_and_no_sheet_is_refused(tmp_path, capsys):
    for name in ("99-gone", "solutions-02"):
        assert main(["--to", str(tmp_path / "out"), name]) == 1
        assert f"there is no such lesson or sheet: {name}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
