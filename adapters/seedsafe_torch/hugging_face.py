"""The short name of `seedsafe_torch.trainers.hugging_face`."""

from seedsafe_torch.trainers.hugging_face import EpochCallback, keyed

__all__ = ["EpochCallback", "keyed"]
