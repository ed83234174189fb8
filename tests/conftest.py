"""Folders that need libraries of their own are collected where their marker is asked for, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDERS = ("albumentations", "bridge", "scale", "trainers")
"""Each named for its marker."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    chosen = config.option.markexpr
    folder = collection_path.name
    if folder not in FOLDERS or collection_path.parent != Path(__file__).parent:
        return None
    asked = folder in chosen and f"not {folder}" not in chosen
    return None if asked else True
