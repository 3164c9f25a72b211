"""A short run of the fuzzer, the same each time; and the fuzzer itself finds what is planted."""

import json

import fuzz
import pytest

from ppdm.trees import Tree


@pytest.mark.parametrize(
    ("name", "cases"), [("models", 200), ("results", 60), ("ledgers", 150), ("specifications", 150)]
)
def test_nothing_that_is_read_does_harm(name, cases):
    report = fuzz.fuzz(fuzz.TARGETS[name], seed=7, cases=cases)
    assert report.findings == {}
    assert report.cases == cases
    assert report.kept > len(fuzz.TARGETS[name].seeds())  # damage leads to lines that sound inputs do not reach
    assert report.read > 0
    assert name == "results" or report.read < cases  # a damaged result is read as none


# As if it stood in the library, where lines are counted.
PLANTED = """
def feed(data):
    if b"hang" in data:
        while True:
            pass
    if b"key" in data:
        {}["key"]
    if b"short" in data:
        raise ValueError("no")
    if b"clear" in data:
        raise TypeError("data holds clear; expected another word")
"""


@pytest.fixture
def planted():
    space: dict = {}
    exec(compile(PLANTED, str(fuzz.LIBRARY / "planted.py"), "exec"), space)
    return fuzz.Target(lambda: [b"a seed"], space["feed"], ("planted.py",))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"good", None),
        (b"clear", ""),
        (b"hang", "TooLong at planted.py"),
        (b"key", "KeyError at planted.py"),
        (b"short", "unclear, ValueError at planted.py"),
    ],
)
def test_each_kind_of_fault_is_found_and_made_small(planted, data, found):
    follower = fuzz.Follower(planted.modules)
    wrong = fuzz.verdict(planted, follower, b"before " + data + b" after")
    assert wrong == found or str(wrong).startswith(f"{found}:")
    if wrong:
        assert fuzz.smallest(planted, follower, b"before " + data + b" after", wrong) == data


def test_an_input_that_reaches_new_lines_leads_to_others(capsys):
    """Four signs in a row, of which each leads to a line: blind damage would need millions of cases."""
    source = "def feed(data):\n" + "".join(
        f"{' ' * 4 * (place + 1)}if data[{place}:{place + 1}] == {sign!r}:\n"
        for place, sign in enumerate([b"0", b"{", b"-", b"["])
    )
    space: dict = {}
    exec(compile(f"{source}{' ' * 20}1 / 0", str(fuzz.LIBRARY / "deep.py"), "exec"), space)
    target = fuzz.Target(lambda: [b""], space["feed"], ("deep.py",))
    report = fuzz.fuzz(target, seed=3, cases=20_000)
    assert [kind.partition(":")[0] for kind in report.findings] == ["ZeroDivisionError at deep.py"]
    assert "seed 3, case " in capsys.readouterr().out


def test_the_same_seed_gives_the_same_run():
    one, two = (fuzz.fuzz(fuzz.TARGETS["ledgers"], seed=5, cases=50) for _ in range(2))
    assert one == two


def test_what_a_tree_promises_is_tested(monkeypatch):
    (sound, *_) = fuzz.models()
    monkeypatch.setattr(Tree, "predict_proba", lambda tree, X: tree.shares[tree.apply(X)] / 2)
    with pytest.raises(fuzz.BrokenError, match="shares sum to 1"):
        fuzz.read_model(sound)


def test_damage_stays_an_input_of_bounded_size():
    rng = fuzz.random.Random(1)
    seeds = fuzz.models()
    for _ in range(200):
        data = fuzz.damaged(rng.choice(seeds), rng, seeds)
        assert isinstance(data, bytes)
        assert len(data) <= fuzz.MAX_BYTES
    assert json.loads(seeds[0])
