"""Trees over rows that are held apart: in every array the tree that grows from all rows together."""

import warnings

import numpy as np
import pandas as pd
import pytest

from ppdm import data, parties
from ppdm.disguise import PrivacyWarning
from ppdm.tables import EstimatedTable
from ppdm.trees import Stop, grow

# Who can be read off is tested by itself.
pytestmark = pytest.mark.filterwarnings("ignore::ppdm.disguise.PrivacyWarning")


def quest(function, records=2000):
    X, y = data.quest(records, function, rng=function)
    return X.round(0), y


def votes():
    table = data.load("votes")
    X = table.X.astype(object).fillna("?").astype("category")
    order = np.argsort(table.y.to_numpy(), kind="stable")  # so that some parties lack a class
    return X.iloc[order].reset_index(drop=True), table.y.iloc[order].reset_index(drop=True)


def adult(records=2000):
    table = data.load("adult")
    kept = table.X.notna().all(axis=1).to_numpy().nonzero()[0][:records]
    wanted = ["age", "workclass", "education", "race", "sex", "hours-per-week"]
    X = table.X[wanted].iloc[kept].sort_values("workclass", kind="stable")  # so that some parties lack a category
    return X.reset_index(drop=True), table.y.iloc[kept].reindex(X.index).reset_index(drop=True)


def split(X, y, shares):
    """Rows of parties by parts of a hundred."""
    ends = np.cumsum(shares) * len(X) // 100
    return {
        f"clinic {place}": (X.iloc[low:high], y.iloc[low:high])
        for place, (low, high) in enumerate(zip([0, *ends], ends))
    }


CASES = {
    "function 1": (lambda: quest(1), (90, 5, 5), "shamir"),
    "function 2": (lambda: quest(2), (90, 5, 5), "ring"),
    "function 3": (lambda: quest(3), (40, 35, 25), "additive"),
    "function 4": (lambda: quest(4), (5, 90, 5), "mixer"),
    "function 5": (lambda: quest(5), (40, 30, 30), "masks"),
    "votes": (votes, (90, 5, 5), "shamir"),
    "adult": (adult, (90, 5, 5), "shamir"),
}
HERE = {}  # what the open session mines


@pytest.fixture(scope="module", params=CASES)
def session(request):
    """A session, with all rows beside it."""
    make, shares, engine = CASES[request.param]
    X, y = make()
    with parties.local(split(X, y, shares), engine, limit=20) as session:
        HERE.update(X=X, y=y, name=request.param)
        yield session


def pooled(session, criterion="gini", stop=None, nominal="binary", X=None, y=None):
    """The tree of all rows together."""
    X, y = (HERE["X"], HERE["y"]) if X is None else (X, y)
    table = EstimatedTable.from_records(session.attributes, X, y, session.project["classes"])
    return grow(table, criterion, stop, nominal)


def numbers(session, what):
    """The opened numbers of a kind."""
    return [found for opened, found in session.openings if opened == what]


def compare(session, criterion, stop=None, nominal="binary", **more):
    tree = session.tree(criterion, stop, nominal, **more)
    assert tree.to_json() == pooled(session, criterion, stop, nominal).to_json()
    return tree


@pytest.mark.parametrize("criterion", ["gini", "gain"])
@pytest.mark.parametrize("nominal", ["binary", "multiway"])
def test_a_tree_to_purity_is_the_pooled_one(session, criterion, nominal):
    tree = compare(session, criterion, None, nominal)
    assert tree.depth > 2


@pytest.mark.parametrize(
    "stop",
    [
        Stop(max_depth=4, min_records=50),
        Stop(max_depth=0),
        Stop(min_leaf=30, purity=0.9),
        Stop(min_gain=0.01, least_errors=20),
        Stop(min_gain=0, max_depth=3),
    ],
    ids=str,
)
def test_stops_are_those_of_the_pooled_tree(session, stop):
    compare(session, "gini", stop)
    compare(session, "gain", stop, "multiway")


def test_cuts_by_counts_give_the_pooled_tree_and_about_equal_parts(session):
    tree = compare(session, "gini", Stop(max_depth=4), cuts="counts", intervals=8)
    assert [*tree.attributes]
    X, checked = HERE["X"], 0
    for one in session.attributes:
        if one.edges is not None and X[one.name].nunique() > 500:
            # Cuts stand on a grid of a thousandth of the range, in which no cell has more records than these.
            densest = np.histogram(X[one.name], 1000)[0].max()
            counts = np.bincount(one.encode(X[one.name]), minlength=one.n_values)
            if densest < len(X) / 100:
                assert np.abs(counts - len(X) / 8).max() <= 2 * densest
                checked += 1
    assert checked or not HERE["name"].startswith("function")


