"""Parties as processes on this machine: started from a notebook, talked to by pipes, and gone when the notebook is."""

import hashlib
import json
import math
import os
import queue
import secrets
import subprocess
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import GroupedResponse, NumericChannel, PrivacyWarning, as_disguise
from ppdm.parties.wires import BYTE, WORD, Net, PartyError
from ppdm.reconstruct import Attribute
from ppdm.trees import Stop, Tree

# What may be held apart, the engines for it, and the name of who only adds up or deals, where there is one.
ENGINES: dict[str, dict] = {
    "rows": {"shamir": None, "ring": None, "additive": None, "mixer": "mixer", "masks": "server"},
    "columns": {"commodity": "helper", "shamir": None},
}
Engine = Literal["shamir", "ring", "additive", "mixer", "masks", "commodity"]
NEEDED = "mpyc", "gmpy2", "cryptography"
TWO = "of a sum of two, each can subtract the own part and has the other's; expected three or more"
SMALL = 10  # smaller counts are told apart in what was opened


class Session:
    """Parties that mine together, each in a process of its own, within a ``with`` statement: see ``local``.

    Attributes
    ----------
    project : what all parties know
    records : how many records each party takes part with
    attributes : what the codes of each column mean, as the parties agreed for the last tree
    openings : what all learned from the last job: pairs of what it is, and the numbers
    bytes, cpu : what each party sent in the last job, and how many seconds its processor worked
    spent : the ε of all trees so far
    """

    def __init__(self, project, data, budget=None, **options) -> None:
        self.project = project
        self.records: dict = {}
        self.attributes: list[Attribute] = []
        self.openings: list = []
        self.bytes: dict = {}
        self.cpu: dict = {}
        self.spent = 0.0
        self._budget = budget
        self._data = data
        self._options = options | {"project": project, "secret": secrets.token_hex(32)}
        self._processes: dict = {}
        self._inbox: queue.SimpleQueue = queue.SimpleQueue()

    def __repr__(self):
        return (
            f"Session({', '.join(self.project['parties'])}: {self.project['held']}, {self.project['engine']!r})"
        )

    def __enter__(self) -> Self:
        roots = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        own = os.environ | {"PYTHONPATH": os.pathsep.join(roots), "OMP_NUM_THREADS": "1"}
        start = [sys.executable, "-c", "from ppdm.parties.local import serve; serve()"]
        try:
            for name in self.project["parties"]:
                # A group of its own: an interrupt is for the notebook, which ends its parties itself.
                process = subprocess.Popen(start, stdin=-1, stdout=-1, env=own, start_new_session=True)
                self._processes[name] = process
                threading.Thread(target=self._listen, args=(name, process.stdout), daemon=True).start()
            told = {}
            for name in self._processes:
                rows, arrays = _as_told(*self._data.get(name, (None, None)), self.project["classes"])
                told[name] = self._options | {"me": name, "rows": rows}, arrays
            ports = self._ask(told)
            addresses = {name: ["127.0.0.1", answer["port"]] for name, answer in ports.items()}
            answers = self._ask(dict.fromkeys(self._processes, ({"addresses": addresses}, [])))
        except BaseException:
            self.close()
            raise
        self.records = {name: answer["records"] for name, answer in answers.items() if name in self._data}
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        """End the processes."""
        for process in self._processes.values():
            process.kill()
            process.wait()
            process.stdin.close()
        self._processes = {}

    def sum(self, values: Mapping[str, Sequence]) -> np.ndarray:
        """Add up a list of numbers of each party: whole numbers exactly, others to 2^-20."""
        sites = [name for name in self.project["sites"] if name in self._processes]
        if set(checks.mapping("values", values)) != set(sites):
            raise ValueError(f"values names {list(values)}; expected a list of numbers for each of {sites}")
        vectors = {name: checks.vector(f"values of {name!r}", one) for name, one in values.items()}
        for name, one in vectors.items():
            checks.same_length(f"values of {name!r}", one, f"values of {sites[0]!r}", vectors[sites[0]])
        scale = 1 if all((one == np.rint(one)).all() for one in vectors.values()) else 1 << 20
        largest = max(float(np.abs(one).max()) for one in vectors.values())
        if not largest * scale * len(sites) < 2**60:
            raise ValueError(f"values reach {largest:g}; expected sums below 2^60, and below 2^40 of fractions")
        jobs = {name: ({"do": "sum", "with": {"scale": scale}}, [one]) for name, one in vectors.items()}
        self._do(jobs | dict.fromkeys(set(self._processes) - set(sites), ({"do": "sum", "with": {}}, [])))
        return self.openings[0][1] if scale == 1 else self.openings[0][1] / scale

    def tree(
        self,
        criterion: Literal["gini", "gain"] = "gini",
        stop: Stop | None = None,
        nominal: Literal["binary", "multiway"] = "binary",
        opens: Literal["histograms", "tree"] = "histograms",
        intervals: int | Mapping = 20,
        cuts: Literal["widths", "counts"] = "widths",
        epsilon: float | None = None,
        channels=None,
        strategy: Literal["byclass", "global", "joint"] = "byclass",
    ) -> Tree:
        """Grow the tree that ``grow`` grows from the records of all parties together, without bringing them together.

        Parameters
        ----------
        criterion, stop, nominal : as in ``trees.grow``
        opens : what all learn. "histograms": the class counts of each value in each node, which small nodes turn into
            records. "tree": the tree with its class counts alone; by the gini index, for rows, with engine "shamir"
        intervals : of each number; a dict gives for some columns the number, or the cuts
        cuts : where numbers are cut that have no cuts: "widths" divides the public domain in equal intervals, "counts"
            the records of all parties in about equal parts, by their sums in a fine grid
        epsilon : every party adds noise to its counts, so that the tree is ε-differentially private for each record,
            even towards as many parties together as the engine withstands. It needs a ``max_depth``.
        channels : what disguised the records: a dict of channels by column, or a GroupedResponse of all
        strategy : how disguised records are reconstructed: "byclass" or "global" each number alone, "joint" the columns
            of ``channels`` together, in each class, and no others
        """
        rule = checks.of_type("stop", Stop() if stop is None else stop, Stop, "a Stop, say Stop(max_depth=3)")
        told = self._told_channels(channels, strategy)
        self._refuse(criterion, rule, opens, epsilon, told)
        if epsilon is not None:
            self.spent += epsilon
        arguments = {
            "criterion": checks.choice("criterion", criterion, ("gini", "gain")),
            "stop": asdict(rule),
            "nominal": checks.choice("nominal", nominal, ("binary", "multiway")),
            "opens": opens,
            "intervals": intervals,
            "cuts": checks.choice("cuts", cuts, ("widths", "counts")),
            "epsilon": epsilon,
            "channels": told,
            "strategy": strategy,
        }
        found = self._do(dict.fromkeys(self._processes, ({"do": "tree", "with": arguments}, [])))
        self.attributes = [Attribute(**one) for one in found["attributes"]]
        if not epsilon and len(people := self.people()):
            warnings.warn(
                f"{len(people)} people can be read off the opened histograms, with all their values and their class: "
                'session.people() lists them; expected opens="tree", Stop(min_records=50) or epsilon',
                PrivacyWarning,
                stacklevel=2,
            )
        return Tree.from_json(found["tree"])

    def itemsets(self, min_support: float, most_items: int | None = None) -> pd.DataFrame:
        """The frequent sets of items of all transactions: ``patterns.frequent_itemsets`` of what nobody has."""
        return self._rules(min_support, None, most_items)

    def rules(self, min_support: float, min_confidence: float, most_items: int | None = None) -> pd.DataFrame:
        """The association rules of all transactions: ``patterns.association_rules`` of what nobody has."""
        return self._rules(min_support, checks.number("min_confidence", min_confidence, "[0, 1]"), most_items)

    @property
    def opened(self) -> pd.DataFrame:
        """What all learned from the last job: a row for each sum, how many numbers it has, and how many small ones."""
        rows = [
            {
                "what": what,
                "numbers": one.size,
                "ones": (one == 1).sum(),
                f"1 to {SMALL - 1}": ((one > 0) & (one < SMALL)).sum(),
            }
            for what, one in self.openings
        ]
        return pd.DataFrame(rows, columns=["what", "numbers", "ones", f"1 to {SMALL - 1}"])

    def people(self) -> pd.DataFrame:
        """The people whom opened histograms show whole: who is alone of a class in a node is alone in each of them."""
        if not self.attributes:
            return pd.DataFrame()
        starts = np.append(0, np.cumsum([one.n_values for one in self.attributes]))
        rows = [np.empty((0, len(starts)), int)]
        for found in (numbers for what, numbers in self.openings if what == "histograms"):
            alone = found[:, :, : starts[1]].sum(axis=2) == 1
            codes = [found[:, :, low:high][alone].argmax(axis=1) for low, high in pairwise(starts)]
            rows.append(np.column_stack([*codes, np.nonzero(alone)[0]]))
        # Who is alone stays alone further down: every person counts once.
        *codes, kinds = np.unique(np.concatenate(rows), axis=0).T
        shown = {
            one.name: pd.Index(one.categories)[own]
            if one.edges is None
            else pd.IntervalIndex.from_breaks([-np.inf, *one.edges, np.inf], closed="left")[own]
            for one, own in zip(self.attributes, codes)
        }
        return pd.DataFrame({**shown, "class": np.array(self.project["classes"])[kinds]})

    def view(self, party: str) -> pd.DataFrame:
        """The messages that a party saw: during what, which way, with whom, their size in bytes, and their words."""
        checks.choice("party", party, list(self._processes))
        answer = self._ask({party: ({"do": "view"}, [])})[party]
        data = self._arrays[party][0].tobytes()
        table = pd.DataFrame(answer["book"], columns=["step", "way", "party", "bytes", "kept"])
        ends = table.pop("kept").cumsum()
        pieces = [data[low:high] for low, high in pairwise([0, *ends])]
        table["words"] = [np.frombuffer(one, BYTE if len(one) % 8 else WORD) for one in pieces]
        return table

    def _told_channels(self, channels, strategy):
        """Channels as dicts, for columns that the parties have."""
        checks.choice("strategy", strategy, ("byclass", "global", "joint"))
        if channels is None:
            return None
        if self.project["held"] == "columns":
            raise ValueError("channels are given, but columns are held apart; expected None")
        if isinstance(channels, GroupedResponse):
            return _told_channel(channels)
        known = as_disguise(channels, list(self.project["columns"])).by_column()
        for name, one in known.items():
            if not isinstance(one, NumericChannel):
                raise TypeError(
                    f"channels has {one!r} for {name!r}; expected channels of numbers, or a GroupedResponse"
                )
        return {name: _told_channel(one) for name, one in known.items()}

    def _refuse(self, criterion, rule, opens, epsilon, channels):
        """Refuse what the engine cannot do, before anything is sent."""
        checks.choice("opens", opens, ("histograms", "tree"))
        columns, project = self.project["columns"], self.project
        if not project["classes"]:
            raise ValueError("the parties hold no classes; expected (X, y) of each, to grow a tree")
        if opens == "tree":
            many = [
                name
                for name, one in columns.items()
                if "categories" in one and not one["ordered"] and len(one["categories"]) > 2
            ]
            why = {
                "rows held apart": project["held"] == "rows",
                'engine="shamir"': project["engine"] == "shamir",
                'criterion="gini"': criterion == "gini",
                "min_leaf=1 and no confidence": rule.min_leaf == 1 and rule.confidence is None,
                "channels=None and epsilon=None": not channels and epsilon is None,
                f"no more than two names, or an order of them, in {many}": not many,
            }
            if lacking := [what for what, holds in why.items() if not holds]:
                raise ValueError(
                    f"opens is 'tree', for which only cuts are compared; expected {', '.join(lacking)}"
                )
        elif project["held"] == "rows" and len(self._data) < 3 and epsilon is None:
            raise ValueError(f"{len(self._data)} parties hold rows: {TWO}, opens='tree', or epsilon")
        if epsilon is not None:
            checks.number("epsilon", epsilon, "(0, inf)")
            if rule.max_depth is None or channels or project["held"] == "columns":
                raise ValueError("epsilon is given; expected true rows held apart, and stop=Stop(max_depth=...)")
        if self._budget is not None and not self.spent + (epsilon or np.inf) <= self._budget:
            raise ValueError(
                f"epsilon is {epsilon}, of a budget of {self._budget:g} {self.spent:g} is spent; expected at most the rest"
            )

    def _rules(self, *given):
        names = ("min_support", "min_confidence", "most_items")
        checks.number("min_support", given[0], "(0, 1]")
        if self._budget is not None:
            raise ValueError(f"budget is {self._budget:g}, but counts of sets have no noise; expected None")
        if self.project["held"] == "rows" and len(self._data) < 3:
            raise ValueError(f"{len(self._data)} parties hold rows: {TWO}")
        job = {"do": "rules", "with": dict(zip(names, given))}
        found = self._do(dict.fromkeys(self._processes, (job, [])))
        sets = {
            name: [tuple(one) for one in found.pop(name)] for name in ("items", "if", "then") if name in found
        }
        return pd.DataFrame({**sets, **found})

    def _do(self, jobs):
        """Let all processes do a job, and keep what it opened and cost."""
        answers = self._ask(jobs)
        self.bytes = {name: answer["bytes"] for name, answer in answers.items()}
        self.cpu = {name: answer["cpu"] for name, answer in answers.items()}
        site = next(name for name in self.project["sites"] if name in answers)
        self.openings = list(zip(answers[site]["opened"], self._arrays[site]))
        return answers[site]["found"]

    def _ask(self, jobs):
        """Tell processes something, and wait for what they answer. Whatever goes wrong ends the session."""
        if not self._processes:
            raise RuntimeError("the session is over; expected calls within `with parties.local(...) as session:`")
        answers: dict = {}
        self._arrays: dict = {}
        wait = None
        try:
            for name, (head, arrays) in jobs.items():
                with suppress(BrokenPipeError):  # the answer will say that it is gone
                    write(self._processes[name].stdin, head, arrays)
            with suppress(queue.Empty):
                while len(answers) < len(jobs):
                    name, head, arrays = self._inbox.get(timeout=wait)
                    answers[name], self._arrays[name] = head, arrays
                    # The others are done or learn of a fault at about the same time.
                    wait = 1.0 if "fault" in head else wait or 10.0
            faults = {name: ["PartyError", name, "says nothing"] for name in jobs if name not in answers}
            faults |= {name: head["fault"] for name, head in answers.items() if "fault" in head}
            survived = self.project["engine"] == "masks" and len(faults) < len(jobs)
            if faults and not (survived and all(party == name for name, (_, party, _) in faults.items())):
                blamed = Counter((party, why) for kind, party, why in faults.values() if kind == "PartyError")
                if blamed:
                    raise PartyError(*blamed.most_common(1)[0][0])
                raise ValueError(next(iter(faults.values()))[2])
        except BaseException:
            self.close()
            raise
        for name in faults:  # the others go on without it
            self._processes.pop(name).kill()
        return {name: answers[name] for name in jobs if name not in faults}

    def _listen(self, name, pipe):
        """Take what a process answers, until it ends."""
        with suppress(ValueError):
            while True:
                self._inbox.put((name, *read(pipe)))
        self._inbox.put((name, {"fault": ["PartyError", name, "is gone: its process ended"]}, []))


