"""The experiment loop, once: a measure over a grid of arguments, with repeats, streams, processes and resume.

``sweep`` calls a function for every cell of a grid and every repeat, and returns one tidy row for each call.
``summarise`` turns the rows into means with standard errors.
"""

import contextlib
import inspect
import itertools
import json
import numbers
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.fingerprint import LOADED, canonical, check_loaded, content, digest

Measured = dict[str, float]
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class CellError(RuntimeError):
    """A cell of a sweep failed; the message names the cell and says what went wrong in it."""


def sweep(
    measure: Callable[..., Any],
    grid: Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]],
    repeats: int = 10,
    seed: int = 0,
    jobs: int = 2,
    cache: str | os.PathLike[str] | None = None,
    *,
    same_records: Sequence[str] = ("strategy",),
    progress: bool = True,
) -> pd.DataFrame:
    """Call a measure for every cell of a grid and every repeat; one row a call, in the order of the grid.

    A call's stream is derived from the seed, the repeat and the cell's own arguments, so that more levels or more
    repeats change no old row, and neither does the number of processes. Equal numbers (1 and 1.0) are one level.

    Parameters
    ----------
    measure
        Called with a cell's arguments by name and ``rng``, a NumPy generator; returns a number (its column is
        "value") or a dict of numbers. It draws the records first, then whatever is its own.
    grid
        A dict of lists, of which every combination is a cell, or a list of dicts, one a cell.
    repeats, seed
        Whole numbers, of at least 1 and 0.
    jobs
        Processes, at least 1, each with one thread for linear algebra; 1 stays in this process.
    cache
        A folder for one small file a finished call, so that a sweep that was stopped goes on where it was; None: no
        files. A result is found again only with the same arguments, stream, measure (and what it refers to),
        library source and package versions.
    same_records
        Arguments that make neither the data nor the disguise: cells that differ in nothing else get equal streams.
    progress
        A bar in notebook and terminal; the environment variable PPDM_PROGRESS=off turns all bars off.

    >>> def mean_of(n, rng):
    ...     return rng.normal(size=n).mean()
    >>> sweep(mean_of, {"n": [10, 1000]}, repeats=2, jobs=1, progress=False).round(2)
          n  repeat  value
    0    10       0  -0.25
    1    10       1   0.33
    2  1000       0   0.04
    3  1000       1   0.01
    """
    _check_options(repeats, seed, jobs, progress)
    cells = _cells(grid)
    _check_call(measure, cells[0])
    shared = _shared(same_records, cells[0])
    keys = _cache_keys(measure, cache)
    calls = [_new_call(cell, repeat, seed, shared, keys) for cell, repeat in itertools.product(cells, range(repeats))]
    return _frame(calls, _run_all(measure, calls, jobs, progress))


def summarise(results: pd.DataFrame, by: Sequence[str] | None = None) -> pd.DataFrame:
    """Mean, standard error of the mean and number of the rows of a sweep, for each group and measured name.

    Parameters
    ----------
    results
        What ``sweep`` returned: arguments, "repeat", measured numbers.
    by
        The arguments that make a group (None: all of them); each group needs at least two rows.

    >>> rows = pd.DataFrame({"level": [0.5, 0.5], "repeat": [0, 1], "accuracy": [0.8, 0.9]})
    >>> summarise(rows).round(3)
       level  measured  mean  standard_error  n
    0    0.5  accuracy  0.85            0.05  2
    """
    checks.frame("results", results)
    names = list(results.columns)
    if "repeat" not in names[1:-1]:
        raise ValueError(f"results has the columns {names}; expected arguments, 'repeat', numbers, as from sweep")
    arguments, measured = names[: names.index("repeat")], names[names.index("repeat") + 1 :]
    by = checks.columns("by", arguments if by is None else by, arguments)
    long = results.melt(by, measured, var_name="measured")
    groups = long.groupby([*by, "measured"], sort=False, dropna=False)["value"]
    table = groups.agg(mean="mean", standard_error="sem", n="size").reset_index()
    if (table["n"] < 2).any():
        raise ValueError("results has a group of one row; expected at least two repeats for a standard error")
    return table


