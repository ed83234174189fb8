"""What two libraries miss when they are imported here; it comes before them, in spawned workers as well.

torchvision's wheel is made for CUDA: without its libraries the operators that it registers have to be declared. imgaug
0.4.0 asks for a table of dtypes that NumPy 2 has no more.
"""

from typing import Any

import numpy as np
import torch.library

__all__: list[str] = []

for operator in ("nms", "qnms"):
    torch.library.define(
        f"torchvision::{operator}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
    )

_numpy: Any = np
_numpy.sctypes = {
    "int": [np.int8, np.int16, np.int32, np.int64],
    "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
    "float": [np.float16, np.float32, np.float64],
}
