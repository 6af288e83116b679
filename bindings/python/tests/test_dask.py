"""Arrays of Dask: any chunks, and a real cluster whose worker is killed."""

import os
import signal
import time
import warnings

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptxcvt
import ptxcvt.dask
from ptxcvt import Error

SHAPE = (12, 10, 6)
X = (np.random.default_rng(1).standard_normal(SHAPE) * 4).astype(np.float32)


def chunks_of(length):
    """Splits an axis at random."""
    return st.lists(st.integers(1, length), min_size=1, max_size=length).map(lambda parts: cut(parts, length))


def cut(parts, length):
    made, left = [], length
    for part in parts:
        if part >= left:
            break
        made.append(part)
        left -= part
    return (*made, left)


@given(st.tuples(*map(chunks_of, SHAPE)), st.sampled_from(["cvt.rs.satfinite.e4m3x4.f32", "cvt.rs.bf16x2.f32", "f32->e2m1"]))
@settings(max_examples=25)
def test_any_chunks_have_the_bits_of_the_whole(chunks, conversion):
    options = {"seed": 7} if ".rs" in conversion else {}
    whole = ptxcvt.convert(conversion, X, **options)
    lazy = ptxcvt.dask.convert(conversion, da.from_array(X, chunks=chunks), **options)
    assert lazy.chunks == chunks and lazy.dtype == whole.dtype and lazy._meta.dtype == whole.dtype
    made = lazy.compute(scheduler="synchronous")
    np.testing.assert_array_equal(made.view(np.uint8), whole.view(np.uint8))


def test_orders_and_packing():
    turned = da.from_array(np.asfortranarray(X), chunks=(5, 10, 4))
    whole = ptxcvt.convert("cvt.rs.satfinite.e4m3x4.f32", X, seed=3)
    made = ptxcvt.dask.convert("cvt.rs.satfinite.e4m3x4.f32", turned, seed=3).compute(scheduler="synchronous")
    np.testing.assert_array_equal(made.view(np.uint8), whole.view(np.uint8))
    packed = ptxcvt.dask.convert("f32->e2m1", da.from_array(X, chunks=(5, 3, 2)), packed=True)
    assert packed.shape == (12, 10, 3) and packed.dtype == np.uint8
    np.testing.assert_array_equal(packed.compute(scheduler="synchronous"), ptxcvt.convert("f32->e2m1", X, packed=True))


def test_what_is_wrong_is_said_at_once():
    lazy = da.from_array(X, chunks=5)
    with pytest.raises(Error, match="needs either rbits= or seed="):
        ptxcvt.dask.convert("cvt.rs.satfinite.e4m3x4.f32", lazy)
    with pytest.raises(Error, match="chunks along the last axis must be even"):
        ptxcvt.dask.convert("f32->e2m1", lazy, packed=True)
    with pytest.raises(Error, match="holds float64"):
        ptxcvt.dask.convert("f32->e2m1", lazy.astype(np.float64))
    with pytest.raises(TypeError, match="use ptxcvt.dask"):
        ptxcvt.convert("f32->e2m1", lazy)


@pytest.mark.parametrize("name", ["mx-rceil/e4m3", "mx-floor/e2m1", "nvfp4-te-1x16", "nvfp4-modelopt"])
def test_quantize(name):
    x = (np.random.default_rng(2).standard_normal((64, 128)) * 3).astype(np.float32)
    x[50, 100] = 77  # in one chunk alone
    whole = ptxcvt.quantize(x, name)
    lazy = ptxcvt.dask.quantize(da.from_array(x, chunks=(32, 64)), name)
    data, scales, stored = dask.compute(lazy.data, lazy.scales, lazy.global_scale, scheduler="synchronous")
    np.testing.assert_array_equal(data.view(np.uint8), whole.data.view(np.uint8))
    np.testing.assert_array_equal(scales.view(np.uint8), whole.scales.view(np.uint8))
    assert stored == whole.global_scale
    back = ptxcvt.dask.dequantize(lazy).compute(scheduler="synchronous")
    np.testing.assert_array_equal(back, ptxcvt.dequantize(whole))
    for wrong in ("f64", "e4m3", np.int32, None):
        with pytest.raises(Error) as eager:
            ptxcvt.dequantize(whole, wrong)
        with pytest.raises(Error) as delayed:
            ptxcvt.dask.dequantize(lazy, wrong)
        assert str(delayed.value) == str(eager.value)
    with pytest.raises(Error, match="do not contain whole blocks"):
        ptxcvt.dask.quantize(da.from_array(x, chunks=(64, 24)), name)


