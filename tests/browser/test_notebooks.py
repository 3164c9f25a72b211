"""Each notebook in a real JupyterLab and a real browser: its saved pictures are shown, and every control moves a panel.

nbval runs the notebooks as a whole; here the cells with panels run.
"""

import nbformat
import pytest
from lab import NOTEBOOKS, open_notebook, run_panels
from nbformat.v4 import new_code_cell, new_notebook, new_output
from panels import panels_in
from rerun import METADATA

from ppdm.plots.picture import FOLD

NAMES = [path.name for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
SHOWN = """async () => Promise.all(Array.from(document.querySelectorAll(".jp-CodeCell"), async cell => {
    const images = Array.from(cell.querySelectorAll(".jp-OutputArea-output img"))
    await Promise.all(images.map(image => image.decode()))
    const drawings = Array.from(cell.querySelectorAll(".jp-OutputArea-output svg"))
    return [...images, ...drawings].filter(picture => picture.getBoundingClientRect().width > 50).length
}))"""
SENTENCES = """() => Array.from(document.querySelectorAll("details.in-words"), fold => {
    const image = fold.closest(".jp-OutputArea-child").previousElementSibling?.querySelector("img")
    return image ? fold.lastChild.textContent : "no picture above"
})"""


def saved_pictures(name):
    cells = [cell for cell in nbformat.read(NOTEBOOKS / name, as_version=4).cells if cell.cell_type == "code"]
    return [sum("image/png" in output.get("data", {}) for output in cell.outputs) for cell in cells]


def saved_sentences(name):
    """What the pictures of figures show; those of panels are told by the panels' numbers."""
    outputs = [
        output
        for cell in nbformat.read(NOTEBOOKS / name, as_version=4).cells
        for output in cell.get("outputs", [])
    ]
    alone = [output for output in outputs if output.output_type == "display_data" and "image/png" in output.data]
    return [output.metadata["image/png"]["alt"] for output in alone]


def all_shown(page, expected):
    shown = page.evaluate(SHOWN)
    return len(shown) == len(expected) and all(now >= saved for now, saved in zip(shown, expected, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_notebook_in_the_browser(page, lab, name):
    open_notebook(page, lab, name)
    expected = saved_pictures(name)
    assert all_shown(page, expected), "saved pictures, before anything runs"
    assert page.evaluate(SENTENCES) == saved_sentences(name), "what they show, for those who do not see it"

    cells = run_panels(page)
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [
        output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"
    ] == []
    ran = [saved if cell["count"] else 0 for cell, saved in zip(cells, expected, strict=True)]
    assert all_shown(page, ran), "pictures after the cells with panels have run"

    for number, panel in enumerate(panels_in(page, cells)):
        assert panel.wait(page), f"panel {number + 1} as it is saved"
        for control, own in panel.twin.controls.items():
            if own.disabled:  # as the panel is shown
                continue
            before = panel.numbers(), panel.pictures()
            panel.move(control)
            assert panel.wait(page), f"{control} of panel {number + 1}: {panel.numbers()}, expected {panel.twin}"
            assert (panel.numbers(), panel.pictures()) != before, f"{control} of panel {number + 1} moves nothing"
            panel.reset()
            assert panel.wait(page), f"{control} of panel {number + 1}, reset"


def test_no_dollar_in_the_words_of_a_picture_begins_a_formula(page, lab, lab_folder):
    dollars = FOLD.format("between $100 and $200")
    html = [dollars, "<p class='formula'>$x^2$</p>"]  # once the second is set, the first would be
    outputs = [new_output("display_data", {"text/html": text}) for text in html]
    notebook = new_notebook(cells=[new_code_cell("draw()", outputs=outputs)], metadata=METADATA)
    nbformat.write(notebook, lab_folder / "notebooks" / "dollars.ipynb")
    open_notebook(page, lab, "dollars.ipynb")
    page.wait_for_selector(".formula mjx-container")
    assert (
        page.evaluate("document.querySelector('details.in-words').lastChild.textContent")
        == "between $100 and $200"
    )
    assert page.locator("details.in-words mjx-container").count() == 0