def test_own_cuts_and_numbers_of_intervals(session):
    own = [one for one in HERE["X"] if pd.api.types.is_numeric_dtype(HERE["X"][one])][:2]
    if not own:
        compare(session, "gini", Stop(max_depth=2), intervals=5)
        return
    low, high = HERE["X"][own[0]].quantile([0.3, 0.6])
    compare(session, "gini", Stop(max_depth=3), intervals={own[0]: [low, high], own[1]: 4})
    widths = {one.name: one.n_values for one in session.attributes}
    assert widths[own[0]] == 3
    assert widths[own[1]] == 4


def test_intervals_divide_the_public_domain(session):
    session.tree(stop=Stop(max_depth=1))
    for one in session.attributes:
        domain = session.project["columns"][one.name]
        if one.edges is None:
            assert list(one.categories) == domain["categories"]
        elif not domain["step"] or domain["high"] - domain["low"] >= 20 * domain["step"]:
            edges = np.linspace(domain["low"], domain["high"], 21)[1:-1]
            assert np.allclose(one.edges, edges)
        else:  # fewer values than intervals: each value has one
            assert one.n_values == domain["high"] - domain["low"] + 1


def test_all_that_is_opened_are_sums_of_what_the_tree_asks_for(session):
    tree = session.tree(stop=Stop(max_depth=3, min_records=20))
    width = sum(one.n_values for one in session.attributes)
    [classes] = numbers(session, "classes")
    assert classes.ravel().tolist() == [sum(HERE["y"] == one) for one in session.project["classes"]]
    histograms = numbers(session, "histograms")
    assert {one for one, _ in session.openings} <= {"classes", "histograms"}
    assert all(one.shape[::2] == (2, width) for one in histograms)
    opened = sum(one.shape[1] for one in histograms)
    inner = (tree.n_children > 0).sum()
    assert inner <= opened <= len(tree.n_children)
    table = session.opened
    assert table["numbers"].sum() == classes.size + 2 * width * opened
    assert table["ones"].sum() == sum((one == 1).sum() for one in [classes, *histograms])


def opened_nodes(tree, stop, X, y):
    """The records of each node that the growing tree looked at, node by node, from raw values alone."""
    rows = {0: np.arange(len(X))}
    routes = np.split(tree.routes, np.cumsum([len(tree.routes_of(node)) for node in range(len(tree.counts))]))
    first, classes, values = 1, np.asarray(y), X.to_numpy(object)
    for node in range(len(tree.counts)):
        own = rows[node]
        counts = np.unique(classes[own], return_counts=True)[1]
        depth = len(tree.path(node)) - 1
        mixed = len(counts) > 1 and counts.max() < stop.purity * counts.sum()
        if mixed and len(own) >= stop.min_records and (stop.max_depth is None or depth < stop.max_depth):
            yield own
        if not tree.n_children[node]:
            continue
        column = values[own, tree.attribute[node]]
        if np.isnan(tree.threshold[node]):
            categories = list(tree.attributes[tree.attribute[node]].categories)
            goes = np.array([routes[node][categories.index(one)] for one in column])
        elif tree.kinds[node] == "ordered":
            categories = list(tree.attributes[tree.attribute[node]].categories)
            goes = np.array([categories.index(one) >= tree.threshold[node] for one in column]).astype(int)
        else:
            goes = (column >= tree.threshold[node]).astype(int)
        for child in range(tree.n_children[node]):
            rows[first + child] = own[goes == child]
        first += tree.n_children[node]


@pytest.mark.parametrize("stop", [Stop(), Stop(min_records=20), Stop(max_depth=3), Stop(min_records=50)], ids=str)
def test_the_people_who_can_be_read_off_are_those_alone_of_their_class_in_an_opened_node(session, stop):
    X, y = HERE["X"], HERE["y"]
    with warnings.catch_warnings(record=True, action="always", category=PrivacyWarning) as told:
        tree = session.tree(stop=stop)
    alone = set()
    for own in opened_nodes(tree, stop, X, y):
        for of_class in session.project["classes"]:
            one = own[np.asarray(y)[own] == of_class]
            if len(one) == 1:
                alone.add(one[0])
    codes = np.array([one.encode(X[one.name]) for one in session.attributes]).T
    expected = {(*codes[one], np.asarray(y)[one]) for one in alone}
    found = session.people()
    shown = {
        one.name: [
            one.encode(pd.Series([value]))[0]
            if one.edges is None
            else int(np.searchsorted(one.edges, value.left, side="right"))
            for value in found[one.name]
        ]
        for one in session.attributes
    }
    shown = {
        (*(shown[one.name][row] for one in session.attributes), found["class"].iloc[row])
        for row in range(len(found))
    }
    assert shown == expected
    assert len(found) == len(expected)
    of_people = [one for one in told if "can be read off" in str(one.message)]
    assert len(of_people) == (len(expected) > 0)
    if expected:
        who = "1 person" if len(expected) == 1 else f"{len(expected)} people"
        assert str(of_people[0].message).startswith(f"{who} can be read off")


