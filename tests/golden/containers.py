"""Pipelines of containers."""

import seedsafe as ss

IMAGE = (37, 53, 3)
MEMBERS = [ss.RandomCrop(9), ss.RandomCrop(11), ss.RandomCrop(13)]

PIPELINES = {
    "Choice": (ss.Compose([ss.Choice(MEMBERS, weights=[1, 0, 2.5], p=0.9)]), IMAGE),
    "Choice, all alike": (ss.Compose([ss.Choice(MEMBERS, weights=[0.1, 0.1, 0.1])]), IMAGE),
}
EXACT = {"Choice", "Choice, all alike"}
