"""The report of a release: verdicts, what it must never show, and a page that a browser reads without complaint."""

import hashlib
import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from ppdm import data
from ppdm.disguise import PrivacySpecification, PrivacyWarning, SpecificationError
from ppdm.measure import information_gain, release_report
from ppdm.measure.release import ReleaseReport

PIMA = data.load("pima")
TABLE = PIMA.X.assign(**{"class": PIMA.y})
OTHERS = [column for column in PIMA.X if column != "age"]
VOID = {"br", "hr", "meta", "link", "img", "input"}


def reported(table=TABLE, seed=1, quick=False, **given):
    """A release by a specification, and its report."""
    specification = PrivacySpecification({"class": "class", "others": "keep", **given}, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        released = specification.release(table)
    return release_report(specification, table, released, quick), released


def of_age(seed=1, quick=False, **entry):
    report, _ = reported(
        seed=seed,
        quick=quick,
        known=OTHERS,
        threshold=0.6,
        columns={"age": {"sensitive": True, "tolerance": 3, **entry}},
    )
    return report


# Far enough from the threshold for two standard errors and any seed.
HELD = {
    "dropped": {"action": "drop"},
    "shuffled": {"action": "shuffle"},
    "shuffled within class": {"action": "shuffle", "within": "class"},
    "Gaussian 100 %": {"action": "add", "privacy": 1.0},
    "uniform 100 %": {"action": "add", "noise": "uniform", "privacy": 1.0},
}
# Held on average, but with some seeds the two standard errors reach above the threshold.
NEAR = {
    "Gaussian 50 %": {"action": "add", "privacy": 0.5},
    "uniform 50 %": {"action": "add", "noise": "uniform", "privacy": 0.5},
    "multiplied": {"action": "multiply", "noise": "gaussian", "sd": 0.276},
}
PASSED = {
    "MDLP": {"action": "discretise", "min_group": 5},
    "equal frequency": {"action": "discretise", "method": "frequency", "intervals": 5},
    "equal width": {"action": "discretise", "method": "width", "intervals": 10},
    "kernel": {"action": "redraw", "density": "kernel"},
    "a small factor": {"action": "multiply", "noise": "gaussian", "sd": 0.05},
    "little noise": {"action": "add", "privacy": 0.25},
}


@pytest.mark.parametrize("how", HELD | PASSED)
def test_the_verdict_on_the_age(how):
    report = of_age(**(HELD | PASSED)[how])
    row = report.columns.loc["age"]
    assert row["verdict"] == ("held" if how in HELD else "not held")
    assert row["baseline"] == pytest.approx(0.432, abs=5e-4)
    most = max(row[["named", "inferred"]] + 2 * np.sqrt([x * (1 - x) / 768 for x in row[["named", "inferred"]]]))
    assert row["at most"] == pytest.approx(most)
    assert (most <= 0.6) == (how in HELD)
    assert report.held == (how in HELD and not row["complete"])


@pytest.mark.parametrize("how", NEAR)
def test_the_verdict_near_the_threshold_is_mostly_held(how):
    rows = [of_age(seed, quick=True, **NEAR[how]).columns.loc["age"] for seed in range(9)]
    assert sum(row["at most"] <= 0.6 for row in rows) >= 5
    for row in rows:
        assert row["at most"] == pytest.approx(
            row["named"] + 2 * np.sqrt(row["named"] * (1 - row["named"]) / 768)
        )
        assert (row["at most"] > 0.6) == (row["verdict"] == "not held")


def test_what_is_quick_leaves_out_what_takes_long():
    report = of_age(quick=True, action="shuffle")
    assert report.utility.empty
    open_ = ["inferred", "at most", "verdict"]
    assert report.columns.loc["age", ["inferred", "verdict"]].isna().all()
    # What others tell may pass a threshold that links do not.
    assert report.held is None
    assert report.summary == "Not judged: what other columns tell of age."
    assert not any("sha256" in fact for fact in report.facts.index)
    whole = of_age(action="shuffle").columns.drop(columns=open_)
    pd.testing.assert_frame_equal(report.columns.drop(columns=open_), whole)


def test_a_known_column_that_moved_along_finds_the_sensitive_one():
    rng = np.random.default_rng(1)
    n = 600
    table = pd.DataFrame(
        {"zip": rng.permutation(n), "disease": rng.choice(list("abcdef"), n), "class": ["a", "b"] * 300}
    )
    columns = {"disease": {"sensitive": True, "action": "shuffle", "with": ["zip"]}}
    report, released = reported(table, known=["zip"], threshold=0.6, columns=columns)
    found = released.set_index("zip")["disease"].reindex(table["zip"])
    assert (found.to_numpy() == table["disease"]).all()  # by zip everybody's disease is found
    assert report.columns.loc["disease", ["named", "certain", "fixed"]].tolist() == [1, 1, 1]
    assert report.held is False
    # Who knows the row is believed to know what moved along with it, too.
    assert reported(table, threshold=0.6, quick=True, columns=columns)[0].columns.loc["disease", "named"] == 1
    # Who does not know the zip learns nothing by it.
    for known in ([], ["class"]):
        row = reported(table, known=known, threshold=0.6, columns=columns)[0].columns.loc["disease"]
        assert row["named"] == pytest.approx(row["baseline"])
        assert row["inferred"] < 0.3  # a sixth by chance; the zip of another person is no help
        assert row["verdict"] == "held"


@pytest.mark.parametrize("within", [None, "class"])
@pytest.mark.parametrize("known", [["town"], ["town", "class"], ["town", "plas"]])
def test_what_moved_along_names_as_a_slow_reading_says(known, within):
    rng = np.random.default_rng(2)
    n = 40
    table = pd.DataFrame(
        {"town": rng.integers(0, 6, n), "ill": rng.choice(list("abcd"), n), "plas": rng.integers(0, 3, n)}
    )
    table["class"] = rng.choice(["no", "yes"], n)
    entry = {"sensitive": True, "action": "shuffle", "with": ["town"], "within": within}
    report, released = reported(table, known=known, quick=True, columns={"ill": entry})
    named = fixed = 0
    for _, person in table.iterrows():
        told = released[released["town"] == person["town"]]
        if within in known:
            told = told[told["class"] == person["class"]]
        shares = told["ill"].value_counts().sort_index()
        named += shares.idxmax() == person["ill"]
        fixed += len(shares) == 1
    row = report.columns.loc["ill"]
    assert row[["named", "fixed"]].tolist() == pytest.approx([named / n, fixed / n])


def test_whatever_is_done_to_a_column_the_others_tell_it():
    table = TABLE.assign(months=12 * TABLE["age"] + 5)
    rows = {}
    for action in ({"action": "drop"}, {"action": "shuffle"}, {"action": "shuffle", "within": "class"}):
        entry = {"sensitive": True, "tolerance": 3, **action}
        rows[repr(action)] = reported(table, known=["plas"], threshold=0.6, columns={"age": entry})[
            0
        ].columns.loc["age"]
    shares = {row["inferred"] for row in rows.values()}
    assert len(shares) == 1
    assert shares.pop() > 0.8
    assert {row["verdict"] for row in rows.values()} == {"not held"}


def test_without_known_columns_the_row_is_known():
    entry = {"sensitive": True, "tolerance": 3, "action": "redraw", "density": "kernel"}
    rows, sentences = [], []
    for given in ({}, {"known": []}, {"known": OTHERS}):
        report = reported(threshold=0.6, quick=True, columns={"age": entry}, **given)[0]
        rows.append(report.columns.loc["age"])
        page = report.to_html()
        risks = page.index("What an intruder learns of people")
        sentences.append(page[page.index("<p>", risks) + 3 : page.index("</p>", risks)])
    row, nothing, others = rows
    assert min(row["named"], others["named"]) >= 0.95
    assert row["verdict"] == others["verdict"] == "not held"
    assert nothing["named"] == pytest.approx(nothing["baseline"])
    begin = "He knows the release, its specification, and of a person "
    known = ["which row is theirs", "nothing", f"the true values of {', '.join(OTHERS)}"]
    assert sentences == [f"{begin}{what}." for what in known]


def test_who_knows_the_row_knows_its_group():
    entry = {"sensitive": True, "tolerance": 3, "action": "shuffle", "within": "class"}
    row = reported(quick=True, columns={"age": entry})[0].columns.loc["age"]
    assert row["named"] == pytest.approx(0.447, abs=5e-4)


@pytest.mark.parametrize("missing", [0, 3])
def test_groups_of_one_are_disclosed_and_one_without_a_value_is_not(missing):
    weight = pd.Series(np.arange(33.0))
    weight[:missing] = np.nan
    # Three records share the last group: a specification that leaves each record alone is refused.
    table = pd.DataFrame({"weight": weight, "id": [*range(30), 30, 30, 30], "class": ["a", "b", "b"] * 11})
    entry = {"sensitive": True, "action": "shuffle", "within": "id"}
    # Warnings of NumPy are errors here.
    report, _ = reported(table, known=["id"], columns={"weight": entry}, quick=True)
    assert report.columns.loc["weight", ["named", "complete"]].tolist() == [1, 30 - missing]
    assert report.held is False
    dropped, _ = reported(table, columns={"weight": {"sensitive": True, "action": "drop"}}, quick=True)
    assert dropped.columns.loc["weight", "complete"] == 0


def test_the_bins_of_a_column_are_computed_once(monkeypatch):
    asked = []
    quantile = pd.Series.quantile
    monkeypatch.setattr(pd.Series, "quantile", lambda *a, **k: asked.append(a[0].name) or quantile(*a, **k))
    reported(quick=True, columns={"age": {"action": "add", "privacy": 0.5}, "preg": {"action": "drop"}})
    assert sorted(asked) == sorted(PIMA.X)


def test_the_page_says_which_gain_it_is():
    page = of_age(quick=True, action="shuffle").to_html()
    assert "What a miner keeps (gain in bits; numbers in 20 bins)" in page


KINDS = {
    "whole": lambda rng, n: rng.integers(1, rng.integers(3, 40), n),
    "float": lambda rng, n: rng.normal(5, 2, n).round(2),
    "text": lambda rng, n: pd.Series(rng.choice(list("abc"), n), dtype="str"),
    "object": lambda rng, n: pd.Series(rng.choice(["a", "b", None], n), dtype=object),
    "ordered": lambda rng, n: pd.Categorical(rng.choice(list("xyz"), n), list("zyxw"), ordered=True),
    "flag": lambda rng, n: rng.random(n) < 0.5,
    "gaps": lambda rng, n: np.where(rng.random(n) < 0.3, np.nan, rng.integers(0, 6, n)),
    "constant": lambda _, n: np.zeros(n),
    "unique": lambda rng, n: rng.permutation(n),
}
DONE_TO = (
    {"action": "drop"},
    {"action": "shuffle"},
    {"action": "shuffle", "within": "class"},
    {"action": "shuffle", "within": "kept"},
    {"action": "shuffle", "with": ["along"]},
    {"action": "discretise", "method": "frequency", "intervals": 3},
    {"action": "add", "privacy": 0.5},
    {"action": "multiply", "sd": 0.3},
    {"action": "redraw"},
    {"action": "replace", "keep": 0.6},
    {"action": "generalise", "min_group": 3},
)


@pytest.mark.parametrize("entry", DONE_TO, ids=lambda entry: "-".join(map(str, entry.values())))
def test_small_tables_of_any_kind_are_reported(entry):
    """Two columns, changed in one way and in another; columns that an action refuses are passed over."""
    reports = 0
    for kind in KINDS:
        for seed in range(3):
            rng = np.random.default_rng([seed, len(kind)])
            n = int(rng.integers(6, 40))
            names = ["kept", "along", "other", "secret"]
            kinds = rng.choice(list(KINDS), 3).tolist()
            table = pd.DataFrame({name: KINDS[one](rng, n) for name, one in zip(names, [*kinds, kind])})
            table["class"] = rng.choice(["y", "n"], n)
            columns = {"secret": {"sensitive": True, "tolerance": 1, **entry}}
            columns["other"] = {"sensitive": True, **DONE_TO[rng.integers(3)]}
            known = (None, [], ["kept", "other"], ["along"])[rng.integers(4)]
            given = {} if known is None else {"known": known}
            try:
                report, _ = reported(table, quick=kind != "text", threshold=0.5, k=2, columns=columns, **given)
            except SpecificationError:
                continue
            reports += 1
            rows = report.columns.dropna(subset="baseline")
            assert rows[["named", "certain", "baseline"]].max(axis=None) <= 1 + 1e-9
            assert (rows["fixed"] <= rows["named"]).all()
            page_of(report)
    assert reports >= 5


def test_the_sensitive_value_itself_is_not_what_finds_the_record():
    columns = {"age": {"sensitive": True, "action": "discretise", "method": "frequency", "intervals": 5}}
    alone, with_age = (
        reported(quick=True, known=known, columns=columns)[0].columns.loc["age", "named"]
        for known in (["pres"], ["pres", "age"])
    )
    assert alone == with_age < 0.6


def test_a_record_alone_in_its_interval_is_told():
    report = of_age(action="discretise", method="width", intervals=10, threshold=1.0)
    assert report.columns.loc["age", "verdict"] == "held"  # the threshold allows that all are named
    assert report.columns.loc["age", "complete"] == 1
    assert "age: complete disclosures of 1 records" in report.summary


def test_without_a_threshold_complete_disclosures_are_judged_alone():
    report, _ = reported(
        columns={"age": {"sensitive": True, "action": "discretise", "method": "width", "intervals": 10}}
    )
    assert report.held is False
    told = "age: complete disclosures of 1 records"
    untold = "Not judged: age, for which no threshold is set."
    assert report.summary == f"Not held: {told}. {untold}"
    assert report.columns["verdict"].isna().all()
    shuffled, _ = reported(columns={"age": {"sensitive": True, "action": "shuffle"}})
    assert shuffled.held is None
    assert shuffled.summary == untold
    assert repr(shuffled) == f"ReleaseReport({shuffled.summary})"
    for threshold in (None, 0.5):
        nothing, _ = reported(threshold=threshold)
        assert nothing.held is None
        assert nothing.summary == "Not judged: what is named, because no column is declared sensitive."


def test_k_is_judged_by_what_was_released():
    cut = {"action": "discretise", "method": "frequency", "intervals": 3}
    known = ["plas", "mass"]
    report, released = reported(known=known, k=5, columns=dict.fromkeys(known, cut))
    sizes = released.groupby(known, observed=True).size()
    before = TABLE.groupby(known).size()
    names = ["k (smallest group of equal known columns) before", "k after", "records alone in their group before"]
    assert report.facts[names].tolist() == [before.min(), sizes.min(), (before == 1).sum()]
    assert report.held is True
    told = "Held: k is as asked for. Not judged: {}."
    assert report.summary == told.format("what is named, because no column is declared sensitive")
    columns = {**dict.fromkeys(known, cut), "age": {"sensitive": True, "action": "drop"}}
    shown = reported(known=known, k=5, columns=columns)[0]
    assert shown.summary == told.format("age, for which no threshold is set")
    assert shown.held is True
    assert reported(known=known, k=700, columns=dict.fromkeys(known, cut))[0].summary == (
        f"Not held: k is {sizes.min()}, and 700 is asked for. Not judged: what is named, because no column is "
        "declared sensitive."
    )


@pytest.mark.parametrize("known", [["age"], ["age", "plas"], [], None])
def test_where_k_means_nothing_it_is_not_judged(known):
    columns = {"age": {"action": "shuffle"}, "preg": {"sensitive": True, "action": "drop", "tolerance": 2}}
    for threshold, held in ((0.9, None), (0.1, False)):
        report, _ = reported(known=known, k=5, threshold=threshold, columns=columns)
        assert report.facts[["k after", "records alone after"]].isna().all()
        assert report.facts["records alone in their group before"] > 0 or not known
        assert report.held is held
        open_ = "Not judged: k, because known columns are noisy or shuffled, or none is declared."
        assert report.summary.endswith(open_)
        assert report.summary.startswith(f"{'Not judged: k' if held is None else 'Not held: preg: up to'}")


def test_a_threshold_below_the_baseline_is_told():
    report = of_age(action="drop", threshold=0.4)
    assert "age: no release holds the threshold: the marginal alone names 43.2 %." in report.warnings
    assert report.held is False


def test_what_changed_is_counted():
    entry = {"action": "shuffle", "within": "class"}
    report, released = reported(
        columns={"age": entry, "mass": {"action": "add", "privacy": 0.5}, "preg": {"action": "drop"}}
    )
    row = report.columns.loc["age"]
    assert row["changed"] == (released["age"] != TABLE["age"]).mean()
    assert row["mean change"] == pytest.approx((released["age"] - TABLE["age"]).abs().mean())
    assert row["distance"] == 0  # every value is there as often as before
    assert row["gain after"] == pytest.approx(row["gain before"])  # in either class, too
    assert report.columns.loc["mass", "distance"] > 0.02
    assert report.columns.loc["mass", "gain after"] < report.columns.loc["mass", "gain before"]
    assert report.columns.loc["preg", ["values after", "changed", "gain after"]].isna().all()
    kept = report.columns.loc[["plas", "class"]]
    assert (kept[["changed", "distance"]] == 0).all(axis=None)
    assert kept["values after"].tolist() == [TABLE["plas"].nunique(), 2]
    assert report.columns["role"].tolist() == [*[""] * 8, "class"]


def test_gains_are_those_of_bins_or_of_labels():
    votes = data.load("votes")
    table = votes.X.assign(**{"class": votes.y})
    report, _ = reported(table, columns={"v1": {"action": "drop"}})
    filled = table["v4"].astype(object).fillna("missing")
    assert report.columns.loc["v4", "gain before"] == pytest.approx(information_gain(filled, table["class"]))
    assert "v4 has missing values in what was released." in report.warnings
    # A label that is a number is no number.
    cut = {"action": "discretise", "method": "frequency", "intervals": 4, "label": "code"}
    report, released = reported(columns={"age": cut})
    assert report.columns.loc["age", "gain after"] == pytest.approx(
        information_gain(released["age"], released["class"])
    )
    assert report.columns.loc["age", ["mean change", "distance"]].isna().all()


def test_a_value_that_is_frequent_is_a_bin():
    gains = pd.Series([0.0] * 700 + [1.0, 2.0] * 34)
    classes = np.where(gains > 0, "b", "a")
    report, _ = reported(pd.DataFrame({"gains": gains, "class": classes, "rest": 1}))
    assert report.columns.loc["gains", "gain before"] == pytest.approx(information_gain(gains > 0, classes))


def test_a_tree_is_the_same_if_nothing_changed():
    report, released = reported()
    assert released.equals(TABLE)
    kept = report.utility[["accuracy", "leaves"]]
    assert kept.loc["before"].equals(kept.loc["after"])
    assert 0.7 < kept.loc["before", "accuracy"] < 0.8
    assert report.facts["largest change of a correlation"] == 0
    assert reported(columns={"plas": {"action": "drop"}})[0].utility["accuracy"].diff().iloc[1] < -0.02


def test_without_a_class_there_is_no_tree():
    specification = PrivacySpecification(
        {"others": "keep", "columns": {"age": {"sensitive": True, "action": "drop"}}}
    )
    report = release_report(specification, PIMA.X, specification.release(PIMA.X))
    assert report.utility.empty
    assert report.columns["gain before"].isna().all()
    assert "C4.5" not in report.to_html()


@pytest.mark.parametrize("labels", [["a"] * 768, ["a"] * 760 + ["b"] * 8, np.arange(768) / 7])
def test_where_classes_cannot_be_learnt_there_is_no_tree(labels):
    report, _ = reported(TABLE.assign(**{"class": labels}), columns={"age": {"action": "shuffle"}})
    assert report.utility.empty
    assert report.columns["gain before"].notna().any()


def test_missing_values_and_groups_of_them_alone_are_taken():
    table = TABLE.assign(age=TABLE["age"].where(TABLE["class"] == "positive"), part=[None, "x", "y"] * 256)
    for entry in (
        {"action": "drop"},
        {"action": "shuffle", "within": "class"},
        {"action": "shuffle", "within": "part"},
        {"action": "discretise", "method": "frequency", "intervals": 4},
    ):
        report, _ = reported(
            table, known=["plas", "part"], threshold=0.9, columns={"age": {"sensitive": True, **entry}}
        )
        row = report.columns.loc["age"]
        assert row[["named", "inferred", "baseline"]].between(0, 1).all()
        # The most frequent values of each class, or part, name no fewer than those of all.
        assert row["named"] >= row["baseline"] - 1e-9
        assert ("age has missing values in what was released." in report.warnings) == (entry["action"] != "drop")


ODD = {
    "dates": lambda n: pd.date_range("2020", periods=n, tz="UTC"),
    "spans": lambda n: pd.to_timedelta(np.arange(n) % 7, unit="D"),
    "missing dates": lambda n: [pd.NaT, *pd.date_range("2020", periods=n - 1)],
    "nullable": lambda n: pd.array([None, *range(n - 1)], "Int64"),
    "flags": lambda n: pd.array([None, True] * (n // 2), "boolean"),
    "mixed": lambda n: np.array([1, "a", 2.5, None] * (n // 4), dtype=object),
    "tuples": lambda n: pd.Series([(1, 2), (3,)] * (n // 2)),
    "complex": lambda n: np.arange(n) + 1j,
    "infinite": lambda n: [np.inf, -np.inf, *range(n - 2)],
    "bytes": lambda n: (np.arange(n) % 127 - 60).astype(np.int8),
    "nothing": lambda n: [None] * n,
    "no number": lambda n: [np.nan] * n,
    "sparse": lambda n: pd.arrays.SparseArray([0, 1] * (n // 2)),
    "ordered": lambda n: pd.Categorical(["q", "w"] * (n // 2), ["w", "q"], ordered=True),
}


@pytest.mark.parametrize("action", ["drop", "shuffle"])
@pytest.mark.parametrize("kind", ODD)
@pytest.mark.filterwarnings("ignore:.*sparse:pandas.errors.PerformanceWarning")
def test_columns_of_any_dtype_are_reported(kind, action):
    n = 40
    table = pd.DataFrame({"odd": ODD[kind](n), "class": ["a", "b", "b", "a"] * 10, "kept": ODD[kind](n)})
    columns = {"odd": {"sensitive": True, "action": action}}
    report, _ = reported(table, known=["kept"], threshold=0.5, columns=columns)
    page_of(report)
    found = report.columns.loc["odd", ["baseline", "named"]]
    assert found.between(0, 1).all() or table["odd"].isna().all()
    # Nothing is learnt from a column without values.
    assert report.utility.empty == table["kept"].isna().all()


def test_lists_are_taken_for_their_text():
    table = pd.DataFrame({"lists": [[1], [2]] * 20, "class": ["a", "b", "b", "a"] * 10, "x": range(40)})
    assert reported(table, columns={"x": {"action": "drop"}})[0].columns.loc["lists", "values before"] == 2
    words = table.assign(lists=table["lists"].map(str))
    for action in ("drop", "shuffle"):
        rows = [
            reported(one, columns={"lists": {"sensitive": True, "action": action}}, known=["x"])[0].columns
            for one in (table, words)
        ]
        assert rows[0].loc["lists", ["named", "inferred"]].equals(rows[1].loc["lists", ["named", "inferred"]])
    known = {"lists": {"action": "shuffle"}, "x": {"sensitive": True, "action": "drop"}}
    assert reported(table, columns=known, known=["lists"])[0].columns.loc["x", "named"] > 0


def test_what_moved_along_is_judged_whichever_column_says_so():
    rng = np.random.default_rng(0)
    n = 200
    table = pd.DataFrame(rng.integers(0, [1000, 1000, 3], (n, 3)), columns=["a", "b", "c"])
    rows = []
    for leader, other in (("a", "b"), ("b", "a")):
        columns = {leader: {"action": "shuffle", "with": [other], "within": "c"}, other: {}}
        columns["b"] |= {"sensitive": True, "tolerance": 0}
        rows.append(
            reported(table, known=["a"], quick=True, columns=columns, **{"class": None})[0].columns.loc["b"]
        )
    shares = ["named", "fixed", "certain"]
    assert rows[0][shares].tolist() == rows[1][shares].tolist()
    assert rows[0]["named"] > 0.8


def test_a_known_column_that_was_redrawn_is_linked_by_its_order():
    rng = np.random.default_rng(0)
    n = 500
    table = pd.DataFrame({"income": rng.lognormal(10, 0.5, n).round(2), "ill": rng.choice(list("abcdefgh"), n)})
    columns = {
        "income": {"action": "redraw"},
        "ill": {"action": "replace", "keep": 0.99, "sensitive": True},
    }
    report, _ = reported(table, known=["income"], threshold=0.6, quick=True, columns=columns, **{"class": None})
    assert report.columns.loc["ill", "named"] > 0.97
    assert report.held is False


def test_the_fingerprint_is_that_of_what_was_released():
    report, released = reported(columns={"age": {"action": "shuffle"}})
    of = {one.to_csv(index=False): hashlib.sha256(one.to_csv(index=False).encode()) for one in (TABLE, released)}
    before, after = (one.hexdigest() for one in of.values())
    assert report.facts["sha256 of the released table (as CSV without index)"] == after
    # By that of the true table somebody could test a guess of it.
    assert after in report.to_html()
    assert before not in report.to_html()


def test_the_warnings_of_the_specification_are_there():
    report, _ = reported(columns={"age": {"action": "add", "privacy": 0.5}})
    assert any("seeded" in warning for warning in report.warnings)
    assert any("'age'" in warning for warning in report.warnings)
    unseeded, _ = reported(seed=None)
    assert not any("seeded" in warning for warning in unseeded.warnings)


def test_of_many_records_a_sample_is_measured_and_that_is_told():
    adult = data.load("adult", "first10000")
    table = adult.X.assign(income=adult.y).iloc[:3000]
    entries = {
        "occupation": {"sensitive": True, "action": "shuffle", "within": "class"},
        "hours-per-week": {"sensitive": True, "action": "add", "privacy": 0.5},
        "capital-gain": {"sensitive": True, "action": "drop"},
    }
    given = {
        "class": "income",
        "known": ["age", "sex", "race"],
        "others": "keep",
        "threshold": 0.9,
        "columns": entries,
    }
    specification = PrivacySpecification(given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        before = table.copy()
        released = specification.release(table)
    report = release_report(specification, table, released)
    assert "What is named is measured on 1,000 people" in " ".join(report.warnings)
    assert table.equals(before)
    assert report.columns.loc[list(entries), "named"].between(0, 1).all()
    # Of whom nothing else is known, the most frequent occupation is the best guess.
    assert report.columns.loc["occupation", "named"] < report.columns.loc["occupation", "baseline"] + 0.1


class Page(HTMLParser):
    """The tags of a page that are still open, and all its text and attributes."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.texts, self.attributes = [], set(), [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def page_of(report):
    page = Page()
    page.feed(report.to_html())
    page.close()
    assert page.open == []
    return page


def test_the_page_needs_nothing_else():
    report = of_age(action="discretise", min_group=5)
    page = page_of(report)
    assert not {"script", "link", "img", "iframe", "object", "form", "a"} & page.tags
    assert not {"src", "href", "onclick", "onload"} & page.attributes
    assert not re.search(r"https?:|url\(|@import", report.to_html())
    texts = " ".join(page.texts)
    for sentence in (report.summary, *report.unprotected, *report.warnings, "not held", "Words", "baseline"):
        assert sentence in texts
    # The summary comes first.
    assert page.texts[page.texts.index("Report of a release", 1) + 1] == report.summary
    assert report._repr_html_() in report.to_html()


def test_names_are_shown_as_they_are():
    evil = ['<script>alert("x")</script>', "<b>&amp;", "a'b\"c", "{0}", "<img src=x>"]
    rng = np.random.default_rng(1)
    table = pd.DataFrame({name: rng.integers(0, 5, 60) for name in evil})
    table["<i>class"] = np.where(rng.random(60) < 0.5, "<u>yes", "no")
    entries = {
        evil[0]: {"sensitive": True, "action": "drop"},
        evil[1]: {"sensitive": True, "action": "shuffle", "within": "<i>class"},
        evil[2]: {"sensitive": True, "action": "generalise", "groups": {"<big>": [0, 1], "&lt;": [2, 3, 4]}},
    }
    report, _ = reported(
        table, **{"class": "<i>class", "known": evil[3:], "threshold": 0.01, "k": 50, "columns": entries}
    )
    page = page_of(report)
    assert not {"script", "b", "i", "u", "img", "big"} & page.tags
    texts = "".join(page.texts)
    assert all(name in texts for name in [*evil, "<i>class"])
    assert len(report.reasons) >= 4


def marked(n=60):
    """Values that nothing else can look like."""
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "name": [f"zebulon{place:03}" for place in range(n)],
            "salary": 7310000.0 + 1013 * rng.permutation(n),
            "debt": 8460000 + 1709 * rng.permutation(n),
            "town": np.where(rng.random(n) < 0.1, "xanaduville", "quirmstadt"),
            "born": pd.date_range("1931-07-09", periods=n, freq="83D"),
            "ill": np.where(rng.random(n) < 0.4, "yesyesyes", "nonono"),
        }
    )


@pytest.mark.parametrize(
    "action", ["drop", "shuffle", "add", "multiply", "redraw", "middle", "interval", "width"]
)
def test_no_value_of_a_record_is_on_the_page(action):
    table = marked()
    of_numbers = {
        "add": {"action": "add", "privacy": 0.5},
        "multiply": {"action": "multiply", "sd": 0.1},
        "redraw": {"action": "redraw"},
        "middle": {"action": "discretise", "method": "frequency", "intervals": 4, "label": "middle"},
        "interval": {"action": "discretise", "min_group": 5},
        "width": {"action": "discretise", "method": "width", "intervals": 30},
    }.get(action, {"action": action})
    entries = {
        "salary": {"sensitive": True, **of_numbers},
        "debt": {"sensitive": True, **of_numbers},
        "town": {"sensitive": True, "action": "generalise", "min_group": 8},
        "born": {"sensitive": True, "action": "shuffle"},
    }
    report, released = reported(
        table, **{"class": "ill", "known": ["name", "salary"], "threshold": 0.5, "k": 3, "columns": entries}
    )
    shown = report.to_html() + repr(report) + str(report.facts.tolist()) + " ".join(report.warnings)
    values = {str(value) for column in table for value in table[column]}
    values |= {str(value) for column in ("salary", "debt") if column in released for value in released[column]}
    values |= {form.format(value) for form in ("{:,.0f}", "{:,.5g}", "{:.3g}") for value in table["salary"]}
    values |= {form.format(value) for form in ("{:,.0f}", "{:,.5g}", "{:.3g}", "{:,}") for value in table["debt"]}
    values |= {str(value.date()) for value in table["born"]}
    assert {value for value in values if len(value) > 3 and value in shown} == set()
    # Nor is the range, of which the default tolerance is a part.
    assert report.columns.loc[["salary", "debt"], "tolerance"].isna().all()
    for column in ("salary", "debt"):
        reach = np.ptp(table[column])
        assert not {f"{reach:,.0f}", f"{reach / 20:,.5g}", f"{reach / 20:.3g}"} & set(re.split(r"[<>\s]", shown))


def test_both_tables_are_those_of_the_release():
    specification = PrivacySpecification({"class": "class", "others": "keep"}, random_state=1)
    with pytest.raises(NotFittedError):
        release_report(specification, TABLE, TABLE)
    released = specification.release(TABLE)
    for table, other in ((TABLE[1:], released), (TABLE, released[::-1]), (TABLE, released.iloc[:, 1:])):
        with pytest.raises(ValueError, match="has other rows or columns than the release; expected both tables"):
            release_report(specification, table, other)
    assert isinstance(release_report(specification, TABLE, released), ReleaseReport)


def judged(table, entry, seed=1, quick=False, **given):
    """The row of the first column, which is sensitive, and the report."""
    name = table.columns[0]
    report, _ = reported(
        table, seed=seed, quick=quick, columns={name: {"sensitive": True, **entry}}, **({"class": None} | given)
    )
    return report.columns.loc[name], report


def gamma(n=3000):
    rng = np.random.default_rng(1)
    values = np.append(rng.gamma(2, 20_000, n - 1), 5e6)
    return pd.DataFrame({"pay": values, "other": rng.normal(size=n)})


def test_of_many_distinct_values_none_is_lost():
    # One value lies alone in its interval; each of 3,000 intervals holds a value.
    row, report = judged(gamma(), {"action": "discretise", "method": "width", "intervals": 10, "tolerance": 1000})
    assert row["complete"] == 1
    assert report.held is False
    values = np.sort(gamma()["pay"])
    cuts = (values[1:] + values[:-1]) / 2
    entry = {"action": "discretise", "method": "cuts", "cuts": cuts.tolist(), "tolerance": 0}
    row, _ = judged(gamma(), entry, quick=True)
    assert (row["named"], row["complete"]) == (1, 3000)


def test_noise_that_hides_nothing_names_all_of_many_values():
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"pay": rng.normal(0, 10_000, 4000), "other": rng.normal(size=4000)})
    row, report = judged(table, {"action": "add", "sd": 0.3, "tolerance": 1}, threshold=0.8, quick=True)
    # |noise| ≤ 1 in 99.9 %; 1,000 people.
    assert row["named"] > 0.99
    assert report.held is False
    few = pd.DataFrame({"pay": np.append(rng.normal(0, 100, 299), 5000.0), "other": rng.normal(size=300)})
    row, _ = judged(few, {"action": "add", "noise": "uniform", "half_width": 30, "tolerance": 1}, quick=True)
    values = few["pay"].to_numpy()
    near = np.abs(values[:, None] - values) <= 60
    alone = (near.sum(axis=1) == 1).sum()
    assert row["complete"] >= alone >= 1


@pytest.mark.parametrize("way", ["a copy in other words", "a code of many", "a year of birth", "months of pay"])
def test_a_column_that_determines_the_sensitive_one_names_it(way):
    """Whatever is done to a column, a look into the others tells it; a forest alone finds too little."""
    rng = np.random.default_rng(3)
    n = 600
    age, disease, pay = rng.integers(20, 80, n), rng.integers(0, 60, n), rng.integers(20_000, 90_000, n)
    pairs = {
        "a copy in other words": (disease, "ill" + pd.Series(disease).astype(str), 0),
        "a code of many": (disease, rng.permutation(60)[disease], 0),
        "a year of birth": (age, 2003 - age, 0),
        "months of pay": (pay, pay // 12, 250),
    }
    secret, told, tolerance = pairs[way]
    table = pd.DataFrame({"secret": secret, "told": told, "noise": rng.normal(size=n)})
    row, report = judged(table, {"action": "drop", "tolerance": tolerance}, threshold=0.7)
    assert row["inferred"] > 0.8
    assert report.held is False


def test_the_order_of_redrawn_values_is_the_true_one():
    rng = np.random.default_rng(4)
    table = pd.DataFrame({"pay": rng.normal(0, 10_000, 300), "other": rng.normal(size=300)})
    row, _ = judged(table, {"action": "redraw", "density": "kernel", "tolerance": 100}, quick=True)
    assert row["named"] == 1


def test_who_knows_what_moved_along_and_more_finds_the_person():
    # The key tells the class; job and class together tell the illness, and each alone nothing.
    rng = np.random.default_rng(5)
    n = 200
    job, of_class = rng.integers(0, 2, (2, n))
    table = pd.DataFrame({"ill": job ^ of_class, "job": job, "key": rng.permutation(n), "class": of_class})
    entry = {"action": "shuffle", "within": "class", "with": ["job"]}
    row, report = judged(table, entry, threshold=0.7, quick=True, known=["job", "key"], **{"class": "class"})
    assert row["named"] == 1
    assert report.held is False


def test_values_that_known_columns_fix_are_disclosed():
    rng = np.random.default_rng(6)
    table = pd.DataFrame({"ill": rng.choice(list("ab"), 200), "age": np.minimum(np.arange(200), 50)})
    row, report = judged(table, {"action": "shuffle", "with": ["age"]}, threshold=0.9, known=["age"], quick=True)
    assert row["fixed"] == pytest.approx(0.25, abs=0.01)
    assert report.held is False
    assert "complete disclosures to who knows the known columns, of 25.0 % of the people" in report.summary


def test_a_known_column_that_was_shuffled_within_small_groups_tells_the_group():
    rng = np.random.default_rng(7)
    region = np.repeat(np.arange(200), 2)
    table = pd.DataFrame({"pay": np.repeat(rng.permutation(200), 2), "town": region, "region": region})
    columns = {
        "pay": {"sensitive": True, "tolerance": 0, "action": "shuffle", "within": "region"},
        "town": {"action": "shuffle", "within": "region"},
    }
    rows = [
        reported(table, columns=columns, known=[known], quick=True, **{"class": None})[0].columns.loc["pay"]
        for known in ("town", "region")
    ]
    assert rows[0]["named"] == rows[1]["named"] == 1


AGE = {"sensitive": True, "tolerance": 3}
TENTHS = {"action": "discretise", "method": "width", "intervals": 10}


@pytest.mark.parametrize(
    ("entry", "other"),
    [
        (
            {"action": "shuffle", "within": "class"},
            lambda seen: seen.assign(age=seen["age"].iloc[::-1].to_numpy()),
        ),
        ({"action": "shuffle"}, lambda seen: seen.assign(age=seen["age"] + 1)),
        (TENTHS, lambda seen: seen.assign(age=seen["age"].iloc[::-1].to_numpy())),
        (TENTHS, lambda seen: seen.assign(age=TABLE["age"])),
        ({"action": "add", "noise": "uniform", "half_width": 3}, lambda seen: seen.assign(age=seen["age"] + 9)),
        ({"action": "add", "privacy": 0.5}, lambda seen: seen.assign(age="old")),
        ({"action": "redraw"}, lambda seen: seen.assign(age=seen["age"].iloc[::-1].to_numpy())),
        ({"action": "shuffle"}, lambda seen: seen.assign(plas=seen["plas"].iloc[::-1].to_numpy())),
    ],
)
def test_what_the_specification_cannot_have_released_is_refused(entry, other):
    specification = PrivacySpecification(
        {"class": "class", "others": "keep", "columns": {"age": {**AGE, **entry}}}, random_state=1
    )
    released = specification.release(TABLE)
    changed = other(released)
    name = "age" if changed["plas"].equals(released["plas"]) else "plas"
    with pytest.raises(ValueError, match=f"released has a column '{name}' that cannot stem from table; expected"):
        release_report(specification, TABLE, changed)


def test_a_shuffle_that_moved_nothing_is_told():
    specification = PrivacySpecification(
        {"others": "keep", "threshold": 0.6, "columns": {"age": {**AGE, "action": "shuffle"}}}, random_state=1
    )
    specification.fit(TABLE)
    report = release_report(specification, TABLE, TABLE, quick=True)
    assert report.columns.loc["age", "named"] == 1
    assert report.held is False


def test_without_the_class_nobody_can_say_within_what_was_shuffled():
    entry = {**AGE, "action": "shuffle", "within": "class"}
    specification = PrivacySpecification({"others": "keep", "columns": {"age": entry}}, random_state=1)
    released = specification.fit_transform(PIMA.X, PIMA.y)
    with pytest.raises(ValueError, match="table lacks the class, within which 'age' was shuffled; expected"):
        release_report(specification, PIMA.X, released)


def test_the_default_tolerance_is_not_shown_whatever_the_values():
    for values in ([*range(20), np.inf], np.arange(21, dtype="float32") * 1e6 + 1e7):
        table = pd.DataFrame({"v": values, "other": range(21)})
        assert pd.isna(judged(table, {"action": "drop"}, quick=True)[0]["tolerance"])
        # What the specification says is known, whatever it is.
        assert judged(table, {"action": "drop", "tolerance": 1}, quick=True)[0]["tolerance"] == 1