def local(
    parties: Mapping[str, Any],
    engine: Engine | None = None,
    domains: Mapping | None = None,
    align: bool = True,
    limit: float = 60.0,
    latency: float = 0.0,
    budget: float | None = None,
) -> Session:
    """Let parties mine together that pool nothing, each in a process of its own on this machine (VC04).

    Parameters
    ----------
    parties : by name, what each holds. Rows held apart: (X, y), with the same columns; X alone for transactions; None
        for a party that holds nothing and computes only. Columns held apart: X, with columns that no other has, and
        (X, y) for the one that has the classes; the index tells which record is whose.
    engine : rows: "shamir", "ring", "additive", "mixer" or "masks"; columns: "commodity" for two holders and a helper,
        "shamir" for three holders or more. None: "shamir", or "commodity" for two holders of columns
    domains : by column, what is public of it: (low, high) or (low, high, step) of a number, else the categories. Of
        other columns all parties are told which range and which categories there are.
    align : whether holders of columns find out which ids they have in common; False: row i is the same person for all
    limit : seconds for which a party that is waited for may be silent
    latency : seconds by which every message is delayed, to show what a long way costs
    budget : the ε that all trees together may spend; None: no bound

    >>> with local({"a": None, "b": None, "c": None}, engine="ring") as session:  # doctest: +SKIP
    ...     session.sum({"a": [1, 2], "b": [3, 4], "c": [5, 6]})
    array([ 9, 12])
    """
    if lacking := [name for name in NEEDED if not find_spec(name)]:
        raise ImportError(
            f'parties need {", ".join(lacking)}; expected an installation by: pip install "ppdm[parties]"'
        )
    project, data = _project(
        checks.mapping("parties", parties), engine, domains or {}, checks.flag("align", align)
    )
    checks.number("limit", limit, "(0, inf)")
    checks.number("latency", latency, "[0, 60]")
    if budget is not None:
        checks.number("budget", budget, "(0, inf)")
    return Session(project, data, budget, limit=limit, latency=latency)


