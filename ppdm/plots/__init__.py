"""Every figure of the notebooks, by name. Colours are told apart by colour-blind readers too."""

from ppdm.plots.answers import Guesses, Repeats, TradeOff
from ppdm.plots.contest import decided, scores
from ppdm.plots.moving import Shapes, Walk
from ppdm.plots.panels import curves, distribution_panels, groups
from ppdm.plots.picture import PALETTE, Picture, beside
from ppdm.plots.planes import maps, plane, planes, regions
from ppdm.plots.responses import reversals
from ppdm.plots.series import bars, channel, distributions, lines, reconstructions
from ppdm.plots.sheets import Sheet, sheet
from ppdm.plots.trees import tree
from ppdm.plots.treetop import treetop

__all__ = [
    "PALETTE",
    "Guesses",
    "Picture",
    "Repeats",
    "Shapes",
    "Sheet",
    "TradeOff",
    "Walk",
    "bars",
    "beside",
    "channel",
    "curves",
    "decided",
    "distribution_panels",
    "distributions",
    "groups",
    "lines",
    "maps",
    "plane",
    "planes",
    "reconstructions",
    "regions",
    "reversals",
    "scores",
    "sheet",
    "tree",
    "treetop",
]
