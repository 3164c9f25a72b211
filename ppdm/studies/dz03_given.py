"""Du & Zhan told: the figures of what a sheet of answers gives away."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ppdm.studies.dz03 import SCHEMES
from ppdm.studies.dz03_style import GREY, NAMES, STROKES, grouped, legend, panelled, style
from ppdm.studies.dz03_tables import CELL, FEW, Results, gives_away

if TYPE_CHECKING:
    from ppdm.plots import Picture

STEPS = {
    "before": "no\nsheet",
    "one answer": "that\nanswer",
    "stranger": "sheet, a\nstranger",
    "whole sheet": "sheet,\nwith the list",
}


def _look(picture, groups) -> dict[str, Any]:
    """As in all figures; five and eight groups, which only these have, are grey."""
    if groups in SCHEMES:
        return style(picture, groups)
    mark = "v" if groups == "5" else "P"
    return {"color": GREY, "linestyle": "-", "marker": mark, "markersize": 4, "label": grouped(groups)}


def guess_told(results: Results, theta: float = 0.7, title: str | None = None) -> "Picture":
    """How often an answer is guessed: without a sheet, from what is released of it, and from the whole sheet."""
    shares: Any = gives_away(results, theta)
    few = shares[shares.index.get_level_values("groups").isin(FEW)]["whole sheet"]
    said = title or (
        f"The whole sheet tells more than its answers one by one: with the list {few.min():.0f} to {few.max():.0f} % "
        f"are guessed at θ = {theta:g} (one to three groups)"
    )
    picture, axes = panelled(said, NAMES, 3.2, 3.4, sharey=True)
    for ax, name in zip(axes, NAMES):
        own = shares.loc[name]
        ax.axhline(100 * theta, color=GREY, linestyle=(0, (1, 2)), label="θ, the paper's bound")
        for groups, row in own.iterrows():
            ax.plot(range(len(STEPS)), row[list(STEPS)], **_look(picture, groups))
        ax.set_xticks(range(len(STEPS)), list(STEPS.values()), fontsize=8)
    axes[0].set_ylabel("answers guessed rightly (%)")
    legend(picture)
    before = shares["before"].groupby(level="table", sort=False).first()
    each = ", ".join(f"{name} {number:.0f}" for name, number in before.items())
    last = ", ".join(f"{name} {shares.loc[(name, 'N'), 'whole sheet']:.0f}" for name in NAMES)
    picture.alt = (
        f"Answers guessed rightly in per cent at θ = {theta:g}, by what the intruder has and by groups. Without a "
        f"sheet: {each}. From the whole sheet with the list of true records {few.min():.0f} to {few.max():.0f} with "
        f"one to three groups; with N groups {last}."
    )
    return picture


def record_told(results: Results, title: str | None = None) -> "Picture":
    """N groups: how often all answers are guessed together by somebody with the list, beside the paper's θ^N."""
    thetas = sorted(set(results["privacy"]["theta"]))
    rows: dict[float, Any] = {theta: gives_away(results, theta).xs("N", level="groups") for theta in thetas}
    found = [rows[0.7].loc[name, "all answers"] for name in NAMES]
    said = title or (
        f"“Almost zero” is {min(found):.0f} to {max(found):.0f} % at θ = 0.7: whole records guessed from N groups"
    )
    picture, axes = panelled(said, NAMES, 3.0, 3.0, sharey=True)
    words = {"all answers": "measured, with the list", "θ to the N": "the paper's θ to the power N"}
    for ax, name in zip(axes, NAMES):
        for place, (column, word) in enumerate(words.items()):
            shares = [rows[theta].loc[name, column] for theta in thetas]
            mark = "os"[place]
            ax.plot(thetas, shares, STROKES[place], marker=mark, color=picture.colour(place), label=word)
        ax.set(yscale="log", xlabel="θ")
        ax.set_yticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
    axes[0].set_ylabel("records guessed whole (%)")
    legend(picture)
    said_of = [rows[0.7].loc[name, "θ to the N"] for name in NAMES]
    each = ", ".join(f"{name} {one:.0f} against {two:.1f}" for name, one, two in zip(NAMES, found, said_of))
    picture.alt = (
        f"Records of which all answers are guessed, in per cent, with N groups, against θ. At 0.7: {each}."
    )
    return picture


def bargain_told(results: Results, title: str | None = None) -> "Picture":
    """Accuracy of a sure tree against what the list and the sheet give away: a path for each scheme, along θ."""
    told = results["privacy"].groupby(CELL, sort=False)["whole record"].mean()
    right = results["confident"].groupby(CELL, sort=False)["accuracy"].mean()
    both: Any = 100 * right.to_frame().join(told, how="inner").sort_index()
    said = (
        title or "With one to three groups a smaller θ costs accuracy and hides little; only N groups buy privacy"
    )
    picture, axes = panelled(said, NAMES, 3.4, 3.6)
    for ax, name in zip(axes, NAMES):
        for groups in SCHEMES:
            own = both.loc[(name, groups)].sort_index()
            drawn = style(picture, groups)
            ax.plot(own["whole record"], own["accuracy"], **drawn)
            # θ at both ends of the path, where there is room; the others have the same θ at theirs.
            for theta in (own.index[0], own.index[-1]) if groups in "1N" else ():
                place = own.loc[theta, "whole record"], own.loc[theta, "accuracy"]
                shift = (4, -9 if theta < 0.7 else 4)
                look = {"fontsize": 7.5, "color": drawn["color"], "textcoords": "offset points"}
                ax.annotate(f"{theta:g}", place, shift, **look)
        ax.set(xlabel="answers guessed with the list (%)")
        ax.margins(x=0.12, y=0.1)
    axes[0].set_ylabel("accuracy of a sure tree (%)")
    legend(picture)
    few = both[both.index.get_level_values("groups").isin(FEW)]["whole record"]
    spread = few.groupby(level=["table", "groups"]).agg(np.ptp).max()
    wide = both.xs("N", level="groups")["whole record"].groupby(level="table").agg(["min", "max"]).loc[NAMES]
    each = ", ".join(f"{name} {low:.0f} to {high:.0f}" for name, low, high in wide.itertuples())
    thetas = both.index.get_level_values("theta")
    picture.alt = (
        f"Paths of accuracy against answers guessed as θ goes from {thetas.min():g} to {thetas.max():g}. With one to "
        f"three groups what is guessed moves by {spread:.1f} points at most; with N groups it goes, "
        f"in per cent: {each}."
    )
    return picture
