"""Laws by their definition, for tests of what inverts them."""

import numpy as np


def codes(channel, frame):
    """The place of each value among its column's, for the columns in groups that the frame has."""
    return {name: own.codes(frame[name]) for name, own in channel.answers.items() if name in frame}


def joint_matrix(channel, columns):
    """P(released | true) of some columns in groups: all combinations of values, the last column changing fastest."""
    names = list(columns)
    matrix, order = np.ones((1, 1)), []
    for theta, group in zip(channel.thetas, channel.groups, strict=True):
        kept, replaced = np.ones((1, 1)), np.ones((1, 1))
        inside = [name for name in names if name in group]
        for name in inside:
            k = channel.answers[name].k
            kept, replaced = np.kron(kept, np.eye(k)), np.kron(replaced, (1 - np.eye(k)) / (k - 1))
        matrix = np.kron(matrix, theta * kept + (1 - theta) * replaced)
        order += inside
    sizes = [channel.answers[name].k for name in order]
    axes = [order.index(name) for name in names]
    return (
        matrix.reshape(sizes * 2).transpose([*axes, *(len(axes) + axis for axis in axes)]).reshape(matrix.shape)
    )
