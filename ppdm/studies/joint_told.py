"""Joint reconstruction told: the figures that only notebook 06 draws. Their titles say what they show."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdm.studies.joint_ledger import KEYS, RIVALS, ahead
from ppdm.studies.joint_price import PRIVATE, JointIntruder

if TYPE_CHECKING:
    from ppdm.plots import Picture

# Each figure of a whole comparison has the trees in this order, in the words of all notebooks.
NAMES = {
    "original": "Original",
    "randomized": "Randomized",
    "byclass": "ByClass",
    "local": "Local",
    "joint": "Joint",
}
TABLES = {"adult": "Adult", "pima": "Pima"}
AIMS = {1.0: 0.05, 2.0: 0.10}  # how near to Original we want to be, by the level
KNOWN = ["class alone", "margins", "pair", "joint"]
MEASURES = ["true tenth", "error", "99 %"]
RANGES = {"age": 60, "salary": 130_000}


def levels_told(trees: pd.DataFrame, title: str) -> "Picture":
    """Accuracy of all trees by the privacy level, a part for each function; our aim below Original as grey bars."""
    from ppdm.plots import lines  # here, because the measures need no extra for plots

    original = trees.groupby(["function", "level"])["original"].mean().loc[:, list(AIMS)].reset_index()
    aims = original.rename(columns={"original": "high"})
    aims["low"] = aims["high"] - aims["level"].map(AIMS)
    return lines(
        _long(trees, ["function", "level"]),
        "level",
        "accuracy",
        by="tree",
        panels="function",
        labels={"level": "privacy level", "function": "Function"},
        bounds=("our aim: 5 or 10 points", aims),
        percent=True,
        title=title,
    )


def ahead_told(trees: pd.DataFrame, title: str) -> "Picture":
    """How far Joint is ahead of the better of ByClass and Local: a row for each function, a column for each level."""
    points = 100 * ahead(trees.set_index(KEYS)).groupby(level=KEYS[:-1], sort=False).mean()
    table = points.rename("points").reset_index().pivot_table("points", ["noise", "function"], "level")
    parts = {noise: _in_words(table.loc[noise], "Function {}") for noise in ("uniform", "Gaussian")}
    return _map(parts, title, "points ahead")


def choices_told(choices: pd.DataFrame, title: str) -> "Picture":
    """What each other choice gains, in points, by noise and number of records."""
    mean = 100 * choices.pivot_table("joint", "choice", ["noise", "records"], sort=False)
    gain = (mean - mean.loc["as they are"]).drop("as they are")
    gain = gain.rename(columns={number: f"{number // 1000}K" for number in (10_000, 100_000)})
    parts = {noise: gain[noise] for noise in ("uniform", "Gaussian")}
    return _map(parts, title, "points gained")


def held_out_told(trees: pd.DataFrame, title: str) -> "Picture":
    """How far Joint is ahead of ByClass and of Local on functions that were held out, by noise."""
    mean = 100 * trees.groupby(["noise", "function"], sort=False)[[*RIVALS, "joint"]].mean()
    gain = mean.drop(columns="joint").rsub(mean["joint"], axis=0).rename(columns=NAMES)
    parts = {noise: gain.loc[noise] for noise in ("uniform", "Gaussian")}
    return _map(parts, title, "points ahead")


def shifted_told(trees: pd.DataFrame, moved: pd.DataFrame, title: str) -> "Picture":
    """What three trees gain if all constants are shifted, by function and noise."""
    which = ["original", "byclass", "joint"]
    parts = {}
    for noise in ("uniform", "Gaussian"):
        old, new = (
            runs[(runs["noise"] == noise) & (runs["level"] == 1)].groupby("function")[which].mean()
            for runs in (trees, moved)
        )
        parts[noise] = _in_words((100 * (new - old)).rename(columns=NAMES), "Function {}", "{}")
    return _map(parts, title, "points gained")


def records_told(records: pd.DataFrame, title: str) -> "Picture":
    """Accuracy by the number of records, a part for each noise."""
    from ppdm.plots import lines

    long = _long(records, ["noise", "records"])
    style: dict[str, Any] = {"by": "tree", "panels": "noise", "log": "x", "percent": "y"}
    return lines(long, "records", "accuracy", **style, title=title)


def mixes_told(mixes: pd.DataFrame, stopped: pd.DataFrame, title: str) -> "Picture":
    """Accuracy by the number of Bayes steps, each class alone and with one shared mix.

    A star is where held-out records stop: at the geometric mean of the steps that they choose.
    """
    from ppdm.plots import lines

    ways = {"each class alone": "steps alone", "one shared mix": "steps shared"}
    long = mixes.melt(["noise", "level", "steps"], list(ways), "estimate", "accuracy")
    long["setting"] = _settings(long)
    style: dict[str, Any] = {"by": "estimate", "panels": "setting", "log": "x", "percent": "y"}
    picture = lines(long, "steps", "accuracy", **style, title=title)
    told = []
    for ax, (setting, runs) in zip(picture.axes, stopped.groupby(_settings(stopped), sort=False)):
        for line, (way, steps) in zip(ax.get_lines(), ways.items()):
            at = np.exp(np.log(runs[steps]).mean()), runs[way].mean()
            ax.plot(*at, "*", color=line.get_color(), markeredgecolor="black", markersize=13, zorder=5)
            told.append(f"{way} {100 * at[1]:.1f} % ({setting})")
    star = picture.axes[0].get_lines()[-1]
    alt = f"{picture.alt} Where held-out records stop: {', '.join(told)}."
    return _square(picture, alt, **{"chosen by held-out records": star})


def real_told(tables: pd.DataFrame, title: str) -> "Picture":
    """Accuracy on real tables by the privacy level, and of the larger class."""
    from ppdm.plots import lines

    setting = tables["table"].map(TABLES) + ", " + tables["noise"]
    larger = tables.groupby(setting, sort=False)["majority"].mean().to_dict()
    long = _long(tables.assign(setting=setting).drop(columns=["table", "majority"]), ["setting", "level"])
    picture = lines(
        long,
        "level",
        "accuracy",
        by="tree",
        panels="setting",
        labels={"level": "privacy level"},
        mark=("the larger class", larger),
        percent=True,
        title=title,
    )
    return _square(picture, picture.alt)


def central_told(central: pd.DataFrame, title: str) -> "Picture":
    """Accuracy of trees from true records, from their intervals, and from a trusted synthesiser's records."""
    from ppdm.plots import lines

    trees = {"original": "Original", "intervals": "intervals", "synthetic": "synthetic"}
    long = central.replace({"table": TABLES}).melt(["table", "epsilon"], list(trees), "tree", "accuracy")
    long["ε"] = long["epsilon"].map({1e6: "10⁶"}.get).fillna(long["epsilon"].map("{:g}".format))
    larger = central.groupby("table", sort=False)["majority"].mean().rename(index=TABLES).to_dict()
    return lines(
        long.assign(tree=long["tree"].map(trees)),
        "ε",
        "accuracy",
        by="tree",
        panels="table",
        mark=("the larger class", larger),
        percent="y",
        points=True,
        title=title,
    )


