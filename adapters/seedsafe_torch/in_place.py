"""Batches in place: samples written into shared memory."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from copy import deepcopy
from multiprocessing.reduction import ForkingPickler
from operator import is_
from typing import Any, Final, SupportsIndex, cast

import numpy as np
import numpy.typing as npt
import torch
from torch.multiprocessing.reductions import reduce_tensor
from torch.utils.data import DataLoader, Dataset, get_worker_info
from torch.utils.data._utils import collate as torchs

from seedsafe import SampleIndex, ring
from seedsafe.reading import AtOnce, CheckedCollate, KeyedCollate, Skipped
from seedsafe_torch.dataset import AugmentedDataset, read_into, reads_batches
from seedsafe_torch.dtypes import join, join_dtypes
from seedsafe_torch.faults import Whole
from seedsafe_torch.fetching import fetch_above, through

__all__ = ["RowByRow", "collate", "in_place_or_not", "why_not_in_place"]

_SMALL: Final = 1 << 14
"""A part of a batch with fewer bytes is sent by value."""
_ROW: Final = 1 << 15
"""A sample's array with fewer bytes is not written in a row."""
_LARGE: Final = 1 << 20
"""In the training process, a batch with fewer bytes is not made in place."""
_reduce: Final[Any] = reduce_tensor
_USUAL: Final = dict(torchs.default_collate_fn_map)


