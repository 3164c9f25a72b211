"""What an intruder makes of a whole disguised table, and one report of all that a disguise gives away."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from ppdm import checks
from ppdm.disguise import CategoryChannel, Channel, Disguise, GroupedResponse, as_disguise
from ppdm.measure.privacy import entropy_privacy, epsilon, interval_privacy, worst_posterior
from ppdm.measure.releases import coded, distinct_rows, likelihood
from ppdm.randomness import Rng
from ppdm.reconstruct import Distribution

MOST_RECORDS = 50_000
PAIRS = 1_000_000  # of records that are compared at a time
TIE = 1e-6  # log-likelihoods that differ by less are the same: those of uniform noise differ by rounding
PARTS = 20  # of the range, for the worst case of a report

Scores = Callable[[slice], np.ndarray]  # of a block of true records, a row each, with all released ones


def linkage_rate(disguise: Any, X: pd.DataFrame, released: pd.DataFrame | None = None, rng: Rng = None) -> float:
    """The share of records that an intruder who knows their true values finds among the released ones.

    For each row of X the intruder takes the released row that most likely stems from it: by the product of
    P(seen | true) over the disguised attributes, or groups, among those that equal it in all other columns. Where t
    rows are the most likely and the right one is among them, that counts 1 / t. The more records, the lower the rate:
    it speaks of a table of this size.

    Parameters
    ----------
    disguise : a dict of channels by column, a GroupedResponse, or a Disguise
    X : the true records, at most 50,000, because each is compared with all
    released : what was released of them, in the same order; None to disguise them here
    rng : a seed or Generator for that; None: as the Disguise says, or by the system's secure source

    >>> from ppdm.disguise import UniformNoise
    >>> X = pd.DataFrame({"age": np.linspace(20, 80, 1000)})
    >>> round(linkage_rate({"age": UniformNoise(half_width=0.5, low=20, high=80)}, X, rng=1), 3)
    0.062
    """
    fitted = _fitted(disguise, X, rng)
    return _linked(fitted, *_pair(fitted, X, released))


def privacy_report(
    disguise: Any,
    X: pd.DataFrame,
    delta: float = 1e-5,
    confidence: float = 0.95,
    released: pd.DataFrame | None = None,
    rng: Rng = None,
) -> pd.DataFrame:
    """All that a disguise gives away of a table: a row for each column of it, and one for the whole record.

    - channel: the kind of disguise; "as it is" for a column without one
    - width %: ``interval_privacy`` at that confidence, so of what is released, in per cent of the range
    - ε: ``epsilon`` at delta, or "none"; of the whole record only if no column is as it is, or in a group with others
    - loss %: the conditional privacy loss of ``entropy_privacy``
    - worst %: ``worst_posterior`` of a category, or of a twentieth of the range (of a value, on a grid of fewer), but
      for the most telling 0.01 % of the releases
    - from %: what that one's probability was before
    - linked %: ``linkage_rate`` for who knows this attribute only, or the whole record

    What was known before is the distribution of the true values in X, over those twentieths, values or categories. A
    dash stands where a measure says nothing. An attribute in a group is reported by what happens to it alone, the whole
    record by groups; for what the others of its group tell of it see ``response_posteriors``.

    Parameters
    ----------
    disguise : a dict of channels by column, a GroupedResponse, or a Disguise
    X : the true records, at most 50,000
    delta : number in [0, 1)
    confidence : number in (0, 1)
    released, rng : as in ``linkage_rate``

    >>> from ppdm.disguise import UniformNoise
    >>> X = pd.DataFrame({"age": np.linspace(20, 80, 1000)})
    >>> print(privacy_report({"age": UniformNoise.at_privacy(1.0, low=20, high=80)}, X, rng=1).to_string())
                       channel width %     ε loss % worst % from %  linked %
    age           UniformNoise   100.0  none   37.8   100.0    5.0      0.15
    whole record             –       –  none      –       –      –      0.15
    """
    checks.number("confidence", confidence, 0, 1, open_low=True, open_high=True)
    fitted = _fitted(disguise, X, rng)
    channels = fitted.channels_
    true, seen = _pair(fitted, X, released)
    rows = [_row(channels.get(column), true[column], delta, confidence) for column in X]
    whole = epsilon(fitted, delta) if len(channels) == len(X.columns) else np.inf
    rows.append(["–", "–", _epsilon(whole), "–", "–", "–"])
    found = _found(_by_column(fitted, true, seen), len(X))
    if isinstance(fitted.channels, GroupedResponse):
        found[-1] = _linked(fitted, true, seen)
    columns = ["channel", "width %", "ε", "loss %", "worst %", "from %"]
    report = pd.DataFrame(rows, index=[*X.columns, "whole record"], columns=columns)
    return report.assign(**{"linked %": (100 * found).round(2)})


def _row(channel: Any, values: pd.Series, delta: float, confidence: float) -> list[Any]:
    if channel is None:
        return ["as it is", 0.0, "none", 100.0, 100.0, "–"]
    width: float | str = "–"
    if not isinstance(channel, CategoryChannel):
        width = _percent(interval_privacy(channel, confidence) / (channel.high - channel.low))
    prior = _prior(channel, values)
    loss, worst = entropy_privacy(channel, prior).loss, worst_posterior(channel, prior)
    shares = [_percent(share) for share in (loss, worst.posterior, worst.prior)]
    return [type(channel).__name__, width, _epsilon(channel.epsilon(delta)), *shares]


def _prior(channel: Any, values: pd.Series) -> Distribution:
    if isinstance(channel, CategoryChannel):
        return Distribution.from_values(channel.codes(values), np.arange(channel.k + 1) - 0.5)
    return Distribution.from_values(values, channel.true_bins(min(PARTS, channel.most_bins)))


def _percent(share: float) -> float:
    return round(100 * share, 1)


def _epsilon(value: float) -> float | str:
    return "none" if np.isinf(value) else round(value, 2)


def _fitted(disguise: Any, X: Any, rng: Rng) -> Disguise:
    """A copy that draws from rng, fitted to the table: what is wrong with either is told here."""
    if len(checks.frame("X", X)) > MOST_RECORDS:
        raise ValueError(
            f"X has {len(X)} records; expected at most {MOST_RECORDS}, because each is compared with all; "
            "take a sample, say X.sample(5000)"
        )
    whole = clone(as_disguise(disguise, X.columns, "disguise"))
    if rng is not None and whole.key is not None:
        raise ValueError(f"rng is {rng!r}; expected None, because the noise of this disguise follows from its key")
    return (whole if rng is None else whole.set_params(random_state=rng)).fit(X)


def _pair(disguise: Disguise, X: pd.DataFrame, released: pd.DataFrame | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The true records and what was released of them; of grouped answers booleans as 0 and 1, which they equal."""
    seen = disguise.transform(X) if released is None else checks.frame("released", released)
    checks.columns("X", X.columns, seen.columns)
    if not seen.index.equals(X.index):
        raise ValueError("released has another index than X; expected a row for each row of X, in the same order")
    if not isinstance(disguise.channels, GroupedResponse):
        return X, seen
    true, seen = (frame.astype(dict.fromkeys(frame.select_dtypes("bool").columns, int)) for frame in (X, seen))
    return true, seen


