"""What an intruder makes of a whole disguised table, and one report of all that a disguise gives away."""

import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone

from ppdm import checks, randomness
from ppdm.disguise import CategoryChannel, Disguise, NumericChannel, PrivacyWarning, as_disguise
from ppdm.measure.attacks import spectral
from ppdm.measure.privacy import entropy_privacy, epsilon, interval_privacy, worst_posterior
from ppdm.measure.risk import linked
from ppdm.reconstruct import Distribution

MAX_RECORDS = 1_000_000
PARTS = 20  # of the range, for the worst case of a report


def linkage_rate(
    disguise, X: pd.DataFrame, released: pd.DataFrame | None = None, rng: randomness.Rng = None
) -> float:
    """The share of records that an intruder who knows their true values finds among the released ones.

    For each row of X the intruder takes the released row that most likely comes from it: by the product of
    P(seen | true) over the disguised attributes, or groups, among those that equal it in all other columns. Where t
    rows are the most likely and the right one is among them, that counts 1 / t. The more records, the lower the rate:
    it is valid for a table of this size.

    Parameters
    ----------
    disguise : a dict of channels by column, a GroupedResponse, or a Disguise
    X : the true records, at most 1,000,000, because each is compared with all
    released : what was released of them, in the same order; None to disguise them here
    rng : a seed or Generator for that; None: as the Disguise says, or by the system's secure source

    >>> from ppdm.disguise import UniformNoise
    >>> X = pd.DataFrame({"age": np.linspace(20, 80, 1000)})
    >>> round(linkage_rate({"age": UniformNoise(half_width=0.5, low=20, high=80)}, X, rng=1), 3)
    0.062
    """
    return linked(*_released(disguise, X, released, rng))[1]


def privacy_report(
    disguise,
    X: pd.DataFrame,
    delta: float = 1e-5,
    confidence: float = 0.95,
    released: pd.DataFrame | None = None,
    rng: randomness.Rng = None,
) -> pd.DataFrame:
    """A report of what a disguise gives away: a row for each column of the table, and one for the whole record.

    - channel: the kind of disguise; "as it is" for a column without one
    - width %: ``interval_privacy`` at that confidence, so of what is released, in per cent of the range
    - ε: ``epsilon`` at delta, or "none"; of the whole record only if no column is as it is, or in a group with others
    - loss %: the conditional privacy loss of ``entropy_privacy``
    - worst %: ``worst_posterior`` of a category, a twentieth of the range, or (on a grid of fewer than 20) a value; the
      most telling 0.01 % of the releases are left out
    - from %: its probability before the release
    - alone rms %: the root mean square error of the best linear guess of a number from this column alone, in per cent
      of the range
    - together rms %: the same from all columns together (``attacks.spectral``)
    - linked %: ``linkage_rate`` of an intruder who knows this attribute only, or the whole record

    The intruder knows the distribution of the true values in X, over those twentieths, values or categories. A dash
    means that a measure does not apply. An attribute in a group is reported by what happens to it alone, the whole
    record by groups; for what the others of its group show of it see ``Intruder``. In its corner the report says if the
    disguise is seeded.

    Parameters
    ----------
    disguise : a dict of channels by column, a GroupedResponse, or a Disguise
    X : the true records, at most 1,000,000
    delta : number in [0, 1)
    confidence : number in (0, 1)
    released, rng : as in ``linkage_rate``

    >>> from ppdm.disguise import UniformNoise
    >>> X = pd.DataFrame({"age": np.linspace(20, 80, 1000), "years": np.linspace(0, 30, 1000)})
    >>> noise = {column: UniformNoise.at_privacy(1.0, low=X[column].min(), high=X[column].max()) for column in X}
    >>> print(privacy_report(noise, X, rng=1).to_string())
                       channel width %     ε loss % worst % from % alone rms % together rms %  linked %
    age           UniformNoise   100.0  none   37.8   100.0    5.0        21.3           17.3      0.15
    years         UniformNoise   100.0  none   37.8   100.0    5.0        21.0           17.3      0.15
    whole record             –       –  none      –       –      –           –              –      0.20
    """
    checks.number("confidence", confidence, "(0, 1)")
    fitted, X, seen = _released(disguise, X, released, rng)
    channels = fitted.channels_
    alone, together = linked(as_disguise(channels, X.columns), X, seen)
    # Some columns are disguised together: the intruder looks at them together.
    if len(fitted.parts_) < len(channels):
        together = linked(fitted, X, seen)[1]
    errors = _errors(channels, X, seen)
    rows = [
        [*_row(channels.get(column), X[column], delta, confidence), *errors.get(column, "––")] for column in X
    ]
    # A column as it is tells all, so that no ε covers the whole record.
    whole = epsilon(fitted, delta) if len(channels) == len(X.columns) else np.inf
    rows.append(["–", "–", _epsilon(whole), *"–––––"])
    columns = ["channel", "width %", "ε", "loss %", "worst %", "from %", "alone rms %", "together rms %"]
    report = pd.DataFrame(rows, [*X.columns, "whole record"], columns)
    found = np.array([*(alone[column] for column in X), together])
    report["linked %"] = (100 * found).round(2)
    # What is seeded can be undone by all who guess the seed.
    if isinstance(disguise, Disguise) and disguise.random_state is not None:
        report.columns.name = "seeded, for study only"
    return report


def _errors(channels, X, seen):
    """For each disguised column of numbers, the errors of the guesses from it alone and from all."""
    numbers = {column: own for column, own in channels.items() if isinstance(own, NumericChannel)}
    found: dict = {}
    together = spectral(channels, seen) if numbers else seen
    for column, own in numbers.items():
        # All others are left out, even those that are released as they are.
        guesses = spectral({column: own}, seen[[column]]), together
        errors = [np.sqrt(np.mean((guess[column] - X[column]) ** 2)) for guess in guesses]
        found[column] = [_percent(error / (own.high - own.low)) for error in errors]
    return found


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
            "take a sample, say X.sample(100_000)"
        )
    # A clone, so that the caller's stream stays where it is; the rows must stay in their order.
    fitted = clone(as_disguise(disguise, X.columns, "disguise", optional=False)).set_params(shuffle=False)
    if rng is not None:
        randomness.stream(rng)  # refuses what is no seed by the name that it has here
        fitted.set_params(random_state=rng)
    fitted.fit(X)
    if released is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)  # nothing is released here
            return fitted, X, fitted.transform(X)
    if not checks.frame("released", released).index.equals(X.index):
        raise ValueError("released has another index than X; expected a row for each row of X, in the same order")
    return fitted, X, released