def known_told(price: pd.DataFrame, title: str) -> "Picture":
    """What is believed of age and salary in four states of knowledge: three measures, all in per cent."""
    means = price[price["level"] == 1].groupby("noise").mean(numeric_only=True).T.to_dict()
    parts = {}
    for noise in ("uniform", "Gaussian"):
        rows = {}
        for name, width in RANGES.items():
            for kind in KNOWN:
                tenth, error, most = (means[noise][f"{name}: {what}, {kind}"] for what in MEASURES)
                rows[f"{name}: {kind}"] = {"true tenth": tenth, "error": error / width, "surest": most}
        parts[noise] = 100 * pd.DataFrame(rows).T
    return _map(parts, title, "per cent")


def believed_told(intruder: JointIntruder, person: int, title: str) -> "Picture":
    """What an intruder believes of the age and salary of one person, before and after the releases."""
    from ppdm.plots import maps

    parts, edges = intruder.believed(person), intruder.model.joint_.edges
    age, salary = (intruder.run.X[name][person] for name in PRIVATE)
    who = f"{age:.0f} years, {salary / 1000:.0f}K, class {intruder.run.y[person]}"
    words = {"x": "age", "y": "salary", "label": "probability"}
    most = max(float(part.max()) for part in parts.values())
    return maps(parts, edges["age"], edges["salary"], **words, most=most, title=f"{title}: {who}")


