"""Who calls a sampler: trainers and loops.

A sampler asks its Caller seven questions: which epoch does it mean by the number that it sets, has it read that epoch before, where does it
resume, does it share the indices out, does it only count them, does it leave passes by design, and which DataLoader's workers may be ahead of
training? Each file here says how one trainer's Caller is known, by a documented class or attribute
where there is one. That costs a look at the calling frames when a pass begins or an epoch is set, and nothing per sample.

What else depends on a trainer needs no Caller: most trainers' epoch and position after a resume come from a callback or from an argument, in
the trainer's file in `seedsafe_torch.trainers`.
"""

from typing import Any

from seedsafe_torch.callers import accelerate, ignite, lightning, speechbrain, torchio
from seedsafe_torch.callers.caller import Caller, sharing_error

__all__ = ["Caller", "caller_of", "sharing_error"]


def caller_of(sampler: Any) -> Caller:
    """Return who sets the epoch of a sampler, or draws its indices, at this time."""
    found = (trainer.caller_of(sampler) for trainer in (accelerate, lightning, ignite, speechbrain, torchio))
    return next((caller for caller in found if caller is not None), Caller())
