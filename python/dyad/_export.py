# SPDX-License-Identifier: BSD-3-Clause
"""Models in other languages: files that predict without dyad."""

from __future__ import annotations

import os
from pathlib import Path

from sklearn.utils.validation import check_is_fitted

from dyad import _core

# The format of a file by the end of its name.
_FORMATS = {".json": "json", ".c": "c", ".js": "js", ".mjs": "js", ".sql": "sql", ".onnx": "onnx"}


class ExportMixin:
    """Exports of classifiers whose scores are weighted sums of log densities."""

    def export(self, path: str | os.PathLike, *, to: str | None = None, contributions: bool = False) -> None:
        """Write the model to a file that predicts without dyad.

        Parameters
        ----------
        path : str or path-like
            File to write; an existing one is replaced atomically.
        to : {"json", "c", "js", "sql", "onnx"}, default=None
            The format; None takes it from the end of the name.
        contributions : bool, default=False
            Add the contributions of the terms as an output; requires ONNX.
        """
        path = os.fsdecode(path)
        suffix = Path(path).suffix.lower()
        if to is None and suffix not in _FORMATS:
            raise ValueError(
                f"to must be given for a file that ends with none of {', '.join(_FORMATS)}, got {path!r}"
            )
        content = self._exported(_FORMATS[suffix] if to is None else to, contributions)
        _core.write_file(path, content)

    def to_onnx(self, *, contributions: bool = False) -> bytes:
        """The model as an ONNX graph of standard operators.

        Its inputs are ``numbers``, float64 with NaN for missing values, and ``levels``, text with ``""`` for
        missing values: the columns of numbers and those of categories, in the order of ``fit``. Its outputs
        are ``label`` (text), ``probabilities`` and ``scores``.

        Parameters
        ----------
        contributions : bool, default=False
            Add an output ``contributions`` with the values that `explain` returns.

        Returns
        -------
        model : bytes
            The content of an ONNX file.
        """
        return self._exported("onnx", contributions)

    def to_json(self) -> str:
        """The tables and weights of the model as a JSON document.

        Returns
        -------
        document : str
            A document that ``docs/export.schema.json`` describes.
        """
        return self._exported("json").decode()

    def to_sql(self) -> str:
        """The model as tables and a query for DuckDB and SQLite.

        Returns
        -------
        script : str
            A script that makes the table ``dyad_rows`` and the view ``dyad_predictions``.
        """
        return self._exported("sql").decode()

    def to_js(self) -> str:
        """The model as an ECMAScript module without dependencies.

        Returns
        -------
        module : str
            A module with the functions ``predict``, ``scores`` and ``probabilities``.
        """
        return self._exported("js").decode()

    def to_c(self) -> str:
        """The model as one file of C99.

        Returns
        -------
        source : str
            A source with the functions ``dyad_scores``, ``dyad_probabilities`` and ``dyad_class``.
        """
        return self._exported("c").decode()

    def _exported(self, to: str, contributions: bool = False) -> bytes:
        check_is_fitted(self)
        return self._model.exported(to, contributions)
