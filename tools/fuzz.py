"""Feed damaged models, kept results, ledgers and specifications to what reads them; say what is not refused in words.

`make fuzz ARGS="--seconds 60 --seed 7"`. An input that reaches lines in a new order is kept and damaged further. A
finding is an error other than a ValueError or TypeError that says what is expected, a case that takes too many steps,
or something read that breaks its own promises. It is printed with the seed and the smallest input that shows it.

To fuzz another reader, add a ``Target`` to ``TARGETS``.
"""

import argparse
import atexit
import contextlib
import copy
import json
import math
import random
import re
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd

import ppdm
from ppdm import plots, sweep
from ppdm.disguise import PrivacySpecification, SpecificationError
from ppdm.measure import Ledger
from ppdm.reconstruct import Attribute
from ppdm.tables import EstimatedTable
from ppdm.trees import Mdl, Stop, Tree, grow, prune_mdl
from ppdm.trees.prune import prune_pessimistic

LIBRARY = Path(ppdm.__file__).parent
MAX_STEPS = 300_000  # lines of the library in a case; a sound model takes a few thousand
MAX_BYTES = 20_000  # of an input
MOST = np.finfo(float).max
CLEAR = re.compile(r"expected|is missing|is not JSON")
# Values at which readers err: ends of number formats, other types, signs that printers and terminals obey.
ODD: list[Any] = [
    *(
        0,
        1,
        2,
        3,
        -1,
        0.5,
        -0.0,
        5e-324,
        1e-9,
        4e14,
        1e15,
        1e308,
        2**31,
        2**53 + 1,
        2**63,
        -(2**63),
        10**30,
        10**400,
    ),
    *(True, False, None, math.nan, math.inf, -math.inf, [], {}, [[]], [0], {"a": 1}),
    *("", "a", "A", "B", "7", "\ud800", "\x00", "a\nb", "\x1b[2J", "\u202e", "$x_{", "é", "=1", "x" * 300),
    *("numeric", "ordered", "nominal", "ppdm-tree"),
]
TOKENS = [
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b'"',
    b"'",
    b",",
    b"\n",
    b"\r",
    b"[",
    b"]",
    b"{",
    b"}",
    b"NaN",
    b"1e999",
]
TOKENS += [b"-", b"0", b"9" * 30, b"true", b"null", b"\\ud800", b"\\u0000", b"\xc3\xa9", b"=", b"[" * 2000, b":"]


class TooLong(BaseException):
    """A case took more steps than are allowed; no reader catches it."""


class BrokenError(Exception):
    """What was read breaks a promise."""


@dataclass(frozen=True)
class Target:
    """A reader: sound inputs to begin with, what reads one, and the modules whose lines are followed."""

    seeds: Callable[[], list[bytes]]
    feed: Callable[[bytes], None]
    modules: tuple[str, ...]


@dataclass
class Report:
    """What a run did."""

    cases: int = 0
    read: int = 0
    kept: int = 0
    lines: int = 0
    edges: int = 0
    findings: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"{self.cases} cases, {self.read} read and {self.cases - self.read} refused; {self.lines} lines in "
            f"{self.edges} orders, {self.kept} inputs kept; {len(self.findings)} findings"
        )


def expect(holds: Any, promise: str) -> None:
    if not holds:
        raise BrokenError(promise)


# Models


def models() -> list[bytes]:
    """Trees with every kind of test, of two and of many branches, of a single leaf, and read as C4.5 reads its own."""
    attributes = [
        Attribute.numeric("n", [0.5, 1.5, 2.5]),
        Attribute.categorical("o", ["low", "mid", "high"], ordered=True),
        Attribute.categorical("c", ["x", "y", "z"]),
    ]
    counts = np.random.default_rng(1).integers(0, 9, (4, 3, 3, 2))
    table = EstimatedTable.from_counts(attributes, ["A", "B"], counts)
    grown = [grow(table, stop=Stop(max_depth=2, min_gain=0)), grow(table, "gain", Stop(max_depth=3), "multiway")]
    grown.append(grown[0].collapse(np.arange(len(grown[0].attribute)) == 0))
    grown += [replace(tree, c45=True) for tree in grown[:2]]
    return [tree.to_json().encode() for tree in grown]


