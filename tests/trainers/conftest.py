"""What all trainers' tests share: nothing reaches the network, and nothing is imported where trainers were not asked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.append(str(Path(__file__).parents[1] / "bridge"))  # what torchvision's wheel misses


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    chosen = config.option.markexpr
    asked = "trainers" in chosen and "not trainers" not in chosen
    return None if asked or collection_path.is_dir() else True
