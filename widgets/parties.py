"""Who talks to whom: clinics add up their counts by a protocol, and some put together what they saw (VC04)."""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import ipywidgets as ipw
import numpy as np

from ppdm import checks
from ppdm.studies import vc04_wires
from ppdm.studies.vc04_known import Found, read, worst
from ppdm.studies.vc04_wires import CLEAR, KEY, MASKS, NAMES, PROTOCOLS, SERVERS, Run, withstands

from .controls import accept, choice, labelled, slider
from .panel import Panel, Stage
from .parties_pictures import HeatMaps, Talk
from .picture import LivePicture

SITES, SEEDS = (3, len(NAMES)), (1, 20)
MOST = 3  # names in a headline
TOGETHER = "how many of the others put together what they saw: those first who read most"
THREE = "of a sum of two, each takes off its own counts and reads the other's"


class PartyView(NamedTuple):
    """A sum, the names of those who put together what they saw, and what they know of the first clinic."""

    done: Run
    together: tuple[str, ...]
    found: Found


class PartyExplorer(Panel):
    """Clinics add up their counts and pool nothing (VC04): who talks to whom, and who reads Ash's counts after all.

    Everything happens in one process, with keys from a seed: for study alone. ``parties.local`` has the real protocols.

    Parameters
    ----------
    protocol : "in the clear" (all send their counts to one of them), "ring", "additive", "mixer", "masks" or "shamir"
    clinics : how many add up, 3 to 7. Sums of two protect nobody
    together : how many of the others put together what they saw, 0 to all of them: those first who read most
    server : whether the mixer, or the server of masks, is among them; other protocols have none
    seed : 1 to 20: other masks, shares and keys
    data : 1 to 20: another first clinic

    >>> PartyExplorer("shamir", clinics=3, together=1).numbers().split("; ")[1]
    "do they read Ash's counts: no, because 2 points fix a polynomial, and they have fewer"
    """

    def __init__(
        self,
        protocol: str = "ring",
        clinics: int = 5,
        together: int = 1,
        server: bool = False,
        seed: int = 1,
        data: int = 1,
    ) -> None:
        self.controls = {
            "protocol": choice("protocol", protocol, PROTOCOLS, tip="how the clinics add up"),
            "clinics": slider("clinics", clinics, *SITES, tip=THREE),
            "together": slider("together", together, 0, clinics - 1, label="put together", tip=TOGETHER),
            "server": ipw.Checkbox(checks.flag("server", server), **labelled("with the server")),
            "seed": slider("seed", seed, *SEEDS, label="new masks"),
            "data": slider("data", data, *SEEDS, label="another clinic"),
        }
        self._talk, self._maps = Talk(), HeatMaps()
        self.follow({"protocol"})
        self._assemble()

    def make_room(self, values: Mapping[str, Any]) -> None:
        """Move the number of clinics first: at most all others put together what they saw."""
        if "clinics" in values:
            accept(self.controls["clinics"], "clinics", values["clinics"])
            with self._holding():
                self.controls["clinics"].value = values["clinics"]
                self.follow({"clinics"})

    def follow(self, moved: Collection[str]) -> None:  # noqa: ARG002  (all is quick)
        """Where no server takes part, none can be among them; in the clear there are no masks."""
        protocol, server = self.controls["protocol"].value, self.controls["server"]
        self.controls["together"].max = self.controls["clinics"].value - 1
        self.controls["seed"].disabled = protocol == CLEAR
        server.disabled = protocol not in SERVERS
        server.tooltip = (
            f"whether the {SERVERS.get(protocol, 'server, which this protocol lacks,')} is among them"
        )

    def stages(self) -> Iterator[Stage]:
        """All at once: a sum takes a few milliseconds."""
        at = self.state
        done = _done(at["protocol"], at["clinics"], at["seed"], at["data"])
        server = [done.server] * (at["server"] and done.server != "")
        together = (*server, *worst(done)[: at["together"]])
        yield Stage(PartyView(done, together, read(done, together)))

    def draw(self, view: PartyView) -> list[LivePicture]:
        """Who talks to whom; what Ash has, what is known of it, and the sum."""
        names, first = [*view.together], view.done.sites[0]
        if len(names) > MOST:
            names[MOST - 1 :] = [f"{len(names) - MOST + 1} more"]
        who = _listed(view, names)
        does = "put together what they saw" if names[1:] else "looks at what came by"
        ends = "are in plain sight" if view.found.secret else "stay hidden"
        headline = f"{who[0].upper()}{who[1:]} {does}:\n{first}'s counts {ends}"
        return [self._talk.show(view.done, view.together, headline), self._maps.show(view.done, view.found)]

    def facts(self, view: PartyView) -> dict[str, str]:
        """Who reads what and why, what the protocol withstands, and what it costs."""
        done, (words, secret, why) = view.done, view.found
        first, number = done.sites[0], len(done.sites)
        largest = done.own[first].argmax()
        known = f"{words[largest]:,}" if words.size else "nothing"
        server = done.server in view.together
        most = withstands(done.protocol, number, server)
        bound = f"{most} of the {number - 1} others" + f", and the {done.server}" * server
        equal = (done.total == np.sum([*done.own.values()], axis=0)).sum()
        return {
            "who puts together what they saw": _listed(view, [*view.together]),
            f"do they read {first}'s counts": f"{'yes' if secret else 'no'}, because {why}",
            f"{first}'s largest count": f"{done.own[first][largest]}, and what they have of it is {known}",
            "the protocol withstands": bound,
            "the sum that all learn": f"true in {equal} of {done.size} counts",
            f"what {first} sends": f"{_bytes(done)} bytes for {done.size} counts, in {done.rounds} rounds",
            "why three clinics at least": THREE,
        }

    def code(self) -> str:
        """How to get what is known, by the library alone."""
        at, together = self.state, [*self.view().together]
        return (
            "import numpy as np\nfrom ppdm.studies import vc04_known, vc04_wires\n\n"
            f"counts = vc04_wires.clinics({at['clinics']}, first={at['data']})\n"
            f"done = vc04_wires.run({at['protocol']!r}, counts, np.random.default_rng({at['seed']}))\n"
            f"found = vc04_known.read(done, {together})\nfound.secret, found.why"
        )


@lru_cache(maxsize=64)
def _done(protocol, clinics, seed, data):
    return vc04_wires.run(protocol, vc04_wires.clinics(clinics, data), np.random.default_rng(seed))


def _listed(view, names):
    """Names as words: "the mixer, Birch and Cedar"."""
    *rest, last = [f"the {name}" if name == view.done.server else name for name in names] or ["nobody"]
    return f"{', '.join(rest)} and {last}" if rest else last


def _bytes(done):
    """The bytes that the first site sends, with 12 for the head of each message."""
    counts = [one for one in done.messages if one.sender == done.sites[0] and one.what != KEY]
    total = len(counts) * (8 * done.size + 12)
    if done.protocol != MASKS:
        return f"{total:,}"
    # Shares of all pairs' keys go to all others, as text: how long it is depends on the names a little.
    number = len(done.sites)
    return f"about {round(total + 79 * number**2 + 25 * number, -2):,}"
