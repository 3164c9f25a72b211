"""The noise explorer: the headless core against the theory and the library, the panel against the core."""

import numpy as np
import pandas as pd
import pytest
from ppdm.widgets import NoiseExplorer
from ppdm.widgets.noise_view import SOURCES, linked, view_of

from ppdm.checks import readable
from ppdm.data import load, quest
from ppdm.disguise import GaussianNoise, UniformNoise
from ppdm.measure import interval_privacy, linkage_rate
from ppdm.reconstruct import ChiSquareStop, DiscrepancyStop, HeldOutStop, reconstruct
from ppdm.studies.as00_shapes import truth


def noise_view(shape, noise, level, records=20_000):
    return view_of(SOURCES[shape], noise, level, records, intervals=20, seed=1)


pytestmark = pytest.mark.usefixtures("fresh")


@pytest.fixture(scope="module")
def panel():
    return NoiseExplorer()


def test_the_first_iterate_is_uniform_and_mass_is_kept():
    view = noise_view("triangles", "Gaussian", 0.5)
    assert np.allclose(view.iterates[0], 1 / 20)
    assert np.allclose(view.iterates.sum(axis=1), 1)


def test_distances_are_total_variations_from_the_truth():
    view = noise_view("plateau", "uniform", 1.0)
    expected = truth("plateau", view.true.edges).probabilities
    assert np.allclose(view.distances[7], np.abs(view.iterates[7] - expected).sum() / 2)


@pytest.mark.parametrize("shape", ["plateau", "triangles", "age", "hvalue", "loan"])
def test_reconstruction_beats_what_is_seen(shape):
    # Total variation at 100 %, 20,000 records, seeds 1 and 2: half of what is missed, and more, comes back.
    view = noise_view(shape, "uniform", 1.0)
    assert view.distances.min() < 0.5 * view.as_seen


def test_with_little_noise_what_is_seen_is_nearly_true():
    # 1 % of the range moves at most 2 % of a plateau's mass over an edge; the rest is the sample, 100,000 records.
    view = noise_view("plateau", "uniform", 0.01, records=100_000)
    assert view.as_seen < 0.03
    assert noise_view("plateau", "uniform", 2.0).as_seen > 0.5


def test_seen_counts_are_shares_of_all_records():
    assert noise_view("plateau", "Gaussian", 2.0).seen[0].sum() == pytest.approx(1)


def test_what_the_noise_is_worth_is_what_the_measures_say(panel):
    noise = GaussianNoise.at_privacy(1.0, low=0, high=1)
    view = panel.set(noise="Gaussian").view()
    assert view.channel == noise
    assert panel.facts(view)["ε"] == f"{noise.epsilon():.1f}, with δ = 1e-5"
    interval = f"{readable(interval_privacy(noise))} wide, which is 100.0 % of the range"
    assert panel.facts(view)["95 % interval of a true value"] == interval
    panel.set(noise="uniform")
    assert panel.facts(panel.view())["ε"] == "infinite, so there is no bound"


