"""Folders that need libraries of their own are collected where their marker is asked for, and nowhere else.

The corpus of the linter is never collected, and tests of recorded speech only where the recordings are: a source
distribution has none.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

with suppress(ModuleNotFoundError):  # the environments of some folders have no hypothesis
    from hypothesis import HealthCheck, settings

    # An example may take long on a busy machine, or on an emulated one.
    settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("untimed")

FOLDERS = ("albumentations", "bridge", "scale", "site", "trainers")
"""Each named for its marker."""

HERE = Path(__file__).parent
SPEECH = HERE.parent / "demo" / "data"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what this system, or the one that it is seen as (tests/elsewhere), cannot do."""
    lacking = {"linux": not hasattr(os, "memfd_create"), "fork": not hasattr(os, "fork")}
    left_out = [
        item
        for item in items
        if any(lacks and item.get_closest_marker(name) for name, lacks in lacking.items())
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path == HERE / "lint_corpus":
        return True
    if collection_path == HERE / "test_docs_pictures.py" and not SPEECH.exists():
        return True
    chosen = config.option.markexpr
    folder = collection_path.name
    if folder not in FOLDERS or collection_path.parent != HERE:
        return None
    asked = folder in chosen and f"not {folder}" not in chosen
    return None if asked else True


@pytest.fixture(autouse=True, scope="module")
def collections_are_short() -> None:
    """Keep what is there when a file begins from the collector: frameworks and tests are millions of objects."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def workers_end_with_their_test() -> Iterator[None]:
    """An error that a worker raised keeps its iterator in a circle, and torch waits 5 s for each worker of one that the collector finds."""
    yield
    if "torch.utils.data.dataloader" in sys.modules and multiprocessing.active_children():
        iterators = sys.modules["torch.utils.data.dataloader"]._MultiProcessingDataLoaderIter
        for left in [thing for thing in gc.get_objects() if issubclass(type(thing), iterators)]:
            left._shutdown_workers()


@pytest.fixture(autouse=True)
def opencv_keeps_its_threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that sets the number of OpenCV's threads in this process puts it back: forked workers of later tests inherit it.

    Some libraries of the folders set it when they are imported.
    """
    before = sys.modules["cv2"].getNumThreads() if "cv2" in sys.modules else None
    yield
    if before is not None and sys.modules["cv2"].getNumThreads() != before:
        sys.modules["cv2"].setNumThreads(before)
        assert request.path.parent.name in FOLDERS, "pass the former number to cv2.setNumThreads"
