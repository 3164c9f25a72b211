"""What a student of week 3 gets of the House of Representatives: own sheets, a tree from them, and its hits."""

import numpy as np
import pandas as pd

from oracles import Student
from oracles.answers import recognised
from ppdm.disguise import GroupedResponse
from ppdm.studies import dz03, dz03_lesson
from ppdm.trees import ResponseTreeClassifier

SEEN_AS = np.array([64, 16, 16, 4, 16, 4, 4, 1]) / 125  # the first row of the matrix of three groups at θ = 0.8
TYPICAL = [
    "That is the score on the sheets as they are: the first of your eight shares.",
    "That is the mean of your eight shares. Each has a weight of its own.",
    "Your eight shares were multiplied by the matrix. They must be by its inverse.",
]


def own_sheets(me: Student) -> tuple[pd.DataFrame, pd.DataFrame, GroupedResponse]:
    """Answers of the House to four questions, a student's own sheets of them in three groups, and the coins."""
    coins = GroupedResponse(0.8, [["v4", "v11"], ["v6"], ["class"]])
    people = dz03.papers_split("votes").train[list(coins.columns)]
    return people, coins.disguise(people, me.rng("w3.5")), coins


def own_test(me: Student) -> tuple[ResponseTreeClassifier, pd.DataFrame, GroupedResponse]:
    """A tree from a student's own sheets, other sheets to test it with, and the three coins."""
    voting = dz03.papers_split("votes")
    votes = list(voting.columns)
    coins = GroupedResponse(0.8, [votes[:8], votes[8:], ["class"]])
    rng = me.rng("w3.8")
    tree = voting.fit(coins, coins.disguise(voting.train, rng), confidence=0.95)
    return tree, coins.disguise(voting.test, rng), coins


def own_hits(me: Student) -> list[float]:
    """The share of hits of a student's own tree on its test sheets, turned in each of the eight ways."""
    tree, unseen, coins = own_test(me)
    hits = []
    for way in np.ndindex(2, 2, 2):
        version = dz03_lesson.turned(unseen, coins, way)
        hits.append(tree.score(version.drop(columns="class"), version["class"]))
    return hits


def mistaken(me: Student, found: float) -> str:
    """What is said of a number that a known mistake makes of a student's own hits, or nothing."""
    hits = own_hits(me)
    return recognised(found, zip(TYPICAL, (hits[0], np.mean(hits), np.dot(SEEN_AS, hits))), within=0.0006)
