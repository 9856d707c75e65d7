# SPDX-License-Identifier: BSD-3-Clause
"""Help of parameters that several functions and classes have, written once."""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import indent
from typing import TypeVar

_Documented = TypeVar("_Documented")


def help_of(text: str) -> Callable[[_Documented], _Documented]:
    """A decorator that puts entries of `text` in the place of a line ``{name other}`` of a docstring.

    Entries are those of numpydoc: a line ``name : type`` and, indented, what it is.
    """
    entries = {entry.split(" ", 1)[0]: entry for entry in re.split(r"\n(?=\S)", text.strip())}

    def put(line: re.Match[str]) -> str:
        return "\n".join(indent(entries[name], line["margin"]) for name in line["names"].split())

    def with_help(documented: _Documented) -> _Documented:
        if documented.__doc__ is not None:  # which python -OO leaves out
            documented.__doc__ = re.sub(
                r"^(?P<margin> *)\{(?P<names>[\w ]+)\}$", put, documented.__doc__, flags=re.MULTILINE
            )
        return documented

    return with_help
