"""From the press of a key to new pixels, in a real JupyterLab and a real Chromium.

A press counts until every picture of the new state is decoded and a frame is due. What fills in behind is timed too,
until the progress bar is gone. The ratios are to the times that are asked for.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "browser"))

from lab import WAIT, browser, chromium, jupyterlab, open_notebook, run_all
from panels import panels_in

TITLE = "Panels, from key press to new pixels, beside the times that are asked for"
PRESSES, PAUSE = 25, 300  # milliseconds
ASIDE = ("dealt", "seed", "intervals", "sample", "data")  # what moves where a slider ends
QUICK, SLOW = {"median": 100, "95th percentile": 250}, {"95th percentile": 1500}
# What is timed: a panel, its controls, whether all that fills in counts, and the milliseconds that are asked for.
TIMED: list[tuple[str, list[str], bool, dict[str, int]]] = [
    ("NoiseExplorer(records=100_000)", ["privacy", "intervals", "iterations", "seed"], False, QUICK),
    ("NoiseExplorer('age', records=100_000)", ["privacy", "iterations"], False, QUICK),
    ("ResponseExplorer('adult', groups=3)", ["theta", "groups"], False, QUICK),
    ("ReleaseExplorer({'age': 'add', 'preg': 'drop'})", ["level of age", "tolerance", "threshold"], False, QUICK),
    ("ReleaseExplorer({'age': 'discretise', 'plas': 'add'})", ["level of age", "level of plas"], False, QUICK),
    ("LeafNoiseExplorer('all at once')", ["least", "sample", "seed"], False, QUICK),
    ("LeafNoiseExplorer('TIA + LIA', table='boston')", ["least", "sample", "seed"], False, QUICK),
    ("PartyExplorer('masks', clinics=7, server=True)", ["together", "clinics", "seed"], False, QUICK),
    ("TreeExplorer(function=1)", ["privacy"], True, SLOW),
    ("TreeExplorer(function=2, strategy='joint')", ["privacy"], True, SLOW),
    ("TreeExplorer(function=5)", ["privacy"], True, SLOW),
]
WATCH = """panel => {
    const times = window.ppdmTimes = {key: 0, shown: 0, done: 0}
    const pictures = panel.querySelector(".ppdm-pictures"), bar = panel.querySelector(".ppdm-line .widget-hprogress")
    const wasStale = change => change.target === panel && change.oldValue?.includes("ppdm-stale")
    const wasBusy = change => change.target === bar && change.oldValue?.includes("visible")
    document.addEventListener("keydown", press => { times.key ||= press.timeStamp }, true)
    const decoded = then => Promise.all(Array.from(pictures.querySelectorAll("img"), image => image.decode()))
        .then(() => requestAnimationFrame(() => { times[then] = performance.now() }), () => {})
    new MutationObserver(changes => {
        if (panel.classList.contains("ppdm-stale")) return
        if (changes.some(wasStale) && !times.shown) decoded("shown")
        const ended = changes.some(change => wasBusy(change) || wasStale(change))
        if (ended && bar.style.visibility === "hidden") decoded("done")
    }).observe(panel, {subtree: true, attributes: true, attributeOldValue: true})
}"""
CLEAR = """() => Object.assign(window.ppdmTimes, {key: 0, shown: 0, done: 0})"""
TIMES = """() => window.ppdmTimes"""


def run() -> Iterator[tuple[str, float, float | None, str]]:
    """A row for each control and each time that is asked for."""
    if chromium() is None:
        raise RuntimeError("no Chromium found: install one, or name it in the environment variable CHROMIUM")
    with tempfile.TemporaryDirectory() as scratch, jupyterlab(Path(scratch)) as url, browser() as running:
        for call, controls, whole, asked in TIMED:
            page = running.new_page(viewport={"width": 1280, "height": 1000})
            panel = shown(page, url, Path(scratch), call)
            panel.element.evaluate(WATCH)
            for control in controls:
                panel.reset()
                panel.wait(page)
                yield from rows(f"{call}, {control}", pressed(page, panel, control), whole, asked)
            page.close()


def rows(
    what: str, times: dict[str, np.ndarray], whole: bool, asked: dict[str, int]
) -> Iterator[tuple[str, float, float | None, str]]:
    """The median and the 95th percentile beside what is asked for."""
    counted = times["done" if whole else "shown"]
    found = {"median": np.median(counted), "95th percentile": np.quantile(counted, 0.95)}
    first, last = (np.median(times[name]) for name in ("shown", "done"))
    for name, most in asked.items():
        note = f"{found[name]:.0f} ms of {most}; new picture after {first:.0f}, all after {last:.0f}"
        yield f"{what}: {name}", float(found[name] / most), 1.0, note


def shown(page: Any, url: str, scratch: Path, call: str) -> Any:
    """A panel in a page."""
    cell = nbformat.v4.new_code_cell(f"from ppdm.widgets import *\n\n{call}")
    kernel = {"name": "python3", "display_name": "Python 3"}
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": kernel})
    nbformat.write(notebook, scratch / "notebooks" / "timed.ipynb")
    open_notebook(page, url, "timed.ipynb")
    (panel,) = panels_in(page, run_all(page))
    if not panel.wait(page):
        raise TimeoutError(f"{call} does not settle")
    return panel


def pressed(page: Any, panel: Any, control: str) -> dict[str, np.ndarray]:
    """Milliseconds from each of some key presses to the new picture, and until nothing more fills in.

    At the end of a slider another control moves first, so that no state comes again, which would be kept.
    """
    slider, up, found = panel.twin.controls[control], True, []
    place = slider.value
    aside = next(name for name in ASIDE if name in panel.twin.controls and name != control)
    for _ in range(PRESSES):
        if not slider.min <= round(place + (slider.step if up else -slider.step), 9) <= slider.max:
            up = not up
            press(page, panel, aside, up=True)
        place += slider.step if up else -slider.step
        found.append(press(page, panel, control, up))
    return {name: np.array([one[name] - one["key"] for one in found]) for name in ("shown", "done")}


def press(page: Any, panel: Any, control: str, up: bool) -> dict[str, float]:
    """When a key was pressed, when the new picture was there, and when nothing more filled in."""
    there = panel.control(control)
    there.focus()
    page.evaluate(CLEAR)
    there.press("ArrowRight" if up else "ArrowLeft")
    page.wait_for_function("window.ppdmTimes.done > 0", timeout=WAIT, polling=20)
    page.wait_for_timeout(PAUSE)
    return page.evaluate(TIMES)
