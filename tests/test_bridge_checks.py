"""What a bridge's checks find: history, rare entropy, constant noise, objects of any kind; and what they cost."""

from __future__ import annotations

import pickle
import random
import secrets
import threading
import warnings
from collections import deque
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from programs import python
from reentry import interrupted, same
from test_bridge import GRAY, KEY, KEYS, OTHER

import seedsafe as ss
from seedsafe.bridging import region
from seedsafe.bridging.again import content
from seedsafe.bridging.search import find
from seedsafe.reading import KeyedReader
from seedsafe_torch import AugmentedDataset, loader


class Items:
    """Eighty numbers, each read with a random one."""

    def __len__(self) -> int:
        return 80

    def __getitem__(self, index: int) -> Any:
        return np.array([index, np.random.rand()])


class Mosaic(Items):
    """Mixes each sample with others out of a buffer of those that were read before, as detection datasets do."""

    def __init__(self) -> None:
        self.buffer: deque[int] = deque(maxlen=16)

    def __getitem__(self, index: int) -> Any:
        self.buffer.append(index)
        return np.array([index, *random.choices(list(self.buffer), k=3)])


class Distinct(Items):
    """The same, of a buffer that keeps every sample once."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}

    def __getitem__(self, index: int) -> Any:
        self.seen.setdefault(index, index)
        return np.array([index, *random.choices(list(self.seen), k=3)])


class Last(Items):
    """Mixes each sample with the one before, if that is another."""

    last = -1

    def __getitem__(self, index: int) -> Any:
        before, self.last = self.last, index
        return np.array([index, index if before < 0 else before, np.random.rand()])


class TestHistory:
    @pytest.mark.parametrize("kind", [Mosaic, Distinct, Last])
    def test_what_earlier_samples_decide_is_refused(self, kind: Any) -> None:
        dataset = AugmentedDataset(kind(), seed=42, bridge=True)
        with pytest.raises(ss.NotReproducible, match="after other samples had been read: it keeps earlier"):
            [dataset.at(index, epoch=0) for index in range(10)]

    def test_a_cache_of_what_was_read_is_none(self) -> None:
        class Cached(Items):
            def __init__(self) -> None:
                self.cache: dict[int, Any] = {}

            def __getitem__(self, index: int) -> Any:
                image = self.cache.setdefault(index, np.full(3, index))
                return image + np.random.rand()

        dataset = AugmentedDataset(Cached(), seed=42, bridge=True)
        for index in range(80):
            dataset.at(index, epoch=0)
        assert dataset.manifest()["verdict"] == "verified"

    def test_a_member_of_a_pipeline(self) -> None:
        seen: list[Any] = []

        def mix(image: Any) -> Any:
            seen.append(image.mean())
            return image + random.choice(seen)

        augment = ss.Compose([ss.ToFloat(), ss.bridge(mix)])
        with pytest.raises(ss.NotReproducible, match="'bridge/mix' of the pipeline"):
            [augment(np.full((2, 2), n, np.uint8), key=ss.SampleKey(1, 0, n)) for n in range(9)]

    def test_the_first_sample_is_kept_as_it_was_given(self) -> None:
        def noisy(image: Any) -> Any:
            return image + np.random.rand()

        image = np.zeros((4, 4))
        augment = ss.Compose([ss.bridge(noisy), ss.bridge(np.negative)])
        for key in KEYS:
            augment(image, key=key)
            image += 1  # the caller reads the next one into the same memory

    def test_a_result_in_memory_of_its_own_is_the_right_one(self) -> None:
        class Buffered:
            def __init__(self) -> None:
                self.buffer = np.zeros(2)

            def __call__(self, image: Any) -> Any:
                self.buffer[:] = np.random.rand(2)
                return self.buffer

        watched = ss.Compose([ss.bridge(Buffered())])
        plain = ss.Compose([ss.bridge(Buffered(), options=ss.Bridge(verify=False))])
        for key in KEYS:
            assert watched(GRAY, key=key).tolist() == plain(GRAY, key=key).tolist()

    def test_an_error_of_another_sample_is_not_this_ones(self) -> None:
        class Fragile(Items):
            reads = 0

            def __getitem__(self, index: int) -> Any:
                self.reads += 1
                if index == 0 and self.reads > 3:
                    raise OSError("gone")
                return np.array([index])

        dataset = AugmentedDataset(Fragile(), seed=42, bridge=True)
        assert [dataset.at(index, epoch=0).item() for index in range(5)] == [0, 1, 2, 3, 4]


def of_the_system() -> float:
    return random.SystemRandom().random()


def of_an_unseeded_random() -> float:
    return random.Random().random()


def of_secrets() -> float:
    return secrets.randbits(30)


class TestRareEntropy:
    @pytest.mark.parametrize("draw", [of_the_system, of_an_unseeded_random, of_secrets])
    def test_what_draws_it_now_and_then_is_refused(self, draw: Any) -> None:
        def rare(image: Any) -> Any:
            return image + (draw() if random.random() < 0.25 else 0)

        augment = ss.Compose([ss.bridge(rare)])
        with pytest.raises(ss.NotReproducible, match="gave two results"):
            [augment(GRAY, key=ss.SampleKey(42, 0, index)) for index in range(2000)]

    @pytest.mark.parametrize("call", [20, 32, 64, 512])
    def test_the_calls_that_are_made_again(self, call: int) -> None:
        class Late:
            index = -1

            def over(self, augment: Any, calls: int) -> None:
                for self.index in range(calls):
                    augment(GRAY, key=ss.SampleKey(42, 0, self.index))

            def __call__(self, image: Any) -> Any:
                return image + (secrets.randbits(60) if self.index == call - 1 else random.random())

        late = Late()
        augment = ss.Compose([ss.bridge(late)])
        with pytest.raises(ss.NotReproducible):
            late.over(augment, call)
        assert late.index == call - 1


class Counted(Items):
    """Counts its reads in all processes."""

    def __init__(self) -> None:
        self.reads = torch.zeros(80, dtype=torch.int64).share_memory_()

    def __getitem__(self, index: int) -> Any:
        self.reads[index] += 1
        return super().__getitem__(index)


class TestCounting:
    @pytest.mark.parametrize("method", ["fork", "spawn"])
    def test_the_calls_are_counted_over_workers_and_epochs(self, method: str) -> None:
        base = Counted()
        dataset = AugmentedDataset(base, seed=42, bridge=True)
        way: dict[str, Any] = {"multiprocessing_context": method, "persistent_workers": method == "spawn"}
        batches = loader(dataset, batch_size=4, num_workers=2, **way)
        reads = [0]
        for _ in range(3):
            for _ in batches:
                pass
            reads.append(int(base.reads.sum()))
        extra = [after - before - 80 for before, after in pairwise(reads)]
        # Each of the first 32 reads and the 64th has one more, and of these the first eight, 16, 32 and 64 have another; then 128 and 256.
        assert extra[0] in range(33 + 11 - 4, 33 + 11 + 4)  # two workers may give one number to two reads
        assert all(more <= 4 for more in extra[1:])
        assert dataset.manifest()["verdict"] == "verified"  # which only workers have seen

    def test_a_copy_counts_for_itself(self) -> None:
        bridged = ss.bridge(lambda_free)
        for key in KEYS:
            bridged(GRAY, key=key)
        assert bridged.verdict == "verified"
        assert pickle.loads(pickle.dumps(bridged)).verdict == "unverified"


def lambda_free(image: Any) -> Any:
    return image + np.random.rand()


def of_default_rng() -> Any:
    return np.random.default_rng().random()


def of_random_state() -> Any:
    return np.random.RandomState().rand()


def of_seed_sequence() -> Any:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence())).random()


def of_many() -> Any:
    return sum(np.random.Generator(np.random.Philox()).random() for _ in range(200))


def of_reseeding() -> Any:
    np.random.seed()
    return np.random.rand()


class TestUnseeded:
    @pytest.mark.parametrize(
        "draw", [of_default_rng, of_random_state, of_seed_sequence, of_many, of_reseeding]
    )
    def test_what_is_made_without_a_seed_follows_the_key(self, draw: Any) -> None:
        augment = ss.Compose([ss.bridge(lambda image: image + draw())])
        values = {key: augment(GRAY, key=key).tobytes() for key in KEYS}
        assert len(set(values.values())) == len(KEYS)
        again = ss.Compose(
            [ss.bridge(lambda image: image + draw(), options=ss.Bridge(verify=False), name="bridge/<lambda>")]
        )
        assert all(again(GRAY, key=key).tobytes() == values[key] for key in reversed(KEYS))
        assert augment.transforms[0].verdict == "verified"

    def test_two_of_one_call_differ_and_regions_nest(self) -> None:
        with ss.keyed(KEY):
            first, second = of_default_rng(), of_default_rng()
            with ss.keyed(OTHER):
                inner = of_default_rng()
            third = of_default_rng()
        with ss.keyed(KEY):
            assert [of_default_rng() for _ in range(3)] == [first, second, third]
        with ss.keyed(OTHER):
            assert of_default_rng() == inner
        assert len({first, second, third, inner}) == 4

    def test_outside_and_in_other_threads_it_is_the_systems(self) -> None:
        numpys = region._NUMPY.randbits
        found = []
        for _ in range(2):
            with ss.keyed(KEY):
                thread = threading.Thread(target=lambda: found.append(of_default_rng()))
                thread.start()
                thread.join()
            found.append(of_default_rng())
        assert len(set(found)) == 4
        assert region._NUMPY.randbits is numpys
        with pytest.raises(ZeroDivisionError), ss.keyed(KEY):
            print(1 / 0)
        assert region._NUMPY.randbits is numpys


class TestConstantNoise:
    @pytest.mark.parametrize(
        "noise",
        [
            lambda: np.random.default_rng(0).random(),
            lambda: np.random.RandomState(np.int64(7)).rand() + np.random.default_rng([]).random(),
            lambda: random.Random("x").random(),
            lambda: (
                np.random.Generator(np.random.Philox(np.random.SeedSequence(5))).random() + random.random()
            ),
        ],
        ids=["default_rng", "RandomState", "Random", "SeedSequence"],
    )
    def test_a_warning_after_32_calls(self, noise: Any) -> None:
        augment = ss.Compose([ss.bridge(lambda image: image + noise())])
        for index in range(31):
            augment(GRAY, key=ss.SampleKey(42, 0, index))
        with pytest.warns(
            UserWarning, match=r"makes a generator with the same seed in every call \('?[057x]"
        ):
            augment(GRAY, key=ss.SampleKey(42, 0, 31))
        for index in range(32, 130):
            augment(GRAY, key=ss.SampleKey(42, 0, index))

    @pytest.mark.parametrize(
        "draw", [of_default_rng, of_random_state, lambda: random.Random(random.random()).random()]
    )
    def test_none_for_seeds_that_follow_the_key(self, draw: Any) -> None:
        augment = ss.Compose([ss.bridge(lambda image: image + draw())])
        for key in KEYS:
            augment(GRAY, key=key)

    def test_none_for_seeds_that_follow_the_sample(self) -> None:
        class OfIndex(Items):
            def __getitem__(self, index: int) -> Any:
                return np.random.default_rng(index).random() + np.random.rand()

        dataset = AugmentedDataset(OfIndex(), seed=42, bridge=True)
        for index in range(40):
            dataset.at(index, epoch=0)

    def test_numpy_and_random_are_left_as_they_were(self) -> None:
        before = {**vars(np.random)}, random.Random.seed
        ss.bridge(lambda image: image + np.random.rand()).verify(GRAY)
        assert before == (vars(np.random), random.Random.seed)

    def test_seeds_of_two_logs_are_listed_in_both_whichever_ends_first(self) -> None:
        before = np.random.default_rng
        outer, inner = region.SeedLog(), region.SeedLog()
        outer.__enter__()
        np.random.default_rng(1)
        inner.__enter__()
        np.random.RandomState(seed=2)
        outer.__exit__()
        random.Random(3)
        inner.__exit__()
        np.random.default_rng(4)
        assert (outer.seeds, inner.seeds) == ({"1", "2"}, {"2", "3"})
        assert np.random.default_rng is before

    def test_what_asks_for_classes_gets_the_usual_answers(self) -> None:
        state, bits = np.random.RandomState(5), np.random.PCG64()
        with region.SeedLog():
            assert isinstance(state, np.random.RandomState)
            assert isinstance(np.random.RandomState(5), type(state))
            assert type(np.random.RandomState(5)) is type(state)
            assert isinstance(bits, np.random.PCG64)
            assert not isinstance(bits, np.random.Philox)
            assert issubclass(type(bits), np.random.PCG64)
            assert pickle.loads(pickle.dumps(np.random.RandomState(5))).rand() == state.rand()

    def test_seeds_of_the_process_are_not_listed(self) -> None:
        saved = random.getstate(), np.random.get_state()
        with region.SeedLog() as seeds:
            random.seed(6)
            np.random.seed(7)
            random.Random(8)
        random.setstate(saved[0])
        np.random.set_state(saved[1])
        assert seeds == {"8"}


class Graph:
    """An object as graph libraries have them: parts that can be detached, and no tensor itself."""

    def __init__(self, x: Any, secret: Any = None) -> None:
        self.x, self.secret = x, secret

    def detach(self) -> Graph:
        return Graph(self.x.detach())


class TestObjects:
    def read(self, make: Any) -> str:
        class Graphs(Items):
            def __getitem__(self, index: int) -> Any:
                return make()

        dataset = AugmentedDataset(Graphs(), seed=42, bridge=True)
        for index in range(4):
            dataset.at(index, epoch=0)
        return str(dataset.manifest()["verdict"])

    def test_they_are_compared_by_what_they_hold(self) -> None:
        assert self.read(lambda: Graph(torch.rand(3))) == "verified"
        assert self.read(lambda: {"g": [Graph(torch.rand(3, dtype=torch.float64).bfloat16())]}) == "verified"
        with pytest.raises(ss.NotReproducible):
            self.read(lambda: Graph(torch.ones(1), [{"x": secrets.randbits(60)}]))

    def test_what_cannot_be_looked_into_is_unverified(self) -> None:
        assert self.read(lambda: Graph(torch.rand(3), threading.Lock())) == "unverified"

    def test_circles_and_depth(self) -> None:
        circle: list[Any] = [1]
        circle.append(circle)
        assert content(circle) == content(circle)
        deep: Any = 0
        for _ in range(1000):
            deep = [deep]
        assert content(deep).unseen == "list"


class Annotated(Items):
    """Many records, kept before a generator."""

    def __init__(self, records: Any) -> None:
        self.records = records
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index: int) -> Any:
        return np.array([index, self.rng.random()])


class Record:
    def __init__(self, number: int) -> None:
        self.boxes = [[number, number, 1.5], {"label": str(number)}]


class TestSearch:
    @pytest.mark.parametrize(
        "records",
        [
            [{"file": "x", "boxes": [[1.0, 2.0, 3.0, 4.0]], "sizes": {"h": 1}} for _ in range(60_000)],
            {n: [[n, n], (n, "x")] for n in range(60_000)},
            [Record(n) for n in range(60_000)],
            [object() for n in range(3000)],
            [[Record(n) for n in range(40)] for _ in range(6_000)],
        ],
        ids=["dicts", "a dict", "objects", "bare objects", "lists of objects"],
    )
    def test_records_before_a_generator_do_not_hide_it(self, records: Any) -> None:
        dataset = AugmentedDataset(Annotated(records), seed=42, bridge=True)
        assert [dataset.at(3, epoch=0).tolist() for _ in range(2)] == [dataset.at(3, epoch=0).tolist()] * 2
        assert dataset.manifest()["verdict"] == "verified"

    def test_a_generator_that_records_use_is_found(self) -> None:
        class Drawing(Record):
            rng = np.random.default_rng(0)

        names = [source.name for source in find([Drawing(n) for n in range(300)]).sources]
        assert names == ["[…].rng"]

    def test_the_search_is_made_once_in_the_parent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from seedsafe.bridging import runner

        searches = torch.zeros(1, dtype=torch.int64).share_memory_()

        def counted(*arguments: Any, find: Any = runner.find, **options: Any) -> Any:
            searches.add_(1)
            return find(*arguments, **options)

        monkeypatch.setattr(runner, "find", counted)
        dataset = AugmentedDataset(Annotated([]), seed=42, bridge=True)
        batches = loader(dataset, batch_size=8, num_workers=2, multiprocessing_context="fork")
        for _ in range(2):
            for _ in batches:
                pass
        assert searches.item() == 1

    def test_what_is_put_in_later_is_found(self) -> None:
        def transform(value: float) -> float:
            return value + transform_rng[0].random()

        transform_rng = [np.random.default_rng(1)]
        base = Annotated([])
        dataset = AugmentedDataset(base, seed=42, bridge=True)
        base.transform = transform  # type: ignore[attr-defined]
        dataset.at(0, epoch=0)
        names = [source.name for source in dataset.reader._runner.sources()]  # type: ignore[union-attr]
        assert names[-1].startswith(".transform")

    @pytest.mark.parametrize("verify", [True, False])
    @pytest.mark.parametrize("made_at", ["each read", "the first read"])
    def test_generators_that_a_worker_makes_in_its_reads(self, verify: bool, made_at: str) -> None:
        class Making(Items):
            rng: Any = None

            def __getitem__(self, index: int) -> Any:
                if made_at == "each read":
                    return np.array([of_default_rng(), of_random_state()])
                if self.rng is None:
                    self.rng = np.random.default_rng(0)
                return self.rng.random()

        def run(workers: int) -> list[Any]:
            dataset = AugmentedDataset(Making(), seed=42, bridge=ss.Bridge(verify=verify))
            return [batch.tolist() for batch in loader(dataset, batch_size=8, num_workers=workers)]

        assert run(0) == run(2)

    def test_a_search_that_was_not_finished_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from seedsafe.bridging import search

        class Deep(Items):
            def __init__(self) -> None:
                self.inner = [[[[[secrets.SystemRandom()]]]], *(Record(n) for n in range(50))]

            def __getitem__(self, index: int) -> Any:
                return self.inner[0][0][0][0][0].random()  # type: ignore[index]

        monkeypatch.setattr(search, "MOST", 40)
        with pytest.raises(ss.NotReproducible, match="covers only the first 200000 objects below it"):
            AugmentedDataset(Deep(), seed=42, bridge=True).at(0, epoch=0)

    def test_the_order_of_the_numbers_is_that_of_the_way_down(self) -> None:
        class Two:
            def __init__(self) -> None:
                self.deep = [[[np.random.default_rng(0)]]]
                self.near = np.random.default_rng(0)

        assert [source.name for source in find(Two()).sources] == [".deep[0][0][0]", ".near"]


def test_the_hint_names_tensorflow_where_it_is_loaded() -> None:
    code = """
