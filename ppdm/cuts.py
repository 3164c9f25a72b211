"""Every way to cut a number: by the classes, in equal widths, in groups of about equal size (LSL03 §3).

Cuts are increasing numbers. A cut belongs to what lies above it: intervals are [a, b), and the outermost are open.
Records with equal values are never divided. Cuts that come from data tell something of it: a mid-point tells the middle
of two values, and equal widths tell the lowest and the highest value.
"""

import math

import numpy as np

from ppdm import checks
from ppdm.blocks import blocks
from ppdm.information import codes_of, entropy

# Cuts whose class entropies differ by fewer bits are equally good: the lowest wins.
TIE = 1e-12
MANY = 1 << 14  # values from which on fine intervals are worth it
FINE = 1 << 13  # their number


def mdlp_cuts(values, classes, min_group: int = 1) -> np.ndarray:
    """Where the classes say that a number is to be cut (MDLP, Fayyad & Irani 1993; for LSL03 §3 the best way).

    The cut with the least class entropy is taken if its gain pays for the bits that describe it, and then both sides
    are cut in the same way. Only boundary points are looked at: mid-points of neighbouring values whose records are
    not all of one class. There the least entropy lies if groups may be of any size (their Theorem 1). No cut at all
    means that the number alone tells too little about the class.

    Parameters
    ----------
    values : finite numbers
    classes : the class of each record
    min_group : the least number of records of a group, at most that of all records

    >>> from ppdm.data import load
    >>> pima = load("pima")
    >>> mdlp_cuts(pima.X["plas"], pima.y).tolist()
    [99.5, 127.5, 154.5]
    >>> mdlp_cuts(pima.X["plas"], pima.y, min_group=150).tolist()
    [99.5, 127.5]
    """
    numbers = checks.vector("values", values)
    of_class = codes_of("classes", classes)
    checks.same_length("values", numbers, "classes", of_class)
    least = checks.whole("min_group", min_group, 1, len(numbers))
    distinct, place = np.unique(numbers, return_inverse=True)
    shape = (int(of_class.max()) + 1, len(distinct))
    checks.cells("the table of classes and distinct values", shape)
    cell = of_class * len(distinct) + place
    counts = np.bincount(cell, minlength=math.prod(shape)).reshape(shape)
    # Two neighbouring values whose records are all of one class have no boundary between them.
    classes_of_both = np.count_nonzero(counts[:, 1:] + counts[:, :-1], axis=0)
    boundary = np.flatnonzero(classes_of_both > 1)
    below = counts.cumsum(axis=1)
    below = below[:, np.append(boundary, -1)]
    chosen = boundary[_worthwhile(below, least)]
    return _middles(distinct, chosen)


def width_cuts(values, intervals: int, min_group: int = 1) -> np.ndarray:
    """The cuts of intervals of equal width from the lowest value to the highest.

    Parameters
    ----------
    values : finite numbers
    intervals : their number. Neighbours are joined until each interval has ``min_group`` records, and so at least one
    min_group : as in ``mdlp_cuts``

    >>> width_cuts([0, 1, 2, 3, 9, 20], intervals=4).tolist()
    [5.0, 10.0]
    """
    numbers, parts, least = _checked(values, intervals, min_group)
    # Of the halves, because the distance of two very large numbers overflows.
    edges = 2 * np.linspace(numbers.min() / 2, numbers.max() / 2, parts + 1)
    return _joined(numbers, edges[1:-1], least)


