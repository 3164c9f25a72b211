"""Class shares on a grid: the Kronecker product written out, the theorems of EM, what nothing and all hidden give."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm.disguise import GaussianNoise, KeepOrReplace, UniformNoise
from ppdm.reconstruct import Attribute, ChiSquareStop, FixedStop
from ppdm.reconstruct.coarse import CoarseColumn
from ppdm.reconstruct.joint import disguise_again
from ppdm.reconstruct.shares import BATCH, MIX_STOP, ClassGrid

AGE = GaussianNoise(sd=10, low=20, high=80)
EDGES = np.linspace(20, 80, 7)


def axis(number, seen, matrix, values):
    """A column of a grid as it stands there: what is seen of each record, and its matrix."""
    attribute = Attribute.numeric(f"x{number}", np.arange(1, values))
    return CoarseColumn(attribute, np.arange(values + 1.0), np.arange(values), seen, matrix)


def grid_of(codes, matrices, sizes, y, classes):
    return ClassGrid(
        [axis(i, *column) for i, column in enumerate(zip(codes, matrices, sizes, strict=True))], y, classes
    )


def written_out(grid):
    """The channel of all cells, the columns' codes in row-major order."""
    return reduce(np.kron, [np.eye(c.sizes[0]) if c.matrix is None else c.matrix for c in grid.columns])


@st.composite
def grids(draw):
    """One to three axes of any kind, two or three classes, and a few records."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n, classes = draw(st.sampled_from([1, 7, 60])), draw(st.integers(2, 3))
    codes, matrices, sizes = [], [], []
    for kind in draw(st.lists(st.sampled_from(["any", "identity", "true", "categories"]), min_size=1, max_size=3)):
        size = int(rng.integers(2, 5))
        matrix = {
            "any": lambda size=size: rng.dirichlet(np.ones(6), size=size),
            "identity": lambda size=size: np.eye(size),
            "true": lambda: None,
            "categories": lambda size=size: KeepOrReplace(keep=0.6, categories=range(size)).matrix(),
        }[kind]()
        codes.append(rng.integers(0, size if matrix is None else matrix.shape[1], n))
        matrices.append(matrix)
        sizes.append(size)
    return grid_of(codes, matrices, sizes, rng.integers(0, classes, n), classes)


def explicit(grid, steps):
    """The same with dense arrays and Python loops over the steps: the mix, then the shares of the classes."""
    whole, counts = written_out(grid), grid.counts().reshape(grid.n_classes, -1)
    all_records = counts.sum(axis=0)
    mix = np.full(len(whole), 1 / len(whole))
    for _ in range(MIX_STOP.n):
        ratios = np.divide(
            all_records / all_records.sum(), mix @ whole, out=np.zeros(len(all_records)), where=all_records > 0
        )
        mix = mix * (whole @ ratios)
    shares = counts.sum(axis=1, keepdims=True) / counts.sum() * mix
    for _ in range(steps):
        ratios = np.divide(counts / counts.sum(), shares @ whole, out=np.zeros(counts.shape), where=counts > 0)
        new = shares * (ratios @ whole.T)
        sums = new.sum(axis=0)
        shares = np.where(sums > 0, new * np.divide(mix, sums, out=np.zeros_like(sums), where=sums > 0), shares)
    return mix, shares


@settings(max_examples=50)
@given(grids(), st.integers(1, 20))
def test_they_are_those_of_the_kronecker_product(grid, steps):
    mix, shares = explicit(grid, steps)
    counts = grid.counts()
    found = grid.mix(counts)
    assert found.shape == grid.shape[1:]
    assert found.ravel() == pytest.approx(mix, abs=1e-9)
    found, met = grid.shares(counts, found, FixedStop(steps))
    assert met
    assert found.shape == grid.shape
    assert found.reshape(grid.n_classes, -1) == pytest.approx(shares, abs=1e-8)


@given(grids(), st.sampled_from([1, 2, 30, 1000]))
def test_the_classes_sum_to_the_mix_after_any_number_of_steps(grid, steps):
    counts = grid.counts()
    mix = grid.mix(counts)
    shares, _ = grid.shares(counts, mix, FixedStop(steps))
    assert shares.min() >= 0
    assert shares.sum(axis=0) == pytest.approx(mix, abs=1e-12)
    assert mix.sum() == pytest.approx(1)


@given(grids())
def test_the_classes_never_become_less_likely(grid):
    # An EM step: given its true cell, a record's class depends on nothing else; the cells' sums do not move.
    counts = grid.counts()
    mix = grid.mix(counts)

    def likelihood(shares):
        seen = disguise_again(shares, grid.matrices)
        held = counts > 0
        return float((counts[held] * np.log(seen[held])).sum())

    of_class = counts.reshape(grid.n_classes, -1).sum(axis=1) / counts.sum()
    path = [likelihood(np.multiply.outer(of_class, mix))]
    path += [likelihood(grid.shares(counts, mix, FixedStop(n))[0]) for n in (1, 2, 3, 5, 10, 50)]
    assert np.diff(path).min() >= -1e-10 * counts.sum()


def test_counts_are_of_the_cells_that_records_are_seen_in():
    grid = grid_of([np.array([0, 1, 1]), np.array([2, 0, 0])], [None, np.eye(3)], [2, 3], np.array([1, 0, 0]), 2)
    counts = grid.counts()
    assert counts.shape == grid.seen_shape == (2, 2, 3)
    assert {tuple(map(int, cell)): int(counts[tuple(cell)]) for cell in np.argwhere(counts)} == {
        (0, 1, 0): 2,
        (1, 0, 2): 1,
    }
    assert grid.counts(np.array([True, False, False])).sum() == 1
    assert np.array_equal(grid.counts(slice(0, 2)) + grid.counts(slice(2, None)), counts)


def drawn_records(n, seed, classes=2, sizes=(6, 4)):
    """True cells, and classes that go with both of their codes."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(classes * int(np.prod(sizes)), 0.5))
    return np.unravel_index(rng.choice(len(truth), n, p=truth), (classes, *sizes))


