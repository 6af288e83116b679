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

test("a tie says that it is one, which way it went, and why", async () => {
  const page = await open();
  await page.getByRole("button", { name: "a tie" }).click();
  const line = await page.locator(".answer").textContent();
  assert.match(line, /upper 2 halfway, rounded down, to the even one.*lower 4 halfway, rounded up, to the even one/s);
  const steps = await page.getByRole("region", { name: "Elements" }).textContent();
  assert.match(steps, /halfway between 0x4 2 and 0x5 3: rounded down, to the even one, whose last bit is 0/);
});

test("a copied text says that the target lacks the form", async () => {
  const page = await open("#convert?op=cvt.rn.satfinite.e4m3x2.f32&target=sm_80");
  const copies = page.getByRole("region", { name: "Copy" });
  for (const [tab, sign] of [["PTX", "//"], ["C++", "//"], ["Rust", "//"], ["Python", "#"], ["Command", "#"]]) {
    await copies.getByRole("button", { name: tab, exact: true }).click();
    assert.match(await copies.locator("pre").textContent(), new RegExp(`${sign} cvt.* needs sm_89 or higher; the target is sm_80\\.`), tab);
  }
  await page.getByLabel("Target", { exact: true }).selectOption("sm_90");
  await page.waitForFunction(() => !/needs/.test(document.querySelector("[aria-label=Copy] pre").textContent));
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

test("Legality fits a page: every row, across a broad page, with its colours", async () => {
  const page = await open("#legality?every=1&all=1&target=sm_100a", { viewport: { width: 1040, height: 700 }, colorScheme: "dark" });
  const rows = Number(await page.getByRole("table", { name: "First ISA version" }).getAttribute("aria-rowcount"));
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.waitForFunction((count) => document.querySelectorAll(".rows .row[role=row]").length === count, rows - 1);
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= window, `${wide} of ${window}`);
  const clipped = await page.locator(".matrix .cell, .matrix .form").evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1 && !e.closest(".group")).length);
  assert.equal(clipped, 0);
  const colours = await page.evaluate(() => [".cell.yes", ".cell.none"].map((name) => getComputedStyle(document.querySelector(`.rows ${name}`)).color));
  assert.notEqual(colours[0], colours[1]);
  const pdf = await page.pdf({ preferCSSPageSize: true });
  assert.match(pdf.toString("latin1"), /MediaBox \[0 0 84[12][.\d]* 59[45]/, "landscape");
  await page.emulateMedia({ media: "screen" });
  await page.waitForFunction(() => document.querySelectorAll(".rows .row").length < 100);
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

test("paper says what a result is of, and has no hints for the pointer", async () => {
  const page = await open(`#ptx?${new URLSearchParams({ text: "cvt.rn.f16.f32 %0, %1;", in: "2.5" })}`);
  await page.getByText("%0 = 0x4100").waitFor();
  await page.emulateMedia({ media: "print" });
  assert.ok(await page.getByLabel(/^%1/).isVisible());
  await page.emulateMedia({ media: "screen" });
  const filtered = await open("#legality?q=relu");
  await filtered.emulateMedia({ media: "print" });
  assert.ok(await filtered.getByLabel("Filter", { exact: true }).isVisible());
  const whole = await open("#convert");
  assert.ok(await whole.getByText("Point at a word").isVisible());
  await whole.emulateMedia({ media: "print" });
  assert.equal(await whole.getByText("Point at a word").isVisible(), false);
  // The pictures of elements follow what is above them, on the same page.
  assert.equal(await whole.locator("[aria-label=Elements]").evaluate((e) => getComputedStyle(e).breakInside), "auto");
});

test("an opcode that is not finished is no error, and says what may follow", async () => {
  const page = await open("#convert");
  const box = page.locator("#instruction");
  const verdict = page.locator("#verdict");
  for (const [text, kind, one] of [["cvt.", "a rounding", ".rn"], ["cvt.rn.", "a type or a modifier", ".f32"], ["cvt.rn", "a type", ".f16"], ["cvt.rn.f16", "a type", ".f32"], ["cvt.rn.satf", "a modifier", ".satfinite"]]) {
    await box.fill(text);
    await verdict.getByText("Not finished: continue with").waitFor();
    assert.match(await verdict.textContent(), new RegExp(kind), text);
    assert.ok(await verdict.getByRole("button", { name: one, exact: true }).isVisible(), text);
    assert.equal(await page.locator(".echo mark").count(), 0, text);
  }
  await box.fill("cvt.rn.f16.");
  await box.press("Escape");
  await verdict.getByRole("button", { name: ".f32", exact: true }).click();
  assert.equal(await box.inputValue(), "cvt.rn.f16.f32");
  // What is wrong stays wrong, and says once what to write.
  await box.fill("cvt.rnx.");
  await verdict.getByText("CVT002").first().waitFor();
  await box.fill("cvt.f16.f32 1.5");
  assert.equal((await verdict.textContent()).match(/write/g).length, 1);
});

test("a picture that cannot be copied is saved, and the button says so", async () => {
  const page = await open("#convert");
  await page.evaluate(() => { navigator.clipboard.write = async () => { throw new Error("refused"); }; });
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "PNG", exact: true }).click();
  assert.equal((await saved).suggestedFilename(), "ptxcvt.png");
  await page.getByRole("button", { name: "saved as ptxcvt.png" }).waitFor();
  await page.locator("#said").getByText("saved as ptxcvt.png").waitFor({ state: "attached" });
});

test("the headline says what a modifier did", async () => {
  for (const [text, words] of [
    ["cvt.rn.satfinite.relu.e4m3x2.f32 -1.5 1.5", "upper 0 clamped to +0 by .relu lower 1.5 exact"],
    ["cvt.rn.ftz.f16.f32 0x00000001", "d 0 flushed to zero"],
    ["cvt.rn.satfinite.pzo.e4m3x2.f32 -0 1", "upper 0 -0 became +0 by .pzo lower 1 exact"],
    ["cvt.rp.satfinite.ue8m0x2.f32 -2 3", "upper 2 sign dropped lower 4 rounded up"],
  ]) {
    const page = await open(`#convert?op=${encodeURIComponent(text)}`);
    const elements = await page.locator(".answer > span").allTextContents();
    assert.equal(elements.join(" "), words, text);
    await page.context().close();
  }
});

test("what a text leaves open is offered, and the numbers stay", async () => {
  const page = await open();
  await box(page).fill("1.5 to ue8m0");
  await page.locator("#verdict").getByRole("button", { name: "cvt.rp.ue8m0x2.f32", exact: true }).click();
  assert.equal(await box(page).inputValue(), "cvt.rp.ue8m0x2.f32");
  assert.match(await page.locator(".answer").textContent(), /upper 2 rounded up/);
});
