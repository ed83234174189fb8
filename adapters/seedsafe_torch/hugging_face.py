"""The short name of `seedsafe_torch.trainers.hugging_face`."""

from seedsafe_torch.trainers.hugging_face import EpochCallback

__all__ = ["EpochCallback"]