def test_more_noise_hides_more_people():
    # Of 500 people, whose ages are whole years nearly: seeds as they stand, so the rates are what they are.
    rates = [linked(SOURCES["age"], "uniform", level, seed=1)[0] for level in (0.01, 0.1, 1.0)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 5 * rates[2]


def test_all_nine_attributes_find_more_people_than_one(panel):
    panel.set(shape="age", noise="Gaussian", privacy=50)
    people = quest(500, rng=1)[0]
    channels = {name: panel.sources[name].channel("Gaussian", 0.5) for name in people}
    by_age, by_all = panel.view().linked
    assert by_all == linkage_rate(channels, people, rng=1) > 10 * by_age
    assert by_age == linkage_rate({"age": channels["age"]}, people[["age"]], rng=1)
    assert len(panel.set(shape="plateau").view().linked) == 1


def test_the_rules_stop_where_the_library_stops():
    view = noise_view("triangles", "uniform", 1.0)
    noise = UniformNoise.at_privacy(1.0, low=0, high=1)
    from ppdm.data import triangles

    seen = noise.disguise(triangles(20_000, 1), 2)
    for name, rule in {
        "χ² step": ChiSquareStop(),
        "discrepancy": DiscrepancyStop(),
        "held-out": HeldOutStop(),
    }.items():
        assert view.stops[name] == reconstruct(seen, noise, 20, rule).n_iter


def test_a_rule_that_is_not_met_in_500_steps_says_so(panel):
    panel.set(shape="triangles", noise="Gaussian", stop="held-out")
    assert panel.view().stops["held-out"] is None
    assert panel.iterations.value == 500
    assert "more than 500 by held-out" in panel.numbers()


def test_the_rule_moves_the_iterations_until_they_are_moved_by_hand(panel):
    panel.set(stop="χ² step")
    assert panel.iterations.value == panel.view().stops["χ² step"] != 10
    panel.privacy.value = 50
    assert panel.iterations.value == panel.view().stops["χ² step"]
    panel.iterations.value = 3
    assert panel.stop.value == "by hand"
    panel.privacy.value = 60
    assert panel.iterations.value == 3


def test_whole_numbers_have_an_interval_each(panel):
    panel.set(shape="elevel", intervals=100)
    assert panel.view().true.edges.tolist() == [-0.5, 0.5, 1.5, 2.5, 3.5, 4.5]


@pytest.mark.parametrize(
    "values",
    [
        {"shape": "triangles"},
        {"noise": "Gaussian"},
        {"privacy": 150},
        {"records": 1_000},
        {"intervals": 40},
        {"stop": "discrepancy"},
        {"iterations": 11},
        {"seed": 2},
    ],
)
def test_every_control_changes_picture_numbers_and_code(panel, values):
    png, numbers, code = panel.png(), panel.numbers(), panel.code()
    panel.set(**values)
    assert panel.png() != png
    assert panel.numbers() != numbers
    assert panel.code() != code


def test_the_picture_shows_the_state(panel):
    panel.set(privacy=150, iterations=3)
    shapes, walk = (picture.axes[0] for picture in panel.pictures())
    assert shapes.texts[0].get_text() == "uniform noise, 150 %, 3 iterations"
    heights = [patch.get_data()[0] for patch in shapes.patches]
    view = noise_view("plateau", "uniform", 1.5)
    assert np.allclose(heights[0], truth("plateau", view.true.edges).probabilities)
    assert np.allclose(heights[1], view.seen[0])
    assert np.allclose(heights[2], view.iterates[3])
    here = next(line for line in walk.lines if line.get_label() == "you are here")
    assert (here.get_xdata()[0], here.get_ydata()[0]) == (4, view.distances[3])


def test_a_spike_does_not_leave_the_frame(panel):
    panel.set(shape="triangles", noise="Gaussian", privacy=100, records=1_000, intervals=100, iterations=500)
    assert panel.pictures()[0].axes[0].get_ylim()[1] > panel.view().iterates[500].max()


@pytest.mark.parametrize(
    "values",
    [
        {"shape": "triangles", "privacy": 70, "iterations": 9},
        {"shape": "age", "noise": "Gaussian", "records": 1_000, "seed": 3},
        {"shape": "car", "intervals": 100},
    ],
)
def test_the_code_gives_the_picture(panel, values):
    panel.set(**values)
    assert np.array_equal(run(panel.code()), panel.view().iterates[panel.iterations.value])


def run(code, **known):
    *lines, last = code.splitlines()
    exec("\n".join(lines), known)
    return eval(last, known)


def test_a_column_of_ones_own():
    income = load("pima").X["plas"].rename("sugar")
    panel = NoiseExplorer(own=income, bounds=(0, 250), records=1_000)
    assert panel.shape.value == "sugar"
    view = panel.view()
    assert view.records == len(income) == 768
    assert "records: 768, because there are no more" in panel.numbers()
    assert (view.channel.low, view.channel.high, view.channel.step) == (0, 250, 1)
    assert np.allclose(view.true.probabilities, np.histogram(income, view.true.edges)[0] / len(income))
    assert np.array_equal(run(panel.code(), own=income), view.iterates[10])
    assert panel.set(shape="plateau").view().channel.high == 1


def test_without_bounds_the_lowest_and_highest_values_count():
    channel = NoiseExplorer(own=[0.5, 0.75, 1.5], intervals=5).view().channel
    assert (channel.low, channel.high, channel.step) == (0.5, 1.5, None)


@pytest.mark.parametrize(
    ("own", "bounds", "step"), [([1, 2, 3], (0, 3.5), None), ([0, 1e18], None, None), ([1.0, 2, 9], None, 1)]
)
def test_whole_numbers_are_taken_as_such_where_their_domain_is(own, bounds, step):
    assert NoiseExplorer(own=own, bounds=bounds).view().channel.step == step


def test_few_values_are_few_people():
    assert (
        NoiseExplorer(own=[1, 2, 4])
        .facts(NoiseExplorer(own=[1, 2, 4]).view())["people found by the value"]
        .endswith("of 3")
    )


def test_any_call_makes_the_panel_again(panel):
    rng = np.random.default_rng(1)
    for name in panel.controls:
        control = panel.controls[name]
        choices = (
            list(control.options)
            if hasattr(control, "options")
            else range(control.min, control.max + 1, control.step)
        )
        panel.set(**{name: choices[rng.integers(len(choices))]})
        again = eval(panel.call().splitlines()[-1])
        assert repr(again) == repr(panel)


def test_a_column_called_like_an_attribute_is_another_one():
    panel = NoiseExplorer(own=pd.Series([1.5, 2.5, 9.0], name="age"))
    assert {"age", "age (own)"} <= set(panel.sources)
    assert panel.view().channel.high == 9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: NoiseExplorer(noise=["uniform"]), "noise is a list; expected one of"),
        (lambda: NoiseExplorer(noise="salt"), "noise is 'salt'"),
        (lambda: NoiseExplorer(privacy=0), "privacy is 0"),
        (lambda: NoiseExplorer(privacy=33), "privacy is 33; expected one of 10, 15, 20, … 200"),
        (lambda: NoiseExplorer().set(privacy=33), "privacy is 33; expected one of 10, 15, 20, … 200"),
        (lambda: NoiseExplorer(intervals=1), "intervals is 1"),
        (lambda: NoiseExplorer(seed=-1), "seed is -1"),
        (lambda: NoiseExplorer("bell"), "shape is 'bell'; expected one of 'plateau', 'triangles', 'salary'"),
        (lambda: NoiseExplorer(privacy=1000), r"privacy is 1000; expected a whole number in .10, 200."),
        (lambda: NoiseExplorer(shape=""), "shape is ''; expected one of"),
        (
            lambda: NoiseExplorer(stop="χ² step", iterations=7),
            "iterations is 7, but 60 by stop, 'χ² step'; give one",
        ),
        (lambda: NoiseExplorer().set(stop="χ² step", iterations=7), "iterations is 7, but 60 by stop"),
        (lambda: NoiseExplorer(records=5), "records is 5; expected one of 1000, 5000, 20000, 100000"),
        (lambda: NoiseExplorer(stop="never"), "stop is 'never'; expected one of 'by hand'"),
        (lambda: NoiseExplorer(bounds=(0, 1)), "bounds is .0, 1., but own is None"),
        (lambda: NoiseExplorer(own=[1, 1]), "own holds 2 values, all the same"),
        (lambda: NoiseExplorer(own=[1, np.nan]), "own has 1 .*missing"),
        (lambda: NoiseExplorer(own=[1, 2, 3], bounds=(1, 2)), "own.*outside bounds"),
        (lambda: NoiseExplorer(own=[1, 2, 3], bounds=(3, 1)), "bounds is .3, 1.; expected two numbers"),
        (
            lambda: NoiseExplorer(own=[1, 2, 3], bounds=5),
            "bounds has 0 dimensions; expected one, a list of numbers",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("own", [["a", "b"], pd.DataFrame({"a": [1, 2]})])
def test_a_column_that_is_none_is_refused(own):
    with pytest.raises((TypeError, ValueError), match="own"):
        NoiseExplorer(own=own)


def test_a_view_is_read_only():
    view = noise_view("plateau", "uniform", 1.0)
    for array in (view.distances, view.iterates, *view.seen):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
