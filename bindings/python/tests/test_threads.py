"""The interpreter's lock is released during conversions, so that threads run in parallel."""

import concurrent.futures
import threading
import time

import numpy as np

import ptxcvt


def test_the_lock_is_released():
    """One thread converts for a long time while another counts; with the lock held it could not count."""
    x = np.zeros(1 << 22, np.float32)
    out = np.zeros(1 << 22, np.uint8)
    # A form without a kernel, so that the conversion takes long.
    form = "cvt.rs.satfinite.e4m3x4.f32"
    ptxcvt.convert(form, x[:1000], seed=1)
    longest, end = 0.0, threading.Event()

    def convert():
        for _ in range(8):
            ptxcvt.convert(form, x, seed=1, out=out)
        end.set()

    thread = threading.Thread(target=convert)
    count = 0
    thread.start()
    while not end.is_set():
        start = time.perf_counter()
        time.sleep(0)
        longest = max(longest, time.perf_counter() - start)
        count += 1
    thread.join()
    # Each call takes milliseconds. A thread that waited for the lock at each of them would count only a few times.
    assert count > 100, (count, longest)


def test_many_threads_agree():
    rng = np.random.default_rng(3)
    arrays = [rng.integers(0, 1 << 32, 100_000, np.uint32).view(np.float32) for _ in range(8)]
    opcodes = ["f32->e4m3", "f32->e2m1", "f32->bf16", "cvt.rni.s8.f32"]
    jobs = [(opcode, array) for opcode in opcodes for array in arrays]
    alone = [ptxcvt.convert(*job) for job in jobs]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda job: ptxcvt.convert(*job), jobs))
    for a, b in zip(alone, together):
        np.testing.assert_array_equal(a.view(np.uint8), b.view(np.uint8))


def test_threads_of_one_call():
    x = np.random.default_rng(4).integers(0, 1 << 32, 1_000_003, np.uint32).view(np.float32)
    for conversion in ("f32->e4m3", "f32->e2m1", "f32->e2m1->f32"):
        one, two = (ptxcvt.convert(conversion, x, threads=n) for n in (1, 2))
        np.testing.assert_array_equal(one.view(np.uint8), two.view(np.uint8))
