"""Who talks to whom, and heat maps: each arrow is a way that messages go, each cell a count, all within the picture."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from ppdm.widgets import parties_pictures
from ppdm.widgets.parties_pictures import BLUE, ORANGE, PALE, HeatMaps, Talk

from ppdm.studies.vc04_known import read, worst
from ppdm.studies.vc04_wires import KEY, PROTOCOLS, clinics, run

CASES = [(protocol, number) for protocol in PROTOCOLS for number in (3, 5, 7)]


def done_by(protocol, number, first=1):
    return run(protocol, clinics(number, first), np.random.default_rng(1))


def shapes(talk):
    """Lines, heads, and by name the place of each party."""
    lines, heads = talk.ax.collections
    return lines, heads


def places(talk):
    nodes = [patch for patch in talk.ax.patches if patch.get_label()]
    return {patch.get_label(): patch.get_path().vertices.mean(axis=0) for patch in nodes}


@pytest.mark.parametrize(("protocol", "number"), CASES)
def test_arrows_are_the_ways_that_messages_go(protocol, number):
    done, talk = done_by(protocol, number), Talk()
    talk.show(done, (), "nobody")
    lines, heads = shapes(talk)
    at = places(talk)
    assert set(at) == {*done.sites, *filter(None, [done.server])}

    def nearest(point):
        return min(at, key=lambda name: np.linalg.norm(at[name] - point))

    drawn = [(nearest(line[0]), nearest(line[-1])) for line in lines.get_segments()]
    with_heads = {
        ends
        for ends, head in zip(drawn, heads.get_paths(), strict=True)
        if np.ptp(head.vertices[:, 0]) + np.ptp(head.vertices[:, 1]) > 0.01
    }
    ways = {(one.sender, one.receiver) for one in done.messages if one.what != KEY}
    assert with_heads == ways
    keys = {frozenset((one.sender, one.receiver)) for one in done.messages if one.what == KEY}
    assert {frozenset(ends) for ends in drawn} == {frozenset(ends) for ends in ways} | keys
    assert len(set(drawn)) == len(drawn)


@pytest.mark.parametrize(("protocol", "number"), CASES)
def test_what_they_saw_and_they_themselves_are_marked(protocol, number):
    done, talk = done_by(protocol, number), Talk()
    together = (*filter(None, [done.server]), *worst(done)[:1])
    talk.show(done, together, "some")
    lines, _ = shapes(talk)
    seen = sum(bool({*ends} & {*together}) for ends in parties_pictures._ways(done))
    hues = [tuple(hue) for hue in lines.get_colors()]
    assert hues == [to_rgba(PALE)] * (len(hues) - seen) + [to_rgba(ORANGE)] * seen
    fills = [patch.get_facecolor() for patch in talk.ax.patches if not patch.get_label()]
    assert fills.count(to_rgba(ORANGE)) == len(together)
    assert fills.count(to_rgba(BLUE)) == 1
    widths = {patch.get_linewidth() for patch in talk.ax.patches if patch.get_facecolor() == to_rgba(ORANGE)}
    assert min(widths) > 2  # marked by a stroke, too, for who sees no colours


@pytest.mark.parametrize(("protocol", "number"), CASES)
def test_all_lies_within_the_picture_and_nothing_on_a_legend(protocol, number):
    talk = Talk()
    picture = talk.show(done_by(protocol, number), (), "A line:\nanother one")
    picture.sharp()
    wide, (high, _) = talk.ax.get_xlim()[1], talk.ax.get_ylim()
    picture.set_dpi(100)
    words = [talk.headline.get_window_extent(), talk.ax.get_legend().get_window_extent()]
    headline, legend = (box.transformed(talk.ax.transData.inverted()) for box in words)
    for patch in talk.ax.patches:
        box = patch.get_window_extent().transformed(talk.ax.transData.inverted())
        assert 0 <= box.x0 < box.x1 <= wide
        assert (
            max(headline.y0, headline.y1)
            < min(box.y0, box.y1)
            < max(box.y0, box.y1)
            < min(legend.y0, legend.y1)
            < high
        )


def test_after_a_move_it_is_as_if_new():
    talk, maps, seen = Talk(), HeatMaps(), set()
    for protocol, number in [*CASES, *reversed(CASES)]:
        done = done_by(protocol, number, first=number)
        together = (*worst(done)[:1],)
        found = read(done, together)
        for moved, new in (
            (talk.show(done, together, protocol), Talk().show(done, together, protocol)),
            (maps.show(done, found), HeatMaps().show(done, found)),
        ):
            assert moved.sharp() == new.sharp()
            assert moved.png() == new.png()
            seen.add(moved.sharp())
    assert len(seen) == 2 * len(CASES)


@pytest.mark.parametrize("together", [0, 1, 2])
def test_heat_maps_have_every_count_in_its_row(together):
    maps, done, own = HeatMaps(), done_by("ring", 4), clinics(4)
    found = read(done, worst(done)[:together])
    maps.show(done, found)
    first, known, total = (one.cells for one in maps.maps)
    for image, counts in ((first, own[0]), (total, own.sum(axis=0))):
        cells = np.asarray(image.get_array())
        assert cells.shape == (9, 40)
        for row, (healthy, ill) in zip(cells, zip(*counts, strict=True), strict=True):
            assert row.tolist() == [*healthy, *ill]
        assert image.get_clim() == (0, counts.max())
    assert known.get_visible() == (together > 0)
    if together == 2:
        assert np.array_equal(known.get_array(), first.get_array())
        assert (known.get_cmap(), known.get_clim()) == (first.get_cmap(), first.get_clim())
    if together == 1:
        assert known.get_clim() == (0, 2**64)
        assert known.get_cmap() != first.get_cmap()
    what = ["nothing", "noise", "all of them"][together]
    assert maps.picture.title == maps.maps[1].title.get_text() == f"What they know of Ash's counts: {what}"


def test_scales_and_axes_have_labels():
    maps = HeatMaps()
    for protocol, most in (("ring", "2⁶⁴"), ("shamir", "2⁶¹")):
        done = done_by(protocol, 5)
        maps.show(done, read(done, ["Birch"]))
        assert maps.maps[1].most.get_text() == most
    assert maps.maps[0].most.get_text() == str(done.own["Ash"].max())
    for one in maps.maps:
        assert [text.get_text() for text in one.ax.get_yticklabels()][::8] == ["age", "sleep"]
    assert "healthy" in maps.maps[-1].ax.get_xlabel()


def test_words_lie_within_the_picture():
    maps = HeatMaps()
    done = done_by("shamir", 7)
    picture = maps.show(done, read(done, worst(done)))
    picture.sharp()
    picture.set_dpi(200)
    wide, high = picture.bbox.width, picture.bbox.height
    for ax in picture.axes:
        box = ax.get_tightbbox()
        assert 0 <= box.x0 < box.x1 <= wide
        assert 0 <= box.y0 < box.y1 <= high
