// The site, target/site: axe and the width of one page of each kind, and answers of the search.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brokenNumbers, isAccessible, visit } from "./page.mjs";

const site = new URL("../../target/site/", import.meta.url);
const PAGES = [
  "index.html",
  "forms/cvt.rn.satfinite.e4m3x2.f32.html",
  "forms/cvt.rs.satfinite.e4m3x4.f32.html",
  "formats/e4m3.html",
  "pairs/f32-to-e4m3x2.html",
  "pairs/e4m3-to-f32-none.html",
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

test("no number of the site is broken into lines on a phone", async () => {
  for (const width of [390, 360]) {
    for (const path of [...PAGES, "formats/ue8m0.html", "formats/f64.html", "recipes/nvfp4-te-1x16.html", "guides/blocks.html"]) {
      const page = await visit(new URL(path, site).href, { viewport: { width, height: 800 } });
      assert.deepEqual(await brokenNumbers(page), [], `${width} ${path}`);
      await page.context().close();
    }
  }
});

/** The results of a search, the best first: titles, or titles with their kinds. */
async function found(page, typed, what = "a") {
  await page.fill("#search", typed);
  return page.locator(`#found ${what}`).allInnerTexts();
}

test("the search answers questions of public threads", async () => {
  const page = await visit(new URL("guides/lowering.html", site).href);
  const answers = {
    // NVIDIA/cutlass#3120, TransformerEngine#3281.
    "which sm supports cvt e2m1x2": "f32 to e2m1x2",
    "does sm_120 have cvt e2m1x2": "sm_120",
    // cutlass#3354.
    "cvt.rn.bf16.s8 needs sm_90": "cvt.rn.bf16.s8",
    // llama.cpp#22070.
    "fp32 to fp8 e4m3": "f32 to e4m3x2",
    // triton#5197, comfy-kitchen#41.
    "nibble order": "Layouts",
    // pytorch/ao#2035.
    "mx rceil e8m0 scale": "mx-rceil/e4m3",
    // triton#9693.
    "stochastic rounding bf16": "cvt.rs.bf16x2.f32",
    // pytorch#178817.
    "does float8_e4m3fn have infinity": "e4m3",
    // sglang#37140.
    "largest fp8 e4m3 number 448": "e4m3",
    // intel-xpu-backend-for-triton#7029.
    "e4m3 to half": "e4m3x2 to f16x2",
    // apache/tvm#20261, llvm#220019.
    "Rubin": "sm_107",
    // vllm#49077.
    "e4m3 on Ada": "sm_89",
  };
  for (const [typed, expected] of Object.entries(answers)) {
    const best = (await found(page, typed)).slice(0, 4);
    assert.ok(best.includes(expected), `${typed}: ${best.join(", ")}`);
  }
});

// Ten questions of public threads: what is typed, the result that answers, and words of the answer.
const QUESTIONS = [
  // pytorch/ao#2035: which scale RCEIL gives for amax 150.
  ["amax 150 max 448 scale rceil", "mx-rceil/e4m3", "the least power of two at or above amax / max"],
  // TransformerEngine#3262: code 0 was expanded to 0.
  ["ue8m0 value of code 0", "ue8m0", "2^-127"],
  // triton#5197: which of two elements is in the lower bits of a byte.
  ["nibble order", "Layouts", "the first of two in the low nibble"],
  // NVIDIA/Fuser#4711: a, b in the written order.
  ["upper half of d operand order", "Why is one operand order fixed everywhere?", "becomes the upper part"],
  // cudnn-frontend#237: the layout of NVFP4 scales.
  ["swizzle scales layout nvfp4", "Layouts", "128x4 order"],
  // TransformerEngine#3281: how many random bits an element gets.
  ["random bits e2m1", "cvt.rs.satfinite.e2m1x4.f32", "random field 0xaaaa of 16 bits"],
  // triton#8322: another result in the interpreter.
  ["f16 to float8e5 interpreter", "To e5m2", "Triton float8e5 (interpreter)"],
  // llvm#218968: two names of one target.
  ["sm_101 renamed", "sm_101", "Renamed sm_110"],
  // modular#6773: whether the global scale is 2688 / amax or its inverse.
  ["compressed-tensors 2688 global scale", "nvfp4-compressed-tensors", "the global scale is 2688 / amax"],
  // llama.cpp#22070: since when Ada converts to e4m3.
  ["e4m3 f32 on sm_89 isa 8.1", "cvt.rn.satfinite.e4m3x2.f32", "ISA 8.1\tsm_89"],
];

test("ten questions are answered by one of the first four results", async () => {
  const start = new URL("index.html", site).href;
  const page = await visit(start);
  for (const [typed, title, answer] of QUESTIONS) {
    await page.goto(start);
    const best = (await found(page, typed)).slice(0, 4);
    assert.ok(best.includes(title), `${typed}: ${best.join(", ")}`);
    await page.locator("#found a").nth(best.indexOf(title)).click();
    await page.waitForURL((url) => !url.href.endsWith("index.html"));
    const text = await page.locator("main").innerText();
    assert.ok(text.includes(answer), `${typed}: ${answer}`);
  }
});

test("one of the first four results is the page of what is asked", async () => {
  const page = await visit(new URL("index.html", site).href);
  const [conform, run] = ["Compare a codec, a GPU, an assembler or recorded results: ptxcvt conform", "Running and proving PTX"];
  const lowering = "PTX for a GPU that lacks the conversion";
  // What is asked for, and pages that answer it.
  const answers = {
    // Two types without an order are a pair in either.
    "e4m3 f32": ["f32 to e4m3x2"],
    // What most pages have is asked for if there is nothing else.
    "without a gpu": [run, conform],
    // A short section, or a guide whose task it is, is nearer than a long guide with all words.
    "order of two values packed fp4": ["Layouts", "Why is one operand order fixed everywhere?"],
    "seed stochastic rounding": ["ptxcvt for Python", "The command"],
    "run inline ptx in python": [run, "ptxcvt for Python"],
    "software fp8 conversion without hardware support": [lowering],
    "emulate fp8 on ampere": [lowering],
    "json of all forms": ["The tables as one file"],
    "language server neovim": ["ptxcvt in an editor"],
    "c header library": ["ptxcvt for C and C++", "The header"],
    // Another word for the same.
    "check my own fp8 encoder": ["A codec", conform],
    "prove two sequences equivalent": [run, "Proof and search", "When does prove say \"equal\"?"],
    // What one word names is near.
    "overflow saturate to infinity e5m2": ["e5m2"],
    "ue5m3 negative numbers": ["ue5m3"],
    "is e4m3 ieee": ["e4m3"],
    "float explorer": ["Explorer"],
    // Another name of a format is as good as its own.
    "e8m0 scale round up or down": ["ue8m0"],
    "swap halves of fp8 pair": ["Why is one operand order fixed everywhere?"],
  };
  const missed = [];
  for (const [typed, expected] of Object.entries(answers)) {
    const best = (await found(page, typed)).slice(0, 4);
    if (!expected.some((title) => best.includes(title))) missed.push(`${typed}: ${best.join(", ")}`);
  }
  assert.deepEqual(missed, []);
  const [first] = await found(page, "e4m3 f32", "li");
  assert.match(first, / pair of types$/);
});

test("each word of a page is found", async () => {
  const { readFileSync, readdirSync } = await import("node:fs");
  const paths = readdirSync(site, { recursive: true }).filter((path) => /\/[^/]*\.html$/.test(path)).sort();
  const page = await visit(new URL("index.html", site).href);
  /** The text of a page, as the browser reads it. */
  const textOf = (path) => {
    const html = readFileSync(new URL(path.split("#")[0], site), "utf8");
    return page.evaluate((html) => {
      const main = new DOMParser().parseFromString(html, "text/html").querySelector("main");
      main.querySelectorAll("svg").forEach((picture) => picture.remove());
      main.querySelectorAll("td, th, p, li, h1, h2, h3, pre, caption").forEach((block) => block.append(" "));
      return main.textContent.toLowerCase();
    }, html);
  };
  const drawn = new Set();
  // Numbers without a factor in common with those of pages and words reach all parts of the site; a page may have no new word.
  for (let at = 0; drawn.size < 30; at++) {
    assert.ok(at < paths.length, `${drawn.size} words`);
    const words = (await textOf(paths[(at * 733) % paths.length])).match(/(?<![\p{L}\p{N}])[a-z]{5,}(?![\p{L}\p{N}])/gu) ?? [];
    const word = words[(at * 619) % words.length];
    if (word === undefined || drawn.has(word)) continue;
    drawn.add(word);
    await found(page, word);
    const hits = await page.locator("#found a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    const texts = await Promise.all(hits.map(textOf));
    assert.ok(texts.some((text) => text.includes(word)), `${word}: ${hits.join(", ")}`);
  }
});

test("the search knows the names of others, and GPUs", async () => {
  const page = await visit(new URL("index.html", site).href);
  const answers = {
    sm_89: "sm_89",
    sm89: "sm_89",
    H100: "sm_90",
    "RTX 4090": "sm_89",
    cvt009: "CVT009",
    "8.6": "PTX ISA 8.6",
    int4: "s4",
    float8_e4m3fn: "e4m3",
    "deepseek 128": "deepseek-1x128",
    "cvt.rn.bf16x2.f32": "cvt.rn.bf16x2.f32",
    "llvm.nvvm.ff.to.e4m3x2.rn": "cvt.rn.satfinite.e4m3x2.f32",
    "__nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, __NV_E4M3)": "cvt.rn.satfinite.e4m3x2.f32",
    __float2half_rn: "cvt.rn.f16.f32",
    __float2bfloat16_rn: "cvt.rn.bf16.f32",
    __nv_cvt_fp8_to_halfraw: "cvt.rn.f16x2.e4m3x2",
    // A type of CUDA, and words that guides and forms are about.
    __nv_fp8_e4m3: "cvt.rn.f16x2.e4m3x2",
    explorer: "Explorer",
    "check ptx": "How ptxcvt check checks a module",
    "stochastic rounding": "cvt.rs.f16x2.f32",
    // Their own order decides: the first of two is the source.
    "fp8 to f32": "e4m3 to f32",
    "f32 from e4m3": "e4m3 to f32",
    "cvt.f32.e4m3x2": "e4m3 to f32",
  };
  for (const [typed, expected] of Object.entries(answers)) {
    const [best] = await found(page, typed);
    assert.equal(best, expected, typed);
  }
  // `vs` is not the beginning of `vsix`.
  for (const title of (await found(page, "sat vs satfinite")).slice(0, 4)) assert.match(title, /^CVT\d+$/);
  assert.ok((await found(page, "fma-select")).includes("cvt.rn.satfinite.e4m3x2.f32"), "a sequence");
  const operation = await found(page, "nvvm.convert.f32x2.to.f8x2");
  assert.ok(operation[0].startsWith("cvt."), operation[0]);
  const packs = (await found(page, "cvt.pack")).slice(0, 8);
  assert.ok(packs.every((title) => title.startsWith("cvt.pack.")), packs.join(", "));
  // A format's name finds its forms, not the types that none converts it to; guides with all words are not the only answer.
  for (const name of ["s2f6", "tf32", "u4", "ue5m3", "fp4", "float8_e5m2", "fp6", "e8m0"]) {
    const hits = await found(page, name, "li");
    const forms = hits.filter((hit) => hit.endsWith(" form") && !hit.endsWith(" no form")).length;
    const has = (await found(page, `cvt ${name}`, "li")).some((hit) => /^cvt\..* form$/.test(hit));
    assert.ok(forms > 0 || !has, `${name}: ${hits.join(", ")}`);
  }
  const chips = await found(page, "blackwell fp4");
  assert.ok(chips.some((title) => title.startsWith("sm_1")) && chips.some((title) => title.includes("e2m1")), chips.join(", "));
  // Words begin where they are typed.
  for (const title of await found(page, "Ada", "li")) assert.match(title, /^(sm_89 target|in |.* in )/, title);
});

test("a pair without a form has a page that says so", async () => {
  const page = await visit(new URL("index.html", site).href);
  await found(page, "e4m3 to f32");
  await page.press("#search", "ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/pairs/e4m3-to-f32-none.html");
  assert.match(await page.locator("main").innerText(), /No form of cvt converts e4m3 to f32[^]*through f16/);
});

test("Enter opens the first result", async () => {
  const page = await visit(new URL("guides/lowering.html", site).href);
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
