#!/usr/bin/env python3
"""Compiles the modules of `ptxcvt lower --adapter triton` with Triton, which needs no GPU for that, and runs the PTX.

    python3 conformance/header/triton_adapter.py PTXCVT

Needs the package triton. For every conversion and target a kernel loads a tensor, calls the module's function and stores the
result. In the PTX that Triton makes of it, the harness follows the addresses of one thread, replaces its loads and stores by
operands, runs the rest with `ptxcvt run`, and compares every stored element with `ptxcvt eval` of the element loaded from the
same place. Rewrites `triton.tsv`; the status is 1 if an element differs.
"""

import importlib.util
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from digest import of_text  # noqa: E402

RECORD = pathlib.Path(__file__).parent.parent / "records/triton.tsv"
TARGETS = {"sm_75": 75, "sm_80": 80, "sm_89": 89, "sm_90": 90, "sm_100a": 100}
# The newest version of PTX ISA that Triton writes in these kernels.
ISA = "8.6"
SMALL = ["e4m3", "e5m2", "e2m3", "e3m2", "e2m1"]
WIDE = {"f32": ("fp32", 32), "f16": ("fp16", 16), "bf16": ("bf16", 16)}
THREAD = 5
INPUTS = 2000

KERNEL = """

@triton.jit
def kernel(x, y):
    at = tl.arange(0, 128)
{body}
"""
BODIES = {
    (True, False): "    tl.store(y + at, {name}(tl.load(x + at)))",
    (False, False): "    tl.store(y + at, {name}(tl.load(x + at)))",
    (True, True): "    tl.store(y + at, {name}(tl.load(x + 2 * at), tl.load(x + 2 * at + 1)))",
    "words": "    results = {name}(tl.load(x + at))\n    for n in tl.static_range({count}):\n        tl.store(y + {count} * at + n, results[n])",
    (False, True): "    low, high = {name}(tl.load(x + at))\n    tl.store(y + 2 * at, low)\n    tl.store(y + 2 * at + 1, high)",
}


def conversions():
    """Opcode, small format, wide format, whether it narrows, and the options."""
    for small in SMALL:
        for wide in WIDE:
            pair = wide if wide == "f32" else wide + "x2"
            yield f"cvt.rn.satfinite.{small}x2.{pair}", small, wide, True, []
            if wide != "f32":
                opcode = f"cvt.rn.{pair}.{small}x2"
                yield opcode, small, wide, False, []
                yield opcode, small, wide, False, ["--order", "interleaved"]


