"""Image transforms.

Images are uint8 or float32, (H, W) or (H, W, C), RGB.
"""

__all__: list[str] = []
