# SPDX-License-Identifier: BSD-3-Clause
"""Writes python/dyad/_estimators.pyi: the estimators as type checkers and editors see them.

Run by `make format` after a change of the options or estimators. Without arguments it writes the file; with
--print it prints the text.
"""

import ast
import sys
from pathlib import Path
from textwrap import indent

from dyad._parameters import parameters_of

FOLDER = Path(__file__).parents[1] / "python/dyad"

HEAD = """\
# SPDX-License-Identifier: BSD-3-Clause
# Written by tools/estimator_stub.py; do not edit.
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from typing_extensions import Self

from dyad._base import TermClassifier, TermEstimator
"""


def signature_lines(function: ast.FunctionDef) -> str:
    """A function with its decorators and types, without its body."""
    function.body = [ast.Expr(ast.Constant(...))]
    return ast.unparse(function).replace(":\n    ...", ": ...")


def init(estimator: str) -> str:
    """The keyword-only parameters of an estimator, one a line."""
    lines = []
    for name, parameter in parameters_of(estimator).items():
        default = f'"{parameter.default}"' if isinstance(parameter.default, str) else repr(parameter.default)
        lines.append(f"    {name}: {parameter.type_hint} = {default},\n")
    return f"def __init__(\n    self,\n    *,\n{''.join(lines)}) -> None: ..."


def class_text(node: ast.ClassDef) -> str:
    """A class: `__init__` and its public methods. Editors find the help in _estimators.py."""
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name[0] != "_"]
    members = "\n".join([init(node.name), *map(signature_lines, methods)])
    bases = ", ".join(map(ast.unparse, node.bases))
    return f"class {node.name}({bases}):\n{indent(members, '    ')}\n"


def stub() -> str:
    """The whole file."""
    parts = [HEAD]
    for node in ast.parse((FOLDER / "_estimators.py").read_text()).body:
        if isinstance(node, ast.ClassDef):
            parts.append(class_text(node))
        elif isinstance(node, ast.FunctionDef):
            parts.append(signature_lines(node) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        sys.stdout.write(stub())
    else:
        (FOLDER / "_estimators.pyi").write_text(stub())
