# SPDX-License-Identifier: BSD-3-Clause
"""The paper's tables: its numbers, simulations, tests, claims and figures, and whole runs."""

import csv
import math
import sys

import numpy as np
import pytest

from dyad import Simulation
from experiments import claims, comparison, figures, replication, significance, simulation, theory
from experiments.__main__ import main
from experiments.designs import DESIGNS, TABLE1, TABLE2, TABLE3
from experiments.methods import BAYES, METHODS
from experiments.results import Key, Results, Scores
from experiments.simulation import FORESTS, GENERAL, PRINTED
from experiments.theory_values import Sizes

pytestmark = pytest.mark.slow


def scores(error, version="p 1.2"):
    return Scores(error, error, 1 - error, math.nan, 0.5, version)


def fill(design, errors, count=12, cases=None):
    """Results of a table; `errors` are functions of case and seed, in percent, by method."""
    results = Results()
    for case in cases or design.cases:
        for method, error in errors.items():
            for seed in range(count):
                results.add(Key(case.set, seed, 0, method), scores(error(case, seed) / 100))
    return results


def spread(value, seed):
    """Values around `value` for 12 seeds; those of two methods differ by other amounts for each seed."""
    return value * (1 + (seed - 5.5) / 100)


def flat(value):
    return lambda case, seed: spread(value, seed)


def folds(values):
    return {(seed, 0): value for seed, value in enumerate(values)}


# What the paper printed


@pytest.mark.parametrize(("design", "cases", "columns"), [(TABLE1, 16, 7), (TABLE2, 20, 7), (TABLE3, 40, 8)])
def test_the_paper_has_a_number_for_each_case_and_method(design, cases, columns):
    assert len(design.paper_cases) == cases
    assert len(design.compared) == columns
    expected = {(case.setting, case.n, method) for case in design.paper_cases for method in design.compared}
    assert set(design.printed) == expected


def test_numbers_of_the_paper_are_those_printed():
    assert TABLE1.printed["sonar", 208, "slb"] == (18.1, 6.5, True)
    assert TABLE2.printed["normal-balanced", 200, "tan"] == (8.17, 3.78, True)
    assert TABLE3.printed["normal-none-balanced", 200, "slb-"] == (12.3, 3.23, False)


def test_bold_numbers_of_the_paper_agree_with_its_claims():
    bold = [TABLE3.printed[case.setting, case.n, "slb"].tied for case in TABLE3.cases]
    assert (sum(bold), len(bold)) == (40, 40)
    bold = [TABLE1.printed[case.setting, case.n, "slb"].tied for case in TABLE1.cases]
    assert (sum(bold), len(bold)) == (12, 16)  # the paper's text says 13


# Simulated rows


def test_settings_are_those_of_the_paper():
    assert [setting.name for setting in FORESTS[:2]] == ["normal-balanced", "normal-imbalanced"]
    assert FORESTS[0].set(200) == "forest-normal-balanced-200"
    assert GENERAL[2].set(400) == "general-normal-third-balanced-400"


def test_complex_forests_are_those_that_fit_the_papers_rivals_or_as_printed():
    printed, fitted = PRINTED[0].draw(3), FORESTS[2].draw(3)
    X, _ = printed.sample(50)
    expected = Simulation("forest-complex", 3)
    assert (expected.sample(50)[0] == X).all()
    expected = Simulation("forest-complex", 3, shared=0.2, forest_mixture="product")
    np.testing.assert_array_equal(fitted.log_likelihood_ratio(X), expected.log_likelihood_ratio(X))
    assert PRINTED[0].set(200) == "forest-complex-printed-balanced-200"


@pytest.mark.parametrize("setting", [FORESTS[0], FORESTS[3], GENERAL[0], GENERAL[7]])
def test_the_true_densities_classify_best(setting):
    bayes = simulation.score_replicate(METHODS[BAYES], setting, 200, seed=0)
    forest = simulation.score_replicate(METHODS["rf"], setting, 200, seed=0)
    assert bayes.error < forest.error
    assert bayes.error == pytest.approx(bayes.ber)  # half of each class
    assert bayes.log_loss < 0.3


