"""Parties as processes: sums and what they cost, parties that die or fall silent, and processes that stay behind."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ppdm import data, parties
from ppdm.parties import PartyError
from ppdm.trees import Stop

pytestmark = pytest.mark.filterwarnings("ignore::ppdm.disguise.PrivacyWarning")
HEAD = 12
SITES = {"shamir": 5, "ring": 4, "additive": 3, "mixer": 3, "masks": 3}


def processes(session):
    """The processes of a session by name: the only private thing here."""
    return dict(session._processes)


def gone(pid):
    """Whether a process has ended, even if nobody has asked how."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    try:
        with Path(f"/proc/{pid}/stat").open() as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def all_gone(pids, seconds=3.0):
    """Whether processes end in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not all(map(gone, pids)):
        time.sleep(0.02)
    return all(map(gone, pids))


@pytest.fixture(scope="module", params=SITES)
def session(request):
    names = [f"clinic {one}" for one in range(SITES[request.param])]
    with parties.local(dict.fromkeys(names), request.param, limit=20) as session:
        yield session


def vectors(session, size, most=10**6):
    rng = np.random.default_rng(size)
    return {site: rng.integers(-most, most, size) for site in session.project["sites"]}


@pytest.mark.parametrize("size", [1, 7, 360, 5000])
def test_sums_are_exact_and_cost_what_the_formula_says(session, size):
    values = vectors(session, size)
    found = session.sum(values)
    assert found.tolist() == sum(values.values()).tolist()
    sites, engine, frame = session.project["sites"], session.project["engine"], 8 * size + HEAD
    m = len(sites)
    expected = {
        "ring": [m * frame, *[frame] * (m - 1)],
        "additive": [2 * (m - 1) * frame] * m,
        "mixer": [frame] * m,
        "shamir": [(m - 1 + (m - 1) // 2) * frame] * m,
    }
    if engine in expected:
        assert [session.bytes[site] for site in sites] == expected[engine]
    assert session.opened["numbers"].tolist() == [size]
    assert set(session.cpu) == set(session.project["parties"])


def test_fractions_are_added_up_to_2_to_the_power_of_minus_20(session):
    step = 2.0**-20
    values = {site: np.array([step, -3 * step, 0.5, 1 / 3, -1e6 - step]) for site in session.project["sites"]}
    m = len(values)
    found = session.sum(values)
    assert found[:3].tolist() == [m * step, -3 * m * step, m / 2]
    assert found[3] == pytest.approx(m / 3, abs=m * step / 2)
    assert found[4] == m * (-1e6 - step)


def test_sums_up_to_the_bound_are_exact_and_beyond_it_refused(session):
    sites = session.project["sites"]
    largest = 2**60 // len(sites) - 2**10  # an even float
    values = {site: np.array([float(largest), -float(largest)]) for site in sites}
    expected = len(sites) * int(float(largest))
    assert [int(one) for one in session.sum(values)] == [expected, -expected]
    with pytest.raises(ValueError, match=r"values reach .*expected sums below 2\^60"):
        session.sum({site: [2.0**60] for site in sites})
    with pytest.raises(ValueError, match=r"2\^40 of fractions"):
        session.sum({site: [2.0**41, 0.5] for site in sites})


def test_a_book_has_all_messages_of_a_party(session):
    values = vectors(session, 4)
    session.sum(values)
    for party in session.project["parties"]:
        book = session.view(party)
        assert list(book) == ["step", "way", "party", "bytes", "words"]
        sent = book[book["way"] == "sent"]
        assert sent["bytes"].sum() >= session.bytes[party] > 0
        assert (book["bytes"] == [HEAD + one.nbytes for one in book["words"]]).all()
        assert set(book["party"]) <= set(session.project["parties"]) - {party}


def test_what_a_party_sent_another_one_received(session):
    session.sum(vectors(session, 11))
    names = session.project["parties"]
    books = {party: session.view(party) for party in names}
    for one in names[:2]:
        for other in names[1:3]:
            if one != other:
                out = books[one].query("way == 'sent' and party == @other")["words"]
                came = books[other].query("way == 'received' and party == @one")["words"]
                assert [word.tolist() for word in out] == [word.tolist() for word in came]


BAD_VALUES = {
    "values names": lambda v: dict(list(v.items())[1:]),
    "values": lambda v: list(v.values()),
    "values of": lambda v: v | {next(iter(v)): [1, "a"]},
    "values of 'clinic 0'.*missing|values of 'clinic 0'.*NaN|finite": lambda v: v | {"clinic 0": [1, np.nan]},
    "values of .*(length|entries|values)": lambda v: v | {"clinic 0": [1, 2, 3]},
    "values of 'clinic 0' is empty|values of": lambda v: {key: [] for key in v},
    "values of 'clinic 0'": lambda v: v | {"clinic 0": np.ones((2, 2))},
}


@pytest.mark.parametrize("told", BAD_VALUES)
def test_bad_values_are_refused_and_the_session_goes_on(session, told):
    good = {site: [1, 2] for site in session.project["sites"]}
    with pytest.raises((TypeError, ValueError), match=told):
        session.sum(BAD_VALUES[told](good))
    assert session.sum(good).tolist() == [len(good), 2 * len(good)]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda s: s.view("nobody"), "party is 'nobody'"),
        (lambda s: s.view(["clinic 0"]), "party"),
        (lambda s: s.tree(), "classes"),
        (lambda s: s.tree(stop=3), "stop"),
        (lambda s: s.itemsets(2), "min_support"),
        (lambda s: s.itemsets("a"), "min_support"),
        (lambda s: s.rules(0.3, 7), "min_confidence"),
    ],
)
def test_bad_calls_are_refused_and_the_session_goes_on(session, call, told):
    with pytest.raises((TypeError, ValueError), match=told):
        call(session)
    assert session.sum({site: [1] for site in session.project["sites"]})[0] == len(session.project["sites"])


def test_a_long_way_costs_time_and_changes_nothing():
    with parties.local(dict.fromkeys("abc"), "ring", limit=20, latency=0.05) as session:
        begun = time.monotonic()
        assert session.sum({"a": [1, 5], "b": [2, 5], "c": [3, -5]}).tolist() == [6, 5]
        assert time.monotonic() - begun > 4 * 0.05  # three ways around, and one to tell


@pytest.mark.parametrize("engine", ["ring", "additive"])
def test_a_vector_of_many_frames(engine):
    size = (1 << 21) + 5
    with parties.local(dict.fromkeys("abc"), engine, limit=20) as session:
        found = session.sum({site: np.arange(size) * weight for site, weight in zip("abc", (1, -4, 5))})
    assert np.array_equal(found, 2 * np.arange(size))


# Parties that die, fall silent, or are silenced


@pytest.fixture(scope="module")
def records():
    X, y = data.quest(2000, 2, rng=1)
    return {name: (X.iloc[one::3], y.iloc[one::3]) for one, name in enumerate("abc")}


@pytest.mark.parametrize(
    ("engine", "seed"),
    [(engine, seed) for engine in ("ring", "additive", "mixer", "shamir") for seed in range(2)],
)
def test_a_party_that_dies_ends_the_tree_at_once_with_its_name(records, engine, seed):
    rng = np.random.default_rng([seed, *map(ord, engine)])
    with parties.local(records, engine, limit=20) as session:
        names = processes(session)
        victim = session.project["parties"][rng.integers(len(names))]
        session.tree(stop=Stop(max_depth=3))
        begun = time.monotonic()
        session.tree()
        whole = time.monotonic() - begun
        killer = f"import os, time; time.sleep({rng.random() * whole}); os.kill({names[victim].pid}, 9)"
        with subprocess.Popen([sys.executable, "-S", "-c", killer]):
            with pytest.raises(PartyError) as told:  # noqa: PT012  (it dies at any moment)
                while time.monotonic() - begun < 60:
                    session.tree()
            assert time.monotonic() - begun < whole * 3 + 4
        assert told.value.party == victim
        assert "is gone" in told.value.why
        assert victim in str(told.value)
        assert all_gone([one.pid for one in names.values()], 1)
        with pytest.raises(RuntimeError, match=r"the session is over.*expected"):
            session.tree()


@pytest.mark.parametrize("engine", ["ring", "shamir", "mixer"])
def test_a_party_that_stops_is_named_when_its_time_is_over(engine):
    limit = 2.0
    with parties.local(dict.fromkeys("abc"), engine, limit=limit) as session:
        names = processes(session)
        session.sum({key: [1] for key in "abc"})
        victim = session.project["parties"][-1]
        os.kill(names[victim].pid, signal.SIGSTOP)
        begun = time.monotonic()
        with pytest.raises(PartyError) as told:
            session.sum({key: [1] for key in "abc"})
        assert time.monotonic() - begun < limit + 2
        assert told.value.party == victim
        assert told.value.why.startswith("says nothing")
        assert all_gone([one.pid for one in names.values()], 1)


def test_a_party_that_stops_does_not_hold_up_who_tells_it_much():
    code = (
        "import os, signal, numpy as np\n"
        "from ppdm import parties\n"
        "with parties.local(dict.fromkeys('abc'), 'ring', limit=2) as session:\n"
        "    os.kill(session._processes['b'].pid, signal.SIGSTOP)\n"
        "    try:\n"
        "        session.sum({name: np.arange(10**5) for name in 'abc'})\n"
        "    except parties.PartyError as error:\n"
        "        print(error.party)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=-1, text=True) as process:
        try:
            assert process.communicate(timeout=12)[0] == "b\n"
        finally:
            process.kill()


def test_sums_go_on_without_those_who_are_lost():
    with parties.local(dict.fromkeys("abcde"), "masks", limit=20) as session:
        values = {name: [one + 1, -one] for one, name in enumerate("abcde")}
        assert session.sum(values).tolist() == [15, -10]
        for number, victim in enumerate("ca"):
            processes(session)[victim].kill()
            time.sleep(0.1)
            with pytest.warns(
                UserWarning, match=f"{victim} lost: what was opened is of the others alone"
            ) as told:
                found = session.sum({name: one for name, one in values.items() if number == 0 or name != "c"})
            assert told[0].filename == __file__
            left = [one for name, one in values.items() if name not in "ca"[: number + 1]]
            assert found.tolist() == np.sum(left, axis=0).tolist()
            assert victim in session.openings[0][0]
        processes(session)["b"].kill()
        time.sleep(0.1)
        with pytest.raises(PartyError, match=r"lost|gone"):
            session.sum({name: values[name] for name in "bde"})


@pytest.mark.filterwarnings("ignore:e lost:UserWarning")
@pytest.mark.parametrize("wakes", [False, True])
def test_who_is_stopped_is_lost_and_nobody_else(wakes, monkeypatch):
    monkeypatch.setattr(sys.modules["ppdm.parties.children"], "GRACE", 3.0)
    values = {name: [one + 1, -one] for one, name in enumerate("abcde")}
    left = {name: one for name, one in values.items() if name != "e"}
    with parties.local(dict.fromkeys("abcde"), "masks", limit=1) as session:
        victim = processes(session)["e"].pid
        os.kill(victim, signal.SIGSTOP)
        if wakes:  # and finds that the others went on
            threading.Timer(2.5, os.kill, (victim, signal.SIGCONT)).start()
        assert session.sum(values).tolist() == [10, -6]
        for _ in range(2):
            assert session.sum(left).tolist() == [10, -6]
        assert set(processes(session)) == {*"abcd", "server"}


@pytest.mark.filterwarnings("ignore:c lost:UserWarning")
def test_late_messages_are_no_reason_to_give_somebody_up():
    values = {name: [one + 1] for one, name in enumerate("abcde")}
    with parties.local(dict.fromkeys("abcde"), "masks", limit=20, latency=0.4) as session:
        processes(session)["c"].kill()
        time.sleep(0.1)
        assert session.sum(values).tolist() == [12]
    with parties.local(dict.fromkeys("abc"), "shamir", limit=20, latency=1.2) as session:
        processes(session)["c"].kill()
        with pytest.raises(PartyError) as told:
            session.sum({name: values[name] for name in "abc"})
        assert told.value.party == "c"


@pytest.mark.filterwarnings("ignore:c lost:UserWarning")
def test_who_dies_between_two_jobs_is_missed_in_the_next_one_and_not_before():
    values = {name: [one + 1] for one, name in enumerate("abcde")}
    with parties.local(dict.fromkeys("abcde"), "masks", limit=20) as session:
        processes(session)["c"].kill()
        time.sleep(0.3)
        assert not session.view("a").empty
        assert session.sum(values).tolist() == [12]
    with parties.local(dict.fromkeys("abc"), "ring", limit=20) as session:
        processes(session)["c"].kill()
        time.sleep(0.3)
        assert session.view("a").empty  # nothing was sent yet
        with pytest.raises(PartyError) as told:
            session.sum({name: values[name] for name in "abc"})
        assert told.value.party == "c"


def test_a_session_is_used_once():
    session = parties.local(dict.fromkeys("abc"), "ring", limit=20)
    with session:
        pids = [one.pid for one in processes(session).values()]
        with pytest.raises(RuntimeError, match="started before; expected a new one"), session:
            pass
    assert all_gone(pids)
    with pytest.raises(RuntimeError, match="started before"), session:
        pass
    for call in (lambda: session.view("a"), lambda: session.sum({name: [1] for name in "abc"})):
        with pytest.raises(RuntimeError, match="the session is over"):
            call()


def test_a_budget_is_spent_to_its_end(records):
    X, y = data.quest(60, 1, rng=np.random.default_rng(2))
    held = {name: (X[place::3], y[place::3]) for place, name in enumerate("abc")}
    with parties.local(held, "ring", data.QUEST_RANGES, limit=20, budget=0.3) as session:
        for _ in range(3):
            session.tree(stop=Stop(max_depth=1), epsilon=0.1)
        with pytest.raises(ValueError, match="of the budget"):
            session.tree(stop=Stop(max_depth=1), epsilon=1e-3)


def test_a_tree_does_not_go_on_without_those_who_are_lost(records):
    with parties.local(records, "masks", limit=20) as session:
        session.tree(stop=Stop(max_depth=1))
        processes(session)["c"].kill()
        time.sleep(0.1)
        with pytest.raises(PartyError) as told:
            session.tree(stop=Stop(max_depth=2))
        assert told.value.party == "c"


# What is left behind


def test_an_exception_leaves_no_process():
    with pytest.raises(ZeroDivisionError), parties.local(dict.fromkeys("abc"), "ring") as session:  # noqa: PT012
        pids = [one.pid for one in processes(session).values()]
        assert not any(map(gone, pids))
        raise ZeroDivisionError
    assert len(pids) == 3
    assert all_gone(pids, 0.5)
    session.close()  # once more is no harm


OPENS = """
import json, signal, sys, time
from ppdm import parties
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
with parties.local(dict.fromkeys("abc"), "ring") as session:
    print(json.dumps([one.pid for one in session._processes.values()]), flush=True)
    %s
