"""Arrays by target, and their descriptions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt  # costs a tenth of NumPy's import: benchmarks/import_time.py

__all__ = [
    "FLOAT32",
    "TARGETS",
    "UINT8",
    "Array",
    "Info",
    "Infos",
    "arithmetic",
    "check_array",
    "check_frames",
    "check_last",
    "check_sound",
    "check_target",
    "described",
    "is_masked",
    "named_parts",
    "shape_error",
]

Array = np.ndarray[Any, np.dtype[Any]]

TARGETS: Final = (
    "image",
    "mask",
    "masks",
    "video",
    "video_mask",
    "keypoints",
    "boxes",
    "audio",
    "spectrogram",
)
"""The parts of a sample that transforms know; every other entry of a dict passes through unchanged."""


_SOUND: Final = "a sound is cut by RandomSegment(length), and is 'audio' in targets="
_CLIP: Final = "pass a video as augment(video=clip, key=key), or to a dataset with targets=('video', None); the images of a batch one by one"
_STACK: Final = "put its frames together with numpy.stack(frames)"


def shape_error(shape: tuple[int, ...]) -> ValueError:
    """Return the error for an array whose shape is not an image's."""
    way_out = _CLIP if len(shape) == 4 else _SOUND if len(shape) == 1 else "reshape it"
    return ValueError(f"an image must have the shape (H, W) or (H, W, C), got {shape}: {way_out}")


class Info:
    """The description of an array for ``draw``: its shape and dtype, never its values; and the sample's boxes.

    Args:
        shape: (H, W) or (H, W, C) of an image, (T, H, W) or (T, H, W, C) of a video, (samples,) or (channels, samples) of audio.
        dtype: you may leave it out if no transform asks for it.
        boxes: the sample's boxes (N, 4 or more), x0, y0, x1, y1 of pixel edges first; you may leave them out if no
            transform asks for them.
        length: the number of samples of the dataset, for transforms that mix samples.
        position: the sample's position in the dataset; by default the key's index.

    Example:
        >>> Info((480, 640, 3), "uint8").dtype
        dtype('uint8')
        >>> Info((480, 640), boxes=[[0, 10, 64, 48]]).boxes.tolist()
        [[0.0, 10.0, 64.0, 48.0]]
    """

    __slots__ = ("_dtype", "_length", "given_boxes", "position", "shape")

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: npt.DTypeLike | None = None,
        boxes: npt.ArrayLike | None = None,
        *,
        length: int | None = None,
        position: int | None = None,
    ) -> None:
        self.shape = shape
        self._dtype = dtype
        self._length = length
        self.position = position
        """The sample's position in its dataset, or None if unknown."""
        self.given_boxes: Array | None = (
            boxes if boxes is None or type(boxes) is np.ndarray else _boxes_of(boxes)
        )
        """The boxes with all their columns, or None if unknown."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The array's dtype.

        Raises:
            ValueError: it is unknown.
        """
        if self._dtype is None:
            raise ValueError("a transform asks for the sample's dtype: pass Info(shape, dtype), not a shape")
        return np.dtype(self._dtype)

    @property
    def length(self) -> int:
        """The number of samples of the dataset.

        Raises:
            ValueError: it is unknown.
        """
        if self._length is None:
            raise ValueError(
                "a transform mixes samples and asks for the dataset's length: read samples through AugmentedDataset or "
                "AugmentedSequence, and pass Info(shape, dtype, length=len(dataset)) to params"
            )
        return self._length

    @property
    def boxes(self) -> Array:
        """The sample's boxes: x0, y0, x1, y1 in pixels, float64, shape (N, 4).

        Raises:
            ValueError: they are unknown.
        """
        if self.given_boxes is None:
            raise ValueError(
                "a transform asks for the sample's boxes: put them into the sample under 'boxes', or an array of "
                "shape (0, 4) if it has none. To params, pass Info(shape, boxes=boxes)"
            )
        return np.array(self.given_boxes[:, :4], np.float64)

    def image_size(self) -> tuple[int, int]:
        """Return the height and width of an image.

        Raises:
            ValueError: the shape is not (H, W) or (H, W, C).
        """
        shape = self.shape
        if len(shape) != 3 and len(shape) != 2:
            raise shape_error(shape)
        return shape[0], shape[1]

    def audio_length(self) -> int:
        """Return the number of samples of audio.

        Raises:
            ValueError: the shape is not (samples,) or (channels, samples).
        """
        shape = self.shape
        if len(shape) != 1 and len(shape) != 2:
            raise ValueError(
                f"audio must have the shape (samples,) or (channels, samples), got {shape}: reshape it"
            )
        return shape[-1]

    def frame(self) -> Info:
        """Return the info of one frame of a video.

        Raises:
            ValueError: the shape is not (T, H, W) or (T, H, W, C).
        """
        shape = self.shape
        if len(shape) != 4 and len(shape) != 3:
            raise ValueError(f"a video must have the shape (T, H, W) or (T, H, W, C), got {shape}: {_STACK}")
        return self.reshaped(*shape[1:])

    def frames_of(self, video: Info) -> Info:
        """Return the info of a video of such frames, with as many frames as another video."""
        return self.reshaped(video.shape[0], *self.shape)

    def reshaped(self, *shape: int) -> Info:
        """Return the info of an array of a different shape, with the same dtype and boxes."""
        return Info(shape, self._dtype, self.given_boxes, length=self._length, position=self.position)

    def resized(self, height: int, width: int) -> Info:
        """Return the info of an image of a different height and width, with the same dtype and boxes."""
        return self.reshaped(height, width, *self.shape[2:])

    def with_boxes(self, boxes: Array | None) -> Info:
        """Return the info with other boxes; None means that they are unknown."""
        return Info(self.shape, self._dtype, boxes, length=self._length, position=self.position)

    def with_dtype(self, dtype: npt.DTypeLike) -> Info:
        """Return the info with a different dtype, as a transform that converts an array returns it."""
        return Info(self.shape, dtype, self.given_boxes, length=self._length, position=self.position)

    def of_dataset(self, length: int, position: int) -> Info:
        """Return the info of the sample at a position of a dataset with `length` samples."""
        return Info(self.shape, self._dtype, self.given_boxes, length=length, position=position)

    def _plain(self) -> dict[str, Any]:
        """Return all that is known, by the names of the arguments."""
        boxes = None if self.given_boxes is None else self.given_boxes.tolist()
        dtype = None if self._dtype is None else str(self.dtype)
        every = {
            "shape": self.shape,
            "dtype": dtype,
            "boxes": boxes,
            "length": self._length,
            "position": self.position,
        }
        return {name: value for name, value in every.items() if value is not None}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Info) and self._plain() == other._plain()

    def __hash__(self) -> int:
        return hash(self.shape)

    def __repr__(self) -> str:
        by_position = ("shape", "dtype")
        arguments = (
            (("" if name in by_position else f"{name}=") + repr(value))
            for name, value in self._plain().items()
        )
        return f"Info({', '.join(arguments)})"


