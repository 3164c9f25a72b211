"""The similarity of trees: cases worked out by hand, all matchings by brute force, symmetry, and 1 for equals alone."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from sklearn.tree import DecisionTreeClassifier

from ppdm.data import load
from ppdm.measure import tree_similarity
from ppdm.reconstruct import Attribute
from ppdm.trees import C45Classifier, GiniTreeClassifier, Tree

X = pd.DataFrame({"x": np.arange(1, 101)}).assign(z=lambda own: 2 * own["x"], w=lambda own: own["x"] % 2)
seeds = st.integers(0, 2**32 - 1)


def tree(rules, c45=True):
    """A tree from "p", a leaf, or (name, cut, below, above), with the records of X as counts."""
    nodes, level = [], [rules]
    while level:
        nodes += level
        level = [child for node in level if isinstance(node, tuple) for child in node[2:]]
    inner = [isinstance(node, tuple) for node in nodes]
    names = list(X)
    return Tree(
        tuple(Attribute(name, "numeric", 2) for name in names),
        np.array(["p", "q"]),
        np.array([[1, 1] if own else [node == "p", node == "q"] for own, node in zip(inner, nodes, strict=True)]),
        np.array([names.index(node[0]) if own else -1 for own, node in zip(inner, nodes, strict=True)]),
        np.array([node[1] if own else np.nan for own, node in zip(inner, nodes, strict=True)], dtype=float),
        2 * np.array(inner),
        np.empty(0, dtype=int),
        c45=c45,
    )


STUMP = ("x", 50, "p", "q")
# Both trees, the similarity of what their rules cover, and S.
CASES = {
    "same tree": (STUMP, STUMP, 1, 1),
    "leaves of one class": ("p", "p", 1, 1),
    "leaves of two classes": ("p", "q", 0, 0),
    "a leaf and a stump": ("p", ("x", 60, "p", "q"), 0.48, 0.288),
    "two thresholds": (STUMP, ("x", 60, "p", "q"), 0.8183, 0.7365),
    "same parts by another attribute": (STUMP, ("z", 100, "p", "q"), 1, 0.5),
    "classes swapped": (STUMP, ("x", 50, "q", "p"), 0, 0),
    "a leaf divided for nothing": (STUMP, ("x", 50, ("x", 25, "p", "p"), "q"), 0.6875, 0.6406),
    "an attribute that has nothing to do with it": (STUMP, ("w", 0, "p", "q"), 0.3333, 0.1667),
    "three rules and two": (("x", 30, "p", ("x", 70, "q", "p")), ("x", 30, "p", "q"), 0.6143, 0.52),
}


@pytest.mark.parametrize("case", CASES)
def test_known_cases(case):
    one, other, cover, score = CASES[case]
    for a, b in ((one, other), (other, one)):
        found = tree_similarity(tree(a), tree(b), X)
        assert found.cover == pytest.approx(cover, abs=1e-4)
        assert found.score == float(found) == pytest.approx(score, abs=1e-4)
        assert (found.score > 1 - 1e-12) == (one == other)


def test_every_part_by_hand():
    found = tree_similarity(tree(STUMP), tree(("x", 60, "p", "q")), X)
    rand = adjusted_rand_score(X["x"] <= 50, X["x"] <= 60)
    expected = {
        "score": 0.7365,
        "cover": 0.55 * 50 / 60 + 0.45 * 40 / 50,
        "root": 1,
        "attributes": 1,
        "kept": 0,
        "shift": 0.1,
        "new": 0,
        "agreement": 0.9,
        "rand": rand,
        "leaves": 1,
    }
    assert found.parts() == pytest.approx(expected, abs=1e-12)
    assert found.rules.round(4).to_dict("list") == {
        "leaf_a": [1, 2],
        "leaf_b": [1, 2],
        "records_a": [50, 50],
        "records_b": [60, 40],
        "overlap": [0.8333, 0.8],
        "conditions": [0.9, 0.9],
        "fate": ["moved", "moved"],
    }
    assert repr(found).endswith("; root same, attributes 1, kept 0, new 0, agreement 0.9)")


def test_the_same_rules_are_kept_and_others_are_new():
    near = tree_similarity(tree(STUMP), tree(("x", 52, "p", "q")), X)
    assert (near.kept, near.new, near.shift) == pytest.approx((1, 0, 0.02))
    assert near.rules["fate"].tolist() == ["kept", "kept"]
    stump = tree_similarity(tree("p"), tree(("x", 60, "p", "q")), X)
    assert (stump.kept, stump.new, stump.root, stump.attributes) == pytest.approx((0, 0.4, False, 0))
    assert stump.leaves == 2
    back = tree_similarity(tree(("x", 60, "p", "q")), tree("p"), X)
    assert (back.new, back.leaves) == (0, 0.5)
    # A rule that overlaps by less than half counts as new, though it is matched.
    less = tree_similarity(tree("p"), tree(("x", 40, "p", "q")), X)
    assert less.new == 1
    assert less.rules["overlap"].tolist() == [0.4]
    assert less.rules["fate"].tolist() == ["in one tree only"]


def test_attributes_are_weighted_by_the_records_that_they_test():
    one = tree(("x", 50, ("z", 40, "p", "q"), "q"))  # x tests 100 records, z 50
    assert tree_similarity(one, tree(STUMP), X).attributes == pytest.approx(2 / 3)
    assert tree_similarity(one, tree(("z", 40, "p", ("x", 50, "q", "q"))), X).attributes == pytest.approx(
        4 / 9 + 1 / 3
    )
    assert tree_similarity(tree("p"), tree("q"), X).attributes == 1  # nothing and nothing
    assert tree_similarity(tree("p"), tree("q"), X).root


def test_the_shift_is_measured_on_attributes_that_both_test():
    one, other = tree(STUMP), tree(("z", 100, "p", "q"))
    assert tree_similarity(one, other, X).shift == 0
    assert tree_similarity(tree("p"), tree("q"), X).shift == 0


@pytest.mark.parametrize("name", ["pima", "wbc", "votes"])
def test_a_tree_equals_itself_on_any_table(name):
    table = load(name)
    model = C45Classifier().fit(table.X, table.y)
    found = tree_similarity(model, model.tree_, table.X)
    assert found.parts() == pytest.approx(dict.fromkeys(found.parts(), 1) | {"shift": 0, "new": 0}, abs=1e-12)


# ---- against brute force


def table_of(seed, n=60):
    """Numbers, categories in an order and without, some of them missing; and classes that lean on them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "n": rng.integers(0, 6, n).astype(float),
            "m": rng.integers(0, 4, n),
            "c": pd.Categorical(rng.choice(list("uvw"), n)),
            "o": pd.Categorical(rng.choice([3, 1, 2], n), categories=[3, 1, 2], ordered=True),
        }
    )
    lean = frame["n"] + 2 * frame["c"].isin(["u"]) + frame["o"].cat.codes + rng.normal(size=n)
    y = np.where(lean > lean.median(), "p", "q")
    return frame.mask(rng.random(frame.shape) < 0.08), y


