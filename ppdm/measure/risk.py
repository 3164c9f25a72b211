"""What an intruder makes of a whole disguised table, and one report of all that a disguise gives away."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.base import clone

from ppdm import checks
from ppdm.disguise import CategoryChannel, as_disguise
from ppdm.measure.privacy import entropy_privacy, epsilon, interval_privacy, worst_posterior
from ppdm.randomness import Rng
from ppdm.reconstruct import Distribution

MAX_RECORDS = 50_000
PAIRS = 1_000_000  # of records that are compared at a time
TIE = 1e-6  # log-likelihoods that differ by less are the same: those of uniform noise differ by rounding
PARTS = 20  # of the range, for the worst case of a report


def linkage_rate(disguise, X: pd.DataFrame, released: pd.DataFrame | None = None, rng: Rng = None) -> float:
    """The share of records that an intruder who knows their true values finds among the released ones.

    For each row of X the intruder takes the released row that most likely comes from it: by the product of
    P(seen | true) over the disguised attributes, or groups, among those that equal it in all other columns. Where t
    rows are the most likely and the right one is among them, that counts 1 / t. The more records, the lower the rate:
    it is valid for a table of this size.

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
    return _linked(*_released(disguise, X, released, rng))[1]


def privacy_report(
    disguise,
    X: pd.DataFrame,
    delta: float = 1e-5,
    confidence: float = 0.95,
    released: pd.DataFrame | None = None,
    rng: Rng = None,
) -> pd.DataFrame:
    """A report of what a disguise gives away: a row for each column of the table, and one for the whole record.

    - channel: the kind of disguise; "as it is" for a column without one
    - width %: ``interval_privacy`` at that confidence, so of what is released, in per cent of the range
    - ε: ``epsilon`` at delta, or "none"; of the whole record only if no column is as it is, or in a group with others
    - loss %: the conditional privacy loss of ``entropy_privacy``
    - worst %: ``worst_posterior`` of a category, a twentieth of the range, or (on a grid of fewer than 20) a value; the
      most telling 0.01 % of the releases are left out
    - from %: its probability before the release
    - linked %: ``linkage_rate`` of an intruder who knows this attribute only, or the whole record

    The intruder knows the distribution of the true values in X, over those twentieths, values or categories. A dash
    means that a measure does not apply. An attribute in a group is reported by what happens to it alone, the whole
    record by groups; for what the others of its group show of it see ``Intruder``.

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
    checks.number("confidence", confidence, "(0, 1)")
    fitted, X, seen = _released(disguise, X, released, rng)
    channels = fitted.channels_
    alone, together = _linked(as_disguise(channels, X.columns), X, seen)
    # Some columns are disguised together: the intruder looks at them together.
    if len(fitted.parts_) < len(channels):
        together = _linked(fitted, X, seen)[1]
    rows = [_row(channels.get(column), X[column], delta, confidence) for column in X]
    # A column as it is tells all, so that no ε covers the whole record.
    whole = epsilon(fitted, delta) if len(channels) == len(X.columns) else np.inf
    rows.append(["–", "–", _epsilon(whole), "–", "–", "–"])
    columns = ["channel", "width %", "ε", "loss %", "worst %", "from %"]
    report = pd.DataFrame(rows, [*X.columns, "whole record"], columns)
    found = np.array([*(alone[column] for column in X), together])
    return report.assign(**{"linked %": (100 * found).round(2)})


def _row(channel, values, delta, confidence):
    if channel is None:
        return ["as it is", 0.0, "none", 100.0, 100.0, "–"]
    if isinstance(channel, CategoryChannel):
        width = "–"
        prior = values.astype(object).value_counts(normalize=True)
    else:
        width = _percent(interval_privacy(channel, confidence) / (channel.high - channel.low))
        prior = Distribution.from_values(values, channel.true_bins(min(PARTS, channel.most_bins)))
    loss = entropy_privacy(channel, prior).loss
    worst = worst_posterior(channel, prior)
    shares = [_percent(share) for share in (loss, worst.posterior, worst.prior)]
    return [type(channel).__name__, width, _epsilon(channel.epsilon(delta)), *shares]


def _percent(share):
    return round(100 * share, 1)


def _epsilon(value):
    return "none" if np.isinf(value) else round(value, 2)


def _released(disguise, X, released, rng):
    """A copy of the disguise that is fitted to the table, the table, and what was released of it, row by row."""
    if len(checks.frame("X", X)) > MAX_RECORDS:
        raise ValueError(
            f"X has {len(X)} records; expected at most {MAX_RECORDS}, because each is compared with all; "
            "take a sample, say X.sample(5000)"
        )
    fitted = clone(as_disguise(disguise, X.columns, "disguise", optional=False))
    if rng is not None:
        fitted.set_params(random_state=rng)
    fitted.fit(X)
    if released is None:
        return fitted, X, fitted.transform(X)
    if not checks.frame("released", released).index.equals(X.index):
        raise ValueError("released has another index than X; expected a row for each row of X, in the same order")
    return fitted, X, released


def _linked(disguise, X, released):
    """The share of records that are found by each part alone, by the name of its first column; and by all together."""
    names, laws, true, seen = coded(disguise, X, released)
    possible = sum(law(own, codes) for law, codes, own in zip(laws, true, seen)) > -np.inf
    if not possible.all():
        raise ValueError(
            f"released has a row {possible.argmin()} that cannot stem from that row of X; "
            "expected what the disguise released of X, in the same order"
        )
    # Equal records are compared once; of released ones that are equal it counts how many they are.
    first_true, record = distinct_rows(np.hstack(true))
    first_seen, own = distinct_rows(np.hstack(seen))
    times = np.bincount(own)
    found = np.empty((len(laws) + 1, len(X)))
    for rows, blocks in compared(laws, true, seen, first_true, first_seen):
        here = np.flatnonzero((record >= rows.start) & (record < rows.stop))
        place = record[here] - rows.start
        total = np.zeros(1)
        for number, scores in enumerate(blocks):
            found[number, here] = _hits(scores, place, own[here], times)
            total = total + scores
        found[-1, here] = _hits(total, place, own[here], times)
    *alone, together = found.mean(axis=1).tolist()
    return dict(zip(names, alone)), together


def _hits(scores, place, own, times):
    """1 / t for each record whose own released row is among its t most likely ones, else 0.

    Parameters
    ----------
    scores : the log-likelihood of each true record (a row) with each released one (a column)
    place, own : for each record, its row and the column of its own released record
    times : for how many released records a column stands
    """
    likeliest = scores > scores.max(axis=1, keepdims=True) - TIE
    return likeliest[place, own] / (likeliest @ times)[place].clip(1)


def coded(disguise, X, released) -> Iterator:
    """Four lists, with an entry for each part, then for each column as it is.

    They are: its first column, its law, the codes of the true records, the codes of the released ones.
    """
    lacking = [column for column in X if column not in released]
    if lacking:
        raise ValueError(f"released lacks the columns {lacking}; expected all columns of the true records")
    found = []
    for part in disguise.parts_:
        found.append((part.columns[0], part.log_law, part.true_codes(X), part.seen_codes(released)))
    for column in X.columns.drop(list(disguise.channels_)):
        both = pd.concat([X[column], released[column]])
        # Missing values are equal to each other.
        codes = pd.factorize(both, use_na_sentinel=False)[0][:, None]
        found.append((column, _same, codes[: len(X)], codes[len(X) :]))
    return zip(*found)


def _same(seen, true):
    """The law of what passes as it is."""
    return np.where((seen == true)[..., 0], 0.0, -np.inf)


def compared(laws, true, seen, some_true, some_seen) -> Iterator:
    """Compare some true records with some released ones, both given by their places, a block of true ones at a time.

    It yields the block, as a slice of the true ones' places; and for each law the log-likelihoods, a row for each true
    record, a column for each released one.
    """
    scores = [_scores(law, codes[some_true], own[some_seen]) for law, codes, own in zip(laws, true, seen)]
    size = max(PAIRS // len(some_seen), 1)
    for first in range(0, len(some_true), size):
        rows = slice(first, first + size)
        yield rows, (score(rows) for score in scores)


def _scores(law, true, seen):
    """A function from some true records to their log-likelihoods with all released; a table where values are few."""
    values, place = distinct_rows(true)
    if len(values) * len(seen) <= PAIRS:
        table = law(seen, true[values, None])
        return lambda rows: table[place[rows]]
    return lambda rows: law(seen, true[rows, None])


def distinct_rows(codes) -> tuple[np.ndarray, np.ndarray]:
    """The first row of each distinct one, and the number of the distinct one that each row is."""
    _, rows, place = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return rows, place
