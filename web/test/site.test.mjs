// The site, target/site: axe and the width of one page of each kind, and answers of the search.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAccessible, visit } from "./page.mjs";

const site = new URL("../../target/site/", import.meta.url);
const PAGES = [
  "index.html",
  "forms/cvt.rn.satfinite.e4m3x2.f32.html",
  "forms/cvt.rs.satfinite.e4m3x4.f32.html",
  "formats/e4m3.html",
  "pairs/f32-to-e4m3x2.html",
  "targets/sm_90a.html",
  "isa/8.6.html",
  "recipes/nvfp4-modelopt.html",
  "codes/CVT009.html",
  "guides/lowering.html",
  "guides/types.html",
];

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    test(`the site, ${colorScheme}, ${width} pixels`, async () => {
      for (const path of PAGES) {
        const page = await visit(new URL(path, site).href, { colorScheme, viewport: { width, height: 800 } });
        await isAccessible(page, path);
        await page.context().close();
      }
    });
  }
}

test("the search finds what people type", async () => {
  const page = await visit(new URL("guides/lowering.html", site).href);
  const answers = {
    "e4m3 f32": "f32 to e4m3x2",
    "fp8 to half": "f16x2 to e4m3x2",
    sm_89: "sm_89",
    cvt009: "CVT009",
    "8.6": "PTX ISA 8.6",
    "stochastic rounding bf16": "cvt.rs.bf16x2.f32",
    "cvt.rn.bf16x2.f32": "cvt.rn.bf16x2.f32",
    "deepseek 128": "deepseek-1x128",
    "nibble order": "Layouts",
    "modelopt transformers load": "Checkpoints",
  };
  for (const [typed, expected] of Object.entries(answers)) {
    await page.fill("#search", typed);
    const found = await page.locator("#found a").allInnerTexts();
    assert.ok(found.slice(0, 4).includes(expected), `${typed}: ${found.slice(0, 4).join(", ")}`);
  }
  await page.fill("#search", "cvt.rn.bf16x2.f32");
  await page.press("#search", "Enter");
  await page.waitForURL("**/forms/cvt.rn.bf16x2.f32.html");
  await page.fill("#search", "xyzzy plugh");
  assert.equal(await page.locator("#found").innerText(), "Nothing has these words.");
});

test("a form leads to the explorer", async () => {
  const page = await visit(new URL("forms/cvt.rn.satfinite.e4m3x2.f32.html", site).href);
  await page.getByRole("link", { name: "Convert your own numbers in the explorer" }).click();
  await page.waitForURL("**/explorer.html#convert?op=cvt.rn.satfinite.e4m3x2.f32*");
  // The title names the opcode once the library has loaded.
  await page.waitForFunction(() => document.title.includes("cvt.rn.satfinite.e4m3x2.f32"));
});

test("the site's copy of the explorer leads to its pages, and the page alone to none", async () => {
  const { existsSync } = await import("node:fs");
  const { fileURLToPath } = await import("node:url");
  const { open } = await import("./page.mjs");
  const explorer = new URL("explorer.html", site).href;
  for (const [hash, path] of [
    ["#convert?op=cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32", "forms/cvt.rn.satfinite.scaled-n1-ue8m0.e4m3x2.f32.html"],
    ["#formats?f=fp8&g=none", "formats/e4m3.html"],
    ["#blocks?r=mx-rceil/e4m3&s=none", "recipes/mx-rceil-e4m3.html"],
    ["#ptx?code=CVT008", "codes/CVT008.html"],
  ]) {
    const page = await visit(`${explorer}${hash}`);
    const link = page.getByRole("link", { name: /^More about/ }).first();
    await link.waitFor();
    assert.equal(await link.getAttribute("href"), `./${path}`);
    for (const href of await page.locator("a[href$='.html']").evaluateAll((all) => all.map((a) => a.href))) {
      assert.ok(existsSync(fileURLToPath(href)), href);
    }
    await page.context().close();
    const alone = await open(hash);
    assert.deepEqual(await alone.locator("a[href$='.html']").count(), 0, `${hash}: a link beside the page`);
    await alone.context().close();
  }
});
