#!/usr/bin/env python3
"""Compiles the header of `ptxcvt lower --header` with NVRTC, which needs no GPU.

    python3 conformance/header/nvrtc.py PTXCVT LIBNVRTC [INCLUDE...]

PTXCVT is the command, LIBNVRTC the library of the wheel nvidia-cuda-nvrtc, and INCLUDE the folders of CUDA's headers, without
which the functions for `__half2` and `__nv_bfloat162` do not exist. Prints a line for each architecture; the status is 1 if one
fails.
"""

import ctypes
import subprocess
import sys
import time

KERNEL = """
extern "C" __global__ void kernel(const float* x, unsigned int* d)
{
    const float v[4] = {x[0], x[1], x[2], x[3]};
    d[0] = ptxcvt::to_e4m3x4(v);
    float2 y;
    ptxcvt::from_e4m3x2(static_cast<unsigned short>(d[0]), y);
    d[1] = ptxcvt::to_e2m1x2(y);
}
"""
ARCHITECTURES = ["sm_75", "sm_80", "sm_89", "sm_90", "sm_100a", "sm_120a"]


def compile(nvrtc, text, options):
    """The compiler's messages, or None if it accepts the text."""
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"header.cu", 0, None, None)
    array = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    if nvrtc.nvrtcCompileProgram(program, len(options), array) == 0:
        return None
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    return log.value.decode()


def main():
    ptxcvt, library, *folders = sys.argv[1:]
    nvrtc = ctypes.CDLL(library)
    header = subprocess.run([ptxcvt, "lower", "--header"], check=True, capture_output=True, text=True).stdout
    includes = [f"-I{folder}" for folder in folders]
    failed = 0
    for arch in ARCHITECTURES:
        begin = time.process_time()
        messages = compile(nvrtc, header + KERNEL, [f"--gpu-architecture={arch}", *includes])
        seconds = time.process_time() - begin
        print(f"{arch}: {'accepted' if messages is None else 'refused'}, {seconds:.2f} s of CPU")
        if messages is not None:
            failed = 1
            print(messages)
    return failed


if __name__ == "__main__":
    sys.exit(main())
