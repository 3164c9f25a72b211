"""Known wrong answers to the sheet of week 1.

For each task: what is wrong, the source of the answer, the check that sees it, and a word that its message has to say.
"""

WRONG = {
    "w1.1": [
        ("no guess", "wrong_place = None", "visible", "not guessed"),
        ("more than all people", "wrong_place = 180", "visible", "between 0 and 100"),
    ],
    "w1.2": [
        (
            "uniform noise on one side only",
            """
def privacy_width(noise, scale, confidence):
    factor = confidence if noise == "uniform" else 2 * norm.ppf((1 + confidence) / 2)
    return scale * factor
""",
            "visible",
            "one side only",
        ),
        (
            "the confidence is forgotten",
            """
def privacy_width(noise, scale, confidence):
    return 2 * scale if noise == "uniform" else 2 * scale * norm.ppf((1 + confidence) / 2)
""",
            "visible",
            "Where is the confidence",
        ),
        (
            "the quantile at c leaves all of the rest on either side",
            """
def privacy_width(noise, scale, confidence):
    return 2 * scale * (confidence if noise == "uniform" else norm.ppf(confidence))
""",
            "visible",
            "on either side",
        ),
        (
            "Gaussian noise on one side only",
            """
def privacy_width(noise, scale, confidence):
    return scale * (2 * confidence if noise == "uniform" else norm.ppf((1 + confidence) / 2))
""",
            "visible",
            "one side only",
        ),
        (
            "the numbers that the paper prints",
            """
PRINTED = {0.5: 1.34, 0.95: 3.919928, 0.999: 6.8}


def privacy_width(noise, scale, confidence):
    return 2 * scale * confidence if noise == "uniform" else scale * PRINTED[confidence]
""",
            "visible",
            "paper prints",
        ),
        (
            "Table 1 by heart, and nothing else",
            """
TABLE = {0.5: 1.34898, 0.95: 3.919928, 0.999: 6.581053}


def privacy_width(noise, scale, confidence):
    return 2 * scale * confidence if noise == "uniform" else scale * TABLE[confidence]
""",
            "visible",
            "KeyError",
        ),
        (
            "Table 1 by heart, and a width for all others",
            """
TABLE = {0.5: 1.34898, 0.8: 2.563103, 0.95: 3.919928, 0.999: 6.581053}


def privacy_width(noise, scale, confidence):
    return 2 * scale * confidence if noise == "uniform" else scale * TABLE.get(confidence, 3.92)
""",
            "visible",
            "holds",
        ),
        (
            "another spelling of the noise",
            """
def privacy_width(noise, scale, confidence):
    if noise == "uniform":
        return 2 * scale * confidence
    if noise == "gaussian":
        return 2 * scale * norm.ppf((1 + confidence) / 2)
""",
            "visible",
            "spelled 'Gaussian'",
        ),
        (
            "a negative width",
            """
def privacy_width(noise, scale, confidence):
    return 2 * scale * (confidence if noise == "uniform" else norm.ppf((1 - confidence) / 2))
""",
            "visible",
            "not negative",
        ),
        (
            "the scale is taken for a variance",
            """
def privacy_width(noise, scale, confidence):
    if noise == "uniform":
        return 2 * scale * confidence
    return 2 * scale**0.5 * norm.ppf((1 + confidence) / 2)
""",
            "visible",
            "not the variance",
        ),
    ],
    "w1.3": [
        (
            "always ten thousand people",
            """
def naive_histogram(seen, edges):
    return np.histogram(np.clip(seen, edges[0], edges[-1]), edges)[0] / 10_000
""",
            "visible",
            "need not be ten thousand",
        ),
        (
            "the ends of the survey",
            """
def naive_histogram(seen, edges):
    return np.histogram(np.clip(seen, 0, 120), edges)[0] / len(seen)
""",
            "visible",
            "edges that are given",
        ),
        (
            "the edges of the survey",
            """
def naive_histogram(seen, edges):
    return np.histogram(np.clip(seen, 0, 120), MINUTES)[0] / len(seen)
""",
            "visible",
            "not MINUTES",
        ),
        (
            "counts",
            """
def naive_histogram(seen, edges):
    return np.histogram(np.clip(seen, edges[0], edges[-1]), edges)[0]
""",
            "visible",
            "Divide by their number",
        ),
        (
            "those outside are left out",
            """
def naive_histogram(seen, edges):
    return np.histogram(seen, edges)[0] / len(seen)
""",
            "visible",
            "left out",
        ),
        (
            "those outside are left out, and the rest is shared",
            """
def naive_histogram(seen, edges):
    counts = np.histogram(seen, edges)[0]
    return counts / counts.sum()
""",
            "visible",
            "left out",
        ),
        (
            "densities",
            """
def naive_histogram(seen, edges):
    return np.histogram(np.clip(seen, edges[0], edges[-1]), edges, density=True)[0]
""",
            "visible",
            "densities",
        ),
        (
            "edges belong to the interval below",
            """
def naive_histogram(seen, edges):
    place = np.searchsorted(edges[1:-1], seen, side="left")
    return np.bincount(place, minlength=len(edges) - 1) / len(seen)
""",
            "visible",
            "on an edge",
        ),
        (
            "as many shares as edges",
            """
def naive_histogram(seen, edges):
    place = np.searchsorted(edges, np.clip(seen, edges[0], edges[-1]), side="right") - 1
    return np.bincount(place, minlength=len(edges)) / len(seen)
""",
            "visible",
            "one less than edges",
        ),
        (
            "no interval at the upper end if nobody is there",
            """
def naive_histogram(seen, edges):
    place = np.searchsorted(edges[1:-1], seen, side="right")
    return np.bincount(place) / len(seen)
""",
            "hidden",
            "shape",
        ),
        (
            "two digits",
            """
def naive_histogram(seen, edges):
    shares = np.histogram(np.clip(seen, edges[0], edges[-1]), edges)[0] / len(seen)
    return shares.round(2)
""",
            "hidden",
            "different widths",
        ),
    ],
    "w1.4": [
        (
            "the matrix is transposed, so that the shapes do not fit",
            """
def bayes_step(f, N, Pr):
    expected = f @ Pr
    return Pr * (f.T @ (N / expected)) / N.sum()
""",
            "visible",
            "transposed",
        ),
        (
            "the matrix is transposed where it is square",
            """
def bayes_step(f, N, Pr):
    if f.shape[0] == f.shape[1]:
        f = f.T
    return Pr * (f @ (N / (Pr @ f))) / N.sum()
""",
            "visible",
            "transposed",
        ),
        (
            "N is not divided",
            """
def bayes_step(f, N, Pr):
    return Pr * (f @ (N / (Pr @ f)))
""",
            "visible",
            "the sum of N",
        ),
        (
            "what is expected is forgotten",
            """
def bayes_step(f, N, Pr):
    new = Pr * (f @ N)
    return new / new.sum()
""",
            "visible",
            "expected in each seen interval",
        ),
        (
            "Pr is forgotten, and the sum put right",
            """
def bayes_step(f, N, Pr):
    new = f @ (N / (Pr @ f))
    return new / new.sum()
""",
            "visible",
            "Pr(p) is missing",
        ),
        (
            "f is forgotten",
            """
def bayes_step(f, N, Pr):
    return Pr * (N / (Pr @ f)).sum() / N.sum()
""",
            "visible",
            "channel",
        ),
        (
            "N is forgotten",
            """
def bayes_step(f, N, Pr):
    return Pr * (f @ (1 / (Pr @ f))) / len(N)
""",
            "visible",
            "N(s) is missing",
        ),
        (
            "always from the even guess",
            """
def bayes_step(f, N, Pr):
    even = np.full(len(Pr), 1 / len(Pr))
    return even * (f @ (N / (even @ f))) / N.sum()
""",
            "visible",
            "equal thirds",
        ),
        (
            "nothing is done",
            """
def bayes_step(f, N, Pr):
    return Pr
""",
            "visible",
            "nothing learned",
        ),
        (
            "the quotients in an array of whole numbers",
            """
def bayes_step(f, N, Pr):
    expected = Pr @ f
    ratio = np.zeros_like(N)
    for s in range(len(N)):
        if expected[s] > 0:
            ratio[s] = N[s] / expected[s]
    return Pr * (f @ ratio) / N.sum()
""",
            "visible",
            "np.zeros_like",
        ),
        (
            "n is the number of the people who are expected",
            """
def bayes_step(f, N, Pr):
    expected = Pr @ f
    kept = expected > 0
    return Pr * (f[:, kept] @ (N[kept] / expected[kept])) / N[kept].sum()
""",
            "hidden",
            "Everybody counts",
        ),
        (
            "an empty place makes NaN",
            """
def bayes_step(f, N, Pr):
    return Pr * (f @ (N / (Pr @ f))) / N.sum()
""",
            "hidden",
            "nobody is expected",
        ),
        (
            "something small is added against a division by 0",
            """
def bayes_step(f, N, Pr):
    return Pr * (f @ (N / (Pr @ f + 1e-9))) / N.sum()
""",
            "hidden",
            "nearly right",
        ),
        (
            "counts are cut off",
            """
def bayes_step(f, N, Pr):
    N = N.astype(int) if N.sum() > 2 else N
    expected = Pr @ f
    ratio = np.divide(N, expected, out=np.zeros(len(N)), where=expected > 0)
    return Pr * (f @ ratio) / N.sum()
""",
            "hidden",
            "cut off",
        ),
    ],
    "w1.5": [
        ("no guess", "best_round = None", "visible", "not guessed"),
        ("a text", "best_round = 'many'", "visible", "expect a number"),
    ],
    "w1.6": [
        (
            "the last guess alone",
            """
def all_rounds(f, N, Pr, rounds):
    for _ in range(rounds):
        Pr = bayes_step(f, N, Pr)
    return Pr
""",
            "visible",
            "all guesses",
        ),
        (
            "the first guess is missing",
            """
def all_rounds(f, N, Pr, rounds):
    guesses = []
    for _ in range(rounds):
        Pr = bayes_step(f, N, Pr)
        guesses.append(Pr)
    return np.array(guesses)
""",
            "visible",
            "missing",
        ),
        (
            "each round starts again",
            """
def all_rounds(f, N, Pr, rounds):
    return np.array([Pr] + [bayes_step(f, N, Pr) for _ in range(rounds)])
""",
            "visible",
            "from Pr again",
        ),
        (
            "one round too far",
            """
def all_rounds(f, N, Pr, rounds):
    guesses = [bayes_step(f, N, Pr)]
    for _ in range(rounds):
        guesses.append(bayes_step(f, N, guesses[-1]))
    return np.array(guesses)
""",
            "visible",
            "after a round",
        ),
        (
            "one guess is a column",
            """
def all_rounds(f, N, Pr, rounds):
    guesses = [Pr]
    for _ in range(rounds):
        guesses.append(bayes_step(f, N, guesses[-1]))
    return np.array(guesses).T
""",
            "visible",
            "exchanged",
        ),
        (
            "the likelihood falls on the way",
            """
def all_rounds(f, N, Pr, rounds):
    guesses = [Pr]
    for _ in range(rounds):
        guesses.append(bayes_step(f, N, guesses[-1]))
    if rounds > 100:
        guesses[50] = Pr
    return np.array(guesses)
""",
            "visible",
            "less likely",
        ),
        (
            "one array, changed in each round",
            """
def all_rounds(f, N, Pr, rounds):
    guess = Pr.copy()
    guesses = [guess]
    for _ in range(rounds):
        guess[:] = bayes_step(f, N, guess)
        guesses.append(guess)
    return np.array(guesses)
""",
            "visible",
            "rows are the same",
        ),
        (
            "always from the even guess",
            """
def all_rounds(f, N, Pr, rounds):
    guesses = [np.full(len(Pr), 1 / len(Pr))]
    for _ in range(rounds):
        guesses.append(bayes_step(f, N, guesses[-1]))
    return np.array(guesses)
""",
            "visible",
            "equal thirds",
        ),
        (
            "a round at least",
            """
def all_rounds(f, N, Pr, rounds):
    guesses = [Pr, bayes_step(f, N, Pr)]
    while len(guesses) <= rounds:
        guesses.append(bayes_step(f, N, guesses[-1]))
    return np.array(guesses)
""",
            "hidden",
            "no round",
        ),
    ],
    "w1.7": [
        ("people instead of shares", "found = found * 5000", "visible", "add up to 1"),
        ("per cent", "share = 100 * share", "visible", "per cent"),
        ("all rounds instead of one", "found = own_path", "visible", "shape"),
        ("the first argument is a name", "me = 'ada.lovelace'", "visible", "first cell"),
        ("the naive histogram", "found = naive_histogram(own_seen, MINUTES)", "visible", "uncorrected"),
        ("no round", "found = even", "visible", "too few rounds"),
        ("the naive share", "share = naive_histogram(own_seen, MINUTES)[12:].sum()", "visible", "any correction"),
        ("the other people", "share = 1 - share", "visible", "less than an hour"),
        ("an interval too many", "share = found[11:].sum()", "visible", "too many"),
        ("an interval too few", "share = found[13:].sum()", "visible", "left out one"),
        ("one interval", "share = found[12]", "visible", "Add up"),
        ("the share of another round", "share = own_path[20, 12:].sum()", "visible", "not the share in found"),
        (
            "stopped after two rounds",
            "found = own_path[2]\nshare = found[12:].sum()",
            "visible",
            "too few rounds",
        ),
        (
            "stopped after five rounds",
            "found = own_path[5]\nshare = found[12:].sum()",
            "visible",
            "too few rounds",
        ),
        (
            "stopped after twelve rounds",
            "found = own_path[12]\nshare = found[12:].sum()",
            "visible",
            "taken too few",
        ),
        ("somebody else's people", "me = student('grace.hopper')", "visible", "other people"),
        (
            "a tenth of the people",
            """
few = np.histogram(own_seen[:900], own_bins)[0]
found = all_rounds(own_f, few, even, 30)[-1]
share = found[12:].sum()
""",
            "visible",
            "not all",
        ),
    ],
}
