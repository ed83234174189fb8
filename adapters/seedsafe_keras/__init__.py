"""seedsafe for Keras 3 and tf-keras 2."""

from seedsafe_keras.conversion.pipeline import convert
from seedsafe_keras.epoch import EpochCallback
from seedsafe_keras.fit import evaluate, fit
from seedsafe_keras.sequence import AugmentedSequence

__all__ = ["AugmentedSequence", "EpochCallback", "convert", "evaluate", "fit"]