def rules_of(tree, frame):
    """By the regions: of each leaf its records, its class, and for each attribute who meets its condition."""
    leaf = tree.apply(frame)
    found = []
    for node, region in tree.regions().items():
        meets = {
            name: np.array([pd.isna(value) or value in own for value in frame[name]])
            for name, own in region.items()
        }
        found.append((leaf == node, tree.classes[tree.predicted[node]], meets))
    return found


def by_brute_force(one, other, frame):
    """S and S of the covers, as the largest sum over all matchings."""
    n = len(frame)
    a, b = sorted((rules_of(one, frame), rules_of(other, frame)), key=len)
    everybody = np.ones(n, bool)
    cover, score = np.zeros((len(a), len(b))), np.zeros((len(a), len(b)))
    for (i, (rows, label, meets)), (j, (others, second, also)) in itertools.product(enumerate(a), enumerate(b)):
        if label == second and (rows | others).any():
            cover[i, j] = (rows.sum() + others.sum()) / (2 * n) * (rows & others).sum() / (rows | others).sum()
            names = meets.keys() | also.keys()
            agree = [(meets.get(name, everybody) == also.get(name, everybody)).mean() for name in names]
            score[i, j] = cover[i, j] * (np.mean(agree) if names else 1)
    order = range(len(a))
    matchings = list(itertools.permutations(range(len(b)), len(a)))
    return tuple(max(worth[order, chosen].sum() for chosen in matchings) for worth in (score, cover))


