"""Shares of polynomials in real processes: their law, what some of them tell together, and shares that are none."""

import itertools

import numpy as np
import pytest
from scipy.stats import chi2_contingency, kstest

from ppdm import parties
from ppdm.parties import PartyError

FIELD = 2**61 - 1
NAMES = [*"abcde"]


@pytest.fixture(scope="module")
def session():
    with parties.local(dict.fromkeys(NAMES), "shamir", limit=20) as session:
        yield session


class Books:
    """The messages of a session, of which each call of ``last`` tells those of the last sum."""

    def __init__(self, session):
        self.session = session
        self.read = {name: len(session.view(name)) for name in NAMES}

    def last(self, name, size):
        """By sender, the words that a party received: shares of the input, and then of the sum."""
        book = self.session.view(name)
        new = book.iloc[self.read[name] :]
        self.read[name] = len(book)
        found = {}
        for row in new[(new["way"] == "received") & (new["bytes"] == 8 * size + 12)].itertuples():
            found.setdefault(row.party, []).append(row.words)
        return found


def at_zero(shares):
    """The value at 0 of the polynomial through some points (Lagrange)."""
    found = 0
    for point, share in shares.items():
        part = share.astype(object)
        for other in shares.keys() - {point}:
            part = part * other * pow(other - point, -1, FIELD) % FIELD
        found = found + part
    return found % FIELD


def test_three_of_five_read_every_input_and_two_read_nothing(session):
    size, books = 400, Books(session)
    rng = np.random.default_rng(3)
    values = {name: rng.integers(0, 2, size) for name in NAMES}
    session.sum(values)
    shares = {name: books.last(name, size) for name in NAMES}
    target = "b"
    points = {name: place for place, name in enumerate(NAMES, 1)}
    held = {points[name]: shares[name][target][0] for name in NAMES if name != target}
    for three in itertools.combinations(held, 3):
        assert at_zero({point: held[point] for point in three}).tolist() == values[target].tolist()
    for two in itertools.combinations(held, 2):
        read = at_zero({point: held[point] for point in two})
        # A guess is right by chance: half of the bits within six standard deviations.
        assert np.abs((read % 2 == values[target]).mean() - 0.5) < 6 * 0.5 / size**0.5
        assert not np.isin(read, (0, 1)).any()


def uneven(one, other):
    """The p-value of a two-sample χ² test of the highest four bits of numbers of the field."""
    table = np.array([np.bincount((own >> np.uint64(57)).astype(int), minlength=16) for own in (one, other)])
    return chi2_contingency(table[:, table.any(axis=0)]).pvalue


def test_shares_have_a_law_that_does_not_depend_on_the_inputs(session):
    # A vector of equal inputs is as many sharings: the p-values of a hundred pairs of pieces, with the same total. They
    # come from the secure source without a seed, so the limit is one at which each of eight tests fails once in a
    # million times.
    size, books, seen = 30_000, Books(session), []
    for own in [(3, 7, 2, 0, 5), (3, 1, 8, 0, 5)]:
        session.sum({name: np.full(size, x) for name, x in zip(NAMES, own)})
        seen.append({name: books.last(name, size) for name in "ad"})
    for name in "ad":
        assert set(seen[0][name]) == set(NAMES) - {name}
        for peer in seen[0][name]:
            pieces = [np.split(one[name][peer][0], 100) for one in seen]
            p = [uneven(*pair) for pair in zip(*pieces, strict=True)]
            assert kstest(p, "uniform").pvalue > 1e-6, (name, peer)


LIES = """
import sys
from ppdm.parties.wires import Wire
real = Wire.send
lies = {"short": bytes(8), "JSON": b'["three", 3]' * 60}
def send(self, label, payload):
    if self.net.me == "b" and self.net.step == "sum" and not -5 < label < 1:
        payload = lies[%r]
    return real(self, label, payload)
Wire.send = send
"""


@pytest.mark.parametrize("lie", ["short", "JSON"])
def test_who_sends_what_is_no_share_is_named(tmp_path, monkeypatch, lie):
    (tmp_path / "sitecustomize.py").write_text(LIES % lie)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with parties.local(dict.fromkeys("abc"), "shamir", limit=5) as session:
        with pytest.raises(PartyError) as told:
            session.sum(dict.fromkeys("abc", range(50)))
        assert told.value.party == "b"
        assert "no share" in told.value.why
