"""Pages of the handout in a real browser: on a wide screen, on a phone, by keyboard, and in print; without the web."""

import pytest
from handout import index, write_pages
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from pages import page_of, text_of
from parts import lessons, sheets

HINT, DEEP = "Think of forty-two.", "It is six times seven."
SHOWN = ["index", "lessons/00-start-here", "lessons/04-further-privacy", "w1-reconstruction", "project"]
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
# The contrast of every text with what is behind it (WCAG 2.2): where it is too low, the text and the ratio.
PALE = """() => {
    const rgb = color => color.match(/[\\d.]+/g).map(Number)
    const linear = part => (part /= 255) <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4
    const light = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b)
    const behind = element => {
        for (; element; element = element.parentElement) {
            const color = rgb(getComputedStyle(element).backgroundColor)
            if ((color[3] ?? 1) === 1) return color
        }
        return [255, 255, 255]
    }
    document.querySelectorAll("details").forEach(fold => { fold.open = true })
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = []
    while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement
        if (!walker.currentNode.data.trim() || !parent.checkVisibility()) continue
        const [one, two] = [light(rgb(getComputedStyle(parent).color)), light(behind(parent))]
        const ratio = (Math.max(one, two) + .05) / (Math.min(one, two) + .05)
        if (ratio < 4.5) found.push([walker.currentNode.data.trim().slice(0, 40), ratio])
    }
    return found
}"""
FOLD = '<details class="in-words"><summary>What the picture shows</summary>One dot.</details>'


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    parts = [*lessons(), *sheets()]
    write_pages(parts, parts, folder)
    (folder / "index.html").write_text(index(parts, folder), encoding="utf-8")
    cells = [
        new_markdown_cell(f"# A page\n\n<details><summary>Hint</summary>\n\n{HINT}\n\n</details>"),
        new_markdown_cell(f"<details><summary>Answer</summary>\n\n{DEEP}\n\n</details>"),
        new_code_cell("draw()", outputs=[new_output("display_data", {"text/html": FOLD})]),
    ]
    own = page_of(new_notebook(cells=cells), "own")
    (folder / "own.html").write_text(text_of(own, home="index.html", hint=""), encoding="utf-8")
    return folder


@pytest.fixture
def screen(running_browser, site):
    """Opens a page of the site in a window so wide; whatever it asks of the web fails the test."""
    asked, contexts = [], []

    def show(name, width=1300):
        contexts.append(running_browser.new_context(viewport={"width": width, "height": 900}))
        page = contexts[-1].new_page()
        page.route(
            lambda url: not url.startswith(("file:", "data:")), lambda route: asked.append(route.request.url)
        )
        page.on("pageerror", lambda error: asked.append(str(error)))
        page.goto((site / f"{name}.html").as_uri())
        return page

    yield show
    for context in contexts:
        context.close()
    assert asked == []


@pytest.mark.parametrize(("width", "media"), [(320, "screen"), (718, "print")])
def test_no_page_of_the_site_is_wider_than_a_phone_or_than_a_sheet_of_paper(screen, site, width, media):
    page = screen("index", width=width)
    page.emulate_media(media=media)
    wide = {}
    for path in site.rglob("*.html"):
        page.goto(path.as_uri())
        page.evaluate('document.querySelectorAll("details").forEach(fold => { fold.open = true })')
        wide[path.name] = page.evaluate("document.documentElement.scrollWidth")
    assert len(wide) > 18
    assert {name: found for name, found in wide.items() if found > width} == {}


@pytest.mark.parametrize("name", SHOWN)
def test_on_a_phone_nothing_stands_out_of_the_page(screen, name):
    page = screen(name, width=320)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.evaluate('document.querySelectorAll("details").forEach(fold => { fold.open = true })')
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    wide = page.evaluate("""() => [...document.querySelectorAll("main pre, main .scroll, main .picture")]
        .filter(box => box.scrollWidth > box.clientWidth + 1)
        .map(box => [getComputedStyle(box).overflowX, box.getBoundingClientRect().right <= 320])""")
    assert {tuple(box) for box in wide} <= {("auto", True)}
    assert wide or name == "index"


@pytest.mark.parametrize("name", SHOWN)
def test_every_text_stands_out_from_what_is_behind_it(screen, name):
    assert screen(name).evaluate(PALE) == []


