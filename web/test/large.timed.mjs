// The processor time of a keystroke in 2 MB of PTX, and of pasting them, as multiples of what a table of 500 rows takes on the
// same machine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EDITOR, clock, open, pace } from "./page.mjs";

test("a keystroke in 2 MB is short, and pasting never blocks", async () => {
  const page = await open("#ptx");
  const line = "  cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;\n  add.f32 %f3, %f1, %f2;\n";
  const text = `.version 9.1\n.target sm_90\n.entry k {\n  .reg .b16 %h<4>; .reg .f32 %f<4>;\n${line.repeat(Math.ceil(2e6 / line.length))}}\n`;
  // Processor time of the page's own thread: other programs on the machine do not count.
  const spent = await clock(page);
  const unit = await pace(page, spent);
  const timed = async (act, ...values) => {
    const before = await spent();
    await page.evaluate(act, ...values);
    return (await spent()) - before;
  };
  await page.evaluate(() => {
    globalThis.painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  });
  await page.evaluate((long) => { globalThis.long = long; }, text);
  const pasted = await timed(async () => {
    const area = document.querySelector(".cm-content");
    const clipboard = new DataTransfer();
    clipboard.setData("text/plain", globalThis.long);
    area.focus();
    document.execCommand("selectAll");
    area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: clipboard, bubbles: true, cancelable: true }));
    await globalThis.painted();
  });
  await page.waitForTimeout(3000);
  await page.locator(".cm-scroller").evaluate(async (editor) => {
    editor.scrollTop = 500_000;
    await globalThis.painted();
  });
  await page.locator(".cm-line").first().click();
  const keys = [];
  for (let i = 0; i < 7; i++) {
    await page.waitForTimeout(300);
    keys.push(await timed(async () => {
      document.execCommand("insertText", false, " ");
      await globalThis.painted();
    }));
  }
  const longest = { pasted, keys };
  console.log(`pasting 2 MB ${pasted.toFixed(0)} ms, keystrokes ${keys.map((t) => t.toFixed(0)).join(" ")} ms; a table takes ${unit.toFixed(0)} ms`);
  assert.ok(Math.min(...longest.keys) < 1.5 * unit, longest.keys.join());
  assert.ok(longest.pasted < 8 * unit, `${longest.pasted} ms`);
  // An edit in the middle is judged.
  await page.evaluate(`{
    const view = ${EDITOR};
    const at = view.state.doc.toString().indexOf(".satfinite", 1_000_000);
    view.dispatch({ selection: { anchor: at, head: at + 10 }, scrollIntoView: true });
    view.focus();
  }`);
  await page.keyboard.press("Delete");
  await page.getByRole("region", { name: "Findings" }).getByText("CVT008").first().waitFor();
});
