#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the pictures of docs/plots.md into docs/figures: a model of examples/stars.csv."""
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
from PIL import Image

from dyad import SLBClassifier, TANClassifier, plot

ROOT = pathlib.Path(__file__).resolve().parents[1]


def save(figure, name):
    path = ROOT / "docs" / "figures" / f"{name}.png"
    figure.savefig(path, dpi=90, metadata={"Software": None})
    plt.close(figure)
    with Image.open(path) as picture:  # a palette makes it a third as large
        small = picture.convert("RGB").quantize(200, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


def main():
    plt.rcParams.update({"font.size": 10, "axes.titlesize": 11})
    stars = pd.read_csv(ROOT / "examples" / "stars.csv")
    X, y = stars.drop(columns="kind"), stars["kind"]
    model = SLBClassifier().fit(X, y)

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    plot.pair(model, "mass", "light", X=X, ax=left)
    plot.pair(model, "east", "north", X=X, ax=right)
    save(figure, "pairs")

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    plot.importances(model, X, top=10, ax=left)
    plot.graph(model, "orbit", tree=TANClassifier().fit(X, y), ax=right)
    save(figure, "importances")

    save(plot.waterfall(model, X.iloc[1], top=6).figure, "waterfall")
    save(plot.row_in_pairs(model, X.iloc[1], top=1)[0, 0].figure, "row_in_pairs")
    save(plot.flips(model, X.iloc[1]).figure, "flips")


if __name__ == "__main__":
    main()
