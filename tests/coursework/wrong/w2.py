"""Known wrong answers to the sheet of week 2.

For each task: what is wrong, the source of the answer, the check that sees it, and a word that its message has to say.
"""

# What several wrong answers have in common; the part that is wrong stands in braces.
RANKED = """
def by_rank(seen, shares):
    values = np.asarray(seen)
    up_to = {up_to}
    lists = np.repeat(np.arange(len(up_to)), np.diff(up_to, prepend=0))
    order = {order}
    interval = np.empty(len(values), dtype=int)
    {put}
    return {given}
"""
RIGHT_RANKS = {
    "up_to": "np.rint(len(values) * np.cumsum(shares)).astype(int)",
    "order": "np.argsort(values, kind='stable')",
    "put": "interval[order] = lists",
    "given": "interval",
}
CUT = """
def index(sums):
    positive = {positive}
    return 1 - ((positive / positive.sum()) ** 2).sum()


def best_cut(counts):
    {first}
    best = None, 0.0
    for cut in range(1, len(counts)):
        left, right = counts[:cut].sum(axis=0), counts[cut:].sum(axis=0)
        if {allowed}:
            after = {after}
            gain = {gain}
            if gain {better}:
                best = cut, gain
    return {given}
"""
RIGHT_CUT = {
    "positive": "np.maximum(sums, 0)",
    "first": "node = index(counts.sum(axis=0))",
    "allowed": "min(left.sum(), right.sum()) >= 1",
    "after": "(left.sum() * index(left) + right.sum() * index(right)) / counts.sum()",
    "gain": "node - after",
    "better": "> best[1] + 1e-9",
    "given": "best",
}
SCORED = """
def score_strategies(tables, level):
    found = {{}}
    for strategy in {strategies}:
        model = ReconstructedTreeClassifier({channels}, {grown})
        model.fit({learn})
        found[strategy] = {scored}
    return found
"""
RIGHT_SCORES = {
    "strategies": "('global', 'byclass', 'local')",
    "channels": "as00.channels_at('uniform', level)",
    "grown": "strategy",
    "learn": "tables['seen'], tables['classes']",
    "scored": "model.score(tables['new true'], tables['new classes'])",
}
OWN = """
distribution = {distribution}
given_age = {ages}
says_a = (given_age < 40) | (given_age >= 60)
share = {share}
"""
RIGHT_SHARE = {
    "distribution": "reconstruct(seen_age, noise, 30).distribution",
    "ages": "as00_lesson.by_rank(seen_age, distribution)",
    "share": "(says_a == (classes == 'A')).mean()",
}
ROW = """
rows = []
for repeat in range({repeats}):
    lost = {lost}
    rows.append({{"function": 1, "repeat": repeat, "lost": lost}})
runs = pd.DataFrame(rows)
losses = runs.set_index(["function", "repeat"])["lost"]
found = Ledger.verdict({losses}, {bound}, points=True)
{edit}
claims = Ledger("mine")
claims.check("A5", {said}, scope={scope}, **found)
row = {row}
"""
RIGHT_ROW = {
    "repeats": "5",
    "lost": "0.04 + 0.002 * repeat",
    "losses": "losses",
    "bound": "at_most=0.05",
    "edit": "",
    "said": '"“within 5% (absolute) of the original accuracy” (§5.2)"',
    "scope": '"Function 1, 100 %, my reading"',
    "row": "claims.to_frame()",
}


def ranked(**wrong: str) -> str:
    return RANKED.format(**(RIGHT_RANKS | wrong))


def cut(**wrong: str) -> str:
    return CUT.format(**(RIGHT_CUT | wrong))


def scored(**wrong: str) -> str:
    return SCORED.format(**(RIGHT_SCORES | wrong))


def own(**wrong: str) -> str:
    return OWN.format(**(RIGHT_SHARE | wrong))


def row(**wrong: str) -> str:
    return ROW.format(**(RIGHT_ROW | wrong))


EACH = """
def by_rank(seen, shares):
    values = np.asarray(seen)
    lists = np.repeat(np.arange(len(shares)), np.rint(len(values) * np.asarray(shares)).astype(int))
    interval = np.empty(len(values), dtype=int)
    interval[np.argsort(values, kind="stable")] = lists
    return interval
"""
CHANGES = """
def by_rank(seen, shares):
    given = ranks(seen, shares)
    if len(seen) > 50:
        np.asarray(seen).sort()
    return given
"""

