# SPDX-License-Identifier: BSD-3-Clause
"""Writes python/tests/data/estimators-VERSION.pickle for this version of dyad, unless it is there."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd

import dyad


def main():
    """Pickle three small estimators with rows and the probabilities that they give them."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(60, 2)).round(3)
    table = pd.DataFrame({"size": X[:, 0], "light": X[:, 1], "kind": rng.choice(["a", "b"], 60)})
    y = np.where(X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=60) > 0, "orbit", "cloud")
    models = {
        "levels": dyad.LUClassifier(n_average=2).fit(table, y),
        "bayes": dyad.NaiveBayesKDE().fit(X, np.digitize(X[:, 0], [-0.4, 0.5])),
        "terms": dyad.TANClassifier().fit(X, y),
    }
    rows = {"levels": table[:5], "bayes": X[:5], "terms": X[:5]}
    kept = {
        "models": models,
        "rows": {"numbers": X[:5].tolist(), "kind": table["kind"][:5].tolist()},
        "expected": {name: model.predict_proba(rows[name]).tolist() for name, model in models.items()},
    }
    path = Path(__file__).parent / "data" / f"estimators-{dyad.__version__}.pickle"
    with path.open("xb") as file:
        pickle.dump(kept, file, protocol=4)


if __name__ == "__main__":
    main()
