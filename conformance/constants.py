"""Values of integer constant expressions: ptxas's of PTX, and g++'s of C++.

    python3 conformance/constants.py PTXAS [GXX]

Draws random expressions of literals and operators, asks the assembler or the compiler for their values, and writes
`records/constants.tsv`: language, expression, value as 64 bits in hexadecimal. A test compares `ptxcvt` with it.
"""

import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
COUNT = 400
BINARY = ["+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||"]


def literals(language):
    common = ["0", "1", "2", "3", "5", "7", "8", "31", "63", "100", "0x10", "017", "255U", "1U", "7U", "4294967295"]
    common += ["2147483647", "2147483648", "0x80000000", "0xFFFFFFFF", "0x7FFFFFFFFFFFFFFF", "0x8000000000000000"]
    return common + {"ptx": ["64", "65", "WARP_SZ", "0xFFFFFFFFFFFFFFF9"], "c++": ["1'000", "10ull", "'a'", "true", "3l"]}[language]


def expression(draw, language, depth):
    kind = draw.random()
    if depth == 0 or kind < 0.15:
        return draw.choice(literals(language))
    inner = lambda: expression(draw, language, depth - 1)
    if kind < 0.35:
        return f"{draw.choice(['-', '~', '!', '+'])}({inner()})"
    if kind < 0.42:
        return f"({inner()} ? {inner()} : {inner()})"
    if kind < 0.48 and language == "ptx":
        return f"({draw.choice(['.s64', '.u64'])})({inner()})"
    operator = draw.choice(BINARY)
    right = inner()
    if operator in ("/", "%"):
        right = draw.choice(["3", "7U", "-3", "(-7)", "2"])
    if operator in ("<<", ">>"):
        right = draw.choice(["1", "3", "31"] + (["63", "64", "65", "-1"] if language == "ptx" else []))
    return f"({inner()} {operator} {right})"


def of_ptxas(ptxas, text, folder):
    """The value of an expression, or None if ptxas refuses it."""
    module = folder / "m.ptx"
    module.write_text(f".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u64 g[2] = {{{text}, 1}};\n")
    cubin = folder / "m.cubin"
    if subprocess.run([ptxas, "-arch=sm_80", module, "-o", cubin], capture_output=True).returncode:
        return None
    data = cubin.read_bytes()
    start, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    section = lambda n: struct.unpack_from("<IIQQQQ", data, start + n * size)
    for n in range(count):
        name = data[section(names)[4] + section(n)[0]:].split(b"\0")[0]
        if name.startswith(b".nv.global.init"):
            return struct.unpack_from("<Q", data, section(n)[4])[0]
    raise RuntimeError("the module has no initialised data")


def of_gxx(gxx, text, folder):
    """The value of an expression, or None if it is no constant expression."""
    source = folder / "m.cpp"
    source.write_text(f"#include <cstdio>\nconstexpr auto v = ({text});\nint main() {{ std::printf(\"%llx\", (unsigned long long)(long long)v); }}\n")
    program = folder / "m"
    if subprocess.run([gxx, "-std=c++20", "-pedantic-errors", "-Werror=overflow", source, "-o", program], capture_output=True).returncode:
        return None
    return int(subprocess.run([program], capture_output=True, check=True, text=True).stdout, 16)


def main():
    ptxas, gxx = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "g++"
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for language, ask, program in [("ptx", of_ptxas, ptxas), ("c++", of_gxx, gxx)]:
            draw, found = random.Random(20261129), {}
            while len(found) < COUNT:
                text = expression(draw, language, 3)
                value = found.get(text) if text in found else ask(program, text, folder)
                if value is not None:
                    found[text] = value
            rows += [f"{language}\t{text}\t{value:#x}\n" for text, value in found.items()]
    (HERE / "records/constants.tsv").write_text("language\texpression\tvalue\n" + "".join(rows))


if __name__ == "__main__":
    main()
