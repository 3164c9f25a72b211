"""Sums by hand, in memory: exact, of known size, and of a law that tells nothing but the sum."""

import itertools
import os

import numpy as np
import pytest
from memory import Memory
from scipy.stats import chi2_contingency, kstest

from ppdm.parties import PartyError
from ppdm.parties.project import ENGINES
from ppdm.parties.sums import PRIME, Additive, Masks, Mixer, Ring, stream

PROTOCOLS = {"ring": Ring, "additive": Additive, "mixer": Mixer, "masks": Masks}
HEAD = 12  # bytes before what a frame holds


@pytest.fixture
def seeded(monkeypatch):
    """The operating system's randomness, but with a seed."""
    rng = np.random.default_rng(7)
    monkeypatch.setattr(os, "urandom", rng.bytes)
    return rng


def words(values):
    return np.asarray(values, np.int64).view(np.uint64)


def sums(engine, values, rounds=1, dies=()):
    """Let parties add up (rounds × numbers of each) and tell what each has, and what was said."""
    kind, sites = PROTOCOLS[engine], list(values)
    server = ENGINES["rows"][engine]
    memory = Memory([*sites, *([server] if server else [])], dies)

    async def protocol(net):
        party = kind(net, sites, server)
        await party.start()
        if net.me == server:
            return await party.serve()
        found = []
        for own in values[net.me][:rounds]:
            found.append((await party.total(words(own))).view(np.int64))
        await party.end()
        return found

    memory.run(protocol)
    return memory


def vectors(rng, sites, rounds=2, size=50):
    """Whole numbers of both signs."""
    return {f"s{one}": rng.integers(-(2**50), 2**50, (rounds, size)) for one in range(sites)}


@pytest.mark.parametrize("sites", [3, 4, 5, 7])
@pytest.mark.parametrize("engine", PROTOCOLS)
def test_all_learn_the_sum(engine, sites):
    values = vectors(np.random.default_rng(sites), sites)
    found = sums(engine, values, rounds=2).ended
    for site in values:
        assert np.array_equal(found[site], sum(values.values()))


@pytest.mark.parametrize("engine", PROTOCOLS)
def test_a_shape_is_kept(engine):
    values = {site: [np.arange(24).reshape(2, 3, 4) * sign] for site, sign in zip("abc", (1, -3, 5))}
    found = sums(engine, values).ended
    for site in values:
        assert np.array_equal(found[site][0], 3 * np.arange(24).reshape(2, 3, 4))


@pytest.mark.parametrize("sites", [3, 6])
@pytest.mark.parametrize("engine", ["ring", "additive", "mixer"])
def test_bytes_follow_a_formula(engine, sites):
    size, memory = 50, sums(engine, vectors(np.random.default_rng(0), sites, 1))
    frame = 8 * size + HEAD
    for place in range(sites):
        sent = [HEAD + one.nbytes for one in memory.sent(f"s{place}") if one.size == size]
        first = sites if place == 0 else 1
        assert sum(sent) == frame * {"ring": first, "additive": 2 * (sites - 1), "mixer": 1}[engine]


@pytest.mark.parametrize(
    ("engine", "sites", "withstood"),
    [("ring", 5, 1), ("additive", 5, 3), ("mixer", 5, 3), ("masks", 5, 2), ("masks", 6, 3), ("masks", 3, 1)],
)
def test_how_many_may_put_together_what_they_saw(engine, sites, withstood):
    names = [f"s{one}" for one in range(sites)]
    memory = Memory([*names, "server"])

    async def protocol(net):
        return PROTOCOLS[engine](net, names, "server").withstands

    assert set(memory.run(protocol).values()) == {withstood}


# What is seen: laws of the messages


def uneven(one, other):
    """The p-value of a two-sample χ² test that two lists of small codes have one law."""
    most = int(max(one.max(), other.max())) + 1
    table = np.array([np.bincount(own, minlength=most) for own in (one, other)])
    return chi2_contingency(table[:, table.any(axis=0)]).pvalue