@dataclass(frozen=True, eq=False)
class _Call:
    """One cell in one repeat: the arguments, the seed of its stream, the file that keeps its result."""

    arguments: dict[str, Any]
    repeat: int
    entropy: int
    file: Path | None

    def __str__(self) -> str:
        return ", ".join([*(f"{name}={value!r}" for name, value in self.arguments.items()), f"repeat {self.repeat}"])


def _check_options(repeats: int, seed: int, jobs: int, progress: bool) -> None:
    checks.whole("repeats", repeats, 1)
    checks.whole("seed", seed, 0)
    checks.whole("jobs", jobs, 1)
    checks.flag("progress", progress)


def _cells(grid: Any) -> list[dict[str, Any]]:
    if isinstance(grid, Mapping):
        levels = [_levels(name, values) for name, values in grid.items()]
        cells = [dict(zip(grid, combination, strict=True)) for combination in itertools.product(*levels)]
    elif isinstance(grid, list | tuple) and all(isinstance(cell, Mapping) for cell in grid):
        cells = [dict(cell) for cell in grid]
    else:
        raise TypeError(
            f"grid is {grid!r}; expected a dict of lists (all combinations) or a list of dicts (one a cell)"
        )
    if not cells or not cells[0]:
        raise ValueError("grid is empty; expected at least one cell with at least one argument")
    _check_names(cells)
    texts: set[str] = set()
    for cell in cells:
        if canonical(cell) in texts:
            raise ValueError(f"grid has the cell {cell} more than once; expected distinct cells (use repeats)")
        texts.add(canonical(cell))
    return cells


def _levels(name: Any, values: Any) -> list[Any]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"grid[{name!r}] is {values!r}; expected a list of levels, even of one: [{values!r}]")
    return list(values)


def _check_names(cells: list[dict[str, Any]]) -> None:
    for cell in cells:
        if cell.keys() != cells[0].keys():
            raise ValueError(f"grid has cells of {list(cells[0])} and of {list(cell)}; expected the same arguments")
    for name in cells[0]:
        if not isinstance(name, str) or name in ("rng", "repeat"):
            raise ValueError(f"grid names {name!r}; expected the measure's arguments other than 'rng' and 'repeat'")


def _check_call(measure: Any, cell: dict[str, Any]) -> None:
    if not callable(measure):
        raise TypeError(f"measure is {measure!r}; expected a function of {', '.join(cell)} and rng")
    with contextlib.suppress(ValueError):  # of callables written in C, whose arguments are not known
        signature = inspect.signature(measure)
        try:
            signature.bind(**cell, rng=None)
        except TypeError as error:
            raise TypeError(f"measure takes {signature} and is called with {', '.join(cell)}, rng: {error}") from None


def _shared(same_records: Any, cell: dict[str, Any]) -> set[str]:
    if isinstance(same_records, str) or not isinstance(same_records, Iterable):
        raise TypeError(f"same_records is {same_records!r}; expected a list of argument names")
    return set(checks.columns("same_records", same_records, {**cell, "strategy": None}))


def _cache_keys(measure: Any, cache: Any) -> Callable[[dict[str, Any], int], Path] | None:
    """The file for a cell and its stream; None without a cache."""
    if cache is None:
        return None
    if not isinstance(cache, str | os.PathLike) or not str(cache):
        raise TypeError(f"cache is {cache!r}; expected a folder, or None for no cache")
    folder = Path(cache)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"cache is {str(cache)!r}, which is a file; expected a folder")
    check_loaded()
    code = content(measure)
    folder.mkdir(parents=True, exist_ok=True)
    return lambda cell, entropy: folder / f"{digest(LOADED, code, content(cell), str(entropy))}.json"


def _new_call(
    cell: dict[str, Any], repeat: int, seed: int, shared: set[str], keys: Callable[[dict[str, Any], int], Path] | None
) -> _Call:
    records = canonical({name: value for name, value in cell.items() if name not in shared})
    entropy = int(digest(str(int(seed)), str(repeat), records), 16)
    return _Call(cell, repeat, entropy, keys and keys(cell, entropy))


