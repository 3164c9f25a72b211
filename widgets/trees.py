"""Six trees from the same records, true or disguised: choose function, noise, strategy, and see who gets it right."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from ppdm.measure import epsilon, interval_privacy
from ppdm.studies.as00 import NOISES

from .controls import UNBOUNDED, choice, percent, slider
from .forest import GRIDS, STRATEGIES, Case, TreeView, code_of, grown, plane_names, plane_of
from .own import OWN, OwnRecords
from .panel import Panel, Stage
from .picture import LivePicture, short
from .trees_pictures import decided, scores, treetop

PRIVACY, DRAWS = (10, 200, 5), (1, 20)
RECORDS = (5_000, 10_000, 20_000, 100_000)
LABEL = 19  # characters of the attributes that "joint" is given
NAMES, NAME = 8, 20  # that are listed, and characters of each
TELLING = 0.2  # of an attribute's values released as they are: more is said


class TreeExplorer(Panel):
    """Six trees from the same records, true or disguised: what noise costs, what reconstruction regains (AS00 §5.2).

    Accuracies are those on 5,000 true records. "joint" is given the attributes that the function looks at, and for
    Functions 3 to 5 their numbers of intervals, because a search takes seconds. Notebook 06 finds both from disguised
    records.

    Parameters
    ----------
    function : of AS00's Table 3, 1 to 5, or "own data"; None: "own data" where there is some, else 1
    noise : "uniform" or "Gaussian", on all attributes
    privacy : the privacy level at 95 % confidence, in per cent of the range: 10, 15, … 200
    strategy : whose tree and plane are shown: "original", from true records; "randomized", from disguised ones as they
        are; "global", "byclass", "local" (AS00 §4.2); "joint"
    records : to learn from: 5,000, 10,000, 20,000 or 100,000; at most two thirds of your own
    seed : 1 to 20: another one draws other records and other noise
    own : a pair: a frame with at least two columns of numbers and 30 records, and a class for each record (2 to 7
        classes, three records or more of each). Numbers are disguised, each on the range that it has there; other
        columns are taken as they are. A third of each class is held out to test on. Many whole numbers over a short
        range stay as they are; the panel says so.
    plane : two of Quest's nine attributes, or two columns of numbers of your own data; None: ("age", "salary"), or the
        first two numbers. Of your own data they are also what "joint" takes together, in 12 intervals, or as many as
        there are.

    >>> TreeExplorer(privacy=25).numbers()[:62]
    'accuracy of ByClass: 98.9 % of 5,000 true test records; points'
    """

    def __init__(
        self,
        function: int | str | None = None,
        noise: str = "uniform",
        privacy: int = 100,
        strategy: str = "byclass",
        records: int = 10_000,
        seed: int = 1,
        own=None,
        plane: tuple[Any, Any] | None = None,
    ) -> None:
        self.sources: dict[int | str, int | OwnRecords] = {} if own is None else {OWN: OwnRecords.of(own)}
        self.sources |= {number: number for number in GRIDS}
        self.given = ("own",) * (own is not None)
        if function is None:
            function = next(iter(self.sources))
        self.controls = {
            "function": choice("function", function, self.sources),
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
            there = TreeView(case, chosen, dict(trees)) if chosen in trees else None
            yield Stage(there, total - len(todo) + place, total, f"growing {STRATEGIES[name]}")
            trees[name] = grown(case, name)
        yield Stage(TreeView(case, chosen, trees), total, total)

    def draw(self, view: TreeView) -> list[LivePicture]:
        """The accuracies, what the chosen tree decides over the plane, and its upper levels in words."""
        case, strategy = view.case, STRATEGIES[view.strategy]
        accuracies = {_label(name, case): view.accuracies.get(name) for name in STRATEGIES}
        chosen, note = _label(view.strategy, case), (" " if case.points is None else ": ").join(_paper(case))
        label = f"accuracy on {len(case.study.test):,} true test records"
        bars = scores(accuracies, chosen=chosen, least=view.least, note=note, label=label)
        channels = [case.study.channels[name] for name in case.plane]
        domain = [(channel.low, channel.high) for channel in channels]
        seen = "true records" if view.strategy == "original" else "records as seen"
        names = {"x": f"{short(str(case.plane[0]), 20)} (others at their median)", "y": str(case.plane[1])}
        plane, title = plane_of(case, view.strategy), f"{strategy} decides; {seen}"
        regions = decided(list(view.tree.classes), plane, domain, **names, title=title)
        return [bars, regions, treetop(view.tree, f"{strategy}: its tree")]

    def facts(self, view: TreeView) -> dict[str, str]:
        """What the chosen tree is worth, what the noise is, and what the paper says of it."""
        case, chosen, best = view.case, view.trees[view.strategy], view.trees["original"].accuracy
        leaves = len(chosen.tree.leaves())
        right = f"{percent(chosen.accuracy)} of {len(case.study.test):,} true test records"
        found = {f"accuracy of {STRATEGIES[view.strategy]}": right}
        if view.strategy != "original":
            found["points lost"] = f"{100 * (best - chosen.accuracy):.1f}, because Original has {percent(best)}"
        found |= {
            "accuracy without a tree": f"{percent(view.majority)}, by always naming the most frequent class",
            "size of the tree": f"{leaves} {'leaf' if leaves == 1 else 'leaves'}, depth {chosen.tree.depth}",
            **_noise_facts(case),
        }
        paper, claim = _paper(case)
        found[paper] = claim.replace("\n", " ")
        if view.least is not None:
            found[paper] += f"; here that is at least {percent(view.least)}"
            held = {name: accuracy >= view.least for name, accuracy in view.accuracies.items()}
            words = {True: "yes", False: "no", None: "to come"}
            here = [f"{words[held.get(name)]} for {STRATEGIES[name]}" for name in ("byclass", "local")]
            found["whether it holds here"] = ", ".join(here)
        if case.function is None:
            disguised = _listed(case.study.channels)
            found["your records"] = f"{len(case.study.X):,} to learn from; disguised are {disguised}"
        warned = [name for name in view.accuracies if view.trees[name].said]
        said = [f"{STRATEGIES[name]}: {view.trees[name].said}" for name in warned]
        if said:
            found["note"] = "; ".join(said)
        return found

    def call(self) -> str:
        """The line of code that makes this panel, with the plane if one was asked for where it stands."""
        if self._asked is None or type(self._case().source) not in self._plane:
            return super().call()
        return f"{super().call()[:-1]}, plane={self._asked!r})"

    def code(self) -> str:
        """The lines that grow the chosen tree and score it, by the library alone."""
        return code_of(self._case(), self.controls["strategy"].value)

    def _case(self):
        at = self.state
        source = self.sources[at["function"]]
        plane = self._plane.get(type(source)) or plane_names(source, None)
        return Case(source, at["noise"], at["privacy"], at["records"], at["seed"], plane)


def _label(strategy, case):
    """A strategy's name; "joint" with the attributes that it is given."""
    if strategy != "joint":
        return STRATEGIES[strategy]
    given = ", ".join(map(str, case.grid))
    return f"Joint\n({given if len(given) <= LABEL else f'{len(case.grid)} attributes'})"


