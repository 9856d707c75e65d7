#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A fit on 1, 2 and 4 Dask workers beside one on one machine: times, and whether the models agree.

bench/run dask [--rows 1000000] [--features 30]
"""

import argparse
import os
import time

import dask.array as da
import dyad.dask
import numpy as np
from distributed import Client, LocalCluster

import dyad


def sample(n_rows, n_features, draw):
    """Rows of networks whose classes overlap."""
    networks = dyad.Simulation("general-normal", seed=1, d=n_features, shared=0.8)
    return networks.sample(n_rows, draw=draw)


def timed(work):
    """A result, and the seconds that it takes."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def main():
    """Print a line for each number of workers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=30)
    args = parser.parse_args()
    X, y = sample(args.rows, args.features, 0)
    new, truth = sample(200_000, args.features, 1)
    in_memory, seconds = timed(lambda: dyad.SLBClassifier(n_jobs=-1).fit(X, y))
    print(f"in memory   {seconds:6.1f} s, error {100 * np.mean(in_memory.predict(new) != truth):.3f} %")
    one_machine, seconds = timed(lambda: dyad.SLBClassifier(n_jobs=-1).fit_chunks((X, y)))
    print(f"in chunks   {seconds:6.1f} s, error {100 * np.mean(one_machine.predict(new) != truth):.3f} %")
    expected = one_machine.predict(new)
    differ = np.mean(in_memory.predict(new) != expected)
    print(f"  differs from that in memory on {100 * differ:.3f} % of new rows")
    for n_workers in (1, 2, 4):
        with (
            LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            rows = client.persist(da.from_array(X, chunks=(args.rows // 16, args.features)))
            labels = client.persist(da.from_array(y, chunks=args.rows // 16))
            rows.sum().compute()  # they are there
            fitted, seconds = timed(
                lambda rows=rows, labels=labels: dyad.dask.SLBClassifier(n_jobs=-1).fit(rows, labels)
            )
            differ = np.mean(fitted.predict(new) != expected)
            print(f"{n_workers} workers   {seconds:6.1f} s")
            print(f"  differs from that in chunks on {100 * differ:.3f} % of new rows", end="; ")
            print("the same pairs" if same_pairs(fitted, one_machine) else "other pairs")
    print(f"{os.cpu_count()} cores")


def same_pairs(a, b):
    """Whether two models keep the same pairs."""
    places = [
        {(label, pair.i, pair.j) for label, pairs in of.pairs_.items() for pair in pairs} for of in (a, b)
    ]
    return places[0] == places[1]


if __name__ == "__main__":
    main()
