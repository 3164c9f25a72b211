"""The intruder of Islam & Brankovic 2003 (§3.2), who looks for a person among records with noise in the leaves."""

from functools import partial

import numpy as np
import pandas as pd
from scipy.special import softmax, xlogy

from ppdm import checks
from ppdm.blocks import bar
from ppdm.disguise import CategoryChannel, LeafNoise
from ppdm.information import shared_codes
from ppdm.measure.risk import DELAY, complete, in_blocks, scores_of
from ppdm.randomness import Rng, generator

GONE = np.inf  # the code of a missing value


class CaseIntruder:
    """Somebody who knows some attributes of a person, the tree and the noise, and looks for the person's class.

    The probability that the released record Y is that of the person X is p(X → Y) = Π p_i over the attributes that he
    knows, divided by its sum over all released records. The paper leaves open what p_i is where Y's leaf is another
    than X's. Noise leaves a record in its leaf, and the tree is public. So p_i is the law of the noise if attribute i
    got noise in the leaf *of Y*; else it is 1 for equal values and 0 for others (*choice*). By Bayes' rule the product
    would also be divided by how common such values are in Y's leaf. The paper does not do so, and neither do we
    (*choice*). An intruder who does can only find more.

    Parameters
    ----------
    noise : the ``LeafNoise`` that made the release, with the true records
    released : the records as ``noise.release`` gives them, in their order
    labels : their classes; None: those of ``noise``, as they are
    knows : "innocent": the attributes that the way to the person's own leaf does not test, whether they got noise or
        not (the paper's first scenario); "tested": those that it tests (the second one); "all"; or a list of columns
    """

    def __init__(self, noise: LeafNoise, released: pd.DataFrame, labels=None, knows="innocent"):
        self.noise = checks.of_type("noise", noise, LeafNoise, "a LeafNoise")
        checks.same_length("released", checks.frame("released", released), "the true table", noise.X)
        complete(noise.X, released)
        noisy = noise.noisy.to_numpy()
        tested = noise.tested.to_numpy()
        if isinstance(knows, str):
            options = {"innocent": ~tested, "tested": tested, "all": np.ones_like(tested)}
            known = options[checks.choice("knows", knows, options)]
        else:
            named = checks.columns("knows", knows, noise.X.columns)
            known = np.broadcast_to(noise.X.columns.isin(named), tested.shape)
        if labels is None:
            labels = noise.y
        self.beliefs = noise.beliefs(labels).to_numpy()
        self._scores = []
        for name, own, changed in zip(noise.X, known.T, noisy.T):
            if own.any():
                channel = noise.channels.get(name)
                true, seen = _coded(channel, noise.X[name], released[name])
                # With a true code goes whether the value is known, with a released one whether it got noise.
                persons = np.column_stack([true, own])
                others = np.column_stack([seen, changed])
                self._scores.append(scores_of(partial(_law, channel), others, persons))

    def links(self, rows) -> np.ndarray:
        """P(X → Y) for some persons, by their places in the true table (rows), and all released records (columns)."""
        places = checks.vector("rows", rows)
        n = len(self.beliefs)
        wrong = ~np.isin(places, range(n))
        checks.none_wrong("rows", places, wrong, "places that are not there", f"places from 0 to {n - 1}")
        places = places.astype(int)
        checks.cells("the links of these rows", (len(places), n))
        return softmax(self._score(places), axis=1)

    def _score(self, rows):
        """The log-likelihoods of persons with all released records."""
        score = np.zeros((len(rows), len(self.beliefs)))
        for scores in self._scores:
            score += scores(rows)
        lost = np.isneginf(score.max(axis=1))
        checks.none_wrong("released", score, lost, "persons whose record is not there", "what noise.release gave")
        return score

    def report(self, persons: int | None = 1000, rng: Rng = 0) -> pd.DataFrame:
        """What he believes of persons from the table: a row for each.

        - posterior: the probability that he gives to the person's own record
        - rank: the place of that record in the order of his beliefs; the mean place among equal ones
        - first: how likely he picks that record, if he takes the most likely one, and draws lots among equal ones
        - own class: the probability that he gives to the person's class; the sum over all records that show it
        - guessed: whether the class that he thinks most likely is the person's
        - bits: the entropy of his belief about the class

        Parameters
        ----------
        persons : how many are drawn; None: all
        rng : a seed or Generator for the choice

        >>> from ppdm.data import load
        >>> from ppdm.trees import C45Classifier
        >>> table = load("wbc", "first350")
        >>> noise = LeafNoise(C45Classifier().fit(table.X, table.y), table.X, table.y, None, "both")
        >>> CaseIntruder(noise, noise.release(1)[0]).report()[["posterior", "own class"]].mean().round(2).to_dict()
        {'posterior': 0.21, 'own class': 0.96}
        """
        n = len(self.beliefs)
        number = n if persons is None else checks.whole("persons", persons, 1)
        source = generator(rng)
        rows = np.arange(n)
        if number < n:
            rows = np.sort(source.choice(n, number, replace=False))
        found = np.vstack(list(self._reported(rows)))
        columns = ["posterior", "rank", "first", "own class", "guessed", "bits"]
        told = pd.DataFrame(found, self.noise.X.index[rows], columns)
        return told.astype({"guessed": bool})

    def _reported(self, rows):
        classes = self.noise.y.to_numpy()
        own_class = checks.places("y", classes, self.noise.counts.columns)
        blocks = in_blocks(len(rows), len(self.beliefs))
        for block in bar(blocks, delay=DELAY):
            some = rows[block]
            score = self._score(some)
            linked = softmax(score, axis=1)
            at = np.arange(len(some))
            own = score[at, some][:, None]
            # Sums of logarithms that differ by rounding are equal.
            above = (score > own + 1e-9).sum(axis=1)
            equal = (score >= own - 1e-9).sum(axis=1) - above
            belief = linked @ self.beliefs
            right = belief[at, own_class[some]]
            yield np.column_stack(
                [
                    linked[at, some],
                    above + (equal + 1) / 2,
                    (above == 0) / equal,
                    right,
                    right > belief.max(axis=1) - 1e-9,
                    0 - xlogy(belief, belief).sum(axis=1) / np.log(2),
                ]
            )


def _coded(channel, true, seen):
    """The codes of the true and the released values of one column; without a channel equal values have equal codes."""
    name = f"column {true.name!r}"
    if channel is None:
        return [codes.astype(float) for codes in shared_codes(name, true, seen)]
    coded = []
    for column, codes_of in ((true, channel.true_codes), (seen, channel.seen_codes)):
        known = column.notna().to_numpy()
        codes = np.full(len(column), GONE)
        if known.any():
            codes[known] = codes_of(column[known], name)
        coded.append(codes)
    return coded


def _law(channel, true, seen):
    """The log-likelihood of codes with flags: nothing is asked of what is not known."""
    values = true[..., 0]
    others = seen[..., 0]
    score = np.where(values == others, 0.0, -np.inf)
    if channel is not None:
        # What is missing stays so. The law is asked of something else instead.
        kind, some = (int, 0) if isinstance(channel, CategoryChannel) else (float, channel.low)
        there = [np.where(codes < GONE, codes, some).astype(kind) for codes in (others, values)]
        noisy = (seen[..., 1] > 0) & (values < GONE) & (others < GONE)
        score = np.where(noisy, channel.log_law(*there), score)
    return np.where(true[..., 1] > 0, score, 0.0)