"""
IDLE = "time.sleep(60)"
BUSY = "\n    while True: session.sum(dict.fromkeys('abc', [1]))"


@pytest.mark.parametrize(
    ("what", "way"),
    [(IDLE, signal.SIGKILL), (BUSY, signal.SIGKILL), (IDLE, signal.SIGTERM), (BUSY, signal.SIGINT)],
    ids=["idle, killed", "busy, killed", "idle, ended", "busy, interrupted"],
)
def test_when_a_notebook_goes_its_parties_go(what, way):
    with subprocess.Popen([sys.executable, "-c", OPENS % what], stdout=-1, stderr=-3) as process:
        pids = json.loads(process.stdout.readline())
        assert len(pids) == 3
        assert not any(map(gone, pids))
        if what == BUSY:
            time.sleep(0.2)
        process.send_signal(way)
        process.wait(5)
    assert all_gone(pids, 3)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a stopped process ends when it goes on")
def test_a_stopped_party_goes_with_its_notebook():
    with subprocess.Popen([sys.executable, "-c", OPENS % IDLE], stdout=-1) as process:
        pids = json.loads(process.stdout.readline())
        os.kill(pids[1], signal.SIGSTOP)
        process.kill()
        process.wait(5)
    try:
        assert all_gone(pids, 2)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pids[1], signal.SIGKILL)


def test_parties_outlive_the_thread_that_started_them():
    opened = []
    starts = threading.Thread(
        target=lambda: opened.append(parties.local(dict.fromkeys("abc"), "ring").__enter__())
    )
    starts.start()
    starts.join()
    try:
        assert opened[0].sum({name: [1] for name in "abc"}).tolist() == [3]
    finally:
        opened[0].close()


def test_a_start_that_fails_leaves_no_process(monkeypatch):
    started = []
    real = subprocess.Popen

    def second_fails(*given, **named):
        if len(started) == 2:
            raise OSError("no more processes")
        started.append(real(*given, **named))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", second_fails)
    with pytest.raises(OSError, match="no more processes"), parties.local(dict.fromkeys("abc"), "ring"):
        pass
    assert all_gone([one.pid for one in started], 1)


# What a start takes, and what takes long


def test_a_party_imports_only_what_it_needs(monkeypatch, capfd):
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    with parties.local(dict.fromkeys("abc"), "ring") as session:
        session.sum({name: [1] for name in "abc"})
    told = capfd.readouterr().err
    assert "ppdm.parties.party" in told
    for name in ("scipy.stats", "scipy.optimize", "sklearn.tree", "sklearn.metrics", "mpyc"):
        assert f" {name}\n" not in told, name


def test_a_bar_appears_when_a_tree_takes_long(records, monkeypatch, capfd):
    monkeypatch.delenv("PPDM_PROGRESS")
    with parties.local(records, domains=data.QUEST_RANGES, limit=20) as session:
        session.tree(stop=Stop(max_depth=1), intervals=4)
        assert capfd.readouterr().err == ""
        monkeypatch.setattr(sys.modules["ppdm.parties.children"], "DELAY", 0)
        session.tree(stop=Stop(max_depth=1), intervals=4, opens="tree")
        assert "0/2" in capfd.readouterr().err
        session.sum({name: [1] for name in "abc"})
        monkeypatch.setenv("PPDM_PROGRESS", "off")
        session.tree(stop=Stop(max_depth=1), intervals=4)
        assert capfd.readouterr().err == ""


def test_a_bar_goes_on_with_whatever_is_opened(records, monkeypatch):
    told = []

    def bar(steps, total, shown, _):
        for step in steps:
            told.append(step)
            yield step
        if shown:
            told.append(total)

    monkeypatch.setattr(sys.modules["ppdm.parties.children"], "bar", bar)
    with parties.local(records, domains=data.QUEST_RANGES, limit=20) as session:
        for given in ({"opens": "tree"}, {"cuts": "counts"}, {"stop": Stop()}):
            told.clear()
            session.tree(**{"stop": Stop(max_depth=2), "intervals": 4, **given})
            opened = [what for what, _ in session.openings]
            assert told == [*opened, None if "stop" in given else len(opened)]
    X, y = records["a"]
    held = {"a": (X.iloc[:, :3], y), "b": X.iloc[:, 3:6], "c": X.iloc[:, 6:]}
    with parties.local(held, align=False, limit=20) as session:
        told.clear()
        session.tree(stop=Stop(max_depth=1), intervals=4)
        assert told == ["classes", "histograms", 2]


def test_an_interrupt_while_a_bar_is_shown_ends_all_parties(records, monkeypatch):
    def interrupted(steps, *_):
        next(iter(steps))
        raise KeyboardInterrupt

    with parties.local(records, limit=20) as session:
        pids = [one.pid for one in processes(session).values()]
        monkeypatch.setattr(sys.modules["ppdm.parties.children"], "bar", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.tree(stop=Stop(max_depth=3), opens="tree")
    assert all_gone(pids, 1)


# No pickle


POISON = """
import builtins, sys
real = builtins.__import__
class Poison:
    def __getattr__(self, name):
        raise SystemError("pickle was used")
