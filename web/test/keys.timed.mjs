// The processor time of a keystroke in each view, on the page's own thread, as a multiple of what a table of 500 rows takes
// on the same machine. The limit finds what grows with the text or the table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clock, open, pace } from "./page.mjs";

const numbers = (count) => Array.from({ length: count }, (_, at) => (at * 0.37 - 3).toFixed(2)).join(" ");

test("keystrokes in every view", async () => {
  for (const [name, hash, field, texts] of [
    ["opcode", "#convert?target=sm_80", "#instruction", ["cvt.rn.satfinite.e4m3x2.f3", "cvt.rn.satfinite.e4m3x2.f32"]],
    ["operand", "#convert?op=cvt.rn.satfinite.e4m3x2.f32", "input[aria-label='a, number']", ["1", "1.", "1.5", "1.55"]],
    ["filter", "#legality?all=1", "input[type=search]", ["s", "sa", "sat", "satf"]],
    ["numbers", "#blocks", "textarea", ["1 2", "1 2 3", "1 2 3 4"]],
    ["1024 numbers", "#blocks", "textarea", [1021, 1022, 1023, 1024].map(numbers)],
    ["PTX", "#ptx", ".cm-content", ["cvt", "cvt.rn.f16.f32 %0, %1", "cvt.rn.f16.f32 %0, %1;"]],
  ]) {
    const page = await open(hash);
    const spent = await clock(page);
    const times = [];
    const unit = await pace(page, spent);
    for (const text of [...texts, ...texts]) {
      const before = await spent();
      await page.evaluate(async ([selector, to]) => {
        const input = document.querySelector(selector);
        input.focus();
        if (input.isContentEditable) {
          document.execCommand("selectAll");
          document.execCommand("insertText", false, to);
        } else {
          input.value = to;
          input.dispatchEvent(new Event("input", { bubbles: true }));
        }
        // A view may answer after the next frame.
        for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      }, [field, text]);
      times.push((await spent()) - before);
    }
    console.log(`${name}: ${times.map((t) => (t / unit).toFixed(2)).join(" ")} of ${unit.toFixed(0)} ms`);
    assert.ok(Math.min(...times) < 2 * unit, `${name}: ${times}`);
    await page.context().close();
  }
});
