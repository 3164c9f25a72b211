"""The explorers in a real page: by the keyboard alone, in place when something is wrong, whole at two widths."""

import ipywidgets as ipw
import nbformat
import pytest
from lab import WAIT, open_notebook, run_all
from panels import STALE, label_of, panels_in

EXPLORERS = [
    "NoiseExplorer",
    "TreeExplorer",
    "ResponseExplorer",
    "ReleaseExplorer",
    "LeafNoiseExplorer",
    "PartyExplorer",
]
WIDTHS = [1280, 800]
# What sticks out of the notebook, or hides a part of its own text.
CUT_OFF = """panel => {
    const right = panel.closest(".jp-OutputArea-output").getBoundingClientRect().right
    return Array.from(panel.querySelectorAll("*")).filter(one => {
        const box = one.getBoundingClientRect()
        const clipped = one.matches(".widget-label, button, th, td, pre") && one.scrollWidth > one.clientWidth + 1
        return box.width > 0 && (box.right > right + 1 || clipped)
    }).map(one => one.tagName + " " + one.className + " " + one.textContent.slice(0, 40))
}"""
TIPS = """panel => Array.from(panel.querySelectorAll(".widget-slider .widget-label"), label => label.title)"""
# Pictures at no more pixels than they have, and with both sides shrunk alike.
SIZES = """panel => Array.from(panel.querySelectorAll(".ppdm-pictures img"), image =>
    [image.naturalWidth, image.naturalHeight, image.width, image.height])"""
# No box moves any more between two frames.
SETTLED = """panel => new Promise(settled => {
    const width = () => Array.from(panel.querySelectorAll("*"), one => one.getBoundingClientRect().right).join()
    const before = width()
    setTimeout(() => settled(width() === before), 200)
})"""
FOCUS = """() => document.activeElement.closest(".widget-inline-hbox, .widget-button")
    ?.textContent.replace("\u200b", "").trim()"""
FADES = """panel => { window.__faded = false
    new MutationObserver(() => { window.__faded ||= panel.classList.contains("ppdm-stale") })
        .observe(panel, {attributes: true}) }"""


@pytest.fixture
def explorer(page, lab, lab_folder):
    """A function that shows a panel in a page."""

    def show(name, arguments=""):
        call = f"from ppdm.widgets import {name}\n{name}({arguments})"
        cells = [nbformat.v4.new_code_cell(call)]
        notebook = nbformat.v4.new_notebook(
            cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": ""}}
        )
        nbformat.write(notebook, lab_folder / "notebooks" / "explorer.ipynb")
        page.set_viewport_size({"width": WIDTHS[0], "height": 1000})
        open_notebook(page, lab, "explorer.ipynb")
        (panel,) = panels_in(page, run_all(page))
        assert panel.wait(page)
        return panel

    return show


@pytest.mark.parametrize("name", EXPLORERS)
def test_an_explorer_is_whole_reached_by_keys_reset_and_copied(explorer, page, name):
    """One page for all that leaves a panel as it was."""
    panel = explorer(name)
    for width in WIDTHS:
        nothing_is_cut_off(page, panel, width)
    assert all(len(tip) > 3 and tip != "null" for tip in panel.element.evaluate(TIPS))
    the_keyboard_reaches_every_control(page, panel)
    reset_goes_back_to_the_start(page, panel)
    panel_and_code_can_be_copied(page, panel)


def nothing_is_cut_off(page, panel, width):
    page.set_viewport_size({"width": width, "height": 1000})
    page.wait_for_function(SETTLED, arg=panel.element.element_handle(), timeout=WAIT)
    assert panel.element.evaluate(CUT_OFF) == [], width
    for wide, high, shown_wide, shown_high in panel.element.evaluate(SIZES):
        assert shown_wide <= wide / 2 + 1
        assert shown_wide / wide == pytest.approx(shown_high / high, rel=0.01)
        assert shown_wide > 0.8 * wide / 2, "text of 8 points would be smaller than 6.4"


def the_keyboard_reaches_every_control(page, panel):
    panel.control(next(iter(panel.twin.controls))).focus()
    reached = []
    for _ in range(len(panel.twin.controls) + 12):
        reached.append(page.evaluate(FOCUS) or "")
        page.keyboard.press("Tab")
    for control in panel.twin.controls.values():
        if isinstance(control, ipw.Checkbox) and control.disabled:  # which the page skips
            continue
        assert any(words.startswith(label_of(control)) for words in reached), control.description
    assert "Reset" in reached


