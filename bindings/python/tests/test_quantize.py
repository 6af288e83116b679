"""Recipes over arrays."""

import dataclasses

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
    # FP4 changes numbers up to 13 by at most half a step of 4, or by a whole step if it rounds at random.
    assert np.abs(back - x).max() < (4.0 if options else 2.0)
    again = quantize(x, recipe, threads=2, **options)
    np.testing.assert_array_equal(q.data.view(np.uint8), again.data.view(np.uint8))
    if not Recipe(recipe).inline_scales:
        assert q.codes.shape == x.shape
        rows, columns = Recipe(recipe).block
        assert q.scales.shape == (-(-128 // rows), -(-256 // columns))


@pytest.mark.parametrize("layout", ["rows", "rows-high-first", "packed"])
@pytest.mark.parametrize("element", ["e2m1", "e3m2"])
def test_codes_do_not_depend_on_the_layout(layout, element):
    if (layout, element) in [("packed", "e2m1"), ("rows-high-first", "e3m2")]:
        pytest.skip("no such layout of these elements")
    x = sample(4, 64)
    recipe = Recipe(f"mx-rceil/{element}")
    own = Recipe.from_toml(recipe.to_toml().replace('layout = "rows"', f'layout = "{layout}"'))
    q = quantize(x, own)
    assert own.layout == layout and q.codes.dtype == ptxcvt.convert(f"f32->{element}", x).dtype
    np.testing.assert_array_equal(q.codes.astype(np.float32) * np.repeat(q.scales.astype(np.float32), 32, -1), dequantize(q))
    np.testing.assert_array_equal(dequantize(q), dequantize(quantize(x, recipe)))
    for shape in [(0, 64), (2, 0, 64)]:
        assert quantize(np.zeros(shape, np.float32), own).codes.shape == shape


def test_codes_of_data_that_do_not_fit():
    q = quantize(sample(4, 64), "mxfp6-compressed-tensors")
    for data, part in [
        (q.data.view(np.uint8)[:, :-2], "^data: the element data: expected 186 bytes, not 184"),
        (q.data.astype(np.float32), "data holds float32"),
        (np.uint8(3), "data is a single number"),
    ]:
        with pytest.raises(Error, match=part):
            dataclasses.replace(q, data=data).codes


def test_what_libraries_returned(root):
    """One array of each recipe of tests/blocks, whose README describes a line."""
    seen = set()
    for path in sorted((root / "tests/blocks").glob("*.tsv")):
        for line in path.read_text().splitlines():
            if line.startswith("#"):
                continue
            kind, words, scales, data, word, back = (line.split("\t") + ["", ""])[:6]
            recipe, shape = kind.split(" ")
            if recipe in seen:
                continue
            x = np.array([int(bits, 16) for bits in words.split(" ")], np.uint16).view(ml_dtypes.bfloat16)
            q = quantize(x.reshape([int(n) for n in shape.split("x")]), recipe)
            if word and int(np.float32(q.global_scale).view(np.uint32)) != int(word, 16):
                continue  # a part of an array, whose global scale is that of the whole
            seen.add(recipe)
            assert q.data.tobytes().hex() == data, recipe
            if not Recipe(recipe).inline_scales:
                assert q.scales.tobytes().hex() == scales, recipe
            if back:
                found = dequantize(q).view(np.uint32).ravel().tolist()
                assert found == [int(bits, 16) for bits in back.split(" ")], recipe
    assert len(seen) >= 28


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
    with pytest.raises(Error, match="x holds float64, which cannot be quantised"):
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


def test_global_scales_that_f32_lacks():
    for number, message in [(10**400, "expected a number that f32 can hold"), (1e-46, "f32 rounds it to 0")]:
        for name in ("global_amax", "global_scale"):
            with pytest.raises(Error, match=f"{name}.*: {message}"):
                quantize(sample(), "nvfp4-te-1x16", **{name: number})


@pytest.mark.parametrize("axis", [-1, -2])
@pytest.mark.parametrize("recipe", ["mx-rceil/e4m3", "mx-rceil/e2m1", "nvfp4-te-16x16", "fp8-block", "gguf-mxfp4"])
def test_transposed_parts_are_refused(recipe, axis):
    if Recipe(recipe).inline_scales and axis == -2:
        pytest.skip("blocks of GGUF are along the last axis")
    q = quantize(sample(256, 768), recipe, axis=axis)
    expected = dequantize(q)
    for part in ("data", "scales"):
        array = getattr(q, part)
        if part == "scales" and Recipe(recipe).inline_scales:
            continue
        with pytest.raises(Error, match=f"the {part}"):
            dequantize(dataclasses.replace(q, **{part: array.T}))
        # One axis has the order of the rows.
        np.testing.assert_array_equal(dequantize(dataclasses.replace(q, **{part: array.reshape(-1)})), expected)


def test_only_floats_are_dequantised_to():
    with pytest.raises(Error, match="cannot dequantise to s32: expected f32, bf16 or f16"):
        dequantize(quantize(sample(), "mx-floor/e4m3"), np.int32)


def test_a_global_scale_for_each_row():
    x = np.random.default_rng(3).standard_normal((2, 32, 64)).astype(np.float32) * np.float32(5)
    by_rows = Recipe("nvfp4-te-row-scaled-1x16")
    assert by_rows.row_scaled and not by_rows.global_scale
    for axis in (-1, -2):
        q = quantize(x, by_rows, axis=axis)
        turned = x if axis == -1 else x.swapaxes(-1, -2)
        np.testing.assert_array_equal(q.global_scale, np.abs(turned).max(-1))
        alone = np.array([[quantize(row, "nvfp4-te-1x16").data for row in matrix] for matrix in turned])
        np.testing.assert_array_equal(q.data, alone)
        back = np.array([[dequantize(quantize(row, "nvfp4-te-1x16")) for row in matrix] for matrix in turned])
        np.testing.assert_array_equal(dequantize(q), back if axis == -1 else back.swapaxes(-1, -2))
    assert q == quantize(x, by_rows, axis=-2) and q != quantize(2 * x, by_rows, axis=-2)
    lost = dataclasses.replace(q, global_scale=q.global_scale[:, :-1])
    with pytest.raises(Error, match="126 global scales for `nvfp4-te-row-scaled-1x16`: expected 128"):
        dequantize(lost)
    for option in ("global_amax", "global_scale"):
        with pytest.raises(Error, match="computes the global scale of each row from the row, so it accepts none"):
            quantize(x, by_rows, **{option: 1.0})


def test_compare():
    x = sample()
    same = compare(x, "mx-rceil/e4m3", "mx-rceil/e4m3")
    assert same.equal and same.first is None and same.codes == x.size
    differ = compare(x, "mx-rceil/e2m1", "mx-floor/e2m1")
    assert not differ.equal and differ.scales_differ > 0
    with pytest.raises(Error, match="cannot be compared"):
        compare(x, "mx-rceil/e2m1", "mx-rceil/e4m3")


def test_matrices_of_more_than_two_axes():
    """No block crosses from one matrix of an array to the next: each matrix has the bytes that it has by itself."""
    x = np.random.default_rng(9).standard_normal((2, 3, 64, 96)).astype(np.float32)
    amax = float(np.abs(x).max())
    for name, axis in [
        ("mx-floor/e4m3", -1),
        ("mx-floor/e4m3", -2),
        ("mx-floor/e2m1", -2),
        ("deepseek-128x128", -1),
        ("deepseek-128x128", -2),
        ("nvfp4-te-16x16", -1),
        ("nvfp4-te-16x16", -2),
        ("nvfp4-te-1x16", -2),
    ]:
        options = {"global_amax": amax} if Recipe(name).global_scale else {}
        whole = quantize(x, name, axis=axis)
        one = [[quantize(m, name, axis=axis, **options) for m in matrices] for matrices in x]
        for part in ("data", "scales"):
            alone = np.array([[getattr(q, part).view(np.uint8) for q in row] for row in one])
            np.testing.assert_array_equal(getattr(whole, part).view(np.uint8), alone, err_msg=f"{name} {axis} {part}")
        assert {q.global_scale for row in one for q in row} == {whole.global_scale}
        np.testing.assert_array_equal(
            dequantize(whole), np.array([[dequantize(q) for q in row] for row in one]), err_msg=f"{name} {axis}"
        )
    # One matrix of 64 rows is less than a block of 128: its scale is its own.
    assert quantize(np.ones((3, 64, 128), np.float32), "deepseek-128x128").scales.shape == (3, 1, 1)
    for shape, recipe, axis in [((2, 24, 64), "nvfp4-te-16x16", -1), ((2, 24, 64), "mx-floor/e4m3", -2)]:
        with pytest.raises(Error, match="is not a whole number of blocks"):
            quantize(np.ones(shape, np.float32), recipe, axis=axis)
    with pytest.raises(Error, match="cannot quantise a single number"):
        quantize(np.float32(1), "mx-floor/e4m3")
    with pytest.raises(Error, match="expected one matrix"):
        compare(x, "nvfp4-te-16x16", "nvfp4-te-16x16")
    assert quantize(np.zeros((0, 16, 64), np.float32), "nvfp4-te-16x16").data.shape == (0, 16, 32)


def test_nan_and_infinity_are_reported():
    x = sample()
    x[3, 5], x[7, 1], x[2, 100] = np.nan, -np.inf, np.nan
    for name in ("mx-rceil/e4m3", "nvfp4-modelopt", "deepseek-128x128"):
        for axis in (-1, -2) if name != "nvfp4-modelopt" else (-1,):
            for array in (x, np.asfortranarray(x), x.astype(ml_dtypes.bfloat16), x.astype(">f4")):
                with pytest.warns(RuntimeWarning) as found:
                    quantize(array, name, axis=axis, threads=2)
                text = "2 NaN and 1 infinity in the input; the first is element 356"
                assert [str(warning.message) for warning in found] == [text], name
                assert found[0].filename == __file__
    for array in (x, np.asfortranarray(x), x.astype(ml_dtypes.bfloat16), x.astype(">f4")):
        with pytest.warns(RuntimeWarning) as found:
            compare(array, "mx-rceil/e4m3", "mx-floor/e4m3", threads=2)
        assert [str(warning.message) for warning in found] == [text]
        assert found[0].filename == __file__


def test_empty_arrays():
    for shape in [(0, 64), (64, 0), (0, 0), (0,), (0, 64, 64), (2, 0, 64)]:
        for name in ("mx-rceil/e4m3", "mx-floor/e2m1", "nvfp4-modelopt", "deepseek-1x128", "gguf-mxfp4"):
            for axis in (-1, -2)[: 1 if name.startswith("gguf") or len(shape) == 1 else 2]:
                q = quantize(np.zeros(shape, np.float32), name, axis=axis)
                assert dequantize(q).shape == shape and q.shape == shape, (shape, name, axis)
    assert quantize(np.zeros((0, 64), np.float32), "mx-rceil/e4m3").scales.shape == (0, 2)


def test_an_array_with_one_axis_stays_one():
    x = sample().reshape(-1)[:512]
    for name in ("mx-rceil/e4m3", "nvfp4-modelopt", "deepseek-128x128", "gguf-mxfp4"):
        one, row = quantize(x, name), quantize(x.reshape(1, -1), name)
        assert one.data.ndim == 1 and one.data.tobytes() == row.data.tobytes() and one.scales.tobytes() == row.scales.tobytes()
        assert name == "gguf-mxfp4" or one.scales.ndim == 1
        assert dequantize(one).shape == x.shape


def test_equality():
    x = sample()
    q = quantize(x, "nvfp4-modelopt")
    assert q == quantize(x, "nvfp4-modelopt") and not q != quantize(x, "nvfp4-modelopt")
    assert q != quantize(2 * x, "nvfp4-modelopt") and q != quantize(x, "nvfp4-torchao") and q != 3
    assert q != quantize(x.reshape(8, 8, 128), "nvfp4-modelopt")
    nan = x.copy()
    nan[0] = np.nan
    with pytest.warns(RuntimeWarning):
        assert quantize(nan, "nvfp4-modelopt") == quantize(nan, "nvfp4-modelopt")


def test_arrays_of_xarray():
    xarray = pytest.importorskip("xarray")
    x = sample()
    array = xarray.DataArray(x, dims=("row", "column"), coords={"row": np.arange(64)})
    codes = ptxcvt.convert("f32->e4m3", array)
    assert isinstance(codes, xarray.DataArray) and codes.dims == array.dims and "row" in codes.coords
    np.testing.assert_array_equal(codes.values.view(np.uint8), ptxcvt.convert("f32->e4m3", x).view(np.uint8))
    q = quantize(array, "mx-rceil/e4m3")
    np.testing.assert_array_equal(q.data.values.view(np.uint8), quantize(x, "mx-rceil/e4m3").data.view(np.uint8))
    with pytest.raises(TypeError, match="Dask"):
        ptxcvt.convert("f32->e4m3", array.chunk())


def test_the_command_makes_the_same_bytes_of_whole_rows_and_matrices():
    """Blocks of all rows and columns: each row, and each matrix, has one scale."""
    x = sample(6, 40, ml_dtypes.bfloat16)
    rows, whole = quantize(x, "fp8-channel"), quantize(x.reshape(2, 3, 40), "fp8-tensor")
    assert rows.scales.shape == (6, 1) and whole.scales.shape == (2, 1, 1)
    wide = x.astype(np.float32)
    scale = (np.abs(wide).max(1, keepdims=True) / np.float32(448)).astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(rows.scales, scale)
    y = (wide / scale).astype(ml_dtypes.bfloat16).astype(np.float32) + 0
    np.testing.assert_array_equal(rows.data.view(np.uint8), ptxcvt.convert("f32->e4m3", y).view(np.uint8))
