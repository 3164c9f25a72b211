"""The code of a tree in the tree explorer: the same number by the library alone."""

from ppdm.disguise import NOISES

from .records import TEST, Case

QUEST = """\
X, y = quest({records}, function={function}, rng=rng)
test, group = quest({tested}, function={function}, rng=rng)
"""
OWN = """\
order, labels = rng.permutation(len(X)), np.array(list(y))
classes = pd.Series(order).groupby(labels[order])
rank, third = classes.cumcount().to_numpy(), classes.transform("size").to_numpy() // 3
held, rows = order[rank < third], np.r_[order[rank == third], order[rank > third]][:{records}]
train, known = X.iloc[rows], labels[rows]
test, group = X.iloc[held], labels[held]
"""
CHANNELS = """\
channels = {{
    name: {kind}.at_privacy({level}, **domain)
    for name, domain in QUEST_DOMAINS.items()
}}
"""
CUTS = """\
cuts = {{
    name: {cut}[1:-1]
    for name, channel in channels.items()
}}
model = GiniTreeClassifier(cuts)
"""


def code_of(case: Case, strategy: str) -> str:
    """The lines that grow the tree of a strategy and score it; records of one's own are the pair ``own``."""
    ordinary, own = strategy in ("original", "randomized"), case.function is None
    kind, model = NOISES[case.noise].__name__, "GiniTreeClassifier" if ordinary else "ReconstructedTreeClassifier"
    head = [
        "import numpy as np",
        "import pandas as pd" if own else "from ppdm.data import QUEST_DOMAINS, quest",
        f"from ppdm.disguise import {'' if strategy == 'original' else 'Disguise, '}{kind}",
        f"from ppdm.trees import {'Joint, ' if strategy == 'joint' else ''}{model}",
    ]
    draw, X, y = (OWN, "train", "known") if own else (QUEST, "X", "y")
    lines = [
        *head,
        "",
        *(["X, y = own"] if own else []),
        f"rng = np.random.default_rng({case.seed})",
        draw.format(records=case.records, function=case.function, tested=TEST).rstrip(),
        _channels(case, kind),
        _model(case, strategy),
    ]
    if strategy == "original":
        lines.append(f"model.fit({X}, {y})")
    else:
        lines += [f"seen = Disguise(channels, random_state=rng).fit_transform({X})", f"model.fit(seen, {y})"]
    return "\n".join([*lines, "model.score(test, group)"])


def _channels(case: Case, kind: str) -> str:
    """The lines that make a channel for each attribute."""
    level = f"{case.privacy / 100:g}"
    if case.function is not None:
        return CHANNELS.format(kind=kind, level=level).rstrip()
    rows = [
        f"    {name!r}: {kind}.at_privacy({level}, low={low!r}, high={high!r}{', step=1' if step else ''}),"
        for name, (low, high, step) in case.domains.items()
    ]
    return "\n".join(["channels = {", *rows, "}"])


def _model(case: Case, strategy: str) -> str:
    """The lines that make the classifier."""
    if strategy == "joint":
        return f"model = ReconstructedTreeClassifier(channels, Joint({case.grid!r}))"
    if strategy not in ("original", "randomized"):
        return f'model = ReconstructedTreeClassifier(channels, "{strategy}")'
    cut = f"channel.true_bins(min({case.intervals}, channel.most_bins))"
    return CUTS.format(cut=f"channel.seen_bins({cut})" if strategy == "randomized" else cut).rstrip()
