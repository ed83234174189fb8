"""timm's prefetcher, which erases in the training process."""

from __future__ import annotations

import warnings

from seedsafe_torch import frames

__all__ = ["UNKEYED", "warn_of_erasing"]

UNKEYED = (
    "timm's prefetcher erases in the training process, where there is no key: pass use_prefetcher=False to create_loader, "
    "which then erases in each sample, or re_prob=0"
)


def warn_of_erasing() -> None:
    """Warn if timm's ``create_loader`` is making such a loader of what calls this function, or such a prefetcher reads it."""
    made = any(
        names.get("use_prefetcher")
        and names.get("is_training")
        and not names.get("no_aug")
        and names.get("re_prob", 0) > 0
        for names in frames.names_in("create_loader")
    )
    reading = frames.objects_in("__iter__")
    if made or any(getattr(one, "random_erasing", None) is not None for one in reading):
        warnings.warn(UNKEYED, stacklevel=frames.users_level())
