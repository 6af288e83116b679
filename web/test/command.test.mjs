// The page returns the results of the command: a thousand conversions of every kind, on random and special bits.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { open } from "./page.mjs";

const command = process.env.PTXCVT ?? new URL("../../target/debug/ptxcvt", import.meta.url).pathname;

/** A sequence of pseudorandom numbers with a fixed seed. */
function* random(seed) {
  for (let x = BigInt(seed); ; ) {
    x = BigInt.asUintN(64, x * 6364136223846793005n + 1442695040888963407n);
    yield x ^ (x >> 33n);
  }
}

test("every form, on random and special bits", async () => {
  const listed = spawnSync(command, ["forms", "--json"], { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(listed.status, 0, listed.stderr);
  const numbers = random(1);
  const next = () => numbers.next().value;
  const page = await open();
  const opcodes = JSON.parse(listed.stdout).map((form) => form.opcode);
  assert.ok(opcodes.length > 1000);
  const operands = await page.evaluate((all) => all.map((opcode) => globalThis.ptxcvt.widths(opcode)), opcodes);
  const lines = opcodes.map((opcode, at) => {
    const words = operands[at].map((width) => {
      const special = [0n, 1n, (1n << BigInt(width)) - 1n, 1n << BigInt(width - 1), 0x7fc00000n, 0x7f800000n];
      const pick = Number(next() % 12n);
      return `0x${BigInt.asUintN(width, special[pick] ?? next() >> (64n - BigInt(width))).toString(16)}`;
    });
    return [opcode, ...words].join(" ");
  });
  const output = spawnSync(command, ["eval", "-"], { input: `${lines.join("\n")}\n`, encoding: "utf8", maxBuffer: 1 << 26 });
  const expected = output.stdout.trimEnd().split("\n");
  assert.ok(expected.every((line) => /^[0-9a-f]+$/.test(line)), expected.find((line) => !/^[0-9a-f]+$/.test(line)));
  const results = await page.evaluate((all) => all.map((line) => globalThis.ptxcvt.result(...line.split(" "))), lines);
  const different = lines.filter((_, at) => results[at] !== `0x${expected[at]}`);
  assert.deepEqual(different, []);
});

test("an explanation is the command's, word for word", async () => {
  for (const [opcode, ...operands] of [
    ["cvt.rn.satfinite.e4m3x2.f32", "0x3fc66666", "0xc479c000"],
    ["cvt.rs.satfinite.e2m1x4.f32", "0x3fc66666", "0x3f800001", "0x7fc00000", "0xbf000000", "0x9e3779b9"],
    ["cvt.rn.bf16x2.ue8m0x2", "0x7fff"],
    ["cvt.sat.u8.s32", "0xfffffff0"],
  ]) {
    const expected = spawnSync(command, ["eval", opcode, ...operands], { encoding: "utf8" }).stdout.trim();
    const page = await open();
    assert.equal(await page.evaluate((words) => globalThis.ptxcvt.explain(...words), [opcode, ...operands]), expected);
    await page.context().close();
  }
});
