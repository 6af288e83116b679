// Limits for sizes and times.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { file, open, pace, second } from "./page.mjs";

// The budget of the page is 450 kB. The limits are just above what the files have.
for (const [what, path, limit] of [["the page", file, 420_000], ["its second file", second, 580_000]]) {
  test(`${what}: ${limit / 1000} kB compressed`, async () => {
    const size = gzipSync(await readFile(path), { level: 9 }).length;
    console.log(`${what} has ${(size / 1000).toFixed(0)} kB compressed`);
    assert.ok(size <= limit, `${size} bytes`);
  });
}

// The limits below are multiples of the time that a table of 500 rows takes on the same machine.
test("the first answer comes soon", async () => {
  const times = [];
  let unit = Infinity;
  for (let i = 0; i < 3; i++) {
    const page = await open();
    times.push(await page.evaluate(() => performance.getEntriesByName("answered")[0].startTime));
    unit = Math.min(unit, await pace(page, () => performance.now()));
    await page.context().close();
  }
  console.log(`first answer after ${times.map((t) => t.toFixed(0)).join(", ")} ms; a table takes ${unit.toFixed(0)} ms`);
  assert.ok(Math.min(...times) < 25 * unit, `${times} of ${unit}`);
});

test("the matrix of all forms appears soon", async () => {
  const page = await open();
  const unit = await pace(page, () => performance.now());
  const time = await page.evaluate(async () => {
    const begin = performance.now();
    location.hash = "#legality";
    await new Promise((done) => addEventListener("hashchange", () => requestAnimationFrame(done), { once: true }));
    return performance.now() - begin;
  });
  console.log(`legality after ${time.toFixed(0)} ms; a table takes ${unit.toFixed(0)} ms`);
  assert.ok(time < 8 * unit, `${time} of ${unit}`);
});
