"""The sweep: streams that depend on nothing but the cell, equal results however it runs, and nothing computed twice."""

# ruff: noqa: ARG005  (a measure takes its arguments by name, used or not)

import functools
import hashlib
import importlib
import json
import linecache
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib.externals.loky import process_executor

import ppdm
from ppdm import sweep
from ppdm.sweep import CellError

module = importlib.import_module("ppdm.sweep")  # whose name in the package is the function

GRID = {"level": [0.5, 1.0], "strategy": ["byclass", "local"]}


@pytest.fixture(autouse=True)
def no_bar(monkeypatch):
    monkeypatch.setenv("PPDM_PROGRESS", "off")


@pytest.fixture
def draw():
    """A measure that shows its stream (made here, so that another process gets it by value)."""

    def draw(rng, **cell):
        return rng.random()

    return draw


@pytest.fixture
def counted(tmp_path):
    """A measure that leaves a file for each call, and the number of the files."""
    calls = tmp_path / "calls"
    calls.mkdir()
    folder = str(calls)

    def counted(level, rng, strategy="byclass"):
        value = rng.random()
        with open(f"{folder}/{level} {strategy} {value}", "w"):  # noqa: PTH123  (a text for a folder can be hashed)
            return value

    return counted, lambda: len(list(calls.iterdir()))


def test_the_name_is_the_function_however_it_is_imported():
    from ppdm.sweep import sweep as from_module

    assert sweep is from_module is ppdm.sweep
    imports = "from ppdm.sweep import sweep as a; from ppdm import sweep as b; import ppdm.data"
    code = f"{imports}; assert a is b is ppdm.sweep"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_is_light():
    code = "import sys, ppdm; print(*{'matplotlib', 'sklearn', 'scipy', 'joblib', 'tqdm'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "\n"


def test_one_row_a_call_in_the_order_of_the_grid(draw):
    rows = sweep(draw, GRID, repeats=2, jobs=1)
    assert list(rows.columns) == ["level", "strategy", "repeat", "value"]
    expected = [
        (level, name, repeat) for level in (0.5, 1.0) for name in ("byclass", "local") for repeat in (0, 1)
    ]
    assert list(rows.drop(columns="value").itertuples(index=False, name=None)) == expected


def test_one_repeat_alone_has_its_own_stream(draw):
    whole = sweep(draw, GRID, repeats=4, jobs=1)
    some = sweep(draw, GRID, repeats=[3, 1], jobs=1)
    assert some["repeat"].tolist() == [3, 1] * 4
    assert len(some.merge(whole)) == len(some) == 8


def test_a_dict_of_numbers_gives_its_columns():
    rows = sweep(
        lambda level, rng: {"leaves": np.int64(3), "accuracy": np.float64(level)}, {"level": [0.5]}, 1, jobs=1
    )
    pd.testing.assert_frame_equal(
        rows, pd.DataFrame({"level": [0.5], "repeat": [0], "leaves": [3], "accuracy": [0.5]})
    )


def test_levels_stay_what_they_are_and_functions_show_their_names(draw):
    rows = sweep(draw, {"depth": [None, 3], "cuts": [(1, 2), (3,)], "shape": [one, dict]}, 1, jobs=1)
    assert rows["depth"].tolist() == [None] * 4 + [3] * 4
    assert rows["cuts"].tolist() == [(1, 2), (1, 2), (3,), (3,)] * 2
    assert rows["shape"].tolist() == ["one", "dict"] * 4


def test_reproducible_and_moved_by_the_seed(draw):
    first, again, other = (sweep(draw, GRID, repeats=3, seed=seed, jobs=1) for seed in (4, 4, 5))
    pd.testing.assert_frame_equal(first, again)
    assert not set(first["value"]) & set(other["value"])


def test_two_processes_give_what_one_gives():
    def product(level, strategy, rng):
        matrix = rng.normal(size=(60, 60))
        return {"trace": np.trace(np.linalg.inv(matrix @ matrix.T)), "level": 0}["trace"] * level

    one, two = (sweep(product, GRID, repeats=3, jobs=jobs) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one, two, check_exact=True)


