"""The release explorer: its numbers against the library and LSL03, its controls, own tables, faults told in place."""

import asyncio
import gc
import weakref
from concurrent.futures import CancelledError
from threading import Event

import numpy as np
import pandas as pd
import pytest
from ppdm.widgets import ReleaseExplorer
from ppdm.widgets import release as widgets_release

from ppdm.data import load
from ppdm.disguise import PrivacySpecification, SpecificationError
from ppdm.measure import release_report

PIMA = load("pima")
SECRET = "unmistakable"


pytestmark = pytest.mark.usefixtures("fresh")


@pytest.fixture(scope="module")
def panel():
    return ReleaseExplorer()


@pytest.fixture(scope="module")
def people():
    """A table of one's own: text, a number, a date of which nobody thought."""
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "town": rng.choice(["Ulm", "Ham", "Aue"], 60),
            "illness": [f"{SECRET} {number % 4}" for number in range(60)],
            "height": rng.normal(170, 10, 60).round(1),
        }
    ), rng.choice(["no", "yes"], 60)


def run(code, **known):
    *lines, last = code.splitlines()
    exec("\n".join(lines), known)
    return eval(last, known)


def action(name, value):
    return {f"action of {name}": value}


def at_once(panel, **values):
    """What is seen first after these moves, without what takes long; the panel is left as it is."""
    before = panel.state
    with panel._holding():
        for name, value in (before | values).items():
            panel.controls[name].value = value
        view = next(panel.stages()).view
        for name, value in before.items():
            panel.controls[name].value = value
    return view


@pytest.mark.parametrize(
    "values",
    [
        {},
        action("age", "discretise") | {"level of age": 50, "known": "all others"},
        action("plas", "add") | {"seed": 3, "tolerance": 0, "threshold": 90},
        action("preg", "shuffle") | action("age", "redraw") | action("plas", "discretise by class"),
    ],
)
def test_the_code_gives_the_report(panel, values):
    view = panel.set(**values).view()
    pd.testing.assert_frame_equal(run(panel.code()), view.report.columns)
    pd.testing.assert_frame_equal(run(panel.code().rpartition("\n")[0] + "\nreleased"), view.released)


@pytest.mark.parametrize(
    ("what", "named"),
    [("shuffle within class", 0.447), ("drop", 0.432), ("discretise by class", 0.603), ("add", 0.46)],
)
def test_a_known_record_names_the_age_as_often_as_lsl03s_reading_says(panel, what, named):
    # Within 3 years, of one whose seven other values are known. By counts exactly, by noise at 100 % within 0.03.
    view = at_once(panel, known="all others", **action("age", what))
    assert view.risks.loc["age", "named"] == pytest.approx(named, abs=0.03 if what == "add" else 0.001)
    assert view.risks.loc["age", "baseline"] == pytest.approx(0.432, abs=0.001)


def test_within_a_class_a_shuffle_keeps_what_the_age_tells_of_it_and_globally_nearly_nothing(panel):
    within = at_once(panel).report.columns.loc["age"]
    assert within["gain after"] == pytest.approx(within["gain before"], abs=1e-12)
    globally = at_once(panel, **action("age", "shuffle")).report.columns.loc["age"]
    assert globally["gain after"] < 0.5 * globally["gain before"]


def test_more_noise_names_fewer(panel):
    # Gaussian noise of 25, 100 and 200 %, a draw each: LSL03's reading has .75, .46 and .44 (± .03).
    noisy = {"known": "all others", **action("age", "add")}
    views = [at_once(panel, **noisy, **{"level of age": level}) for level in (25, 100, 200)]
    named = [view.risks.loc["age", "named"] for view in views]
    assert named[0] > named[1] + 0.2
    assert named == pytest.approx([0.75, 0.46, 0.44], abs=0.03)


def test_noise_on_what_is_known_loosens_the_link(panel):
    # The age is cut, so that who finds the record finds the interval.
    cut = {**action("age", "discretise"), "known": "plas"}
    before = at_once(panel, **cut).risks.loc["age", "named"]
    after = at_once(panel, **cut, **action("plas", "add"), **{"level of plas": 200}).risks.loc["age", "named"]
    assert after < before - 0.05