def test_classes_of_training_rows_are_imbalanced_where_the_setting_says_so(monkeypatch):
    seen = []
    monkeypatch.setattr(simulation, "score", lambda method, train, test: seen.append((train.y, test.y)))
    simulation.score_replicate(METHODS["nb"], FORESTS[1], 200, seed=0)
    ((train, test),) = seen
    assert np.bincount(train).tolist() == [150, 50]
    assert np.bincount(test).tolist() == [500, 500]


def test_svm_and_neighbours_are_given_standardised_features():
    assert "standardscaler" in METHODS["5nn"].make().named_steps
    assert METHODS["svm"].make().get_params()["svc__gamma"] == "auto"


def test_methods_of_all_tables_are_known():
    for design in DESIGNS:
        for name in design.methods:
            method = METHODS[name]
            assert method.name == name
            assert name == BAYES or not method.installed or hasattr(method.make(), "fit")


# Tests


def test_p_values_are_those_of_the_signed_rank_distribution():
    rising = folds([1, 2, 3, 4, 5, 6])
    assert significance.p_value(rising, folds([0, 0, 0, 0, 0, 0])) == pytest.approx(2 / 2**6)
    assert significance.p_value(rising, rising) == 1
    assert significance.p_value(rising, folds([2, 1])) == pytest.approx(1)  # of the two folds that both have
    assert significance.least_p_value(5) == 0.0625


def test_methods_are_tied_unless_significantly_worse():
    values = {
        "slb": folds(range(10)),
        "tan": folds([value + 1 + value / 100 for value in range(10)]),
        "nb": folds([value + 0.1 * (-1) ** value for value in range(10)]),
        "auto": folds([value - 1 - value / 100 for value in range(10)]),
        "far": folds([value + 2 + value / 100 for value in range(10)]),
    }
    compared = ("slb", "tan", "nb")
    assert significance.best(values, compared) == "slb"
    assert significance.tied(values, compared) == {"slb", "nb", "auto"}  # auto is better, but not compared
    assert significance.tied(values, (*compared, "auto")) == {"auto"}
    few = {method: dict(list(each.items())[:5]) for method, each in values.items()}
    assert significance.tied(few, compared) == set(values)  # no test of 5 folds can reject


def test_the_level_is_shared_by_the_tests_of_a_line():
    values = {"slb": folds([0] * 7), "tan": folds([1, 2, 3, 4, 5, 6, 7])}  # p = 2 / 2^7 = 0.0156
    assert significance.tied(values, ("slb", "tan")) == {"slb"}
    others = {name: folds([10, 20, 30, 40, 50, 60, 70]) for name in ("nb", "rf", "svm")}
    assert "tan" in significance.tied(values | others, ("slb", "tan", *others))


# Tables


def test_tables_have_our_numbers_and_the_papers():
    cases = TABLE2.cases[:1]
    results = fill(TABLE2, {"slb": flat(15), "tan": flat(8), "auto": flat(7), BAYES: flat(2)}, cases=cases)
    slb, tan, auto, bayes = comparison.rows(results, TABLE2)
    assert (slb.mean, slb.count, slb.tied) == (pytest.approx(15), 12, False)
    assert slb.sd == pytest.approx(15 * np.std(np.arange(12) / 100, ddof=1))
    assert slb[-3:] == (15.4, 2.98, False)
    assert (tan.tied, tan.paper_tied) == (True, True)
    assert (auto.tied, auto.paper_mean) == (True, None)
    assert not bayes.tied

    header, rule, line = comparison.as_markdown(results, TABLE2).splitlines()[2:5]
    assert header == "| setting | n | SLB (paper) | TAN (paper) | auto | bayes |"
    assert rule.count("---") == 6
    assert line == (
        "| normal balanced | 200 | 15.0 ± 0.5 (15.4) | **8.0 ± 0.3**† (**8.2**) | **7.0 ± 0.3** | 2.0 ± 0.1 |"
    )

    read = list(csv.DictReader(comparison.as_csv([slb, auto]).splitlines()))
    assert list(read[0]) == list(comparison.Row._fields)
    assert (read[0]["mean"], read[0]["tied"], read[0]["paper_tied"]) == ("15", "0", "0")
    assert (read[1]["tied"], read[1]["paper_mean"]) == ("1", "")