def nibbles(message):
    """The highest and the lowest four bits of each word."""
    bits = 8 * message.dtype.itemsize
    return (message >> (bits - 4)).astype(int), (message & 15).astype(int)


def codes_of(memory, party, size):
    """What the words that a party received say, each alone and each two together; but for what all learn."""
    seen = [one.ravel() for one in memory.received(party) if one.size == size]
    known = memory.ended[party]
    known = words(known[0]) if known else None
    seen = [one for one in seen if known is None or not np.array_equal(one, known)]
    found = [code for one in seen for code in nibbles(one)]
    for one, other in itertools.combinations(seen, 2):
        found += [(one >> 62 << 2 | other >> 62).astype(int), ((one & 3) << 2 | other & 3).astype(int)]
    return found


@pytest.mark.parametrize("engine", PROTOCOLS)
def test_what_a_party_receives_has_a_law_that_does_not_depend_on_the_others_inputs(seeded, engine):
    # Of a hundred runs, the p-values of two-sample tests are uniform: Kolmogorov and Smirnov say so at 0.01. The keys
    # of pairs have no seed, so for masks the limit is one at which they fail once in a million.
    size, runs = 400, 100
    inputs = [{"s0": 3, "s1": 7, "s2": 2, "s3": 90}, {"s0": 3, "s1": 1, "s2": 8, "s3": 90}]
    tests = {}
    for _ in range(runs):
        seen = [sums(engine, {site: [np.full(size, x)] for site, x in own.items()}) for own in inputs]
        for party in seen[0].names:
            if party in ("s1", "s2"):  # whose own input differs
                continue
            for place, pair in enumerate(zip(*(codes_of(memory, party, size) for memory in seen), strict=True)):
                tests.setdefault((party, place), []).append(uneven(*pair))
    assert tests
    least = 1e-6 if engine == "masks" else 0.01 / len(tests)
    for party, p in tests.items():
        assert len(p) == runs
        assert kstest(p, "uniform").pvalue > least, party


@pytest.mark.parametrize("engine", ["ring", "additive", "mixer", "masks"])
def test_what_a_party_receives_is_uniform(engine):
    # 16 cells of 20,000 words: with the limit of 1e-6 for a χ² test it fails once in a million, without a seed.
    values = {site: [np.full(20_000, x)] for site, x in zip(("s0", "s1", "s2", "s3"), (1, 0, 5, 2))}
    memory, tested = sums(engine, values), 0
    for party in memory.names:
        for code in codes_of(memory, party, 20_000):
            counts = np.bincount(code, minlength=16)
            expected = 20_000 / 16
            assert ((counts - expected) ** 2 / expected).sum() < 15 + 6 * 30**0.5 + 20
            tested += 1
    assert tested


