"""What an intruder makes of a whole disguised table, and one report of all that a disguise gives away."""

from dataclasses import dataclass

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
    fitted = _fitted(disguise, X, rng)
    return float(_linked(fitted, X, _released(fitted, X, released))[-1])


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
    - worst %: ``worst_posterior`` of a category, or of a twentieth of the range (of a value, on a grid of fewer), but
      for the most telling 0.01 % of the releases
    - from %: what that one's probability was before
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
    checks.number("confidence", confidence, 0, 1, open_low=True, open_high=True)
    fitted = _fitted(disguise, X, rng)
    channels, seen = fitted.channels_, _released(fitted, X, released)
    rows = [_row(channels.get(column), X[column], delta, confidence) for column in X]
    whole = epsilon(fitted, delta) if len(channels) == len(X.columns) else np.inf
    rows.append(["–", "–", _epsilon(whole), "–", "–", "–"])
    found = _linked(as_disguise(channels, list(X.columns)), X, seen)
    if len(fitted.parts_) < len(channels):  # some columns are disguised together: the intruder looks at them together
        found[-1] = _linked(fitted, X, seen)[-1]
    columns = ["channel", "width %", "ε", "loss %", "worst %", "from %"]
    report = pd.DataFrame(rows, index=[*X.columns, "whole record"], columns=columns)
    return report.assign(**{"linked %": (100 * found).round(2)})


@dataclass(frozen=True, repr=False)
class BestGuess:
    """What is guessed of one answer, yes or no, from what is released of it.

    Attributes
    ----------
    right : the probability that the best guess is right
    yes, no : the probability that the truth is yes, once a yes is seen, or a no
    """

    right: float
    yes: float
    no: float

    def __repr__(self):
        return f"BestGuess(right in {self.right:.1%}; yes after a yes {self.yes:.1%}, after a no {self.no:.1%})"


def best_guess(theta: float, share: float) -> BestGuess:
    """The best guess of one answer, if one knows for how many people the truth is yes.

    DZ03 §1.2 says that nobody guesses an answer with a probability better than θ. But the best guess is right with
    max(θ, 1 − θ, p, 1 − p): there are four ways to guess: take what is seen, take its opposite, always say yes,
    always say no. After a yes the truth is yes with pθ / (pθ + (1 − p)(1 − θ)).

    Parameters
    ----------
    theta : the probability that the truth is released, in [0, 1]
    share : p, of the people for whom the truth is yes, in (0, 1)

    >>> best_guess(theta=0.7, share=0.1)
    BestGuess(right in 90.0%; yes after a yes 20.6%, after a no 4.5%)
    """
    theta = checks.number("theta", theta, 0, 1)
    share = checks.number("share", share, 0, 1, open_low=True, open_high=True)
    yes, no = share * theta, share * (1 - theta)
    seen = yes + (1 - share) * (1 - theta)
    return BestGuess(max(theta, 1 - theta, share, 1 - share), yes / seen, no / (1 - seen))


def _row(channel, values, delta, confidence):
    if channel is None:
        return ["as it is", 0.0, "none", 100.0, 100.0, "–"]
    width: float | str = "–"
    if not isinstance(channel, CategoryChannel):
        width = _percent(interval_privacy(channel, confidence) / (channel.high - channel.low))
    prior = _prior(channel, values)
    loss, worst = entropy_privacy(channel, prior).loss, worst_posterior(channel, prior)
    shares = [_percent(share) for share in (loss, worst.posterior, worst.prior)]
    return [type(channel).__name__, width, _epsilon(channel.epsilon(delta)), *shares]


def _prior(channel, values):
    if isinstance(channel, CategoryChannel):
        return Distribution.from_values(channel.codes(values), np.arange(channel.k + 1) - 0.5)
    return Distribution.from_values(values, channel.true_bins(min(PARTS, channel.most_bins)))


def _percent(share):
    return round(100 * share, 1)


