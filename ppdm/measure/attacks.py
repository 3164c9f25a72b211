"""Attacks that anybody can run on his own release before he publishes it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import CategoryChannel, Disguise, GroupedResponse, NumericChannel, as_disguise


def spectral(disguise, released: pd.DataFrame) -> pd.DataFrame:
    """The best linear guess of true numbers from all that is released of a record: the spectral attack.

    The intruder needs the released table and the channels, and no true record. Noise spreads evenly over all
    directions. True values that depend on each other lie along a few: there they are kept, elsewhere noise is filtered
    out. Kargupta, Datta, Wang & Sivakumar (2003) keep some directions whole. Huang, Du & Chen (2005) take the noise's
    covariance from that of the released values, which leaves that of the true ones. Here each direction, in units of
    the noise, is multiplied by the truth's share of its variance (0 where it varies less than the noise alone): no
    linear guess has a smaller mean square error.

    Numbers that are released as they are help the intruder, if none is missing. So do numbers without noise and the
    mid-points of ``Intervals``: nothing about these is random, and the guess is what is released. With fewer than some
    tens of rows for each column, the covariance is rough and so is the guess.

    Parameters
    ----------
    disguise : a dict of channels by column, one channel for all columns, or a Disguise; some must be for numbers
    released : what was released

    >>> from ppdm.disguise import GaussianNoise
    >>> true = pd.DataFrame(np.random.default_rng(1).random((1000, 1)) @ np.ones((1, 9)))
    >>> noise = GaussianNoise(sd=0.3, low=0, high=1)
    >>> released = Disguise(noise, random_state=1).fit_transform(true)
    >>> [round(float((guess - true).stack().std()), 2) for guess in (released, spectral(noise, released))]
    [0.3, 0.1]
    """
    columns = checks.frame("released", released).columns
    channels = as_disguise(disguise, columns, "disguise", optional=False).channels_
    numbers = {column: own for column, own in channels.items() if isinstance(own, NumericChannel)}
    if not numbers:
        raise TypeError("disguise has no channel for numbers among the columns of released; expected one or more")
    seen = [own.seen_codes(released[column], f"column {column!r}") for column, own in numbers.items()]
    # Given the true value, what an interval releases does not vary.
    sd = np.sqrt([own.variance() for own in numbers.values()])
    open_ = _numbers(released.drop(columns=list(channels))).to_numpy(float, na_value=np.nan)
    guess = np.column_stack(seen)
    blurred = sd > 0
    # What is known for certain explains a part of the rest; it must not be filtered.
    known = np.hstack([guess[:, ~blurred], open_[:, np.isfinite(open_).all(axis=0)]])
    tiny = np.finfo(float).tiny
    known = known / np.maximum(np.abs(known).max(axis=0), tiny)  # or the sum of very large numbers would overflow
    known = (known - known.mean(axis=0)) / np.maximum(known.std(axis=0), tiny)
    known = np.column_stack([known, np.ones(len(known))])
    sd = sd[blurred]
    noisy = guess[:, blurred] / sd
    rest = noisy - known @ np.linalg.lstsq(known, noisy)[0]
    variances, axes = np.linalg.eigh(rest.T @ rest / len(rest))
    # In units of the noise its share is 1 in every direction.
    noise = rest @ (axes / np.maximum(variances, 1)) @ axes.T
    guess[:, blurred] -= noise * sd
    return pd.DataFrame(guess, released.index, pd.Index(numbers, tupleize_cols=False))


def averaging(releases: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The mean of several releases of one table: with new noise in each, its error falls as 1 / √(their number).

    The intruder needs nothing but the releases, with their rows in one order. Against it there is one release only, or
    a key (see ``Disguise``).

    Parameters
    ----------
    releases : a list of two or more tables with the same index and columns. Columns of numbers are taken

    >>> from ppdm.disguise import UniformNoise
    >>> true = pd.DataFrame({"age": [30.0, 50.0, 40.0] * 100})
    >>> noise = UniformNoise(half_width=30, low=20, high=80)
    >>> guess = averaging([true.apply(noise.disguise) for _ in range(100)])
    >>> bool((guess - true).std().item() < 3)  # it was 17
    True
    """
    tables = checks.listed("releases", releases, "DataFrames")
    if len(tables) < 2:
        raise ValueError(f"releases has {len(tables)} tables; expected two or more")
    # Rows in another order would be averaged with those of other people.
    for place, table in enumerate(tables):
        checks.frame(f"releases[{place}]", table)
        if not (table.index.equals(tables[0].index) and table.columns.equals(tables[0].columns)):
            raise ValueError(
                f"releases[{place}] has another index or other columns than releases[0]; expected releases of one table"
            )
    shares = [_numbers(table) / len(tables) for table in tables]
    return sum(shares[1:], shares[0])


