"""A page of a notebook, as `make html` writes it, on the screen and in print."""

import nbformat
import pytest
from export import export
from lab import NOTEBOOKS
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

HINT, SOLUTION, NAME = "Think of forty-two.", "It is six times seven.", "00-start-here"
# What a reader sees: text without what is folded away or not displayed.
SEEN = """() => {
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT)
    const texts = []
    while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement
        if (parent.checkVisibility({contentVisibilityAuto: true})) texts.push(walker.currentNode.data)
    }
    return texts.join(" ")
}"""
FOLD = '<details class="in-words"><summary>What the picture shows</summary>One dot.</details>'


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    cells = [
        new_markdown_cell(f"# A page\n\n<details><summary>Hint</summary>\n\n{HINT}\n\n</details>"),
        new_markdown_cell("#### Solution 1", metadata={"jp-MarkdownHeadingCollapsed": True}),
        new_markdown_cell(SOLUTION),
        new_code_cell("draw()", outputs=[new_output("display_data", {"text/html": FOLD})]),
    ]
    nbformat.write(new_notebook(cells=cells), folder / "own.ipynb")
    return {"own": export(folder / "own.ipynb", folder), NAME: export(NOTEBOOKS / f"{NAME}.ipynb", folder)}


@pytest.fixture
def page(running_browser):
    """A page that reads files alone: formulas stay as they are written."""
    context = running_browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.route(lambda url: not url.startswith(("file:", "data:")), lambda route: route.abort())
    yield page
    context.close()


def test_folds_are_closed_on_the_screen_and_open_in_print(page, pages):
    page.goto(pages["own"].as_uri())
    seen = page.evaluate(SEEN)
    assert "Hint" in seen
    assert "Solution 1" in seen
    assert HINT not in seen
    assert SOLUTION not in seen
    page.emulate_media(media="print")
    printed = page.evaluate(SEEN)
    assert HINT in printed
    assert SOLUTION in printed
    assert "What the picture shows" not in printed  # who sees a printed page sees the picture


def test_printing_opens_folds_and_closes_them_again(page, pages):
    page.goto(pages["own"].as_uri())
    page.evaluate("window.open_in_print = 0")
    page.evaluate("""addEventListener("beforeprint", () => {
        window.open_in_print = document.querySelectorAll("details[open]").length
    })""")
    assert page.pdf()[:5] == b"%PDF-"
    assert page.evaluate("window.open_in_print") == 3
    page.evaluate('document.querySelector("details.solution").open = true')
    page.pdf()
    assert page.evaluate('document.querySelectorAll("details[open]").length') == 1


def test_every_picture_of_a_page_is_shown_and_has_words(page, pages):
    page.goto(pages[NAME].as_uri())
    images = page.evaluate("() => Array.from(document.images, image => [image.naturalWidth, image.alt])")
    assert images
    assert all(width > 50 and alt for width, alt in images)
    roles = page.get_by_role("img")
    assert roles.count() == len(images)
    assert page.title().startswith("Start here")
