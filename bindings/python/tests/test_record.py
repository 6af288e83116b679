"""Compares results recorded on a B200 with the Python package."""

import hashlib

import numpy as np
import pytest

import ptxcvt


def lines(path):
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def test_b200_results(root):
    by_form = {}
    for opcode, operands, result in lines(root / "conformance/vectors/b200-cvt.tsv"):
        by_form.setdefault(opcode, []).append(([int(x, 16) for x in operands.split()], int(result, 16)))
    assert len(by_form) > 100
    seen = 0
    for opcode, results in by_form.items():
        form = ptxcvt.Form(opcode)
        columns = [
            np.array([operands[k] for operands, _ in results], np.uint64).astype(f"uint{width}")
            for k, (_, _, width) in enumerate(form.operands)
        ]
        # An integer operand is an array of its own type.
        columns = [
            column.view(ptxcvt._dtypes.dtype_of(ptxcvt.Format(form._element(k)))) if form._element(k) else column
            for k, column in enumerate(columns)
        ]
        expected = [result for _, result in results]
        assert ptxcvt.cvt(form, *columns).tolist() == expected, opcode
        seen += len(results)
    assert seen > 17000


def test_b200_stochastic_rounding(root):
    digests = 0
    for opcode, operands, digest in lines(root / "conformance/vectors/b200-rs.tsv"):
        span, rest = operands.split()[0], [int(x, 16) for x in operands.split()[1:]]
        if ".." not in span or not digest.startswith("sha256:"):
            continue
        first, last = (int(x, 16) for x in span.split(".."))
        hashed = hashlib.sha256()
        for start in range(first, last + 1, 1 << 22):
            a = np.arange(start, min(start + (1 << 22), last + 1), dtype=np.uint32)
            hashed.update(ptxcvt.cvt(opcode, a, *(np.uint32(x) for x in rest)).tobytes())
        assert "sha256:" + hashed.hexdigest() == digest, opcode
        digests += 1
    assert digests >= 1
