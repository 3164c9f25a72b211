"""Panels: the headless core against the theory, the three faces against each other."""

import base64

import numpy as np
import pytest
from ppdm.widgets import NoiseExplorer, noise_view

from ppdm.data import shape_probabilities
from ppdm.disguise import GaussianNoise


@pytest.fixture(scope="module")
def panel():
    return NoiseExplorer()


@pytest.fixture(autouse=True)
def fresh(panel):
    yield
    panel.reset()


def test_the_first_iterate_is_uniform_and_mass_is_kept():
    view = noise_view("triangles", "Gaussian", 0.5)
    assert np.allclose(view.iterates[0], 1 / 20)
    assert np.allclose(view.iterates.sum(axis=1), 1)


def test_distances_are_total_variations_from_the_truth():
    view = noise_view("plateau", "uniform", 1.0)
    truth = shape_probabilities("plateau", view.true.edges)
    assert np.allclose(view.distances[7], np.abs(view.iterates[7] - truth).sum() / 2)


def test_reconstruction_beats_what_is_seen():
    # Total variation, 20,000 records, the core's seed: the seen values put over half their mass elsewhere.
    view = noise_view("triangles", "uniform", 1.0)
    shares, bins = view.seen
    inside = (bins[:-1] >= 0) & (bins[1:] <= 1 + 1e-12)
    naive = np.abs(shares[inside] / shares[inside].sum() - view.true.probabilities).sum() / 2
    assert view.distances.min() < 0.06 < 0.15 < naive


def test_seen_counts_are_shares_of_all_records():
    assert noise_view("plateau", "Gaussian", 2.0).seen[0].sum() == pytest.approx(1)


def test_epsilon_is_the_channels_own():
    assert noise_view("plateau", "Gaussian", 1.0).epsilon == GaussianNoise.at_privacy(1.0, low=0, high=1).epsilon()


def test_the_three_faces_agree(panel):
    panel.set(shape="triangles", noise="Gaussian", privacy=50, iterations=20)
    faces, metadata = panel._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in faces
    assert base64.b64decode(faces["image/png"]) == panel.png() == panel.draw().png()
    distance = noise_view("triangles", "Gaussian", 0.5).distances[20]
    assert f"distance to the truth {distance:.3f}" in faces["text/plain"]
    assert panel.numbers() in panel._line.value
    assert metadata["image/png"]["alt"] == faces["text/plain"]


def test_a_message_from_the_browser_redraws(panel):
    before = panel.png()
    panel.iterations.set_state({"value": 50})
    assert panel.png() != before
    assert "iterations=50" in repr(panel)


def test_the_picture_shows_the_state(panel):
    panel.set(privacy=150, iterations=3)
    axes = panel.draw().axes[0]
    assert axes.get_title(loc="left") == "plateau, uniform noise, 150 % privacy, 3 iterations"
    heights = [patch.get_data()[0] for patch in axes.patches]
    assert np.allclose(heights[2], noise_view("plateau", "uniform", 1.5).iterates[3])


def test_the_code_gives_the_picture(panel):
    panel.set(shape="triangles", privacy=70, iterations=9)
    *lines, last = panel.code().splitlines()
    namespace: dict = {}
    exec("\n".join(lines), namespace)
    assert np.allclose(eval(last, namespace), panel.view().iterates[9])


def test_several_controls_move_with_one_redraw(panel, monkeypatch):
    drawn = []
    monkeypatch.setattr(type(panel), "draw", lambda self: drawn.append(self.state) or original(self))
    panel.set(privacy=120, iterations=4)
    assert [state["iterations"] for state in drawn] == [4]


original = NoiseExplorer.draw


def test_reset_goes_back(panel):
    start = repr(panel)
    panel.set(shape="triangles", privacy=200)
    panel.reset()
    assert repr(panel) == start


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda panel: panel.set(theta=1), "set has .'theta'.; expected some of shape, noise, privacy, iterations"),
        (lambda _: noise_view("bell", "uniform", 1.0), "shape is 'bell'; expected one of 'plateau', 'triangles'"),
        (lambda _: noise_view("plateau", "salt", 1.0), "noise is 'salt'"),
        (lambda _: noise_view("plateau", ["uniform"], 1.0), r"noise is \['uniform'\]; expected one of"),
        (lambda _: noise_view("plateau", "uniform", 0.0), "privacy is 0.0"),
        (lambda _: noise_view("plateau", "uniform", 1.0, records=0), "records is 0"),
        (lambda _: noise_view("plateau", "uniform", 1.0, intervals=1), "intervals is 1"),
        (lambda _: noise_view("plateau", "uniform", 1.0, seed=-1), "seed is -1"),
        (lambda _: NoiseExplorer(shape="bell"), "shape is 'bell'"),
        (lambda _: NoiseExplorer(privacy=1000), r"privacy is 1000; expected a whole number in .10, 200."),
        (lambda panel: panel.set(privacy=1000), "privacy is 1000"),
        (lambda panel: panel.set(noise="salt"), "noise is 'salt'; expected one of 'uniform', 'Gaussian'"),
        (lambda panel: panel.set(privacy=50, iterations=-1), "iterations is -1"),
    ],
)
def test_bad_input_is_refused(panel, call, message):
    before = panel.state
    with pytest.raises(ValueError, match=message):
        call(panel)
    assert panel.state == before


def test_a_view_is_read_only_and_shows_itself_in_one_line():
    view = noise_view("plateau", "uniform", 1.0)
    for array in (view.distances, view.iterates, *view.seen):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    assert repr(view) == "NoiseView(201 iterates, distance 0.058 at best)"
