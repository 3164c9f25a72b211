"""Attributes taken together: those that tell something are found, by themselves or not, and nothing where all is noise.

Numbers lie in [0, 100]; a class that goes with them changes at 50, whatever interval that lies in.
"""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ppdm.data import quest
from ppdm.disguise import Disguise, GaussianNoise, KeepOrReplace, UniformNoise
from ppdm.reconstruct import Attribute, Column, Search
from ppdm.reconstruct.search import Together, _Halves
from ppdm.studies.as00 import channels_at

SEARCH = Search()
UNIFORM = UniformNoise(half_width=25, low=0, high=100)
GAUSSIAN = GaussianNoise(sd=15, low=0, high=100)
KINDS = list("abcd")
KEPT = KeepOrReplace(keep=0.6, categories=KINDS)


def number(name, values, rng, channel=UNIFORM):
    return Column.of(name, pd.Series(channel.disguise(values, rng)), channel, 20, rng=rng)


def true_number(name, values):
    return Column.of(name, pd.Series(values), cuts=np.arange(5, 100, 5))


def true_codes(attribute, codes):
    return Column(attribute, np.arange(attribute.n_values + 1) - 0.5, codes)


def classes_of(y, classes=2):
    return true_codes(Attribute.categorical("class", range(classes)), y)


def find_together(columns, y, classes, search=SEARCH):
    found = search.find(columns, classes_of(y, classes))
    return found and found[0]


def found_grid(columns, y, classes, search=SEARCH):
    return search.find(columns, classes_of(y, classes))[1]


def kept(name, codes, rng, channel=KEPT, order=None):
    seen = channel.disguise(np.array(channel.categories)[codes], rng)
    values = (
        pd.Series(seen, dtype=object) if order is None else pd.Series(pd.Categorical(seen, order, ordered=True))
    )
    return Column.of(name, values, channel, rng=rng)


def columns_of(n, seed, names="abcde", channel=UNIFORM):
    """True values that are independent, and columns of them, disguised."""
    rng = np.random.default_rng(seed)
    true = {name: rng.uniform(0, 100, n) for name in names}
    return true, {name: number(name, values, rng, channel) for name, values in true.items()}, rng


def either_or(one, two):
    return ((one > 50) ^ (two > 50)).astype(int)


def test_it_finds_age_and_salary_for_function_2():
    X, y = quest(10_000, function=2, rng=1)
    channels = channels_at("Gaussian", 1.0)
    S, rng = Disguise(channels, random_state=2).fit_transform(X), np.random.default_rng(0)
    columns = {name: Column.of(name, S[name], channel, 50, rng=rng) for name, channel in channels.items()}
    found = find_together(columns, (y == "B").to_numpy().astype(int), 2)
    # The commission tells of the salary, which it depends on.
    assert {"age", "salary"} <= set(found.intervals) <= {"age", "salary", "commission"}
    assert found.gain > 200


@pytest.mark.parametrize("channel", [UNIFORM, GAUSSIAN], ids=["uniform", "Gaussian"])
@pytest.mark.parametrize("seed", range(3))
def test_it_finds_two_attributes_neither_of_which_tells_anything_alone(channel, seed):
    true, columns, _ = columns_of(3000, seed, channel=channel)
    y = either_or(true["b"], true["d"])
    for name in "bd":
        assert find_together({name: columns[name]}, y, 2) is None
    assert set(find_together(columns, y, 2).intervals) == {"b", "d"}


@pytest.mark.parametrize("n", [100, 1000, 10_000])
@pytest.mark.parametrize("seed", range(4))
def test_where_nothing_tells_of_the_classes_there_is_none(n, seed):
    _, columns, rng = columns_of(n, seed, "abc")
    columns["kept"] = kept("kept", rng.integers(0, 4, n), rng)
    columns["true"] = true_number("true", rng.uniform(0, 100, n))
    assert find_together(columns, rng.integers(0, 2, n), 2) is None


