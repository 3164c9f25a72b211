"""A student's code runs at a desk: what it may not do, what stops it, and what comes back from it."""

import contextlib
import re
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from desk import Desk, EmptyError, Foreign, LostError, plain
from desk_guard import told
from desk_lock import version
from rerun import COURSE, FOLDER

LIMIT = 60  # seconds; where something must run out of time, SHORT
SHORT = 1


@pytest.fixture(scope="module")
def desk():
    one = Desk(LIMIT)
    yield one
    one.close()
    assert not one.home.exists()


FORBIDDEN = [
    f"open({str(COURSE / 'w1-reconstruction.ipynb')!r}).read()",
    f"from pathlib import Path\nPath({str(COURSE / 'oracles')!r}, 'hidden_w1.py').read_text()",
    f"import os\nos.chdir({str(FOLDER)!r})\nopen('coursework/w1-reconstruction.ipynb').read()",
    f"import os\nos.listdir({str(COURSE)!r})",
    f"import os\nos.open({str(FOLDER.parent / 'tests' / 'conftest.py')!r}, os.O_RDONLY)",
    f"import os\nos.symlink({str(COURSE)!r}, 'near')\nopen('near/w1-reconstruction.ipynb').read()",
    f"import numpy as np\nnp.loadtxt({str(COURSE / 'marks.csv')!r}, dtype=str)",
    f"import pandas as pd\npd.read_csv({str(COURSE / 'marks.csv')!r})",
    "import subprocess\nsubprocess.run(['cat', '/etc/hostname'])",
    "import os\nos.system('true')",
    "!ls",
    "%%bash\nls",
    "import os\nos.kill(os.getppid(), 9)",
    "import socket\nsocket.create_connection(('127.0.0.1', 9))",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9')",
    "import ctypes\nctypes.CDLL(None)",
    "import ctypes\nctypes.pythonapi.Py_Exit(1)",
    "import os\nos.remove('/etc/hostname')",
    "open('/var/tmp/left-behind', 'w')",
    "import shutil\nshutil.rmtree('/var/tmp/left-behind')",
    "input('your marks, please')",
]


@pytest.mark.parametrize("source", FORBIDDEN)
def test_a_sheet_can_neither_look_around_nor_reach_out(desk, source):
    assert desk.run(source).error, "it was allowed"


@pytest.mark.parametrize(
    "source",
    [
        "import oracles\nassert oracles.student('ada').rng('w1.1').random() < 1",
        "import oracles.hidden_w1",
    ],
)
def test_the_visible_checks_are_there_and_no_others(desk, source):
    assert bool(desk.run(source).error) == ("hidden" in source)


def test_what_the_sheets_need_is_allowed(desk):
    ran = desk.run(
        "import matplotlib.pyplot as plt\n"
        "from ppdm.data import load, quest\n"
        "from ppdm.trees import ReconstructedTreeClassifier\n"
        "plt.plot([1, 2])\nplt.show()\n"
        "open('own.txt', 'w').write('a note of my own')\n"
        "print(len(load('pima').X))"
    )
    assert (ran.error, ran.text.split()[0], "768" in ran.text) == ("", "<Figure", True)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("while True: pass", "longer than 1 seconds"),
        ("print('x' * 10_000_000)", "printed more than 1,000,000"),
        ("while True: print('x' * 10_000)", "printed more than 1,000,000"),
    ],
)
def test_what_does_not_end_is_stopped_and_the_desk_goes_on(desk, source, why, monkeypatch):
    desk.run("kept = 7")
    monkeypatch.setattr(desk, "limit", SHORT if "longer" in why else LIMIT)
    with pytest.raises(LostError, match=why):
        desk.run(source)
    assert desk.look("kept") == 7


def test_what_cannot_be_interrupted_or_kills_the_kernel_leaves_an_empty_desk():
    one = Desk(LIMIT)
    try:
        stubborn = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
        for source in ("import os\nos._exit(1)", stubborn):
            one.run("kept = 7")
            one.limit = SHORT
            with pytest.raises(EmptyError):
                one.run(source)
            one.limit = LIMIT
            with pytest.raises(NameError, match="there is no kept"):
                one.look("kept")
            assert "not allowed" in one.run("import os\nos.system('true')").error, (
                "the new kernel is guarded, too"
            )
    finally:
        one.close()


