"""Right answers to the sheet of week 4, by other means than its own: what is other, and the source of the answer."""

RIGHT = {
    "w4.2": [
        (
            "a loop",
            """
def certain_width(seen, half_width, low, high):
    return [min(high, one + half_width) - max(low, one - half_width) for one in seen]
""",
        ),
        (
            "both ends brought into the range, as a Series",
            """
def certain_width(seen, half_width, low, high):
    seen = pd.Series(seen)
    return (seen + half_width).clip(low, high) - (seen - half_width).clip(low, high)
""",
        ),
    ],
    "w4.3": [
        (
            "all at once",
            """
def linkage(known, released, half_width):
    fits = (np.abs(released[None] - known[:, None]) <= half_width).all(axis=2)
    return (1 / fits.sum(axis=1)).mean()
""",
        ),
        (
            "one by one",
            """
def linkage(known, released, half_width):
    found = 0
    for person in known:
        fits = [all(abs(a - b) <= h for a, b, h in zip(person, one, half_width)) for one in released]
        found += 1 / sum(fits)
    return found / len(known)
""",
        ),
        (
            "scipy, with each number in units of its noise",
            """
from scipy.spatial.distance import cdist


def linkage(known, released, half_width):
    far = cdist(known / half_width, released / half_width, "chebyshev")
    return np.mean(1 / np.count_nonzero(far <= 1, axis=1))
""",
        ),
    ],
    "w4.4": [
        ("a share of four digits", "found = round(linkage(*map(np.asarray, (known, released, half_width))), 4)"),
    ],
    "w4.6": [
        (
            "person by person",
            """
def guess(sheet, people, groups, theta):
    likely = []
    for person in people:
        one = 1.0
        for group in groups:
            same = [sheet[place] == person[place] for place in group]
            one *= theta if all(same) else 1 - theta if not any(same) else 0
        likely.append(one)
    return [one / sum(likely) for one in likely]
""",
        ),
        (
            "logarithms",
            """
def guess(sheet, people, groups, theta):
    logs = np.zeros(len(people))
    for group in groups:
        same = people[:, group] == sheet[group]
        logs += np.where(same.all(axis=1), np.log(theta), np.where(same.any(axis=1), -np.inf, np.log(1 - theta)))
    chances = np.exp(logs - logs.max())
    return pd.Series(chances / chances.sum())
""",
        ),
    ],
    "w4.7": [
        (
            "the larger of both odds, infinity of another kind",
            """
def epsilon(theta, groups):
    if not 0 < theta < 1 or {len(group) for group in groups} != {1}:
        return np.inf
    return np.log(max(theta / (1 - theta), (1 - theta) / theta)) * len(groups)


def theta_for(promise, answers):
    return float(1 / (1 + np.exp(-promise / answers)))
""",
        ),
        (
            "found by search",
            """
from scipy.optimize import brentq


def epsilon(theta, groups):
    if max(map(len, groups)) > 1 or theta * (1 - theta) == 0:
        return float("inf")
    return sum(abs(math.log(theta) - math.log1p(-theta)) for _ in groups)


def theta_for(promise, answers):
    names = [[str(name)] for name in range(answers)]
    return brentq(lambda theta: epsilon(theta, names) - promise, 0.5, 1 - 1e-12, xtol=1e-15)
""",
        ),
    ],
    "w4.8": [
        (
            "whole numbers of Python",
            """
def read_ring(words, total, place):
    came = [int(word) for word in words[place - 1]]
    if place == 0:
        came = [word - int(all_) for word, all_ in zip(came, total)]
    return [(int(word) - other) % 2**64 for word, other in zip(words[place], came)]
""",
        ),
        (
            "differences of the whole ring",
            """
def read_ring(words, total, place):
    table = np.array(words)
    before = np.vstack([table[-1] - total, table[:-1]])
    return (table - before)[place].astype(np.int64)
""",
        ),
    ],
}
