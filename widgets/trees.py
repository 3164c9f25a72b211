"""Six trees from the same records, true or disguised: choose function, noise, strategy, and see who gets it right."""

from collections.abc import Collection, Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from ppdm.disguise import NOISES
from ppdm.measure import epsilon, interval_privacy

from .cases import GRIDS, Case, plane_names
from .controls import choice, slider
from .forest import STRATEGIES, TreeView, code_of, grown
from .look import percent
from .own import OWN, OwnRecords
from .panel import Panel, Stage
from .picture import LivePicture, short
from .trees_pictures import decided, scores, treetop

PRIVACY, DRAWS = (10, 200, 5), (1, 20)
RECORDS = (5_000, 10_000, 20_000, 100_000)
LABEL = 19  # characters of what "joint" takes together
NAMES, NAME = 8, 20  # that are listed, and characters of each
TELLING = 0.2  # of an attribute's values released as they are: more is said
VERY_CLOSE = "ByClass and Local very close to Original"


class TreeExplorer(Panel):
    """Six trees from the same records, true or disguised: what noise does, what reconstructing brings back (AS00 §5.2).

    Accuracies are those on 5,000 true records. "joint" is told which attributes the function looks at, and for
    Functions 3 to 5 how finely to cut them, for a search takes seconds; notebook 06 finds them from disguised records.

    Parameters
    ----------
    function : of AS00's Table 3, 1 to 5, or "own data"; None: "own data" where there is some, else 1
    noise : "uniform" or "Gaussian", on all attributes
    privacy : the privacy level at 95 % confidence, in per cent of the range: 10, 15, … 200
    strategy : whose tree and plane are shown: "original", from true records; "randomized", from disguised ones as they
        are; "global", "byclass", "local" (AS00 §4.2); "joint"
    records : to learn from: 5,000, 10,000, 20,000 or 100,000; at most two thirds of one's own
    seed : 1 to 20: another one draws other records and other noise
    own : a pair, a frame with two columns of numbers or more, and a class for each record, three records or more of
        each. Numbers are disguised, each on the range that it has there; other columns are taken as they are. A third
        of each class is held out to test on. Of whole numbers over a short range many stay as they are: it is said.
    plane : two attributes of the chosen function, or of one's own data; None: ("age", "salary"), or the first two
        numbers. Of one's own data they are also what "joint" takes together, in 12 intervals, or as many as there are.

    >>> TreeExplorer(privacy=25).numbers()[:72]
    'ByClass 98.9 % of 5,000 true test records; points lost 0.7, for Original'
    """

    def __init__(
        self,
        function: int | str | None = None,
        noise: str = "uniform",
        privacy: int = 100,
        strategy: str = "byclass",
        records: int = 10_000,
        seed: int = 1,
        own: Any = None,
        plane: tuple[Any, Any] | None = None,
    ) -> None:
        self.sources: dict[int | str, int | OwnRecords] = {} if own is None else {OWN: OwnRecords.of(own)}
        self.sources |= {number: number for number in GRIDS}
        self.given = ("own",) * (own is not None)
        self.controls = {
            "function": choice("function", next(iter(self.sources)) if function is None else function, self.sources),
            "noise": choice("noise", noise, NOISES),
            "privacy": slider("privacy", privacy, *PRIVACY, label="privacy %"),
            "strategy": choice("strategy", strategy, STRATEGIES),
            "records": choice("records", records, RECORDS),
            "seed": slider("seed", seed, *DRAWS, label="draw"),
        }
        chosen = self.sources[self.controls["function"].value]
        self._plane, self._asked = {type(chosen): plane_names(chosen, plane)}, plane
        self._assemble()

    def stages(self) -> Iterator[Stage]:
        """The chosen tree after the true one, then the others; trees of the same records stay where they are."""
        case, chosen = self._case(), self.controls["strategy"].value
        last = self._view
        trees = dict(last.trees) if last is not None and last.case == case else {}
        order = list(dict.fromkeys(["original", chosen, *STRATEGIES]))
        todo, total = [name for name in order if name not in trees], len(order) + 1
        if todo:
            yield Stage(None, total - len(todo) - 1, total, "drawing records")
            _ = case.study
        for place, name in enumerate(todo):
            there = TreeView(case, chosen, MappingProxyType(dict(trees))) if chosen in trees else None
            yield Stage(there, total - len(todo) + place, total, f"growing {STRATEGIES[name]}")
            trees[name] = grown(case, name)
        yield Stage(TreeView(case, chosen, MappingProxyType(trees)), total, total)

    def draw(self, view: TreeView) -> list[LivePicture]:
        """The accuracies, what the chosen tree decides over the plane, and its upper levels in words."""
        case, strategy = view.case, STRATEGIES[view.strategy]
        names = {name: _label(name, case) for name in STRATEGIES}
        bars = scores(
            {label: view.accuracies.get(name) for name, label in names.items()},
            chosen=names[view.strategy],
            least=view.least,
            bound=("ByClass", "Local"),
            note=_note(case),
            label=f"accuracy on {len(case.study.test):,} true test records",
            title="Who gets it right?",
        )
        domain = [(case.domains[name]["low"], case.domains[name]["high"]) for name in case.plane]
        seen = "true records" if view.strategy == "original" else "records as seen"
        regions = decided(
            list(view.tree.classes),
            view.plane,
            domain,
            x=f"{short(str(case.plane[0]), 20)} (others at their median)",
            y=str(case.plane[1]),
            title=f"{strategy} decides; {seen}",
        )
        return [bars, regions, treetop(view.tree, f"{strategy}: its tree")]

    def facts(self, view: TreeView) -> dict[str, str]:
        """What the chosen tree is worth, what the noise is, and what the paper says of it."""
        case, chosen, best = view.case, view.trees[view.strategy], view.trees["original"].accuracy
        found = {
            STRATEGIES[view.strategy]: f"{percent(chosen.accuracy)} of {len(case.study.test):,} true test records",
            "points lost": f"{100 * (best - chosen.accuracy):.1f}, for Original has {percent(best)}",
            "majority": percent(view.majority),
            "tree": f"{_number(len(chosen.tree.leaves()), 'leaf', 'leaves')}, depth {chosen.tree.depth}",
            **_noise_facts(case),
            **_paper_facts(view),
        }
        if view.strategy == "original":
            del found["points lost"]
        if case.function is None:
            found["your records"] = f"{len(case.study.X):,} to learn from; disguised: {_listed(case.domains)}"
        said = [f"{STRATEGIES[name]}: {view.trees[name].said}" for name in view.accuracies if view.trees[name].said]
        if said:
            found["note"] = "; ".join(said)
        return found

    def call(self) -> str:
        """The line of code that makes this panel, with the plane if one was asked for where it stands."""
        elsewhere = type(self._case().source) not in self._plane
        return super().call() if self._asked is None or elsewhere else f"{super().call()[:-1]}, plane={self._asked!r})"

    def code(self) -> str:
        """The lines that grow the chosen tree and score it, by the library alone."""
        return code_of(self._case(), self.controls["strategy"].value)

    def _case(self) -> Case:
        at = self.state
        source = self.sources[at["function"]]
        plane = self._plane.get(type(source)) or plane_names(source, None)
        return Case(source, at["noise"], at["privacy"], at["records"], at["seed"], plane)


