// PTX and sources with PTX: languages, compressed links, fixes.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { open, shows, write, written } from "./page.mjs";

const findings = (page) => page.getByRole("region", { name: "Findings" });

test("CUDA C++, Python and LLVM IR are read like the command reads them", async () => {
  const cpp = await readFile(new URL("../../tests/cu/fp8.cu", import.meta.url), "utf8");
  const page = await open("#ptx");
  await write(page, cpp);
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
    await write(page, text);
    await page.getByText(`detected: ${language}`).first().waitFor({ state: "attached" });
    await findings(page).getByText("CVT008").first().waitFor();
  }
});

test("a text that is pasted over another one is judged in its own language and kind", async () => {
  const page = await open("#ptx");
  const line = '__device__ void f(unsigned short &h, float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x)); }\n';
  const module = ".version 8.7\n.target sm_90\n.entry k() {\n .reg .b16 h; .reg .f32 f;\n cvt.f16.f32 h, f;\n ret;\n}\n";
  const one = () => findings(page).getByRole("heading", { name: "1 finding", exact: true }).waitFor();
  await write(page, line.repeat(600) + line.replace("rn.", ""));
  await page.getByText("detected: CUDA C++").first().waitFor({ state: "attached" });
  await one();
  // A piece of assembly, and then a module, of a chosen language.
  await page.getByLabel("Language").selectOption("ptx");
  await write(page, "cvt.rn.f16.f32 %0, %1;\n");
  await findings(page).getByRole("heading", { name: "No findings" }).waitFor();
  await write(page, module);
  await one();
});

test("a link to a long text is compressed, and opens it", async () => {
  const text = "cvt.rn.f16.f32 %0, %1; // é\n".repeat(300);
  const page = await open("#ptx");
  await write(page, text);
  await page.evaluate(() => { navigator.clipboard.writeText = async (text) => void (globalThis.copied = text); });
  await page.getByRole("button", { name: "copy link", exact: true }).click();
  await page.waitForFunction(() => globalThis.copied);
  const link = await page.evaluate(() => globalThis.copied);
  assert.ok(link.length < 1000, `${link.length}`);
  const again = await open(new URL(link).hash);
  await shows(again, text);
});

test("a fix can be undone", async () => {
  const page = await open("#ptx");
  const box = page.getByRole("textbox", { name: "PTX" });
  const text = "// \u{1f600} ä\ncvt.rn.e4m3x2.f32 %0, %1, %1;";
  await box.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
  await findings(page).getByRole("button", { name: /^Fix/ }).click();
  assert.equal(await written(page), text.replace("rn.", "rn.satfinite."));
  await page.keyboard.press("ControlOrMeta+z");
  assert.equal(await written(page), text);
});
