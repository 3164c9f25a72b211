"""A release of a million records of Quest by the command: seconds and memory, beside pandas and beside fixed bounds.

The command runs in a process of its own, so that its memory is what it alone takes. Most of its time is spent on CSV.
"""

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from timing import best_times

from ppdm.data import quest
from ppdm.disguise import PrivacySpecification
from ppdm.files import read_csv

TITLE = "A release of 1,000,000 records of nine columns, from CSV to CSV"
RECORDS = 1_000_000
SECONDS, ALL_SECONDS, FRAMES = 5.0, 15.0, 8.0
CSV_BOUND = 1.2  # to pandas, which does not keep the text of the cells: we read them twice
SPEC = """
class = "class"
others = "keep"
[columns.elevel]
sensitive = true
action = "drop"
[columns.car]
action = "shuffle"
[columns.age]
sensitive = true
action = "shuffle"
within = "class"
[columns.salary]
action = "add"
noise = "gaussian"
privacy = 0.5
low = 20_000
high = 150_000
[columns.commission]
action = "discretise"
min_group = 1_000
[columns.loan]
action = "redraw"
"""
# The peak of memory is counted anew after the imports, whose own is not the release's (on Linux).
COMMAND = """
import sys, time
from pathlib import Path
from ppdm.__main__ import main

def megabytes(kind):
    return int(Path("/proc/self/status").read_text().split(kind)[1].split()[0]) / 1e3

Path("/proc/self/clear_refs").write_text("5")
before = megabytes("VmRSS:")
status = main(sys.argv[1:])
assert status == 0, status
print(time.process_time(), megabytes("VmHWM:") - before)
"""


def people() -> pd.DataFrame:
    """Quest's numbers with all their digits, a column of text, and the class."""
    X, y = quest(RECORDS, function=1, rng=0)
    makes = np.array(["Ford", "Opel", 'VW, "old"', "BMW", "Kia"], dtype=object)
    X["car"] = pd.Series(makes[X["car"].to_numpy() % len(makes)], dtype="str")
    return X.drop(columns="zipcode").assign(**{"class": y})


def run() -> Iterator[tuple[str, float, float | None, str]]:
    """Seconds of the processor, so that what else the machine does counts little; CSV the best of two turns."""
    table = people()
    with tempfile.TemporaryDirectory() as folder:
        true, spec, out, other = (
            Path(folder) / name for name in ("true.csv", "spec.toml", "out.csv", "other.csv")
        )
        spec.write_text(SPEC)
        table.to_csv(true, index=False)

        def ours() -> None:
            _, text, manner = read_csv(true)
            text.to_csv(out, index=False, **manner)

        def theirs() -> None:
            pd.read_csv(true).to_csv(other, index=False)

        own, pandas = best_times([ours, theirs], 2)
        yield "CSV in and out, beside pandas", float(own / pandas), CSV_BOUND, f"{own:.1f} s and {pandas:.1f} s"

        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            PrivacySpecification(spec).release(table)
        inside = time.process_time() - start
        yield f"the release itself, to {SECONDS:g} s", inside / SECONDS, 1.0, f"{inside:.1f} s"

        line = [sys.executable, "-c", COMMAND, "disguise", true, "--spec", spec, "--out", out, "--force"]
        done = subprocess.run(line, check=True, capture_output=True, text=True)
        whole, peak = map(float, done.stdout.splitlines()[-1].split())  # below the verdict
        yield f"the whole command, to {ALL_SECONDS:g} s", whole / ALL_SECONDS, 1.0, f"{whole:.1f} s"

        frame = table.memory_usage(deep=True).sum() / 1e6
        shown = (
            f"{peak:.0f} MB: {peak / frame:.1f} frames, or {peak / table.size / 8e-6:.1f} of eight bytes a cell"
        )
        yield f"its memory, to {FRAMES:g} frames", peak / frame / FRAMES, 1.0, shown
