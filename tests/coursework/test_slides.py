"""Slides: pictures of the notebooks' cells with their words, a page a week, notes apart."""

import re

import pytest
from bs4 import BeautifulSoup
from rerun import COURSE
from slides import SCRIPT, build, main

WEEK = """# Week 1: reconstruction

One question.

## Six young, three old

![](../00-start-here.ipynb#{cell})

- The answers "too young" come from the young.

Note: draw the table on the board.

# Week 2: trees

## One slide
"""


def pages_of(text, tmp_path):
    script = COURSE / "slides-in-a-test.md"
    script.write_text(text, encoding="utf-8")
    try:
        paths = build(script, tmp_path / "slides")
    finally:
        script.unlink()
    return [BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser") for path in paths]


def test_a_week_is_a_page_and_a_heading_a_slide(tmp_path):
    first, second = pages_of(WEEK.format(cell="c021"), tmp_path)
    assert [slide.find(["h1", "h2"]).text for slide in first("section")] == [
        "Week 1: reconstruction",
        "Six young, three old",
    ]
    assert first.title.text == "Week 1: reconstruction"
    assert len(second("section")) == 2
    (image,) = first("img")
    assert image["src"].startswith("data:image/png;base64,")
    assert "Reconstruction finds" in image["alt"]
    assert first.aside.text.strip() == "draw the table on the board."
    assert "board" not in first("section")[1].li.text
    assert not first.select("[src^=http], [href^=http]"), "a page needs nothing but a browser"


@pytest.mark.parametrize("cell", ["no-such-cell", "c000"])
def test_a_picture_that_is_not_there_is_named(tmp_path, cell):
    with pytest.raises(ValueError, match=f"no picture .*#{cell}"):
        pages_of(WEEK.format(cell=cell), tmp_path)


def test_a_script_without_weeks_is_refused(tmp_path, capsys):
    (tmp_path / "empty.md").write_text("Nothing.")
    assert main(["--script", str(tmp_path / "empty.md"), "--to", str(tmp_path)]) == 1
    assert "has no week" in capsys.readouterr().err


def test_the_slides_of_the_course(tmp_path):
    """Four weeks of twelve to fifteen slides; most have a picture; each has words for who does not see it."""
    pages = [BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser") for path in build(SCRIPT, tmp_path)]
    assert len(pages) == 4
    for page in pages:
        assert 12 <= len(page("section")) <= 16
        assert 2 * len(page("img")) >= len(page("section"))
        assert all(image["alt"] for image in page("img"))
        assert len(page("aside")) == len(page("section")), "each slide says what to tell"
        for slide in page("section"):
            assert re.match(r"\d+ minutes\.", slide.aside.text.strip()), "a note begins with its minutes"
            assert len(slide.select(".words li")) <= 3
            assert len(slide("h1") + slide("h2")) == 1


def test_the_script_has_no_tex():
    """A page knows no TeX; formulas are written as text."""
    assert not re.search(r"\$|\\[a-z]+", SCRIPT.read_text(encoding="utf-8"))


def test_words_stand_beside_a_picture_that_is_not_broad(tmp_path):
    bars, trees = "../00-start-here.ipynb#c021", "../00-start-here.ipynb#c019"
    text = f"# Week 1\n\n## Broad\n\n![]({bars})\n\nWords.\n\n## High\n\n![]({trees})\n\nWords.\n\n## None\n"
    (page,) = pages_of(text, tmp_path)
    assert [slide["class"] for slide in page("section")] == [["first"], ["above"], ["beside"], ["plain"]]