def _run_all(measure: Callable[..., Any], calls: list[_Call], jobs: int, progress: bool) -> list[Measured]:
    kept = {call: found for call in calls if (found := _read(call.file)) is not None}
    missing = [call for call in calls if call not in kept]
    results: dict[_Call, Measured] = {}
    with contextlib.closing(_finished(measure, missing, jobs)) as finished:
        for call, measured in _bar(itertools.chain(kept.items(), finished), len(calls), progress):
            results[call] = measured
            first = next(iter(results))
            if measured.keys() != results[first].keys():
                raise CellError(f"{call} measured {list(measured)}, but {first} measured {list(results[first])}")
    return [results[call] for call in calls]


def _bar(finished: Iterable[tuple[_Call, Measured]], total: int, progress: bool) -> Iterable[tuple[_Call, Measured]]:
    if not progress or os.environ.get("PPDM_PROGRESS") == "off":
        return finished
    from tqdm.auto import tqdm  # not above, so that `import ppdm` stays quick

    return tqdm(finished, total=total, leave=False)


def _finished(measure: Callable[..., Any], calls: list[_Call], jobs: int) -> Generator[tuple[_Call, Measured]]:
    """The calls with their results, as they finish."""
    if jobs == 1 or not calls:
        yield from ((call, _run(measure, call)) for call in calls)
        return
    from joblib.externals.loky import as_completed, get_reusable_executor

    executor = get_reusable_executor(jobs, timeout=60, env=_ONE_THREAD)
    try:
        futures = {executor.submit(_run, measure, call, LOADED): call for call in calls}
        for future in as_completed(futures):
            yield futures[future], _result(future, futures[future])
    except BaseException:  # an interrupt, too, must leave no process behind
        executor.shutdown(kill_workers=True)
        raise


def _result(future: Any, call: _Call) -> Measured:
    try:
        return future.result()
    except CellError:
        raise
    except Exception as error:  # the process died, or the measure could not be sent to it
        raise CellError(f"{call}: {type(error).__name__}: {error}; jobs=1 runs in this process") from error


def _run(measure: Callable[..., Any], call: _Call, expected: str = LOADED) -> Measured:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    if call.file:
        check_loaded(expected)
    try:
        with threadpool_limits(1):
            returned = measure(**call.arguments, rng=np.random.default_rng(call.entropy))
        measured = _numbers(returned, {*call.arguments, "repeat"})
    except Exception as error:
        raise CellError(f"{call}: {type(error).__name__}: {error}") from error
    if call.file:
        _write(call, measured)
    return measured


def _numbers(returned: Any, taken: set[str]) -> Measured:
    found = returned if isinstance(returned, Mapping) else {"value": returned}
    if not found:
        raise ValueError("the measure returned an empty dict; expected at least one number")
    for name in found:
        if not isinstance(name, str) or name in taken:
            raise ValueError(f"the measure returned {name!r}; expected text, other than {', '.join(sorted(taken))}")
    return {name: _plain(name, value) for name, value in found.items()}


def _plain(name: str, value: Any) -> float:
    number = checks.number(name, value)
    return int(value) if isinstance(value, numbers.Integral) else number


def _read(file: Path | None) -> Measured | None:
    """The kept result; None if there is none, or none that can be read."""
    try:
        return _numbers(json.loads(file.read_text("utf-8"))["measured"], set()) if file else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _write(call: _Call, measured: Measured) -> None:
    """Write the whole file or none: under another name first, since a process may be killed at any time."""
    assert call.file is not None
    draft = call.file.with_suffix(f".{os.getpid()}.draft")
    draft.write_text(json.dumps({"call": str(call), "measured": measured}), "utf-8")
    draft.replace(call.file)


def _frame(calls: list[_Call], results: list[Measured]) -> pd.DataFrame:
    arguments = {name: _column([call.arguments[name] for call in calls]) for name in calls[0].arguments}
    measured = {name: [result[name] for result in results] for name in results[0]}
    return pd.DataFrame({**arguments, "repeat": [call.repeat for call in calls], **measured})


def _column(levels: list[Any]) -> pd.Series:
    """The levels as they are (None stays None); functions by their names."""
    shown = [level.__name__ if isinstance(level, FunctionType | type) else level for level in levels]
    return pd.Series(shown, dtype=object if any(level is None for level in shown) else None)
