"""Nodes that mix a sample with its partners."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from seedsafe.ground.info import TARGETS, Array, Info, Infos
from seedsafe.pipeline.blame import blame
from seedsafe.pipeline.labels import label_vector, select
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import Chain
from seedsafe.pipeline.rules import RuledSample, Rules, with_boxes
from seedsafe.pipeline.state import Applied, Partners, State, Trace

__all__ = ["Mixer", "MixingRoot", "Mixture", "Objects", "Samples", "no_dataset"]


Samples = list[dict[Any, Any]]
"""A sample and its partners."""


class Objects(NamedTuple):
    """The objects of one sample that go into a mixture.

    Args:
        rows: which objects, bool (N,).
        boxes: their boxes in the mixture, (M, 4 or more), or None if samples have no boxes.
        whole: the areas of these boxes before anything was cut off, (M,).
        masks: their masks in the mixture, or None if samples have none.
    """

    rows: Array
    boxes: Array | None
    whole: Array
    masks: list[Array] | None


class Mixture(NamedTuple):
    """The result of mixing a sample with its partners.

    Args:
        parts: the changed targets of the sample, without those of objects.
        shares: the share of each sample in the mixed label, the sample's own first.
        objects: the objects of each sample; empty if there are none.
    """

    parts: dict[str, Any]
    shares: tuple[float, ...]
    objects: tuple[Objects, ...] = ()


def no_dataset(name: str) -> ValueError:
    """Return the error for a transform that has no samples to mix with."""
    return ValueError(
        f"{name} mixes a sample with others of its dataset, but there is no dataset: pass the pipeline itself to AugmentedDataset "
        "or AugmentedSequence as augment=, or mix batches with BatchMix"
    )


class Mixer(Leaf):
    """A transform that mixes samples, bound to its stream.

    Args:
        transform: its ``mix(parts, params)`` returns the Mixture of the sample and its partners, whose positions are
            ``params.partners``.
        name: the name of its stream.
        ops: the ops of its stream.
        namer: the pipeline's, which knows the nodes to run on partners.
    """

    __slots__ = ("_before", "_rules")

    def __init__(self, transform: Any, name: str, ops: tuple[int, ...], namer: Namer) -> None:
        super().__init__(transform, name, ops, transform.draw)
        self._before = Chain(namer.before)
        self._rules = namer.rules

    def fire(self, sample: Any, draws: State) -> Any:
        """Mix the sample with its partners; a dict is changed in place."""
        try:
            return self._mix(sample, draws)
        except Exception as error:
            blame(error, self.name)
            raise

    def _mix(self, sample: Any, draws: State) -> Any:
        partners = draws.partners
        assert partners is not None
        alone = type(sample) is ndarray
        # A copy, because the base may reuse the memory when it reads a partner.
        parts = {"image": sample} if alone else sample
        own: dict[Any, Any] = {name: _copy(part) if name in TARGETS else part for name, part in parts.items()}
        array = own[self._choose(own)]
        if "boxes" in own and self._rules.boxes is None:
            raise ValueError(
                f"{self.name} combines the boxes and labels of several samples, but the pipeline has no boxes=: pass "
                'Compose([...], boxes=Boxes("pascal_voc", labels=["labels"]))'
            )
        if partners.length is None:
            raise ValueError(
                f"{self.name} chooses among all samples, but the dataset has no length: define __len__, or mix batches with BatchMix"
            )
        info = Info(array.shape, array.dtype, own.get("boxes"))
        info = info.of_dataset(partners.length, partners.position)
        params = self._draw_params(draws, info)
        view = draws.address.moment & 0xFFFF
        samples = [own]
        for position in params.partners:
            partner = partners.read(position, view, self._before, self._rules)
            samples.append(_checked(self.name, own, partner, position))
        result: Mixture = self.transform.mix(samples, params)
        if alone:
            return result.parts["image"]
        sample.update(own | result.parts)
        for name in self._rules.mixed_labels:
            if name in sample:
                sample[name] = _mix_labels([part[name] for part in samples], result.shares)
        if result.objects:
            self._join(sample, samples, result.objects)
        return sample

    def trace(self, infos: Infos, draws: State, record: Trace) -> Infos:
        """Append the drawn parameters to the record, and return the description of the result."""
        name = self.stream_name(draws)
        fires = self.fires(draws)
        info = self.info_of(infos)
        if info.position is None:
            info = info.of_dataset(info.length, draws.address.index)
        params = self._draw_params(draws, info) if fires else None
        record.append(Applied(name, params))
        if params is None:
            return infos
        result: Info = self.transform.out_info(info, params)
        infos = result if isinstance(infos, Info) else {**infos, self._choose(infos): result}
        return with_boxes(infos, None)  # the boxes of partners are unknown

    def _join(self, sample: dict[Any, Any], samples: Samples, objects: tuple[Objects, ...]) -> None:
        """Combine the objects of all samples, the boxes under the pipeline's rules."""
        if objects[0].masks is not None:
            own = samples[0]["masks"]
            masks = [mask for its in objects for mask in its.masks or ()]
            if isinstance(own, ndarray):
                blank = np.zeros((0, *sample["image"].shape[:2], *own.shape[3:]), own.dtype)
                sample["masks"] = np.stack(masks) if masks else blank
            else:
                sample["masks"] = type(own)(masks)
        if objects[0].boxes is not None:
            assert isinstance(sample, RuledSample)
            assert self._rules.boxes is not None
            labels = [
                {name: select(partner[name], its.rows) for name in self._rules.boxes.labels}
                for partner, its in zip(samples[1:], objects[1:], strict=True)
            ]
            edges = np.concatenate([its.boxes for its in objects if its.boxes is not None])
            whole = np.concatenate([its.whole for its in objects])
            sample.join(labels, edges, whole, sample["image"].shape[:2])


