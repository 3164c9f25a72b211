"""Slides in a real browser: all of a slide is seen, keys turn the slides, and a printed slide is a page."""

import re

import pytest
from slides import build

SMALLEST = 480  # pixels of a picture's width, of the 1280 of a projector
PLACES = """() => [...document.querySelectorAll("section")].map(slide => {
  const top = slide.getBoundingClientRect().top
  const boxes = [...slide.querySelectorAll("h1, h2, .words > *, img, footer")].map(part => part.getBoundingClientRect())
  const image = slide.querySelector("img")
  const [wide, high] = image ? [image.naturalWidth, image.naturalHeight] : [0, 1]
  const box = image ? image.getBoundingClientRect() : null
  return {
    bottom: Math.max(...boxes.map(box => box.bottom)) - top,
    right: Math.max(...boxes.map(box => box.right)),
    picture: image ? Math.min(box.width, box.height * wide / high) : null,
    words: (slide.querySelector(".words") ?? slide.querySelector("h1, h2")).getBoundingClientRect().bottom - top,
    footer: slide.querySelector("footer").getBoundingClientRect().top - top,
  }
})"""


@pytest.fixture(scope="module")
def weeks(tmp_path_factory):
    return build(folder=tmp_path_factory.mktemp("slides"))


@pytest.fixture
def page(running_browser):
    page = running_browser.new_page(viewport={"width": 1280, "height": 720})
    yield page
    page.close()


def test_all_of_each_slide_is_seen(page, weeks):
    for week in weeks:
        page.goto(week.as_uri())
        for number, slide in enumerate(page.evaluate(PLACES), 1):
            assert slide["bottom"] <= 720, (week.name, number)
            assert slide["right"] <= 1280, (week.name, number)
            assert slide["picture"] is None or slide["picture"] >= SMALLEST, (week.name, number)
            assert slide["words"] <= slide["footer"], (week.name, number)
        assert page.evaluate("document.documentElement.scrollWidth") == 1280


def test_keys_turn_the_slides_and_show_the_notes(page, weeks):
    page.goto(weeks[0].as_uri())
    for key, place in [("ArrowRight", 2), (" ", 3), ("ArrowLeft", 2), ("End", 14), ("PageDown", 14), ("Home", 1)]:
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.id") == f"slide-{place}"
        assert page.url.endswith(f"#slide-{place}")
        assert abs(page.locator(f"#slide-{place}").bounding_box()["y"]) < 2
    note = page.locator("aside").first
    assert not note.is_visible()
    page.keyboard.press("n")
    assert note.is_visible()


@pytest.mark.parametrize("notes", [False, True])
def test_a_printed_slide_is_a_page(page, weeks, notes):
    for week in weeks:
        page.goto(week.as_uri())
        if notes:
            page.keyboard.press("n")
        printed = page.pdf(prefer_css_page_size=True, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b", printed)) == page.locator("section").count()
