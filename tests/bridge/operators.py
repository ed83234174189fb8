"""torchvision's wheel is made for CUDA: without its libraries the operators that it registers have to be declared.

It is imported before torchvision is, in workers as well.
"""

import torch.library

__all__: list[str] = []

for operator in ("nms", "qnms"):
    torch.library.define(
        f"torchvision::{operator}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
    )