Infos = Info | dict[str, Info]
"""The description of a sample: one Info, or one for each target of a dict."""


def described(sample: Any) -> Infos:
    """Return the description of a sample.

    Args:
        sample: the shape, Info or array of a sample, or a dict of these by target.
    """
    if not isinstance(sample, dict):
        return _info(sample)
    infos = {name: _info(one) for name, one in sample.items() if name in TARGETS and name != "masks"}
    boxes = sample.get("boxes")
    if not isinstance(boxes, np.ndarray):
        return infos
    check_target("boxes", sample)
    return {name: info.with_boxes(boxes) for name, info in infos.items()}


def _info(sample: Any) -> Info:
    if isinstance(sample, Info):
        return sample
    if isinstance(sample, np.ndarray):
        return Info(sample.shape, sample.dtype)
    if isinstance(sample, tuple | list) and all(isinstance(side, int | np.integer) for side in sample):
        return Info(tuple(int(side) for side in sample))
    raise TypeError(
        f"sample must be a shape, an Info, an array or a dict of these, got {sample!r}: pass the shape, such as (32, 32, 3)"
    )


def _boxes_of(boxes: Any) -> Array:
    array = np.asarray(boxes, np.float64)
    array = array if array.size else array.reshape(0, 4)
    check_target("boxes", {"boxes": array})
    return array


UINT8: Final = np.dtype(np.uint8)
FLOAT32: Final = np.dtype(np.float32)


def check_array(name: str, array: Any) -> None:
    """Raise an error unless transforms can work on this array."""
    if type(array) is not np.ndarray and (not isinstance(array, np.ndarray) or is_masked(array)):
        raise TypeError(
            f"{name} must be a NumPy array, got {type(array).__module__}.{type(array).__qualname__}: {_as_array(name, array)}"
        )
    dtype = array.dtype
    is_usual = dtype is UINT8 or dtype is FLOAT32  # in less time: benchmarks/keys.py
    if is_usual and array.size:
        return
    if dtype.kind not in "uifb" or not dtype.isnative or dtype.itemsize > 8:
        raise TypeError(
            f"{name} must hold numbers of up to 8 bytes in native byte order, got dtype {dtype}: {_native(name, dtype)}"
        )
    if not array.size and name not in ("keypoints", "boxes"):
        raise ValueError(f"{name} must not be empty, got the shape {array.shape}: leave such samples out")


_COLUMNS: Final = {"keypoints": 2, "boxes": 4}
"""The least number of columns."""