def grown(seed, frame, y, builder):
    """A tree of at most some leaves, from records of which some classes changed."""
    rng = np.random.default_rng(seed)
    noisy = np.where(rng.random(len(y)) < 0.2, rng.permutation(y), y)
    if builder == "C4.5":
        return C45Classifier(min_leaf=6).fit(frame, noisy).tree_
    return GiniTreeClassifier(prune=None, min_records=25).fit(frame, noisy).tree_


@settings(max_examples=40)
@given(seed=seeds, builders=st.tuples(*[st.sampled_from(["C4.5", "Gini"])] * 2))
def test_the_matching_is_the_best_of_all(seed, builders):
    frame, y = table_of(seed)
    if "Gini" in builders:
        frame = frame.dropna().reset_index(drop=True)
        y = y[: len(frame)]
    one, other = (grown(seed + place, frame, y, builder) for place, builder in enumerate(builders))
    if min(len(one.leaves()), len(other.leaves())) > 6 or max(len(one.leaves()), len(other.leaves())) > 8:
        return
    found = tree_similarity(one, other, frame)
    assert (found.score, found.cover) == pytest.approx(by_brute_force(one, other, frame))
    assert found.agreement == pytest.approx((one.predict(frame) == other.predict(frame)).mean())
    assert found.rand == pytest.approx(adjusted_rand_score(one.apply(frame), other.apply(frame)))
    # Each rule has one partner at most, and worth adds up.
    assert found.rules["leaf_a"].is_unique
    assert found.rules["leaf_b"].is_unique
    weight = (found.rules["records_a"] + found.rules["records_b"]) / (2 * len(frame))
    assert (weight * found.rules["overlap"] * found.rules["conditions"]).sum() == pytest.approx(found.score)


@settings(max_examples=40)
@given(seed=seeds)
def test_it_is_symmetric_bounded_and_1_for_equals_alone(seed):
    frame, y = table_of(seed)
    one, other = (grown(seed + place, frame, y, "C4.5") for place in range(2))
    found, back = tree_similarity(one, other, frame), tree_similarity(other, one, frame)
    assert found.score == pytest.approx(back.score, abs=1e-12)
    assert found.cover == pytest.approx(back.cover, abs=1e-12)
    assert -1e-12 <= found.score <= found.cover + 1e-12 <= 1 + 2e-12
    for name in ("root", "attributes", "agreement", "rand"):
        assert getattr(found, name) == pytest.approx(getattr(back, name))
    assert found.leaves == pytest.approx(1 / back.leaves)
    # Equal on these records: every record in an equal rule, whose conditions nobody of all records tells apart.
    first, second = rules_of(one, frame), rules_of(other, frame)

    def key(rules):
        everybody = [True] * len(frame)
        return {
            (
                rows.tobytes(),
                label,
                tuple(
                    sorted(
                        (name, tuple(own.tolist())) for name, own in meets.items() if own.tolist() != everybody
                    )
                ),
            )
            for rows, label, meets in rules
            if rows.any()
        }

    assert (found.score > 1 - 1e-9) == (key(first) == key(second))


# ---- any trees and tables


def test_trees_of_any_builder_are_compared():
    table = load("pima")
    trees = [
        C45Classifier(min_leaf=30).fit(table.X, table.y),
        GiniTreeClassifier().fit(table.X, table.y),
        DecisionTreeClassifier(max_depth=3, random_state=0).fit(table.X, table.y),
        DecisionTreeClassifier(max_depth=3, random_state=0).fit(table.X.to_numpy(), table.y),
    ]
    scores = np.array([[tree_similarity(a, b, table.X).score for a in trees] for b in trees])
    assert np.diag(scores) == pytest.approx(1)
    assert scores == pytest.approx(scores.T, abs=1e-12)
    assert scores[2, 3] == pytest.approx(1)
    assert scores[0, 1] < 1
    # The order of columns and others beside them do not matter where names are known.
    mixed = table.X[table.X.columns[::-1]].assign(more="text")
    assert tree_similarity(*trees[:2], mixed).score == pytest.approx(scores[0, 1])


