"""Linkage against exhaustive search and exact expectations; the report against the measures that it gathers."""

import itertools
import math
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import codes, joint_matrix
from scipy import stats

from ppdm.data import quest
from ppdm.disguise import (
    Disguise,
    GaussianNoise,
    GroupedResponse,
    Intervals,
    KeepOrReplace,
    RandomizedResponse,
    UniformNoise,
    as_disguise,
)
from ppdm.measure import (
    attacks,
    entropy_privacy,
    epsilon,
    interval_privacy,
    linkage_rate,
    privacy_report,
    risk,
    worst_posterior,
)
from ppdm.reconstruct import Distribution
from ppdm.studies.as00 import channels_at

UNIT = {"low": 0, "high": 1}
MIXED = {
    "number": GaussianNoise(sd=0.2, **UNIT),
    "whole": GaussianNoise(sd=1, low=0, high=5, step=1),
    "name": KeepOrReplace(keep=0.6, categories=["a", "b", "c"]),
}


def mixed(n, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "number": rng.random(n),
            "whole": rng.integers(0, 6, n),
            "name": rng.choice(["a", "b", "c"], n),
            "open": rng.integers(0, 2, n),
        }
    )


def by_search(X, seen):
    """The rate for MIXED, one pair of records after the other."""
    found = 0
    for i in range(len(X)):
        scores = [pair(X.iloc[i], seen.iloc[j]) for j in range(len(X))]
        best = [j for j, score in enumerate(scores) if math.isclose(score, max(scores), rel_tol=1e-6)]
        found += (i in best) / len(best)
    return found / len(X)


def pair(true, seen):
    steps = seen["whole"] - true["whole"]
    rounded = stats.norm.cdf(steps + 0.5) - stats.norm.cdf(steps - 0.5)
    name = 0.6 if seen["name"] == true["name"] else 0.2
    return (seen["open"] == true["open"]) * rounded * name * stats.norm.pdf(seen["number"], true["number"], 0.2)


def frame(**columns):
    return pd.DataFrame(columns)


# --- Linkage ----------------------------------------------------------------------------------------------------------


def test_against_a_search_through_all_pairs():
    X = mixed(40)
    seen = Disguise(MIXED, random_state=1).fit_transform(X)
    assert linkage_rate(MIXED, X, seen) == pytest.approx(by_search(X, seen), abs=1e-12)


def test_one_gaussian_attribute_links_to_the_nearest():
    x = np.random.default_rng(0).random(500)
    channel = GaussianNoise(sd=0.01, **UNIT)
    seen = channel.disguise(x, rng=1)
    nearest = np.abs(x[:, None] - seen).argmin(axis=1)
    expected = (nearest == np.arange(500)).mean()
    assert linkage_rate({"x": channel}, frame(x=x), frame(x=seen)) == pytest.approx(expected, abs=1e-12)


def test_one_uniform_attribute_links_to_all_within_reach():
    x = 20 + 60 * np.random.default_rng(0).random(500)
    channel = UniformNoise(half_width=6, low=20, high=80)
    seen = channel.disguise(x, rng=1)
    within = (np.abs(x[:, None] - seen) <= 6).sum(axis=1)
    assert linkage_rate({"x": channel}, frame(x=x), frame(x=seen)) == pytest.approx(
        (1 / within).mean(), abs=1e-12
    )


@pytest.mark.parametrize("keep", [0.1, 0.3, 0.5, 0.8, 1])
def test_two_people_who_answer_yes_and_no(keep):
    # Both answers are as expected, and both people are found; or neither; or the answers are the same, and they tie.
    channel, people = {"x": KeepOrReplace(keep=keep, categories=["no", "yes"])}, frame(x=["no", "yes"])
    rate = 0
    for answers in itertools.product(["no", "yes"], repeat=2):
        chance = np.prod(
            [keep if answer == true else 1 - keep for answer, true in zip(answers, people["x"], strict=True)]
        )
        rate += chance and chance * linkage_rate(channel, people, frame(x=answers))
    assert rate == pytest.approx(max(keep, 1 - keep))