def _paper(case):
    """Where the paper speaks of ByClass and Local, and its claim in two lines; or what it says nothing about."""
    if case.function is None:
        return "the paper", "says nothing of your own data"
    if case.points is None:
        return "the paper", f"says nothing of {case.privacy} %, but of 25, 50 and 100 %"
    claim = f"ByClass and Local within {case.points} points of Original,\nwith 100,000 records"
    if case.privacy < 100:
        claim = f"ByClass and Local very close to Original\n(we take {case.points} points), with 100,000 records"
    return "the paper (§5.2)", claim


def _listed(names):
    """Names, each shortened; how many more there are, if they are many."""
    shown = [short(str(name), NAME) for name in names][:NAMES]
    return ", ".join(shown) + (f" and {len(names) - NAMES} more" if len(names) > NAMES else "")


@lru_cache(maxsize=64)
def _noise_facts(case):
    """What the noise is worth in more than one number, for the plane's first attribute and for all; what is open."""
    study, name = case.study, case.plane[0]
    channel = study.channels[name]
    shown = short(str(name), NAME)
    one, total = epsilon(channel), epsilon(study.channels)
    width = interval_privacy(channel)
    share = percent(width / (channel.high - channel.low), 0)
    opened = [column for column in study.X if column not in study.channels]
    those = f"{len(study.channels)}{' that are disguised' if opened else ''}"
    worth = f"{one:.1f} for {shown}, {total:.0f} for all {those} added up, with δ = 1e-5"
    found = {
        f"95 % interval of {shown}": f"{width:.4g} wide, which is {share} of its range",
        "ε": UNBOUNDED if np.isinf(one) else worth,
        "not disguised": _listed(["the class", *opened]),
    }
    kept = {column: float(np.mean(study.seen[column] == study.X[column])) for column in study.channels}
    most = max(kept, key=lambda column: kept[column])
    if kept[most] > TELLING:
        found["released unchanged"] = f"{percent(kept[most])} of the values of {short(str(most), NAME)}"
    return found
