// The page's second file, which has the view of PTX and the readers of other languages: it is loaded when it is first needed, and
// everything else works without it.
import assert from "node:assert/strict";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { file, isAccessible, open, second, shows, VIEWS, visit, write } from "./page.mjs";

const TEXT = "cvt.rn.f16.f32 %0, %1;";
const CODE = 'asm("cvt.rn.f16.f32 %0, 0f3FC00000;" : "=h"(h));';
const MISSING = /ERR_FILE_NOT_FOUND/;
const WITH_TEXT = `#ptx?${new URLSearchParams({ text: TEXT })}`;

let folder;
const servers = [];
before(async () => (folder = await mkdtemp(join(tmpdir(), "ptxcvt page "))));
after(async () => {
  servers.forEach((server) => server.close());
  await rm(folder, { recursive: true });
});

/** Opens a copy of the page that has this text, or nothing, in place of its second file. */
async function copied(name, text, hash, expected) {
  const place = await mkdtemp(join(folder, name));
  await copyFile(file, join(place, "index.html"));
  if (text) await writeFile(join(place, "ptx.js"), text);
  const page = await visit(`${pathToFileURL(join(place, "index.html")).href}${hash}`, { expected });
  await answered(page);
  return [page, place];
}
const answered = (page) => page.waitForFunction(() => performance.getEntriesByName("answered").length > 0);

/** Opens the page from a server, which holds the second file back until the returned function is called. */
async function held(hash = "", options = {}) {
  let release;
  const gate = new Promise((done) => (release = done));
  const server = createServer(async ({ url }, answer) => {
    const isSecond = url.startsWith("/ptx.js");
    if (isSecond) await gate;
    answer.setHeader("Content-Type", isSecond ? "text/javascript" : "text/html; charset=utf-8");
    answer.end(await readFile(isSecond ? second : file));
  });
  servers.push(server);
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const page = await visit(`http://127.0.0.1:${server.address().port}/${hash}`, { requests: /^(http:\/\/127\.0\.0\.1:|data:|blob:)/, ...options });
  return [page, release];
}

test("neither file has the code of the other", async () => {
  const read = (path, from = file) => readFile(new URL(path, from), "latin1");
  const program = [await read("index.html"), await read("ptx.js")];
  const library = [await read("glue/page/ptxcvt_bg.wasm"), await read("glue/sources/ptxcvt_bg.wasm")];
  for (const [what, [one, other], only] of [["editor", program, "cm-cursorLayer"], ["readers", library, "this inline assembly has no conversion"]]) {
    assert.ok(other.includes(only) && !one.includes(only), what);
  }
  for (const [what, [one, other], only] of [["frame", program, "copy link to this view"], ["lowering", library, "ptxcvt prove "]]) {
    assert.ok(one.includes(only) && !other.includes(only), what);
  }
});

test("the second file is loaded once, when the view of PTX is first shown", async () => {
  const page = await open();
  const loaded = [];
  page.on("request", (request) => request.url().includes("ptx.js") && loaded.push(request.url()));
  for (const view of VIEWS.filter((name) => name !== "ptx")) {
    await page.evaluate((name) => (location.hash = name), view);
    await page.waitForFunction((name) => document.querySelector("[aria-current=page]")?.getAttribute("href")?.startsWith(`#${name}`), view);
  }
  assert.deepEqual(loaded, []);
  const link = page.getByRole("link", { name: "PTX", exact: true });
  await link.click();
  await write(page, TEXT);
  await page.getByRole("link", { name: "Formats", exact: true }).click();
  await link.click();
  await shows(page, TEXT);
  assert.equal(loaded.length, 1, loaded.join());
});

for (const width of [1280, 390]) {
  test(`the view says that it is loading, and nothing jumps when it is there, ${width} pixels wide`, async () => {
    const [page, release] = await held(WITH_TEXT, { viewport: { width, height: 800 } });
    await page.getByRole("status").getByText("Loading the editor").waitFor();
    await isAccessible(page, "the view that is loading");
    const box = () => page.evaluate(() => document.querySelector(".editor").getBoundingClientRect().toJSON());
    const waiting = await box();
    await page.evaluate(() => {
      globalThis.shift = 0;
      const add = (list) => list.getEntries().forEach(({ value, hadRecentInput }) => (globalThis.shift += hadRecentInput ? 0 : value));
      new PerformanceObserver(add).observe({ type: "layout-shift" });
    });
    release();
    await shows(page, TEXT);
    await page.getByRole("region", { name: "Findings" }).getByText("No findings").waitFor();
    const there = await box();
    for (const side of ["x", "y", "width"]) assert.ok(Math.abs(there[side] - waiting[side]) <= 1, `${side}: ${waiting[side]}, then ${there[side]}`);
    const shift = await page.evaluate(() => globalThis.shift);
    assert.ok(shift < 0.1, String(shift));
  });
}

