"""Files that are whole or not there, and tables in CSV whose cells keep their text."""

import codecs
import csv
import errno
import io
import itertools
import os
import re
import secrets
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from ppdm import checks, randomness

CALCULATED = ("add", "multiply", "redraw", "discretise")  # what these actions work on should be numbers
NAMED = ("generalise", "replace")  # and the parameters of these name values as the file has them
SEPARATORS = {",": ",", ";": ";", "|": "|", "tab": "\t"}  # by the names that the command has for them
MOVED = ("keep", "shuffle")  # these leave or move cells, whose text is needed
FORMULA = re.compile(r"\s*[=+\-@＝＋－＠](?![\d.,eE-]*$)")  # what a spreadsheet calculates; no plain number
MISSING = [
    "?",
    " ?",
    " ",
]  # in numbers, besides what pandas takes for missing: nothing, NA, nan, null and the like
TAKEN = "{} was made by another program meanwhile; expected a name that stays free"


@contextmanager
def drafts(*targets, replace=True) -> Iterator:
    """An empty file beside each target, to be filled. At the end they take the targets' names, one after the other.

    A target is the old file or the whole new one, even if the process is killed (which leaves drafts) or the power
    fails. After an error the targets are as they were, and no draft is left. A new file has the permissions of the one
    that it replaces. Without ``replace`` it is an error if another program made a target meanwhile.
    """
    made = [target.with_name(f".{target.name}.{secrets.token_hex(4)}.draft") for target in targets]
    try:
        for draft, target in zip(made, targets):
            draft.touch(exist_ok=False)  # whoever may not write here learns it before the work
            if target.exists():
                draft.chmod(0o600)  # the old permissions may forbid to write
        yield made
        for draft, target in zip(made, targets):
            with draft.open("rb+") as opened:
                os.fsync(opened.fileno())  # or the new name could reach the disk before the text
            if not replace and os.path.lexists(target):
                raise FileExistsError(TAKEN.format(target))
            if target.exists():
                shutil.copymode(target, draft)
        for draft, target in zip(made, targets):
            (Path.replace if replace else _link)(draft, target)
            if os.name == "posix":  # the new name is kept by the folder; elsewhere none can be opened
                folder = os.open(target.parent, os.O_RDONLY)
                os.fsync(folder)
                os.close(folder)
    except OSError as error:
        # For want of room the system names no file.
        if error.errno in (errno.ENOSPC, errno.EDQUOT) and not error.filename:
            error.filename = ", ".join(map(str, targets))
        raise
    finally:
        for draft in made:
            draft.unlink(missing_ok=True)


def _link(draft, target):
    """Give a draft one more name, if it is free."""
    try:
        os.link(draft, target)
    except FileExistsError:
        raise FileExistsError(TAKEN.format(target)) from None
    except OSError:  # where a file can have one name only
        draft.replace(target)


def write(file, text, replace=True) -> None:
    """Write a whole file or none."""
    with drafts(file, replace=replace) as [draft]:
        draft.write_text(text, encoding="utf-8", newline="\n")


def is_parquet(path) -> bool:
    """Whether a file's name says that it is Parquet, which needs pyarrow; all others are CSV."""
    if path.suffix.lower() != ".parquet":
        return False
    if not find_spec("pyarrow"):
        raise ValueError(f'{path.name} needs the package pyarrow; expected CSV, or: pip install ".[parquet]"')
    return True


def read_csv(path, sep=",", actions: Mapping = {}, others="keep") -> tuple:
    """A CSV file in UTF-8 as a table; the text of cells that are kept; and how pandas writes a file of this kind.

    A column of the table has numbers if all known cells are numbers, else text. Blank lines at the end are no records.

    Parameters
    ----------
    actions : what is done with columns, by name. If it names values, a column stays text, whatever it looks like. If it
        calculates, and most known cells are numbers, all must be. If it keeps a column that writes one number in
        several ways, the column becomes text, with a warning
    others : what is done with all other columns; None if nothing is released
    """
    raw = path.read_bytes()
    encoding = "utf-8-sig" if raw.startswith(codecs.BOM_UTF8) else "utf-8"
    names, number = _checked(path, raw, sep)

    def cells(**options) -> pd.DataFrame:
        options |= {"sep": sep, "encoding": encoding, "nrows": number, "skip_blank_lines": False}
        return pd.read_csv(io.BytesIO(raw), header=0, names=names, **options)

    table = cells(na_values=MISSING, low_memory=False)
    done = {name: actions.get(name, others) for name in names}
    numbers = [name for name in names if checks.is_number(table[name].dtype) and table[name].notna().any()]
    words = [name for name in names if name not in numbers or done[name] in NAMED]
    # Once more as they stand: in text "NA" and "?" may be values. It takes much memory.
    text = cells(dtype="str", na_filter=False, usecols=[*words, *(one for one in names if done[one] in MOVED)])
    for name in numbers:
        # Who sees "7" and "07" tells people apart whom the number 7 joins.
        if done[name] == "keep" and text[name].nunique() > table[name].nunique(dropna=False):
            told = f"column {name!r} writes one number, or a missing value, in several ways"
            warnings.warn(f"{told}; it is taken as text, because it is released as text", stacklevel=1)
            words.append(name)
    for name in words:
        known = table[name].notna()
        table[name] = text[name]
        if done[name] in CALCULATED:
            wrong = np.flatnonzero(known & pd.to_numeric(text[name], errors="coerce").isna())
            if 2 * len(wrong) < known.sum():
                reader = _rows(raw, sep)
                next(itertools.islice(reader, wrong[0] + 1, None))
                seen = f"has no number in column {name!r} (records like this: {len(wrong)})"
                expected = "numbers: correct or remove these records, or shuffle or drop the column"
                _refuse(path, reader.line_num, f"{seen}; expected {expected}")
    # Written with line ends of two signs, cells that hold one of them stand between quotes.
    return table, text, {"sep": sep, "encoding": encoding, "lineterminator": "\r\n" if b"\r" in raw else "\n"}


