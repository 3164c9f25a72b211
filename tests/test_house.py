"""The house stays thin and in order: stages import upwards only, what is public is explained, what is long is short."""

import ast
import importlib
import inspect
import re
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = sorted(ROOT.glob("ppdm/**/*.py"))
WIDGETS = sorted(ROOT.glob("widgets/**/*.py"))
MODULES = LIBRARY + WIDGETS
# A record's way. All may use the first four; what is not listed (sweep, plots, ...) may use all, and no stage uses it.
STAGES = [
    "information",
    "checks",
    "randomness",
    "estimate",
    "data",
    "disguise",
    "reconstruct",
    "tables",
    "patterns",
    "trees",
    "measure",
    "parties",
]
MARKS = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b|mark\.(x" + r"fail|sk" + r"ip\b)")
TEXTS = [
    path
    for kind in ("py", "md", "toml", "yml", "ipynb")
    for path in [*ROOT.glob(f"*.{kind}"), *ROOT.glob(f"[!.]*/**/*.{kind}")]
]
MAX_LINES, MAX_CODE, MEDIAN_CODE, P90_CODE = 300, 35, 6, 20


def short(path):
    return str(path.relative_to(ROOT))


def parts(path):
    """The module's name in pieces: ppdm, data, quest."""
    pieces = list(path.relative_to(ROOT).with_suffix("").parts)
    pieces = ["ppdm", *pieces] if pieces[0] == "widgets" else pieces
    return pieces[:-1] if pieces[-1] == "__init__" else pieces


def imports(path):
    """Every module that is imported anywhere in the file, in full: ppdm.data.quest."""
    package = parts(path) if path.name == "__init__.py" else parts(path)[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *filter(None, [node.module])])
            yield source
            yield from (f"{source}.{name.name}" for name in node.names)


def stage(name):
    """How far down the record's way a module stands; None outside the library."""
    pieces = name.split(".")
    if pieces[0] != "ppdm" or len(pieces) == 1:
        return None
    place = STAGES.index(pieces[1]) if pieces[1] in STAGES else len(STAGES)
    return max(place - STAGES.index("data") + 1, 0)  # the common ones stand together


def code_lines(function, source):
    """Lines of a function that are neither blank, nor comment, nor docstring."""
    text = source.splitlines()[function.lineno - 1 : function.end_lineno]
    doc = (ast.get_docstring(function, clean=False) or "").splitlines()
    kept = [line for line in text if line.strip() and not line.strip().startswith("#")]
    return len(kept) - sum(bool(line.strip()) for line in doc)


def functions(path):
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, code_lines(node, source)


def plain(member):
    """The function behind a property, a cached property, a class method or a decorator."""
    for inner in ("fget", "func", "__func__"):
        member = getattr(member, inner, member)
    return inspect.unwrap(member) if callable(member) else member


def public(module):
    """The module's own public functions and classes, and the classes' own public methods."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(value) or inspect.isclass(value):
            yield name, value
        if inspect.isclass(value):
            for own, member in vars(value).items():
                if not own.startswith("_") and getattr(plain(member), "__module__", None) == module.__name__:
                    yield f"{name}.{own}", getattr(value, own)


def unhinted(function):
    """The parameters of a function that have no type hint, and "return"."""
    signature = inspect.signature(plain(function))
    hints = {k: p.annotation for k, p in signature.parameters.items() if k not in ("self", "cls")}
    return [
        k for k, hint in {**hints, "return": signature.return_annotation}.items() if hint is inspect.Signature.empty
    ]


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_public_names_are_explained_and_typed(path):
    module = importlib.import_module(".".join(parts(path)))
    assert [name for name in getattr(module, "__all__", []) if not hasattr(module, name)] == []
    assert [name for name, value in public(module) if not inspect.getdoc(value)] == [], "no docstring"
    typed = {name: unhinted(value) for name, value in public(module) if not inspect.isclass(value)}
    assert {name: missing for name, missing in typed.items() if missing} == {}, "no type hint"


def importers(paths, is_wrong):
    found = {short(path): list(filter(is_wrong, imports(path))) for path in paths}
    return {path: names for path, names in found.items() if names}


@pytest.mark.parametrize("place", range(len(STAGES)))
def test_a_stage_imports_earlier_stages_only(place):
    here = [path for path in LIBRARY if stage(".".join(parts(path))) == place]
    assert importers(here, lambda name: (stage(name) or 0) > place) == {}


def test_the_library_does_not_know_the_widgets():
    assert importers(LIBRARY, lambda name: "widgets" in name.split(".")) == {}


def test_one_module_imports_matplotlib():
    others = [path for path in MODULES if short(path) != "ppdm/plots/picture.py"]
    assert importers(others, lambda name: name.split(".")[0] == "matplotlib") == {}


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_modules_and_functions_are_short(path):
    length = len(path.read_text(encoding="utf-8").splitlines())
    assert length <= MAX_LINES
    assert {name: size for name, size in functions(path) if size > MAX_CODE} == {}


def test_most_functions_are_very_short():
    sizes = sorted(size for path in MODULES for _, size in functions(path))
    assert statistics.median(sizes) <= MEDIAN_CODE
    assert sizes[int(0.9 * len(sizes))] <= P90_CODE


def test_nothing_is_left_unfinished():
    lines = [(short(path), line) for path in TEXTS for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(path, line) for path, line in lines if len(line) < 2000 and MARKS.search(line)] == []  # longer: a picture
