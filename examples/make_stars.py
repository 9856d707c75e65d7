#!/usr/bin/env python3
"""Writes examples/stars.csv: a table whose two classes differ in nothing but how features depend on each other.

Every single feature has the same distribution in both classes. In class "orbit" (east, north) lie on a ring and light
grows with mass; in class "cloud" east and north are independent and light falls with mass. noise_1 and noise_2 say nothing.
"""
import csv
import math
import pathlib
import random

ROWS = 400


def row(label, rng):
    def spot(angle, function):
        return function(angle) + rng.gauss(0, 0.15)

    angle = rng.uniform(0, 2 * math.pi)
    other = angle if label == "orbit" else rng.uniform(0, 2 * math.pi)
    mass = rng.gauss(0, 1)
    slope = 0.8 if label == "orbit" else -0.8
    light = slope * mass + 0.6 * rng.gauss(0, 1)
    noise = [rng.expovariate(1), rng.gauss(0, 1)]
    return [spot(angle, math.cos), spot(other, math.sin), mass, light, *noise]


def main():
    rng = random.Random(20)
    path = pathlib.Path(__file__).with_name("stars.csv")
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["east", "north", "mass", "light", "noise_1", "noise_2", "kind"])
        for k in range(ROWS):
            label = "orbit" if k % 2 == 0 else "cloud"
            writer.writerow([f"{value:.4f}" for value in row(label, rng)] + [label])


if __name__ == "__main__":
    main()
