"""Records that were disguised before the parties got them: the trees of all of them together, from sums alone."""

import numpy as np
import pytest

from ppdm import data, parties
from ppdm.disguise import GaussianNoise, GroupedResponse, RandomizedResponse, UniformNoise
from ppdm.reconstruct import HeldOutStop, reconstruct_joint
from ppdm.tables import EstimatedTable
from ppdm.trees import GiniTreeClassifier, ReconstructedTreeClassifier, ResponseTreeClassifier, Stop, grow

pytestmark = pytest.mark.filterwarnings("ignore::ppdm.disguise.PrivacyWarning")
COLUMNS = ["salary", "age", "car"]
CHANNELS = {
    "salary": UniformNoise(half_width=40_000, low=20_000, high=150_000),
    "age": GaussianNoise(sd=12, low=20, high=80),
}


def split(X, y, shares=(70, 20, 10)):
    ends = np.cumsum(shares) * len(X) // 100
    return {f"s{low}": (X.iloc[low:high], y.iloc[low:high]) for low, high in zip([0, *ends], ends)}


@pytest.fixture(scope="module")
def disguised():
    X, y = data.quest(6000, 2, rng=1)
    X = X[COLUMNS]
    seen = X.assign(**{name: one.disguise(X[name], rng=2) for name, one in CHANNELS.items()})
    return X, seen, y


@pytest.fixture(scope="module")
def session(disguised):
    _, seen, y = disguised
    with parties.local(split(seen, y), "additive", limit=30) as session:
        yield session


@pytest.mark.parametrize("strategy", ["byclass", "global"])
def test_codes_by_rank_are_those_of_the_pooled_records_up_to_a_cell_of_the_grid(session, disguised, strategy):
    true, seen, y = disguised
    stop = Stop(max_depth=4, min_records=50)
    tree = session.tree(stop=stop, channels=CHANNELS, strategy=strategy, intervals=12)
    pooled = ReconstructedTreeClassifier(
        CHANNELS,
        strategy,
        12,
        tree=GiniTreeClassifier(prune=None, max_depth=4, min_records=50),
    ).fit(seen, y)
    opened = next(found for what, found in session.openings if what == "histograms")[:, 0]
    starts = np.cumsum([0, *(one.n_values for one in session.attributes)])
    names = [one.name for one in session.attributes]
    for name, channel in CHANNELS.items():
        place = names.index(name)
        counts = opened[:, starts[place] : starts[place + 1]].sum(axis=0)
        low, high = channel.seen_range()
        # What is lost by the grid: at each border of codes, of each stratum, the records of one cell. And since the
        # reconstruction itself knows the middles of cells only, a fiftieth of the records.
        densest = max(
            np.histogram(seen[name][y == one], 1000, (low, high))[0].max() for one in session.project["classes"]
        )
        expected = pooled_counts(pooled, name, len(counts), len(y), y)
        strata = 2 if strategy == "byclass" else 1
        assert np.abs(counts - expected).max() <= 2 * strata * 2 * densest + 0.02 * len(y), name
        assert counts.sum() == len(y)
    # A tree that looks at grids is as good: within 0.03 on true records, of which 6,000 tell shares to 0.006.
    assert (tree.predict(true) == y).mean() == pytest.approx((pooled.predict(true) == y).mean(), abs=0.03)
    assert (tree.predict(true) == y).mean() > 0.6


def pooled_counts(model, name, size, number, y):
    """How many records the reconstruction of all records together gives each interval."""
    found = np.zeros(size)
    reconstructions = model.reconstructions_[name]
    sizes = [number] if len(reconstructions) == 1 else [(y == one).sum() for one in model.classes_]
    for one, weight in zip(reconstructions, sizes):
        found += weight * one.distribution.probabilities
    return found


def test_the_joint_distribution_of_each_class_is_the_pooled_one(session, disguised):
    _, seen, y = disguised
    channels = {name: CHANNELS[name] for name in ("salary", "age")}
    tree = session.tree(stop=Stop(max_depth=3), channels=channels, strategy="joint", intervals=5)
    counts = [
        (y == one).sum()
        * reconstruct_joint(seen.loc[y == one, list(channels)], channels, 5, HeldOutStop()).probabilities
        for one in session.project["classes"]
    ]
    assert [one.name for one in session.attributes] == list(channels)
    table = EstimatedTable.from_counts(session.attributes, session.project["classes"], np.stack(counts, axis=-1))
    expected = grow(table, "gini", Stop(max_depth=3))
    assert tree.counts == pytest.approx(expected.counts, abs=1e-6 * len(y))
    for name in ("attribute", "n_children", "routes"):
        assert getattr(tree, name).tolist() == getattr(expected, name).tolist()
    assert np.array_equal(tree.threshold, expected.threshold, equal_nan=True)
    assert [what for what, _ in session.openings] == ["seen cells"]


@pytest.mark.parametrize(
    ("theta", "groups", "bits"), [(0.8, 1, False), (0.4, 6, False), (0.9, 3, True), (1.0, 1, True)]
)
def test_answers_in_groups_give_the_pooled_tree(theta, groups, bits):
    table = data.load("votes")
    X = table.X.iloc[:, :6]
    if bits:
        X, values = data.BinaryCuts.of(X, table.listed).apply(X), None
    else:
        X = X.astype(object).fillna("?").astype("category")
        values = {name: list(X[name].cat.categories) for name in X}
    channel = GroupedResponse.divided(theta, list(X), groups, values)
    seen, y = channel.disguise(X, rng=3), table.y.astype(str)
    with parties.local(split(seen, y), "ring", limit=20) as session:
        tree = session.tree("gain", Stop(max_depth=3, min_gain=0), "multiway", channels=channel)
        [(what, cells)] = session.openings
    pooled = ResponseTreeClassifier(groups=channel, max_depth=3).fit(seen, y).tree_
    if bits:  # which the classifier takes as numbers, and cuts between 0 and 1
        for name in ("attribute", "n_children", "counts", "predicted"):
            assert getattr(tree, name).tolist() == getattr(pooled, name).tolist()
        assert tree.predict(X).tolist() == pooled.predict(X).tolist()
    else:
        assert tree.to_json() == pooled.to_json()
    # One sum of all cells is all that is opened.
    assert what == "seen cells"
    assert cells.sum() == len(y)
    assert cells.size == 2 * np.prod([one.k for one in channel.answers.values()])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"channels": {"nobody": UniformNoise(half_width=1, low=0, high=1)}}, "nobody"),
        ({"channels": 3}, "channels"),
        ({"channels": GroupedResponse(0.8, [["car"]])}, r"channels has groups of \['car'\]; expected all of"),
        ({"channels": {"car": RandomizedResponse(0.8)}}, "channels.*'car'.*expected"),
        ({"channels": CHANNELS, "strategy": "local"}, "strategy is 'local'"),
        ({"channels": CHANNELS, "opens": "tree"}, "opens is 'tree'.*channels=None"),
        (
            {"channels": CHANNELS, "epsilon": 1.0, "stop": Stop(max_depth=1)},
            "epsilon is given; expected true rows",
        ),
    ],
)
def test_wrong_channels_are_refused_and_the_session_goes_on(session, given, told):
    with pytest.raises((TypeError, ValueError), match=told):
        session.tree(**given)
    assert session.sum({site: [1] for site in session.project["sites"]}).tolist() == [3]
