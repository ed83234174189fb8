from augment.noise import (
    AddNoise,
    RandomGain,
)

__all__ = [
    "AddNoise",
    "RandomGain",
]
