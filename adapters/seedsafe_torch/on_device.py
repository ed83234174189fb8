"""OnDevice: a pipeline's tail as a module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

import seedsafe as ss
from seedsafe.keys.many import ManyKeys
from seedsafe.mixing.batch import image_axes, mix_labels
from seedsafe_torch.key_tensor import key_tensor
from seedsafe_torch.steps import Array, Drawn, Given, steps_of

__all__ = ["OnDevice"]

_HALVES: Final = (torch.float16, torch.bfloat16)
_never_compiled: Final[Any] = torch.compiler.disable


class _Mixture(NamedTuple):
    """How a batch is mixed."""

    kind: str
    """The same as `Mixed.kind`."""
    partners: Tensor
    """The position of each sample's partner in the batch: int64, (N,)."""
    shares: Tensor
    """The shares of the sample and of its partner: float32, (2,)."""
    box: Tensor
    """The partner's rectangle: top, bottom, left and right."""
    labels: Tensor
    """The mixed labels: float32, (N, classes)."""


class OnDevice(nn.Module):
    """Apply the tail of a pipeline to a batch on the device where it is, with the draws of the CPU.

    Make it of the second part of `Compose.split`, whose first part runs where the data are loaded. Each sample is changed as its own
    key says, so the batch, the rank and the device do not matter. Decisions are the CPU's, bit for bit; pixels too where a transform
    moves them, and otherwise within one unit in the last position of float32. Contrast and saturation are within 1e-6 of the range.

    The transforms are ``HorizontalFlip``, ``VerticalFlip``, ``RandomCrop``, ``RandomErasing`` and ``CoarseDropout`` with a fixed fill,
    ``ColorJitter`` without hue, ``GaussianNoise``, ``Normalize``, ``ToFloat`` and ``ToCHW``. It works on the batch in training and in
    evaluation alike: do not call it in validation.

    Args:
        pipeline: a Compose or a transform.
        after: the pipeline that the samples have been through before, if `pipeline` is no part of it from `split`: both must not have
            a transform of the same name, which would draw the same numbers twice.
        mix: mixes each sample, and its label, with another one of the batch, last and at the key of the batch's first sample, as
            `seedsafe_torch.mix` does.
        channels_first: whether images are (N, C, H, W); None looks for the one axis of length 1, 3 or 4.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a transform or an option has no counterpart on the device, or two transforms have the same name.

    Example:
        >>> from seedsafe_torch.key_tensor import key_tensor
        >>> augment = ss.Compose([ss.RandomCrop(8), ss.HorizontalFlip(), ss.ToFloat(), ss.ToCHW()])
        >>> head, tail = augment.split(1)
        >>> keys = [ss.SampleKey(42, epoch=0, index=index) for index in range(2)]
        >>> photos = np.arange(2 * 10 * 10 * 3, dtype=np.uint8).reshape(2, 10, 10, 3)
        >>> cropped = np.stack([head(photo, key=key) for photo, key in zip(photos, keys, strict=True)])
        >>> images = OnDevice(tail)(torch.from_numpy(cropped), key_tensor(keys))
        >>> bool((images[1].numpy() == augment(photos[1], key=keys[1])).all())
        True
    """

    def __init__(
        self,
        pipeline: ss.Compose | ss.Transform,
        *,
        after: ss.Compose | ss.Transform | None = None,
        mix: ss.BatchMix | None = None,
        channels_first: bool | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(mix, ss.BatchMix | None):
            raise TypeError(f"mix must be a BatchMix or None, got {mix!r}: pass seedsafe.BatchMix(classes)")
        if not isinstance(channels_first, bool | None):
            raise TypeError(
                f"channels_first must be True, False or None, got {channels_first!r}: pass True for (N, C, H, W)"
            )
        self.pipeline = _composed("pipeline", pipeline)
        if after is not None:
            _require_apart(self.pipeline, _composed("after", after))
        self.mix, self.channels_first = mix, channels_first
        self._steps = steps_of(self.pipeline)
        layouts = [step.transform.channels for step in self._steps]
        self._to_first = layouts.index("to first") if "to first" in layouts else None
        self._takes_last = any(layout != "any" for layout in layouts)

    def forward(
        self,
        images: Tensor,
        keys: Tensor | Sequence[ss.SampleKey],
        masks: Tensor | None = None,
        labels: Tensor | None = None,
    ) -> Any:
        """Return the augmented images, or a tuple of these and the masks or labels that were passed.

        Args:
            images: uint8, float32, or float16 and bfloat16, which are computed in float32 and rounded once; (N, C, H, W), (N, H, W, C)
                or (N, H, W). After ToCHW they are (N, C, H, W), otherwise as they came. They are not changed.
            keys: the samples' keys: the last entry of a batch from ``loader(…, keys=True)``, int64 (N, 4), or a list of SampleKeys.
            masks: any dtype, of the images' height and width: (N, H, W), or with channels where the images have theirs. They are
                moved with the images, and come back in the same form.
            labels: for `mix`: int64 (N,) or float vectors (N, classes). They become float32 vectors.

        Raises:
            TypeError: an argument has the wrong type or dtype.
            ValueError: the shapes do not fit, keys have no values, or a transform cannot be applied.
        """
        form, of_masks = self._layout(images, masks, labels)
        count, dtype = len(images), images.dtype
        batch = _planes(images, form)
        batch = batch.to(torch.float32) if dtype in _HALVES else batch
        moved = None if masks is None else _planes(masks, of_masks)
        of_steps, mixture = self._numbers(batch, moved, keys, labels, form)
        if not count:
            batch, moved = _blank(batch), None if moved is None else _blank(moved)
        before = batch, moved
        for step, drawn in zip(self._steps, of_steps, strict=True):
            batch = step.apply(batch, drawn)
            moved = step.apply(moved, drawn, 1) if step.moves and moved is not None else moved
        if mixture is not None:
            batch = _mixed(batch, mixture)
        result = batch[:count].to(dtype) if dtype in _HALVES else batch[:count]
        result = _in_form(result, form if self._to_first is None else "NCHW")
        result = _own(result, batch is not before[0])
        if moved is not None:
            masked = _in_form(moved[:count], of_masks)
            return result, _own(masked, moved is not before[1])
        return result if mixture is None else (result, mixture.labels)

    def extra_repr(self) -> str:
        """Return the pipeline, for `repr`."""
        more = {"mix": self.mix, "channels_first": self.channels_first}
        named = (f"{name}={value!r}" for name, value in more.items() if value is not None)
        return ", ".join([repr(self.pipeline), *named])

    def _is_first(self, position: int, form: str) -> bool:
        """Return whether the CPU's pipeline has images (C, H, W) before one of its transforms."""
        if self._to_first is not None and position > self._to_first:
            return True
        return form == "NCHW" and not self._takes_last

    def _layout(self, images: Any, masks: Any, labels: Any) -> tuple[str, str]:
        """Return how the images and masks of a batch came, NCHW, NHWC or NHW, or raise an error for what does not fit."""
        _check_images(images)
        first = image_axes(tuple(images.shape), self.channels_first) == (2, 3)
        form = "NHW" if images.ndim == 3 else "NCHW" if first else "NHWC"
        if (self.mix is None) != (labels is None):
            raise ValueError(
                "labels must be passed to a module with mix=, and to no other: call module(images, keys, labels=labels) of one with "
                "mix=, and leave labels as they are otherwise"
            )
        if masks is None:
            return form, form
        if self.mix is not None:
            raise ValueError("masks cannot be mixed: make the module without mix=")
        _check_tensor("masks", masks, "one mask for each image")
        of_masks = "NHW" if masks.ndim == 3 else "NCHW" if first else "NHWC"
        if len(of_masks) != masks.ndim or _sides(masks, of_masks) != _sides(images, form):
            raise ValueError(
                f"masks must have the images' number, height and width, got the shape {tuple(masks.shape)} for images of shape "
                f"{tuple(images.shape)}: pass one mask for each image"
            )
        if masks.device != images.device:
            raise ValueError(
                f"images and masks must be on one device, got {images.device} and {masks.device}: move the masks"
            )
        return form, of_masks

    @_never_compiled  # type: ignore[untyped-decorator]
    def _numbers(
        self, batch: Tensor, masks: Tensor | None, keys: Any, labels: Any, form: str
    ) -> tuple[list[Drawn], _Mixture | None]:
        """Return what is decided for a batch (N, C, H, W), for each step and for the mixture, on its device. An empty one gets what one
        blank sample would."""
        device, count = batch.device, len(batch)
        table = _checked_keys(keys, count)
        many = ManyKeys.of_table(np.ascontiguousarray(table.cpu().numpy()).view(np.uint64))
        table = table.to(device)
        channels, height, width = batch.shape[1:]
        shape = (channels, height, width) if self._is_first(0, form) else (height, width, channels)
        info = ss.Info(shape, np.uint8 if batch.dtype is torch.uint8 else np.float32)
        mask = None if masks is None else _like(masks.shape[2:] + masks.shape[1:2], _dtype_of(masks))
        of_steps = []
        for position, decision in enumerate(self.pipeline.many.decide(many, info)):
            like = _like(decision.info.shape, decision.info.dtype)
            step = self._steps[position]
            own = step.numbers(Given(table, decision, like, mask, self._is_first(position, form)))
            fires = None if decision.fires is None else _moved(decision.fires, device).reshape(-1, 1, 1, 1)
            of_steps.append(Drawn(fires, tuple(_moved(array, device) for array in own)))
            info = step.transform.out_info(decision.info, decision.params)
        mixture = None
        if self.mix is not None:
            first = self._is_first(len(self._steps), form)
            mixture = _mixture(self.mix, many.key(0), (count, *info.shape), first, labels, device)
        return of_steps, mixture


def _composed(name: str, pipeline: Any) -> ss.Compose:
    if isinstance(pipeline, ss.Compose):
        return pipeline
    if isinstance(pipeline, ss.Transform):
        return ss.Compose([pipeline])
    raise TypeError(
        f"{name} must be a Compose or a Transform, got {pipeline!r}: pass the second part of augment.split()"
    )


def _require_apart(pipeline: ss.Compose, before: ss.Compose) -> None:
    """Raise an error if a transform of one pipeline has the stream of one of the other."""
    taken = {stream.op for stream in before.streams()}
    both = [stream.name for stream in pipeline.streams() if stream.op in taken]
    if both:
        raise ValueError(
            f"{', '.join(both)} is the name of a transform in both pipelines, so both would draw the same numbers: give one of them "
            "name=, or make one pipeline of all transforms and cut it with split()"
        )


def _check_tensor(name: str, value: Any, way_out: str) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a tensor, got {type(value).__qualname__}: pass {way_out}")


def _check_each(name: str, tensor: Tensor, count: int) -> None:
    """Raise an error unless a tensor has as many values as there are images."""
    if len(tensor) != count:
        raise ValueError(
            f"there must be as many {name}s as images, got {len(tensor)} for {count}: pass a {name} for each image"
        )
    if tensor.device.type == "meta":
        raise ValueError(f"{name}s must have values, got a meta tensor: pass {name}s on the CPU")


def _check_images(images: Any) -> None:
    _check_tensor("images", images, "torch.from_numpy(images)")
    if images.dtype not in (torch.uint8, torch.float32, *_HALVES):
        raise TypeError(
            f"images must be uint8, float32, float16 or bfloat16, got {images.dtype}: pass images.float() if they are in [0, 1]"
        )
    if images.device.type == "mps":
        raise ValueError(
            "images must be on a device with float64, which mps lacks: augment them on the CPU, and move the result"
        )
    if 0 in images.shape[1:]:
        raise ValueError(
            f"images must not be empty, got the shape {tuple(images.shape)}: leave such samples out"
        )


def _checked_keys(keys: Any, count: int) -> Tensor:
    """Return the keys of a batch, or one key for an empty batch."""
    table = key_tensor(keys)
    _check_each("key", table, count)
    return table if count else table.new_zeros((1, 4))


def _sides(batch: Tensor, form: str) -> list[int]:
    """Return the number of images, and their height and width."""
    return [batch.shape[form.index(axis)] for axis in "NHW"]


def _planes(batch: Tensor, form: str) -> Tensor:
    """Return a batch as (N, C, H, W), contiguous: steps are several times as fast on whole planes (benchmarks/device.py)."""
    if form == "NHW":
        return batch[:, None]
    return batch if form == "NCHW" else batch.permute(0, 3, 1, 2).contiguous()


def _in_form(batch: Tensor, form: str) -> Tensor:
    """Return a batch (N, C, H, W) in a form."""
    if form == "NHW":
        return batch[:, 0]
    return batch if form == "NCHW" else batch.permute(0, 2, 3, 1)


def _blank(batch: Tensor) -> Tensor:
    """Return an empty batch with one blank sample, so that it goes through all steps."""
    return torch.cat([batch, batch.new_zeros((1, *batch.shape[1:]))])


def _own(result: Tensor, is_new: bool) -> Tensor:
    """Return a C-contiguous tensor that shares no memory with the argument of `forward`."""
    return result.contiguous() if is_new else result.clone(memory_format=torch.contiguous_format)


def _like(shape: Sequence[int], dtype: Any) -> Array:
    """Return an array of a shape and dtype that takes no memory."""
    return np.broadcast_to(np.zeros((), dtype), tuple(shape))


def _dtype_of(masks: Tensor) -> Any:
    """Return the dtype of masks in NumPy, which has no bfloat16."""
    return np.float32 if masks.dtype is torch.bfloat16 else torch.empty(0, dtype=masks.dtype).numpy().dtype


def _moved(array: Any, device: torch.device) -> Tensor:
    return array if isinstance(array, Tensor) else torch.from_numpy(np.array(array)).to(device)


def _mixture(
    mix: ss.BatchMix,
    key: ss.SampleKey,
    shape: tuple[int, ...],
    first: bool,
    labels: Any,
    device: torch.device,
) -> _Mixture:
    """Return how a batch of this shape is mixed at the key of its first sample."""
    _check_tensor("labels", labels, "torch.tensor(labels)")
    _check_each("label", labels, shape[0])
    drawn = replace(mix, channels_first=first).params(key, shape)
    given = labels.detach().cpu()
    vectors = mix.vectors((given.float() if given.dtype is torch.bfloat16 else given).numpy())
    partners = (np.arange(shape[0]) - drawn.shift) % max(shape[0], 1)
    shares = np.array([drawn.share, 1.0 - drawn.share], np.float32)
    numbers = partners, shares, drawn.box, mix_labels(vectors, drawn)
    return _Mixture(drawn.kind, *(_moved(one, device) for one in numbers))


def _mixed(images: Tensor, mixture: _Mixture) -> Tensor:
    """Return images (N, C, H, W), mixed."""
    if not mixture.kind:
        return images
    partners = images[mixture.partners]
    if mixture.kind == "mixup":
        own, other = mixture.shares.unbind()
        total = images.to(torch.float32) * own + partners.to(torch.float32) * other
        return total.round().to(images.dtype) if images.dtype is torch.uint8 else total
    top, bottom, left, right = mixture.box.unbind()
    rows = torch.arange(images.shape[2], device=images.device)[:, None]
    columns = torch.arange(images.shape[3], device=images.device)
    inside = (rows >= top) & (rows < bottom) & (columns >= left) & (columns < right)
    return torch.where(inside, partners, images)
