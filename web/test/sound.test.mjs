// No answer without sound inputs: what cannot be read gives no result, and what a link names is never replaced.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, shows, write } from "./page.mjs";

const FORM = "#convert?op=cvt.rn.f16.f32&a=1.5";
const hex = (page) => page.getByLabel("a, hexadecimal");
const number = (page) => page.getByLabel("a, number");

test("an operand that cannot be read gives no result, and keeps its text", async () => {
  const page = await open(FORM);
  for (const text of ["1/3", "1,5", "\u22121.5", "xyz"]) {
    await number(page).fill("1.5");
    assert.equal(await page.locator(".outdated:visible").count(), 0);
    await number(page).fill(text);
    assert.equal(await number(page).inputValue(), text);
    assert.notEqual(await page.locator("#error-0").textContent(), "", text);
    assert.match(await page.locator(".convert .outdated").textContent(), /belongs to cvt\.rn\.f16\.f32 1\.5$/);
    // The last result is greyed out, and nothing of it can be copied.
    for (const part of [".answer", "[aria-label=Result]", "[aria-label=Copy]"]) {
      assert.ok(await page.locator(part).first().evaluate((e) => e.inert && e.classList.contains("stale")), part);
    }
  }
  await page.reload();
  await page.waitForFunction(() => performance.getEntriesByName("answered").length > 0);
  assert.equal(await number(page).inputValue(), "xyz");
  assert.equal(await page.locator(".answer:visible").count(), 0, "no result was ever computed");
});

test("an operand keeps its text when the opcode changes", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=2.5");
  await page.getByRole("combobox", { name: "Instruction" }).fill("cvt.s32.s8");
  assert.equal(await number(page).inputValue(), "2.5");
  assert.match(await page.locator("#error-0").textContent(), /a: /);
  assert.match(await page.locator(".convert .outdated").textContent(), /cvt\.rn\.f16\.f32 2\.5/);
});

test("unknown names in a link are reported", async () => {
  for (const [hash, what, menu] of [
    ["#convert?target=sm_999", /no target sm_999/, "Target"],
    ["#convert?isa=99.9", /no PTX ISA version 99\.9/, "ISA"],
    ["#convert?isa=9", /no PTX ISA version 9; write 9\.0/, "ISA"],
    ["#formats?f=none", /none/, "Format"],
    ["#blocks?r=none", /none/, "Recipe"],
    ["#ptx?z=AAAA", /link is damaged/, null],
    ["#blocks?r=nope", /nope/, "Recipe"],
    ["#formats?f=nope", /nope/, "Format"],
    ["#ptx?code=nope", /nope.* is not an error code/, null],
    ["#constructor", /constructor.* is not a view/, null],
    ["#convert?foo=1", /foo.* is not a part of links to this view/, null],
    ["#convert?op=cvt.rn.f16.f32&a=1&b=2", /takes 1 operand, a: b=2 of this link is not used/, null],
    ["#convert?as=pascal", /as=pascal.* is not a value/, null],
    ["#convert?op=cvt.rn.f16.f32&a=1&a=2", /a.* is in this link more than once/, null],
    ["#formats?r=mx-rceil/e4m3", /r.* is not a part of links/, null],
    ["#legality?all=2", /all=2.* is not a value/, null],
    ["#legality?to=e9m9", /e9m9 is not a type of these forms/, "to"],
    ["#legality?with=rq", /rq is not a rounding or modifier/, "with"],
    ["#ptx?in=1%0A2%0A3&text=mov.b32+%250%2C+%251%3B", /has 1 input: 2, 3 of this link are not used/, null],
    ["#blocks?at=x", /at=x.* is not a value/, null],
    ["#blocks?at=99", /no element 100 of 16/, null],
    ["#ptx?z=eJwDAAAAAAE&foo=1", /foo.* is not a part of links/, null],
  ]) {
    const page = await open(hash);
    const alerts = async () => (await page.getByRole("alert").allTextContents()).join(" ");
    await page.waitForFunction((words) => new RegExp(words).test([...document.querySelectorAll("[role=alert]")].map((e) => e.textContent).join(" ")), what.source);
    assert.match(await alerts(), what);
    if (menu) assert.match(await page.getByLabel(menu, { exact: true }).evaluate((e) => e.selectedOptions[0].textContent), /unknown/);
    assert.doesNotMatch(await page.locator("main").textContent(), /Legal on sm_999/);
    assert.equal(new URL(page.url()).hash, hash);
    await page.context().close();
  }
});

