"""Bridges: keyed regions, stored generators, hooks, checks, threads, and what they refuse."""

from __future__ import annotations

import functools
import itertools
import pickle
import random
import re
import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cv2
import numpy as np
import pytest
import torch
from programs import python
from refused import refused

import seedsafe as ss
from seedsafe.bridging import generators as kinds
from seedsafe.bridging import in_place, sources
from seedsafe.bridging.again import content
from seedsafe.bridging.search import find
from seedsafe.bridging.words import Words, address_of, other_address
from seedsafe.keys.key import address

KEY, OTHER = ss.SampleKey(42, 3, 1234), ss.SampleKey(42, 3, 1235)
KEYS = [ss.SampleKey(42, epoch, index) for epoch in range(2) for index in range(20)]
GRAY = np.zeros((2, 3), np.float64)


def draws() -> list[Any]:
    """Draw from every generator of the process, in ways that keep something for later."""
    return [
        random.random(),
        random.gauss(0, 1),
        random.randbytes(3),
        np.random.rand(),
        np.random.randn(),
        np.random.randint(0, 100, 5).tolist(),
        torch.rand(2).tolist(),
        torch.randn(1).tolist(),
        torch.randperm(5).tolist(),
    ]


def states() -> list[Any]:
    return [random.getstate(), repr(np.random.get_state(legacy=False)), torch.get_rng_state().tolist()]


@pytest.fixture(autouse=True)
def _untouched_globals() -> Iterator[None]:
    np.random.randn()  # a gaussian may be cached
    before = states()
    yield
    assert states() == before


def under(key: ss.SampleKey, options: ss.Bridge = ss.Bridge()) -> list[Any]:  # noqa: B008
    with ss.keyed(key, options):
        return draws()


