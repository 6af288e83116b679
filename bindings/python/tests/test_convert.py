"""Arrays, element by element."""

import array

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ptxcvt
from ptxcvt import Error, Form, Format, convert, cvt

NARROW = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
}
EDGES = np.array(
    [0, -0.0, 1, -1, 0.1, 1e-9, 3e38, -3e38, 448, 449, 464, 465, 480, 57344, 61440, 6, 7, 5, 0.25, 0.75, 28, 7.5]
    + [2.0**e for e in range(-30, 20)],
    np.float32,
)


def random_floats(n, seed=1):
    bits = np.random.default_rng(seed).integers(0, 1 << 32, n, np.uint32)
    return bits.view(np.float32)


@pytest.mark.parametrize("name", NARROW)
def test_agrees_with_ml_dtypes_in_range(name):
    """In-range numbers round to nearest even in every library."""
    dtype = NARROW[name]
    largest = float(ml_dtypes.finfo(dtype).max)
    x = np.concatenate([EDGES, random_floats(20000), np.linspace(-largest, largest, 20001, dtype=np.float32)])
    x = x[np.abs(x) <= largest]
    ours = convert(f"f32->{name}", x)
    assert ours.dtype == dtype and ours.shape == x.shape
    np.testing.assert_array_equal(ours.view(np.uint8), x.astype(dtype).view(np.uint8))


@pytest.mark.parametrize("name", NARROW)
def test_widening_agrees_with_ml_dtypes(name):
    codes = np.arange(1 << Format(name).bits, dtype=np.uint8)
    wide = convert(f"{name}->f32", codes.view(NARROW[name]))
    np.testing.assert_array_equal(wide, codes.view(NARROW[name]).astype(np.float32))


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_halves_agree_with_ml_dtypes(name):
    x = np.concatenate([EDGES, random_floats(50000)])
    x = x[~np.isnan(x)]
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}[name]
    with np.errstate(over="ignore"):
        expected = x.astype(dtype)
    np.testing.assert_array_equal(convert(f"f32->{name}", x).view(np.uint16), expected.view(np.uint16))
    every = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    with np.errstate(invalid="ignore"):
        wide = every.astype(np.float32)
        numbers = ~np.isnan(wide)
    np.testing.assert_array_equal(convert(f"{name}->f32", every)[numbers], wide[numbers])


def test_where_ml_dtypes_differs():
    """PTX saturates numbers beyond the range of FP8; ml_dtypes makes NaN or infinity of them."""
    beyond = np.array([1e6, -np.inf], np.float32)
    with np.errstate(invalid="ignore"):
        assert np.isnan(beyond.astype(ml_dtypes.float8_e4m3fn).astype(np.float32)).all()
        assert np.isinf(beyond.astype(ml_dtypes.float8_e5m2).astype(np.float32)).all()
    assert convert("f32->e4m3", beyond).astype(np.float32).tolist() == [448, -448]
    assert convert("f32->e5m2", beyond).astype(np.float32).tolist() == [57344, -57344]
    # NaN is +0x7f in PTX; ml_dtypes keeps the sign.
    nan = np.array([np.nan, -np.nan], np.float32)
    nan.view(np.uint32)[1] |= 1 << 31
    assert convert("f32->e4m3", nan).view(np.uint8).tolist() == [0x7F, 0x7F]
    assert nan.astype(ml_dtypes.float8_e4m3fn).view(np.uint8).tolist() == [0x7F, 0xFF]
    # FP6 and FP4 have no NaN: the largest number in PTX.
    assert convert("f32->e2m1", nan).astype(np.float32).tolist() == [6, 6]


def test_ue8m0_takes_a_rounding():
    x = np.array([1.0, 1.5, 2.0, 3.0], np.float32)
    with pytest.raises(Error, match="a rounding must be chosen: .rz .rp") as error:
        convert("f32->ue8m0", x)
    # Other formats on the way would not help.
    assert error.value.code == "CVT006" and error.value.help == ("choose one of the listed roundings",)
    up = convert("f32->ue8m0", x, rounding="rp")
    assert up.dtype == ml_dtypes.float8_e8m0fnu and up.astype(np.float32).tolist() == [1, 2, 2, 4]
    down = convert("f32->ue8m0", x, rounding="rz")
    assert down.astype(np.float32).tolist() == [1, 1, 2, 2]


