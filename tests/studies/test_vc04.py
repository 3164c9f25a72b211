"""The measures of notebook 05: what parties open, what noise costs, attacks, and a ledger that follows the results."""

import numpy as np
import pytest

from ppdm import randomness
from ppdm.data import quest
from ppdm.disguise import PrivacyWarning
from ppdm.parties import local
from ppdm.studies import vc04
from ppdm.trees import Stop, grow


def rng():
    return np.random.default_rng(1)


def thirds(X, y):
    """The records of three parties, who have a third each."""
    return {name: (X[place::3], y[place::3]) for place, name in enumerate("abc")}


def same(tree, other):
    arrays = ("counts", "attribute", "threshold", "n_children", "routes")
    return all(np.array_equal(getattr(tree, one), getattr(other, one), equal_nan=True) for one in arrays)


@pytest.mark.parametrize("honest", [1, 2])
def test_parts_of_noise_add_up_to_a_geometric_law_on_both_sides(honest):
    source, epsilon, n = rng(), 0.5, 200_000
    noise = sum(randomness.part_of_noise((n,), epsilon, honest, source) for _ in range(honest))
    values = np.arange(-8, 9)
    law = np.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(values))
    seen = (noise[:, None] == values).mean(axis=0)
    assert np.abs(seen - law).max() < 5 * np.sqrt(law.max() / n)  # five standard errors of the largest share


def test_parties_open_in_processes_what_the_study_counts_in_one():
    X, y = quest(600, 2, rng=rng())
    table = vc04.Opened(vc04.coded(X, y))
    tree = grow(table)
    domains = {name: tuple(domain.values()) for name, domain in vc04.QUEST_DOMAINS.items()}
    with local(thirds(X, y), "ring", domains) as session:
        with pytest.warns(PrivacyWarning, match="people can be read off"):
            grown = session.tree()
        assert same(grown, tree)
        _, *histograms = session.openings
        assert [one.name for one in session.attributes] == [one.name for one in table.attributes]
        shown = session.people()
    assert all(
        np.array_equal(own, one) for own, (_, one) in zip(table.histograms_of_all, histograms, strict=True)
    )
    found = vc04.people(table.histograms_of_all, [one.n_values for one in table.attributes])
    assert len(found) == len(shown) > 0


def test_whom_histograms_show_are_people_of_the_table():
    X, y = quest(600, 2, rng=rng())
    table = vc04.Opened(vc04.coded(X, y), first=200)
    grow(table)
    widths = [one.n_values for one in table.attributes]
    known = {*zip(*table.own.codes.tolist(), table.own.class_codes.tolist())}
    others = {*zip(*table.own.codes[:, 200:].tolist(), table.own.class_codes[200:].tolist())}
    assert set(map(tuple, vc04.people(table.histograms_of_all, widths).tolist())) < known
    assert set(map(tuple, vc04.people(table.histograms_of_others, widths).tolist())) < others


def test_less_is_opened_by_larger_nodes_and_by_fewer_levels():
    whole = vc04.opened(2, 2, "to purity", rng())
    large, shallow = vc04.opened(2, 50, "to purity", rng()), vc04.opened(2, 2, "depth 4", rng())
    assert whole["people"] > 100 > large["people"]
    assert whole["numbers"] > large["numbers"] > shallow["numbers"]
    # 154 values in two classes for each node that is not at the last level; and the two classes of the root.
    assert (shallow["numbers"] - 2) % (2 * 154) == 0


def test_much_noise_is_a_guess_and_little_noise_changes_nothing():
    X, y = quest(3_000, 1, rng=rng())
    table = vc04.coded(X, y)
    plain = grow(table, stop=Stop(max_depth=2))
    right = [
        float((vc04.private_tree(table, epsilon, 2, rng()).predict(X) == y).mean()) for epsilon in (1e-3, 1e4)
    ]
    assert right[0] < 0.75
    assert right[1] == float((plain.predict(X) == y).mean())


def test_noise_and_disguise_meet_the_same_records():
    found = vc04.disguised(1, 2_000, "Gaussian", 1.0, rng())
    assert found["1/epsilon"] == pytest.approx(1 / 23.7, rel=0.01)
    assert found["byclass"] < found["original"]
    assert vc04.noise(1, 2_000, 2, rng()).keys() == {"no noise", *(f"ε = {one:g}" for one in vc04.EPSILONS)}