@pytest.mark.parametrize(("theta", "unrelated"), [(0.8, None), (0.3, None), (0.6, 0.2), (0.3, 1)])
def test_two_people_whose_yes_and_no_are_not_alike(theta, unrelated):
    # Where the answers differ, each is found if its own is the likelier one of its truth; else they tie.
    question, people = RandomizedResponse(theta, unrelated, ["no", "yes"]), frame(x=["no", "yes"])
    (quiet, loud), (shy, bold) = question.matrix().tolist()
    rate = 0
    for (first, p), (second, q) in itertools.product(
        [("no", quiet), ("yes", loud)], [("no", shy), ("yes", bold)]
    ):
        rate += p * q and p * q * linkage_rate({"x": question}, people, frame(x=[first, second]))
    straight, crossed = quiet * bold, loud * shy
    found = straight * ((quiet > loud) + (bold > shy)) + crossed * ((loud > quiet) + (shy > bold))
    assert rate == pytest.approx((found + quiet * shy + loud * bold) / 2)


@pytest.mark.parametrize("k", [2, 5])
def test_answers_by_pure_chance_tell_nothing(k):
    channel = {"x": KeepOrReplace(keep=1 / k, categories=list(range(k)))}
    X = frame(x=np.arange(200) % k)
    assert linkage_rate(channel, X, rng=1) == pytest.approx(1 / 200)


@pytest.mark.parametrize("channel", [UniformNoise(half_width=0, **UNIT), GaussianNoise(sd=0, **UNIT, step=0.125)])
def test_without_noise_distinct_records_are_all_found(channel):
    assert linkage_rate({"x": channel}, frame(x=np.arange(9) / 8)) == 1
    assert linkage_rate({"x": channel}, frame(x=[0, 0, 0.5, 1])) == (1 / 2 + 1 / 2 + 1 + 1) / 4


def test_a_column_that_is_released_as_it_is_finds_all_it_tells_apart():
    X = frame(x=np.zeros(8), id=list("abcdefgh"), half=[1, 1, 1, 1, None, None, None, None])
    noise = {"x": UniformNoise(half_width=5, **UNIT)}
    assert linkage_rate(noise, X) == 1
    assert linkage_rate(noise, X[["x", "half"]]) == pytest.approx(1 / 4)
    assert linkage_rate(noise, X[["x"]]) == pytest.approx(1 / 8)


@given(st.permutations(range(30)))
def test_the_order_of_the_records_does_not_matter(order):
    X = mixed(30)
    seen = Disguise(MIXED, random_state=1).fit_transform(X)
    rate = linkage_rate(MIXED, X, seen)
    assert linkage_rate(MIXED, X.iloc[order], seen.iloc[order]) == pytest.approx(rate, abs=1e-12)


def test_blocks_do_not_show(monkeypatch):
    X = mixed(100)
    rate = linkage_rate(MIXED, X, rng=1)
    for pairs, bits in [(1, 1 << 27), (700, 1000), (5000, 0)]:
        monkeypatch.setattr(risk, "PAIRS", pairs)
        monkeypatch.setattr(risk, "BITS", bits)
        assert linkage_rate(MIXED, X, rng=1) == pytest.approx(rate, abs=1e-12)


def test_disguises_here_or_takes_what_was_released():
    X = mixed(100)
    seen = Disguise(MIXED, random_state=3).fit_transform(X)
    rates = {
        linkage_rate(MIXED, X, seen),
        linkage_rate(MIXED, X, rng=3),
        linkage_rate(Disguise(MIXED), X, rng=3),
        linkage_rate(Disguise(MIXED, random_state=7), X, rng=3),
        linkage_rate(Disguise(MIXED).fit(X), X, seen[list(reversed(seen.columns))]),
    }
    assert len(rates) == 1


