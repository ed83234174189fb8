from .noise import add_noise
