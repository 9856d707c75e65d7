# SPDX-License-Identifier: BSD-3-Clause
"""Hot swap: the model of a file, read again in the background when the file is replaced."""

import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Serving(NamedTuple):
    """A model in memory and the file that it came from."""

    model: Any
    version: str  #: first 16 digits of the file's SHA-256
    identity: tuple[int, ...]


def identity_of(path: Path) -> tuple[int, ...]:
    """Numbers that change when a file is replaced, rewritten or given other permissions."""
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class HotSwap:
    """Serves the newest readable model of a file.

    A thread looks at the file every `seconds`. It reads a new file while requests go on with the old model,
    then swaps one reference. A file that cannot be read leaves the old model in place; `error` has the
    reason until a file can be read. Requests take `current` once and use nothing else.
    """

    def __init__(self, path: str | os.PathLike, load: Callable[[Path], Any], seconds: float = 1.0):
        self.path = Path(path)
        self.error: str | None = None
        self._load = load
        self._seconds = seconds
        self.current = self._read()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="hot swap", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop looking at the file."""
        self._stop.set()
        self._thread.join()

    def _read(self) -> Serving:
        identity = identity_of(self.path)
        version = hashlib.sha256(self.path.read_bytes()).hexdigest()[:16]
        model = self._load(self.path)
        if identity_of(self.path) != identity:
            raise RuntimeError(f"{self.path} changed while it was read")
        return Serving(model, version, identity)

    def _watch(self) -> None:
        while not self._stop.wait(self._seconds):
            try:
                if identity_of(self.path) != self.current.identity:
                    self.current = self._read()
                self.error = None
            except Exception as error:  # also memory errors: the old model must go on
                self.error = f"{type(error).__name__}: {error}"
