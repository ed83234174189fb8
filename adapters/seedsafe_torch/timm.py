"""The short name of `seedsafe_torch.trainers.timm`."""

from seedsafe_torch.trainers.timm import keyed_loader

__all__ = ["keyed_loader"]