@pytest.mark.parametrize("matrices", [[np.eye(6), np.eye(4)], [None, None]], ids=["identity", "true"])
@pytest.mark.parametrize("classes", [2, 3])
def test_without_noise_they_are_the_histograms_of_the_classes(matrices, classes):
    y, *codes = drawn_records(5000, 1, classes)
    grid = grid_of(codes, matrices, [6, 4], y, classes)
    counts = grid.counts()
    shares, _ = grid.shares(counts, grid.mix(counts), FixedStop(1))
    assert shares == pytest.approx(counts / 5000, abs=1e-12)
    for found, true in zip(grid.cells(shares, np.random.default_rng(0)), codes, strict=True):
        assert np.array_equal(found, true)


def test_where_all_is_hidden_every_cell_has_the_shares_of_the_classes():
    y, *codes = drawn_records(5000, 2, 3)
    matrices = [KeepOrReplace(keep=1 / size, categories=range(size)).matrix() for size in (6, 4)]
    grid = grid_of(codes, matrices, [6, 4], y, 3)
    counts = grid.counts()
    mix = grid.mix(counts)
    shares, _ = grid.shares(counts, mix, FixedStop(500))
    assert mix == pytest.approx(1 / 24)
    assert shares == pytest.approx(np.multiply.outer(np.bincount(y) / 5000, mix))


def test_an_axis_that_hides_all_tells_the_others_nothing():
    y, *codes = drawn_records(5000, 3)
    hidden = np.random.default_rng(0).integers(0, 2, 5000)
    noisy = KeepOrReplace(keep=0.7, categories=range(6)).matrix()
    alone = grid_of(codes[:1], [noisy], [6], y, 2)
    both = grid_of([codes[0], np.zeros_like(hidden)], [noisy, np.ones((3, 1))], [6, 3], y, 2)
    one, two = (g.shares(g.counts(), g.mix(g.counts()), FixedStop(50))[0] for g in (alone, both))
    assert two == pytest.approx(np.repeat(one[:, :, None] / 3, 3, axis=2))


def test_a_class_that_has_no_records_has_no_share():
    y, *codes = drawn_records(500, 4)
    grid = grid_of(codes, [np.eye(6), np.eye(4)], [6, 4], y, 3)
    counts = grid.counts()
    shares, _ = grid.shares(counts, grid.mix(counts), FixedStop(20))
    assert not shares[2].any()
    assert shares[:2].sum() == pytest.approx(1)


