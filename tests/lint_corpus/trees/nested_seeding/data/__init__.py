from .base import BaseSet
from .masked import MaskedSet

__all__ = ['BaseSet', 'MaskedSet']
