"""What has to be said before the libraries are imported."""

import os

import operators  # noqa: F401  # it declares what torchvision misses

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"  # it asks the network for newer versions at import
