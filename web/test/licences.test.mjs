// The licences next to the page are those of everything that it contains.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const read = (path) => readFile(new URL(path, import.meta.url), "utf8");

/** Packages that the bundle replaces by an empty one, with what only they need. */
const LEFT_OUT = /^@(codemirror\/language|lezer\/.*)$/;

test("every npm package of the page is listed with its licence", async () => {
  const listed = await read("../../target/web/THIRD-PARTY-LICENSES");
  const { packages } = JSON.parse(await read("../package-lock.json"));
  const found = new Set();
  const add = (name) => {
    if (found.has(name) || LEFT_OUT.test(name)) return;
    found.add(name);
    Object.keys(packages[`node_modules/${name}`].dependencies ?? {}).forEach(add);
  };
  Object.keys(packages[""].devDependencies).filter((name) => name.startsWith("@codemirror/")).forEach(add);
  assert.ok(found.size > 6, [...found].join());
  for (const name of found) {
    const { version, license } = packages[`node_modules/${name}`];
    assert.ok(listed.includes(`\n${name} ${version}: ${license}\n`), name);
    const text = await read(`../node_modules/${name}/LICENSE`);
    assert.ok(listed.includes(text.trimEnd()), `the text of ${name}`);
  }
  for (const crate of ["wasm-bindgen", "serde", "serde_json"]) assert.match(listed, new RegExp(`\n${crate} [0-9.]+: `));
  assert.ok(!listed.includes("contains no text of a licence"));
  // A file is often passed on alone: the licences of its script are in it.
  assert.match(await read("../../target/web/ptx.js"), /Permission is hereby granted/);
});
