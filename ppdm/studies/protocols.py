"""The protocols of all experiments: what is measured, over which grid, how often, from which seed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ppdm import sweep
from ppdm.studies import (
    as00,
    as00_readings,
    as00_shapes,
    dz03,
    dz03_estimates,
    dz03_privacy,
    ib03,
    ib03_attributes,
    joint,
    joint_heldout,
    joint_price,
    lsl03,
    lsl03_privacy,
    vc04,
    vc04_attacks,
    vc04_closing,
    vc04_cost,
)
from ppdm.studies.one_idea import STOPS, one_idea

CACHE = Path(".cache/paper")


@dataclass(frozen=True)
class Protocol:
    """A measure over a grid, repeated; what the notebooks quote from.

    ``same_records`` names the arguments that change neither the records nor the disguise. What is ``timed`` runs alone,
    and gives other numbers every time.
    """

    measure: Callable[..., Any]
    grid: dict[str, list[Any]]
    repeats: int = 10
    seed: int = 2000
    same_records: tuple[str, ...] = ("strategy",)
    timed: bool = False

    def run(self, jobs: int = 2) -> pd.DataFrame:
        """All cells, in grid order."""
        jobs = 1 if self.timed else jobs
        return sweep(
            self.measure, self.grid, self.repeats, self.seed, jobs, CACHE, same_records=self.same_records
        )

    def cell(self, cell: dict[str, Any], repeat: int) -> pd.Series:
        """One cell in one repeat, computed anew."""
        one = {name: [level] for name, level in cell.items()}
        shared = self.same_records
        return sweep(self.measure, one, [repeat], self.seed, 1, same_records=shared, progress=False).iloc[0]


def _as00(measure, repeats=10, same_records=("strategy", "reading"), **grid):
    """A protocol whose trees and readings meet the same records."""
    return Protocol(measure, grid, repeats, same_records=tuple(name for name in same_records if name in grid))


def _dz03(measure, same_records=("strategy",), repeats=50, **grid):
    """A protocol over the three tables, whose runs start from the seed that also divides them."""
    return Protocol(measure, {"table": list(dz03.TABLES), **grid}, repeats, dz03.SPLIT, same_records)


def _lsl03(measure, repeats, same_records=("way",), timed=False, **grid):
    """A protocol on Pima, or on another one table; all ways of releasing it meet the same records."""
    return Protocol(measure, grid, repeats, lsl03.SEED, same_records, timed)


def _ib03(measure, repeats, tables=("wbc", "boston"), same_records=("way",), **grid):
    """A protocol on random samples of some tables; all ways of adding noise meet the same records."""
    samples = {"table": list(tables), "number": list(range(ib03.SAMPLES))}
    return Protocol(measure, {**samples, **grid}, repeats, ib03.SEED, same_records)


def _vc04(measure, repeats, same_records=(), timed=False, **grid):
    """A protocol of parties that pool nothing."""
    return Protocol(measure, grid, repeats, vc04.SEED, same_records, timed)


ALL = [1, 2, 3, 4, 5]
NOISES, PAPERS, SHAPES = as00.NOISES, list(as00.PAPERS_STRATEGIES), list(as00_shapes.SHAPES)
SIZES = [10_000, 30_000, 100_000]
FEW_TO_ALL = ["1", "3", "N"]  # numbers of groups
PROTOCOLS = {
    "one-idea": Protocol(
        one_idea,
        {
            "noise": as00.NOISES,
            "level": [0.1, 0.25, 0.5, 1.0, 1.5, 2.0],
            "strategy": ["true", "as seen", *STOPS],
            "records": [100_000],
        },
    ),
    "as00-shapes": _as00(as00_shapes.shapes, shape=SHAPES, noise=NOISES),
    "as00-samples": _as00(
        as00_shapes.samples, shape=SHAPES, noise=NOISES, records=[10**power for power in range(3, 8)]
    ),
    "as00-strategies": _as00(as00.strategies, function=ALL, noise=NOISES, level=as00.LEVELS),
    "as00-intervals": _as00(as00.classes, function=ALL, pieces=[9, 3, 2]),
    "as00-rules": _as00(as00.rules, function=ALL, noise=NOISES, level=[0.5, 1.0, 2.0]),
    "as00-readings": _as00(
        as00_readings.readings, 5, function=ALL, noise=NOISES, level=[1.0], reading=list(as00_readings.READINGS)
    ),
    "as00-growing": _as00(
        as00_readings.growing, function=ALL, noise=NOISES, level=[1.0], reading=as00_readings.GROWN
    ),
    # Both noises meet the same records, so that Original is the same in both.
    "as00-gains": _as00(as00_readings.gains, 20, ("noise", "gain"), noise=NOISES, gain=as00_readings.GAINS),
    "as00-experiments": _as00(
        as00_readings.experiments,
        function=[2],
        noise=NOISES,
        level=[1.0],
        reading=list(as00_readings.EXPERIMENTS),
    ),
    "as00-learners": _as00(as00_readings.learners, 5, function=[2, 3], noise=NOISES, level=[1.0]),
    "as00-sides": _as00(
        as00_readings.sides, 5, function=[4, 5], noise=NOISES, level=[0.25, 1.0], balanced=[True, False]
    ),
    "as00-work": _as00(as00.work, 5, function=ALL, noise=NOISES, level=[0.25, 1.0], strategy=PAPERS),
    "as00-estimated": _as00(as00.estimated, 5, function=ALL, noise=NOISES, level=[0.25, 0.5, 1.0]),
    "as00-linkage": _as00(as00.linkage, 5, noise=NOISES, level=[0.1, 0.25, 0.5, 1.0, 2.0]),
    "as00-seconds": Protocol(
        as00.seconds, {"records": [10**k for k in range(4, 8)], "strategy": PAPERS}, repeats=2, timed=True
    ),
    "joint-strategies": Protocol(joint.strategies, {"function": ALL, "noise": as00.NOISES, "level": as00.LEVELS}),
    "joint-shifted": Protocol(joint.shifted, {"function": ALL, "noise": as00.NOISES, "level": [1.0]}),
    "joint-records": Protocol(
        joint.records,
        {
            "function": [2],
            "noise": as00.NOISES,
            "level": [1.0],
            "records": [1_000, 3_000, 10_000, 30_000, 100_000, 300_000],
        },
        repeats=4,
    ),
    "joint-choices": Protocol(
        joint.choices,
        {"noise": as00.NOISES, "records": [10_000, 100_000], "choice": list(joint.CHOICES)},
        repeats=4,
        same_records=("choice",),
    ),
    "joint-real": Protocol(
        joint.real,
        {"table": list(joint.DOMAINS), "noise": as00.NOISES, "level": [0.25, 0.5, 1.0, 2.0]},
        repeats=5,
    ),
    "joint-synthetic": Protocol(
        joint.synthesiser,
        {"table": list(joint.DOMAINS), "epsilon": [1.0, 3.0, 10.0, 1e6]},
        repeats=5,
        same_records=("epsilon",),
    ),
    "joint-heldout": Protocol(
        joint_heldout.held_out,
        {"function": list(joint_heldout.HELD_OUT), "noise": as00.NOISES, "level": [1.0]},
        repeats=5,
    ),
    "joint-mixes": Protocol(
        joint_heldout.mixes,
        {"noise": as00.NOISES, "level": [1.0, 2.0], "steps": [30, 100, 300, 1_000, 3_000]},
        repeats=5,
        same_records=("steps",),
    ),
    "joint-stopped": Protocol(joint_heldout.stopped, {"noise": as00.NOISES, "level": [1.0, 2.0]}, repeats=5),
    "joint-price": Protocol(joint_price.price, {"noise": as00.NOISES, "level": [0.5, 1.0, 2.0]}, repeats=5),
    "dz03-schemes": _dz03(dz03.schemes, groups=dz03.SCHEMES, theta=dz03.THETAS),
    "dz03-confident": _dz03(dz03.confident, groups=dz03.SCHEMES, theta=dz03.THETAS),
    "dz03-levels": _dz03(
        dz03.levels, ("confidence",), groups=FEW_TO_ALL, theta=dz03.MIDDLE, confidence=dz03.LEVELS
    ),
    "dz03-class": _dz03(dz03.hidden_class, groups=FEW_TO_ALL, theta=dz03.MIDDLE, hidden=dz03.HIDDEN),
    "dz03-readings": _dz03(dz03.readings, reading=list(dz03.READINGS), groups=FEW_TO_ALL, theta=[0.7, 0.9]),
    "dz03-small": _dz03(dz03.small, groups=dz03.SCHEMES, theta=dz03.MIDDLE),
    "dz03-tested": _dz03(dz03.tested, repeats=100, groups=FEW_TO_ALL, theta=dz03.MIDDLE),
    "dz03-privacy": _dz03(
        dz03_privacy.privacy, repeats=5, groups=["1", "2", "3", "5", "8", "N"], theta=[0.55, *dz03.MIDDLE]
    ),
    "dz03-wide": _dz03(
        dz03.wide, ("way",), repeats=20, way=dz03.WAYS[:2], groups=FEW_TO_ALL, theta=dz03.MIDDLE[1:]
    ),
    "dz03-wide-epsilon": _dz03(dz03.wide, repeats=20, way=dz03.WAYS, groups=["N"], theta=[0.9, 0.95, 0.99]),
    "dz03-node": _dz03(dz03_estimates.node, repeats=200, theta=dz03.MIDDLE),
    "dz03-sources": _dz03(dz03_estimates.sources, repeats=10, **dz03_estimates.SOURCES),
    # The same division of the records for all sizes.
    "dz03-growth": Protocol(dz03_estimates.growth, dz03_estimates.GROWTH, 20, dz03.SPLIT, ("records",)),
    "dz03-dependent": Protocol(dz03_estimates.dependent, dz03_estimates.DEPENDENT, 30),
    "lsl03-splits": _lsl03(lsl03.splits, 1000, way=list(lsl03.WAYS)),
    "lsl03-models": _lsl03(lsl03.models, 200, way=lsl03.MODELS),
    "lsl03-seconds": _lsl03(lsl03.seconds, 5, ("kept",), timed=True, kept=["all", "relevant"]),
    "lsl03-frontier": _lsl03(lsl03_privacy.frontier, 100, way=list(lsl03_privacy.RELEASES)),
    "lsl03-size": _lsl03(
        lsl03_privacy.size,
        20,
        way=list(lsl03_privacy.SIZED),
        records=[50, 200, 1_000, 5_000, 20_000, 100_000],
    ),
    "lsl03-redraw": _lsl03(lsl03_privacy.redrawn, 100, ("density",), density=lsl03_privacy.DENSITIES),
    "ib03-classes": _ib03(ib03.classes, 10, list(ib03.SIZES)[:3], way=ib03.CLASSES),
    "ib03-attributes": _ib03(
        ib03_attributes.attributes,
        5,
        list(ib03.SIZES)[:3],
        way=ib03.ATTRIBUTES,
        share=[0.1, ib03.SHARE, 0.5, 1.0],
    ),
    "ib03-frontier": _ib03(ib03.frontier, 5, way=ib03.CLASSES[:3], least=[2, 5, 10, 20, 40]),
    "ib03-builders": _ib03(
        ib03.builders,
        10,
        same_records=("way", "builder", "guide"),
        way=ib03.CLASSES[:3],
        builder=list(ib03.BUILDERS),
        guide=["own", "C4.5"],
    ),
    "ib03-threatened": _ib03(ib03_attributes.threatened, 5, way=["as they are", *ib03.CLASSES[:3]]),
    "ib03-density": Protocol(
        ib03_attributes.density,
        {"table": ["wbc", "boston"], "records": ["50", "100", "200", "350", "all"]},
        50,
        ib03.SEED,
        (),
    ),
    "ib03-large": Protocol(
        ib03.large, {"way": [*ib03.CLASSES, "TIA and LIA", "all at once"]}, 20, ib03.SEED, ("way",)
    ),
    "ib03-census": Protocol(
        ib03_attributes.census,
        {"way": ["Random", "All leaves", "TIA and LIA", "all at once"]},
        20,
        ib03.SEED,
        ("way",),
    ),
    "vc04-opened": _vc04(
        vc04.opened,
        10,
        ("min_records", "depth"),
        function=ALL,
        min_records=[2, 20, 50],
        depth=list(vc04.DEPTHS),
    ),
    # Both meet the same records.
    "vc04-noise": _vc04(vc04.noise, 10, ("depth",), function=ALL, records=SIZES, depth=[2, 3, 4, 5, 6, 8]),
    "vc04-disguised": _vc04(
        vc04.disguised,
        10,
        ("noise", "level"),
        function=ALL,
        records=SIZES,
        noise=as00.NOISES,
        level=[0.25, 0.5, 1.0],
    ),
    "vc04-attacks": _vc04(vc04_attacks.attacks, 20, attack=list(vc04_attacks.ATTACKS)),
    "vc04-closing": _vc04(vc04_closing.closing, 3, ("way",), function=[2, 3], way=list(vc04_closing.WAYS)),
    "vc04-cost": _vc04(vc04_cost.cost, 1, ("way",), way=list(vc04_cost.WAYS)),
    "vc04-seconds": _vc04(vc04_cost.seconds, 2, ("way",), timed=True, way=list(vc04_cost.WAYS)),
}