def test_what_hides_all_tells_nothing():
    true, columns, rng = columns_of(3000, 1, "a", UniformNoise(half_width=1e6, low=0, high=100))
    codes = (true["a"] // 25).astype(int)
    columns["kept"] = kept("kept", codes, rng, KeepOrReplace(keep=0.25, categories=KINDS))
    assert find_together(columns, (true["a"] > 50).astype(int), 2) is None


def test_an_attribute_that_is_not_disguised_goes_with_one_that_is():
    true, columns, rng = columns_of(3000, 2, "ab")
    bare = rng.uniform(0, 100, 3000)
    columns["bare"] = true_number("bare", bare)
    found = find_together(columns, either_or(true["a"], bare), 2)
    assert set(found.intervals) == {"a", "bare"}


@pytest.mark.parametrize("order", [None, KINDS], ids=["nominal", "ordered"])
def test_categories_that_are_kept_or_replaced_go_with_a_number(order):
    true, columns, rng = columns_of(6000, 3, "ab")
    codes = rng.integers(0, 4, 6000)
    columns["kept"] = kept("kept", codes, rng, order=order)
    y = (true["a"] > 50) ^ (codes >= 2)
    found = find_together(columns, y.astype(int), 2)
    assert set(found.intervals) == {"a", "kept"}


def test_three_attributes_that_only_together_tell_all():
    true, columns, _ = columns_of(10_000, 4)
    y = ((true["a"] > 50) & (true["c"] > 50) & (true["e"] > 50)).astype(int)
    assert set(find_together(columns, y, 2).intervals) == set("ace")


@pytest.mark.parametrize("classes", [3, 5])
def test_more_than_two_classes(classes):
    true, columns, _ = columns_of(6000, 5)
    y = ((true["a"] + true["b"]) / 200 * classes).astype(int)
    assert set(find_together(columns, y, classes).intervals) == {"a", "b"}


def test_the_grid_stays_within_its_bounds():
    # Six attributes tell as much each, with little noise, so that finer and finer grids are worth it.
    true, columns, _ = columns_of(20_000, 6, "abcdef", UniformNoise(half_width=5, low=0, high=100))
    y = (sum(true.values()) / 600 > 0.5).astype(int)
    found, grid = SEARCH.find(columns, classes_of(y))
    assert len(found.intervals) in (SEARCH.max_together - 1, SEARCH.max_together)
    assert set(found.intervals.values()) <= {min(rung, 20) for rung in SEARCH.sizes}
    assert 1 <= found.steps <= SEARCH.steps[1]
    assert math.prod(grid.seen_shape) <= SEARCH.cells[1]
    assert grid.counts().sum() == 20_000


@pytest.mark.parametrize("most", [500, 700])
def test_a_finer_grid_is_not_tried_where_it_has_too_many_cells(most):
    true, columns, _ = columns_of(20_000, 6, "ab", UniformNoise(half_width=2, low=0, high=100))
    y = (true["a"] + true["b"] > 100).astype(int)
    free = found_grid(columns, y, 2)
    assert 700 < math.prod(free.seen_shape) <= SEARCH.cells[1]
    bounded = found_grid(columns, y, 2, Search(cells=(2**16, most)))
    assert most / 2 < math.prod(bounded.seen_shape) <= most


def test_the_gain_is_that_of_the_held_out_classes():
    # A column of two values, kept as they are, and the class is the value with chance 0.8: what a record's class is,
    # given its value, has the entropy of that chance; four standard errors of the sum, 5,000 × log 2 less that entropy.
    rng = np.random.default_rng(7)
    values = rng.integers(0, 2, 10_000)
    y = values ^ (rng.random(10_000) < 0.2)
    channel = KeepOrReplace(keep=1, categories=[0, 1])
    columns = {"x": Column.of("x", pd.Series(values), channel, rng=rng)}
    found = find_together(columns, y, 2)
    chances = np.array([0.8, 0.2])
    entropy = -(chances * np.log(chances)).sum()
    error = np.sqrt(5000 * (chances * np.log(chances) ** 2).sum() - 5000 * entropy**2)
    assert found.gain == pytest.approx(5000 * (math.log(2) - entropy), abs=4 * error)
    assert found.steps == 1


def test_what_was_found_is_worth_its_grid():
    true, columns, _ = columns_of(3000, 8, "ab")
    found = find_together(columns, (true["a"] > 50).astype(int), 2)
    assert "a" in found.intervals
    assert found.gain >= SEARCH.worth


def test_the_same_seed_gives_the_same_answer():
    true, columns, _ = columns_of(3000, 9)
    y = either_or(true["a"], true["b"])
    assert (
        find_together(columns, y, 2)
        == find_together(columns, y, 2)
        == find_together(columns, y, 2, Search(seed=0))
    )
    other = find_together(columns, y, 2, Search(seed=1))
    assert set(other.intervals) == {"a", "b"}  # another half, the same attributes


def reordered(column, order):
    return replace(column, seen=column.seen[order], ranks=column.ranks[order])


@pytest.mark.parametrize("of", [lambda y: np.argsort(y, kind="stable"), lambda y: np.argsort(-y, kind="stable")])
def test_records_may_be_sorted_by_class(of):
    true, columns, _ = columns_of(4000, 10)
    y = either_or(true["a"], true["c"])
    order = of(y)
    found = find_together({name: reordered(column, order) for name, column in columns.items()}, y[order], 2)
    other = find_together(columns, y, 2)
    assert set(found.intervals) == set(other.intervals) == {"a", "c"}
    # Other halves by lot: within four standard errors, of 2,000 records whose log-likelihood ratios are below 2.
    assert found.gain == pytest.approx(other.gain, abs=4 * 2 * math.sqrt(2000))


@pytest.mark.parametrize("n", [2, 3, 10])
@pytest.mark.parametrize("classes", [2, None], ids=["two classes", "a class a record"])
def test_few_records(n, classes):
    _, columns, rng = columns_of(n, 11, "ab")
    columns["kept"] = kept("kept", rng.integers(0, 4, n), rng)
    columns["true"] = true_number("true", np.linspace(0, 99, n))
    y = np.arange(n) % (classes or n)
    found = find_together(columns, y, classes or n)
    assert found is None or found.gain >= SEARCH.worth


@pytest.mark.parametrize("channel", [UNIFORM, GAUSSIAN], ids=["uniform", "Gaussian"])
def test_one_column(channel):
    true, columns, _ = columns_of(2000, 12, "a", channel)
    found = find_together(columns, (true["a"] > 50).astype(int), 2)
    assert list(found.intervals) == ["a"]
    assert found.intervals["a"] >= SEARCH.intervals


def test_a_column_with_a_single_value_does_no_harm():
    true, columns, rng = columns_of(2000, 13, "a")
    y = (true["a"] > 50).astype(int)
    constant = {
        "bare": true_codes(Attribute.numeric("bare", []), np.zeros(2000, dtype=int)),
        "noisy": number("noisy", np.full(2000, 30.0), rng),
        "one": true_codes(Attribute.categorical("one", ["only"]), np.zeros(2000, dtype=int)),
    }
    assert find_together(constant, y, 2) is None
    assert "a" in find_together({**constant, **columns}, y, 2).intervals


def test_nominal_attributes_of_many_categories_are_left_out():
    rng = np.random.default_rng(14)
    codes = rng.integers(0, 30, 6000)
    names = [f"v{code:02}" for code in range(30)]
    channel = KeepOrReplace(keep=0.8, categories=names)
    y = (codes >= 15).astype(int)
    columns = {
        "kept": kept("kept", codes, rng, channel),
        "bare": true_codes(Attribute.categorical("bare", names), codes),
    }
    assert find_together(columns, y, 2) is None
    # In an order they have neighbours, and can be cut coarsely.
    ordered = kept("kept", codes, rng, channel, names)
    assert list(find_together({"kept": ordered}, y, 2).intervals) == ["kept"]


def test_no_columns_that_are_usable():
    assert find_together({}, np.array([0, 1]), 2) is None


def test_a_grid_has_the_axes_in_the_order_in_which_they_were_found():
    _, columns, _ = columns_of(50, 15, "abc")
    y = np.arange(50) % 2
    _, grid = SEARCH.find(columns, classes_of(y), {"c": 4, "a": 6})
    assert [column.attribute.name for column in grid.columns] == ["class", "c", "a"]
    assert grid.shape == (2, 4, 6)
    assert np.array_equal(grid.columns[2].seen, columns["a"].coarse(6, 7).seen)


def test_the_grid_with_all_records_is_cut_as_it_was_judged():
    # Of three values that noise spreads there are more seen intervals than true ones; nominal and true attributes have
    # as many, and more than a search cuts others in at first.
    rng = np.random.default_rng(16)
    few, names = UniformNoise(half_width=2, low=1, high=3, step=1), list("abcdefghij")
    level, code = rng.integers(1, 4, 8000), rng.integers(0, 10, 8000)
    age, bare = rng.uniform(0, 100, (2, 8000))
    columns = {
        "level": number("level", level, rng, few),
        "age": number("age", age, rng),
        "code": kept("code", code, rng, KeepOrReplace(keep=0.8, categories=names)),
        "bare": true_number("bare", bare),
    }
    y = either_or(age, 25 * level) + 2 * either_or(10 * code, bare)
    found, grid = SEARCH.find(columns, classes_of(y, 4))
    assert set(found.intervals) == set(columns)
    sizes = {axis.attribute.name: axis.sizes for axis in grid.columns}
    assert {name: true for name, (true, _) in sizes.items() if name != "class"} == found.intervals
    assert sizes["level"][0] == 3 < sizes["level"][1]
    assert sizes["code"] == (10, 10)


@pytest.mark.parametrize(("gains", "found"), [({12: 0, 16: 3, 20: 9}, 20), ({12: 0, 16: 3, 20: 3, 24: 99}, 12)])
def test_one_grid_that_is_not_worth_it_is_passed_over(gains, found, monkeypatch):
    # Beyond 20 intervals there are no more values; after two that are not worth it, the next is not tried.
    columns = {"a": columns_of(200, 17, "a")[1]["a"]}
    search = _Halves(SEARCH, columns, classes_of(np.arange(200) % 2))
    trial = lambda axes, _cap: (Together(dict(axes), 1, gains[axes[0][1]]), None)  # noqa: E731
    monkeypatch.setattr(search, "trial", trial)
    assert search.refined(("a",))[0].intervals == {"a": found}


def test_no_grid_is_tried_twice():
    rng = np.random.default_rng(18)
    names = list("abcdefghij")
    columns = {
        "nominal": kept("nominal", rng.integers(0, 10, 500), rng, KeepOrReplace(keep=0.8, categories=names)),
        "true": true_codes(Attribute.numeric("true", np.arange(13)), rng.integers(0, 14, 500)),
    }
    search = _Halves(SEARCH, columns, classes_of(np.arange(500) % 2))
    assert list(search.finer((("nominal", 8), ("true", 8)), 0)) == []
    # 20 would be the 14 values again.
    assert list(search.finer((("nominal", 8), ("true", 12)), 1)) == [(("nominal", 8), ("true", 16))]


def exclusive(n, seed, noise=0.5):
    """Two numbers that tell of a class together only, a third that tells nothing; and what is seen of them."""
    rng = np.random.default_rng(seed)
    true = {name: rng.uniform(0, 100, n) for name in "xzw"}
    channel = UniformNoise.at_privacy(noise, low=0, high=100)
    columns = {
        name: Column.of(name, pd.Series(channel.disguise(values, rng)), channel, 30, rng=rng)
        for name, values in true.items()
    }
    return rng, true, columns


@pytest.mark.parametrize("seed", [1, 2])
def test_a_single_record_of_another_class_changes_nothing(seed):
    _, true, columns = exclusive(4000, seed)
    y = ((true["x"] > 50) ^ (true["z"] > 50)).astype(int)
    y[0] = 2
    assert set(find_together(columns, y, 3).intervals) == {"x", "z"}


def test_a_strong_attribute_does_not_hide_a_pair():
    rng, true, columns = exclusive(8000, 3)
    kept = KeepOrReplace(keep=0.9, categories=[0, 1, 2])
    c = rng.integers(0, 3, 8000)
    columns["c"] = Column.of("c", pd.Series(kept.disguise(c, rng), dtype=object), kept, rng=rng)
    y = np.where(c == 0, 2, (true["x"] > 50) ^ (true["z"] > 50))
    assert set(find_together(columns, y, 3).intervals) == {"x", "z", "c"}


@pytest.mark.parametrize("seed", range(5))
def test_an_attribute_that_tells_nothing_does_not_join_by_chance(seed):
    # By chance it would join if it had to be worth nothing: without that condition in 8 of 20 runs of nine columns.
    _, true, columns = exclusive(2000, seed)
    assert set(find_together(columns, (true["x"] > 50).astype(int), 2).intervals) == {"x"}


def test_true_cells_are_bounded_too():
    rng = np.random.default_rng(4)
    wide = UniformNoise(half_width=1000, low=0, high=1)
    values = {name: rng.uniform(0, 1, 500) for name in "abcdef"}
    columns = {n: Column.of(n, pd.Series(wide.disguise(v, rng)), wide, 50, rng=rng) for n, v in values.items()}
    search = _Halves(SEARCH, columns, classes_of(rng.integers(0, 2, 500)))
    for rung in SEARCH.sizes:
        if search.fits([(name, rung) for name in "abcdef"], SEARCH.cells[1]):
            assert 2 * rung**6 <= SEARCH.cells[1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"max_together": 0}, ValueError, r"max_together is 0; expected a whole number in \[1, inf\)"),
        ({"intervals": 1}, ValueError, "intervals is 1"),
        ({"mix_steps": 0}, ValueError, "mix_steps is 0"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"seen_per_true": 0}, ValueError, r"seen_per_true is 0; expected a number in \(0, inf\)"),
        ({"worth": math.nan}, ValueError, "worth is nan"),
        ({"cells": (5,)}, ValueError, r"cells is \(5,\) and steps is .*; expected two numbers each"),
        ({"steps": (0, 1)}, ValueError, "steps is 0"),
        ({"steps": 3}, TypeError, "steps is 3; expected a list of whole numbers"),
        ({"sizes": (5, 3)}, ValueError, r"sizes is \(5, 3\); expected numbers that increase from at most 12 on"),
        ({"sizes": ()}, ValueError, r"sizes is \(\)"),
        ({"sizes": (20, 30)}, ValueError, r"sizes is \(20, 30\)"),
        ({"sizes": (3, 4.5)}, TypeError, "sizes is 4.5"),
    ],
)
def test_a_search_that_could_find_nothing_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Search(**arguments)
