"""The closing table of all notebooks: on the same records, who must be trusted, what is promised, and what it costs."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm.data import BinaryCuts, quest
from ppdm.disguise import PrivacyWarning
from ppdm.parties import local
from ppdm.studies import ib03, lsl03
from ppdm.studies.as00 import TEST, Study, channels_at, original
from ppdm.studies.dz03 import CONFIDENCE, Split
from ppdm.studies.vc04 import PARTIES, coded, private
from ppdm.studies.vc04_cost import DOMAINS, Way, sent
from ppdm.trees import C45Classifier, ReconstructedTreeClassifier, Stop, grow

RECORDS, DEPTH, EPSILON = 20_000, 4, 1.0
THETA, SIX = 0.9, 6
NUMBERS, CODES = 9 * 8 + 1, 10  # bytes of a record: nine numbers and a class; ten codes
STOP = Stop(max_depth=DEPTH)


class Told(NamedTuple):
    """What the closing table says of a way in words: whom all must trust, which ε holds, what others learn."""

    trusted: str
    epsilon: str
    opened: str


class Records(NamedTuple):
    """Records to learn from, with their classes; and others to test on."""

    X: pd.DataFrame
    y: pd.Series
    test: pd.DataFrame
    test_y: pd.Series

    def right(self, model, test: pd.DataFrame | None = None) -> float:
        """The share of the test records that a tree classifies rightly."""
        return float((model.predict(self.test if test is None else test) == self.test_y).mean())


Found = dict[str, float]  # accuracy; the bytes that a party with a third of the records sends; opened numbers


def _released(accuracy, size=NUMBERS):
    """A release shows all values of all records."""
    return {"accuracy": accuracy, "bytes": RECORDS * size // PARTIES, "opened": RECORDS * 10}


def _as00(strategy, level):
    def run(given: Records, rng) -> Found:
        found = Study.of(*given[:2], channels_at("Gaussian", level), *given[2:], rng)
        return _released(found.accuracy(ReconstructedTreeClassifier(found.channels, strategy)))

    return run


def _dz03(given: Records, rng) -> Found:
    """All values cut in two, in three groups."""
    cuts = BinaryCuts.of(given.X)
    train, test = (cuts.apply(X).assign(group=(y == "B").astype(np.int8)) for X, y in (given[:2], given[2:]))
    split = Split(train, test, "group")
    return _released(split.accuracy(split.fit(*split.disguised(THETA, "3", rng), confidence=CONFIDENCE)), CODES)


def _dz03_wide(given: Records, rng) -> Found:
    """All values in six intervals, each attribute in a group of its own."""
    edges = {name: np.linspace(low, high, SIX + 1)[1:-1] for name, (low, high, _) in DOMAINS.items()}

    def cut(X, y) -> pd.DataFrame:
        codes = {
            name: pd.Categorical(np.searchsorted(own, X[name], side="right").astype(str), list("012345"))
            for name, own in edges.items()
        }
        return pd.DataFrame(codes).assign(group=(y == "B").to_numpy().astype(np.int8))

    split = Split(cut(*given[:2]), cut(*given[2:]), "group")
    channel = split.wide_channel(THETA, "N", False, rng)
    model = split.fit(channel, channel.disguise(split.train, rng), confidence=CONFIDENCE)
    return _released(split.accuracy(model), CODES)


def _lsl03(entry):
    def run(given: Records, rng) -> Found:
        own = lsl03.specification(dict.fromkeys(map(str, given.X), entry), int(rng.integers(2**62)))
        seen = lsl03.quietly(own.fit_transform, given.X, given.y)
        test = own.transform(given.test) if entry["action"] == "discretise" else given.test
        return _released(given.right(C45Classifier().fit(seen, given.y), test))

    return run


def _ib03(given: Records, rng) -> Found:
    rounded = given.X.round()  # to whole years and dollars: further digits would tell noise by
    noise = ib03.follow("all at once", C45Classifier().fit(rounded, given.y), rounded, given.y)
    return _released(given.right(C45Classifier().fit(*ib03.released(noise, rng))))


def _parties(engine, opens):
    def run(given: Records, _) -> Found:
        held = {str(place): (given.X[place::PARTIES], given.y[place::PARTIES]) for place in range(PARTIES)}
        with local(held, engine, DOMAINS) as session:
            tree = session.tree(stop=STOP, opens=opens)
            opened = sum(numbers.size for _, numbers in session.openings)
            return {"accuracy": given.right(tree), "bytes": session.bytes["0"], "opened": opened}

    return run


def _private(given: Records, rng) -> Found:
    """With noise of a seed, so that the number can be computed again; what Shamir's shares send follows a formula."""
    table = private(coded(*given[:2]), EPSILON, DEPTH, rng)
    tree = grow(table, stop=STOP)
    sizes = [2, *(one.size for one in table.histograms_of_all)]
    way = Way("open tree", "shamir", PARTIES)
    return {"accuracy": given.right(tree), "bytes": sum(sent(way, size) for size in sizes), "opened": sum(sizes)}


def _pooled(given: Records, _) -> Found:
    return _released(given.right(grow(coded(*given[:2]), stop=STOP)))


