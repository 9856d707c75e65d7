# SPDX-License-Identifier: BSD-3-Clause
"""How the paper's networks may have been drawn: scores of the ways that are tried."""

import math

import pytest

from experiments import calibration, simulation
from experiments.__main__ import main
from experiments.calibration import RIVALS
from experiments.results import Key, Results, Scores

pytestmark = pytest.mark.slow


def results_with(excess):
    """Errors above the paper's by `excess(way, method)` points, two replicates one point apart."""
    results = Results()
    for task in calibration.tasks([200, 1000], replicates=2):
        method, way, classes, n, seed = task.run.args
        error = way.printed(classes, n, method.name) + excess(way, method.name) + (0.5 if seed else -0.5)
        results.add(task.key, Scores(error / 100, error / 100, 0.5, math.nan, 0.1, "p 1"))
    return results


def cells(text, about):
    (line,) = [line for line in text.splitlines() if f"| {about} |" in line]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_errors_of_the_paper_are_those_of_its_tables():
    ways = {way.scenario: way for way in calibration.ways()}
    assert ways["forest-normal"].printed("balanced", 200, "nb") == 23.0
    assert ways["general-complex"].printed("imbalanced", 1000, "5nn") == 18.1


def test_ways_can_be_drawn_and_include_the_ones_chosen():
    drawn = {}
    for way in calibration.ways():
        parents = simulation.Simulation(way.scenario, 1, **way.options).parents
        drawn.setdefault(way.scenario, []).append(parents)
    for scenario in ("forest-normal", "general-normal", "general-complex"):
        assert simulation.Simulation(scenario, 1).parents in drawn[scenario]


def test_scores_are_root_mean_square_differences():
    def excess(way, method):
        return {"nb": 3.0, "rf": -1.0}.get(method, 0.1) if way.about == "0.25" else 5.0

    text = calibration.as_markdown(results_with(excess), [200, 1000])
    assert cells(text, "0.25")[2:] == [f"**{math.sqrt(10.02 / 4):.1f}**", "+3.0", "-1.0", "+0.1", "+0.1"]
    assert cells(text, "0.3")[2:] == ["5.0", *["+5.0"] * 4]


def test_a_fit_is_scored_on_rows_of_its_way():
    way = next(calibration.ways())
    scores = calibration.score_way(calibration.METHODS["nb"], way, "balanced", 200, seed=0)
    assert 0.05 < scores.error < 0.45


def test_the_study_runs_from_the_command_line(monkeypatch, tmp_path, capsys):
    first = next(calibration.ways())
    monkeypatch.setattr(calibration, "ways", lambda: iter([first]))
    file = tmp_path / "fits.csv"
    assert main(["calibration", "--n", "200", "--replicates", "1", "--results", str(file)]) == 0
    assert "| forest-normal |" in capsys.readouterr().out
    assert Key(first.set("balanced", 200), 0, 0, RIVALS[0]) in Results(file)


def test_rows_that_the_paper_does_not_have_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["calibration", "--n", "300"])
    assert "the paper has 200, 400, 600, 800, 1000 training rows, not 300" in capsys.readouterr().err
