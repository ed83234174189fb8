"""ToTensorV2 under the other path that albumentations has for it."""

from seedsafe_albumentations.pytorch import ToTensor, ToTensorV2

__all__ = ["ToTensor", "ToTensorV2"]