def test_says_which_forms_it_took():
    result, forms = convert("f32->bf16", np.float32(1.01), rounding="rz", saturate=True, with_forms=True)
    assert forms == [Form("cvt.rz.satfinite.bf16.f32")] and type(result) is ml_dtypes.bfloat16
    _, forms = convert("e4m3->f32", np.zeros(3, ml_dtypes.float8_e4m3fn), with_forms=True)
    assert [str(form) for form in forms] == ["cvt.rn.f16x2.e4m3x2", "cvt.f32.f16"]
    with pytest.raises(Error, match="names its own rounding"):
        convert("cvt.rn.f16.f32", np.zeros(1, np.float32), rounding="rz")
    with pytest.raises(Error, match="no rounding `up`; roundings are rn"):
        convert("f32->f16", np.zeros(1, np.float32), rounding="up")


def test_chains():
    x = random_floats(1001)
    there_and_back = convert("f32->e2m1->f32", x)
    assert there_and_back.dtype == np.float32
    one = convert("e2m1->f32", convert("f32->e2m1", x))
    np.testing.assert_array_equal(there_and_back, one)
    by_opcodes = convert("cvt.rn.f16.f32 then cvt.f32.f16", x[~np.isnan(x)])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(by_opcodes, x[~np.isnan(x)].astype(np.float16).astype(np.float32))


@pytest.mark.parametrize("count", range(10))
@pytest.mark.parametrize("conversion", ["cvt.rn.satfinite.e4m3x2.f32", "cvt.rs.satfinite.e4m3x4.f32", "f32->e2m1"])
def test_any_number_of_elements(count, conversion):
    x = random_floats(10)
    options = {"seed": 3} if ".rs" in conversion else {}
    whole = convert(conversion, x, **options)
    part = convert(conversion, x[:count], **options)
    assert part.shape == (count,)
    np.testing.assert_array_equal(part.view(np.uint8), whole[:count].view(np.uint8))


@given(
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6),
    st.sampled_from(["f32->e4m3", "f32->e2m1", "f32->f16", "cvt.rni.s8.f32"]),
    st.randoms(use_true_random=False),
)
def test_shapes_strides_and_orders(shape, conversion, random):
    x = random_floats(int(np.prod(shape)), random.randrange(99)).reshape(shape)
    if x.ndim:
        x = x.transpose(random.sample(range(x.ndim), x.ndim))
        if random.random() < 0.5:
            x = x[tuple(slice(None, None, random.choice([1, 2, -1])) for _ in range(x.ndim))]
        if random.random() < 0.3:
            x = np.asfortranarray(x)
    x.flags.writeable = False
    result = convert(conversion, x)
    assert np.shape(result) == x.shape
    flat = convert(conversion, np.array(x.reshape(-1)))
    np.testing.assert_array_equal(np.asarray(result).reshape(-1).view(np.uint8), flat.view(np.uint8))


def test_results_lie_as_their_sources():
    x = np.zeros((3, 4, 5), np.float32)
    for order in [(0, 1, 2), (2, 1, 0), (1, 0, 2)]:
        permuted = np.ascontiguousarray(x).transpose(order)
        result = convert("f32->f16", permuted)
        assert [2 * stride for stride in result.strides] == list(permuted.strides)


def test_packed():
    x = np.array([[0.5, 1, -1.5], [2, 3, 6]], np.float32)
    assert convert("f32->e4m3", x, packed=True).dtype == np.uint8
    with pytest.raises(Error, match="last axis, of 3, must be even"):
        convert("f32->e2m1", x, packed=True)
    padded = convert("f32->e2m1", x, packed=True, pad=True)
    assert padded.tolist() == [[0x21, 0x0B], [0x54, 0x07]]
    turned = convert("f32->e2m1", x.T, packed=True)
    assert turned.tolist() == [[0x41], [0x52], [0x7B]]
    assert convert("e2m1->f32", turned).tolist() == x.T.tolist()
    back = convert("e2m1->f32", padded)
    assert back.tolist() == [[0.5, 1, -1.5, 0], [2, 3, 6, 0]]
    assert convert("e2m1->f16", padded, packed=True).dtype == np.uint16


@given(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4), st.randoms(use_true_random=False))
def test_packed_numbers_come_back_in_any_order_of_memory(shape, random):
    shape = (*shape[:-1], 2 * shape[-1])
    order = random.sample(range(len(shape)), len(shape))
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 5
    stored = np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
    codes = convert("f32->e2m1", stored, packed=True)
    np.testing.assert_array_equal(codes, convert("f32->e2m1", x, packed=True))
    for layout in (codes, np.asfortranarray(codes)):
        np.testing.assert_array_equal(np.asarray(convert("e2m1->f32", layout)), x)