def compiled(module, folder, target, types):
    """The PTX of the kernel."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    path = folder / "module.py"
    path.write_text(module)
    spec = importlib.util.spec_from_file_location("module", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    source = ASTSource(fn=loaded.kernel, signature=dict(zip("xy", types)), constexprs={})
    code = triton.compile(source, target=GPUTarget("cuda", TARGETS[target], 32), options={"num_warps": 1})
    return code.asm["ptx"], loaded


def statements(ptx):
    """The statements of the kernel, without what debuggers read."""
    body = ptx.split(".reqntid", 1)[1].split("{", 1)[1]
    body = body.split("$L__func_end0", 1)[0]
    lines = []
    for line in body.splitlines():
        line = line.split("//", 1)[0].strip()
        if not line or line.startswith((".loc", "$L__")):
            continue
        lines.append(line)
    return lines


class Thread:
    """Follows the addresses of one thread, and collects the rest as a function of what it loads."""

    def __init__(self, sizes):
        self.values = {}
        self.sizes = sizes
        self.declared = []
        self.depth = 0
        self.code = []
        self.loads = []
        self.stores = []

    def value(self, operand):
        if operand.startswith("%tid.x"):
            return THREAD
        if operand.startswith("%"):
            return self.values.get(operand)
        try:
            return int(operand.removesuffix("U"), 0)
        except ValueError:
            return None

    def place(self, address):
        """The parameter and the element of an address."""
        register, offset = re.fullmatch(r"\[\s*(%\w+)\s*(?:\+\s*(\d+))?\s*\]", address).groups()
        at = self.values[register] + int(offset or 0)
        parameter, byte = at >> 40, at & (1 << 40) - 1
        assert byte % self.sizes[parameter] == 0
        return parameter, byte // self.sizes[parameter]

    def step(self, line):
        if self.depth or line in "{}":
            # Inline assembly with registers of its own.
            self.depth += line.count("{") - line.count("}")
            self.code.append(line)
            return
        if line.startswith(".reg"):
            self.declared.append(line)
            return
        access = re.fullmatch(r"(ld|st)\.global(?:\.v\d)?\.b(\d+)\s+(.*);", line)
        if access:
            kind, width, operands = access.groups()
            first, second = re.fullmatch(r"(\{.*?\}|\[.*?\]|%\w+)\s*,\s*(\{.*?\}|\[.*?\]|%\w+)", operands).groups()
            registers, address = (first, second) if kind == "ld" else (second, first)
            parameter, element = self.place(address)
            for number, register in enumerate(re.findall(r"%\w+", registers)):
                # A register of 32 bits may hold several elements.
                count = max(1, int(width) // (8 * self.sizes[parameter]))
                where = (parameter, element + number * count, count)
                size = 16 if register.startswith("%rs") else 32
                if kind == "ld":
                    self.values.pop(register, None)
                    self.code.append(f"mov.b{size} {register}, in{len(self.loads)};")
                    self.loads.append((where, size))
                else:
                    self.code.append(f"mov.b{size} out{len(self.stores)}, {register};")
                    self.stores.append((where, size))
            return
        parameter = re.fullmatch(r"ld\.param\.b64\s+(%\w+), \[kernel_param_(\d)\];", line)
        if parameter:
            self.values[parameter[1]] = int(parameter[2]) << 40
            return
        if line == "ret;":
            return
        self.arithmetic(line)
        self.code.append(line)

    def arithmetic(self, line):
        """Computes integer instructions whose operands are known, and drops those that compute addresses."""
        match = re.fullmatch(r"([a-z][\w.]*)\s+(%\w+), (.*);", line)
        if not match:
            return
        name, to, operands = match.groups()
        known = [self.value(operand.strip()) for operand in operands.split(",")]
        name = name.split(".", 1)[0] + (".wide" if ".wide" in name else "")
        compute = {
            "mov": lambda a: a, "cvt": lambda a: a, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
            "add": lambda a, b: a + b, "shl": lambda a, b: a << b, "mad.wide": lambda a, b, c: a * b + c,
            "mul.wide": lambda a, b: a * b,
        }.get(name)
        self.values.pop(to, None)
        if compute and None not in known:
            self.values[to] = compute(*known)

    def function(self):
        """The PTX of a function of registers."""
        outputs = ", ".join(f".reg .b{size} out{n}" for n, (_, size) in enumerate(self.stores))
        inputs = ", ".join(f".reg .b{size} in{n}" for n, (_, size) in enumerate(self.loads))
        code = [line for line in self.code if "%rd" not in line and "%tid" not in line]
        declared = [line for line in self.declared if ".b64" not in line]
        body = "\n".join(declared + self.initial() + code)
        return f".version {ISA}\n.target sm_100a\n.address_size 64\n.func ({outputs}) f ({inputs})\n{{\n{body}\nret;\n}}\n"

    def initial(self):
        """Registers that address arithmetic left known."""
        code = "\n".join(self.code)
        return [
            f"mov.b32 {register}, {value};"
            for register, value in self.values.items()
            if register.startswith("%r") and not register.startswith(("%rd", "%rs")) and value < 1 << 32
            and f"{register}," in code
        ]


def batch(ptxcvt, command, lines, before=""):
    """The results of the batch form of `run` and `eval`, with `before` at the beginning of each line."""
    text = "".join(before + " ".join(f"{word:x}" for word in line) + "\n" for line in lines)
    answer = subprocess.run([ptxcvt, *command, "-"], input=text, capture_output=True, text=True)
    if answer.returncode:
        raise SystemExit(f"{command}: {answer.stderr}{answer.stdout[:300]}")
    return [[int(word, 16) for word in line.split()] for line in answer.stdout.splitlines()]


def expected(ptxcvt, opcode, small, wide, narrows, values):
    """Each value converted alone, by the form for pairs."""
    width = 4 if small == "e2m1" else 8
    if narrows:
        lines = [[value, value] if wide == "f32" else [value << 16 | value] for value in values]
        mask = (1 << width) - 1
    else:
        lines, mask = [[value << width | value] for value in values], 0xFFFF
    return {value: result[0] & mask for value, result in zip(values, batch(ptxcvt, ["eval"], lines, opcode + " "))}


def edges(wide):
    """Numbers around every change of the upper bits, and random ones."""
    bits = WIDE[wide][1]
    step = 1 << (bits - 12)
    around = {(n * step + d) % (1 << bits) for n in range(1 << 12) for d in (-1, 0, 1)}
    return sorted(around) + [random.getrandbits(bits) for _ in range(INPUTS)]


def written(ptxcvt, target, conversion):
    """The module, or `None` if there is no such word."""
    opcode, small, _, _, options = conversion
    arguments = [ptxcvt, "lower", "--adapter", "triton", opcode, "--target", target, "--isa", ISA]
    if options:
        arguments += ["--elements", "8" if small == "e2m1" else "4", *options]
    answer = subprocess.run(arguments, capture_output=True, text=True)
    return answer.stdout if answer.returncode == 0 else None


def check(ptxcvt, folder, target, conversion, text):
    """The number of elements that were compared; the first difference ends the program."""
    opcode, small, wide, narrows, options = conversion
    is_fp4 = small == "e2m1"
    count = 8 if is_fp4 else 4
    name = re.search(r"@triton.jit\ndef (\w+)", text)[1]
    body = BODIES["words" if options else (narrows, is_fp4)].format(name=name, count=count)
    kind = WIDE[wide][0]
    codes = "u32" if options else "u8"
    types = (f"*{kind}", "*u8") if narrows else (f"*{codes}", f"*{kind}")
    ptx, module = compiled(text + KERNEL.format(body=body), folder, target, types)
    size = WIDE[wide][1] // 8
    thread = Thread([size, 1] if narrows else [4 if options else 1, size])
    for line in statements(ptx):
        thread.step(line)
    path = folder / "function.ptx"
    path.write_text(thread.function())

    # The elements of the tensor x that the thread loads.
    loads = [element + n for (_, element, several), _ in thread.loads for n in range(several)]
    width = 8 * (size if narrows else 4 if options else 1)
    values = edges(wide) if narrows else list(range(256))
    if options:
        values = [random.getrandbits(32) for _ in range(1024)]
    random.shuffle(values)
    rows = max(-(-len(values) // len(loads)), 64)
    tensors = [{element: values[(row * len(loads) + k) % len(values)] for k, element in enumerate(loads)}
               for row in range(rows)]
    # The weights are permuted before the kernel runs.
    given = module.interleave if options else lambda code: code
    lines = [
        [sum(given(tensor[element + n]) << n * width for n in range(several)) for (_, element, several), _ in thread.loads]
        for tensor in tensors
    ]
    results = batch(ptxcvt, ["run", str(path)], lines)
    small_codes = range(16 if is_fp4 else 256)
    wanted = expected(ptxcvt, opcode, small, wide, narrows, sorted(set(values)) if narrows else small_codes)
    compared = 0
    stored = 8 if narrows else 8 * size
    for tensor, result in zip(tensors, results):
        for ((_, element, several), _), word in zip(thread.stores, result):
            for n in range(several):
                found, at = word >> n * stored & (1 << stored) - 1, element + n
                if narrows and is_fp4:
                    right = wanted[tensor[2 * at]] | wanted[tensor[2 * at + 1]] << 4
                elif options:
                    bits = 32 // count
                    right = wanted[tensor[at // count] >> at % count * bits & (1 << bits) - 1]
                elif is_fp4:
                    right = wanted[tensor[at // 2] >> 4 * (at % 2) & 15]
                else:
                    right = wanted[tensor[at]]
                if found != right:
                    raise SystemExit(f"{opcode} {options} on {target}: element {at}: {found:#x} instead of {right:#x}")
                compared += 1
    return compared


def main():
    ptxcvt = os.path.abspath(sys.argv[1])
    import triton

    random.seed(24)
    version = subprocess.run([ptxcvt, "--version"], capture_output=True, text=True).stdout.strip()
    head = [f"# Triton {triton.__version__}, {version}: modules of `ptxcvt lower --adapter triton --isa {ISA}`, compiled to PTX and run.",
            "# form, options, then for each target the elements that equal the form's; - if there is no such word"]
    lines, texts = ["#\t\t" + "\t".join(TARGETS)], []
    with tempfile.TemporaryDirectory() as name:
        os.environ["TRITON_CACHE_DIR"] = name + "/cache"
        for number, conversion in enumerate(conversions()):
            counts = []
            for target in TARGETS:
                folder = pathlib.Path(name) / f"{number}-{target}"
                folder.mkdir()
                text = written(ptxcvt, target, conversion)
                # The first line names the version of ptxcvt.
                texts += (text or "\n").splitlines(keepends=True)[1:]
                counts.append("-" if text is None else str(check(ptxcvt, folder, target, conversion, text)))
            lines.append("\t".join([conversion[0], " ".join(conversion[4]), *counts]))
            print(lines[-1], flush=True)
    head.append(f"# digest of the text: {of_text(''.join(texts))}")
    RECORD.write_text("\n".join(head + lines) + "\n")


if __name__ == "__main__":
    main()
