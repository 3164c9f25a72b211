"""The measures of notebook 05: what parties open, what noise costs, attacks, and a ledger that follows the results."""

from pathlib import Path
from threading import BrokenBarrierError

import numpy as np
import pytest

from ppdm import randomness
from ppdm.data import quest
from ppdm.disguise import PrivacyWarning
from ppdm.information import people_in
from ppdm.parties import local
from ppdm.studies import as00, vc04, vc04_attacks, vc04_closing, vc04_cost, vc04_ledger, vc04_told
from ppdm.trees import Stop, grow

RESULTS = Path(__file__).resolve().parents[2] / "notebooks" / "results"


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
    found = people_in(table.histograms_of_all, [one.n_values for one in table.attributes])
    assert len(found) == len(shown) > 0


def test_whom_histograms_show_are_people_of_the_table():
    X, y = quest(600, 2, rng=rng())
    table = vc04.Opened(vc04.coded(X, y), first=200)
    grow(table)
    widths = [one.n_values for one in table.attributes]
    known = {*zip(*table.own.codes.tolist(), table.own.class_codes.tolist())}
    others = {*zip(*table.own.codes[:, 200:].tolist(), table.own.class_codes[200:].tolist())}
    assert set(map(tuple, people_in(table.histograms_of_all, widths).tolist())) < known
    assert set(map(tuple, people_in(table.histograms_of_others, widths).tolist())) < others


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
    stop = Stop(max_depth=2)
    plain = grow(table, stop=stop)
    trees = [grow(vc04.private(table, epsilon, 2, rng()), stop=stop) for epsilon in (1e-3, 1e4)]
    right = [float((tree.predict(X) == y).mean()) for tree in trees]
    assert right[0] < 0.75
    assert right[1] == float((plain.predict(X) == y).mean())


def test_noise_and_disguise_meet_the_same_records():
    found = vc04.disguised(1, 2_000, "Gaussian", 1.0, rng())
    assert found["1/epsilon"] == pytest.approx(1 / 23.7, rel=0.01)
    assert found["byclass"] < found["original"]
    assert vc04.noise(1, 2_000, 2, rng()).keys() == {"no noise", *(f"ε = {one:g}" for one in vc04.EPSILONS)}


def test_what_is_sent_follows_the_formulas():
    sums = {name: vc04_cost.WAYS[name] for name in vc04_cost.WAYS if name.startswith("sum, shamir, 3")}
    for name, way in sums.items():
        found = vc04_cost.cost(name, rng())
        withstood = (way.parties - 1) // 2
        assert found["bytes"] == found["least"] == (way.parties - 1 + withstood) * (8 * vc04_cost.COUNTS + 12)
        assert (found["messages"], found["opened"], found["equal"]) == (3, vc04_cost.COUNTS, 1)


def test_rounds_are_counted_by_the_latency():
    # A ring of three: from one to the next, back to the first, and from there to all.
    assert vc04_cost.seconds("sum, ring, 3 parties, 30,000 records", rng())["rounds"] == 4


@pytest.mark.parametrize("attack", vc04_attacks.ATTACKS)
def test_an_attack_reads_all_at_its_threshold_and_nothing_below(attack):
    found = vc04_attacks.attacks(attack, rng())
    whole = ("two neighbours", "one site", "of two", "t + 1", "pairs: late", "seeds", "runs: ", "product")
    if any(name in attack for name in whole):
        assert found["read"] == 1
    elif "10,000" not in attack and "cells" not in attack:
        # Five standard errors of a guess.
        guessed, secrets = found["guessed"], found["secrets"]
        assert found["read"] <= guessed + 5 * np.sqrt(guessed * (1 - guessed) / secrets)


def test_attacks_read_what_went_over_the_wires():
    secret = {"a": [3, 1], "b": [4, 1], "c": [5, 9]}
    with local(dict.fromkeys(secret), "ring") as session:
        session.sum(secret)
        first, last = session.view("a"), session.view("c")
    came = first[first["way"] == "sent"]["words"].iloc[0]
    went = last[last["way"] == "received"]["words"].iloc[0]
    assert vc04_attacks.neighbours(came, went).tolist() == secret["b"]


def test_ways_of_the_closing_table_meet_the_same_records():
    found = {way: vc04_closing.closing(2, way, rng()) for way in ("pooled", "mixer", "Shamir, ε = 1")}
    assert found["mixer"]["accuracy"] == found["pooled"]["accuracy"]
    assert found["mixer"]["opened"] < found["pooled"]["opened"]
    # With noise about as much is sent: the trees differ.
    assert 2 < found["Shamir, ε = 1"]["bytes"] / found["mixer"]["bytes"] < 5


