"""What all trainers' tests share: nothing reaches the network."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.append(str(Path(__file__).parents[1] / "bridge"))  # what torchvision's wheel misses
import_module("operators")  # before anything imports torchvision