def test_notes_tell_when_no_test_can_reject():
    few = comparison.as_markdown(fill(TABLE1, {"slb": flat(15), "tan": flat(50)}, count=5), TABLE1)
    assert "what has so few is not tested" in few
    assert "| 14.5 ± 0.2† (" in few
    assert "**14.5" not in few
    assert "Run with p 1.2." in few
    many = comparison.as_markdown(fill(TABLE1, {"slb": flat(15), "tan": flat(50)}, count=15), TABLE1)
    assert "what has so few is not tested" not in many
    assert "folds as independent" in many


def test_only_methods_of_the_paper_are_marked_as_best():
    results = fill(TABLE2, {"slb": flat(8), "tan": flat(8), "auto": flat(8)}, cases=TABLE2.cases[:1])
    assert "**8.0 ± 0.3**† (15.4) | **8.0 ± 0.3**† (**8.2**) | **8.0 ± 0.3** |" in comparison.as_markdown(
        results, TABLE2
    )


def test_values_of_fewer_replicates_are_marked():
    results = fill(TABLE2, {"slb": flat(15)}, cases=TABLE2.cases[:1])
    results.add(Key(TABLE2.cases[0].set, 0, 0, "tan"), scores(0.5))
    assert "| 50.0 [1] (**8.2**)" in comparison.as_markdown(results, TABLE2)


# Claims


def closing(few, many):
    """An error that goes from `few` for 200 rows to `many` for 1000."""
    return lambda case, seed: spread(few + (many - few) * (case.n - 200) / 800, seed)


@pytest.fixture
def agreeing():
    """Results that are as the paper says."""
    return {
        "table1": fill(TABLE1, {"slb": flat(10), "tan": flat(20), "auto": flat(30)}),
        "table2": fill(TABLE2, {"slb": closing(10, 6), "tan": flat(5), "auto": flat(4), "tan-auto": flat(6)}),
        "table3": fill(TABLE3, {"slb": flat(5), "slb-": closing(8, 5.001), "tan": flat(9)}),
    }


def found(tables, cast):
    """The findings by claim, as the table has them."""
    lines = claims.as_markdown(tables).splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    listed = [(claim.check.__name__, each) for claim in claims.CLAIMS for each in claim.casts]
    return {
        name: row[2]
        for (name, each), row in zip(listed, rows, strict=True)
        if each == cast and row[1] == ", ".join(cast)
    }


def test_claims_that_hold(agreeing):
    paper = found(agreeing, claims.PAPER)
    assert paper["best_in_general"] == "best or tied in 40 of 40, smallest mean in 40"
    assert paper["screening"] == (
        "n = 200: SLB- +3.00 points, significantly so in 8 of 8; "
        "n = 1000: SLB- +0.00 points, significantly so in 8 of 8"
    )
    assert paper["tan_in_forests"].startswith(
        "best or tied in 10 of 10, smallest mean in 10. Gap SLB - TAN, narrower in 4 of 4: "
        "normal balanced: +5.0 at n = 200, +1.0 at 1000;"
    )
    assert paper["best_on_real_sets"] == "best or tied in 16 of 16, smallest mean in 16"
    assert paper["against_tan_on_real_sets"] == (
        "better or not significantly worse on 16 of 16, mean at most TAN's on 16"
    )
    assert paper["tan_against_the_paper"].startswith("smaller mean in ")


def test_claims_with_our_defaults_in_their_place(agreeing):
    ours = found(agreeing, claims.BOTH)
    assert ours["best_in_general"] == claims.NONE
    assert found(agreeing, claims.AUTO)["best_on_real_sets"] == "best or tied in 0 of 16, smallest mean in 0"
    assert ours["tan_in_forests"].startswith("best or tied in 0 of 10, smallest mean in 0. Gap SLB - TAN, ")
    assert "normal balanced: -2.0 at n = 200, -2.0 at 1000" in ours["tan_in_forests"]