def _as_array(name: str, part: Any) -> str:
    """Return what makes an array of a part of a sample."""
    columns = _COLUMNS.get(name)
    if columns and isinstance(part, list | tuple):
        return f"pass numpy.array({name}, numpy.float32).reshape(-1, {columns})"
    if isinstance(part, dict):
        entry = next((key for key, one in part.items() if isinstance(one, np.ndarray)), "array")
        return f"name its array, in a dict with targets={{{name!r}: {{{entry!r}: {name!r}}}}}"
    return "convert it with numpy.asarray (an image to (H, W, C)), pass the parts of a tuple in a dict, or by name, such as image= and mask=, and to a dataset also targets="


def arithmetic(name: str, dtype: np.dtype[Any]) -> str:
    """Return how to convert an image or a waveform of another dtype to uint8 or float32 without overflow.

    Example:
        >>> arithmetic("image", np.dtype("bool"))
        'pass image.astype(numpy.uint8) * 255'
    """
    if dtype.kind == "b":
        return f"pass {name}.astype(numpy.uint8) * 255"
    if dtype.kind == "f":
        return f"pass {name}.astype(numpy.float32) if it is in [0, 1], ({name} / 255).astype(numpy.float32) if it goes to 255"
    if dtype.itemsize > 2:
        return f"pass {name}.astype(numpy.uint8) if it goes to 255, ({name} / 65535).astype(numpy.float32) if it goes to 65535"
    top = np.iinfo(dtype).max + (dtype.kind == "i")
    deep = f", or ({name} // 257).astype(numpy.uint8)" if dtype.kind == "u" else ""
    return f"pass ({name} / {top}).astype(numpy.float32){deep}"


def check_last(shape: tuple[int, ...]) -> None:
    """Raise an error if the shape of an image that will be moved looks like (C, H, W), (T, H, W) or a volume.

    No image has such a shape in practice: about as many channels as columns, and far fewer rows. A strip of 5 by 64 pixels with 31
    bands, or a patch of 9 by 9 with 103, is an image.
    """
    if len(shape) != 3 or shape[2] < 16:
        return
    first, rows, columns = shape
    way_out = 'or, if its channels are last, make the pipeline with Compose(..., channels="last")'
    must = f"an image must have the shape (H, W) or (H, W, C), got {shape}"
    if first == rows == columns:
        raise ValueError(
            f"{must}, which seems to be a volume, of which only two axes would be moved: pass its slices image[i], {way_out}"
        )
    if first in _COLOURS and rows >= 16:
        raise ValueError(f"{must}, whose channels seem to be first: pass image.transpose(1, 2, 0), {way_out}")
    few, many = sorted((rows, columns))
    are_bands = first <= _MOST_BANDS
    is_square = few == many and first < few and few >= (16 if are_bands else 64)
    is_frame = many <= 2 * few and few >= (32 if are_bands else 3 * first)
    if first > 1 and (is_square or is_frame or (are_bands and few >= 256)):
        raise ValueError(
            f"{must}, whose channels, or frames, seem to be first: pass image.transpose(1, 2, 0) if they are channels, "
            f'augment(video=image), in a dataset targets="video", if they are frames, {way_out}'
        )


_COLOURS: Final = (1, 3, 4)
_MOST_BANDS: Final = 16
"""The most bands of a satellite, and the most frames of a short clip; more of them are told from larger images alone."""


def check_sound(shape: tuple[int, ...]) -> None:
    """Raise an error if the shape of audio looks like (samples, channels): no sound has many channels of a few samples."""
    if len(shape) == 2 and shape[1] <= 8 and shape[0] >= (16 if shape[1] <= 2 else 128):
        raise ValueError(
            f"audio must have the shape (samples,) or (channels, samples), got {shape}, whose channels seem to be last: pass audio.T"
        )


def check_frames(shape: tuple[int, ...]) -> None:
    """Raise an error if the shape of a video that will be moved looks like (T, C, H, W) or (C, T, H, W)."""
    if len(shape) == 4 and min(shape[2:]) >= 16 and shape[3] not in (1, 3, 4):
        first = next((axis for axis in (1, 0) if shape[axis] in (1, 3, 4)), None)
        if first is not None:
            axes = "0, 2, 3, 1" if first else "1, 2, 3, 0"
            raise ValueError(
                f"a video must have the shape (T, H, W) or (T, H, W, C), got {shape}, whose channels seem to be on axis {first}: "
                f'pass video.transpose({axes}), or, if they are last, make the pipeline with Compose(..., channels="last")'
            )


def _native(name: str, dtype: np.dtype[Any]) -> str:
    """Return what makes an array of numbers that NumPy holds in 8 bytes."""
    if dtype.kind == "f" and dtype.itemsize > 8:
        return f"pass {name}.astype(numpy.float64)"
    if dtype.kind in "iuf":
        return f"pass {name}.astype({dtype.newbyteorder('=').name!r})"
    return "make one array of numbers of it, with numpy.stack if it holds arrays"