def _project(parties, engine, domains, align):
    """What all parties know, and what each holds."""
    data = {name: _held(name, one) for name, one in parties.items() if one is not None}
    sets = [set(X.columns) for X, _ in data.values()]
    held = "columns" if len(sets) > 1 and not set.intersection(*sets) else "rows"
    sites = list(parties)
    default = "commodity" if (held, len(sites)) == ("columns", 2) else "shamir"
    hint = f"{held} are held apart"
    engine = checks.choice("engine", default if engine is None else engine, list(ENGINES[held]), hint=hint)
    if engine == "commodity" and len(sites) != 2:
        raise ValueError(
            f"parties has {len(sites)} holders of columns; expected 2 for 'commodity', or engine='shamir'"
        )
    if engine != "commodity" and len(sites) < 3:
        raise ValueError(f"parties has {len(sites)}: {TWO}")
    server = ENGINES[held][engine]
    if server in parties or not all(isinstance(name, str) and name for name in parties):
        raise ValueError(f"parties are named {list(parties)}; expected texts, none of them {server!r}")
    if held == "rows" and any(one != sets[0] for one in sets):
        raise ValueError(
            "parties hold columns that some others lack; expected the same for all, or no common ones"
        )
    names = dict.fromkeys(name for X, _ in data.values() for name in X)
    checks.columns("domains", domains, names)
    parts = {name: [X[name] for X, _ in data.values() if name in X] for name in names}
    known = [name for name, (_, y) in data.items() if y is not None]
    if len(known) not in ((0, len(data)) if held == "rows" else (0, 1)):
        wanted = "each of those that hold rows, or none" if held == "rows" else "one holder"
        raise ValueError(f"parties gives classes for {known}; expected them for {wanted}")
    labels = [data[name][1] for name in known]
    project = {
        "parties": [*sites, *([server] if server else [])],
        "sites": sites,
        "server": server,
        "held": held,
        "engine": engine,
        "align": held == "columns" and align,
        "columns": {str(name): _domain(name, own, domains.get(name)) for name, own in parts.items()},
        "classes": np.unique(np.concatenate(labels)).tolist() if labels else [],
        "holders": {name: list(X) for name, (X, _) in data.items()},
        "target": known[0] if known else None,
    }
    return project, data


