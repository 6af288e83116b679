// What a person types, key by key: the headline, the box and the fields never contradict each other, and an empty text is
// not a missing one.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { open, shows, write } from "./page.mjs";

const answer = (page) => page.locator(".answer strong").textContent();
const box = (page) => page.getByRole("combobox", { name: "Instruction" });
const number = (page, name = "a") => page.getByLabel(`${name}, number`);
const isOutdated = (page) => page.locator(".convert .outdated").isVisible();

/** The readers of other languages, which the page loads when they are needed, are there. */
const isRead = (page) => page.locator("#verdict").getByText("its reader is being loaded").waitFor({ state: "detached" });

test("free text is understood key by key", async () => {
  for (const [text, result] of [
    ["f32 to e4m3", "0x3cfe"], ["e4m3 from f32", "0x3cfe"], ["cvt.rn.f16x2.f32 1 -2", "0x3c00c000"],
    ["cvt.rn.f16x2.f32 {1, -2}", "0x3c00c000"], ["cvt.rn.f16x2.f32 d, 1, -2;", "0x3c00c000"],
    ["cvt.rn.f16.f32 nan", "0x7fff"], ["f32 to e4m3 1.5", "0x3c00"], ["1.5 to e4m3", "0x3c00"],
    ["e4m3 0x7e", "0x5f000000"], ["0x7e e4m3 to f16", "0x5f000000"], ["e4m3 to f16 1.5", "0x3e000000"],
    ["CVT.RN.F16.F32 1.5", "0x3e00"], ["cvt.rn.f16.f32 1.5 // a half", "0x3e00"], ["/* to half */ cvt.rn.f16.f32 1.5", "0x3e00"],
    ['asm volatile("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));', "0x3e33"],
    ['asm("CVT.RN.F16.F32 %0, 0f3FC00000;" : "=h"(h));', "0x3e00"], ["@%p cvt.rn.f16x2.f32 %r1, 0f3F800000, 0fC0000000; // PTX", "0x3c00c000"],
  ]) {
    const page = await open();
    await box(page).fill("");
    await box(page).pressSequentially(text);
    await isRead(page);
    assert.equal(await answer(page), `d = ${result}`, text);
    assert.ok(!(await isOutdated(page)), text);
    await page.context().close();
  }
});

test("a text that is not one conversion says why, and has no result", async () => {
  const page = await open();
  for (const [text, why] of [
    ["cvt.rn.f16.f32 1 2 3", /1 source operand needed, 3 given/],
    ["e4m3 to e5m2", /e4m3 to e5m2 takes 2 conversions:/],
    ["f32 to e4m3 zzq", /zzq is not a format, a rounding, a modifier or a number/],
    ["1.5 to e9m9", /e9m9/],
    ["", /Type an opcode/],
  ]) {
    await box(page).fill(text);
    assert.match(await page.locator("#verdict").textContent(), why);
    assert.ok(await isOutdated(page), text);
  }
  await box(page).fill('asm("add.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y));');
  await isRead(page);
  assert.match(await page.locator("#verdict").textContent(), /this inline assembly has no conversion/);
  // A misspelt opcode has its nearest forms; its operands stay.
  for (const [text, form] of [["cvtt.rn.f16.f32 1.5", "cvt.rn.f16.f32"], ["cvt.rn.fp8 1.5", "cvt.rn.satfinite.e4m3x2.f32"], ["cvt.rn.f16.f31 1.5", "cvt.rn.f16.f32"]]) {
    await box(page).fill(text);
    assert.ok(await isOutdated(page), text);
    await page.locator("#verdict").getByRole("button", { name: form, exact: true }).click();
    assert.equal(await number(page).inputValue(), "1.5", text);
    assert.match(await page.locator("#verdict").textContent(), /Legal/, text);
  }
  await box(page).fill("e4m3 to e5m2");
  await page.locator("#verdict").getByRole("button").first().click();
  assert.match(await page.locator("#verdict").textContent(), /Legal/);
});

test("the name of a recipe leads to Blocks", async () => {
  const page = await open();
  await box(page).fill("nvfp4 1 2 3.5");
  assert.match(await page.locator("#verdict").textContent(), /nvfp4 is the name of 15 ways to quantise blocks of f32 numbers, here 3 numbers/);
  assert.ok(await isOutdated(page));
  await page.locator("#verdict").getByRole("link", { name: "nvfp4-te-16x16", exact: true }).click();
  assert.equal(await page.getByLabel("Recipe", { exact: true }).inputValue(), "nvfp4-te-16x16");
  assert.equal(await page.getByLabel("Numbers", { exact: true }).inputValue(), "1 2 3.5");
  await page.goBack();
  assert.equal(await box(page).inputValue(), "nvfp4 1 2 3.5");
});

