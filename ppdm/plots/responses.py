"""Figures of answers in groups: a record and what it stands for."""

from collections.abc import Mapping
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ppdm import checks
from ppdm.disguise.grouped import GroupedResponse, checked_channel
from ppdm.plots.picture import Axes, Picture, colour, finished, new_axes
from ppdm.reconstruct.groups import binary_weights

MOST_GROUPS = 4
SIDE, GAP = 0.94, 0.35  # of a cell, between groups


def reversals(channel: GroupedResponse, record: Mapping[Any, Any], *, title: str = "") -> Picture:
    """The 2^g records that a disguised one stands for, and with which weight (DZ03 §4.4 and §4.5).

    Parameters
    ----------
    channel : of at most four groups, all attributes of two values
    record : a dict or a Series with the released value of every attribute in a group
    title : what stands above
    """
    codes = _checked(channel, record)
    turns = list(product([0, 1], repeat=len(channel.groups)))
    group_of = {column: place for place, group in enumerate(channel.groups) for column in group}
    left = [place + GAP * group for place, group in enumerate(group_of.values())]
    end = left[-1] + 1.5
    ax = new_axes(None, title, 1.8 + 0.75 * len(codes), 0.9 + 0.36 * len(turns))
    for y, turn in enumerate(turns):
        for x, (column, group) in zip(left, group_of.items(), strict=True):
            value = channel.answers[column].categories[codes[column] ^ turn[group]]
            _cell(ax, x, y, value, colour(group) if turn[group] else None)
        weight = prod(binary_weights(theta)[one] for theta, one in zip(channel.thetas, turn, strict=True))
        ax.text(end, y + 0.45, f"{weight:+.3f}".replace("-", "−"), va="center")
    ax.set_xticks([*(x + SIDE / 2 for x in left), end + 0.4], [*map(str, group_of), "weight"])
    ax.set_yticks(np.arange(len(turns)) + 0.45, ["as released", *[""] * (len(turns) - 2), "all reversed"])
    ax.set(xlim=(-0.1, end + 1.1), ylim=(len(turns), -0.1))
    ax.tick_params(length=0)
    ax.spines[["left", "bottom"]].set_visible(False)
    return finished(ax)


def _checked(channel: Any, record: Any) -> dict[Any, int]:
    """The place of each released value among the two of its attribute."""
    checks.whole("the number of groups", len(checked_channel(channel).groups), 1, MOST_GROUPS)
    channel.matrix()  # refuses attributes of more values
    seen = checks.mapping("record", record)
    checks.columns("groups", channel.columns, seen)
    return {c: int(channel.answers[c].codes([seen[c]], f"record[{c!r}]")[0]) for c in channel.columns}


def _cell(ax: Axes, x: float, y: float, value: Any, fill: str | None) -> None:
    ax.fill_between([x, x + SIDE], y, y + 0.9, color=fill or "white", edgecolor="#888888", linewidth=0.8)
    ax.text(x + SIDE / 2, y + 0.45, value, ha="center", va="center", color="white" if fill else "black")