@pytest.mark.filterwarnings("ignore")
def test_compare():
    x = np.random.default_rng(3).standard_normal((96, 128)).astype(np.float32)
    x[70:] *= 2.0**9
    for pair in (
        ("mx-rceil/e2m1", "mx-floor/e2m1"),
        ("mx-rceil/e4m3", "mx-rceil/e4m3"),
        ("nvfp4-te-1x16", "nvfp4-modelopt"),
    ):
        for chunks in ((96, 128), (32, 64), (7, 32)):
            lazy = ptxcvt.dask.compare(da.from_array(x, chunks=chunks), *pair)
            assert lazy.compute(scheduler="synchronous") == ptxcvt.compare(x, *pair), (pair, chunks)
    with pytest.raises(Error, match="do not contain whole blocks"):
        ptxcvt.dask.compare(da.from_array(x, chunks=(96, 24)), *pair)
    with pytest.raises(Error, match="has a global scale"):
        ptxcvt.dask.compare(da.from_array(x), "mx-rceil/e2m1", "mx-floor/e2m1", global_amax=1.0)


def test_comparisons_report_nan_and_infinity():
    x = np.ones((32, 64), np.float32)
    lazy = ptxcvt.dask.compare(da.from_array(x, chunks=(16, 64)), "mx-rceil/e4m3", "mx-floor/e4m3")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lazy.compute(scheduler="synchronous")
    x[20, 3] = np.nan
    lazy = ptxcvt.dask.compare(da.from_array(x, chunks=(16, 64)), "mx-rceil/e4m3", "mx-floor/e4m3")
    with pytest.warns(RuntimeWarning, match="^NaN or infinity in the input$"):
        lazy.compute(scheduler="synchronous")


def test_a_cluster_that_loses_a_worker(tmp_path):
    """Two worker processes, Zarr on disk as source and store; one worker is killed in the middle."""
    distributed = pytest.importorskip("distributed")
    zarr = pytest.importorskip("zarr")
    rng = np.random.default_rng(3)
    x = rng.standard_normal((64, 4096), np.float32)
    source = zarr.create_array(str(tmp_path / "source.zarr"), shape=x.shape, chunks=(4, 1000), dtype="f4")
    source[:] = x
    target = zarr.create_array(str(tmp_path / "target.zarr"), shape=x.shape, chunks=(4, 1000), dtype="u1")
    expected = ptxcvt.convert("cvt.rs.satfinite.e4m3x4.f32", x, seed=11, packed=True)

    def slow(block, block_info=None):
        time.sleep(0.05)
        return block

    with dask.config.set({"distributed.scheduler.allowed-failures": 5, "distributed.comm.timeouts.connect": "30s"}):
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, worker_dashboard_address=None
        )
        with cluster, distributed.Client(cluster) as client:
            pids = client.run(os.getpid)
            assert len(set(pids.values())) == 2 and os.getpid() not in pids.values()
            lazy = da.from_zarr(str(tmp_path / "source.zarr")).map_blocks(slow, dtype=np.float32)
            lazy = ptxcvt.dask.convert("cvt.rs.satfinite.e4m3x4.f32", lazy, seed=11, packed=True)
            store = da.store(lazy, target, lock=False, compute=False)
            future = client.compute(store)
            deadline = time.monotonic() + 60
            while not target[:].any() and time.monotonic() < deadline:
                time.sleep(0.05)
            written = np.count_nonzero((target[:] != 0).any(axis=1))
            assert 0 < written < 64, written
            os.kill(next(iter(pids.values())), signal.SIGKILL)
            future.result(timeout=120)
            after = client.run(os.getpid)
            assert set(after.values()) != set(pids.values())
    np.testing.assert_array_equal(target[:], expected)


