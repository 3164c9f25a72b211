"""nbval made strict where it is lenient.

nbval re-runs each cell and compares text, tables and SVG with what is saved. Left to itself it compares no PNG or JPEG
picture and no order of outputs, passes cells that were saved without being run or that ask to be skipped, and calls
everything after a cell that took too long an expected failure. Here each of these fails.
"""

import base64
import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from nbval import plugin
from PIL import Image

# In grey levels of 255. The same versions give exactly 0; the tile catches one changed letter in a large figure.
WHOLE_LIMIT, TILE_LIMIT, TILE = 2.0, 15.0, 32
PICTURES = ("image/png", "image/jpeg")
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

os.environ["PPDM_PROGRESS"] = "off"

run_cell = plugin.IPyNbCell.runtest
compare_text = plugin.IPyNbCell.compare_outputs
start_kernel = plugin.RunningKernel.__init__


def pixels(encoded: str) -> npt.NDArray[np.float64]:
    """The picture's grey levels: height x width x RGBA."""
    with Image.open(io.BytesIO(base64.b64decode(encoded))) as picture:
        return np.asarray(picture.convert("RGBA"), dtype=float)


def picture_problem(now: str, saved: str) -> str | None:
    """What sets two encoded pictures apart, or None if nothing that the eye could see does."""
    if now.strip() == saved.strip():
        return None
    new, old = pixels(now), pixels(saved)
    if new.shape != old.shape:
        return f"saved {old.shape[1]} x {old.shape[0]} pixels, now {new.shape[1]} x {new.shape[0]}"
    squares = ((new - old) ** 2).mean(axis=2)
    tiles = np.pad(squares, [(0, -side % TILE) for side in squares.shape])
    tiles = tiles.reshape(tiles.shape[0] // TILE, TILE, -1, TILE).mean(axis=(1, 3))
    whole, tile = np.sqrt(squares.mean()), np.sqrt(tiles.max())
    if whole > WHOLE_LIMIT or tile > TILE_LIMIT:
        return f"RMS difference {whole:.2f} (limit {WHOLE_LIMIT}), worst tile {tile:.2f} (limit {TILE_LIMIT})"
    return None


def kinds(outputs: list[Any]) -> list[list[str]]:
    """What each output is, in order: its stream, its error, or its representations."""
    return [
        sorted(set(output.get("data", {})) - {WIDGET_VIEW}) or [output.get("name", output.output_type)]
        for output in outputs
    ]


def output_problem(now: list[Any], saved: list[Any]) -> str | None:
    """What sets a cell's outputs apart from the saved ones that nbval does not look at."""
    if kinds(now) != kinds(saved):
        return f"outputs differ in kind, number or order: saved {kinds(saved)}, now {kinds(now)}"
    for number, (new, old) in enumerate(zip(now, saved), 1):
        for mime in PICTURES:
            if mime in old.get("data", {}):
                problem = picture_problem(new["data"][mime], old["data"][mime])
                if problem:
                    return f"output {number}, {mime}: {problem}"
    return None


def compare_outputs(cell, now: list[Any], saved: list[Any], skip_compare=None) -> bool:
    """Compare as nbval does, then look at the rest."""
    if not compare_text(cell, now, saved, skip_compare):
        return False
    problem = output_problem(now, saved)
    if problem:
        cell.comparison_traceback.append(problem)
    return problem is None


def runtest(cell) -> None:
    """Fail what nbval would pass without looking, and run the rest."""
    count, place = cell.cell.execution_count, cell.cell_num + 1
    if cell.parent.timed_out:
        cell.raise_cell_error("an earlier cell took too long, so this one was not run")
    if cell.options["skip"] or not cell.options["check"]:
        cell.raise_cell_error("every cell is run and compared: none may ask to be skipped or ignored")
    if count is None:
        cell.raise_cell_error("saved without being run, so there is nothing to compare: run all and save again")
    if count != place:
        cell.raise_cell_error(
            f"saved as run number {count}, but it stands at {place}: run all in order and save again"
        )
    run_cell(cell)


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Two kernels that start at once may choose the same port; where there are locks, they start in turn."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with (Path(tempfile.gettempdir()) / f"ppdm-kernel-start-{os.getuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def start(kernel, *args, **kwargs) -> None:
    """Start nbval's kernel, alone."""
    with one_at_a_time():
        start_kernel(kernel, *args, **kwargs)


# Methods are replaced, not the class: nbval calls super() through the class's global name.
plugin.IPyNbCell.compare_outputs = compare_outputs
plugin.IPyNbCell.runtest = runtest
plugin.IPyNbCell.setup = pytest.Item.setup  # nbval's only marks what follows a time-out as an expected failure
plugin.RunningKernel.__init__ = start
