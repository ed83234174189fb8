"""bridge: a callable of any library as a transform of a Compose."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from seedsafe.applying import released
from seedsafe.bridging.hooks import library_of, takes_seed
from seedsafe.bridging.options import Bridge, NotReproducible
from seedsafe.bridging.runner import KEYS, Runner
from seedsafe.bridging.same import as_array
from seedsafe.bridging.tensors import channels_last, takes_tensors, tensor_of
from seedsafe.bridging.words import Words
from seedsafe.checks import flag
from seedsafe.draws import Draws
from seedsafe.info import TARGETS, Array, Info, Infos
from seedsafe.key import Address, SampleKey, address, checked_int
from seedsafe.leaf import Leaf
from seedsafe.naming import Namer
from seedsafe.node import Node
from seedsafe.primitive import primitive
from seedsafe.rules import Rules, with_boxes
from seedsafe.transform import Transform

__all__ = ["Bridged", "bridge"]

CALLS = ("array", "tensor", "named", "dict")
_ALONE = ("array", "tensor")
_NAMED = {"boxes": "bboxes"}
"""Targets that libraries called with named arguments call otherwise."""

_WRAPPER = """If it is called otherwise, wrap it:

    def wrapped(image):
        made = transform(...)  # as its library calls it: with a picture, a tensor, a dict, a sample rate
        return ...  # an array or tensor out of what was made

    seedsafe.bridge(wrapped)"""

_set = object.__setattr__


def bridge(
    function: Callable[..., Any],
    *,
    call: str | None = None,
    values_only: bool = False,
    returns: str | tuple[int, ...] | None = None,
    name: str | None = None,
    options: Bridge = Bridge(),  # noqa: B008  # it is immutable
) -> Bridged:
    """Return a transform that calls a function, object or transform of any library, with all its randomness keyed.

    Its generators, of the process and stored, are set for each call from its stream in the pipeline. In its first calls
    it is checked; see `Bridged.verify`. What it is given is a copy, and what it returns becomes a NumPy array.

    Args:
        function: anything that can be called with a sample.
        call: how it is called. "array": with the image (or audio) alone. "tensor": with the image as a torch tensor,
            channels first, and a tensor that it returns gets its channels last again; so torchvision is called unless it
            begins with a conversion of its own. "named": ``function(image=…, mask=…)``, which returns a dict, as
            albumentations does. "dict": with the whole sample as a dict, as MONAI's dictionary transforms are. By
            default what its signature and class suggest, else "array".
        values_only: for "array" and "tensor": it moves nothing, so that mask, keypoints and boxes stay right without it. Otherwise a
            sample that has these is refused.
        returns: the shape of what it returns for an image (or audio): "same", or (H, W) or (H, W, C). With it `params` goes on
            to the transforms behind it; a result of another shape is refused.
        name: names its stream; by default ``bridge/`` and the name of its class or function.
        options: see Bridge.

    Raises:
        TypeError: it cannot be called, or needs arguments that a sample does not have.
        ValueError: call is unknown.
        NotReproducible: when called: one key gave two results, or two keys the same draws.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> def noisy(image):
        ...     return image + np.random.randint(0, 9, image.shape, np.uint8)
        >>> augment = ss.Compose([ss.RandomCrop(2), ss.bridge(noisy)])
        >>> image = np.zeros((4, 4), np.uint8)
        >>> once, again = (augment(image, key=ss.SampleKey(42, 3, 1234)) for _ in range(2))
        >>> bool((once == again).all())
        True
    """
    return Bridged(function, call=call, values_only=values_only, returns=returns, name=name, options=options)


@primitive(fresh=False)
@dataclass(frozen=True, slots=True, repr=False)
class Bridged(Transform):
    """What `bridge` returns: a transform whose parameters are the address of its seeds.

    Args:
        function: see bridge.
        call: see bridge.
        values_only: see bridge.
        returns: see bridge.
        options: see bridge.
        name: see bridge.

    Example:
        >>> import numpy as np
        >>> bridge(np.negative, name="minus")
        bridge(<ufunc 'negative'>, name='minus')
    """

    function: Callable[..., Any]
    call: str | None = field(default=None, kw_only=True)
    values_only: bool = field(default=False, kw_only=True)
    returns: str | tuple[int, ...] | None = field(default=None, kw_only=True)
    options: Bridge = field(default=Bridge(), kw_only=True)
    _runner: Runner = field(init=False, compare=False)
    _style: str = field(init=False, compare=False)
    _seeded: bool = field(init=False, compare=False)

    primary = ("image", "audio")

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(
                f"a bridge needs something to call, got {self.function!r}: pass a function or a transform"
            )
        if self.call is not None and self.call not in CALLS:
            raise ValueError(f"call must be one of {', '.join(map(repr, CALLS))}, got {self.call!r}")
        flag("values_only", self.values_only)
        _set(self, "returns", _shape(self.returns))
        if not isinstance(self.options, Bridge):
            raise TypeError(
                f"options must be a Bridge, got {self.options!r}: pass Bridge(opencv=True), for instance"
            )
        label = f"bridge({_name(self.function)}), of {library_of(self.function)},"
        _set(self, "_style", self.call or _style(self.function))
        _set(self, "_runner", Runner(self.function, self.options, label))
        _set(self, "_seeded", takes_seed(self.function))
        if self._style in _ALONE:
            _check_arguments(self.function)

    @property
    def moves(self) -> bool:
        """Return whether it is given boxes and keypoints, and may move them."""
        return self._style not in _ALONE

    @property
    def verdict(self) -> str:
        """Return "verified" if it was seen to draw from keyed generators only, in this process or a worker of it."""
        return self._runner.verdict

    def verify(self, sample: Any, *, keys: int = KEYS) -> str:
        """Run it on a sample for several keys, each several times, and return the verdict.

        Returns:
            "verified", or "unverified" where it drew from no keyed generator for any key, or a result cannot be compared.

        Raises:
            NotReproducible: one key gave two results, or two keys the same draws.

        Example:
            >>> import numpy as np
            >>> import seedsafe as ss
            >>> ss.bridge(np.copy).verify(np.zeros(3))
            'unverified'
        """
        addresses = [address(SampleKey(0, 0, index), 1) for index in range(keys)]
        call: Any = self._call_dict if isinstance(sample, dict) else self._call_array
        return self._runner.verify(addresses, lambda at: call(sample, at))

    def draw(self, rng: Draws, info: Info) -> Address:
        """Return the address of the seeds; it consumes nothing."""
        return rng.noise()

    def out_info(self, info: Info, params: Address) -> Info:
        """Return what `returns` says, or an info that tells nothing: what a bridged callable returns is known when it has run."""
        if self.returns is not None:
            return Info(info.shape if self.returns == "same" else self.returns)  # type: ignore[arg-type]
        return _Unknown(_name(self.function))

    def apply_image(self, image: Array, params: Address) -> Array:
        """Return what the callable makes of an image."""
        return self._made(self._run(self._call_array, image, params), image)

    def apply_audio(self, audio: Array, params: Address) -> Array:
        """Return what the callable makes of audio."""
        if self._style == "tensor":
            raise TypeError(
                f'{_name(self.function)} is called as call="tensor", which is for images: pass call="array" for audio'
            )
        return self._made(self._run(self._call_array, audio, params), audio)

    def apply_sample(self, sample: dict[Any, Any], target: str, params: Address) -> dict[Any, Any]:
        """Return what the callable makes of a dict of targets."""
        if self._style in _ALONE:
            others = [one for one in TARGETS if one in sample and one != target]
            if others and not self.values_only:
                raise ValueError(
                    f"{_name(self.function)} is given the {target} alone, and the sample has {others} as well: pass "
                    'call="named" or call="dict" if it takes them together, or values_only=True if it moves nothing'
                )
            apply = self.apply_audio if target == "audio" else self.apply_image
            return sample | {target: apply(sample[target], params)}
        made = self._run(self._call_dict, sample, params)
        if self.returns is not None:
            self._made(made[target], sample[target])
        return sample | {name: self._part(name, v) if name in TARGETS else v for name, v in made.items()}

    def bind(self, namer: Namer) -> Node:
        """Return this transform with its stream in a pipeline."""
        name, ops = namer.claim(self.name, f"bridge/{_name(self.function)}")
        return _BridgedLeaf(self, name, ops, self.draw)

    def _run(self, call: Callable[[Any, Address], Any], given: Any, params: Address) -> Any:
        def later() -> Callable[[Address], Any]:
            kept = _copied(given)  # the members that follow may write to what this one was given
            return lambda at: call(kept, at)

        return self._runner.run(params, lambda at: call(given, at), later)

    def _call_array(self, array: Array, params: Address) -> Any:
        if self._style == "array":
            return self._called(params, _copied(array))
        if self._style == "tensor":
            return channels_last(self._called(params, tensor_of(array)), array.ndim)
        return self._call_dict({"image": array}, params)["image"]

    def _call_dict(self, sample: dict[Any, Any], params: Address) -> dict[Any, Any]:
        given = _copied(sample)
        if self._style in _ALONE:
            return {"image": self._call_array(sample["image"], params)}
        if self._style == "dict":
            return self._a_dict(self._called(params, given))
        named = {_NAMED.get(name, name): part for name, part in given.items() if name in TARGETS}
        made = self._called(params, **named)
        if set(named) == {"image"} and as_array(made) is not None:
            return {"image": made}
        made = self._a_dict(made)
        return {name: made[_NAMED.get(name, name)] for name in given if name in TARGETS}

    def _called(self, params: Address, *given: Any, **named: Any) -> Any:
        try:
            return self.function(*given, **named, **self._seed(params))
        except Exception as error:
            what = ", ".join(map(_kind, given)) or ", ".join(
                f"{name}={_kind(part)}" for name, part in named.items()
            )
            error.add_note(
                f"{_name(self.function)} was called as call={self._style!r}, with {what}. {_WRAPPER}"
            )
            raise

    def _seed(self, params: Address) -> dict[str, int]:
        return {"invocation_seed": Words(params).integer(3) % 2**32} if self._seeded else {}

    def _a_dict(self, made: Any) -> dict[Any, Any]:
        if not isinstance(made, dict):
            raise TypeError(
                f"{_name(self.function)} was called as call={self._style!r} and must return a dict, got "
                f'{type(made).__name__}: pass call="array" if it returns the image alone. {_WRAPPER}'
            )
        return made

    def _part(self, name: str, made: Any) -> Any:
        return [self._made(mask) for mask in made] if name == "masks" else self._made(made)

    def _made(self, made: Any, given: Any = None) -> Array:
        array = as_array(made)
        if array is None or array.dtype.hasobject:
            raise TypeError(
                f"{_name(self.function)} must return an array, a tensor or a PIL image, got {type(made).__name__}: "
                f"wrap it in a function that returns one. {_WRAPPER}"
            )
        if self.returns is not None and given is not None:
            expected = given.shape if self.returns == "same" else self.returns
            if array.shape != expected:
                raise ValueError(
                    f"{_name(self.function)} was bridged with returns={self.returns!r} and returned the shape {array.shape} for "
                    f"{given.shape}: correct returns, or leave it out"
                )
        found: Array = array
        return found

    def __repr__(self) -> str:
        given = "".join(
            f", {n}={getattr(self, n)!r}" for n in ("call", "name") if getattr(self, n) is not None
        )
        return f"bridge({self.function!r}{given})"


class _BridgedLeaf(Leaf):
    """A bridged callable, bound to its stream: it is given a dict's parts together, and errors name the member."""

    __slots__ = ()

    def run(self, sample: Any, draws: Any) -> Any:
        try:
            return super().run(sample, draws)
        except NotReproducible as error:
            raise NotReproducible(f"in the transform {self.name!r} of the pipeline: {error}") from None

    @property
    def moves(self) -> bool:
        return bool(self.transform.moves)

    def mover(self, info: Info, params: Any) -> None:
        return None

    def out_infos(self, infos: Infos, params: Any, rules: Rules | None) -> Infos:
        made = super().out_infos(infos, params, None)
        return with_boxes(made, None) if self.moves else made

    def change(self, sample: dict[Any, Any], params: Any, info: Info, chosen: str | None) -> None:
        if chosen is None:
            raise ValueError(
                f"{self.name} is a bridge and needs {' or '.join(map(repr, self.transform.primary))} in the sample, got "
                f"{list(sample)}: replay the whole sample"
            )
        made = self.transform.apply_sample(sample, chosen, params)
        while made:
            name, part = made.popitem()
            sample[name] = released(part) if name in TARGETS and part is not sample.get(name) else part


