"""What some parties know of another one's counts when they put together what they saw in a sum of ``vc04_wires``."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from ppdm import checks
from ppdm.studies.vc04_attacks import late, mixer_and_site, neighbours, the_other
from ppdm.studies.vc04_wires import (
    ADDITIVE,
    CLEAR,
    GROUP,
    MASKS,
    MIXER,
    NAMES,
    RING,
    SHAMIR,
    Run,
    at_zero,
    mixer_mask,
    pair_key,
    pair_mask,
    share_of,
    stream,
    unpacked,
    withstands,
)


class Found(NamedTuple):
    """What some parties know of a site's counts: the words, whether these are the counts, and why."""

    words: np.ndarray
    secret: bool
    why: str


def read(done: Run, together: Collection[str], of: str = NAMES[0]) -> Found:
    """What parties know of a site's counts when they put together what they saw.

    If that does not fix the counts, it is the best that they have: words with all masks taken off that they know.
    """
    checks.choice("of", of, done.sites)
    others = [site for site in done.sites if site != of]
    for name in together:
        checks.choice("together", name, [*others, *filter(None, [done.server])])
    if not together:
        return Found(done.total[:0], False, "nobody looks at what came by")
    own = [site for site in others if site in together]
    found = READERS[done.protocol](done, of, own, done.server in together)
    if own == others and not found.secret:
        words = the_other(done.total, np.sum([done.own[site] for site in own], axis=0))
        return Found(words, True, "they take off their own counts from the sum, which no protocol can prevent")
    return found


def worst(done: Run, of: str = NAMES[0]) -> list[str]:
    """The other sites, those first who read most when they put together what they saw."""
    before, after = done.beside(of)
    first = {CLEAR: [done.collector], RING: [after, before]}.get(done.protocol, [])
    return [site for site in dict.fromkeys([*first, *done.sites]) if site != of]


# By protocol


def _read_clear(done, of, together, _):
    one = done.collector
    if one in together:
        return Found(done.sent(of, one, 1), True, f"all send their counts to {one} as they are")
    return Found(done.total[:0], False, f"{one} alone sees counts, and is not among them")


def _read_ring(done, of, together, _):
    before, after = done.beside(of)
    place = done.sites.index(of)
    came, went = done.sent(before, of, place or len(done.sites)), done.sent(of, after, place + 1)
    if {before, after} <= {*together}:
        why = f"{before} knows what came to {of}, {after} what went on, and the difference is {of}'s"
        mask = came if place else came - done.total  # to the first one the sum of all comes back
        return Found(neighbours(mask, went), True, why)
    if {before, after} & {*together}:
        seen, lacking = (went, before) if after in together else (came, after)
        return Found(seen, False, f"the counts are under a mask, and {lacking} is not among them")
    seen = done.sent(together[0], done.beside(together[0])[1], done.sites.index(together[0]) + 1)
    return Found(seen, False, f"{before} and {after}, the neighbours of {of}, are not among them")


def _read_additive(done, of, together, _):
    published = next(one.words for one in done.messages if (one.step, one.sender) == (2, of))
    known = [done.sent(peer, of, 1) - done.sent(of, peer, 1) for peer in together]
    return Found(late(published, known), False, f"they lack the shares between {of} and the other sites")


def _read_mixer(done, of, together, server):
    mask = mixer_mask(done, of)
    if not server:
        return Found(mask, False, f"they know the mask of {of}, and the mixer alone has what it hides")
    words = done.sent(of, done.server, 1)
    if not together:
        return Found(words, False, "the mixer has masked counts, and not the key of the masks")
    return Found(mixer_and_site(words, mask), True, f"the mixer has the masked counts, and {together[0]} the key")


def _read_masks(done, of, together, server):
    keys = {peer: pair_key(done, of, peer) for peer in together}
    least = done.least
    if read_all := len(together) >= least:
        for peer in done.sites:
            keys[peer] = joined(done, {site: share_of(done, of, site, peer) for site in together})
    known = [pair_mask(done, of, peer, key) for peer, key in keys.items() if peer != of]
    if not server:
        why = f"they know some masks of {of}, and the server alone has what these hide"
        return Found(np.sum(known, axis=0), False, why)
    told = {site: done.sent(site, done.server, 4) for site in done.sites}
    start = 2 * done.sites.index(of)
    own_key = joined(done, {site: words[start : start + 2] for site, words in told.items()})
    words = late(done.sent(of, done.server, 2), [stream(done, own_key), *known])
    if not read_all:
        return Found(words, False, f"the keys of {of} lie in shares: {least} are needed, and they have fewer")
    return Found(words, True, f"{least} shares give the keys of {of}, and the server has what its masks hide")


def joined(done: Run, shares: Mapping[str, np.ndarray]) -> int:
    """A key, from enough shares by site."""
    known = {site: np.array([unpacked(share)], object) for site, share in shares.items()}
    return int(at_zero(done, known, GROUP)[0])


def _read_shamir(done, of, together, _):
    needed = withstands(SHAMIR, len(done.sites)) + 1
    words = at_zero(done, {peer: done.sent(of, peer, 1) for peer in together})
    if len(together) < needed:
        return Found(words, False, f"{needed} points fix a polynomial, and they have fewer")
    return Found(words, True, f"{needed} points fix the polynomials whose values at 0 are the counts")


READERS = {
    CLEAR: _read_clear,
    RING: _read_ring,
    ADDITIVE: _read_additive,
    MIXER: _read_mixer,
    MASKS: _read_masks,
    SHAMIR: _read_shamir,
}
