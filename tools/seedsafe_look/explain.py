"""``seedsafe explain``: one sample's parameters, from its key."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import redirect_stdout
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from seedsafe.data.folder.read import read_image
from seedsafe.ground.info import Info
from seedsafe.keys.key import SampleIndex, SampleKey
from seedsafe.pipeline.state import Applied
from seedsafe_look.options import explain as parser
from seedsafe_look.options import run
from seedsafe_look.parameters import plain, text
from seedsafe_look.subject import Subject, load

__all__ = ["main"]


class _NoSize(Info):
    """The info of a sample of unknown size."""

    __slots__ = ()

    def __init__(self) -> None:
        self._dtype = "uint8"
        self.given_boxes = self.position = self._length = None

    def __getattr__(self, name: str) -> Any:  # `shape` is never set
        raise ValueError(
            "the draws depend on the size of the sample: pass --size HxW (audio: SAMPLES, video: TxHxWxC) or --image FILE"
        )


def main(argv: list[str]) -> int:
    """Run the command.

    Args:
        argv: the arguments after `explain`.

    Returns:
        0, or 2 if the pipeline cannot be loaded, or the arguments do not determine the draws.

    Example:
        >>> import pathlib, tempfile
        >>> import seedsafe as ss
        >>> file = pathlib.Path(tempfile.mkdtemp(), "pipeline.json")
        >>> augment = ss.Compose([ss.RandomCrop(224), ss.HorizontalFlip(p=0.5)])
        >>> _ = file.write_text(augment.to_json())
        >>> main([str(file), "--seed", "42", "--epoch", "17", "--index", "1234", "--size", "480x640"])
        seed 42, epoch 17, index 1234
        RandomCrop      top=90, left=81
        HorizontalFlip  fired
        0
    """
    return run("explain", _print, parser().parse_args(argv))


def _print(options: argparse.Namespace) -> int:
    _without_opencv()
    with redirect_stdout(sys.stderr):  # the user's module may print
        subject = load(options.pipeline, seed=options.seed or 0, classes=options.classes)
        subject = subject.of_view(options.view)
        key, applied = _explain(subject, options)
    print(_as_json(subject, key, applied) if options.json else _as_text(key, applied))
    return 0


def _without_opencv() -> None:
    """Let pipelines load where OpenCV is not installed, because draws do not need it."""
    if find_spec("cv2") is None:
        sys.modules["cv2"] = _NoOpenCV("cv2")


class _NoOpenCV(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ImportError('this needs OpenCV: pip install "seedsafe[image]"')


def _explain(subject: Subject, options: argparse.Namespace) -> tuple[SampleKey, list[Applied]]:
    if subject.augment is None:
        raise ValueError(
            f"{subject.name} has no seedsafe pipeline, so parameters are only known after a read: use `seedsafe preview`"
        )
    subject.check_seed(options.seed)
    index = options.index if subject.reader is None else subject.reader.position(options.index)
    at = SampleIndex(index, epoch=options.epoch, occurrence=options.occurrence, view=options.view)
    infos = subject.infos(_description(subject, at, options), at)
    key = subject.key(at, options.seed or 0)
    return key, subject.augment.params(key, infos)


def _description(subject: Subject, at: SampleIndex, options: argparse.Namespace) -> Any:
    """Return what is known of the sample: its parts, or their infos."""
    shape = options.size if options.image is None else read_image(options.image).shape
    if shape is None:
        return _NoSize() if subject.reader is None else subject.parts(subject.read_base(at))
    try:
        boxes = None if options.boxes is None else np.asarray(json.loads(options.boxes), np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"--boxes must be JSON such as [[0,10,64,48]]: {error}") from None
    info = Info(shape if len(shape) != 2 else (*shape, 3), np.uint8, boxes)
    return {"video": info} if len(shape) == 4 else info


def _as_text(key: SampleKey, applied: list[Applied]) -> str:
    more = "".join(f", {name} {getattr(key, name)}" for name in ("occurrence", "view") if getattr(key, name))
    width = max((len(one.name) for one in applied), default=0)
    rows = (f"{one.name:{width}}  {text(one.params)}".rstrip() for one in applied)
    return "\n".join([f"seed {key.seed}, epoch {key.epoch}, index {key.index}{more}", *rows])


def _as_json(subject: Subject, key: SampleKey, applied: list[Applied]) -> str:
    of_key = {name: getattr(key, name) for name in ("seed", "epoch", "index", "occurrence", "view")}
    ops = {} if subject.augment is None else {one.name: one.op for one in subject.augment.streams()}
    steps = [
        {
            "name": name,
            "op": ops.get(name.partition("@")[0]),
            "fired": drawn is not None,
            "params": plain(drawn),
        }
        for name, drawn in applied
    ]
    return json.dumps({"pipeline": subject.name, "key": of_key, "applied": steps}, indent=1)
