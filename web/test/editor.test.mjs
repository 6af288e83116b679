// The editor of the PTX view: keys, input methods, undoing and printing see the whole text, however long it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EDITOR, isAccessible, open, paste, shows, written } from "./page.mjs";

const HEAD = ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg .b16 h; .reg .f32 f;\n";
const module = (lines) => `${HEAD}${"  cvt.rn.f16.f32 h, f;\n".repeat(lines)}}\n`;
const LONG = module(4000);
const findings = (page) => page.getByRole("region", { name: "Findings" });

async function opened(text) {
  const page = await open("#ptx");
  await paste(page, text);
  await shows(page, text);
  return page;
}

/** The line of the caret, and whether it is in sight. */
const caret = (page) => page.evaluate(`(() => {
  const view = ${EDITOR};
  const { head } = view.state.selection.main;
  const [at, box] = [view.coordsAtPos(head), view.scrollDOM.getBoundingClientRect()];
  return { line: view.state.doc.lineAt(head).number, visible: at !== null && at.top >= box.top && at.bottom <= box.bottom };
})()`);

test("what replaces everything replaces the whole text, and can be undone", async () => {
  const page = await opened(LONG);
  for (const [keys, left] of [
    [["Control+a", "x"], "x"], [["Control+a", "Enter"], "\n"], [["Control+a", "Delete"], ""], [["Control+A", "Backspace"], ""],
    [["Control+Home", "Control+Shift+End", "Delete"], ""], [["Control+End", "Control+Shift+Home", "Delete"], ""], [["Control+a", "Control+x"], ""],
  ]) {
    for (const key of keys) await page.keyboard.press(key);
    await shows(page, left);
    await page.keyboard.press("Control+z");
    await shows(page, LONG);
  }
  // As an input method does.
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("hello");
  await shows(page, "hello");
});

test("the caret reaches every line, and typing happens at the caret", async () => {
  const page = await opened(LONG);
  await page.keyboard.press("Control+End");
  await page.keyboard.type("// z");
  assert.equal(await written(page), `${LONG}// z`);
  assert.deepEqual(await caret(page), { line: 4008, visible: true });
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < 3; i++) await page.keyboard.press("PageDown");
  const { line, visible } = await caret(page);
  assert.ok(line > 60 && visible, `${line}`);
  // The wheel leaves the caret where it was.
  await page.keyboard.press("Control+Home");
  await page.locator(".editor").hover();
  await page.mouse.wheel(0, 30_000);
  await page.waitForFunction(() => document.querySelector(".cm-scroller").scrollTop > 20_000);
  await page.keyboard.type("// a\n");
  assert.equal(await written(page), `// a\n${LONG}// z`);
  assert.deepEqual(await caret(page), { line: 2, visible: true });
  await page.mouse.wheel(0, 30_000);
  for (let i = 0; i < 3; i++) await page.keyboard.press("Control+z");
  assert.equal(await written(page), LONG);
});

test("a paste over a text is one step of Ctrl+Z and of Back", async () => {
  const own = "cvt.rn.f16.f32 %0, %1; // mine";
  const pasted = "cvt.rn.f16.f32 %0, %1;\n".repeat(1000);
  const page = await open("#ptx");
  const example = await written(page);
  const box = page.getByRole("textbox", { name: "PTX" });
  await box.press("Control+a");
  await page.keyboard.type(own);
  await paste(page, pasted);
  await shows(page, pasted);
  await page.keyboard.type("// ");
  await page.keyboard.press("Control+z");
  await shows(page, pasted);
  await page.keyboard.press("Control+z");
  await shows(page, own);
  await page.keyboard.press("Control+y");
  await shows(page, pasted);
  await page.goBack();
  await shows(page, own);
  await page.goBack();
  await shows(page, example);
  // What Back replaced can be undone, too.
  await box.press("Control+z");
  await shows(page, own);
});

