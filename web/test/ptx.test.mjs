// PTX and sources with PTX: languages, speed of keystrokes in long texts, compressed links.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { clock, open, pace } from "./page.mjs";

const findings = (page) => page.getByRole("region", { name: "Findings" });

test("CUDA C++, Python and LLVM IR are read like the command reads them", async () => {
  const cpp = await readFile(new URL("../../tests/cu/fp8.cu", import.meta.url), "utf8");
  const page = await open("#ptx");
  const box = page.getByRole("textbox", { name: "PTX" });
  await box.fill(cpp);
  await page.getByText("detected: CUDA C++").first().waitFor({ state: "attached" });
  // The example of the page has fewer; its statistics are shown until the worker has read the text.
  const counted = () => Number(document.querySelector("[aria-label=Statistics]").textContent.match(/, (\d+) of them conversions/)?.[1]) > 3;
  await page.waitForFunction(counted);
  assert.doesNotMatch(await findings(page).textContent(), /CVT10[12]/, "no syntax errors of PTX");
  await page.getByLabel("Language").selectOption("ptx");
  await page.waitForFunction(() => /[1-9]\d* findings/.test(document.querySelector("[aria-label=Findings]").textContent));
  await page.getByLabel("Language").selectOption("");
  for (const [text, language] of [
    ["import triton\ny = tl.inline_asm_elementwise(\"cvt.rn.e4m3x2.f32 $0, $1, $2;\", \"=h,f,f\", [a, b], dtype=tl.uint16, is_pure=True, pack=1)\n", "Python"],
    ["define i16 @f(float %a) {\n  %1 = call i16 asm \"cvt.rn.e4m3x2.f32 $0, $1, $1;\", \"=h,f\"(float %a)\n  ret i16 %1\n}\n", "LLVM IR"],
  ]) {
    await box.fill(text);
    await page.getByText(`detected: ${language}`).first().waitFor({ state: "attached" });
    await findings(page).getByText("CVT008").first().waitFor();
  }
});

test("a keystroke in 2 MB is short, and pasting never blocks", async () => {
  const page = await open("#ptx");
  const line = "  cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;\n  add.f32 %f3, %f1, %f2;\n";
  const text = `.version 9.1\n.target sm_90\n.entry k {\n  .reg .b16 %h<4>; .reg .f32 %f<4>;\n${line.repeat(Math.ceil(2e6 / line.length))}}\n`;
  const box = page.getByRole("textbox", { name: "PTX" });
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
    const area = document.querySelector("textarea");
    const clipboard = new DataTransfer();
    clipboard.setData("text/plain", globalThis.long);
    area.focus();
    area.select();
    area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: clipboard, bubbles: true, cancelable: true }));
    await globalThis.painted();
  });
  await page.waitForTimeout(3000);
  await page.locator(".editor").evaluate(async (editor) => {
    editor.scrollTop = 500_000;
    await globalThis.painted();
  });
  const keys = [];
  for (let i = 0; i < 7; i++) {
    await page.waitForTimeout(300);
    keys.push(await timed(async () => {
      document.querySelector("textarea").setSelectionRange(5000, 5000);
      document.execCommand("insertText", false, " ");
      await globalThis.painted();
    }));
  }
  const longest = { pasted, keys };
  console.log(`pasting 2 MB ${pasted.toFixed(0)} ms, keystrokes ${keys.map((t) => t.toFixed(0)).join(" ")} ms; a table takes ${unit.toFixed(0)} ms`);
  assert.ok(Math.min(...longest.keys) < 1.5 * unit, longest.keys.join());
  assert.ok(longest.pasted < 8 * unit, `${longest.pasted} ms`);
  // An edit in the middle is judged.
  await box.evaluate((area) => {
    const at = area.value.indexOf(".satfinite", 4000);
    area.setSelectionRange(at, at + 10);
    document.execCommand("delete");
  });
  await findings(page).getByText("CVT008").first().waitFor();
});

test("a link to a long text is compressed, and opens it", async () => {
  const text = "cvt.rn.f16.f32 %0, %1; // é\n".repeat(300);
  const page = await open("#ptx");
  await page.getByRole("textbox", { name: "PTX" }).fill(text);
  await page.evaluate(() => { navigator.clipboard.writeText = async (said) => void (globalThis.copied = said); });
  await page.getByRole("button", { name: "copy link", exact: true }).click();
  await page.waitForFunction(() => globalThis.copied);
  const link = await page.evaluate(() => globalThis.copied);
  assert.ok(link.length < 1000, `${link.length}`);
  const again = await open(new URL(link).hash);
  assert.equal(await again.getByRole("textbox", { name: "PTX" }).inputValue(), text);
});

test("a fix can be undone", async () => {
  const page = await open("#ptx");
  const box = page.getByRole("textbox", { name: "PTX" });
  const text = "// \u{1f600} ä\ncvt.rn.e4m3x2.f32 %0, %1, %1;";
  await box.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
  await findings(page).getByRole("button", { name: /^Fix/ }).click();
  assert.equal(await box.inputValue(), text.replace("rn.", "rn.satfinite."));
  await page.keyboard.press("ControlOrMeta+z");
  assert.equal(await box.inputValue(), text);
});