@pytest.fixture(scope="module")
def results():
    return vc04_ledger.read(RESULTS)


def test_the_ledger_follows_the_results(results):
    claims = vc04_ledger.ledger(results).to_frame().set_index("claim")["verdict"]
    assert claims["V1a"] == claims["V1b"] == claims["V2a"] == "holds"
    # If everybody could be read off in small trees, if noise cost much, if attacks read nothing: verdicts turn round.
    others = {**results, "opened": results["opened"].assign(people=9), "cost": results["cost"].assign(equal=0)}
    others["attacks"] = results["attacks"].assign(read=0.0)
    others["noise"] = results["noise"].assign(**{"ε = 1": 0.5})
    turned = vc04_ledger.ledger(others).to_frame().set_index("claim")["verdict"]
    for claim in ("V1a", "V1b", "V3b", "V3c", "V4b", "V7a", "V7b", "V8a"):
        assert turned[claim] == "does not hold", claim
    assert turned["V5a"] == turned["V5c"] == "holds"


def test_the_closing_table_has_a_row_for_each_way(results):
    table = vc04_closing.closing_table(results, results["seconds"])
    assert list(table.index) == list(vc04_closing.WAYS)
    assert not table.isna().any(axis=None)
    # What is told of ε is what the channel says.
    epsilon = as00.channels_at("Gaussian", 1.0)["age"].epsilon(vc04.DELTA)
    assert table.loc["AS00 by class, 100 %", "epsilon"].startswith(f"{epsilon:.0f} ")


def test_figures_show_what_they_are_given_and_say_it_in_words(results):
    counts = np.array([[4, 0], [1, 9]])
    words = np.array([[2**63, 2**40], [2**62, 2**63]], dtype=np.uint64)
    picture = vc04_told.maps_told({"has": counts, "sees": words}, ["age", "loan"], "Two maps")
    has, sees = (np.asarray(ax.collections[0].get_array()).reshape(2, 2) for ax in picture.axes)
    np.testing.assert_allclose(has, np.sqrt(counts / 9))
    np.testing.assert_allclose(sees, words / 2.0**63)
    assert picture._repr_png_()[1] == {
        "alt": "Two maps. has: counts up to 9, cells with one: 1; sees: grey noise"
    }
    by_class = vc04_told.maps_told({"has": np.stack([0 * counts, counts])}, ["age", "loan"], "")
    assert np.ravel(by_class.axes[0].collections[0].get_array()).tolist() == has.ravel().tolist()

    lines = vc04_told.rounds_told({"a sum": 2, "a tree": 50}, "").axes[0].lines
    np.testing.assert_allclose(lines[1].get_ydata(), 25 * lines[0].get_ydata())
    own = results["opened"].query("min_records == 50 and function == 4")
    shown = vc04_told.people_told(results["opened"], "").axes[2].lines[3].get_ydata()
    np.testing.assert_allclose(shown, [own.query("depth == @one")["people"].mean() for one in vc04.DEPTHS])
    own = results["noise"].query("depth == 4 and function == 1 and records == 30000")
    shown = vc04_told.noise_told(results["noise"], 4, "").axes[0].lines[1].get_ydata()
    np.testing.assert_allclose(shown, [100 * own[f"ε = {one:g}"].mean() for one in vc04.EPSILONS])
    picture = vc04_told.attacks_told(results["attacks"], "Attacks")
    assert picture.axes[0].lines[1].get_xdata()[0] == 100
    assert "a sum of two: 100 per cent read" in picture._repr_png_()[1]["alt"]
    table = vc04_closing.closing_table(results, results["seconds"])
    picture = vc04_told.closing_told(table, "Closing")
    np.testing.assert_allclose(picture.axes[0].lines[0].get_xdata(), 100 * table["accuracy, F2"])


def test_tables_of_costs_are_the_results(results):
    sums = vc04_closing.sums_table(results, "bytes")
    assert sums.loc["mixer"].tolist() == [8 * 360 + 12] * 3
    trees = vc04_closing.trees_table(results)
    assert trees["numbers opened"].to_dict() == {"open tree, 4 levels": 3082, "closed tree, 3 levels": 14}


def test_threads_play_parties_who_hear_the_sum_of_all():
    def job(name, total):
        return [total(len(name)), total(np.arange(2))[1]]

    assert vc04.in_step(["a", "bb", "cccc"], job) == {"a": [7, 3], "bb": [7, 3], "cccc": [7, 3]}

    def fails(name, total):
        if name == "b":
            raise KeyError(name)
        return total(1)

    with pytest.raises((KeyError, BrokenBarrierError)):
        vc04.in_step(["a", "b"], fails)
