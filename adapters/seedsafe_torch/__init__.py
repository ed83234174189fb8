"""seedsafe for PyTorch: keyed datasets, samplers and loaders."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seedsafe_torch.on_device import OnDevice
    from seedsafe_torch.tensor_draws import TensorDraws, draws

try:
    from seedsafe_torch.collating import mix
    from seedsafe_torch.conversion.pipeline import convert
    from seedsafe_torch.dataset import AugmentedDataset, Envelope
    from seedsafe_torch.distributed import DistributedKeyedSampler
    from seedsafe_torch.faults import skip_collate
    from seedsafe_torch.in_place import collate, why_not_in_place
    from seedsafe_torch.iterable import AugmentedIterable
    from seedsafe_torch.loading import loader, peek
    from seedsafe_torch.order import EpochOrder
    from seedsafe_torch.sampler import KeyedSampler
    from seedsafe_torch.shards import Shards
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError(
        "seedsafe_torch needs PyTorch, which is not installed: pip install 'seedsafe[torch]'", name="torch"
    ) from error

__all__ = [
    "AugmentedDataset",
    "AugmentedIterable",
    "DistributedKeyedSampler",
    "Envelope",
    "EpochOrder",
    "KeyedSampler",
    "OnDevice",
    "Shards",
    "TensorDraws",
    "collate",
    "convert",
    "draws",
    "loader",
    "mix",
    "peek",
    "skip_collate",
    "why_not_in_place",
]

_ROOM_OF = {"OnDevice": "on_device", "TensorDraws": "tensor_draws", "draws": "tensor_draws"}
"""The files of names that load torch's compiler, which takes a process a second."""


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'seedsafe_torch' has no attribute {name!r}", name=name)
    value = globals()[name] = getattr(import_module(f"seedsafe_torch.{_ROOM_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
