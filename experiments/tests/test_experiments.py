# SPDX-License-Identifier: BSD-3-Clause
"""The studies: file of results, tables, and whole runs on small tables."""

import gzip
import math

import numpy as np
import pytest
import sklearn

import dyad
from experiments import ablation, evaluation, progress, rivals, simulation, tables
from experiments.__main__ import main
from experiments.datasets import load, set_names, splits, table_file
from experiments.evaluation import Method, Task
from experiments.results import COLUMNS, Key, Results, Scores

pytestmark = pytest.mark.slow


def scores(ber, **more):
    return Scores(
        **{
            "error": ber,
            "ber": ber,
            "auc": 1 - ber,
            "log_loss": math.nan,
            "seconds": 0.5,
            "version": "p 1.2",
            **more,
        }
    )


def results_of(values):
    """Results of one seed; `values` are the balanced errors in percent of (set, method), fold by fold."""
    results = Results()
    for (name, method), folds in values.items():
        for fold, ber in enumerate(folds):
            results.add(Key(name, 0, fold, method), scores(ber / 100))
    return results


def cells(table):
    """Rows of a Markdown table by their first cell."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {row[0]: row[1:] for row in rows if len(row) > 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two tables of two classes that differ in a mean."""
    path = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(0)
    for name, rows in (("large", 80), ("small", 60)):
        labels = np.arange(rows) % 2
        X = rng.normal(size=(rows, 3)) + 2 * labels[:, np.newaxis]
        lines = [
            f"{a:.4f},{b:.4f},{2 * label - 1},{c:.4f}" for (a, b, c), label in zip(X, labels, strict=True)
        ]
        (path / f"{name}.csv").write_text("\n".join(["a,b,label,c", *lines]) + "\n")
    return path


# Tables of a folder


def test_labels_are_coded_in_their_order_and_left_out_of_the_features(folder):
    table = load(folder / "small.csv")
    assert table.X.shape == (60, 3)
    assert table.y.tolist() == [0, 1] * 30
    assert (table.X[1::2].mean(axis=0) > table.X[::2].mean(axis=0) + 1).all()


def test_gzipped_tables_are_the_same_tables(folder, tmp_path):
    packed = tmp_path / "small.csv.gz"
    packed.write_bytes(gzip.compress((folder / "small.csv").read_bytes()))
    assert set_names(tmp_path) == ["small"]
    assert table_file(tmp_path, "small") == packed
    assert (load(packed).X == load(folder / "small.csv").X).all()


def test_tables_of_the_paper_that_are_missing_are_left_out(folder, tmp_path, capsys):
    assert set_names(folder, ["small", "ringnorm"]) == ["small"]
    assert f"left out, as {folder} does not have them: ringnorm" in capsys.readouterr().err
    with pytest.raises(ValueError, match="no table ringnorm"):
        table_file(tmp_path, "ringnorm")


def test_folds_are_a_partition_that_depends_on_the_seed(folder):
    first, again, other = (splits(folder / "small.csv", seed, 5) for seed in (0, 0, 1))
    assert sorted(np.concatenate([test for _, test in first])) == list(range(60))
    assert all((a.test == b.test).all() for a, b in zip(first, again, strict=True))
    assert any((a.test != b.test).any() for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "no column 'label'"),
        ("a,label\n1,2\n2,2\n", "1 classes"),
        ("a,label\nred,1\n2,2\n", "red"),
        ("", "no column"),
    ],
)
def test_tables_that_cannot_be_used_are_named(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"bad.csv.*{message}"):
        load(path)


# The file of results