def frequency_cuts(values, intervals: int, min_group: int = 1) -> np.ndarray:
    """The cuts of groups with about equal numbers of records: mid-points of neighbouring values.

    Parameters
    ----------
    values : finite numbers
    intervals : how many groups there are at most. Where there are no more values than that, each is its own group;
        with many equal values there are fewer groups
    min_group : as in ``mdlp_cuts``

    >>> frequency_cuts([1, 1, 1, 2, 4, 6, 8, 9], intervals=3).tolist()
    [1.5, 7.0]
    """
    numbers, parts, least = _checked(values, intervals, min_group)
    cuts = equal_count_cuts(numbers, min(parts, len(numbers) // least))
    return _joined(numbers, cuts, least)


def equal_count_cuts(values, most) -> np.ndarray:
    """Where to cut numbers in at most ``most`` intervals with about equal counts.

    Cuts lie midway between neighbouring values. Where there are no more values than intervals, each has its own.

    >>> equal_count_cuts(np.array([1.0, 1.0, 2.0, 4.0, 5.0]), 10).tolist()
    [1.5, 3.0, 4.5]
    """
    values = np.sort(values)
    # The last of each run of equal values: a cut can lie after it, never within the run.
    last = np.flatnonzero(values[1:] > values[:-1])
    if len(last) >= most:
        # Of all places, those where one more part of the values ends.
        place = (last + 1) * most // len(values)
        last = last[np.diff(place, prepend=0) > 0]
    return _middles(values, last)


def groups_of(values, cuts) -> np.ndarray:
    """The number of the interval [a, b) that holds each value: how many of the cuts are at or below it.

    Parameters
    ----------
    values : finite numbers
    cuts : increasing numbers; none for a single interval

    >>> groups_of([39.9, 40, 75], [40, 60]).tolist()
    [0, 1, 2]
    """
    return np.searchsorted(cuts, values, side="right")


def interval_of(values, cuts) -> np.ndarray:
    """The number of the interval that holds each value: how many of the cuts are at or below it."""
    kind = np.min_scalar_type(len(cuts))
    low, high = map(float, cuts[[0, -1]]) if len(cuts) else (0.0, 0.0)
    if len(values) < MANY or not 1e-200 < high - low < 1e200:
        return np.searchsorted(cuts, values, side="right").astype(kind)

    def fine(some) -> np.ndarray:
        # One fine interval lies beyond either end. Whatever the rounding, a larger value never has a smaller number.
        with np.errstate(over="ignore"):
            places = (some - low) * (FINE / (high - low))
            return np.clip(places, -1, FINE).astype(np.int16) + 1

    # A search for each value takes long. All values of a fine interval that holds no cut have the same code.
    of_cuts = fine(cuts)
    codes = np.empty(len(values), kind)
    codes_of_fine = np.searchsorted(of_cuts, np.arange(FINE + 2))
    with_cut = np.bincount(of_cuts, minlength=FINE + 2) > 0
    for block in blocks(len(values)):
        part = values[block]
        places = fine(part)
        codes[block] = codes_of_fine[places]
        unsure = np.flatnonzero(with_cut[places])
        codes[block][unsure] = np.searchsorted(cuts, part[unsure], side="right")
    return codes


def increasing(name, value) -> list:
    """Cuts as a list, if they increase."""
    cuts = checks.vector(name, value)
    checks.none_wrong(name, cuts[1:], np.diff(cuts) <= 0, "that do not increase", "increasing numbers")
    return cuts.tolist()


def _worthwhile(below, least):
    """The places of the candidates at which it pays to cut, in order.

    ``below`` has the number of records of each class (first axis) below each candidate, and of all in the end.
    """
    below = np.insert(below, 0, 0, axis=1)
    sizes = below.sum(axis=0)
    chosen = []
    open_ = [(0, len(sizes) - 1)]
    while open_:
        first, last = open_.pop()
        # Sizes increase, so that the candidates that leave both sides large enough are neighbours.
        start = np.searchsorted(sizes, sizes[first] + least)
        stop = np.searchsorted(sizes, sizes[last] - least, side="right")
        if start < stop:
            whole = below[:, last] - below[:, first]
            left = below[:, start:stop] - below[:, [first]]
            best, pays = _best(left, whole)
            if pays:
                middle = int(start) + best
                chosen.append(middle - 1)  # the first column is no candidate
                open_ += [(first, middle), (middle, last)]
    return np.sort(np.array(chosen, dtype=int))


def _best(left, whole):
    """The candidate with the least class entropy, and whether its gain pays for it."""
    n = whole.sum()
    right = whole[:, None] - left
    of_left = entropy(left, axis=0)
    of_right = entropy(right, axis=0)
    share = left.sum(axis=0) / n
    after = share * of_left + (1 - share) * of_right
    lowest = after <= after.min() + TIE
    best = int(np.argmax(lowest))
    of_whole = entropy(whole)
    # Δ: the entropies of the classes are told for two sides, not for one. Only classes that occur count.
    parts = (whole, left[:, best], right[:, best])
    before, lower, upper = (int(np.count_nonzero(part)) for part in parts)  # no integers of NumPy's: 3^k is large
    told = lower * of_left[best] + upper * of_right[best]
    delta = math.log2(3**before - 2) - (before * of_whole - told)
    price = (math.log2(n - 1) + delta) / n
    gain = of_whole - after[best]
    return best, gain > price


def _checked(values, intervals, min_group):
    numbers = checks.vector("values", values)
    parts = checks.whole("intervals", intervals, 1, checks.MAX_BINS)
    least = checks.whole("min_group", min_group, 1, len(numbers))
    return numbers, parts, least


def _middles(values, places):
    """The middle between the values at these places and the next ones."""
    below = values[places]
    above = values[places + 1]
    # Halves are added, because the sum of two very large numbers overflows.
    middle = below / 2 + above / 2
    # Between neighbouring floats there is no middle: the upper one is the cut.
    return np.where(middle > below, middle, above)


def _joined(numbers, cuts, least):
    """The cuts without those that leave a group too small. From below: no other choice leaves more cuts."""
    sizes = np.searchsorted(np.sort(numbers), cuts)
    kept = []
    last = 0
    for place, size in enumerate(sizes):
        rest = len(numbers) - size
        if size - last >= least and rest >= least:
            kept.append(place)
            last = size
    return cuts[kept]
