"""seedsafe for Ray Data and Ray Train."""

from seedsafe_ray.data import augment
from seedsafe_ray.train import prepare_data_loader

__all__ = ["augment", "prepare_data_loader"]
