// The processor time of a keystroke in each view, on the page's own thread, as a multiple of what a table of 500 rows takes
// on the same machine, and of all that follows the key. The limit finds what grows with the text or the table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EDITOR, clock, open, pace, paste } from "./page.mjs";

const numbers = (count) => Array.from({ length: count }, (_, at) => (at * 0.37 - 3).toFixed(2)).join(" ");

test("keystrokes in every view", async () => {
  for (const [name, hash, field, texts, begin] of [
    ["opcode", "#convert?target=sm_80", "#instruction", ["cvt.rn.satfinite.e4m3x2.f3", "cvt.rn.satfinite.e4m3x2.f32"]],
    ["operand", "#convert?op=cvt.rn.satfinite.e4m3x2.f32", "input[aria-label='a, number']", ["1", "1.", "1.5", "1.55"]],
    ["filter", "#legality?all=1", "input[type=search]", ["s", "sa", "sat", "satf"]],
    ["numbers", "#blocks", "textarea", ["1 2", "1 2 3", "1 2 3 4"]],
    ["1024 numbers", "#blocks", "textarea", [1021, 1022, 1023, 1024].map(numbers)],
    ["PTX", "#ptx", ".cm-content", ["cvt", "cvt.rn.f16.f32 %0, %1", "cvt.rn.f16.f32 %0, %1;"]],
    ["PTX of 4000 lines that is run", "#ptx", ".cm-content", [..." // abc"], "cvt.rn.f16.f32 %0, %1;\n".repeat(4000)],
  ]) {
    const page = await open(hash);
    const spent = await clock(page);
    const unit = await pace(page, spent);
    if (begin) {
      await paste(page, begin);
      await page.getByText("3800 instructions more").waitFor();
      await page.evaluate(`${EDITOR}.dispatch({ selection: { anchor: 22 }, scrollIntoView: true })`);
    }
    const [keys, all] = [[], []];
    for (const text of begin ? texts : [...texts, ...texts]) {
      const before = await spent();
      await page.evaluate(async ([selector, to, whole]) => {
        const input = document.querySelector(selector);
        input.focus();
        if (input.isContentEditable) {
          if (whole) document.execCommand("selectAll");
          document.execCommand("insertText", false, to);
        } else {
          input.value = to;
          input.dispatchEvent(new Event("input", { bubbles: true }));
        }
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      }, [field, text, !begin]);
      keys.push((await spent()) - before);
      // Long texts are answered when typing pauses.
      await page.waitForTimeout(500);
      all.push((await spent()) - before);
    }
    const middle = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] / unit;
    console.log(`${name}: ${middle(keys).toFixed(2)}, with all that follows ${middle(all).toFixed(2)} of ${unit.toFixed(0)} ms`);
    assert.ok(middle(keys) < 1 && middle(all) < 1.5, `${name}: ${keys} and ${all} of ${unit}`);
    await page.context().close();
  }
});

test("only the rows in sight are there, also after scrolling, and all of them on paper", async () => {
  const page = await open("#blocks");
  await page.getByLabel("Numbers", { exact: true }).fill(numbers(1024));
  const rows = page.locator(".elements-table tbody tr:not([aria-hidden])");
  await page.waitForFunction(() => document.querySelector(".elements-table").getAttribute("aria-rowcount") === "1026");
  assert.ok(await rows.count() < 120);
  await page.locator(".scroll").evaluate((e) => e.scrollTo(0, e.scrollHeight));
  const last = page.getByRole("button", { name: (1023 * 0.37 - 3).toFixed(2), exact: true });
  await last.click();
  assert.ok(await rows.count() < 120);
  assert.match(await page.getByRole("region", { name: "mx-rceil/e4m3" }).textContent(), /x, element 1024/);
  assert.equal(await last.getAttribute("aria-pressed"), "true");
  // Among fewer numbers the table begins where there are some.
  await page.getByLabel("Numbers", { exact: true }).fill("1 2 3");
  await page.getByRole("button", { name: "3", exact: true }).waitFor();
  assert.equal(await rows.count(), 3);
  await page.getByLabel("Numbers", { exact: true }).fill(numbers(1000));
  await page.emulateMedia({ media: "print" });
  await page.waitForFunction(() => document.querySelectorAll(".elements-table tbody tr:not([aria-hidden])").length === 1000);
});
