// The colours of the parts of a module, in VS Code's engine for grammars.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const wasm = await readFile(require.resolve("vscode-oniguruma/release/onig.wasm"));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
const path = new URL("../syntaxes/ptx.tmLanguage.json", import.meta.url);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(await readFile(path, "utf8"), "ptx.json"),
});
const grammar = await registry.loadGrammar("source.ptx");

/** The scope of each token of a line, blanks left out. */
function scopes(line) {
  const { tokens } = grammar.tokenizeLine(line, textmate.INITIAL);
  const words = tokens.map((token) => [line.slice(token.startIndex, token.endIndex), token.scopes.at(-1)]);
  return words.filter(([word]) => word.trim() !== "");
}

const scope = (line, word) => scopes(line).find(([text]) => text.trim() === word)?.[1];

test("the parts of a conversion", () => {
  const line = "  @!%p1 cvt.rn.satfinite.scaled::n2::ue8m0.e4m3x2.f32 %rs1, {%f1, 0f3F800000}; // and more";
  assert.equal(scope(line, "cvt"), "keyword.operator.conversion.ptx");
  assert.equal(scope(line, ".rn"), "constant.language.rounding.ptx");
  assert.equal(scope(line, ".scaled::n2::ue8m0"), "storage.modifier.conversion.ptx");
  assert.equal(scope(line, ".e4m3x2"), "support.type.conversion.ptx");
  assert.equal(scope(line, "%rs1"), "variable.other.register.ptx");
  assert.equal(scope(line, "0f3F800000"), "constant.numeric.ptx");
  assert.equal(scope(line, "// and more"), "comment.line.double-slash.ptx");
});

test("parts that no conversion has", () => {
  assert.equal(scope("cvt.rn.e4m3x3.f32 a, b;", ".e4m3x3"), "invalid.illegal.conversion.ptx");
  assert.equal(scope("cvt.pack.sat.u8.s32.b32 a, b, c, d;", "cvt.pack"), "keyword.operator.conversion.ptx");
  assert.equal(scope("cvt.pack.sat.u8.s32.b32 a, b, c, d;", ".b32"), "support.type.conversion.ptx");
});

test("the rest of a module", () => {
  assert.equal(scope(".target sm_100a", ".target"), "keyword.control.directive.ptx");
  assert.equal(scope(".target sm_100a", "sm_100a"), "constant.language.target.ptx");
  assert.equal(scope(".reg .b32 %r<4>;", ".b32"), "storage.type.ptx");
  assert.equal(scope("$L__BB0_1:", "$L__BB0_1"), "entity.name.label.ptx");
  assert.equal(scope("add.s32 %r1, %tid.x, 7;", "add"), "keyword.operator.instruction.ptx");
  assert.equal(scope("add.s32 %r1, %tid.x, 7;", "%tid"), "variable.language.ptx");
});