def test_arrays_are_read_in_the_order_of_the_attributes():
    table = load("pima")
    array = table.X.to_numpy()
    models = [DecisionTreeClassifier(max_depth=depth, random_state=0).fit(array, table.y) for depth in (2, 3)]
    expected = tree_similarity(*models, table.X).score
    assert tree_similarity(*models, array).score == expected
    assert tree_similarity(*models, array.tolist()).score == expected
    named = [C45Classifier(min_leaf=leaf).fit(table.X, table.y) for leaf in (20, 40)]
    assert tree_similarity(*named, array).score == tree_similarity(*named, table.X).score
    for wrong in (array[:, :3], array[0], array[None], 5, "text", array[:0]):
        with pytest.raises(ValueError, match=r"^X has .*; expected"):
            tree_similarity(*named, wrong)


@pytest.mark.parametrize("dtype", ["Int64", "float32", "uint8", "category"])
def test_numbers_of_any_dtype_are_compared(dtype):
    found = tree_similarity(tree(STUMP), tree(("x", 60, "p", "q")), X.astype(dtype))
    assert found.score == pytest.approx(0.7365)


def test_a_number_that_a_tree_takes_for_categories():
    """One tree cuts a number, or takes it for names; records may come as numbers or as categories."""
    frame = pd.DataFrame({"x": [1, 2, 3, 4] * 10})
    y = np.where(frame["x"] > 2, "p", "q")
    names = frame.astype("category")
    cut, named = C45Classifier().fit(frame, y), C45Classifier().fit(names, y)
    assert len(named.tree_.leaves()) == 4
    for records in (frame, names):
        assert tree_similarity(named, named, records).score == pytest.approx(1)
        found = tree_similarity(cut, named, records)
        # Each half meets a quarter: J = ½, weights ¾ · ½; their conditions agree on three quarters.
        assert (found.cover, found.score) == pytest.approx((2 * 0.375 * 0.5, 2 * 0.375 * 0.5 * 0.75))


def test_classes_are_compared_as_they_are():
    frame = X[["x"]]
    words = C45Classifier().fit(frame, np.where(frame["x"] > 50, "1", "0"))
    numbers = C45Classifier().fit(frame, (frame["x"] > 50).astype(int))
    assert tree_similarity(words, numbers, frame).score == 0
    flags = C45Classifier().fit(frame, pd.Series(frame["x"] > 50, dtype="boolean"))
    assert tree_similarity(flags, flags, frame).score == pytest.approx(1)


def test_a_single_record_and_missing_values():
    frame, y = table_of(3)
    one, other = (grown(place, frame, y, "C4.5") for place in (1, 2))
    assert tree_similarity(one, one, frame.iloc[:1]).score == pytest.approx(1)
    nobody = frame.mask(np.ones(frame.shape, bool))
    assert tree_similarity(one, one, nobody).score == pytest.approx(1)
    assert 0 <= tree_similarity(one, other, nobody).score <= 1
    indexed = frame.set_axis(np.zeros(len(frame), int))
    assert tree_similarity(one, other, indexed).score == tree_similarity(one, other, frame).score


def test_large_trees_are_compared():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(5000, 6)))
    frame.columns = list("abcdef")
    y = rng.integers(0, 2, 5000)
    models = [
        DecisionTreeClassifier(max_leaf_nodes=1000, random_state=seed).fit(
            frame, rng.permutation(y) if seed else y
        )
        for seed in range(2)
    ]
    found = tree_similarity(*models, frame)
    assert found.leaves == 1
    assert 0 < found.score < found.cover < 1
    assert tree_similarity(models[0], models[0], frame).score == pytest.approx(1)


@pytest.mark.parametrize("name", ["tree_a", "tree_b"])
@pytest.mark.parametrize("wrong", [None, C45Classifier(), C45Classifier, "text"])
def test_what_is_no_tree_is_refused_by_its_name(name, wrong):
    trees = {"tree_a": tree(STUMP), "tree_b": tree(STUMP)} | {name: wrong}
    with pytest.raises(TypeError, match=f"^{name} is .*; expected a Tree, a fitted classifier"):
        tree_similarity(**trees, X=X)


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"the tree names 'x', which the table does not have"):
        tree_similarity(tree(STUMP), tree(STUMP), X[["z"]])
