"""A slow reading of what an intruder learns of a sensitive column: one person, one record, one value at a time."""

import math

ROUNDING = 1e-9


def law(action, released, true):
    """P(released | true), up to a constant; None if what is released does not depend on what is true."""
    # The law of the same values is asked for again and again, and takes its time.
    known = vars(action).setdefault("_asked", {})
    key = repr(released.iloc[0]), repr(true.iloc[0])
    if key not in known:
        logs = action.log_law(released, true)
        known[key] = None if logs is None else math.exp(logs[0, 0])
    return known[key]


def links(actions, table, released, person):
    """The probability, for each released record, that it is this person's."""
    found = []
    for record in range(len(table)):
        weight = 1.0
        for column, action in actions.items():
            if column not in released:
                continue
            if action.name == "redraw" and law(action, released[column].iloc[[0]], table[column].iloc[[0]]):
                pairs = list(zip(sorted(released[column]), sorted(table[column])))
                seen = released[column].iloc[record]
                weight *= sum(pair == (seen, table[column].iloc[person]) for pair in pairs)
                weight /= sum(pair[0] == seen for pair in pairs)
            else:
                factor = law(action, released[column].iloc[[record]], table[column].iloc[[person]])
                weight *= 1 if factor is None else factor
        found.append(weight)
    return [weight / sum(found) for weight in found]


def belief(action, true, released, companion, record, values):
    """The probability of each true value, given what was released as this record."""
    seen = None if released is None else released.iloc[[record]]
    one_of = {value: true[true == value].iloc[:1] for value in values}
    laws = [None if seen is None else law(action, seen, one_of[value]) for value in values]
    if laws[0] is None:
        group = companion[record]
        shares = [sum(one == value and of == group for one, of in zip(true, companion)) for value in values]
    elif action.name == "redraw":  # keeps the order: the record at a place has the true value of that place
        pairs = list(zip(sorted(released), sorted(true)))
        shares = [sum(pair == (seen.iloc[0], value) for pair in pairs) for value in values]
    else:
        shares = [sum(true == value) * own for value, own in zip(values, laws)]
    return [share / sum(shares) for share in shares]


def window(values, start, tolerance):
    """The values that a guess from here on names."""
    if not tolerance:
        return [start]
    return [value for value in values if start <= value <= start + 2 * tolerance * (1 + ROUNDING)]


def guess(values, shares, tolerance):
    """What the best guess names, the first of several; and the probability of that."""
    share_of = dict(zip(values, shares))
    held = {start: sum(share_of[value] for value in window(values, start, tolerance)) for start in values}
    most = max(held.values())
    start = next(start for start in values if held[start] > most - ROUNDING)
    return window(values, start, tolerance), most


def intruder(action, true, released, companion, tolerance, actions, table, others):
    """The shares of people who are named, certain and fixed, the baseline, and complete disclosures."""
    values = sorted(set(true))
    everybody = range(len(true))
    companion = [0 for _ in everybody] if companion is None else list(companion)
    told = [belief(action, true, released, companion, record, values) for record in everybody]
    named, claims, fixed = [], [], []
    for person in everybody:
        weights = links(actions, table, others, person)
        mixed = [
            sum(weight * shares[place] for weight, shares in zip(weights, told)) for place in range(len(values))
        ]
        guessed, claim = guess(values, mixed, tolerance)
        named.append(true.iloc[person] in guessed)
        claims.append(claim)
        fixed.append(mixed[values.index(true.iloc[person])] > 1 - ROUNDING)
    marginal = [sum(true == value) / len(true) for value in values]
    return {
        "named": sum(named) / len(true),
        "certain": sum(claim >= 0.95 for claim in claims) / len(true),
        "fixed": sum(fixed) / len(true),
        "baseline": guess(values, marginal, tolerance)[1],
        "complete": sum(disclosed(action, true, released, companion, told, values, one) for one in everybody),
    }


def disclosed(action, true, released, companion, told, values, record):
    """Whether all records that look like this one have its value, and what was released says so."""
    if action.name == "redraw" and law(action, released.iloc[[record]], true.iloc[[record]]) is not None:
        return False
    untied = released is None or law(action, released.iloc[[record]], true.iloc[[record]]) is None
    alike = {
        true.iloc[other]
        for other in range(len(true))
        if companion[other] == companion[record] and (untied or released.iloc[other] == released.iloc[record])
    }
    return len(alike) == 1 and told[record][values.index(true.iloc[record])] > 1 - ROUNDING