def _rows(raw, sep):
    return csv.reader(io.TextIOWrapper(io.BytesIO(raw), "utf-8-sig", newline=""), delimiter=sep, strict=True)


def _refuse(path, line, told):
    raise ValueError(f"{path.name}: line {line} {told}") from None


def _hint(raw, cells):
    """The separator that makes more cells of line 1, if there is one."""
    for name, sep in SEPARATORS.items():
        with suppress(csv.Error):
            if len(next(_rows(raw, sep), [])) > max(cells, 1):
                return f'; is it --sep "{name}"?'
    return ""


def _decoded(path, raw):
    try:
        raw.replace(b"\0", b"\xff").decode()  # a zero byte is no text of a table, either
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        seen = "is no text in UTF-8" if raw[error.start] else "holds a zero byte"
        old = "UTF-16" if b"\0" in raw else "CP1252"
        told = f'{seen}; expected UTF-8: save it as "CSV UTF-8", or convert it, perhaps by iconv'
        _refuse(path, line, f"{told} -f {old} -t UTF-8")


def _checked(path, raw, sep):
    """The names of the columns, and the number of records. pandas would fill records that are too short."""
    _decoded(path, raw)
    reader = _rows(raw, sep)
    names: list = []
    number = 0
    try:
        names = next(reader, [])
        if raw and not names:
            _refuse(path, 1, "is blank; expected the names of the columns")
        if len(names) == 1 and (hint := _hint(raw, 1)):
            _refuse(path, 1, f"has a single cell; expected several{hint}")
        for record in reader:
            if len(record) != len(names):
                line = reader.line_num
                if record or any(reader):  # else it is the first of the blank lines at the end
                    told = f"has a wrong number of cells ({len(record)})" if record else "is blank"
                    told += f"; expected as many cells as line 1 has: {len(names)}"
                    _refuse(path, line, told + _hint(raw, len(names)))
                break
            number += 1
    except csv.Error as error:
        told = f"is no CSV ({error}); expected pairs of quotation marks around whole cells"
        _refuse(path, reader.line_num, told + _hint(raw, len(names)))
    for place, name in enumerate(names, 1):
        if not name.strip() or name in names[: place - 1]:
            # Without a line of names this is a record.
            _refuse(path, 1, f"has no name of its own for column {place}; expected one, as for each column")
    if not number:
        raise ValueError(f"{path.name} holds no records; expected names in line 1, and records below")
    return names, number


def origins(true, released) -> np.ndarray:
    """From which record each released one has the text of a shuffled column: one with an equal value.

    Where a value is written in several ways ("0.1", "0.10"), chance says which record has which. So the text tells
    nothing that the values do not tell.
    """
    codes = pd.factorize(pd.concat([true, released]))[0]
    before, after = np.split(codes, 2)
    mixed = randomness.permutation(len(true))
    found = np.empty(len(true), dtype=int)
    found[np.argsort(after, kind="stable")] = mixed[np.argsort(before[mixed], kind="stable")]
    return found


def save(draft, target, actions, table, released, text, manner) -> None:
    """Write what is released as the target's name says. From CSV to CSV, kept and moved cells keep their text.

    Parameters
    ----------
    actions : the action of each column, by its name
    table, released : before and after
    text, manner : what ``read_csv`` gave; None for the text of a table that was no CSV
    """
    if is_parquet(target):
        released.to_parquet(draft, index=False)
        return
    shown = released.copy()  # the report will look at the values themselves
    for name, action in actions.items() if text is not None else ():
        if action.name == "keep":
            shown[name] = text[name]
        if action.name == "shuffle":
            shown[name] = text[name].to_numpy()[origins(table[name], released[name])]
    for name in shown:
        words = [] if checks.is_number(table[name].dtype) else shown[name]
        if count := sum(bool(FORMULA.match(str(cell))) for cell in [name, *words]):
            told = f"column {name!r} has cells that a spreadsheet would calculate ({count}, its name counts)"
            warnings.warn(f"{told}; they stay as they are: import the file as text", stacklevel=1)
    shown.to_csv(draft, index=False, **manner)


def unlike(actions, released, before, after) -> str:
    """Why a table is no release of another one, as far as columns are kept; these are compared before and after."""
    names = [name for name, action in actions.items() if action.name != "drop"]
    lacking = [name for name in names if name not in released]
    more = [name for name in released if name not in names]
    if len(before) != len(released):
        return f"it has {len(released):,} records, and not {len(before):,}"
    if lacking:
        return f"it lacks the columns {lacking}"
    if more:  # none of them is a cell: a file without names would lack columns
        return f"it has further columns: {more}"
    if list(released) != names:
        return "its columns have another order"
    # As objects: categories that no record has are not released.
    kept = [name for name, action in actions.items() if action.name == "keep"]
    other = [name for name in kept if not before[name].astype(object).equals(after[name].astype(object))]
    return f"cells differ in kept columns: {other}" if other else ""
