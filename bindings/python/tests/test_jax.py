"""Arrays of JAX, also where they are traced."""

import ml_dtypes
import numpy as np
import pytest

import ptxcvt

jax = pytest.importorskip("jax")


def test_arrays_there_and_back():
    x = jax.numpy.linspace(-4, 4, 64, dtype=jax.numpy.float32)
    y = ptxcvt.convert("f32->e4m3", x)
    assert isinstance(y, jax.Array) and y.dtype == ml_dtypes.float8_e4m3fn
    np.testing.assert_array_equal(np.asarray(y), ptxcvt.convert("f32->e4m3", np.asarray(x)))
    q = ptxcvt.quantize(x, "mx-rceil/e4m3")
    assert isinstance(q.data, jax.Array) and isinstance(ptxcvt.dequantize(q), jax.Array)


@pytest.mark.parametrize("recipe", ["mx-rceil/e2m3", "mx-rceil/e3m2", "mxfp6-compressed-tensors"])
def test_fp6_is_one_code_per_byte(recipe):
    x = jax.numpy.linspace(-4, 4, 64, dtype=jax.numpy.float32).reshape(2, 32)
    q, expected = ptxcvt.quantize(x, recipe), ptxcvt.quantize(np.asarray(x), recipe)
    assert isinstance(q.data, jax.Array) and q.data.dtype == np.uint8
    np.testing.assert_array_equal(np.asarray(q.data), expected.data.view(np.uint8))
    np.testing.assert_array_equal(np.asarray(ptxcvt.dequantize(q)), ptxcvt.dequantize(expected))


@pytest.mark.parametrize("to", ["e2m3", "e3m2"])
def test_conversions_to_fp6(to):
    x = jax.numpy.linspace(-4, 4, 64, dtype=jax.numpy.float32)
    codes = ptxcvt.convert(f"f32->{to}", x)
    assert isinstance(codes, jax.Array) and codes.dtype == np.uint8
    np.testing.assert_array_equal(np.asarray(codes), ptxcvt.convert(f"f32->{to}", np.asarray(x)).view(np.uint8))


@pytest.mark.parametrize("transform", ["jit", "vmap", "grad"])
@pytest.mark.parametrize(
    "call",
    [
        lambda x: ptxcvt.convert("f32->e4m3", x),
        lambda x: ptxcvt.quantize(x, "mx-rceil/e4m3").data,
        lambda x: ptxcvt.compare(x, "mx-rceil/e4m3", "mx-floor/e4m3"),
        lambda x: ptxcvt.run("add.f32 $0, $1, $1;", "=f,f", x),
    ],
)
def test_traced_arrays_are_refused(transform, call):
    with pytest.raises(ptxcvt.Error, match="traced") as caught:
        getattr(jax, transform)(call)(jax.numpy.ones((2, 32)))
    assert "jax.pure_callback" in caught.value.help[0]


def test_a_callback_works_under_jit():
    def cast(x):
        shape = jax.ShapeDtypeStruct(x.shape, ml_dtypes.float8_e4m3fn)
        return jax.pure_callback(lambda x: ptxcvt.convert("f32->e4m3", np.asarray(x)), shape, x)

    x = jax.numpy.linspace(-500, 500, 999, dtype=jax.numpy.float32)
    expected = ptxcvt.convert("f32->e4m3", np.asarray(x))
    np.testing.assert_array_equal(np.asarray(jax.jit(cast)(x)).view(np.uint8), expected.view(np.uint8))


#: The elements and scales of two rows of NVFP4.
PARTS = (np.zeros((2, 16), np.uint8), np.zeros((2, 2), ml_dtypes.float8_e4m3fn))


def test_what_jax_cannot_give_is_an_error_of_the_package():
    x = jax.numpy.ones((2, 32))
    for call in (
        lambda n: ptxcvt.convert("cvt.rs.satfinite.e4m3x4.f32", np.ones(4, np.float32), seed=n),
        lambda n: ptxcvt.convert("f32->e4m3", np.ones(4, np.float32), threads=n),
        lambda n: ptxcvt.quantize(np.ones((2, 32), np.float32), "mx-rceil/e4m3", axis=n),
        lambda n: ptxcvt.quantize(np.ones((2, 32), np.float32), "nvfp4-modelopt", global_amax=n),
        lambda n: ptxcvt.quantize(np.ones((2, 32), np.float32), "nvfp4-modelopt", global_scale=n),
        lambda n: ptxcvt.dequantize(ptxcvt.Quantized("nvfp4-modelopt", *PARTS, n, (2, 32))),
        lambda n: ptxcvt.convert("f32->e4m3", [n, n]),
        lambda n: ptxcvt.convert("f32->e4m3", [[1.0, 2.0], (3.0, n)]),
        lambda n: ptxcvt.cvt("cvt.rn.bf16.f32", n),
        lambda n: ptxcvt.Format("e4m3").encode(n),
        lambda n: ptxcvt.Format("e4m3").decode(n),
        lambda n: ptxcvt.swizzle(n),
        lambda n: ptxcvt.run("add.f32 $0, $1, $1;", "=f,f", [n]),
    ):
        with pytest.raises(ptxcvt.Error, match="traced") as caught:
            jax.jit(call)(3)
        assert "jax.pure_callback" in caught.value.help[0]
    with pytest.raises(ptxcvt.Error, match="key_data"):
        ptxcvt.convert("u32->f32", jax.random.key(0))
    x.delete()
    with pytest.raises(ptxcvt.Error, match="deleted"):
        ptxcvt.convert("f32->e4m3", x)