def _epsilon(value):
    return "none" if np.isinf(value) else round(value, 2)


def _fitted(disguise, X, rng):
    """A copy that draws from rng, fitted to the table."""
    if len(checks.frame("X", X)) > MAX_RECORDS:
        raise ValueError(
            f"X has {len(X)} records; expected at most {MAX_RECORDS}, because each is compared with all; "
            "take a sample, say X.sample(5000)"
        )
    whole = clone(as_disguise(disguise, X.columns, "disguise", optional=False))
    if rng is not None and whole.key is not None:
        raise ValueError(f"rng is {rng!r}; expected None, because the noise of this disguise follows from its key")
    return (whole if rng is None else whole.set_params(random_state=rng)).fit(X)


def _released(disguise, X, released):
    """What was released of the true records, row by row."""
    seen = disguise.transform(X) if released is None else checks.frame("released", released)
    checks.columns("X", X.columns, seen.columns)
    if not seen.index.equals(X.index):
        raise ValueError("released has another index than X; expected a row for each row of X, in the same order")
    return seen


def _linked(disguise, X, released):
    """The share of records that are found by each part alone, a column as it is among them, and by all together, last.

    The parts come in the order of the table's columns.
    """
    attributes = {
        part.columns[0]: (part.log_law, part.true_codes(X), part.seen_codes(released)) for part in disguise.parts_
    }
    for column in [column for column in X if column not in disguise.channels_]:
        codes = pd.factorize(pd.concat([X[column], released[column]]), use_na_sentinel=False)[0][:, None]
        attributes[column] = (_same, codes[: len(X)], codes[len(X) :])
    ordered = [attributes[column] for column in X if column in attributes]
    # Equal records are compared once; of released ones that are equal it counts how many they are.
    true, record = distinct_rows(np.hstack([own for _, own, _ in ordered]))
    seen, own = distinct_rows(np.hstack([shown for _, _, shown in ordered]))
    times = np.bincount(own)
    scores = [_scores(law, codes[true], shown[seen]) for law, codes, shown in ordered]
    hits, size = np.empty((len(scores) + 1, len(X))), max(PAIRS // len(seen), 1)
    for first in range(0, len(true), size):
        here = np.flatnonzero((record >= first) & (record < first + size))
        total = 0.0
        for place, score in enumerate(scores):
            block = score(slice(first, first + size))
            hits[place, here] = _hits(block, record[here] - first, own[here], times)
            total = total + block
        hits[-1, here] = _hits(total, record[here] - first, own[here], times)
    impossible = np.isnan(hits).any(axis=0)
    if impossible.any():
        raise ValueError(
            f"released has a row {np.argmax(impossible)} that cannot stem from that row of X; "
            "expected what the disguise released of X, in the same order"
        )
    return hits.mean(axis=1)


def _same(seen, true):
    """The law of what passes as it is."""
    return np.where((seen == true)[..., 0], 0.0, -np.inf)


def _scores(law, true, seen):
    """A function from a block of true records to their log-likelihoods with all seen; a table where values are few."""
    values, place = distinct_rows(true)
    if len(values) * len(seen) <= PAIRS:
        table = law(seen, true[values, None])
        return lambda rows: table[place[rows]]
    return lambda rows: law(seen, true[rows, None])


def _hits(scores, rows, own, times):
    """1 / t for each record whose own released row is among its t most likely ones, else 0; NaN: it is impossible.

    Parameters
    ----------
    scores : the log-likelihood of each true record (a row) with each released one (a column)
    rows, own : for each record, its row and the column of its own released record
    times : for how many released records a column stands
    """
    likeliest = scores > scores.max(axis=1, keepdims=True) - TIE
    found = likeliest[rows, own] / (likeliest @ times)[rows].clip(1)
    return np.where(np.isneginf(scores[rows, own]), np.nan, found)


def distinct_rows(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first row of each distinct one, and the number of the distinct one that each row is."""
    _, rows, place = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return rows, place
