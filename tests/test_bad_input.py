"""No input brings anything down: every public name meets every kind of badness that fits its parameters.

The table is made from signatures. ``GOOD`` says of each parameter's name of which family it is and what a good value
is. ``badness`` says of each family what can be wrong with it, and which error must come. A new public name is covered
as soon as it is exported, and a parameter that nobody knows fails.
"""

import fnmatch
import importlib
import inspect
import itertools
import re
import signal
import tempfile
import tracemalloc
import typing
import warnings
from contextlib import contextmanager
from functools import cache

import numpy as np
import pandas as pd
import pytest
from badness import EITHER, FAMILIES, KEEP, N, bits, labels, numbers, table, words
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from ppdm import data, disguise, measure, patterns, reconstruct, tables, trees
from ppdm.disguise import CategoryChannel, GroupedResponse, RandomizedResponse, UniformNoise
from ppdm.reconstruct import Attribute, ChiSquareStop, Distribution, Search

PACKAGES = [
    "data",
    "disguise",
    "reconstruct",
    "tables",
    "patterns",
    "trees",
    "measure",
    "parties",
    "plots",
    "widgets",
]
NOISE = UniformNoise(half_width=15, low=20, high=80)
PAIR = GroupedResponse(0.8, [["a", "b"]])
AGE = Attribute.numeric("age", [40.0, 60.0])
PET = Attribute.categorical("pet", ["cat", "dog"])
SHUFFLED = {"age": {"action": "shuffle"}}
GRID = {"age": [20.0, 40.0, 60.0, 80.0], "pet": [-0.5, 0.5, 1.5]}


@cache
def model():
    """A small fitted tree."""
    return trees.GiniTreeClassifier(prune=None).fit(table(), labels()).tree_


@cache
def model_of_bits():
    return trees.GiniTreeClassifier(prune=None).fit(bits(), classes_of_bits()).tree_


def classes_of_bits(_=None):
    return np.where(bits()["a"] == 1, "yes", "no")


def counted():
    """What a tree grows from."""
    codes = np.arange(24) // 8
    return tables.EstimatedTable([AGE], ["no", "yes"], [codes], (codes > 1).astype(int))


def joint():
    """A distribution of two attributes."""
    return Distribution(GRID, np.full((3, 2), 1 / 6), (AGE, PET))


@cache
def noisy():
    """Noise in the leaves of a small tree, and in what they do not test."""
    return disguise.LeafNoise(model(), table().round(), labels(), innocent="both")


def specified():
    """A specification that dropped the pay of a table."""
    entry = {"sensitive": True, "action": "drop"}
    made = disguise.PrivacySpecification({"others": "keep", "columns": {"pay": entry}})
    with warnings.catch_warnings(action="ignore", category=disguise.PrivacyWarning):
        made.release(table())
    return made


def ledger():
    """A ledger with a claim."""
    claims = measure.Ledger("AS00")
    claims.check("A2", "It holds", 0.5, True)
    return claims


@cache
def folder():
    """A folder with a ledger."""
    made = tempfile.mkdtemp()
    ledger().save(made)
    return made


def runs():
    """The differences of a few runs, as a ledger judges them."""
    cells = pd.MultiIndex.from_product([[1, 2], range(3)], names=["function", "repeat"])
    return pd.Series([0.2, 0.3, 0.4, 0.1, 0.2, 0.3], cells)


def true(channel):
    """True values of a channel."""
    if isinstance(channel, RandomizedResponse):
        return ["no", "yes", "yes"] * 8
    return words() if isinstance(channel, CategoryChannel) else numbers()


def seen(channel):
    """What a channel releases."""
    return channel.disguise(np.array(true(channel)), rng=1)


def mean_of(n, rng):
    """A measure for a sweep."""
    return float(rng.normal(size=n).mean())