def test_results_are_read_back(tmp_path):
    path = tmp_path / "results.csv"
    results = Results(path)
    results.add(Key("sonar", 0, 1, "gnb"), scores(0.25))
    results.add(Key("a, b", 2, 4, "5nn"), scores(0.5, log_loss=0.7))
    assert path.read_text().splitlines()[:2] == [",".join(COLUMNS), "sonar,0,1,gnb,0.25,0.25,0.75,,0.5,p 1.2"]
    again = dict(Results(path).items())
    assert list(again) == [key for key, _ in results.items()]
    assert again[Key("a, b", 2, 4, "5nn")] == scores(0.5, log_loss=0.7)
    assert math.isnan(again[Key("sonar", 0, 1, "gnb")].log_loss)


def test_a_line_that_was_cut_off_is_forgotten(tmp_path):
    path = tmp_path / "results.csv"
    results = Results(path)
    results.add(Key("s", 0, 0, "m"), scores(0.1))
    results.add(Key("s", 0, 1, "m"), scores(0.2))
    path.write_text(path.read_text()[:-3])
    again = Results(path)
    assert [key for key, _ in again.items()] == [Key("s", 0, 0, "m")]
    again.add(Key("s", 0, 1, "m"), scores(0.3))
    assert [each.ber for _, each in Results(path).items()] == [0.1, 0.3]


@pytest.mark.parametrize(
    "text",
    [
        "x,y\n1,2\n",
        ",".join(COLUMNS[:-1]) + "\ns,0,0,m,1,1,1,1,1\n",  # without versions
        ",".join(COLUMNS) + "\ns,0,zero,m,1,1,1,1,1,p 1\n",
        ",".join(COLUMNS) + "\ns,0\n",
    ],
)
def test_files_that_are_not_results_are_not_touched(tmp_path, text):
    path = tmp_path / "results.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match="results"):
        Results(path)
    assert path.read_text() == text


def counting_task(name, calls, cost=1.0, seed=0, outcome=None):
    def run():
        calls.append(name)
        if outcome:
            raise outcome
        return scores(0.1)

    return Task(Key(name, seed, 0, "m"), cost, run)


