// An instruction, its operands and its result: typing, flipping bits, completion, the keyboard, links.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "./page.mjs";

const answer = (page) => page.locator(".answer strong").textContent();

test("the page opens with an example that can be changed", async () => {
  const page = await open();
  assert.equal(await answer(page), "d = 0x3cfe");
  await page.getByLabel("a, number").fill("2");
  assert.equal(await answer(page), "d = 0x40fe");
  assert.equal(await page.getByLabel("a, hexadecimal").inputValue(), "0x40000000");
  await page.getByLabel("a, hexadecimal").fill("3f800000");
  assert.equal(await answer(page), "d = 0x38fe");
  assert.equal(await page.getByLabel("a, number").inputValue(), "1");
});

test("a bit flips by click, and several by one drag", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=1.5");
  await page.getByRole("switch", { name: "bit 31, sign" }).click();
  assert.equal(await answer(page), "d = 0xbe00");
  const [from, to] = await Promise.all([23, 26].map((bit) => page.getByRole("switch", { name: `bit ${bit}, exponent` }).boundingBox()));
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + 5, { steps: 20 });
  await page.mouse.up();
  assert.equal(await page.getByLabel("a, hexadecimal").inputValue(), "0xb8400000");
});

test("completions are those of the table and the target", async () => {
  const page = await open("#convert?target=sm_80&isa=7.0");
  const box = page.getByRole("combobox", { name: "Instruction" });
  await box.fill("cvt.rn.satf");
  assert.deepEqual(await page.locator("#completions [role=option]").allTextContents(), [".satfinitemodifier, not on this target"]);
  await box.fill("cvt.rn.");
  const offered = await page.locator("#completions [role=option]").allTextContents();
  assert.ok(offered.some((text) => text.startsWith(".f16")) && offered.length > 10, offered.join());
  await page.locator("#completions").getByRole("option", { name: ".bf16 type" }).click();
  assert.equal(await box.inputValue(), "cvt.rn.bf16.");
});

test("an error is reported, and a click fixes it", async () => {
  const page = await open();
  await page.getByRole("combobox", { name: "Instruction" }).fill("cvt.rn.sat.e4m3x2.f32");
  await page.keyboard.press("Escape");
  const verdict = page.locator("#verdict");
  assert.match(await verdict.textContent(), /CVT009.*CVT008/);
  assert.equal(await page.locator(".echo mark").first().textContent(), ".sat");
  await verdict.getByRole("button", { name: "cvt.rn.satfinite.e4m3x2.f32", exact: true }).click();
  assert.match(await verdict.textContent(), /Legal/);
  await page.getByLabel("Target").selectOption("sm_80");
  assert.match(await page.locator("#verdict").textContent(), /needs sm_89/);
});

test("operands can follow the opcode, as in the command", async () => {
  const page = await open();
  await page.getByRole("combobox", { name: "Instruction" }).fill("cvt.rn.f16x2.f32 1 -2");
  assert.equal(await answer(page), "d = 0x3c00c000");
});

test("the keyboard suffices", async () => {
  const page = await open();
  const box = page.getByRole("combobox", { name: "Instruction" });
  while (!(await box.evaluate((e) => e === document.activeElement))) await page.keyboard.press("Tab");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("cvt.rn.satfinite.e2m1x2.");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal(await box.inputValue(), "cvt.rn.satfinite.e2m1x2.f32");
  for (let i = 0; i < 20 && !(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") === "bit 31, sign, element 1" || document.activeElement?.getAttribute("aria-label") === "bit 31, sign")); i++) await page.keyboard.press("Tab");
  const before = await answer(page);
  await page.keyboard.press(" ");
  assert.notEqual(await answer(page), before);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("0");
  assert.match(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), /^bit 29/);
});

test("a link opens the same view", async () => {
  const page = await open("#convert?target=sm_100a&isa=8.8");
  await page.getByRole("combobox", { name: "Instruction" }).fill("cvt.rs.satfinite.e2m1x4.f32");
  await page.getByLabel("a, number").fill("0.7");
  await page.getByLabel("rbits, hexadecimal").fill("0x12345678");
  await page.getByRole("button", { name: "C++" }).click();
  const shown = (p) => p.locator("main").evaluate((main) => main.textContent);
  const again = await open(new URL(page.url()).hash);
  assert.equal(await shown(again), await shown(page));
  assert.equal(await again.getByLabel("Target").inputValue(), "sm_100a");
  assert.match(await again.locator("pre").textContent(), /"=h"\(d\)/);
});

test("operands have their names of PTX in links, and letters of older links are read", async () => {
  const numbers = async (page) => page.locator(".operands input").evaluateAll((fields) => fields.map((field) => field.value));
  const form = "#convert?op=cvt.rs.satfinite.e4m3x4.f32";
  const named = await open(`${form}&a=1&b=2&e=3&f=4&rbits=0x5`);
  const read = await numbers(named);
  assert.equal(await named.getByText("of this link").count(), 0);
  const older = await open(`${form}&a=1&b=2&c=3&d=4&e=0x5`);
  assert.deepEqual(await numbers(older), read);
  assert.match(older.url(), /&e=3&f=4/);
  // What is typed keeps its name when another form is chosen.
  await named.getByLabel(/^rbits, /).first().fill("0x9");
  assert.match(named.url(), /rbits=0x9/);
  await named.getByRole("combobox", { name: "Instruction" }).fill("cvt.rs.f16x2.f32");
  assert.match(named.url(), /rbits=0x9/);
  assert.equal(new URLSearchParams(named.url().split("?")[1]).get("e"), "3");
  const surplus = await open("#convert?op=cvt.rn.f16.f32&a=1&rbits=2");
  await surplus.getByText("takes 1 operand, a: rbits=2 of this link is not used").waitFor();
});
