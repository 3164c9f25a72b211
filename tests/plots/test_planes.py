"""The plane of two attributes: several side by side, and what cannot be drawn is refused before anything is."""

import numpy as np
import pandas as pd
import pytest

from ppdm import plots
from ppdm.data import quest

PAIR = pd.DataFrame({"a": [1.0], "b": [1.0], "c": ["x"]})


def test_planes_draw_their_own_records_with_common_colours():
    X, y = quest(400, function=1, rng=1)
    parts = {"all": (X[["age", "salary"]], y), "one class": (X[["loan", "salary"]][y == "B"], y[y == "B"])}
    all_of_them, one = plots.planes(parts).axes
    assert [one.get_xlabel(), one.get_ylabel()] == ["loan", "salary"]
    assert [len(line.get_xdata()) for line in one.lines] == [0, 200]
    assert one.lines[1].get_color() == all_of_them.lines[1].get_color()


def test_maps_draw_each_part_on_one_scale():
    parts = {"low": np.array([[0.1, 0.2, 0.3]]), "high": np.array([[0.7, 0.8, 0.9]])}
    figure = plots.maps(parts, [0, 1], [0, 1, 2, 3], x="a", y="b", label="share of A")
    low, high = (ax.collections[0] for ax in figure.axes[:2])
    assert np.allclose(low.get_array().ravel(), [0.1, 0.2, 0.3])
    assert low.get_clim() == high.get_clim() == (0, 1)
    assert [ax.get_title(loc="left") for ax in figure.axes[:2]] == ["low", "high"]
    assert figure.axes[-1].get_ylabel() == "share of A"


def plane(X, classes, x, y, **how):
    return plots.planes({"p": (X[[x, y]], classes)}, **how)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: plots.maps({"a": [[1.0]]}, [0, 1], [0, 1, 2]), ValueError, r"parts\['a'\] has shape \(1, 1\)"),
        (lambda: plots.maps({}, [0, 1], [0, 1]), ValueError, "parts"),
        (
            lambda: plots.maps({"a": [[9.0]]}, [0, 1], [0, 1]),
            ValueError,
            r"parts\['a'\] holds 9; expected at most 1",
        ),
        (lambda: plots.maps({"a": [[1.0]]}, [0, 1], [0, 1], most=0), ValueError, "most is 0"),
        (lambda: plane(PAIR, [1], "a", "b", most=0), ValueError, "most is 0; expected a whole number"),
        (lambda: plane(PAIR, [1], "a", "b", most=-1), ValueError, "most is -1"),
        (lambda: plane(PAIR, [1], "a", "c"), TypeError, r"X\['c'\] holds objects; expected numbers"),
        (lambda: plane(PAIR.assign(a=np.nan), [1], "a", "b"), ValueError, r"X\['a'\] has 1 .*missing"),
        (lambda: plane(PAIR, "A", "a", "b"), ValueError, "classes has 0 dimensions; expected one"),
        (lambda: plane(PAIR, None, "a", "b"), ValueError, "classes has 0 dimensions"),
        (lambda: plane(PAIR, [[1]], "a", "b"), ValueError, "classes has 2 dimensions; expected one"),
        (
            lambda: plane(PAIR, [None], "a", "b"),
            ValueError,
            r"classes has .*missing values.*; expected a class for each record",
        ),
        (lambda: plots.planes({}), ValueError, "parts is empty"),
        (lambda: plots.planes({"p": PAIR}), ValueError, r"parts\['p'\] is not a pair"),
        (
            lambda: plots.planes({"p": (PAIR, [1])}),
            ValueError,
            r"parts\['p'\] is not a pair of a frame with two columns",
        ),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
