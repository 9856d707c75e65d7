"""What the comparisons share: running our side, timing theirs, and the rows of the table."""
import dataclasses
import json
import pathlib
import subprocess
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "dyad"
DRIVER = ROOT / "build" / "bench" / "dyad_rivals"


class Failure(Exception):
    """Answers that do not agree, or a run of ours that failed."""


@dataclasses.dataclass
class Row:
    """One line of the table."""
    task: str
    rival: str
    ours: str           # our value, with its unit
    theirs: str         # the rival's value, or the limit
    ratio: float        # theirs over ours in a comparison of times
    target: str = ""    # of the ratio, as ">= 3"
    threads: int = 1
    note: str = ""      # how the answers compare; what was scaled


def versus(task, rival, seconds, rival_seconds, **more):
    """The row of a comparison of times."""
    return Row(task, rival, seconds_text(seconds), seconds_text(rival_seconds), rival_seconds / seconds, **more)


def seconds_text(seconds):
    if seconds < 0.1:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"


def save(folder, **arrays):
    """Writes each array as NAME.f64: rows, columns, then the values by columns."""
    for name, array in arrays.items():
        array = np.asarray(array, dtype="<f8")
        array = array.reshape(-1, 1) if array.ndim == 1 else array
        with open(f"{folder}/{name}.f64", "wb") as file:
            np.array(array.shape, dtype="<f8").tofile(file)
            array.T.ravel().tofile(file)


def load(folder, name):
    values = np.fromfile(f"{folder}/{name}.f64", dtype="<f8")
    shape = values[:2].astype(int)
    return values[2:].reshape(shape[::-1]).T


def ours(task, folder, **options):
    """Runs our side on the files of `folder`; returns what it prints. Its answers are then in `folder`."""
    command = [DRIVER, task, folder, *(f"{name}={value}" for name, value in options.items())]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"dyad_rivals {task}: {done.stderr.strip() or done.returncode}")
    return json.loads(done.stdout)


def best_time(work, repeat=3):
    """(seconds of the fastest of `repeat` runs, result)"""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


def require(condition, message):
    if not condition:
        raise Failure(message)
