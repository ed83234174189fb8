"""seedsafe for Ray: rows of Ray Data augmented by (seed, epoch, id), and Ray Train's loaders with their epochs."""

from seedsafe_ray.data import augment
from seedsafe_ray.train import prepare_data_loader

__all__ = ["augment", "prepare_data_loader"]
