"""The experiment loop, once: a measure over a grid of arguments, with repeats, streams, processes and resume."""

import contextlib
import inspect
import itertools
import numbers
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ppdm import checks, store
from ppdm.fingerprint import canonical, digest

Measured = dict[str, float]
_FIGURES: dict[str, Any] = {"mean": "mean", "standard_error": "sem", "rows": "size"}
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
    measure : called with a cell's arguments by name and ``rng``, a NumPy generator; returns a number (its column is
        "value") or a dict of numbers. It draws the records first, then whatever is its own.
    grid : a dict of lists, of which every combination is a cell, or a list of dicts, one a cell
    repeats, seed : whole numbers, of at least 1 and 0
    jobs : processes, at least 1, each with one thread for linear algebra; 1 stays in this process
    cache : a folder for one small file a finished call, so that a sweep that was stopped goes on where it was; None: no
        files. A result is found again only with the same arguments, stream, measure (and what it refers to), library
        source and package versions.
    same_records : arguments that make neither the data nor the disguise: cells that differ in nothing else get equal
        streams
    progress : a bar in notebook and terminal, where tqdm is installed; the environment variable PPDM_PROGRESS=off
        turns all bars off

    >>> def mean_of(n, rng):
    ...     return rng.normal(size=n).mean()
    >>> sweep(mean_of, {"n": [10, 1000]}, repeats=2, jobs=1, progress=False).round(2)
          n  repeat  value
    0    10       0  -0.25
    1    10       1   0.33
    2  1000       0   0.04
    3  1000       1   0.01
    """
    checks.whole("repeats", repeats, 1)
    checks.whole("seed", seed, 0)
    checks.whole("jobs", jobs, 1)
    checks.flag("progress", progress)
    cells = _cells(grid)
    _check_call(measure, cells[0])
    shared = _shared(same_records, cells[0])
    file_for = store.files_for(measure, cache)
    calls = [
        _new_call(cell, repeat, seed, shared, file_for) for cell, repeat in itertools.product(cells, range(repeats))
    ]
    return _frame(calls, _run_all(measure, calls, jobs, progress))


def summarise(results: pd.DataFrame, by: str | Sequence[str] | None = None) -> pd.DataFrame:
    """Mean, standard error of the mean and number of the rows of a sweep, for each group and measured name.

    Parameters
    ----------
    results : what ``sweep`` returned: arguments, "repeat", measured numbers
    by : the argument or arguments that make a group (None: all of them); each group needs at least two rows

    >>> rows = pd.DataFrame({"level": [0.5, 0.5], "repeat": [0, 1], "accuracy": [0.8, 0.9]})
    >>> summarise(rows).round(3)
       level  measured  mean  standard_error  rows
    0    0.5  accuracy  0.85            0.05     2
    """
    checks.frame("results", results)
    names = list(results.columns)
    if "repeat" not in names[1:-1]:
        raise ValueError(f"results has the columns {names}; expected arguments, 'repeat', numbers, as from sweep")
    arguments, measured = names[: names.index("repeat")], names[names.index("repeat") + 1 :]
    by = checks.columns("by", arguments if by is None else [by] if isinstance(by, str) else by, arguments)
    if not by or len(set(by)) < len(by):
        raise ValueError(f"by is {by}; expected at least one argument of the sweep, each once")
    if taken := set(by) & {"measured", *_FIGURES}:
        raise ValueError(f"by names {', '.join(map(repr, taken))}, as the summary calls a column of its own; rename it")
    for name in measured:
        checks.vector(f"results[{name!r}]", results[name])
    group = results.groupby(by, sort=False, dropna=False).ngroup()
    labels = results.loc[~group.duplicated(), by].reset_index(drop=True)
    if (group.value_counts() < 2).any():
        raise ValueError("results has a group of one row; expected at least two repeats for a standard error")
    figures = {name: results[name].groupby(group).agg(**_FIGURES) for name in measured}
    return pd.concat([labels.assign(measured=name, **figures[name]) for name in measured], ignore_index=True)


@dataclass(frozen=True, eq=False)
class _Call:
    """One cell in one repeat: the arguments, the seed of its stream, the file that keeps its result."""

    arguments: dict[str, Any]
    repeat: int
    entropy: int
    file: Path | None

    def __str__(self) -> str:
        return ", ".join([*(f"{name}={value!r}" for name, value in self.arguments.items()), f"repeat {self.repeat}"])


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
    unknown = set(same_records) - {*cell, "strategy"}
    if unknown:
        raise ValueError(f"same_records names {', '.join(map(repr, unknown))}; expected some of {', '.join(cell)}")
    return set(same_records)


def _new_call(
    cell: dict[str, Any], repeat: int, seed: int, shared: set[str], file_for: Callable[[Any], Path | None]
) -> _Call:
    records = canonical({name: value for name, value in cell.items() if name not in shared})
    entropy = int(digest(str(int(seed)), str(repeat), records), 16)
    return _Call(cell, repeat, entropy, file_for([cell, entropy]))


def _run_all(measure: Callable[..., Any], calls: list[_Call], jobs: int, progress: bool) -> list[Measured]:
    found_before = {call: found for call in calls if call.file and (found := store.read(call.file))}
    missing = [call for call in calls if call not in found_before]
    results: dict[_Call, Measured] = {}
    with contextlib.closing(_finished(measure, missing, jobs)) as finished:
        for call, measured in _bar(itertools.chain(found_before.items(), finished), len(calls), progress):
            results[call] = measured
            first = next(iter(results))
            if measured.keys() != results[first].keys():
                raise CellError(f"{call} measured {list(measured)}, but {first} measured {list(results[first])}")
    return [results[call] for call in calls]


def _bar(finished: Iterable[tuple[_Call, Measured]], total: int, progress: bool) -> Iterable[tuple[_Call, Measured]]:
    if not progress or os.environ.get("PPDM_PROGRESS") == "off":
        return finished
    try:
        from tqdm.auto import tqdm  # not above, so that `import ppdm` stays quick
    except ImportError:  # the library alone does without the bar, which the notebooks' requirements bring
        return finished
    return tqdm(finished, total=total, leave=False)


def _finished(measure: Callable[..., Any], calls: list[_Call], jobs: int) -> Generator[tuple[_Call, Measured]]:
    """The calls with their results, as they finish."""
    if jobs == 1 or not calls:
        with threadpool_limits(1):
            yield from ((call, _run(measure, call, store.LOADED)) for call in calls)
        return
    from joblib.externals.loky import ProcessPoolExecutor, as_completed

    # New processes for each sweep: those of the last one may have loaded modules that were edited since.
    size = min(jobs, len(calls))
    executor = ProcessPoolExecutor(size, env=_ONE_THREAD, initializer=_end_with, initargs=(os.getpid(),))
    try:
        futures = {executor.submit(_run, measure, call, store.LOADED): call for call in calls}
        for future in as_completed(futures):
            yield futures[future], _result(future, futures[future])
    finally:
        executor.shutdown(kill_workers=True)


def _end_with(parent: int) -> None:
    """Let this process end when the one that started it is gone, even if it was killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _result(future: Any, call: _Call) -> Measured:
    try:
        return future.result()
    except CellError:
        raise
    except Exception as error:  # the process died, or the measure could not be sent to it
        raise CellError(f"{call}, or a call beside it: {type(error).__name__}: {error}; try jobs=1") from error


def _run(measure: Callable[..., Any], call: _Call, library: str) -> Measured:
    if call.file:
        store.check_loaded(library)
    try:
        returned = measure(**call.arguments, rng=np.random.default_rng(call.entropy))
        measured = _numbers(returned, {*call.arguments, "repeat"})
    except Exception as error:
        raise CellError(f"{call}: {type(error).__name__}: {error}") from error
    if call.file:
        store.write(call.file, str(call), measured)
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


def _frame(calls: list[_Call], results: list[Measured]) -> pd.DataFrame:
    arguments = {name: _column([call.arguments[name] for call in calls]) for name in calls[0].arguments}
    measured = {name: [result[name] for result in results] for name in results[0]}
    return pd.DataFrame({**arguments, "repeat": [call.repeat for call in calls], **measured})


def _column(levels: list[Any]) -> pd.Series:
    """The levels as they are (None stays None); functions by their names."""
    shown = [level.__name__ if isinstance(level, FunctionType | type) else level for level in levels]
    return pd.Series(shown, dtype=object if any(level is None for level in shown) else None)