test("Enter leaves the text that was typed, and completions cover no button of the verdict", async () => {
  const page = await open();
  for (const text of ["cvt.rn.f1", "cvt.rn.f16.f32", "cvt.rn.satfinite.e4m3x2.", "cvt.rn.f16x.f32"]) {
    await box(page).fill("");
    await box(page).pressSequentially(text);
    const list = await page.locator("#completions").boundingBox();
    for (const button of await page.locator("#verdict button").all()) {
      const { x, y, width, height } = await button.boundingBox();
      assert.ok(!list || y + height <= list.y || y >= list.y + list.height || x >= list.x + list.width, text);
      assert.ok(await button.evaluate((e, [x, y]) => e.contains(document.elementFromPoint(x, y)), [x + width / 2, y + height / 2]), text);
    }
    await page.keyboard.press("Enter");
    assert.equal(await box(page).inputValue(), text);
    assert.ok(await page.locator("#completions").isHidden());
  }
  // A completion that was chosen is taken.
  await box(page).fill("cvt.rn.bf16.");
  await page.keyboard.press("ArrowDown");
  const chosen = await page.locator("#completions [aria-selected=true] span").first().textContent();
  await page.keyboard.press("Enter");
  assert.match(await box(page).inputValue(), new RegExp(`^cvt\\.rn\\.bf16${chosen.replace(".", "\\.")}`));
});

test("the box and the fields say the same", async () => {
  // The operands of a link's opcode count.
  const page = await open(`#convert?${new URLSearchParams({ op: "cvt.rn.f16x2.f32 1 -2" })}`);
  assert.equal(await answer(page), "d = 0x3c00c000");
  // A field that is changed takes the others out of the box.
  await number(page).fill("5");
  assert.equal(await box(page).inputValue(), "cvt.rn.f16x2.f32");
  assert.equal(await answer(page), "d = 0x4500c000");
  await page.reload();
  await page.waitForFunction(() => performance.getEntriesByName("answered").length > 0);
  assert.equal(await answer(page), "d = 0x4500c000");
  // A menu keeps them.
  await box(page).fill("cvt.rn.f16x2.f32 1 -2");
  await page.getByRole("group", { name: "Compose" }).getByLabel("to", { exact: true }).selectOption("bf16x2");
  assert.equal(await box(page).inputValue(), "cvt.rn.bf16x2.f32");
  assert.equal(await answer(page), "d = 0x3f80c000");
});

test("an operand is one text, whatever is in it", async () => {
  const page = await open("#convert?op=cvt.rn.bf16x2.f32&a=1%0A2&b=5");
  assert.equal(await page.locator(".answer:visible").count(), 0);
  assert.equal(await number(page, "b").inputValue(), "5");
});

test("an empty text is not the example", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=2");
  for (const field of [number(page), page.getByLabel("a, hexadecimal")]) {
    await number(page).fill("2");
    assert.ok(!(await isOutdated(page)));
    await field.fill("");
    assert.ok(await isOutdated(page));
  }
  await page.reload();
  await page.waitForFunction(() => performance.getEntriesByName("answered").length > 0);
  assert.equal(await page.locator(".answer:visible").count(), 0);
  // So do the other views, also after a visit elsewhere.
  await page.getByRole("link", { name: "Blocks" }).click();
  await page.getByRole("textbox", { name: "Numbers" }).fill("");
  await page.getByRole("link", { name: "PTX", exact: true }).click();
  await page.getByLabel(/^%1/).fill("");
  await page.locator(".trace.stale").waitFor();
  await write(page, "");
  await page.getByRole("link", { name: "Blocks" }).click();
  assert.equal(await page.getByRole("textbox", { name: "Numbers" }).inputValue(), "");
  await page.getByRole("link", { name: "PTX", exact: true }).click();
  await shows(page, "");
});

test("a number that was changed when it was read has a note, as in the command", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=1e999");
  assert.match(await page.locator(".note").textContent(), /1e999 is out of range for \.f32, and became infinity/);
  await number(page).fill("1.5");
  assert.equal(await page.locator(".note").textContent(), "");
});

test("the field of digits reads digits, and other notations as they are", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=2");
  const hex = page.getByLabel("a, hexadecimal");
  for (const [text, bits] of [["3f800000", "0x3c00"], ["0x3f800000", "0x3c00"], ["0f3f800000", "0x3c00"], ["1.5", "0x3e00"]]) {
    await hex.fill(text);
    assert.equal(await answer(page), `d = ${bits}`, text);
  }
});

test("the first page keeps its state, too", async () => {
  const page = await open();
  await box(page).fill("cvt.rn.f16.f32");
  await number(page).fill("3");
  await page.getByRole("link", { name: "Formats" }).click();
  await page.getByRole("link", { name: "Convert" }).click();
  assert.equal(await box(page).inputValue(), "cvt.rn.f16.f32");
  assert.equal(await number(page).inputValue(), "3");
  assert.match(page.url(), /#convert\?/);
});

test("numbers are spelt as in the command", async () => {
  const lines = (await readFile(new URL("../../tests/numbers.tsv", import.meta.url), "utf8")).split("\n");
  const spellings = lines.filter((line) => line && !line.startsWith("#")).map((line) => line.split("\t"));
  assert.ok(spellings.length > 9);
  const page = await open();
  for (const [text, bits] of spellings) {
    await box(page).fill(`cvt.rn.f16.f32 ${text}`);
    assert.equal(await page.getByLabel("a, hexadecimal").inputValue(), `0x${bits}`, text);
    await number(page).fill("3");
    await number(page).fill(text);
    assert.equal(await page.getByLabel("a, hexadecimal").inputValue(), `0x${bits}`, text);
  }
});
