"""The bundled tables against published counts."""

import gzip
import hashlib
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from ppdm.data import load
from ppdm.data.load import FOLDER, Table

TABLES = {
    # name, part: records, attributes, counts of the class, missing values, records with one
    ("pima", None): (768, 8, {"negative": 500, "positive": 268}, 0, 0),
    ("boston", None): (506, 13, None, 0, 0),
    ("wbc", None): (699, 9, {"benign": 458, "malignant": 241}, 16, 16),
    ("votes", None): (435, 16, {"democrat": 267, "republican": 168}, 392, 203),
    ("adult", None): (32_561, 14, {"<=50K": 24_720, ">50K": 7_841}, 4_262, 2_399),
    ("adult", "data"): (32_561, 14, {"<=50K": 24_720, ">50K": 7_841}, 4_262, 2_399),
    ("adult", "test"): (16_281, 14, {"<=50K": 12_435, ">50K": 3_846}, 2_203, 1_221),
}


@pytest.mark.parametrize(("name", "part"), TABLES)
def test_counts(name, part):
    records, attributes, counts, missing, incomplete = TABLES[name, part]
    table = load(name, part)
    assert table.X.shape == (records, attributes)
    assert len(table.y) == records
    assert table.y.notna().all()
    assert table.X.isna().sum().sum() == missing
    assert table.X.isna().any(axis=1).sum() == incomplete
    assert table.X.index.equals(pd.RangeIndex(records))
    assert table.y.index.equals(table.X.index)
    if counts:
        assert table.y.value_counts(sort=False).to_dict() == counts


@pytest.mark.parametrize(("name", "part"), TABLES)
def test_every_table_says_what_to_know(name, part):
    table = load(name, part)
    assert min(map(len, (table.description, table.licence, table.citation))) > 10
    assert table.sensitive
    assert set(table.sensitive) <= set(table.X.columns)
    assert all(table.sensitive.values())
    assert f"{len(table.X)} records" in repr(table)
    assert "\n" not in repr(table)
    assert "id" not in table.X.columns


def test_kinds_of_columns():
    assert set(load("votes").X.dtypes) == {pd.CategoricalDtype(["n", "y"])}
    assert load("wbc").X["bare_nuclei"].dtype == float
    assert set(load("wbc").X.drop(columns="bare_nuclei").dtypes) == {np.dtype("int64")}
    assert [kind.kind for kind in load("pima").X.dtypes] == list("iiiiiffi")
    assert {kind.kind for kind in load("boston").X.dtypes} == {"i", "f"}
    adult = load("adult").X
    numbers = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    assert list(adult.select_dtypes("int64")) == numbers
    assert adult.drop(columns=numbers).dtypes.eq("category").all()
    assert [name for name in adult.select_dtypes("category") if adult[name].cat.ordered] == ["education"]


def test_education_is_ordered_by_its_number():
    adult = load("adult").X
    numbers = adult.groupby("education", observed=False)["education-num"].agg(["min", "max"])
    assert numbers["min"].tolist() == numbers["max"].tolist() == list(range(1, 17))
    assert adult["education"].max() == "Doctorate"


def test_categories_stand_in_the_order_of_the_description():
    table = load("adult")
    for name, values in table.listed.items():
        if name != "education":
            assert list(table.X[name].cat.categories) == values
    assert sorted(table.listed["education"]) == sorted(table.X["education"].cat.categories)
    assert [values[0] for values in table.listed.values()] == (
        ["Private", "Bachelors", "Married-civ-spouse", "Tech-support", "Wife", "White", "Female", "United-States"]
    )
    assert [len(values) for values in table.listed.values()] == [8, 16, 7, 14, 6, 5, 2, 41]
    assert load("adult", "test").X.dtypes.equals(table.X.dtypes)


def test_pima_zeros_that_stand_for_missing_values():
    zeros = (load("pima").X == 0).sum()
    assert zeros[["plas", "pres", "skin", "insu", "mass"]].tolist() == [5, 35, 227, 374, 11]


def test_first_records():
    assert load("pima").X.iloc[0].tolist() == [6, 148, 72, 35, 0, 33.6, 0.627, 50]
    assert load("boston").X.iloc[0, :3].tolist() == [0.00632, 18, 2.31]
    assert load("boston").y[:3].tolist() == [24, 21.6, 34.7]
    assert load("adult").X.iloc[0, :5].tolist() == [39, "State-gov", 77516, "Bachelors", 13]
    assert load("votes").y[0] == "republican"


