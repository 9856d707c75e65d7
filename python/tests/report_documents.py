# SPDX-License-Identifier: BSD-3-Clause
"""Documents of report pages, made by hand: what the page shows is known without a model."""

import base64
import math

import numpy as np

HOSTILE_NAMES = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "quotes \"'` and \\ %{x} {{script}}",
    "emoji 🌲🦊 and ünï",
    "&lt;entity&gt; &amp; &",
    "<b>x</b><br><i>y</i>",
    "long " + "0123456789" * 20,
    " ",
    "line\nbreak\ttab",
    "$x^2$ <a href='https://example.com'>z</a>",
]


def packed(values):
    """Numbers as 16-bit codes between the least and the largest; none as 65535."""
    values = np.asarray(values, dtype=float).ravel()
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    scale = 65534 / (high - low) if high > low else 0.0
    codes = np.where(np.isfinite(values), np.round((np.nan_to_num(values) - low) * scale), 65535)
    return {"low": low, "high": high, "data": base64.b64encode(codes.astype("<u2").tobytes()).decode()}


def unpacked(pack):
    """The numbers of `packed`; NaN for none."""
    codes = np.frombuffer(base64.b64decode(pack["data"]), dtype="<u2").astype(float)
    values = pack["low"] + (pack["high"] - pack["low"]) * codes / 65534
    return np.where(codes == 65535, np.nan, values)


def _interval(value):
    return [value, 0.85 * value, 1.2 * value]


def _points(kind, levels, missing, m):
    if kind == "category":
        points = list(levels)
    elif kind == "log":
        points = list(np.round(np.geomspace(0.5, 20000, m), 6))
    else:
        points = list(np.round(np.linspace(-3.2, 4.1, m), 6))
    return points + ([None] if missing else [])


def _feature(rng, name, kind, levels, missing, K, S, labels, strength):
    points = _points(kind, levels, missing, 40)
    m = len(points)
    t = np.linspace(-2.5, 2.5, m)
    centres = np.linspace(-0.7, 0.9, K) * (1 + rng.random())
    logs = [-0.5 * ((t - c) / 0.8) ** 2 - 0.9 for c in centres]
    share = [np.exp(log) / np.exp(log).sum() for log in logs]
    curves = [strength * (np.tanh(t - s) + 0.3 * np.sin(2 * t)) for s in range(S)]
    return {
        "name": name,
        "kind": "category" if kind == "category" else "number",
        "points": points,
        "surface_points": list(range(m)) if m < 25 else [*range(0, m - 1, 2), m - 1],
        "rows": [list(p) for p in share] if labels else [list(share[0])],
        "curves": [packed(curve) for curve in curves] if strength else None,
        "log_densities": [packed(log) for log in logs],
        "importance": [_interval(strength * (1 + 0.2 * s)) for s in range(S)],
        "total": [_interval(strength * (1.5 + 0.2 * s)) for s in range(S)],
    }


def _pair(rng, features, i, j, K, S, kept, strength, with_surface):
    shape = [len(features[f]["surface_points"]) for f in (i, j)]
    x, y = np.meshgrid(np.linspace(-2.5, 2.5, shape[0]), np.linspace(-2.5, 2.5, shape[1]), indexing="ij")
    logs = []
    for k in range(K):
        rho = 0.8 * (-1) ** k if kept[k] else 0.0
        r2 = (x * x - 2 * rho * x * y + y * y) / (1 - rho * rho)
        logs.append(-0.5 * r2 - math.log(2 * math.pi * math.sqrt(1 - rho * rho)))
    scores = [strength * np.tanh(logs[(s + 1) % K] - logs[s % K]) for s in range(S)]
    surface = {"scores": [packed(v) for v in scores], "log_densities": [packed(v) for v in logs]}
    return {
        "i": i,
        "j": j,
        "importance": [_interval(strength * (1 + 0.1 * s)) for s in range(S)],
        "kept": kept,
        "weights": [
            [(-1) ** (k + s) * (1 + 0.5 * s) * strength for s in range(S)] if kept[k] else None
            for k in range(K)
        ],
        "hsic": [round(0.02 * strength * (1 + rng.random()), 6) for k in range(K)],
        "q": [0.0012 if kept[k] else 0.31 for k in range(K)],
        "surface": surface if with_surface else None,
    }


def _terms(features, pairs, K):
    terms = [(k, i, i) for i, feature in enumerate(features) if feature["curves"] for k in (-1, 0)]
    terms += [(k, pair["i"], pair["j"]) for pair in pairs for k in range(K) if pair["kept"][k]]
    kinds = ["linear" if term[0] < 0 else "density" for term in terms]
    return {"kind": kinds} | {
        name: [term[at] for term in terms] for at, name in enumerate(("class", "i", "j"))
    }


