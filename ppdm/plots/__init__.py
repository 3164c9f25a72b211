"""Every figure of the notebooks, by name. Colours are told apart by colour-blind readers too."""

from ppdm.plots.picture import PALETTE, Picture
from ppdm.plots.planes import plane, regions
from ppdm.plots.series import bars, channel, distributions, lines, reconstructions
from ppdm.plots.trees import tree

__all__ = [
    "PALETTE",
    "Picture",
    "bars",
    "channel",
    "distributions",
    "lines",
    "plane",
    "reconstructions",
    "regions",
    "tree",
]