@settings(max_examples=20)
@given(
    levels=st.lists(st.floats(-5, 5), min_size=1, max_size=4, unique=True),
    more=st.lists(st.integers(6, 20), max_size=3, unique=True),
    repeats=st.integers(1, 3),
    extra=st.integers(0, 2),
)
def test_a_larger_grid_changes_no_old_row(levels, more, repeats, extra):
    def draw(level, rng):
        return rng.random()

    small = sweep(draw, {"level": levels}, repeats, jobs=1)
    large = sweep(draw, {"level": [*more, *levels]}, repeats + extra, jobs=1)
    assert len(small.merge(large)) == len(small)


def test_strategies_see_the_same_stream_and_nothing_else_does(draw):
    rows = sweep(draw, {**GRID, "shape": ["plateau", "triangles"]}, repeats=4, jobs=1)
    seen = rows.groupby(["level", "shape", "repeat"])["value"]
    assert (seen.max() == seen.min()).all()
    assert rows["value"].nunique() == 2 * 2 * 4


def test_what_shares_the_records_can_be_named(draw):
    rows = sweep(draw, GRID, repeats=2, jobs=1, same_records=["strategy", "level"])
    assert rows.groupby("repeat")["value"].nunique().tolist() == [1, 1]
    apart = sweep(draw, GRID, repeats=2, jobs=1, same_records=[])
    assert apart["value"].nunique() == len(apart)


def test_streams_stand_for_ever(draw):
    """The numbers of saved notebooks hang on these: SHA-256 of the seed, the repeat and the text of the cell."""
    rows = sweep(draw, {"level": [1], "kind": ["a"]}, repeats=1, seed=7, jobs=1)
    text = repr(("7", "0", "{'kind': 'a', 'level': 1}"))
    entropy = int(hashlib.sha256(text.encode()).hexdigest(), 16)
    assert rows["value"].tolist() == [np.random.default_rng(entropy).random()]


def test_equal_numbers_are_one_level(draw):
    values = [
        sweep(draw, {"level": [level]}, 1, jobs=1)["value"][0] for level in (1, 1.0, np.float32(1), np.int8(1))
    ]
    assert len(set(values)) == 1
    assert sweep(draw, {"level": [True]}, 1, jobs=1)["value"][0] != values[0]


def test_one_thread_for_linear_algebra():
    def threads(level, rng):
        from threadpoolctl import threadpool_info

        return max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")

    for jobs in (1, 2):
        assert set(sweep(threads, {"level": [1, 2]}, 1, jobs=jobs)["value"]) == {1}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_kept_call_is_not_called_again(counted, tmp_path, jobs):
    measure, calls = counted
    first = sweep(measure, GRID, repeats=2, jobs=jobs, cache=tmp_path / "kept")
    assert calls() == 8
    for path in (tmp_path / "calls").iterdir():
        path.unlink()
    pd.testing.assert_frame_equal(sweep(measure, GRID, repeats=2, jobs=1, cache=tmp_path / "kept"), first)
    assert calls() == 0
    larger = sweep(
        measure, {"level": [0.5, 1.0, 2.0], "strategy": ["byclass", "local"]}, 2, jobs=1, cache=tmp_path / "kept"
    )
    assert calls() == 4
    assert len(larger.merge(first)) == len(first)


MEASURES = """\
from ppdm import sweep
import sys

offset = 1

def helper(x):
    return x + offset

def measure(level, rng):
    return helper(level)

if __name__ == "__main__":
    print(sweep(measure, {"level": [3]}, 1, jobs=1, cache=sys.argv[1], progress=False)["value"][0])
"""


