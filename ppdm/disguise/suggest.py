"""A first privacy specification for a table, after LSL03's Figure 2, with the reason for each column."""

import pandas as pd

from ppdm import checks
from ppdm.disguise import relevance, toml

THRESHOLD, K = 0.6, 5  # of a specification that nobody has thought about yet
RELEVANT = 0.1  # LSL03 §5
REPEATS = 0.8  # the symmetric uncertainty from which on a column says nearly what another one says


def suggest(X, y, sensitive, known=None, measure="gain") -> tuple[dict, dict]:
    """A specification, and comments as ``toml.text`` takes them. The parameters are those of the class method."""
    target = getattr(y, "name", None)
    attributes = [name for name in checks.frame("X", X) if name != target]
    secret = checks.columns("sensitive", sensitive, attributes)
    if not secret:
        raise ValueError(
            "sensitive is empty; expected the columns that people want to keep private: no table says"
        )
    facts = relevance.cells(X[attributes], y, secret, RELEVANT, measure).to_dict("index")
    identifiers = relevance.identifiers(X[attributes])
    pairs = relevance.pairs(X[attributes]).to_numpy().tolist()
    twins = {second: first for first, second, share in pairs if share >= REPEATS}
    # In a class of few records values hardly move.
    large = pd.Series(checks.labels("y", y)).value_counts().min() >= K
    within = {"within": "class" if target is None else target} if large else {}
    columns: dict = {}
    comments: dict[tuple, str] = {}
    for name in attributes:
        columns[name], why = _entry(facts[name], identifiers.get(name), twins.get(name), within)
        comments["columns", name] = f"{why} ({measure} {facts[name][measure]:.3f})"
    # Who says nothing else is believed to fear the worst: that all that can be linked is known.
    kept = [name for name, entry in columns.items() if entry["action"] == "keep"]
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


def _entry(fact, identifier, twin, within):
    """What is done with a column, and why."""
    entry, why = {"action": "keep"}, "not sensitive"
    if identifier is not None:
        entry, why = {"action": "drop"}, f"looks like an identifier: {identifier}"
    elif fact["sensitive"] and fact["relevant"]:
        entry, why = {"action": "shuffle", **within}, "sensitive and relevant: its values change their places"
    elif fact["sensitive"]:
        entry, why = {"action": "drop"}, "sensitive and not relevant"
    elif twin is not None:
        why += f", and says nearly what {toml.shown(twin)} says: it may be dropped"
    elif not fact["relevant"]:
        why += ", and not relevant: it may be dropped"
    return {"sensitive": True, **entry} if fact["sensitive"] else entry, why
