"""Vaidya & Clifton 2004, the price: what parties send, in how many rounds, and what it takes to compute.

Here every party is a process of its own. Bytes and messages are the same in every run; rounds and seconds are measured.
"""

import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ppdm.data import QUEST_DOMAINS, quest
from ppdm.disguise import PrivacyWarning
from ppdm.parties import local
from ppdm.studies.vc04 import RECORDS, coded
from ppdm.trees import Stop, grow

COUNTS = 360  # numbers of one sum: nine histograms of 20 values in two classes
TIMES = 3  # a job is done so often, where it is quick; the quickest one counts
DOMAINS = {name: tuple(domain.values()) for name, domain in QUEST_DOMAINS.items()}


class Way(NamedTuple):
    """A job that parties do: with which engine, how many of them there are, how deep the tree, how many records."""

    job: str
    engine: Any
    parties: int
    depth: int = 4
    records: int = RECORDS

    @property
    def slow(self) -> bool:
        """Whether parties compute longer than they wait."""
        return self.engine == "shamir" and self.job in ("closed tree", "columns")

    @property
    def latency(self) -> float:
        """Seconds by which messages are late when rounds are counted: more than what the computing is off by."""
        return 0.5 if self.slow and self.job == "columns" else 0.05


def _ways() -> Iterator[Way]:
    for engine in ("ring", "additive", "mixer", "masks", "shamir"):
        yield from (Way("sum", engine, parties, 0) for parties in (3, 5, 7))
        yield Way("open tree", engine, 3)
    yield from (Way("open tree", engine, parties) for engine in ("mixer", "shamir") for parties in (5, 7))
    yield from (Way("closed tree", "shamir", parties, 3) for parties in (3, 5))
    yield from (Way("columns", "commodity", 2, 4, records) for records in (1_000, 10_000, 100_000))
    yield from (Way("columns", "shamir", 3, 4, records) for records in (1_000, 10_000))


WAYS = {f"{way.job}, {way.engine}, {way.parties} parties, {way.records:,} records": way for way in _ways()}


def sent(way: Way, numbers: int = COUNTS) -> int:
    """The bytes that a site sends for a sum, by the formula of the engine; of a ring those of the first site."""
    withstood = (way.parties - 1) // 2
    frames = {
        "ring": way.parties,  # on to the next one, and the sum to all others
        "additive": 2 * (way.parties - 1),  # shares, and what they add up to
        "mixer": 1,
        "shamir": way.parties - 1 + withstood,  # shares, and as many as open the sum
    }
    return frames[way.engine] * (8 * numbers + 12)


class Job:
    """What one way needs: the records, who has which of them, and what the parties are told to do."""

    def __init__(self, way: str, rng: np.random.Generator) -> None:
        self.way = WAYS[way]
        self.X, self.y = quest(self.way.records, 2, rng=rng)
        self.stop = Stop(max_depth=self.way.depth)
        self.counts = rng.integers(0, 1_000, (self.way.parties, COUNTS))

    def session(self, latency: float = 0.0) -> Any:
        """The parties, who are not started yet."""
        _, engine, number, *_ = self.way
        names = [f"party {place}" for place in range(number)]
        if self.way.job == "sum":
            return local(dict.fromkeys(names), engine, latency=latency)
        if self.way.job == "columns":
            parts = np.array_split(np.array(self.X.columns), number)
            held: dict = {name: self.X[list(part)] for name, part in zip(names, parts)}
            held[names[0]] = held[names[0]], self.y
        else:
            held = {name: (self.X[place::number], self.y[place::number]) for place, name in enumerate(names)}
        return local(held, engine, DOMAINS, align=False, latency=latency)

    def do(self, session) -> Any:
        """The sum, or the tree."""
        if self.way.job == "sum":
            return session.sum({name: own.tolist() for name, own in zip(session.project["sites"], self.counts)})
        opens: Any = "tree" if self.way.job == "closed tree" else "histograms"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            return session.tree(stop=self.stop, opens=opens)

    def pooled(self) -> Any:
        """The tree of all records, which one party has."""
        return grow(coded(self.X, self.y), stop=self.stop if self.way.depth else Stop(max_depth=4))


def _messages(session, name, before):
    """The number of messages that a party sent in the last job; the farewell to a server is none of them."""
    book = session.view(name)
    sent = book[book["way"] == "sent"]["bytes"].iloc[before:]
    return int((sent.cumsum() <= session.bytes[name]).sum())


def cost(way: str, rng: np.random.Generator) -> dict[str, float]:
    """What is sent.

    - bytes: by the site that sends most, with the heads of all frames; least: by the site that sends least
    - server: by the one who only adds up or deals
    - messages: of the site that sends most
    - opened: how many numbers all learn
    - equal: 1 if the sum, or the tree, is that of all records
    """
    job = Job(way, rng)
    with job.session() as session:
        sites, server = session.project["sites"], session.project["server"]
        book = session.view(sites[0])
        before = int((book["way"] == "sent").sum())
        found = job.do(session)
        messages = _messages(session, sites[0], before)
        sent = [session.bytes[site] for site in sites]
        opened = sum(numbers.size for _, numbers in session.openings)
        by_server = session.bytes[server] if server else 0
    equal = (found == job.counts.sum(axis=0)).all() if job.way.job == "sum" else str(found) == str(job.pooled())
    return {
        "bytes": max(sent),
        "least": min(sent),
        "server": by_server,
        "messages": messages,
        "opened": opened,
        "equal": int(equal),
    }


def _quickest(times, step, clock=time.perf_counter) -> float:
    """The least seconds that a step takes in some runs: whatever disturbs it, takes more."""
    found = []
    for _ in range(times):
        start = clock()
        step()
        found.append(clock() - start)
    return min(found)


def seconds(way: str, rng: np.random.Generator) -> dict[str, float]:
    """What it takes, beside the tree of all records in one process, with the coding of these records.

    - rounds: how many times a message has to arrive before the next one can be sent; from the time that it takes
      when every message is late
    - cpu: seconds of the busiest party's processor, for one second of the processor that grows the pooled tree
    """
    job = Job(way, rng)
    times = 1 if job.way.slow else TIMES
    pooled = _quickest(TIMES, job.pooled, time.process_time)
    busy: list[float] = []

    def do() -> None:
        job.do(session)
        busy.append(max(session.cpu.values()))

    with job.session() as session:
        at_once = _quickest(times, do)
    with job.session(job.way.latency) as session:
        late = _quickest(times, lambda: job.do(session))
        farewell = session.project["server"] is not None  # a last message, by which it ends
    return {
        "rounds": round((late - at_once) / job.way.latency) - farewell,
        "cpu": round(min(busy) / pooled, 4),
    }
