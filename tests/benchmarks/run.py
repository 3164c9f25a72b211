"""Speed and memory side by side with other libraries, in one table of ratios.

    python tests/benchmarks/run.py [--strict] [name ...]

runs every ``bench_<name>.py`` beside this file, or only the named ones. With ``--strict`` a missed bound makes the
exit status 1; a benchmark that fails with an error always does.

What a module ``bench_<name>.py`` holds:

``TITLE``
    one line that says what is compared with what.
``run()``
    yields rows ``(what, ratio, bound, note)``. The ratio is ours divided by the other's, both measured in this very
    run and best of several turns, so that less is better; the bound is the most that it may be, or None where nothing
    is demanded; the note is a few words (absolute times, accuracies). A ratio is never asserted in a test.

Every library gets one thread: the variables are set below, before any module imports NumPy.
"""

import argparse
import importlib.util
import math
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
LAYOUT = "{:<64} {:>8} {:>8} {:<7} {}"


def main(arguments: list[str] | None = None, folder: Path = HERE) -> int:
    """Run the benchmarks, print the table and return the exit status."""
    found = {path.stem.removeprefix("bench_"): path for path in sorted(folder.glob("bench_*.py"))}
    parser = argparse.ArgumentParser(description="Speed and memory side by side with other libraries.")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a bound is missed")
    parser.add_argument("names", nargs="*", help=f"which benchmarks (all: {', '.join(found) or 'none yet'})")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in found]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(found) or 'none yet'}")
    os.environ.update(dict.fromkeys(THREADS, "1"))
    print(LAYOUT.format("what", "ratio", "at most", "", "note"))
    verdicts = [verdict for name in options.names or found for verdict in benchmark(found[name])]
    print(f"{len(verdicts)} ratios, {verdicts.count('missed')} missed, {verdicts.count('failed')} failed")
    return int("failed" in verdicts or (options.strict and "missed" in verdicts))


def benchmark(path: Path) -> Iterator[str]:
    """Print a module's rows as they come, and yield their verdicts."""
    try:
        module = load(path)
        print(f"\n{module.TITLE}")
        for what, ratio, bound, note in module.run():
            yield show(what, ratio, bound, note)
    except Exception:  # the others shall still run
        traceback.print_exc()
        print(LAYOUT.format(path.stem, "", "", "failed", ""))
        yield "failed"


def load(path: Path) -> ModuleType:
    """The module in a file."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def show(what: str, ratio: float, bound: float | None, note: str) -> str:
    """Print one row and return its verdict: "ok", "missed" or, where nothing is demanded, ""."""
    if not math.isfinite(ratio):
        raise ValueError(f"{what}: the ratio is {ratio}; expected a finite number")
    verdict = "" if bound is None else "ok" if ratio <= bound else "missed"
    print(LAYOUT.format(what, f"{ratio:.2f}", "" if bound is None else f"{bound:.2f}", verdict, note), flush=True)
    return verdict


if __name__ == "__main__":
    sys.exit(main())