# Of each parameter: its family, a good value or a function that makes one for the object whose method is called, and
# kinds of badness that are none here. What means different things is looked up by class and function first.
GOOD: dict = {
    # numbers
    "n": ("whole", 8),
    "sweep.seed": ("unbounded", 1),
    "seed": ("unbounded", 1),
    "n_values": ("whole", 3),
    "number": ("whole", 2),
    "repeats": ("whole", 2, "list"),
    "cap": ("unbounded", 10),
    "patience": ("unbounded", 10),
    "small": ("unbounded", 10),
    "sweep.jobs": ("unbounded", 1),
    "max_depth": ("unbounded", 3),
    "most_items": ("unbounded", 2),
    "Search.max_together": ("unbounded", 2),
    "Search.intervals": ("unbounded", 12),
    "Search.mix_steps": ("unbounded", 5),
    "proportion_variance.records": ("unbounded", 10),
    "RandomizedResponse.n": ("unbounded", 10),
    "FixedStop.n": ("unbounded", 3),
    "least": ("unbounded", 3),
    "intervals": ("whole", 10),
    "bins": ("whole", 4, "list"),
    "reconstruct.bins": ("whole", 4, "list"),
    "most": ("whole", 10),
    "node": ("whole", 1),
    "Tree.condition_of.node": ("whole", 0),
    "leaf": ("whole", 1),
    "cut": ("flag", True),
    "rng": ("seed", 1),
    "random_state": ("seed", 1),
    "low": ("number", 20.0),
    "Intervals.low": ("number", 20.0),
    "Intervals.high": ("number", 80.0),
    "Intervals.at_privacy.low": ("number", 20.0, "None"),
    "Intervals.at_privacy.high": ("number", 80.0, "None"),
    "high": ("number", 80.0),
    "step": ("number", 1.0),
    "sd": ("number", 10.0),
    "half_width": ("number", 15.0),
    "level": ("number", 0.5),
    "confidence": ("number", 0.9),
    "delta": ("number", 1e-6),
    "keep": ("number", 0.7),
    "theta": ("number", 0.8),
    "ResponseTreeClassifier.theta": ("number", 0.8, "list array"),
    "GroupedResponse.theta": ("number", 0.8, "list array"),
    "unrelated": ("number", 0.5),
    "share": ("number", 0.5),
    "rare": ("number", 0.01),
    "cell": ("number", 1.0),
    "smooth": ("number", 0.1),
    "fraction": ("number", 0.01),
    "margin": ("number", 0.25),
    "seen_per_true": ("number", 1.25),
    "worth": ("number", 4.0),
    "min_support": ("number", 0.2),
    "min_confidence": ("number", 0.2),
    "min_records": ("number", 2.0),
    "min_leaf": ("number", 1.0),
    "min_gain": ("number", 0.0),
    "least_errors": ("number", 0.0),
    "purity": ("number", 1.0),
    # choices
    "exact": ("flag", True),
    "balanced": ("flag", True),
    "progress": ("flag", False),
    "released": ("numeric frame", table),
    "NumericChannel.released": ("flag", True),
    "optional": ("flag", True),
    "ordered": ("flag", True),
    "retain": ("flag", True),
    "shuffle": ("flag", True),
    "by_path": ("flag", False),
    "stacked": ("flag", False),
    "log": ("flag", False),
    "points": ("flag", False),
    "pale": ("flag", False),
    "quickly": ("flag", False),
    "disguised": ("flag", True),
    "nominal": ("choice", "binary"),
    "BinaryCuts.nominal": ("choice", "listed"),
    "BinaryCuts.numbers": ("choice", "median"),
    "load.name": ("choice", "pima"),
    "part": ("choice", None),
    "function": ("choice", 1),
    "kind": ("choice", "numeric"),
    "channels_at.kind": ("choice", "uniform"),
    "criterion": ("choice", "gini"),
    "prune": ("choice", "mdl"),
    "C45Classifier.prune": ("flag", True),
    "C45Classifier.confidence": ("number", 0.25),
    "strategy": ("choice", "byclass"),
    "test_bits": ("choice", "cuts"),
    "leaf_bits": ("choice", "both"),
    "holds": ("choice", True),
    "association_rules.keep": ("choice", "estimate"),
    "frequent_itemsets.keep": ("choice", "estimate"),
    # one column, or the edges of its intervals
    "values": ("numbers", numbers),
    "Channel.values": ("values", true),
    "CategoryChannel.values": ("words", true),
    "seen": ("points of the domain", seen),
    "true": ("points of the domain", true),
    "CategoryChannel.seen": ("words", seen, "two three set"),
    "CategoryChannel.true": ("words", true, "two three set"),
    "NumericChannel.seen_codes.values": ("values", seen),
    "NumericChannel.release.X": ("values", true),
    "ProportionalNoise.release.X": ("values", true),
    "CategoryChannel.release.X": ("words", true),
    "Channel.y": ("free", None),
    "answers": ("words", seen),
    "reconstruct.values": ("values", lambda _: seen(NOISE)),
    "Column.values": ("values", lambda _: seen(NOISE)),
    "Column.column": ("values", lambda _: pd.Series(seen(NOISE))),
    "column": ("column", lambda _: pd.Series(numbers())),
    "information_gain.values": ("classes", labels, "one"),
    "information_gain.classes": ("classes", labels, "one"),
    "mdlp_cuts.classes": ("classes", labels, "one"),
    "min_group": ("whole", 2),
    "weights": ("counts", lambda _: np.ones(24)),
    "EstimatedTable.weights": ("numbers", lambda _: np.ones(24)),
    "counts": ("counts", lambda _: np.array([60.0, 40.0])),
    "EstimatedTable.counts": ("grid", lambda _: np.array([[3.0, 1.0], [1.0, 2.0], [0.0, 5.0]]), "negative too"),
    "proportions": ("counts", lambda _: np.array([0.6, 0.4])),
    "reconstruct.prior": ("shares", lambda _: [0.25] * 4),
    "reconstruct_joint.prior": ("grid", lambda _: np.full((20, 20), 1 / 400)),
    "em_step.prior": ("counts", lambda _: [0.5, 0.5]),
    "reconstruct_counts.prior": ("shares", lambda _: [0.5, 0.5]),
    "edges": ("edges", lambda _: [20.0, 50.0, 80.0]),
    "Attribute.edges": ("edges", lambda _: [40.0, 60.0], "one empty"),
    "Attribute.kind": ("choice", "numeric"),
    "Intervals.edges": ("whole", 4, "list array"),
    "reconstruct_counts.edges": ("edges", lambda _: [0.0, 1.0, 2.0]),
    "probabilities": ("shares", lambda _: [0.5, 0.5]),
    "true_bins": ("edges", lambda _: [20.0, 50.0, 80.0]),
    "seen_bins": ("edges", lambda _: [0.0, 50.0, 100.0], "inf"),
    "cuts": ("free", None),
    "q": ("points", lambda _: [0.2, 0.5]),
    "Distribution.x": ("points", lambda _: [30.0, 50.0]),
    "matrix": ("matrix", lambda _: [[0.9, 0.1], [0.2, 0.8]]),
    "em_step.matrix": ("densities", lambda _: [[0.9, 0.1], [0.2, 0.8]]),
    "classes": ("list", lambda _: ["no", "yes"]),
    "codes": ("free", lambda _: [np.arange(N) // 8]),
    "class_codes": ("free", lambda _: np.arange(N) // 16),
    # tables
    "X": ("frame", table),
    "BinaryCuts.X": ("frame", table),
    "quest_class.X": ("numeric frame", table),
    "association_rules.X": ("bit frame", bits, "missing"),
    "frequent_itemsets.X": ("bit frame", bits, "missing"),
    "fit.X": ("records", table),
    "BaseEstimator.X": ("known records", table),
    "Tree.X": ("known records", table),
    "C45Classifier.C45Classifier.X": ("records", table, ["cell NaN", "NA"]),
    "C45Classifier.X": ("known records", table, ["cell NaN", "cell NaT", "NA"]),
    "y": ("classes", labels),
    "Disguise.y": ("free", None),
    "accuracy_from_disguised.X": ("bit frame", bits),
    "accuracy_from_disguised.y": ("seen classes", lambda _: classes_of_bits()),
    "frame": ("bit frame", bits),
    "reconstruct_joint.frame": ("numeric frame", table),
    "truth": ("bit frame", bits),
    "known": ("bit frame", bits),
    "Intruder.released": ("bit frame", bits),
    "Intruder.record_posterior.released": ("bit frame", lambda _: bits().iloc[5:6], "Series dict"),
    # what a disguise is, and what columns are named
    "channel": ("channels", lambda _: PAIR),
    "of.channel": ("object", lambda _: NOISE, "None"),
    "over.channel": ("object", lambda _: NOISE),
    "over.edges": ("edges of a matrix", lambda _: [20.0, 50.0, 80.0]),
    "reconstruct.channel": ("object", lambda _: NOISE),
    "interval_privacy.channel": ("object", lambda _: NOISE),
    "entropy_privacy.channel": ("object", lambda _: NOISE),
    "worst_posterior.channel": ("object", lambda _: NOISE),
    "channels": ("channels of a table", lambda _: {"age": NOISE}),
    "ReconstructedTreeClassifier.channels": ("channels of a table", lambda _: {"age": NOISE}),
    "given": ("channels", lambda _: {"age": NOISE}),
    "as_disguise.columns": ("list", lambda _: ["age", "pay"]),
    "disguise": ("channels", lambda _: {"age": NOISE}),
    "Intruder.disguise": ("channels of a table", lambda _: PAIR),
    "linkage_rate.disguise": ("channels of a table", lambda _: {"age": NOISE}),
    "privacy_report.disguise": ("channels of a table", lambda _: {"age": NOISE}),
    "release_report.specification": ("object", lambda _: specified()),
    "release_report.table": ("frame", lambda _: table()),
    "release_report.released": ("frame", lambda _: table()[["age"]]),
    "quick": ("flag", True),
    "accuracy_from_disguised.disguise": ("channels", lambda _: PAIR),
    # A specification has tests of its own for each of its faults.
    "PrivacySpecification.specification": ("free", lambda _: {"others": "keep", "columns": SHUFFLED}),
    "PrivacySpecification.sensitive": ("names", lambda _: ["age"], "twice"),
    "PrivacySpecification.known": ("names", lambda _: ["pay"], "empty twice"),
    "PrivacySpecification.X": ("records", table, "NA cell complex dates"),
    "PrivacySpecification.check.X": ("frame", table, "NA cell complex dates array"),
    "PrivacySpecification.transform.X": ("known records", table, "NA cell complex dates column"),
    "PrivacySpecification.suggest.X": ("frame", table, "NA cell dates array"),
    "companion.table": ("frame", table),
    "PrivacySpecification.y": ("classes", labels, "cells one"),
    "suggest.y": ("classes", labels),
    "input_features": ("free", None),
    "PrivacySpecification.measure": ("choice", "gini"),
    "companion.name": ("choice", "age"),
    "faults": ("free", []),
    "key": ("free", None),
    "entity": ("free", None),
    "domains": ("mapping", lambda _: {"age": {"low": 20, "high": 80}}),
    "groups": ("list", lambda _: [["a", "b"]]),
    "ResponseTreeClassifier.groups": ("whole", 1, "list"),
    "GroupedResponse.values": ("mapping", lambda _: {"a": [0, 1]}, "empty"),
    "categories": ("list", lambda _: ["x", "y", "z"]),
    "RandomizedResponse.categories": ("list", lambda _: ["no", "yes"]),
    "columns": ("names", lambda _: ["a", "b"]),
    "conjunction": ("of columns", lambda _: {"a": 1, "b": 0}),
    "listed": ("mapping", lambda _: {"pet": ["cat", "dog"]}, "empty"),
    "BinaryCuts.cuts": ("mapping", lambda _: {"age": 50.0, "pay": 50.0}),
    "places": ("mapping", lambda _: {"age": "middle", "pay": "middle"}),
    "grid": ("mapping", lambda _: {"n": [2, 3]}),
    "same_records": ("names", lambda _: ["n"], "empty twice unhashable"),
    "cache": ("object", None, "text surrogate"),
    "measure": ("object", lambda _: mean_of, "its"),
    "names": ("choice", "pet", "list"),
    "distribution": ("object", lambda _: Distribution.uniform([20, 50, 80])),
    "other": ("object", lambda _: Distribution.uniform([20, 50, 80])),
    "same_grid.other": ("free", 1),
    "attributes": ("list", lambda _: [AGE]),
    "Distribution.attributes": ("list", lambda _: (), "empty"),
    "attribute": ("object", lambda _: AGE),
    "stop": ("object", lambda _: ChiSquareStop(cap=5_000)),
    "grow.stop": ("object", lambda _: trees.Stop()),
    "search": ("object", lambda _: Search()),
    "sizes": ("list", lambda _: (3, 6)),
    "cells": ("list", lambda _: (100, 200)),
    "steps": ("list", lambda _: (10, 20)),
    "together": ("names", lambda _: ["age", "pay"], "unhashable"),
    "tree": ("object", lambda _: trees.GiniTreeClassifier(prune=None)),
    "prune_mdl.tree": ("object", lambda _: model()),
    "prices": ("object", lambda _: trees.Mdl()),
    "table": ("object", lambda _: counted()),
    "model": ("model", lambda _: model_of_bits()),
    "text": ("text", lambda _: model().to_json()),
    "paper": ("text", "AS00"),
    "claim": ("text", "A1"),
    "statement": ("text", "It holds"),
    "measured": ("text", "0.5", "number"),
    "folder": ("object", "results", "text surrogate"),
    "Ledger.column": ("text", "we say"),
    "scope": ("text", "at 100 %", "empty"),
    "claimed": ("text", "at most 5", "empty"),
    "overall": ("choice", True),
    "everywhere": ("choice", True),
    "verdict.values": ("object", lambda _: runs()),
    "at_least": ("number", 0.0),
    "at_most": ("number", None),
    "says": ("choice", "overall"),
    "as_disguise.name": ("free", "channels"),
    "name": ("free", "age"),
    # noise in the leaves of a tree, and the comparison of trees
    "LeafNoise.tree": ("object", lambda _: model()),
    "LeafNoise.X": ("known records", table, "missing dates cell NA"),
    "LeafNoise.y": ("classes", labels, "one"),
    "leaf_noise.tree": ("object", lambda _: model()),
    "leaf_noise.X": ("known records", table, "missing dates cell NA"),
    "leaf_noise.y": ("classes", labels, "one"),
    "method": ("choice", "random"),
    "innocent": ("choice", "both"),
    "LeafNoise.noise": ("number", 0.3),
    "mixed_only": ("flag", True),
    "mixed": ("flag", True),
    "LeafNoise.beliefs.labels": ("classes", labels, "one"),
    "ProportionalNoise.step": ("number", 60 / (N - 1)),
    "Tree.of.model": ("model", lambda _: DecisionTreeClassifier().fit(bits().to_numpy(), classes_of_bits())),
    "Tree.of.columns": ("names", lambda _: ["a", "b", "c"]),
    "Tree.of.name": ("free", "model"),
    "CaseIntruder.noise": ("object", lambda _: noisy()),
    "CaseIntruder.released": ("frame", lambda _: noisy().release(1)[0]),
    "CaseIntruder.labels": ("classes", labels, "one"),
    "knows": ("names", lambda _: ["age"], "empty twice text surrogate"),  # a text is a choice
    "rows": ("numbers", lambda _: [0, 5, 7]),
    "persons": ("unbounded", 10),
    "tree_a": ("model", lambda _: model()),
    "tree_b": ("model", lambda _: model()),
    "tree_similarity.X": ("known records", table),
    "first": ("model", lambda _: model()),
    "second": ("model", lambda _: model()),
    "two_trees.X": ("known records", table),
    "two_trees.names": ("list", lambda _: ["one", "other"]),
    # parties that pool nothing
    "local.parties": ("mapping", lambda _: {name: (table(), labels()) for name in "abc"}),
    "local.engine": ("choice", "ring"),
    "local.domains": ("mapping", lambda _: {"age": (0, 100)}, "empty"),
    "align": ("flag", True),
    "limit": ("number", 10.0),
    "latency": ("number", 0.01),
    "budget": ("number", 1.0),
    # figures and panels
    "save.folder": ("object", lambda _: folder(), "text surrogate"),
    "gather.folder": ("object", lambda _: folder(), "text surrogate"),
    "bars.values": ("mapping", lambda _: {"true": 0.9, "seen": 0.7}),
    "curves.values": ("frame", lambda _: pd.DataFrame({"one": [0.1, 0.2], "two": [0.3, 0.1]}, [1.0, 2.0])),
    "marks": ("mapping", lambda _: {"here": 1.5}, "empty"),
    "channel.matrix": ("matrix", lambda _: [[0.9, 0.1], [0.2, 0.8]], "transposed rows"),
    "true_edges": ("edges", lambda _: [20.0, 50.0, 80.0]),
    "seen_edges": ("edges", lambda _: [20.0, 50.0, 80.0], "inf"),
    "maps.x_edges": ("edges", lambda _: [20.0, 50.0, 80.0], "inf"),
    "maps.y_edges": ("edges", lambda _: [20.0, 50.0, 80.0], "inf"),
    "distributions.edges": ("edges", lambda _: [20.0, 50.0, 80.0], "inf"),
    "distributions.shares": ("mapping", lambda _: {"true": [0.5, 0.5]}),
    "distributions.true": ("mapping", lambda _: {"true": [0.5, 0.5]}, "empty"),
    "bands": ("mapping", lambda _: {"true": ([0.1, 0.1], [0.9, 0.9])}, "empty"),
    "distributions.mark": ("choice", "true"),
    "lines.mark": ("list", lambda _: ("half", 0.5), "empty"),
    "lines.bounds": ("list", lambda _: ("claimed", pd.DataFrame({"theta": [0.1], "low": [0.4]})), "empty"),
    "lines.percent": ("choice", "y"),
    "percent": ("flag", True),
    "maps.numbers": ("free", ".2f"),
    "results": ("frame", lambda _: pd.DataFrame({"theta": [0.1, 0.2], "value": [0.5, 0.6]})),
    "lines.x": ("choice", "theta"),
    "lines.y": ("choice", "value"),
    "by": ("choice", None),
    "panels": ("choice", None),
    "lines.labels": ("mapping", lambda _: {"theta": "θ"}, "empty"),
    "maps.parts": ("mapping", lambda _: {"true": np.full((2, 2), 0.25)}),
    "maps.x": ("free", "age"),
    "maps.y": ("free", "pay"),
    "maps.most": ("number", 1.0),
    "planes.most": ("unbounded", 10),
    "planes.parts": ("mapping", lambda _: {"true": (table(), labels())}),
    "shape": ("choice", "plateau"),
    "noise": ("choice", "uniform"),
    "NoiseExplorer.stop": ("choice", "by hand"),
    "privacy": ("whole", 100),
    "records": ("choice", 5000),
    "iterations": ("whole", 3),
    "NoiseExplorer.own": ("numbers", numbers),
    "own": ("free", None),
    "bounds": ("free", None),
    "plane": ("choice", lambda _: ("age", "salary")),
    "TreeExplorer.seed": ("whole", 1),
    "NoiseExplorer.seed": ("whole", 1),
    "ResponseExplorer.table": ("choice", "votes"),
    "ResponseExplorer.groups": ("whole", 2),
    "ReleaseExplorer.actions": ("mapping", lambda _: {"age": "add"}, "empty"),
    "ReleaseExplorer.levels": ("mapping", lambda _: {"age": 50}, "empty"),
    "ReleaseExplorer.sensitive": ("names", lambda _: ["age"], "empty"),
    "ReleaseExplorer.known": ("text", "plas"),
    "ReleaseExplorer.tolerance": ("whole", 5),
    "ReleaseExplorer.threshold": ("whole", 60),
    "ReleaseExplorer.seed": ("whole", 1),
    "ReleaseExplorer.specification": ("mapping", lambda _: {"others": "keep"}, "empty"),
    "PartyExplorer.protocol": ("choice", "masks"),
    "clinics": ("whole", 5),
    "PartyExplorer.together": ("whole", 2),
    "PartyExplorer.server": ("flag", True),
    "PartyExplorer.seed": ("whole", 1),
    "PartyExplorer.data": ("whole", 1),
    "technique": ("choice", "all at once"),
    "strength": ("choice", 27.6),
    "LeafNoiseExplorer.least": ("whole", 2),
    "LeafNoiseExplorer.table": ("choice", "wbc"),
    "LeafNoiseExplorer.sample": ("whole", 1),
    "LeafNoiseExplorer.seed": ("whole", 1),
    "dealt": ("whole", 1),
    "leaked": ("choice", None),
    "who": ("text", None),
    "title": ("free", "title"),
    "label": ("free", "label"),
}
# Objects whose methods are called, where good values of the class's own parameters do not make one.
OBJECTS = {
    "Tree": model,
    "LeafNoise": noisy,
    "CaseIntruder": lambda: measure.CaseIntruder(noisy(), noisy().release(1)[0]),
    "Ledger.check": lambda: measure.Ledger("AS00"),
    "Ledger": ledger,
    "Distribution.marginal": joint,
    "Disguise": lambda: disguise.Disguise({"age": NOISE}).fit(table()),
    "PrivacySpecification": lambda: disguise.PrivacySpecification({"others": "keep", "columns": SHUFFLED}).fit(
        table()
    ),
}
# Methods and classes that the stages of the library call with what they have checked, or that check nothing because
# they learn nothing; not doors for users.
INSIDE = {
    "Release.fit": "learns nothing of what it is given",
    "Channel.draw": "of codes that are checked",
    "Channel.decode": "of codes that are checked",
    "Channel.log_law": "of codes that are checked",
    "CategoryChannel.weights": "of codes that are checked",
    "*.draw": "of codes that are checked",
    "*.decode": "of codes that are checked",
    "*.log_law": "of codes that are checked",
    "*.below": "of shares that the channel works out",
    "*.spread": "by the measures, of a cell that they choose",
    "*.starts": "of edges that are checked",
    "*.watch": "a stopping rule is called by the iteration",
    "*.settle": "a stopping rule is called by the iteration",
    "Column": "made by Column.of, which checks",
    "Column.[!o]*": "of strata that are checked",
    "Search.find": "by a classifier, of columns that it read",
    "Splits": "by growing",
    "LocalTable*": "made by a classifier, of columns that it read",
    "tables.LocalTable": "made by a classifier, of columns that it read",
    "EstimatedTable.[!f]*": "by growing",
    "Table.*": "by growing",
    "grouped_table": "of codes and parts that a classifier checked",
    "Stop.open_nodes": "by growing",
    "Mdl.*": "by growing and pruning",
    "Tree": "made by growing, or by Tree.from_json, which checks",
    "Attribute.read": "by trees that take missing values",
    "Tree.next_nodes": "of values that are read",
    "Tree.leaf_holds": "of values that are read",
    "Tree.collapse": "by pruning",
    "*Noise.codes": "always refuses: numbers have no codes",
    "Intervals.codes": "always refuses: numbers have no codes",
    "Stage": "made by panels",
    "Panel.*": "by a panel",
    "Picture.*": "by matplotlib, and by panels",
    "plots.Picture": "made by the figures",
}
PATIENCE = 20  # seconds after which a case hangs: a guard, so that the run goes on
# Cases whose error is of another kind, or says it in other words, with the reason.
EXCEPTIONS = {
    "*Classifier.*:X:missing column": "scikit-learn's own words, which its checks of estimators ask for",
    "Disguise.*:X:missing column": "scikit-learn's own words, which its checks of estimators ask for",
    "PrivacySpecification.*:X:missing column": "scikit-learn's own words, which its checks of estimators ask for",
    "Column.over:edges:too many": "names the matrix that they would make",
    "as_disguise:given:*": "names channels, as the parameter name says",
    "Attribute:categories:*": "a ValueError: a numeric attribute has none, whatever they are",
}
REMEDY = re.compile(
    r"expect|choose|give|use|leave|convert|correct|declare|rename|take|transpose|see |call|fit|drop|set |raise|lower"
)


class Door:
    """A public function, class or method: its parameters, and how it is called."""

    def __init__(self, name, function, owner=None, method=None):
        self.name, self.function, self.owner, self.method = name, function, owner, method
        bound = owner is not None and inspect.isfunction(inspect.getattr_static(owner, method))
        self.parameters = dict(parameters(function, skip=int(bound)))
        # An estimator checks its parameters in fit, as scikit-learn wants it.
        self.fits = inspect.isclass(function) and issubclass(function, BaseEstimator)
        if self.fits:
            self.parameters |= dict(parameters(function.fit, skip=1))

    def __repr__(self):
        return self.name

    def instance(self):
        """The object whose method is called; None for what is called without one."""
        if self.owner is None or not inspect.isfunction(inspect.getattr_static(self.owner, self.method)):
            return None
        for name in (self.name, self.owner.__name__):
            if name in OBJECTS:
                return OBJECTS[name]()
        # What is fitted stays as it is when it is asked.
        return fitted(self.owner) if issubclass(self.owner, BaseEstimator) else made(self.owner)

    def family(self, name):
        """The family of a parameter, its good value, and kinds of badness that are none here."""
        owners = (
            [one.__name__ for one in (self.owner or self.function).__mro__] if self.owner or self.fits else []
        )
        if inspect.isclass(self.function):
            owners = [one.__name__ for one in self.function.__mro__]
        last = self.name.rpartition(".")[2]
        keys = [
            *(f"{owner}.{last}.{name}" for owner in owners),
            *([f"{last}.{name}", f"fit.{name}"] if self.fits else []),
            *(f"{owner}.{name}" for owner in owners),
            f"{last}.{name}",
            name,
        ]
        for key in keys:
            if key in GOOD:
                return (*GOOD[key], "")[:3]
        raise AssertionError(f"add a good value for parameter {name!r} of {self.name} to GOOD")

    def arguments(self):
        """Good values for all parameters, made anew."""
        this = self.instance()
        found = {}
        for name, parameter in self.parameters.items():
            value = self.family(name)[1]
            value = value(this) if callable(value) else value
            # What is not named in particular keeps its default: other values need not go together.
            if f"{self.name.rpartition('.')[2]}.{name}" in GOOD or parameter.default is parameter.empty:
                found[name] = value
        return found

    def call(self, arguments):
        """What comes of these arguments; a seeded table, where one is made."""
        if self.fits:
            data = {name: arguments[name] for name in arguments if name in ("X", "y")}
            return self.function(**{name: arguments[name] for name in arguments if name not in data}).fit(**data)
        this = self.instance()
        return getattr(this, self.method)(**arguments) if this is not None else self.function(**arguments)

    def kinds(self, name):
        """What can be wrong with a parameter: kind, what makes it of a good value, and the error."""
        family, _, less = self.family(name)
        parameter = self.parameters[name]
        optional = parameter.default is None or type(None) in typing.get_args(parameter.annotation)
        none = [*(less.split() if isinstance(less, str) else less), *(["None"] if optional else [])]
        return [kind for kind in FAMILIES[family] if not any(kind[0].startswith(word) for word in none)]


def made(owner):
    """An object of a class, by good values."""
    door = Door(owner.__name__, owner)
    return door.call(door.arguments())


fitted = cache(made)


def parameters(function, skip=0):
    """The named parameters of a function."""
    for name, parameter in [*inspect.signature(function).parameters.items()][skip:]:
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            yield name, parameter


def names_of(name, owners):
    """The names by which a thing may be left out: of the class that has it, and of those that it comes from."""
    last = name.rpartition(".")[2]
    return [name, name.partition(".")[2], last, *(f"{owner}.{last}" for owner in owners)]


def public():
    """The doors of every public name that can be called, their names, and the classes that methods come from."""
    for package in ["", *PACKAGES]:
        module = importlib.import_module(f"ppdm.{package}".rstrip("."))
        for name in module.__all__:
            thing = getattr(module, name)
            is_class = inspect.isclass(thing)
            if not callable(thing) or (is_class and issubclass(thing, BaseException)):
                continue
            if not is_class:
                yield Door(name, thing), f"{package}.{name}", []
                continue
            # Of what has no objects of its own the classes that inherit from it are called.
            if not inspect.isabstract(thing) and not getattr(thing, "_is_protocol", False):
                yield Door(name, thing), f"{package}.{name}", []
            for method, function in inspect.getmembers(thing, callable):
                owners = [one.__name__ for one in thing.__mro__ if method in vars(one)]
                mine = str(getattr(inspect.unwrap(function), "__module__", "")).startswith("ppdm")
                if mine and not method.startswith("_"):
                    yield Door(f"{name}.{method}", function, thing, method), f"{name}.{method}", owners


def doors():
    """What users call. The fit of an estimator is called with its parameters, which it checks."""
    for door, name, owners in public():
        left_out = any(fnmatch.fnmatch(one, pattern) for one in names_of(name, owners) for pattern in INSIDE)
        hollow = door.owner and (inspect.isabstract(door.owner) or getattr(door.owner, "_is_protocol", False))
        if not left_out and not hollow and door.method != "fit":
            yield door


DOORS = {door.name: door for door in doors()}


def state(thing):
    """What can be seen of an argument, to find out whether it changed."""
    if isinstance(thing, pd.DataFrame):
        return [
            list(thing.columns),
            list(thing.index),
            thing.dtypes.tolist(),
            repr(thing.to_numpy(object).tolist()),
        ]
    if isinstance(thing, pd.Series):
        return [thing.name, thing.dtype, list(thing.index), repr(thing.tolist())]
    if isinstance(thing, np.ndarray):
        return [thing.dtype, thing.shape, repr(thing.tolist()) if thing.size < 10**4 else None]
    return repr(thing)


@contextmanager
def in_time():
    """Interrupt what hangs."""

    def stop(*_):
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def told(door, name, kind):
    """What is wrong with the answer to one wrong argument; None: nothing."""
    what, make, expected = kind
    arguments = door.arguments()
    value = door.family(name)[1]
    sound = arguments.get(name, value(door.instance()) if callable(value) else value)
    arguments[name] = make(sound)
    before = {key: state(one) for key, one in arguments.items()}
    try:
        with in_time():
            door.call(arguments)
    except Exception as error:
        text = str(error)
        kinds = expected if isinstance(expected, tuple) else (expected,)
        excepted = any(fnmatch.fnmatch(f"{door}:{name}:{what}", pattern) for pattern in EXCEPTIONS)
        # A specification error lists faults of both kinds.
        if type(error) not in (*(EITHER if excepted else kinds), disguise.SpecificationError):
            return f"{type(error).__name__}: {text[:160]}"
        if any(secret in text for secret in ("s3cret", "8675309", "8,675,309", "8.675")):
            return f"shows the value: {text[:160]}"
        if excepted:
            return None
        if not re.search(rf"\b{name}\b|column|position|row\b|\bgroup\b", text):
            return f"names neither argument nor place: {text[:160]}"
        if not REMEDY.search(text):
            return f"says no way out: {text[:160]}"
        if {key: state(one) for key, one in arguments.items()} != before:
            return "changed an argument"
        return None
    return "accepted"


@pytest.mark.parametrize("door", DOORS.values(), ids=repr)
def test_a_good_call_works(door):
    door.call(door.arguments())


@pytest.mark.parametrize(
    ("door", "name"), [(door, name) for door in DOORS.values() for name in door.parameters], ids=repr
)
def test_what_is_wrong_is_refused_by_name(door, name):
    found = {f"{door}:{name}:{kind[0]}": told(door, name, kind) for kind in door.kinds(name)}
    assert {case: problem for case, problem in found.items() if problem} == {}


@pytest.mark.parametrize(
    "door", [door for door in DOORS.values() if door.owner and issubclass(door.owner, BaseEstimator)], ids=repr
)
def test_what_is_not_fitted_says_so(door):
    fits = door.method.startswith("fit") or door.name.startswith("PrivacySpecification.")
    if "X" not in door.parameters or (fits and door.method != "transform"):
        return
    needed = [name for name, one in parameters(door.owner) if one.default is one.empty]
    unfitted = door.owner(**{name: Door(door.owner.__name__, door.owner).arguments()[name] for name in needed})
    with pytest.raises(NotFittedError, match=f"{door.owner.__name__} .*fit"):
        getattr(unfitted, door.method)(door.arguments()["X"])


@pytest.mark.parametrize("door", DOORS.values(), ids=repr)
def test_swapped_arguments_are_refused(door):
    arguments = door.arguments()
    needed = [name for name in arguments if door.parameters[name].default is inspect.Parameter.empty]
    # Edges are numbers too.
    kinds = {name: door.family(name)[0].replace("edges", "numbers") for name in needed}
    swaps = [
        pair for pair in itertools.combinations(needed, 2) if len({kinds[name] for name in pair} - {"free"}) == 2
    ]
    for one, other in swaps:
        swapped = {**arguments, one: arguments[other], other: arguments[one]}
        with pytest.raises((TypeError, ValueError), match=REMEDY.pattern) as caught:
            door.call(swapped)
        assert not any(secret in str(caught.value) for secret in ("s3cret", "8675309")), (one, other)


NAMES = ["plain", "$x_{$ and $y$", "$\\frac{$", "two\nlines", "\x1b[31mred", "naïve é ☃", "", 5, ("a", 1), 2.5]
BINARY_DTYPES = ["int8", "uint64", "float32", "bool", "Int64", "Float64", "boolean"]


def named(frame, name):
    """The table with columns named so, and alike, because scikit-learn takes no texts beside other names."""
    alike = [name, *((f"{name} {place}" if isinstance(name, str) else (name, place)) for place in "bc")]
    return frame.set_axis(pd.Index(alike[: frame.shape[1]], tupleize_cols=False), axis=1)


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_columns_of_any_name_are_taken(name):
    X, y = named(table(), name), labels()
    channel = {name: NOISE}
    released = disguise.Disguise(channel, random_state=1, shuffle=True).fit_transform(X)
    assert list(released.columns) == list(X.columns)
    for model in (trees.GiniTreeClassifier(prune=None), trees.ReconstructedTreeClassifier(channel)):
        assert len(model.fit(X, y).predict(X)) == len(X)
        assert isinstance(model.tree_.rules(), str)
    assert reconstruct.reconstruct_joint(X, channel, bins=3).probabilities.sum() == pytest.approx(1)
    assert data.BinaryCuts.of(X).apply(X).shape == X.shape
    B = named(bits(), name)
    pair = GroupedResponse(0.9, [[name], [B.columns[1]]])
    assert 0 <= reconstruct.estimate(B, pair, {name: 1}).value <= 1
    assert len(patterns.frequent_itemsets(B, 0.4, pair, most_items=1))
    assert trees.ResponseTreeClassifier(groups=pair).fit(B, y).predict(B).shape == y.shape


@pytest.mark.parametrize("dtype", BINARY_DTYPES)
def test_columns_of_any_dtype_are_taken(dtype):
    """Whatever holds the same numbers, the answers are the same."""
    plain, y = bits(), classes_of_bits()
    X = plain.astype(dtype)
    pair = GroupedResponse(0.9, [["a"], ["b"]])
    asked = {"a": 1, "b": 0}
    assert reconstruct.proportion(X, pair, asked) == reconstruct.proportion(plain, pair, asked)
    assert patterns.frequent_itemsets(X, 0.3).equals(patterns.frequent_itemsets(plain, 0.3))
    assert pair.disguise(X, rng=1).astype(int).equals(pair.disguise(plain, rng=1).astype(int))
    model = trees.GiniTreeClassifier(prune=None).fit(X, y)
    assert (model.predict(X) == y).all()
    assert trees.ResponseTreeClassifier(groups=pair).fit(X, y).predict(X).shape == y.shape


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "int16", "uint8", "float32", object])
def test_numbers_of_any_dtype_are_taken(dtype):
    ages = pd.Series(np.arange(20, 80, 2))
    given = ages.astype(dtype)
    if dtype is object:
        with pytest.raises(TypeError, match="holds objects; expected numbers"):
            NOISE.disguise(given, rng=1)
        return
    assert np.asarray(NOISE.disguise(given, rng=1), float) == pytest.approx(NOISE.disguise(ages, rng=1))
    found, same = (reconstruct.reconstruct(values, NOISE, bins=5).probabilities for values in (given, ages))
    assert found == pytest.approx(same)
    assert Distribution.from_values(given, [20, 50, 80]).probabilities == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("dtype", ["string", "category", "str", object])
def test_texts_of_any_dtype_are_taken(dtype):
    towns = pd.Series(words(), dtype=dtype)
    assert len(KEEP.disguise(towns, rng=1)) == len(towns)
    y = pd.Series(labels(), dtype=dtype)
    X = pd.DataFrame({"town": towns, "age": numbers()})
    for model in (
        trees.GiniTreeClassifier(prune=None),
        trees.ReconstructedTreeClassifier({"town": KEEP}),
        trees.ResponseTreeClassifier(groups=[["town"]], theta=0.9) if dtype == "category" else None,
    ):
        if model is not None:
            assert set(model.fit(X, y).predict(X)) <= {"no", "yes"}


def many(number=10**6):
    """Edges that cover the domain."""
    return np.linspace(20, 80, number)


TOO_LARGE = {
    "quest": lambda: data.quest(10**15),
    "plateau": lambda: data.plateau(10**15),
    "sample": lambda: Distribution.uniform([0, 1]).sample(10**15),
    "number of bins": lambda: reconstruct.reconstruct(numbers(), NOISE, bins=10**6),
    "edges": lambda: reconstruct.reconstruct(numbers(), NOISE, bins=many()),
    "5,000 edges": lambda: reconstruct.reconstruct(numbers(), NOISE, bins=many(5_000)),
    "matrix": lambda: NOISE.matrix(many(), many()),
    "column": lambda: reconstruct.Column.of("age", pd.Series(numbers()), NOISE, many()),
    "grid": lambda: reconstruct.reconstruct_joint(table(), {"age": NOISE, "pay": NOISE}, bins=2_000),
    "true grid": lambda: reconstruct.reconstruct_joint(
        table(), None, bins=dict.fromkeys(["age", "pay"], many(10**5))
    ),
    "Kronecker product": lambda: GroupedResponse(0.9, [[column] for column in range(40)]).matrix(),
    "combinations": lambda: reconstruct.frequencies(
        pd.DataFrame(np.zeros((2, 20), int)), GroupedResponse(0.9, [[column] for column in range(20)]), range(20)
    ),
    "bootstrap": lambda: reconstruct.reconstruct(numbers(), NOISE, bins=4).bands(repeats=10**12),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_is_too_large_is_refused_before_it_is_made(name):
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"expected (at most|a whole number)"):
            TOO_LARGE[name]()
        # Before a grid of several columns is refused the matrix of one may be made: 80 megabytes, and what that takes.
        assert tracemalloc.get_traced_memory()[1] < 400e6
    finally:
        tracemalloc.stop()


def cases():
    return [
        f"{door}:{name}:{kind[0]}"
        for door in DOORS.values()
        for name in door.parameters
        for kind in door.kinds(name)
    ]


def test_the_table_is_large():
    assert len(cases()) >= 5_000


def test_a_parameter_that_nobody_knows_fails():
    def newcomer(values, strange):
        return values, strange

    with pytest.raises(AssertionError, match="add a good value for parameter 'strange' of newcomer"):
        Door("newcomer", newcomer).arguments()


def test_what_is_left_out_is_there():
    """No reason is left behind for a name that is gone."""
    assert [pattern for pattern in EXCEPTIONS if not fnmatch.filter(cases(), pattern)] == []
    names = [name for _, name, owners in public() for name in names_of(name, owners)]
    assert [pattern for pattern in INSIDE if not fnmatch.filter(names, pattern)] == []
