"""Agrawal & Srikant 2000 told: the figures of notebook 01 alone, with titles that are counted from results."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdm.studies.as00_claims import NAMES
from ppdm.studies.as00_early import STOPPED

if TYPE_CHECKING:
    from ppdm.plots import Picture

BOUNDS = {1: 0.05, 2: 0.15, 3: 0.15, 4: 0.05, 5: 0.05}  # what each function may lose at 100 % (§5.2)
NEAR = ["ByClass", "Local"]  # of which §5.2 says so
ENDS = {
    "one step from the truth": "one step from the truth",
    "best": "best of 5,000 steps",
    "χ² step": "the paper's stop",
    "held-out": "held-out stop",
    "5,000 steps": "5,000 steps",
}
LABELS = {"level": "privacy level", "tree": ""}


def figure5(strategies: pd.DataFrame) -> "Picture":
    """The paper's Figure 5, and 50 %: five trees on five functions; at 100 % with the bounds that the paper prints."""
    from ppdm.plots import lines  # here, because the measures need no extra for plots

    shown = [0.25, 0.5, 1.0]
    long = _long(strategies[strategies["level"].isin(shown)])
    panels = [f"{noise} noise, {100 * level:.0f} %" for noise in long["noise"].unique() for level in shown]
    names = long["noise"] + (100 * long["level"]).map(" noise, {:.0f} %".format)
    long["panel"] = pd.Categorical(names, panels)
    means: Any = long[long["level"] == 1].pivot_table("accuracy", ["panel", "function"], "tree", observed=True)
    claimed = means["Original"].rename("high").reset_index()
    claimed["low"] = claimed["high"] - claimed["function"].map(BOUNDS)
    kept = means[NEAR].ge(claimed["low"].to_numpy(), axis=0).to_numpy()
    title = f"Figure 5: at 100 % ByClass and Local are within the paper's bounds in {kept.sum()} of {kept.size} places"
    how: dict[str, Any] = {"by": "tree", "panels": "panel", "labels": LABELS, "percent": "y", "points": True}
    bounds = "within the paper's bound", claimed
    picture = lines(
        long.sort_values("panel", kind="stable"), "function", "accuracy", **how, bounds=bounds, title=title
    )
    most = 100 * (means["Original"] - means[NEAR].min(axis=1)).groupby(level="function").max()
    told = ", ".join(f"{points:.1f} points on Function {function}" for function, points in most.items())
    picture.alt = f"{title}. The most that one of them loses there against Original: {told}."
    return picture


def figure6(strategies: pd.DataFrame, tree: str = "ByClass") -> "Picture":
    """The paper's Figure 6, without Function 4 as there: accuracy from 10 to 200 %, before and after correction."""
    from ppdm.plots import lines

    long = _long(strategies[strategies["function"] != 4])
    long = long[long["tree"].isin(["Original", "Randomized", tree])]
    means = long.pivot_table("accuracy", ["function", "level"], ["tree", "noise"], observed=True)
    gaps = [(means[name]["Gaussian"] - means[name]["uniform"]).abs().mean() for name in ("Randomized", tree)]
    before, after = (f"{100 * gap:.0f}" for gap in gaps)
    kinds = [
        "Original",
        *(f"{name}, {noise}" for name in (tree, "Randomized") for noise in long["noise"].unique()),
    ]
    # Original learns from true records, whatever the noise.
    own = long["tree"].astype(str)
    long["tree"] = pd.Categorical(own.where(own == "Original", own + ", " + long["noise"]), kinds)
    title = f"Figure 6: the noises are {before} points apart before correction, {after} after it ({tree})"
    labels = {**LABELS, "function": "Function"}
    how: dict[str, Any] = {"by": "tree", "panels": "function", "labels": labels, "percent": True}
    return lines(long, "level", "accuracy", **how, title=title)


def readings_map(readings: pd.DataFrame) -> "Picture":
    """Each reading at 100 %: how far it is beyond the paper's bound, against Original under the same reading.

    Local that tests an attribute again fails by so much that no other colour could be told apart; it is left out.
    """
    from ppdm.plots import maps

    readings = readings[readings["reading"] != "Local, tested again"]
    beyond = readings["original"] - readings["accuracy"] - readings["function"].map(BOUNDS)
    own = readings.assign(beyond=100 * beyond)
    table: Any = own.pivot_table("beyond", "reading", ["function", "noise"], sort=False)
    inside = (table <= 0).sum(axis=1)
    best = str(inside.idxmax())
    ours, most = inside["our reading"], inside.max()
    title = f"Within the paper's bounds: our reading in {ours} of 10 places, “{best}” in {most}"
    table.columns = [f"F{function}\n{noise}" for function, noise in table.columns]
    picture = maps({"": table}, numbers="+z.1f", label="points beyond the paper's bound", title=title)
    picture.alt = picture.alt.replace("\n", ", ")
    return picture