@pytest.mark.parametrize(
    "values",
    [
        action("preg", "shuffle"),
        {"level of preg": 105},
        action("age", "redraw"),
        {"level of age": 105},
        action("plas", "drop"),
        {"level of plas": 105},
        {"known": "nothing"},
        {"tolerance": 6},
        {"threshold": 65},
        {"seed": 2},
    ],
)
def test_every_control_changes_picture_numbers_and_code(panel, values):
    png, numbers, codes = panel.png(), panel.numbers(), panel.codes()
    panel.set(**values)
    assert panel.png() != png
    assert panel.code() != codes["the same by the library"]
    assert panel.call() != codes["this picture"]
    if "seed" not in values:  # which no specification holds
        assert panel.numbers() != numbers
        assert panel.codes()["the specification, as TOML"] != codes["the specification, as TOML"]


def test_a_level_that_is_moved_gets_a_use(panel):
    panel.controls["level of plas"].value = 150
    assert panel.controls["action of plas"].value == "add"
    panel.set(**{"level of plas": 60, "action of plas": "drop"})  # what is asked for goes before what follows
    assert panel.controls["action of plas"].value == "drop"
    with panel._holding():
        panel.controls["action of plas"].value = "discretise"
    panel.follow({"level of plas"})
    assert panel.controls["action of plas"].value == "discretise"


@pytest.mark.parametrize("seed", [1, 2])
def test_any_call_makes_the_panel_again(panel, seed):
    rng = np.random.default_rng(seed)
    moved = {"tolerance": 0}
    for name, control in panel.controls.items():
        places = (
            control.options if hasattr(control, "options") else range(control.min, control.max + 1, control.step)
        )
        choices = [place for place in places if place != "keep"]
        moved.setdefault(name, choices[rng.integers(len(choices))])
    again = eval(panel.set(**moved).call().splitlines()[-1])
    assert repr(again) == repr(panel)
    assert again.png() == panel.png()


def test_toml_is_the_specification(panel, tmp_path):
    file = tmp_path / "release.toml"
    file.write_text(panel.codes()["the specification, as TOML"], encoding="utf-8")
    again = PrivacySpecification(file, random_state=np.random.default_rng(1))
    released = again.release(PIMA.X.join(PIMA.y))
    pd.testing.assert_frame_equal(released, panel.view().released)


def test_what_takes_long_comes_later_and_the_verdict_with_it(panel):
    first, *_, last = [stage.view for stage in panel.stages()]
    assert (first.verdict, last.verdict) == ("…", "held")
    assert "…" in panel.facts(first)["utility"]
    assert "… by the other columns" in panel.facts(first)["age is named"]
    assert not any("…" in fact for fact in panel.facts(last).values())
    assert first.risks["named"].equals(last.risks["named"])


@pytest.mark.parametrize("values", [{"threshold": 80}, {"tolerance": 12}, {"known": "nothing"}])
def test_what_concerns_the_report_alone_draws_nothing_anew(panel, values):
    noisy = action("age", "add") | action("preg", "shuffle")
    pd.testing.assert_frame_equal(at_once(panel, **noisy, **values).released, at_once(panel, **noisy).released)


def test_what_links_refute_is_told_at_once(panel):
    first = at_once(panel, **action("age", "redraw"), known="all others")
    assert first.verdict == "not held"
    assert first.report.summary.startswith("Not held: age: ")


def test_a_newer_move_does_not_wait_for_the_reports_of_older_ones(panel, monkeypatch):
    asked, reports = [], []
    report, submit = widgets_release.release_report, widgets_release.THREAD.submit
    monkeypatch.setattr(widgets_release, "release_report", lambda *a, **k: reports.append(k) or report(*a, **k))
    monkeypatch.setattr(widgets_release.THREAD, "submit", lambda *job: asked.append(submit(*job)) or asked[-1])
    monkeypatch.setattr(widgets_release, "PAUSE", 30)  # seconds, that nobody waits for
    for _ in range(3):
        work = panel.stages()
        next(work), next(work)
        work.close()
    assert [job.result() for job in asked] == [True] * 3
    assert reports == [{"quick": True}] * 3