class TestKeyed:
    def test_draws_follow_the_key(self) -> None:
        assert under(KEY) == under(KEY)
        for one, other in zip(under(KEY), under(OTHER), strict=True):
            assert one != other

    @pytest.mark.parametrize("cached", [False, True])
    def test_globals_are_restored(self, cached: bool) -> None:
        saved = np.random.get_state(), random.getstate()
        np.random.seed(5)
        if cached:
            np.random.randn()
            random.gauss(0, 1)
        before = states()
        under(KEY)
        assert states() == before
        np.random.set_state(saved[0])
        random.setstate(saved[1])

    def test_globals_are_restored_after_an_error(self) -> None:
        before = states()
        with pytest.raises(ZeroDivisionError), ss.keyed(KEY):
            next(1 / (len(draws()) * 0) for _ in "x")
        assert states() == before

    @pytest.mark.parametrize("depth", [2, 4])
    def test_nested_regions_restore_in_order(self, depth: int) -> None:
        keys = [ss.SampleKey(42, 0, level) for level in range(depth)]
        wholes = [[under_twice(key)] for key in keys]

        def nest(level: int) -> list[Any]:
            with ss.keyed(keys[level]):
                first = draws()
                inner = nest(level + 1) if level + 1 < depth else []
                return [first + draws(), *inner]

        assert nest(0) == [whole for (whole,) in wholes]

    def test_one_object_may_be_entered_again(self) -> None:
        region = ss.keyed(KEY)
        with region:
            first = random.random()
            with region:
                assert random.random() == first
        with region:
            assert random.random() == first

    def test_the_words_are_the_contracts(self) -> None:
        stream = np.random.Philox(
            key=np.array([42, 0], np.uint64),
            counter=np.array([0, 3 << 32, ss.op_of("seedsafe/bridge") << 32, 1234], np.uint64),
        )
        words = stream.random_raw(3 * 320)
        with ss.keyed(KEY):
            given = random.getstate()[1]
            numpy_given = np.random.get_state()
            torch_given = torch.get_rng_state().numpy()[24 : 24 + 4992].view(np.uint64)
            seed = torch.initial_seed()
        assert given == (*words[:312].view(np.uint32).tolist(), 624)
        np.testing.assert_array_equal(numpy_given[1], words[312:624].view(np.uint32))
        assert numpy_given[2:] == (624, 0, 0.0)
        np.testing.assert_array_equal(torch_given, words[624:936].view(np.uint32))
        assert seed == words[624]

    def test_torchs_own_seed_has_32_bits_of_effect(self) -> None:  # why its state is set instead
        one, other = (torch.Generator().manual_seed(seed) for seed in (1, 2**32 + 1))
        assert torch.rand(4, generator=one).tolist() == torch.rand(4, generator=other).tolist()

    def test_the_slow_ways_key_as_well(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fast = under(KEY)
        monkeypatch.setattr(sources._usual[0], "_memory", None)
        monkeypatch.setattr(sources, "numpy_state", lambda bits: None)
        monkeypatch.setattr(sources._numpy, "_ours", [])
        monkeypatch.setattr(sources._AnyState, "state", None)  # whether a gaussian is cached cannot be told
        before = states()
        assert under(KEY) == fast
        assert under(OTHER) != fast
        assert states() == before

    def test_an_unknown_layout_of_torchs_state_is_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = states()
        monkeypatch.setattr(in_place, "torch_state", lambda torch: None)
        kinds._torch_state.cache_clear()
        message = rf"torch {re.escape(torch.__version__)} keeps the state .*expected as in torch 2.13.*: use torch 2.13"
        for _ in range(2):
            with pytest.raises(ss.NotReproducible, match=message), ss.keyed(KEY):
                pytest.fail("it is told before anything is drawn")
        assert states() == before

    def test_torchs_state_is_found_behind_another_header(self) -> None:
        class Longer:
            """A torch whose state has 16 more bytes after the seed."""

            def Generator(self) -> Any:  # noqa: N802
                return self

            def manual_seed(self, seed: int) -> Any:
                self.raw = torch.Generator().manual_seed(seed).get_state()
                return self

            def get_state(self) -> Any:
                return torch.cat([self.raw[:24], torch.full((16,), 7, dtype=torch.uint8), self.raw[24:]])

        found = in_place.torch_state(Longer())
        assert found is not None
        state, seed, words = found
        assert seed.tolist() == [2, 0]
        words[...] = np.arange(624)
        assert state.numpy()[40 : 40 + 8 * 624].view(np.uint64).tolist() == list(range(624))

    def test_memory_of_another_layout_is_not_used(self) -> None:
        class Other:
            state = {"state": {"key": np.ones(624, np.uint32), "pos": 624}}  # noqa: RUF012
            ctypes = np.random.MT19937(0).ctypes

        class Told(random.Random):
            def getstate(self) -> Any:
                return random.Random(1).getstate()

        class Torch:
            @staticmethod
            def Generator() -> Any:  # noqa: N802
                return type(
                    "G", (), {"manual_seed": lambda self, seed: torch.Generator().manual_seed(seed + 1)}
                )()

        class Reversed:
            """A torch that keeps the seed behind the words."""

            def Generator(self) -> Any:  # noqa: N802
                return self

            def manual_seed(self, seed: int) -> Any:
                self.raw = torch.Generator().manual_seed(seed).get_state()
                return self

            def get_state(self) -> Any:
                return torch.cat([self.raw[8:], self.raw[:8]])

        assert in_place.numpy_state(np.random.MT19937(0)) is not None
        assert in_place.numpy_state(Other()) is None  # type: ignore[arg-type]
        assert in_place.torch_state(torch) is not None
        assert in_place.python_state(random.Random(0)) is not None
        assert in_place.python_state(Told(0)) is None
        assert in_place.torch_state(Torch) is None
        assert in_place.torch_state(Reversed()) is None

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((5,), "key must be a SampleKey, got 5: pass SampleKey(seed, epoch, index)"),
            ((KEY, True), "options must be a Bridge, got True"),
        ],
    )
    def test_errors(self, arguments: Any, message: str) -> None:
        with pytest.raises(TypeError, match=re.escape(message)):
            ss.keyed(*arguments)


def under_twice(key: ss.SampleKey) -> list[Any]:
    with ss.keyed(key):
        return draws() + draws()


