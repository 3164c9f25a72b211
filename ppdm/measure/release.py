"""The report of a release: what was done to each column, what an intruder learns, what a miner keeps, what is open."""

import hashlib
import html
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version

import numpy as np
import pandas as pd
from pandas.api.types import is_any_real_numeric_dtype as is_number
from sklearn.model_selection import KFold, cross_validate
from sklearn.utils.validation import check_is_fitted

from ppdm import checks
from ppdm.blocks import bar
from ppdm.disguise import PrivacySpecification
from ppdm.information import gain
from ppdm.measure.disclosure import LEAST, TARGETS, anonymity, learnt
from ppdm.measure.risk import DELAY, distinct_codes
from ppdm.randomness import lots
from ppdm.trees import C45Classifier

TREES = 5_000  # records that trees are grown from
FOLDS = KFold(5, shuffle=True, random_state=0)  # the same before and after
BINS = 20  # of a number's range, each with as many true values, in which its distributions are compared
DONE = ["role", "action", "category", "changed", "mean change", "values before", "values after"]
LEARNT = ["baseline", "named", "error", "inferred", "certain"]
RISK = ["tolerance", *LEARNT, "complete", "fixed", "at most", "threshold", "verdict"]
KEPT = ["gain before", "gain after", "distance"]
SHARES = [*LEARNT, "changed", "fixed", "at most", "threshold", "distance", "accuracy"]  # shown in per cent
PACKAGES = "ppdm", "numpy", "pandas", "scikit-learn"
WORDS = [
    "known: a column whose true values an intruder may know of a person (a quasi-identifier).",
    "named: the share of people whose value he guesses right, within the tolerance (in the column's own unit; 5 % of "
    "its range where none is shown). Inferred: if he only learns from other columns. At most: two errors added.",
    "certain: the share of people whose value he claims to know with a probability of 95 % or more.",
    "baseline: what is named by who knows only how often each value occurs. No release names less (errors apart).",
    "complete: of so many records the released value leaves one true value only. Fixed: the known columns do.",
]
OPEN = [
    "Columns as they are ({}): who knows them of a person looks for the record by them.",
    "How often each value occurs in a column that is released: its marginal distribution.",
    "Dropped and changed columns, as far as others tell them; what most people of one group have in common.",
    "Who is in the table: rows keep their order and their index. Who knows a person's place finds the record.",
    "People of whom more is known than the known columns; and several releases of the same people, put together.",
]
HEAD = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Report of a release</title><style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; color: #222 }
.summary { font-size: 1.25em; border-left: .3em solid #0072B2; padding: .4em .8em }
table { border-collapse: collapse; margin: .5em 0 1.5em; text-align: left; overflow-wrap: break-word }
th, td { padding: .25em .6em; border-bottom: 1px solid #ccc; text-align: left; vertical-align: top }
@media print { body { font-size: 10px; margin: 0 } tr { break-inside: avoid } h2 { break-after: avoid } }
</style></head>"""


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseReport:
    """What a release did, what it tells, and what it leaves open. It shows no value of a record.

    Attributes
    ----------
    columns : a row for each column; shares are between 0 and 1
    facts, utility : of the whole table; of a C4.5 tree before and after, empty without classes
    warnings, unprotected : sentences
    """

    columns: pd.DataFrame
    facts: pd.Series
    utility: pd.DataFrame
    warnings: list[str]
    unprotected: list[str]

    @property
    def reasons(self) -> list[str]:
        """Why the release is not what it must be: a threshold, complete disclosures (LSL03 §2), or k."""
        found = []
        for name, row in self.columns.iterrows():
            if row["verdict"] == "not held":
                shares = (_text(row[one], one) for one in ("at most", "threshold"))
                found.append("{}: up to {} of the people may be named (threshold {})".format(name, *shares))
            if row["complete"] > 0:
                found.append(f"{name}: complete disclosures of {row['complete']:,.0f} records")
        k, least = self.facts[["k after", "k asked for"]]
        return found + [f"k is {k}, and {least} is asked for"] * bool(least and k < least)

    @property
    def unjudged(self) -> list[str]:
        """What is asked for, and was not judged; or that nothing is asked for."""
        asked = self.columns.dropna(subset="threshold")
        found = [f"what other columns tell of {name}" for name in asked.index[asked["verdict"].isna()]]
        k, least = self.facts[["k after", "k asked for"]]
        unclear = "k, because known columns are noisy or shuffled, or none is declared"
        found += [unclear] * bool(least and np.isnan(k))
        return found + ["no threshold is set for a sensitive column"] * bool(not least and asked.empty)

    @property
    def held(self) -> bool | None:
        """Whether the release is what it must be; None if nothing is wrong, but something was not judged."""
        return False if self.reasons else None if self.unjudged else True

    @property
    def summary(self) -> str:
        """The report in a sentence, or two."""
        parts = {"Not held": self.reasons, "Not judged": self.unjudged}
        told = " ".join(f"{word}: {'; '.join(part)}." for word, part in parts.items() if part)
        if self.columns["complete"].isna().all():
            return told or "Held: nothing is declared sensitive, and k is as asked for."
        return told or "Held: no threshold is passed, and no record is disclosed completely."

    def to_html(self) -> str:
        """A page that needs nothing else: no script, no link."""
        return f"{HEAD}<body>{self._repr_html_()}</body></html>"

    def __repr__(self):
        return f"ReleaseReport({self.summary})"

    def _repr_html_(self):
        known = f"He knows the release, its specification, and of a person {self.facts['known of a person']}."
        parts = (
            f"<h1>Report of a release</h1><p class='summary'>{html.escape(self.summary)}</p>",
            _table("What was done (mean change in its own unit)", self.columns[DONE]),
            _table("What an intruder learns of people", self.columns[RISK].dropna(subset="baseline"), known),
            _list("What is NOT protected", self.unprotected),
            _list("Warnings", self.warnings),
            _table(f"What a miner keeps (gain in bits; numbers in {BINS} bins)", self.columns[KEPT]),
            _table("What a miner keeps: a C4.5 tree, cross-validated", self.utility),
            _table("The table", self.facts.to_frame("value")),
            _list("Words", WORDS),
        )
        return "".join(parts)


def release_report(
    specification, table: pd.DataFrame, released: pd.DataFrame, quick: bool = False
) -> ReleaseReport:
    """What a release did to each column, what an intruder learns from it, what a miner keeps, and what stays open.

    The intruder knows the release, the specification, and of a person the true values of the ``known`` columns; if none
    are declared, the row. He finds the record and guesses (``ppdm.measure.disclosure``), or infers a column from the
    others. *Held*: the better way, with two standard errors added, names at most the share that is the threshold.

    Parameters
    ----------
    specification : a PrivacySpecification that released the table
    table, released : the true records, with the class column; and what ``specification.release(table)`` gave
    quick : leave out trees, the fingerprint, and what is inferred: a threshold is then refuted, or not judged
    """
    checks.flag("quick", quick)
    checks.of_type("specification", specification, PrivacySpecification, "a PrivacySpecification")
    check_is_fitted(specification, "actions_")
    wanted = [name for name, action in specification.actions_.items() if action.name != "drop"]
    for name, value, columns in ("table", table, specification.actions_), ("released", released, wanted):
        if list(checks.frame(name, value)) != list(columns) or not value.index.equals(table.index):
            raise ValueError(f"{name} has other rows or columns than the release; expected both tables whole")
    settings = specification.settings_
    target, known = settings["class"], settings["known"] or []
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
    kept = ", ".join(map(str, columns.index[columns["category"] == "none"]))
    unprotected = [sentence.format(kept or "none") for sentence in OPEN]
    return ReleaseReport(columns, pd.Series(facts), pd.DataFrame(utility).T, told, unprotected)


def _measured(table, labels=()):
    """The table as it is measured: finite numbers, else missing; and categories, even if labels are numbers."""
    found = {}
    for name, column in table.items():
        if is_number(column.dtype) and name not in labels:
            numbers = pd.Series(column.to_numpy(float, na_value=np.nan), table.index)
            found[name] = numbers.replace([np.inf, -np.inf], np.nan)
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
    codes = np.split(distinct_codes("", pd.concat(columns)), len(columns))
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
            share = _text(row["baseline"], "baseline")
            yield f"{name}: no release holds the threshold: the marginal alone names {share}."


def _table(title, frame, note=""):
    """A frame as a table of the page; pandas escapes what it shows."""
    if frame.empty:
        return ""
    shown = frame.astype(object).fillna("–").apply(lambda column: column.map(partial(_text, name=column.name)))
    shown = shown.rename_axis(index=None, columns=frame.index.name)
    with pd.option_context("display.max_colwidth", None):  # or long actions would be cut off
        return f"<h2>{title}</h2><p>{html.escape(note)}</p>{shown.to_html(border=0)}"


def _text(value, name):
    if isinstance(value, str):
        return value
    if name in SHARES:
        return f"{100 * value:.1f} %"
    return checks.readable(value if value % 1 == 0 else float(f"{value:.3g}"))  # counts in full


def _list(title, sentences):
    items = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences)
    return f"<h2>{title}</h2><ul>{items}</ul>" if items else ""
