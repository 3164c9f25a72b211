"""Every saved notebook is in canonical form, and reads like a text with code in it, not the other way round."""

import copy
import json
import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from rerun import as_text, canonical

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb")) + sorted(FOLDER.glob("coursework/*.ipynb"))

ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")
MACHINE = re.compile(r"(?<![\w./])/(home|root|tmp|Users|usr|var)/\w+|\b[A-Z]:\\\w+")
LINK = re.compile(r"""\]\(([^)\s]+)[^)]*\)|(?:href|src)=["']([^"']+)["']""")
IGNORED = re.compile("nbval[-_](skip|ignore|check|raises)|raises-exception", re.IGNORECASE)
CHECKS = {"check", "hidden"}  # cells of a sheet that follow an answer
MAX_BYTES, MAX_LINES, MAX_WIDTH, MEDIAN_LINES, P90_LINES, WORDS_A_LINE, LED_IN = (
    1_000_000,
    20,
    100,
    4,
    10,
    8,
    0.75,
)


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in code(notebook) for output in cell.outputs]


def lines(cell: Any) -> int:
    return len(cell.source.splitlines())


def order(notebook: Any, _) -> Iterator[str]:
    counts = [cell.execution_count for cell in code(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"run all in order before saving: the counts are {counts}"
    if any(not cell.source.strip() for cell in notebook.cells):
        yield "an empty cell"


def clean_outputs(notebook: Any, _) -> Iterator[str]:
    for output in outputs(notebook):
        if output.output_type == "error" or output.get("name") == "stderr":
            yield f"a saved {output.get('name', 'error')}: {str(output)[:200]}"
        texts = json.dumps(
            [output.get("text")] + [v for k, v in output.get("data", {}).items() if k.startswith("text/")]
        )
        if ADDRESS.search(texts) or MACHINE.search(texts):
            yield f"an output that differs from machine to machine: {texts[:200]}"


def strict_cells(notebook: Any, _) -> Iterator[str]:
    for cell in code(notebook):
        if IGNORED.search(cell.source) or IGNORED.search(str(cell.metadata)):
            yield f"nothing is exempt from comparison: {cell.source[:80]}"
        if cell.source.rstrip().endswith(";"):
            yield f"nbval does not honour a closing ';', bind the value to a name: {cell.source[-80:]}"
        if re.search(r"^\s*[%!]|\?$", cell.source, re.MULTILINE):
            yield f"magics and shell commands depend on the machine: {cell.source[:80]}"


def short_cells(notebook: Any, _) -> Iterator[str]:
    sizes = sorted(lines(cell) for cell in code(notebook))
    if not sizes:
        return
    if sizes[-1] > MAX_LINES:
        yield f"a code cell of {sizes[-1]} lines, {MAX_LINES} at most: what is long belongs in the library"
    if statistics.median(sizes) > MEDIAN_LINES:
        yield f"half of the code cells have over {MEDIAN_LINES} lines"
    if sizes[int(0.9 * (len(sizes) - 1))] > P90_LINES:
        yield f"a tenth of the code cells have over {P90_LINES} lines"
    wide = [line for cell in code(notebook) for line in cell.source.splitlines() if len(line) > MAX_WIDTH]
    if wide:
        yield f"over {MAX_WIDTH} characters, so cut off on a laptop: {wide[0]}"


def prose(notebook: Any, _) -> Iterator[str]:
    cells = [cell for cell in notebook.cells if not CHECKS & set(cell.metadata.get("tags", []))]
    words = sum(len(cell.source.split()) for cell in cells if cell.cell_type == "markdown")
    amount = sum(lines(cell) for cell in cells if cell.cell_type == "code")
    if words < WORDS_A_LINE * amount:
        yield f"{words} words for {amount} lines of code, {WORDS_A_LINE} a line at least"
    pairs = zip([None, *cells], cells, strict=False)
    led = [
        before is not None and before.cell_type == "markdown"
        for before, cell in pairs
        if cell.cell_type == "code"
    ]
    if sum(led) < LED_IN * len(led):
        yield f"only {sum(led)} of {len(led)} code cells follow a cell of prose"
    if not notebook.cells or not notebook.cells[0].source.startswith("# "):
        yield "the first cell is the title: # ..."


def links(notebook: Any, folder: Path) -> Iterator[str]:
    for cell in notebook.cells:
        for found in LINK.findall(cell.source) if cell.cell_type == "markdown" else []:
            target = unquote("".join(found)).partition("#")[0]
            if target and not re.match(r"\w+:", target) and not (folder / target).exists():
                yield f"a link to nothing: {target}"


RULES = [order, clean_outputs, strict_cells, short_cells, prose, links]


def test_the_start_notebook_is_there():
    assert "00-start-here.ipynb" in [path.name for path in NOTEBOOKS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_saved_form_is_canonical(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert path.read_text(encoding="utf-8") == as_text(canonical(notebook)), (
        f"run: make notebooks ARGS={path.stem}"
    )
    assert path.stat().st_size < MAX_BYTES


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_form(path, rule):
    assert list(rule(nbformat.read(path, as_version=4), path.parent)) == []


GOOD = new_notebook(
    cells=[
        new_markdown_cell(
            "# A title\n\nand [a link](images), [one outside](https://example.org), and enough words"
        ),
        new_code_cell("6 * 7", execution_count=1, outputs=[new_output("stream", text="42\n")]),
    ]
)


def add(text: str, **settings: Any) -> Callable[[Any], None]:
    return lambda notebook: notebook.cells.append(new_code_cell(text, execution_count=2, **settings))


DEFECTS = [
    (order, lambda notebook: notebook.cells[1].update(execution_count=7)),
    (order, lambda notebook: notebook.cells[1].update(execution_count=None)),
    (order, add("")),
    (clean_outputs, add("1", outputs=[new_output("stream", name="stderr", text="oh")])),
    (clean_outputs, add("1", outputs=[new_output("error", ename="E", evalue="", traceback=[])])),
    (clean_outputs, add("1", outputs=[new_output("stream", text="<object object at 0x7f12ab34cd56>")])),
    (clean_outputs, add("1", outputs=[new_output("execute_result", {"text/plain": "'/home/ann/x.csv'"})])),
    (strict_cells, add("x = 1;")),
    (strict_cells, add("%timeit x")),
    (strict_cells, add("x = 1\n!ls")),
    (strict_cells, add("# NBVAL" + "_SKIP\n1")),
    (strict_cells, add("1", metadata={"tags": ["raises-exception"]})),
    (short_cells, add("x\n" * 21)),
    (short_cells, add("x\n" * 9)),
    (short_cells, add("x" * 101)),
    (prose, add("x\n" * 5)),
    (prose, lambda notebook: notebook.cells.reverse()),
    (links, lambda notebook: notebook.cells.append(new_markdown_cell("[gone](99-gone.ipynb#Part)"))),
    (links, lambda notebook: notebook.cells.append(new_markdown_cell('<img src="images/gone.png">'))),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_each_rule_is_content_with_a_good_notebook(rule):
    assert list(rule(GOOD, FOLDER)) == []


@pytest.mark.parametrize(("rule", "spoil"), DEFECTS)
def test_each_rule_sees_its_defect(rule, spoil):
    notebook = copy.deepcopy(GOOD)
    spoil(notebook)
    assert list(rule(notebook, FOLDER)) != []