def _whole(given: Records, _) -> Found:
    return _released(given.right(original(channels_at("Gaussian", 1.0), RECORDS).fit(*given[:2])))


NOBODY, RELEASER, TWO = "nobody", "who releases", "two of three parties"
OWN, ALL, SUMS = "disguised records", "all records, disguised together", "sums of all parties"
WAYS: dict[str, tuple[Told, Callable[[Records, Any], Found]]] = {
    "AS00 by class, 50 %": (Told(NOBODY, "63 an attribute, δ = 1e-5", OWN), _as00("byclass", 0.5)),
    "AS00 by class, 100 %": (Told(NOBODY, "24 an attribute, δ = 1e-5", OWN), _as00("byclass", 1.0)),
    "jointly, 50 %": (Told(NOBODY, "63 an attribute, δ = 1e-5", OWN), _as00("joint", 0.5)),
    "jointly, 100 %": (Told(NOBODY, "24 an attribute, δ = 1e-5", OWN), _as00("joint", 1.0)),
    "DZ03, 3 groups": (Told(NOBODY, "6.6: 2.2 a group", OWN), _dz03),
    "DZ03, six intervals": (Told(NOBODY, "36: 3.8 an attribute, 2.2 the class", OWN), _dz03_wide),
    "LSL03, discretised": (Told(RELEASER, "none", ALL), _lsl03({"action": "discretise", "method": "mdlp"})),
    "LSL03, shuffled in class": (Told(RELEASER, "none", ALL), _lsl03({"action": "shuffle", "within": "class"})),
    "IB03, noise in leaves": (Told(RELEASER, "none", ALL), _ib03),
    "mixer": (Told("a mixer that talks to no party", "none", SUMS), _parties("mixer", "histograms")),
    "Shamir, open": (Told(TWO, "none", SUMS), _parties("shamir", "histograms")),
    "Shamir, closed": (Told(TWO, "none", "the tree"), _parties("shamir", "tree")),
    "Shamir, ε = 1": (Told(TWO, "1 in all", "sums of all parties, with noise"), _private),
    "pooled": (Told("who has all records", "none", "all records, to one"), _pooled),
    "pooled, any depth": (Told("who has all records", "none", "all records, to one"), _whole),
}


def closing(function: int, way: str, rng: np.random.Generator) -> Found:
    """A tree in one way, from 20,000 records; all ways meet the same ones.

    - accuracy: on 5,000 true test records
    - bytes: what somebody sends who has a third of the records
    - opened: how many numbers others learn, of which a release shows ten for each record
    """
    given = Records(*quest(RECORDS, function, rng=rng), *quest(TEST, function, rng=rng))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # of what is shown here, and released nowhere
        return WAYS[way][1](given, rng)


def closing_table(results: Mapping[str, pd.DataFrame], seconds: pd.DataFrame) -> pd.DataFrame:
    """A row for each way: who is trusted, which ε holds, accuracy by function, bytes, rounds, and what others learn.

    The rounds of sums are two for each; those of the closed tree are as many for each level as were measured.
    """
    runs = results["closing"]
    means = runs.pivot_table("accuracy", "way", "function", sort=False)
    told = pd.DataFrame({name: way._asdict() for name, (way, _) in WAYS.items()}).T
    closed = seconds[seconds["way"].str.startswith("closed tree, shamir, 3")]["rounds"].mean() / 3
    rounds = {"mixer": 2 * (1 + DEPTH), "Shamir, closed": round(closed * DEPTH)}
    rounds |= dict.fromkeys(["Shamir, open", "Shamir, ε = 1"], 2 * (1 + DEPTH))
    sums = runs.groupby("way", sort=False)[["bytes", "opened"]].mean().round().astype(int)
    return told.assign(
        **{f"accuracy, F{function}": means[function].round(3) for function in means},
        bytes=sums["bytes"],
        rounds=pd.Series({name: rounds.get(name, 1) for name in WAYS}),
        numbers=sums["opened"],
    )


def sums_table(results: Mapping[str, pd.DataFrame], column: str) -> pd.DataFrame:
    """What sums cost: a row for each engine, and a column for each number of parties."""
    cost = results["cost"]
    sums = cost["way"].str.extract(r"sum, (?P<engine>\w+), (?P<parties>\d)").assign(cost=cost[column])
    return sums.pivot_table("cost", "engine", "parties", sort=False).astype(int)


def trees_table(results: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """What trees of three parties cost by Shamir: of four levels, with open sums; and of three, closed."""
    kinds = {"open tree, 4 levels": "open tree", "closed tree, 3 levels": "closed tree"}
    ways = [f"{kind}, shamir, 3 parties, 30,000 records" for kind in kinds.values()]
    taken = results["seconds"].groupby("way").agg({"rounds": "mean", "cpu": "min"}).round({"rounds": 0, "cpu": 1})
    table = results["cost"].set_index("way")[["opened", "bytes"]].join(taken).loc[ways].set_axis(list(kinds))
    return table.rename(columns={"opened": "numbers opened", "cpu": "computing (pooled: 1)"})
