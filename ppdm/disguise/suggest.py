"""A first privacy specification for a table, after LSL03's Figure 2, with the reason for each column."""

import pandas as pd

from ppdm import checks
from ppdm.disguise import relevance, toml
from ppdm.disguise.shuffle import LEAST

THRESHOLD, K = 0.6, 5  # of a specification that nobody has thought about yet
RELEVANT = 0.1  # LSL03 §5
REPEATS = 0.8  # the symmetric uncertainty from which on a column says nearly what another one says


def suggest(X, y, sensitive, known=None, measure="gain") -> tuple:
    """A specification, and comments as ``toml.text`` takes them. The parameters are those of the class method."""
    target = getattr(y, "name", None)
    attributes = [name for name in checks.frame("X", X) if name != target]
    secret = checks.columns("sensitive", sensitive, attributes)
    if not secret:
        raise ValueError(
            "sensitive is empty; expected the columns that people want to keep private: no table says"
        )
    checks.distinct("sensitive", secret)
    if len(X) < LEAST:
        raise ValueError(f"X has {len(X)} records; expected at least {LEAST}")
    columns, comments = _columns(X[attributes], y, secret, measure)
    # Who says nothing else is believed to fear the worst: that all that can be linked is known.
    kept = [name for name, entry in columns.items() if entry["action"] == "keep"]
    if all(entry["action"] == "drop" for entry in columns.values()):
        raise ValueError(
            "X has no column that could be released: all of them would be dropped; expected one more"
        )
    known = kept if known is None else checks.columns("known", known, list(X))
    shown = [name for name in known if name in (*kept, target)]
    alike = X.groupby(shown, dropna=False, observed=True).size().min() if shown else len(X)
    if alike < K:
        comments[()] = f"k = {K} would need fewer or coarser known columns: now {alike} look alike at least"
    specification = {
        "class": target,
        "known": [*dict.fromkeys(known)],
        "others": "refuse",
        "threshold": THRESHOLD,
        "k": K if alike >= K else None,
        "relevance": {"measure": measure, "threshold": RELEVANT},
        "columns": columns,
    }
    return specification, comments


def _columns(X, y, secret, measure):
    """An entry for each column, and a comment with the reason."""
    dropped = {name: f"cannot be counted: {why}" for name, why in relevance.uncounted(X).items()}
    counted = X.drop(columns=[*dropped])
    for name, why in relevance.identifiers(X).items():
        dropped[name] = f"looks like an identifier: {why}"
    pairs, facts = [], {}
    if len(counted.columns):
        own = [name for name in secret if name in counted]
        facts = relevance.cells(counted, y, own, RELEVANT, measure).to_dict("index")
        pairs = relevance.pairs(counted).to_numpy().tolist()
    twins = {second: first for first, second, share in pairs if share >= REPEATS}
    target = getattr(y, "name", None)
    within = {"within": "class" if target is None else target}
    # In a class of few records values hardly move; and a column comes before a class that has no name.
    if pd.Series(checks.labels("y", y)).value_counts().min() < K or (target is None and "class" in X):
        within = {}
    columns: dict = {}
    comments: dict = {}
    for name in X:
        fact = facts.get(name)
        columns[name], why = _entry(name in secret, fact, dropped.get(name), twins.get(name), within)
        comments["columns", name] = why if fact is None else f"{why} ({measure} {fact[measure]:.3f})"
    return columns, comments


def _entry(sensitive, fact, dropped, twin, within):
    """What is done with a column, and why."""
    entry, why = {"action": "keep"}, "not sensitive"
    if dropped is not None:
        entry, why = {"action": "drop"}, dropped
    elif sensitive and fact["relevant"]:
        entry, why = {"action": "shuffle", **within}, "sensitive and relevant: its values change their places"
    elif sensitive:
        entry, why = {"action": "drop"}, "sensitive and not relevant"
    elif twin is not None:
        why += f", and says nearly what {toml.shown(twin)} says: it may be dropped"
    elif not fact["relevant"]:
        why += ", and not relevant: it may be dropped"
    return {"sensitive": True, **entry} if sensitive else entry, why