test("a version with zeros before its numbers is read as the command reads it", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&target=sm_90&isa=08.07");
  assert.match(await page.locator("#verdict").textContent(), /Legal on sm_90 at ISA 8\.7/);
  assert.equal(await page.getByLabel("ISA", { exact: true }).inputValue(), "8.7");
  assert.equal((await page.getByRole("alert").allTextContents()).join(""), "");
  await page.context().close();
});

test("what is wrong with a link is said until something changes, and the page's own links have nothing surplus", async () => {
  const page = await open("#convert?op=cvt.rn.f16x2.f32&a=1&b=2&foo=1");
  assert.match(await page.locator("#problem").textContent(), /foo/);
  await number(page).fill("3");
  assert.ok(!(await page.locator("#problem").isVisible()));
  assert.doesNotMatch(page.url(), /foo/);
  // The operand stays in the address for the next form that takes it.
  await page.getByRole("combobox", { name: "Instruction" }).fill("cvt.rn.f16.f32");
  await page.getByRole("link", { name: "Formats" }).click();
  await page.getByRole("link", { name: "Convert" }).click();
  assert.match(page.url(), /b=2/);
  const alerts = await page.getByRole("alert").allTextContents();
  assert.equal(alerts.join(""), "");
});

test("a link with an incomplete opcode or an unknown target opens a page with something on it", async () => {
  const page = await open("#convert?op=cvt.rn.f16");
  assert.match(await page.locator("#verdict").textContent(), /Not finished: continue with a type or a modifier/);
  assert.match(await page.locator(".convert .outdated").textContent(), /belongs to cvt\.rn\.f16\.f32 1\.55/);
  assert.ok(await page.locator(".answer.stale").isVisible());
  await page.locator("#verdict").getByRole("button", { name: "cvt.rn.f16.f32" }).click();
  assert.equal(await page.locator(".answer.stale").count(), 0);
  assert.ok(await number(page).isVisible());
  const other = await open("#convert?op=cvt.rn.f16.f32&a=2.5&target=sm_999");
  assert.match(await other.locator("#verdict").textContent(), /Not judged: no target sm_999/);
  assert.match(await other.locator(".answer").textContent(), /0x4100/);
  assert.ok(await other.getByRole("group", { name: "Compose" }).isVisible());
  await number(other).fill("3");
  assert.match(await other.locator(".answer").textContent(), /0x4200/);
  assert.match(await other.locator("#verdict").textContent(), /Not judged/);
});

