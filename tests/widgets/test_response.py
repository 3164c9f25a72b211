"""The response explorer: its core against Bayes, the library called by hand and simulation; its controls and faces."""

import itertools

import numpy as np
import pandas as pd
import pytest
from ppdm.widgets import ResponseExplorer, answers
from ppdm.widgets.answers import AnswerTable, Scheme, groups_of, table_of, text_of
from ppdm.widgets.controls import percent
from ppdm.widgets.own import MIN_ANSWERS

from ppdm.disguise import GroupedResponse
from ppdm.measure import Intruder
from ppdm.reconstruct import proportion
from ppdm.studies.dz03_privacy import response_epsilon
from ppdm.trees import ResponseTreeClassifier

VOTES = table_of("votes").columns
RUNS = 4
PAIR = (tuple(VOTES[:9]), tuple(VOTES[9:]))


def own(n=200, seed=5):
    """A table of one's own, of which a and b tell the class."""
    ones = np.random.default_rng(seed).random((n, 4)) < [0.5, 0.3, 0.2, 0.5]
    frame = pd.DataFrame(ones.astype(int), columns=["sick", "a", "b", "c"])
    return frame.assign(sick=(frame["a"] | frame["b"])), "sick"


def scheme_of(theta, groups, leaked="v1", table="votes"):
    return Scheme(table_of(table), theta, tuple(map(tuple, groups)), leaked)


def response_view(*scheme, **more):
    """All that a panel would show."""
    *_, last = answers.response_stages(scheme_of(*scheme, **more))
    return last.view