def test_a_keyed_disguise_can_be_linked():
    X = mixed(50).assign(owner=np.arange(50) // 2)
    disguise = Disguise(MIXED, key=b"0123456789abcdef", entity="owner")
    assert linkage_rate(disguise, X) == linkage_rate(disguise, X, disguise.fit_transform(X)) > 0.5


def test_quest_at_50_per_cent():
    # In fast memory bounds too: all pairs of 5,000 records at once would take 200 MB for every attribute.
    X, _ = quest(5000, rng=0)
    tracemalloc.start()
    gaussian = linkage_rate(channels_at("Gaussian", 0.5), X, rng=1)
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
    assert 0.33 < gaussian < 0.43
    X, _ = quest(1000, rng=0)
    rates = [linkage_rate(channels_at("uniform", level), X, rng=1) for level in (0.25, 0.5, 1, 2)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.9
    assert rates[-1] < 0.02


KINDS = {
    "uniform": UniformNoise(half_width=0.4, **UNIT),
    "gauss": GaussianNoise(sd=0.2, **UNIT),
    "steps": UniformNoise(half_width=2.5, low=0, high=5, step=1),
    "grid": GaussianNoise(sd=1.5, low=0, high=5, step=1),
    "wide": GaussianNoise(sd=400, low=0, high=5, step=1),  # log-likelihoods that differ by about TIE
    "cut": Intervals(edges=3, **UNIT),
    "kept": KeepOrReplace(keep=0.6, categories=["a", "b", "c"]),
    "liar": KeepOrReplace(keep=0.1, categories=["a", "b"]),
    "exact": UniformNoise(half_width=0, **UNIT),
}


class Turned(UniformNoise):
    """Somebody else's channel, of which nothing is known but its law: it releases what is far away."""

    def log_law(self, seen, true):
        return np.where(np.abs(seen - true) < self.half_width / 2, -3.0, -1.0)


@st.composite
def tables(draw):
    """True records with columns as they are, some missing; and what was released of them by some kinds of channels."""
    names = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=5, unique=True))
    n, seed = draw(st.integers(1, 60)), draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    values = {
        "abc": lambda: rng.choice(["a", "b"], n),
        "01": lambda: rng.random(n),
        "05": lambda: rng.integers(0, 6, n),
    }
    kind = {"kept": "abc", "liar": "abc", "steps": "05", "grid": "05", "wide": "05"}
    X = pd.DataFrame({name: values[kind.get(name, "01")]() for name in names})
    if draw(st.booleans()):
        X["open"] = rng.choice([1, 2, np.nan], n)
    X = X.iloc[rng.integers(0, n, n)].reset_index(drop=True) if draw(st.booleans()) else X
    channels = {name: KINDS[name] for name in names}
    seen = X.assign(**{name: own.disguise(X[name], rng=seed) for name, own in channels.items()})
    return channels, X, seen


def by_all_pairs(channels, X, seen):
    """The rates by each column and by all, from the whole matrix of log-likelihoods."""
    scores = {}
    for name in X:
        if name in channels:
            left = channels[name].seen_codes(seen[name])
            scores[name] = channels[name].log_law(left, channels[name].true_codes(X[name])[:, None])
        else:
            one, other = X[name].to_numpy()[:, None], seen[name].to_numpy()
            with np.errstate(divide="ignore"):
                scores[name] = np.log((one == other) | (np.isnan(one) & np.isnan(other)))
    rates = []
    for matrix in [*scores.values(), sum(scores.values())]:
        best = matrix > matrix.max(axis=1, keepdims=True) - risk.TIE
        rates.append(np.mean(best.diagonal() / best.sum(axis=1)))
    return rates


@given(tables(), st.sampled_from([(10**6, 1 << 27), (50, 1 << 27), (10**6, 200), (7, 0)]))
def test_every_kind_of_channel_against_all_pairs(table, sizes):
    # As they are, with no table of values, with few edges, and with neither: always the same.
    channels, X, seen = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(risk, "PAIRS", sizes[0])
        patch.setattr(risk, "BITS", sizes[1])
        alone, together = risk.linked(as_disguise(channels, X.columns), X, seen)
    assert [*(alone[name] for name in X), together] == pytest.approx(by_all_pairs(channels, X, seen), abs=1e-12)


def test_a_law_of_which_nothing_is_known():
    x = np.random.default_rng(0).random((80, 2))
    channels = {"u": Turned(half_width=0.4, **UNIT), "v": KINDS["gauss"]}
    X = frame(u=x[:, 0], v=x[:, 1])
    seen = X.assign(**{name: own.disguise(X[name], rng=1) for name, own in channels.items()})
    alone, together = risk.linked(as_disguise(channels, X.columns), X, seen)
    assert [alone["u"], alone["v"], together] == pytest.approx(by_all_pairs(channels, X, seen), abs=1e-12)


@pytest.mark.parametrize("noise", ["uniform", "Gaussian"])
@pytest.mark.parametrize("level", [0.1, 0.5, 1.0, 2.0])
def test_all_pairs_of_quest(noise, level):
    X, _ = quest(700, rng=0)
    channels = channels_at(noise, level)
    seen = Disguise(channels, random_state=1).fit_transform(X)
    assert linkage_rate(channels, X, seen) == pytest.approx(by_all_pairs(channels, X, seen)[-1], abs=1e-12)


