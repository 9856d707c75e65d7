"""Processor time of predict_proba by the form and number of its rows, and of examples/predict.cpp a row.

    .venv/bin/python bench/service/rows.py [PREDICT]

PREDICT is the example built, as the test `installed_package` leaves it:
build/installed_package/build/predict. Each value is the best of five repeats.
"""

import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.append(str(Path(__file__).resolve().parents[1]))
from models import write_models

from dyad import SLBClassifier


def microseconds(call, n):
    """The shortest mean of n calls."""
    means = []
    for _ in range(5):
        start = time.process_time()
        for k in range(n):
            call(k)
        means.append((time.process_time() - start) / n)
    return 1e6 * min(means)


def python_times(path, frame):
    """Prints a line for each form of rows; each call has another row."""
    model = SLBClassifier.load(path)
    core, array, n = model._model, frame.to_numpy(), len(frame)
    for name, rows in {"NumPy array": array, "list": array.tolist(), "pandas frame": frame}.items():
        own = microseconds(lambda k, rows=rows: rows[k % n : k % n + 1], 300)
        all_ = microseconds(lambda k, rows=rows: model.predict_proba(rows[k % n : k % n + 1]), 300)
        print(f"{name:<14} 1 row      {all_ - own:8.1f} us")
    for size in (10, 100, 1000):
        many = np.resize(array, (size, array.shape[1]))
        each = microseconds(lambda _, many=many: model.predict_proba(many), 30) / size
        print(f"{'NumPy array':<14} {size:<4} rows  {each:8.1f} us a row")
    inside = microseconds(lambda k: core.scores(array[k % n : k % n + 1], 1), 300)
    print(f"in the library 1 row      {inside:8.1f} us")


def program_time(program, path, frame):
    """Microseconds a row of the C++ example, its start subtracted."""
    seconds = {}
    for times in (1, 21):
        text = pd.concat([frame] * times).to_csv(index=False)
        best = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([program, path], input=text, text=True, stdout=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            best.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        seconds[times] = min(best)
    return 1e6 * (seconds[21] - seconds[1]) / (20 * len(frame))


def main():
    warnings.filterwarnings("ignore", "X does not have valid feature names")
    with tempfile.TemporaryDirectory() as folder:
        rows, _ = write_models("dyad", Path(folder))
        frame, path = pd.DataFrame(rows), Path(folder) / "model_0"
        python_times(path, frame)
        for program in sys.argv[1:]:
            print(f"C++ example    1 line     {program_time(program, path, frame):8.1f} us")


if __name__ == "__main__":
    main()
