"""Each notebook in a real JupyterLab and a real browser: it runs, shows its pictures, and its sliders move them."""

import nbformat
import pytest
from lab import NOTEBOOKS, open_notebook, run_all

NAMES = [path.name for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
SHOWN = """async () => Promise.all(Array.from(document.querySelectorAll(".jp-CodeCell"), async cell => {
    const images = Array.from(cell.querySelectorAll(".jp-OutputArea-output img"))
    await Promise.all(images.map(image => image.decode()))
    const drawings = Array.from(cell.querySelectorAll(".jp-OutputArea-output svg"))
    return [...images, ...drawings].filter(picture => picture.getBoundingClientRect().width > 50).length
}))"""
READOUTS = """area => Array.from(area.querySelectorAll(".widget-readout"), readout => readout.textContent)"""
PICTURES = """area => Array.from(area.querySelectorAll("img, svg"), picture => picture.src || picture.outerHTML)"""
OUTPUT_OF_SLIDER = "xpath=ancestor::*[contains(@class, 'jp-OutputArea-child')][1]"


def saved_pictures(name):
    cells = [cell for cell in nbformat.read(NOTEBOOKS / name, as_version=4).cells if cell.cell_type == "code"]
    return [sum("image/png" in output.get("data", {}) for output in cell.outputs) for cell in cells]


def all_shown(page, expected):
    shown = page.evaluate(SHOWN)
    return len(shown) == len(expected) and all(now >= saved for now, saved in zip(shown, expected, strict=True))


def moves(handle, area, page):
    """Press an arrow key, the other one at the end of the scale; tell whether readout and picture follow."""
    readouts, pictures = area.evaluate(READOUTS), area.evaluate(PICTURES)
    handle.focus()
    handle.press("ArrowRight")
    if area.evaluate(READOUTS) == readouts:
        handle.press("ArrowLeft")
    for _ in range(200):
        if area.evaluate(READOUTS) != readouts and area.evaluate(PICTURES) != pictures:
            return True
        page.wait_for_timeout(50)
    return False


@pytest.mark.parametrize("name", NAMES)
def test_notebook_in_the_browser(page, lab, name):
    open_notebook(page, lab, name)
    expected = saved_pictures(name)
    assert all_shown(page, expected), "saved pictures, before anything runs"

    cells = run_all(page)
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [cell["count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"] == []
    assert all_shown(page, expected), "pictures after all cells have run"

    sliders = page.locator(".noUi-handle")
    for number in range(sliders.count()):
        handle = sliders.nth(number)
        assert moves(handle, handle.locator(OUTPUT_OF_SLIDER), page), f"slider {number + 1} of {sliders.count()}"