class RowByRow(Dataset[Any]):
    """What a loader's iterator reads: samples that are the rows of the batch that `collate` returns.

    For any other collate function they are ordinary samples.

    Args:
        dataset: any map-style dataset; it is read index by index.

    Example:
        >>> rows = RowByRow([np.full((128, 128), i, np.float32) for i in range(8)])
        >>> samples = rows.__getitems__([3, 5])
        >>> batch = collate(samples)
        >>> batch.shape, batch.data_ptr() == samples[0].ctypes.data
        (torch.Size([2, 128, 128]), True)
    """

    passes_on: Final = True
    _users: Any
    """The user's dataset, if a loader reads through this object."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self._spare = ring.Spare()

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        rows = _Rows(len(indices), travels=_leaves_worker())
        if reads_batches(self.dataset):
            return [_place(rows, sample) for sample in self.dataset.__getitems__(indices)]
        dataset, own, samples = self.dataset, through(self.dataset)[0], []
        ours = type(own) is AugmentedDataset
        result = _at_once(dataset, own, indices) if ours and own.reader.is_worthwhile(len(indices)) else None
        if type(result) is Ready:
            return result
        if result is not None:
            return [_place(rows, result(number, rows.offer())) for number in range(len(indices))]
        for index in indices:
            if rows.idle:
                samples.append(dataset[index])
                continue
            row = rows.offer() if ours else None
            samples.append(_place(rows, dataset[index] if row is None else read_into(dataset, index, row)))
        return samples


def collate(samples: Sequence[Any]) -> Any:
    """Collate like `torch.utils.data.default_collate`, in memory that is used again when nobody holds it.

    `loader` collates with it if it gets no collate_fn. In your own collate function, call it instead of default_collate:
    its tensors go from a worker to the training process without a copy. Tensors that you make from them are sent as usual.

    Args:
        samples: the samples of a batch; arrays, tensors, numbers, strings, and tuples, lists and dicts of these.

    Returns:
        The batch of default_collate: equal in structure, types, shapes, dtypes and values, writable and contiguous.

    Raises:
        RuntimeError: as default_collate does, such as for arrays or lists of other sizes; a note then says what to do.

    Example:
        >>> batch = collate([(np.zeros((3, 64, 64), np.float32), 0), (np.ones((3, 64, 64), np.float32), 1)])
        >>> batch[0].shape, batch[1]
        (torch.Size([2, 3, 64, 64]), tensor([0, 1]))
    """
    travels = _leaves_worker()
    join_dtypes()
    if travels and ring.why_not() is not None:
        return torchs.collate(list(samples), collate_fn_map=torchs.default_collate_fn_map)
    if type(samples) is Ready:
        result = samples.collate(travels)
        if result is not None:
            return result
    try:
        return torchs.collate(cast(Any, samples), collate_fn_map=_functions(travels))
    except RuntimeError as error:
        if "equal size" in str(error):
            error.add_note(
                "samples of a batch must have equal shapes: crop, resize or pad them, pass a collate_fn that pads, or collate_fn=list"
            )
        raise


def why_not_in_place(loading: DataLoader[Any]) -> str | None:
    """Return the reason why a loader does not make batches in place, or None if, as far as is known, it does.

    Args:
        loading: a DataLoader from `loader`.

    Example:
        >>> why_not_in_place(DataLoader([1, 2]))
        'its collate_fn is default_collate: make the loader with seedsafe_torch.loader, or pass seedsafe_torch.collate'
    """
    function: Any = loading.collate_fn
    while isinstance(function, functools.partial | KeyedCollate | CheckedCollate):
        if isinstance(function, functools.partial):
            function = function.keywords.get("collate", function.func)
        else:
            function = function.collate
    if function is not collate:
        name = getattr(function, "__name__", type(function).__name__)
        return f"its collate_fn is {name}: make the loader with seedsafe_torch.loader, or pass seedsafe_torch.collate"
    return ring.why_not() if loading.num_workers else None


def in_place_or_not(wanted: bool | None, in_batches: bool, options: dict[str, Any]) -> bool:
    """Return whether a loader makes batches in place, and set its collate_fn in `options` if it does.

    `wanted` is True if it must, False if it must not, None if it should do so where it can.

    Raises:
        ValueError: `wanted` is True, but batches in place are impossible.
    """
    if wanted is False:
        return False
    reason = ring.impossible() if options.get("num_workers") else None
    if not in_batches:
        reason = "batch_size=None makes no batches"
    elif options.get("collate_fn") is not None:
        reason = "collate_fn makes the batches, and may call seedsafe_torch.collate itself"
    if reason is None:
        options["collate_fn"] = collate
        return True
    if wanted:
        raise ValueError(
            f"in_place=True is impossible, because {reason}: leave in_place out, to make batches in place only if possible"
        )
    return False


class _Travelling(torch.Tensor):
    """A tensor of a worker's batch: it is sent to the training process as its slot, or by value if small."""

    __torch_function__: Any = torch._C._disabled_torch_function_impl  # results of functions are plain tensors
    bytes: npt.NDArray[np.uint8]

    def __reduce_ex__(self, protocol: Any) -> Any:
        plain: Any = self.as_subclass(torch.Tensor)
        return plain.__reduce_ex__(protocol)

    def __deepcopy__(self, memory: Any) -> torch.Tensor:
        return deepcopy(self.as_subclass(torch.Tensor), memory)


def _reduce_travelling(tensor: _Travelling) -> tuple[Any, ...]:
    plain = tensor.as_subclass(torch.Tensor)
    nbytes = plain.numel() * plain.element_size()
    differs = plain.data_ptr() != ring.pointer_of(tensor.bytes) or nbytes != tensor.bytes.nbytes
    if differs or plain.requires_grad or not plain.is_contiguous():  # a collate_fn has changed it
        return cast("tuple[Any, ...]", _reduce(plain))
    return _tensor, (tensor.bytes, plain.dtype, tuple(plain.shape))


ForkingPickler.register(_Travelling, _reduce_travelling)


def _tensor(array: npt.NDArray[np.uint8], dtype: torch.dtype, shape: tuple[int, ...]) -> torch.Tensor:
    return torch.from_numpy(array).view(dtype).reshape(shape)


def _leaves_worker() -> bool:
    """Return whether a worker makes its own batch, to be sent, and not the batch of a loader that one of its samples reads."""
    info = get_worker_info()
    if info is None or ((fetch := fetch_above()) is not None and fetch.dataset is not info.dataset):
        return False
    ring.stay()  # a DataLoader ends its workers after the last batch
    return True