def test_a_cell_that_no_record_can_be_in_keeps_the_shares_of_the_classes():
    # Nobody is seen in the last code, which is seen nowhere else; the mix puts a share there all the same.
    y, codes = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 1])
    grid = grid_of([codes], [np.eye(3)], [3], y, 2)
    shares, _ = grid.shares(grid.counts(), np.array([0.2, 0.3, 0.5]), FixedStop(9))
    assert shares == pytest.approx(np.array([[0.2, 0.2, 0.375], [0, 0.1, 0.125]]))


def test_the_rule_is_told_of_the_cells_that_it_asks_for():
    class Watching:
        cap = 3

        def watch(self, counts, intervals):
            self.told = counts, intervals, []
            return lambda _old, _new, seen: self.told[2].append(seen)

    y, *codes = drawn_records(200, 5)
    grid = grid_of(codes, [KeepOrReplace(keep=0.7, categories=range(6)).matrix(), None], [6, 4], y, 2)
    counts = grid.counts()
    mix = grid.mix(counts)
    all_cells, some = Watching(), Watching()
    found, met = grid.shares(counts, mix, all_cells, np.ones(counts.shape, dtype=bool))
    other, _ = grid.shares(counts, mix, some)
    assert found == pytest.approx(other)
    assert not met  # it never stopped
    assert np.array_equal(all_cells.told[0], counts.ravel())
    assert np.array_equal(some.told[0], counts[counts > 0])
    assert all_cells.told[1] == some.told[1] == 48
    assert len(all_cells.told[2]) == 3
    assert all_cells.told[2][-1] == pytest.approx(disguise_again(found, grid.matrices).ravel())
    assert some.told[2][-1] == pytest.approx(all_cells.told[2][-1][counts.ravel() > 0])


@pytest.mark.parametrize("stop", [FixedStop(5), ChiSquareStop()], ids=repr)
def test_any_stopping_rule_will_do(stop):
    y, *codes = drawn_records(2000, 6)
    grid = grid_of(codes, [KeepOrReplace(keep=0.7, categories=range(6)).matrix(), None], [6, 4], y, 2)
    counts = grid.counts()
    assert grid.shares(counts, grid.mix(counts), stop)[1]
    assert not grid.shares(counts, grid.mix(counts), ChiSquareStop(fraction=1e-9, cap=2))[1]


def noisy_grid(n, seed, classes=3):
    """Ages with noise, categories kept or replaced and true codes; a class's chances are other ones in each cell."""
    rng = np.random.default_rng(seed)
    y, age, kept, true = np.unravel_index(
        rng.choice(classes * 36, n, p=rng.dirichlet(np.ones(classes * 36))), (classes, 6, 3, 2)
    )
    bins = AGE.seen_bins(EDGES)
    channel = KeepOrReplace(keep=0.6, categories=range(3))
    seen = AGE.disguise(EDGES[age] + 10 * rng.random(n), rng)
    codes = [np.digitize(seen, bins[1:-1]), channel.codes(channel.disguise(kept, rng)), true]
    matrices = [AGE.matrix(EDGES, bins), channel.matrix(), None]
    return grid_of(codes, matrices, [6, 3, 2], y, classes), (y, age, kept, true)


def test_the_cells_of_the_records_are_drawn_as_their_posterior_says():
    # Of the records of one class that are seen in one cell, each true cell has its share: beside the product written
    # out, over all cells that 200 records or more are seen in; the largest of some 1,300 standard normals is below 4.5.
    grid, (y, *_) = noisy_grid(60_000, 1)
    counts = grid.counts()
    shares, _ = grid.shares(counts, grid.mix(counts), FixedStop(30))
    drawn = grid.cells(shares, np.random.default_rng(2))
    whole = written_out(grid)
    true = np.ravel_multi_index(drawn, grid.shape[1:])
    seen = np.ravel_multi_index([column.seen for column in grid.columns], grid.seen_shape[1:])
    tried = 0
    for group, cell in np.argwhere(counts.reshape(3, -1) >= 200):
        posterior = shares[group].ravel() * whole[:, cell]
        posterior /= posterior.sum()
        here = (y == group) & (seen == cell)
        found, n = np.bincount(true[here], minlength=36), here.sum()
        error = np.sqrt(n * posterior * (1 - posterior))
        assert not found[posterior == 0].any()
        often = n * posterior > 10
        assert (np.abs(found - n * posterior)[often] <= 4.5 * error[often]).all()
        tried += 1
    assert tried > 30