def _held(name, given):
    """The records of a party, and their classes, if it has them."""
    X, y = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    checks.frame(f"X of {name!r}", X)
    for column in X:
        checks.none_missing(f"column {column!r} of {name!r}", X[column])
    if y is not None:
        y = checks.labels(f"y of {name!r}", y)
        checks.same_length(f"y of {name!r}", y, f"X of {name!r}", X)
    checks.distinct(f"the index of {name!r}", X.index)
    return X, y


def _domain(name, parts, given):
    """What is public of a column: as it is given, or as the parties tell each other."""
    if all(checks.is_number(one.dtype) for one in parts):
        values = np.concatenate([checks.vector(f"column {name!r}", one) for one in parts])
        whole = (values == np.rint(values)).all()
        low, high, step = [*(given or (values.min(), values.max(), 1 if whole else None)), None][:3]
        wrong = (values < low) | (values > high)
        checks.none_wrong(
            f"column {name!r}", values, wrong, "outside its domain", f"values in [{low:g}, {high:g}]"
        )
        return {"low": float(low), "high": float(high), "step": step}
    dtype = parts[0].dtype
    ordered = bool(getattr(dtype, "ordered", False))
    found = pd.concat([one.astype(object) for one in parts])
    listed = given if given is not None else getattr(dtype, "categories", sorted(found.unique()))
    categories = [checks.scalar(one) for one in checks.listed(f"domains[{name!r}]", listed, "categories")]
    unknown = ~found.isin(categories)
    checks.none_wrong(f"column {name!r}", found, unknown, "that are no categories of it", f"some of {categories}")
    return {"categories": categories, "ordered": ordered}


