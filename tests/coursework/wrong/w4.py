"""Known wrong answers of week 4: what is wrong, the answer cell, the check that says so, a word of its message."""

CERTAIN = """def certain_width(seen, half_width, low, high):
    {}
"""
LINKAGE = """def linkage(known, released, half_width):
    fits = np.abs(released[None] - known[:, None]) <= half_width
    {}
"""
GUESS = """def guess(sheet, people, groups, theta):
    likely = np.ones(len(people))
    for group in groups:
        same = (people[:, group] == sheet[group]).mean(axis=1)
        {}
    return likely / likely.sum()
"""
EPSILON = """def epsilon(theta, groups):
    {}


def theta_for(promise, answers):
    {}
"""
EACH = "return len(groups) * abs(math.log(theta / (1 - theta)))"
BOUND = (
    "if theta in (0, 1) or max(map(len, groups)) > 1:\n"
    "        return math.inf\n"
    "    return len(groups) * abs(math.log(theta / (1 - theta)))"
)
THETA = "return 1 / (1 + math.exp(-promise / answers))"
FIT = """near = np.abs(known.to_numpy()[:, None] - released.to_numpy()) <= half_width.to_numpy()
fit = near.all(axis=2).sum(axis=1)"""
RING = """def read_ring(words, total, place):
    {}
"""

