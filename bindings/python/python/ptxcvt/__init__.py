"""PTX number conversion, bit for bit: every form of ``cvt`` and ``cvt.pack``.

>>> import numpy as np, ptxcvt
>>> ptxcvt.cvt("cvt.rn.satfinite.e4m3x2.f32", 1.5, -500.0)
np.uint16(15614)
>>> y = ptxcvt.convert("f32->e4m3", np.array([0.125, 1.55, 500], np.float32))
>>> y.dtype.name, y.tolist()
('float8_e4m3fn', [0.125, 1.5, 448.0])
"""

from ptxcvt import _pickle
from ptxcvt._conform import Verdict, conform
from ptxcvt._convert import cvt
from ptxcvt._error import Error
from ptxcvt._interleave import interleave
from ptxcvt._native import (
    Block,
    Diagnostic,
    Element,
    Explanation,
    Fixed,
    Form,
    Format,
    Lowering,
    Recipe,
    Where,
    __version__,
    chain,
    check,
    convert,
    fix,
    forms,
    lower,
    recipes,
    targets,
    versions,
    where,
)
from ptxcvt._prove import Proof, prove
from ptxcvt._quantize import Comparison, Quantized, compare, dequantize, quantize
from ptxcvt._run import run
from ptxcvt._swizzle import swizzle, unswizzle
from ptxcvt._vectors import Vectors, vectors

_pickle.register()
explain = Explanation

__all__ = [
    "Block",
    "Comparison",
    "Diagnostic",
    "Element",
    "Error",
    "Explanation",
    "Fixed",
    "Form",
    "Format",
    "Lowering",
    "Proof",
    "Quantized",
    "Recipe",
    "Vectors",
    "Verdict",
    "Where",
    "__version__",
    "chain",
    "check",
    "compare",
    "conform",
    "convert",
    "cvt",
    "dequantize",
    "explain",
    "fix",
    "forms",
    "interleave",
    "lower",
    "prove",
    "quantize",
    "recipes",
    "run",
    "swizzle",
    "targets",
    "unswizzle",
    "vectors",
    "versions",
    "where",
]
