"""Du & Zhan judged: the paper's sentences, each with its scope and bound, beside the full-scale results."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdm.disguise import GroupedResponse
from ppdm.measure import Ledger
from ppdm.studies.dz03 import MIDDLE, TABLES, THETAS, falls, records, worse_on_votes
from ppdm.studies.dz03_estimates import DEPENDENCES
from ppdm.studies.dz03_said import SAID, coins_read, information_kept, one_known, sources_of, unbiased
from ppdm.studies.dz03_tables import CELL, FAIR, FEW, Results, ahead, both_rules, gives_away, hidden, surely

FILES = (
    *("schemes", "confident", "levels", "class", "readings", "small", "tested", "privacy"),
    *("wide", "wide-epsilon", "node", "sources", "growth", "dependent"),
)
BORROWED = {"as00": "as00-strategies", "joint": "joint-strategies"}
SIDES = THETAS[:6], THETAS[:5:-1]  # θ from both ends to the middle
STEPS = ["1", "2", "3", "5", "8", "N"]  # groups whose privacy is measured
SAME = 0.01  # how much less may be lost by a table of equal size: our choice
TENTH = 0.1  # of the variance, to call it a source: our choice
SQUARED = "; in squared points"
THREE = {
    "whole record": "with the list",
    "stranger": "a stranger",
    "linked": "sheets found",
}  # what a sheet gives away
Row = dict[str, Any]


def read(folder: str | Path = "results") -> dict[str, pd.DataFrame]:
    """The full-scale results of notebook 04, by their names without "dz03-", with the tables' names in prose."""
    names = {name: f"dz03-{name}" for name in FILES} | BORROWED
    found = {
        name: pd.read_csv(Path(folder) / f"{file}.csv", dtype={"groups": str}) for name, file in names.items()
    }
    for frame in found.values():
        if "table" in frame:
            frame["table"] = frame["table"].map(TABLES)
    return found


def ledger(results: Results) -> Ledger:
    """The paper's claims beside what was measured."""
    claims = Ledger("DZ03")
    parts = (
        _accuracy,
        _usable,
        _voting,
        _tested,
        _privacy,
        _guesses,
        _lost,
        _many,
        _others,
        _records,
        _node,
        _naive,
    )
    for part in parts:
        for row in part(results):
            claims.check(**row)
    return claims


def _row(claim: str, values: pd.Series, more: str = "", **how) -> Row:
    """A row by the common rule of verdicts."""
    found = Ledger.verdict(values, **how)
    statement, scope = SAID[claim]
    return {"claim": claim, "statement": statement, "scope": scope, **found, "measured": found["measured"] + more}


def _fact(claim: str, claimed: str, measured: str, holds: Any) -> Row:
    """A row about a single fact."""
    statement, scope = SAID[claim]
    values = claim, statement, scope, claimed, measured, holds
    return dict(zip(("claim", "statement", "scope", "claimed", "measured", "holds"), values))


def _accuracy(results) -> Iterator[Row]:
    """D1 to D3: the ends, and the trends of mean and variance."""
    full = results["schemes"]
    ends = full[full["theta"].isin([0, 1])]
    apart = (ends["accuracy"] - ends["benchmark"]).abs().max()
    yield _fact("D1", "no difference", f"largest of {len(ends):,} runs: {apart:g}", bool(apart == 0))
    few = full[full["groups"].isin(FEW)]
    yield _row("D2a", _towards(few, "accuracy"), points=True, says="overall")
    yield _row("D2b", falls(hidden(few), "accuracy", "groups", FEW), points=True)
    last = hidden(full[full["groups"].isin(["3", "N"])])
    yield _row("D2c", falls(last, "accuracy", "groups", ["3", "N"]), points=True, says="overall")
    mean = few.groupby(CELL)["accuracy"].transform("mean")
    # What falls is the steadiness, so that the squared distance, in points, rises.
    steady = few.assign(steady=-((100 * (few["accuracy"] - mean)) ** 2))
    yield _row("D3a", _towards(steady, "steady"), SQUARED)
    yield _row("D3b", falls(hidden(steady), "steady", "groups", FEW), SQUARED)


def _towards(frame, column):
    """By how much a measure falls from each θ to the next one nearer to ½, from both ends."""
    return pd.concat([falls(frame, column, "theta", side) for side in SIDES])


def _recommended(values):
    """Those of a Series, indexed by CELL and "repeat", at the θ that the paper recommends, without 0 and 1."""
    far = (values.index.get_level_values("theta").to_series() - 0.5).abs().round(2).to_numpy()
    least = values.index.get_level_values("groups").map({"1": 0.05, "2": 0.2, "3": 0.2})
    return values[(far >= least) & (far < 0.5)]


def _usable(results) -> Iterator[Row]:
    """D4: the θ that the paper recommends. Five points are more than Adult's plain ID3 is ahead of the larger class."""
    rows = _recommended(results["schemes"].set_index([*CELL, "repeat"]))
    yield _row("D4a", rows["benchmark"] - rows["accuracy"], points=True, at_most=FAIR)
    yield _row("D4b", rows["accuracy"] - rows["majority"], points=True)