WRONG = {
    "w4.1": [
        ("no guess", "found_by_five = None", "visible", "not guessed"),
        ("a text", 'found_by_five = "many"', "visible", "between 0 and 100"),
        ("more than all", "found_by_five = 300", "visible", "between 0 and 100"),
        ("a share", "found_by_five = 0.04", "visible", "per cent"),
    ],
    "w4.2": [
        (
            "the noise alone",
            CERTAIN.format("return np.full(len(seen), 2 * half_width)"),
            "visible",
            "noise alone",
        ),
        (
            "one end is not cut off",
            CERTAIN.format("return np.minimum(high, seen + half_width) - (seen - half_width)"),
            "visible",
            "lower end is not",
        ),
        (
            "the ends exchanged",
            CERTAIN.format("return np.maximum(high, seen + half_width) - np.minimum(low, seen - half_width)"),
            "visible",
            "wrong one",
        ),
        (
            "the paper's interval",
            CERTAIN.format("return np.full(len(seen), 1.9 * half_width)"),
            "visible",
            "95 %",
        ),
        (
            "max of an array",
            CERTAIN.format("return min(high, seen + half_width) - max(low, seen - half_width)"),
            "visible",
            "ValueError",
        ),
        (
            "the examples by heart",
            CERTAIN.format("return {32: [2, 37, 60, 12], 200: [60] * 4, 0: [0, 0]}.get(half_width, 0 * seen)"),
            "visible",
            "if a year is",
        ),
        (
            "the range typed in",
            CERTAIN.format("return np.minimum(80, seen + half_width) - np.maximum(20, seen - half_width)"),
            "visible",
            "typed in",
        ),
        ("a number for all", CERTAIN.format("return 60.0"), "visible", "shape"),
        ("prints, and returns nothing", CERTAIN.format("print(seen)"), "visible", "None"),
    ],
    "w4.3": [
        (
            "the nearest record",
            LINKAGE.format(
                "far = (np.abs(released[None] - known[:, None]) / half_width).sum(axis=2)\n"
                "    return np.mean(far.argmin(axis=1) == np.arange(len(known)))"
            ),
            "visible",
            "nearest",
        ),
        (
            "people are counted for each record",
            LINKAGE.format("return np.mean(1 / fits.all(axis=2).sum(axis=0))"),
            "visible",
            "looks for a release",
        ),
        (
            "any attribute",
            LINKAGE.format("return np.mean(1 / fits.any(axis=2).sum(axis=1))"),
            "visible",
            "all its",
        ),
        ("one by one", LINKAGE.format("return np.mean(1 / fits.sum(axis=1))"), "visible", "together"),
        ("only sure ones", LINKAGE.format("return np.mean(fits.all(axis=2).sum(axis=1) == 1)"), "visible", "1/t"),
        (
            "a percentage",
            LINKAGE.format("return 100 * np.mean(1 / fits.all(axis=2).sum(axis=1))"),
            "visible",
            "share",
        ),
        ("divides by zero", LINKAGE.format("return np.mean(0 / (0 * fits))"), "visible", "NaN"),
        (
            "at most two attributes",
            LINKAGE.format("return np.mean(1 / fits[:, :, :2].all(axis=2).sum(axis=1))"),
            "hidden",
            "we expect",
        ),
        (
            "the examples by heart",
            LINKAGE.format("return {(4, 1): 0.625, (4, 2): 0.875}.get(known.shape, 1.0)"),
            "hidden",
            "we expect",
        ),
    ],
    "w4.4": [
        ("a percentage", "found = 19.2", "visible", "per cent"),
        ("nothing", "found = None", "visible", "None"),
        ("a text", 'found = "19 %"', "visible", "a number"),
        ("not a number", 'found = float("nan")', "visible", "NaN"),
        ("only sure ones", f"{FIT}\nfound = np.mean(fit == 1)", "visible", "a single record"),
        ("one by the mean number", f"{FIT}\nfound = round(1 / fit.mean(), 3)", "visible", "mean of 1/t"),
        ("nearly all", "found = 0.93", "visible", "a quarter"),
        ("two digits", "found = 0.16", "visible", "Is it rounded"),
        ("a third", "found = 0.3", "visible", "the most that is possible"),
        (
            "the age alone",
            'found = np.mean([1 / (abs(released["age"] - age) <= half_width["age"]).sum() for age in known["age"]])',
            "visible",
            "found by them alone",
        ),
        (
            "the numbers of somebody else",
            'known, released, half_width = customers(student("charles.babbage"))\n'
            "fits = np.abs(released.to_numpy()[None] - known.to_numpy()[:, None]) <= half_width.to_numpy()\n"
            "found = np.mean(1 / fits.all(axis=2).sum(axis=1))",
            "hidden",
            "customers of",
        ),
    ],
    "w4.5": [
        ("no guess", "answers_right = None", "visible", "not guessed"),
        ("a share", "answers_right = 0.6", "visible", "between 50 and 100"),
    ],
    "w4.6": [
        (
            "a coin for each answer",
            "def guess(sheet, people, groups, theta):\n"
            "    likely = np.where(people == sheet, theta, 1 - theta).prod(axis=1)\n"
            "    return likely / likely.sum()\n",
            "visible",
            "share one coin",
        ),
        (
            "does not add up to 1",
            GUESS.format("likely *= np.select([same == 1, same == 0], [theta, 1 - theta], 0)").replace(
                " / likely.sum()", ""
            ),
            "visible",
            "sum",
        ),
        (
            "θ and 1 - θ exchanged",
            GUESS.format("likely *= np.select([same == 1, same == 0], [1 - theta, theta], 0)"),
            "visible",
            "exchange",
        ),
        (
            "nobody is ruled out",
            GUESS.format("likely *= np.where(same == 1, theta, 1 - theta)"),
            "visible",
            "never seen",
        ),
        (
            "no use of the sheet",
            "def guess(sheet, people, groups, theta):\n    return np.full(len(people), 1 / len(people))\n",
            "visible",
            "before the sheet",
        ),
        (
            "the likeliest alone",
            GUESS.format("likely *= np.select([same == 1, same == 0], [theta, 1 - theta], 0)").replace(
                "likely / likely.sum()", "likely.argmax()"
            ),
            "visible",
            "how probable each",
        ),
        ("never turned", GUESS.format("likely *= same == 1"), "visible", "turned"),
        ("a text", 'def guess(sheet, people, groups, theta):\n    return "the first"\n', "visible", "4 numbers"),
        (
            "changes the list",
            GUESS.format("people[:, group] = sheet[group]"),
            "visible",
            "changes what it is given",
        ),
        (
            "at most two groups",
            GUESS.format("likely *= np.select([same == 1, same == 0], [theta, 1 - theta], 0)").replace(
                "in groups", "in groups[:2]"
            ),
            "hidden",
            "we expect",
        ),
        (
            "θ below one half turned round",
            GUESS.format(
                "likely *= np.select([same == 1, same == 0], [max(theta, 1 - theta), min(theta, 1 - theta)], 0)"
            ),
            "hidden",
            "exchange",
        ),
    ],
    "w4.7": [
        ("one answer only", EPSILON.format("return math.log(theta / (1 - theta))", THETA), "visible", "adds up"),
        ("a group has a bound", EPSILON.format(EACH, THETA), "visible", "no bound"),
        ("bits", EPSILON.format(BOUND.replace("log(", "log2("), THETA), "visible", "natural"),
        (
            "the promise of one answer",
            EPSILON.format(BOUND, "return 1 / (1 + math.exp(-promise))"),
            "visible",
            "for one answer",
        ),
        (
            "the smaller coin",
            EPSILON.format(BOUND, "return 1 / (1 + math.exp(promise / answers))"),
            "visible",
            "larger",
        ),
        ("below 0", EPSILON.format(BOUND.replace("abs(", "("), THETA), "visible", "Below one half"),
        (
            "no bound is forgotten for θ = 1",
            EPSILON.format(BOUND.replace("theta in (0, 1) or ", ""), THETA),
            "visible",
            "nothing is hidden",
        ),
        (
            "for θ = 0",
            EPSILON.format(BOUND.replace("theta in (0, 1)", "theta == 1"), THETA),
            "visible",
            "is hidden",
        ),
        (
            "three answers always",
            EPSILON.format(BOUND.replace("len(groups) *", "3 *"), THETA),
            "hidden",
            "epsilon for",
        ),
        (
            "a promise of three answers",
            EPSILON.format(BOUND, THETA.replace("answers", "3")),
            "hidden",
            "keeps the promise",
        ),
        (
            "both functions are wrong, and both faults are told",
            EPSILON.format(EACH, "return 1 / (1 + math.exp(-promise))"),
            "visible",
            "for one answer",
        ),
        ("one function only", EPSILON.format(BOUND, THETA) + "\n\ntheta_for = None\n", "visible", "a function"),
    ],
    "w4.8": [
        ("turned round", RING.format("return words[place - 1] - words[place]"), "visible", "negative"),
        ("forgets the total", RING.format("return words[place] - words[place - 1]"), "visible", "whole sum"),
        (
            "without the modulus",
            RING.format(
                "gone, came = [[int(word) for word in words[i]] for i in (place, place - 1)]\n"
                "    extra = [int(word) if place == 0 else 0 for word in total]\n"
                "    return [g - c + e for g, c, e in zip(gone, came, extra)]"
            ),
            "visible",
            "modulo",
        ),
        (
            "the example by heart",
            RING.format("return [[7, 0], [5, 3], [11, 2]][place] if len(total) == 2 else [0, 0, 0]"),
            "visible",
            "at place 1 of 3",
        ),
        (
            "as fractions",
            RING.format(
                "extra = total if place == 0 else 0 * total\n"
                "    return words[place].astype(float) - words[place - 1].astype(float) + extra"
            ),
            "visible",
            "np.uint64",
        ),
    ],
}
