"""Attacks against closed forms: the best linear guess, means of fresh noise, what a key's owner can be asked."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ppdm.data import load, quest
from ppdm.disguise import (
    Disguise,
    GaussianNoise,
    GroupedResponse,
    Intervals,
    KeepOrReplace,
    UniformNoise,
    channels_at,
)
from ppdm.measure import attacks, privacy_report

KEY = b"a key for the oracle"
AGE = UniformNoise.at_privacy(1.0, low=20, high=80, step=1)


def rms(guess, true, channels):
    """The root mean square error over all columns, in units of each range."""
    ranges = np.array([channels[name].high - channels[name].low for name in guess])
    return float(np.sqrt(np.mean(((guess - true[list(guess)]).to_numpy() / ranges) ** 2)))


def normal(n, covariance, seed=0):
    """Normal records with exactly that covariance, about 50."""
    draws = np.random.default_rng(seed).normal(size=(n, len(covariance)))
    draws -= draws.mean(axis=0)
    white = draws @ np.linalg.inv(np.linalg.cholesky(draws.T @ draws / n)).T
    return pd.DataFrame(50 + white @ np.linalg.cholesky(covariance).T).set_axis(
        list("abcdefgh")[: len(covariance)], axis=1
    )


def wide(sd):
    return GaussianNoise(sd=sd, low=0, high=100)


# --- The spectral attack ----------------------------------------------------------------------------------------------


def by_definition(released, noise):
    """μ + (S − V) S⁻¹ (y − μ), with S what is seen to vary and V the noise: the best linear guess (no clipping)."""
    y = released.to_numpy()
    seen = np.cov(y, rowvar=False, bias=True).reshape(len(noise), -1)
    kept = (seen - np.diag(noise)) @ np.linalg.inv(seen)
    return y.mean(axis=0) + (y - y.mean(axis=0)) @ kept.T


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e6])
def test_the_guess_is_the_best_linear_one(scale):
    # The truth varies more than noise in every direction, so that nothing is cut off. Units do not matter.
    true = normal(2000, [[90, 60, 10], [60, 80, 0], [10, 0, 30]])
    channels = {"a": wide(4), "b": UniformNoise(half_width=6, low=0, high=100)}
    seen = Disguise(channels, random_state=1).fit_transform(true)
    noise = [16, 12, 0]  # c is released as it is
    expected = by_definition(seen, noise)
    units = np.array([scale, 1, 1 / scale])
    scaled = {"a": GaussianNoise(sd=4 * scale, low=0, high=100 * scale), "b": channels["b"]}
    found = attacks.spectral(scaled, seen * units) / [scale, 1]
    np.testing.assert_allclose(found, expected[:, :2], rtol=1e-5)  # the grid's step moves with the scale
    assert found.columns.tolist() == ["a", "b"]


def test_alone_and_together_have_the_errors_of_theory():
    # Of equal variances s, correlations r and noise v: s v / (s + v) alone; by eigenvalues s (1 ± r) together.
    s, r, v, n = 100.0, 0.9, 100.0, 20_000
    true = normal(n, [[s, r * s], [r * s, s]])
    channels = {"a": wide(v**0.5), "b": wide(v**0.5)}
    seen = Disguise(channels, random_state=1).fit_transform(true)
    alone = attacks.spectral({"a": channels["a"]}, seen[["a"]])
    together = attacks.spectral(channels, seen)
    eigenvalues = s * np.array([1 + r, 1 - r])
    # A mean of 20,000 squares is within 4 standard errors, 4 √(2 / n) = 4 %.
    assert ((alone["a"] - true["a"]) ** 2).mean() == pytest.approx(s * v / (s + v), rel=0.04)
    assert ((together - true) ** 2).to_numpy().mean() == pytest.approx(
        (eigenvalues * v / (eigenvalues + v)).mean(), rel=0.04
    )


def factors(level, n=2000):
    """20 columns of 2 factors, in [0, 1], with Gaussian noise."""
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(n, 2)) @ rng.normal(size=(2, 20))
    true = pd.DataFrame((raw - raw.min(axis=0)) / (raw.max(axis=0) - raw.min(axis=0))).rename(columns=str)
    return true, channels_at("Gaussian", level, {name: {"low": 0, "high": 1} for name in true})


def table(name):
    """A table of numbers, and its channels."""
    if name == "20 columns of 2 factors":
        return factors(1.0)
    X = quest(5000, rng=0)[0] if name == "quest" else load(name).X.select_dtypes("number").dropna()
    domains = {column: {"low": X[column].min(), "high": X[column].max()} for column in X}
    return X, channels_at("uniform", 1.0, domains)


@pytest.mark.parametrize(
    (
        "name",
        "once",
    ),  # the errors found when the attack was first tried: as released, each column alone, all together
    [
        ("20 columns of 2 factors", (0.255, 0.121, 0.071)),
        ("wbc", (0.303, 0.212, 0.174)),
        ("boston", (0.305, 0.181, 0.158)),
        ("quest", (0.303, 0.211, 0.202)),
    ],
)
def test_what_all_columns_give_away_beyond_each(name, once):
    X, channels = table(name)
    X = X.sample(frac=1, random_state=0, ignore_index=True)  # Boston's rows go by place
    seen = Disguise(channels, random_state=1).fit_transform(X)
    alone = pd.concat([attacks.spectral({name: channels[name]}, seen[[name]]) for name in channels], axis=1)
    found = [rms(guess, X, channels) for guess in (seen, alone, attacks.spectral(channels, seen))]
    # Chance moves an error over n rows and p columns by 1 / √(2 n p), less than 1 %; factors are drawn anew, with
    # other extremes, which are the range.
    assert found == pytest.approx(once, rel=0.08 if "factors" in name else 0.03)


def test_the_report_shows_both():
    X, channels = factors(1.0)
    seen = Disguise(channels, random_state=1).fit_transform(X)
    report = privacy_report(channels, X, released=seen)
    guesses = {
        "alone rms %": attacks.spectral({"0": channels["0"]}, seen[["0"]]),
        "together rms %": attacks.spectral(channels, seen),
    }
    for name, guess in guesses.items():
        assert report.loc["0", name] == round(100 * np.sqrt(np.mean((guess["0"] - X["0"]) ** 2)), 1)
    columns = report.iloc[:-1].astype(dict.fromkeys(guesses, float))
    assert (columns["together rms %"] < 0.8 * columns["alone rms %"]).all()


def test_numbers_as_they_are_and_without_noise_help():
    true = normal(5000, [[100, 99], [99, 100]])
    noise = wide(30)
    seen = Disguise({"a": noise}, random_state=1).fit_transform(true)
    error = (attacks.spectral({"a": noise}, seen)["a"] - true["a"]).std()
    assert error == pytest.approx(np.sqrt(100 - 99**2 / 100), rel=0.1)  # what b leaves of a
    exact = {"a": noise, "b": wide(0)}
    pd.testing.assert_frame_equal(attacks.spectral(exact, seen)[["a"]], attacks.spectral({"a": noise}, seen))
    # What is missing somewhere, or no number, is not used; nor is a column without variance.
    odd = seen.assign(huge=1e308, b=np.where(seen.index == 7, np.nan, seen["b"]), c="x", d=3, e=True)
    alone = attacks.spectral({"a": noise}, seen[["a"]])
    pd.testing.assert_frame_equal(attacks.spectral({"a": noise}, odd), alone)


def test_an_answer_that_is_disguised_is_not_taken_for_true():
    noise, answer = wide(30), KeepOrReplace(keep=0.9, categories=[0, 100])
    true = pd.DataFrame({"a": np.random.default_rng(0).choice([0.0, 100.0], 2000)}).assign(
        b=lambda X: X["a"].astype(int)
    )
    seen = Disguise({"a": noise, "b": answer}, random_state=1).fit_transform(true)
    alone = attacks.spectral({"a": noise}, seen[["a"]])
    pd.testing.assert_frame_equal(attacks.spectral({"a": noise, "b": answer}, seen), alone)
    report = privacy_report({"a": noise, "b": answer}, true, released=seen)
    assert report.loc["a", "alone rms %"] == report.loc["a", "together rms %"]


def test_intervals_are_guessed_as_released_and_help_others():
    true = normal(5000, [[100, 99], [99, 100]]).clip(0, 100)
    channels = {"a": wide(30), "b": Intervals(edges=25, low=0, high=100)}
    seen = Disguise(channels, random_state=1).fit_transform(true)
    found = attacks.spectral(channels, seen)
    pd.testing.assert_series_equal(found["b"], seen["b"])
    assert (found["b"] - true["b"]).std() == pytest.approx(4 / 12**0.5, rel=0.05)
    assert (found["a"] - true["a"]).std() < 2.2


@given(st.integers(1, 12), st.integers(1, 8), st.integers(0, 1000))
def test_any_shape_has_a_finite_guess(n, columns, seed):
    # Fewer rows than columns, constant columns, columns that are equal.
    rng = np.random.default_rng(seed)
    true = pd.DataFrame(rng.integers(0, 2, (n, columns)) * 100.0).rename(columns=str)
    channels = dict.fromkeys(list(true)[: (columns + 1) // 2], wide(1e-3 * 10 ** rng.integers(0, 6)))
    seen = true.assign(
        **{
            name: own.disguise(true[name], rng=[seed, place][0])
            for place, (name, own) in enumerate(channels.items())
        }
    )
    guess = attacks.spectral(channels, seen)
    assert np.isfinite(guess).all(axis=None)
    assert guess.index.equals(true.index)


def test_pure_noise_is_guessed_by_the_mean():
    noise = wide(20)
    seen = Disguise({"a": noise, "b": noise}, random_state=1).fit_transform(
        pd.DataFrame({"a": [50.0] * 5000, "b": [40.0] * 5000})
    )
    guess = attacks.spectral({"a": noise, "b": noise}, seen)
    # Of two directions one varies more than the noise by chance, by about √(2 / n) of its variance at most a few times.
    assert (guess - guess.mean()).std().max() < 20 * np.sqrt(5 * np.sqrt(2 / 5000))


# --- Averaging, and neighbours ----------------------------------------------------------------------------------------


def test_the_error_of_a_mean_falls_as_its_variance():
    X = pd.DataFrame({"age": np.random.default_rng(0).integers(20, 81, 4000), "town": "Ayr"})
    for k in (2, 16, 64):
        releases = [
            X.assign(age=AGE.disguise(X["age"], rng=np.random.default_rng([k, turn]))) for turn in range(k)
        ]
        guess = attacks.averaging(releases)
        assert list(guess) == ["age"]
        # Of 4,000 squares of nearly normal errors the mean is within 4 √(2 / 4000) = 9 %.
        assert ((guess["age"] - X["age"]) ** 2).mean() == pytest.approx(AGE.variance() / k, rel=0.09)


def test_neighbours_undo_the_noise_of_a_sorted_column():
    true = pd.DataFrame({"age": np.sort(20 + 60 * np.random.default_rng(0).random(2000)), "town": "Ayr"})
    noise = UniformNoise.at_privacy(1.0, low=20, high=80)
    seen = true.assign(age=noise.disguise(true["age"], rng=1))
    assert (seen["age"] - true["age"]).std() == pytest.approx(18.3, rel=0.03)
    assert (attacks.neighbours(seen, window=101)["age"] - true["age"]).std() == pytest.approx(1.9, abs=0.4)
    # Inside, the error of the mean of w values on a line is that of the noise alone: its variance / w.
    error = (attacks.neighbours(seen, window=25)["age"] - true["age"])[12:-12]
    assert error.var() == pytest.approx(noise.variance() / 25, rel=0.25)
    shuffled = seen.sample(frac=1, random_state=0)
    assert (attacks.neighbours(shuffled, 101)["age"] - true["age"][shuffled.index]).std() > 17


# --- The oracle -------------------------------------------------------------------------------------------------------


def test_a_keyed_age_is_found_as_often_as_chance_says():
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"id": range(1500), "age": rng.integers(20, 81, 1500), "pay": 0.0})
    keyed = Disguise({"age": AGE, "pay": wide(9)}, key=KEY, entity="id")
    released = keyed.fit_transform(people)
    found = attacks.oracle(keyed, released, "age")
    assert found.columns.tolist() == list(range(20, 81))
    assert found.sum(axis=1).to_numpy() == pytest.approx(1)
    true = found.to_numpy()[np.arange(1500), people["age"] - 20]
    assert (true == found.max(axis=1)).all()  # the truth is among the candidates, and all are equally likely
    # Each other age gives the same release with its own probability, independently: a Poisson binomial number of them.
    law = np.exp(AGE.log_law(released["age"].to_numpy(float)[:, None], np.arange(20.0, 81)))
    np.put_along_axis(law, people["age"].to_numpy()[:, None] - 20, 0, axis=1)
    points, weights = np.polynomial.legendre.leggauss(40)
    t = (points[:, None, None] + 1) / 2  # the mean of 1 / (1 + number) is the integral of its generating function
    certainty = (weights[:, None] / 2 * np.prod(1 - law + law * t, axis=2)).sum(axis=0).mean()
    assert 0.65 < certainty < 0.8
    assert true.mean() == pytest.approx(certainty, abs=4 * true.std() / 1500**0.5)


def test_of_categories_the_oracle_keeps_what_fits():
    channel = KeepOrReplace(keep=0.5, categories=["a", "b", "c"])
    people = pd.DataFrame({"id": range(300), "x": list("abc") * 100})
    keyed = Disguise({"x": channel}, key=KEY, entity="id", shuffle=True)
    released = keyed.fit_transform(people)
    found = attacks.oracle(keyed, released, "x")
    fits = pd.DataFrame({value: plain(people, value, channel).loc[released["id"]].to_numpy() for value in "abc"})
    fits = fits.eq(released["x"].to_numpy(), axis=0)
    np.testing.assert_array_equal(found > 0, fits)


def plain(people, value, channel):
    """What the key makes of a value, entity by entity, in their order."""
    asked = people.assign(x=value)
    return Disguise({"x": channel}, key=KEY, entity="id").fit_transform(asked).set_index("id")["x"]


# --- Refusals ---------------------------------------------------------------------------------------------------------

X = pd.DataFrame({"id": [1, 2, 3], "x": [1.0, 5.0, 3.0], "c": ["a", "b", "a"]})
NUMBER, LETTER = wide(5), KeepOrReplace(keep=0.7, categories=["a", "b"])


def keyed(**channels):
    return Disguise(channels, key=b"one more key of these", entity="id")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: attacks.spectral({"x": NUMBER}, [1.0]),
            TypeError,
            "released is a list; expected a pandas DataFrame",
        ),
        (lambda: attacks.spectral(None, X), TypeError, "disguise is None; expected a dict of channels"),
        (lambda: attacks.spectral({"c": LETTER}, X), TypeError, "disguise has no channel for numbers"),
        (lambda: attacks.spectral({"y": NUMBER}, X), ValueError, "names 'y', which the table does not have"),
        (
            lambda: attacks.spectral({"x": NUMBER}, X * 1000),
            ValueError,
            "column 'x' has 3 of 3 that the channel cannot",
        ),
        (lambda: attacks.averaging(3), TypeError, "releases is 3; expected a list of DataFrames"),
        (lambda: attacks.averaging([X]), ValueError, "releases has 1 tables; expected two or more"),
        (lambda: attacks.averaging([X, 3]), TypeError, r"releases\[1\] is an int; expected a pandas DataFrame"),
        (
            lambda: attacks.averaging([X, X[::-1]]),
            ValueError,
            r"releases\[1\] has another index or other columns",
        ),
        (
            lambda: attacks.averaging([X, X[["x"]]]),
            ValueError,
            r"releases\[1\] has another index or other columns",
        ),
        (lambda: attacks.neighbours([1]), TypeError, "released is a list; expected a pandas DataFrame"),
        (
            lambda: attacks.neighbours(X, window=1),
            ValueError,
            r"window is 1; expected a whole number in \[2, 1e\+09\]",
        ),
        (
            lambda: attacks.oracle({"x": NUMBER}, X, "x"),
            TypeError,
            "disguise is a dict; expected a Disguise with a key",
        ),
        (lambda: attacks.oracle(Disguise({"x": NUMBER}), X, "x"), ValueError, "disguise has no key"),
        (
            lambda: attacks.oracle(keyed(x=NUMBER), X, "x"),
            ValueError,
            "column is 'x'; expected one .* with a step",
        ),
        (
            lambda: attacks.oracle(keyed(x=NUMBER), X, "c"),
            ValueError,
            "column is 'c'; expected one that is disguised",
        ),
        (lambda: attacks.oracle(keyed(x=NUMBER), X, "z"), ValueError, "names 'z', which the table does not have"),
        (
            lambda: attacks.oracle(keyed(c=LETTER), X.assign(c="?"), "c"),
            ValueError,
            "row 0 that no true value gives",
        ),
        (
            lambda: attacks.oracle(keyed(c=LETTER), X[["c"]], "c"),
            ValueError,
            "names 'id', which the table does not",
        ),
        (
            lambda: attacks.oracle(
                Disguise(GroupedResponse(0.8, [["x", "y"]]), key=KEY, entity="id"), X.assign(y=1), "x"
            ),
            ValueError,
            "column is 'x'; expected one that is disguised by itself",
        ),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_seeded_disguise_is_named_in_the_report():
    table = X[["x"]]
    seeded = privacy_report(Disguise({"x": NUMBER}, random_state=1), table)
    assert seeded.to_string().startswith("seeded, for study only")
    assert "seeded, for study only" in seeded.to_html()
    for disguise in (Disguise({"x": NUMBER}), {"x": NUMBER}):
        assert "seeded" not in privacy_report(disguise, table, rng=1).to_html()


def test_a_disguise_that_shuffles_is_measured_in_order():
    table = pd.DataFrame({"x": np.arange(100.0)})
    noise = {"x": GaussianNoise(sd=0.01, low=0, high=100)}
    assert privacy_report(Disguise(noise, shuffle=True), table)["linked %"].tolist() == [100, 100]
    assert stats.pearsonr(Disguise(noise, shuffle=True).fit_transform(table)["x"], table["x"]).statistic < 0.9