def test_a_report_of_an_older_state_ends_after_a_column(panel, monkeypatch):
    view, moved_on, looked = panel.view(), Event(), []
    monkeypatch.setattr(widgets_release, "PAUSE", 0)
    monkeypatch.setattr("ppdm.measure.release.learnt", lambda *a: looked.append(a[1]) or moved_on.set() or {})
    with pytest.raises(CancelledError):
        widgets_release._whole_report(view.specification, panel._table, view.released, moved_on)
    assert looked == ["preg"]


def test_a_panel_that_is_closed_while_trees_grow_is_freed(in_a_kernel):
    async def play():
        panel = ReleaseExplorer()
        while panel._figures is None:
            await asyncio.sleep(0.005)
        left = weakref.ref(panel), *map(weakref.ref, panel._pictures)
        panel.close()
        del panel
        await asyncio.sleep(0.05)
        return left

    left = in_a_kernel(play)
    gc.collect()
    assert [one() for one in left] == [None] * 3


def test_a_sensitive_column_is_not_kept(panel):
    assert "keep" not in panel.controls["action of age"].options
    with pytest.raises(ValueError, match="action of age is 'keep'; expected one of 'drop'"):
        panel.set(**action("age", "keep"))
    assert panel.controls["action of age"].value == "shuffle within class"


@pytest.mark.parametrize(
    ("arguments", "actions"),
    [
        ({"actions": {"plas": "add"}, "sensitive": ["age", "plas"]}, {"plas": "add", "age": "drop"}),
        ({"actions": {"preg": "shuffle"}}, {"preg": "shuffle", "age": "drop"}),
        ({"sensitive": ["mass", "plas"]}, {**widgets_release.PIMA, "plas": "drop", "mass": "drop"}),
    ],
)
def test_no_sensitive_column_is_forgotten(arguments, actions):
    panel = ReleaseExplorer(**arguments)
    assert panel.arguments()["actions"] == actions
    assert sorted(panel.view().risks.index) == sorted(arguments.get("sensitive", ["preg", "age"]))
    for name in panel.view().risks.index:
        assert not panel.view().released.get(name, pd.Series()).equals(PIMA.X[name])


def test_what_ones_own_specification_says_is_sensitive_is_so_and_what_is_named_too():
    told = {"columns": {"mass": {"action": "drop", "sensitive": True}, "plas": {"action": "drop"}}}
    panel = ReleaseExplorer({"age": "drop"}, sensitive=["plas"], known="all others", specification=told)
    assert sorted(panel.view().risks.index) == ["mass", "plas"]
    assert not {"mass", "plas"} & {*panel.specification["known"], *panel.known.options}
    told["columns"]["plas"]["action"] = "keep"
    with pytest.raises(SpecificationError, match=r"columns.plas.action is 'keep', of a sensitive column"):
        ReleaseExplorer({"age": "drop"}, sensitive=["plas"], specification=told)


def test_what_is_known_are_columns_whose_names_may_hold_commas(people):
    assert ReleaseExplorer(known=" plas,mass").known.value == "plas, mass"
    assert not {"preg", "age"} & set(ReleaseExplorer().known.options)
    X = people[0].rename(columns={"town": "town, or village"})
    panel = ReleaseExplorer({"illness": "drop"}, sensitive=["illness"], own=(X, people[1]))
    assert panel.set(known="town, or village").specification["known"] == ["town, or village"]
    again = eval(panel.call().splitlines()[-1], {**globals(), "own": (X, people[1])})
    assert repr(again) == repr(panel)


def test_long_names_differ_beside_controls_and_are_told_whole(people):
    names = [f"measurement number {number} of the patient (mmol/l)" for number in range(3)]
    X = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 3)), columns=names)
    panel = ReleaseExplorer(dict.fromkeys(names, "drop"), sensitive=names[:2], own=(X.assign(z=1), people[1]))
    labels = [control.description for control in panel.controls.values()]
    assert len({*labels}) == len(labels)
    for name in names:
        assert f"title='what happens to {name}'" in panel.controls[f"action of {name}"].description
        assert panel.controls[f"level of {name}"].tooltip.startswith(f"{name}: privacy in per cent of 'add'")