def _told_channel(channel):
    own = {one.name: getattr(channel, one.name) for one in fields(channel) if one.init}
    return {"type": type(channel).__name__, **own}


def _as_told(X, y, classes):
    """Records as a process is told them: numbers as arrays, other columns and the index as lists."""
    if X is None:
        return {"columns": None}, []
    numbers = [name for name in X if checks.is_number(X[name].dtype)]
    others = {name: X[name].tolist() for name in X if name not in numbers}
    arrays = [X[name].to_numpy() for name in numbers]
    if y is not None:
        arrays.append(np.searchsorted(classes, y))
    index = X.index.map(str).tolist()
    return {
        "columns": list(X),
        "numbers": numbers,
        "others": others,
        "index": index,
        "classed": y is not None,
    }, arrays


def _from_told(head, arrays, classes):
    if head["columns"] is None:
        return None, None
    own = dict(zip(head["numbers"], arrays)) | head["others"]
    X = pd.DataFrame({name: own[name] for name in head["columns"]}, index=head["index"])
    return X, np.array(classes)[arrays[-1]] if head["classed"] else None


def write(pipe, head, arrays) -> None:
    """Write a message to a process: a line of JSON, and the numbers of arrays."""
    arrays = [np.asarray(one) for one in arrays]
    shapes = [[one.dtype.str, one.shape] for one in arrays]
    pipe.write(json.dumps(head | {"arrays": shapes}, default=lambda one: one.tolist()).encode() + b"\n")
    for one in arrays:
        pipe.write(one.tobytes())
    pipe.flush()


