"""The party explorer: what it tells, against the sums by hand and their costs; its controls and faces."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ppdm.widgets import PartyExplorer

from ppdm.studies import vc04_wires
from ppdm.studies.vc04_cost import COUNTS, Way, sent
from ppdm.studies.vc04_wires import PROTOCOLS, SERVERS, withstands

RESULTS = Path(__file__).resolve().parents[2] / "notebooks" / "results"
READ = "do they read Ash's counts"
SENT = "what Ash sends"
pytestmark = pytest.mark.usefixtures("fresh")


@pytest.fixture(scope="module")
def panel():
    return PartyExplorer()


def facts(panel):
    return panel.facts(panel.view())


def run(code):
    *lines, last = code.splitlines()
    known = {}
    exec("\n".join(lines), known)
    return known, eval(last, known)


@pytest.mark.parametrize("clinics", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_secret_appears_exactly_at_the_threshold(panel, protocol, clinics):
    for server in (False, True) if protocol in SERVERS else (False,):
        for together in range(clinics):
            panel.set(protocol=protocol, clinics=clinics, together=together, server=server)
            view = panel.view()
            reads = together > withstands(protocol, clinics, server)
            assert view.found.secret == reads
            assert np.array_equal(view.found.words, view.done.own["Ash"]) == reads
            assert facts(panel)[READ].startswith("yes, because" if reads else "no, because")
            assert len(view.together) == together + server
            assert ("in plain sight" in panel.pictures()[0].title) == reads


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("together", [0, 2])
def test_the_code_gives_what_the_panel_tells(panel, protocol, together):
    panel.set(protocol=protocol, together=together, server=True, data=3, seed=4)
    known, found = run(panel.code())
    assert found == panel.view().found[1:]
    assert np.array_equal(known["found"].words, panel.view().found.words)
    assert np.array_equal(known["done"].total, panel.view().done.total)


@pytest.mark.parametrize("clinics", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_bytes_are_those_of_the_formulas_and_of_the_results(panel, protocol, clinics):
    panel.set(protocol=protocol, clinics=clinics)
    done, told = panel.view().done, facts(panel)[SENT]
    assert done.size == COUNTS
    bytes_, rounds = told.replace("about ", "").split(" bytes for 360 counts, in ")
    if protocol == "masks":
        runs = pd.read_csv(RESULTS / "vc04-cost.csv").set_index("way")["bytes"]
        name = f"sum, masks, {clinics} parties, 30,000 records"
        if name in runs.index:  # names of other lengths, in what is told about keys: two per cent
            assert int(bytes_.replace(",", "")) == pytest.approx(runs[name], rel=0.02)
        assert told.startswith("about ")
    else:
        expected = 8 * COUNTS + 12 if protocol == "in the clear" else sent(Way("sum", protocol, clinics, 0))
        assert bytes_ == f"{expected:,}"
    expected = {"ring": clinics + 1, "masks": 5}.get(protocol, 2)
    assert rounds == f"{expected} rounds"


def test_rounds_of_masks_are_those_that_were_measured():
    runs = pd.read_csv(RESULTS / "vc04-seconds.csv").set_index("way")["rounds"]
    done = vc04_wires.run("masks", vc04_wires.clinics(3), np.random.default_rng(1))
    assert set(runs["sum, masks, 3 parties, 30,000 records"]) == {done.rounds}


def test_what_they_have_of_a_count_is_told(panel):
    view, told = panel.view(), facts(panel)["Ash's largest count"]
    largest = view.done.own["Ash"].argmax()
    assert told == f"{view.done.own['Ash'].max()}, and what they have of it is {view.found.words[largest]:,}"
    panel.set(together=2)
    assert facts(panel)["Ash's largest count"] == "197, and what they have of it is 197"
    panel.set(together=0)
    assert facts(panel)["Ash's largest count"].endswith("what they have of it is nothing")


def test_the_sum_is_always_true_and_the_words_say_why_two_are_too_few(panel):
    for protocol in PROTOCOLS:
        panel.set(protocol=protocol)
        assert facts(panel)["the sum that all learn"] == "true in 360 of 360 counts"
        assert "reads the other's" in facts(panel)["why three clinics at least"]
    assert panel.clinics.min == 3
    assert "reads the other's" in panel.clinics.tooltip


@pytest.mark.parametrize(
    ("values", "who", "headline"),
    [
        ({"together": 0}, "nobody", "Nobody looks at what came by:\nAsh's counts stay hidden"),
        ({}, "Birch", "Birch looks at what came by:\nAsh's counts stay hidden"),
        (
            {"together": 2},
            "Birch and Fir",
            "Birch and Fir put together what they saw:\nAsh's counts are in plain sight",
        ),
        ({"protocol": "in the clear"}, "Birch", "Birch looks at what came by:\nAsh's counts are in plain sight"),
        (
            {"protocol": "mixer", "server": True},
            "the mixer and Birch",
            "The mixer and Birch put together what they saw:\nAsh's counts are in plain sight",
        ),
        (
            {"protocol": "masks", "server": True, "together": 0},
            "the server",
            "The server looks at what came by:\nAsh's counts stay hidden",
        ),
        (
            {"protocol": "additive", "clinics": 7, "together": 5},
            "Birch, Cedar, Elm, Fir and Gum",
            "Birch, Cedar and 3 more put together what they saw:\nAsh's counts stay hidden",
        ),
    ],
)
def test_names_are_told_as_words(panel, values, who, headline):
    panel.set(**values)
    assert facts(panel)["who puts together what they saw"] == who
    assert panel.pictures()[0].title == headline


def test_how_many_are_withstood_is_told_for_those_who_look(panel):
    name = "the protocol withstands"
    assert facts(panel)[name] == "1 of the 4 others"
    assert facts(panel.set(protocol="mixer"))[name] == "3 of the 4 others"
    assert facts(panel.set(server=True))[name] == "0 of the 4 others, and the mixer"
    assert facts(panel.set(protocol="masks"))[name] == "2 of the 4 others, and the server"


@pytest.mark.parametrize(
    "values",
    [{"protocol": "masks"}, {"clinics": 6}, {"together": 2}, {"server": True}, {"seed": 2}, {"data": 5}],
)
def test_every_control_changes_picture_numbers_and_code(panel, values):
    panel.set(protocol="mixer")
    before = panel.png(), panel.numbers(), panel.call(), panel.code()
    panel.set(**values)
    after = panel.png(), panel.numbers(), panel.call(), panel.code()
    assert all(one != other for one, other in zip(before, after, strict=True))


def test_other_data_look_the_same_under_masks_until_they_are_read(panel):
    noise = panel.view().found.words
    panel.set(data=2)
    other = panel.view()
    assert not np.array_equal(other.found.words, noise)
    assert np.array_equal(other.done.own["Birch"], PartyExplorer().view().done.own["Birch"])
    for words in (
        noise,
        other.found.words,
    ):  # 360 uniform words: their mean is off by five standard errors at most
        assert abs((words / 2**64).mean() - 0.5) < 5 / (12 * 360) ** 0.5


def test_what_a_protocol_lacks_cannot_be_moved(panel):
    for protocol in PROTOCOLS:
        panel.protocol.value = protocol
        assert panel.server.disabled == (protocol not in SERVERS)
        assert panel.seed.disabled == (protocol == "in the clear")
        before = panel.numbers()
        panel.server.value = True
        assert (panel.numbers() == before) == panel.server.disabled
        panel.server.value = False
    panel.set(protocol="in the clear")
    before = panel.numbers(), panel.png()
    panel.set(seed=7)
    assert (panel.numbers(), panel.png()) == before
    panel.set(protocol="ring")
    assert "lacks" in panel.server.tooltip
    assert "the mixer is among them" in panel.set(protocol="mixer").server.tooltip


def test_fewer_clinics_leave_fewer_to_put_together(panel):
    panel.set(clinics=7, together=6)
    panel.clinics.value = 4  # as the browser moves it
    assert (panel.together.max, panel.together.value) == (3, 3)
    assert len(panel.view().together) == 3
    panel.set(clinics=6, together=5)
    assert panel.state["together"] == 5
    panel.reset()
    assert (panel.together.max, panel.together.value) == (4, 1)
    with pytest.raises(ValueError, match=r"together is 3; expected a whole number in \[0, 2\]"):
        panel.set(clinics=3, together=3)
    assert (panel.clinics.value, panel.together.max, panel.together.value) == (5, 4, 1)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_any_call_makes_the_panel_again(panel, seed):
    rng = np.random.default_rng(seed)
    panel.set(protocol=list(PROTOCOLS)[rng.integers(6)], clinics=int(rng.integers(3, 8)))
    panel.set(together=int(rng.integers(panel.together.max + 1)), server=bool(rng.integers(2)))
    panel.set(seed=int(rng.integers(1, 21)), data=int(rng.integers(1, 21)))
    again = eval(panel.call().splitlines()[-1])
    assert repr(again) == repr(panel)
    assert again.png() == panel.png()


@pytest.mark.parametrize("move", [{}, {"protocol": "masks", "server": True, "clinics": 7, "together": 4}])
def test_the_three_faces_agree(panel, move, faces_agree):
    panel.set(**move)
    faces_agree()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"protocol": "sum"}, "protocol is 'sum'; expected one of 'in the clear', 'ring'"),
        ({"clinics": 2}, r"clinics is 2; expected a whole number in \[3, 7\]"),
        ({"together": 5}, r"together is 5; expected a whole number in \[0, 4\]"),
        ({"server": 1}, "server is 1"),
        ({"seed": 0}, "seed is 0"),
        ({"data": 21}, "data is 21"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        PartyExplorer(**arguments)


def test_a_closed_panel_holds_nothing():
    panel = PartyExplorer()
    panel.close()
    assert "the panel is closed" in repr(panel)
