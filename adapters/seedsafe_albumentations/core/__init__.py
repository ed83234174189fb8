"""The paths below ``albumentations.core`` that users import from."""
