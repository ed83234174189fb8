"""Batches written in place: slots, their lifetime, and every way in which rings were once broken."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import mmap
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any

import numpy as np
import pytest
from ring_workers import SHAPE, Worker, batch, hold, made, sample, taken

from seedsafe import ring
from seedsafe.ring import arena, arrays, memory, reader
from seedsafe.ring.arena import FREE, HELD, SENT
from seedsafe.ring.arrays import _mine
from seedsafe.ring.writer import PATIENCE, Ring

METHODS = ("fork", "spawn", "forkserver")
equal = np.testing.assert_array_equal


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    """Start without rings of earlier tests."""
    gc.collect()
    reader.state.__init__()
    _mine.__init__()


def rings() -> list[reader._RingReader]:
    return list(reader.state.rings.values())


def only_ring() -> reader._RingReader:
    (one,) = rings()
    return one


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@contextlib.contextmanager
def no_descriptors_left() -> Iterator[None]:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    filled: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        with contextlib.suppress(OSError):
            while True:
                filled.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in filled:
            os.close(descriptor)


@contextlib.contextmanager
def only_a_child_keeps(kept: list[np.ndarray], *, without_descriptors: bool = False) -> Iterator[None]:
    """Fork a child, and drop batches 1, 2 … here: after what the block does, the child finds them as they were."""
    asked, answers = os.pipe(), os.pipe()
    with no_descriptors_left() if without_descriptors else contextlib.nullcontext():
        child = os.fork()
    if child == 0:
        os.read(asked[0], 1)
        same = all((array == batch(value)).all() for value, array in enumerate(kept, 1))
        os.write(answers[1], b"same" if same else b"else")
        os._exit(0)
    kept.clear()
    yield
    os.write(asked[1], b".")
    assert os.read(answers[0], 4) == b"same"
    os.waitpid(child, 0)
    for end in (*asked, *answers):
        os.close(end)


def mapped_bytes() -> int:
    lines = [line for line in Path("/proc/self/maps").read_text().splitlines() if "memfd:" in line]
    ends = [line.split()[0].split("-") for line in lines]
    return sum(int(end, 16) - int(start, 16) for start, end in ends)


@pytest.mark.linux
class TestBatches:
    @pytest.mark.parametrize("method", METHODS)
    def test_they_arrive_as_they_were_made(self, method: str) -> None:
        with Worker(method) as worker:
            for value in range(12):
                array = worker("made", value)
                assert type(array) is np.ndarray
                assert array.flags.writeable
                assert array.flags.c_contiguous
                equal(array, batch(value))
            assert len(only_ring().slots) <= 2  # the same memory again and again

    @pytest.mark.parametrize("tasks", [None, 1])
    def test_a_pool_takes_them(self, tasks: int | None) -> None:
        with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=tasks) as pool:
            for value, array in enumerate(pool.imap(made, range(12 if tasks else 40))):
                equal(array, batch(value))

    def test_each_array_of_a_sample_has_its_column_and_the_rest_lies_beside(self) -> None:
        with Worker() as worker:
            for first in (0, 100, 200, 300):
                together = worker("collated", first)
                samples = [sample(first + number) for number in range(16)]
                for name in ("image", "mask"):
                    equal(together[name], np.stack([one[name] for one in samples]))
                    assert together[name].dtype == samples[0][name].dtype
                    assert together[name].ctypes.data % 64 == 0
                assert together["label"] == [one["label"] for one in samples]
                assert together["name"] == [one["name"] for one in samples]
                for ours, theirs in zip(together["boxes"], samples, strict=True):
                    equal(ours, theirs["boxes"])

    def test_a_smaller_batch_is_the_beginning_of_a_slot(self) -> None:
        with Worker().met() as worker:
            worker("made", 1)
            equal(worker("made", 2, (3, *SHAPE[1:])), batch(2, (3, *SHAPE[1:])))
            assert len(only_ring().slots) == 1

    def test_a_larger_batch_gets_a_larger_slot_and_the_small_one_is_given_up(self) -> None:
        larger = (32, *SHAPE[1:])
        with Worker().met() as worker:
            kept = worker("made", 1)
            equal(worker("made", 2, larger), batch(2, larger))
            equal(kept, batch(1))
            del kept
            for value in range(80):
                equal(worker("made", value, larger), batch(value, larger))
            assert len(worker("slots")) == 1
            largest = (64, *SHAPE[1:])  # its slot has the small one's number
            equal(worker("made", 3, largest), batch(3, largest))

    @pytest.mark.parametrize("dtype", ["uint8", "float16", "float64", "int64", "bool", "complex64"])
    def test_dtypes(self, dtype: str) -> None:
        with Worker() as worker:
            for value in range(3):
                equal(worker("made", value, SHAPE, dtype), batch(value, SHAPE, dtype))

    def test_an_empty_one_and_one_without_axes(self) -> None:
        with Worker() as worker:
            for _ in range(3):
                assert worker("made", 3, (0, 4)).shape == (0, 4)
                assert worker("made", 3, ()).item() == 3

    def test_a_part_of_one_goes_by_value(self) -> None:
        whole = ring.empty(SHAPE, "float32", travels=True)
        assert isinstance(whole, arrays.RingArray)
        for part in (whole[1:], whole + 1, whole.copy(), whole.T):
            assert getattr(part, "send", None) is None

    def test_a_pickle_for_another_purpose_is_one_of_a_plain_array(self) -> None:
        array = made(5)
        again = pickle.loads(pickle.dumps(array))
        assert type(again) is np.ndarray
        equal(again, batch(5))


@pytest.mark.linux
class TestLifetime:
    def test_batches_that_are_held_do_not_change(self) -> None:
        with Worker() as worker:
            held = [worker("made", value) for value in range(50)]
            for value, array in enumerate(held):
                equal(array, batch(value))

    def test_batches_that_are_changed_do_not_meet(self) -> None:
        with Worker() as worker:
            held = []
            for value in range(20):
                array = worker("made", value)
                equal(array, batch(value))
                array[...] = -1
                held.append(array)
            assert all((array == -1).all() for array in held)

    def test_a_row_is_enough_to_hold_a_slot(self) -> None:
        with Worker().met() as worker:
            row = worker("made", 1)[3]
            for value in range(2, 9):
                equal(worker("made", value), batch(value))
            equal(row, batch(1)[3])
            assert only_ring().count(HELD) == 1
            del row
            assert only_ring().count(HELD) == 0

    def test_what_the_worker_keeps_does_not_change_either(self) -> None:
        with Worker().met() as worker:
            worker("keep", 7)  # sent, dropped here at once, and kept there
            for value in range(5):
                equal(worker("made", value), batch(value))
            assert worker("taken") == 1
            worker("forget")
            assert worker("taken") == 0

    def test_what_the_worker_keeps_stays_where_enough_memory_is_free(self) -> None:
        with Worker().met() as worker:
            held = [worker("made", value) for value in range(12)]
            array = worker("keep", 7)
            held.clear()
            del array  # its slot would be handed back, as zeros
            assert worker("still", 7)
            for value in range(5):
                equal(worker("made", value), batch(value))
            assert worker("still", 7)

    @pytest.mark.parametrize("parts", [1, 3])
    def test_the_memory_of_two_to_four_batches_is_kept(self, parts: int) -> None:
        with Worker().met() as worker:
            held = [worker("columns", parts) for _ in range(12)]
            size = parts * held[0][0].nbytes
            assert worker("resident") >= 12 * size
            held.clear()
            header = mmap.PAGESIZE * 4
            assert 2 * size <= worker("resident") <= 4 * size + header

    def test_private_memory_is_kept_for_two_to_four_batches_and_goes_with_who_keeps_it(self) -> None:
        def megabytes() -> float:
            return tracemalloc.get_traced_memory()[0] / 2**20

        tracemalloc.start()
        try:
            spare = ring.Spare()
            held = [ring.empty((1 << 22,), "uint8") for _ in range(16)]
            assert megabytes() > 60
            held.clear()
            assert 6 < megabytes() < 20
            assert type(pickle.loads(pickle.dumps(spare))) is ring.Spare
            del spare
            assert megabytes() < 4
        finally:
            tracemalloc.stop()

    def test_what_came_by_value_is_not_kept(self) -> None:
        spare = ring.Spare()
        with Worker() as worker:
            array = pickle.loads(worker.bytes("made", 1))
            assert array.ctypes.data % 64 == 0
            equal(array, batch(1))
            del array
            assert len(_mine.buffers()._free) == 0
        del spare

    def test_who_keeps_it_drops_the_files_of_workers_that_have_ended(self) -> None:
        spare = ring.Spare()
        with Worker().met():
            pass
        assert len(rings()) == 1
        del spare
        assert not rings()
        assert mapped_bytes() == 0

    def test_memory_that_was_held_is_given_back(self) -> None:
        with Worker().met() as worker:
            held = [worker("made", value) for value in range(60)]
            full = worker("resident")
            assert full > 60 * held[0].nbytes
            held.clear()
            assert worker("resident") < full / 4
            worker("made", 1, (16, *SHAPE[1:]))  # in a new slot
            assert mapped_bytes() < full / 4

    def test_more_parts_than_slots_are_held(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("seedsafe.ring.writer.ABSENT", 99)  # no slot is left to be made
        array = made(3)
        assert type(array) is np.ndarray
        equal(array, batch(3))

    def test_threads_of_a_worker_share_no_slot(self) -> None:
        found: list[np.ndarray] = []

        def make(value: int) -> None:
            for again in range(20):
                found.append(made(100 * value + again))

        threads = [threading.Thread(target=make, args=(value,)) for value in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        addresses = {array.ctypes.data for array in found}
        assert len(addresses) == len(found) == 80

    def test_without_workers_the_memory_is_used_again_and_never_too_early(self) -> None:
        addresses = set()
        for value in range(10):
            array = ring.empty(SHAPE, "float32")
            array[...] = batch(value)
            addresses.add(array.ctypes.data)
        assert len(addresses) <= 2
        held = [ring.empty(SHAPE, "float32") for _ in range(10)]
        assert len({one.ctypes.data for one in held}) == 10


@pytest.mark.linux
class TestFaults:
    """Each of these once gave a wrong sample, an error or a leak."""

    def test_a_descriptor_that_is_another_ring_now(self) -> None:
        first, second = Ring(), Ring()
        for one, value in ((first, 1), (second, 2)):
            taken = one.take(4096)
            assert taken is not None
            taken[0][:] = value
        os.dup2(second.file, first.file)  # closed, and opened again with the same number
        reader.map_ring(first.handle)
        assert not rings()
        assert "is now another file" in str(ring.why_not())

    def test_a_descriptor_that_is_no_ring_now(self, tmp_path: Path) -> None:
        one = Ring()
        with (tmp_path / "file").open("w+b") as file:
            os.dup2(file.fileno(), one.file)
        reader.map_ring(one.handle)
        assert not rings()

    def test_a_place_in_a_ring_that_is_gone_is_an_error_and_no_oserror(self) -> None:
        with Worker().met() as worker:
            message = worker.bytes("made", 1)
        reader.state.__init__()
        with pytest.raises(
            RuntimeError, match=r"cannot be read from the worker.*No such file.*in_place=False"
        ):
            pickle.loads(message)

    def test_rings_inherited_by_a_fork_are_left_to_the_parent(self) -> None:
        mine = made(1), ring.empty(SHAPE, "float32")
        mine[1][...] = batch(2)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            for value, array in enumerate(pool.imap(made, range(20))):
                equal(array, batch(value))
        equal(mine[0], batch(1))
        equal(mine[1], batch(2))

    def test_a_forked_child_has_a_ring_of_its_own(self) -> None:
        array = made(1)
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.apply(taken) == 0
        assert taken() == 1
        del array

    def test_a_child_that_sends_an_inherited_batch_uses_no_slot_of_its_parents(self) -> None:
        from multiprocessing.reduction import ForkingPickler

        pickle.loads(ForkingPickler.dumps(made(1)))  # this process has mapped its own ring
        array = made(2)
        end, theirs = multiprocessing.Pipe(duplex=False)
        child = os.fork()
        if child == 0:
            theirs.send(array)
            os._exit(0)
        message = end.recv_bytes()
        assert len(message) > batch(2).nbytes
        equal(pickle.loads(message), batch(2))
        os.waitpid(child, 0)
        assert only_ring().count(SENT) == only_ring().count(HELD) == 0
        end.close()
        theirs.close()

    def test_a_child_that_drops_an_inherited_batch_frees_nothing(self) -> None:
        with Worker().met() as worker:
            array = worker("made", 1)
            child = os.fork()
            if child == 0:
                del array
                gc.collect()
                os._exit(0)
            os.waitpid(child, 0)
            assert only_ring().count(HELD) == 1
            for value in range(5):
                worker("made", value)
            equal(array, batch(1))

    def test_a_child_that_c_code_forks_frees_nothing_either(self) -> None:
        with Worker().met() as worker:
            array = worker("made", 1)
            child = ctypes.CDLL(None).fork()  # Python's hooks do not run
            if child == 0:
                del array
                gc.collect()
                os._exit(0)
            os.waitpid(child, 0)
            assert only_ring().count(HELD) == 1
            equal(array, batch(1))

    def test_a_batch_inherited_by_a_child_does_not_change(self) -> None:
        with Worker() as worker:
            with only_a_child_keeps([worker.met()("made", 1)]):
                for value in range(2, 12):
                    equal(worker("made", value), batch(value))
            before = len(worker("slots"))
            held = [worker("made", value) for value in range(before)]  # the child's slot serves again
            assert len(worker("slots")) == before
            del held

    def test_what_a_child_inherits_stays_where_enough_memory_is_free(self) -> None:
        with Worker().met() as worker, only_a_child_keeps([worker("made", k) for k in range(1, 14)]):
            for value in range(20, 32):
                equal(worker("made", value), batch(value))

    @pytest.mark.parametrize("of", ["reader", "writer"])
    def test_a_daemon_that_closes_its_descriptors_keeps_what_it_inherits(self, of: str) -> None:
        with Worker() as worker:
            array = worker.met()("made", 1) if of == "reader" else made(1)
            make = functools.partial(worker, "made") if of == "reader" else made
            asked, answers = os.pipe(), os.pipe()
            child = os.fork()
            if child == 0:
                with contextlib.suppress(BaseException):
                    os.dup2(asked[0], 0)
                    os.dup2(answers[1], 1)
                    os.closerange(3, 1024)
                    numbers = [os.open(os.devnull, os.O_RDONLY) for _ in range(64)]  # the rings' among them
                    os.read(0, 1)
                    os.write(1, b"same" if (array == batch(1)).all() else b"else")
                    del array
                    gc.collect()
                    for number in numbers:
                        os.fstat(number)  # nobody has closed it
                    os._exit(0)
                os._exit(1)
            del array
            others = [make(value) for value in range(2, 12)]
            os.write(asked[1], b".")
            assert os.read(answers[0], 4) == b"same"
            assert os.waitpid(child, 0)[1] == 0
            for value, other in enumerate(others, 2):
                equal(other, batch(value))
            for end in (*asked, *answers):
                os.close(end)

    def test_a_batch_that_the_workers_child_inherits_does_not_change(self) -> None:
        with only_a_child_keeps([made(1)]):
            others = [made(value) for value in range(2, 6)]
        del others

    @pytest.mark.parametrize("method", METHODS)
    def test_epochs_of_new_workers_leave_nothing(self, method: str) -> None:
        seen = []
        for _ in range(6 if method == "fork" else 3):
            with Worker(method) as worker:
                for value in range(4):
                    equal(worker("made", value), batch(value))
            seen.append((len(rings()), mapped_bytes(), descriptors()))
        assert seen[1:] == seen[:1] * (len(seen) - 1)

    def test_a_dead_workers_batch_is_kept_and_goes_with_its_last_view(self) -> None:
        with Worker().met() as worker:
            array = worker("made", 1)
            os.kill(worker.process.pid or 0, signal.SIGKILL)
            worker.process.join()
            equal(array, batch(1))
            del array
            assert not rings()
            assert mapped_bytes() == 0

    def test_a_worker_that_is_dead_before_its_ring_is_mapped(self) -> None:
        with Worker() as worker:
            message = worker.bytes("made", 1)
        equal(pickle.loads(message), batch(1))

    def test_messages_of_a_dead_worker_come_late(self) -> None:
        with Worker().met() as worker:
            message = worker.bytes("made", 1)
        with Worker() as other:
            other.met()
            equal(pickle.loads(message), batch(1))

    def test_what_was_sent_and_never_opened_is_not_kept_for_ever(self) -> None:
        for _ in range(12):
            with Worker() as worker:
                worker.met()
                worker.bytes("made", 1)
        assert len(rings()) <= reader._LATE + 1

    def test_what_a_worker_that_stays_sent_and_nobody_opened_goes_with_it(self) -> None:
        with Worker() as worker:
            worker("staying", 0)
            assert len(worker.bytes("staying", 1)) < 1000
        reader.drop_dead()
        assert not rings()

    def test_nothing_is_written_to_shared_memory_with_a_name(self) -> None:
        def mapped(process: int | str) -> set[str]:
            lines = Path(f"/proc/{process}/maps").read_text().splitlines()
            return {
                line.split()[-1] if "(deleted)" not in line else line.split()[-2]
                for line in lines
                if "/" in line
            }

        before = {name for name in mapped("self") if name.startswith("/dev/shm")}  # of other tests
        with Worker() as worker:
            held = [worker("made", value) for value in range(5)]
            for process in ("self", worker.process.pid):
                names = mapped(process)
                assert any(name.startswith("/memfd:seedsafe-ring") for name in names)
                assert {name for name in names if name.startswith("/dev/shm")} <= before
        del held

    def test_a_fill_that_fails_frees_its_slots(self) -> None:
        with Worker() as worker:
            assert [worker("failing", value) for value in range(5)] == [0] * 5
            assert len(worker("slots")) <= 2

    def test_a_message_is_opened_once(self) -> None:
        with Worker().met() as worker:
            message = worker.bytes("made", 1)
            array = pickle.loads(message)
            with pytest.raises(RuntimeError, match="opened only once"):
                pickle.loads(message)
            assert only_ring().count(HELD) == 1
            worker("made", 2)
            equal(array, batch(1))
            del array
            with pytest.raises(RuntimeError, match="opened only once"):
                pickle.loads(message)
            equal(worker("made", 3), batch(3))
            with pytest.raises(RuntimeError, match="opened only once"):
                pickle.loads(message)
            later = [worker.bytes("made", value) for value in range(4)]  # one of them in the same slot
            with pytest.raises(RuntimeError, match="opened only once"):
                pickle.loads(message)
            for value, one in enumerate(later):
                equal(pickle.loads(one), batch(value))

    def test_an_array_that_is_sent_twice_goes_by_value_the_second_time(self) -> None:
        from multiprocessing.reduction import ForkingPickler

        first = made(1)
        pickle.loads(ForkingPickler.dumps(first))  # by value; this process has mapped its own ring now
        array = made(2)
        messages = [bytes(ForkingPickler.dumps(array)) for _ in range(2)]
        assert len(messages[0]) < 1000 < array.nbytes < len(messages[1])
        for message in messages:
            equal(pickle.loads(message), batch(2))

    def test_slots_are_used_only_when_the_reader_has_mapped_the_ring(self) -> None:
        with Worker() as worker:
            messages = [worker.bytes("made", value) for value in range(3)]
            assert all(len(message) > batch(0).nbytes for message in messages)
            for value, message in enumerate(messages):
                equal(pickle.loads(message), batch(value))
            assert len(worker.bytes("made", 3)) < 1000


def meanwhile(action: Callable[[], object], run: Callable[[], object], moment: int) -> bool:
    """Run something, and do another thing at one line of the ring's code, as a signal or the garbage collector would.

    Returns:
        whether so many lines of the ring's code were run.
    """
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if f"{os.sep}ring{os.sep}" not in frame.f_code.co_filename:
            return None
        if event == "line":
            if lines == moment:
                action()
            lines += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return lines > moment


def here(action: Callable[[], object]) -> None:
    action()


def in_a_thread(action: Callable[[], object]) -> None:
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


def opened(value: int) -> np.ndarray:
    """Send a batch to this process itself, and open it."""
    from multiprocessing.reduction import ForkingPickler

    return pickle.loads(ForkingPickler.dumps(written(value)))


def written(value: int) -> np.ndarray:
    return made(value, SMALL)


def private(value: int) -> np.ndarray:
    array = ring.empty(SMALL, "float32")
    array[...] = batch(value, SMALL)
    return array


SMALL = (8, 32)
KINDS = {"private": private, "written": written, "read": opened}


class TestAtAnyMoment:
    """Whatever happens between two lines of the ring's code: no error, no hang, and no batch changes."""

    @pytest.fixture(autouse=True)
    def nothing_is_raised_unseen(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        unseen: list[object] = []
        monkeypatch.setattr(sys, "unraisablehook", lambda raised: unseen.append(raised.exc_value))
        yield
        assert unseen == []

    @pytest.mark.parametrize("where", [here, in_a_thread])
    @pytest.mark.parametrize("kind", KINDS)
    def test_batches_are_dropped(self, kind: str, where: Callable[..., None]) -> None:
        opened(0)  # this process has mapped its own ring
        kept: list[np.ndarray] = []
        found: list[np.ndarray] = []
        for moment in count():
            kept[:] = [KINDS[kind](0)]
            others = [KINDS[kind](value) for value in range(15)]
            del others[12:]  # so much is free
            happened = meanwhile(
                lambda others=others: where(others.clear), lambda: found.append(KINDS[kind](1)), moment
            )
            kept += *found, *(KINDS[kind](value) for value in range(2, 5))
            for value, array in enumerate(kept):
                equal(array, batch(value, SMALL))
            found.clear()
            if not happened:
                break

    @pytest.mark.parametrize("where", [here, in_a_thread])
    @pytest.mark.parametrize("kind", KINDS)
    def test_a_batch_dies_while_another_one_does(self, kind: str, where: Callable[..., None]) -> None:
        opened(0)
        for moment in count():
            first, others = [KINDS[kind](1)], [KINDS[kind](value) for value in range(12)]
            happened = meanwhile(lambda others=others: where(others.clear), first.clear, moment)
            for value, array in enumerate([KINDS[kind](value) for value in range(4)]):
                equal(array, batch(value, SMALL))
            if not happened:
                break

    @pytest.mark.parametrize("within", KINDS)
    @pytest.mark.parametrize("kind", KINDS)
    def test_another_batch_is_made_in_the_same_thread(self, kind: str, within: str) -> None:
        opened(0)
        outer: list[np.ndarray] = []
        inner: list[np.ndarray] = []
        for moment in count():
            if not meanwhile(
                lambda: inner.append(KINDS[within](1)), lambda: outer.append(KINDS[kind](2)), moment
            ):
                break
            equal(inner.pop(), batch(1, SMALL))
            equal(outer.pop(), batch(2, SMALL))

    @pytest.mark.fork
    @pytest.mark.parametrize("kind", KINDS)
    def test_the_process_forks(self, kind: str) -> None:
        opened(0)
        kept = KINDS[kind](5)

        def fork() -> None:
            child = os.fork()
            if child == 0:
                values = []
                thread = threading.Thread(target=lambda: values.extend(written(value) for value in range(3)))
                thread.start()
                thread.join(60)
                same = [(array == batch(value, SMALL)).all() for value, array in enumerate(values)]
                os._exit(0 if len(same) == 3 and all(same) and (kept == batch(5, SMALL)).all() else 1)
            assert os.waitpid(child, 0)[1] == 0

        found: list[np.ndarray] = []
        moments = count(step=2)
        while meanwhile(fork, lambda: found.append(KINDS[kind](2)), next(moments)):
            equal(found.pop(), batch(2, SMALL))
        equal(kept, batch(5, SMALL))

    @pytest.mark.parametrize("kind", KINDS)
    def test_threads_drop_what_another_makes(self, kind: str) -> None:
        opened(0)
        queue: SimpleQueue[list[np.ndarray] | None] = SimpleQueue()

        def drop() -> None:
            while (arrays := queue.get()) is not None:
                arrays.clear()

        threads = [threading.Thread(target=drop) for _ in range(3)]
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            for thread in threads:
                thread.start()
            for _ in range(300):
                queue.put([KINDS[kind](value) for value in range(12)])
        finally:
            for _ in threads:
                queue.put(None)
            for thread in threads:
                thread.join()
            sys.setswitchinterval(before)


class TestWhereItCannotBe:
    @pytest.mark.linux
    def test_without_memory_files(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(os, "memfd_create")
        assert "Linux" in str(ring.why_not())
        assert type(made(1)) is np.ndarray

    @pytest.mark.linux
    def test_without_proc(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(memory, "PROC", str(tmp_path))
        assert "not mounted" in str(ring.why_not())
        assert type(made(1)) is np.ndarray

    @pytest.mark.linux
    def test_a_reader_that_cannot_open_the_file(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        with Worker() as worker:
            opened = memory.open_file
            monkeypatch.setattr(
                reader, "open_file", lambda handle: opened(handle._replace(path=str(tmp_path / "3")))
            )
            for value in range(PATIENCE + 4):
                equal(worker("made", value), batch(value))
            assert not rings()
            assert str(tmp_path) in str(ring.why_not())
            assert "could not map" in worker("reason")  # it has given up, and makes plain arrays

    @pytest.mark.linux
    def test_a_reader_without_descriptors(self) -> None:
        with Worker() as worker:
            with no_descriptors_left():
                for value in range(4):
                    equal(worker("made", value), batch(value))
            assert not rings()
            assert "Too many open files" in str(ring.why_not())

    @pytest.mark.fork
    def test_a_batch_that_a_fork_without_descriptors_inherits_does_not_change(self) -> None:
        with Worker() as worker, only_a_child_keeps([worker.met()("made", 1)], without_descriptors=True):
            for value in range(2, 12):
                equal(worker("made", value), batch(value))

    @pytest.mark.linux
    def test_the_message_says_what_is_missing(self) -> None:
        with Worker().met() as worker:
            message = worker.bytes("made", 1)
            reader.state.__init__()
            with (
                no_descriptors_left(),
                pytest.raises(RuntimeError, match=r"Too many open files.*ulimit -n.*in_place=False"),
            ):
                pickle.loads(message)

    @pytest.mark.linux
    def test_a_reader_that_cannot_map_a_slot_copies_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with Worker().met() as worker:
            monkeypatch.setattr(
                arena, "map_file", lambda *_: (_ for _ in ()).throw(OSError("no more mappings"))
            )
            equal(worker("made", 2), batch(2))
            assert only_ring().count(HELD) == only_ring().count(SENT) == 0

    @pytest.mark.linux
    def test_another_process_than_the_first_reader_gets_a_copy(self) -> None:
        with Worker().met() as worker:
            message = worker.bytes("made", 1)
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                equal(pool.apply(hold, (message,)), batch(1))
            # What it holds when it is terminated is no slot.
            assert only_ring().count(FREE) == 1
            assert only_ring().count(HELD) == 0


def test_rows_are_those_of_the_batch_or_none() -> None:
    rows = ring.Rows(16)
    samples = [rows.place((batch(number, (100, 100)), number)) for number in range(16)]
    images = [image for image, _ in samples]
    whole = ring.batch_at(images)
    assert whole is not None
    equal(whole, np.stack([batch(number, (100, 100)) for number in range(16)]))
    assert ring.batch_at(images[:5]) is not None
    for others in (
        images[1:],
        images[::-1],
        [images[0], *images[2:]],
        [images[0], images[1].copy(), *images[2:]],
        [image.T for image in images],
        [image[:50] for image in images],
        [image.ravel()[:5000] for image in images],
    ):
        assert ring.batch_at(others) is None


def test_rows_seen_as_another_dtype_or_shape_are_no_batch() -> None:
    rows = ring.Rows(4)
    images = [rows.place(batch(number, (100, 100))) for number in range(4)]
    for other in (images[2].view(np.uint32), images[2].reshape(50, 200), images[2].reshape(-1)):
        assert ring.batch_at([*images[:2], other, images[3]]) is None
    assert ring.batch_at(images) is not None


def test_a_row_that_is_offered_is_filled_and_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ring.Rows(3)
    assert rows.offer() is None  # what the samples are is not known yet
    first = rows.place((batch(0, (100, 100)), 0))
    monkeypatch.setattr(rows, "copy", lambda *_: pytest.fail("a copy"))
    made = []
    for number in (1, 2):
        row = rows.offer()
        assert row is not None
        row[...] = batch(number, (100, 100))
        made.append(rows.place((row, number)))
        assert made[-1][0] is row
    assert rows.offer() is None  # the last is placed
    whole = ring.batch_at([image for image, _ in (first, *made)])
    assert whole is not None
    equal(whole, np.stack([batch(number, (100, 100)) for number in range(3)]))


def test_a_row_that_is_offered_in_vain_is_written_by_place() -> None:
    rows = ring.Rows(5)
    samples = [rows.place(batch(0, (100, 100)))]
    for number in range(1, 4):
        rows.offer()[...] = -1  # type: ignore[index]  # there is one
        samples.append(rows.place(batch(number, (100, 100))))
    rows.offer()[...] = -1  # type: ignore[index]  # by what failed: the row is offered again
    rows.offer()[...] = batch(4, (100, 100))  # type: ignore[index]
    samples.append(rows.place(rows.offer()))
    whole = ring.batch_at(samples)
    assert whole is not None
    equal(whole, np.stack([batch(number, (100, 100)) for number in range(5)]))


def test_no_row_is_offered_of_what_has_no_column() -> None:
    rows = ring.Rows(3)
    rows.place((np.zeros(4), batch(0, (100, 100))))  # the first array is small
    assert rows.offer() is None


def test_samples_that_come_back_are_equal_and_the_given_ones_stay() -> None:
    rows = ring.Rows(16)
    given = sample(3) | {"pair": [batch(1, (100, 100)), (batch(2, (100, 100)),)]}
    before = pickle.dumps(given)
    made_of = rows.place(given)
    assert pickle.dumps(given) == before
    assert made_of is not given
    assert not np.shares_memory(made_of["image"], given["image"])
    assert [type(part) for part in made_of.values()] == [type(part) for part in given.values()]
    equal(made_of["pair"][1][0], given["pair"][1][0])


def test_samples_of_other_shapes_stay_as_they_are() -> None:
    rows = ring.Rows(16)
    first, second = rows.place(batch(0, (100, 100))), batch(1, (100, 101))
    assert rows.place(second) is second
    assert rows.place(first.astype("float64")).dtype == "float64"
    assert ring.batch_at([first, second]) is None


def test_the_message_names_a_batch_that_is_too_large() -> None:
    rows = ring.Rows(1)
    rows.place(batch(0))
    with pytest.raises(ValueError, match="1 samples"):
        rows.place(batch(1))


@pytest.mark.linux
def test_ten_thousand_small_batches_leave_memory_as_it_was() -> None:
    with Worker() as worker:
        seen = []
        for value in range(10_000):
            worker("made", value, (64, 8, 8), "uint8")
            if value in (100, 9_999):
                seen.append((mapped_bytes(), descriptors(), worker("resident"), len(worker("slots"))))
        assert seen[0] == seen[1]
