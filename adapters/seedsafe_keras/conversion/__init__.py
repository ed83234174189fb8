"""Keras's image transforms as seedsafe pipelines."""

from seedsafe_keras.conversion.flows import check_flow, convert_flow
from seedsafe_keras.conversion.pipeline import convert

__all__ = ["check_flow", "convert", "convert_flow"]
