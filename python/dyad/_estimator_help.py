# SPDX-License-Identifier: BSD-3-Clause
"""Help of attributes that several estimators have."""

from dyad._help import help_of

with_help = help_of(
    """
classes_ : ndarray of shape (n_classes,)
    The labels, in increasing order.
n_features_in_ : int
    Number of features seen during `fit`.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Names of the features, if all are strings.
coordinates_ : dict of str
    Coordinate of each feature, ``"linear"``, ``"asinh"`` or ``"log"``; empty for ``coordinate="none"``.
levels_ : dict of list of str
    Levels of each categorical feature that the model distinguishes.
terms_ : list of Term
    The terms of the model: name, label, features and kind of each.
pairs_ : dict of list of Pair
    Pairs of features kept for each label, with their HSIC, largest first; of TAN the edges of the tree.
coef_ : ndarray of shape (n_scores, n_terms)
    Weights of the terms: one row for two classes, else one per class.
intercept_ : ndarray of shape (n_scores,)
    Intercepts: of naive Bayes and TAN the log prior ratio of two classes, else the log priors.
feature_importances_ : ndarray of shape (n_features_in_,)
    Variation of the scores of training rows with each feature: the mean absolute deviation, over at most
    1000 rows, of the contributions of its terms and half those of its pairs, scaled to sum to 1.
settings_ : list of Setting
    Settings tried, smallest loss first: terms, cost, blend, held-out loss and whether the model includes
    it, as it does one for ``settings="best"``. Empty if pairs and cost are given.
n_iter_ : int
    Steps of the SVM.
"""
)
