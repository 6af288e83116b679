#!/usr/bin/env python3
"""Compiles the headers of `ptxcvt lower --adapter cutlass` and `cuda`, which needs no GPU, and runs the PTX.

    python3 conformance/header/adapters.py PTXCVT CUTLASS NVCC [--clang CLANG CUDA] [--nvrtc LIBRARY]

CUTLASS is its folder `include`, for example of the wheel nvidia-cutlass; NVCC is `bin/nvcc` of a CUDA toolkit; CUDA is a
toolkit whose headers CLANG can read; LIBRARY is that of the wheel nvidia-cuda-nvrtc. A kernel calls each specialisation of
`NumericArrayConverter` and each function `__nv_cvt_*`. The PTX that nvcc makes of it runs on random numbers, and every
element is compared with `ptxcvt eval`. clang and NVRTC have to accept the kernels. Rewrites `adapters.tsv`; the status is
1 if a compiler refuses a kernel or an element differs.
"""

import argparse
import ctypes
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from nvrtc import compile as compile_with_nvrtc
from triton_adapter import batch, edges, expected

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from digest import of_text  # noqa: E402

RECORD = pathlib.Path(__file__).parent.parent / "records/adapters.tsv"
TARGETS = ["sm_75", "sm_80", "sm_89", "sm_90", "sm_100a"]
SMALL = ["e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "ue8m0"]
WIDE = {"f32": 32, "f16": 16, "bf16": 16}

CONVERT = """
template <class To, class From, int N, cutlass::FloatRoundStyle R>
__device__ void convert(void* d, const void* s)
{
    cutlass::NumericArrayConverter<To, From, N, R> convert;
    *static_cast<cutlass::Array<To, N>*>(d) = convert(*static_cast<const cutlass::Array<From, N>*>(s));
}
using namespace cutlass;
"""


def forms(ptxcvt, adapter):
    """The forms for pairs that the adapter has: opcode, small format, wide format, whether it narrows."""
    for small in SMALL:
        for wide in WIDE:
            pair = wide if wide == "f32" else wide + "x2"
            narrowing = [f"cvt.{r}{s}.{small}x2.{pair}" for r in ("rn", "rp", "rz") for s in (".satfinite", "")]
            for opcode in [*narrowing, f"cvt.rn.{pair}.{small}x2"]:
                if lower(ptxcvt, adapter, [opcode]) is not None:
                    yield opcode, small, wide, opcode in narrowing


def lower(ptxcvt, adapter, opcodes):
    """The header, or `None` if the adapter does not have one of the forms."""
    answer = subprocess.run([ptxcvt, "lower", "--adapter", adapter, *opcodes], capture_output=True, text=True)
    return answer.stdout if answer.returncode == 0 else None


def cutlass_kernels(text, conversions):
    """Statements that convert from `s` to `d`, each with its form and its number of elements."""
    for conversion in conversions:
        found = re.findall(rf"// {re.escape(conversion[0])} for (\d+) elements\.\ntemplate <>\nstruct \w+<(.*)> {{", text)
        assert len(found) == 3, conversion
        for elements, arguments in found:
            yield conversion, int(elements), f"convert<{arguments}>(d, s);"


def cuda_kernels(text, conversions):
    """As `cutlass_kernels`, for the functions of CUDA's headers."""
    for conversion in conversions:
        before = text.split(f"; // {conversion[0]}\n")[0]
        result, name, source = re.findall(r"PTXCVT_FUNCTION (\S+) (__nv_cvt_\w+)\(const (\S+) x", before)[-1]
        arguments = "".join(f", {value}" for value in re.findall(r"== (\w+)", before.splitlines()[-1]))
        call = f"ptxcvt::{name}(*static_cast<const {source}*>(s){arguments})"
        yield conversion, 2, f"*static_cast<{result}*>(d) = {call};"


def places(text, pattern, size):
    """Offsets and sizes in bytes of the operands that fill so many bytes of memory."""
    offsets = [int(offset or 0) for offset in re.findall(pattern, text)]
    return [(offset, end - offset) for offset, end in zip(offsets, [*offsets[1:], size], strict=True)]


def compared(ptxcvt, path, number, conversion, elements, wanted):
    """The number of elements that equal the form's; the first difference ends the program."""
    opcode, small, wide, narrows = conversion
    widths = (WIDE[wide], 4 if small == "e2m1" else 8)
    width, to = widths if narrows else widths[::-1]
    run = ["run", str(path), "--function", f"k{number}"]
    # Without operands the command names them.
    answer = subprocess.run([ptxcvt, *run], capture_output=True, text=True)
    loads = places(answer.stderr, r"_param_1(?:\+(\d+))?\]", max(8, elements * width) // 8)
    zeros = subprocess.run([ptxcvt, *run, *["0x0"] * len(loads)], capture_output=True, text=True, check=True)
    stores = places(zeros.stdout, r"_param_0(?:\+(\d+))?\] =", max(8, elements * to) // 8)
    values = list(wanted)
    random.shuffle(values)
    values += random.choices(values, k=-len(values) % elements)
    inputs = [values[at : at + elements] for at in range(0, len(values), elements)]
    lines = []
    for row in inputs:
        memory = sum(value << n * width for n, value in enumerate(row))
        lines.append([memory >> 8 * offset & (1 << 8 * size) - 1 for offset, size in loads])
    for row, result in zip(inputs, batch(ptxcvt, run, lines), strict=True):
        memory = sum(word << 8 * offset for (offset, _), word in zip(stores, result, strict=True))
        for n, value in enumerate(row):
            found = memory >> n * to & (1 << to) - 1
            if found != wanted[value]:
                raise SystemExit(f"{opcode} ×{elements}: {value:#x} becomes {found:#x} instead of {wanted[value]:#x}")
    return len(values)


def main():
    """Compiles everything and rewrites the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ptxcvt")
    parser.add_argument("cutlass")
    parser.add_argument("nvcc")
    parser.add_argument("--clang", nargs=2)
    parser.add_argument("--nvrtc")
    arguments = parser.parse_args()
    random.seed(24)
    include = pathlib.Path(arguments.nvcc).parent.parent / "include"
    folders = [f"-I{folder}" for folder in (arguments.cutlass, include, include / "cccl")]
    release = re.search(r", V(\S+)", subprocess.run([arguments.nvcc, "--version"], capture_output=True, text=True).stdout)[1]
    lines, digests, wanted = [], [], {}
    for adapter, kernels, before in (("cutlass", cutlass_kernels, CONVERT), ("cuda", cuda_kernels, "")):
        conversions = list(forms(arguments.ptxcvt, adapter))
        opcodes = [conversion[0] for conversion in conversions]
        text = lower(arguments.ptxcvt, adapter, opcodes)
        # The first line names the version of ptxcvt.
        digests.append(f"# digest of the text for {adapter}: {of_text(text.partition(chr(10))[2])}; forms: {' '.join(opcodes)}")
        calls = list(kernels(text, conversions))
        source = text + before + "".join(
            f'extern "C" __global__ void k{n}(void* d, const void* s) {{ {call} }}\n' for n, (*_, call) in enumerate(calls)
        )
        for conversion in conversions:
            opcode, small, wide, narrows = conversion
            values = edges(wide) if narrows else list(range(16 if small == "e2m1" else 256))
            wanted.setdefault(opcode, expected(arguments.ptxcvt, opcode, small, wide, narrows, values))
        for target in TARGETS:
            with tempfile.TemporaryDirectory() as name:
                path, ptx = pathlib.Path(name) / "kernels.cu", pathlib.Path(name) / "kernels.ptx"
                path.write_text(source)
                subprocess.run([arguments.nvcc, "-std=c++17", "-ptx", f"-arch={target}", *folders, "-o", ptx, path], check=True)
                count = sum(
                    compared(arguments.ptxcvt, ptx, n, conversion, elements, wanted[conversion[0]])
                    for n, (conversion, elements, _) in enumerate(calls)
                )
                accepted = []
                # clang 19 knows targets without a letter.
                if arguments.clang and not target.endswith("a"):
                    clang, cuda = arguments.clang
                    options = ["-x", "cuda", "--cuda-device-only", "-nocudalib", "-O2", "-std=c++17", "-S", f"--cuda-path={cuda}"]
                    options += ["-Wno-unknown-cuda-version", f"--cuda-gpu-arch={target}", folders[0], folders[2]]
                    subprocess.run([clang, *options, "-o", "/dev/null", path], check=True)
                    accepted.append("clang")
                if arguments.nvrtc:
                    messages = compile_with_nvrtc(
                        ctypes.CDLL(arguments.nvrtc), source, [f"--gpu-architecture={target}", "-default-device", "-std=c++17", *folders]
                    )
                    if messages is not None:
                        raise SystemExit(messages)
                    accepted.append("NVRTC")
            lines.append("\t".join([adapter, target, str(len(calls)), str(count), ", ".join(accepted)]))
            print(lines[-1], flush=True)
    head = [f"# nvcc {release}: kernels with the headers of `ptxcvt lower --adapter cutlass` and `cuda`, compiled to PTX and run.", *digests,
            "# adapter, target, kernels, elements that equal the form's, other compilers that accept the kernels"]
    RECORD.write_text("\n".join(head + lines) + "\n")


if __name__ == "__main__":
    main()
