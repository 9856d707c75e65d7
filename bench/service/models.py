"""Two models of one table for the service, the rows to ask for, and the library's own answers."""

import csv
import hashlib

import numpy as np
from tables import write_table

ROWS = 4000  # half of them for each model
ASKED = 500
FEATURES = 20


def write_models(kind, folder):
    """Writes model_0 and model_1 of a library; returns the rows to ask for and, by version, the answers."""
    write_table(folder / "table.csv", ROWS + ASKED, FEATURES)
    with open(folder / "table.csv") as file:
        _, *lines = csv.reader(file)
    table = np.array(lines, dtype=np.float64)
    X, y = table[:, :-1], table[:, -1].astype(int)
    names = [f"column_{j}" for j in range(FEATURES)]
    asked, answers = X[ROWS:], {}
    for k in range(2):
        part = slice(k * ROWS // 2, (k + 1) * ROWS // 2)
        path = folder / f"model_{k}"
        probabilities = FITS[kind](X[part], y[part], names, path, asked)
        version = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        answers[version] = [
            {"label": int(of_row[1] > of_row[0]), "probabilities": {"0": of_row[0], "1": of_row[1]}}
            for of_row in probabilities.tolist()
        ]
    return [dict(zip(names, row, strict=True)) for row in asked.tolist()], answers


def fit_dyad(X, y, names, path, asked):
    import pandas as pd

    from dyad import SLBClassifier

    SLBClassifier().fit(pd.DataFrame(X, columns=names), y).save(path)
    model = SLBClassifier.load(path)
    rows = pd.DataFrame(asked, columns=names)
    probabilities = model.predict_proba(rows)
    assert (model.predict(rows) == (probabilities[:, 1] > probabilities[:, 0])).all()
    return probabilities


def fit_lightgbm(X, y, names, path, asked):
    import lightgbm

    model = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1).fit(X, y, feature_name=names)
    model.booster_.save_model(path)
    second = lightgbm.Booster(model_file=path).predict(asked, num_threads=1)
    return np.column_stack([1 - second, second])


FITS = {"dyad": fit_dyad, "lightgbm": fit_lightgbm}