def gains_told(gains: pd.DataFrame) -> "Picture":
    """The buried XOR: how often Original stops on Function 2, by the least gain, and how good the trees are."""
    from ppdm.plots import Picture

    own = gains[gains["noise"] == gains["noise"].iloc[0]]  # both noises meet the same records
    stops = own["original"] < STOPPED
    stopped = 100 * stops.groupby(own["gain"]).mean()
    most = stopped.idxmax()
    times = f"{stops[own['gain'] == most].sum()} of {own['repeat'].nunique()} samples"
    title = f"If a split must gain {most:g}, Original stops on Function 2 in {times}"
    picture = Picture(title, 9.6, 3.6)
    picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    left, right = picture.subplots(1, 2)
    places = {gain: place for place, gain in enumerate(stopped.index)}
    words = ["any" if gain < 1e-6 else f"{gain:f}".rstrip("0") for gain in places]
    left.bar(range(len(places)), stopped, color=picture.colour(0))
    left.set(ylabel="samples in which Original stops (%)", ylim=(0, 100))
    _accuracies(right, own, gains, places, picture.colour)
    for ax in (left, right):
        ax.set_xticks(range(len(places)), words, fontsize=8, rotation=30)
        ax.set_xlabel("least gain of a split (gini, for each record)")
        ax.spines[["top", "right"]].set_visible(False)
    told = ", ".join(f"{word}: {share:.0f} %" for word, share in zip(words, stopped))
    low = 100 * own.loc[stops, "original"].mean()
    picture.alt = f"{title}, at {low:.1f} % accuracy. Share of samples by least gain: {told}."
    return picture


def _accuracies(ax, own, gains, places, colour):
    """Original in each sample, and what ByClass makes of them at 25 % on average."""
    dealt = np.random.default_rng(1).uniform(-0.3, 0.3, len(own))  # so that equal values can be told apart
    across = own["gain"].map(places) + dealt
    ax.plot(across, 100 * own["original"], "o", color=colour(0), ms=2.5, alpha=0.5, label="Original, each sample")
    for mark, (noise, part) in zip("s^", gains.groupby("noise", sort=False)):
        mean = 100 * part.groupby("gain")["byclass"].mean()
        label = f"ByClass at 25 %, {noise}, mean"
        ax.plot(range(len(places)), mean, mark, color=colour(1), ms=5, label=label)
    ax.set(ylabel="accuracy (%)")
    ax.legend(frameon=False, fontsize=8, loc="lower left")


def growth_told(samples: pd.DataFrame) -> "Picture":
    """How far from the truth a reconstruction ends if more people are seen, by the rule that stops it."""
    from ppdm.plots import lines

    keys = ["shape", "noise", "records", "repeat"]
    long = samples.melt(keys, list(ENDS), var_name="rule", value_name="distance").replace({"rule": ENDS})
    long["panel"] = long["shape"] + ", " + long["noise"] + " noise"
    most = long["records"].max()
    ends: Any = long[long["records"] == most].groupby(["rule", "panel"])["distance"].mean()
    own = 100 * ends["the paper's stop"]
    title = f"With {most:,} values the paper's stop is still {own.min():.1f} to {own.max():.0f} % off the truth"
    labels = {"records": "values seen", "distance": "distance to the truth", "rule": ""}
    how: dict[str, Any] = {"by": "rule", "panels": "panel", "labels": labels, "log": True, "percent": "y"}
    picture = lines(long, "records", "distance", **how, title=title)
    found = (100 * ends).groupby(level="rule", sort=False).agg(["min", "max"]).loc[list(ENDS.values())]
    told = "; ".join(f"{rule} {low:.2g} to {high:.2g} %" for rule, low, high in found.itertuples())
    picture.alt = f"{title}. Distances from the truth there, in two shapes with two noises: {told}."
    return picture


def _long(strategies):
    """Accuracies, a row for each tree by its prose name, in their order."""
    keys = ["function", "noise", "level", "repeat"]
    long = strategies.rename(columns=NAMES).melt(
        keys, list(NAMES.values()), var_name="tree", value_name="accuracy"
    )
    return long.assign(tree=pd.Categorical(long["tree"], list(NAMES.values())))