def read(pipe) -> tuple[dict, list]:
    """Read what ``write`` wrote; an error if there is no more."""
    head = json.loads(pipe.readline())
    kinds = [(np.dtype(kind), shape) for kind, shape in head["arrays"]]
    return head, [
        np.frombuffer(pipe.read(kind.itemsize * math.prod(shape)), kind).reshape(shape) for kind, shape in kinds
    ]


def serve() -> None:
    """A party's process: do what the session says, until its pipe ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed here must not look like an answer
    orders: queue.SimpleQueue = queue.SimpleQueue()

    def listen() -> None:
        with suppress(ValueError), open(0, "rb") as pipe:
            while True:
                orders.put(read(pipe))
        os._exit(0)  # the session is gone, in whatever way: so is its party

    threading.Thread(target=listen, daemon=True).start()
    from ppdm.parties.party import Party  # only here: the engine takes the process over

    party: Any = None
    while True:
        head, arrays = orders.get()
        told: list = []
        try:
            if "project" in head:
                project = head["project"]
                secret = bytes.fromhex(head["secret"])
                digest = hashlib.sha256(json.dumps(project).encode()).hexdigest()
                options = {name: head[name] for name in ("limit", "latency")}
                net = Net(head["me"], project["parties"], secret=secret, project=digest, **options)
                party = Party(net, project, *_from_told(head["rows"], arrays, project["classes"]))
                answer = {"port": net.run(net.listen())}
            elif "addresses" in head:
                party.start(head["addresses"])
                answer = {"records": len(party.X)}
            elif head["do"] == "view":
                answer = {"book": [[*one[:3], one[4], len(one[5])] for one in net.book]}
                told = [np.frombuffer(b"".join(one[5] for one in net.book), BYTE)]
            else:
                more = {"values": arrays[0]} if arrays else {}
                answer = party.do(head["do"], head["with"] | more)
                answer["opened"] = [what for what, _ in party.opened]
                told = [numbers for _, numbers in party.opened]
        except PartyError as error:
            answer = {"fault": ["PartyError", error.party, error.why]}
        except (TypeError, ValueError) as error:
            import traceback

            traceback.print_exc()
            answer = {"fault": ["ValueError", "", str(error)]}
        write(answers, answer, told)