test("leaving the view while it loads loses nothing", async () => {
  const [page, release] = await held(WITH_TEXT);
  await page.getByRole("status").getByText("Loading the editor").waitFor();
  await page.getByRole("link", { name: "Formats", exact: true }).click();
  await page.getByLabel("Format", { exact: true }).first().waitFor();
  release();
  await page.goBack();
  await shows(page, TEXT);
});

test("a missing second file is named, the other views work, and the view works when it is there", async () => {
  const [page, place] = await copied("missing", null, "", MISSING);
  assert.match(await page.locator(".answer strong").first().textContent(), /^d = 0x/);
  await page.evaluate((to) => (location.hash = to), WITH_TEXT);
  const alert = page.getByRole("alert").getByText("ptx.js");
  await alert.first().waitFor();
  assert.match(await page.locator("#content [role=alert]").textContent(), /^The file ptx\.js is missing or damaged\./);
  assert.ok((await page.locator("#content [role=alert]").textContent()).includes(join(place, "ptx.js")), "its place");
  for (const view of ["formats", "legality", "blocks", "convert"]) {
    await page.evaluate((name) => (location.hash = name), view);
    await page.waitForFunction(() => document.getElementById("content").innerText.length > 300);
  }
  await page.evaluate((to) => (location.hash = to), WITH_TEXT);
  await alert.first().waitFor();
  await copyFile(second, join(place, "ptx.js"));
  await page.getByRole("button", { name: "Try again" }).click();
  await shows(page, TEXT);
  await page.getByRole("region", { name: "Findings" }).getByText("No findings").waitFor();
});

test("a page that is opened at the view of PTX without its second file says so", async () => {
  const [page] = await copied("at-ptx", null, "#ptx", MISSING);
  await page.getByRole("alert").getByText("missing or damaged").waitFor();
});

test("a second file of another build, or a damaged one, is not used", async () => {
  const text = await readFile(second, "utf8");
  const [, build] = text.match(/ptxcvtPage\.provide\("([0-9a-f]{12})"/);
  const [other] = await copied("other", text.replaceAll(build, "0123456789ab"), "#ptx", /^$/);
  await other.getByRole("alert").getByText("belongs to another build of this page").waitFor();
  const [damaged] = await copied("damaged", text.slice(0, text.length / 2), "#ptx", /SyntaxError|Invalid or unexpected/);
  await damaged.getByRole("alert").getByText("missing or damaged").waitFor();
});

test("inline assembly in the box is read with the second file", async () => {
  const [page, release] = await held();
  await answered(page);
  const box = page.getByRole("combobox", { name: "Instruction" });
  await box.fill(CODE);
  await page.locator("#verdict").getByText("its reader is being loaded").waitFor();
  assert.ok(await page.locator(".answer").evaluate((answer) => answer.classList.contains("stale")), "the last result is greyed out");
  release();
  await page.locator(".answer:not(.stale)").getByText("d = 0x3e00").waitFor();
  // Afterwards each text is answered at once.
  await box.fill(CODE.replace("3FC", "400"));
  assert.match(await page.locator(".answer:not(.stale) strong").textContent(), /0x4000/);
});

test("a link with inline assembly in the box opens its result", async () => {
  const [page, release] = await held(`#convert?${new URLSearchParams({ op: CODE })}`);
  await page.locator("#verdict").getByText("its reader is being loaded").waitFor();
  release();
  await page.locator(".answer:not(.stale)").getByText("d = 0x3e00").waitFor();
  await page.reload();
  await page.locator(".answer:not(.stale)").getByText("d = 0x3e00").waitFor();
});

test("inline assembly in the box without the second file", async () => {
  const [page, place] = await copied("box", null, "", MISSING);
  const box = page.getByRole("combobox", { name: "Instruction" });
  await box.fill(CODE);
  await page.locator("#verdict").getByText("ptx.js").first().waitFor();
  assert.match(await page.locator("#verdict").textContent(), /this text is CUDA C\+\+, which cannot be read here\. The file ptx\.js is missing/);
  await box.fill(TEXT);
  await page.locator(".answer:not(.stale)").waitFor();
  await copyFile(second, join(place, "ptx.js"));
  await box.fill(CODE);
  await page.locator(".answer:not(.stale)").getByText("d = 0x3e00").waitFor();
});