def test_a_chunk_is_quantised_once(monkeypatch):
    from ptxcvt import _quantize

    calls = []
    original = _quantize._quantize
    monkeypatch.setattr(_quantize, "_quantize", lambda *given: calls.append(given[1].shape) or original(*given))
    x = (np.random.default_rng(2).standard_normal((64, 128)) * 3).astype(np.float32)
    lazy = ptxcvt.dask.quantize(da.from_array(x, chunks=(32, 64)), "mx-rceil/e4m3")
    dask.compute(lazy.data, lazy.scales, scheduler="synchronous")
    assert calls.count((32, 64)) == 4


def test_own_recipes_and_packed_elements():
    x = (np.random.default_rng(2).standard_normal((64, 128)) * 3).astype(np.float32)
    own = ptxcvt.Recipe.from_toml(ptxcvt.Recipe("mx-floor/e2m1").to_toml().replace("32,", "16,").replace("mx-floor/e2m1", "own"))
    for recipe in (own, "mxfp6-compressed-tensors"):
        whole = ptxcvt.quantize(x, recipe)
        lazy = ptxcvt.dask.quantize(da.from_array(x, chunks=(32, 64)), recipe)
        data, scales = dask.compute(lazy.data, lazy.scales, scheduler="processes")
        np.testing.assert_array_equal(data, whole.data)
        np.testing.assert_array_equal(scales.view(np.uint8), whole.scales.view(np.uint8))
        back = ptxcvt.dask.dequantize(lazy).compute(scheduler="synchronous")
        np.testing.assert_array_equal(back, ptxcvt.dequantize(whole))


@pytest.mark.parametrize(
    "name, chunks",
    [
        ("mx-rceil/e4m3", (2, 5, 20, 32)),
        ("nvfp4-te-1x16", (1, 3, 48, 96)),
        ("nvfp4-te-16x16", (2, 2, 16, 48)),
        ("deepseek-128x128", (1, 6, 48, 96)),
        ("nvfp4-te-rs-1x16", (3, 2, 7, 96)),
        ("nvfp4-te-rs-1x16", (1, 2, 48, 96)),
    ],
)
def test_any_number_of_axes(name, chunks):
    x = (np.random.default_rng(5).standard_normal((3, 6, 48, 96)) * 3).astype(np.float32)
    options = {"seed": 11} if "-rs-" in name else {}
    for array, cut in [(x, chunks), (x[0], chunks[1:]), (x[0, 0], chunks[2:]), (x[0, 0, 0], chunks[3:])]:
        if array.ndim == 1 and ptxcvt.Recipe(name).block[0] > 1:
            continue
        whole = ptxcvt.quantize(array, name, **options)
        lazy = ptxcvt.dask.quantize(da.from_array(array, chunks=cut), name, **options)
        assert lazy.data.shape == whole.data.shape and lazy.scales.shape == whole.scales.shape
        data, scales = dask.compute(lazy.data, lazy.scales, scheduler="synchronous")
        np.testing.assert_array_equal(data.view(np.uint8), whole.data.view(np.uint8))
        np.testing.assert_array_equal(scales.view(np.uint8), whole.scales.view(np.uint8))
        back = ptxcvt.dask.dequantize(lazy).compute(scheduler="synchronous")
        np.testing.assert_array_equal(back, ptxcvt.dequantize(whole))


