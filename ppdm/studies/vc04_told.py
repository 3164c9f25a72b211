"""Vaidya & Clifton 2004 told: the figures that only notebook 05 draws. Each says in words what it shows."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdm.studies.ib03_told import side_by_side
from ppdm.studies.lsl03_told import described
from ppdm.studies.vc04 import DEPTHS, EPSILONS
from ppdm.studies.vc04_ledger import BEYOND, LITTLE, NEVER

if TYPE_CHECKING:
    from ppdm.plots import Picture

WIDE = 1 << 40  # no count is as large as this, and among many masked ones some are larger
DISTANCES = {"one machine": 0.0001, "one city": 0.005, "an ocean": 0.1}  # seconds on the way, as we take them
# The attacks that are drawn, and what they attack
ATTACKED = {
    "any sum: of two": "a sum of two",
    "real masks: 10,000 times": "real-valued masks, 10,000 sums",
    "words: 10,000 times": "masks modulo 2⁶⁴, 10,000 sums",
    "algebraic product": "product of Vaidya & Clifton 2002",
    "masks of pairs: late words": "masks in pairs, a clinic is late",
    "masks of pairs and own ones: late words": "the same, with masks of its own",
    "masks of 12-bit seeds": "masks from short seeds",
    "two runs: a newcomer": "two exact sums, a newcomer",
    "two runs with ε = 1 each: a newcomer": "two sums with ε = 1, a newcomer",
}
BESIDE: dict[str, Any] = {"frameon": False, "fontsize": 8, "loc": "upper left", "bbox_to_anchor": (1, 1)}


def maps_told(maps: Mapping[str, np.ndarray], rows: Iterable[str], title: str) -> "Picture":
    """Histograms side by side, a row for each attribute: counts in blue, and words under masks in grey.

    Of histograms by class those of the last class are drawn. Of counts the root is drawn, so that small ones can be
    seen beside large ones; of words the share of their range.
    """
    drawn = {name: np.atleast_3d(numbers.T).T[-1] for name, numbers in maps.items()}
    names = list(rows)
    picture, axes = side_by_side(title, 1.1 + 2.3 * len(drawn), 2.7, list(drawn))
    top = max([one.max() for one in drawn.values() if one.max() < WIDE], default=1)
    told = []
    for ax, (name, numbers) in zip(axes, drawn.items()):
        masked = numbers.max() >= WIDE
        bits = np.ceil(np.log2(numbers.max())) if masked else 0
        shown = numbers / 2.0**bits if masked else np.sqrt(numbers / max(top, 1))
        ends = np.arange(numbers.shape[1] + 1) + 0.5, np.arange(len(names) + 1)
        ax.pcolormesh(*ends, shown, cmap="Greys" if masked else "Blues", vmin=0, vmax=1)
        darkest = f"2^{bits:.0f}" if masked else str(top)
        ax.set(
            xlabel=f"grade (darkest: {darkest})",
            yticks=np.arange(len(names)) + 0.5,
            yticklabels=names,
            ylim=(len(names), 0),
        )
        ax.set_title(name, loc="left", fontsize=9)
        ax.tick_params(labelsize=8, length=0)
        alone = (np.atleast_3d(maps[name].T).sum(axis=2) == 1).sum()  # of all classes
        told.append(
            f"{name}: " + ("grey noise" if masked else f"counts up to {numbers.max()}, cells with one: {alone}")
        )
    return described(picture, f"{title}. {'; '.join(told)}")


def rounds_told(rounds: Mapping[str, float], title: str) -> "Picture":
    """How long one waits for some rounds of messages, by how far the parties are apart."""
    picture, (ax,) = side_by_side(title, 6.8, 3.4)
    seconds = np.geomspace(5e-5, 0.3, 50)
    for number, (name, many) in enumerate(rounds.items()):
        stroke = ("-", "--", ":", "-.")[number % 4]
        ax.loglog(seconds, many * seconds, stroke, color=picture.colour(number), label=f"{name}: {many:g} rounds")
    for name, late in DISTANCES.items():
        ax.axvline(late, color="#BBBBBB", linewidth=1, zorder=0)
        ax.text(late, 1.02, name, transform=ax.get_xaxis_transform(), ha="center", fontsize=8)
    ax.set_title(title, loc="left", fontsize=11, pad=18)
    ax.set(xlabel="time of one message (seconds)", ylabel="waiting (seconds)")
    ax.set_yticks([0.001, 0.01, 0.1, 1, 10, 100], ["0.001", "0.01", "0.1", "1", "10", "100"])
    ax.legend(**BESIDE)
    far = ", ".join(f"{name} {many * DISTANCES['an ocean']:.1f} seconds" for name, many in rounds.items())
    return described(picture, f"{title}. Across an ocean: {far}")


def people_told(opened: pd.DataFrame, title: str) -> "Picture":
    """How many of 30,000 people can be read off, by the depth of the tree: a part for each least size of a node."""
    means = opened.pivot_table("people", ["min_records", "depth"], "function")
    least = list(opened["min_records"].unique())
    picture, axes = side_by_side(title, 9.6, 3.3, [f"split from {one} records on" for one in least])
    told = []
    for ax, size in zip(axes, least):
        own = means.loc[size].loc[list(DEPTHS)]
        for number, function in enumerate(own):
            style: dict = {"color": picture.colour(number), "marker": "os^Dv"[number], "markersize": 4}
            ax.plot(range(len(own)), own[function], label=f"Function {function}", **style)
        ax.axhline(NEVER, color="#444444", linestyle=":", linewidth=1.2, label="bound of V3: half a person")
        ax.set_yscale("symlog", linthresh=1)
        ax.set_yticks([0, 1, 10, 100], ["0", "1", "10", "100"])
        ax.set_xticks(range(len(own)), ["full" if name == "to purity" else name[6:] for name in own.index])
        ax.set(xlabel="levels of the tree", ylim=(-0.1, 600))
        ax.title.set_fontsize(9)
        full = own.loc["to purity"]
        told.append(f"if {size} or more are split, full trees show {full.min():.0f} to {full.max():.0f}")
    axes[0].set_ylabel("people who can be read off (mean)")
    axes[-1].legend(**BESIDE)
    return described(picture, f"{title}. Nobody at four levels; {'; '.join(told)}")


def noise_told(noise: pd.DataFrame, depth: int, title: str) -> "Picture":
    """Accuracy of trees of parties who all add noise, by ε of the whole tree and by the number of records."""
    own = noise[noise["depth"] == depth]
    functions = list(own["function"].unique())
    picture, axes = side_by_side(title, 9.0, 3.0, [f"Function {one}" for one in functions])
    names = [f"ε = {one:g}" for one in EPSILONS]
    means = 100 * own.groupby(["function", "records"])[[*names, "no noise"]].mean()
    for ax, function in zip(axes, functions):
        for number, (records, row) in enumerate(means.loc[function].iterrows()):
            style: dict = {"color": picture.colour(number), "marker": "os^"[number], "markersize": 4}
            ax.plot(range(len(names)), row[names], label=f"{records:,} people", **style)
        exact = means.loc[function, "no noise"].iloc[-1]
        ax.axhline(exact, color="#666666", linestyle=":", linewidth=1.2)
        ax.plot(names.index("ε = 1"), exact - 100 * LITTLE, "_", color="black", markersize=14, markeredgewidth=2)
        ax.set_xticks(range(len(names)), [f"{one:g}" for one in EPSILONS], fontsize=8)
        ax.set_xlabel("ε of the tree")
    axes[0].set(ylabel="accuracy (%)", ylim=(50, 100))
    axes[-1].plot([], [], ":", color="#666666", label="no noise")
    axes[-1].plot(
        [], [], "_", color="black", markeredgewidth=2, label=f"bound of V7: {100 * LITTLE:.0f} points below"
    )
    axes[-1].legend(**BESIDE)
    lost = (means["no noise"] - means["ε = 1"]).groupby("records").mean()
    told = ", ".join(f"{one:.1f} points with {records:,} people" for records, one in lost.items())
    return described(picture, f"{title}. At ε = 1 the mean loss is {told}")


def attacks_told(attacks: pd.DataFrame, title: str) -> "Picture":
    """How much of what should be secret some attacks read (●), and how much a guess gets right (○)."""
    means = 100 * attacks.groupby("attack")[["read", "guessed"]].mean().loc[list(ATTACKED)]
    picture, (ax,) = side_by_side(title, 7.2, 0.9 + 0.27 * len(means))
    places = np.arange(len(means))
    ax.hlines(places, means["guessed"], means["read"], color="#BBBBBB")
    ax.plot(means["guessed"], places, "o", color="black", fillstyle="none", markersize=9, label="a guess")
    ax.plot(means["read"], places, "o", color=picture.colour(1), label="the attack")
    bound = means["guessed"] + 100 * BEYOND
    ax.plot(bound, places, "|", color="#444444", markersize=9, label="bound of V5: ten points more")
    ax.set_yticks(places, list(ATTACKED.values()), fontsize=9)
    ax.set(xlabel="secret numbers that are right (%)", xlim=(-3, 103))
    ax.invert_yaxis()
    ax.legend(**BESIDE)
    told = "; ".join(f"{name}: {read:.0f} per cent read" for name, read in zip(ATTACKED.values(), means["read"]))
    return described(picture, f"{title}. {told}")


def closing_told(table: pd.DataFrame, title: str) -> "Picture":
    """The closing table as a picture: accuracy of each way with its ε, in the order of whom one must trust."""
    picture, (ax,) = side_by_side(title, 8.2, 0.9 + 0.27 * len(table))
    columns = [str(name) for name in table if str(name).startswith("accuracy")]
    for number, column in enumerate(columns):
        label = "Function " + column.removeprefix("accuracy, F")
        ax.plot(100 * table[column], range(len(table)), "os"[number], color=picture.colour(number), label=label)
    words = [
        f"{name}" + ("" if one == "none" or "ε" in str(name) else f"  (ε = {one})")
        for name, one in table["epsilon"].items()
    ]
    ax.set_yticks(range(len(table)), words, fontsize=8)
    ax.set_xlabel("accuracy (%)")
    ax.grid(axis="x", color="#EEEEEE")
    ax.invert_yaxis()
    # A line above each group of those who trust the same, and their trust at its middle.
    firsts = np.flatnonzero(table["trusted"].ne(table["trusted"].shift()))
    for first in firsts[1:]:
        ax.axhline(first - 0.5, color="#BBBBBB", linewidth=1)
    right = ax.secondary_yaxis("right")
    middles = (firsts + np.append(firsts[1:], len(table)) - 1) / 2
    right.set_yticks(middles, [f"trust {one}" for one in table["trusted"].iloc[firsts]], fontsize=8)
    right.tick_params(length=0)
    right.spines["right"].set_visible(False)
    ax.legend(frameon=False, fontsize=8, ncols=2, loc="upper left", bbox_to_anchor=(0, -0.1))
    told = "; ".join(f"{name} {100 * one:.0f}" for name, one in table[columns].mean(axis=1).items())
    return described(picture, f"{title}. Mean accuracy in per cent: {told}")