class TestAskedFor:
    def test_opencv(self) -> None:
        options = ss.Bridge(opencv=True)
        cv2.setRNGSeed(7)

        def noise() -> Any:
            return cv2.randu(np.empty((2, 3), np.uint8), 0, 255).tolist()

        seen = []
        for key in (KEY, OTHER, KEY):
            with ss.keyed(key, options):
                seen.append(noise())
        assert seen[0] == seen[2] != seen[1]
        after = noise()
        cv2.setRNGSeed(7)  # the program's own numbers follow its own seed, not the samples
        for key in (OTHER, KEY, OTHER):
            with ss.keyed(key, options):
                pass
        assert noise() == after not in seen

    def test_what_is_not_loaded_is_refused(self) -> None:
        code = (
            "import seedsafe as ss\n"
            "with ss.keyed(ss.SampleKey(42, 0, 0), ss.Bridge(opencv=True)):\n    pass\n"
        )
        done = python("-c", code, check=False)
        message = (
            "opencv=True keys the generators of cv2, which this process has not imported: import cv2 before"
        )
        assert message in done.stderr

    def test_an_option_is_a_bool(self) -> None:
        with pytest.raises(TypeError, match="opencv must be True or False, got 1"):
            ss.Bridge(opencv=1)  # type: ignore[arg-type]


def of_key(function: Callable[[], Any], key: ss.SampleKey) -> list[float]:
    made: np.ndarray = ss.Compose([ss.bridge(lambda image: image + function())])(GRAY, key=key)
    return made.ravel().tolist()


module_level = np.random.default_rng(0)


def uses_module_level() -> float:
    return [module_level.random() for _ in range(2)][1]


class Holder:
    """A class that keeps generators wherever one may."""

    def __init__(self, thing: Any) -> None:
        self.inner = {"deep": [1, (thing,)]}
        self.itself = self  # a cycle

    def __call__(self, image: Any) -> Any:
        return image + next_of(self.inner["deep"][1][0])  # type: ignore[index]


class Slotted:
    __slots__ = ("rng",)

    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def __call__(self, image: Any) -> Any:
        return image + next_of(self.rng)


def next_of(rng: Any) -> float:
    if isinstance(rng, torch.Generator):
        return torch.rand(1, generator=rng).item()
    if isinstance(rng, np.random.BitGenerator):
        return float(rng.random_raw() >> 11)
    return float(rng.random())


def generators() -> list[Any]:
    return [
        np.random.default_rng(0),
        np.random.Generator(np.random.MT19937(0)),
        np.random.Generator(np.random.Philox(0)),
        np.random.Generator(np.random.SFC64(0)),
        np.random.PCG64DXSM(0),
        np.random.RandomState(0),
        np.random.RandomState(np.random.PCG64(0)),
        random.Random(0),
        torch.Generator().manual_seed(0),
    ]


class TestStored:
    @pytest.mark.parametrize("holder", [Holder, Slotted])
    @pytest.mark.parametrize("place", range(len(generators())))
    def test_it_is_found_and_follows_the_key(self, holder: Any, place: int) -> None:
        thing = generators()[place]
        augment = ss.Compose([ss.bridge(holder(thing))])
        first = {key: augment(GRAY, key=key).tobytes() for key in KEYS}
        assert len(set(first.values())) == len(KEYS)
        twin = ss.Compose([ss.bridge(holder(generators()[place]))])
        for key in reversed(KEYS):
            assert twin(GRAY, key=key).tobytes() == first[key]

    @pytest.mark.parametrize("place", range(len(generators())))
    def test_it_is_restored(self, place: int) -> None:
        thing, twin = generators()[place], generators()[place]
        augment = ss.Compose([ss.bridge(Slotted(thing))])
        for key in KEYS[:3]:
            augment(GRAY, key=key)
        assert [next_of(thing) for _ in range(3)] == [next_of(twin) for _ in range(3)]

    def test_each_once_and_with_numbers_of_its_own(self) -> None:
        one, other = np.random.default_rng(0), np.random.default_rng(1)
        found = find([one, {"a": one, "b": other}])
        assert len(found.sources) == 2
        words = Words(address_of(KEY))
        for source in found.sources:
            source.key(words)
        assert one.random() != other.random()

    def test_module_level_class_level_closure_default_partial_and_bound_method(self) -> None:
        before = module_level.bit_generator.state
        local = np.random.default_rng(1)

        class Method:
            rng = np.random.default_rng(2)

            def draw(self, image: Any, by: Any = local) -> Any:
                return image + uses_module_level() + self.rng.random() + by.random()

        def closure(image: Any) -> Any:
            return image + local.random()

        def partial(rng: Any, image: Any) -> Any:
            return image + rng.random()

        class InClass:
            rng = random.Random(0)

            def __call__(self, image: Any) -> Any:
                return image + self.rng.random() + uses_module_level()

        for function in (
            Method().draw,
            closure,
            functools.partial(partial, np.random.default_rng(0)),
            InClass(),
        ):
            assert ss.bridge(function).verify(GRAY) == "verified"
        assert module_level.bit_generator.state == before

    def test_a_generator_that_is_made_at_the_first_call(self) -> None:
        class Lazy:
            rng: Any = None

            def __call__(self, image: Any) -> Any:
                if self.rng is None:
                    self.rng = np.random.default_rng()
                return image + self.rng.random()

        values = [ss.Compose([ss.bridge(Lazy())])(GRAY, key=KEY).tolist() for _ in range(2)]
        assert values[0] == values[1]

    def test_a_generator_that_is_replaced(self) -> None:
        class Plain:
            def __init__(self) -> None:
                self.rng = np.random.default_rng(0)

            def __call__(self, image: Any) -> Any:
                return image + self.rng.random()

        plain = Plain()
        augment = ss.Compose([ss.bridge(plain)])
        first = augment(GRAY, key=KEY).tolist()
        plain.rng = np.random.default_rng(1)
        assert augment(GRAY, key=KEY).tolist() == first

    def test_the_processes_own_generators_are_no_stored_ones(self) -> None:
        own = [np.random.mtrand._rand, random._inst, torch.default_generator]  # type: ignore[attr-defined]
        assert find(own).sources == ()


