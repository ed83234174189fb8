"""Samples that are mixed with others of their dataset: the node that does it, and the root of a pipeline that has one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from seedsafe.ground.info import TARGETS, Array, Info, Infos
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.labels import label_vector, of_rows
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.naming import stream_name
from seedsafe.pipeline.node import Chain, Node
from seedsafe.pipeline.rules import Ruled, Rules, with_boxes
from seedsafe.pipeline.state import Applied, Partners, State, Traced

__all__ = ["Mixer", "Mixture", "Objects", "Partnered", "no_dataset"]


class Objects(NamedTuple):
    """What a mixture takes of the objects of one sample.

    Args:
        rows: which of them, bool (N,).
        boxes: of those, where they are now, (M, 4 or more); None where samples have no boxes.
        whole: the areas of these before anything was cut off, (M,).
        masks: of those, as they are now; None where samples have none.
    """

    rows: Array
    boxes: Array | None
    whole: Array
    masks: list[Array] | None


class Mixture(NamedTuple):
    """What a transform makes of a sample and its partners.

    Args:
        parts: the targets of the sample that it has changed, without those of objects.
        shares: of each sample in the mixed label, the sample's own first.
        objects: of each sample; empty where there are none.
    """

    parts: dict[str, Any]
    shares: tuple[float, ...]
    objects: tuple[Objects, ...] = ()


def no_dataset(name: str) -> ValueError:
    """Return the error for a transform that has no samples to mix with."""
    return ValueError(
        f"{name} mixes a sample with others of its dataset, and there is no dataset: pass the pipeline itself to AugmentedDataset "
        "or AugmentedSequence as augment=; a ready batch is mixed by BatchMix"
    )


class Mixer(Leaf):
    """A transform that mixes samples, bound to its stream.

    Args:
        transform: its ``mix(parts, params)`` returns a Mixture of the sample and its partners, and ``params.partners`` are the
            positions of these.
        name: of the stream.
        ops: of the stream.
        draw: of the transform.
        before: the nodes that partners run through.
        rules: of the pipeline.
    """

    __slots__ = ("_before", "_rules")

    def __init__(
        self,
        transform: Any,
        name: str,
        ops: tuple[int, ...],
        draw: Callable[[Draws, Info], Any],
        before: Sequence[Node],
        rules: Rules,
    ) -> None:
        super().__init__(transform, name, ops, draw)
        self._before = Chain(before)
        self._rules = rules

    def run(self, sample: Any, draws: State) -> Any:
        """Return the sample, mixed; a dict is changed in place."""
        alone = type(sample) is ndarray
        partners = draws.partners
        if partners is None:
            raise no_dataset(self.name)
        rng = self._enter(draws)
        if rng is None:
            return sample
        # A copy: the base may fill the same memory again when it reads a partner.
        own: dict[Any, Any] = {"image": sample.copy()} if alone else _copied(sample)
        array = own[self._choose(own)]
        if "boxes" in own and self._rules.boxes is None:
            raise ValueError(
                f"{self.name} puts the boxes of several samples together, and their labels: say how they are written, with "
                'Compose([...], boxes=Boxes("pascal_voc", labels=["labels"]))'
            )
        if partners.length is None:
            raise ValueError(
                f"{self.name} chooses among all samples: define __len__ on the dataset, or mix batches with BatchMix"
            )
        info = Info(array.shape, array.dtype, own.get("boxes"))
        info = info.of_dataset(partners.length, partners.position)
        params = self._drawn(rng, info)
        view = draws.address.moment & 0xFFFF
        parts = [own]
        for position in params.partners:
            other = partners.read(position, view, self._before, self._rules)
            parts.append(_alike(self.name, own, other, position))
        result: Mixture = self.transform.mix(parts, params)
        if alone:
            return result.parts["image"]
        sample.update(own | result.parts)
        for name in self._rules.mixed:
            if name in sample:
                sample[name] = _mixed([part[name] for part in parts], result.shares)
        if result.objects:
            self._join(sample, parts, result.objects)
        return sample

    def run_into(self, sample: Any, draws: State, row: Array) -> Any:
        """Return what `run` does."""
        return self.run(sample, draws)

    def trace(self, infos: Infos, draws: State, record: Traced) -> Infos:
        """Append what is drawn to the record, and return the description of the result."""
        name = stream_name(self.name, draws.counts.get(self.name, 0))
        rng = self._enter(draws)
        info = self.info_of(infos)
        if info.position is None:
            info = info.of_dataset(info.length, draws.address.index)
        params = None if rng is None else self._drawn(rng, info)
        record.append(Applied(name, params))
        if params is None:
            return infos
        result: Info = self.transform.out_info(info, params)
        infos = result if isinstance(infos, Info) else {**infos, self._choose(infos): result}
        return with_boxes(infos, None)  # those of the partners are not known

    def _join(
        self, sample: dict[Any, Any], parts: list[dict[Any, Any]], objects: tuple[Objects, ...]
    ) -> None:
        """Put the objects of all samples together, the boxes under the pipeline's rules."""
        if objects[0].masks is not None:
            given = parts[0]["masks"]
            masks = [mask for one in objects for mask in one.masks or ()]
            if isinstance(given, ndarray):
                blank = np.zeros((0, *sample["image"].shape[:2], *given.shape[3:]), given.dtype)
                sample["masks"] = np.stack(masks) if masks else blank
            else:
                sample["masks"] = type(given)(masks)
        if objects[0].boxes is not None:
            assert isinstance(sample, Ruled)
            assert self._rules.boxes is not None
            taken = [
                {name: of_rows(part[name], one.rows) for name in self._rules.boxes.labels}
                for part, one in zip(parts[1:], objects[1:], strict=True)
            ]
            edges = np.concatenate([one.boxes for one in objects if one.boxes is not None])
            whole = np.concatenate([one.whole for one in objects])
            sample.joined(taken, edges, whole, sample["image"].shape[:2])