def test_a_global_scale_for_each_row():
    name = "nvfp4-te-row-scaled-1x16"
    x = (np.random.default_rng(4).standard_normal((3, 6, 64)) * 3).astype(np.float32)
    for array, chunks in [(x, (2, 4, 64)), (x[0], (4, 64)), (x[0, 0], (64,))]:
        whole = ptxcvt.quantize(array, name)
        lazy = ptxcvt.dask.quantize(da.from_array(array, chunks=chunks), name)
        assert lazy.global_scale.shape == whole.global_scale.shape == array.shape[:-1]
        data, stored = dask.compute(lazy.data, lazy.global_scale, scheduler="synchronous")
        np.testing.assert_array_equal(data, whole.data)
        np.testing.assert_array_equal(stored, whole.global_scale)
        back = ptxcvt.dask.dequantize(lazy).compute(scheduler="synchronous")
        np.testing.assert_array_equal(back, ptxcvt.dequantize(whole))
    with pytest.raises(Error, match="has a global scale for each row, so chunks must contain whole rows"):
        ptxcvt.dask.quantize(da.from_array(x, chunks=(3, 6, 32)), name)


def test_axes_that_do_not_fit():
    x = da.ones((4, 32, 64), chunks=(1, 8, 64), dtype=np.float32)
    with pytest.raises(Error, match="do not contain whole blocks of 16x16"):
        ptxcvt.dask.quantize(x, "nvfp4-te-16x16")
    for name, needed in [("fp8-tensor", "the whole matrix"), ("fp8-channel", "whole rows")]:
        with pytest.raises(Error, match=f"do not contain {needed}, as `{name}` requires"):
            ptxcvt.dask.quantize(da.ones((32, 64), chunks=(8, 32), dtype=np.float32), name)
    with pytest.raises(Error, match="cannot quantise a single number"):
        ptxcvt.dask.quantize(da.ones((), dtype=np.float32), "mx-rceil/e4m3")
    with pytest.raises(Error, match="the array has 3 axes"):
        ptxcvt.dask.compare(x, "mx-rceil/e4m3", "mx-floor/e4m3")
    whole_rows = ptxcvt.dask.quantize(x.rechunk((1, 8, 32)), "nvfp4-te-rs-1x16", seed=1)
    with pytest.raises(Error, match="chunks must contain whole rows"):
        whole_rows.data.compute(scheduler="synchronous")


def test_zarr_stores_the_bits(tmp_path):
    """Zarr has no types for codes: they are stored as integers and read from these."""
    x = (np.random.default_rng(6).standard_normal((4, 32, 64)) * 3).astype(np.float32)
    for name in ("mx-rceil/e4m3", "nvfp4-te-1x16", "deepseek-1x128"):
        lazy = ptxcvt.dask.quantize(da.from_array(x, chunks=(2, 8, 64)), name, bits=True)
        parts = {}
        for part in ("data", "scales"):
            path = str(tmp_path / f"{name.replace('/', '-')}-{part}")
            getattr(lazy, part).to_zarr(path)
            parts[part] = da.from_zarr(path)
        read = ptxcvt.Quantized(name, parts["data"], parts["scales"], lazy.global_scale, x.shape)
        whole = ptxcvt.quantize(x, name)
        np.testing.assert_array_equal(np.asarray(read.data), whole.data.view(np.uint8))
        back = ptxcvt.dask.dequantize(read).compute(scheduler="synchronous")
        np.testing.assert_array_equal(back, ptxcvt.dequantize(whole))
        floats = ptxcvt.Recipe(name).scale == "f32"
        assert (read.data.dtype, read.scales.dtype) == (np.uint8, np.float32 if floats else np.uint8)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("recipe", [str(recipe) for recipe in ptxcvt.recipes() if recipe.global_scale and not recipe.inline_scales])
