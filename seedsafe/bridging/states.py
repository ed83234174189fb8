"""Names that moved: `global_generators` and what it returns, `held_generators`, `unseeded_generators`."""

from seedsafe.bridging.entropy import unseeded_generators
from seedsafe.bridging.generators import State, Stateful, global_generators
from seedsafe.bridging.search import held_generators

__all__ = ["State", "Stateful", "global_generators", "held_generators", "unseeded_generators"]