def _label(strategy: str, case: Case) -> str:
    """A strategy's name; of "joint", with what it is told."""
    if strategy != "joint":
        return STRATEGIES[strategy]
    told = ", ".join(map(str, case.grid))
    return f"Joint\n({told if len(told) <= LABEL else f'{len(case.grid)} attributes'})"


def _note(case: Case) -> str:
    """What the paper says of the bars."""
    if case.points is None:
        return f"the paper says nothing of {_silent(case)}"
    if case.privacy < 100:
        return f"the paper (§5.2): {VERY_CLOSE}\n(we take {case.points} points), with 100,000 records"
    return f"the paper (§5.2): ByClass and Local within {case.points} points of Original,\nwith 100,000 records"


def _silent(case: Case) -> str:
    """What the paper says nothing of."""
    return "your own data" if case.function is None else f"{case.privacy} %, but of 25, 50 and 100 %"


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _listed(names: Collection[Any]) -> str:
    """Names, each shortened; how many more there are, if they are many."""
    shown = [short(str(name), NAME) for name in names][:NAMES]
    return ", ".join(shown) + (f" and {len(names) - NAMES} more" if len(names) > NAMES else "")


@lru_cache(maxsize=64)
def _noise_facts(case: Case) -> dict[str, str]:
    """What the noise is worth in more than one number, for the plane's first attribute and for all; what is open."""
    name = case.plane[0]
    channel: Any = case.study.channels[name]
    shown = short(str(name), NAME)
    share = percent(interval_privacy(channel) / (channel.high - channel.low), 0)
    found = {
        f"95 % interval of {shown}": f"{interval_privacy(channel):.4g} wide, {share} of its range",
        "ε": _epsilon(case, shown),
        "open": _listed(["the class", *case.open]),
    }
    kept = case.kept
    most = max(kept, key=lambda name: kept[name])
    if kept[most] > TELLING:
        found["released as it is"] = f"{percent(kept[most])} of {short(str(most), NAME)}"
    return found


def _epsilon(case: Case, shown: str) -> str:
    """ε of the plane's first attribute, and of all that are disguised."""
    one, total = epsilon(case.study.channels[case.plane[0]]), epsilon(case.study.channels)
    if np.isinf(one):
        return "none (∞)"
    those = f"{len(case.study.channels)}{' that are disguised' if case.open else ''}"
    return f"{one:.1f} for {shown}, {total:.0f} for all {those} added up (δ = 1e-5)"


def _paper_facts(view: TreeView) -> dict[str, str]:
    """What the paper claims at this level, and whether it is so here."""
    least, points = view.least, view.case.points
    if least is None:
        return {"the paper": f"says nothing of {_silent(view.case)}"}
    near = f"ByClass and Local within {points} points of Original"
    words = f"{VERY_CLOSE} (we take {points} points)" if view.case.privacy < 100 else near
    named = {name: view.trees.get(name) for name in ("byclass", "local")}
    here = [
        f"{STRATEGIES[name]} {'to come' if tree is None else 'yes' if tree.accuracy >= least else 'no'}"
        for name, tree in named.items()
    ]
    return {
        "the paper (§5.2)": f"{words}, with 100,000 records: at least {percent(least)}",
        "is it so here?": ", ".join(here),
    }
