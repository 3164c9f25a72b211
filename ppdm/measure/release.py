"""The report of a release: what was done to each column, what an intruder learns, what a miner keeps, what is open."""

import hashlib
from datetime import UTC, datetime
from importlib.metadata import version

import numpy as np
import pandas as pd
from pandas.api.types import is_any_real_numeric_dtype as is_number
from pandas.api.types import is_object_dtype
from sklearn.model_selection import KFold, cross_validate
from sklearn.utils.validation import check_is_fitted

from ppdm import checks
from ppdm.blocks import bar
from ppdm.disguise import PrivacySpecification
from ppdm.information import distinct_codes, gain, shared_codes
from ppdm.measure.disclosure import TARGETS
from ppdm.measure.inference import LEAST, learnt
from ppdm.measure.links import anonymity, refuse_foreign
from ppdm.measure.page import BINS, DONE, KEPT, OPEN, RISK, ReleaseReport, in_words
from ppdm.measure.risk import DELAY
from ppdm.randomness import lots
from ppdm.trees import C45Classifier

TREES = 5_000  # records that trees are grown from
FOLDS = KFold(5, shuffle=True, random_state=0)  # the same before and after
PACKAGES = "ppdm", "numpy", "pandas", "scikit-learn"


def release_report(
    specification, table: pd.DataFrame, released: pd.DataFrame, quick: bool = False
) -> ReleaseReport:
    """What a release did to each column, what an intruder learns from it, what a miner keeps, and what stays open.

    The intruder knows the release, the specification, and of a person the true values of the ``known`` columns; if none
    are declared, the row, and what moved along with a sensitive value. He finds the record and guesses
    (``ppdm.measure.disclosure``), or infers a column from the others (``ppdm.measure.inference``). *Held*: the better
    way, with two standard errors added, names at most the share that is the threshold.

    Parameters
    ----------
    specification : a PrivacySpecification that released the table
    table, released : the true records, with the class column; and what ``specification.release(table)`` gave
    quick : leave out trees, the fingerprint, and what is inferred: a threshold is then refuted, or not judged
    """
    checks.flag("quick", quick)
    wanted, table, released = _checked(specification, table, released)
    settings = specification.settings_
    target = settings["class"]
    known = settings["known"] or []
    cut = [name for name in wanted if specification.actions_[name].category == "reduction"]  # into labels
    both = {"before": _measured(table), "after": _measured(released, cut)}
    classes = [distinct_codes("class", one[target]) for one in both.values() if target in released]
    rows = []
    for name, action in bar(list(specification.actions_.items()), delay=DELAY):
        own = settings["columns"][name]
        roles = {"class": name == target, "known": name in known, "sensitive": own["sensitive"]}
        row = {"role": ", ".join(filter(roles.get, roles)), "action": repr(action), "category": action.category}
        row |= _compared(both["before"][name], both["after"].get(name), classes if name != target else [])
        if own["sensitive"]:
            row |= learnt(specification, name, table, released, None if quick else both["after"])
        rows.append(row)
    columns = pd.DataFrame(rows, pd.Index(table.columns, name="column"), [*DONE, *RISK, *KEPT])
    facts = _facts(specification, **both)
    utility = {when: _mined(one, target) for when, one in both.items() if not quick}
    if not quick:
        # That of the true table would let anybody test a guess of all records. Halves of characters may be there.
        text = released.to_csv(index=False).encode("utf-8", "surrogatepass")
        facts["sha256 of the released table (as CSV without index)"] = hashlib.sha256(text).hexdigest()
        facts["made by"] = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    told = [*_warnings(columns, released), *specification.notes_]
    as_they_are = columns.index[columns["category"] == "none"]
    kept = ", ".join(map(str, as_they_are))
    unprotected = [sentence.format(kept or "none") for sentence in OPEN]
    return ReleaseReport(columns, pd.Series(facts), pd.DataFrame(utility).T, told, unprotected)


def _checked(specification, table, released):
    """The columns that were released, and both tables, if they are those of the release; they can be counted."""
    checks.of_type("specification", specification, PrivacySpecification, "a PrivacySpecification")
    check_is_fitted(specification, "actions_")
    wanted = [name for name, action in specification.actions_.items() if action.name != "drop"]
    for name, value, columns in ("table", table, specification.actions_), ("released", released, wanted):
        if list(checks.frame(name, value)) != list(columns) or not value.index.equals(table.index):
            raise ValueError(f"{name} has other rows or columns than the release; expected both tables whole")
    for name, action in specification.actions_.items():
        if getattr(action, "within", None) is not None and specification.companion(name, table) is None:
            told = f"table lacks the class, within which {name!r} was shuffled"
            raise ValueError(f"{told}; expected what release gave of a table with the class, not y beside it")
    table = _countable(table)
    released = _countable(released)
    refuse_foreign(specification, table, released)
    return wanted, table, released