def test_fp4_codes_in_bytes():
    codes = np.arange(16, dtype=np.int8).reshape(2, 8)
    numbers = convert("e2m1->f32", codes.view(ml_dtypes.float4_e2m1fn))
    np.testing.assert_array_equal(convert("e2m1->f32", codes), numbers)
    assert convert("e2m1->f32", codes.view(np.uint8)).shape == (2, 16)
    out = np.zeros((2, 8), np.int8)
    assert convert("f32->e2m1", numbers, out=out) is out and out.tolist() == codes.tolist()
    for wrong in (16, -1):
        with pytest.raises(Error, match="is not a code of 4 bits"):
            convert("e2m1->f32", np.array([1, wrong], np.int8))
    with pytest.raises(Error) as error:
        convert("e2m1->f32", np.zeros(2, np.int16))
    assert error.value.help == ("arrays of e2m1 have the dtype float4_e2m1fn, int8 for one code in a byte, or uint8 for two",)
    # FP8 has no such array.
    with pytest.raises(Error, match="holds int8, not e4m3"):
        convert("e4m3->f32", codes)


def test_a_single_packed_number():
    for number in (1.5, np.float32(1.5), np.array(1.5, np.float32)):
        with pytest.raises(Error, match="must be even"):
            convert("f32->e2m1", number, packed=True)
        assert convert("f32->e2m1", number, packed=True, pad=True).tolist() == [0x03]


def test_bits_stand_for_numbers():
    codes = np.array([0x38, 0x3C], np.uint8)
    assert convert("e4m3->f16", codes).tolist() == [1, 1.5]
    assert convert("bf16->f32", np.array([0x3F80], np.uint16)).tolist() == [1]
    with pytest.raises(Error, match="holds int16, not bf16: arrays of bf16 have the dtype bfloat16, or uint16 for bits"):
        convert("bf16->f32", np.array([0x3F80], np.int16))
    with pytest.raises(Error, match="holds float64, not f32"):
        convert("f32->e4m3", np.zeros(3))
    # The integer of an unsigned type is not the bits of a signed one: no message and no help says so.
    for name in ("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"):
        other = name.translate({ord("s"): "u", ord("u"): "s"}).replace("u", "uint").replace("s", "int")
        own = name.replace("u", "uint").replace("s", "int")
        with pytest.raises(Error) as error:
            convert(f"{name}->f32", np.zeros(3, other))
        assert error.value.message == f"x holds {other}, not {name}"
        astype = "x.astype(...) converts numbers, x.view(...) keeps their bits"
        assert error.value.help == (f"arrays of {name} have the dtype {own}", astype)
        if name[0] == "s" and name != "s8":
            with pytest.raises(Error, match=f"accepts {name} numbers, not {other}"):
                ptxcvt.cvt(f"cvt.rn.f32.{name}", np.zeros(3, other))
    for doc in (convert.__doc__, ptxcvt.cvt.__doc__):
        assert "integer" in doc and "other unsigned arrays" not in doc
    with pytest.raises(Error, match="0x3f is not a code of 4 bits"):
        convert("e2m1->f16", np.array([1, 0x3F], np.uint8).view(ml_dtypes.float4_e2m1fn))


def test_out():
    x = np.linspace(-9, 9, 100, dtype=np.float32)
    expected = convert("f32->e4m3", x)
    for make in (np.zeros, lambda shape, dtype: np.zeros((100, 2), dtype)[:, 1]):
        for dtype in (ml_dtypes.float8_e4m3fn, np.uint8):
            out = make(100, dtype)
            assert convert("f32->e4m3", x, out=out) is out
            np.testing.assert_array_equal(out.view(np.uint8), expected.view(np.uint8))
    # The output overwrites the source.
    y = x.copy()
    convert("cvt.rni.f32.f32", y, out=y)
    np.testing.assert_array_equal(y, np.rint(x))
    with pytest.raises(Error, match="out has shape"):
        convert("f32->e4m3", x, out=np.zeros(99, np.uint8))
    with pytest.raises(Error, match="out has dtype float32; the result has float8_e4m3fn"):
        convert("f32->e4m3", x, out=np.zeros(100, np.float32))
    frozen = np.zeros(100, np.uint8)
    frozen.flags.writeable = False
    with pytest.raises(Error, match="read-only"):
        convert("f32->e4m3", x, out=frozen)


