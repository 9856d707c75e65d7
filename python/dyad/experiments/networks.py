# SPDX-License-Identifier: BSD-3-Clause
"""Simulated Bayesian networks: two classes of rows, each from a network of its own.

The networks are those of section 5.1 of the paper [1]_: 20 nodes, standard normal roots, and given its
parents a node is

- ``gaussian``: normal around the sum of its parents, with variance 1;
- ``complex``: with probability 1/2 the sum of its parents plus Student's t with 5 degrees of freedom, else
  normal with variance 1 around one of two equally probable means: parent + 1 and parent - 1 in forests, the
  sum of the first two and that of the last two parents in general networks.

Nodes have one parent in a ``forest`` and three in a ``general`` network. Where the paper says nothing:

- Both classes have the same order of nodes, and parents come before their children. With an order for each
  class the variances alone, which grow along the order, would tell the classes apart.
- A node of a forest is a root with probability 0.2, the first one always; a general network has 8 roots, the
  first in the order. Parents are drawn with equal probability from all nodes before, without replacement.
- Which case of ``complex`` holds is drawn for every row and node.
- Roots and parents of the two classes are drawn independently.

.. [1] Y. Tenzer, A. Moscovich, M. F. Dorn, B. Nadler, C. Spiegelman. Beyond Trees: Classification with Sparse
   Pairwise Dependencies. Journal of Machine Learning Research 21, 2020.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

NODES = 20
ROOT_PROBABILITY = 0.2  # of a node of a forest
GENERAL_ROOTS = 8
TEST_ROWS = 2000

Network = list[tuple[int, ...]]  # the parents of each node
Conditionals = Literal["gaussian", "complex"]
Sample = tuple[NDArray[np.float64], NDArray[np.int64]]  # rows and their classes, 0 or 1


def forest(rng: np.random.Generator, nodes: int = NODES) -> Network:
    """Draw a network whose nodes have one parent, or none."""
    return [
        () if node == 0 or rng.random() < ROOT_PROBABILITY else (int(rng.integers(node)),)
        for node in range(nodes)
    ]


def general(rng: np.random.Generator, nodes: int = NODES) -> Network:
    """Draw a network whose nodes have three parents, but for the first 8, which have none."""
    return [
        () if node < GENERAL_ROOTS else tuple(rng.choice(node, 3, replace=False).tolist())
        for node in range(nodes)
    ]


STRUCTURES: dict[str, Callable[[np.random.Generator], Network]] = {"forest": forest, "general": general}
CONDITIONALS: tuple[Conditionals, ...] = ("gaussian", "complex")


def sample(
    network: Network, conditionals: Conditionals, rows: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw rows from a network."""
    X = np.zeros((rows, len(network)))
    for node, parents in enumerate(network):
        Z = X[:, list(parents)]
        noise = rng.normal(size=rows)
        if conditionals == "gaussian" or not parents:
            X[:, node] = Z.sum(axis=1) + noise
        else:
            heavy = Z.sum(axis=1) + rng.standard_t(5, size=rows)
            X[:, node] = np.where(rng.random(rows) < 0.5, heavy, _one_of_two_means(Z, rng) + noise)
    return X


def _one_of_two_means(Z: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    first = rng.random(len(Z)) < 0.5
    if Z.shape[1] == 1:
        return Z[:, 0] + np.where(first, 1, -1)
    return Z[:, 1] + np.where(first, Z[:, 0], Z[:, 2])


def simulate(structure: str, conditionals: Conditionals, rows: int, replicate: int) -> tuple[Sample, Sample]:
    """Draw networks for two classes, and from each one half of `rows` training and of 2000 test rows."""
    kind = list(STRUCTURES).index(structure), CONDITIONALS.index(conditionals)
    rng = np.random.default_rng([replicate, rows, *kind])
    networks = [STRUCTURES[structure](rng) for _ in range(2)]

    def draw(count: int) -> Sample:
        sizes = [count - count // 2, count // 2]
        X = [sample(network, conditionals, size, rng) for network, size in zip(networks, sizes, strict=True)]
        return np.vstack(X), np.repeat([0, 1], sizes)

    return draw(rows), draw(TEST_ROWS)