def guesses(memory, values, colluders, target):
    """How often the words of a target are guessed by the best combination of all that some parties saw and had.

    Inputs are 0 and 1, and all these protocols add and subtract: whatever can be worked out by doing so has as its
    lowest bit an exclusive or of lowest bits.
    """
    seen = [*memory.received(*colluders), *(one for who in colluders for one in memory.sent(who))]
    seen += [words(values[one][0]) for one in colluders if one in values]
    bits = [np.packbits((one & 1).astype(bool)) for one in seen if one.size == BITS]
    combined = np.zeros((1, BITS // 8), np.uint8)
    for own in bits:
        if not (combined == own).all(axis=1).any():  # else it tells nothing more
            combined = np.concatenate([combined, combined ^ own])
    assert len(combined) <= 1 << 16
    right = np.bitwise_count(~(combined ^ np.packbits(values[target][0].astype(bool)))).sum(axis=1) / BITS
    return max(right.max(), 1 - right.min())


BITS = 4000
# Seven standard deviations: one of 2^16 combinations gets there in one of ten million runs.
CHANCE = 0.5 + 7 * 0.5 / BITS**0.5


@pytest.mark.parametrize(
    ("engine", "colluders", "target", "known"),
    [
        ("ring", ["s0"], "s1", False),
        ("ring", ["s2"], "s0", False),
        ("ring", ["s0", "s2"], "s1", True),
        ("ring", ["s1", "s3"], "s0", True),
        ("ring", ["s1", "s3"], "s2", True),
        ("ring", ["s0", "s1"], "s2", False),
        ("additive", ["s0"], "s1", False),
        ("additive", ["s0", "s2"], "s1", False),
        ("additive", ["s0", "s2", "s3"], "s1", True),
        ("mixer", ["mixer"], "s1", False),
        ("mixer", ["s0"], "s1", False),
        ("masks", ["server"], "s1", False),
        ("masks", ["s0", "server"], "s1", False),
    ],
)
def test_below_the_threshold_guesses_are_chance_and_at_it_all_is_read(engine, colluders, target, known):
    rng = np.random.default_rng(11)
    values = {f"s{one}": [rng.integers(0, 2, BITS)] for one in range(4)}
    best = guesses(sums(engine, values), values, colluders, target)
    assert best == 1 if known else best < CHANCE


def test_a_mixer_with_a_site_reads_all():
    values = vectors(np.random.default_rng(2), 4, rounds=1)
    memory = sums("mixer", values)
    key = memory.received("s3")[0].tobytes()
    places = [number << 16 | place for number in range(3) for place in range(4)]
    for site in values:
        [masked] = [one for one in memory.sent(site, "mixer") if one.size == 50]
        read = [(masked - stream(key, place, 50)).view(np.int64) for place in places]
        assert sum(np.array_equal(one, values[site][0]) for one in read) == 1
    # Without the key, the mixer does not even learn the sum.
    total = sum(one[0] for one in values.values())
    assert not any(np.array_equal(one.view(np.int64), total) for _, _, one in memory.book if np.size(one) == 50)


def at_zero(shares):
    """The value at 0 of the polynomial through some points (Lagrange), as a key."""
    found = 0
    for point, share in shares.items():
        part = int(share, 16)
        for other in shares.keys() - {point}:
            part = part * other * pow(other - point, -1, PRIME) % PRIME
        found += part
    return (found % PRIME).to_bytes(32)


def test_a_server_with_more_than_half_of_the_sites_reads_all_and_with_fewer_nothing():
    names = [f"s{one}" for one in range(5)]
    values = {name: [np.arange(50) * (place + 1)] for place, name in enumerate(names)}
    memory = sums("masks", values)
    target = "s4"
    # What the target gave each site: shares of its own key, and of the keys of its pairs.
    told = {to: what for sender, to, what in memory.book if sender == target and to != "server" and "s0" in what}
    [masked] = [one for one in memory.sent(target, "server") if one.size == 50]

    def read(colluders):
        masks = {
            one: stream(at_zero({names.index(who) + 1: told[who][one] for who in colluders}), 0, 50)
            for one in names
        }
        # The target comes last: it took every pair's mask off.
        return (masked - masks.pop(target) + sum(masks.values())).view(np.int64)

    assert np.array_equal(read(names[:3]), values[target][0])
    assert np.array_equal(read(names[1:4]), values[target][0])
    assert not np.array_equal(read(names[:2]), values[target][0])


def told_to_server(memory):
    """By round: what sites told the server, by teller."""
    rounds = []
    for sender, receiver, what in memory.book:
        if isinstance(what, dict) and receiver == "server":
            if not rounds or sender in rounds[-1]:
                rounds.append({})
            rounds[-1][sender] = what
    return rounds


def test_of_each_site_the_server_is_told_one_kind_of_key_and_never_both():
    rng = np.random.default_rng(4)
    some_were_lost = 0
    for _ in range(20):
        values = {f"s{one}": rng.integers(0, 9, (2, 3)) for one in range(6)}
        memory = sums("masks", values, 2, {"s1": int(rng.integers(5, 19)), "s4": int(rng.integers(5, 19))})
        for told in told_to_server(memory):
            pairs = {(site, one) for own in told.values() for site, shares in own.items() for one in shares}
            came = {site for site, one in pairs if site == one}
            lost = {one for site, one in pairs if site != one}
            assert came
            assert not came & lost
            # Among those who came no pair's key is told: their masks cancel out unseen.
            assert pairs == {(site, one) for site in came for one in {site} | lost}
            some_were_lost += bool(lost)
    assert some_were_lost > 5


def test_what_is_told_of_a_lost_site_opens_none_of_its_earlier_sums():
    values = vectors(np.random.default_rng(7), 5, rounds=2)
    lost = "s2"
    # It gives its public key to four, then shares to four, words and an answer; in the second round shares alone.
    memory = sums("masks", values, 2, {lost: 4 + 6 + 4})
    first, second = told_to_server(memory)
    points = {f"s{one}": one + 1 for one in range(5)}

    def key(told, site, one):
        return at_zero({points[who]: own[site][one] for who, own in told.items() if who != lost})

    [masked] = [one for one in memory.sent(lost, "server") if one.size == 50]
    left = masked - stream(key(first, lost, lost), 0, 50)
    assert not np.array_equal(left.view(np.int64), values[lost][0])
    for peer in points.keys() - {lost}:
        mask = stream(key(second, peer, lost), 0, 50)
        left = left - mask if lost < peer else left + mask
    assert not np.array_equal(left.view(np.int64), values[lost][0])
    # These keys do open the second sum, of those who are left.
    assert np.array_equal(memory.ended["s0"][1], sum(own[1] for name, own in values.items() if name != lost))


# Sites that are lost


@pytest.mark.parametrize("sites", [5, 9, 20])
def test_the_sum_of_those_who_are_left_is_exact(sites):
    rng = np.random.default_rng(sites)
    for _ in range(30 if sites < 20 else 8):
        values = vectors(rng, sites, rounds=3, size=4)
        least = sites // 2 + 1
        # A site sends its public key to all others, and then each round shares of its keys, words, and shares.
        whole = sites - 1 + 3 * (sites + 1)
        lost = rng.choice(sites, rng.integers(1, sites - least + 1), replace=False)
        dies = {f"s{one}": int(rng.integers(sites - 1, whole)) for one in lost}
        memory = sums("masks", values, 3, dies)
        came = [set(), set(), set()]
        for site in values:
            for place, _ in enumerate(one for one in memory.sent(site, "server") if one.size == 4):
                came[place].add(site)
        for site in values:
            if site not in dies:
                assert not isinstance(memory.ended[site], Exception), memory.ended[site]
                for own, found, there in zip(range(3), memory.ended[site], came, strict=True):
                    assert np.array_equal(found, sum(values[one][own] for one in there))
        assert set(values) - set(dies) <= came[2]


def test_too_many_lost_sites_are_an_error_with_a_name():
    values = vectors(np.random.default_rng(3), 7, rounds=2)
    dies = {f"s{one}": 6 + 9 for one in range(4)}  # after a whole round four of seven are gone
    memory = sums("masks", values, 2, dies)
    for party in ("server", "s4", "s5", "s6"):
        assert isinstance(memory.ended[party], PartyError)
    assert memory.ended["server"].party in dies
    assert "lost" in memory.ended["server"].why


@pytest.mark.parametrize("sites", [3, 4, 5])
def test_a_sum_of_two_is_never_opened(sites):
    # Each of the two could subtract the own part and would have the other's.
    values = vectors(np.random.default_rng(3), sites, rounds=1)
    memory = sums("masks", values, 1, {f"s{one}": sites - 1 for one in range(sites - 2)})
    for party in ("server", f"s{sites - 2}", f"s{sites - 1}"):
        assert isinstance(memory.ended[party], PartyError)


def test_a_server_that_is_lost_is_named():
    values = vectors(np.random.default_rng(3), 5, rounds=3)
    memory = sums("masks", values, 3, {"server": 12})
    for site in values:
        assert isinstance(memory.ended[site], PartyError)
        assert memory.ended[site].party == "server"
