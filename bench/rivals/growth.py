"""How our time grows with rows and with features."""
import data
from common import Row, ours, save, seconds_text


def ratios(task, sizes, seconds, target):
    for (small, before), (large, after) in zip(zip(sizes, seconds), zip(sizes[1:], seconds[1:])):
        yield Row(f"{task}: {large:,} over {small:,}", "", f"{seconds_text(after)} over {seconds_text(before)}", "", after / before,
                  f"<= {target}")


def run(bench):
    sizes = [200, 2000] if bench.quick else [10_000, 100_000, 1_000_000]
    seconds = []
    for n in sizes:
        X, y = data.forest(n, 10, seed=1)
        save(bench.folder, X=X, y=y, Q=X[:10])
        seconds.append(ours("fit", bench.folder, n_pairs=20, repeat=3 if n < 10**6 else 1)["seconds"])
    yield from ratios("growth of a fit with rows, d = 10, 20 pairs kept", sizes, seconds, 11)

    sizes = [25, 50] if bench.quick else [50, 100, 200]
    seconds = []
    for d in sizes:
        save(bench.folder, X=data.dependent_features(1000, d, seed=1))
        seconds.append(ours("hsic", bench.folder, repeat=3)["seconds"])
    yield from ratios("growth of the screen with features, n = 1000", sizes, seconds, 4.5)
