"""The experiment loop, once: a measure over a grid of arguments, with repeats, streams, processes and resume."""

import contextlib
import functools
import hashlib
import inspect
import itertools
import json
import numbers
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ppdm import checks
from ppdm.blocks import bar
from ppdm.files import write
from ppdm.randomness import canonical

_IMPORTED_AT = time.time()
_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn")  # whose versions results may depend on
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class CellError(RuntimeError):
    """A cell of a sweep failed; the message names the cell and says what went wrong in it."""


def sweep(
    measure: Callable[..., Any],
    grid: Mapping[str, Iterable[Any]],
    repeats: int | Iterable[int] = 10,
    seed: int = 0,
    jobs: int = 2,
    cache: str | os.PathLike[str] | None = None,
    *,
    same_records: Sequence[str] = ("strategy",),
    progress: bool = True,
) -> pd.DataFrame:
    """Call a measure for every cell of a grid and every repeat; one row for each call, in the order of the grid.

    The random stream of a call follows from the seed, the repeat and the cell's own arguments. So more levels, more
    repeats or more processes change no row that was there before. Equal numbers (1 and 1.0) are one level.

    Parameters
    ----------
    measure : called with a cell's arguments by name and ``rng``, a NumPy generator. It returns a number (its column is
        "value") or a dict of numbers. It must draw the records first: then cells with equal streams get the same ones.
    grid : a dict of lists; every combination of their values is a cell
    repeats : their number, from 1 to a million, or a list of those to compute: ``repeats=[3]`` is the fourth alone
    seed : a whole number, at least 0
    jobs : number of processes, each with one thread for linear algebra; 1, or a single call, stays in this process
    cache : a folder that keeps one small file for each finished call, so that a sweep that was stopped goes on where
        it was; None: no files. A result is used again only with the same arguments, stream, versions of Python and of
        the packages, source of this library and of the measure's module (not of what that imports from elsewhere). Of
        a measure typed into a notebook only its own text counts, not the functions that it calls. A file that was
        damaged, edited or renamed is not believed. A process that is killed may leave a draft, which nothing reads.
    same_records : arguments that change neither the data nor the disguise: cells that differ in nothing else get equal
        streams
    progress : a bar in notebook and terminal; the environment variable PPDM_PROGRESS=off turns all bars off

    >>> def mean_of(n, rng):
    ...     return rng.normal(size=n).mean()
    >>> sweep(mean_of, {"n": [10, 1000]}, repeats=2, jobs=1, progress=False).round(2)
          n  repeat  value
    0    10       0  -0.25
    1    10       1   0.33
    2  1000       0   0.04
    3  1000       1   0.01
    """
    levels = _checked_grid(grid)
    _check_measure(measure, levels)
    chosen = repeats if isinstance(repeats, Iterable) else range(checks.whole("repeats", repeats, 1, 1_000_000))
    chosen = checks.distinct("repeats", [checks.whole("repeats", repeat, 0) for repeat in chosen])
    seed = checks.whole("seed", seed, 0)
    jobs = checks.whole("jobs", jobs, 1)
    checks.flag("progress", progress)
    shared = checks.listed("same_records", same_records, "argument names")
    for name in shared:
        checks.choice("same_records", name, [*levels, "strategy"])
    folder = None if cache is None else _checked_folder(cache)
    library = folder and _library()
    code = folder and _code(measure)
    calls = []
    for *values, repeat in itertools.product(*levels.values(), chosen):
        arguments = dict(zip(levels, values))
        records = canonical({name: value for name, value in arguments.items() if name not in shared})
        entropy = int(_digest(str(seed), str(repeat), records), 16)
        file = folder and folder / f"{_digest(library, code, canonical([arguments, entropy]))}.json"
        calls.append(_Call(measure, arguments, repeat, entropy, file, library))
    results = _run_all(calls, jobs, progress)
    columns = {name: _column([call.arguments[name] for call in calls]) for name in levels}
    return pd.DataFrame({**columns, "repeat": [call.repeat for call in calls]}).join(pd.DataFrame(results))


@dataclass(frozen=True, eq=False)
class _Call:
    """One cell in one repeat: the arguments, the seed of its stream, the file that keeps its result."""

    measure: Callable
    arguments: dict
    repeat: int
    entropy: int
    file: Path | None
    library: str | None  # the hash of its source, which processes that start later must have loaded, too

    def __str__(self):
        return ", ".join(
            [*(f"{name}={value!r}" for name, value in self.arguments.items()), f"repeat {self.repeat}"]
        )


def _digest(*texts):
    return hashlib.sha256(repr(texts).encode()).hexdigest()


def _checked_grid(grid):
    levels = {}
    for name, values in checks.mapping("grid", grid, ": a list of levels for each argument").items():
        if not isinstance(name, str) or name in ("rng", "repeat"):
            raise ValueError(
                f"grid names {name!r}; expected the measure's arguments other than 'rng' and 'repeat'"
            )
        levels[name] = checks.listed(f"grid[{name!r}]", values, f"levels, even of one: [{values!r}]")
        checks.distinct(f"grid[{name!r}]", map(canonical, levels[name]))
    return levels


