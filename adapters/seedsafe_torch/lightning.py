"""The short name of `seedsafe_torch.trainers.lightning`."""

from seedsafe_torch.trainers.lightning import ResumeCallback

__all__ = ["ResumeCallback"]
