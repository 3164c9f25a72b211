"""Take the README's picture: the start notebook's first panel of controls, in a real browser."""

import sys
import tempfile
from pathlib import Path

from lab import NOTEBOOKS, WAIT, browser, chromium, jupyterlab, open_notebook, run_all

NOTEBOOK = "00-start-here.ipynb"
PICTURE = NOTEBOOKS / "images" / "start.png"
HIDE_SIDEBAR = """() => window.jupyterapp.shell.collapseLeft()"""
CELL = "xpath=ancestor::*[contains(@class, 'jp-CodeCell')][1]"


def main() -> None:
    """Run the notebook and save what a reader sees at its first slider."""
    if chromium() is None:
        sys.exit("no Chromium found: install one, or name it in the environment variable CHROMIUM")
    with tempfile.TemporaryDirectory() as scratch, jupyterlab(Path(scratch)) as url, browser() as running:
        page = running.new_page(viewport={"width": 900, "height": 900})
        open_notebook(page, url, NOTEBOOK)
        run_all(page)
        page.evaluate(HIDE_SIDEBAR)
        handle = page.locator(".noUi-handle").first
        handle.wait_for(timeout=WAIT)
        cell = handle.locator(CELL)
        cell.scroll_into_view_if_needed()
        page.wait_for_timeout(1000)  # the page settles
        PICTURE.parent.mkdir(exist_ok=True)
        cell.screenshot(path=PICTURE)
    print(f"{PICTURE} ({PICTURE.stat().st_size / 1000:.0f} kB)")


if __name__ == "__main__":
    main()