def read_model(data: bytes) -> None:
    tree = Tree.from_json(data)
    try:
        use(tree, json.loads(data), picture=len(data) % 20 == 0)
    except Exception as error:  # it was read, so all that can be asked of it must be answered
        raise BrokenError(f"{type(error).__name__} after reading: {error}") from error


def use(tree: Tree, document: Any, picture: bool) -> None:
    """Ask a tree all that it can be asked."""
    text = tree.to_json()
    expect(json.loads(text) == document, "it is written as it was read")
    expect(Tree.from_json(text).to_json() == text, "its text is canonical")
    leaves, nodes = tree.leaves().tolist(), range(len(tree.attribute))
    frame = records(tree)
    reached, shares = tree.apply(frame), tree.predict_proba(frame)
    expect(set(reached.tolist()) <= set(leaves), "records end in leaves")
    expect(np.isfinite(shares).all() and (shares >= 0).all(), "shares are shares")
    expect(np.allclose(shares.sum(axis=1), 1), "shares sum to 1")
    predicted = pd.Index(tree.classes).get_indexer(tree.predict(frame))
    expect((shares[range(len(frame)), predicted] >= shares.max(axis=1) - 1e-9).all(), "the largest share wins")
    by_place = tree.apply(frame.to_numpy(dtype=object))
    expect(by_place.tolist() == reached.tolist(), "arrays are read as frames are")
    conditions, rules = tree.conditions(), tree.rules()
    expect(sorted(conditions) == leaves, "each leaf has a condition")
    expect(len(rules.splitlines()) == len(leaves) and rules.replace("\n", "").isprintable(), "a leaf has a line")
    for node in nodes[:40]:
        path = tree.path(node)
        expect(path[0] == 0 and path[-1] == node, "a path leads from the root")
        tree.path_attributes(node)
        tree.routes_of(node)
        if node:
            tree.branch_of(node)
        if tree.children(node):
            tree.condition_of(node)
    expect(tree.leaf_holds(0, np.zeros(1)).shape == (len(leaves), 1), "leaves are asked what they hold")
    pruned = [prune_mdl(tree), prune_mdl(tree, Mdl("constant", "errors")), prune_pessimistic(tree)]
    for smaller in [*pruned, tree.collapse(np.arange(len(nodes)) % 2 == 1)]:
        expect(Tree.from_json(smaller.to_json()).to_json() == smaller.to_json(), "a pruned tree can be read")
    expect(repr(tree).startswith("Tree("), "it says what it is")
    if picture:
        plots.tree(tree).png()


def records(tree: Tree) -> pd.DataFrame:
    """Records on both sides of every cut, of every category, of one never seen, and with missing values."""
    columns = {}
    missing = [np.nan] * tree.c45
    for place, attribute in enumerate(tree.attributes):
        if attribute.kind == "numeric":
            cuts = tree.threshold[tree.attribute == place][:5]
            values = [*missing, *cuts, *np.maximum(np.nextafter(cuts, -np.inf), -MOST), *[0.0] * 12]
            columns[attribute.name] = pd.Series(values[:12], dtype=float)
        else:
            values = [*(attribute.categories or ())[:9], *missing, *["never seen"] * 12]
            columns[attribute.name] = pd.Series(values[:12], dtype=object)
    return pd.DataFrame(columns)


# What a sweep keeps