def _check_measure(measure, names):
    try:
        inspect.signature(measure).bind(**dict.fromkeys(names), rng=None)
    except ValueError:  # of a callable written in C the arguments are not known
        return
    except TypeError as error:
        wanted = ", ".join([*names, "rng"])
        raise TypeError(f"measure is {measure!r}; expected a function of {wanted}: {error}") from None


def _column(levels):
    """The levels as they are (None stays None); functions by their names."""
    shown = [getattr(level, "__name__", level) for level in levels]
    return pd.Series(shown, dtype=object if any(level is None for level in shown) else None)


def _run_all(calls, jobs, progress):
    results = {}
    with contextlib.closing(_finished(calls, jobs)) as finished:
        for call, measured in bar(finished, len(calls), progress):
            results[call] = measured
            first, names = next(iter(results.items()))
            if measured.keys() != names.keys():
                raise CellError(f"{call} measured {list(measured)}, but {first} measured {list(names)}")
    return [results[call] for call in calls]


def _finished(calls, jobs):
    """The calls with their results: first those that were kept, then the others as they finish."""
    kept = {call: found for call in calls if call.file and (found := _read(call.file))}
    yield from kept.items()
    missing = [call for call in calls if call not in kept]
    size = min(jobs, len(missing))
    if size < 2:
        with threadpool_limits(1):
            yield from ((call, _run(call)) for call in missing)
        return
    from joblib.externals.loky import ProcessPoolExecutor, as_completed

    # New processes for each sweep: those of the last one may have loaded modules that were edited since.
    executor = ProcessPoolExecutor(size, env=_ONE_THREAD, initializer=_end_with, initargs=(os.getpid(),))
    try:
        futures = {executor.submit(_run, call): call for call in missing}
        for future in as_completed(futures):
            call = futures[future]
            try:
                yield call, future.result()
            except CellError:
                raise
            except Exception as error:  # the process died, or the measure could not be sent to it
                raise CellError(
                    f"{call}, or a call that ran at the same time: {type(error).__name__}: {error}; try jobs=1"
                ) from error
    finally:
        # Those that wait would go to processes that are killed, and their number looked up in vain by loky's thread.
        with executor._work_ids.mutex:
            executor._work_ids.queue.clear()
        executor.shutdown(kill_workers=True)


def _end_with(parent):
    """Let this process end when the one that started it is gone, even if it was killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run(call):
    if call.library and _library() != call.library:  # this process started later, and loaded what had been edited
        raise RuntimeError("cache: the library's source changed under way; restart Python, or use cache=None")
    try:
        returned = call.measure(**call.arguments, rng=np.random.default_rng(call.entropy))
        measured = _numbers(returned, {*call.arguments, "repeat"})
    except Exception as error:
        raise CellError(f"{call}: {type(error).__name__}: {error}") from error
    if call.file:
        kept = {"call": str(call), "numbers": measured, "digest": _digest(call.file.name, measured)}
        write(call.file, json.dumps(kept))
    return measured


def _numbers(returned, taken):
    found = returned if isinstance(returned, Mapping) else {"value": returned}
    if not found or not all(isinstance(name, str) and name not in taken for name in found):
        expected = f"a number, or a dict of numbers by name, other than {', '.join(sorted(taken))}"
        raise ValueError(f"the measure returned {returned!r}; expected {expected}")
    plain = {}
    for name, value in found.items():
        number = checks.number(name, value)
        # A count stays one in the csv.
        plain[name] = int(value) if isinstance(value, numbers.Integral) else number
    return plain


def _checked_folder(cache):
    if not isinstance(cache, str | os.PathLike) or not str(cache) or Path(cache).is_file():
        raise TypeError(f"cache is {cache!r}; expected a folder, or None for no cache")
    folder = Path(cache)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@functools.cache
def _library():
    """A hash of the source of this library and of the versions that results may depend on."""
    folder = Path(__file__).parent
    files = [f"{path.relative_to(folder).as_posix()} {_source(path)}" for path in folder.rglob("*.py")]
    return _digest(sys.version, *(f"{package} {version(package)}" for package in _PACKAGES), *sorted(files))


def _source(file):
    """The text of a file of code, if it is what this process loaded: a later text would say what did not run."""
    if file.stat().st_mtime > _IMPORTED_AT:
        raise RuntimeError(
            f"cache: {file.name} changed after ppdm was imported; restart Python, or use cache=None"
        )
    return file.read_text("utf-8")


def _code(measure):
    """A hash of the source of a measure, its whole module where it stands in one, and of what it was made with."""
    try:
        file = Path(measure.__code__.co_filename)
        line = measure.__code__.co_firstlineno  # which tells one lambda from another
        source = _source(file) + str(line) if file.is_file() else inspect.getsource(measure)
    except (AttributeError, OSError):
        raise TypeError(
            f"measure is {measure!r}, which has no source; write it in a file, or use cache=None"
        ) from None
    given = [
        inspect.getclosurevars(measure).nonlocals,
        measure.__defaults__,
        measure.__kwdefaults__,
        getattr(measure, "__self__", None),
    ]
    return _digest(measure.__qualname__, source, canonical(given))


def _read(file):
    """The numbers that a file keeps; None if there is no file, or not just what was written for this call."""
    try:
        found = json.loads(file.read_text("utf-8"))
        measured = _numbers(found["numbers"], set())
        return measured if found["digest"] == _digest(file.name, measured) else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
