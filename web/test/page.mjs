// Opens the page in a browser from its folder, without a server. Any output on the console is a failure.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

export { EDITOR, VIEWS, file, second } from "./page-file.mjs";
import { EDITOR, file } from "./page-file.mjs";
const programs = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

let browser;
const faults = [];

before(async () => {
  const executablePath = programs.find((path) => path && existsSync(path));
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});

after(async () => {
  await browser?.close();
  assert.deepEqual(faults, [], "the console stays silent");
});

/** An action is done when the page has painted, and done what it puts off until then: what a test reads next is the answer to
its action, however slow the machine is. */
function wait(locator) {
  const prototype = Object.getPrototypeOf(locator);
  if (prototype.waits) return;
  prototype.waits = true;
  for (const name of ["fill", "selectOption", "check", "uncheck", "click"]) {
    const action = prototype[name];
    prototype[name] = async function (...all) {
      const done = await action.apply(this, all);
      const painted = this.page().evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => setTimeout(done)))));
      // A link leads to another page.
      await painted.catch((error) => assert.match(String(error), /context was destroyed|navigat|closed/));
      return done;
    };
  }
}

/** Opens the page at an address such as `#formats?f=e2m1`, and waits for its first answer: the view of PTX shows all of it at once. */
export async function open(hash = "", options = {}) {
  const page = await visit(`${file.href}${hash}`, options);
  await page.waitForFunction(() => performance.getEntriesByName("answered").length > 0 && !document.querySelector(".pair.first"));
  return page;
}

/** Opens a file. Messages on the console that are not `expected` are failures. */
export async function visit(address, { requests = /^(file|data|blob):/, expected = /^$/, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  wait(page.locator("html"));
  const fault = (text) => expected.test(text) || faults.push(text);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && fault(message.text()));
  page.on("pageerror", (error) => fault(String(error)));
  page.on("request", (request) => requests.test(request.url()) || faults.push(`requested ${request.url()}`));
  await page.goto(address);
  return page;
}

/** The numbers in the text of a page that are broken into lines. */
export const brokenNumbers = (page) => page.evaluate(() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!text.parentElement.checkVisibility() || text.parentElement.closest("svg, script, style, .unseen")) continue;
    for (const { 0: number, index } of text.data.matchAll(/(?<![\w.^×-])[-≈]*(0x[0-9a-f]+|\d+(\.\d+)?(e[-+]?\d+)?(×?2?\^-?\d+)?)(?![\w.])/gi)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + number.length);
      const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push(`${number} in ${text.data.slice(0, 60)}`);
    }
  }
  return found;
});

/** The text of the PTX view. */
export const written = (page) => page.evaluate(`${EDITOR}.state.doc.toString()`);

/** Waits until the PTX view shows a text. */
export const shows = (page, text) => page.waitForFunction(`${EDITOR}?.state.doc.toString() === ${JSON.stringify(text)}`);

/** Replaces the text of the PTX view by keys, as a person does. (Playwright's `fill` selects in the browser; if the checker's
answer arrives before it writes, the editor selects its own caret again, and the old text stays.) */
export async function write(page, text) {
  await page.getByRole("textbox", { name: "PTX" }).focus();
  await page.keyboard.press("ControlOrMeta+a");
  if (text) await page.keyboard.insertText(text);
  else await page.keyboard.press("Delete");
  await shows(page, text);
}

/** Pastes over what is selected in the PTX view, or over the whole text. */
export async function paste(page, text, whole = true) {
  const box = page.getByRole("textbox", { name: "PTX" });
  await box.focus();
  if (whole) await page.keyboard.press("ControlOrMeta+a");
  await box.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Axe finds nothing, and the page is not wider than the window. A file may not load styles from a file by a script. */
export async function isAccessible(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { preload: false }));
  const found = violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(" | ")}`);
  assert.deepEqual(found, [], what);
  const [whole, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(whole <= window, `${what}: ${whole} pixels wide`);
}

/** The milliseconds of processor time that the page's own thread has spent. */
export async function clock(page) {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => (await client.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value * 1000;
}

/** The time that the browser needs here and now for a table of 500 rows, the least of five: what other times are compared
with, so that a limit is the same for every machine. `spent` is a clock, such as that of `clock`. */
export async function pace(page, spent) {
  const times = [];
  for (let i = 0; i < 5; i++) {
    const begin = await spent();
    await page.evaluate(async () => {
      const table = document.createElement("table");
      for (let row = 0; row < 500; row++) {
        const line = table.insertRow();
        for (let column = 0; column < 8; column++) line.insertCell().textContent = `${row * column}`;
      }
      document.body.append(table);
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      table.remove();
    });
    times.push((await spent()) - begin);
  }
  return Math.min(...times);
}
