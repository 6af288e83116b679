"""Recipes over arrays."""

import ml_dtypes
import numpy as np
import pytest

import ptxcvt
from ptxcvt import Error, Recipe, compare, dequantize, quantize


def sample(rows=64, columns=128, dtype=np.float32):
    x = np.random.default_rng(4).standard_normal((rows, columns)) * 3
    return x.astype(dtype)


@pytest.mark.parametrize("recipe", [str(r) for r in ptxcvt.recipes()])
def test_every_recipe_there_and_back(recipe):
    x = sample(128, 256)
    options = {"seed": 5} if Recipe(recipe).random else {}
    q = quantize(x, recipe, **options)
    assert q.recipe == recipe and q.shape == x.shape
    back = dequantize(q)
    # Of numbers up to 13 FP4 loses half a step of 4, and a whole one where it rounds at random.
    assert np.abs(back - x).max() < (4.0 if options else 2.0)
    again = quantize(x, recipe, threads=2, **options)
    np.testing.assert_array_equal(q.data.view(np.uint8), again.data.view(np.uint8))
    if not Recipe(recipe).inline_scales:
        assert q.codes.shape == x.shape
        rows, columns = Recipe(recipe).block
        assert q.scales.shape == (-(-128 // rows), -(-256 // columns))


def test_mxfp8_by_hand():
    x = sample()
    q = quantize(x, "mx-rceil/e4m3")
    amax = np.abs(x).reshape(64, 4, 32).max(axis=2)
    scales = ptxcvt.convert("f32->ue8m0", (amax / np.float32(448)).astype(np.float32), rounding="rp")
    np.testing.assert_array_equal(q.scales.view(np.uint8), scales.view(np.uint8))
    scaled = x / np.repeat(scales.astype(np.float32), 32, axis=1)
    np.testing.assert_array_equal(q.data.view(np.uint8), ptxcvt.convert("f32->e4m3", scaled).view(np.uint8))


def test_axes_shapes_and_types():
    x = sample()
    columns = quantize(x, "mx-floor/e4m3", axis=-2)
    turned = quantize(np.ascontiguousarray(x.T), "mx-floor/e4m3")
    np.testing.assert_array_equal(columns.data.view(np.uint8), turned.data.view(np.uint8))
    np.testing.assert_array_equal(dequantize(columns), dequantize(turned).T)
    deep = quantize(x.reshape(4, 16, 128), "mx-floor/e4m3")
    assert deep.data.shape == (4, 16, 128) and deep.scales.shape == (4, 16, 4)
    np.testing.assert_array_equal(dequantize(deep).reshape(64, 128), dequantize(quantize(x, "mx-floor/e4m3")))
    half = quantize(sample(dtype=ml_dtypes.bfloat16), "mx-floor/e4m3")
    assert dequantize(half, "bfloat16").dtype == ml_dtypes.bfloat16
    with pytest.raises(Error, match="float64 numbers are not quantised"):
        quantize(sample(dtype=np.float64), "mx-floor/e4m3")
    with pytest.raises(Error, match="axis=0"):
        quantize(x, "mx-floor/e4m3", axis=0)
    with pytest.raises(Error):
        quantize(x, "no-such-recipe")


def test_global_scales():
    x = sample()
    own = quantize(x, "nvfp4-te-1x16")
    amax = float(np.abs(x).max())
    given = quantize(x, "nvfp4-te-1x16", global_amax=amax)
    assert own.global_scale == given.global_scale
    np.testing.assert_array_equal(own.data, given.data)
    other = quantize(x, "nvfp4-te-1x16", global_amax=2 * amax)
    assert (own.scales.view(np.uint8) != other.scales.view(np.uint8)).any()
    with pytest.raises(Error, match="has no global scale"):
        quantize(x, "mx-floor/e4m3", global_amax=1.0)


def test_compare():
    x = sample()
    same = compare(x, "mx-rceil/e4m3", "mx-rceil/e4m3")
    assert same.equal and same.first is None and same.codes == x.size
    differ = compare(x, "mx-rceil/e2m1", "mx-floor/e2m1")
    assert not differ.equal and differ.scales_differ > 0
    with pytest.raises(Error, match="cannot be compared"):
        compare(x, "mx-rceil/e2m1", "mx-rceil/e4m3")
