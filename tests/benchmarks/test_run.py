"""The table of benchmarks: what it prints, and when it says that a bound is missed."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import ppdm.widgets
import pytest

RUN = Path(__file__).with_name("run.py")
GOOD = 'TITLE = "Ours and theirs"\ndef run():\n    yield "fit", 0.4, 0.5, "2 ms"\n    yield "memory", 7.0, None, ""\n'
SLOW = 'TITLE = "Slow"\ndef run():\n    return [("fit", 0.6, 0.5, "")]\n'
WRONG = 'TITLE = "Wrong"\ndef run():\n    yield "fit", float("nan"), 0.5, ""\n'
THREAD = (
    'import os, sys\nassert "numpy" not in sys.modules\nTITLE = "Threads"\n'
    'def run():\n    yield "threads", float(os.environ["OMP_NUM_THREADS"]), 1, ""\n'
)


@pytest.fixture
def bench(tmp_path):
    """The output and the exit status of a run over some modules."""
    (tmp_path / "run.py").write_text(RUN.read_text())

    def bench(*arguments, **modules):
        for name, source in modules.items():
            (tmp_path / f"bench_{name}.py").write_text(source)
        done = subprocess.run([sys.executable, tmp_path / "run.py", *arguments], capture_output=True, text=True)
        return done.stdout, done.stderr, done.returncode

    return bench


def test_the_table(bench):
    output, errors, status = bench(good=GOOD, slow=SLOW)
    rows = [line.split() for line in output.splitlines() if line]
    assert rows == [
        ["what", "ratio", "at", "most", "note"],
        ["Ours", "and", "theirs"],
        ["fit", "0.40", "0.50", "ok", "2", "ms"],
        ["memory", "7.00"],
        ["Slow"],
        ["fit", "0.60", "0.50", "missed"],
        ["3", "ratios,", "1", "missed,", "0", "failed"],
    ]
    assert (errors, status) == ("", 0)


def test_strict_makes_a_missed_bound_an_error(bench):
    assert bench("--strict", good=GOOD)[2] == 0
    assert bench("--strict", good=GOOD, slow=SLOW)[2] == 1


def test_an_error_is_shown_and_the_others_run(bench):
    output, errors, status = bench(bad="1 / 0", good=GOOD, wrong=WRONG)
    assert "ZeroDivisionError" in errors
    assert "the ratio is nan" in errors
    assert "memory" in output
    assert status == 1


def test_one_by_name(bench):
    output, _, status = bench("--strict", "good", good=GOOD, slow=SLOW)
    assert "Slow" not in output
    assert status == 0
    _, errors, status = bench("fast")
    assert "no benchmark fast; there are good, slow" in errors
    assert status == 2


def test_one_thread_before_numpy(bench):
    assert bench("--strict", threads=THREAD)[2] == 0


@pytest.mark.parametrize("path", sorted(RUN.parent.glob("bench_*.py")), ids=lambda path: path.stem)
def test_every_benchmark_finds_what_it_imports(path, monkeypatch):
    monkeypatch.syspath_prepend(path.parent)
    module = importlib.import_module(path.stem)
    assert callable(module.run)
    assert module.TITLE


def test_the_panels_have_the_controls_that_are_timed():
    specification = importlib.util.spec_from_file_location("bench_panels", RUN.with_name("bench_panels.py"))
    timed = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(timed)
    for call, controls, *_ in timed.TIMED:
        known = set(eval(call, vars(ppdm.widgets)).controls)
        assert set(controls) < known
        assert all(known & set(timed.ASIDE) - {control} for control in controls)
