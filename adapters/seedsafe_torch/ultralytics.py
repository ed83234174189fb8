"""The short name of `seedsafe_torch.trainers.ultralytics`."""

from seedsafe_torch.trainers.ultralytics import keyed_loader

__all__ = ["keyed_loader"]