def neighbours(released: pd.DataFrame, window: int = 25) -> pd.DataFrame:
    """The moving mean of every column of numbers over neighbouring rows: it undoes noise where a column is sorted.

    The intruder needs the order of the rows, and luck: true values that change little from row to row. Against it
    there is ``Disguise(..., shuffle=True)``.

    Parameters
    ----------
    released : what was released
    window : how many rows a mean takes, at least 2; fewer at the ends

    >>> neighbours(pd.DataFrame({"age": [25.0, 15.0, 35.0]}), window=3)["age"].tolist()
    [20.0, 25.0, 25.0]
    """
    table = _numbers(checks.frame("released", released))
    return table.rolling(checks.whole("window", window, 2, 10**9), min_periods=1, center=True).mean()


def oracle(disguise, released: pd.DataFrame, column) -> pd.DataFrame:
    """The probability of every possible true value of a column, for who may ask a keyed ``Disguise`` to disguise.

    With a key an entity and a true value always give the same released value. So the intruder asks for all true values
    of an entity, one after the other, and keeps those that give what was released: all are equally likely. He needs no
    key, only somebody who disguises for him. Against it ``transform`` must be as secret as the key.

    The result has a row for each released record, and a column for each true value.

    Parameters
    ----------
    disguise : a Disguise with a key
    released : what was released, with its entities
    column : its values are of categories, or of numbers with a step; it is disguised by itself

    >>> from ppdm.disguise import UniformNoise
    >>> people = pd.DataFrame({"id": range(500), "age": np.random.default_rng(1).integers(20, 81, 500)})
    >>> noise = {"age": UniformNoise(half_width=30, low=20, high=80, step=1)}
    >>> keyed = Disguise(noise, key=b"another key of chance", entity="id")
    >>> round(float(oracle(keyed, keyed.fit_transform(people), "age").max(axis=1).mean()), 2)
    0.73
    """
    entities = [checks.of_type("disguise", disguise, Disguise, "a Disguise with a key").entity]
    if disguise.key is None:
        raise ValueError(
            "disguise has no key: what it released cannot be asked for again; expected one with a key"
        )
    checks.columns("column and entity", [column, *entities], checks.frame("released", released))
    channel = None
    if not isinstance(disguise.channels, GroupedResponse):
        # Whatever else is disguised does not matter.
        trial = as_disguise(disguise, [column, *entities]).set_params(shuffle=False)
        channel = trial.channels_.get(column)
    if isinstance(channel, CategoryChannel):
        values = list(channel.categories)
    elif isinstance(channel, NumericChannel) and channel.step:
        values = (channel.low + channel.step * np.arange(channel.most_bins)).tolist()
    else:
        raise ValueError(
            f"column is {column!r}; expected one that is disguised by itself, as categories or as numbers with a step"
        )
    checks.cells("the table of records and true values", (len(released), len(values)))
    asked = released[entities].copy()
    given = []
    for value in values:
        asked[column] = [value] * len(asked)
        given.append(trial.fit_transform(asked)[column].to_numpy() == released[column].to_numpy())
    fits = np.column_stack(given)
    # A true value off the grid by rounding has noise of its own.
    if not fits.any(axis=1).all():
        raise ValueError(
            f"released has a row {fits.any(axis=1).argmin()} that no true value gives; expected what disguise released"
        )
    return pd.DataFrame(
        fits / fits.sum(axis=1, keepdims=True), released.index, pd.Index(values, tupleize_cols=False)
    )


def _numbers(table):
    """The columns of numbers."""
    return table[[column for column in table if checks.is_real(table[column].dtype)]]
