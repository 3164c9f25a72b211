"""Notebooks are lessons that people finish: what can be counted of good prose, code and pace is counted.

The bounds come from textbooks in notebooks that many people have finished. They have five signposts and about ten to
twenty numbers in 1,000 words, twelve to twenty-six new terms in the first ten minutes, and seven to twelve syntax nodes
in a line of code.
"""

import ast
import re
import statistics
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from mypy import api
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

CELLS, CELLS_IN_ALL = 80, 95  # to read; with exercises and places to write
SIGNPOSTS, NUMBERS, SENTENCE, NEW, NODES, ALT = 2, 35, 35, 25, 13, 8
PICTURE_BY, AHA_BY = 6, 15
PART = 45, 80  # minutes that people can sit
# A minute: so many words of mathematical prose. A line of code, a picture, a table, a panel: so many minutes.
WORDS, LINE, FIGURE, TABLE, PANEL = 130, 1 / 6, 0.75, 1, 5

SIGNPOST = re.compile(
    r"\b(for (example|instance)|recall|remember|notice|note that|imagine|suppose|in other words|let us|let's"
    r"|that is why|to see (why|how|this|that)|compare|look at|think of|put differently|in short|as before|so far)\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w.])[-−±]?\d[\d,.]*\d|(?<![\w.])[-−±]?\d")
BLOCKS = [
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"```.*?```", re.DOTALL),
        (r"\$\$.*?\$\$", re.DOTALL),
        (r"\$[^$\n][^$]*?\$", re.DOTALL),
        (r"^\|.*$", re.MULTILINE),
        (r"`[^`]*`", 0),
        (r"<[^>]+>", 0),
    )
]
LINKED = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
PART_HEADING, TIME = re.compile(r"^# Part ", re.MULTILINE), re.compile(r"\*\*Time\*\*: ([^.]*?minutes)")
TERM = re.compile(r"(?<![\w*])\*{1,2}([^*\n]+?)\*{1,2}(?![\w*])")
LABELS = {"predict", "choice", "time", "you need", "after this notebook", "level", "minutes", "answers", "hint"}
GREEK = "alpha|beta|gamma|delta|epsilon|varepsilon|theta|lambda|mu|nu|pi|rho|sigma|tau|phi|chi|psi|omega|Pr"
SYMBOL = re.compile(rf"\\(?:{GREEK})(?![a-z])|(?<![\\A-Za-z])[A-Za-z](?![A-Za-z])")
LIST_LIKE = re.compile(r"^(\s{0,3}[-+*]|\s{0,3}\d+[.)])\s")
CHANGED = re.compile(
    r'\(expression has type "(?P<new>[^"]+)", (?:variable|target) has type "(?P<old>[^"]+)"\)  \[assignment\]'
)


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def texts(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def words_of(text: str) -> str:
    """The prose of a cell: no tables, formulas, code or addresses."""
    for block in BLOCKS:
        text = block.sub(" ", text)
    return LINKED.sub(r"\1", text)


def paragraphs(text: str) -> Iterator[str]:
    """Blocks of prose, each item of a list by itself, without headings."""
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)", words_of(text)):
        if not block.lstrip().startswith("#"):
            yield " ".join(block.split())


def sentences(text: str) -> Iterator[str]:
    for paragraph in paragraphs(text):
        yield from re.split(r"(?<=[.!?:;])[\"”)*]*\s+(?=[\"“(*]*[A-Z0-9(])", paragraph)


def count_words(text: str) -> int:
    return len(re.findall(r"[^\W\d_][\w’'-]*", text))


def shows(output: Any, kind: str, sign: str = "") -> bool:
    return sign in "".join(output.get("data", {}).get(kind, [])) if kind in output.get("data", {}) else False


def is_figure(cell: Any) -> bool:
    return any(shows(output, "image/png") for output in cell.get("outputs", []))


def minutes(cells: list[Any]) -> float:
    """How long a reader sits over some cells."""
    total = 0.0
    for cell in cells:
        if cell.cell_type == "markdown":
            tables = re.findall(r"^\|[ :|-]+\|$", cell.source, re.MULTILINE)
            total += count_words(words_of(cell.source)) / WORDS + TABLE * len(tables)
            continue
        total += LINE * len(cell.source.splitlines())
        if "Explorer(" in cell.source:
            total += PANEL
        else:
            tables = [output for output in cell.outputs if shows(output, "text/html", "<table")]
            total += FIGURE * is_figure(cell) + TABLE * len(tables)
    return total


def without_exercises(cells: list[Any]) -> list[Any]:
    """The cells but the exercises and the places to write in: these take as long as they take."""
    return [cell for cell in cells if not {"task", "answer", "predict"} & set(cell.metadata.get("tags", []))]