def test_the_cells_drawn_agree_with_the_shares():
    # Drawn by the posterior, a class's counts have the mean n × its share where the shares fit what is seen of it: they
    # do after many steps. Four standard errors, and as much as the fit leaves (the total variation of what is seen).
    grid, (y, *_) = noisy_grid(60_000, 3)
    counts = grid.counts()
    shares, _ = grid.shares(counts, grid.mix(counts), FixedStop(2000))
    drawn = grid.cells(shares, np.random.default_rng(4))
    found = np.zeros(grid.shape)
    np.add.at(found, (y, *drawn), 1 / 60_000)
    left = np.abs(disguise_again(shares, grid.matrices) - counts / 60_000).sum() / 2
    assert left < 0.05
    assert np.abs(found - shares).sum() / 2 < left + 0.01
    assert (np.abs(found - shares) <= 4 * np.sqrt(shares / 60_000) + left).all()


def test_true_codes_stay_and_the_same_lots_draw_the_same_cells():
    grid, (_, _, _, true) = noisy_grid(500, 5)
    counts = grid.counts()
    shares, _ = grid.shares(counts, grid.mix(counts), FixedStop(10))
    one, two, other = (grid.cells(shares, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(one[2], true)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    assert not np.array_equal(one[0], other[0])


def test_records_beyond_one_batch_are_drawn_alike():
    n = BATCH + 1000
    y = np.arange(n) % 2
    channel = KeepOrReplace(keep=0.75, categories=range(2))
    grid = grid_of([channel.disguise(y, 1)], [channel.matrix()], [2], y, 2)
    counts = grid.counts()
    shares, _ = grid.shares(counts, grid.mix(counts), FixedStop(500))
    (drawn,) = grid.cells(shares, np.random.default_rng(2))
    # A class whose true code is its own: all of its shares lie there, up to four standard errors of the noise.
    for part in (slice(0, BATCH), slice(BATCH, None)):
        assert (drawn[part] == y[part]).mean() > 0.97


def test_the_distribution_says_what_its_axes_mean():
    grid, _ = noisy_grid(500, 6)
    counts = grid.counts()
    mix = grid.mix(counts)
    shares, _ = grid.shares(counts, mix, FixedStop(10))
    found = grid.distribution(shares, np.array(["few", "many", "some"]))
    assert repr(found) == "JointDistribution(class × x0 × x1 × x2, 3 × 6 × 3 × 2 cells)"
    assert found.attributes[0].categories == ("few", "many", "some")
    assert found.marginal(["x0", "x1", "x2"]).probabilities == pytest.approx(mix)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["age"], "class"),
        (["class"], "class of the record"),
        (["class", "class of the record"], "class of the record of the record"),
    ],
)
def test_the_classes_have_a_name_of_their_own(names, expected):
    columns = [
        CoarseColumn(Attribute.numeric(n, [1]), np.arange(3.0), np.arange(2), np.array([0, 1]), None) for n in names
    ]
    grid = ClassGrid(columns, np.array([0, 1]), 2)
    found = grid.distribution(np.full(grid.shape, 1 / np.prod(grid.shape)), np.array([0, 1]))
    assert list(found.edges) == [expected, *names]


def test_more_steps_bring_the_shares_nearer_to_the_truth_than_the_start():
    # Function-like classes: the class is the parity of two codes, both disguised; total variation of 60,000 records.
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 4, (2, 60_000))
    y = (codes[0] // 2) ^ (codes[1] // 2)
    noise = UniformNoise(half_width=1.0, low=0, high=4)
    bins = noise.seen_bins(np.arange(5.0))
    seen = [np.digitize(noise.disguise(column + rng.random(60_000), rng), bins[1:-1]) for column in codes]
    grid = grid_of(seen, [noise.matrix(np.arange(5.0), bins)] * 2, [4, 4], y, 2)
    counts = grid.counts()
    mix = grid.mix(counts)
    truth = np.zeros(grid.shape)
    np.add.at(truth, (y, *codes), 1 / 60_000)
    away = [np.abs(grid.shares(counts, mix, FixedStop(n))[0] - truth).sum() / 2 for n in (1, 10, 100, 1000, 10_000)]
    assert (np.diff(away) < 0.01).all()
    assert away[-1] < 0.1 < away[0]
