"""The picture of a record and what it stands for: all reversals, with the weights of the inverse."""

import numpy as np
import pytest

from ppdm import plots
from ppdm.disguise import GroupedResponse

PAIR = GroupedResponse([0.9, 0.8], [["a", "b"], ["c"]])


def words(picture):
    return [text.get_text() for text in picture.axes[0].texts]


def test_a_row_holds_the_values_and_the_weight_of_one_reversal():
    shown = words(plots.reversals(PAIR, {"a": 1, "b": 0, "c": 1}))
    rows = [shown[place : place + 4] for place in range(0, len(shown), 4)]
    assert [row[:3] for row in rows] == [["1", "0", "1"], ["1", "0", "0"], ["0", "1", "1"], ["0", "1", "0"]]
    weights = [float(row[3].replace("−", "-")) for row in rows]
    assert weights == pytest.approx(np.linalg.inv(PAIR.matrix())[0], abs=5e-4)
    assert sum(weights) == pytest.approx(1, abs=2e-3)


def test_what_cannot_be_drawn_is_refused():
    record = {"a": 1, "b": 0, "c": 1}
    with pytest.raises(TypeError, match="expected a GroupedResponse"):
        plots.reversals("a", record)
    with pytest.raises(ValueError, match="groups names 'c'"):
        plots.reversals(PAIR, {"a": 1, "b": 0})
    with pytest.raises(ValueError, match=r"record\['c'\] has 1 of 1 that are none of the categories"):
        plots.reversals(PAIR, {**record, "c": 7})
    with pytest.raises(ValueError, match="more than two values"):
        plots.reversals(GroupedResponse(0.9, [["a"]], {"a": ["x", "y", "z"]}), {"a": "x"})
    with pytest.raises(ValueError, match="number of groups is 5"):
        plots.reversals(GroupedResponse.divided(0.9, list("abcde"), 5), dict.fromkeys("abcde", 0))