class Monai:
    """Hides its generator behind MONAI's hook."""

    def set_random_state(self, seed: Any = None, state: Any = None) -> Monai:
        self.hidden = iter([state.rand()])
        return self

    def __call__(self, image: Any) -> Any:
        return image + next(self.hidden)


class Albumentations:
    def set_random_state(self, random_generator: Any, py_random: Any) -> None:
        self.hidden = iter([random_generator.random() + py_random.random()])

    __call__ = Monai.__call__


class SeededByItsCaller(Albumentations):
    """Is seeded in a read if it has another seed than torch, as ultralytics does with albumentations."""

    seed: int | None

    def __init__(self) -> None:
        self.seed = None

    def __call__(self, image: Any) -> Any:
        if self.seed != torch.initial_seed():
            self.seed = torch.initial_seed()
            self.hidden = iter([random.Random(self.seed).random()])
        return super().__call__(image)


class SeedOnly(Albumentations):
    def set_random_state(self, seed: int) -> None:  # type: ignore[override]
        self.hidden = iter([seed])


class RandomSeed:
    def set_random_seed(self, seed: int) -> None:
        self.hidden = iter([seed])

    __call__ = Monai.__call__


class SeedInPlace:
    def seed_(self, entropy: int | None = None) -> None:
        self.hidden = iter([entropy])

    __call__ = Monai.__call__


class SetRng:
    def set_rng(self, rng: Any) -> None:
        self.hidden = iter([rng.random()])

    __call__ = Monai.__call__


class InvocationSeed:
    def __call__(self, image: Any, invocation_seed: int = 0) -> Any:
        return image + invocation_seed


class All(InvocationSeed):
    """Has every hook; the one that the call takes goes first."""

    def set_random_state(self, state: Any) -> None: ...


