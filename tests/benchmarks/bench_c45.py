"""C4.5 on Adult's 32,561 records and on 100,000 of Quest: our fit beside scikit-learn's tree, and beside Weka's J48.

J48 runs if Java is there, and a ``weka.jar`` of 3.9 at ``PPDM_WEKA_JAR`` or where Debian has it. It says how long
it took to build the tree, without the time in which Java starts and reads the table; the shortest of some runs counts.
"""

import os
import shutil
import subprocess
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier
from timing import best_times

from ppdm.data import load, quest
from ppdm.trees import C45Classifier

TITLE = "C4.5, against scikit-learn's DecisionTreeClassifier and Weka's J48"
N = 100_000
REPEATS = 3
JAR = Path(os.environ.get("PPDM_WEKA_JAR", "/usr/share/java/weka.jar"))


def tables() -> Iterator[tuple[str, pd.DataFrame, pd.Series]]:
    """Adult, its education nominal as J48 has it; and Quest's Function 4."""
    table = load("adult")
    yield "Adult", table.X.assign(education=table.X["education"].cat.as_unordered()), table.y
    yield f"Quest F4, {N:,} records", *quest(N, function=4, rng=1)


def j48(X: pd.DataFrame, y: pd.Series, folder: str) -> tuple[float, str] | None:
    """The seconds that J48 takes for its tree, and what the tree is like; None where it cannot run."""
    if not shutil.which("java") or not JAR.exists():
        return None
    path = Path(folder) / "table.arff"
    columns = [*X.items(), ("class", y)]
    lines = [
        "@relation table",
        *(f"@attribute '{name}' {kind_of(column)}" for name, column in columns),
        "@data",
        "",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    X.assign(**{"class": y}).to_csv(path, mode="a", header=False, index=False, na_rep="?", quotechar="'")
    command = ["java", "-Xmx3g", "-cp", str(JAR), "weka.classifiers.trees.J48", "-t", str(path), "-no-cv"]
    command += ["-C", "0.25", "-M", "2"]
    texts = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(REPEATS)]
    seconds = [float(number_in(text, "build model: ")) for text in texts]
    names = ("Number of Leaves", "Size of the tree", "Correctly Classified Instances")
    return min(seconds), tree_is(*(number_in(texts[0], name) for name in names))


def number_in(text: str, name: str) -> str:
    """The first number behind a name."""
    return text[text.index(name) + len(name) :].lstrip(" :\t").split()[0]


def tree_is(leaves: object, nodes: object, right: object) -> str:
    """What a tree is like, to be compared."""
    return f"{leaves} leaves, {nodes} nodes, {right} right"


def kind_of(column: pd.Series) -> str:
    """A column as the header of Weka's format has it."""
    if pd.api.types.is_numeric_dtype(column):
        return "numeric"
    names = pd.Categorical(column).categories
    return "{" + ",".join(f"'{name}'" for name in names) + "}"


def peak(X: pd.DataFrame, y: pd.Series) -> float:
    """The most memory that a fit takes beyond its input, over the input's, as floats."""
    tracemalloc.start()
    C45Classifier().fit(X, y)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / (8 * X.size)


def compare(X: pd.DataFrame, y: pd.Series) -> tuple[np.ndarray, str]:
    """The best times of interleaved fits, ours and scikit-learn's, and what our tree is like."""
    codes = OrdinalEncoder(encoded_missing_value=-1).fit_transform(X)
    ours, other = C45Classifier(), DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
    times = best_times([lambda: ours.fit(X, y), lambda: other.fit(codes, y)], REPEATS)
    right = int(np.sum(ours.predict(X) == np.asarray(y)))
    return times, tree_is(len(ours.tree_.leaves()), len(ours.tree_.attribute), right)


def run() -> Iterator[tuple[str, float, float | None, str]]:
    for name, X, y in tables():
        times, found = compare(X, y)
        yield f"fit, {name}", times[0] / times[1], None, "{:.2f} s to {:.2f} s; {}".format(*times, found)
        with tempfile.TemporaryDirectory() as folder:
            weka = j48(X, y, folder)
        if weka is None:
            yield "  to J48", 0, None, f"not run: it needs java and {JAR} (or PPDM_WEKA_JAR)"
        else:
            yield "  to J48", times[0] / weka[0], 1, f"{times[0]:.2f} s to {weka[0]:.2f} s"
            yield "  is it another tree than J48's", int(found != weka[1]), 0, f"J48: {weka[1]}"
        yield "  memory of a fit over its input", peak(X, y), 8, "as floats"
