"""seedsafe for Ray: rows of Ray Data augmented by (seed, epoch, id), and Ray Train's loaders with their epochs."""

from seedsafe_ray.data import augment

__all__ = ["augment"]