def importing(*given, **named):
    found = real(*given, **named)
    engine = sys.modules.get("mpyc.runtime")
    if engine is not None and hasattr(engine, "pickle") and not isinstance(engine.pickle, Poison):
        engine.pickle = Poison()
        print("poisoned", file=open(%r, "a"))
    return found
builtins.__import__ = importing
"""


def test_nothing_is_pickled(tmp_path, monkeypatch, records):
    log = tmp_path / "log"
    (tmp_path / "sitecustomize.py").write_text(POISON % str(log))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with parties.local({name: records[name] for name in "abc"}, domains=data.QUEST_RANGES, limit=20) as session:
        session.sum({key: [1, -2] for key in "abc"})
        session.tree(stop=Stop(max_depth=2))
        session.tree(stop=Stop(max_depth=1), opens="tree", intervals=5)
        session.tree(stop=Stop(max_depth=1), epsilon=1.0, cuts="counts")
    X, y = (pd.concat([one[part] for one in records.values()]).head(60) for part in (0, 1))
    X = (X.mean() < X).astype(int)
    with parties.local({"a": (X.iloc[:, :3], y), "b": X.iloc[:, 3:6], "c": X.iloc[:, 6:]}, limit=20) as session:
        session.tree(stop=Stop(max_depth=2))
        session.rules(0.3, 0.5)
    assert len(log.read_text().split()) == 6