def _row(rng, number, why, features, pairs, terms, intercepts, labels, K):
    S = len(intercepts)
    effects = [
        [i, i, *rng.normal(0, f["importance"][0][0], S)] for i, f in enumerate(features) if f["curves"]
    ]
    effects += [[p["i"], p["j"], *rng.normal(0, p["importance"][0][0], S)] for p in pairs]
    scores = (
        np.array(intercepts) + np.sum([e[2:] for e in effects], axis=0) if effects else np.array(intercepts)
    )
    effects.sort(key=lambda e: -max(map(abs, e[2:])))
    odds = np.exp(np.r_[0, scores] if S == 1 else scores)
    probabilities = odds / odds.sum()
    predicted = int(np.argmax(probabilities))
    positions, values = [], []
    for feature in features:
        m = len(feature["points"])
        position = float(rng.integers(m) if feature["kind"] == "category" else rng.uniform(0, max(m - 2, 0)))
        positions.append(position)
        point = feature["points"][math.floor(position)]
        values.append(point)
    values_of_terms = [
        [t, float(rng.normal(-3, 1)), *rng.normal(0, 1, S)] for t in range(len(terms["class"]))
    ]
    values_of_terms.sort(key=lambda v: -max(map(abs, v[2:])))
    shown = values_of_terms[:40]
    rest = scores - intercepts - (np.sum([v[2:] for v in shown], axis=0) if shown else 0)
    flips = [
        {
            "feature": f,
            "value": features[f]["points"][0],
            "class": (predicted + 1) % K,
            "distance": 0.1 + 0.1 * f,
        }
        for f in range(min(3, len(features)))
    ]
    return {
        "row": number,
        "why": why,
        "label": ((predicted + (why == "wrong")) % K) if labels else None,
        "predicted": predicted,
        "probabilities": list(map(float, probabilities)),
        "scores": list(map(float, scores)),
        "effect_scores": list(map(float, scores)),
        "values": values,
        "positions": positions,
        "beyond": [],
        "effects": [[e[0], e[1], *map(float, e[2:])] for e in effects[:30]],
        "other_effects": {
            "count": max(0, len(effects) - 30),
            "sum": [float(v) for v in np.sum([e[2:] for e in effects[30:]] or [[0] * S], axis=0)],
        },
        "terms": shown,
        "other_terms": {"count": max(1, len(values_of_terms) - 40), "sum": list(map(float, rest))},
        "flips": flips,
    }


def _evaluation(K):
    x = np.linspace(0, 1, 30)
    curves = range(1, 2) if K == 2 else range(K)
    return {
        "error": 0.0731,
        "ber": 0.0812,
        "auc": 0.9633,
        "log_loss": 0.2134,
        "calibration_error": 0.0207,
        "baseline": {"class": 1, "error": 0.44, "log_loss": 0.6859},
        "confusion": [[100 if k == m else 5 + k for m in range(K)] for k in range(K)],
        "roc": [
            {"class": k, "auc": 0.95 - 0.02 * k, "x": list(x), "y": list(x ** (0.2 + 0.05 * k))}
            for k in curves
        ],
        "precision_recall": [
            {"class": k, "average_precision": 0.9, "x": list(x), "y": list(1 - 0.4 * x**4)} for k in curves
        ],
        "calibration": [
            {"rows": 0, "predicted": None, "observed": None}
            if b == 4
            else {
                "rows": 10 + 8 * (b - 5) ** 2,
                "predicted": 0.05 + 0.1 * b,
                "observed": min(1, 0.02 + 0.11 * b),
            }
            for b in range(10)
        ],
    }