test("messages show code as code, without backquotes", async () => {
  for (const hash of [
    "#convert?op=cvt.rn.e4m3x2.f32", "#convert?op=cvt.rn.f16.f32&a=1/3", "#convert?op=cvt.rn.f16.f32&a=1e999", "#convert?target=sm_999",
    "#convert?op=tf32+to+f32", "#formats?f=nope", "#blocks?r=nope", "#blocks?x=1/3", "#blocks?r=gguf-nvfp4", "#ptx?lang=nope", "#ptx?in=1/3",
    "#ptx?text=cvt.rn.e4m3x2.f32+%250%2C+%251%2C+%252%3B", "#ptx?code=CVT008",
  ]) {
    const page = await open(hash);
    await page.waitForTimeout(100);
    assert.doesNotMatch(await page.locator("main").innerText(), /`/, hash);
    await page.context().close();
  }
});

test("a menu shows an alias by the format's own name", async () => {
  const page = await open("#formats?f=fp8");
  assert.equal(await page.getByLabel("Format", { exact: true }).inputValue(), "e4m3");
  assert.equal(await page.getByRole("alert").filter({ visible: true }).count(), 0);
});

test("arrow keys step to the next number, across zero and for both signs", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=1");
  await number(page).focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowUp");
  assert.equal(await hex(page).inputValue(), "0x3f800005");
  assert.equal(Math.fround(Number(await number(page).inputValue())), Math.fround(1.0000005960464478));
  await number(page).fill("-1");
  await page.keyboard.press("ArrowUp");
  assert.equal(await hex(page).inputValue(), "0xbf7fffff");
  await number(page).fill("0");
  await page.keyboard.press("ArrowDown");
  assert.equal(await hex(page).inputValue(), "0x80000001");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await hex(page).inputValue(), "0x00000001");
  await number(page).fill("1.5");
  await page.keyboard.press("PageUp");
  assert.equal(await number(page).inputValue(), "3");
  await page.keyboard.press("PageDown");
  await page.keyboard.press("PageDown");
  assert.equal(await number(page).inputValue(), "0.75");
});

test("a fast drag sets every bit that it passes", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=0x0");
  const [from, to] = await Promise.all([31, 2].map((bit) => page.getByRole("switch", { name: new RegExp(`^bit ${bit},`) }).boundingBox()));
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + 5, { steps: 2 });
  await page.mouse.up();
  assert.equal(await hex(page).inputValue(), "0xfffffffc");
});

test("a swipe scrolls and a tap flips a bit", async () => {
  const page = await open("#convert?op=cvt.rn.f16.f32&a=0x0", { hasTouch: true, isMobile: true, viewport: { width: 390, height: 700 } });
  const bit = page.getByRole("switch", { name: "bit 30, exponent" });
  const { x, y } = await bit.boundingBox();
  const client = await page.context().newCDPSession(page);
  const touch = (type, at) => client.send("Input.dispatchTouchEvent", { type, touchPoints: at ? [at] : [] });
  await touch("touchStart", { x: x + 5, y: y + 5 });
  for (let i = 1; i <= 8; i++) await touch("touchMove", { x: x + 5, y: y + 5 - 25 * i });
  await touch("touchEnd");
  await page.waitForFunction(() => scrollY > 60);
  assert.equal(await hex(page).inputValue(), "0x00000000");
  // A tap while the page still scrolls only stops it.
  await page.evaluate(async () => {
    for (let seen = -1; seen !== scrollY; ) {
      seen = scrollY;
      await new Promise((done) => setTimeout(done, 200));
    }
  });
  await bit.tap();
  assert.equal(await hex(page).inputValue(), "0x40000000");
});

test("the focus stays, and the skip link leaves the address alone", async () => {
  const page = await open(FORM);
  const target = page.getByLabel("Target");
  await target.focus();
  await target.selectOption("sm_90");
  assert.ok(await target.evaluate((e) => e === document.activeElement));
  assert.match(await page.locator("#verdict").textContent(), /Legal on sm_90/);
  const before = page.url();
  await page.locator(".skip").focus();
  await page.keyboard.press("Enter");
  assert.equal(page.url(), before);
  assert.equal(await page.evaluate(() => document.activeElement.id), "content");
});

test("each view keeps its state, and Back steps through actions", async () => {
  const page = await open(FORM);
  await page.getByRole("link", { name: "PTX", exact: true }).click();
  const long = `// ${"x".repeat(3000)}\ncvt.rn.f16.f32 %0, %1;\n`;
  await write(page, long);
  await page.getByRole("link", { name: "Formats" }).click();
  await page.getByLabel("Format", { exact: true }).selectOption("e2m1");
  await page.getByRole("link", { name: "PTX", exact: true }).click();
  await shows(page, long);
  await page.getByRole("link", { name: "Formats" }).click();
  assert.equal(await page.getByLabel("Format", { exact: true }).inputValue(), "e2m1");
  await page.getByRole("link", { name: "Convert" }).click();
  assert.equal(await number(page).inputValue(), "1.5");
  await number(page).fill("");
  await number(page).pressSequentially("27.125");
  await page.getByLabel("Target").selectOption("sm_90");
  await page.goBack();
  assert.equal(await page.getByLabel("Target").inputValue(), "");
  assert.equal(await number(page).inputValue(), "27.125");
  await page.goBack();
  assert.equal(await number(page).inputValue(), "1.5", "a field's keystrokes are one step");
  await page.goForward();
  assert.equal(await number(page).inputValue(), "27.125");
});