def is_masked(array: Any) -> bool:
    """Return whether an array is a masked array, without importing ``numpy.ma``."""
    if type(array) is np.ndarray:
        return False
    return isinstance(array, getattr(sys.modules.get("numpy.ma"), "MaskedArray", ()))


def check_target(target: str, parts: dict[str, Any]) -> None:
    """Raise an error unless this part of a sample is a valid `target`."""
    if target == "masks":
        _check_masks(parts)
        return
    array = parts[target]
    check_array(target, array)
    columns = _COLUMNS.get(target)
    if columns and (array.ndim != 2 or array.shape[1] < columns):
        raise ValueError(f"{target} must have the shape (N, {columns} or more), got {array.shape}: reshape")
    if columns and array.dtype.kind not in "if":
        raise TypeError(
            f"{target} must be floats or signed integers, got dtype {array.dtype}: pass {target}.astype(numpy.float32)"
        )
    if target == "boxes" and not np.isfinite(array[:, :4]).all():
        raise ValueError(f"boxes must be finite, got {array[:, :4].tolist()}: leave such boxes out")
    if target == "mask":
        _check_mask("mask", array, parts)
    elif target == "video" or target == "video_mask":
        _check_video(target, array, parts)


def _check_masks(parts: dict[str, Any]) -> None:
    masks, must = parts["masks"], "masks must be a list of masks or a stack (N, H, W)"
    if not isinstance(masks, list | tuple | np.ndarray):
        raise TypeError(f"{must}, got {type(masks).__qualname__}: put a single one under 'mask'")
    if isinstance(masks, np.ndarray) and masks.ndim < 3:
        raise ValueError(f"{must}, got {masks.shape}: put a single one under 'mask'")
    one: list[Any] = [np.zeros(masks.shape[1:], masks.dtype)] if isinstance(masks, np.ndarray) else []
    for mask in list(masks) or one:  # an empty stack has a shape to check
        check_array("a mask of masks", mask)
        _check_mask("a mask of masks", mask, parts)


def _check_mask(name: str, mask: Array, parts: dict[str, Any]) -> None:
    if "image" in parts and mask.shape[:2] != parts["image"].shape[:2]:
        raise ValueError(
            f"{name} and image must have the same height and width, got {mask.shape} and {parts['image'].shape}: resize one"
        )
    if "video" in parts and mask.shape[:2] != np.shape(parts["video"])[1:3]:
        raise ValueError(
            f"{name} and the frames of video must have the same height and width, got {mask.shape} and "
            f"{np.shape(parts['video'])}: put a mask for each frame, (T, H, W), under 'video_mask'"
        )


def _check_video(name: str, video: Array, parts: dict[str, Any]) -> None:
    shape = video.shape
    one = len(shape) == 3 and name == "video" and shape[2] in (1, 3, 4) and min(shape[:2]) >= 16
    if one or len(shape) not in (3, 4):
        seems = ", which seems to be one image" if one else ""
        way_out = "put an image under 'image'" if one else _STACK
        raise ValueError(
            f"{name} must have the shape (T, H, W) or (T, H, W, C), T frames, got {shape}{seems}: {way_out}"
        )
    if "image" in parts and shape[1:3] != np.shape(parts["image"])[:2]:
        raise ValueError(
            f"image and the frames of {name} must have the same height and width, got {np.shape(parts['image'])} and {shape}: "
            "they get the same parameters, so augment them in two calls"
        )
    if name == "video_mask" and "video" in parts and shape[:3] != np.shape(parts["video"])[:3]:
        raise ValueError(
            f"video_mask and video must have the same number of frames, height and width, got {shape} and "
            f"{np.shape(parts['video'])}: pass a mask for each frame"
        )


_OF_A_KEY: Final = ("seed", "epoch", "index", "rng", "random_state", "generator")


def named_parts(sample: Any, parts: dict[str, Any], labels: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return parts that were passed by name as a sample.

    Raises:
        TypeError: there is a sample as well, or a name is neither a target nor a label.
    """
    keys = [name for name in parts if name in _OF_A_KEY]
    if keys:
        raise TypeError(
            f"a call takes no {keys[0]}: pass key=SampleKey(seed, epoch, index), or let AugmentedDataset(..., seed=42) make the keys"
        )
    if sample is not None:
        raise TypeError(
            f"the sample must be passed once, got it also as {', '.join(parts)}=: pass a dict, or parts by name"
        )
    unknown = [name for name in parts if name not in TARGETS and name not in labels]
    if unknown:
        raise TypeError(
            f"{unknown[0]}= is not a part of a sample: the parts are {', '.join((*TARGETS, *labels))}. Pass other entries in a dict"
        )
    return parts
