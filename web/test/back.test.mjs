// Back and Forward: a field shows the state of its entry, also while it has the focus, and each action is one entry.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, shows, write } from "./page.mjs";

const hex = (page) => page.getByLabel("a, hexadecimal");
const number = (page) => page.getByLabel("a, number");

test("a field that has the focus shows the state after Back", async () => {
  for (const [hash, label, typed, before] of [
    ["#legality?q=relu", "Filter", "e2m1x2", "relu"],
    ["#blocks?x=4+5+6", "Numbers", "1 2 3", "4 5 6"],
    ["#convert?op=cvt.rn.f16.f32&a=xyz", "a, number", "1.5", "xyz"],
    ["#convert?op=cvt.rn.f16.f32&a=2", "Instruction", "cvt.f32.f16", "cvt.rn.f16.f32"],
    ["#ptx?in=2%0A3", /^%1/, "7", "2"],
    ["#ptx?text=cvt.rn.f16.f32+%250%2C+%251%3B", "PTX", "cvt.f32.f16 %0, %1;", "cvt.rn.f16.f32 %0, %1;"],
  ]) {
    const page = await open(hash);
    const field = page.getByLabel(label, typeof label === "string" ? { exact: true } : {});
    await field.waitFor();
    if (label === "PTX") await write(page, typed);
    else await field.fill(typed);
    await page.goBack();
    const shown = (text) => label === "PTX" ? shows(page, text) : page.waitForFunction((expected) => document.activeElement.value === expected, text);
    await shown(before);
    assert.equal(new URL(page.url()).hash, hash);
    await page.goForward();
    await shown(typed);
    await page.context().close();
  }
});

test("a drag is one entry of the history, and so are bits that are typed", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=0x0");
  const entries = await page.evaluate(() => history.length);
  const bit = (at) => page.getByRole("switch", { name: new RegExp(`^bit ${at},`) });
  const [from, to] = await Promise.all([31, 2].map((at) => bit(at).boundingBox()));
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + 5, { steps: 9 });
  await page.mouse.up();
  assert.equal(await page.evaluate(() => history.length), entries + 1);
  await page.goBack();
  assert.equal(await hex(page).inputValue(), "0x00000000");
  await bit(31).focus();
  for (const digit of "1011") await page.keyboard.press(digit);
  assert.equal(await hex(page).inputValue(), "0xb0000000");
  assert.equal(await page.evaluate(() => history.length), entries + 1);
  await page.goBack();
  assert.equal(await hex(page).inputValue(), "0x00000000");
});

test("a text too long for the address comes back", async () => {
  const page = await open("#ptx?text=cvt.rn.f16.f32+%250%2C+%251%3B");
  const long = (letter) => `// ${letter.repeat(3000)}\ncvt.rn.f16.f32 %0, %1;\n`;
  await write(page, long("x"));
  await page.getByLabel("Language").selectOption("ptx");
  await write(page, long("y"));
  await page.goBack();
  await shows(page, long("x"));
  await page.goBack();
  await page.goBack();
  await shows(page, "cvt.rn.f16.f32 %0, %1;");
  for (const text of [long("x"), long("x"), long("y")]) {
    await page.goForward();
    await shows(page, text);
  }
});

test("a compressed link survives a reload, and Back", async () => {
  const text = `// ${"x".repeat(3000)}\ncvt.rn.f16.f32 %0, %1;\n`;
  const page = await open("#ptx");
  await write(page, text);
  await page.evaluate(() => { navigator.clipboard.writeText = async (text) => void (globalThis.copied = text); });
  await page.getByRole("button", { name: "copy link", exact: true }).click();
  await page.waitForFunction(() => globalThis.copied);
  const again = await open(new URL(await page.evaluate(() => globalThis.copied)).hash);
  await again.reload();
  await shows(again, text);
  await write(again, "cvt.f32.f16 %0, %1;");
  await again.goBack();
  await shows(again, text);
});

test("digits that do not fit are an error, not a decimal number", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=1.5");
  await hex(page).fill("123456789");
  assert.match(await page.locator("#error-0").textContent(), /a: /);
  assert.equal(await hex(page).getAttribute("aria-invalid"), "true");
  // PTX's own literal of a float, and plain digits.
  await hex(page).fill("0f40000000");
  assert.equal(await number(page).inputValue(), "2");
  await hex(page).fill("40400000");
  assert.equal(await number(page).inputValue(), "3");
});

test("the caret stays in its element while keys step", async () => {
  const page = await open(`#convert?${new URLSearchParams({ op: "cvt.rn.satfinite.e4m3x2.f16x2", a: "0.0078125,1" })}`);
  await number(page).focus();
  await number(page).evaluate((field) => field.setSelectionRange(9, 9));
  for (let i = 0; i < 3; i++) await page.keyboard.press("PageUp");
  assert.equal(await number(page).inputValue(), "0.0625,1");
  await number(page).evaluate((field) => field.setSelectionRange(7, 7));
  for (let i = 0; i < 3; i++) await page.keyboard.press("PageDown");
  assert.equal(await number(page).inputValue(), "0.0625,0.125");
});

test("a run whose inputs cannot be read shows no values, and says whose the last result is", async () => {
  const page = await open(`#ptx?${new URLSearchParams({ text: "cvt.rn.f16.f32 %0, %1;", in: "1.5" })}`);
  const running = page.getByRole("region", { name: "Run" });
  await running.getByText("%0 = 0x3e00").waitFor();
  await page.getByLabel(/^%1/).fill("1/3");
  await running.locator(".outdated").getByText("belongs to %1 = 1.5").waitFor();
  assert.doesNotMatch(await page.locator(".cm-content").textContent(), /0x3e00/);
  await page.getByLabel(/^%1/).fill("3");
  await running.getByText("%0 = 0x4200").waitFor();
  assert.equal(await running.locator(".outdated:visible").count(), 0);
});

test("a comparison of Legality that cannot be made is reported", async () => {
  for (const [hash, what] of [["#legality?versus=sm_999", "sm_999"], ["#legality?target=sm_90&versus=sm_999", "sm_999"], ["#legality?versus=sm_90", "Choose a target"],
    ["#legality?target=sm_90&versus=sm_90", "the target itself"]]) {
    const page = await open(hash);
    await page.getByRole("alert").getByText(what).waitFor();
    await page.context().close();
  }
});
