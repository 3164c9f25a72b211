"""Cuts by their definitions, one record after the other, for tests of what counts them at once."""

import itertools
import math
from collections import Counter
from fractions import Fraction


def bits(classes):
    """Ent(S) of Fayyad & Irani (1993)."""
    return -sum(count / len(classes) * math.log2(count / len(classes)) for count in Counter(classes).values())


def boundaries(records):
    """The boundary points of sorted (value, class) pairs: two neighbouring values with records of two classes."""
    values = sorted({value for value, _ in records})
    for below, above in itertools.pairwise(values):
        if len({own for value, own in records if value in (below, above)}) > 1:
            yield (Fraction(below) + Fraction(above)) / 2


def mdlp(records, min_group=1):
    """The cuts of (value, class) pairs, by recursion, in the letters of Fayyad & Irani (1993)."""
    n = len(records)
    whole = [own for _, own in records]
    found = []
    for cut in boundaries(records):
        left = [own for value, own in records if value < cut]
        right = [own for value, own in records if value >= cut]
        if min(len(left), len(right)) >= min_group:
            after = len(left) / n * bits(left) + len(right) / n * bits(right)
            found.append((after, cut, left, right))
    if not found:
        return []
    least = min(after for after, *_ in found)
    after, cut, left, right = next(one for one in found if one[0] <= least + 1e-12)
    k, k1, k2 = (len(set(part)) for part in (whole, left, right))
    delta = math.log2(3**k - 2) - (k * bits(whole) - k1 * bits(left) - k2 * bits(right))
    if bits(whole) - after <= math.log2(n - 1) / n + delta / n:
        return []
    below = mdlp([record for record in records if record[0] < cut], min_group)
    above = mdlp([record for record in records if record[0] >= cut], min_group)
    return [*below, cut, *above]


def most_groups(sizes, min_group):
    """The largest number of groups of at least that size that come of joining neighbours, by trying all ways."""
    ways = [1]
    for end in range(1, len(sizes)):
        if sum(sizes[:end]) >= min_group and sum(sizes[end:]) >= min_group:
            ways.append(1 + most_groups(sizes[end:], min_group))
    return max(ways)
