"""The notebook gate closes: a good notebook passes it, and each kind of damage turns the damaged cell red.

One notebook of independent cells is run and saved; a copy gets one injury per cell. Both go through pytest once.
"""

import inspect
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbval.plugin import IPyNbCell
from rerun import as_text, rerun

ROOT = Path(__file__).resolve().parents[2]
IMPORTS = """\
import base64, io, sys, time
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure"""
PANEL = """\
class Panel:
    def _repr_mimebundle_(self, include=None, exclude=None):
        figure, picture = Figure(), io.BytesIO()
        figure.subplots().plot([1, 2], color="tab:green")
        figure.savefig(picture, format="png")
        return {"text/plain": "Panel(noise=2.0)", "image/png": base64.b64encode(picture.getvalue()).decode()}
Panel()"""
PLOT = 'plt.plot([1, 3, 2], color="tab:blue")\nplt.show()'
OWN = 'from ppdm import plots\nplots.bars({"Original": 0.972}, title="Accuracy")'
LARGE = 'plt.figure(figsize=(12, 8))\nplt.plot([1, 3, 2])\nplt.title("Noise 0.25")\nplt.show()'


def source(old: str, new: str) -> Callable[[Any], None]:
    def injure(cell):
        assert old in cell.source
        cell.source = cell.source.replace(old, new)

    return injure


def saved(mime: str, old: str, new: str) -> Callable[[Any], None]:
    def injure(cell):
        data = next(output.data for output in cell.outputs if mime in output.get("data", {}))
        assert old in data[mime]
        data[mime] = data[mime].replace(old, new)

    return injure


def printed(old: str, new: str) -> Callable[[Any], None]:
    def injure(cell):
        assert old in cell.outputs[0].text
        cell.outputs[0].text = cell.outputs[0].text.replace(old, new)

    return injure


def settings(**new: Any) -> Callable[[Any], None]:
    return lambda cell: cell.update(new)


def tag(name: str) -> Callable[[Any], None]:
    return lambda cell: cell.metadata.update(tags=[name])


# What is done to a cell: its source, the injury, and a word of the reason that pytest has to give.
INJURIES = {
    "colour": (PLOT, source("tab:blue", "tab:red"), "RMS difference"),
    "one digit in a large figure": (LARGE, source("0.25", "0.26"), "worst tile"),
    "size of a figure": (
        PLOT,
        source("plt.plot", "plt.figure(figsize=(3, 3))\nplt.plot"),
        "mismatch 'text/plain'",
    ),
    "number in saved text": ("print(6 * 7)", printed("42", "43"), "mismatch 'stdout'"),
    "number in a saved table": (
        "pd.DataFrame({'a': [17]})",
        saved("text/html", "17", "18"),
        "mismatch 'text/html'",
    ),
    "picture of a panel": (PANEL, source("tab:green", "tab:olive"), "RMS difference"),
    "text of a panel": (PANEL, saved("text/plain", "2.0", "2.1"), "mismatch 'text/plain'"),
    "number in a picture of ours": (OWN, source("0.972", "0.973"), "mismatch 'text/html'"),
    "colour in a picture of ours": (
        OWN,
        lambda cell: cell.update(source=f'own = {cell.source[23:]}\nown.axes[0].patches[0].set_color("C1")\nown'),
        "RMS difference",
    ),
    "sentence below a picture": (OWN, saved("text/html", "97.2", "97.3"), "mismatch 'text/html'"),
    "sentence missing": (OWN, lambda cell: cell.outputs.pop(), "Unexpected output fields"),
    "figure missing": (PLOT, settings(outputs=[]), "Unexpected output fields"),
    "only the picture missing": (
        PLOT,
        lambda cell: cell.outputs[0].data.pop("image/png"),
        "kind, number or order",
    ),
    "figure too many": (PLOT, source("plt.plot", "plt.plot([1])\nplt.show()\nplt.plot"), "dissimilar number"),
    "order of outputs": (f"print('first')\n{PLOT}", lambda cell: cell.outputs.reverse(), "kind, number or order"),
    "output stripped": ("6 * 7", settings(outputs=[]), "Unexpected output fields"),
    "count stripped": ("6 * 7", settings(execution_count=None), "saved without being run"),
    "all stripped": ("6 * 7", settings(execution_count=None, outputs=[]), "saved without being run"),
    "count of another run": ("6 * 7", settings(execution_count=99), "run all in order"),
    "exception": ("6 * 7", source("7", "[].pop()"), "IndexError"),
    "text on stderr": ("6 * 7", source("6", "sys.stderr.write('so') * 0 + 6"), "Unexpected output fields"),
    "asks to be skipped": ("6 * 7", tag("nbval-" + "skip"), "none may ask"),
    "asks to be ignored": ("6 * 7", tag("nbval-" + "ignore-output"), "none may ask"),
}
SLOW = ["import time", "time.sleep(0.1)", "6 * 7"]


