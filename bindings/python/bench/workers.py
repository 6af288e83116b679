"""Measures what Dask adds to a conversion: the cost of a chunk, and two worker processes against one on data in memory.

    python bindings/python/bench/workers.py
"""

from __future__ import annotations

import datetime
import statistics
import sys
import time

import dask.array as da
import distributed
import numpy as np

import ptxcvt.dask

FORM = "cvt.rs.satfinite.e4m3x4.f32"
#: Elements of a chunk, and chunks.
CHUNK, CHUNKS = 1 << 22, 48


def digest(block: np.ndarray) -> np.ndarray:
    """Reduces a chunk to one number, so that results stay on their worker."""
    return np.array([int(block.view(np.uint8)[::4099].sum())])


def seconds(client: distributed.Client, x: da.Array, repeats: int = 3) -> float:
    """Returns the shortest time of a conversion of everything."""
    work = ptxcvt.dask.convert(FORM, x, seed=7).map_blocks(digest, dtype=np.int64, chunks=(1,))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        client.compute(work).result()
        times.append(time.perf_counter() - start)
    return min(times)


def of_workers(count: int) -> tuple[float, float]:
    """Returns the seconds for the whole array in memory, and for a chunk of one element."""
    with distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
    ) as cluster, distributed.Client(cluster) as client:
        x = da.random.default_rng(1).standard_normal(CHUNK * CHUNKS, chunks=CHUNK, dtype=np.float32)
        x = client.persist(x)
        distributed.wait(x)
        whole = seconds(client, x)
        empty = client.persist(da.zeros(1000, chunks=1, dtype=np.float32))
        distributed.wait(empty)
        return whole, seconds(client, empty) / 1000


def main() -> int:
    x = np.random.default_rng(1).standard_normal(CHUNK, np.float32)
    alone = []
    for _ in range(9):
        start = time.perf_counter()
        ptxcvt.convert(FORM, x, seed=7)
        alone.append(time.perf_counter() - start)
    print(f"{datetime.date.today()}: {CHUNKS} chunks of {CHUNK} elements, {FORM}")
    print(f"without Dask: {min(alone) * 1e3:.2f} ms a chunk (median {statistics.median(alone) * 1e3:.2f})")
    times = {count: of_workers(count) for count in (1, 2, 1, 2)}
    for count, (whole, empty) in times.items():
        print(f"{count} workers: {whole:.3f} s, {whole / CHUNKS * 1e3:.2f} ms a chunk; {empty * 1e3:.2f} ms for a chunk of one element")
    print(f"two workers are {times[1][0] / times[2][0]:.2f} times as fast as one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