class TestHooks:
    @pytest.mark.parametrize(
        "kind",
        [
            Monai,
            Albumentations,
            SeededByItsCaller,
            SeedOnly,
            RandomSeed,
            SeedInPlace,
            SetRng,
            InvocationSeed,
            All,
        ],
    )
    def test_known_hooks(self, kind: Any) -> None:
        augment = ss.Compose([ss.bridge(kind())])
        values = {key: augment(GRAY, key=key).tobytes() for key in KEYS}
        assert len(set(values.values())) == len(KEYS)
        again = ss.Compose([ss.bridge(kind())])
        assert all(again(GRAY, key=key).tobytes() == values[key] for key in reversed(KEYS))
        assert ss.bridge(kind()).verify(GRAY) == "verified"

    def test_their_order(self) -> None:
        class Several(Monai, RandomSeed):
            def set_random_seed(self, seed: int) -> None:
                raise AssertionError("set_random_state goes before")

        assert ss.bridge(Several()).verify(GRAY) == "verified"

    def test_a_hooked_object_inside_a_hooked_one_is_left_to_it_if_it_passes_the_seed_on(self) -> None:
        class Passing(Monai):
            inner: Any

            def set_random_state(self, seed: Any = None, state: Any = None) -> Passing:
                super().set_random_state(state=state)
                for one in self.inner:
                    one.set_random_state(state=state)
                return self

        for outer, expected in ((Passing(), []), (Monai(), [".inner[0]", ".rng"])):
            outer.inner = [Monai()]  # type: ignore[attr-defined]
            outer.rng = np.random.default_rng(0)  # type: ignore[attr-defined]
            outer.other = [Slotted(np.random.default_rng(0))]  # type: ignore[attr-defined]
            names = [source.name for source in find(outer).sources]
            assert names == ["itself", ".other[0].rng", *(expected or [".rng"])]

    def test_a_registered_hook(self) -> None:
        class Sealed:
            def __init__(self) -> None:
                self.next = secrets.randbits

            def __call__(self, image: Any) -> Any:
                return image + self.next(30)

        def hook(sealed: Sealed, rng: np.random.Generator) -> None:
            sealed.next = lambda bits: int(rng.integers(1 << bits))

        with pytest.raises(ss.NotReproducible):
            ss.bridge(Sealed()).verify(GRAY)
        ss.register_hook(Sealed, hook)
        assert ss.bridge(Sealed()).verify(GRAY) == "verified"

    def test_errors(self) -> None:
        with pytest.raises(TypeError, match="cls must be a class, got 5: pass type"):
            ss.register_hook(5, print)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="hook must be callable"):
            ss.register_hook(int, 5)  # type: ignore[arg-type]

    def test_a_library_whose_hook_is_too_old(self) -> None:
        class Old:
            def set_random_state(self, generator: Any) -> None: ...

            def __call__(self, image: Any) -> Any:
                return image

        class Older(Old):
            set_random_state = None  # type: ignore[assignment]

            def set_random_seed(self) -> None: ...

        with pytest.raises(TypeError, match=r"takes \['generator'\], but a bridge passes .* use a version"):
            ss.bridge(Old()).verify(GRAY)
        with pytest.raises(TypeError, match="set_random_seed of test_bridge does not take a seed"):
            ss.bridge(Older()).verify(GRAY)


def entropy(image: Any) -> Any:
    return image + random.SystemRandom().random()


def opencv_noise(image: Any) -> Any:
    return image + cv2.randu(np.empty(image.shape, np.float64), 0, 1)


# Each sets a state, because a seed that is set inside a read follows the key.
def constant_numpy(image: Any) -> Any:
    np.random.set_state(STATES[0])
    return image + np.random.rand()


def constant_python(image: Any) -> Any:
    random.setstate(STATES[1])
    return image + random.random()


def constant_torch(image: Any) -> Any:
    torch.set_rng_state(STATES[2])
    return image + torch.rand(1).item()


STATES: Any = np.random.RandomState(0).get_state(), random.Random(0).getstate(), torch.Generator().get_state()


class Counter:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, image: Any) -> Any:
        self.calls += 1
        return image + self.calls


class Cache:
    def __init__(self) -> None:
        self.seen: Any = None

    def __call__(self, image: Any) -> Any:
        before, self.seen = self.seen, np.random.rand()
        return image + (self.seen if before is None else before)


class Kept:
    """Draws once, and never again."""

    def __init__(self) -> None:
        self.noise: Any = None

    def __call__(self, image: Any) -> Any:
        if self.noise is None:
            self.noise = random.random()
        return image + self.noise