class Partnered:
    """The root of a pipeline that mixes samples, with the dataset that they are of.

    Args:
        chain: the pipeline's nodes, or those that partners run through.
        rules: of the pipeline.
        partners: the other samples; None where there are none.
        inside: whether what comes out goes on in a pipeline: boxes stay pixel edges.
    """

    __slots__ = ("_chain", "_inside", "_partners", "_rules", "ops")

    def __init__(
        self, chain: Chain, rules: Rules, partners: Partners | None = None, *, inside: bool = False
    ) -> None:
        self._chain = chain
        self._rules = rules
        self._partners = partners
        self._inside = inside
        self.ops = chain.ops

    def beside(self, partners: Partners) -> Partnered:
        """Return the same pipeline with a dataset."""
        return Partnered(self._chain, self._rules, partners)

    def run(self, sample: Any, draws: State) -> Any:
        """Return the sample through all nodes; a dict is changed in place."""
        if self._partners is None:
            raise no_dataset(next(leaf.name for leaf in self.leaves() if isinstance(leaf, Mixer)))
        self._label(sample)
        draws.partners = self._partners
        try:
            result = self._chain.run(sample, draws)
        finally:
            draws.partners = None
        return dict(result) if self._inside and isinstance(result, dict) else result

    def run_into(self, sample: Any, draws: State, row: Array) -> Any:
        """Return what `run` does."""
        return self.run(sample, draws)

    def trace(self, infos: Infos, draws: State, record: Traced) -> Infos:
        """Append what is drawn to the record, and return the description of the result."""
        return self._chain.trace(infos, draws, record)

    def leaves(self) -> Iterator[Leaf]:
        """Yield the transforms of all nodes."""
        return self._chain.leaves()

    def _label(self, sample: Any) -> None:
        """Make vectors of the labels, whether they are going to be mixed or not: all samples are to be alike."""
        alone = type(sample) is ndarray
        for name, classes in self._rules.mixed.items():
            if not alone and name in sample:
                sample[name] = label_vector(name, sample[name], classes)
            elif alone or not any(target in sample for target in ("mask", "masks", "boxes")):
                has = "is an array by itself" if alone else f"has {list(sample)}"
                raise ValueError(
                    f"the label {name!r} is mixed as the image is, and the sample {has}: name the label, for instance with "
                    f'targets=("image", {name!r}), or pass label=None to the transform if there is none'
                )


def _copied(sample: dict[Any, Any]) -> dict[Any, Any]:
    """Return a sample with copies of its targets."""

    def copied(part: Any) -> Any:
        return part.copy() if isinstance(part, ndarray) else type(part)([one.copy() for one in part])

    return {name: copied(part) if name in TARGETS else part for name, part in sample.items()}


def _alike(name: str, own: dict[Any, Any], other: Any, position: int) -> dict[Any, Any]:
    """Return a partner by target, or raise an error if it lacks something, or has another dtype or other channels."""
    found: dict[Any, Any] = {"image": other} if isinstance(other, ndarray) else other
    partner = f"its partner, sample {position},"
    for target in TARGETS:
        if (target in own) != (target in found):
            has, lacks = ("the sample", partner) if target in own else (partner, "the sample")
            raise ValueError(
                f"{name} needs samples with the same parts, and {has} has {target!r}, which {lacks} lacks: give all samples the same"
            )
        if target not in ("image", "mask") or target not in own:
            continue
        one, two = own[target], found[target]
        if (one.dtype, one.ndim, one.shape[2:]) != (two.dtype, two.ndim, two.shape[2:]):
            raise ValueError(
                f"{name} needs samples of one dtype and with the same channels, and the {target} has {one.dtype} and the shape "
                f"{one.shape}, that of {partner} {two.dtype} and {two.shape}: convert them in the dataset"
            )
    return found


def _mixed(vectors: list[Array], shares: tuple[float, ...]) -> Array:
    """Return the sum of label vectors, each times its share."""
    if len({len(one) for one in vectors}) > 1:
        raise ValueError(
            f"labels that are mixed must have one length, got {sorted({len(one) for one in vectors})}: pass classes="
        )
    total: Array = vectors[0] * np.float32(shares[0])
    for vector, share in zip(vectors[1:], shares[1:], strict=True):
        total += vector * np.float32(share)
    return total
