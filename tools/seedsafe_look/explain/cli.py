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

from seedsafe.ground.info import Info
from seedsafe.keys.key import SampleIndex, SampleKey
from seedsafe.pipeline.state import Applied
from seedsafe_look.explain.options import parser
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
    options = parser().parse_args(argv)
    try:
        _without_opencv()
        with redirect_stdout(sys.stderr):  # the user's module may print
            subject = load(options.pipeline, seed=options.seed or 0, classes=options.classes)
            subject = subject.of_view(options.view)
            key, applied = _explain(subject, options)
    except (ValueError, TypeError, ImportError, OSError, LookupError, RuntimeError) as error:
        reason = (
            error.args[0] if isinstance(error, KeyError) and error.args else error
        )  # str() puts a key in quotes
        print(f"seedsafe explain: {reason}", file=sys.stderr)
        return 2
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
    at = SampleIndex(options.index, epoch=options.epoch, occurrence=options.occurrence, view=options.view)
    if subject.augment is None:
        raise ValueError(
            f"{subject.name} has no seedsafe pipeline, so parameters are only known after a read: use `seedsafe preview`"
        )
    if subject.reader is not None and options.seed is not None and options.seed != subject.reader.seed:
        raise ValueError(
            f"{subject.name} has the seed {subject.reader.seed}, got --seed {options.seed}: leave it out, or name the pipeline"
        )
    if subject.reader is not None:
        at = SampleIndex(subject.reader.position(int(at)), at.epoch, at.occurrence, at.view)
    key = subject.key(at, options.seed or 0)
    return key, subject.augment.params(key, _description(subject, at, options))


def _description(subject: Subject, at: SampleIndex, options: argparse.Namespace) -> Any:
    if options.image is not None:
        shape: tuple[int, ...] | None = (*_size_of(options.image), 3)
    else:
        shape = options.size
    if shape is None and subject.reader is not None:
        return subject.infos(_arrays(subject.parts(subject.read_base(at))), at)
    if shape is None:
        return _NoSize()
    boxes = None
    if options.boxes is not None:
        try:
            boxes = np.asarray(json.loads(options.boxes), np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"--boxes must be JSON such as [[0,10,64,48]]: {error}") from None
    try:
        dtype = np.dtype(options.dtype)
    except TypeError:
        raise ValueError(
            f"--dtype must be a dtype of NumPy, such as uint8 or float32, got {options.dtype!r}"
        ) from None
    info = Info(shape if len(shape) != 2 else (*shape, 3), dtype, boxes)
    return subject.infos({"video": info} if len(shape) == 4 else info, at)


def _arrays(parts: Any) -> Any:
    from seedsafe.reading.forms import opened

    if isinstance(parts, dict):
        return {name: opened(part, name, False)[0] for name, part in parts.items()}
    return opened(parts, "image", False)[0]


def _size_of(file: str) -> tuple[int, int]:
    """Return the height and width of an image, turned as its EXIF says."""
    if find_spec("cv2") is not None:
        from seedsafe.data.folder.read import read_image

        height, width, _ = read_image(file).shape
        return height, width
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise ImportError(
            '--image needs OpenCV or Pillow: pip install "seedsafe[image]", or pass --size'
        ) from None
    with Image.open(file) as image:
        width, height = ImageOps.exif_transpose(image).size
    return height, width


def _as_text(key: SampleKey, applied: list[Applied]) -> str:
    more = "".join(f", {name} {getattr(key, name)}" for name in ("occurrence", "view") if getattr(key, name))
    width = max((len(one.name) for one in applied), default=0)
    rows = (f"{one.name:{width}}  {text(one.params)}".rstrip() for one in applied)
    return "\n".join([f"seed {key.seed}, epoch {key.epoch}, index {key.index}{more}", *rows])


def _as_json(subject: Subject, key: SampleKey, applied: list[Applied]) -> str:
    names = ("seed", "epoch", "index", "occurrence", "view")
    ops = {} if subject.augment is None else {one.name: one.op for one in subject.augment.streams()}
    return json.dumps(
        {
            "pipeline": subject.name,
            "key": {name: getattr(key, name) for name in names},
            "applied": [
                {
                    "name": one.name,
                    "op": ops.get(one.name.partition("@")[0]),
                    "fired": one.params is not None,
                    "params": plain(one.params),
                }
                for one in applied
            ],
        },
        indent=1,
    )
