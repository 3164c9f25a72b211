"""Nodes of a tree, as a student cuts them: their counts, the best cuts by hand, and where known mistakes lead.

No cut is computed here.
"""

from typing import Any

from oracles import WrongAnswerError
from oracles.answers import number, pair, returned

# Estimated counts: a row for each interval, a column for A and one for B.
FIVE = [[6, 0], [4.5, 0], [2.5, 5], [2.5, 2.5], [0, 2]]
CUTS = [
    ("That is the number of the last interval on the left. We expect how many intervals are on the left.", 1),
    ("That cut has the smallest plain sum of both sides' indices. Weight each side by its size.", 4),
    ("That is the worst cut: the index should be low, and the gain high.", 3),
]
GAINS = [
    ("That is the weighted index. The gain is the node's index minus it.", 0.262069),
    ("The gain has the wrong sign: the node's index minus the weighted one.", -0.209131),
    ("That is the gain times the number of people. Divide by it.", 5.228276),
    ("That is the gain in entropy, not in the gini index.", 0.419011),
    ("The two sides are not weighted by their sizes.", 0.019357),
    ("The two sides are not weighted by their sizes: that is half of each.", 0.245278),
    ("That is half of it: the index of two classes is 1 − p_A² − p_B², which is 2 p_A p_B.", 0.104566),
    ("You have forgotten to subtract from the node's index: that is 1 minus the weighted index.", 0.737931),
]
SMALL = [[4, -1], [2, -0.5], [1, 5], [2, 4.5]]
NEGATIVE = [
    ("A class with a sum below 0 counts as 0 in the index of its side.", 0.465329),
    ("Set a class's sum over a side to 0 if it is negative, not the single counts.", 0.253148),
    ("The size of a side is the plain sum of its counts, the negative ones included.", 0.251783),
]
THIN = [[3, -2.2], [5, 8], [5, 8]]
LEAST = [("Its left side has a size of 0.8, the plain sum 3 − 2.2. We expect at least 1 on each side.", 1)]
ONE = [[1, 0], [5, 5], [5, 5]]
EXACTLY = [("A side with a size of exactly 1 is allowed.", 2)]
TIE = [[6, 2], [4, 4], [6, 2]]
LOWER = [("Two cuts gain the same: the lower one wins.", 2)]
NODES: list[tuple[str, list, int, float, list, list]] = [
    ("the five intervals", FIVE, 2, 0.209131, CUTS, GAINS),
    (f"the four intervals with negative counts, {SMALL}", SMALL, 2, 0.230035, [], NEGATIVE),
    (f"three intervals, {THIN}", THIN, 2, 0.019014, LEAST, []),
    (f"three intervals, {ONE}", ONE, 1, 0.022676, EXACTLY, []),
    (f"three intervals, {TIE}", TIE, 1, 0.006944, LOWER, []),
]


def cut_and_gain(answer: Any, counts: Any, what: str = "") -> tuple[int | None, float]:
    """What an answer says of a node: a cut, or None, and a gain."""
    name = f"{what}best_cut(counts)"
    value = returned(name, answer, counts, hint="Is a side empty there?")
    cut, gain = pair(name, value, "the cut and its gain")
    found = number(f"the gain of {name}", gain)
    if cut is None:
        return None, found
    place = number(f"the cut of {name}", cut)
    if place != int(place):
        raise WrongAnswerError(f"The cut of {name} is {place:g}; we expect how many intervals are on its left.")
    return int(place), found
