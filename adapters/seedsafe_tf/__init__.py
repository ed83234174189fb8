"""Seedsafe for tf.data: datasets whose every sample is a function of (seed, epoch, index)."""

from seedsafe_tf.batches import augment
from seedsafe_tf.records import keyed

__all__ = ["augment", "keyed"]