def test_the_global_scale_of_every_type(recipe, dtype):
    """Some recipes compute it in the type of their input."""
    rows, columns = ptxcvt.Recipe(recipe).block
    x = np.random.default_rng(0).standard_normal((4 * rows, 4 * columns)).astype(dtype)
    options = {"seed": 1} if ptxcvt.Recipe(recipe).random else {}
    for amax in ({}, {"global_amax": 3.9}):
        whole = ptxcvt.quantize(x, recipe, **options, **amax)
        lazy = ptxcvt.dask.quantize(da.from_array(x, chunks=(rows, 4 * columns)), recipe, **options, **amax)
        assert np.float32(lazy.global_scale) == np.float32(whole.global_scale)
        np.testing.assert_array_equal(np.asarray(lazy.data).view(np.uint8), whole.data.view(np.uint8))


@pytest.mark.parametrize("conversion", ["f32->e2m1", "cvt.rs.satfinite.e2m1x4.f32"])
def test_packing_is_along_the_last_axis_in_any_order_of_memory(conversion):
    x, options = X[0], {"seed": 3} if ".rs" in conversion else {}
    for array, lazy in [
        (x, da.from_array(np.asfortranarray(x), chunks=(5, 2))),
        (x.T, da.from_array(x, chunks=(2, 3)).T),
    ]:
        made = ptxcvt.dask.convert(conversion, lazy, packed=True, **options)
        whole = ptxcvt.convert(conversion, np.ascontiguousarray(array), packed=True, **options)
        assert made.shape == whole.shape
        np.testing.assert_array_equal(made.compute(scheduler="synchronous"), whole)


def test_arguments_that_are_refused_at_the_call():
    x = da.ones((4, 64), chunks=(2, 64), dtype=np.float32)
    unknown = x[x[:, 0] > 0]
    calls = [
        lambda x: ptxcvt.dask.convert("cvt.rs.satfinite.e4m3x4.f32", x, seed=1),
        lambda x: ptxcvt.dask.quantize(x, "mx-rceil/e4m3"),
        lambda x: ptxcvt.dask.compare(x, "mx-rceil/e4m3", "mx-floor/e4m3"),
    ]
    for call in calls:
        with pytest.raises(Error, match="masked array"):
            call(da.ma.masked_greater(x, 0.5))
        for other in (np.ones((4, 64), np.float32), [[1.0]], None):
            with pytest.raises(Error, match="expected an array of Dask"):
                call(other)
        with pytest.raises(Error, match="chunks of unknown sizes"):
            call(unknown)
        with pytest.raises(Error, match="holds int32"):
            call(x.astype(np.int32))
    assert ptxcvt.dask.convert("f32->e4m3", unknown).compute(scheduler="synchronous").shape == (4, 64)
    # A chunk may be masked although the array does not say so.
    hidden = x.map_blocks(lambda block: np.ma.masked_greater(block, 0.5), meta=np.empty((0, 0), np.float32))
    with pytest.raises(Error, match="masked array"):
        ptxcvt.dask.convert("f32->e4m3", hidden).compute(scheduler="synchronous")
    for call in (
        lambda **options: ptxcvt.dask.quantize(x, "nvfp4-te-rs-1x16", **options),
        lambda **options: ptxcvt.dask.compare(x, "nvfp4-te-rs-1x16", "nvfp4-te-1x16", **options),
    ):
        with pytest.raises(Error, match="needs a seed"):
            call()
        with pytest.raises(Error, match="seed='a'"):
            call(seed="a")
    with pytest.raises(Error, match="accepts no seed"):
        ptxcvt.dask.quantize(x, "mx-rceil/e4m3", seed=1)
    with pytest.raises(Error, match="rbits is an array"):
        ptxcvt.dask.convert("cvt.rs.satfinite.e4m3x4.f32", x, rbits=np.arange(64, dtype=np.uint32))
    with pytest.raises(Error, match="expected an array of Dask"):
        ptxcvt.dask.dequantize(ptxcvt.quantize(np.ones((2, 32), np.float32), "mx-rceil/e4m3"))


