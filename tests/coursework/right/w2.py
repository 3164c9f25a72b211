"""Right answers to the sheet of week 2, by other means than its own: what is other, and the source of the answer."""

RIGHT = {
    "w2.2": [
        (
            "a loop over sorted people",
            """
def by_rank(seen, shares):
    seen = list(seen)
    answer = [0] * len(seen)
    reached, interval = 0.0, -1
    ends = []
    for share in shares:
        reached += share
        ends.append(round(len(seen) * reached))
    for rank, person in enumerate(sorted(range(len(seen)), key=seen.__getitem__)):
        answer[person] = next(k for k, end in enumerate(ends) if rank < end)
    return answer
""",
        ),
        (
            "ranks by pandas",
            """
def by_rank(seen, shares):
    ranks = pd.Series(np.asarray(seen)).rank(method="first") - 1
    ends = np.rint(len(seen) * np.cumsum(np.asarray(shares)))
    return pd.Series(np.searchsorted(ends, ranks, side="right"))
""",
        ),
        (
            "the counts of each interval added up",
            """
def by_rank(seen, shares):
    ends = np.rint(np.cumsum([len(seen) * share for share in shares]))
    order = np.argsort(np.asarray(seen), kind="stable")
    ranks = np.argsort(order)
    return [int((ends <= rank).sum()) for rank in ranks]
""",
        ),
    ],
    "w2.3": [
        (
            "all cuts at once",
            """
def index(sums):
    kept = np.maximum(sums, 0)
    return 1 - ((kept / kept.sum(axis=-1, keepdims=True)) ** 2).sum(axis=-1)


def best_cut(counts):
    left = np.cumsum(counts, axis=0)[:-1]
    total = np.sum(counts, axis=0)
    right = total - left
    after = (left.sum(axis=1) * index(left) + right.sum(axis=1) * index(right)) / total.sum()
    allowed = np.minimum(left.sum(axis=1), right.sum(axis=1)) >= 1
    gains = np.where(allowed, index(total) - after, -np.inf)
    if not allowed.any() or gains.max() <= 1e-9:
        return [None, 0]
    return np.argmax(gains) + 1, gains.max()
""",
        ),
        (
            "two products, and a table",
            """
def best_cut(counts):
    table = pd.DataFrame(counts, columns=["A", "B"])

    def part(sums):
        a, b = max(sums["A"], 0), max(sums["B"], 0)
        return sums.sum() * 2 * a * b / (a + b) ** 2

    best, gain = None, 1e-9
    for cut in table.index[1:]:
        left, right = table.iloc[:cut].sum(), table.iloc[cut:].sum()
        if left.sum() < 1 or right.sum() < 1:
            continue
        new = (part(table.sum()) - part(left) - part(right)) / table.to_numpy().sum()
        if new > gain + 1e-12:
            best, gain = cut, new
    return np.array([best, gain if best else 0.0], dtype=object)
""",
        ),
    ],
    "w2.5": [
        (
            "predictions compared with the classes",
            """
def score_strategies(tables, level):
    found = {}
    for strategy in ["local", "global", "byclass"]:
        tree = ReconstructedTreeClassifier(as00.channels_at("uniform", level), strategy=strategy)
        named = tree.fit(tables["seen"], tables["classes"]).predict(tables["new true"])
        found[strategy] = sum(named == tables["new classes"].to_numpy()) / len(named)
    return found
""",
        ),
    ],
    "w2.6": [
        (
            "people counted one by one",
            """
given_age = as00_lesson.by_rank(seen_age, reconstruct(seen_age, noise, 30).distribution).tolist()
share = sum((label == "A") == (not 40 <= age < 60) for age, label in zip(given_age, classes)) / len(given_age)
""",
        ),
        (
            "intervals of one's own",
            """
shares = reconstruct(seen_age, noise, np.linspace(20, 80, 31)).probabilities
given_age = pd.Series(21 + 2 * by_rank(seen_age, shares), index=range(4000, 0, -1))
share = round(pd.Series(np.where((given_age < 40) | (given_age > 60), "A", "B") == classes).mean(), 3)
""",
        ),
    ],
    "w2.8": [
        (
            "another bound, other functions, numbers of objects",
            """
rows = [(function, repeat, 0.1 + 0.01 * repeat * function) for function in (2, 3) for repeat in range(6)]
runs = pd.DataFrame(rows, columns=["function", "repeat", "lost"]).astype(object)
losses = runs.set_index(["function", "repeat"])["lost"].astype(float)
found = Ledger.verdict(losses, at_most=0.15, says="overall", points=True)
claims = Ledger("mine")
claims.check("A5", '"within 15% for Functions 2 and 3", as §5.2 says', scope="Functions 2 and 3, exact=False", **found)
row = claims.to_frame()
""",
        ),
    ],
}
