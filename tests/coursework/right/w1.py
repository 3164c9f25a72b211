"""Right answers to the sheet of week 1, by other means than its own: what is other, and the source of the answer."""

RIGHT = {
    "w1.2": [
        (
            "the quantiles of both noises",
            """
from scipy import stats


def privacy_width(noise, scale, confidence):
    law = stats.uniform(-scale, 2 * scale) if noise == "uniform" else stats.norm(0, scale)
    low, high = law.ppf([(1 - confidence) / 2, (1 + confidence) / 2])
    return np.array(high - low)
""",
        ),
        (
            "the standard library",
            """
from statistics import NormalDist


def privacy_width(noise, scale, confidence):
    if noise == "uniform":
        return 2 * scale * confidence
    return -2 * NormalDist(sigma=scale).inv_cdf((1 - confidence) / 2)
""",
        ),
    ],
    "w1.3": [
        (
            "a loop",
            """
def naive_histogram(seen, edges):
    counts = [0] * (len(edges) - 1)
    for one in seen:
        place = sum(one >= edge for edge in edges[1:-1])
        counts[place] += 1
    return [count / len(seen) for count in counts]
""",
        ),
        (
            "a Series",
            """
def naive_histogram(seen, edges):
    ends = [-np.inf, *edges[1:-1], np.inf]
    return pd.cut(pd.Series(seen), ends, right=False).value_counts(normalize=True, sort=False)
""",
        ),
    ],
    "w1.4": [
        (
            "two loops",
            """
def bayes_step(f, N, Pr):
    new = [0.0] * len(Pr)
    for s in range(len(N)):
        below = sum(f[t][s] * Pr[t] for t in range(len(Pr)))
        for p in range(len(Pr)):
            if below > 0:
                new[p] += N[s] * f[p][s] * Pr[p] / below / sum(N)
    return new
""",
        ),
        (
            "the posterior as a table",
            """
def bayes_step(f, N, Pr):
    joint = pd.DataFrame(f).mul(Pr, axis=0)
    posterior = joint.div(joint.sum(), axis=1).fillna(0)
    return posterior @ (N / N.sum())
""",
        ),
        (
            "NaN put right at the end",
            """
def bayes_step(f, N, Pr):
    ratio = np.nan_to_num(N / np.einsum("t,ts->s", Pr, f), posinf=0)
    return (Pr * (f * ratio).sum(axis=1) / N.sum()).astype(object)
""",
        ),
    ],
    "w1.6": [
        (
            "an array that is filled",
            """
def all_rounds(f, N, Pr, rounds):
    path = np.empty((rounds + 1, len(Pr)))
    path[0] = Pr
    for r in range(rounds):
        path[r + 1] = bayes_step(f, N, path[r])
    return path
""",
        ),
        (
            "a list of lists, by the library's step",
            """
from itertools import accumulate

from ppdm.reconstruct import em_step


def all_rounds(f, N, Pr, rounds):
    steps = accumulate(range(rounds), lambda guess, _: em_step(f, N, guess), initial=Pr)
    return [guess.tolist() for guess in steps]
""",
        ),
    ],
    "w1.7": [
        ("thirty rounds", "found = own_path[30]\nshare = sum(found[12:])"),
        (
            "five hundred rounds, as lists",
            "found = own_path[500].tolist()\nshare = pd.Series(found).iloc[12:].sum()",
        ),
        (
            "the library's own stop",
            """
from ppdm.reconstruct import reconstruct_counts

found = reconstruct_counts(own_counts, own_f).probabilities
share = np.array(found[12:].sum())
""",
        ),
    ],
}
