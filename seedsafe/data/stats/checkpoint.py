"""The file from which an interrupted computation resumes."""

import json
import os
import time
from pathlib import Path
from typing import Any

from seedsafe.data.folder.files import write_atomically
from seedsafe.data.stats.result import ChannelStats

__all__ = ["Checkpoint"]

_SECONDS = 30.0


class Checkpoint:
    """Keeps the statistics of the first `done` items of a dataset in a file.

    Args:
        path: the file; None keeps nothing.
        identity: what must be equal for the file to be used: the dataset's length, the options.
    """

    def __init__(self, path: str | os.PathLike[str] | None, identity: dict[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self._identity = identity
        self._saved = time.monotonic()

    def load(self) -> tuple[int, ChannelStats | None]:
        """Return what is done and its statistics: (0, None) if there is no file yet.

        Raises:
            ValueError: the file is damaged, or belongs to another dataset or to other options.
        """
        if self._path is None or not self._path.exists():
            return 0, None
        try:
            data = json.loads(self._path.read_text())
            identity, done, stats = data["identity"], int(data["done"]), data["stats"]
            loaded = None if stats is None else ChannelStats.from_dict(stats)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"checkpoint={str(self._path)!r} is damaged, or is not a checkpoint: remove it, or pass another file"
            ) from error
        if identity != self._identity:
            different = [name for name in self._identity if identity.get(name) != self._identity[name]]
            raise ValueError(
                f"checkpoint={str(self._path)!r} belongs to another computation, with another "
                f"{', '.join(different)}: remove it, or pass another file"
            )
        return done, loaded

    def save(self, done: int, stats: ChannelStats | None, *, now: bool) -> None:
        """Write the file; unless `now`, only if 30 seconds have passed since the last time."""
        if self._path is None or not (now or time.monotonic() - self._saved > _SECONDS):
            return
        data = {
            "identity": self._identity,
            "done": done,
            "stats": None if stats is None else stats.to_dict(),
        }
        write_atomically(self._path, [json.dumps(data).encode()])
        self._saved = time.monotonic()

    def remove(self) -> None:
        """Delete the file: the computation is complete."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
