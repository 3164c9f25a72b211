"""Wrong answers of week 3: what is wrong, an answer cell, which check sees it, and a word of its message."""

ONE_COIN = """
def estimate(said, theta):
    if not 0 <= theta <= 1 or theta == 0.5 or len(said) < 2:
        raise ValueError("no")
    said = np.asarray(said)
    yes, n, wide = said.mean(), len(said), 2 * theta - 1
    share, error = (yes - 1 + theta) / wide, np.sqrt(yes * (1 - yes) / n) / abs(wide)
    {change}
    return share, error
"""
MATRIX = """
def matrix(groups, theta):
    one = np.array([[theta, 1 - theta], [1 - theta, theta]])
    found = np.eye(1)
    for _ in range(groups):
        found = np.kron(found, one)
    {change}
    return found
"""
REVERSALS = """
def reversals(sheet, groups, theta):
    a, b = theta / (2 * theta - 1), (theta - 1) / (2 * theta - 1)
    {change}
    found = [(dict(sheet), 1)]
    for group in groups:
        others = [({{**one, **{{name: 1 - one[name] for name in group}}}}, weight * b) for one, weight in found]
        found = [(one, weight * a) for one, weight in found] + others
    {after}
    return found
"""
COUNT = """
def count(sheets, asked, groups, theta):
    if not set(asked) <= {{name for group in groups for name in group}}:
        raise ValueError("no")
    a, b, none = theta / (2 * theta - 1), (theta - 1) / (2 * theta - 1), 0
    {before}
    weights = np.ones(len(sheets))
    for group in groups:
        part = [name for name in group if name in asked]
        if part:
            same = sheets[part].to_numpy() == [asked[name] for name in part]
            weights *= np.where(same.all(axis=1), a, np.where((~same).all(axis=1), b, none))
        {unasked}
    {change}
    return float(weights.sum())
"""
ACCURACY = """
def accuracy_from(hits, theta, groups):
    if len(hits) != 2**groups:
        raise ValueError("no")
    hits = np.asarray(hits)
    one = np.array([[theta, 1 - theta], [1 - theta, theta]])
    found = np.eye(1)
    for _ in range(groups):
        found = np.kron(found, one)
    {change}
    return float(np.linalg.solve(found, hits)[0])
"""


def coin(change):
    return ONE_COIN.format(change=change)


def rows(change):
    return MATRIX.format(change=change)


def sheet(change="", after=""):
    return REVERSALS.format(change=change, after=after)


def node(change="", before="", unasked=""):
    return COUNT.format(change=change, before=before, unasked=unasked)


def tested(change):
    return ACCURACY.format(change=change)