def test_a_bar_appears_when_it_takes_long(monkeypatch, capfd):
    monkeypatch.delenv("PPDM_PROGRESS", raising=False)
    X = mixed(60)
    linkage_rate(MIXED, X, rng=1)
    assert capfd.readouterr().err == ""
    monkeypatch.setattr(risk, "DELAY", 0)
    linkage_rate(MIXED, X, rng=1)
    assert "%|" in capfd.readouterr().err


# --- The report -------------------------------------------------------------------------------------------------------


def test_the_report_gathers_the_measures():
    X = mixed(300)
    report = privacy_report(MIXED, X, delta=1e-4, confidence=0.9, rng=1)
    assert report.index.tolist() == ["number", "whole", "name", "open", "whole record"]
    errors = ["alone rms %", "together rms %"]
    names = ["channel", "width %", "ε", "loss %", "worst %", "from %", *errors, "linked %"]
    assert report.columns.tolist() == names
    number, whole = MIXED["number"], MIXED["whole"]
    seen = Disguise(MIXED, random_state=1).fit_transform(X)
    guesses = attacks.spectral({"number": number}, seen[["number"]]), attacks.spectral(MIXED, seen)
    prior = Distribution.from_values(X["number"], np.linspace(0, 1, 21))
    worst = worst_posterior(number, prior)
    assert report.loc["number"].tolist() == [
        "GaussianNoise",
        round(100 * interval_privacy(number, 0.9), 1),
        round(epsilon(number, 1e-4), 2),
        round(100 * entropy_privacy(number, prior).loss, 1),
        round(100 * worst.posterior, 1),
        round(100 * worst.prior, 1),
        *[round(100 * np.sqrt(np.mean((guess["number"] - X["number"]) ** 2)), 1) for guess in guesses],
        round(100 * linkage_rate({"number": number}, X[["number"]], seen[["number"]]), 2),
    ]
    assert (report.loc[["name", "open", "whole record"], errors] == "–").all(axis=None)
    assert report.loc["whole", "width %"] == 100 * interval_privacy(whole, 0.9) / 5
    by_value = Distribution.from_values(X["whole"], np.arange(7) - 0.5)
    assert report.loc["whole", "worst %"] == round(100 * worst_posterior(whole, by_value).posterior, 1)
    names = X["name"].value_counts(normalize=True)
    assert report.loc["name", "loss %"] == round(100 * entropy_privacy(MIXED["name"], names).loss, 1)
    assert report.loc["name", "width %"] == "–"
    assert report.loc["whole record", "linked %"] == round(100 * linkage_rate(MIXED, X, rng=1), 2)


def test_a_question_of_yes_and_no_has_its_row():
    question = RandomizedResponse(0.5, unrelated=0.2, categories=["no", "yes"])
    X = frame(smokes=["no"] * 70 + ["yes"] * 30)
    row = privacy_report({"smokes": question}, X, delta=0, rng=1).loc["smokes"].tolist()
    loss = round(100 * entropy_privacy(question, {"no": 0.7, "yes": 0.3}).loss, 1)
    linked = round(100 * linkage_rate({"smokes": question}, X, rng=1), 2)
    assert row == ["RandomizedResponse", "–", round(math.log(6), 2), loss, 84.0, 70.0, "–", "–", linked]


def test_a_column_as_it_is_leaves_the_record_without_epsilon():
    X = mixed(100)
    assert privacy_report(MIXED, X).loc["open"].tolist()[:-1] == ["as it is", 0.0, "none", 100.0, 100.0, *"–––"]
    assert privacy_report(MIXED, X).loc["whole record", "ε"] == "none"
    disguised = X.drop(columns="open")
    assert privacy_report(MIXED, disguised).loc["whole record", "ε"] == round(epsilon(MIXED), 2)
    noisy = {**MIXED, "number": UniformNoise(half_width=1, **UNIT)}
    assert privacy_report(noisy, disguised)["ε"].tolist()[::3] == ["none", "none"]