# Nothing is opened but the tree


def closed(session):
    """Whether the session can compare cuts without opening counts."""
    if HERE["name"] == "adult":
        with pytest.raises(
            ValueError, match=r"opens is 'tree'.*expected no more than two names.*workclass.*race"
        ):
            session.tree(opens="tree")
    return HERE["name"] == "function 1"


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_the_closed_tree_is_the_pooled_one_and_only_its_classes_are_opened(session, depth):
    if not closed(session):
        return
    stop = Stop(max_depth=depth)
    tree = compare(session, "gini", stop, opens="tree")
    # Right children follow from left ones: what is opened says the classes of the tree's nodes, and no more.
    [classes] = numbers(session, "classes")
    sides = numbers(session, "sides of cuts")
    assert {one for one, _ in session.openings} <= {"classes", "sides of cuts"}
    assert classes.size + 2 * sum(one.size for one in sides) == tree.counts.size
    lefts = tree.counts[1::2].astype(int).tolist()
    assert np.concatenate([one.T for one in sides] or [np.empty((0, 2))]).astype(int).tolist() == lefts
    assert session.people().empty


@pytest.mark.parametrize(
    ("given", "lacking"),
    [
        ({"criterion": "gain"}, 'criterion="gini"'),
        ({"stop": Stop(min_leaf=5)}, "min_leaf=1"),
        ({"stop": Stop(max_depth=2), "epsilon": 1.0}, "epsilon=None"),
    ],
)
def test_what_the_closed_tree_cannot_do_is_refused_with_the_way_out(session, given, lacking):
    with pytest.raises(ValueError, match=r"opens is 'tree'.*expected.*" + lacking):
        session.tree(opens="tree", **given)
    if session.project["engine"] != "shamir":
        with pytest.raises(ValueError, match='engine="shamir"'):
            session.tree(opens="tree")


@pytest.fixture(scope="module")
def tied():
    """Columns that divide the records in the same way, an order, two names, and three classes."""
    rng = np.random.default_rng(5)
    one = rng.integers(0, 6, 240)
    X = pd.DataFrame(
        {
            "a": one,
            "b": 5 - one,
            "c": np.where(one > 2, "x", "y"),
            "d": pd.Categorical(np.array([*"LMH"])[one // 2], [*"LMH"], ordered=True),
            "e": one,
            "f": 7.25,
        }
    )
    y = pd.Series(np.where(one > 2, "p", np.where(rng.random(240) < 0.4, "q", "r")))
    with parties.local(split(X, y, (50, 30, 20)), limit=20) as session:
        yield session, X, y


def test_ties_go_where_they_go_in_the_pooled_tree(tied):
    session, X, y = tied
    for stop in (Stop(max_depth=1), Stop(max_depth=3), Stop(max_depth=3, min_records=60)):
        for opens in ("tree", "histograms"):
            tree = session.tree(stop=stop, opens=opens)
            assert tree.to_json() == pooled(session, "gini", stop, X=X, y=y).to_json()
            assert tree.attribute[0] == 0
    session.tree(stop=stop, cuts="counts", intervals=3)
    assert session.attributes[5].n_values == 1  # all have the same number


def test_five_parties_of_which_one_has_nothing_agree_on_a_closed_tree():
    X, y = quest(2, 800)
    held = split(X, y, (90, 5, 3, 2)) | {"nobody": None}
    with parties.local(held, limit=30) as session:
        tree = session.tree(stop=Stop(max_depth=2), opens="tree", intervals=6)
        assert tree.to_json() == pooled(session, "gini", Stop(max_depth=2), X=X, y=y).to_json()
        tree = session.tree(stop=Stop(max_depth=3), intervals=6)
        assert tree.to_json() == pooled(session, "gini", Stop(max_depth=3), X=X, y=y).to_json()
        assert session.records == {name: len(own[0]) for name, own in held.items() if own}
