"""Every figure of the notebooks, by name."""

from ppdm.plots.figures import bars, curves, distributions
from ppdm.plots.picture import Picture
from ppdm.plots.planes import channel, maps, planes
from ppdm.plots.results import lines
from ppdm.plots.trees import tree, two_trees

__all__ = [
    "Picture",
    "bars",
    "channel",
    "curves",
    "distributions",
    "lines",
    "maps",
    "planes",
    "tree",
    "two_trees",
]