def test_claims_that_do_not_hold(agreeing):
    worse = {"slb": flat(30), "slb-": flat(20), "tan": flat(9)}
    agreeing["table3"] = fill(TABLE3, worse)
    agreeing["table1"] = fill(TABLE1, {"slb": flat(20), "tan": flat(10)})
    paper = found(agreeing, claims.PAPER)
    assert paper["best_in_general"] == "best or tied in 0 of 40, smallest mean in 0"
    assert "SLB- -10.00 points, significantly so in 0 of 8" in paper["screening"]
    assert paper["against_tan_on_real_sets"].startswith("better or not significantly worse on 0 of 16")


def test_our_tan_is_set_beside_the_papers(agreeing):
    agreeing["table2"] = fill(TABLE2, {"tan": lambda case, seed: 9.17}, cases=TABLE2.cases[:1])
    agreeing["table3"] = fill(TABLE3, {"tan": lambda case, seed: 6.8}, cases=TABLE3.cases[:1])  # 16.8
    assert found(agreeing, claims.PAPER)["tan_against_the_paper"] == (
        "smaller mean in 1 of 2 settings, by 4.5 points on average (from -1.0 to 10.0)"
    )


def test_claims_tell_when_no_test_can_reject(agreeing):
    agreeing["table1"] = fill(TABLE1, {"slb": flat(20), "tan": flat(10)}, count=5)
    assert found(agreeing, claims.PAPER)["best_on_real_sets"] == (
        "best or tied in 16 of 16, smallest mean in 0 (too few values for the test to reject anything in 16)"
    )


# Figures


def test_figures_are_drawn_of_what_there_is(tmp_path):
    read = {
        "table2": fill(TABLE2, {"slb": flat(15), "tan": flat(8), BAYES: flat(2)}, cases=TABLE2.cases[:7]),
        "table3": Results(),
    }
    files = [*figures.draw_settings(read["table2"], TABLE2, tmp_path), *figures.draw_summary(read, tmp_path)]
    assert sorted(path.name for path in files) == sorted(
        f"{stem}.{kind}"
        for stem in ("forest-normal-balanced", "forest-normal-imbalanced", "summary")
        for kind in ("png", "svg")
    )
    assert all(path.stat().st_size > 5000 for path in files)
    assert list(figures.draw_settings(read["table3"], TABLE3, tmp_path)) == []


def test_all_methods_of_simulations_look_different():
    drawn = {*TABLE2.methods, *TABLE3.methods}
    assert drawn == set(figures.LOOKS)
    assert len({(look.colour, look.line) for look in figures.LOOKS.values()}) == len(drawn)


