"""Number formats by their definition, on arrays of codes: nothing here is taken from ptxcvt.

A format is a row: exponent bits, fraction bits, and what its largest codes mean. Values are f64, which holds every number
of these formats; rounding is one division by the place of the last bit, which is exact, and one rounding to an integer.
"""

import functools

import numpy as np

# Exponent bits, fraction bits, and how infinity and NaN are coded: as in IEEE 754, as the last code alone, or not at all.
FORMATS = {
    "f32": (8, 23, "ieee"),
    "f16": (5, 10, "ieee"),
    "bf16": (8, 7, "ieee"),
    "e5m2": (5, 2, "ieee"),
    "e4m3": (4, 3, "last"),
    "e3m2": (3, 2, "none"),
    "e2m3": (2, 3, "none"),
    "e2m1": (2, 1, "none"),
}


def sign_bit(name):
    """The sign's place in a code."""
    exponent, fraction, _ = FORMATS[name]
    return 1 << (exponent + fraction)


def largest(name):
    """The code of the largest finite number."""
    exponent, fraction, special = FORMATS[name]
    return {"ieee": ((1 << exponent) - 1 << fraction) - 1, "last": sign_bit(name) - 2, "none": sign_bit(name) - 1}[special]


def decode(name, codes):
    """The numbers of codes as f64: f32 by NumPy's type, others from a table."""
    if name == "f32":
        with np.errstate(invalid="ignore"):
            return codes.astype(np.uint32).view(np.float32).astype(np.float64)
    # FP6 is in bytes, whose upper bits do not matter.
    return table(name)[codes & np.uint64(2 * sign_bit(name) - 1)]


@functools.lru_cache
def table(name):
    """The number of every code."""
    return computed(name, np.arange(2 * sign_bit(name), dtype=np.int64))


def computed(name, codes):
    """The numbers of codes by the definition."""
    exponent, fraction, special = FORMATS[name]
    magnitude = codes & sign_bit(name) - 1
    field = magnitude >> fraction
    bias = (1 << exponent - 1) - 1
    significand = (magnitude & (1 << fraction) - 1) + np.where(field > 0, 1 << fraction, 0)
    values = np.ldexp(significand.astype(np.float64), np.maximum(field, 1) - bias - fraction)
    if special == "ieee":
        values = np.where(magnitude == (1 << exponent) - 1 << fraction, np.inf, values)
    if special != "none":
        values = np.where(magnitude > largest(name) + (special == "ieee"), np.nan, values)
    return np.where(codes & sign_bit(name) != 0, -values, values)


def encode(name, values, mode="rn", saturate=False):
    """The codes of f64 numbers. NaN is the positive one of all ones, or the largest number of a format without NaN.

    Overflow gives infinity where the format has it and the mode permits it, otherwise the largest number. NumPy rounds to its own
    types.
    """
    own = {"f32": (np.float32, np.uint32), "f16": (np.float16, np.uint16)}.get(name)
    if own and mode == "rn" and not saturate:
        with np.errstate(all="ignore"):
            codes = values.astype(own[0]).view(own[1]).astype(np.uint64)
        return np.where(np.isnan(values), np.uint64(sign_bit(name) - 1), codes)
    exponent, fraction, special = FORMATS[name]
    bias = (1 << exponent - 1) - 1
    negative = np.signbit(values)
    size = np.where(np.isfinite(values), np.abs(values), 0.0)
    _, power = np.frexp(size)
    last = np.maximum(power.astype(np.int64) - 1, 1 - bias) - fraction
    scaled = np.ldexp(size, -last)
    if mode == "rn":
        whole = np.rint(scaled)
    elif mode == "rz":
        whole = np.floor(scaled)
    else:
        up = ~negative if mode == "rp" else negative
        whole = np.where(up, np.ceil(scaled), np.floor(scaled))
    # A carry out of the fraction is the next exponent, in the code as in the number.
    whole = whole.astype(np.int64)
    code = np.where(size == 0, 0, whole + (last + fraction + bias - 1 << fraction))
    top = largest(name)
    infinite = top + 1 if special == "ieee" and not saturate else top
    away = {"rn": True, "rz": False, "rp": ~negative, "rm": negative}[mode]
    code = np.where(code > top, np.where(away, infinite, top), code)
    code = np.where(np.isinf(values), infinite, code)
    code = np.where(negative, code | sign_bit(name), code)
    nan = top if special == "none" else sign_bit(name) - 1
    return np.where(np.isnan(values), nan, code).astype(np.uint64)


def odd(values, rest):
    """The sum of a value and what its rounding lost, rounded to odd: an inexact even value moves towards the rest."""
    bits = values.view(np.int64)
    inexact = (rest != 0) & (bits & 1 == 0) & np.isfinite(values)
    towards = np.where((rest > 0) == (values > 0), 1, -1)
    return np.where(inexact, bits + towards, bits).view(np.float64)


def exact_sum(a, b):
    """a + b in f64, rounded to odd (Knuth's sum, which gives the rest exactly)."""
    total = a + b
    of_b = total - a
    rest = (a - (total - of_b)) + (b - of_b)
    # A sum with infinity or NaN has no rest.
    return odd(total, np.where(np.isfinite(total), rest, 0.0))


def elements(words, width, count):
    """The first `count` codes of `width` bits in columns of 32-bit words, element 0 lowest."""
    each = 32 // width
    return [words[n // each] >> np.uint64(n % each * width) & np.uint64((1 << width) - 1) for n in range(count)]


def joined(codes, width):
    """Codes of `width` bits as columns of 32-bit words, element 0 lowest."""
    each = 32 // width
    words = [np.zeros_like(codes[0]) for _ in range(len(codes) // each)]
    for n, code in enumerate(codes):
        words[n // each] |= code << np.uint64(n % each * width)
    return words