def test_a_report_of_every_channel_for_a_table_that_stays_as_it_is():
    X = mixed(200)
    before = X.copy()
    channels = {**MIXED, "number": Intervals(edges=4, **UNIT)}
    report = privacy_report(Disguise(channels), X, rng=1)
    told = stats.entropy(np.histogram(X["number"], 4, (0, 1))[0])  # nats: which of the intervals, and no more
    assert report.loc["number"].tolist()[:4] == ["Intervals", 23.8, "none", round(100 - 100 * math.exp(-told), 1)]
    assert report.equals(privacy_report(channels, X, rng=1))
    pd.testing.assert_frame_equal(X, before)
    assert report.to_html().count("<tr") == 6


# --- Answers in groups ------------------------------------------------------------------------------------------------

GROUPED = GroupedResponse([0.8, 0.3], [["c", "a"], ["b", "name"]], {"name": ["p", "q", "r"]})


def answers(n, seed=0):
    rng = np.random.default_rng(seed)
    yes = pd.DataFrame(rng.integers(0, 2, (n, 3)), columns=list("abc"))
    return yes.assign(b=yes["b"] == 1, name=rng.choice(["p", "q", "r"], n), open=rng.integers(0, 2, n))


def by_matrix(channel, X, seen):
    """The linkage rate from the channel's whole matrix, one record after the other."""
    matrix = joint_matrix(channel, channel.columns)
    sizes = [answer.k for answer in channel.answers.values()]
    seen_codes, true_codes = codes(channel, seen), codes(channel, X)
    places = [
        np.ravel_multi_index([own[column] for column in channel.columns], sizes)
        for own in (true_codes, seen_codes)
    ]
    likelihood = matrix[places[0]][:, places[1]] * (X["open"].to_numpy()[:, None] == seen["open"].to_numpy())
    best = np.isclose(likelihood, likelihood.max(axis=1, keepdims=True), rtol=1e-9)
    return float((best.diagonal() / best.sum(axis=1)).mean())


@given(st.integers(0, 10**6), st.integers(2, 40))
def test_groups_against_the_whole_matrix(seed, n):
    X = answers(n, seed)
    seen = GROUPED.disguise(X, rng=seed)
    assert linkage_rate(GROUPED, X, seen) == pytest.approx(by_matrix(GROUPED, X, seen), abs=1e-12)


def test_groups_of_one_attribute_are_channels_by_column():
    X = answers(200).astype({"b": int})
    alone = GroupedResponse([0.8, 0.7, 0.6], [["a"], ["b"], ["name"]], {"name": ["p", "q", "r"]})
    seen = alone.disguise(X, rng=1)
    assert linkage_rate(alone, X, seen) == pytest.approx(linkage_rate(alone.answers, X, seen), abs=1e-12)
    pd.testing.assert_frame_equal(
        privacy_report(alone, X, released=seen), privacy_report(alone.answers, X, released=seen)
    )


def test_a_report_of_groups():
    X = answers(300)
    report = privacy_report(GROUPED, X, rng=1)
    assert report.index.tolist() == [*X, "whole record"]
    assert report.loc["open", "channel"] == "as it is"
    assert report.loc["a", "ε"] == round(math.log(4), 2)
    assert report.loc["whole record", "ε"] == "none"
    assert report.loc["whole record", "linked %"] == round(100 * linkage_rate(GROUPED, X, rng=1), 2)
    seen = Disguise(GROUPED, random_state=1).fit_transform(X)
    single = privacy_report({"a": KeepOrReplace(keep=0.8, categories=[0, 1])}, X[["a"]], released=seen[["a"]])
    assert report.loc["a"].tolist() == single.loc["a"].tolist()
    singles = GroupedResponse(0.8, [["a"], ["c"]])
    assert privacy_report(singles, X[["a", "c"]], rng=1).loc["whole record", "ε"] == round(epsilon(singles), 2)


def test_groups_that_always_lie_are_as_good_as_open():
    X = pd.DataFrame(list(itertools.product([0, 1], repeat=3)), columns=list("abc"))
    assert linkage_rate(GroupedResponse(0, [["a", "b"], ["c"]]), X) == 1
    assert linkage_rate(GroupedResponse([0.9, 1], [["a", "b"], ["c"]]), X, X) == 1


