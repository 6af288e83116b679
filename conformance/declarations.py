"""Which declarations ptxas accepts: sizes of arrays, alignments, numbers of registers.

    python3 conformance/declarations.py PTXAS

Writes each declaration into a module of its own, asks the assembler, and writes `records/declarations.tsv`: the place (the
module, the body of a kernel, the parameters of a kernel or a function, the result of a function), the declaration, and `yes`
or `no`. A test compares `ptxcvt` with it.
"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
HEADER = ".version 8.7\n.target sm_90\n.address_size 64\n"
MODULES = {
    "module": HEADER + "{};\n",
    "body": HEADER + ".entry k() {{\n{};\nret;\n}}\n",
    "entry": HEADER + ".entry k({}) {{\nret;\n}}\n",
    "func": HEADER + ".func f({}) {{\nret;\n}}\n",
    "result": HEADER + ".func ({}) f() {{\nret;\n}}\n",
}
SIZES = ["-1", "0", "1", "+1", "~0", "-0", "3-4", "1+1", "(2)", "2*3", "1/0", "1<<4", "1?2:3", "0U", "1U", "1.0", "0f3F800000"]
SIZES += ["x", "WARP_SZ", "", "1,2", "1 2", "0x10", "010", "0b101", "08", "2147483648", "4294967296"]
SIZES += ["0x7FFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFF", "18446744073709551616", "(.s64)(4)", "%r"]
OF_SIZE = [
    ("module", ".global .b8 a[{}]"),
    ("module", ".global .b8 a[2][{}]"),
    ("module", ".extern .shared .b8 a[{}]"),
    ("body", ".local .b8 a[{}]"),
    ("body", ".param .b8 a[{}]"),
    ("entry", ".param .b8 a[{}]"),
    ("func", ".param .b8 a[{}]"),
    ("result", ".param .b8 a[{}]"),
]
ALIGNMENTS = ["0", "1", "2", "3", "6", "8", "12", "24", "64", "128", "256", "4096", "65536", "4294967296", "9223372036854775808"]
ALIGNMENTS += ["18446744073709551616", "-8", "+8", "(8)", "4+4", "8U", "0x8", "010", "8.0", "x", "", "WARP_SZ"]
OF_ALIGNMENT = [
    ("module", ".global .align {} .b8 a[4]"),
    ("module", ".align {} .global .b8 a[4]"),
    ("module", ".global .align 8 .align {} .b8 a[4]"),
    ("body", ".local .align {} .b8 a[4]"),
    ("body", ".param .align {} .b8 a[4]"),
    ("body", ".reg .align {} .b32 a"),
    ("entry", ".param .align {} .b8 a[4]"),
    ("entry", ".param .b8 .align {} a[4]"),
    ("entry", ".param .u64 .ptr .global .align {} a"),
    ("func", ".param .align {} .b8 a[4]"),
    ("result", ".param .align {} .b8 a[4]"),
]
COUNTS = ["-1", "0", "1", "+1", "(1)", "1+1", "1U", "0x10", "1.0", "x", "WARP_SZ", "", "65536", "4294967296"]
OF_COUNT = [("body", ".reg .b32 %r<{}>"), ("body", ".reg .v2 .b32 %r<{}>")]
OTHERS = [
    ("module", ".global .b8 a[] = {1,2}"),
    ("module", ".global .b8 a[0] = {1,2}"),
    ("module", ".global .b8 a[][2] = {{1,2},{3,4}}"),
    ("module", ".visible .global .b8 a[0]"),
    ("module", ".common .global .b8 a[]"),
    ("module", ".global .b8 a[0][2]"),
    ("module", ".extern .shared .b8 a[][0]"),
    ("module", ".extern .shared .b8 a[][2]"),
    ("module", ".global .b32 a, b[0]"),
    ("module", ".global .b8 a[4 ][ WARP_SZ]"),
    ("module", ".global .b8 a[2][2][2]"),
    ("module", ".global .b8 a[4"),
    ("module", ".align 3 .align 4 .global .b8 a[4]"),
    ("body", ".reg .b32 a[2]"),
    ("body", ".shared .b8 a[]"),
    ("entry", ".param .b8 a[2][2]"),
    ("func", ".param .b8 a[][2]"),
    ("func", ".reg .b32 a[2]"),
    ("func", ".reg .b32 a[0]"),
]


def rows():
    for numbers, declarations in [(SIZES, OF_SIZE), (ALIGNMENTS, OF_ALIGNMENT), (COUNTS, OF_COUNT)]:
        for place, declaration in declarations:
            yield from ((place, declaration.format(number)) for number in numbers)
    yield from OTHERS


def main():
    with tempfile.TemporaryDirectory() as folder, open(HERE / "records/declarations.tsv", "w") as record:
        record.write("place\tdeclaration\taccepted\n")
        module = pathlib.Path(folder) / "m.ptx"
        for place, declaration in rows():
            module.write_text(MODULES[place].format(declaration))
            # The assembler without its code generator cannot leave an external symbol open: ask for a relocatable file.
            asked = subprocess.run([sys.argv[1], "-c", "-arch=sm_90", module, "-o", "/dev/null"], capture_output=True)
            record.write(f"{place}\t{declaration}\t{'no' if asked.returncode else 'yes'}\n")


if __name__ == "__main__":
    main()