def test_memory_is_limited(desk):
    assert "MemoryError" in desk.run("import numpy as np\nnp.ones(10**11)").error


def test_a_stand_in_calls_the_function_and_brings_plain_values_back(desk):
    desk.run("def double(x, times=2):\n    return {'twice': times * x, 'kind': ('array', None, True)}")
    double = desk.look("double")
    result = double(np.arange(3.0), times=2)
    assert result["kind"] == ("array", None, True)
    np.testing.assert_array_equal(result["twice"], [0, 2, 4])


def test_a_stand_in_changes_what_the_function_changes(desk):
    desk.run("def spoil(counts):\n    counts[0] = -1\n    return counts.sum()")
    counts = np.ones(3)
    assert desk.look("spoil")(counts) == 1
    assert counts.tolist() == [-1, 1, 1]


@pytest.mark.parametrize(
    ("source", "given", "after"),
    [
        ("x.append(3)", [1, 2], [1, 2, 3]),
        ("x['b'] = 2", {"a": 1}, {"a": 1, "b": 2}),
        ("x['seen']['new'] = 1", {"seen": pd.DataFrame({"a": [1]})}, None),
        ("x['new'] = 1", pd.DataFrame({"a": [1]}), None),
        ("x.sort_values(inplace=True)", pd.Series([2, 1]), None),
    ],
)
def test_a_stand_in_changes_other_arguments_so_that_a_check_sees_it(desk, source, given, after):
    desk.run(f"def spoil(x):\n    {source}\n    return 1\ndef read(x): return float(len(str(x)))")
    before = repr(given)
    desk.look("read")(given)
    assert repr(given) == before
    desk.look("spoil")(given)
    assert given == after if after else repr(given) != before


def test_an_error_of_the_function_is_an_error_here(desk):
    desk.run("class Own(Exception): pass\ndef no(theta):\n    raise (ValueError if theta else Own)('θ is ½')")
    with pytest.raises(ValueError, match=r"^θ is ½$"):
        desk.look("no")(0.5)
    with pytest.raises(RuntimeError, match="Own: θ is ½"):
        desk.look("no")(0)
    desk.run("import numpy as np\ndef singular(): return np.linalg.inv(np.zeros((2, 2)))")
    with pytest.raises(np.linalg.LinAlgError):  # which is a ValueError
        desk.look("singular")()


def test_a_stand_in_for_a_function_that_loops_is_given_up(desk, monkeypatch):
    desk.run("def forever():\n    while True: pass")
    monkeypatch.setattr(desk, "limit", SHORT)
    with pytest.raises(LostError, match="longer"):
        desk.look("forever")()


def test_what_is_no_plain_value_comes_back_as_its_kind_alone(desk):
    desk.run("def odd():\n    return [object(), lambda: 1]")
    assert desk.look("odd")() == [Foreign("object"), Foreign("function")]


def test_what_a_pickle_would_do_is_not_done_here(desk, tmp_path):
    mark = tmp_path / "done"
    desk.run(f"class Bomb:\n    def __reduce__(self):\n        return (open, ({str(mark)!r}, 'w'))")
    desk.run("def bomb():\n    return Bomb()")
    assert desk.look("bomb")() == Foreign("Bomb")
    assert not mark.exists()


PLAIN = [
    7,
    -0.5,
    float("inf"),
    "θ",
    None,
    True,
    [1, (2.5, None), {"a": [1]}],
    {(1, "b"): {2: 3}},
    np.arange(6).reshape(2, 3),
    np.array([], dtype=float),
    np.array([True, False]),
    np.array(["a", "bc"]),
    np.array(["a", None, 3], dtype=object),
    pd.Series([1.5, np.nan], index=["x", "y"], name="share"),
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=[3, 5]),
]


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: type(value).__name__)
def test_plain_values_come_back_as_they_were(value):
    back = plain(told(value))
    assert type(back) is type(value)
    if isinstance(value, pd.DataFrame):
        pd.testing.assert_frame_equal(back, value)
    elif isinstance(value, pd.Series):
        pd.testing.assert_series_equal(back, value)
    elif isinstance(value, np.ndarray):
        assert (back.dtype, back.shape) == (value.dtype, value.shape)
        assert back.tolist() == value.tolist()
    else:
        assert back == value


