"""Texts that streams and cache keys are hashed from: the same in every process, different for different things."""

import dataclasses
import functools
import importlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.fingerprint import canonical, content, digest

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@dataclasses.dataclass(frozen=True)
class Noise:
    width: float
    remembered: list = dataclasses.field(default_factory=list, compare=False)


@dataclasses.dataclass(frozen=True)
class Gauss:
    width: float


@given(plain, plain)
def test_equal_texts_mean_equal_values(one, other):
    """Python's own equality, but for booleans, which it takes for numbers."""
    if canonical(one) == canonical(other):
        assert one == other


@given(st.dictionaries(st.text(), plain, min_size=2, max_size=4))
def test_the_order_of_a_dict_does_not_matter(entries):
    assert canonical(entries) == canonical(dict(reversed(entries.items())))


@pytest.mark.parametrize(
    "alike",
    [
        (1, 1.0, np.int64(1), np.float32(1), np.uint8(1)),
        (0, 0.0, -0.0),
        (0.1, np.float64(0.1)),
        (2.0**70, 2**70),
        (True, np.True_),
        ("a", np.str_("a")),
        ((1, 2), [1, 2.0], np.array([1, 2])),
        (Noise(1), Noise(1.0), Noise(1, ["seen"])),
    ],
)
def test_alike(alike):
    assert len({canonical(value) for value in alike}) == 1


def test_apart():
    values = [
        0,
        1,
        True,
        "1",
        None,
        "None",
        [1],
        [[1]],
        ["1"],
        [1, 1],
        {"a": 1},
        {"a": "1"},
        "a",
        float("inf"),
        0.1,
        0.3,
    ]
    values += [np.float32(0.1), Noise(1), Gauss(1), Noise, Gauss, digest, canonical]
    assert len({canonical(value) for value in values}) == len(values)


def test_a_text_is_the_same_in_every_process():
    code = """
import re
from ppdm.fingerprint import content
words = {"a", "b", "c"}
class Tool:
    size = 3
    def use(self, x):
        return helper(x) in {"u", "v", "w"}
def helper(x):
    return Tool().use(x) if x else re.match("a", "b")
print(content([helper, words, {"z": 1, "y": Tool}]))
"""
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


def made(source):
    space = {"__name__": "__main__"}
    exec(source, space)
    return space["f"]


CODE = """
class Tool:
    size = 3
    def use(self): return self.size
    @staticmethod
    def still(): return 5
    @property
    def length(self): return 6
def f(x): return Tool().use() + (lambda y: y + 7)(x)
"""


@pytest.mark.parametrize("number", ["3", "5", "6", "7"])
def test_code_that_a_function_refers_to_counts(number):
    assert content(made(CODE)) == content(made(CODE))
    assert content(made(CODE)) != content(made(CODE.replace(number, "8")))


def test_what_callables_carry_counts():
    frames = [pd.DataFrame({"a": ["x", "y"]}), pd.DataFrame({"a": ["x", "z"]})]
    carried = [functools.partial(digest, 1), functools.partial(digest, 2), digest, Noise(1).__eq__, Noise(2).__eq__]
    carried += [functools.partial(digest, frame) for frame in frames]
    assert len({content(value) for value in carried}) == len(carried)
    assert content(functools.partial(digest, frames[0])) == content(functools.partial(digest, frames[0].copy()))


def test_modules_of_ones_own_count_by_their_source(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    texts = []
    for factor in (2, 30):
        (tmp_path / "tools.py").write_text(f"def double(x):\n    return x * {factor}\n")
        monkeypatch.delitem(sys.modules, "tools", raising=False)
        texts.append(content(importlib.import_module("tools")))
    assert texts[0] != texts[1]
    assert content(np) == "numpy"


def test_what_cannot_be_hashed_is_refused():
    with pytest.raises(TypeError, match="cannot be hashed for the cache"):
        content(functools.partial(digest, (item for item in "ab")))