WRONG = {
    "w3.1": [("a share", "below_zero = 0.5", "visible", "a half is 50")],
    "w3.6": [("a share", "score = 0.67", "visible", "a half is 50")],
    "w3.2": [
        ("the coin is not undone", coin("share = yes"), "visible", "not undone"),
        ("θ and 1 − θ exchanged", coin("share = (yes - theta) / (1 - 2 * theta)"), "visible", "exchanged"),
        ("2θ − 1 forgotten", coin("share = share * wide"), "visible", "2θ − 1 is forgotten"),
        ("cut off", coin("share = min(max(share, 0), 1)"), "visible", "cut off"),
        ("no factor in the error", coin("error = error * abs(wide)"), "visible", "factor"),
        ("error without a coin", coin("error = np.sqrt(share * (1 - share) / n)"), "visible", "without a coin"),
        ("the variance", coin("error = error**2"), "visible", "variance"),
        ("the spread of one answer", coin("error = error * np.sqrt(n)"), "visible", "single answer"),
        ("an error below 0 for θ < ½", coin("error = error * abs(wide) / wide"), "visible", "with its sign"),
        ("per cent", coin("share = 100 * share"), "visible", "per cent"),
        ("error first", coin("share, error = error, share"), "visible", "comes first"),
        ("one number", coin("return share"), "visible", "a pair"),
        ("½ not refused", coin("").replace(" or theta == 0.5", ""), "visible", "fair coin"),
        ("rounded", coin("share = round(share, 2)"), "hidden", "The estimate for"),
        ("an error of three digits", coin("error = round(error, 3)"), "visible", "0.09798, and you have 0.098"),
        (
            "error of a hundred",
            coin("error = error * np.sqrt(n / 100) if n > 20 else error"),
            "hidden",
            "standard error for",
        ),
        ("changes its answers", coin("_ = n > 100 and np.put(said, 0, 1)"), "hidden", "changes"),
        ("refuses ½ alone", coin("").replace("not 0 <= theta <= 1 or ", ""), "visible", "no probability"),
        ("no answer is enough", coin("").replace("len(said) < 2", "False"), "visible", "one answer"),
        ("one answer is enough", coin("").replace("len(said) < 2", "len(said) < 1"), "visible", "one answer"),
        (
            "refuses θ below ½",
            coin("").replace("not 0 <= theta", "not 0.5 <= theta"),
            "visible",
            "below ½ is fine",
        ),
        ("refuses what is above 1 alone", coin("").replace("not 0 <= theta", "not theta"), "hidden", "-0.3"),
        (
            "cut off where a share is small",
            coin("share = max(share, 0) if 0 < yes and n == 50 else share"),
            "hidden",
            "cut off",
        ),
    ],
    "w3.3": [
        ("θ and 1 − θ exchanged", rows("found = found[::-1]"), "visible", "exchanged"),
        (
            "the order of the paper",
            rows(
                "order = [0, 1, 2, 4, 3, 5, 6, 7]\n    found = found[np.ix_(order, order)] if groups == 3 else found"
            ),
            "visible",
            "order of the paper",
        ),
        ("the inverse", rows("found = np.linalg.inv(found) if theta != 0.5 else found"), "visible", "inverse"),
        ("of two groups only", rows("found = np.kron(one, one)"), "visible", "shape"),
        ("a matrix power", rows("found = np.linalg.matrix_power(one, groups)"), "visible", "shape"),
        (
            "of one θ only",
            rows("found = found * 0 + matrix(groups, 0.75) if theta != 0.75 else found"),
            "visible",
            "row",
        ),
        ("rounded", rows("found = found.round(1)"), "visible", "we expect"),
        ("NaN", rows("found[0, 0] = np.nan"), "visible", "finite"),
        (
            "the examples by heart",
            rows("found = found if theta in (0.75, 0.9, 0.6, 1) else np.eye(2**groups)"),
            "visible",
            "and then of",
        ),
    ],
    "w3.4": [
        ("probabilities", sheet("a, b = theta, 1 - theta"), "visible", "probabilities"),
        ("θ and 1 − θ exchanged", sheet("a, b = b, a"), "visible", "exchanged"),
        ("no minus", sheet("b = -b"), "visible", "minus"),
        ("each answer turned", sheet("groups = [[name] for name in sheet]"), "visible", "as a whole"),
        ("one coin", sheet("groups = [list(sheet)]"), "visible", "one coin"),
        ("all turned is missing", sheet(after="found = found[:-1]"), "visible", "Do not forget"),
        (
            "one dict for all",
            sheet(after="found = [(found[0][0], weight) for _, weight in found]"),
            "visible",
            "twice",
        ),
        ("weights alone", sheet(after="found = [weight for _, weight in found]"), "visible", "pair"),
        (
            "the sheet is changed",
            sheet(after="sheet.update(found[-1][0])"),
            "visible",
            "changes",
        ),
        (
            "the wrong groups",
            sheet('groups = [["smokes"], ["drinks", "runs"]] if len(groups) == 2 else groups'),
            "visible",
            "no reversal",
        ),
        (
            "weights of ¾",
            sheet("a, b = (1.5, -0.5) if 0 < theta < 1 else (a, b)"),
            "hidden",
            "weight of a reversal",
        ),
        (
            "mixed up where groups differ",
            sheet(after="found = [(one, abs(weight)) for one, weight in found] if theta != 0.75 else found"),
            "hidden",
            "sign",
        ),
    ],
    "w3.5": [
        ("the coins are not undone", node(before="a, b = 1, 0"), "visible", "not undone"),
        ("θ and 1 − θ exchanged", node(before="a, b = b, a"), "visible", "exchanged"),
        ("the share", node("weights = weights / len(sheets)"), "visible", "share"),
        ("rounded", node("return round(weights.sum())"), "visible", "rounded"),
        ("cut off", node("return max(weights.sum(), 0)"), "visible", "cut off"),
        ("not as asked is turned", node(before="none = b"), "visible", "counts nothing"),
        ("turned sheets forgotten", node(before="b = 0"), "visible", "turned ones"),
        (
            "a coin for each answer",
            node(before="groups = [[name] for name in sheets]"),
            "visible",
            "share a coin",
        ),
        ("one coin", node(before="groups = [list(sheets)]"), "visible", "its own coin"),
        ("probabilities", node(before="a, b = theta, 1 - theta"), "visible", "probabilities"),
        ("no minus", node(before="b = -b"), "visible", "minus"),
        ("unasked groups count", node(unasked="else: weights *= a"), "visible", "not mentioned"),
        (
            "a typing slip is nothing asked",
            node().replace('raise ValueError("no")', "pass"),
            "visible",
            "in no group",
        ),
        (
            "a Series per row",
            node("weights = pd.Series(weights, sheets.index).sort_index().iloc[:50]"),
            "hidden",
            "count",
        ),
        ("weights of ¾", node(before="a, b = (1.5, -0.5) if 0 < theta < 1 else (a, b)"), "hidden", "count"),
        (
            "nothing asked is nobody",
            node("return float(weights.sum()) if asked else 0.0"),
            "hidden",
            "asks for nothing",
        ),
        ("cut off above", node("return min(weights.sum(), max(len(sheets), 19))"), "hidden", "do not cut"),
        (
            "cut off in a deep node",
            node("return max(weights.sum(), 0) if len(asked) > 1 else weights.sum()"),
            "hidden",
            "cut off",
        ),
        ("changes the sheets", node("sheets.iloc[0, 0] = 1 - sheets.iloc[0, 0]"), "visible", "changes"),
    ],
    "w3.7": [
        ("the score", tested("return float(hits[0])"), "visible", "as they are"),
        ("the mean", tested("return float(hits.mean())"), "visible", "mean"),
        ("times the matrix", tested("return float((found @ hits)[0])"), "visible", "inverse"),
        ("exchanged", tested("return float(np.linalg.solve(found, hits)[-1])"), "visible", "exchanged"),
        (
            "the order of the paper",
            tested("hits = hits[[0, 1, 2, 4, 3, 5, 6, 7]] if groups == 3 else hits"),
            "visible",
            "order",
        ),
        ("cut off", tested("return float(np.clip(np.linalg.solve(found, hits)[0], 0, 1))"), "visible", "cut off"),
        ("all of the solution", tested("return np.linalg.solve(found, hits)"), "visible", "number"),
        ("NaN", tested("return float('nan')"), "visible", "finite"),
        (
            "the examples by heart",
            tested(
                "return {0.7: 0.85, 0.64: 0.81, 0.6: 0.83125 if theta < 1 else 0.6, 0.9: 1.3}.get(hits[0], 0.45)"
            ),
            "visible",
            "we expect",
        ),
    ],
    "w3.8": [
        ("per cent", "my_accuracy = 93.1", "visible", "per cent"),
        ("not done", "my_accuracy = None", "visible", "None"),
        ("the score", "my_accuracy = hits[0]", "visible", "as they are"),
        ("the score of three digits", "my_accuracy = round(hits[0], 3)", "visible", "as they are"),
        ("the mean", "my_accuracy = np.mean(hits)", "visible", "mean"),
        ("times the matrix", "my_accuracy = matrix(3, 0.8)[0] @ hits", "visible", "inverse"),
        ("cut off", "my_accuracy = min(1.046, 1.0)", "visible", "cut off"),
        ("exchanged", "my_accuracy = 1 - accuracy_from(hits, 0.8, 3)", "visible", "between"),
        ("too much", "my_accuracy = 1.4", "visible", "between"),
        ("the truth", "my_accuracy = 140 / 145", "hidden", "truth"),
        ("another's", "my_accuracy = 0.87", "hidden", "another name"),
    ],
}
