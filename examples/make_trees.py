#!/usr/bin/env python3
"""Writes examples/trees.csv: a survey of two kinds of trees with categories and gaps.

Oaks are tall on a slope and ash elsewhere, so that height and ground tell the kinds apart only together. Ages are known of fewer ash
than oaks, bark is smooth more often on ash. The number of the soil says nothing.
"""
import csv
import pathlib
import random

ROWS = 300


def row(rng):
    oak = rng.random() < 0.5
    ground = rng.choice(["flat", "slope", "valley"])
    tall = oak == (ground == "slope")
    height = round(rng.gauss(24 if tall else 17, 3.5), 1)
    age = rng.randint(20, 150) if rng.random() < (0.9 if oak else 0.6) else ""
    bark = rng.choices(["ridged", "smooth", "flaky", ""], [5, 2, 1, 2] if oak else [3, 4, 1, 2])[0]
    return [height, age, bark, ground, rng.choice([1, 2, 3, 4]), "oak" if oak else "ash"]


def main():
    rng = random.Random(2)
    path = pathlib.Path(__file__).with_name("trees.csv")
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["height", "age", "bark", "ground", "soil", "kind"])
        for _ in range(ROWS):
            writer.writerow(row(rng))


if __name__ == "__main__":
    main()
