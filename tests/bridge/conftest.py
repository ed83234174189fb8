"""What has to be said before the libraries are imported."""

import os

import operators  # noqa: F401  # it declares what libraries miss

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"  # it asks the network for newer versions at import
os.environ["YOLO_OFFLINE"] = "true"  # so does ultralytics
os.environ["YOLO_VERBOSE"] = "false"