def _dependence(rng, pairs, n_features, K):
    features = list(range(min(60, n_features)))
    n = len(features) * (len(features) - 1) // 2
    trees = [[[(i - 1) // 2 if k == 0 else i - 1, i] for i in features[1:]] for k in range(K)]
    classes = []
    for _ in range(K):
        hsic = np.round(0.02 * rng.random(n) ** 4, 6)
        classes.append({"n_rows": 120, "hsic": list(hsic), "q": list(np.round(np.exp(-300 * hsic), 6))})
    at = {}
    for a in features:
        for b in features[a + 1 :]:
            at[a, b] = len(at)
    for pair in pairs:
        for k in range(K):
            if (pair["i"], pair["j"]) in at:
                classes[k]["hsic"][at[pair["i"], pair["j"]]] = pair["hsic"][k]
                classes[k]["q"][at[pair["i"], pair["j"]]] = pair["q"][k]
    return {"features": features, "classes": classes, "trees": trees}


def make_document(
    *,
    names=None,
    n_features=6,
    n_pairs=5,
    classes=("cloud", "orbit"),
    labels=True,
    levels=("oak", "ash", "birch"),
    n_rows=8,
    n_surfaces=100,
    title="species.dyad on data.csv",
    seed=0,
):
    """A document; the second feature is a category, the third has missing values and a logarithmic scale."""
    rng = np.random.default_rng(seed)
    K = len(classes)
    S = 1 if K == 2 else K
    names = list(names) if names is not None else [f"feature_{i}" for i in range(n_features)]
    kinds = ["log" if i == 2 else "category" if i == 1 else "number" for i in range(len(names))]
    features = [
        _feature(
            rng,
            name,
            kinds[i],
            levels,
            i in (2, 4),
            K,
            S,
            labels,
            0.0 if i == 5 else round(1.5 / (1 + i) + 0.01, 6),
        )
        for i, name in enumerate(names)
    ]
    all_pairs = (
        (i, j)
        for gap in range(1, len(names))
        for i, j in zip(range(len(names)), range(gap, len(names)), strict=False)
    )
    chosen = [ij for ij, _ in zip(all_pairs, range(n_pairs), strict=False)]
    pairs = [
        _pair(
            rng,
            features,
            i,
            j,
            K,
            S,
            [p % 3 != 1 or k > 0 for k in range(K)],
            round(2.0 / (1 + p), 6),
            p < n_surfaces,
        )
        for p, (i, j) in enumerate(chosen)
    ]
    terms = _terms(features, pairs, K)
    intercepts = [round(0.25 - 0.1 * s, 4) for s in range(S)]
    reasons = ["chosen", "wrong", "close", "other"]
    rows = [
        _row(rng, 3 + 7 * r, reasons[r % 4], features, pairs, terms, intercepts, labels, K)
        for r in range(n_rows)
    ]
    tried = [
        {
            "terms": f"{n} pairs",
            "n_pairs": n,
            "C": C,
            "blend": 0,
            "loss": round(0.33 + 0.1 / (1 + n) + 0.003 * c, 5),
            "averaged": c == 0,
        }
        for n in (0, 3, 10, 30, 100)
        for c, C in enumerate((1, 10, 100))
    ]
    return {
        "format": 1,
        "version": "0.1.0",
        "title": title,
        "model": {
            "method": "slb",
            "preset": "default",
            "engine": "grid",
            "classes": list(classes),
            "class_rows": [120] * K,
            "n_features": len(names),
            "n_terms": len(terms["class"]),
            "n_pairs": len(pairs),
            "description": "slb model\n  classes: " + ", ".join(classes) + "\n  settings: the mean of 10",
            "held_out": "",
            "probabilities_note": "",
        },
        "data": {
            "n_rows": 240,
            "class_counts": [80] * K if labels else None,
            "importance_rows": 240,
            "training_share": None,
        },
        "features": features,
        "pairs": pairs,
        "terms": terms,
        "dependence": _dependence(rng, pairs, len(names), K) if labels else None,
        "rows": rows,
        "intercepts": intercepts,
        "baselines": intercepts,
        "evaluation": _evaluation(K) if labels else None,
        "settings": {
            "rule": "average",
            "measure": "logistic loss",
            "tried": sorted(tried, key=lambda t: t["loss"]),
        },
        "timings": [
            {"group": "fit", "step": "screening of pairs", "seconds": 0.213},
            {"group": "fit", "step": "densities", "seconds": 0.61},
            {"group": "report", "step": "surfaces", "seconds": 0.08},
        ],
    }


def without_optional_parts(document):
    """The document with null wherever a document may have it, and empty lists where they may be empty."""
    for feature in document["features"]:
        feature["curves"] = None
        feature["log_densities"] = None
    document["features"][0]["log_densities"] = [None for _ in document["model"]["classes"]]
    for pair in document["pairs"]:
        for name in ("hsic", "q", "weights"):
            pair[name] = [None for _ in pair[name]]
    for row in document["rows"]:
        row["values"] = [None for _ in row["values"]]
        row["positions"] = [None for _ in row["positions"]]
        del row["beyond"]
        row["flips"] = []
        row["other_effects"]["count"] = row["other_terms"]["count"] = 0
    document["dependence"]["trees"] = None
    for of_class in document["dependence"]["classes"]:
        of_class["hsic"] = [None for _ in of_class["hsic"]]
        of_class["q"] = [None for _ in of_class["q"]]
    evaluation = document["evaluation"]
    evaluation |= {"auc": None, "roc": [], "precision_recall": [], "calibration_error": None}
    evaluation["calibration"] = [{"rows": 0, "predicted": None, "observed": None}] * 10
    document["model"]["preset"] = None
    document["settings"]["tried"] = []
    del document["settings"]["rule"]
    document["timings"] = []
    return document