@pytest.mark.parametrize(
    "edit", [("x + offset", "x - offset"), ("offset = 1", "offset = 2"), ("helper(level)", "5")]
)
def test_an_edited_module_is_run_again(tmp_path, edit):
    assert MEASURES.count(edit[0]) == 1
    script, printed = tmp_path / "script.py", []
    for source in (MEASURES, MEASURES.replace(*edit), MEASURES):
        script.write_text(source)
        command = [sys.executable, script, tmp_path / "kept"]
        printed.append(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert printed[0] == printed[2] != printed[1]
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_a_measure_typed_in_is_known_by_its_text(tmp_path):
    """As a notebook's cells are: their text is kept by linecache."""
    for number, source in enumerate(
        ["def f(level, rng):\n    return level\n", "def f(level, rng):\n    return 2\n"] * 2
    ):
        name, space = f"<cell {number}>", {}
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        exec(compile(source, name, "exec"), space)
        assert sweep(space["f"], {"level": [1]}, 1, jobs=1, cache=tmp_path)["value"].tolist() == [1 + number % 2]
    assert len(list(tmp_path.iterdir())) == 2


def test_what_a_measure_encloses_counts(tmp_path):
    def scaled(factor):
        return lambda level, rng: level * factor

    for factor in (2, np.arange(3)[2], 5):
        rows = sweep(scaled(factor), {"level": [3]}, 1, jobs=1, cache=tmp_path)
        assert rows["value"].tolist() == [3 * factor]
    assert len(list(tmp_path.iterdir())) == 2


class Recorder:
    """What has a measure, and a state of which no text stays the same."""

    def measure(self, level, rng):  # noqa: ARG002
        return level


def test_the_defaults_of_a_measure_count(tmp_path):
    def made(size):
        def measure(level, rng, size=size):
            return level + size

        return measure

    for size in (1, 2):
        found = sweep(made(size), {"level": [10]}, 1, jobs=1, cache=tmp_path)
        assert found["value"].tolist() == [10 + size]
    with pytest.raises(TypeError, match=r"of type Recorder, of which no text stays the same"):
        sweep(Recorder().measure, {"level": [1]}, 1, jobs=1, cache=tmp_path)
    twice = lambda level, rng: 2 * level  # noqa: E731
    thrice = lambda level, rng: 3 * level  # noqa: E731
    for measure, expected in ((twice, 2), (thrice, 3)):
        assert sweep(measure, {"level": [1]}, 1, jobs=1, cache=tmp_path)["value"].tolist() == [expected]


def test_what_has_no_source_is_refused(tmp_path):
    space: dict = {}
    exec("def f(level, rng): return 1", space)
    for measure in (space["f"], functools.partial(one), dict):
        with pytest.raises(
            TypeError, match=r"measure is .*, which has no source; write it in a file, or use cache=N"
        ):
            sweep(measure, {"level": [3]}, 1, jobs=1, cache=tmp_path)


def test_another_library_is_another_result(counted, tmp_path, monkeypatch):
    measure, calls = counted
    for version in ("one", "two"):
        monkeypatch.setattr(module, "_library", lambda version=version: version)
        rows = sweep(measure, {"level": [1, 2]}, 1, jobs=1, cache=tmp_path / "kept")
    assert len(list((tmp_path / "kept").iterdir())) == 4
    assert calls() == len(rows)


def test_code_that_changed_after_it_was_loaded_is_refused(draw, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_IMPORTED_AT", 0)
    with pytest.raises(
        RuntimeError, match=r"test_sweep.py changed after ppdm was imported; restart Python, or use ca"
    ):
        sweep(draw, GRID, jobs=1, cache=tmp_path)
    module._library.cache_clear()
    with pytest.raises(RuntimeError, match=r"\w+.py changed after ppdm was imported"):
        sweep(draw, GRID, jobs=1, cache=tmp_path)
    assert len(sweep(draw, GRID, repeats=1, jobs=1)) == 4


def test_a_process_that_loaded_another_library_is_noticed(counted, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_library", lambda: "before")
    with pytest.raises(
        CellError, match=r"RuntimeError: cache: the library's source changed under way; restart Python"
    ):
        sweep(counted[0], GRID, jobs=2, cache=tmp_path / "kept")


@pytest.mark.parametrize(
    "wreck",
    [
        "",
        "[" * 100_000,
        '{"numbers": {"value": 1e999}, "digest": ""}',
        "{",
        "[]",
        '{"numbers": {"value": "x"}}',
        '{"numbers": {"value": NaN}}',
        '{"numbers": {"value": Infinity}}',
        '{"numbers": {"value": true}}',
        '{"numbers": 3}',
        '{"numbers": {}}',
        "\x00\x01",
        '{"call": 1}',
    ],
)
def test_a_broken_file_is_computed_again(counted, tmp_path, wreck):
    measure, _ = counted
    first = sweep(measure, {"level": [1]}, 1, jobs=1, cache=tmp_path / "kept")
    (file,) = (tmp_path / "kept").iterdir()
    whole = file.read_text()
    file.write_text(wreck)
    pd.testing.assert_frame_equal(sweep(measure, {"level": [1]}, 1, jobs=1, cache=tmp_path / "kept"), first)
    assert file.read_text() == whole
    assert json.loads(whole)["call"] == "level=1, repeat 0"


FORGERIES = {
    "another number": lambda kept: kept["numbers"].update(value=0.5),
    "a number as text": lambda kept: kept["numbers"].update(value=str(kept["numbers"]["value"])),
    "an integer for a float": lambda kept: kept["numbers"].update(value=int(kept["numbers"]["value"])),
    "True": lambda kept: kept["numbers"].update(value=True),
    "beyond floats": lambda kept: kept["numbers"].update(value=10**400),
    "another name": lambda kept: kept["numbers"].update(more=1),
    "no digest": lambda kept: kept.pop("digest"),
    "another digest": lambda kept: kept.update(digest="0" * 64),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_an_edited_file_is_computed_again(counted, tmp_path, forge):
    measure, _ = counted
    first = sweep(measure, {"level": [1]}, 1, jobs=1, cache=tmp_path / "kept")
    (file,) = (tmp_path / "kept").iterdir()
    whole = file.read_text()
    kept = json.loads(whole)
    forge(kept)
    file.write_text(json.dumps(kept))
    pd.testing.assert_frame_equal(sweep(measure, {"level": [1]}, 1, jobs=1, cache=tmp_path / "kept"), first)
    assert file.read_text() == whole


def test_a_non_finite_number_is_not_believed_even_with_its_digest(counted, tmp_path):
    measure, _ = counted
    first = sweep(measure, {"level": [1]}, 1, jobs=1, cache=tmp_path / "kept")
    (file,) = (tmp_path / "kept").iterdir()
    for number in (float("nan"), float("inf"), True, "1"):
        numbers = {"value": number}
        file.write_text(json.dumps({"numbers": numbers, "digest": module._digest(file.name, numbers)}))
        pd.testing.assert_frame_equal(sweep(measure, {"level": [1]}, 1, jobs=1, cache=tmp_path / "kept"), first)


def test_a_file_of_another_call_is_not_believed(counted, tmp_path):
    measure, _ = counted
    first = sweep(measure, {"level": [1, 2]}, 1, jobs=1, cache=tmp_path / "kept")
    one, two = (tmp_path / "kept").iterdir()
    two.write_bytes(one.read_bytes())
    pd.testing.assert_frame_equal(sweep(measure, {"level": [1, 2]}, 1, jobs=1, cache=tmp_path / "kept"), first)
    assert one.read_bytes() != two.read_bytes()


def test_what_a_kill_leaves_half_written_is_ignored(counted, tmp_path):
    measure, calls = counted
    first = sweep(measure, GRID, 1, jobs=1, cache=tmp_path / "kept")
    (tmp_path / "kept" / f"{'0' * 64}.123.draft").write_text('{"call"')
    pd.testing.assert_frame_equal(sweep(measure, GRID, 1, jobs=1, cache=tmp_path / "kept"), first)
    assert calls() == len(first)


SCRIPT = """
import os, signal, sys, time
from pathlib import Path
from ppdm import sweep

signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
calls = Path(sys.argv[1])

def measure(level, rng):
    (calls / f"{level} {os.getpid()}").touch()
    while level == 3 and "HANG" in os.environ:
        time.sleep(0.01)
    return rng.random()

print(sweep(measure, {"level": [0, 1, 2, 3, 4]}, 1, jobs=int(sys.argv[3]), cache=sys.argv[2], progress=False))
"""


@pytest.fixture
def start(tmp_path):
    """Start the script above; its calls leave files."""
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "calls").mkdir()
    started = []

    def start(jobs, **environment):
        command = [sys.executable, tmp_path / "script.py", tmp_path / "calls", tmp_path / "kept", str(jobs)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, env={**os.environ, **environment}, **pipes))
        return started[-1], tmp_path / "calls", tmp_path / "kept"

    yield start
    for process in started:
        process.kill()
        process.communicate()


def wait_for(condition, what):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen within a minute"
        time.sleep(0.01)


def test_finished_calls_survive_a_kill(start):
    process, calls, kept = start(1, HANG="1")
    wait_for(lambda: list(calls.glob("3 *")), "the fourth call")
    process.kill()
    process.communicate()
    assert len(list(kept.glob("*.json"))) == 3
    resumed, _, _ = start(1)
    output, errors = resumed.communicate(timeout=60)
    assert errors == ""
    assert len(output.splitlines()) == 6
    assert sorted(path.name.split()[0] for path in calls.iterdir()) == ["0", "1", "2", "3", "3", "4"]


def test_an_interrupt_keeps_what_is_finished_and_leaves_no_process(start):
    process, calls, kept = start(2, HANG="1")
    wait_for(lambda: len(list(kept.glob("*.json"))) == 4, "the four other calls")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    workers = {int(path.name.split()[1]) for path in calls.iterdir()}
    assert process.pid not in workers
    wait_for(lambda: not any(running(worker) for worker in workers), "the end of the workers")


def test_a_kill_leaves_no_process(start):
    process, calls, _ = start(2, HANG="1")
    wait_for(lambda: list(calls.glob("3 *")), "the fourth call")
    process.kill()
    workers = {int(path.name.split()[1]) for path in calls.iterdir()}
    wait_for(lambda: not any(running(worker) for worker in workers), "the end of the workers")


KILLS = '''\
"""Kill a sweep with its processes, again and again, at random moments between its first finished cell and its last."""

import json
import os
import random
import signal
import sys
import time
import traceback
from pathlib import Path

from joblib.externals.loky import ProcessPoolExecutor  # noqa: F401  (here, and not in each child anew)

from ppdm import sweep

CELLS = list(range(10))


def run(folder, jobs):
    calls = str(folder) + ".calls"
    os.makedirs(calls, exist_ok=True)

    def measure(level, rng):
        open(f"{calls}/{level} {time.time_ns()}", "w").close()
        time.sleep(0.004)
        return {"value": rng.random(), "level twice": 2 * level}

    return sweep(measure, {"level": CELLS}, 1, jobs=jobs, cache=folder, progress=False)


def finished(folder):
    return len(list(folder.glob("*.json")))


def started(folder):
    return len(list(Path(str(folder) + ".calls").glob("*")))


def killed(folder, jobs, rng):
    """Start the sweep in a group of its own, and kill this at a random moment."""
    target = rng.randrange(1, len(CELLS) - jobs)  # cells to wait for
    rest = rng.uniform(0, 0.003)  # and then a part of the next cell
    group = os.fork()
    if not group:
        try:
            os.setpgid(0, 0)
            run(folder, jobs)
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(0)
    while finished(folder) < target:
        time.sleep(0.0002)
        if os.waitpid(group, os.WNOHANG)[0]:
            sys.exit("the sweep ended before its time")
    time.sleep(rest)
    done = finished(folder)
    os.killpg(group, signal.SIGKILL)
    os.waitpid(group, 0)
    return target, rest, done


parent, wanted = Path(sys.argv[1]), {1: int(sys.argv[2]), 2: int(sys.argv[3])}
rng, records = random.Random(11), []
whole = run(parent / "whole", 1)
for jobs, times in wanted.items():
    number = 0
    while sum(record["jobs"] == jobs and record["inside"] for record in records) < times:
        folder = parent / f"{jobs}-{number}"
        folder.mkdir()
        number += 1
        target, rest, done = killed(folder, jobs, rng)
        while (now := finished(folder)) != finished(folder):
            time.sleep(0.01)
        before = started(folder)
        drafts = len(list(folder.glob("*.draft")))
        bad = [path.name for path in folder.glob("*.json") if "digest" not in json.loads(path.read_text())]
        table = run(folder, 1)
        records.append(
            {
                "jobs": jobs,
                "target": target,
                "rest": rest,
                "inside": 1 <= now < len(CELLS),
                "finished": now,
                "in work": before - now,
                "again": started(folder) - before,
                "drafts": drafts,
                "bad": bad,
                "equal": table.equals(whole),
                "files": finished(folder),
            }
        )
print(json.dumps(records))
'''


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills groups of processes")
def test_a_hundred_kills_lose_at_most_the_cells_in_work(tmp_path):
    (tmp_path / "kills.py").write_text(KILLS)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # where a sync takes no time
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        command = [sys.executable, tmp_path / "kills.py", folder, "96", "4"]  # of one process, of two
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert ran.returncode == 0, ran.stderr
    records = json.loads(ran.stdout)
    # Each moment is recorded, and lies between the first finished cell and the last one.
    inside = [record for record in records if record["inside"]]
    assert [sum(record["jobs"] == jobs for record in inside) for jobs in (1, 2)] == [96, 4]
    assert {record["finished"] for record in inside} >= set(range(2, 8))
    for record in records:
        assert record["in work"] <= record["jobs"], record
        assert record["drafts"] <= record["jobs"], record
        assert record["again"] == 10 - record["finished"], record  # nothing that was finished is computed again
        assert record["bad"] == [], record
        assert record["equal"], record
        assert record["files"] == 10, record


def running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_names_its_cell_and_keeps_the_others(tmp_path, jobs):
    def fails(level, rng):
        if level == 2:
            raise ZeroDivisionError("no such level")
        return level

    with pytest.raises(CellError, match=r"^level=2, repeat 0: ZeroDivisionError: no such level$"):
        sweep(fails, {"level": [0, 1, 2]}, 1, jobs=jobs, cache=tmp_path)
    if jobs == 1:
        assert len(list(tmp_path.iterdir())) == 2


def test_an_error_ends_the_processes_while_calls_wait(monkeypatch):
    def fails(level, rng):
        raise ValueError("no such level")

    class Slow(process_executor._ExecutorManagerThread):
        def process_result_item(self, result):  # so that the sweep has ended before the next call is sent
            super().process_result_item(result)
            time.sleep(0.3)

    # An error in that thread, too, would fail this test.
    monkeypatch.setattr(process_executor, "_ExecutorManagerThread", Slow)
    with pytest.raises(CellError, match="no such level"):
        sweep(fails, {"level": list(range(12))}, 1, jobs=2)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (float("nan"), "level=1, repeat 0: ValueError: value is nan; expected a finite number"),
        ({"accuracy": float("inf")}, "accuracy is inf; expected a finite number"),
        (None, "TypeError: value is None; expected a finite number"),
        (True, "TypeError: value is True"),
        ({"accuracy": "high"}, "TypeError: accuracy is 'high'"),
        ({}, r"returned \{\}; expected a number, or a dict of numbers by name"),
        ({"level": 1}, r"returned \{'level': 1\}; expected .* other than level, repeat$"),
        ({3: 1}, r"returned \{3: 1\}; expected"),
        ([1, 2], r"value is .*; expected a finite number"),
    ],
)
def test_what_is_no_number_is_an_error(returned, message):
    with pytest.raises(CellError, match=message):
        sweep(lambda level, rng: returned, {"level": [1]}, jobs=1)


