"""Peak memory of the program."""
import pathlib
import subprocess
import sys

import numpy as np

import data
from common import PROGRAM, Failure, Row

MB = 1e6
LAUNCHER = pathlib.Path(__file__).parent / "peak_memory.py"


def write_csv(path, X, y):
    """Columns x0 .. and label; values with 3 decimals, all of one width, which is quick to write."""
    texts = np.array([f"{k / 1000:06.3f}," for k in range(-9999, 10000)], dtype="S7")
    fields = texts[np.clip(np.rint(1000 * X), -9999, 9999).astype(int) + 9999]
    lines = np.column_stack([fields, np.where(y == 1, b"one\n", b"two\n").astype("S7")])
    with open(path, "wb") as file:
        file.write((",".join(f"x{j}" for j in range(X.shape[1])) + ",label\n").encode())
        for start in range(0, len(lines), 10_000):
            file.write(lines[start:start + 10_000].tobytes().replace(b"\0", b""))


def peak_bytes(*arguments):
    """Peak resident memory of a run of the program."""
    command = [sys.executable, LAUNCHER, PROGRAM, *arguments, "--quiet"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"dyad {arguments[0]}: {done.stderr.strip()}")
    return int(done.stdout)


def row(task, used, limit, **more):
    return Row(task, "", f"{used / MB:.0f} MB", f"limit {limit / MB:.0f} MB", used / limit, "<= 1", **more)


def run(bench):
    table = bench.folder / "table.csv"

    n, d, pairs = (1000, 10, 20) if bench.quick else (1_000_000, 20, 40)
    write_csv(table, *data.forest(n, d, seed=1))
    used = peak_bytes("fit", table, "--label", "label", "-o", bench.folder / "model.dyad", "--preset", "paper", "--n-pairs", pairs, "--threads", 1)
    limit = 8 * n * d + 1.2 * n * (2 * d + pairs) * 4 + 200 * MB
    yield row(f"peak memory of a fit, n = {n}, d = {d}, {pairs} pairs kept", used, limit,
              note="limit: input + 1.2 (n x terms x 4 bytes) + 200 MB")

    n, d = (200, 50) if bench.quick else (1000, 5000)
    write_csv(table, data.dependent_features(n, d, seed=1), np.arange(n) % 2)
    used = peak_bytes("screen", table, "--label", "label", "--top", 10, "--threads", 2)
    yield row(f"peak memory of a screen, n = {n}, d = {d}", used, 1000 * MB, threads=2)