def test_what_scrolls_is_reached_by_keyboard_and_what_does_not_is_not(screen):
    page = screen(SHOWN[1], width=320)
    boxes = page.evaluate("""() => [...document.querySelectorAll("main pre, main .scroll")]
        .map(box => [box.scrollWidth > box.clientWidth + 1, box.tabIndex === 0])""")
    assert [True, True] in boxes
    assert [scrolls for scrolls, reached in boxes] == [reached for scrolls, reached in boxes]


def test_the_first_key_leads_to_the_text(screen):
    page = screen(SHOWN[1])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the text"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "MAIN"


def test_landmarks_have_names_and_one_leads_on(screen):
    page = screen(SHOWN[1])
    for role, count in (("banner", 1), ("main", 1), ("contentinfo", 1)):
        assert page.get_by_role(role).count() == count
    names = ["Series", "On this page", "Series, once more"]
    assert [page.get_by_role("navigation", name=name, exact=True).count() for name in names] == [1, 1, 1]
    page.get_by_role("navigation", name="Series", exact=True).get_by_role("link", name="Next").click()
    assert page.title().startswith("Agrawal & Srikant 2000")
    page.get_by_role("link", name="All notebooks").first.click()
    assert page.title() == "PPDM Workbench: the notebooks to read"


def test_the_contents_stand_beside_the_text_and_on_a_phone_in_a_fold(screen):
    link = 'nav.contents a[href="#1-Nine-people"]'
    assert screen(SHOWN[1]).locator(link).is_visible()
    narrow = screen(SHOWN[1], width=320)
    assert not narrow.locator(link).is_visible()
    narrow.locator("nav.contents summary").click()
    narrow.locator(link).click()
    assert narrow.evaluate("Math.abs(document.getElementById('1-Nine-people').getBoundingClientRect().top)") < 40


def test_every_picture_of_a_page_is_shown_and_has_words(screen):
    page = screen(SHOWN[1])
    images = page.evaluate("() => Array.from(document.images, image => [image.naturalWidth, image.alt])")
    assert len(images) > 10
    assert all(width > 50 and alt for width, alt in images)
    assert page.get_by_role("img").count() == len(images)


def test_the_tables_of_a_panel_have_their_names(screen):
    page = screen("lessons/04-further-privacy")
    controls = page.get_by_role("table", name="Controls of ResponseExplorer").first
    assert controls.get_by_role("row", name="theta").get_by_role("cell").inner_text() == "0.7"
    assert page.get_by_role("table", name="Its numbers").first.get_by_role("rowheader").count() > 5


def test_formulas_are_set(screen):
    page = screen("lessons/01-agrawal-srikant-2000")
    sizes = page.evaluate("""() => [...document.querySelectorAll("math")].filter(one => one.checkVisibility())
        .map(one => [one.getBoundingClientRect().width, one.getBoundingClientRect().height])""")
    assert len(sizes) > 50
    assert all(width > 3 and height > 5 for width, height in sizes)
    (fraction,) = (
        page.evaluate("""() => [...document.querySelectorAll("math[display] > mrow > mfrac")].slice(0, 1)
        .map(one => [...one.children].map(part => part.getBoundingClientRect().top))""")
    )
    assert fraction[0] < fraction[1]  # the numerator stands above


def test_folds_are_closed_on_the_screen_and_open_in_print(screen):
    page = screen("own")
    seen = page.evaluate(SEEN)
    assert "Hint" in seen
    assert "Answer" in seen
    assert HINT not in seen
    assert DEEP not in seen
    page.emulate_media(media="print")
    printed = page.evaluate(SEEN)
    assert HINT in printed
    assert DEEP in printed
    assert "What the picture shows" not in printed  # who sees a printed page sees the picture
    assert not page.locator("nav").first.is_visible()


def test_printing_opens_folds_and_closes_them_again(screen):
    page = screen("own")
    page.evaluate("window.open_in_print = 0")
    page.evaluate("""addEventListener("beforeprint", () => {
        window.open_in_print = document.querySelectorAll("details[open]").length
    })""")
    assert page.pdf()[:5] == b"%PDF-"
    assert page.evaluate("window.open_in_print") == 3
    page.evaluate('document.querySelector("main details").open = true')
    page.pdf()
    assert page.evaluate('document.querySelectorAll("details[open]").length') == 1
