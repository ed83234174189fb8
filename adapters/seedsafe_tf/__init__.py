"""seedsafe for tf.data."""

from seedsafe_tf.batches import augment
from seedsafe_tf.records import keyed

__all__ = ["augment", "keyed"]