class _Unknown(Info):
    """The info of what a bridged callable returns."""

    __slots__ = ("_maker",)

    def __init__(self, maker: str) -> None:
        self._maker = maker
        self._dtype = None
        self.given_boxes = None

    def with_boxes(self, boxes: Array | None) -> Info:
        return self

    def __getattr__(self, name: str) -> Any:  # of `shape`, which is never set
        raise ValueError(
            f"the {name} of what {self._maker} returns is not known before it runs: put transforms whose draws depend "
            'on it before the bridge, pass it returns="same" or returns=(height, width, channels), or run the pipeline instead '
            "of asking for params"
        )


def _copied(given: Any) -> Any:
    """Return an array, or a dict or list of them, that is nobody else's."""
    if isinstance(given, dict):
        return {name: _copied(part) for name, part in given.items()}
    if type(given) in (list, tuple):
        return type(given)([_copied(part) for part in given])
    return given.copy() if isinstance(given, np.ndarray) else given


def _name(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    named = getattr(function, "__name__", None)
    return named if isinstance(named, str) else type(function).__name__


def _parameters(function: Any) -> list[inspect.Parameter] | None:
    """Return the parameters of a call; of a torch module, whose call takes anything, those of its ``forward``."""
    called = getattr(function, "forward", function)
    try:
        return list(inspect.signature(called).parameters.values())
    except (TypeError, ValueError):
        return None  # written in C: the call will tell


def _style(function: Any) -> str:
    if takes_tensors(function):
        return "tensor"
    if any(cls.__name__ == "MapTransform" for cls in type(function).__mro__):
        return "dict"
    parameters = _parameters(function)
    if parameters is None:
        return "array"
    kinds = {one.kind for one in parameters}
    alone = not any(  # but for switches, as volumentations' force_apply
        one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and not isinstance(one.default, bool)
        for one in parameters
    )
    return "named" if alone and inspect.Parameter.VAR_KEYWORD in kinds else "array"


def _kind(part: Any) -> str:
    shape = getattr(part, "shape", None)
    return type(part).__name__ + (f" of shape {tuple(shape)}" if isinstance(shape, tuple) else "")


def _shape(returns: Any) -> Any:
    if returns is None or returns == "same":
        return returns
    if not isinstance(returns, tuple | list):
        raise TypeError(
            f'returns must be "same", a shape or None, got {returns!r}: pass (height, width, channels)'
        )
    return tuple(
        checked_int("a side in returns", side, 1, 2**31, "pass the shape of the result") for side in returns
    )


def _check_arguments(function: Any) -> None:
    parameters = _parameters(function)
    if parameters is None:
        return
    needed = [
        one.name
        for one in parameters
        if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    takes = [one for one in parameters if one.kind is not one.VAR_KEYWORD]
    if len(needed) > 1:
        rest = ", ".join(f"{one}=…" for one in needed[1:])
        raise TypeError(
            f"{_name(function)} needs the arguments {needed}, and a bridge has one, the sample: "
            f"fix the others with functools.partial({_name(function)}, {rest})"
        )
    if not takes or (not needed and takes[0].kind is inspect.Parameter.KEYWORD_ONLY):
        raise TypeError(
            f"{_name(function)} takes no argument, and a bridge passes the sample: give it one, or use "
            "seedsafe.keyed(key) around the call"
        )