def _countable(table):
    """The table with text for lists and the like, which nobody can count."""
    found = table.copy(deep=False)
    for name, column in table.items():
        try:
            if is_object_dtype(column.dtype):  # looked for nowhere else, because tables may be large
                pd.factorize(column)
        except TypeError:
            found[name] = column.map(repr)
    return found


def _measured(table, labels=()):
    """The table as it is measured: finite numbers, else missing; and categories, even if labels are numbers."""
    found = {}
    for name, column in table.items():
        if is_number(column.dtype) and name not in labels:
            numbers = pd.Series(column.to_numpy(float, na_value=np.nan), table.index)
            found[name] = numbers.where(np.isfinite(numbers))
        elif is_number(column.dtype):
            found[name] = column.astype("category").cat.as_ordered()  # so that a tree cuts it as numbers
        elif isinstance(column.dtype, pd.CategoricalDtype):
            found[name] = column
        else:  # text stands for dates, lists and whatever else a tree, or a group, cannot take
            found[name] = column.astype(object).map(str, na_action="ignore").astype("category")
    return pd.DataFrame(found, table.index)


def _compared(true, seen, classes):
    """What happened to a column, and what it tells of the classes before and after, if these are given."""
    # What is the same, or gone, is looked at once.
    columns = [true] if seen is None or seen.equals(true) else [true, seen]
    codes = shared_codes("", *columns)
    bins = _binned(columns, codes)
    ends = [bins[0]] if seen is None else [bins[0], bins[-1]]
    row = {"values before": true.nunique(), **dict(zip(KEPT, map(gain, ends, classes)))}
    if seen is None:
        return row
    row |= {"values after": seen.nunique(), "changed": np.mean(codes[0] != codes[-1])}
    numbers = is_number(true.dtype), is_number(seen.dtype)
    if all(numbers):
        row["mean change"] = (seen - true).abs().mean()
    if numbers[0] == numbers[1]:  # numbers and labels have no distribution in common
        first, last = (np.bincount(own, minlength=np.max(ends) + 1) for own in ends)
        row["distance"] = abs(first - last).sum() / 2 / len(true)
    return row


def _binned(columns, codes):
    """The number of each value's bin, by the true values, which come first; or its code where it is no number."""
    if not is_number(columns[0].dtype):
        return codes
    # Of noisy values each is another one: without bins they would seem to tell as much as an identifier.
    edges = columns[0].quantile(np.linspace(0, 1, BINS + 1)[1:-1]).to_numpy()
    often = edges[1:][edges[1:] == edges[:-1]]  # as zeros may be: such a value is a bin
    edges = np.unique([*edges, *np.nextafter(often, np.inf)])
    pairs = zip(columns, codes)
    return [np.searchsorted(edges, one, "right") if is_number(one.dtype) else own for one, own in pairs]


def _facts(specification, before, after):
    known = specification.settings_["known"]
    told = f"the true values of {', '.join(map(str, known))}" if known else "nothing"
    alike: list = [np.nan] * 4
    if known:
        alike[:2] = anonymity(before[known])
        # After noise or shuffling equal rows mean nothing.
        if all(specification.actions_[column].category != "perturbation" for column in known):
            alike[2:] = anonymity(after[after.columns.intersection(known)])
    moved = (before.corr(numeric_only=True) - after.corr(numeric_only=True)).abs()
    return {
        "records": len(before),
        "known of a person": "which row is theirs" if known is None else told,
        "k (smallest group of equal known columns) before": alike[0],
        "k after": alike[2],
        "k asked for": specification.settings_["k"],
        "records alone in their group before": alike[1],
        "records alone after": alike[3],
        "largest change of a correlation": moved.max().max(),
        "made (UTC)": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}",
    }


def _mined(table, name):
    """A tree's accuracy and size, and the seconds that it took; nothing if there are no classes to learn."""
    some = np.sort(lots(len(table)).permutation(len(table))[:TREES])
    X = table.iloc[some].dropna(axis=1, how="all")
    if name not in X or len(X.columns) < 2 or not X[name].value_counts()[1:2].min() >= LEAST:
        return {}
    y = X.pop(name).astype(str)
    # Trained and tested on the same kind of records, as a miner has them who never sees true ones.
    found = cross_validate(C45Classifier(), X, y, cv=FOLDS, return_estimator=True)
    leaves = np.mean([len(model.tree_.leaves()) for model in found["estimator"]])
    return {"accuracy": found["test_score"].mean(), "leaves": leaves, "seconds to fit": found["fit_time"].mean()}


def _warnings(columns, released):
    if len(released) > TARGETS:
        yield f"What is named is measured on {TARGETS:,} people, drawn by chance; the error says how exactly."
    for name, row in columns.iterrows():
        if name in released and released[name].isna().any():
            yield f"{name} has missing values in what was released."
        if row["baseline"] >= row["threshold"]:  # never if there is no threshold, which is NaN
            share = in_words(row["baseline"], "baseline")
            yield f"{name}: no release holds the threshold: the marginal alone names {share}."