def test_groups_by_a_key_and_in_blocks(monkeypatch):
    X = answers(60).assign(owner=np.arange(60))
    disguise = Disguise(GROUPED, key=b"another key of mine", entity="owner")
    assert linkage_rate(disguise, X) == 1
    X = answers(60)
    rates = [linkage_rate(given, X, rng=3) for given in (GROUPED, Disguise(GROUPED), Disguise(GROUPED).fit(X))]
    for pairs in (1, 200):
        monkeypatch.setattr(risk, "PAIRS", pairs)
        rates.append(linkage_rate(GROUPED, X, rng=3))
    assert rates == pytest.approx([rates[0]] * 5, abs=1e-12)


def test_a_release_of_groups_in_another_order_is_refused():
    X = answers(20).assign(open=range(20))
    with pytest.raises(ValueError, match="released has a row 0 that cannot stem from that row of X"):
        linkage_rate(GROUPED, X, GROUPED.disguise(X, rng=1)[::-1].set_axis(X.index))
    with pytest.raises(ValueError, match="groups names 'a', which the table does not have"):
        linkage_rate(GROUPED, X.drop(columns="a"))


# --- Refusals ---------------------------------------------------------------------------------------------------------

NOISE = {"x": UniformNoise(half_width=0.25, **UNIT)}
X = frame(x=[0.0, 0.5, 1.0])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: linkage_rate(3, X), TypeError, "disguise is an int; expected a dict of channels"),
        (lambda: linkage_rate({"x": 3}, X), TypeError, r"disguise\['x'\] is an int; expected a channel"),
        (lambda: linkage_rate({"z": NOISE["x"]}, X), ValueError, "names 'z', which the table does not have"),
        (lambda: linkage_rate(NOISE, [[0.5]]), TypeError, "X is a list; expected a pandas DataFrame"),
        (
            lambda: linkage_rate(NOISE, frame(x=np.zeros(1_000_001))),
            ValueError,
            "1000001 records; .* say X.sample",
        ),
        (
            lambda: privacy_report(NOISE, frame(x=np.zeros(1_000_001))),
            ValueError,
            "1000001 records; .* say X.sample",
        ),
        (lambda: linkage_rate(NOISE, frame(x=[0, 2])), ValueError, r"column 'x' has 1 of 2 outside the domain"),
        (lambda: linkage_rate(NOISE, X, "seen"), TypeError, "released is a str; expected a pandas DataFrame"),
        (
            lambda: linkage_rate(NOISE, X, frame(z=[0.5] * 3)),
            ValueError,
            r"released lacks the columns \['x'\]; expected all",
        ),
        (lambda: linkage_rate(NOISE, X, X[:2]), ValueError, "released has another index than X"),
        (
            lambda: linkage_rate(NOISE, X, X[::-1]),
            ValueError,
            "expected a row for each row of X, in the same order",
        ),
        (
            lambda: linkage_rate(NOISE, X, frame(x=[0, 0.5, 0.5])),
            ValueError,
            "released has a row 2 that cannot stem",
        ),
        (
            lambda: linkage_rate(NOISE, X, frame(x=[0, 0.5, 9])),
            ValueError,
            "column 'x' has 1 of 3 that the channel cannot",
        ),
        (
            lambda: linkage_rate(NOISE, X.assign(y=[[1], [2], [3]])),
            TypeError,
            "column 'y' holds lists or the like",
        ),
        (lambda: privacy_report(NOISE, X, delta=2), ValueError, "delta is 2"),
        (lambda: privacy_report(NOISE, X, confidence=0), ValueError, "confidence is 0"),
        (lambda: privacy_report(NOISE, X, rng="a"), TypeError, "is 'a'; expected a whole number"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_disguise_draws_as_it_says():
    X = pd.DataFrame({"age": np.random.default_rng(0).permutation(np.linspace(20, 80, 500))})
    noise = {"age": UniformNoise(half_width=0.5, low=20, high=80)}
    seeded = Disguise(noise, random_state=3)
    assert linkage_rate(seeded, X) == linkage_rate(noise, X, rng=3) == linkage_rate(Disguise(noise), X, rng=3)
    released = Disguise(noise, random_state=3).fit_transform(X)
    assert privacy_report(noise, X, released=released).equals(privacy_report(seeded, X))
    keyed = Disguise(noise, key=b"0123456789abcdef", entity="id")
    with pytest.raises(ValueError, match="random_state is 1; expected None: noise follows from key"):
        linkage_rate(keyed, X.assign(id=range(500)), rng=1)
