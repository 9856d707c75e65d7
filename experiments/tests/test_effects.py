# SPDX-License-Identifier: BSD-3-Clause
"""The study of effects."""

import numpy as np
import pandas as pd

from experiments.__main__ import main
from experiments.effects import likeliest_constant


def test_constant_makes_probabilities_add_up_to_the_rows_of_the_class():
    others = np.random.default_rng(0).normal(size=50) * 2
    constant, error = likeliest_constant(others, 12.0)
    p = 1 / (1 + np.exp(-others - constant))
    assert abs(p.sum() - 12) < 1e-9
    assert abs(error**-2 - (p * (1 - p)).sum()) < 1e-9


def test_tables_have_a_line_for_each_set(tmp_path, capsys):
    random = np.random.default_rng(1)
    table = pd.DataFrame(random.normal(size=(150, 3)), columns=list("abc"))
    table["d"] = random.choice(["red", "green"], size=150)
    table["label"] = np.where(table.a + (table.d == "red") + random.normal(size=150) > 0, "yes", "no")
    table.to_csv(tmp_path / "small.csv", index=False)
    results = tmp_path / "results.csv"
    call = ["effects", "--data", str(tmp_path), "--sets", "small", "--folds", "2", "--results", str(results)]
    assert main(call) == 0
    first = capsys.readouterr().out
    assert "| small | 0." in first
    assert main(call) == 0  # from the file
    assert capsys.readouterr().out == first
