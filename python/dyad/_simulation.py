# SPDX-License-Identifier: BSD-3-Clause
"""Rows of two classes, each from a Bayesian network of its own, and the truth about them."""

from __future__ import annotations

import numbers

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_scalar

from dyad import _core
from dyad._input import aligned, require_numbers


class Simulation:
    r"""Two Bayesian networks drawn at random, one a class, as in section 5.1 of the paper.

    Roots are standard normal. Given its parents, a node is normal with variance 1 around their sum in the
    scenarios "forest-normal" (one parent a node) and "general-normal" (three). In "forest-complex" and
    "general-complex" it is, with probability 1/2, Student's t with 5 degrees of freedom around their sum,
    else normal with variance 1 around one of two equally probable means: :math:`z + 1` and :math:`z - 1` in
    forests, :math:`z_1 + z_2` and :math:`z_2 + z_3` in general networks.

    Parameters
    ----------
    scenario : {"forest-normal", "forest-complex", "general-normal", "general-complex"}
        The kind of networks. What the paper leaves open, the last six parameters, is chosen so that other
        classifiers have errors like those that it reports.
    seed : int
        The same seed gives the same networks and rows.
    d : int
        Nodes of a network, which are the features.
    shared : float
        Share of the nodes that have the same parents and distribution in both classes.
    roots : float, optional
        Share of the nodes without parents: 0.25 in forests, 0.35 in general networks.
    root_places : {"anywhere", "first"}, optional
        The nodes without parents: anywhere in the order of nodes, as in forests, or the first, as in general
        networks.
    node_order : {"common", "own"}
        Whether the order, in which parents come before their children, is common to both classes.
    window : int, optional
        Parents are drawn from so many nodes before, 0 for all: 0 in forests, 9 in general networks.
    mixture : {"row", "node"}, optional
        In complex scenarios, whether each row draws its case, as in forests, or a node once for all rows, as
        in general networks.
    forest_mixture : {"printed", "product"}
        In "forest-complex", Student's t plus the parent, as the paper has it, or times the parent, which has
        errors like those that the paper reports if a third of the nodes is `shared`.

    Attributes
    ----------
    parents : list of list of list of int
        The parents of each node in each of the two networks.

    Examples
    --------
    >>> import dyad
    >>> simulation = dyad.Simulation("general-normal", seed=3)
    >>> X, y = simulation.sample(1000)
    >>> T, t = simulation.sample(5000, draw=1)
    >>> model = dyad.SLBClassifier().fit(X, y)
    >>> model.score(T, t) > 0.9
    True
    >>> best = simulation.log_likelihood_ratio(T) > 0
    >>> bool((best == t).mean() > model.score(T, t))
    True
    """

    def __init__(
        self,
        scenario: str,
        seed: int = 0,
        *,
        d: int = 20,
        shared: float = 0.0,
        roots: float | None = None,
        root_places: str | None = None,
        node_order: str = "common",
        window: int | None = None,
        mixture: str | None = None,
        forest_mixture: str = "printed",
    ):
        options = {
            "d": d,
            "shared": shared,
            "roots": roots,
            "root_places": root_places,
            "node_order": node_order,
            "window": window,
            "mixture": mixture,
            "forest_mixture": forest_mixture,
        }
        check_scalar(seed, "seed", numbers.Integral, min_val=0)
        given = {name: value for name, value in options.items() if value is not None}
        self._recipe = (scenario, seed, given)
        self._simulation = _core.Simulation(*self._recipe)
        self.parents: list[list[list[int]]] = self._simulation.parents

    def sample(
        self, n: int, imbalance: float = 0.5, draw: int = 0, n_jobs: int | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Draw rows, in random order.

        Parameters
        ----------
        n : int
            How many in all.
        imbalance : float
            Share of the rows of class 0; the others are of class 1.
        draw : int
            Another number draws other rows of the same networks, such as test rows.
        n_jobs : int, optional
            Threads; -1 for all cores. The rows do not depend on it.

        Returns
        -------
        X : array of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class of each, 0 or 1.
        """
        check_scalar(n, "n", numbers.Integral, min_val=2)
        check_scalar(imbalance, "imbalance", numbers.Real, min_val=0, max_val=1)
        check_scalar(draw, "draw", numbers.Integral, min_val=0)
        return self._simulation.sample(n, imbalance, draw, effective_n_jobs(n_jobs))

    def log_likelihood_ratio(self, X: ArrayLike, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the true log p(x | class 1) - log p(x | class 0) of each row.

        Its sign is the best there is to predict classes of equal probability.
        """
        require_numbers(X, "X")
        rows = aligned(check_array(X, dtype=[np.float64, np.float32], input_name="X"))
        return self._simulation.log_likelihood_ratio(rows, effective_n_jobs(n_jobs))

    def bayes_error(self, n: int = 100_000, n_jobs: int | None = None) -> float:
        """Return the error of the best classifier of equally probable classes, as estimated on `n` rows."""
        check_scalar(n, "n", numbers.Integral, min_val=2)
        return self._simulation.bayes_error(n, effective_n_jobs(n_jobs))

    def __getstate__(self) -> tuple:
        return self._recipe  # networks drawn again are the same

    def __setstate__(self, recipe: tuple) -> None:
        scenario, seed, options = recipe
        self.__init__(scenario, seed, **options)


def simulate(
    scenario: str, n: int, *, seed: int = 0, imbalance: float = 0.5, **options: float | str
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Draw rows of two classes from Bayesian networks, as in section 5.1 of the paper.

    Parameters
    ----------
    scenario : {"forest-normal", "forest-complex", "general-normal", "general-complex"}
        The kind of networks.
    n : int
        Rows in all.
    seed : int
        Of networks and rows.
    imbalance : float
        Share of the rows of class 0.
    **options
        Further parameters of :class:`Simulation`, which also gives test rows and the truth about them.

    Returns
    -------
    X : array of shape (n, d)
        The rows, in random order.
    y : array of shape (n,)
        The class of each, 0 or 1.

    Examples
    --------
    >>> import dyad
    >>> X, y = dyad.simulate("forest-complex", 400, imbalance=0.75, seed=1)
    >>> X.shape, int((y == 0).sum())
    ((400, 20), 300)
    """
    return Simulation(scenario, seed, **options).sample(n, imbalance)