class TestVerification:
    def test_what_was_drawn_for_one_key_and_kept_for_all(self) -> None:
        with pytest.raises(ss.NotReproducible, match="drew differently for one key when it was run twice"):
            ss.Compose([ss.bridge(Kept())])(GRAY, key=KEY)

    @pytest.mark.parametrize("function", [entropy, opencv_noise, Counter(), Cache(), Counter])
    def test_two_results_for_one_key(self, function: Any) -> None:
        function = function() if isinstance(function, type) else function
        augment = ss.Compose([ss.ToFloat(), ss.bridge(function)])
        name = getattr(function, "__name__", type(function).__name__)
        expected = (
            rf"in the transform 'bridge/{name}' of the pipeline: bridge\({name}\), of test_bridge, gave two results .*"
            r"Let it draw from the keyed generators \(random, numpy.random, torch\), or .*register_hook\(cls, hook\)"
        )
        with pytest.raises(ss.NotReproducible, match=expected):
            [augment(GRAY.astype(np.float32), key=key) for key in KEYS]

    def test_a_hint_where_opencv_may_be_the_cause(self) -> None:
        with pytest.raises(ss.NotReproducible, match=r"pass Bridge\(opencv=True\) if it draws from OpenCV"):
            ss.bridge(opencv_noise).verify(GRAY)
        assert ss.bridge(opencv_noise, options=ss.Bridge(opencv=True)).verify(GRAY) == "verified"

    @pytest.mark.parametrize(
        ("function", "generator"),
        [(constant_numpy, "numpy.random"), (constant_python, "random"), (constant_torch, "torch")],
    )
    def test_constant_seeding(self, function: Any, generator: str) -> None:
        with pytest.raises(
            ss.NotReproducible, match=f"seeds {generator} itself: different keys gave the same"
        ):
            ss.Compose([ss.bridge(function)])(GRAY, key=KEY)

    def test_constant_seeding_that_comes_later(self) -> None:
        calls = itertools.count()

        def sometimes(image: Any) -> Any:
            image = image + np.random.rand()
            if next(calls) > 11:  # from the first run of a watched call on
                random.setstate(STATES[1])
            return image

        with pytest.raises(ss.NotReproducible, match="seeds random itself"):
            ss.bridge(sometimes).verify(GRAY)

    def test_what_draws_rarely_is_run_twice_until_it_has_drawn(self) -> None:
        switch = itertools.count()

        def rare(image: Any) -> Any:
            return image + (random.Random().random() if next(switch) > 30 else 0)

        with pytest.raises(ss.NotReproducible):
            ss.bridge(rare).verify(GRAY)

    def test_what_never_drew_is_unverified(self) -> None:
        bridged = ss.bridge(np.negative)
        for key in KEYS:
            bridged(GRAY, key=key)
        assert bridged.verdict == bridged.verify(GRAY) == "unverified"

    def test_what_drew_is_verified(self) -> None:
        bridged = ss.bridge(lambda image: image + random.random())
        assert bridged.verdict == "unverified"
        ss.Compose([bridged])(GRAY, key=KEY)
        assert bridged.verdict == "verified"

    def test_the_watch_ends(self) -> None:
        calls = []
        bridged = ss.bridge(lambda image: calls.append(1) or image + random.random())
        augment = ss.Compose([bridged])
        for key in KEYS:
            augment(GRAY, key=key)
        # 1 to 8, 16 and 32 have another run between; the others run for their own key alone.
        watched, fully = 32, 10
        assert len(calls) == fully * 3 + (watched - fully) * 2 + len(KEYS) - watched
        for index in range(40, 65):
            augment(GRAY, key=ss.SampleKey(42, 0, index))
        assert len(calls) == (fully + 1) * 3 + (watched - fully) * 2 + 65 - 1 - watched  # and the 64th

    def test_without(self) -> None:
        options = ss.Bridge(verify=False)
        augment = ss.Compose([ss.bridge(constant_numpy, options=options)])
        assert augment(GRAY, key=KEY).tolist() == augment(GRAY, key=OTHER).tolist()

    def test_an_error_of_the_callable_is_its_own(self) -> None:
        with pytest.raises(ZeroDivisionError):
            ss.Compose([ss.bridge(lambda image: 1 / 0)])(GRAY, key=KEY)

    def test_same(self) -> None:
        class Odd:
            def __init__(self, value: Any) -> None:
                self.value = value

            def __eq__(self, other: object) -> bool:
                raise ValueError

            __hash__ = None  # type: ignore[assignment]

        assert content(Odd(1)) == content(Odd(1)) != content(Odd(2))
        assert content([threading.Lock()]).unseen == "lock"
        assert content(ss.Info((2,))) == content(ss.Info((2,)))
        assert content(np.zeros(2)) != content(np.zeros(2, np.float32))
        assert content({"a": [torch.ones(2)]}) == content({"a": [torch.ones(2)]})
        assert content({"a": 1}) != content({"b": 1})


