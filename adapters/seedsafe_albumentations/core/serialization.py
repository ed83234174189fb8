"""from_dict, load, save and to_dict under the path that albumentations has for them."""

from seedsafe_albumentations.serialization import from_dict, load, save, to_dict

__all__ = ["from_dict", "load", "save", "to_dict"]