def reset_goes_back_to_the_start(page, panel):
    start = panel.numbers(), panel.pictures()
    panel.move(list(panel.twin.controls)[1])
    assert panel.wait(page)
    panel.reset()
    assert panel.wait(page)
    assert (panel.numbers(), panel.pictures()) == start


def panel_and_code_can_be_copied(page, panel):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for title, text in {"this picture": panel.twin.call(), "the same by the library": panel.twin.code()}.items():
        panel.element.get_by_title(f"Copy: {title}").press("Enter")
        copied = "text => navigator.clipboard.readText().then(now => now.trim() === text)"
        page.wait_for_function(copied, arg=text.strip(), timeout=WAIT)


def test_quick_moves_end_where_the_last_one_does(explorer, page):
    panel = explorer("NoiseExplorer", arguments="records=100_000")
    iterations = panel.control("iterations")
    iterations.focus()
    for _ in range(30):
        iterations.press("ArrowRight")
    panel.twin.iterations.value += 30
    assert panel.wait(page)


def test_walking_moves_the_iterations(explorer, page):
    panel = explorer("NoiseExplorer", arguments="iterations=20")
    readout = panel.control("iterations").locator(
        "xpath=ancestor::*[contains(@class, 'widget-slider')]//*[@class='widget-readout']"
    )
    assert readout.text_content() == "20"
    panel.element.get_by_title("Walk through the iterations").locator("button").first.press("Enter")
    page.wait_for_function("node => Number(node.textContent) > 22", arg=readout.element_handle(), timeout=WAIT)


def test_heavy_work_marks_the_former_picture_and_ends_where_the_last_move_does(explorer, page):
    panel = explorer("TreeExplorer")
    panel.element.evaluate(FADES)
    for _ in range(4):
        panel.move("privacy")
    assert page.evaluate("window.__faded")
    assert panel.wait(page)
    assert not panel.element.evaluate(STALE)


def test_what_is_wrong_with_a_text_is_said_in_place(explorer, page):
    panel = explorer("ResponseExplorer")
    before, alert = panel.pictures(), panel.element.get_by_role("alert")
    wrong = {"nobody": "which is no column of adult", "": "who is empty", "age, age": "who names 'age' twice"}
    for text, words in wrong.items():
        there = panel.control("who")
        there.fill(text)
        there.blur()
        alert.filter(has_text=words).wait_for(timeout=WAIT)
        assert panel.pictures() == before
        assert panel.element.evaluate(STALE)
    panel.element.get_by_role("button", name="Reset").press("Enter")
    assert panel.wait(page)
    assert alert.count() == 0


def test_faults_of_a_specification_are_said_in_place_in_lines_of_their_own(explorer, page):
    others = dict.fromkeys(["plas", "pres", "skin", "insu", "mass", "pedi"], "drop")
    panel = explorer("ReleaseExplorer", arguments=f"{others | {'age': 'shuffle'}}, known='nothing'")
    before, alert = panel.pictures(), panel.element.get_by_role("alert")
    panel.control("action of age").select_option(label="drop")
    alert.filter(has_text="the specification has 1 fault").wait_for(timeout=WAIT)
    lines = alert.evaluate("node => node.innerText").splitlines()
    assert lines[1].startswith("1. columns leave nothing but the class")
    assert panel.pictures() == before
    assert panel.element.evaluate(STALE)
    panel.element.get_by_role("button", name="Reset").press("Enter")
    assert panel.wait(page)
    assert alert.count() == 0


def test_the_toml_can_be_copied(explorer, page):
    panel = explorer("ReleaseExplorer")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    toml = panel.twin.codes()["the specification, as TOML"]
    panel.element.get_by_title("Copy: the specification, as TOML").press("Enter")
    copied = "text => navigator.clipboard.readText().then(now => now.trim() === text)"
    page.wait_for_function(copied, arg=toml.strip(), timeout=WAIT)


def test_a_secret_appears_at_the_threshold_and_a_server_is_asked_where_there_is_one(explorer, page):
    panel, question = explorer("PartyExplorer"), "do they read Ash's counts"
    for protocol in ("ring", "additive", "mixer"):
        assert panel.twin.protocol.value == protocol
        assert panel.control("server").is_disabled() == (protocol != "mixer")
        for answer in ("no", "yes"):
            assert panel.numbers()[question].startswith(answer), protocol
            panel.move("together")
            assert panel.wait(page)
        panel.move("protocol")
        assert panel.wait(page)
    assert panel.numbers()[question].startswith("no")
    panel.move("server")
    assert panel.wait(page)
    assert panel.numbers()[question].startswith("yes")
