"""Where chance comes from: seeds repeat, the secure source does not, and uniforms are uniform."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ppdm import randomness
from ppdm.data import plateau
from ppdm.disguise import UniformNoise
from ppdm.randomness import canonical


def test_a_seed_repeats_and_a_generator_goes_on():
    for start in (randomness.stream, randomness.generator):
        rng = start(3)
        first, second = randomness.uniform(5, rng), randomness.uniform(5, rng)
        assert (first == randomness.uniform(5, start(3))).all()
        assert (first != second).all()
    assert (randomness.uniform(5, 3) == randomness.uniform(5, randomness.stream(3))).all()


def test_data_and_disguise_of_one_seed_have_nothing_to_do_with_each_other():
    # Else the noise would be a function of the data. The standard error of the correlation is 0.003.
    noise = UniformNoise(half_width=1, low=0, high=1)
    for values in (plateau(100_000, rng=42), np.random.default_rng(42).random(100_000)):
        added = noise.disguise(values, rng=42) - values
        assert abs(np.corrcoef(values, added)[0, 1]) < 0.015


def test_the_secure_source_neither_repeats_nor_touches_numpys_state():
    before = np.random.get_state()[1].copy()  # noqa: NPY002  (the state that must stay as it is)
    assert (randomness.uniform(8) != randomness.uniform(8)).all()
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


@pytest.mark.parametrize("rng", [1, None])
def test_uniforms_are_uniform_and_never_at_the_ends(rng):
    # Kolmogorov–Smirnov, 100,000 draws; a secure draw fails here once in 10^9 runs.
    numbers = randomness.uniform(100_000, rng)
    assert 0 < numbers.min() < numbers.max() < 1
    assert stats.kstest(numbers, "uniform").pvalue > 1e-9


def test_the_extreme_words_stay_inside_the_open_interval(monkeypatch):
    monkeypatch.setattr(randomness.os, "urandom", lambda n: b"\x00" * (n // 2) + b"\xff" * (n // 2))
    low, high = randomness.uniform(2)
    assert 0 < low < 1e-15
    assert 1 - 1e-15 < high < 1


def test_permutations_hold_every_place_once_and_are_all_as_likely():
    # Chi-squared over the 6 orders of 3, 6,000 draws, seed 5; the bound is passed once in 10^6.
    rng = np.random.default_rng(5)
    orders = [tuple(randomness.permutation(3, rng).tolist()) for _ in range(6000)]
    counts = [orders.count(order) for order in sorted(set(orders))]
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-6


@pytest.mark.parametrize(
    ("rng", "error"), [(-1, ValueError), (1.5, TypeError), ("1", TypeError), (True, TypeError)]
)
@pytest.mark.parametrize(
    "call", [randomness.stream, randomness.generator, lambda rng: randomness.uniform(3, rng)]
)
def test_what_is_no_source_of_chance_is_refused(call, rng, error):
    with pytest.raises(error, match=f"rng is {rng!r}; expected"):
        call(rng)


KEY = b"a key for the tests"


def test_keyed_numbers_are_uniform():
    # Kolmogorov–Smirnov, 100,000 messages; fixed by the key.
    numbers = randomness.keyed_uniform(KEY, "age", (b"%d" % i for i in range(100_000)))
    assert 0 < numbers.min() < numbers.max() < 1
    assert stats.kstest(numbers, "uniform").pvalue > 1e-3


def test_keyed_numbers_follow_from_key_purpose_and_message_only():
    first = randomness.keyed_uniform(KEY, "age", [b"ann", b"bob", b"ann"])
    assert first[0] == first[2]
    assert randomness.keyed_uniform(KEY, "age", [b"bob"]).tolist() == [first[1]]
    others = [
        randomness.keyed_uniform(KEY, "wage", [b"ann"]),
        randomness.keyed_uniform(KEY + b"2", "age", [b"ann"]),
    ]
    assert len({first[0], first[1], *np.concatenate(others)}) == 4


def test_keyed_numbers_of_two_purposes_are_independent():
    # Spearman's ρ over 20,000 messages has a standard error of 0.007.
    messages = [b"%d" % i for i in range(20_000)]
    a, b = (randomness.keyed_uniform(KEY, purpose, messages) for purpose in ("age", "wage"))
    assert abs(stats.spearmanr(a, b).statistic) < 0.035


def test_keyed_numbers_never_change():
    # Whoever has released with a key must get the same disguise with any later version.
    assert randomness.keyed_uniform(KEY, "age", [b"ann"]).tolist() == [0.09064124195320755]


# Texts that streams are derived from: the same in every process, different for different things.

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
    values += [np.float32(0.1), Noise(1), Gauss(1), Noise, Gauss, randomness.uniform, canonical]
    assert len({canonical(value) for value in values}) == len(values)


def test_a_row_has_its_lot_whatever_is_drawn_at_a_time():
    # Rows from 700 on by themselves, as a table that is read in pieces draws them.
    whole, later = randomness.lots(3).random(1000), randomness.lots(3)
    later.bit_generator.advance(700)
    assert later.random(300).tolist() == whole[700:].tolist()


def test_a_text_is_the_same_in_every_process():
    code = """
from ppdm.randomness import canonical, uniform
print(canonical({"z": 1, "y": [uniform, "b", None], "x": (0.5, {"b": 2, "a": True})}))
"""
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
