"""The leaf explorer: its numbers against the library by hand and against IB03, its controls, own tables."""

import warnings

import numpy as np
import pandas as pd
import pytest
from ppdm.widgets import LeafNoiseExplorer
from ppdm.widgets.leaves import IDLE, STRENGTHS
from ppdm.widgets.leaves_view import KNOWS, MOST_OWN, TECHNIQUES, LeafCase, code_of, intruder, released

from ppdm.data import load
from ppdm.disguise import LeafNoise, PrivacyWarning
from ppdm.measure import CaseIntruder, tree_similarity
from ppdm.studies import ib03, ib03_attributes
from ppdm.trees import C45Classifier

WBC = load("wbc", "first350")
pytestmark = pytest.mark.usefixtures("fresh")


@pytest.fixture(scope="module")
def panel():
    return LeafNoiseExplorer()


@pytest.fixture(scope="module")
def people():
    """A table of one's own: text, numbers, missing values, three classes."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "town": rng.choice(["Ulm", "Ham", "Aue"], 120),
            "height": rng.integers(150, 200, 120),
            "weight": rng.normal(70, 9, 120).round(1),
        }
    )
    X.loc[::9, "weight"] = np.nan
    return X, np.where(X["height"] > 180, "tall", np.where(X["town"] == "Ulm", "swabian", "other"))


def case(technique="random", source="wbc", sample=0, least=2, strength=27.6, seed=1):
    return LeafCase(source, sample, least, technique, strength, seed)


def run(code, **known):
    *lines, last = code.splitlines()
    with warnings.catch_warnings(action="ignore", category=PrivacyWarning):  # rows keep their order
        exec("\n".join(lines), known)
    return eval(last, known)


def told(view):
    """What the code of a view gives, from the view."""
    noise = view.case.noise
    numbers = {"S": view.alike.score, "before": view.right[0], "after": view.right[1], "E(N)": noise.expected}
    if view.case.in_classes:
        numbers |= noise.security()[["changed", "believed"]].mean().to_dict()
    return numbers | (dict(view.intruders["innocent"]) if view.case.in_attributes else {})


@pytest.mark.parametrize(
    "values",
    [
        *({"technique": technique} for technique in TECHNIQUES),
        {"technique": "LIA", "table": "boston", "least": 5, "strength": 50},
        {"technique": "all at once", "table": "boston", "sample": 3, "seed": 7},
        {"technique": "probabilistic", "sample": 20, "least": 40},
    ],
)
def test_the_code_gives_the_numbers(panel, values):
    view = panel.set(**values).view()
    assert run(panel.code()) == pytest.approx(told(view), abs=1e-12)
    assert tuple(view.intruders) == (tuple(KNOWS) if view.case.in_attributes else ())


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_a_case_is_what_the_library_says_by_hand(technique):
    rest = load("wbc").X.index[350:]
    first = C45Classifier(min_leaf=4).fit(WBC.X, WBC.y)
    noise = LeafNoise(first, WBC.X, WBC.y, *TECHNIQUES[technique], 0.5)
    X, y = noise.release(np.random.default_rng(9))
    second = C45Classifier(min_leaf=4).fit(X, y)
    view = released(case(technique, least=4, strength=50, seed=9))
    pd.testing.assert_frame_equal(view.X, X)
    pd.testing.assert_series_equal(view.y, y)
    assert view.second.outline() == second.tree_.outline()
    assert view.alike.score == tree_similarity(first, second, WBC.X).score
    strangers, truth = load("wbc").X.loc[rest], load("wbc").y[rest]
    assert view.right == tuple((tree.predict(strangers) == truth).mean() for tree in (first, second))
    if view.case.in_attributes:
        for knows in KNOWS:
            report = CaseIntruder(noise, X, y, knows).report(ib03_attributes.PERSONS)
            assert intruder(view.case, knows).to_dict() == report[["posterior", "own class"]].mean().to_dict()


def test_the_expected_number_of_changes_is_the_papers_formula(panel):
    noise = panel.view().case.noise
    benign, malignant = noise.counts.to_numpy().T
    assert noise.expected == pytest.approx((2 * benign * malignant / (benign + malignant)).sum())
    said = panel.facts(panel.view())["classes changed"]
    assert said.startswith(f"{noise.expected:.1f} of 350 expected, E(N); ")


def test_random_keeps_the_classes_of_each_leaf_and_innocent_noise_keeps_each_record_in_its_leaf(panel):
    for seed in range(1, 5):
        view = released(case("random", seed=seed))
        noise = view.case.noise
        assert pd.crosstab(noise.leaf, view.y.to_numpy()).to_numpy().tolist() == noise.counts.to_numpy().tolist()
        view = released(case("TIA + LIA", seed=seed, strength=100))
        noise, whole = view.case.noise, view.X.notna().all(axis=1)
        assert (view.case.first.apply(view.X)[whole] == noise.leaf[whole]).all()
        assert (view.y == noise.y).all()


def test_larger_leaves_are_more_mixed_so_more_classes_change():
    expected = [case(least=least).noise.expected for least in (2, 10, 40)]
    assert expected == sorted(expected)
    assert expected[0] < 0.9 * expected[-1]


def test_more_noise_in_attributes_hides_persons_better():
    # One draw each; steps of this size are far beyond the spread between draws.
    found = [intruder(case("TIA + LIA", strength=strength), "innocent") for strength in (5, 27.6, 100)]
    assert found[0]["posterior"] > found[1]["posterior"] + 0.1 > found[2]["posterior"] + 0.2
    assert all(means["own class"] > means["posterior"] for means in found)


def test_random_is_nearer_to_the_tree_than_all_leaves():
    # Ten samples, a draw each: the mean of S falls by about .19, with a standard error of about .05.
    means = [
        np.mean([released(case(technique, sample=number)).alike.score for number in range(1, 11)])
        for technique in ("random", "all leaves")
    ]
    assert means[0] > means[1] + 0.05


def test_sample_0_is_the_papers():
    drawn = case().drawn
    pd.testing.assert_frame_equal(drawn.X, WBC.X)
    lines = [words for words, *_ in released(case(source="boston")).alike.lines()[0]]
    # Figure 2 but for one cut that tells nothing new.
    assert lines[:5] == [
        "LSTAT ≤ 5.49",
        ". RM ≤ 6.485: bottom (5)",
        ". RM > 6.485",
        ". . PTRATIO ≤ 17.8: top (26)",
        ". . PTRATIO > 17.8",
    ]
    assert ". . RM > 7.041: top (10)" in lines
    assert "B" not in case(source="boston").drawn.X


@pytest.mark.parametrize("source", ["wbc", "boston"])
@pytest.mark.parametrize("sample", [0, 1])
def test_strangers_are_all_others(source, sample):
    drawn = case(source=source, sample=sample).drawn
    assert not set(drawn.X.index) & set(drawn.strangers.index)
    assert len(drawn.X) == ib03.SIZES[source]
    assert len(drawn.X) + len(drawn.strangers) == len(load(source).X)
    assert list(drawn.classes.index) == list(drawn.strangers.index)


def test_lines_say_what_became_of_each_rule():
    view = released(case("all leaves"))
    first, second = view.alike.lines()
    fates = view.alike.rules.set_index("leaf_b")["fate"]
    outline = view.second.outline()
    assert [words for words, *_ in second] == list(outline.values())
    for node, (_, fate, _) in zip(outline, second):
        is_leaf = view.second.attribute[node] < 0
        assert fate == (fates.get(node, "in one tree only") if is_leaf else None)
    names = [
        {test.name for place, test in enumerate(tree.attributes) if place in tree.attribute}
        for tree in (view.case.first, view.second)
    ]
    bold = {words.strip(". ").split()[0] for words, _, bold in (*first, *second) if bold}
    assert bold == names[0] ^ names[1]


def test_equal_trees_are_kept_whole():
    equal = next(view for seed in range(1, 21) if (view := released(case(least=10, seed=seed))).alike.score == 1)
    assert all(fate in ("kept", None) and not bold for lines in equal.alike.lines() for _, fate, bold in lines)


@pytest.mark.parametrize(
    "values",
    [
        {"technique": "all at once"},
        {"strength": 50},
        {"least": 3},
        {"table": "boston"},
        {"sample": 5},
        {"seed": 2},
    ],
)
def test_every_control_changes_picture_numbers_and_code(panel, values):
    panel.set(technique="TIA + LIA")
    png, numbers, call, code = panel.png(), panel.numbers(), panel.call(), panel.code()
    panel.set(**values)
    assert panel.png() != png
    assert panel.numbers() != numbers
    assert panel.call() != call
    assert panel.code() != code


def test_the_strength_rests_where_classes_alone_get_noise(panel):
    for technique, (_, innocent) in TECHNIQUES.items():
        panel.technique.value = technique
        assert panel.strength.disabled == (innocent is None)
        assert (panel.strength.tooltip == IDLE) == panel.strength.disabled
    panel.reset()
    assert panel.strength.disabled
    assert not LeafNoiseExplorer("TIA").strength.disabled
    before = panel.numbers()
    assert panel.set(strength=100).numbers() == before


def test_the_strength_stops_at_the_papers_own(panel):
    assert panel.strength.value == 27.6
    assert panel.set(strength=100).state["strength"] == STRENGTHS[-1] == 100
    with pytest.raises(ValueError, match=r"strength is 27; expected one of 5, 10, 15, 20, 25, 27.6, 30"):
        panel.set(strength=27)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_call_makes_the_panel_again(panel, seed):
    rng = np.random.default_rng(seed)
    moved = {}
    for name, control in panel.controls.items():
        places = control.options if hasattr(control, "options") else range(control.min, control.max + 1)
        moved[name] = places[rng.integers(len(places))]
    again = eval(panel.set(**moved).call().splitlines()[-1])
    assert repr(again) == repr(panel)
    assert again.png() == panel.png()


def test_intruders_come_later_and_draw_nothing_anew(panel):
    panel.set(technique="all at once")
    seen = [stage for stage in panel.stages() if stage.view is not None]
    assert [stage.redraw for stage in seen] == [True, False, False]
    first, last = panel.facts(seen[0].view), panel.facts(seen[-1].view)
    assert sum("…" in fact for fact in first.values()) == 2
    assert not any("…" in fact for fact in last.values())
    assert [name for name in first if first[name] == last[name]] == [
        name for name in first if not name.startswith("intruder who knows")
    ]


def test_an_older_tree_is_not_grown_again(panel, monkeypatch):
    panel.set(technique="probabilistic", seed=11)
    numbers = panel.numbers()
    panel.set(seed=12)
    monkeypatch.setattr("ppdm.widgets.leaves_view.C45Classifier", None)
    assert panel.set(seed=11).numbers() == numbers


def test_a_table_of_ones_own(people):
    panel = LeafNoiseExplorer("all at once", own=people)
    assert panel.table.value == "own data"
    drawn = panel.view().case.drawn
    shares = [pd.Series(y).value_counts(normalize=True).sort_index() for y in (drawn.y, people[1])]
    assert np.allclose(*shares, atol=0.02)
    assert len(drawn.X) == 80
    assert run(panel.code(), own=people) == pytest.approx(told(panel.view()), abs=1e-12)
    again = eval(panel.call().splitlines()[-1], {**globals(), "own": people})
    assert repr(again) == repr(panel)
    assert again.png() == panel.png()
    assert panel.set(table="wbc").view().case.source == "wbc"


def test_of_a_long_table_a_sample_is_taken():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.integers(0, 9, MOST_OWN + 50), "b": rng.integers(0, 5, MOST_OWN + 50)})
    own = X, (X["a"] > 4) ^ (rng.random(len(X)) < 0.1)
    panel = LeafNoiseExplorer(own=own)
    drawn = panel.view().case.drawn
    assert len(drawn.X) + len(drawn.strangers) == MOST_OWN
    assert run(panel.code(), own=own) == pytest.approx(told(panel.view()), abs=1e-12)


def test_where_no_attribute_is_innocent_the_panel_says_so():
    X = pd.DataFrame({"a": np.arange(60) % 30})
    panel = LeafNoiseExplorer("TIA", own=(X, np.where(X["a"] > 14, "p", "q")))
    facts = panel.facts(panel.view())
    assert facts["attributes with noise"].startswith("none, because none is innocent; 0.0 of 1")
    assert panel.view().alike.score == 1


def test_a_tree_of_one_leaf_is_shown_too():
    X = pd.DataFrame({"a": np.arange(40) % 5, "b": np.arange(40) % 3})
    panel = LeafNoiseExplorer("TIA + LIA", least=40, own=(X, ["p", "q"] * 20))
    assert [len(lines) for lines in panel.view().alike.lines()] == [1, 1]
    assert panel.png()


def test_numbers_of_many_digits_are_refused_in_place_with_a_way_out():
    X = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 2)), columns=["a", "b"])
    panel = LeafNoiseExplorer(own=(X, ["p", "q"] * 30))
    with pytest.raises(ValueError, match=r"too many digits .*or numbers rounded to fewer digits"):
        panel.set(technique="TIA + LIA")
    assert panel.technique.value == "random"
    assert LeafNoiseExplorer("TIA + LIA", own=(X.round(2), ["p", "q"] * 30)).numbers()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"technique": "Random"}, "technique is 'Random'; expected one of 'random'"),
        ({"strength": 1}, "strength is 1; expected one of 5"),
        ({"least": 1}, r"least is 1; expected a whole number in \[2, 40\]"),
        ({"table": "own data"}, "table is 'own data'; expected one of 'wbc', 'boston'"),
        ({"sample": -1}, "sample is -1"),
        ({"seed": 0}, "seed is 0"),
        ({"own": (WBC.X[:20], WBC.y[:20])}, "own has 20 records; expected at least 30"),
        ({"own": (WBC.X, ["p"] * 350)}, "own.1. has 1 different classes; expected 2 to 7"),
        ({"own": (WBC.X, ["p"] * 348 + ["q"] * 2)}, "own.1. has 2 records of the class 'q'; expected at least 3"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        LeafNoiseExplorer(**arguments)


def test_what_is_of_another_kind_is_refused():
    dates = pd.date_range("2020-01-01", periods=350)
    for own in (5, (WBC.X.assign(day=dates.to_numpy()), WBC.y.to_numpy())):
        with pytest.raises(TypeError, match=r"own|column 'day'"):
            LeafNoiseExplorer(own=own)


def test_a_closed_panel_holds_nothing():
    panel = LeafNoiseExplorer()
    panel.close()
    assert "the panel is closed" in repr(panel)


def test_the_code_of_each_case_names_only_what_it_takes():
    for technique, (method, innocent) in TECHNIQUES.items():
        code = code_of(case(technique))
        assert ("CaseIntruder" in code) == (innocent is not None) == ("noise=0.276" in code)
        assert ("security" in code) == (method is not None)