def test_a_constant_column_has_no_tolerance_and_text_is_named_exactly(people):
    X, y = people
    panel = ReleaseExplorer(
        {"c": "shuffle", "town": "shuffle"}, None, ["c", "town"], own=(X.assign(c=1.0), y), tolerance=9
    )
    assert not any("tolerance" in entry for entry in panel.specification["columns"].values())
    assert "within" not in panel.facts(panel.view())["town is named"]


def test_all_faults_of_ones_own_specification_are_told_in_the_panel(in_a_kernel):
    faulty = {"known": ["plass"], "k": 1, "columns": {"mass": {"action": "shufle"}, "skin": {"action": "add"}}}

    async def play():
        panel = ReleaseExplorer(specification=faulty)
        while panel._work is not None:
            await asyncio.sleep(0.005)
        return panel

    said = in_a_kernel(play)._said.value
    assert "role='alert'" in said
    assert "the specification has 4 faults" in said
    for words in (
        "known is",
        "did you mean &#x27;plas&#x27;?",
        "k is 1",
        "did you mean &#x27;shuffle&#x27;?",
        "columns.skin",
    ):
        assert words in said
    with pytest.raises(SpecificationError, match="4 faults"):
        ReleaseExplorer(specification=faulty)


def test_ones_own_specification_goes_before_the_controls():
    told = {"known": ["mass"], "threshold": 0.5, "columns": {"age": {"action": "drop", "sensitive": True}}}
    panel = ReleaseExplorer(specification=told)
    assert "action of age" not in panel.controls
    assert panel.known.disabled
    assert panel.threshold.disabled
    assert (panel.known.value, panel.threshold.value) == ("['mass']", "0.5")
    assert not {"known", "threshold"} & set(panel.arguments())
    settings = panel.view().specification.settings_
    assert (settings["known"], settings["threshold"], settings["columns"]["age"]["action"]) == (
        ["mass"],
        0.5,
        "drop",
    )
    assert settings["columns"]["preg"]["action"] == "drop"
    assert panel.call().endswith("specification=specification)")
    assert repr(eval(panel.call().splitlines()[-1], {**globals(), "specification": told})) == repr(panel)


def test_a_table_of_ones_own_shows_released_values_alone(people):
    panel = ReleaseExplorer(
        {"illness": "drop", "town": "shuffle", "height": "add"}, sensitive=["illness"], own=people
    )
    assert "add" not in panel.controls["action of town"].options
    assert "level of town" not in panel.controls
    faces, _ = panel._repr_mimebundle_()
    told = [faces["text/plain"], panel._facts.value, panel._code.value, *panel.codes().values()]
    assert not any(SECRET in text for text in told)
    head = panel._figures[1]
    words = [word for name, column in head.state[0].items() for word in (name, *column)]
    assert "class" in words
    assert not any(SECRET in word for word in words)
    expected = run(panel.code(), own=people)
    pd.testing.assert_frame_equal(expected, panel.view().report.columns)
    again = eval(panel.call().splitlines()[-1], {**globals(), "own": people})
    assert repr(again) == repr(panel)