class Ready(Whole):
    """The samples of a batch whose images are already the rows of one array.

    Args:
        result: the images, and the samples' other parts.
        whole: the memory of the images, or None if they own it.
    """

    def __init__(self, result: AtOnce, whole: ring.Part | None) -> None:
        images, others = result
        super().__init__(
            images if others is None else [(row, *one) for row, one in zip(images, others, strict=True)]
        )
        self._samples, self._images, self._others, self._whole = tuple(self), images, others, whole

    def collate(self, travels: bool) -> Any:
        """Return the batch, or None if a sample was exchanged since."""
        if len(self) != len(self._samples) or not all(map(is_, self, self._samples)):
            return None
        images, whole = self._images, self._whole
        if whole is not None:
            array = whole.array(np.uint8, (images.nbytes,))
            tensor = _tensor(array.view(np.ndarray), torch.from_numpy(images[:0]).dtype, images.shape)
            first = _travelling(tensor, array) if travels else tensor
        else:
            first = torch.from_numpy(images)
            first = _by_value(first) if travels else first
        if self._others is None:
            return first
        functions, columns = _functions(travels), zip(*self._others, strict=True)
        return [first, *(torchs.collate(cast(Any, part), collate_fn_map=functions) for part in columns)]


def _at_once(dataset: Any, own: AugmentedDataset, indices: Sequence[Any]) -> Any:
    """Return the batch of a dataset with one of ours inside, or a function that returns its samples, or None; see `KeyedReader.at_once`."""
    if set(map(type, indices)) != {SampleIndex}:
        return None
    ats, outer_reads = indices, None
    if own is not dataset or own.epoch is not None:
        try:
            ats = _stamp(own, through(dataset, indices)[1], indices)
        except Exception:  # noqa: BLE001  # reading sample by sample raises it again
            return None
    if own is not dataset:
        outer_reads = lambda number: dataset.reading(indices[number])
    own.begin(ats[0].epoch)
    travels = _leaves_worker()
    memory: list[ring.Part | None] = []

    def room(shape: tuple[int, ...], dtype: Any) -> Any:
        nbytes = math.prod(shape) * np.dtype(dtype).itemsize
        worth = nbytes >= (_SMALL if travels else _LARGE)
        part = ring.new_part(nbytes, travels=travels) if worth else None
        memory.append(part)
        return np.empty(shape, dtype) if part is None else part.memory[:nbytes].view(dtype).reshape(shape)

    result = own.reader.at_once(ats, room, outer_reads=outer_reads)
    return Ready(result, memory[-1]) if isinstance(result, AtOnce) else result


def _place(rows: _Rows, sample: Any) -> Any:
    return sample if type(sample) is Skipped else rows.place(sample)


class _Rows(ring.Rows):
    """Rows for tensors as well."""

    def size(self, part: Any) -> int | None:
        """Return the number of bytes of an array or tensor that can be a row, or None."""
        return _size(part)

    def copy(self, part: Any, memory: npt.NDArray[np.uint8]) -> Any:
        """Return a copy of an array or tensor in a row's memory."""
        if not isinstance(part, torch.Tensor):
            return super().copy(part, memory)
        return _tensor(memory, part.dtype, tuple(part.shape)).copy_(part)


def _size(part: Any) -> int | None:
    """Return the number of bytes of an array or tensor that default_collate stacks to a contiguous tensor, or None."""
    if type(part) is torch.Tensor:
        usual = part.device.type == "cpu" and part.layout is torch.strided and not part.is_nested
        if not usual or part.requires_grad or part.is_quantized or part.is_conj() or part.is_neg():
            return None
        contiguous = part.is_contiguous() or torch.stack((part, part)).is_contiguous()
        return part.numel() * part.element_size() or None if part.dim() and contiguous else None
    if type(part) is not np.ndarray or not ring.is_plain(part) or not _is_torchs(part.dtype):
        return None
    if not part.flags.c_contiguous and (
        min(part.strides) < 0 or not torch.stack((torch.as_tensor(part),) * 2).is_contiguous()
    ):
        return None
    return int(part.nbytes) or None