def test_layouts_that_need_several_blocks_and_large_blocks():
    x = np.random.default_rng(0).standard_normal((8, 1024)).astype(np.float32)
    lazy = da.from_array(x, chunks=(3, 1024))
    text = ptxcvt.Recipe("mx-rceil/e4m3").to_toml().replace('"mx-rceil/e4m3"', '"wide"')
    for size in (512, 1024):
        assert "    32,\n" in text
        wide = ptxcvt.Recipe.from_toml(text.replace("    32,\n", f"    {size},\n"))
        for recipe in (wide, "gguf-nvfp4", "gguf-mxfp4"):
            q, expected = ptxcvt.dask.quantize(lazy, recipe), ptxcvt.quantize(x, recipe)
            np.testing.assert_array_equal(np.asarray(q.data).view(np.uint8), expected.data.view(np.uint8))
            assert ptxcvt.dask.compare(lazy, recipe, recipe).compute(scheduler="synchronous").equal


def test_blocks_as_large_as_an_array():
    x = X[0]
    for name in ("fp8-channel", "fp8-tensor"):
        lazy = ptxcvt.dask.quantize(da.from_array(x, chunks=-1), name)
        np.testing.assert_array_equal(np.asarray(lazy.data).view(np.uint8), ptxcvt.quantize(x, name).data.view(np.uint8))
    lazy = ptxcvt.dask.compare(da.from_array(x, chunks=-1), "fp8-channel", "fp8-channel-modelopt")
    assert lazy.compute(scheduler="synchronous") == ptxcvt.compare(x, "fp8-channel", "fp8-channel-modelopt")


@pytest.mark.parametrize(
    "name", ["mx-rceil/e4m3", "mx-rceil/e2m1", "nvfp4-te-16x16", "mxfp6-compressed-tensors", "deepseek-128x128", "nvfp4-te-row-scaled-1x16"]
)
def test_dequantize_of_parts_with_other_chunks(name):
    x = np.random.default_rng(1).standard_normal((3, 96, 384)).astype(np.float32)
    whole = ptxcvt.quantize(x, name)
    expected = ptxcvt.dequantize(whole)
    for of_data, of_scales in [((1, 32, 96), -1), (-1, 2), ((2, 16, 48), (3, 1, 1)), ((3, 7, 5), (1, 2, 1)), ((3, 96, 100), -1)]:
        data, scales = (
            da.from_array(np.asarray(part).view(np.uint8) if part.dtype.itemsize == 1 else part, chunks=chunks)
            for part, chunks in ((whole.data, of_data), (whole.scales, of_scales))
        )
        q = ptxcvt.Quantized(name, data, scales, whole.global_scale, x.shape)
        back = ptxcvt.dask.dequantize(q)
        assert back.shape == x.shape
        np.testing.assert_array_equal(back.compute(scheduler="synchronous"), expected)


def test_dequantize_refuses_parts_of_other_arrays():
    q = ptxcvt.dask.quantize(da.ones((8, 64), chunks=(4, 32), dtype=np.float32), "mx-rceil/e4m3")
    for data, scales, shape, text in [
        (q.data, q.scales[:, :1], q.shape, "scales of shape .8, 1.: an array of shape .8, 64. has scales of shape .8, 2."),
        (q.data[:4], q.scales, q.shape, "data of shape .4, 64.: an array of shape .8, 64. has data of shape .8, 64."),
        (q.data, q.scales, (16, 32), "data of shape .8, 64.: an array of shape .16, 32."),
        (q.data, q.scales[q.scales[:, 0] == 1], q.shape, "scales has chunks of unknown sizes"),
    ]:
        with pytest.raises(Error, match=text):
            ptxcvt.dask.dequantize(ptxcvt.Quantized(q.recipe, data, scales, None, shape))
