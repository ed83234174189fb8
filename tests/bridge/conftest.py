"""torchvision's wheel is made for CUDA: without its libraries the operators that it registers have to be declared."""

from __future__ import annotations

import os

import torch.library

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"  # it asks the network for newer versions at import
for operator in ("nms", "qnms"):
    torch.library.define(
        f"torchvision::{operator}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
    )
