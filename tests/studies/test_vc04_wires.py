"""Sums by hand: their messages are those of real parties, and what is known of a secret is what algebra allows."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import kstest

from ppdm.parties import local
from ppdm.parties.shamir import Shamir
from ppdm.parties.sums import Additive, Masks, Mixer, Ring
from ppdm.studies import vc04_wires as wires
from ppdm.studies.vc04_known import read, worst
from ppdm.studies.vc04_wires import FIELD, KEY, NAMES, PROTOCOLS, SERVERS, clinics, run, withstands

ENGINES = {"ring": Ring, "additive": Additive, "mixer": Mixer, "masks": Masks, "shamir": Shamir}
SIZES = [3, 4, 5]


def rng(seed=1):
    return np.random.default_rng(seed)


def coalitions(protocol, number, of):
    """Every set of the others, with the server and without it."""
    others = [name for name in [*NAMES[:number], SERVERS.get(protocol)] if name not in (of, None)]
    return [set(one) for size in range(1, len(others) + 1) for one in combinations(others, size)]


@pytest.mark.parametrize("number", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_opened_sum_is_the_true_sum(protocol, number):
    own = rng().integers(0, 2**50, (number, 40), dtype=np.uint64)
    assert np.array_equal(run(protocol, own, rng(2)).total, own.sum(axis=0))


@pytest.mark.parametrize("number", [3, 5])
@pytest.mark.parametrize("engine", ENGINES)
def test_messages_go_as_those_of_real_parties(engine, number):
    # Keys, and what is told about them, are left out: they are an illustration here.
    names, own = NAMES[:number], clinics(number).reshape(number, -1)
    done = run(engine, own, rng())
    with local(dict.fromkeys(names), engine) as session:
        assert np.array_equal(session.sum(dict(zip(names, own.tolist()))), done.total)
        books = {name: session.view(name) for name in session.project["parties"]}
        assert (session.project["server"] or "") == done.server
    assert set(books) == {*done.sites, *filter(None, [done.server])}
    messages = [one for one in done.messages if one.what != KEY]
    for name, book in books.items():
        book = book[book["bytes"] == 8 * own.shape[1] + 12]
        assert all(words.size == own.shape[1] for words in book["words"])
        sent = book.loc[book["way"] == "sent", "party"].tolist()
        assert sent == [one.receiver for one in messages if one.sender == name]
        # Messages of several parties come in any order, those of one party in that in which it sent them.
        came = book.loc[book["way"] == "received", "party"].tolist()
        assert sorted(came) == sorted(one.sender for one in messages if one.receiver == name)
        assert all(one.words.size == own.shape[1] for one in messages)


@pytest.mark.parametrize("number", [3, 5])
def test_a_step_sends_only_what_follows_from_what_came_before(number):
    # In a ring what a site sends is what came and its own; the sum is sent last.
    own = clinics(number).reshape(number, -1)
    done = run("ring", own, rng())
    for step in range(2, number + 1):
        before, now = (next(one for one in done.messages if one.step == at) for at in (step - 1, step))
        assert now.sender == before.receiver
        assert np.array_equal(now.words - before.words, own[step - 1])
    assert {one.step for one in done.messages[number:]} == {number + 1} == {done.rounds}


# What follows from what was seen, by linear algebra: everything that is sent is a sum of secrets and random numbers.


def seen(protocol, number, together, of):
    """What some parties have, as sums: by unknown its factor. x: secrets; all other unknowns are drawn at random."""
    sites, server = range(number), protocol in SERVERS and SERVERS[protocol] in together
    known = {NAMES.index(name) for name in together if name in NAMES}
    rows = [{("x", site): 1} for site in known]
    if known or protocol == "masks":
        rows.append({("x", site): 1 for site in sites})
    return rows + list(LAWS[protocol](number, known, server))


def clear_law(number, known, _):
    yield from ({("x", site): 1} for site in range(number) if 1 in known)


def ring_law(number, known, _):
    for site in range(number):
        if {site, (site + 1) % number} & known:
            yield {("mask",): 1, **{("x", one): 1 for one in range(site + 1)}}
    yield from ({("mask",): 1} for _ in known & {0})


def additive_law(number, known, _):
    for one in range(number):
        others = [other for other in range(number) if other != one]
        minus, plus = (
            {("share", *ends): sign for ends in pairs}
            for sign, pairs in ((-1, [(one, other) for other in others]), (1, [(other, one) for other in others]))
        )
        yield {("x", one): 1, **minus, **plus}
        yield from ({("share", one, other): 1} for other in others if {one, other} & known)


def mixer_law(number, known, server):
    for site in range(number):
        if known:
            yield {("mask", site): 1}
        if server:
            yield {("x", site): 1, ("mask", site): 1}


def masks_law(number, known, server):
    enough = len(known) >= max(number // 2 + 1, 3)  # shares give every key
    for one in range(number):
        pairs = {
            ("pair", *sorted((one, other))): 1 if one < other else -1 for other in range(number) if other != one
        }
        if server or one in known:
            yield {("x", one): 1, ("own", one): 1, **pairs}
        if server or one in known or enough:
            yield {("own", one): 1}
        yield from ({pair: 1} for pair in pairs if {*pair[1:]} & known or enough)


def shamir_law(number, known, _):
    degree = (number - 1) // 2
    for one in range(number):
        for point in range(number):
            share = {("factor", one, power): (point + 1) ** power for power in range(1, degree + 1)}
            if {one, point} & known:
                yield {("x", one): 1, **share}
        yield from ({("factor", one, power): 1} for power in range(1, degree + 1) if one in known)
    # Points of the sum, which are opened.
    for point in range(number):
        powers = {
            ("factor", one, power): (point + 1) ** power
            for one in range(number)
            for power in range(1, degree + 1)
        }
        yield {**{("x", one): 1 for one in range(number)}, **powers}


LAWS = {
    "in the clear": clear_law,
    "ring": ring_law,
    "additive": additive_law,
    "mixer": mixer_law,
    "masks": masks_law,
    "shamir": shamir_law,
}


def follows(rows, secret):
    """Whether an unknown is a combination of rows, modulo a large prime (Gauss)."""
    names = sorted(
        {name for row in rows for name in row} | {secret}, key=lambda name: (name == secret, str(name))
    )
    left = [[row.get(name, 0) % FIELD for name in names] for row in rows]
    for column in range(len(names) - 1):  # all but the secret
        pivot = next((row for row in left if row[column]), None)
        if pivot:
            left.remove(pivot)
            inverse = pow(pivot[column], -1, FIELD)
            for row in left:
                factor = row[column] * inverse % FIELD
                row[:] = [(a - factor * b) % FIELD for a, b in zip(row, pivot)]
    return any(row[-1] for row in left)


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_read_is_what_follows_by_algebra(protocol, number):
    own = clinics(number).reshape(number, -1)
    done = run(protocol, own, rng(3))
    for of in done.sites:
        for together in coalitions(protocol, number, of):
            found = read(done, together, of)
            assert found.secret == follows(seen(protocol, number, together, of), ("x", NAMES.index(of))), together
            assert found.secret == np.array_equal(found.words, done.own[of]), together
            assert found.why


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_so_many_are_withstood_and_one_more_is_not(protocol, number):
    # In the clear the one who collects has nothing to hide from itself, so another one's counts are asked for.
    least = {}
    for of in done_names(protocol, number):
        done = run(protocol, clinics(number), rng())
        for together in coalitions(protocol, number, of):
            server = bool({*SERVERS.values()} & together)
            if read(done, together, of).secret:
                least[server] = min(least.get(server, number), len(together) - server)
    for server, fewest in least.items():
        assert withstands(protocol, number, server) == fewest - 1
    if protocol in ENGINES:
        party = ENGINES[protocol](SimpleNamespace(me="Ash"), NAMES[:number], SERVERS.get(protocol))
        # A mixer is trusted not to side with a site; a server of masks may be among them.
        assert party.withstands == withstands(protocol, number, protocol == "masks")


def done_names(protocol, number):
    return [name for place, name in enumerate(NAMES[:number]) if protocol != "in the clear" or place != 1]


@pytest.mark.parametrize("number", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_worst_order_reads_as_soon_as_any_other(protocol, number):
    done = run(protocol, clinics(number), rng())
    for server in [[], [done.server]] if done.server else [[]]:
        read_from = [read(done, worst(done)[:size] + server).secret for size in range(number)]
        assert read_from == [size > withstands(protocol, number, bool(server)) for size in range(number)]
    assert sorted(worst(done)) == done.sites[1:]


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_below_the_threshold_what_is_known_is_uniform_whatever_the_secret(protocol, number):
    # Kolmogorov and Smirnov on 5,000 words: the seeds are fixed, and of about 150 tests here none is below 1e-5.
    size, tested = 5_000, 0
    for secret in (
        np.zeros((number, size), np.uint64),
        rng(5).integers(0, 1_000, (number, size), dtype=np.uint64),
    ):
        done = run(protocol, secret, rng(7))
        width = FIELD if protocol == "shamir" else 2**64
        for together in coalitions(protocol, number, "Ash"):
            found = read(done, together)
            if not found.secret and found.words.size:
                assert kstest(found.words / width, "uniform").pvalue > 1e-5, together
                tested += 1
    assert tested or protocol == "in the clear"


@pytest.mark.parametrize("protocol", [one for one in PROTOCOLS if one != "in the clear"])
def test_the_same_masks_hide_another_secret_as_well(protocol):
    # Words of two secrets under masks of one seed: neither goes with its secret (five standard errors).
    size = 5_000
    secrets = [rng(seed).integers(0, 1_000, (5, size), dtype=np.uint64) for seed in (1, 2)]
    for own in secrets:
        found = read(run(protocol, own, rng(7)), {"Birch"})
        assert not found.secret
        assert abs(np.corrcoef(found.words.astype(float), own[0].astype(float))[0, 1]) < 5 / size**0.5


def test_who_tells_nobody_or_saw_nothing_knows_nothing():
    for protocol in PROTOCOLS:
        assert read(run(protocol, clinics(4), rng()), []).words.size == 0
    found = read(run("in the clear", clinics(4), rng()), {"Cedar", "Elm"})
    assert (found.secret, found.words.size) == (False, 0)


def test_clinics_count_all_their_patients_once_an_attribute():
    own = clinics(5)
    assert own.shape == (5, 2, 9, 20) == (5, len(wires.CLASSES), len(wires.ATTRIBUTES), wires.INTERVALS)
    assert (own.sum(axis=3) == own.sum(axis=3)[:, :1, :1]).all()
    other = clinics(4, first=2)
    assert np.array_equal(own[1:4], other[1:])
    assert not np.array_equal(own[0], other[0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: run("rings", clinics(3), rng()), "protocol is 'rings'; expected one of 'in the clear', 'ring'"),
        (
            lambda: run("ring", clinics(3)[:2], rng()),
            "own has 2 rows; expected 3 to 7: sums of two protect nobody",
        ),
        (lambda: clinics(8), r"number is 8; expected a whole number in \[3, 7\]"),
        (
            lambda: read(run("ring", clinics(3), rng()), ["Ash"]),
            "together is 'Ash'; expected one of 'Birch', 'Cedar'",
        ),
        (lambda: read(run("ring", clinics(3), rng()), ["server"]), "together is 'server'"),
        (lambda: read(run("ring", clinics(3), rng()), ["Ash"], "Elm"), "of is 'Elm'; expected one of 'Ash'"),
        (lambda: withstands("none", 3), "protocol is 'none'"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