def _voting(results) -> Iterator[Row]:
    """D5: Voting does worst, and why."""
    full = results["schemes"]
    yield _row("D5a", worse_on_votes(full), points=True, says="overall")
    yield _row("D5b", worse_on_votes(full, lead=True), points=True, says="overall")
    as_small = worse_on_votes(results["small"]).loc[["Breast-Cancer"]]
    yield _row("D5c", as_small, points=True, at_most=SAME)


def _tested(results) -> Iterator[Row]:
    """D6: accuracy from disguised test records."""
    errors = results["tested"].set_index([*CELL, "repeat"])["error"]
    off, number, holds = unbiased(errors)
    near = 100 * errors.xs(0.9, level="theta").groupby(level=["table", "groups"]).mean()
    told = f"{off} of {number} settings surely off (t, Holm)"
    yield _fact(
        "D6", "no mean error", f"{told}; at θ = 0.9 by {near.min():+.1f} to {near.max():+.1f} points", holds
    )


def _privacy(results) -> Iterator[Row]:
    """D7: what a known answer unmasks, and whether groups and θ protect."""
    privacy = results["privacy"]
    right, apart = coins_read()
    off, number, independent = unbiased(apart)
    others = privacy[privacy["table"] == "Voting"].groupby("groups", sort=False)["unmasked"].mean()
    told = f"{100 * right:g} % right in the group; other coins: {off} of {number} pairs surely dependent"
    more = f"answers unmasked by groups ({', '.join(others.index)}): {', '.join(f'{one:.1f}' for one in others)}"
    yield _fact("D7a", "all in the group, none outside", f"{told}; {more}", right == 1 and independent is True)
    for claim, along, order in (("D7b", "groups", STEPS), ("D7c", "theta", [0.9, 0.8, 0.7, 0.6, 0.55])):
        measures = {word: falls(privacy, kind, along, order) for kind, word in THREE.items()}
        steps = pd.concat(measures, names=["to"])
        broken = steps.index.droplevel("repeat").unique()[surely(steps)["below"]]
        rises = ", ".join(f"({', '.join(map(str, step))})" for step in broken)
        yield _row(claim, steps, f"; surely more given away: {rises or 'nowhere'}", points=True)


def _guesses(results) -> Iterator[Row]:
    """D8: how often an answer is guessed."""
    each = results["privacy"].query("groups == 'N'").set_index(["table", "theta", "repeat"])
    shares = {name: records(table)[0].mean() for table, name in TABLES.items()}
    commoner = {name: np.maximum(share, 1 - share) for name, share in shares.items()}
    bound = [np.maximum(commoner[table], theta).mean() for table, theta, _ in each.index]
    above = sum(int((own > 0.7).sum()) for own in commoner.values())
    answers = sum(map(len, commoner.values()))
    more = f"; {above} of {answers} answers pass θ = 0.7 before any sheet"
    yield _row("D8a", (each["one answer"] - bound).round(12) + 0.0, more, points=True, at_most=0)
    for claim, kind in (("D8b", "whole record"), ("D8c", "stranger")):
        mean = 100 * each[kind].xs(0.7, level="theta").groupby(level="table", sort=False).mean()
        told = ", ".join(f"{name} {one:.1f} %" for name, one in mean.items())
        yield _row(claim, each[kind] - bound, f"; guessed at θ = 0.7: {told}", points=True, at_most=0)
    known = {name: one_known(table) for table, name in TABLES.items()}
    beyond = [both > np.maximum(commoner[name], 0.7).mean() for name, (_, both) in known.items()]
    told = ", ".join(
        f"{name} {100 * both:.1f} % (without it {100 * sheet:.1f})" for name, (sheet, both) in known.items()
    )
    holds = "partly" if any(beyond) and not all(beyond) else not any(beyond)
    yield _fact("D8d", "at most θ or the commoner answer", f"with the list: {told}", holds)


