"""Vaidya & Clifton 2004 judged: what parties that pool nothing promise, beside the results."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ppdm.measure import Ledger
from ppdm.studies.vc04_cost import COUNTS, WAYS, sent

FILES = ("opened", "noise", "disguised", "cost", "seconds", "attacks", "closing")
# Of the ledger: the claim, what it says, the settings it speaks of; what was measured, its bound and verdicts.
Row = tuple[str, str, str, dict[str, Any]]
RECORDS = 30_000
NEVER = 0.5  # people: a mean below says that most runs show nobody
LITTLE = 0.03  # accuracy that noise may cost
BEYOND = 0.1  # how much more than a guess an attack may read of what is hidden


def read(folder: str | Path = "results") -> dict[str, pd.DataFrame]:
    """The full-scale results of notebook 05, by their names without "vc04-"."""
    return {name: pd.read_csv(Path(folder) / f"vc04-{name}.csv") for name in FILES}


def ledger(results: Mapping[str, pd.DataFrame]) -> Ledger:
    """The claims beside what was measured."""
    claims = Ledger("VC04", "the abstract, the field, and we say")
    rows = [
        *_promise(results["cost"], results["opened"]),
        *_exact(results["cost"]),
        *_formulas(results["cost"], results["seconds"]),
        *_opened(results["opened"]),
        *_thresholds(results["attacks"]),
        *_broken(results["attacks"]),
        *_closed(results["cost"], results["seconds"]),
        *_private(results["noise"], results["disguised"]),
        *_closing(results["closing"]),
    ]
    for claim, said, scope, found in rows:
        claims.check(claim, said, scope=scope, **found)
    return claims


def _promise(cost, opened) -> Iterator[Row]:
    """The abstract in two halves: the same trees, and nobody seen, whatever trees one grows."""
    same = bool(cost.loc[~cost["way"].str.startswith("sum"), "equal"].all())
    private = bool((opened["people"] == 0).all())
    said = "Technology can change data mining “…, providing all its benefits while still maintaining privacy”"
    found = {
        "claimed": "the trees of all records, and nobody seen",
        "measured": f"all benefits {'yes' if same else 'no'} (V1b); nobody is seen {'yes' if private else 'no'} (V3)",
        "holds": "partly" if same != private else same,
    }
    yield "V0", f"{said} (abstract)", "trees of all kinds here", found


def _exact(cost) -> Iterator[Row]:
    for claim, kinds, said in (
        ("V1a", "sum", "The field: sums of parties are exact"),
        ("V1b", "open tree|closed tree|columns", "Ours: trees of parties are those of all records"),
    ):
        equal = cost.loc[cost["way"].str.match(kinds), "equal"]
        yield claim, said, "all engines", _counted(equal)


def _counted(right) -> dict[str, Any]:
    """A verdict on ways of which each is right or wrong: all are right, or half of them at least, or fewer."""
    share = sum(right) / len(right)
    return {
        "claimed": f"all of {len(right)} ways",
        "measured": f"{sum(right)} of {len(right)} ways",
        "holds": True if share == 1 else "partly" if share >= 0.5 else False,
    }


def _formulas(cost, seconds) -> Iterator[Row]:
    sums = {name: way for name, way in WAYS.items() if way.job == "sum"}
    ways = {name: way for name, way in sums.items() if way.engine != "masks"}
    runs = cost.set_index("way")["bytes"]
    said = "Ours: the bytes of a sum follow a formula"
    scope = f"all engines but masks, to the byte; by Shamir (m − 1 + t)(8 · {COUNTS} + 12)"
    yield "V2a", said, scope, _counted([runs[name] == sent(way) for name, way in ways.items()])
    rounds = seconds.groupby("way")["rounds"].agg(["min", "max"])
    wanted = {name: {"ring": way.parties + 1, "masks": 5}.get(way.engine, 2) for name, way in sums.items()}
    near = [bool(abs(rounds.loc[name] - number).max() <= 1) for name, number in wanted.items()]
    said = "Ours: a sum takes two rounds, by masks five, and in a ring of m parties m + 1"
    yield "V2b", said, "all engines, measured by latency, to one round", _counted(near)


def _opened(opened) -> Iterator[Row]:
    runs = opened.set_index(["function", "repeat"])
    said = "One might think: if only sums are opened, nobody is seen"
    for claim, depth, least, word in (
        ("V3a", "to purity", 2, "trees grown to purity"),
        ("V3b", "to purity", 50, "trees grown to purity, nodes of 50 at least are split"),
        ("V3c", "depth 4", 2, "trees of four levels"),
    ):
        own = runs[(runs["depth"] == depth) & (runs["min_records"] == least)]
        scope = f"people read off, of {RECORDS:,}; {word}; Functions 1–5"
        yield claim, said, scope, Ledger.verdict(own["people"], at_most=NEVER)
    own = runs[(runs["depth"] == "to purity") & (runs["min_records"] == 2)]
    said = "Ours: a party finds among the others about as many as a stranger among all"
    found = Ledger.verdict(own["others"] / own["people"], at_least=0.9, points=True)
    scope = "share of those whom a stranger finds; trees grown to purity, nodes of 2; Functions 1–5"
    yield "V3d", said, scope, found


def _thresholds(attacks) -> Iterator[Row]:
    runs = attacks.set_index(["attack", "repeat"])
    below = ["ring: one neighbour", "mixer: alone", "Shamir: t shares", "masks of pairs and own ones: late words"]
    at = ["ring: two neighbours", "mixer: with one site", "Shamir: t + 1 shares"]
    some = runs[runs.index.isin(below, level="attack")]
    said = "The field: below its threshold a protocol tells nothing"
    found = Ledger.verdict(some["read"] - some["guessed"], at_most=0.01, points=True)
    yield "V4a", said, "numbers read, above a guess; four protocols", found
    some = runs[runs.index.isin(at, level="attack")]
    found = Ledger.verdict(some["read"], at_least=1, points=True)
    yield "V4b", "Ours: at its threshold all is read", "two neighbours, mixer and site, t + 1 shares", found


def _broken(attacks) -> Iterator[Row]:
    runs = attacks.set_index(["attack", "repeat"])
    think = "One might think: "
    for claim, attack, said in (
        ("V5a", "algebraic product", "The field: the scalar product of Vaidya & Clifton 2002 hides the vector"),
        ("V5b", "any sum: of two", f"{think}a sum of two hides what each has"),
        ("V5c", "real masks: 10,000 times", f"{think}real-valued masks hide a secret, however often masked"),
        ("V5d", "words: 10,000 times", "The field: words modulo 2^64 hide a secret, however often masked"),
        ("V5e", "masks of pairs: late words", f"{think}masks of pairs hide a site that comes late"),
        ("V5f", "two runs: a newcomer", f"{think}two exact sums hide who came in between"),
        (
            "V5g",
            "two runs with ε = 1 each: a newcomer",
            "The field: two sums with noise of ε = 1 each hide the newcomer",
        ),
        ("V5h", "masks of 12-bit seeds", f"{think}masks from short seeds hide a number"),
        (
            "V5i",
            "masks of pairs and own ones: late words",
            "The field: with masks of its own a late site is hidden",
        ),
    ):
        own = runs.xs(attack, level="attack", drop_level=False)
        found = Ledger.verdict(own["read"] - own["guessed"], at_most=BEYOND, points=True)
        found["measured"] += f" ({own['read'].mean():.1%} read, {own['guessed'].mean():.1%} guessed)"
        yield claim, said, "numbers read, above a guess", found


def _closed(cost, seconds) -> Iterator[Row]:
    runs = cost.set_index("way")
    taken = seconds.groupby("way")["cpu"].min()
    closed, opened = (f"{job} tree, shamir, 3 parties, 30,000 records" for job in ("closed", "open"))
    numbers, more = runs["opened"], runs.loc[closed, "bytes"] / runs.loc[opened, "bytes"]
    told = (
        f"{numbers[closed]} numbers; {numbers[opened]:,} of four levels with open sums, "
        f"which send {more:.0f} times less and compute, beside pooled trees, {taken[closed] / taken[opened]:.0f} "
        "times less"
    )
    found = {"claimed": "at most 16 numbers", "measured": told, "holds": bool(numbers[closed] <= 16)}
    said = "Ours: a tree can be grown that opens no more than its own counts"
    yield "V6a", said, "closed tree of three levels, 30,000 people", found
    helped, shared = (f"columns, {who}, 10,000 records" for who in ("commodity, 2 parties", "shamir, 3 parties"))
    less = taken[shared] / taken[helped]
    found = {
        "claimed": "at least 10 times",
        "measured": f"{less:.0f} times less computing",
        "holds": bool(less >= 10),
    }
    said = "Ours: for columns held apart a helper is far cheaper than shares"
    yield "V6b", said, "10,000 people", found


def _private(noise, disguised) -> Iterator[Row]:
    own = noise[noise["depth"] == 4].set_index(["records", "function", "repeat"])
    lost = own["no noise"] - own["ε = 1"]
    for claim, records in (("V7a", RECORDS), ("V7b", 100_000)):
        said = "Ours: noise of all parties, ε = 1 in all, costs little"
        scope = f"accuracy lost; four levels, {records:,} people; Functions 1–5"
        yield claim, said, scope, Ledger.verdict(lost.xs(records, level="records"), at_most=LITTLE, points=True)
    wide = disguised[disguised["level"] == 1].set_index(["noise", "records", "function", "repeat"])["byclass"]
    for claim, shape, records in (
        ("V8a", "Gaussian", RECORDS),
        ("V8b", "Gaussian", 100_000),
        ("V8c", "uniform", RECORDS),
        ("V8d", "uniform", 100_000),
    ):
        gain = (own["ε = 1"] - wide[shape]).xs(records, level="records")
        said = "Ours: it is as accurate as a disguise of 100 % by each person (ByClass)"
        scope = f"accuracy above ByClass under {shape} noise; {records:,} people; Functions 1–5"
        yield claim, said, scope, Ledger.verdict(gain, at_least=-0.01, points=True)


def _closing(closing) -> Iterator[Row]:
    runs = closing.pivot_table("accuracy", ["function", "repeat"], "way")
    same = runs[["mixer", "Shamir, open", "Shamir, closed"]].sub(runs["pooled"], axis=0).abs().to_numpy().max()
    found = {"claimed": "0", "measured": f"largest difference {same:g}", "holds": bool(same == 0)}
    said = "Ours: whoever trusts a mixer, or two of three, loses nothing against pooled records"
    yield "V9a", said, "accuracies; Functions 2 and 3", found
    lead = runs["Shamir, ε = 1"] - runs["jointly, 100 %"]
    said = "Ours: whom one trusts is worth more than the estimator"
    scope = "accuracy of ε = 1 and four levels above joint estimates at 100 %; Functions 2 and 3"
    yield "V9b", said, scope, Ledger.verdict(lead, at_least=0, points=True)