def run_and_save(path: Path, sources: list[str]) -> Any:
    cells = [new_code_cell(text, id=f"cell-{number}") for number, text in enumerate(sources)]
    nbformat.write(new_notebook(cells=cells), path)
    notebook = rerun(path)
    path.write_text(as_text(notebook), encoding="utf-8")
    return notebook


def outcomes(folder: Path, name: str, *options: str) -> list[str]:
    """What pytest says of each cell of a notebook: the reason of its failure, or nothing."""
    report = folder / f"{name}.xml"
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"-c{ROOT / 'pyproject.toml'}"]
    run += [f"--rootdir={folder}", f"--junitxml={report}", *options, f"{name}.ipynb"]
    subprocess.run(run, cwd=folder, check=False, capture_output=True, timeout=120)
    cases = ElementTree.parse(report).iter("testcase")
    return ["".join(f"{child.get('message')}\n{child.text}" for child in case) for case in cases]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gate")
    shutil.copy(ROOT / "conftest.py", folder)
    return folder, run_and_save(folder / "good.ipynb", [IMPORTS, *(text for text, _, _ in INJURIES.values())])


@pytest.fixture(scope="module")
def injured(good):
    folder, notebook = good
    for cell, (_, injure, _) in zip(notebook.cells[1:], INJURIES.values(), strict=True):
        injure(cell)
    (folder / "injured.ipynb").write_text(as_text(notebook), encoding="utf-8")
    first, *reasons = outcomes(folder, "injured")
    assert first == "", "the cell without an injury"
    return dict(zip(INJURIES, reasons, strict=True))


def test_the_gate_is_there_whatever_is_run():
    # pytest reads the conftest.py of every folder above what it is asked to run: the one at the root is always read.
    for method in ("runtest", "compare_outputs"):
        assert Path(inspect.getfile(getattr(IPyNbCell, method))) == ROOT / "conftest.py"


def test_a_good_notebook_passes(good):
    assert outcomes(good[0], "good") == [""] * (len(INJURIES) + 1)


@pytest.mark.parametrize("name", INJURIES)
def test_an_injury_turns_its_cell_red(injured, name):
    assert INJURIES[name][2] in injured[name]


def test_cells_out_of_order_or_never_run_turn_red(good):
    folder, _ = good
    notebook = run_and_save(folder / "moved.ipynb", ["1", "2", "3", "4"])
    notebook.cells[1:3] = reversed(notebook.cells[1:3])
    notebook.cells.append(new_code_cell("5", id="new"))
    (folder / "moved.ipynb").write_text(as_text(notebook), encoding="utf-8")
    first, second, third, fourth, fifth = outcomes(folder, "moved")
    assert first == fourth == ""
    assert "run number 3, but it stands at 2" in second
    assert "run number 2, but it stands at 3" in third
    assert "saved without being run" in fifth


def test_nothing_passes_after_a_cell_that_took_too_long(good):
    folder, _ = good
    notebook = run_and_save(folder / "slow.ipynb", SLOW)
    notebook.cells[1].source = "time.sleep(60)"
    (folder / "slow.ipynb").write_text(as_text(notebook), encoding="utf-8")
    first, slow, after = outcomes(folder, "slow", "--nbval-cell-timeout=2")
    assert first == ""
    assert "Timeout of 2 seconds" in slow
    assert "an earlier cell took too long" in after


def test_a_run_is_canonical_and_the_same_every_time(good):
    folder, _ = good
    path = folder / "twice.ipynb"
    noisy = (
        "import sys\nfor k in range(3):\n    print(k, flush=True)\n    sys.stdout.flush()\nimport ipywidgets\n"
    )
    first = run_and_save(path, [noisy + "ipywidgets.IntSlider()"])
    first.cells[0].metadata.update(trusted=True, execution={"started": "now"}, tags=["solution"])
    first.metadata.update(widgets={"state": {}}, author="somebody")
    path.write_text(as_text(first), encoding="utf-8")
    again = rerun(path)
    assert again.metadata.keys() == {"kernelspec", "language_info"}
    assert again.cells[0].metadata == {"tags": ["solution"]}
    assert [output.output_type for output in again.cells[0].outputs] == ["stream", "execute_result"]
    assert list(again.cells[0].outputs[1].data) == ["text/plain"]
    path.write_text(as_text(again), encoding="utf-8")
    assert as_text(rerun(path)) == as_text(again)
