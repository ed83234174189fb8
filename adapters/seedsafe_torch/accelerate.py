"""The short name of `seedsafe_torch.trainers.accelerate`."""

from seedsafe_torch.trainers.accelerate import epochs

__all__ = ["epochs"]