def test_random_bits():
    form = "cvt.rs.satfinite.e4m3x4.f32"
    x = random_floats(4001)
    seeded = convert(form, x, seed=7)
    for threads in (0, 3):
        again = convert(form, x, seed=7, threads=threads)
        np.testing.assert_array_equal(seeded.view(np.uint8), again.view(np.uint8))
    assert (seeded.view(np.uint8) != convert(form, x, seed=8).view(np.uint8)).any()
    bits = np.random.default_rng(0).integers(0, 1 << 32, 1001, np.uint32)
    own = convert(form, x, rbits=bits)
    # Elements 4i to 4i + 3 are f, e, b, a.
    for i in (0, 17, 999):
        f, e, b, a = x[4 * i : 4 * i + 4]
        assert cvt(form, a, b, e, f, bits[i]) == own[4 * i : 4 * i + 4].view(np.uint32)[0]
    for wrong in ({}, {"rbits": 1, "seed": 2}):
        with pytest.raises(Error, match="needs either rbits= or seed="):
            convert(form, x, **wrong)
    with pytest.raises(Error, match="takes neither random bits nor a seed"):
        convert("f32->e4m3", x, seed=1)
    with pytest.raises(Error, match="seed=.*expected a whole number from 0 to 2\^64 - 1"):
        convert(form, x, seed=-1)
    with pytest.raises(Error, match="rbits has 1000: expected one for each of 1001 instructions") as error:
        convert(form, x, rbits=bits[:-1])
    for one in (x[:1], x[:4]):
        with pytest.raises(Error, match="rbits has 2: expected one for 1 instruction\n"):
            convert(form, one, rbits=bits[:2])
    with pytest.raises(Error, match="scale has 2: expected one for each of 3 instructions"):
        convert("cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32", x[:6], scale=np.zeros(2, np.uint8))
    assert error.value.code == "CVT025"


def test_scales():
    scaled = "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32"
    x = np.array([3, 5, 8, 1], np.float32)
    assert convert(scaled, x, scale=2.0).astype(np.float32).tolist() == [1.5, 2.5, 4, 0.5]
    each = convert(scaled, x, scale=np.array([2, 4], np.float32).astype(ml_dtypes.float8_e8m0fnu))
    assert each.astype(np.float32).tolist() == [1.5, 2.5, 2, 0.25]
    with pytest.raises(Error, match="needs scale="):
        convert(scaled, x)
    with pytest.raises(Error, match="takes no scale"):
        convert("f32->e4m3", x, scale=2.0)


def test_kinds_of_python():
    assert convert("f32->e4m3", [1.0, 1.55]).tolist() == [1, 1.5]
    assert convert("f32->e4m3", array.array("f", [1.0, 1.55])).tolist() == [1, 1.5]
    assert convert("e4m3->f16", b"\x38\x3c").tolist() == [1, 1.5]
    assert convert("f32->e4m3", memoryview(np.array([[1.0]], np.float32))).tolist() == [[1]]
    swapped = np.array([1.0, 1.55], ">f4")
    assert convert("f32->e4m3", swapped).tolist() == [1, 1.5]
    scalar = convert("f32->e4m3", 1.55)
    assert scalar == ml_dtypes.float8_e4m3fn(1.5) and isinstance(scalar, ml_dtypes.float8_e4m3fn)
    assert convert("f32->e4m3", np.array(1.55, np.float32)).shape == ()

    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0], np.float32)

    assert convert("f32->e4m3", Wrapped()).tolist() == [1]
    for thing in ("x", None, object(), {1: 2}):
        with pytest.raises(TypeError, match="numbers"):
            convert("f32->e4m3", thing)
    with pytest.raises(Error, match="not a stream of elements|needs operand columns"):
        convert("cvt.pack.sat.s16.s32", np.zeros(3, np.int32))


def test_dlpack():
    class Foreign:
        """An array that provides only DLPack."""

        def __init__(self, own):
            self.own = own

        def __dlpack__(self, **options):
            return self.own.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.device if hasattr(self, "device") else self.own.__dlpack_device__()

    x = np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3)
    assert convert("f32->f16", Foreign(x)).tolist() == x.astype(np.float16).tolist()
    far = Foreign(x)
    far.device = (2, 0)
    with pytest.raises(Error, match="not on the CPU"):
        convert("f32->f16", far)