WRONG = {
    "w2.1": [
        ("no guess", "global_with_less = None", "visible", "not guessed"),
        ("more than all people", "global_with_less = 800", "visible", "between 0 and 100"),
        ("a share", "global_with_less = 0.8", "visible", "per cent"),
    ],
    "w2.2": [
        ("ranks are descending", ranked(order="np.argsort(-values, kind='stable')"), "visible", "descending"),
        (
            "ranks are turned round",
            ranked(order="np.argsort(values, kind='stable')[::-1]"),
            "visible",
            "descending",
        ),
        ("the order of the people is lost", ranked(given="lists"), "visible", "in the order of what was seen"),
        ("read from the places", ranked(put="interval = lists[order]"), "visible", "the other way round"),
        ("the places themselves", ranked(given="order"), "visible", "argsort itself"),
        ("mid-points", ranked(given="interval + 0.5"), "visible", "mid-points"),
        ("numbered from 1", ranked(given="interval + 1"), "visible", "from 0"),
        (
            "counts are cut off",
            ranked(up_to="(len(values) * np.cumsum(shares) + 1e-9).astype(int)"),
            "visible",
            "cut off",
        ),
        (
            "counts are rounded up",
            ranked(up_to="np.ceil(len(values) * np.cumsum(shares) - 1e-9).astype(int)"),
            "visible",
            "rounded up",
        ),
        ("each count is rounded by itself", EACH, "visible", "add up to the number of people"),
        (
            "equal values, the last one first",
            ranked(order="np.lexsort((-np.arange(len(values)), values))"),
            "visible",
            "keep their order",
        ),
        (
            "equal values in one interval",
            ranked(given="lists[pd.Series(values).rank(method='min').to_numpy().astype(int) - 1]"),
            "visible",
            "one by one",
        ),
        (
            "equal widths",
            "def by_rank(seen, shares): return pd.cut(np.asarray(seen), len(shares), labels=False)",
            "visible",
            "equal widths",
        ),
        (
            "the index of a Series",
            ranked(order="pd.Series(seen).sort_values(kind='stable').index.to_numpy()"),
            "visible",
            "index",
        ),
        (
            "equal values in any order, if there are many people",
            ranked(order="np.lexsort((-np.arange(len(values)) * (len(values) > 7), values))"),
            "visible",
            "keep their order",
        ),
        ("np.argsort as it is", ranked(order="np.argsort(values)"), "visible", "kind='stable'"),
        (
            "the wrong side of np.searchsorted",
            "def by_rank(seen, shares):\n"
            "    ends = np.rint(len(seen) * np.cumsum(shares))\n"
            "    return np.searchsorted(ends, pd.Series(np.asarray(seen)).rank(method='first') - 1)",
            "visible",
            "side='right'",
        ),
        (
            "quantiles",
            "def by_rank(seen, shares): return pd.qcut(np.asarray(seen), len(shares), labels=False)",
            "visible",
            "quantiles",
        ),
        ("the people are sorted", ranked(given="values.sort() or interval"), "visible", "changes"),
        (
            "numbers that fit seven people",
            "def by_rank(seen, shares):\n"
            "    forty = [0, 2] * 10 + [1, 3] * 10\n"
            "    known = {40: forty, 7: [2, 1, 0, 1, 3, 4, 3], 4: [2, 0, 2, 2] if len(shares) == 3 else [1, 0, 1, 0]}\n"
            "    return known[len(seen)]",
            "hidden",
            "KeyError",
        ),
        ("what was given is sorted", f"ranks = by_rank\n{CHANGES}", "hidden", "changes"),
        ("nothing is returned", "def by_rank(seen, shares): pass", "visible", "return"),
    ],
    "w2.3": [
        (
            "sides are not weighted",
            cut(after="index(left) + index(right)", better="> best[1] - 9"),
            "visible",
            "Weight",
        ),
        ("the index instead of the gain", cut(given="(best[0], node - best[1])"), "visible", "weighted index"),
        ("the wrong sign", cut(given="(best[0], -best[1])"), "visible", "wrong sign"),
        ("off by one", cut(given="(best[0] - 1, best[1])"), "visible", "last interval on the left"),
        ("times the people", cut(given="(best[0], best[1] * counts.sum())"), "visible", "times the number"),
        ("half of the index", cut(given="(best[0], best[1] / 2)"), "visible", "half"),
        (
            "the worst cut",
            cut(first="node, worst = index(counts.sum(axis=0)), 9.0", better="< worst and (worst := gain)"),
            "visible",
            "worst",
        ),
        ("negative sums keep their sign", cut(positive="sums"), "visible", "below 0"),
        (
            "single counts below 0 are left out",
            cut(first="counts = np.maximum(counts, 0); node = index(counts.sum(axis=0))"),
            "visible",
            "single counts",
        ),
        ("always a cut", cut(given="best if best[0] else (1, 0.0)"), "visible", "no cut gains"),
        ("a list of gains", cut(given="[best[1]]"), "visible", "pair"),
        (
            "sides of less than one person",
            cut(allowed="min(left.sum(), right.sum()) > 0"),
            "visible",
            "at least 1",
        ),
        ("any side", cut(allowed="True"), "visible", "at least 1"),
        (
            "sides of more than one person",
            cut(allowed="min(left.sum(), right.sum()) > 1"),
            "visible",
            "exactly 1",
        ),
        (
            "the size without what is negative",
            cut(allowed="min(np.maximum(left, 0).sum(), np.maximum(right, 0).sum()) >= 1"),
            "visible",
            "plain sum",
        ),
        (
            "the higher one of equal cuts",
            cut(better=">= best[1] - 1e-12 and gain > 1e-9"),
            "visible",
            "lower one",
        ),
        (
            "few intervals alone",
            cut(first="node = index(counts.sum(axis=0)); counts = counts[:9]"),
            "hidden",
            "With",
        ),
        (
            "nodes of a single interval",
            cut(first="node = index(counts[1:].sum(axis=0) + counts[0]) + 0 * counts[1, 0]"),
            "hidden",
            "IndexError",
        ),
    ],
    "w2.4": [
        ("no guess", "points_ahead = None", "visible", "not guessed"),
        ("a text", "points_ahead = '30 points'", "visible", "a number"),
    ],
    "w2.5": [
        (
            "scored on new disguised records",
            scored(scored="model.score(tables['new seen'], tables['new classes'])"),
            "visible",
            "scored on disguised records",
        ),
        (
            "scored on the disguised records that trees learned from",
            scored(scored="model.score(tables['seen'], tables['classes'])"),
            "visible",
            "disguised records that the trees learned",
        ),
        (
            "scored on the people whom trees learned from",
            scored(scored="model.score(tables['true'], tables['classes'])"),
            "visible",
            "Take new ones",
        ),
        (
            "learned from true records",
            scored(learn="tables['true'], tables['classes']"),
            "visible",
            "no miner has",
        ),
        (
            "learned from new records",
            scored(learn="tables['new seen'], tables['new classes']"),
            "visible",
            "learned from the new",
        ),
        ("no channels", scored(channels="None"), "visible", "channels"),
        (
            "counts of people",
            scored(scored="(model.predict(tables['new true']) == tables['new classes']).sum()"),
            "visible",
            "numbers of people",
        ),
        (
            "per cent",
            scored(scored="100 * model.score(tables['new true'], tables['new classes'])"),
            "visible",
            "per cent",
        ),
        (
            "the tables of the sheet",
            scored(learn="tables['seen'], tables['classes']").replace("{}\n", "{}\n    tables = given\n", 1)
            + "\ngiven = tables",
            "visible",
            "that it is given",
        ),
        ("Local is forgotten", scored(strategies="('global', 'byclass')"), "visible", "keys"),
        ("always the channels of 100 %", scored(channels="as00.channels_at('uniform', 1.0)"), "visible", "100 %"),
        (
            "always the channels of 75 %",
            scored(channels="as00.channels_at('uniform', 0.75)"),
            "hidden",
            "stops with ValueError",
        ),
        (
            "ByClass in the place of Local",
            scored(grown="'byclass' if strategy == 'local' else strategy"),
            "hidden",
            "its strategy",
        ),
    ],
    "w2.6": [
        ("per cent", own(share="100 * (says_a == (classes == 'A')).mean()"), "visible", "between 0 and 1"),
        ("a text", "share = '55 %'", "visible", "a number"),
        ("all answers", own(share="says_a == (classes == 'A')"), "visible", "we expect a number"),
        ("not a number", "share = np.nan", "visible", "NaN"),
        ("ages as seen", own(ages="seen_age"), "visible", "mid-points"),
        (
            "fewer intervals",
            own(distribution="reconstruct(seen_age, noise, 25).distribution"),
            "visible",
            "thirty",
        ),
        (
            "ByClass",
            own(
                ages="as00_lesson.given_ages(pd.Series(seen_age), pd.Series(seen_age), pd.Series(classes), noise)"
                "['ByClass'].to_numpy()"
            ),
            "visible",
            "ByClass",
        ),
        ("no ages", "given_age = None", "visible", "Is it computed"),
        (
            "the rule about seen ages",
            own(share="(((seen_age < 40) | (seen_age >= 60)) == (classes == 'A')).mean()"),
            "visible",
            "as seen",
        ),
        ("the errors", own(share="(says_a != (classes == 'A')).mean()"), "visible", "gets wrong"),
        ("of those called A", own(share="(classes[says_a] == 'A').mean()"), "visible", "among those"),
        ("of class A alone", own(share="says_a[classes == 'A'].mean()"), "visible", "whom the rule calls A"),
        ("class A", own(share="(classes == 'A').mean()"), "visible", "share of class A."),
        ("called A", own(share="says_a.mean()"), "visible", "whom the rule calls A."),
        ("below 40 alone", own(share="((given_age < 40) == (classes == 'A')).mean()"), "visible", "two parts"),
        ("a guess", "share = 0.99", "visible", "of all people"),
        (
            "a single round",
            own(distribution="reconstruct(seen_age, noise, 30, stop=FixedStop(1)).distribution"),
            "hidden",
            "stops by itself",
        ),
        (
            "what is seen in place of what is reconstructed",
            "from ppdm.reconstruct import Distribution\n"
            "shares = np.histogram(seen_age.clip(20, 80), np.linspace(20, 80, 31))[0] / 4000\n"
            + own(distribution="Distribution(np.linspace(20, 80, 31), shares)"),
            "hidden",
            "what reconstruct finds",
        ),
    ],
    "w2.8": [
        (
            "three runs",
            row(repeats="3"),
            "visible",
            "five repeats",
        ),
        ("the same run five times", row(lost="0.04"), "visible", "same loss"),
        ("points instead of shares", row(lost="4 + 0.2 * repeat", bound="at_most=5"), "visible", "shares"),
        ("Original minus ByClass, turned", row(lost="-0.04 - 0.002 * repeat"), "visible", "sign"),
        ("at least", row(bound="at_least=0.05"), "visible", "bound from above"),
        ("the bound in points", row(bound="at_most=5"), "visible", "at_most is a share"),
        ("the bound of other functions", row(bound="at_most=0.15"), "visible", "another one for Function 1"),
        ("no bound of the paper", row(bound="at_most=0.9"), "visible", "read the sentence"),
        (
            "functions with different bounds",
            row(repeats="10").replace(
                '"function": 1, "repeat": repeat', '"function": repeat // 5 + 1, "repeat": repeat % 5'
            ),
            "visible",
            "different bounds",
        ),
        ("no such function", row().replace('"function": 1', '"function": "one"'), "visible", "from 1 to 5"),
        ("a verdict by hand", row(edit="found['holds'] = False"), "visible", "By the rule"),
        ("numbers by hand", row(edit="found['measured'] = '1.0 ± 0.1 points'"), "visible", "Your runs give"),
        ("other runs", row(losses="losses / 2"), "visible", "Your runs give"),
        ("no quotation", row(said="'it is close'"), "visible", "quote the paper"),
        ("no reading", row(scope="''"), "visible", "scope"),
        ("the ledger itself", row(row="claims"), "visible", "to_frame"),
    ],
}
