# SPDX-License-Identifier: BSD-3-Clause
"""A model file behind HTTP.

    DYAD_MODEL=stars.dyad uvicorn --app-dir examples/service --factory service:create_app

`POST /predict` takes ``{"rows": [{"column": value, ..}, ..]}`` and returns labels, probabilities and the
version of the model; `GET /model` describes the model, `GET /health` is for load balancers. docs/deploy.md
tells more.
"""

import math
import os
import reprlib
import warnings
from collections.abc import Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
from fastapi import FastAPI, HTTPException
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from hot_swap import HotSwap
from pydantic import BaseModel

from dyad import SLBClassifier

MOST_ROWS = 10_000  # of a request
FEW_ROWS = 100  # predicted at once; more go to a thread, so that other requests need not wait

# Rows are checked by name here, then passed as an array, which is fastest.
warnings.filterwarnings("ignore", "X does not have valid feature names")


class Predictor:
    """A classifier of dyad as the service uses it. Any class with these four members will do."""

    def __init__(self, path: Path):
        self._classifier = SLBClassifier.load(path)
        names = getattr(self._classifier, "feature_names_in_", None)
        n_features = self._classifier.n_features_in_
        self.columns = [f"x{j}" for j in range(n_features)] if names is None else list(names)
        self.levels: dict[str, list[str]] = self._classifier.levels_  # of the columns that are categories
        self.classes = self._classifier.classes_.tolist()

    def predict(self, rows: list[list[Any]]) -> tuple[list[Any], list[list[float]]]:
        """Labels and probabilities of rows with the values of `columns`."""
        X = np.array(rows, dtype=object if self.levels else np.float64)
        probabilities = self._classifier.predict_proba(X)
        return self._labels(X, probabilities), probabilities.tolist()

    def _labels(self, X: np.ndarray, probabilities: np.ndarray) -> list[Any]:
        """The most probable class where there is one: asking `predict` would compute all scores again."""
        largest = probabilities.max(axis=1, keepdims=True)
        if self._classifier.costs is not None or np.count_nonzero(probabilities == largest) > len(X):
            return self._classifier.predict(X).tolist()
        return [self.classes[k] for k in probabilities.argmax(axis=1).tolist()]


class Rows(BaseModel):
    """The body of a request."""

    rows: list[dict[str, Any]]


def refuse(message: str, *place: str | int) -> HTTPException:
    """An answer 422 in the form that FastAPI gives to other faults of a request."""
    detail = {"type": "value_error", "loc": ["body", "rows", *place], "msg": message}
    return HTTPException(422, [detail])


def number_of(value: Any) -> float | None:
    """A finite number, NaN for null, None for what is neither."""
    if value is None:
        return math.nan
    if type(value) not in (int, float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def values_of(row: dict[str, Any], i: int, predictor: Any) -> list[Any]:
    """The values of row i in the order of the model's columns."""
    values = []
    for name in predictor.columns:
        if name not in row:
            raise refuse(f"row {i}: column {name!r} is missing; null stands for an unknown value", i, name)
        value = row[name]
        if name not in predictor.levels:
            number = number_of(value)
            if number is None:
                shown = reprlib.repr(value)
                raise refuse(
                    f"row {i}, column {name!r}: expected a finite number or null, got {shown}", i, name
                )
            values.append(number)
        elif value is None or isinstance(value, (str, bool)) or number_of(value) is not None:
            values.append(value)
        else:
            shown = reprlib.repr(value)
            raise refuse(f"row {i}, column {name!r}: expected text, a number or null, got {shown}", i, name)
    return values


def answer(rows: list[dict[str, Any]], serving: Any) -> dict[str, Any]:
    """The predictions of one model for all rows of a request."""
    predictor = serving.model
    labels, probabilities = predictor.predict([values_of(row, i, predictor) for i, row in enumerate(rows)])
    names = [str(label) for label in predictor.classes]
    predictions = [
        {"label": label, "probabilities": dict(zip(names, of_row, strict=True))}
        for label, of_row in zip(labels, probabilities, strict=True)
    ]
    return {"model": serving.version, "predictions": predictions}


def create_app(
    path: str | os.PathLike | None = None,
    load: Callable[[Path], Any] = Predictor,
    seconds: float | None = None,
) -> FastAPI:
    """The service of a model file: by default that of DYAD_MODEL, looked at every DYAD_SECONDS."""
    path = path or os.environ["DYAD_MODEL"]
    seconds = seconds or float(os.environ.get("DYAD_SECONDS", "1"))

    @asynccontextmanager
    async def lifespan(app: FastAPI):
        app.state.swap = HotSwap(path, load, seconds)
        yield
        app.state.swap.close()
        del app.state.swap  # frees the model

    app = FastAPI(title="dyad", lifespan=lifespan)

    @app.post("/predict")
    async def predict(body: Rows) -> Any:
        serving = app.state.swap.current  # one model for the whole request
        if not 0 < len(body.rows) <= MOST_ROWS:
            raise refuse(f"expected 1 to {MOST_ROWS} rows, got {len(body.rows)}")
        if len(body.rows) <= FEW_ROWS:
            return JSONResponse(answer(body.rows, serving))
        return JSONResponse(await run_in_threadpool(answer, body.rows, serving))

    @app.get("/model")
    async def model() -> dict[str, Any]:
        serving = app.state.swap.current
        columns = [{"name": name, "levels": serving.model.levels.get(name)} for name in serving.model.columns]
        return {"version": serving.version, "classes": serving.model.classes, "columns": columns}

    @app.get("/health")
    async def health() -> dict[str, Any]:
        swap = app.state.swap
        error = swap.error
        return {"status": "old model" if error else "ok", "version": swap.current.version, "error": error}

    return app
