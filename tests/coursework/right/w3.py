"""Right answers to the sheet of week 3, by other means than its own: what is other, and the source of the answer."""

RIGHT = {
    "w3.2": [
        (
            "Warner's formula",
            """
import math


def estimate(said, theta):
    if not 0 <= theta <= 1 or theta == 0.5 or len(said) < 2:
        raise ValueError("θ must be a probability other than ½, and two answers are needed")
    n, yes = len(said), sum(said) / len(said)
    return [(yes + theta - 1) / (2 * theta - 1), math.sqrt(yes * (1 - yes) / (n - 1)) / abs(2 * theta - 1)]
""",
        ),
        (
            "the inverse matrix, and the error of a Series",
            """
def estimate(said, theta):
    if np.isnan(theta) or abs(theta - 0.5) > 0.5 or len(said) <= 1:
        raise ValueError
    inverse = np.linalg.inv([[theta, 1 - theta], [1 - theta, theta]])
    weights = pd.Series(np.where(np.array(said) == 1, inverse[0, 0], inverse[0, 1]))
    return np.array([weights.mean(), weights.sem()])
""",
        ),
        (
            "what is no probability is refused by two comparisons",
            """
def estimate(said, theta):
    if theta < 0 or theta > 1 or 2 * theta == 1 or np.size(said) < 2:
        raise ValueError("no estimate")
    yes = np.mean(said)
    wide = abs(1 / (2 * theta - 1))
    return (yes - 1 + theta) / (2 * theta - 1), np.std(said, ddof=1) / np.sqrt(np.size(said)) * wide
""",
        ),
    ],
    "w3.3": [
        (
            "entry by entry",
            """
def matrix(groups, theta):
    def entry(i, j):
        turned = bin(i ^ j).count("1")
        return theta ** (groups - turned) * (1 - theta) ** turned

    return [[entry(i, j) for j in range(2**groups)] for i in range(2**groups)]
""",
        ),
        (
            "scipy",
            """
from functools import reduce

from scipy.linalg import toeplitz


def matrix(groups, theta):
    return np.matrix(reduce(np.kron, [toeplitz([theta, 1 - theta])] * groups))
""",
        ),
    ],
    "w3.4": [
        (
            "all ways, with truth values, and without weights of 0",
            """
from itertools import product


def reversals(sheet, groups, theta):
    inverse = np.linalg.inv([[theta, 1 - theta], [1 - theta, theta]])
    found = []
    for way in product([0, 1], repeat=len(groups)):
        turned = {question for group, one in zip(groups, way) if one for question in group}
        record = {question: bool(answer) != (question in turned) for question, answer in sheet.items()}
        weight = np.prod([inverse[0, one] for one in way])
        if weight:
            found.append([record, weight])
    return tuple(found)
""",
        ),
    ],
    "w3.5": [
        (
            "a loop over sheets",
            """
def count(sheets, asked, groups, theta):
    unknown = set(asked) - set(sum(groups, []))
    if unknown:
        raise ValueError(unknown)
    total = 0
    for _, sheet in sheets.iterrows():
        weight = 1
        for group in groups:
            same = [sheet[question] == asked[question] for question in group if question in asked]
            if same and all(same):
                weight *= theta / (2 * theta - 1)
            elif same and not any(same):
                weight *= (theta - 1) / (2 * theta - 1)
            elif same:
                weight = 0
        total += weight
    return total
""",
        ),
        (
            "cases, and a system of equations",
            """
def count(sheets, asked, groups, theta):
    parts = [[question for question in group if question in asked] for group in groups]
    parts = [part for part in parts if part]
    if sum(map(len, parts)) != len(asked):
        raise ValueError("a question is in no group")
    seen = np.zeros(2 ** len(parts))
    one, all_ = np.array([[theta, 1 - theta], [1 - theta, theta]]), np.eye(1)
    for _ in parts:
        all_ = np.kron(all_, one)
    for case in range(len(seen)):
        digits = [int(digit) for digit in f"{case:0{len(parts)}b}"] if parts else []
        shows = pd.Series(True, index=sheets.index)
        for part, turned in zip(parts, digits):
            for question in part:
                shows &= sheets[question] == abs(turned - asked[question])
        seen[case] = shows.sum()
    return np.linalg.solve(all_, seen)[0]
""",
        ),
    ],
    "w3.7": [
        (
            "a system of equations",
            """
def accuracy_from(hits, theta, groups):
    if np.size(hits) != 2**groups:
        raise ValueError(f"{groups} groups")
    return np.linalg.solve(matrix(groups, theta), hits)[0]
""",
        ),
        (
            "group after group",
            """
def accuracy_from(hits, theta, groups):
    left = list(hits)
    if len(left) != 2**groups:
        raise ValueError("not a share for each way")
    while len(left) > 1:
        half = len(left) // 2
        left = [(theta * a + (theta - 1) * b) / (2 * theta - 1) for a, b in zip(left[:half], left[half:])]
    return left[0]
""",
        ),
    ],
    "w3.8": [
        ("three digits", "my_accuracy = round(accuracy_from(hits, 0.8, 3), 3)"),
        (
            "the library's",
            "from ppdm.measure import accuracy_from_disguised\n"
            "my_accuracy = np.float32(accuracy_from_disguised(tree, unseen.drop(columns='class'), "
            "unseen['class'], three_coins).accuracy)",
        ),
    ],
}
