"""Bridges: other libraries' datasets and transforms, keyed."""

from seedsafe.bridging.member import Bridged, bridge
from seedsafe.bridging.options import Bridge, NotReproducible, register_hook
from seedsafe.bridging.region import keyed

__all__ = ["Bridge", "Bridged", "NotReproducible", "bridge", "keyed", "register_hook"]