def _by_column(disguise: Disguise, X: pd.DataFrame, released: pd.DataFrame) -> list[Scores]:
    return [_scores(disguise.channels_.get(column), X[column], released[column]) for column in X]


def _linked(disguise: Disguise, X: pd.DataFrame, released: pd.DataFrame) -> float:
    """The share of records that are found by all that is known of them."""
    if isinstance(disguise.channels, GroupedResponse):
        return _linked_by_groups(disguise.channels, X, released)
    return float(_found(_by_column(disguise, X, released), len(X))[-1])


def _linked_by_groups(channel: GroupedResponse, X: pd.DataFrame, released: pd.DataFrame) -> float:
    """That share where answers are in groups; equal true records, and equal released ones, are compared once."""
    known, shown = coded(channel, X, released)
    (true, record), (seen, own) = distinct_rows(known), distinct_rows(shown)
    times, size = np.bincount(own), max(PAIRS // len(seen), 1)
    found = np.empty(len(X))
    for first in range(0, len(true), size):
        scores = likelihood(channel, shown[seen], known[true[first : first + size]])
        likeliest = scores > scores.max(axis=0) * (1 - TIE)
        here = np.flatnonzero((record >= first) & (record < first + size))
        cells = own[here], record[here] - first
        found[here] = np.where(scores[cells] > 0, (likeliest / (times @ likeliest))[cells], np.nan)
    if np.isnan(found).any():
        raise _unrelated(int(np.isnan(found).argmax()))
    return float(found.mean())


def _scores(channel: Channel | None, true: pd.Series, seen: pd.Series) -> Scores:
    """The log-likelihoods of one attribute; from a table where it has few true values."""
    if channel is None:
        codes = pd.factorize(pd.concat([true, seen]), use_na_sentinel=False)[0]
        own, others = codes[: len(true)], codes[len(true) :]
        return lambda rows: np.where(own[rows, None] == others, 0.0, -np.inf)
    values, others = np.asarray(true), np.asarray(seen)
    codes, distinct = pd.factorize(values, use_na_sentinel=False)
    if len(distinct) * len(others) <= PAIRS:
        table = channel.log_likelihood(others, distinct[:, None])
        return lambda rows: table[codes[rows]]
    return lambda rows: channel.log_likelihood(others, values[rows, None])


def _found(attributes: list[Scores], n: int) -> np.ndarray:
    """The share of n records that are found by each attribute alone and, last, by all together."""
    size = max(PAIRS // n, 1)
    found = np.zeros(len(attributes) + 1)
    for first in range(0, n, size):
        total = np.zeros(())
        for place, scores in enumerate(attributes):
            alone = scores(slice(first, first + size))
            found[place] += hits(alone, first)
            total = total + alone
        found[-1] += hits(total, first)
    return found / n


def hits(scores: np.ndarray, first: int = 0) -> float:
    """How many records, numbered from first, are most likely their own released row; a tie of t counts 1 / t."""
    rows = np.arange(len(scores))
    own, best = scores[rows, first + rows], scores.max(axis=1)
    if np.isneginf(own).any():
        raise _unrelated(first + int(np.argmin(own)))
    return float(((own > best - TIE) / (scores > best[:, None] - TIE).sum(axis=1)).sum())


def _unrelated(row: int) -> ValueError:
    return ValueError(
        f"released has a row {row} that cannot stem from that row of X; "
        "expected what the disguise released of X, in the same order"
    )