def parts(notebook: Any) -> list[list[Any]]:
    """The cells of each part; what stands before the first part belongs to it."""
    starts = [
        n
        for n, cell in enumerate(notebook.cells)
        if cell.cell_type == "markdown" and PART_HEADING.search(cell.source)
    ]
    edges = [0, *starts[1:], len(notebook.cells)]
    return [notebook.cells[low:high] for low, high in pairwise(edges)]


def signposts(notebook: Any, _) -> Iterator[str]:
    prose = " ".join(" ".join(paragraphs(text)) for text in texts(notebook))
    rate = 1000 * len(SIGNPOST.findall(prose)) / count_words(prose)
    if rate < SIGNPOSTS:
        yield f"{rate:.1f} signposts in 1,000 words, {SIGNPOSTS} at least: for example, recall, notice, suppose"


def numbers(notebook: Any, _) -> Iterator[str]:
    prose = " ".join(" ".join(paragraphs(text)) for text in texts(notebook))
    rate = 1000 * len(NUMBER.findall(prose)) / count_words(prose)
    if rate > NUMBERS:
        yield f"{rate:.1f} numbers in 1,000 words, {NUMBERS} at most: leave them in the table above"


def short_sentences(notebook: Any, _) -> Iterator[str]:
    for text in texts(notebook):
        for sentence in sentences(text):
            if count_words(sentence) > SENTENCE:
                yield f"a sentence of {count_words(sentence)} words, {SENTENCE} at most: {sentence}"


def pace(notebook: Any, _) -> Iterator[str]:
    found: dict[str, set[str]] = {"terms": set(), "symbols": set(), "calls": set()}
    spent = 0.0  # on prose and code: pictures and tables have no new words
    for cell in notebook.cells:
        if spent > 10:
            break
        if cell.cell_type == "code":
            spent += LINE * len(cell.source.splitlines())
            found["calls"] |= calls(cell.source)
        else:
            spent += count_words(words_of(cell.source)) / WORDS
            found["terms"] |= terms(cell.source)
            found["symbols"] |= symbols(cell.source)
    total = sum(map(len, found.values()))
    if total > NEW:
        told = "; ".join(f"{kind}: {', '.join(sorted(some))}" for kind, some in found.items())
        yield f"{total} new terms, symbols and calls in the first ten minutes, {NEW} at most: {told}"


def calls(source: str) -> set[str]:
    """The names of the functions that code calls."""
    nodes = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Name)
    }


def terms(source: str) -> set[str]:
    """What prose sets off, by a slope or as code; labels and titles of papers are no terms."""
    marked = TERM.findall(re.sub(r"\$[^$]*\$|`[^`]*`", "", source))
    short = {term.lower().rstrip(":.?") for term in marked if len(term.split()) <= 3}
    return (short - LABELS) | set(re.findall(r"`([^`\n]+)`", source))


def symbols(source: str) -> set[str]:
    """The letters of formulas."""
    formulas = " ".join(re.findall(r"\$\$?(.+?)\$\$?", source, re.DOTALL))
    formulas = re.sub(r"\\(text|mathrm|operatorname)\{[^}]*\}", " ", formulas)
    return set(SYMBOL.findall(formulas))


def plain_code(notebook: Any, _) -> Iterator[str]:
    densities = [
        len(list(ast.walk(ast.parse(cell.source)))) / len(cell.source.splitlines()) for cell in code(notebook)
    ]
    if densities and statistics.median(densities) > NODES:
        yield f"{statistics.median(densities):.1f} syntax nodes in a line of code, {NODES} at most: one thing a line"


def kinds(notebook: Any, folder: Path) -> Iterator[str]:
    """A name that is once a table and once a number is a trap for people who run cells out of order."""
    lines = "\n".join(cell.source for cell in code(notebook)).splitlines()
    for line in typed(notebook, folder):
        found = CHANGED.search(line) if "whole" in line else None
        if found and kind(found["new"]) != kind(found["old"]):
            name = lines[int(line.split(":")[1]) - 1]
            yield f"a name that was {found['old']} becomes {found['new']}: {name.strip()}"


def typed(notebook: Any, folder: Path) -> list[str]:
    """What mypy says of the cells together, as whole.py, and of the cells of each part."""
    told = folder / "told.txt"
    if not told.exists():
        told.write_text(mypy(*scripts(notebook, folder)), encoding="utf-8")
    return told.read_text(encoding="utf-8").splitlines()


def scripts(notebook: Any, folder: Path, name: str = "") -> list[Path]:
    """The cells together, and those of each part, as programs in the folder."""
    texts_of = {"whole": notebook.cells} | {
        f"part{number}": part for number, part in enumerate(parts(notebook), 1)
    }
    paths = [folder / f"{name}{kind_}.py" for kind_ in texts_of]
    for path, cells in zip(paths, texts_of.values(), strict=True):
        path.write_text("\n".join(cell.source for cell in cells if cell.cell_type == "code"), encoding="utf-8")
    return paths