class TestMember:
    def test_two_members_have_streams_of_their_own(self) -> None:
        def first(image: Any) -> Any:
            return image + np.random.rand()

        augment = ss.Compose([ss.bridge(first), ss.bridge(first), ss.bridge(first, name="third")])
        assert [name for name, _ in augment.streams()] == ["bridge/first", "bridge/first#1", "third"]
        assert len({params for _, params in augment.params(KEY, GRAY.shape)}) == 3
        made = augment(GRAY, key=KEY)
        alone = ss.Compose([ss.bridge(first)])(GRAY, key=KEY)
        assert made[0, 0] != 3 * alone[0, 0]

    def test_its_stream_is_its_names(self) -> None:
        augment = ss.Compose(
            [ss.HorizontalFlip(), ss.bridge(lambda image: image + np.random.rand(), name="mine")]
        )
        place = dict(augment.params(KEY, GRAY.shape))["mine"]
        key0, key1, block, *rest = address(KEY, ss.op_of("mine"))
        assert place == (key0, key1, block + 1, *rest)  # the chance word's block is left out

    def test_containers_params_and_replay(self) -> None:
        def noisy(image: Any) -> Any:
            return image + np.random.rand(*image.shape)

        bridged = ss.bridge(noisy, name="noisy")
        augment = ss.Compose([ss.HorizontalFlip(p=1), ss.SomeOf([bridged], n=2, replace=True)])
        for key in KEYS[:8]:
            record = augment.params(key, GRAY.shape)
            np.testing.assert_array_equal(augment.replay(GRAY, record), augment(GRAY, key=key))

    def test_the_callers_memory_is_safe(self) -> None:
        def in_place(image: Any) -> Any:
            image += np.random.rand()
            return image

        image = np.zeros((2, 2))
        made = ss.Compose([ss.bridge(in_place)])(image, key=KEY)
        assert not image.any()
        assert made.all()

    @pytest.mark.parametrize("convert", [torch.from_numpy, np.asarray, lambda image: Picture(image)])
    def test_results_become_arrays(self, convert: Any) -> None:
        made = ss.Compose([ss.bridge(lambda image: convert(image))])(GRAY, key=KEY)
        assert type(made) is np.ndarray
        assert made.flags.carray

    def test_calls_with_names_and_dicts(self) -> None:
        def named(**parts: Any) -> Any:
            assert set(parts) == {"image", "mask", "bboxes"}
            shift = np.random.rand()
            return {name: part + shift for name, part in parts.items()}

        class ShiftBoth:
            """Called as MONAI's dictionary transforms are, which derive from MapTransform."""

            def __call__(self, sample: Any) -> Any:
                shift = np.random.rand()
                return sample | {"image": sample["image"] + shift, "mask": sample["mask"] + shift, "new": 1}

        MapTransform = type("MapTransform", (ShiftBoth,), {})  # noqa: N806
        sample = {"image": GRAY, "mask": GRAY, "boxes": np.zeros((1, 4)), "id": "x"}
        for function in (named, MapTransform()):
            made = ss.Compose([ss.bridge(function)])(sample, key=KEY)
            np.testing.assert_array_equal(made["image"], made["mask"])
            assert made["image"].all()
            assert made["id"] == "x"
        assert made["new"] == 1
        assert not GRAY.any()
        assert ss.Compose([ss.bridge(lambda **parts: parts)])(GRAY, key=KEY).shape == GRAY.shape

    def test_values_only(self) -> None:
        sample = {"image": GRAY, "mask": np.zeros((2, 3), np.uint8), "id": 3}
        message = r"negative gets the image alone, but the sample also has \['mask'\]: pass call=\"named\""
        with pytest.raises(ValueError, match=message):
            ss.Compose([ss.bridge(np.negative)])(sample, key=KEY)
        made = ss.Compose([ss.bridge(lambda image: image + 1, values_only=True)])(sample, key=KEY)
        assert made["image"].all()
        assert not made["mask"].any()

    def test_audio(self) -> None:
        made = ss.Compose([ss.bridge(lambda audio: audio + np.random.rand())])(
            {"audio": np.zeros(8, np.float32)}, key=KEY
        )
        assert made["audio"].all()

    def test_pickle_repr_equality(self) -> None:
        bridged = ss.bridge(functools.partial(np.add, 1), name="plus")
        twin = pickle.loads(pickle.dumps(ss.Compose([bridged])))
        assert repr(bridged) == "bridge(functools.partial(<ufunc 'add'>, 1), name='plus')"
        assert twin(GRAY, key=KEY).tolist() == (GRAY + 1).tolist()
        assert ss.bridge(np.negative) == ss.bridge(np.negative)

    def test_plain_data_refuse_code(self) -> None:
        with pytest.raises(
            TypeError, match="is code, which plain data cannot hold: save the pipeline without it"
        ):
            ss.Compose([ss.bridge(np.negative)]).to_json()