def test_all_cells_measure_the_same():
    with pytest.raises(
        CellError, match=r"level=2, repeat 0 measured \['b'\], but level=1, repeat 0 measured \['a'\]"
    ):
        sweep(lambda level, rng: {"a" if level == 1 else "b": 0}, {"level": [1, 2]}, 1, jobs=1)


def test_a_measure_that_cannot_be_sent_says_so():
    lock = threading.Lock()
    with pytest.raises(
        CellError, match=r"level=1.*, repeat 0, or a call that ran at the same time: .*; try jobs=1"
    ):
        sweep(lambda level, rng: lock.locked(), {"level": [1, 1.5]}, 1, jobs=2)


def one(level, rng):
    return 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"measure": 3}, TypeError, "measure is 3; expected a function of level, rng: 3 is not a callable"),
        (
            {"measure": lambda level: 1},
            TypeError,
            "measure is .*; expected a function of level, rng: got an unexpected",
        ),
        ({"grid": {"levle": [1]}}, TypeError, "measure is .*; expected a function of levle, rng: missing"),
        ({"grid": {}}, ValueError, "grid is empty"),
        ({"grid": [{"level": 1}]}, TypeError, "grid is a list; expected a dict: a list of levels for each"),
        ({"grid": {"level": []}}, ValueError, r"grid\['level'\] is .*; expected distinct values, at least 1"),
        (
            {"grid": {"level": 1}},
            TypeError,
            r"grid\['level'\] is 1; expected a list of levels, even of one: \[1\]",
        ),
        ({"grid": {"level": "byclass"}}, TypeError, r"expected a list of levels, even of one: \['byclass'\]"),
        ({"grid": "level"}, TypeError, "grid is a str; expected a dict"),
        ({"grid": {"rng": [1]}}, ValueError, "grid names 'rng'"),
        ({"grid": {"repeat": [1]}}, ValueError, "grid names 'repeat'"),
        ({"grid": {3: [1]}}, ValueError, "grid names 3"),
        (
            {"grid": {"level": [1, 2, 1.0]}},
            ValueError,
            r"grid\['level'\] .*; expected distinct",
        ),
        ({"grid": {"level": [object()]}}, TypeError, "of type object, of which no text stays the same"),
        ({"grid": {"level": [lambda x: x]}}, TypeError, "of type function, of which no text stays the same"),
        ({"grid": {"level": [{1, 2}]}}, TypeError, "of type set"),
        ({"grid": {"level": [pd.DataFrame()]}}, TypeError, "of type DataFrame"),
        ({"repeats": 0}, ValueError, "repeats is 0"),
        ({"repeats": 10**15}, ValueError, r"repeats is 10+; expected a whole number in \[1, 1e\+06\]"),
        ({"repeats": []}, ValueError, r"repeats is .*; expected distinct values, at least 1"),
        ({"repeats": [1, 1]}, ValueError, r"repeats .*; expected distinct"),
        ({"repeats": [-1]}, ValueError, "repeats is -1"),
        ({"repeats": 2.0}, TypeError, "repeats is 2.0; expected a whole number"),
        ({"repeats": True}, TypeError, "repeats is True"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"seed": None}, TypeError, "seed is None"),
        ({"jobs": 0}, ValueError, "jobs is 0"),
        ({"jobs": "2"}, TypeError, "jobs is '2'"),
        ({"cache": True}, TypeError, "cache is True; expected a folder, or None for no cache"),
        ({"cache": ""}, TypeError, "cache is ''"),
        ({"cache": __file__}, TypeError, "test_sweep.py'; expected a folder"),
        ({"progress": "off"}, ValueError, "progress is 'off'; expected one of True, False"),
        ({"same_records": "level"}, TypeError, "same_records is 'level'; expected a list"),
        ({"same_records": ["strategi"]}, ValueError, "same_records is 'strategi'; expected one of '"),
    ],
)
def test_bad_arguments_are_refused_before_any_work(arguments, error, message, tmp_path):
    def never(level, rng):
        raise AssertionError("the measure was called")

    good = {"measure": never, "grid": {"level": [1, 2]}, "repeats": 2, "jobs": 1}
    with pytest.raises(error, match=message):
        sweep(**{**good, **arguments})


@pytest.mark.parametrize(("progress", "variable"), [(False, ""), (True, "off")])
def test_no_bar_when_it_is_off(capfd, monkeypatch, progress, variable, draw):
    monkeypatch.setenv("PPDM_PROGRESS", variable)
    sweep(draw, GRID, repeats=1, jobs=2, progress=progress)
    assert capfd.readouterr() == ("", "")


def test_a_bar_otherwise(capfd, monkeypatch, draw):
    monkeypatch.delenv("PPDM_PROGRESS")
    sweep(draw, GRID, repeats=1, jobs=1)
    assert "0/4" in capfd.readouterr().err
