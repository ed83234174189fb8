"""Bridges: other libraries' datasets and transforms, keyed."""

from seedsafe.bridging.hooks import register_hook
from seedsafe.bridging.member import Bridged, bridge
from seedsafe.bridging.options import Bridge, NotReproducible
from seedsafe.bridging.region import keyed

__all__ = ["Bridge", "Bridged", "NotReproducible", "bridge", "keyed", "register_hook"]