test_errors = refused(
    (lambda: ss.bridge(5), TypeError, "a bridge needs something to call, got 5"),  # type: ignore[arg-type]
    (
        lambda: ss.bridge(lambda samples, sample_rate: samples),
        TypeError,
        "a bridge passes only the sample: fix the others with functools.partial(<lambda>, sample_rate=…)",
    ),
    (lambda: ss.bridge(lambda: 1), TypeError, "takes no argument, but a bridge passes it the sample"),
    (
        lambda: ss.bridge(np.negative, call="kwargs"),
        ValueError,
        "call must be one of 'array', 'tensor', 'named', 'dict', got 'kwargs'",
    ),
    (
        lambda: ss.bridge(np.negative, options=True),  # type: ignore[arg-type]
        TypeError,
        "options must be a Bridge, got True",
    ),
    (
        lambda: ss.bridge(lambda image: None)(GRAY, key=KEY),
        TypeError,
        "<lambda> must return an array, a tensor or a PIL image, got NoneType",
    ),
    (
        lambda: ss.bridge(lambda **parts: 1)(GRAY, key=KEY),
        TypeError,
        "was called as call='named' and must return a dict, got int: pass call=\"array\"",
    ),
)


class Picture:
    """A picture as Pillow has them."""

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def __array_interface__(self) -> Any:
        return self.array.__array_interface__


class TestThreads:
    def test_eight_threads_give_the_serial_bytes(self) -> None:
        def slow(image: Any) -> Any:
            made = [image + np.random.rand()]
            for _ in range(20):  # a thread that waits hands over
                threading.Event().wait(0)
                made.append(np.random.rand(2, 3) + random.random() + torch.rand(1).item())
            return np.stack(made)

        bridged = ss.Compose([ss.bridge(slow)])
        keys = [ss.SampleKey(42, 0, index) for index in range(200)]
        expected = [bridged(GRAY, key=key).tobytes() for key in keys]
        fresh = ss.Compose([ss.bridge(slow)])
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda key: fresh(GRAY, key=key).tobytes(), keys))
        assert found == expected
        assert len(set(found)) == len(keys)

    def test_a_forked_process_finds_the_lock_free(self) -> None:
        code = """
import os, threading, random
import seedsafe as ss
held, done = threading.Event(), threading.Event()
def hold():
    with ss.keyed(ss.SampleKey(1, 0, 0)):
        held.set()
        done.wait(60)
threading.Thread(target=hold).start()
held.wait(60)
child = os.fork()
if not child:
    with ss.keyed(ss.SampleKey(1, 0, 0)):
        random.random()
    os._exit(7)
status = os.waitpid(child, 0)[1]
done.set()
print(os.waitstatus_to_exitcode(status))
"""
        done = python("-c", code)
        assert done.stdout.strip() == "7", done.stderr


def test_elsewhere_is_another_place() -> None:
    assert other_address(other_address(address_of(KEY))) == address_of(KEY) != other_address(address_of(KEY))


def test_the_core_imports_no_framework_for_a_bridge() -> None:
    code = "import sys, seedsafe as ss\nwith ss.keyed(ss.SampleKey(1, 0, 0)): pass\nprint('torch' in sys.modules)"
    done = python("-c", code)
    assert done.stdout == "False\n"