def test_runs_go_on_where_they_stopped_cheap_tasks_first(tmp_path):
    path, calls = tmp_path / "results.csv", []
    tasks = [counting_task("dear", calls, 5), counting_task("cheap", calls, 1)]
    stopped = counting_task("stopped", calls, 2, outcome=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        evaluation.run([*tasks, stopped], Results(path))
    assert calls == ["cheap", "stopped"]
    assert evaluation.run(tasks, Results(path)) == 0
    assert calls == ["cheap", "stopped", "dear"]
    evaluation.run(tasks[:1], Results(path), redo=True)
    assert calls[3:] == ["dear"]
    assert len(Results(path)) == 2


def test_seeds_come_one_after_the_other():
    calls = []
    tasks = [counting_task(f"{seed}", calls, cost=10 - seed, seed=seed) for seed in (2, 0, 1)]
    evaluation.run(tasks, Results())
    assert calls == ["0", "1", "2"]


def test_a_task_that_fails_does_not_stop_the_others(capsys):
    calls, results = [], Results()
    tasks = [counting_task("a", calls, outcome=RuntimeError("too bad")), counting_task("b", calls)]
    assert evaluation.run(tasks, results) == 1
    assert [key.set for key, _ in results.items()] == ["b"]
    assert "a 0.0 m: failed: RuntimeError: too bad" in capsys.readouterr().err


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00:00"), (59.6, "0:01:00"), (3723, "1:02:03")])
def test_durations_are_hours_minutes_and_seconds(seconds, text):
    assert progress.duration(seconds) == text


def test_results_name_the_package_that_was_run(folder):
    results = Results()
    tasks = evaluation.fold_tasks(folder, ["small"], [rivals.METHODS["gnb"], rivals.METHODS["dyad"]], 1, 5)
    evaluation.run(tasks, results)
    versions = {key.method: each.version for key, each in results.items()}
    assert versions == {"gnb": f"scikit-learn {sklearn.__version__}", "dyad": f"dyad {dyad.__version__}"}


def test_slow_fits_are_not_repeated():
    calls, results = [], Results()
    tasks = [counting_task("a", calls, seed=seed) for seed in range(3)]
    evaluation.run(tasks, results, slow=0.4)  # they claim half a second
    assert len(calls) == 1
    evaluation.run(tasks, results, slow=0.6)
    assert len(calls) == 3


# Numbers in tables


def test_ties_share_their_rank():
    assert tables.ranks([3, 1, 2]) == [3, 1, 2]
    assert tables.ranks([1, 1, 2, 0]) == [2.5, 2.5, 4, 1]


def test_rivals_table():
    results = results_of(
        {
            ("s", "dyad"): [10, 20],
            ("s", "gnb"): [30, 20],
            ("s", "5nn"): [10, 20],
            ("t", "dyad"): [40, 40],
            ("t", "gnb"): [30, 32],
            ("t", "5nn"): [50],
            ("u", "gnb"): [0, 0],
        }
    )
    rows = cells(tables.rivals(results, ["s", "t", "u", "v"], ["dyad", "svc", "gnb", "5nn"], "dyad"))
    assert rows["set"] == ["dyad", "gnb", "5nn"]
    assert rows["s"] == ["**15.0 ± 5.0**", "25.0 ± 5.0", "**15.0 ± 5.0**"]
    assert rows["t"] == ["40.0 ± 0.0", "**31.0 ± 1.0**", "50.0 (1)"]
    assert rows["u"] == ["", "**0.0 ± 0.0**", ""]
    assert rows["mean of 2 sets"] == ["27.5", "28.0", "32.5"]
    assert rows["mean rank of 3"] == ["1.8", "2.0", "2.2"]
    assert rows["dyad wins, ties, loses"] == ["", "1, 0, 1", "1, 1, 0"]
    assert rows["gnb"] == ["28.0", "0.720", "", "0.50"]
    assert tables.rivals(Results(), ["s"], ["dyad"], "dyad") == "No results."


def test_ablation_table():
    results = results_of(
        {
            ("s", "recipe"): [10, 20],
            ("s", "plain"): [12, 26],
            ("t", "recipe"): [30, 30],
            ("t", "plain"): [29, 29],
            ("u", "recipe"): [5, 5],
        }
    )
    rows = cells(tables.ablation(results, ["s", "t", "u"], ["recipe", "plain", "absent"], "recipe"))
    assert rows["recipe"] == ["3", "16.67", "", ""]
    assert rows["plain"] == ["2", "24.00", "+1.50 ± 1.00", "1 / 1"]
    assert "absent" not in rows


# Whole runs


def test_rivals_from_the_command_line(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(progress, "tqdm", None)
    path = tmp_path / "results.csv"
    call = ["rivals", "--data", str(folder), "--results", str(path), "--repeats", "2", "--methods"]
    assert main([*call, "gnb,5nn,svc"]) == 0
    out, err = capsys.readouterr()
    rows = cells(out)
    assert rows["set"] == ["svc", "5nn", "gnb"]
    assert all(float(cell.strip("*").split()[0]) < 15 for cell in rows["small"])
    assert rows["svc"][2] == ""  # an SVM has no probabilities
    assert err.startswith("[1/60, 0:00:")
    assert "left] small 0.0 gnb: " in err.splitlines()[0]
    before = path.read_text()

    assert main([*call, "dyad,gnb"]) == 0
    out, err = capsys.readouterr()
    assert cells(out)["set"] == ["dyad", "svc", "5nn", "gnb"]
    assert "[20/20, 0:00:00 left]" in err
    assert path.read_text().startswith(before)

    assert main([*call, "dyad,gnb"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*call, "gnb", "--redo", "--sets", "small"]) == 0
    assert "[10/10, 0:00:00 left]" in capsys.readouterr().err
    assert len(path.read_text().splitlines()) == 81


def test_other_processes_give_the_same_scores(folder):
    here, there = Results(), Results()
    tasks = evaluation.fold_tasks(folder, ["small"], [rivals.METHODS["gnb"]], 1, 5)[:1]
    evaluation.run(tasks, here)
    evaluation.run(tasks, there, jobs=2)
    assert [each.ber for _, each in there.items()] == [each.ber for _, each in here.items()]


def test_the_folder_may_come_from_the_environment(folder, monkeypatch, capsys):
    monkeypatch.setenv("DYAD_DATA", str(folder))
    assert main(["rivals", "--methods", "gnb", "--repeats", "1", "--sets", "small"]) == 0
    assert "small" in cells(capsys.readouterr().out)


def test_ablation_from_the_command_line(folder, monkeypatch, capsys):
    monkeypatch.setattr(simulation, "TEST_ROWS", 100)
    call = ["ablation", "--data", str(folder), "--sets", "small", "--repeats", "1", "--folds", "3"]
    assert main([*call, "--variants", "no-pairs", "--networks", "--n", "40", "--replicates", "1"]) == 0
    real, simulated = capsys.readouterr().out.split("Simulated networks, 40 training rows:")
    assert list(cells(real)) == list(cells(simulated)) == ["variant", "---", "recipe", "no-pairs"]
    assert cells(simulated)["no-pairs"][0] == "4"


def test_ablation_of_the_paper_needs_no_tables(monkeypatch, capsys):
    monkeypatch.delenv("DYAD_DATA", raising=False)
    monkeypatch.setattr(simulation, "TEST_ROWS", 100)
    call = ["ablation", "--preset", "paper", "--networks", "--n", "40,60", "--replicates", "1"]
    assert main([*call, "--variants", "no-screening,no-pairs"]) == 0
    first, second = capsys.readouterr().out.split("Simulated networks, 60 training rows:")
    for table in (first, second):
        assert list(cells(table))[-3:] == ["slb", "no-screening", "no-pairs"]


@pytest.mark.parametrize(
    ("preset", "variant"), [(preset, name) for preset, each in ablation.PRESETS.items() for name in each]
)
def test_variants_can_be_fitted(preset, variant, folder):
    X, y = load(folder / "small.csv")
    assert ablation.PRESETS[preset][variant]().fit(X, y).score(X, y) > 0.5


def test_methods_without_their_package_are_left_out(capsys):
    method = Method("other", object, package="no_such_package_at_all")
    assert evaluation.available([method, rivals.METHODS["gnb"]]) == [rivals.METHODS["gnb"]]
    said = capsys.readouterr().err
    assert "other is left out: the package no_such_package_at_all is not installed" in said
    assert "pip install -r experiments/requirements.txt" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rivals", "--sets", "nowhere"], "unknown data set nowhere; there are: large, small"),
        (["rivals", "--methods", "magic"], "unknown method magic; there are: dyad, dyad-paper"),
        (["ablation", "--variants", "magic"], "unknown variant magic; there are: recipe, paper"),
        (["rivals", "--results", "no/such/folder/results.csv"], "no/such/folder"),
    ],
)
def test_unknown_names_are_answered_by_those_there_are(folder, capsys, arguments, message):
    assert main([*arguments, "--data", str(folder)]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_folder_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DYAD_DATA", str(tmp_path / "away"))
    assert main(["rivals"]) == 2
    assert "away; name one by --data DIR or DYAD_DATA" in capsys.readouterr().err
    assert main(["rivals", "--data", str(tmp_path / "none")]) == 2
    assert "no such folder" in capsys.readouterr().err
    assert main(["rivals", "--data", str(tmp_path)]) == 2
    assert "no CSV files" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--folds", "1"], ["--repeats", "0"], ["--jobs", "many"]])
def test_numbers_out_of_range_are_refused(folder, capsys, arguments):
    with pytest.raises(SystemExit) as stopped:
        main(["rivals", "--data", str(folder), *arguments])
    assert stopped.value.code == 2
    assert "must be a whole number" in capsys.readouterr().err