def mypy(*paths: Path) -> str:
    settings = ["--no-error-summary", "--hide-error-context", "--enable-error-code=used-before-def"]
    return api.run([*settings, f"--cache-dir={paths[0].parent / 'mypy'}", *map(str, paths)])[0]


@cache
def typed_before() -> Path:
    """A folder for each saved notebook with what mypy says of it: one run for all, because it reads pandas once."""
    root = Path(tempfile.mkdtemp())
    paths = []
    for number, path in enumerate(NOTEBOOKS):
        paths += scripts(nbformat.read(path, as_version=4), root, f"n{number}_")
    lines = mypy(*paths).splitlines()
    for number, path in enumerate(NOTEBOOKS):
        (root / path.stem).mkdir()
        own = [line for line in lines if f"{root.name}/n{number}_" in line]
        (root / path.stem / "told.txt").write_text("\n".join(own), encoding="utf-8")
    return root


def kind(told: str) -> str:
    """A type without what it holds; all numbers are of one kind."""
    head = re.split(r"[\[ ]", told.strip('"'))[0]
    return "number" if head in {"int", "float", "bool", "Literal", "floating", "complex"} else head


def no_lists_by_accident(notebook: Any, _) -> Iterator[str]:
    for text in texts(notebook):
        lines = re.sub(r"```.*?```", "", text, flags=re.DOTALL).splitlines()
        for before, line in pairwise(lines):
            if (
                LIST_LIKE.match(line)
                and before.strip()
                and not LIST_LIKE.match(before)
                and not before.startswith("  ")
            ):
                yield f"Markdown takes this line for the item of a list: {line}"


def early_pictures(notebook: Any, _) -> Iterator[str]:
    shown = [number for number, cell in enumerate(notebook.cells) if is_figure(cell)]
    aha = [number for number in shown if "aha" in notebook.cells[number].metadata.get("tags", [])]
    if not shown or shown[0] > PICTURE_BY:
        yield f"the first picture is in cell {shown[:1]}, {PICTURE_BY} at the latest"
    if not aha or aha[0] > AHA_BY:
        yield f"the picture that surprises, tagged 'aha', is in cell {aha[:1]}, {AHA_BY} at the latest"


def honest_time(notebook: Any, _) -> Iterator[str]:
    stated = TIME.search(" ".join(notebook.cells[0].source.split()))
    if not stated:
        yield "the first cell states no time, as in: **Time**: 60 + 70 minutes, and 90 of exercises."
        return
    given = [int(number) for number in re.findall(r"\d+", stated[1])]
    real = [minutes(without_exercises(part)) for part in parts(notebook)]
    if len(given) != len(real):
        yield f"{given} minutes for {len(real)} parts"
        return
    for number, (said, takes) in enumerate(zip(given, real, strict=True), 1):
        if abs(said - takes) > 0.2 * takes:
            yield f"part {number} takes about {takes:.0f} minutes, not {said}"
        if takes > PART[1] + 1 or (len(real) > 1 and takes < PART[0] - 1):
            yield f"part {number} takes about {takes:.0f} minutes, not {PART[0]} to {PART[1]}: move some of it"


def parts_alone(notebook: Any, folder: Path) -> Iterator[str]:
    """Each part runs without the others: what it uses, it has bound before."""
    missing = re.findall(
        r'part(\d)\.py:.*Name "(.+?)" is (?:not defined|used before)', "\n".join(typed(notebook, folder))
    )
    for number, name in missing:
        if name != "display":
            yield f"part {number} needs what other parts define: {name}"


def described(notebook: Any, _) -> Iterator[str]:
    """Who does not see a picture reads what it shows."""
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
            if shows(output, "image/png") and count_words(alt) < ALT:
                yield f"cell {number}: the picture is not described, in {ALT} words or more: {alt!r}"


