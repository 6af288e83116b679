"""Calls that find their conversion kept have the results of those that do not."""

import itertools

import ml_dtypes
import numpy as np
import pytest

import ptxcvt
from ptxcvt import _convert

BASE = np.random.default_rng(3).standard_normal(4096).astype(np.float32) * 3
ARRAYS = {
    "row": BASE,
    "no elements": BASE[:0],
    "every second": BASE[::2],
    "reversed": BASE[::-1],
    "columns": BASE.reshape(64, 64)[:, 3:17],
    "transposed": BASE.reshape(32, 128).T,
    "transposed cube": BASE.reshape(16, 16, 16).transpose(2, 0, 1),
    "Fortran cube": BASE.reshape(16, 16, 16).T,
    "broadcast": np.broadcast_to(BASE[:64], (8, 64)),
    "broadcast in Fortran order": np.lib.stride_tricks.as_strided(BASE, (1, 4, 6), (0, 4, 16)),
    "without axes": np.array(1.5, np.float32),
    "scalar": np.float32(1.5),
    "number of Python": 1.1,
    "whole number of Python": 3,
    "NaN": float("nan"),
    "bits": BASE.view(np.uint32),
    "big-endian": BASE.astype(">f4"),
    "read-only": np.frombuffer(BASE.tobytes(), np.float32),
}
CALLS = {
    "f32->f16": [{}, {"rounding": "rz"}, {"packed": True}, {"threads": 0}, {"threads": 3}],
    "f32->e2m1": [{}, {"packed": True}],
    "f32->e4m3->f32": [{}],
    "cvt.rs.satfinite.e4m3x4.f32": [{"seed": 7}, {"seed": 2**64 - 1, "packed": True}, {"seed": 1, "threads": 2}],
    "cvt.rs.satfinite.e2m1x4.f32": [{"seed": 7, "packed": True}],
}


def outcome(function):
    try:
        made = function()
    except (ptxcvt.Error, TypeError) as error:
        return str(error)
    strides = made.strides if made.size and 1 not in made.shape else None
    return type(made), made.dtype, made.shape, strides, made.tobytes()


def slowly(conversion, x, **options):
    return outcome(lambda: _convert.convert(None, conversion, x, **options))


CASES = [(name, c, o) for name, (c, options) in itertools.product(ARRAYS, CALLS.items()) for o in options]


@pytest.mark.parametrize("name, conversion, options", CASES)
def test_kept_conversions(name, conversion, options):
    x = ARRAYS[name]
    call = lambda: ptxcvt.convert(conversion, x, **options)
    expected = slowly(conversion, x, **options)
    assert [outcome(call) for _ in range(2)] == [expected] * 2


@pytest.mark.parametrize("name, conversion, options", CASES)
def test_results_written_to_an_array(name, conversion, options):
    x = ARRAYS[name]
    try:
        made = np.asarray(ptxcvt.convert(conversion, x, **options))
    except ptxcvt.Error:
        return
    spaced = np.zeros((*made.shape, 2), made.dtype)[..., 0]
    for out in (np.zeros(made.shape, made.dtype), np.zeros(made.shape, made.dtype, order="F"), spaced):
        expected = slowly(conversion, x, out=out, **options)
        out[...] = 0
        answer = ptxcvt.convert(conversion, x, out=out, **options)
        assert answer is out and out.tobytes() == made.tobytes() and outcome(lambda: answer) == expected


def test_out_that_does_not_fit():
    fixed = np.zeros(8, np.float16)
    fixed.setflags(write=False)
    ptxcvt.convert("f32->f16", BASE[:8])
    for out in (np.zeros(7, np.float16), np.zeros((2, 4), np.float16), np.zeros(8, np.float32), fixed, [0.0] * 8):
        expected = slowly("f32->f16", BASE[:8], out=out)
        assert isinstance(expected, str) and outcome(lambda: ptxcvt.convert("f32->f16", BASE[:8], out=out)) == expected


@pytest.mark.parametrize("source, target", [(0, 0), (0, 2), (0, 6), (6, 0), (64, 0)])
def test_out_that_overlaps(source, target):
    memory = np.zeros(256, np.uint8)
    x = memory[source : source + 64].view(np.float32)
    out = memory[target : target + 32].view(np.float16)
    x[...] = BASE[:16]
    ptxcvt.convert("f32->f16", x, out=out)
    assert out.tolist() == BASE[:16].astype(np.float16).tolist()


@pytest.mark.parametrize("options", [
    {"seed": -1}, {"seed": 2**64}, {"seed": True}, {"threads": -1}, {"threads": 1 << 20}, {"threads": True}, {"threads": None},
    {"packed": 1}, {"packed": None}, {"pad": 0}, {"pad": None}, {"saturate": None}, {"relu": 1}, {"with_forms": None}, {"rounding": 3}, {"unknown": 1},
])
def test_wrong_options_are_errors_of_kept_conversions_too(options):
    conversion = "cvt.rs.satfinite.e4m3x4.f32"
    options = {"seed": 7, **options}
    ptxcvt.convert(conversion, BASE, seed=7)
    ptxcvt.convert(conversion, BASE, seed=7, packed=True)
    expected = slowly(conversion, BASE, **options)
    assert outcome(lambda: ptxcvt.convert(conversion, BASE, **options)) == expected
    for missing in ({}, {"seed": None}):
        with pytest.raises(ptxcvt.Error, match="needs either rbits= or seed="):
            ptxcvt.convert(conversion, BASE, **missing)
    with pytest.raises(ptxcvt.Error, match="takes neither random bits nor a seed"):
        ptxcvt.convert("f32->f16", BASE, seed=7)


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.T, lambda x: x[:, ::2], lambda x: x[::-1]])
def test_warnings_name_the_first_in_c_order(view):
    x = np.ones((6, 8), np.float32)
    x[2, 4] = x[4, 2] = np.inf
    texts = []
    for _ in range(3):
        with pytest.warns(RuntimeWarning) as caught:
            ptxcvt.convert("f32->s8", view(x))
        texts.append([str(one.message) for one in caught])
    first = int(np.flatnonzero(np.isinf(view(x)))[0])
    assert texts[0] == texts[1] == texts[2] and f"the first is element {first}" in texts[0][0]


def test_numbers_of_python_that_are_too_large():
    for conversion in ("f32->f16", "f32->e4m3", "f64->f32"):
        call = lambda: ptxcvt.convert(conversion, 1e300)
        with np.errstate(all="ignore"):
            assert outcome(call) == outcome(call) == slowly(conversion, 1e300)


def test_bits_of_integers_are_numbers():
    codes = np.arange(256, dtype=np.uint8)
    for _ in range(2):
        made = ptxcvt.convert("e4m3->f32", codes)
        assert made.tobytes() == codes.view(ml_dtypes.float8_e4m3fn).astype(np.float32).tobytes() or np.isnan(made).any()
        with pytest.raises(ptxcvt.Error, match="x holds uint8, not s8"):
            ptxcvt.convert("s8->f32", codes)