@pytest.fixture(scope="module", autouse=True)
def few():
    """Four runs, and a curve of three points with two runs each, are as good as all of them, and quicker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "RUNS", RUNS)
        patch.setattr(answers, "CURVE", (0.6, 0.9, 1.0))
        patch.setattr(answers, "CURVE_RUNS", 2)
        yield


@pytest.fixture(scope="module")
def panel(few):
    return ResponseExplorer("votes", groups=2)


@pytest.fixture(autouse=True)
def fresh(panel):
    before = panel.state
    yield
    if panel.state != before:
        panel.reset()
        panel.settle()


def test_the_posterior_is_what_a_simulation_counts():
    # 400,000 people, seed 1, five standard errors of a share of 100,000 at least.
    scheme = scheme_of(0.7, PAIR, "v3")
    rng = np.random.default_rng(1)
    truth, kept = rng.random((2, 400_000)) < [[scheme.share], [0.7]]
    said = truth == kept
    assert scheme.guess.yes == pytest.approx(truth[said].mean(), abs=5 * 0.5 / 100_000**0.5)
    assert scheme.guess.no == pytest.approx(truth[~said].mean(), abs=5 * 0.5 / 100_000**0.5)
    assert scheme.share == table_of("votes").records["v3"].mean()


@pytest.mark.parametrize("groups", [PAIR, tuple((name,) for name in VOTES), (("v1",), ("v2", "v3"))])
def test_closed_forms_are_the_librarys(groups):
    channel = GroupedResponse(0.8, groups)
    table = response_epsilon(channel)
    for leaked in channel.columns:
        scheme = scheme_of(0.8, groups, leaked)
        assert np.allclose(
            scheme.epsilons, [table.loc[("one answer", leaked), "ε"], table.loc["whole record", "ε"].item()]
        )
        assert (
            len(scheme.certain)
            == Intruder(channel, table_of("votes").records).unmasked()[channel.columns.index(leaked)]
        )


def test_standard_errors_are_those_of_repeated_estimates():
    # 400 samples of 290 with their disguises, seed 3: the standard deviation is known to about 4 %; four of these.
    scheme = scheme_of(0.85, PAIR, "v4")
    channel, train, rng = GroupedResponse(0.85, PAIR), scheme.table.split.train, np.random.default_rng(3)
    assert list(scheme.errors) == [("v4",), ("v4", PAIR[1][0])]
    found = {names: [] for names in scheme.errors}
    for _ in range(400):
        seen = channel.disguise(train.iloc[rng.integers(0, len(train), len(train))], rng)
        for names, estimates in found.items():
            estimates.append(proportion(seen, channel, dict.fromkeys(names, 1)))
    for names, error in scheme.errors.items():
        assert np.std(found[names], ddof=1) == pytest.approx(error, rel=0.15)


def test_a_conjunction_over_more_groups_names_an_answer_of_each():
    groups = (("v1", "v2"), ("v3",), ("v4", "class"), ("v5",))
    errors = scheme_of(0.7, groups, "v4").errors
    assert list(errors) == [("v4",), ("v4", "v1"), ("v4", "v1", "v3")]


@pytest.mark.parametrize("theta", [0, 1])
@pytest.mark.parametrize("table", ["votes", "wbc"])
def test_without_doubt_every_run_is_the_benchmark(table, theta):
    columns = table_of(table).columns
    view = response_view(theta, [columns[:3], columns[3:]], columns[0], table)
    assert set(view.accuracies) == {view.scheme.table.benchmark}


def test_runs_are_those_of_the_classifier_by_hand():
    view, split = response_view(0.8, PAIR), table_of("votes").split
    channel = GroupedResponse(0.8, PAIR)
    for seed, (fitted, naive) in enumerate(zip(view.accuracies, view.naive, strict=True), 1):
        seen = channel.disguise(split.train, seed)
        for theta, groups, found in ((0.8, PAIR, fitted), (1, None, naive)):
            model = ResponseTreeClassifier(theta, groups).fit(seen[split.columns], seen["class"])
            assert found == (model.predict(split.test[split.columns]) == split.test["class"]).mean()


def test_the_curve_is_a_mean_of_runs_and_ends_at_the_benchmark():
    view = response_view(0.9, PAIR)
    assert list(view.curve) == list(answers.CURVE)
    first = slice(answers.CURVE_RUNS)
    assert view.curve[0.9] == (view.accuracies[first].mean(), view.naive[first].mean())
    assert view.curve[1.0] == pytest.approx((view.scheme.table.benchmark,) * 2)


def test_what_a_leak_tells_of_others_is_the_librarys():
    view = response_view(0.9, PAIR, "v2")
    expected = Intruder(GroupedResponse(0.9, PAIR), table_of("votes").records).known_answer().loc["v2"]
    assert view.others.equals(expected)
    assert response_view(0.9, [["v1", "v2"]], "v9").others is None


def test_an_open_answer_is_certain_by_itself_and_tells_of_no_coin():
    scheme = scheme_of(0.6, [["v1", "v2"]], "v9")
    assert (scheme.guess.yes, scheme.guess.no, scheme.guess.right, scheme.certain) == (1, 0, 1, ())
    assert len(scheme.open_columns) == 15
    share, n = scheme.table.split.train["v9"].mean(), 290
    assert scheme.errors[("v9",)] == pytest.approx((share * (1 - share) / n) ** 0.5)


def test_at_one_half_closed_forms_say_what_no_tree_can():
    view = response_view(0.5, PAIR, "v3")
    scheme = view.scheme
    assert scheme.guess.yes == scheme.guess.no == pytest.approx(scheme.share)
    assert scheme.epsilons == (0, np.inf)
    assert set(scheme.errors.values()) == {np.inf}
    assert "carries no information" in scheme.refusal
    assert len(view.accuracies) == 0


def test_the_first_stage_has_closed_forms_and_one_tree():
    answers.CURVES.clear()
    stages = answers.response_stages(scheme_of(0.77, PAIR, "v1"))
    first, second, *_, last = stages
    assert (len(first.view.accuracies), len(first.view.naive), first.view.curve) == (1, 0, {})
    assert len(second.view.naive) == 1
    assert len(last.view.accuracies) == RUNS
    assert last.view.others is not None
    assert (first.done, last.done, last.total) == (
        1,
        last.total,
        2 * RUNS + answers.CURVE_RUNS * len(answers.CURVE) + 1,
    )


def test_other_groups_are_shown_without_waiting_for_a_tree(panel):
    with panel._holding():
        panel.controls["groups"].value = 5
        panel.follow({"groups"})
    first, second, *_ = panel.stages()
    assert (len(first.view.accuracies), len(second.view.accuracies)) == (0, 1)
    panel.draw(first.view)
    assert "no run" in [text.get_text() for text in panel._repeats.ax.texts]
    panel.settle().set(theta=0.81)
    panel.controls["theta"].value = 0.86
    assert len(next(panel.stages()).view.accuracies) == 1  # θ alone: its first tree comes with the picture


def test_a_curve_that_is_known_is_there_at_once():
    for theta in (0.81, 0.82):
        stages = list(answers.response_stages(scheme_of(theta, PAIR, "v1")))
    assert list(stages[0].view.curve) == list(answers.CURVE)
    assert len(stages) == stages[-1].total == 2 * RUNS + 1


def test_theta_alone_recomputes_here_alone(panel):
    panel.set(theta=0.83)
    before = answers.accuracy.cache_info().misses
    panel.set(theta=0.84)
    assert answers.accuracy.cache_info().misses == before + 2 * RUNS
    panel.set(theta=0.83)
    assert answers.accuracy.cache_info().misses == before + 2 * RUNS


def test_a_leak_alone_recomputes_no_tree(panel):
    before = answers.accuracy.cache_info().misses
    panel.set(leaked="v7")
    assert answers.accuracy.cache_info().misses == before


def test_the_division_is_that_of_the_notebook():
    # The rule and the seed of dz03.papers_split: two thirds, rounded, of a permutation by seed 2003.
    assert len(table_of("adult").split.train) == 6667
    table = table_of("wbc")
    order = np.random.default_rng(2003).permutation(len(table.records))
    assert table.split.train.index.equals(table.records.index[order[: (2 * len(order) + 1) // 3]])
    assert table.benchmark == pytest.approx(0.9399, abs=1e-4)


def test_newer_moves_cancel_older_work(panel, monkeypatch):
    """As in a kernel: a move begins work, and its steps come one by one."""
    monkeypatch.setattr(panel, "settle", lambda: panel)
    panel.theta.value = 0.71
    panel._advance()
    older = panel._work
    assert len(panel._view.accuracies) == 1
    panel.theta.value = 0.72
    assert panel._work is not older
    panel._advance()
    assert (panel._view.scheme.theta, len(panel._view.accuracies)) == (0.72, 1)
    monkeypatch.undo()
    assert (panel.view().scheme.theta, len(panel.view().accuracies)) == (0.72, RUNS)


@pytest.mark.parametrize(
    ("move", "same"),
    [
        ({"theta": 0.6}, []),
        ({"groups": 5}, []),
        ({"dealt": 3}, []),
        ({"disguised": False}, []),
        ({"leaked": "class"}, []),
        ({"table": "wbc"}, []),
        ({"who": "v1, v2\nv3, class"}, []),
    ],
)
def test_every_control_changes_picture_and_numbers(panel, move, same):
    before = panel.png(), panel.numbers()
    panel.set(**move)
    assert panel.png() != before[0]
    assert panel.numbers() != before[1]
    assert all(panel.state[name] == value for name, value in move.items())


def test_the_text_follows_the_controls(panel):
    assert groups_of(panel.who.value, table_of("votes")) == GroupedResponse.divided(1, VOTES, 2).groups
    panel.set(groups=4, dealt=2)
    assert groups_of(panel.who.value, table_of("votes")) == GroupedResponse.drawn(1, VOTES, 4, 2).groups
    panel.set(disguised=False)
    assert panel.view().scheme.open_columns == ("class",)
    assert panel.groups.max == 16
    panel.set(table="wbc")
    assert panel.view().scheme.table.name == "wbc"
    assert panel.leaked.options == table_of("wbc").columns


def test_the_controls_follow_the_text(panel):
    panel.who.set_state({"value": "v1\nv2, v3\nv9"})  # as the browser says it
    assert (panel.groups.value, panel.disguised.value) == (3, False)
    assert panel.view().scheme.groups == (("v1",), ("v2", "v3"), ("v9",))
    panel.set(who="class")
    assert (panel.groups.value, panel.disguised.value) == (1, True)
    assert "16 of 17 answers" in panel.facts(panel.view())["not disguised"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "who is empty; expected a group in every line"),
        ("  \n ", "who is empty"),
        ("v1\n\nv2", "who has an empty name in line 2"),
        ("v1\n", "who has an empty name in line 2"),
        ("v1,, v2", "who has an empty name in line 1"),
        ("v1\nv2,", "who has an empty name in line 2"),
        ("v1\nv99", "who names 'v99' in line 2, which is no column of votes: v1, v2"),
        ("v1, v1", "who names 'v1' twice, in line 1"),
        ("v1\nv2, v1", "who names 'v1' twice, in lines 1 and 2"),
    ],
)
def test_a_text_with_a_mistake_is_refused_in_words(panel, text, message):
    before = panel.state
    with pytest.raises(ValueError, match=message):
        panel.set(who=text)
    assert panel.state == before
    with pytest.raises(ValueError, match=message):
        panel.who.value = text
    assert message.split(";")[0].replace("'", "&#x27;") in panel._said.value
    assert panel.state["groups"] == before["groups"]


def test_the_text_is_read_as_it_is_written():
    table = table_of("votes")
    assert groups_of(text_of(PAIR), table) == PAIR
    assert groups_of(" v1 ,v2\nclass", table) == (("v1", "v2"), ("class",))


@pytest.mark.parametrize(
    "move",
    [
        {"theta": 0.5},
        {"theta": 0.0, "groups": 17},
        {"table": "adult", "leaked": "income", "groups": 15},
        {"table": "wbc", "disguised": False, "groups": 9, "theta": 0.3},
        {"who": "class\nv1, v2", "leaked": "v16"},
    ],
)
def test_the_three_faces_agree(panel, move, faces_agree):
    panel.set(**move)
    faces_agree()


def test_facts_say_what_the_view_has(panel):
    panel.set(theta=0.7, leaked="v3")
    view, facts = panel.view(), panel.facts(panel.view())
    assert facts["probability that v3 is 1"].startswith(f"{percent(view.scheme.guess.yes)} after a 1")
    assert facts["if v3 leaks"] == "8 other answers become certain"
    spread = 2 * view.accuracies.std(ddof=1) / RUNS**0.5
    runs = f"{percent(view.accuracies.mean())} ± {percent(spread)} ({RUNS} runs)"
    assert facts["accuracy of the tree, from estimates"] == runs


def test_the_best_guess_stands_beside_the_papers_bound(panel):
    panel.set(theta=0.99)
    assert "no more than θ" in panel.facts(panel.view())["how often the best guess is right"]
    panel.set(theta=0.52)
    assert "more than θ, which is the most" in panel.facts(panel.view())["how often the best guess is right"]
    panel.set(theta=0.01)
    assert "no more than 1 − θ" in panel.facts(panel.view())["how often the best guess is right"]


def test_where_the_naive_tree_is_better_it_is_said(panel):
    panel.set(theta=0.55, groups=1)
    view = panel.view()
    assert view.naive.mean() > view.accuracies.mean() + 0.05
    assert panel.facts(view)["which tree is better"].startswith("the naive one")
    panel.set(theta=1.0)
    assert "which tree is better" not in panel.facts(panel.view())


def run(code, **names):
    *lines, last = code.splitlines()
    exec("\n".join(lines), names)
    return eval(last, names)


def test_the_code_gives_the_accuracies(panel):
    panel.set(theta=0.77, groups=3, dealt=4)
    view = panel.view()
    assert np.allclose(run(panel.code()), [view.accuracies, view.naive], atol=0, rtol=1e-12)
    panel.set(theta=0.5)
    assert run(panel.code()) == panel.view().scheme.guess


@pytest.mark.parametrize("given", [{"table": "votes"}, {"own": own()}, {"table": "votes", "theta": 0.5}])
def test_the_code_imports_first(given):
    imports = [
        line.startswith(("import ", "from ")) for line in ResponseExplorer(**given).code().split("\n") if line
    ]
    assert imports == sorted(imports, reverse=True)
    assert imports[0]


def test_the_code_gives_the_accuracies_on_adult():
    table = table_of("adult")
    scheme = answers.Scheme(table, 0.9, (table.columns,), "age")
    seeds = range(1, RUNS + 1)
    found = [
        [answers.accuracy(table, 0.9, scheme.groups, seed, naive) for seed in seeds] for naive in (False, True)
    ]
    assert np.allclose(run(answers.by_hand(scheme)), found, atol=0, rtol=1e-12)


def test_the_line_of_code_makes_the_panel_as_it_stands(panel):
    panel.set(theta=0.65, leaked="v5", who="v1, v2\nv5, class\nv7")
    assert repr(run(panel.call())) == repr(panel)
    panel.set(table="wbc", groups=9, dealt=2, disguised=False)
    assert repr(run(panel.call())) == repr(panel)
    mine = ResponseExplorer(own=own(), theta=0.8)
    assert repr(run(mine.call(), own=own())) == repr(mine)


def test_a_table_of_ones_own():
    frame, target = own()
    mine = ResponseExplorer(own=(frame, target), theta=0.95, leaked="a")
    assert mine.state["table"] == "own data"
    assert mine.view().scheme.table.benchmark == 1  # a or b
    assert list(mine.leaked.options) == ["a", "b", "c", "sick"]
    assert np.allclose(run(mine.code(), own=(frame, target)), [mine.view().accuracies, mine.view().naive])
    found = mine.view().accuracies.tolist()
    assert mine.set(table="votes").set(table="own data").view().accuracies.tolist() == found


def test_booleans_will_do():
    frame, target = own()
    assert AnswerTable.own((frame.astype(bool), target)).benchmark == 1


def test_reset_goes_back(panel):
    start = repr(panel)
    panel.set(table="wbc", theta=0.6, groups=3, leaked="mitoses", disguised=False)
    panel.reset()
    assert repr(panel) == start


FRAME = own()[0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda p: p.set(gamma=1), ValueError, "set has .'gamma'."),
        (lambda p: p.set(theta=1.5), ValueError, r"theta is 1.5; expected a number in \[0, 1\]"),
        (lambda p: p.set(groups=18), ValueError, r"groups is 18; expected a whole number in \[1, 17\]"),
        (
            lambda p: p.set(table="wbc", groups=11),
            ValueError,
            r"groups is 11; expected a whole number in \[1, 10\]",
        ),
        (lambda p: p.set(table="iris"), ValueError, "table is 'iris'"),
        (lambda p: p.set(table="wbc", leaked="v1"), ValueError, "leaked is 'v1'"),
        (lambda p: p.set(disguised=1), ValueError, "disguised is 1"),
        (lambda p: p.set(groups=3, who="v1\nv2"), ValueError, "groups is 3, but 2 by who"),
        (lambda p: p.set(disguised=True, who="v1\nv2"), ValueError, "disguised is True, but False by who"),
        (lambda _: ResponseExplorer("iris"), ValueError, "table is 'iris'"),
        (lambda _: ResponseExplorer("own data"), ValueError, "table is 'own data'"),
        (lambda _: ResponseExplorer("votes", theta=2), ValueError, "theta is 2"),
        (lambda _: ResponseExplorer("votes", groups=0), ValueError, "groups is 0"),
        (lambda _: ResponseExplorer("votes", dealt=-1), ValueError, "dealt is -1"),
        (lambda _: ResponseExplorer("votes", leaked="age"), ValueError, "leaked is 'age'"),
        (lambda _: ResponseExplorer("votes", who="age"), ValueError, "who names 'age'"),
        (lambda _: ResponseExplorer(own=FRAME), TypeError, "own is a DataFrame; expected a pair"),
        (lambda _: AnswerTable.own(([1], "a")), TypeError, "own is a list"),
        (lambda _: AnswerTable.own((FRAME, "z")), ValueError, "own's target is 'z'"),
        (
            lambda _: AnswerTable.own((FRAME.assign(a=2), "sick")),
            ValueError,
            "own's column 'a' holds .*expected 0 and 1, both",
        ),
        (
            lambda _: AnswerTable.own((FRAME.assign(a=0), "sick")),
            ValueError,
            "own's column 'a' holds .'0'.; expected 0 and 1",
        ),
        (
            lambda _: AnswerTable.own((FRAME.rename(columns={"a": "a, b"}), "sick")),
            ValueError,
            "own has the column 'a, b'",
        ),
        (
            lambda _: AnswerTable.own((FRAME[: MIN_ANSWERS - 1], "sick")),
            ValueError,
            f"own has {MIN_ANSWERS - 1} records",
        ),
        (lambda _: AnswerTable.own((FRAME[["sick"]], "sick")), ValueError, "own has 1 columns; expected 2 to 20"),
    ],
)
def test_bad_input_is_refused(panel, call, error, message):
    before = panel.state
    with pytest.raises(error, match=message):
        call(panel)
    assert panel.state == before


def test_drawn_groups_differ_by_their_seed(panel):
    texts = [panel.set(dealt=seed).who.value for seed in range(4)]
    assert all(one != other for one, other in itertools.combinations(texts, 2))


def test_one_group_can_be_dealt_in_one_way_only():
    panel = ResponseExplorer("votes", groups=1)
    assert panel.controls["dealt"].disabled
    panel.set(groups=2)
    assert not panel.controls["dealt"].disabled
    panel.set(groups=1, who=", ".join(VOTES))
    assert panel.controls["dealt"].disabled


def test_who_without_the_class_says_that_it_is_not_disguised():
    panel = ResponseExplorer(table="votes", who="v1\nv2")
    assert not panel.state["disguised"]
    assert panel.state["groups"] == 2