def test_nothing_is_copied(monkeypatch):
    seen = []
    from ptxcvt import _convert

    real = _convert.through
    monkeypatch.setattr(_convert, "through", lambda *given, **how: seen.append(given[1]) or real(*given, **how))
    # A call that finds its conversion is not passed on.
    monkeypatch.setattr(_convert, "_quick", lambda *given: None)
    x = np.zeros((64, 64), np.float32)
    for view in (x, x.T, x[3:], np.zeros((4, 5, 6), np.float32).transpose(1, 2, 0)):
        convert("f32->e4m3", view)
        assert np.shares_memory(seen[-1], view)


def test_every_form_as_cvt_does():
    """`convert` orders elements by the library's layout; `cvt` gets them in an order written out here."""
    rng = np.random.default_rng(5)
    for form in ptxcvt.forms(instruction="cvt"):
        lanes, source = form.lanes, Format(form.source_format)
        if source.storage == 4:
            continue
        bits = rng.integers(0, 1 << 8, 3 * lanes * source.storage // 8, np.uint8)
        if source.bits == 6:
            bits &= 0x3F
        x = bits.view(f"uint{source.storage}")
        x = x.view(ptxcvt._dtypes.dtype_of(source)) if source.integer else x
        extra = {"rbits": {"seed": 5}, "scale-factor": {"scale": 1.0}}.get(form.extra, {})
        made = convert(form, x, packed=True, **extra).view(np.uint8)
        data = [o for o in form.operands if o[0] not in ("rbits", "scale-factor")]
        each = source.storage * lanes // len(data)
        registers = x.view(np.uint8).view(f"uint{each}").reshape(3, len(data))
        columns = [registers[:, len(data) - 1 - k] for k in range(len(data))]
        if source.integer:
            columns = [c.view(x.dtype) for c in columns]
        if form.extra == "rbits":
            # The first three words of Philox4x32-10 with key 5.
            columns.append(np.array(WORDS, np.uint32))
        elif form.extra:
            columns.append(1.0)
        np.testing.assert_array_equal(made, cvt(form, *columns).view(np.uint8), err_msg=str(form))


def philox(key, counter):
    """Philox4x32-10 as in the paper (Salmon and others, 2011)."""
    c, k = [counter & 0xFFFFFFFF, counter >> 32, 0, 0], [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        p, q = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(q >> 32) ^ c[1] ^ k[0], q & 0xFFFFFFFF, (p >> 32) ^ c[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


WORDS = philox(5, 0)[:3]


@pytest.mark.parametrize("count", [64, 40_000, 700_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_nan_and_infinity_are_reported(count, threads):
    x = np.ones(count, np.float32)
    assert ptxcvt.convert("f32->e4m3", x, threads=threads).dtype.name == "float8_e4m3fn"
    x[count - 1], x[count // 2], x[7] = np.nan, np.inf, -np.inf
    text = "1 NaN and 2 infinities in the input; the first is element 7"
    for conversion, options in [
        ("f32->e4m3", {}),
        ("f32->e2m1", {"packed": True}),
        ("cvt.rzi.s32.f32", {}),
        ("cvt.rn.sat.f16.f32", {}),
        ("cvt.rs.satfinite.e4m3x4.f32", {"seed": 3}),
        ("f32->f16->e4m3", {}),
    ]:
        with pytest.warns(RuntimeWarning) as found:
            ptxcvt.convert(conversion, x, threads=threads, **options)
        assert [str(warning.message) for warning in found] == [text], conversion
        assert found[0].filename == __file__
    # An infinity that stays one is not lost.
    assert np.isinf(ptxcvt.convert("f32->f16", x, threads=threads).astype(np.float32)).sum() == 2


def test_the_index_is_that_of_c_order():
    x = np.ones((4, 6), np.float32)
    x[1, 5], x[3, 0] = np.nan, np.nan
    for array in (x, np.asfortranarray(x), x.astype(">f4"), x.view(np.uint32)):
        with pytest.warns(RuntimeWarning, match="^2 NaN in the input; the first is element 11$"):
            ptxcvt.convert("f32->e4m3", array)
    with pytest.warns(RuntimeWarning, match="^2 NaN in the input; the first is element 3$"):
        ptxcvt.convert("f32->e4m3", x.T)