@pytest.mark.parametrize("value", [range(3), pd.Index([0, 1, 2]), pd.Categorical([0, 1, 2])], ids=type)
def test_other_sequences_come_back_as_arrays(value):
    back = plain(told(value))
    assert type(back) is np.ndarray
    assert back.tolist() == [0, 1, 2]


def test_nothing_is_left_behind_in_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    one = Desk(LIMIT)
    with contextlib.suppress(LostError):
        one.run("import os\nos._exit(1)")
    one.close()
    assert list(Path(tmp_path).iterdir()) == []


SECRET = COURSE / "marks.csv"
AROUND = [
    f"import os\nos.fsdecode = lambda path: 'harmless'\nopen({str(SECRET)!r}).read()",
    f"__wire__['isinstance'] = lambda *_: False\nopen({str(SECRET)!r}).read()",
    f"import os\nplace = os.open({str(COURSE)!r}, os.O_RDONLY)\nos.open('marks.csv', os.O_RDONLY, dir_fd=place)",
    f"import readline\nreadline.read_history_file({str(SECRET)!r})",
    f"import tkinter\ntkinter.Tcl().eval('open {SECRET}')",
    "import tkinter\ntkinter.Tcl().eval('exec true')",
    "import os\nopen(f'/proc/{os.getppid()}/environ').read()",
    "from pathlib import Path\nhere = Path.cwd()\nothers = set(here.parent.glob('desk-*')) - {here}\n"
    "[(each / 'kernel.json').read_text() for each in others]",
]


@pytest.mark.skipif(not version(), reason="this system has no Landlock")
@pytest.mark.parametrize("source", AROUND)
def test_what_goes_around_the_guard_is_refused_by_the_system(source):
    one, other = Desk(LIMIT), Desk(LIMIT)
    try:
        assert re.search("[Pp]ermission|not allowed|No module", one.run(source).error), "it was allowed"
    finally:
        one.close()
        other.close()


def test_scikit_learn_can_be_used(desk):
    source = "from sklearn.ensemble import RandomForestClassifier as F\nF(n_jobs=2).fit([[0], [1]], [0, 1])"
    ran = desk.run(source)
    assert (ran.error, "Warning" in ran.text) == ("", False)


def test_all_calls_of_a_check_have_one_limit(desk, monkeypatch):
    desk.run("import time\ndef slow(): time.sleep(1)")
    monkeypatch.setattr(desk, "until", time.monotonic() + 1.5)
    slow = desk.look("slow")
    slow()
    with pytest.raises(LostError, match="too long together"):
        slow()


def test_what_fills_the_disk_is_stopped(desk, monkeypatch):
    monkeypatch.setattr("desk.WRITTEN", 1_000_000)
    source = "for place in range(99):\n    open(f'big{place}', 'w').write('x' * 100_000)\n    time.sleep(.1)"
    desk.run("import time")
    with pytest.raises(LostError, match="wrote more than 1,000,000 bytes"):
        desk.run(source)


@pytest.mark.parametrize(
    "value", ["'x' * 30_000_000", "__import__('numpy').array(['a'], dtype='U100000000')", "10 ** 5000", "circle"]
)
def test_what_would_cost_the_marker_too_much_is_no_answer(desk, value):
    desk.run(f"circle = []\ncircle.append(circle)\ndef big():\n    return {value}")
    with pytest.raises((ValueError, RecursionError)):
        desk.look("big")()


def test_the_checks_are_found_from_another_folder():
    one = Desk(LIMIT)
    try:
        assert not one.run("import os\nos.mkdir('own')\nos.chdir('own')\nimport oracles").error
    finally:
        one.close()


def test_a_kernel_that_does_not_start_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("desk.LOCK", tmp_path / "nowhere.py")
    with pytest.raises(RuntimeError, match="died"):
        Desk(LIMIT)
    assert list(tmp_path.iterdir()) == []
