// Understood in ten seconds: examples, menus, free text, explained words, narrow windows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "./page.mjs";

const answer = (page) => page.locator(".answer strong").textContent();
const box = (page) => page.getByRole("combobox", { name: "Instruction" });

test("six examples have results", async () => {
  const page = await open();
  const examples = page.getByRole("group", { name: "Examples" }).getByRole("button");
  assert.equal(await examples.count(), 6);
  const seen = new Set();
  for (let at = 0; at < 6; at++) {
    await examples.nth(at).click();
    seen.add(`${await box(page).inputValue()} ${await answer(page)} ${await page.getByLabel("Target", { exact: true }).inputValue()}`);
    assert.match(await page.title(), /^cvt\..* · ptxcvt$/);
  }
  assert.equal(seen.size, 6);
  // The last one is a form that the GPU lacks: the sequence, its length, its proof and the command are there.
  const lowering = page.getByRole("region", { name: "Lowering" });
  assert.match(await lowering.textContent(), /On sm_80: the same bits in \d+ instructions.*(proven|tested).*ptxcvt lower cvt\.rn\.satfinite\.e4m3x2\.f32 --target sm_80.*ptxcvt prove/s);
  // The next example does not inherit its target.
  await examples.nth(0).click();
  assert.equal(await page.getByLabel("Target", { exact: true }).inputValue(), "");
});

test("free text is understood", async () => {
  const page = await open();
  for (const [text, result] of [
    ["e4m3", "0x3cfe"], ["f32 to e4m3", "0x3cfe"], ["f32->e4m3", "0x3cfe"],
    ["@%p1 cvt.rn.f16x2.f32 %r1, 0f3F800000, 0fC0000000; // PTX", "0x3c00c000"],
    ["cvt.rn.f16x2.f32 1 -2", "0x3c00c000"],
  ]) {
    await page.goto(`${page.url().split("#")[0]}#convert`);
    await page.reload();
    await page.waitForFunction(() => performance.getEntriesByName("answered").length > 0);
    await box(page).fill(text);
    assert.equal(await answer(page), `d = ${result}`, text);
  }
  await box(page).fill("cvt.rn.satfinit.e4m3x2.f32");
  await page.locator("#verdict").getByRole("button", { name: "cvt.rn.satfinite.e4m3x2.f32", exact: true }).click();
  assert.match(await page.locator("#verdict").textContent(), /Legal/);
});

test("the last good result stays while an opcode is typed, greyed out", async () => {
  const page = await open();
  await box(page).fill("cvt.rn.sat");
  assert.equal(await answer(page), "d = 0x3cfe");
  assert.match(await page.locator(".convert .outdated").textContent(), /belongs to cvt\.rn\.satfinite\.e4m3x2\.f32 1\.55,?.*-999/);
});

test("menus compose a form and offer only what is legal", async () => {
  const page = await open("#convert?target=sm_80");
  const compose = page.getByRole("group", { name: "Compose" });
  await box(page).fill("cvt.rn.f16.f32");
  await page.keyboard.press("Escape");
  const offered = await compose.getByLabel("to", { exact: true }).locator("option").allTextContents();
  assert.ok(offered.includes("bf16") && !offered.includes("e4m3x2"), offered.join());
  await compose.getByLabel("to", { exact: true }).selectOption("bf16");
  assert.equal(await box(page).inputValue(), "cvt.rn.bf16.f32");
  await compose.getByLabel("rounding").selectOption("rz");
  await compose.getByRole("button", { name: ".relu" }).click();
  assert.equal(await box(page).inputValue(), "cvt.rz.relu.bf16.f32");
  assert.ok(await compose.getByRole("button", { name: ".relu" }).evaluate((e) => e === document.activeElement));
  assert.match(await page.locator("#verdict").textContent(), /Legal on sm_80/);
});

test("each word of the opcode is explained by pointing, focus and tap", async () => {
  const page = await open();
  const word = page.getByRole("button", { name: ".satfinite" }).first();
  await word.hover();
  assert.match(await page.locator(".about").textContent(), /\.satfinite .*largest finite/);
  await page.mouse.move(0, 0);
  await page.getByRole("button", { name: ".rn", exact: true }).focus();
  assert.match(await page.locator(".about").textContent(), /nearest, ties to even/);
});

test("on a phone 32 bits break between bytes", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=1.5", { viewport: { width: 390, height: 800 } });
  const tops = await page.locator("[aria-label='bits of a'] .bit").evaluateAll((all) => all.map((e) => Math.round(e.getBoundingClientRect().top)));
  const breaks = tops.flatMap((top, at) => (at > 0 && top !== tops[at - 1] ? [at] : []));
  assert.ok(breaks.length > 0 && breaks.every((at) => at % 8 === 0), breaks.join());
});

test("paper keeps the colours and omits navigation", async () => {
  const page = await open();
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.locator("nav").isVisible()) && !(await page.locator(".chips").isVisible()));
  assert.ok(await page.locator(".answer").isVisible());
  assert.equal(await page.locator(".bit.exponent").first().evaluate((e) => getComputedStyle(e).printColorAdjust), "exact");
});

test("the menus of the target are where a target matters, and where one in the address is unknown", async () => {
  const page = await open("#legality");
  const target = page.getByLabel("Target", { exact: true });
  assert.ok(await target.isVisible());
  for (const view of ["Formats", "Blocks"]) {
    await page.getByRole("link", { name: view, exact: true }).click();
    await target.waitFor({ state: "hidden" });
  }
  await page.getByRole("link", { name: "Convert", exact: true }).click();
  await target.waitFor({ state: "visible" });
  const wrong = await open("#blocks?target=sm_999");
  assert.ok(await wrong.getByLabel("Target", { exact: true }).isVisible());
});

test("at every width the views are one row of links", async () => {
  for (const width of [390, 700, 768, 900, 1280]) {
    const page = await open("", { viewport: { width, height: 800 } });
    const tops = await page.getByRole("navigation").getByRole("link").evaluateAll((links) => links.map((link) => link.offsetTop));
    assert.equal(new Set(tops).size, 1, `${width} pixels`);
  }
});
