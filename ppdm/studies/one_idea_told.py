"""Notebook 00 told: the figures that only it draws. Each says in words what it shows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from ppdm.plots import Picture


def answers_told(answers: np.ndarray, names: Sequence[str], title: str) -> "Picture":
    """How many people gave each answer."""
    from ppdm.plots import Picture  # here, because the measures need no extra for plots

    picture = Picture(title, 5.6, 2.8)
    ax = picture.subplots()
    ax.bar(range(len(answers)), answers, width=0.8, color="#999999")
    ax.set_xticks(range(len(answers)), list(names))
    ax.set_yticks(range(max(answers) + 1))
    ax.set(xlabel="answer", ylabel="people")
    ax.set_title(title, loc="left", fontsize=11)
    ax.spines[["top", "right"]].set_visible(False)
    picture.alt = f"{title}. People by answer: " + ", ".join(f"{one} {many}" for one, many in zip(names, answers))
    return picture


def shared_out(parts: pd.DataFrame, title: str) -> "Picture":
    """How the people behind each answer are shared out: a bar for each answer, a colour for each true value.

    Beside it the sums of the colours, which are the new guess.
    """
    from ppdm.plots import Picture  # here, because the measures need no extra for plots

    picture = Picture(title, 9.4, 3.2)
    left, right = picture.subplots(1, 2, width_ratios=[5, 3], sharey=True)
    places, base = np.arange(parts.shape[1]), np.zeros(parts.shape[1])
    for number, (name, people) in enumerate(parts.iterrows()):
        style: dict = {
            "color": picture.colour(number),
            "edgecolor": "white",
            "hatch": ("", "//", "..")[number % 3],
        }
        left.bar(places, people, bottom=base, width=0.8, label=f"{name}", **style)
        base = base + people.to_numpy()
        right.bar(number, people.sum(), width=0.8, **style)
        right.text(number, people.sum(), f"{people.sum():g}", ha="center", va="bottom")
    left.set_xticks(places, list(parts.columns))
    left.set(xlabel="answer", ylabel="people")
    left.legend(frameon=False, title="true age")
    right.set_xticks(range(len(parts)), list(parts.index))
    right.set(xlabel="the new guess")
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    picture.alt = f"{title}. The new guess: {_sums(parts)} people"
    return picture


def _sums(parts) -> str:
    """The sums of the rows in words."""
    return ", ".join(f"{name} {people:g}" for name, people in parts.sum(axis=1).items())
