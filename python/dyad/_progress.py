# SPDX-License-Identifier: BSD-3-Clause
"""What `verbose` shows: a bar for each step of a fit, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

try:
    from tqdm.auto import tqdm
except ImportError:
    tqdm = None


class _Line:
    """What is used of a tqdm bar, as one line of text."""

    def __init__(self, *, desc: str, total: int | None):
        self.desc, self.total, self.n = desc, total, 0

    def update(self, n: int) -> None:
        self.n += n
        sys.stderr.write(f"\r{self.desc}: {self.n}" + (f"/{self.total}" if self.total else ""))
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\n")


class _Bars:
    """Called with (step, done, total or None): closes one step's bar when another begins."""

    def __init__(self, title: str):
        self._title = title
        self._bar: Any = None
        self._step: tuple[str, int | None] | None = None

    def __call__(self, step: str, done: int, total: int | None) -> None:
        if (step, total) != self._step or done < self._bar.n:
            self.close()
            self._step = (step, total)
            self._bar = (tqdm or _Line)(desc=f"{self._title}, {step}", total=total)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


@contextmanager
def progress(title: str, verbose: bool) -> Iterator[Callable[[str, int, int | None], None] | None]:
    """A function to tell progress to, or None if nobody wants to see it."""
    bars = _Bars(title) if verbose else None
    try:
        yield bars
    finally:
        if bars is not None:
            bars.close()
