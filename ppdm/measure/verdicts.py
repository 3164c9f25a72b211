"""The rule of all ledgers: whether what was measured keeps a bound, on average and in every setting."""

from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats

from ppdm import checks

Holds = bool | Literal["partly", "undecided"] | None
RISK = 0.025  # that by chance some setting of a claim says yes, and as much that one says no


def verdict(
    values: pd.Series,
    at_least: float | None = None,
    at_most: float | None = None,
    says: Literal["every setting", "overall"] = "every setting",
    points: bool = False,
) -> dict[str, Any]:
    """Whether what was measured keeps a bound, on average and in every setting: what ``check`` wants to know.

    A setting says yes, or no, if its mean over the repeats is on that side of the bound by Student's t test. Holm's
    correction keeps the risk that any of them errs at 2.5 % for each side. The mean of all settings is tested in the
    same way: overall the claim holds, or does not hold, or is undecided. What it does in every setting is the first of
    these lines that is true:

    - it does not hold if more than half of the settings say no, or if the mean of all says no and no setting says yes;
    - it holds partly if some setting says no, or the mean of all;
    - it is undecided if the mean of some setting violates the bound, or if it is undecided overall;
    - it holds.

    Repeats that are all the same have no error. Two or three may be so by chance: take five or more.

    Parameters
    ----------
    values : what was measured in each run, indexed by the setting's arguments, and "repeat" last
    at_least, at_most : the bound; one of the two, or none for at least 0
    says : what the claim speaks of, and so which of the two answers is its verdict
    points : whether values are shares, told in points of a hundred

    >>> runs = pd.MultiIndex.from_product([[1, 2], range(3)], names=["function", "repeat"])
    >>> found = verdict(pd.Series([0.2, 0.3, 0.4, 0.1, 0.2, 0.3], runs), at_most=0.9, points=True)
    >>> found["measured"]
    '25.0 ± 5.8 points; settings: 2 yes, 0 undecided, 0 no; worst 30.0 ± 5.8 (function 1)'
    >>> found["claimed"], found["holds"]
    ('at most 90 points', True)
    """
    bound, sign = _bound(at_least, at_most)
    checks.choice("says", says, ["every setting", "overall"])
    scale, unit = (100, " points") if checks.flag("points", points) else (1, "")
    settings, whole = (_beyond(found, bound, sign) for found in _means(values))
    yes, no = _decided(settings)
    (mean_yes,), (mean_no,) = _decided(whole)
    overall: Holds = "undecided"
    if mean_yes or mean_no:
        overall = bool(mean_yes)
    everywhere: Holds = "undecided" if (settings["gap"] < 0).any() or overall is not True else True
    if no.any() or mean_no:
        everywhere = "partly" if no.mean() <= 0.5 and (no.any() or yes.any()) else False
    measured = f"{_told(whole, 0, scale)}{unit}"
    if len(settings) > 1:
        worst = (sign * settings["mean"]).argmin()
        place = settings.index.to_frame().iloc[worst].items()
        where = ", ".join(_place(name, value) for name, value in place)
        measured += f"; settings: {yes.sum()} yes, {(~yes & ~no).sum()} undecided, {no.sum()} no"
        measured += f"; worst {_told(settings, worst, scale)} ({where})"
    return {
        "claimed": f"at {'least' if sign > 0 else 'most'} {checks.readable(scale * bound)}{unit}",
        "measured": measured,
        "overall": overall,
        "everywhere": everywhere,
        "holds": overall if says == "overall" else everywhere,
    }


def _bound(at_least, at_most):
    """The bound, and 1 if values must not be below it, -1 if not above."""
    if at_least is not None and at_most is not None:
        raise ValueError(f"at_least is {at_least!r} and at_most {at_most!r}; expected one of the two")
    if at_most is None:
        return checks.number("at_least", 0 if at_least is None else at_least) + 0.0, 1
    return checks.number("at_most", at_most) + 0.0, -1


def _means(values) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The mean, its error and the number of runs: of each setting, and of the mean of all settings."""
    checks.of_type("values", values, pd.Series, "a Series, indexed by the setting's arguments and 'repeat'")
    names = list(values.index.names)
    if len(names) < 2 or names[-1] != "repeat":
        raise ValueError(
            f"values is indexed by {names}; expected the arguments of its settings, and 'repeat' last"
        )
    checks.vector("values", values)
    checks.none_missing("the repeats of values", values.index.get_level_values(-1))
    twice = values.index.duplicated()
    if twice.any():
        run = tuple(map(checks.scalar, values.index[twice][0]))
        raise ValueError(f"values has {run} more than once; expected each run once, by all its arguments")
    cells: Any = values.groupby(level=names[:-1], sort=False, dropna=False)
    settings = cells.agg(["mean", "sem", "size"])
    if settings["size"].min() < 2:
        raise ValueError("values has a setting with one repeat; expected two or more, which show the error")
    # Settings may meet the same records, so errors add up within a repeat before they are squared.
    off = (values - cells.transform("mean")) / cells.transform("size") / len(settings)
    errors: Any = off.groupby(level="repeat").sum()
    runs = len(errors)
    error = np.sqrt(runs / (runs - 1) * (errors**2).sum())
    return settings, pd.DataFrame({"mean": [settings["mean"].mean()], "sem": [error], "size": [runs]})


def _beyond(found, bound, sign) -> pd.DataFrame:
    """With the means' gap to the bound, below 0 if they violate it; what differs in the last digits alone is equal."""
    rounding = (1e-9 * found["mean"].abs().clip(lower=abs(bound))).clip(lower=1e-12)
    gap = sign * (found["mean"] - bound)
    return found.assign(
        gap=gap.where(gap.abs() > rounding, 0.0),
        sem=found["sem"].where(found["sem"] > rounding, 0.0),
    )


def _decided(found) -> tuple[np.ndarray, np.ndarray]:
    """Which means are on the right side of the bound, and which on the wrong one, after Holm's correction."""
    gap = found["gap"].to_numpy()
    error = found["sem"].to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(error > 0, gap / error, np.where(gap < 0, -np.inf, np.inf))
    degrees = found["size"].to_numpy() - 1
    yes = _holm(stats.t.sf(ratio, degrees))
    no = _holm(stats.t.cdf(ratio, degrees))
    return yes, no


def _holm(chances) -> np.ndarray:
    """Which of several tests reject, all together at the risk (Holm 1979)."""
    order = np.argsort(chances)
    corrected = np.maximum.accumulate(np.asarray(chances)[order] * np.arange(len(order), 0, -1))
    rejects = np.empty(len(order), bool)
    rejects[order] = corrected <= RISK
    return rejects


def _told(found, place, scale):
    mean = scale * found["mean"].iloc[place]
    error = scale * found["sem"].iloc[place]
    return f"{mean:.1f} ± {error:.1f}" if scale == 100 else f"{mean:.3g} ± {float(f'{error:.2g}'):g}"


def _place(name, value):
    if isinstance(value, str):
        return value
    return f"{name} {checks.readable(value) if checks.is_number(type(value)) else value}"
