"""Vaidya & Clifton 2004 judged: what parties that pool nothing promise, beside the full-scale results."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ppdm.measure import Ledger
from ppdm.studies.vc04_cost import COUNTS, WAYS, sent

FILES = ("opened", "noise", "disguised", "cost", "seconds", "attacks", "closing")
Row = tuple[str, str, str, Any]  # of the ledger: the claim, what it says, what was measured, the verdict
RECORDS = 30_000
NEVER = 0.5  # people: a mean below says that most runs show nobody


def read(folder: str | Path = "results") -> dict[str, pd.DataFrame]:
    """The full-scale results of notebook 05, by their names without "vc04-"."""
    return {name: pd.read_csv(Path(folder) / f"vc04-{name}.csv") for name in FILES}


def ledger(results: Mapping[str, pd.DataFrame]) -> Ledger:
    """The claims beside what was measured."""
    claims = Ledger("VC04")
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
    for row in rows:
        claims.check(*row)
    return claims


def _judged(claim, said, gain, told="", digits=3) -> Row:
    """A row about differences that must be at least 0, with the mean of each cell if nothing else is told."""
    means = gain.groupby(level=gain.index.names[:-1], sort=False).mean()
    told = told or ", ".join(f"{name} {mean:+.{digits}f}" for name, mean in means.items())
    return claim, said, told, Ledger.verdict(gain)["holds"]


def _promise(cost, opened) -> Iterator[Row]:
    """The abstract in two halves: the same trees, and nobody seen, whatever trees one grows."""
    same = bool(cost.loc[~cost["way"].str.startswith("sum"), "equal"].all())
    private = bool((opened["people"] == 0).all())
    said = (
        'The abstract: "technology from the security community" gives its benefits, "still maintaining privacy"'
    )
    told = f"all benefits {'yes' if same else 'no'} (V1b); nobody is seen {'yes' if private else 'no'} (V3)"
    yield "V0", said, told, "partly" if same != private else same


def _exact(cost) -> Iterator[Row]:
    for claim, kinds, word in (
        ("V1a", "sum", "Sums of parties are exact"),
        ("V1b", "open tree|closed tree|columns", "Ours: trees of parties are those of all records"),
    ):
        equal = cost.loc[cost["way"].str.match(kinds), "equal"]
        yield claim, f"{word}, whatever the engine", f"{equal.sum()} of {len(equal)} ways", bool(equal.all())


def _formulas(cost, seconds) -> Iterator[Row]:
    sums = {name: way for name, way in WAYS.items() if way.job == "sum"}
    ways = {name: way for name, way in sums.items() if way.engine != "masks"}
    runs = cost.set_index("way")["bytes"]
    right = sum(runs[name] == sent(way) for name, way in ways.items())
    said = f"Ours: the bytes of a sum follow a formula, but for masks; by Shamir (m − 1 + t)(8 · {COUNTS} + 12)"
    yield "V2a", said, f"{right} of {len(ways)} ways to the byte", right == len(ways)
    runs = seconds.groupby("way")["rounds"].agg(["min", "max"])
    wanted = {name: {"ring": way.parties + 1, "masks": 5}.get(way.engine, 2) for name, way in sums.items()}
    near = [abs(runs.loc[name] - number).max() <= 1 for name, number in wanted.items()]
    said = "Ours: a sum takes two rounds, by masks five, in a ring of m m + 1 (bound: one round; measured by latency)"
    yield "V2b", said, f"{sum(near)} of {len(near)} ways", all(near)


def _opened(opened) -> Iterator[Row]:
    runs = opened.set_index(["function", "repeat"])
    for claim, depth, least, word in (
        ("V3a", "to purity", 2, "grown to purity"),
        ("V3b", "to purity", 50, "grown to purity, nodes of 50 at least are split"),
        ("V3c", "depth 4", 2, "of four levels"),
    ):
        own = runs[(runs["depth"] == depth) & (runs["min_records"] == least)]
        told = ", ".join(f"F{name} {mean:.1f}" for name, mean in own.groupby("function")["people"].mean().items())
        said = f"If only sums are opened, nobody is seen: trees {word}, of 30,000 people (bound: 0.5 people)"
        yield _judged(claim, said, NEVER - own["people"], f"people read off: {told}")
    own = runs[(runs["depth"] == "to purity") & (runs["min_records"] == 2)]
    said = "Ours: a party finds among the others about as many as a stranger among all (bound: 90 %)"
    share = own["others"] / own["people"]
    yield _judged("V3d", said, share - 0.9, f"on average {share.mean():.0%}")


def _thresholds(attacks) -> Iterator[Row]:
    runs = attacks.set_index(["attack", "repeat"])
    below = ["ring: one neighbour", "mixer: alone", "Shamir: t shares", "masks of pairs and own ones: late words"]
    at = ["ring: two neighbours", "mixer: with one site", "Shamir: t + 1 shares"]
    some = runs[runs.index.isin(below, level="attack")]
    said = "Below its threshold a protocol tells no more than a guess (bound: 0.01 above it)"
    told = f"{some['read'].mean():.3f} of the numbers are read, and {some['guessed'].mean():.3f} guessed"
    yield _judged("V4a", said, some["guessed"] + 0.01 - some["read"], told)
    some = runs[runs.index.isin(at, level="attack")]
    said = "Ours: at its threshold all is read (two neighbours, mixer and site, t + 1 shares)"
    yield _judged("V4b", said, some["read"] - 1, f"{some['read'].mean():.3f} of the numbers are read")


def _broken(attacks) -> Iterator[Row]:
    runs = attacks.set_index(["attack", "repeat"])
    for claim, attack, said in (
        ("V5a", "algebraic product", "The scalar product of Vaidya & Clifton 2002 hides the vector"),
        ("V5b", "any sum: of two", "One might think: a sum of two hides what each has"),
        (
            "V5c",
            "real masks: 10,000 times",
            "One might think: real-valued masks hide a secret, however often masked",
        ),
        ("V5d", "words: 10,000 times", "Words modulo 2^64 do"),
        ("V5e", "masks of pairs: late words", "One might think: masks of pairs hide a site that comes late"),
        ("V5f", "two runs: a newcomer", "One might think: two exact sums hide who came in between"),
        ("V5g", "two runs with ε = 1 each: a newcomer", "With noise of ε = 1 in each they do"),
    ):
        own = runs.xs(attack, level="attack", drop_level=False)
        told = f"{own['read'].mean():.3f} of the numbers are read, and {own['guessed'].mean():.3f} guessed"
        yield _judged(claim, f"{said} (bound: 0.1 above a guess)", own["guessed"] + 0.1 - own["read"], told)


def _closed(cost, seconds) -> Iterator[Row]:
    runs = cost.set_index("way")
    taken = seconds.groupby("way")["cpu"].min()
    closed, opened = (f"{job} tree, shamir, 3 parties, 30,000 records" for job in ("closed", "open"))
    numbers, more = runs["opened"], runs.loc[closed, "bytes"] / runs.loc[opened, "bytes"]
    told = (
        f"{numbers[closed]} numbers of three levels; {numbers[opened]:,} of four with open sums, "
        f"which send {more:.0f} times less and compute, beside pooled trees, {taken[closed] / taken[opened]:.0f} "
        "times less"
    )
    said = "Ours: a tree can be grown that opens no more than its own counts (bound: 16 for three levels)"
    yield "V6a", said, told, bool(numbers[closed] <= 16)
    helped, shared = (f"columns, {who}, 10,000 records" for who in ("commodity, 2 parties", "shamir, 3 parties"))
    told = f"{taken[shared] / taken[helped]:.0f} times less computing, for 10,000 people"
    said = "Ours: for columns held apart a helper is far cheaper than shares (bound: ten times)"
    yield "V6b", said, told, bool(taken[shared] / taken[helped] >= 10)


def _private(noise, disguised) -> Iterator[Row]:
    own = noise[noise["depth"] == 4].set_index(["records", "function", "repeat"])
    lost = own["no noise"] - own["ε = 1"]
    for claim, records in (("V7a", RECORDS), ("V7b", 100_000)):
        said = f"Ours: noise of all parties, ε = 1 in all, costs little: four levels, {records:,} people (bound: 0.03)"
        some = lost.xs(records, level="records")
        means = some.groupby("function").mean().items()
        yield _judged(claim, said, 0.03 - some, ", ".join(f"F{name} {mean:.3f}" for name, mean in means))
    wide = disguised[(disguised["level"] == 1) & (disguised["noise"] == "Gaussian")]
    alone = wide.set_index(["records", "function", "repeat"])["byclass"]
    for claim, records in (("V8a", RECORDS), ("V8b", 100_000)):
        gain = (own["ε = 1"] - alone).xs(records, level="records")
        said = f"Ours: it is as accurate as a disguise of 100 % by each person (ByClass): {records:,} people"
        means = gain.groupby("function").mean().items()
        told = ", ".join(f"F{name} {mean:+.3f}" for name, mean in means)
        yield _judged(claim, f"{said} (bound: 0.01 worse)", gain + 0.01, told)


def _closing(closing) -> Iterator[Row]:
    runs = closing.pivot_table("accuracy", ["function", "repeat"], "way")
    same = runs[["mixer", "Shamir, open", "Shamir, closed"]].sub(runs["pooled"], axis=0).abs().to_numpy().max()
    said = "Ours: whoever trusts a mixer, or two of three, loses nothing against pooled records"
    yield "V9a", said, f"largest difference of accuracies {same:g}", bool(same == 0)
    lead = runs["Shamir, ε = 1"] - runs["jointly, 100 %"]
    means = ", ".join(f"F{name} {mean:+.3f}" for name, mean in lead.groupby("function").mean().items())
    said = "Ours: whom one trusts is worth more than the estimator: ε = 1, four levels, beats joint estimates at 100 %"
    yield _judged("V9b", f"{said} (bound: 0)", lead, means)