test("edits reach the worker as they are, also next to characters of two units", async () => {
  const text = `// \u{1f600}\u{e4}\n${HEAD}cvt.rn.e4m3x2.f32 h, f, f; // \u{1f601}\n}\n`;
  const page = await opened(text);
  await findings(page).getByText("CVT008").waitFor();
  // The two faces differ in their second unit, and so do keys that follow faster than answers.
  await page.evaluate(`for (const [from, to, insert] of [[4, 5, "\\ude02"], [3, 3, "\\u{1f600}"], [0, 3, ""], [0, 0, "// "]]) ${EDITOR}.dispatch({ changes: { from, to, insert } })`);
  await findings(page).getByText("8:1", { exact: true }).waitFor();
  await findings(page).getByRole("button", { name: /^Fix/ }).click();
  await shows(page, text.replace("\u{1f600}", "\u{1f600}\u{1f602}").replace("rn.e4m3x2", "rn.satfinite.e4m3x2"));
  await findings(page).getByText("No findings").waitFor();
  await page.keyboard.press("Control+z");
  await findings(page).getByText("CVT008").waitFor();
});

test("Tab leaves the editor, Enter keeps the indentation", async () => {
  const page = await opened("\tret;");
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("ret;");
  assert.equal(await written(page), "\tret;\n\tret;");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.querySelector(".editor").contains(document.activeElement)), false);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await page.evaluate(() => document.querySelector(".editor").contains(document.activeElement)), false);
  assert.equal(await written(page), "\tret;\n\tret;");
});

test("search finds lines that are out of sight", async () => {
  for (const width of [1280, 390]) {
    const page = await open("#ptx", { viewport: { width, height: 800 } });
    await paste(page, LONG.replace("}", "// needle\n}"));
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Control+f");
    await page.keyboard.type("needle");
    await page.keyboard.press("Enter");
    await page.locator(".cm-line", { hasText: "needle" }).waitFor();
    await isAccessible(page, "search");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".cm-search").count(), 0);
  }
});

test("the editor grows with its text, up to a limit", async () => {
  const page = await opened("ret;");
  const height = async () => (await page.locator(".editor").boundingBox()).height;
  const small = await height();
  await paste(page, "ret;\n".repeat(15));
  const middle = await height();
  await paste(page, LONG);
  const large = await height();
  assert.ok(small > 100 && middle > small + 100 && large > middle + 100 && large < 700, `${small} ${middle} ${large}`);
});

test("rounding, modifiers and types have the colours of Convert", async () => {
  const page = await opened("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;\nadd.rz.f32 %2, %3, %3;");
  const texts = (kind) => page.locator(`.t-${kind}`).allTextContents();
  assert.deepEqual(await texts("rounding"), [".rn", ".rz"]);
  assert.deepEqual(await texts("modifier"), [".satfinite"]);
  assert.deepEqual(await texts("type"), [".e4m3x2", ".f32", ".f32"]);
  const colour = (selector) => page.locator(selector).first().evaluate((e) => getComputedStyle(e).color);
  const colours = await Promise.all(["rounding", "modifier", "type"].map((kind) => colour(`.t-${kind}`)));
  await page.getByRole("link", { name: "Convert" }).click();
  assert.deepEqual(await Promise.all(["rounding", "modifier", "type"].map((kind) => colour(`.word.${kind}`))), colours);
});

test("paper has all lines with their numbers, findings and colours", async () => {
  const page = await opened(module(300).replace("rn.f16.f32 h, f;\n}", "f16.f32 h, f;\n}"));
  await findings(page).getByText("306:3").waitFor();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  const lines = await page.locator(".paper > div").allTextContents();
  assert.equal(lines.length, 308);
  assert.match(lines[305], /^ {2}cvt\.f16\.f32 h, f;.*rounding/);
  assert.ok(await page.locator(".paper > div:nth-child(306) mark").first().isVisible());
  assert.match(await page.locator(".paper > div").nth(305).evaluate((line) => getComputedStyle(line, "::before").content), /counter/);
  assert.equal(await page.locator(".cm-editor").isVisible(), false);
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await page.locator(".paper > div").count(), 0);
});
