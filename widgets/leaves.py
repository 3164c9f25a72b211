"""Choose noise that follows a tree, and see what becomes of the tree, and what an intruder still learns (IB03)."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from .controls import choice, percent, slider, stops
from .leaves_pictures import TwoTrees
from .leaves_view import KNOWS, PAPERS, TECHNIQUES, LeafCase, LeafView, OwnTable, code_of, intruder, released
from .own import OWN
from .panel import Panel, Stage
from .picture import LivePicture, short

STRENGTHS = (5, 10, 15, 20, 25, 27.6, *range(30, 101, 5))  # with the paper's own
LEASTS, SAMPLES, SEEDS = (2, 40), (0, 20), (1, 20)
NAMES, NAME = 5, 14  # attributes that are listed, and letters of each
# What a reader sees beside the controls that need more than their label.
TECHNIQUE = (
    "random, probabilistic, all leaves: noise in the classes. TIA: noise in the attributes that the tree never tests. "
    "LIA: in those that it tests, but not on the way to a record's leaf. all at once: random, TIA and LIA"
)
STRENGTH = "standard deviation of the noise in attributes, in per cent of the value; 27.6 is the paper's"
IDLE = "this technique adds noise to the classes alone: move 'least leaf' to change how much"
LEAST = (
    "records that a leaf has at least, in both trees. Larger leaves are more mixed, so more classes change, and fewer "
    "attributes are tested"
)
SAMPLE = "0 is the paper's own sample; others, and those of your own data, are drawn at random"


class LeafNoiseExplorer(Panel):
    """Noise that follows a tree (IB03 §3): the tree before and after, what it is worth, and what an intruder learns.

    A tree is grown from true records. Noise is added in its leaves, and another tree grows from what is released. Each
    rule of both trees is marked as kept, moved, or in one tree only (``measure.tree_similarity``). The release has a
    seed, for study only.

    Parameters
    ----------
    technique : what gets noise. Classes: "random", "probabilistic" or "all leaves"; attributes: "TIA", "LIA" or
        "TIA + LIA"; "all at once": "random" and "TIA + LIA"
    strength : the standard deviation of noise in attributes, in per cent of the value: 5, 10, 15, 20, 25, 27.6 (the
        paper's), 30, 35, … 100. Where classes alone get noise it has no effect
    least : the least leaf size of C4.5, 2 to 40, for both trees. The noise in classes depends on it: larger leaves are
        more mixed, so more classes change
    table : "wbc" (350 records to learn from), "boston" (300, without the column B) or "own data"; None: ``own`` if you
        give it, else "wbc"
    sample : 0: the paper's own records, of Boston some that give its Figure 2; 1 to 20: a random sample. Of your own
        records each number takes other two thirds of each class. What is left out tests both trees
    seed : 1 to 20: another draw of the noise for the same records
    own : a pair: a frame of 30 records or more, and a class for each (2 to 7 classes, three records or more of each).
        Of more than 2,000 records a sample is taken

    >>> LeafNoiseExplorer("TIA").numbers().split("; ")[0]
    'S, the similarity of both trees: 0.977'
    """

    def __init__(
        self,
        technique: str = "random",
        strength: float = 27.6,
        least: int = 2,
        table: str | None = None,
        sample: int = 0,
        seed: int = 1,
        own=None,
    ) -> None:
        self.sources: dict[str, str | OwnTable] = {} if own is None else {OWN: OwnTable.of(own)}
        self.sources |= {name: name for name in PAPERS}
        self.given = ("own",) * (own is not None)
        if table is None:
            table = next(iter(self.sources))
        self.controls = {
            "technique": choice("technique", technique, TECHNIQUES, tip=TECHNIQUE),
            "strength": stops("strength", strength, STRENGTHS, label="strength %", tip=STRENGTH),
            "least": slider("least", least, *LEASTS, label="least leaf", tip=LEAST),
            "table": choice("table", table, self.sources),
            "sample": slider("sample", sample, *SAMPLES, tip=SAMPLE),
            "seed": slider("seed", seed, *SEEDS, label="draw"),
        }
        self._trees = TwoTrees()
        self.follow({"technique"})
        self._assemble()

    def follow(self, moved: Collection[str]) -> None:
        """Where classes alone get noise, the strength of that in attributes cannot be moved."""
        if "technique" in moved:
            idle = not self._case().in_attributes
            strength = self.controls["strength"]
            strength.disabled, strength.tooltip = idle, IDLE if idle else STRENGTH

    def stages(self) -> Iterator[Stage]:
        """Both trees; then what intruders find, which changes no picture. Newer moves come in between two steps."""
        case = self._case()
        if case.is_own:  # the first tree of a long table takes a while
            _ = case.noise
            yield Stage(None)
        view = released(case)
        yield Stage(view)
        for knows in KNOWS if case.in_attributes else ():
            view = replace(view, intruders={**view.intruders, knows: intruder(case, knows)})
            yield Stage(view, redraw=False)

    def draw(self, view: LeafView) -> list[LivePicture]:
        """The tree from the true records, and that from the released ones."""
        before, after = (f"{percent(share)} right" for share in view.right)
        headlines = f"True records: {before}", f"Released records: S = {view.alike.score:.3f}, {after}"
        return self._trees.show(view.alike.lines(), headlines)

    def facts(self, view: LeafView) -> dict[str, str]:
        """How alike the trees are, how often they are right, and how secure persons are."""
        case, alike = view.case, view.alike
        before, after = map(percent, view.right)
        sizes = [len(tree.leaves()) for tree in (case.first, view.second)]
        return {
            "S, the similarity of both trees": f"{alike.score:.3f}",
            "records in rules": f"{percent(alike.kept)} in rules that are kept, {percent(alike.new)} in new rules",
            "first test": "the same in both trees" if alike.root else "another one in the second tree",
            "leaves": "{} before, {} after".format(*sizes),
            "test accuracy": f"{before} before, {after} after, on the true classes of {len(case.drawn.classes):,} "
            "records that were held out",
            **(_class_facts(view) if case.in_classes else {}),
            **(_attribute_facts(view) if case.in_attributes else {}),
        }

    def code(self) -> str:
        """The lines that do the same by the library alone."""
        return code_of(self._case())

    def _case(self):
        at = {name: control.value for name, control in self.controls.items()}
        return LeafCase(self.sources[at.pop("table")], **at)


def _class_facts(view):
    """How many classes change, and how sure an intruder stays."""
    noise = view.case.noise
    own = noise.security()
    changed = int((view.y != noise.y).sum())
    return {
        "classes changed": f"{noise.expected:.1f} of {len(own)} expected, E(N); {changed} in this draw",
        "chance that a class is changed": f"{percent(own['changed'].mean())} on average, "
        f"{percent(own['changed'].min())} at least",
        "belief in the true class": f"{percent(own['believed'].mean())} on average, by an intruder who knows the leaf; "
        f"he is certain of {percent((own['believed'] > 1 - 1e-9).mean())} of the persons",
    }


def _attribute_facts(view):
    """Which attributes have noise, and what intruders find."""
    noise = view.case.noise
    names = [short(str(name), NAME) for name in noise.channels] or ["none, because none is innocent"]
    listed = ", ".join(names[:NAMES]) + (f" and {len(names) - NAMES} more" if len(names) > NAMES else "")
    each = noise.noisy.sum(axis=1).mean()
    found = {"attributes with noise": f"{listed}; {each:.1f} of {noise.X.shape[1]} for a person on average"}
    for knows, words in KNOWS.items():
        means = view.intruders.get(knows)
        shares = ["…", "…"] if means is None else [*map(percent, means)]
        told = "gives {} to the person's own record, {} to the person's class, on average".format(*shares)
        found[f"intruder who knows {words}"] = told
    alone = (noise.y.value_counts(normalize=True) ** 2).sum()
    return found | {"one who knows nothing": f"gives {percent(alone)} to the person's class"}