def test_figures_without_matplotlib(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    file = replication.results_file(tmp_path, TABLE2)
    Results(file).add(Key(TABLE2.cases[0].set, 0, 0, "slb"), scores(0.1))
    assert main(["figures", "--results", str(tmp_path)]) == 2
    assert "pip install -r experiments/requirements.txt" in capsys.readouterr().err


# Whole runs


def test_table2_claims_and_figures_from_the_command_line(tmp_path, capsys):
    call = [
        "table2",
        "--quick",
        "--replicates",
        "2",
        "--methods",
        "slb,tan,bayes",
        "--results",
        str(tmp_path),
    ]
    assert main([*call, "--settings", "normal-balanced,complex-imbalanced"]) == 0
    out = capsys.readouterr().out
    assert out.count("| 200 |") == 2
    assert (tmp_path / "table2.md").read_text() == out
    rows = list(csv.DictReader((tmp_path / "table2.csv").read_text().splitlines()))
    assert {row["method"] for row in rows} == {"slb", "tan", "bayes"}
    assert {row["count"] for row in rows} == {"2"}
    before = (tmp_path / "table2-fits.csv").read_text()
    assert len(before.splitlines()) == 1 + 2 * 2 * 3

    (tmp_path / "table2-fits.csv").write_text("".join(before.splitlines(keepends=True)[:-4]))
    assert main([*call, "--settings", "normal-balanced,complex-imbalanced"]) == 0
    after = (tmp_path / "table2-fits.csv").read_text()
    assert sorted(line.split(",")[:6] for line in after.splitlines()) == sorted(
        line.split(",")[:6] for line in before.splitlines()
    )
    capsys.readouterr()
    assert main([*call, "--settings", "normal-balanced"]) == 0
    assert capsys.readouterr().err == ""  # nothing left to fit

    out = tmp_path / "report"
    assert main(["claims", "--results", str(tmp_path), "--out", str(out)]) == 0
    assert "TAN is best or tied in normal forests" in (out / "claims.md").read_text()
    assert main(["figures", "--results", str(tmp_path), "--out", str(out)]) == 0
    assert (out / "summary.svg").exists()


@pytest.fixture
def tables(tmp_path):
    """A folder with two of the paper's sets, by name only, and one of another name."""
    rng = np.random.default_rng(0)
    for name in ("spectf", "wpbc", "other"):
        X = rng.normal(size=(40, 2)) + np.arange(40)[:, np.newaxis] % 2
        lines = [f"{a:.3f},{b:.3f},{row % 2}" for row, (a, b) in enumerate(X)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,label", *lines]) + "\n")
    return tmp_path


def test_table1_from_the_command_line(tables, tmp_path, capsys):
    call = ["table1", "--data", str(tables), "--results", str(tmp_path / "results"), "--methods", "nb,5nn"]
    assert main([*call, "--quick", "--repeats", "2"]) == 0
    out, err = capsys.readouterr()
    assert "left out, as" in err.splitlines()[0]
    assert "blood, liver" in err.splitlines()[0]
    assert "| setting | n | NB (paper) | 5NN (paper) |" in out
    assert "| spectf | 80 |" in out
    assert "| wpbc | 198 |" in out
    assert "over 10 folds" in out
    assert "other" not in (tmp_path / "results" / "table1-fits.csv").read_text()


def test_a_folder_without_the_papers_sets_is_refused(tables, capsys):
    for name in ("spectf", "wpbc"):
        (tables / f"{name}.csv").unlink()
    assert main(["table1", "--data", str(tables)]) == 2
    assert "has none of the paper's sets: blood" in capsys.readouterr().err


def test_all_runs_every_study_of_the_paper(tables, tmp_path, monkeypatch, capsys):
    fitted = []

    def fit(tasks, results, jobs, redo):
        fitted.append({task.key.set for task in tasks})
        for task in tasks:
            results.add(task.key, scores(0.1 + task.key.seed / 100))
        return len(fitted) == 2  # a failure in table 2

    monkeypatch.setattr(replication.evaluation, "run", fit)
    monkeypatch.setattr(figures, "FORMATS", ("svg",))
    monkeypatch.setattr(theory, "QUICK", Sizes([60, 240], 300, 1000, 400))
    folder = tmp_path / "results"
    assert main(["all", "--data", str(tables), "--quick", "--replicates", "1", "--results", str(folder)]) == 1
    assert [len(sets) for sets in fitted] == [2, 6, 8]
    assert {"table1.md", "table2.csv", "table3-fits.csv", "claims.md", "summary.svg"} <= {
        path.name for path in folder.iterdir()
    }
    out = capsys.readouterr().out
    assert out.count("## ") == 3
    assert "| claim |" in out
    assert (folder / "theory.md").read_text(encoding="utf-8") in out
    assert f"over {theory.QUICK_REPLICATES} pairs of Gaussian forests" in out  # not the 1 of the tables


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table2", "--methods", "ebm"], "unknown method ebm; there are: slb, lu, tan"),
        (["table3", "--settings", "normal-balanced"], "there are: normal-none-balanced, normal-none-imbal"),
        (["table1", "--data", "."], "no CSV files"),
        (["table1", "--sets", "iris"], "unknown data set of the paper iris; there are: blood, climate"),
        (["claims"], "run table1, table2 or table3 first"),
    ],
)
def test_mistakes_in_calls_are_explained(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