def test_boston_description_is_plain_about_b():
    assert "racist" in load("boston").description


@pytest.mark.parametrize(("cut", "top"), [(28.6, 98), (28.7, 97), (29.0, 94), (50, 16)])
def test_boston_classes(cut, top):
    table = load("boston")
    classes = table.classes(cut)
    assert (classes == "top").sum() == (table.y >= cut).sum() == top
    assert list(classes.cat.categories) == ["bottom", "top"]


@pytest.mark.parametrize("name", ["figure2", "figure2_exact"])
def test_boston_samples_have_the_leaves_of_figure_2(name):
    sample = load("boston", name)
    X, top = sample.X, sample.classes(29.0) == "top"
    poor, old_town, large = X["LSTAT"] > 5.49, X["PTRATIO"] > 17.8, X["RM"] > 6.485
    leaves = [
        poor & (X["RM"] <= 7.041),
        poor & (X["RM"] > 7.041),
        ~poor & ~large,
        ~poor & large & ~old_town,
        ~poor & large & old_town & (X["NOX"] <= 0.4161),
        ~poor & large & old_town & (X["NOX"] > 0.4161) & (X["LSTAT"] <= 4.45),
        ~poor & large & old_town & (X["NOX"] > 0.4161) & (X["LSTAT"] > 4.45),
    ]
    assert [int(leaf.sum()) for leaf in leaves] == [248, 10, 5, 26, 2, 6, 3]
    assert [int(top[leaf].sum()) for leaf in leaves] == [8, 10, 0, 26, 0, 6, 1]


def test_samples_by_name():
    first = load("adult", "first10000")
    assert first.part == "first10000"
    assert (len(first.X), (first.y == ">50K").sum()) == (10_000, 2_379)
    pd.testing.assert_frame_equal(first.X, load("adult").X[:10_000])
    assert load("wbc", "first350").X.equals(load("wbc").X[:350])
    assert load("boston", "figure2").X.loc[1].equals(load("boston").X.loc[1])


def test_every_call_gives_a_new_copy():
    table = load("votes")
    table.X.loc[:, "v1"] = "y"
    table.y[:] = "democrat"
    table.sensitive.clear()
    table.listed.clear()
    again = load("votes")
    assert (again.X["v1"] == "y").sum() == 187
    assert (again.y == "democrat").sum() == 267
    assert len(again.sensitive) == len(again.listed) == 16
    with pytest.raises(FrozenInstanceError):
        again.name = "other"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("iris",), "name is 'iris'; expected one of 'pima', 'boston', 'wbc', 'votes', 'adult'"),
        ((None,), "name is None"),
        ((["pima"],), "name is a list"),
        (("Adult",), "name is 'Adult'"),
        (("adult", "train"), "part is 'train'; expected one of None, 'data', 'test', 'first10000'"),
        (("adult", 1), "part is 1"),
        (("pima", "data"), "part is 'data'; expected one of None; pima has no parts"),
        (("wbc", "first300"), "part is 'first300'; expected one of None, 'first350'; wbc has these parts"),
        (("boston", 2), "part is 2; expected one of None, 'figure2', 'figure2_exact'"),
    ],
)
def test_load_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        load(*arguments)


@pytest.mark.parametrize(
    ("name", "cut", "error", "message"),
    [
        ("boston", 5, ValueError, r"cut is 5; expected a number in \(5, 50\]"),
        ("boston", 50.1, ValueError, "cut is 50.1"),
        ("boston", float("nan"), ValueError, "cut is nan"),
        ("boston", "28.6", TypeError, "cut is '28.6'"),
        ("pima", 1, ValueError, "table 'pima' has classes already; use its y"),
    ],
)
def test_classes_refuse(name, cut, error, message):
    with pytest.raises(error, match=message):
        load(name).classes(cut)


def test_a_table_is_what_load_gives():
    assert isinstance(load("pima"), Table)


def test_bundled_files_are_those_that_the_sources_name():
    sources = (FOLDER.parent / "SOURCES.md").read_text()
    files = sorted(FOLDER.glob("*.csv.gz"))
    for file in files:
        packed = file.read_bytes()
        assert f"| {file.name} | {hashlib.sha256(packed).hexdigest()} |" in sources
        assert f"| {file.name.split('.')[0]} | {hashlib.sha256(gzip.decompress(packed)).hexdigest()} |" in sources
        assert packed[4:8] == bytes(4)  # no time
    assert len(files) == 6