@functools.cache
def _is_torchs(dtype: np.dtype[Any]) -> bool:
    try:
        torch.from_numpy(np.empty(0, dtype))
    except TypeError:
        return False
    return True


def _functions(travels: bool) -> dict[Any, Callable[..., Any]]:
    """Return the collate function of each type of element, in place if it is torch's own."""
    usual: dict[Any, Callable[..., Any]] = dict(torchs.default_collate_fn_map)
    if travels:
        for kind, function in usual.items():
            if function.__module__ == torchs.__name__ and kind not in (torch.Tensor, np.ndarray, str, bytes):
                usual[kind] = functools.partial(_collate_numbers, function)
    for kind in (torch.Tensor, np.ndarray):
        if usual[kind] in (_USUAL[kind], join):
            usual[kind] = functools.partial(_stack, usual[kind], travels)
    return usual


def _stack(usual: Callable[..., Any], travels: bool, parts: Sequence[Any], *, collate_fn_map: Any) -> Any:
    """Return tensors or arrays as one tensor, without a copy if they are the rows of a batch."""
    first = parts[0]
    nbytes = _size(first)
    if not travels and nbytes and nbytes < _ROW and nbytes * len(parts) < _LARGE:
        return usual(parts, collate_fn_map=torchs.default_collate_fn_map)
    alike = nbytes and all(
        type(part) is type(first)
        and (part.shape, part.dtype) == (first.shape, first.dtype)
        and (part is first or not isinstance(part, torch.Tensor) or _size(part))
        for part in parts
    )
    if not nbytes or not alike:
        return usual(parts, collate_fn_map=torchs.default_collate_fn_map)
    whole = _rows(parts, nbytes)
    if whole is None:
        tensors = [torch.as_tensor(part) for part in parts]
        whole = ring.new_part(nbytes * len(parts), travels=travels) if nbytes * len(parts) >= _SMALL else None
        if whole is None:
            result = torch.stack(tensors)
            return _by_value(result) if travels else result
        torch.stack(tensors, out=_tensor(whole.memory, tensors[0].dtype, (len(parts), *first.shape)))
    array = whole.array(np.uint8, (nbytes * len(parts),))
    dtype = first.dtype if isinstance(first, torch.Tensor) else torch.as_tensor(first).dtype
    tensor = _tensor(array.view(np.ndarray), dtype, (len(parts), *first.shape))
    return _travelling(tensor, array) if travels else tensor


def _rows(parts: Sequence[Any], nbytes: int) -> ring.Part | None:
    if isinstance(parts[0], torch.Tensor):
        whole = ring.rows_at(parts, nbytes, torch.Tensor.data_ptr)
        return whole if whole and all(part.is_contiguous() for part in parts) else None
    whole = ring.rows_at(parts, nbytes)
    return whole if whole and all(part.flags.c_contiguous for part in parts) else None


def _collate_numbers(usual: Callable[..., Any], parts: Sequence[Any], *, collate_fn_map: Any) -> Any:
    """Collate numbers as torch does, to a tensor that is sent by value."""
    result = usual(parts, collate_fn_map=torchs.default_collate_fn_map)
    return _by_value(result) if isinstance(result, torch.Tensor) else result


def _by_value(tensor: torch.Tensor) -> torch.Tensor:
    return _travelling(tensor, tensor.reshape(-1).view(torch.uint8).numpy())


def _travelling(tensor: torch.Tensor, array: npt.NDArray[np.uint8]) -> torch.Tensor:
    travelling = tensor.as_subclass(_Travelling)
    travelling.bytes = array
    return travelling


def _stamp(
    dataset: AugmentedDataset, positions: Sequence[SupportsIndex], indices: Sequence[SampleIndex]
) -> list[SampleIndex]:
    """Return positions with the epochs, occurrences and views of indices."""
    epoch, position = dataset.epoch, dataset.reader.position
    return [
        SampleIndex(position(number), index.epoch if epoch is None else epoch, index.occurrence, index.view)
        for number, index in zip(positions, indices, strict=True)
    ]
