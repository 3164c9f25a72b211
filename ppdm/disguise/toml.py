"""A privacy specification as TOML: read by Python's own parser, and written by a small writer of ours."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from ppdm.disguise.released import Fault

MAX_BYTES = 1_000_000  # of a file
MAX_DOTS = 20  # in a name: the parser's time and memory grow with their square
MAX_SHOWN = 120  # characters of what is shown
BARE = re.compile(r"[A-Za-z0-9_-]{1,80}")  # names that need no quotes


def read(path) -> dict | Fault:
    """What a TOML file says, or why it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return parse(file.read(MAX_BYTES + 1))
    except (OSError, ValueError) as error:  # a ValueError: no file can have this name
        reason = getattr(error, "strerror", None) or "no name of a file"
        seen = f"{shown(str(path))}, which cannot be read ({reason})"
        return Fault("specification", seen, "a dict, or the path of a TOML file, not its text")


def parse(data) -> dict | Fault:
    """What TOML says, or its first fault, with the line.

    >>> parse(b"k = 5" + bytes([10]) + b"k = 6")
    Fault(where='line 2', seen='no TOML (Cannot overwrite a value)', expected='TOML, each name once')
    """
    where, seen, expected = "specification", "", "TOML"
    if len(data) > MAX_BYTES:
        return Fault(where, f"longer than {MAX_BYTES:,} bytes", "a shorter one")
    try:
        text = data.decode("utf-8-sig")
        # A name is followed by one of these signs.
        if any(piece.count(".") > MAX_DOTS for piece in re.split(r"[=,{\n]", text)):
            return Fault(where, f"TOML with more than {MAX_DOTS} dots in a row", "names with fewer")
        return tomllib.loads(text)
    except RecursionError:
        seen = "TOML with brackets within brackets, too many to be read"
    except UnicodeDecodeError as error:
        seen = f"no text in UTF-8, from byte {error.start} on"
    except ValueError as error:  # of the parser, or of a number with thousands of digits
        told, _, place = str(error).rpartition(" (at ")
        line = re.match(r"line (\d+)", place)
        where = f"line {line[1] if line else text.count(chr(10)) + 1}"
        seen = f"no TOML ({short(told or place)})"
        expected += ", each name once" * bool(re.search("overwrite|twice", told))
    return Fault(where, seen, expected)


def text(document, notes: Mapping = {}, path=()) -> str:
    """A document as TOML. None is left out.

    Parameters
    ----------
    document : text, numbers, True, False, lists of these and dicts of all of these, by names that are text
    notes : comments for the document and its tables, by the names that lead to them
    path : the names that lead to this document

    >>> print(text({"k": 5, "columns": {"pay day": {"action": "drop"}}}, {("columns", "pay day"): "Nobody asks."}))
    k = 5
    <BLANKLINE>
    # Nobody asks.
    [columns."pay day"]
    action = "drop"
    """
    entries = {name: value for name, value in document.items() if value is not None}
    below = {name: value for name, value in entries.items() if isinstance(value, Mapping)}
    lines = [f"{key(name)} = {_value(value)}" for name, value in entries.items() if name not in below]
    # A table that holds tables alone is there as soon as one of them is.
    if path and (lines or not below):
        lines.insert(0, f"[{'.'.join(map(key, path))}]")
    if path in notes:
        lines.insert(0, f"# {notes[path]}")
    tables = [text(value, notes, (*path, name)) for name, value in below.items()]
    return "\n\n".join(filter(None, ["\n".join(lines), *tables]))


def key(name) -> str:
    """A name as TOML has it."""
    if not isinstance(name, str):
        raise TypeError(f"specification names {shown(name)}, which TOML cannot; expected names that are text")
    return name if BARE.fullmatch(name) else _quoted(name)


def shown(value) -> str:
    """A value of a specification as a message shows it: in one line, without the middle of what is long."""
    return short(repr(value))


def path(name) -> str:
    """Where a column stands in a specification."""
    return f"columns.{called(name)}"


def called(name) -> str:
    """A name within a path, in one line."""
    return name if isinstance(name, str) and BARE.fullmatch(name) else shown(name)


def short(told) -> str:
    """A text without the middle of what is long."""
    half = MAX_SHOWN // 2
    return told if len(told) <= MAX_SHOWN else f"{told[:half]} … {told[-half:]}"


def _value(given):
    given = given.tolist() if hasattr(given, "tolist") else given  # NumPy's numbers and arrays
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, int | float):
        return repr(given)
    if isinstance(given, list | tuple):
        return f"[{', '.join(map(_value, given))}]"
    if not isinstance(given, str):
        raise TypeError(
            f"specification holds a {type(given).__name__}; expected text, numbers, True, False, lists"
        )
    return _quoted(given)


def _quoted(given):
    """A text between quotes; signs that are not printed, or would command a terminal, are escaped."""
    if re.search("[\ud800-\udfff]", given):
        raise ValueError(f"specification holds {shown(given)}, with half of a character; expected whole ones")
    # Many dots are escaped, because the reader takes them for those of a name.
    hidden = "." * (given.count(".") > MAX_DOTS)
    signs = given.replace("\\", r"\\").replace('"', r"\"")
    codes = (f"\\U{ord(sign):08x}" if sign in hidden or not sign.isprintable() else sign for sign in signs)
    return f'"{"".join(codes)}"'
