# SPDX-License-Identifier: BSD-3-Clause
"""How far a study is: a bar of tqdm where that is installed, else a line a fit; on standard error."""

from __future__ import annotations

import sys
import time
from typing import Any

try:
    from tqdm import tqdm
except ImportError:
    tqdm = None


class Lines:
    """What is used of a tqdm bar, as lines of text."""

    def __init__(self, total: int):
        self._total, self._done, self._start = total, 0, time.perf_counter()

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        """Tell what was done last."""
        del refresh
        done = self._done + 1
        left = (time.perf_counter() - self._start) / done * (self._total - done)
        print(f"[{done}/{self._total}, {duration(left)} left] {text}", file=sys.stderr)

    def update(self) -> None:
        """Count one more."""
        self._done += 1

    def write(self, text: str, file: Any) -> None:
        """Say something besides."""
        print(text, file=file)

    def close(self) -> None:
        """End."""


def duration(seconds: float) -> str:
    """Return hours, minutes and seconds as tqdm writes them: 1:02:03."""
    hours, minutes = divmod(round(seconds) // 60, 60)
    return f"{hours}:{minutes:02}:{round(seconds) % 60:02}"


def bar(total: int) -> Any:
    """Return what to tell progress to: a bar, or lines."""
    return tqdm(total=total, unit="fit", smoothing=0.05, dynamic_ncols=True) if tqdm else Lines(total)