RULES = [
    signposts,
    numbers,
    short_sentences,
    pace,
    plain_code,
    kinds,
    no_lists_by_accident,
    early_pictures,
    described,
    honest_time,
    parts_alone,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_lesson(path, rule):
    assert list(rule(nbformat.read(path, as_version=4), typed_before() / path.stem)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_length(path):
    cells = nbformat.read(path, as_version=4).cells
    assert len(without_exercises(cells)) <= CELLS, "move some to a companion"
    assert len(cells) <= CELLS_IN_ALL


@pytest.mark.parametrize(
    "map_", [FOLDER.parent / "README.md", FOLDER / "00-start-here.ipynb"], ids=lambda path: path.stem
)
def test_a_map_of_the_series_states_the_minutes_that_the_notebooks_state(map_):
    text = map_.read_text(encoding="utf-8")
    for path in NOTEBOOKS:
        stated = TIME.search(" ".join(nbformat.read(path, as_version=4).cells[0].source.split()))
        minutes_of = stated[1].removesuffix(" minutes") if stated else "none"
        row = re.search(rf"\]\([^)]*{path.stem}\.ipynb\) \|[^|]*\| ([^|]*) \|", text)
        assert path == map_ or (row and row[1] == minutes_of), path.stem


STORY = "Suppose that nine people whisper. We hear six of them, and we guess the rest. For example, ann is old. "
SEEN = new_output(
    "display_data",
    {"image/png": "", "text/plain": "<Picture>"},
    metadata={"image/png": {"alt": "Two lines: the upper one stays at 99 %, the lower one falls to 72 %."}},
)


def lesson() -> Any:
    """A lesson of two minutes that keeps every rule."""
    picture = new_code_cell("x = [1, 2]\nsum(x)", outputs=[SEEN], metadata={"tags": ["aha"]})
    return new_notebook(
        cells=[new_markdown_cell("# Nine people\n\n**Time**: 2 minutes.\n\n" + 4 * STORY), picture]
    )


def say(text: str) -> Callable[[Any], None]:
    return lambda notebook: notebook.cells.append(new_markdown_cell(text))


def run(text: str, *more: str) -> Callable[[Any], None]:
    return lambda notebook: notebook.cells.extend(new_code_cell(source) for source in (text, *more))


def change(place: int, **settings: Any) -> Callable[[Any], None]:
    return lambda notebook: notebook.cells[place].update(nbformat.from_dict(settings))


def late(cells: int) -> Callable[[Any], None]:
    def wait(notebook: Any) -> None:
        notebook.cells = [notebook.cells[0], *map(new_markdown_cell, ["Wait."] * cells), *notebook.cells[1:]]

    return wait


DEFECTS = [
    (signposts, say("The miner sees a sum. " * 1000)),
    (numbers, say("It is 0.95 and 3 of 12.")),
    (short_sentences, say("We say " + "this and " * 17 + "that.")),
    (short_sentences, say("- We say " + "this and " * 17 + "that.\n- And we stop.")),
    (pace, say(" ".join(f"*new{chr(97 + n)}*" for n in range(26)))),
    (pace, run("\n".join(f"f{n}()" for n in range(26)))),
    (pace, say("$" + " ".join("abcdefghijklmnopqrstuvwxyz") + "$")),
    (
        plain_code,
        run("[(a, b) for a, b in zip(c, d) if a > b or b < 2 * a]", "[f(a)[b] for a, b in c(d)[e].g(h)]"),
    ),
    (kinds, run('x = "text"')),
    (no_lists_by_accident, say("A test costs one bit\n+ the logarithm of the cuts.")),
    (no_lists_by_accident, say("Global hardly works on Function\n1. Why is easy to see.")),
    (early_pictures, change(1, metadata={})),
    (early_pictures, change(1, outputs=[])),
    (early_pictures, late(7)),
    (early_pictures, late(16)),
    (described, change(1, outputs=[{**SEEN, "metadata": {}}])),
    (described, change(1, outputs=[{**SEEN, "metadata": {"image/png": {"alt": "A fit"}}}])),
    (honest_time, say("We look at a sum. " * 60)),
    (honest_time, change(0, source="# Nine people")),
    (honest_time, change(0, source="# Nine people\n\n**Time**: 2 + 2 minutes.")),
    (parts_alone, run("y")),
    (parts_alone, run("print(y)\ny = 1")),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_each_rule_is_content_with_a_good_lesson(rule, tmp_path):
    assert list(rule(lesson(), tmp_path)) == []


@pytest.mark.parametrize(("rule", "spoil"), DEFECTS)
def test_each_rule_sees_its_defect(rule, spoil, tmp_path):
    notebook = lesson()
    spoil(notebook)
    assert list(rule(notebook, tmp_path)) != []


def test_a_name_of_the_first_part_is_unknown_in_the_second(tmp_path):
    notebook = lesson()
    for cell in (
        new_markdown_cell("# Part I: one"),
        new_markdown_cell("# Part II: two"),
        new_code_cell("print(x)"),
    ):
        notebook.cells.append(cell)
    assert "x" in next(parts_alone(notebook, tmp_path))


def test_exercises_take_time_of_their_own():
    cells = [new_markdown_cell(text) for text in ("## 1 Sums\n\nWe add.", "### Exercise 1", "## 2 Ledger")]
    cells[1].metadata.tags = ["task"]
    assert without_exercises(cells) == [cells[0], cells[2]]
