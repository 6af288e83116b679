// The HTML of the site and of the explorer is valid: html-validate's rules of the standard.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { HtmlValidate } from "html-validate";

const site = fileURLToPath(new URL("../../target/site", import.meta.url));
const validator = new HtmlValidate({ extends: ["html-validate:standard"] });

/** The files to look at: every guide, code, recipe and the explorer, and the first and last of the other folders. */
async function files() {
  const wanted = ["index.html", "explorer.html"];
  for (const folder of await readdir(site, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    const pages = (await readdir(join(site, folder.name))).filter((name) => name.endsWith(".html")).sort();
    // The tables as data.
    if (pages.length === 0) continue;
    const all = ["guides", "codes", "recipes", "formats"].includes(folder.name);
    wanted.push(...(all ? pages : [pages[0], pages.at(-1)]).map((page) => join(folder.name, page)));
  }
  return wanted;
}

test("valid HTML", async () => {
  const faults = [];
  for (const file of await files()) {
    const { results } = await validator.validateFile(join(site, file));
    for (const { messages } of results) {
      faults.push(...messages.map((fault) => `${file}:${fault.line}:${fault.column}: ${fault.message}`));
    }
  }
  assert.deepEqual(faults, []);
});
