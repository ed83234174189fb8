"""Every transform under the path ``albumentations.augmentations``, whichever of its modules it is in there."""

from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    import seedsafe_albumentations

    return getattr(seedsafe_albumentations, name)