def test_of_a_long_table_a_sample_is_taken(monkeypatch):
    monkeypatch.setattr("ppdm.widgets.own.MOST_RELEASED", 500)  # which is quicker than 5,000
    X = pd.DataFrame({"a": np.arange(600) % 90, "b": np.arange(600) % 7})
    own = X, (X["a"] % 2).rename("odd")
    panel = ReleaseExplorer({"b": "drop"}, sensitive=["b"], own=own)
    assert len(panel.view().released) == 500
    pd.testing.assert_frame_equal(run(panel.code(), own=own), panel.view().report.columns)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ReleaseExplorer({"age": "hide"}),
            r"actions\['age'\], of a sensitive column, is 'hide'; expected one of 'drop'",
        ),
        (lambda: ReleaseExplorer({"agee": "drop"}), "actions names 'agee'"),
        (lambda: ReleaseExplorer(levels={"age": 7}), r"levels\['age'\] is 7; expected one of 5, 10, 15"),
        (
            lambda: ReleaseExplorer({"plas": "hide"}),
            r"actions\['plas'\] is 'hide'; expected one of 'keep', 'drop'",
        ),
        (
            lambda: ReleaseExplorer({"age": "keep"}),
            r"actions\['age'\], of a sensitive column, is 'keep'; expected",
        ),
        (lambda: ReleaseExplorer(levels={"mass": 5}), "levels names 'mass'"),
        (
            lambda: ReleaseExplorer(levels={"plas": 50}),
            "levels names 'plas', whose action has none; expected an action",
        ),
        (lambda: ReleaseExplorer(sensitive=["age", "age"]), "sensitive has 1 of 2 values that came before"),
        (lambda: released(a=np.nan), r"sensitive names \['a'\]; expected columns at risk that hold values"),
        (lambda: ReleaseExplorer(sensitive=["wage"]), "sensitive names 'wage'"),
        (
            lambda: ReleaseExplorer({"plas": "drop"}, sensitive=[]),
            "sensitive names no column; expected columns at risk",
        ),
        (lambda: ReleaseExplorer(known="plas, mas"), "known is 'mas'; expected .* did you mean 'mass'"),
        (lambda: ReleaseExplorer(tolerance=26), "tolerance is 26"),
        (lambda: ReleaseExplorer(threshold=0), "threshold is 0"),
        (lambda: ReleaseExplorer(seed=0), "seed is 0"),
        (lambda: ReleaseExplorer(specification={}), "specification is empty"),
        (lambda: ReleaseExplorer(specification={"others": "hide"}), "others is 'hide'"),
        (lambda: ReleaseExplorer(own=(PIMA.X[:20], PIMA.y[:20])), "own has 20 records; expected at least 30"),
        (lambda: ReleaseExplorer(own=(PIMA.X, PIMA.y[:20])), "own"),
        (lambda: ReleaseExplorer(own=(PIMA.X, PIMA.X["age"])), "own.0. has the column 'age', as the class"),
        (lambda: ReleaseExplorer(own=(PIMA.X, PIMA.y)), "expected at least one|sensitive names no column"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def released(columns=None, y=None, **changed):
    """A panel for a table whose column "a" is sensitive, with such changes."""
    frame = pd.DataFrame({"a": np.arange(60) % 9, "b": np.arange(60) % 7}).assign(**changed)
    frame = frame if columns is None else frame.set_axis(columns, axis=1)
    return ReleaseExplorer(
        {frame.columns[0]: "shuffle"}, sensitive=["a"], own=(frame, [*"pq"] * 30 if y is None else y)
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: released([0, 1]), r"own\[0\] has the column 0; expected a text"),
        (lambda: released(["a", 1]), r"own\[0\] has the column 1; expected a text"),
        (
            lambda: released(pd.MultiIndex.from_product([["a"], ["b", "c"]])),
            r"has the column \('a', 'b'\); expected a text",
        ),
        (lambda: released(b=[[1]] * 60), r"own\[0\]\['b'\] holds lists or the like; expected one value"),
        (lambda: released(y="b"), r"own\[1\] is 'b'; .* own=\(frame.drop\(columns='b'\), frame\['b'\]\)"),
    ],
)
def test_a_table_that_no_release_takes_is_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(
    "arguments",
    [{"known": 5}, {"actions": 5}, {"own": 5}, {"specification": [1]}, {"specification": {"columns": 5}}],
)
def test_what_is_of_another_kind_is_refused(arguments):
    with pytest.raises(TypeError):
        ReleaseExplorer(**arguments)


def test_a_release_of_nothing_but_the_class_is_refused(people):
    with pytest.raises(ValueError, match="nothing but the class"):
        ReleaseExplorer({"town": "drop"}, sensitive=["town"], own=(people[0][["town"]], people[1]))


def test_the_range_of_a_sensitive_number_is_not_told_by_the_usual_tolerance(panel):
    assert "tolerance" not in panel.codes()["the specification, as TOML"]
    assert panel.set(tolerance=10).specification["columns"]["age"]["tolerance"] == 6.0
    assert panel.facts(panel.view())["age is named"].startswith("within 6: ")


def test_reports_are_those_of_the_library(panel):
    view = panel.view()
    table = PIMA.X.join(PIMA.y)
    report = release_report(view.specification, table, view.released)
    pd.testing.assert_frame_equal(report.columns, view.report.columns)
    assert panel.facts(view)["verdict"] == report.summary
    shares = [f"{100 * share:.1f} %" for share in report.utility["accuracy"]]
    assert all(share in view.right for share in shares)
