"""Take the README's pictures: panels of the notebooks as a reader sees them, in a real browser."""

import sys
import tempfile
from pathlib import Path

from lab import NOTEBOOKS, browser, chromium, jupyterlab, open_notebook, run_panels
from panels import panels_in

# The picture of a panel: its notebook, and which of the notebook's panels it is.
PICTURES = {
    "noise": ("00-start-here.ipynb", 1),
    "trees": ("01-agrawal-srikant-2000.ipynb", 1),
    "answers": ("04-du-zhan-2003.ipynb", 1),
    "release": ("02-li-shaw-lin-2003.ipynb", 0),
    "leaves": ("03-islam-brankovic-2003.ipynb", 0),
    "parties": ("05-vaidya-clifton-2004.ipynb", 0),
}
# The controls and the pictures: what stands below is text.
UPPER_PART = """panel => {
    const {x, y, width} = panel.getBoundingClientRect()
    const pictures = Array.from(panel.querySelectorAll(".ppdm-pictures img"), image => image.getBoundingClientRect())
    const right = Math.max(...pictures.map(box => box.right)), bottom = Math.max(...pictures.map(box => box.bottom))
    return {x, y, width: Math.min(width, right - x + 4), height: bottom - y}
}"""
HIDE_SIDEBAR = """() => window.jupyterapp.shell.collapseLeft()"""


def main() -> None:
    """Run the notebooks and save what a reader sees: of all panels, or of those that are named."""
    if chromium() is None:
        sys.exit("no Chromium found: install one, or name it in the environment variable CHROMIUM")
    folder = NOTEBOOKS / "images"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, jupyterlab(Path(scratch)) as url, browser() as running:
        for name in sys.argv[1:] or PICTURES:
            notebook, number = PICTURES[name]
            page = running.new_page(viewport={"width": 1150, "height": 2600})  # high enough for a whole panel
            open_notebook(page, url, notebook)
            panel = panels_in(page, run_panels(page))[number]
            page.evaluate(HIDE_SIDEBAR)
            if not panel.wait(page):
                raise TimeoutError(f"panel {number} of {notebook} does not settle")
            panel.element.scroll_into_view_if_needed()
            page.wait_for_timeout(1000)  # the page settles
            page.screenshot(path=folder / f"{name}.png", clip=panel.element.evaluate(UPPER_PART))
            page.close()
            print(f"{folder / name}.png ({(folder / f'{name}.png').stat().st_size / 1000:.0f} kB)")


if __name__ == "__main__":
    main()
