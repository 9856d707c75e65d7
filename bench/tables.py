"""Tables of benchmarks, with two classes.

Some features differ in their means and some pairs in their correlation.
"""

import gzip
import random


def write_table(path, rows, features):
    rng = random.Random(1)
    with path.open("w") as file:
        print(*(f"x{j}" for j in range(features)), "label", sep=",", file=file)
        for _ in range(rows):
            label = rng.randrange(2)
            x = [rng.gauss(0, 1) for _ in range(features)]
            for j in range(4):
                x[j] += 0.4 * label
            for j in range(1, features, 4):
                x[j] += (0.6 if label else -0.6) * x[j - 1]
            print(*(f"{value:.5g}" for value in x), label, sep=",", file=file)


def label_of(path):
    """Name of the last column of a CSV file, plain or compressed."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
        return file.readline().strip().split(",")[-1].strip('"')