class MixingRoot:
    """The root of a pipeline that mixes samples, with their dataset.

    Args:
        chain: the pipeline's nodes, or those to run on partners.
        rules: the pipeline's rules.
        partners: the other samples, or None if there is no dataset.
        inside: whether the result stays in a pipeline, so boxes remain pixel edges.
    """

    __slots__ = ("_chain", "_inside", "_partners", "_rules", "ops")

    def __init__(self, chain: Chain, rules: Rules, partners: Partners | None, inside: bool) -> None:
        self._chain, self._rules, self._partners, self._inside = chain, rules, partners, inside
        self.ops = chain.ops

    def run(self, sample: Any, draws: State) -> Any:
        """Run all nodes on the sample; a dict is changed in place."""
        if self._partners is None:
            raise no_dataset(self._rules.mixer or "")
        self._label(sample)
        draws.partners = self._partners
        try:
            result = self._chain.run(sample, draws)
        finally:
            draws.partners = None
        return dict(result) if self._inside and isinstance(result, dict) else result

    def run_into(self, image: Array, draws: State, row: Array) -> Any:
        """Run all nodes on the image. The result is never in the row."""
        return self.run(image, draws)

    def _label(self, sample: Any) -> None:
        """Convert the labels to vectors, also if no transform fires, so all samples have labels of one form."""
        alone = type(sample) is ndarray
        for name, classes in self._rules.mixed_labels.items():
            if not alone and name in sample:
                sample[name] = label_vector(name, sample[name], classes)
            elif alone or not any(target in sample for target in ("mask", "masks", "boxes")):
                has = "is an array by itself" if alone else f"has {list(sample)}"
                raise ValueError(
                    f"the label {name!r} is mixed like the image, but the sample {has}: name the label, for instance with "
                    f'targets=("image", {name!r}), or pass label=None to the transform if there is none'
                )


def _copy(part: Any) -> Any:
    return part.copy() if isinstance(part, ndarray) else type(part)([mask.copy() for mask in part])


def _checked(name: str, own: dict[Any, Any], partner: Any, position: int) -> dict[Any, Any]:
    """Return a partner as a dict, or raise an error unless it has the sample's targets, dtypes and channels."""
    result: dict[Any, Any] = {"image": partner} if isinstance(partner, ndarray) else partner
    it = f"its partner, sample {position},"
    for target in TARGETS:
        if (target in own) != (target in result):
            has, lacks = ("the sample", it) if target in own else (it, "the sample")
            raise ValueError(
                f"{name} needs samples with the same parts, but {has} has {target!r}, which {lacks} lacks: give all samples the same"
            )
        if target not in ("image", "mask") or target not in own:
            continue
        ours, theirs = own[target], result[target]
        if (ours.dtype, ours.ndim, ours.shape[2:]) != (theirs.dtype, theirs.ndim, theirs.shape[2:]):
            raise ValueError(
                f"{name} needs samples of one dtype and with the same channels, but the {target} has {ours.dtype} and the shape "
                f"{ours.shape}, that of {it} {theirs.dtype} and {theirs.shape}: convert them in the dataset"
            )
    return result


def _mix_labels(vectors: list[Array], shares: tuple[float, ...]) -> Array:
    """Return the sum of label vectors, each times its share."""
    if len({len(vector) for vector in vectors}) > 1:
        raise ValueError(
            f"mixed labels must have one length, got {sorted({len(vector) for vector in vectors})}: pass classes="
        )
    total: Array = vectors[0] * np.float32(shares[0])
    for vector, share in zip(vectors[1:], shares[1:], strict=True):
        total += vector * np.float32(share)
    return total
