from .data import Images
from .noise import add_noise
