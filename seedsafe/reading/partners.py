"""The other samples of a dataset, for mixing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seedsafe.bridging.options import NotReproducible
from seedsafe.keys.key import SampleIndex, SampleKey
from seedsafe.pipeline.node import Chain, run
from seedsafe.pipeline.rules import Rules
from seedsafe.reading.augment import Opened, targets_of
from seedsafe.reading.bound import BoundAugment
from seedsafe.reading.faults import Faults, PartnerError, path_of, reason
from seedsafe.reading.fetch import Fetching
from seedsafe.reading.forms import opened
from seedsafe.reading.inside import SharedSeedError
from seedsafe.reading.keying import Keying
from seedsafe.reading.structure import take_apart
from seedsafe.reading.targets import Targets

__all__ = ["Dataset", "OtherSamples"]


class Dataset:
    """A dataset whose pipeline mixes samples. Partners are read by the same step as all samples.

    Args:
        base: the dataset.
        keying: gives samples their keys.
        fetch: reads the base.
        bound: the pipeline.
        targets: see Targets.
        faults: the treatment of partners that fail.
        worker: see `SampleError`.
    """

    def __init__(
        self,
        base: Any,
        keying: Keying,
        fetch: Fetching,
        bound: BoundAugment,
        targets: Targets,
        faults: Faults,
        worker: Callable[[], int | str | None],
    ) -> None:
        self.base, self._keying, self._fetch = base, keying, fetch
        self._bound, self._targets, self._faults, self._worker = bound, targets, faults, worker

    def around(self, at: SampleIndex) -> OtherSamples:
        """Return the other samples around one of them."""
        return OtherSamples(self, at)

    def partner(self, at: SampleIndex, view: int, before: Chain, rules: Rules) -> Any:
        """Return a sample to mix into another one, after the first transforms of the pipeline.

        Args:
            at: the position of this sample, with the epoch, occurrence and view of the other one.
            view: the view in the other sample's key.
            before: the nodes of the first transforms.
            rules: the rules of the pipeline.

        Raises:
            PartnerError: the sample could not be read or augmented.
        """
        own, position = self._keying.key(at), int(at)
        assert own is not None
        key = SampleKey(own.seed, own.epoch, own.index, occurrence=own.occurrence, view=view)
        # Its own partners, if a transform before mixes too.
        assert rules.mixing_root is not None
        root = rules.mixing_root(before, rules, self.around(at), True)

        def read(source: int) -> Any:
            parts = self._arrays(self._fetch.read(source, at, own, counts=False))
            return run(root, parts, key, rules)

        try:
            return read(position)
        except (NotReproducible, SharedSeedError):
            raise
        except Exception as error:
            if self._faults.on_error == "replace":
                return self._faults.recover(error, self.base, position, key, read, self._worker())
            path = path_of(self.base, position)
            file = "" if path is None else f" ({path!r})"
            raise PartnerError(f"its partner, sample {position}{file}, failed: {reason(error)}") from error

    def _arrays(self, sample: Any) -> Any:
        """Return the targets of a sample as arrays: an array, or a dict."""
        bound = self._bound
        targets = targets_of(bound, sample, self._targets)
        parts, _ = take_apart(sample, targets)
        if isinstance(parts, dict):
            return Opened(bound, parts).arrays
        return opened(parts, bound.target, bound.channels_first)[0]


class OtherSamples:
    """The samples of a dataset around one of them; see `seedsafe.pipeline.state.Partners`."""

    __slots__ = ("_at", "_dataset")

    def __init__(self, dataset: Dataset, at: SampleIndex) -> None:
        self._dataset = dataset
        self._at = at

    @property
    def length(self) -> int | None:
        """The number of samples, or None if it is unknown."""
        base = self._dataset.base
        return len(base) if hasattr(base, "__len__") else None

    @property
    def position(self) -> int:
        """The position of the sample that others are mixed into."""
        return int(self._at)

    def read(self, position: int, view: int, before: Chain, rules: Rules) -> Any:
        """Return another sample; see `Dataset.partner`."""
        at = self._at
        at = SampleIndex(position, at.epoch, at.occurrence, at.view)
        return self._dataset.partner(at, view, before, rules)
