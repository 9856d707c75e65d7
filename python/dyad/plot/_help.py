# SPDX-License-Identifier: BSD-3-Clause
"""Help of parameters that several pictures have."""

from dyad._help import help_of

with_help = help_of(
    """
estimator : object
    A fitted classifier.
label : object, default=None
    The class, one of ``classes_``. None stands for the second of two, or for all of more.
ax : matplotlib.axes.Axes, default=None
    Where to draw; None for a new figure.
X : array-like or dataframe of shape (n_samples, n_features)
    Rows that the classifier was not fitted to.
feature : str or int
    Name or number of a column.
y : array of shape (n_samples,)
    Their classes.
x : array-like of shape (n_features,), or table with one row
    The row.
"""
)