import secrets, sys, types
sys.modules["tensorflow"] = types.ModuleType("tensorflow")
import numpy as np
import seedsafe as ss
ss.bridge(lambda image: image + secrets.randbits(60)).verify(np.zeros(2))
"""
    assert (
        "pass Bridge(tensorflow=True) if it draws from TensorFlow" in python("-c", code, check=False).stderr
    )


def test_no_warning_is_given_for_what_is_right() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ss.bridge(lambda_free).verify(GRAY, keys=40) == "verified"


@pytest.mark.parametrize("drawn_before", [0, 1], ids=["", "a gaussian kept for later"])
def test_a_read_in_the_middle_of_another_changes_neither_nor_the_generators(drawn_before: int) -> None:
    class Drawing:
        def __init__(self) -> None:
            self.rng, self.legacy = np.random.default_rng(5), np.random.RandomState(5)

        def __len__(self) -> int:
            return 9

        def __getitem__(self, index: int) -> Any:
            drawn = [random.gauss(0, 1), np.random.randn(), float(torch.rand(())), ss.generator().random()]
            return np.array([*drawn, np.random.default_rng().random(), self.rng.random(), self.legacy.rand()])

    one, other = (KeyedReader(Drawing(), seed=seed, bridge=ss.Bridge(verify=False)) for seed in (1, 2))
    at = ss.SampleIndex(4, epoch=2)
    np.random.seed(3)
    np.random.randn(drawn_before)
    expected, theirs = one.sample(at), other.sample(at)
    before = random.getstate(), repr(np.random.get_state()), torch.get_rng_state().tolist()
    _, lines = interrupted(lambda: one.sample(at), lambda number: None)
    for place in range(lines):

        def act(number: int, place: int = place) -> None:
            if number == place:
                assert same(other.sample(at), theirs)

        assert same(interrupted(lambda: one.sample(at), act)[0], expected)
        assert (random.getstate(), repr(np.random.get_state()), torch.get_rng_state().tolist()) == before