def _lost(results) -> Iterator[Row]:
    """D9, exactly at θ = ½, which the library refuses; D10, how often all answers are guessed together."""
    seen = {share: share * 0.5 + (1 - share) * 0.5 for share in (0.9, 0.1)}
    try:
        GroupedResponse(0.5, [["smokes"]]).disguise(pd.DataFrame({"smokes": [0, 1]}), 1)
        refused = False
    except ValueError:
        refused = True
    told = " and ".join(
        f"{100 * share:.0f} % of 1's are seen as {100 * own:.0f} %" for share, own in seen.items()
    )
    same = len(set(seen.values())) == 1
    yield _fact(
        "D9a", "one release, whatever the shares", f"{told}; θ = ½ is refused: {refused}", same and refused
    )
    kept = {name: information_kept(table) for table, name in TABLES.items()}
    left = ", ".join(f"{name} {100 * share:.0f} %" for name, share in kept.items())
    told = f"of the bits that there are on a record a sheet still has: {left}"
    yield _fact("D9b", "nothing is left", told, max(kept.values()) < 0.01)
    each = results["privacy"].query("groups == 'N'").set_index(["table", "theta", "repeat"])
    some = gives_away(results).xs("N", level="groups")
    pairs = zip(some.index, some["all answers"], some["θ to the N"])
    most = {name: records(table)[0].value_counts(normalize=True).iloc[0] for table, name in TABLES.items()}
    more = ", ".join(
        f"{name} {own:.1f} against {power:.2f} % (its commonest record: {100 * most[name]:.1f} %)"
        for name, own, power in pairs
    )
    sizes = {name: records(table)[0].shape[1] for table, name in TABLES.items()}
    times = each["record"] / [theta ** sizes[table] for table, theta, _ in each.index]
    told = f"{times.min():.1f} to {times.max():,.0f} times θ^N in {times.groupby(level=[0, 1]).ngroups} settings"
    yield _row("D10", times, at_most=1) | {"claimed": "at most θ^N", "measured": f"{told}; at θ = 0.7: {more}"}


def _many(results) -> Iterator[Row]:
    """D11: a group for each answer."""
    rows = both_rules(results).query("groups == 'N'").set_index([*CELL, "repeat"])
    usable = rows[rows.index.get_level_values("theta").isin(MIDDLE[1:])]
    yield _row("D11a", usable["benchmark"] - usable["accuracy"], points=True, at_least=FAIR)
    near = rows.xs(0.9, level="theta")
    lost = near["sure benchmark"] - near["sure"]
    each = ", ".join(
        f"{name} {100 * own:.1f}" for name, own in lost.groupby(level="table", sort=False).mean().items()
    )
    yield _row("D11b", lost, f"; lost: {each} points", points=True, at_least=FAIR)


def _others(results) -> Iterator[Row]:
    """D12: what Agrawal & Srikant's scheme needs."""
    runs = results["dependent"].set_index(["dependence", "noise", "repeat"])
    lost = runs["original"] - runs["byclass"]
    yield _row("D12a", lost.loc[[DEPENDENCES[0]]], points=True, at_least=FAIR)
    second = results["as00"].query("function == 2 and level == 1").set_index(["noise", "repeat"])
    both = {"Function 2": second["original"] - second["byclass"]}
    function = pd.concat(both, names=["dependence"])
    yield _row("D12b", pd.concat([lost.loc[DEPENDENCES[1:]], function]), points=True, at_least=FAIR)


def _records(results) -> Iterator[Row]:
    """D13 and D14: more records, and two sources of variance."""
    grown = results["growth"].pivot_table("accuracy", ["groups", "theta", "repeat"], "records")
    steps = (
        grown.diff(axis=1)
        .iloc[:, 1:]
        .melt(ignore_index=False, value_name="rise")
        .set_index("records", append=True)
    )
    rise = steps["rise"].reorder_levels(["groups", "theta", "records", "repeat"])
    yield _row("D13", rise, points=True)
    within, between = sources_of(results["sources"])
    yield _row("D14a", within, SQUARED)
    yield _row("D14b", between, points=True, at_least=TENTH, says="overall")


def _node(results) -> Iterator[Row]:
    """D15: the worked node."""
    runs = results["node"].set_index(["table", "theta", "repeat"])
    apart, masks = runs["apart"].max(), set(runs["masks"])
    told = f"{' or '.join(map(str, masks))} masks; solved less counted by weights: {apart:.0e} records at most"
    yield _fact("D15a", "the same number both ways", told, bool(apart < 1e-6 and masks == {8}))
    for claim, column, unit in (("D15b", "size", "records"), ("D15c", "gain", "bits")):
        errors = runs[column] - runs["true" if column == "size" else "true gain"]
        off, number, holds = unbiased(errors)
        near = errors.xs(0.9, level="theta").groupby(level="table", sort=False).agg(["mean", "sem"])
        each = ", ".join(f"{name} {mean:+.2g} ± {error:.1g}" for name, mean, error in near.itertuples())
        told = f"{off} of {number} settings surely off (t, Holm); at θ = 0.9: {each} {unit}"
        yield _fact(claim, "no mean error", told, holds)


def _naive(results) -> Iterator[Row]:
    """D16: estimates beside none; on average near ½, and where the paper recommends θ."""
    for claim, rule in (("D16a", "accuracy"), ("D16b", "sure")):
        behind = -ahead(results, rule)
        few = behind.index.get_level_values("groups") != "N"
        there = 100 * _recommended(behind).groupby(level=CELL).mean()
        more = f"; where the paper recommends θ {there.mean():+.1f} points, {(there > 0).sum()} of {len(there)} ahead"
        yield _row(claim, behind[few & (behind.index.get_level_values("theta") > 0.5)], more, points=True)
