"""The playground's code: a pipeline as text, a key and a photograph in; an image, what is on it, and the parameters out."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

import seedsafe as ss
from seedsafe.pipeline.boxes import Edges

__all__ = ["pipeline", "sample", "show"]


def pipeline(text: str) -> ss.Compose:
    """Return the pipeline that a text describes: JSON, or Python whose last line is a transform or a Compose.

    Raises:
        ValueError: it ends with something else.
    """
    if text.lstrip().startswith("{"):
        return ss.Compose.from_json(text)
    names: dict[str, Any] = {"ss": ss, "np": np}
    lines = ast.parse(text)
    last = lines.body[-1] if lines.body else None
    if isinstance(last, ast.Expr):
        lines.body[-1] = ast.copy_location(ast.Assign([ast.Name("augment", ast.Store())], last.value), last)
        ast.fix_missing_locations(lines)
    exec(compile(lines, "pipeline", "exec"), names)  # noqa: S102  # in the reader's own browser
    made = names.get("augment")
    if isinstance(made, ss.Compose):
        return made
    if isinstance(made, ss.Transform):
        return ss.Compose([made])
    raise ValueError(
        "the last line must be a transform or a Compose, such as ss.Compose([ss.HorizontalFlip()])"
    )


def sample(image: Any) -> dict[str, Any]:
    """Return the photograph with the face in it as a mask and a box, and the eyes as keypoints."""
    height, width = image.shape[:2]
    rows, columns = np.ogrid[:height, :width]
    face = np.array([[0.323, 0.042, 0.542, 0.406]]) * [width, height, width, height]
    (x0, y0, x1, y1) = face[0]
    inside = ((2 * columns - x0 - x1) / (x1 - x0)) ** 2 + ((2 * rows - y0 - y1) / (y1 - y0)) ** 2 <= 1
    eyes = np.array([[0.391, 0.198], [0.484, 0.198]]) * [width, height]
    return {"image": image, "mask": inside.astype(np.uint8), "boxes": face.view(Edges), "keypoints": eyes}


def _seen(made: dict[str, Any]) -> Any:
    """Return an image as RGBA: channels last, values stretched to 0-255 if they need it, the mask in yellow."""
    image = np.asarray(made["image"])
    image = np.moveaxis(image, 0, -1) if image.ndim == 3 and image.shape[0] in (1, 3) else image
    image = image[..., None] if image.ndim == 2 else image
    if image.dtype != np.uint8:
        low, high = (
            (0, 1)
            if image.min() >= 0 and image.max() <= 1
            else (image.min(), max(image.max(), image.min() + 1e-6))
        )
        image = ((image - low) * (255 / (high - low))).astype(np.uint8)
    rgba = np.full((*image.shape[:2], 4), 255, np.uint8)
    rgba[..., :3] = image
    if "mask" in made and made["mask"].shape[:2] == image.shape[:2]:
        inside = np.asarray(made["mask"]) > 0
        rgba[inside, :3] = rgba[inside, :3] * 0.7 + np.array([255, 220, 0]) * 0.3
    return rgba


def show(
    text: str,
    seed: int | str,
    epoch: int | str,
    index: int | str,
    view: int | str,
    pixels: Any,
    height: int,
    width: int,
) -> dict[str, Any]:
    """Return what a pipeline makes of the photograph at a key, or what is wrong with it.

    Args:
        text: of the pipeline.
        seed, epoch, index, view: of the key; or their digits, as a page has them.
        pixels: RGBA bytes of the photograph.
        height, width: its size.

    Returns:
        "pixels" (RGBA bytes), "height", "width", "boxes", "keypoints", "params" (lines of text) and "json" (the pipeline);
        or "error" alone.
    """
    try:
        augment = pipeline(text)
        key = ss.SampleKey(int(seed), int(epoch), int(index), view=int(view))
        image = np.frombuffer(bytes(pixels), np.uint8).reshape(height, width, 4)[..., :3].copy()
        given = sample(image)
        drawn = augment.params(key, given)
        made = augment(given, key=key)
    except Exception as error:  # noqa: BLE001  # whatever it is, the reader wrote it
        if isinstance(error, ImportError) and "OpenCV" in str(error):
            return {"error": f"{str(error).partition(':')[0]}, which the playground does not load"}
        return {"error": f"{type(error).__name__}: {error}"}
    rgba = _seen(made)
    return {
        "pixels": rgba.tobytes(),
        "height": rgba.shape[0],
        "width": rgba.shape[1],
        "boxes": np.asarray(made["boxes"]).reshape(-1, 4).tolist(),
        "keypoints": np.asarray(made["keypoints"]).reshape(-1, 2).tolist(),
        "params": [f"{name}: {'did not fire' if params is None else params}" for name, params in drawn],
        "json": augment.to_json(),
    }
