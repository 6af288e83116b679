// The page in Firefox, driven by Marionette, its own protocol for tests: what depends on the browser, such as keys, history,
// undoing, workers and compression. Skipped if Firefox is not installed (Debian: firefox-esr).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { test } from "node:test";
import { EDITOR, VIEWS, file } from "./page-file.mjs";

const program = [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => path && existsSync(path));
const ENTER = "\uE007", CONTROL = "\uE009", END = "\uE010", UP = "\uE013";

/** Messages are JSON with their length in front: [0, number, command, parameters] and [1, number, error, result]. */
class Marionette {
  #waiting = new Map();
  #number = 0;
  #bytes = Buffer.alloc(0);

  constructor(socket) {
    this.socket = socket;
    socket.on("data", (data) => {
      this.#bytes = Buffer.concat([this.#bytes, data]);
      for (let colon; (colon = this.#bytes.indexOf(":")) >= 0; ) {
        const end = colon + 1 + Number(this.#bytes.subarray(0, colon));
        if (this.#bytes.length < end) return;
        const message = JSON.parse(this.#bytes.subarray(colon + 1, end));
        this.#bytes = this.#bytes.subarray(end);
        // The first one is a greeting.
        if (!Array.isArray(message)) continue;
        const [, number, error, result] = message;
        const { resolve, reject } = this.#waiting.get(number);
        if (error) reject(new Error(`${error.error}: ${error.message}`));
        else resolve(result?.value ?? result);
      }
    });
  }

  send(command, parameters = {}) {
    const number = ++this.#number;
    const text = JSON.stringify([0, number, `WebDriver:${command}`, parameters]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((resolve, reject) => this.#waiting.set(number, { resolve, reject }));
  }

  run(script, ...args) {
    return this.send("ExecuteScript", { script, args });
  }

  async open(hash) {
    await this.send("Navigate", { url: "about:blank" });
    await this.send("Navigate", { url: `${file.href}${hash}` });
    await this.until("return performance.getEntriesByName('answered').length > 0");
  }

  async until(script, ...args) {
    for (let tries = 0; tries < 200; tries++) {
      if (await this.run(script, ...args)) return;
      await wait(50);
    }
    throw new Error(`never: ${script}`);
  }

  /** Types into an element, in place of its text. */
  async type(selector, text) {
    const element = await this.send("FindElement", { using: "css selector", value: selector });
    const [id] = Object.values(element);
    await this.send("ElementClear", { id });
    await this.send("ElementSendKeys", { id, text });
  }

  /** Replaces the text of the PTX view. */
  async write(text) {
    await this.send("ElementSendKeys", { id: await this.editor(), text: `${CONTROL}a${CONTROL}` });
    await this.send("ElementSendKeys", { id: await this.editor(), text });
  }

  async editor() {
    return Object.values(await this.send("FindElement", { using: "css selector", value: ".cm-content" }))[0];
  }

  written() {
    return this.run(`return ${EDITOR}.state.doc.toString()`);
  }

  value(selector) {
    return this.run("return document.querySelector(arguments[0]).value", selector);
  }
}

async function start() {
  const profile = mkdtempSync(join(tmpdir(), "ptxcvt-firefox-"));
  writeFileSync(join(profile, "user.js"), 'user_pref("marionette.port", 0);\n');
  const browser = spawn(program, ["--headless", "--marionette", "--no-remote", "--profile", profile], { stdio: "ignore" });
  const port = join(profile, "MarionetteActivePort");
  for (let tries = 0; tries < 600 && !existsSync(port); tries++) await wait(50);
  const socket = connect(Number(readFileSync(port, "utf8")), "127.0.0.1");
  await new Promise((done, failed) => socket.once("connect", done).once("error", failed));
  const page = new Marionette(socket);
  await page.send("NewSession", {});
  const stop = async () => {
    socket.destroy();
    browser.kill();
    await new Promise((done) => browser.once("exit", done));
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { page, stop };
}

test("Firefox", { skip: program ? false : "Firefox is not installed" }, async (t) => {
  const { page, stop } = await start();
  const answer = () => page.run("return document.querySelector('.answer strong').textContent");
  const number = "input[aria-label='a, number']";
  try {
    await t.test("text, numbers and keys", async () => {
      await page.open("");
      assert.equal(await answer(), "d = 0x3cfe");
      await page.type("#instruction", "f32 to e4m3");
      assert.equal(await answer(), "d = 0x3cfe");
      await page.type("#instruction", `cvt.rn.f16.f32${ENTER}`);
      await page.type(number, `1${UP}`);
      assert.equal(await page.value("input[aria-label='a, hexadecimal']"), "0x3f800001");
      await page.type(number, "1/3");
      assert.equal(await page.run("return document.querySelector('.convert .outdated').hidden"), false);
    });
    await t.test("Back steps through actions", async () => {
      await page.open("#convert?op=cvt.rn.f16.f32&a=1.5");
      await page.type(number, "27.125");
      await page.run("document.querySelector('#views a[href^=\"#formats\"]').click()");
      await page.until("return document.querySelector('.codes') !== null");
      await page.send("Back");
      await page.until("return document.querySelector(arguments[0])?.value === '27.125'", number);
    });
    await t.test("a text is judged in the worker, a fix can be undone", async () => {
      await page.open("#ptx");
      const text = "cvt.rn.e4m3x2.f32 %0, %1, %1;";
      await page.write(text);
      await page.until("return document.querySelector('[aria-label=Findings] .fix') !== null");
      await page.run("document.querySelector('[aria-label=Findings] .fix').click()");
      assert.equal(await page.written(), text.replace("rn.", "rn.satfinite."));
      await page.send("ElementSendKeys", { id: await page.editor(), text: `${CONTROL}z` });
      assert.equal(await page.written(), text);
    });
    await t.test("keys reach all lines of a long text", async () => {
      await page.open(`#ptx?${new URLSearchParams({ text: "x;\n".repeat(10) })}`);
      await page.run(`const view = ${EDITOR}; view.dispatch({ changes: { from: 0, insert: "cvt.rn.f16.f32 %0, %1;\\n".repeat(4000) } }); view.focus();`);
      await page.send("ElementSendKeys", { id: await page.editor(), text: `${CONTROL}${END}${CONTROL}// end` });
      assert.match(await page.written(), /x;\n\/\/ end$/);
      await page.send("ElementSendKeys", { id: await page.editor(), text: `${CONTROL}a${CONTROL}y` });
      assert.equal(await page.written(), "y");
      await page.send("ElementSendKeys", { id: await page.editor(), text: `${CONTROL}z` });
      assert.match(await page.written(), /x;\n\/\/ end$/);
    });
    await t.test("a link is compressed, and opens", async () => {
      const text = `${"cvt.rn.f16.f32 %0, %1; // é ".repeat(60)}`;
      await page.open("#ptx");
      await page.write(text);
      await page.run("navigator.clipboard.writeText = async (said) => { document.title = said; }; [...document.querySelectorAll('button')].find((b) => b.textContent === 'copy link').click()");
      await page.until("return /z=/.test(document.title)");
      await page.open(new URL(await page.run("return document.title")).hash);
      assert.equal(await page.written(), text);
    });
    await t.test("no view is wider than the window", async () => {
      for (const view of VIEWS) {
        await page.open(`#${view}`);
        const [whole, window] = await page.run("return [document.documentElement.scrollWidth, innerWidth]");
        assert.ok(whole <= window, `${view}: ${whole} pixels`);
      }
    });
  } finally {
    await stop();
  }
});
