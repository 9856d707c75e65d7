# SPDX-License-Identifier: BSD-3-Clause
"""The pieces of the method that are of use alone: bandwidths, densities, dependence and screening."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, check_scalar

from dyad import _core
from dyad._columns import Coded, array_columns, code_new, table_columns
from dyad._input import (
    ROWS,
    aligned,
    check_labels,
    check_seed,
    is_table,
    require_complete_numbers,
    require_numbers,
    require_text,
    without_mask,
)


def bandwidth(x: ArrayLike, rule: str = "plug_in", engine: str = "exact") -> float | NDArray[np.float64]:
    r"""Bandwidth of a Gaussian kernel density estimate.

    The plug-in rules minimise the asymptotic mean integrated squared error,

    .. math:: \frac{1}{4 \pi n |H|^{1/2}} + \frac14 \operatorname{vec}'(H) \, \Psi_4 \operatorname{vec}(H)

    in two dimensions, with the unknown functionals :math:`\Psi_4` of the density estimated in two stages. The
    normal scale rule is what would be best for a normal sample.

    Parameters
    ----------
    x : array of shape (n,), (n, 1) or (n, 2)
        The sample.
    rule : {"plug_in", "plug_in_diagonal", "normal_scale"}
        In two dimensions, "plug_in" is a full matrix and "plug_in_diagonal" a diagonal one.
    engine : {"exact", "counts"}
        Sums over all pairs of values, or the same to a percent or two from binned counts, in time that grows
        with n and not with its square. The sums go on to their end: Ctrl-C waits for them.

    Returns
    -------
    float or array of shape (2, 2)
        The standard deviation h of the kernel, or in two dimensions its covariance matrix H.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> x = np.random.default_rng(0).normal(size=(500, 2))
    >>> round(dyad.bandwidth(x[:, 0], rule="normal_scale"), 3)
    0.301
    >>> dyad.bandwidth(x).shape
    (2, 2)
    """
    return _scalar_if_single(_core.bandwidth(_sample(x, "x"), rule, engine))


class Density:
    r"""Gaussian kernel density estimate of one feature or two.

    .. math:: f(p) = \frac1n \sum_{i=1}^n \varphi_H(p - x_i)

    with the normal density :math:`\varphi_H` of covariance H.

    Parameters
    ----------
    x : array of shape (n,), (n, 1) or (n, 2)
        The sample.
    bandwidth : float or array of shape (2, 2), optional
        The kernel's standard deviation h, or in two dimensions its covariance H; by default from `rule`.
    rule : {"plug_in", "plug_in_diagonal", "normal_scale"}
        How the bandwidth is found; see :func:`bandwidth`.
    engine : {"counts", "exact"}
        A table of smoothed counts, evaluated in nanoseconds a point, or sums over all values of the sample.

    Attributes
    ----------
    bandwidth : float or array of shape (2, 2)
        The bandwidth that is used.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> x = np.random.default_rng(0).normal(size=1000)
    >>> density = dyad.Density(x)
    >>> np.exp(density.log_density([0.0, 2.0])).round(2)
    array([0.39, 0.05])
    """

    def __init__(
        self,
        x: ArrayLike,
        bandwidth: float | ArrayLike | None = None,
        rule: str = "plug_in",
        engine: str = "counts",
    ):
        given = None if bandwidth is None else np.array(bandwidth, dtype=np.float64, ndmin=2)
        self._recipe = (_sample(x, "x").copy(), given, rule, engine)
        self._density = _core.Density(*self._recipe)
        self.bandwidth = _scalar_if_single(self._density.bandwidth)

    def log_density(self, points: ArrayLike) -> NDArray[np.float64]:
        """Logarithm of the density.

        Parameters
        ----------
        points : array of shape (m,), (m, 1) or (m, 2)
            Where; as many columns as the sample has.

        Returns
        -------
        array of shape (m,)
            The log densities: finite however far a point lies from the sample.
        """
        return self._density.log_density(_sample(points, "points"))

    def __getstate__(self) -> tuple:
        return self._recipe  # an estimate made again is the same

    def __setstate__(self, recipe: tuple) -> None:
        x, given, rule, engine = recipe
        self.__init__(x, given, rule=rule, engine=engine)

    def __repr__(self) -> str:
        return f"Density(n={len(self._recipe[0])}, bandwidth={self.bandwidth!r}, engine={self._recipe[3]!r})"


class HSIC(NamedTuple):
    """HSIC of two features, and the probability of a larger value if they were independent."""

    hsic: float
    p_value: float


def hsic(
    x: ArrayLike,
    y: ArrayLike,
    engine: str = "counts",
    *,
    p_value: str = "gamma",
    permutations: int = 1000,
    random_state: int | np.random.RandomState | None = 1,
) -> HSIC:
    r"""Hilbert-Schmidt independence criterion of two features, with a test of independence.

    .. math:: \mathrm{HSIC} = \frac{1}{n^2} \operatorname{Tr}(K H L H), \quad H = I - \tfrac1n 1 1'

    with Gaussian kernel matrices K of x and L of y, whose bandwidths come from the median distance.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        The two features of the same rows.
    engine : {"counts", "exact"}
        From binned counts in time that grows with n, or by sums over all pairs of rows.
    p_value : {"gamma", "permutation"}
        The gamma approximation, or the share of permutations of y whose HSIC is at least as large.
    permutations : int
        How many, with "permutation".
    random_state : int, RandomState or None
        Seed of the permutations; None draws one from NumPy's global generator.

    Returns
    -------
    HSIC
        The named tuple (hsic, p_value).

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> x, noise = np.random.default_rng(0).normal(size=(2, 500))
    >>> dyad.hsic(x, x**2 + noise).p_value < 1e-6
    True
    >>> dyad.hsic(x, noise).p_value < 0.01
    False
    """
    if p_value not in ("gamma", "permutation"):
        raise ValueError(f"p_value must be 'gamma' or 'permutation', got {p_value!r}")
    check_scalar(permutations, "permutations", numbers.Integral, min_val=1, max_val=np.iinfo(np.int32).max)
    x, y = _paired(x, y)
    value, p = _core.hsic(x, y, engine)
    if p_value == "permutation":
        p = _core.hsic_permutation_p_value(x, y, permutations, check_seed(random_state))
    return HSIC(value, p)


def hsic_matrix(X: ArrayLike, engine: str = "counts", *, n_jobs: int | None = None) -> NDArray[np.float64]:
    """HSIC of every pair of features.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
        The rows. Columns of text, booleans or pandas categories are categories, whose kernel is 1 for equal
        levels and 0 for others; so it is for missing values. The exact engine takes neither.
    engine : {"counts", "exact"}
        As for :func:`hsic`.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.

    Returns
    -------
    array of shape (d, d)
        Symmetric; HSIC of a feature with itself on the diagonal, so that
        ``M / sqrt(outer(diag(M), diag(M)))`` is the kernel alignment, between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> X[:, 2] += X[:, 0]
    >>> M = dyad.hsic_matrix(X)
    >>> bool(M[0, 2] > 10 * M[0, 1])
    True
    """
    (rows, levels, _), _ = _rows(X, engine)
    return _core.hsic_matrix(rows, engine, levels, n_threads=effective_n_jobs(n_jobs))


def mutual_information(
    x: ArrayLike, y: ArrayLike, *, corrected: bool = False, bandwidths: tuple[float, float] | None = None
) -> float:
    r"""Mutual information of two features in nats, from kernel densities.

    .. math:: I = \frac1n \sum_{i=1}^n \log \frac{f_{xy}(x_i, y_i)}{f_x(x_i) f_y(y_i)}

    with Epanechnikov kernels. Each point's own kernel is in its densities, which makes the value too large;
    the jackknife takes that off. Time grows with the square of n, and Ctrl-C waits for the end.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        The two features of the same rows.
    corrected : bool
        Whether to take off the bias by the jackknife.
    bandwidths : tuple of two floats, optional
        Half-widths of the kernels of x and y; by default from three stages of plug-in.

    Returns
    -------
    float
        The mutual information; 0 for independent features, but for the error of the estimate.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> x, noise = np.random.default_rng(0).normal(size=(2, 500))
    >>> related = dyad.mutual_information(x, x + noise, corrected=True)  # log(2) / 2 of normal features
    >>> unrelated = dyad.mutual_information(x, noise, corrected=True)
    >>> print(f"{related:.2f} {abs(unrelated):.2f}")
    0.37 0.00
    """
    if bandwidths is not None and (
        np.shape(bandwidths) != (2,) or not all(0 < h < np.inf for h in bandwidths)
    ):
        raise ValueError(f"bandwidths must be two numbers, positive and finite, got {bandwidths!r}")
    return _core.mutual_information(*_paired(x, y), bandwidths)[int(corrected)]


@dataclass(frozen=True, eq=False, repr=False)
class Screening:
    """Dependence of every pair of features within every class: arrays with one entry a pair and class.

    Attributes
    ----------
    label : array
        The class.
    i, j : arrays of int
        Which features, i < j.
    hsic, p_value, q_value : arrays of float
        HSIC, its p-value, and the q-value of Benjamini and Hochberg over all pairs of the class.
    kept : array of bool
        Whether the pair passed.
    feature_names : list of str
        Names of the columns.
    """

    label: NDArray
    i: NDArray[np.intp]
    j: NDArray[np.intp]
    hsic: NDArray[np.float64]
    p_value: NDArray[np.float64]
    q_value: NDArray[np.float64]
    kept: NDArray[np.bool_]
    feature_names: list[str]

    def __len__(self) -> int:
        return len(self.hsic)

    def __getitem__(self, entries: Any) -> Screening:
        """Some of the pairs: a slice, a mask or positions."""
        chosen = np.arange(len(self))[entries]
        columns = ("label", "i", "j", "hsic", "p_value", "q_value", "kept")
        return replace(self, **{name: np.atleast_1d(getattr(self, name)[chosen]) for name in columns})

    def strongest(self, n_pairs: int | None = None) -> Screening:
        """The pairs of largest HSIC, the largest first; all by default."""
        return self[np.argsort(-self.hsic, kind="stable")[:n_pairs]]

    def to_frame(self) -> Any:
        """As a pandas DataFrame, features by their names."""
        import pandas as pd

        names = np.asarray(self.feature_names, dtype=object)
        return pd.DataFrame(
            {
                "class": self.label,
                "i": names[self.i],
                "j": names[self.j],
                "hsic": self.hsic,
                "p": self.p_value,
                "q": self.q_value,
                "kept": self.kept,
            }
        )

    def __repr__(self) -> str:
        """The ten strongest pairs."""
        lines = [f"Screening: {int(self.kept.sum())} of {len(self)} pairs kept"]
        for k in np.argsort(-self.hsic, kind="stable")[:10]:
            pair = f"{self.feature_names[self.i[k]]}, {self.feature_names[self.j[k]]} | {self.label[k]}"
            verdict = "kept" if self.kept[k] else "dropped"
            lines.append(f"  {pair:<30} HSIC {self.hsic[k]:.6f}  q {self.q_value[k]:.2g}  {verdict}")
        return "\n".join(lines + ["  ..."] * (len(self) > 10))


def screen(
    X: ArrayLike,
    y: ArrayLike,
    *,
    fdr: float = 0.05,
    min_hsic: float = 0.0,
    p_value: str = "gamma",
    permutations: int = 1000,
    engine: str = "counts",
    grid: int = 128,
    random_state: int | np.random.RandomState | None = 1,
    n_jobs: int | None = None,
) -> Screening:
    """Find the pairs of features that depend on each other, class by class.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
        The rows. Columns of text, booleans or pandas categories are categories, whose kernel is 1 for equal
        levels and 0 for others; so it is for missing values. The exact engine takes neither.
    y : array of shape (n,)
        The class of each row.
    fdr : float
        Keep pairs with a q-value of at most this: the false discovery rate.
    min_hsic : float
        Keep only pairs whose HSIC is at least this.
    p_value : {"gamma", "permutation"}
        How p-values are computed; see :func:`hsic`.
    permutations : int
        How often each pair is permuted, with "permutation".
    engine : {"counts", "exact"}
        As for :func:`hsic`.
    grid : int
        Most nodes of an axis of the counts engine.
    random_state : int, RandomState or None
        Seed of the permutations; None draws one from NumPy's global generator.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.

    Returns
    -------
    Screening
        HSIC, p-value, q-value and whether it is kept, of every pair in every class.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(600, 4))
    >>> y = np.repeat(["a", "b"], 300)
    >>> X[y == "b", 1] += X[y == "b", 0]
    >>> found = dyad.screen(X, y).strongest(1)
    >>> print(found.label[0], found.i[0], found.j[0], found.kept[0])
    b 0 1 True
    """
    (rows, levels, _), names = _rows(X, engine)
    classes, codes = np.unique(check_labels("screen", y, len(rows)), return_inverse=True)
    require_text("the label", map(str, classes.tolist()))
    options = {
        "engine": engine,
        "grid": grid,
        "fdr": fdr,
        "min_hsic": min_hsic,
        "p_value": p_value,
        "permutations": permutations,
        "seed": check_seed(random_state),
    }
    screened = _core.screen(
        rows,
        codes.astype(np.int32),
        [str(label) for label in classes],
        options,
        features=names,
        levels=levels,
        n_threads=effective_n_jobs(n_jobs),
    )
    i, j = np.triu_indices(rows.shape[1], 1)
    values, p_values, q_values, kept = (np.concatenate(column) for column in zip(*screened, strict=True))
    return Screening(
        label=np.repeat(classes, len(i)),
        i=np.tile(i, len(classes)),
        j=np.tile(j, len(classes)),
        hsic=values,
        p_value=p_values,
        q_value=q_values,
        kept=kept.astype(bool),
        feature_names=names,
    )


def _sample(x: ArrayLike, name: str) -> NDArray:
    """One column or two of float64 or float32."""
    require_numbers(x, name)
    values = np.asarray(x)
    if values.ndim == 1:
        values = values[:, None]
    values = aligned(check_array(values, dtype=[np.float64, np.float32], input_name=name))
    if values.shape[1] > 2:
        raise ValueError(f"{name} must have one or two columns, got {values.shape[1]}")
    return values


def _paired(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two features of the same rows."""
    columns = []
    for values, name in ((x, "x"), (y, "y")):
        require_numbers(values, name)
        values = aligned(check_array(values, dtype=np.float64, ensure_2d=False, input_name=name))
        if values.ndim != 1:
            raise ValueError(f"{name} must have one dimension, got shape {values.shape}")
        columns.append(values)
    check_consistent_length(*columns)
    return columns[0], columns[1]


def _rows(X: Any, engine: str) -> tuple[Coded, list[str]]:
    """Numbers and codes of levels, with the names of the columns."""
    if is_table(X):
        names = [str(name) for name in nw.from_native(X, eager_only=True).columns]
        require_text("the column name", names)
        columns = table_columns(X)
    else:
        X = without_mask(X)
        require_numbers(X, "X")
        objects = isinstance(X, np.ndarray) and X.dtype.kind in "OU"
        values = check_array(X, input_name="X", dtype=None, ensure_all_finite=False) if objects else None
        columns = aligned(check_array(X, input_name="X", **ROWS)) if values is None else values
        names = [f"x{k}" for k in range(columns.shape[1])]
        columns = columns if values is None else array_columns(values, names)
    if isinstance(columns, np.ndarray):
        coded = Coded(columns, [])
    else:
        coded = code_new(columns, np.zeros(len(names), dtype=bool))
    if engine == "exact":
        require_complete_numbers(coded, names)
    return coded, names


def _scalar_if_single(matrix: NDArray[np.float64]) -> float | NDArray[np.float64]:
    return float(matrix[0, 0]) if matrix.size == 1 else matrix
