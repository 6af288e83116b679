// Findings belong to the text that is shown: while the worker reads a new one they are greyed out and cannot be clicked.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { open, paste, written } from "./page.mjs";

const cpp = await readFile(new URL("../../tests/cu/fp8.cu", import.meta.url), "utf8");
const findings = (page) => page.getByRole("region", { name: "Findings" });

test("a pasted source has its findings, and no others", async () => {
  const page = await open("#ptx");
  await paste(page, cpp);
  // Whatever is shown without being greyed out is of the new text.
  await page.waitForFunction(() => !document.querySelector("[aria-label=Findings]").inert);
  assert.match(await findings(page).textContent(), /[1-9]\d* findings?.*CVT/);
});

test("no fix can be taken from an old list, and keys do not queue up", async () => {
  const page = await open("#ptx");
  const text = cpp.repeat(14);
  await paste(page, text);
  await findings(page).getByRole("button", { name: /^Fix/ }).first().waitFor();
  await page.keyboard.press("ControlOrMeta+Home");
  const inert = [];
  for (let i = 0; i < 20; i++) {
    await page.keyboard.insertText("/");
    inert.push(await findings(page).evaluate((part) => part.inert));
  }
  assert.ok(inert.some(Boolean), "the list waits");
  // Playwright clicks when the list takes clicks again.
  await findings(page).getByRole("button", { name: /^Fix/ }).first().click();
  const [line] = (await written(page)).split("\n").filter((line) => line.includes("satfinite.e4m3x2"));
  assert.match(line, /"[^"]*cvt\.rn\.satfinite\.e4m3x2\.f32 /);
  assert.match(await written(page), /^\/{20}/);
});

test("the texts to copy are of the inputs that are shown, or cannot be copied", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=1");
  const copies = page.getByRole("region", { name: "Copy" });
  await copies.locator("pre").waitFor();
  const before = await copies.locator("pre").textContent();
  // A key, while nothing is painted.
  const inert = await page.evaluate(() => {
    const { requestAnimationFrame } = window;
    const held = [];
    window.requestAnimationFrame = (task) => held.push(task);
    const field = document.querySelector("[aria-label='a, number']");
    field.value = "1.5";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    window.requestAnimationFrame = requestAnimationFrame;
    const copies = document.querySelector("[aria-label=Copy]");
    const found = [copies.inert, copies.querySelector("pre").textContent];
    held.forEach((task) => requestAnimationFrame(task));
    return found;
  });
  assert.deepEqual(inert, [true, before], "the old text cannot be copied");
  await page.waitForFunction(() => !document.querySelector("[aria-label=Copy]").inert);
  assert.notEqual(await copies.locator("pre").textContent(), before);
});
