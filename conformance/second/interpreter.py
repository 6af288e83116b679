"""A second interpreter of the PTX in lowered blocks: it shares no code with `ptxcvt-exec`.

A register is a column of 64-bit numbers, one for each run. Floating point is computed in f64: products of two f32, f16 or bf16
are exact there, sums are rounded to odd, and `formats.encode` rounds the result once. An instruction that is not known here ends
the run with its text.
"""

import re

import numpy as np

import formats

U = np.uint64
WIDTHS = {"b8": 8, "b16": 16, "u16": 16, "s16": 16, "b32": 32, "u32": 32, "s32": 32, "f32": 32, "b64": 64, "pred": 1}
STORAGE = {"f32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "e3m2": 8, "e2m3": 8, "e2m1": 4}
ROUNDINGS = {"rn": "rn", "rz": "rz", "rp": "rp", "rm": "rm"}


def ones(width):
    """A mask of the lowest bits."""
    return U((1 << width) - 1)


def signed(column, width):
    """The two's complement number of the lowest bits."""
    return (column << U(64 - width)).view(np.int64) >> np.int64(64 - width)


def unsigned(column, width):
    """The lowest bits of a signed number."""
    return column.astype(np.int64).view(U) & ones(width)


def split(column, name):
    """The numbers of a register with one or two of a type such as f16x2, lowest first."""
    element = name.removesuffix("x2")
    width = STORAGE[element]
    count = 2 if name.endswith("x2") else 1
    return [formats.decode(element, column >> U(width * n) & ones(width)) for n in range(count)]


def packed(values, name, mode="rn", saturate=False):
    """The register with these numbers, rounded to the type."""
    element = name.removesuffix("x2")
    codes = [formats.encode(element, value, mode, saturate) for value in values]
    return sum(code << U(STORAGE[element] * n) for n, code in enumerate(codes))


class Block:
    """A block whose first line is its constraint string, as `ptxcvt lower` prints it."""

    def __init__(self, text):
        letters = text.splitlines()[0].removeprefix("// ").split(",")
        self.outputs = sum(letter.startswith("=") for letter in letters)
        self.letters = letters
        lines = [line.strip() for line in re.sub(r"//.*", "", text).splitlines()]
        # A brace of a scope is alone on its line; others are of vectors.
        parts = [[line] if line in ("{", "}") else line.split(";") for line in lines]
        self.statements = [part.strip() for line in parts for part in line if part.strip()]

    def run(self, inputs):
        """The output columns."""
        self.lanes = len(inputs[0])
        self.scopes = [{f"%{self.outputs + n}": [column, 32] for n, column in enumerate(inputs)}]
        for n in range(self.outputs):
            self.scopes[0][f"%{n}"] = [np.zeros(self.lanes, U), 32 if self.letters[n] == "=r" else 16]
        for statement in self.statements:
            if statement == "{":
                self.scopes.append({})
            elif statement == "}":
                self.scopes.pop()
            elif statement.startswith(".reg"):
                _, kind, names = statement.split(None, 2)
                for name in names.split(","):
                    self.scopes[-1][name.strip()] = [None, WIDTHS[kind[1:]]]
            else:
                self.instruction(statement)
        return [self.scopes[0][f"%{n}"][0] for n in range(self.outputs)]

    def register(self, name):
        """The innermost register of this name."""
        return next(scope[name] for scope in reversed(self.scopes) if name in scope)

    def read(self, operand, width):
        """A column with the value of an operand."""
        if operand.startswith("{"):
            parts = [part.strip() for part in operand[1:-1].split(",")]
            size = width // len(parts)
            return sum(self.read(part, size) << U(size * n) for n, part in enumerate(parts))
        if operand.startswith("!"):
            return self.read(operand[1:], 1) ^ U(1)
        if operand.startswith(("0f", "0F")):
            return np.full(self.lanes, int(operand[2:], 16), U)
        if re.match(r"-?\d", operand):
            return np.full(self.lanes, int(operand, 0) & int(ones(width)), U)
        column, _ = self.register(operand)
        if column is None:
            raise ValueError(f"{operand} is read before it is written")
        return column & ones(width) if width < 64 else column

    def write(self, operand, value, guard, width):
        """Writes where the guard holds."""
        if operand.startswith("{"):
            parts = [part.strip() for part in operand[1:-1].split(",")]
            size = width // len(parts)
            for n, part in enumerate(parts):
                self.write(part, value >> U(size * n) & ones(size), guard, size)
        elif operand != "_":
            register = self.register(operand)
            value = value & ones(register[1])
            if guard is None:
                register[0] = value
            else:
                old = register[0] if register[0] is not None else np.zeros(self.lanes, U)
                register[0] = np.where(guard != 0, value, old)

    def instruction(self, text):
        """One instruction, with its guard."""
        guard = None
        if text.startswith("@"):
            name, text = text.split(None, 1)
            guard = self.read(name[1:], 1)
        opcode, rest = text.split(None, 1)
        operands = [o.strip() for o in re.findall(r"\s*\{[^}]*\}|[^,]+", rest)]
        name, *modifiers = opcode.split(".")
        kind = modifiers[-1]
        if name == "cvt":
            value, width = self.convert(modifiers, operands[1:])
        elif name in ("setp", "set"):
            value, width = self.compare(name, modifiers, operands[1:])
        elif kind in ("f32", "f16x2", "bf16x2"):
            value, width = self.arithmetic(name, modifiers, operands[1:]), 32
        else:
            width = WIDTHS[kind]
            value = self.integer(name, modifiers, operands[1:], width)
        self.write(operands[0], value, guard, width)

    def integer(self, name, modifiers, operands, width):
        """Moves, bits and integers. Shifts by a width or more give zero, or the sign."""
        if name == "selp":
            a, b = (self.read(o, width) for o in operands[:2])
            return np.where(self.read(operands[2], 1) != 0, a, b)
        if name == "mov":
            return self.read(operands[0], width)
        a, *others = (self.read(o, 32 if name in ("shl", "shr") and n else width) for n, o in enumerate(operands))
        is_signed = modifiers[-1].startswith("s")
        if name == "prmt":
            b, selectors = others
            pool = a | b << U(32)
            result = np.zeros(self.lanes, U)
            for n in range(4):
                selector = selectors >> U(4 * n) & U(15)
                byte = pool >> (selector & U(7)) * U(8) & U(255)
                byte = np.where(selector & U(8) != 0, np.where(byte & U(128) != 0, U(255), U(0)), byte)
                result |= byte << U(8 * n)
            return result
        if name == "lop3":
            b, c, table = others
            result = np.zeros(self.lanes, U)
            for row in range(8):
                if int(table[0]) >> row & 1:
                    terms = [x if row >> n & 1 else ~x for n, x in ((2, a), (1, b), (0, c))]
                    result |= terms[0] & terms[1] & terms[2]
            return result
        if name == "bfe":
            at, count = others
            return a >> at & (U(1) << count) - U(1)
        if name == "shf":
            high, by = others
            by = by & U(31)
            return (high << U(32) | a) << by >> U(32)
        if name == "mad":
            return a * others[0] + others[1]
        if name == "shr" and is_signed:
            return unsigned(signed(a, width) >> np.minimum(others[0], U(63)).astype(np.int64), width)
        if name in ("shl", "shr"):
            by = np.minimum(others[0], U(63))
            return a << by if name == "shl" else np.where(others[0] < U(width), a >> by, U(0))
        if name in ("min", "max"):
            choose = np.minimum if name == "min" else np.maximum
            if is_signed:
                return unsigned(choose(signed(a, width), signed(others[0], width)), width)
            return choose(a, others[0])
        binary = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
        binary |= {"add": np.add, "sub": np.subtract, "mul": np.multiply}
        if name == "not":
            return ~a
        return binary[name](a, others[0])

    def arithmetic(self, name, modifiers, operands):
        """Floating-point instructions on f32 and pairs."""
        kind = modifiers[-1]
        element = kind.removesuffix("x2")
        columns = [self.read(o, 32) for o in operands]
        if name in ("abs", "neg"):
            signs = sum(U(formats.sign_bit(element)) << U(16 * n) for n in range(2 if kind.endswith("x2") else 1))
            return columns[0] & ~signs if name == "abs" else columns[0] ^ signs
        results = []
        for values in zip(*(split(column, kind) for column in columns)):
            with np.errstate(all="ignore"):
                if name in ("min", "max"):
                    results.append(extreme(name, values, "NaN" in modifiers))
                    continue
                a, b = values[:2]
                if name in ("mul", "fma"):
                    result = a * b
                if name == "fma":
                    result = formats.exact_sum(result, values[2])
                if name in ("add", "sub"):
                    result = formats.exact_sum(a, b if name == "add" else -b)
            if "relu" in modifiers:
                result = np.where(np.isnan(result) | (result > 0), result, 0.0)
            results.append(result)
        mode = next((ROUNDINGS[m] for m in modifiers if m in ROUNDINGS), "rn")
        return packed(results, kind, mode)

    def compare(self, name, modifiers, operands):
        """setp to a predicate, set to a word of all ones."""
        kind = modifiers[-1]
        relation = modifiers[0]
        if kind in STORAGE or kind.endswith("x2"):
            sides = zip(*(split(self.read(o, 32), kind) for o in operands))
        elif kind.startswith("s"):
            sides = [tuple(signed(self.read(o, WIDTHS[kind]), WIDTHS[kind]) for o in operands)]
        else:
            sides = [tuple(self.read(o, WIDTHS[kind]) for o in operands)]
        relations = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater}
        relations |= {"ge": np.greater_equal, "nan": lambda a, b: np.isnan(a) | np.isnan(b)}
        holds = [relations[relation](a, b) for a, b in sides]
        if name == "setp":
            return holds[0].astype(U), 1
        if kind.endswith("x2") and modifiers[1] == "u32":
            return sum(np.where(h, U(0xFFFF), U(0)) << U(16 * n) for n, h in enumerate(holds)), 32
        raise ValueError(f"unknown comparison {modifiers}")

    def convert(self, modifiers, operands):
        """cvt between the formats of `formats.FORMATS`, and of integers."""
        to, source = modifiers[-2:]
        if to[0] in "us" and source[0] in "us":
            width = WIDTHS[source]
            value = self.read(operands[0], width)
            return unsigned(signed(value, width), 64) if source[0] == "s" else value, WIDTHS[to]
        mode = next((ROUNDINGS[m[:2]] for m in modifiers if m[:2] in ROUNDINGS and len(m) <= 3), "rn")
        if source[0] in "us":
            value = self.read(operands[0], WIDTHS[source])
            value = signed(value, WIDTHS[source]) if source[0] == "s" else value
            return packed([value.astype(np.float64)], to, mode), STORAGE[to]
        if to[0] in "us":
            [value] = split(self.read(operands[0], STORAGE[source]), source)
            width = WIDTHS[to]
            least, most = (-(1 << width - 1), (1 << width - 1) - 1) if to[0] == "s" else (0, (1 << width) - 1)
            rounded = {"rn": np.rint, "rz": np.trunc, "rp": np.ceil, "rm": np.floor}[mode](value)
            whole = np.where(np.isnan(rounded), 0.0, np.clip(rounded, least, most))
            return whole.astype(np.int64).view(U) & ones(width), width
        if source.endswith("x2"):
            values = split(self.read(operands[0], 2 * STORAGE[source.removesuffix("x2")]), source)
        else:
            # The first operand is the upper element.
            values = [split(self.read(o, STORAGE[source]), source)[0] for o in reversed(operands)]
        if "relu" in modifiers:
            values = [np.where(np.isnan(v) | (v > 0), v, 0.0) for v in values]
        element = to.removesuffix("x2")
        return packed(values, to, mode, "satfinite" in modifiers), STORAGE[element] * len(values)


def extreme(name, values, nan_wins):
    """min and max: −0 is less than +0, and a number is preferred to NaN unless `.NaN` says otherwise."""
    a, b = values
    first = (a < b) | (a == b) & np.signbit(a)
    if name == "max":
        first = (a > b) | (a == b) & ~np.signbit(a)
    chosen = np.where(first, a, b)
    either = np.isnan(a) | np.isnan(b)
    other = np.where(np.isnan(a), b, a)
    return np.where(either, np.nan if nan_wins else other, chosen)