def blurred_told(found: Mapping[str, pd.DataFrame], title: str) -> "Picture":
    """The points that wrong answers lose, over the units of log-likelihood that they lose."""
    from ppdm.plots import Picture

    picture = Picture(title, 8.6, 3.6)
    for ax, (name, table) in zip(picture.subplots(1, len(found), sharex=True, sharey=True), found.items()):
        steps = table[table.index.str.endswith("steps")]
        moved = table.drop(steps.index)
        ax.plot(
            steps["units"], steps["points lost"], "o-", color=picture.colour(0), label="blurred, after some steps"
        )
        ax.plot(moved["units"], moved["points lost"], "s", color=picture.colour(1), label="bounds moved")
        for word, row in steps.iloc[[0, -1]].iterrows():
            low = row["points lost"] < 2  # below such a dot there is no room
            aside = (4, 3) if word == steps.index[0] else (-3, 13) if low else (5, -10)
            number = f"{word}".removesuffix(" steps")
            ax.annotate(number, row[["units", "points lost"]], aside, textcoords="offset points", fontsize=8)
        ax.axvline(2, color="#888888", linestyle=":", linewidth=1, label="2 units")
        ax.set(xscale="log", xlabel="units of log-likelihood lost", ylim=(0, 21))
        ax.set_title(name, loc="left", fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
    picture.axes[0].set_ylabel("points of accuracy lost")
    picture.axes[-1].legend(frameon=False, fontsize=8)
    picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    told = "; ".join(
        f"{name}: 1,000 steps lose {table['points lost']['1,000 steps']:.1f} points and "
        f"{table['units']['1,000 steps']:.1f} units, moved bounds {table['units'][-2:].min():,.0f} units or more"
        for name, table in found.items()
    )
    picture.alt = f"{title}. {told}."
    return picture


def _settings(runs) -> pd.Series:
    """The noise and the level of each run in words."""
    return runs["noise"] + (100 * runs["level"]).map(", {:.0f} %".format)


def _square(picture, alt, **more) -> "Picture":
    """Four parts in two rows of two, and the legend beside them, with some more handles by their names."""
    parts = [ax for ax in picture.axes if ax.axison]
    handles, labels = parts[0].get_legend_handles_labels()
    for ax in set(picture.axes) - set(parts):
        ax.remove()
    for place, (ax, cell) in enumerate(zip(parts, picture.add_gridspec(2, 2))):
        ax.set_subplotspec(cell)
        ax.tick_params(labelleft=place % 2 == 0)
        ax.set_ylabel("" if place % 2 else parts[0].get_ylabel())
    picture.set_size_inches(8.6, 5.8)
    named = dict(zip(labels, handles)) | more
    parts[1].legend(named.values(), named, loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    picture.alt = alt
    return picture


def _long(runs, kept) -> pd.DataFrame:
    """A row for each run and tree, the trees in the order of NAMES and in its words."""
    long = runs.melt(kept, [name for name in NAMES if name in runs], "tree", "accuracy")
    return long.assign(tree=pd.Categorical(long["tree"].map(NAMES), list(NAMES.values())))


def _in_words(part, row, column="{:.0%}") -> pd.DataFrame:
    """A frame whose index and columns are words."""
    return part.rename(index=row.format, columns=lambda level: column.format(level).replace("%", " %"))


def _map(parts, title, label) -> "Picture":
    """Points as a map."""
    from ppdm.plots import maps

    return maps(parts, numbers=".1f" if label == "per cent" else "+z.1f", label=label, title=title)
