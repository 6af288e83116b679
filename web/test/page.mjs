// Opens the page in a browser from its folder, without a server. Any output on the console is a failure.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

export { VIEWS, file } from "./page-file.mjs";
import { file } from "./page-file.mjs";
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

/** Opens the page at an address such as `#formats?f=e2m1`. */
export async function open(hash = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || faults.push(`requested ${request.url()}`));
  await page.goto(`${file.href}${hash}`);
  await page.waitForFunction(() => performance.getEntriesByName("answered").length > 0);
  return page;
}

