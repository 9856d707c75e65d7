# SPDX-License-Identifier: BSD-3-Clause
"""What `verbose` shows, a bar for each step of a fit on standard error, and calls of `callback`."""

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


class _Callback:
    """Calls a user's function after the bars; True once it has raised StopIteration, and not called again."""

    def __init__(self, callback: Callable[[str, int, int | None], Any], bars: _Bars | None):
        self._callback, self._bars, self._ended = callback, bars, False

    def __call__(self, step: str, done: int, total: int | None) -> bool:
        if self._bars is not None:
            self._bars(step, done, total)
        try:
            if not self._ended:
                self._callback(step, done, total)
        except StopIteration:
            self._ended = True
        return self._ended


@contextmanager
def progress(
    title: str, verbose: bool, callback: Callable[[str, int, int | None], Any] | None = None
) -> Iterator[Callable[[str, int, int | None], bool | None] | None]:
    """A function to tell progress to, or None if nobody wants to see it."""
    bars = _Bars(title) if verbose else None
    try:
        yield bars if callback is None else _Callback(callback, bars)
    finally:
        if bars is not None:
            bars.close()