@cache
def folder(name: str) -> Path:
    """A folder that lasts as long as the process."""
    path = Path(tempfile.mkdtemp(prefix=f"fuzz-{name}-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


NUMBERS = {"accuracy": 0.1 + 0.2, "leaves": 7}


def measure(level: int, rng: np.random.Generator) -> dict[str, float]:  # noqa: ARG001  (as a sweep calls it)
    return NUMBERS


def swept() -> dict[Any, Any]:
    rows = sweep(measure, {"level": [1]}, 1, jobs=1, cache=folder("sweep"), progress=False)
    return rows[list(NUMBERS)].iloc[0].to_dict()


def kept_cells() -> list[bytes]:
    swept()
    return [path.read_bytes() for path in folder("sweep").glob("*.json")]


def read_cell(data: bytes) -> None:
    (path,) = folder("sweep").glob("*.json")
    path.write_bytes(data)
    found = swept()
    expect(found == NUMBERS, "a damaged file is not believed")
    kept = json.loads(path.read_text("utf-8"))
    expect(kept["numbers"] == NUMBERS, "a damaged file is written again")


# Ledgers


def ledgers() -> list[bytes]:
    claims = Ledger("FUZZ")
    claims.check("F1", "=SUM(1, 2)", '"quoted", and more', True)
    claims.check("F2", "'single'", 0.25, "partly")
    claims.check("F3", "é", None, None)
    return [claims.save(folder("ledgers")).read_bytes()]


def read_ledger(data: bytes) -> None:
    path = folder("ledgers") / "ledger-FUZZ.csv"
    path.write_bytes(data)
    found = Ledger.gather(path.parent)
    cells = found.to_numpy().ravel().tolist()
    expect(list(found) == ["paper", "claim", "statement", "measured", "verdict"], "a ledger has its columns")
    expect(all(isinstance(cell, str) for cell in cells), "cells are texts")
    expect(not any(re.search(r"[\x00-\x1f\x7f-\x9f]", cell) for cell in cells), "no cell commands a terminal")


# Specifications


def people() -> pd.DataFrame:
    """A table with a column of every kind."""
    rng = np.random.default_rng(1)
    numbers = {name: rng.integers(1, 60, 40) for name in ("age", "wage", "rent")}
    texts = {name: rng.choice(["a", "b", "c"], 40) for name in ("town", "job", "class")}
    return pd.DataFrame({**numbers, **texts})


def specifications() -> list[bytes]:
    """Specifications with most actions, and those that are suggested."""
    table = people()
    made = PrivacySpecification.suggest(table, table["class"], ["age", "job"])
    columns = {
        "age": {"action": "shuffle", "within": "class", "sensitive": True, "with": ["job"]},
        "wage": {"action": "discretise", "min_group": 2, "tolerance": 2.5},
        "rent": {"action": "add", "noise": "uniform", "privacy": 0.5},
        "town": {"action": "generalise", "groups": {"west": ["a", "b"]}},
    }
    other = PrivacySpecification({"class": "class", "known": ["wage"], "k": 2, "columns": columns})
    return [specification.to_toml().encode() for specification in (made, other)]


def read_specification(data: bytes) -> None:
    path = folder("specifications") / "specification.toml"
    path.write_bytes(data)
    specification = PrivacySpecification(path)
    try:
        specification.check(people())
    except SpecificationError as error:
        for fault in error.faults:
            line = str(fault)
            expect(line.isprintable() and len(line) < 1000 and fault.expected, "a fault is a line of words")
        raise ValueError("the specification has faults; expected none") from error
    text = specification.to_toml()
    path.write_text(text, "utf-8")
    expect(PrivacySpecification(path).to_toml() == text, "it is written as it was read")
    released = specification.release(people())
    dropped = [name for name, action in specification.actions_.items() if action.name == "drop"]
    expect(list(released) == [name for name in people() if name not in dropped], "columns stay, or are dropped")


TARGETS = {
    "results": Target(kept_cells, read_cell, ("sweep.py",)),
    "models": Target(
        models,
        read_model,
        (
            "trees/document.py",
            "trees/text.py",
            "trees/model.py",
            "trees/prune.py",
            "reconstruct/attribute.py",
            "plots/trees.py",
        ),
    ),
    "ledgers": Target(ledgers, read_ledger, ("measure/claims.py",)),
    "specifications": Target(
        specifications,
        read_specification,
        ("disguise/toml.py", "disguise/reading.py", "disguise/specification.py"),
    ),
}


# Damage


def places(document: Any) -> list[tuple[Any, Any]]:
    """All (container, key) of a JSON document."""
    found, waiting = [], [document]
    while waiting:
        part = waiting.pop()
        keys: Any = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        found += [(part, key) for key in keys]
        waiting += [part[key] for key in keys]
    return found


def damaged_document(document: Any, rng: random.Random, others: list[Any]) -> Any:
    """The document with one part replaced, moved, doubled or removed."""
    document = copy.deepcopy(document)
    found = places(document)
    if not found:
        return rng.choice(ODD)
    part, key = rng.choice(found)
    act = rng.randrange(10)
    if act > 6:  # as it is, but another value of the same type: more of these are read
        part[key] = copy.deepcopy(rng.choice([odd for odd in ODD if type(odd) is type(part[key])] or ODD))
    elif act == 0:
        part[key] = copy.deepcopy(rng.choice(ODD))
    elif act == 1:
        del part[key]
    elif act == 2 and isinstance(part[key], int | float) and not isinstance(part[key], bool):
        part[key] += rng.choice([1, -1, 0.5, 1e6])
    elif act == 3:
        other, where = rng.choice(found)
        with contextlib.suppress(LookupError, TypeError):
            part[key], other[where] = other[where], part[key]
            json.dumps(document)  # a part inside itself is no document
    elif act == 4 and isinstance(part, list):
        part.insert(key, copy.deepcopy(part[key]))
    elif act == 5 and isinstance(part, dict):
        part[rng.choice(["a", "nodes", "version", key])] = copy.deepcopy(rng.choice(ODD))
    else:
        other, where = rng.choice(places(rng.choice(others)) or found)
        part[key] = copy.deepcopy(other[where])
    return document


def damaged_text(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """The bytes with a span changed, doubled, removed, or taken from another input."""
    first = rng.randrange(len(data) + 1)
    last = min(len(data), first + rng.choice([0, 1, 1, 2, 4, 16, 200]))
    act = rng.randrange(5)
    if act == 0:
        middle = rng.choice(TOKENS)
    elif act == 1:
        middle = bytes(byte ^ (1 << rng.randrange(8)) for byte in data[first:last])
    elif act == 2:
        middle = b""
    elif act == 3:
        middle = data[first:last] * 2
    else:
        other = rng.choice(others)
        middle = other[(start := rng.randrange(len(other) + 1)) : start + last - first]
    return data[:first] + middle + data[last:]


def parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def damaged(data: bytes, rng: random.Random, corpus: list[bytes]) -> bytes:
    """The input, damaged once or a few times: where it is JSON, mostly as a document."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        document = parsed(data)
        if document is None or rng.random() < 0.2:
            data = damaged_text(data, rng, corpus)
        else:
            other = parsed(rng.choice(corpus))
            with contextlib.suppress(ValueError, RecursionError):  # a cycle, or half a character
                changed = damaged_document(document, rng, [document if other is None else other])
                data = json.dumps(changed).encode()
    return data[:MAX_BYTES]


# Running


class Follower:
    """Follows the lines of some modules, counts them, and ends what takes too many."""

    def __init__(self, modules: tuple[str, ...]) -> None:
        self.files = {str(LIBRARY / module) for module in modules}
        self.edges: set[tuple[Any, Any]] = set()
        self.steps, self.previous = 0, None

    def __call__(self, frame: FrameType, _event: str, _arg: Any) -> Any:
        return self.line if frame.f_code.co_filename.startswith(str(LIBRARY)) else None

    def line(self, frame: FrameType, event: str, _arg: Any) -> Any:
        if event == "line":
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise TooLong(f"more than {MAX_STEPS:,} steps")
            if frame.f_code.co_filename in self.files:
                place: Any = (frame.f_code.co_filename, frame.f_lineno)
                self.edges.add((self.previous, place))
                self.previous = place
        return self.line

    @contextlib.contextmanager
    def following(self) -> Iterator[None]:
        self.steps, self.previous = 0, None
        before = sys.gettrace()
        sys.settrace(self)
        try:
            yield
        finally:
            sys.settrace(before)


def verdict(target: Target, follower: Follower, data: bytes) -> str | None:
    """What is wrong with how an input is read: None if nothing; "" if it is refused in clear words."""
    try:
        with follower.following(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # letters that a font lacks
            warnings.simplefilter("error", RuntimeWarning)  # numbers that overflow
            target.feed(data)
    except (ValueError, TypeError) as error:
        clear = CLEAR.search(str(error)) and str(error).isprintable() and len(str(error)) < 1000
        return "" if clear else f"unclear, {where(error)}"
    except (Exception, TooLong) as error:
        return where(error)
    return None


def where(error: BaseException) -> str:
    """The error, and the last line of the library that it went through."""
    while isinstance(error, BrokenError) and error.__cause__:
        error = error.__cause__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if str(LIBRARY) in frame.filename]
    place = f"{Path(frames[-1].filename).relative_to(LIBRARY)}:{frames[-1].lineno}" if frames else "the reading"
    return f"{type(error).__name__} at {place}: {ascii(str(error))[1:-1][:200]}"


def kind(wrong: str | None) -> str:
    """What two findings have in common that are one: all but the names and numbers in the message."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|-?\d[\d.,e+]*", "…", wrong or "")[:120]


def smallest(target: Target, follower: Follower, data: bytes, wrong: str) -> bytes:
    """The input without all that the finding does not need."""
    size = len(data)
    tries = 400
    while size >= 1 and tries:
        for first in range(0, len(data), size):
            shorter = data[:first] + data[first + size :]
            tries -= 1
            if kind(verdict(target, follower, shorter)) == kind(wrong):
                data = shorter
                break
            if not tries:
                break
        else:
            size //= 2
    return data


def fuzz(target: Target, seed: int, seconds: float = math.inf, cases: float = math.inf) -> Report:
    """Damage the seeds of a target, and what comes of them, for some seconds or cases."""
    rng = random.Random(seed)
    follower, report, sound = Follower(target.modules), Report(), target.seeds()
    refused = sound[:1]
    for data in sound:
        if wrong := verdict(target, follower, data):
            report.findings[kind(wrong)] = 0, wrong.encode()
    end = time.monotonic() + seconds
    while report.cases < cases and time.monotonic() < end:
        report.cases += 1
        known = len(follower.edges)
        # What is refused is refused at once, whatever else is damaged: most cases begin with what is read.
        corpus = refused if rng.random() < 0.2 else sound
        data = damaged(rng.choice(corpus), rng, sound)
        wrong = verdict(target, follower, data)
        report.read += wrong is None
        if wrong and kind(wrong) not in report.findings:
            report.findings[kind(wrong)] = report.cases, data
            short = smallest(target, follower, data, wrong)
            print(f"seed {seed}, case {report.cases}: {wrong}\n    {short[:2000]!r}", flush=True)
        if len(follower.edges) > known:
            (sound if wrong is None else refused).append(data)
    report.kept, report.edges = len(sound + refused) - 1, len(follower.edges)
    report.lines = len({place for _, place in follower.edges})
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300, help="for all targets together (300)")
    parser.add_argument("--cases", type=float, default=math.inf, help="at most, for each target")
    parser.add_argument(
        "--seed", type=int, default=None, help="a whole number; without it another one at each run"
    )
    parser.add_argument("--target", choices=TARGETS, action="append", help="one of them alone")
    chosen = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if chosen.seed is None else chosen.seed
    names = chosen.target or list(TARGETS)
    found = 0
    for name in names:
        report = fuzz(TARGETS[name], seed, chosen.seconds / len(names), chosen.cases)
        print(f"{name}, seed {seed}: {report}", flush=True)
        found += len(report.findings)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
