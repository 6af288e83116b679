// Legality, formats and blocks: pinned targets, comparisons, what no filter matches, files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "./page.mjs";

test("the chosen target's column is in view, and columns without differences are folded", async () => {
  for (const width of [1280, 390]) {
    const page = await open("#legality?target=sm_120a", { viewport: { width, height: 800 } });
    const head = page.getByRole("columnheader", { name: "120a", exact: true });
    const inside = async () => head.evaluate((e) => {
      const [cell, matrix] = [e.getBoundingClientRect(), document.querySelector(".matrix").getBoundingClientRect()];
      return cell.left >= matrix.left && cell.right <= matrix.right + 1;
    });
    assert.ok(await inside(), `${width}`);
    await page.locator(".matrix").evaluate((e) => e.scrollTo(2000, 0));
    assert.ok(await inside(), `${width} after scrolling`);
    const folded = await page.getByRole("columnheader").count();
    await page.getByLabel("a column for every target").check();
    assert.ok((await page.getByRole("columnheader").count()) > folded);
    await page.context().close();
  }
});

test("the first screen has versions, not dots", async () => {
  for (const width of [1280, 390]) {
    const page = await open("#legality", { viewport: { width, height: 800 } });
    const cells = await page.getByRole("cell").evaluateAll((all) => all.filter((e) => e.getBoundingClientRect().right <= innerWidth && e.getBoundingClientRect().top < 700).map((e) => e.textContent));
    assert.ok(cells.filter((text) => text !== "·").length >= cells.length / 2, `${width}: ${cells.filter((text) => text !== "·").length} of ${cells.length} cells have versions`);
    await page.context().close();
  }
});

test("two targets are compared", async () => {
  const page = await open("#legality?target=sm_100a&all=1");
  await page.getByLabel("Compare with").selectOption("sm_120a");
  await page.getByLabel("only differences").check();
  const rows = page.locator(".rows .row:not(.group)");
  await rows.first().waitFor();
  for (const row of await rows.all()) {
    const cells = await row.locator(".pinned").allTextContents();
    assert.notEqual(cells[0] === "·", cells[1] === "·", cells.join());
  }
});

test("a target that ended has no legal form at later versions", async () => {
  const page = await open("#legality?target=sm_101a&isa=9.1&with=satfinite");
  const cells = page.locator(".rows .cell.pinned");
  const kinds = await cells.evaluateAll((all) => [...new Set(all.map((cell) => cell.classList[1]))].sort());
  assert.deepEqual(kinds, ["none", "not"]);
  await page.getByText("not legal at ISA 9.1", { exact: true }).waitFor();
  await page.getByLabel("only legal on sm_101a at ISA 9.1").check();
  await page.getByText("No form matches.").waitFor();
  await page.context().close();
});

test("with no match the nearest form is named", async () => {
  const page = await open("#legality");
  await page.getByLabel("Filter").fill("cvt.rn.satfinit.e4m3x2.f32");
  assert.match(await page.locator("div.none", { hasText: "No form" }).textContent(), /No form matches.*cvt\.rn\.satfinite\.e4m3x2\.f32/);
  await page.locator("div.none").getByRole("button").first().click();
  assert.equal(await page.getByRole("rowheader").count() > 0, true);
});

test("the filter understands formats as Convert does, and targets lead to their menu", async () => {
  const page = await open("#legality");
  const filter = page.getByLabel("Filter");
  const shown = async (text) => {
    await filter.fill(text);
    return page.getByRole("rowheader").allTextContents();
  };
  const there = await shown("f32 to e4m3");
  assert.ok(there.length > 0 && there.every((text) => text.includes("e4m3x") && text.includes("f32")), there.join());
  assert.deepEqual(await shown("fp8 from f32"), there);
  assert.ok((await shown("fp8")).length >= there.length);
  await shown("sm_90");
  await page.getByRole("button", { name: "choose sm_90" }).click();
  assert.equal(await page.getByLabel("Target", { exact: true }).inputValue(), "sm_90");
  assert.equal(await filter.inputValue(), "");
});

test("a code of a format opens in Convert", async () => {
  const page = await open("#formats?f=e4m3&g=none");
  await page.getByRole("region", { name: "Codes of e4m3" }).getByRole("button", { name: "0x3c = 1.5" }).click();
  await page.getByRole("link", { name: "open in Convert" }).click();
  assert.match(await page.getByLabel("a, number").inputValue(), /1\.5$/);
});

test("a dropped file is read in the page", async () => {
  const page = await open("#blocks");
  const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n";
  const data = Buffer.alloc(12);
  [1.5, -2, 0.25].forEach((x, at) => data.writeFloatLE(x, 4 * at));
  const npy = Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), Buffer.from([header.length, 0]), Buffer.from(header), data]);
  await page.locator("input[type=file]").setInputFiles({ name: "x.npy", mimeType: "", buffer: npy });
  await page.waitForFunction(() => document.querySelector("textarea").value === "[[1.5 -2 0.25]]");
  const json = JSON.stringify({ a: { dtype: "BF16", shape: [1], data_offsets: [0, 2] }, b: { dtype: "F32", shape: [1], data_offsets: [2, 6] } });
  const length = Buffer.alloc(8);
  length.writeUInt32LE(json.length);
  const safetensors = Buffer.concat([length, Buffer.from(json), Buffer.from([0xc0, 0x3f]), data.subarray(0, 4)]);
  await page.locator("input[type=file]").setInputFiles({ name: "y.safetensors", mimeType: "", buffer: safetensors });
  await page.getByLabel("Tensor").selectOption("b");
  await page.waitForFunction(() => document.querySelector("textarea").value === "[[1.5]]");
  await page.locator("input[type=file]").setInputFiles({ name: "z.npy", mimeType: "", buffer: Buffer.from("no") });
  await page.getByText(/z\.npy: neither/).waitFor();
  // What cannot be read leaves the file before, with its menu; the type is what is wrong with strings.
  for (const [type, size] of [["<U2", 24], ["|S8", 24], ["<M8[s]", 24]]) {
    const strings = `{'descr': '${type}', 'fortran_order': False, 'shape': (3,), }\n`;
    const file = Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), Buffer.from([strings.length, 0]), Buffer.from(strings), Buffer.alloc(size)]);
    await page.locator("input[type=file]").setInputFiles({ name: "strings.npy", mimeType: "", buffer: file });
    await page.getByText(/strings\.npy: /).waitFor();
    if (!type.includes("[")) assert.match(await page.locator(".drop .bad").textContent(), new RegExp(`of type ${type.replace("|", "\\|")} are not numbers`));
  }
  await page.getByLabel("Tensor").selectOption("a");
  assert.equal(await page.getByRole("textbox", { name: "Numbers" }).inputValue(), "[[1.5]]");
  assert.equal(await page.locator(".drop .bad").textContent(), "");
});

/** A file of numpy with f32 numbers. */
const npyFile = (numbers, shape = `${numbers.length},`) => {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape}), }\n`;
  const data = Buffer.alloc(4 * numbers.length);
  numbers.forEach((x, at) => data.writeFloatLE(x, 4 * at));
  return Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), Buffer.from([header.length, 0]), Buffer.from(header), data]);
};

test("a file keeps its rows", async () => {
  const page = await open("#blocks?r=fp8-channel&s=none");
  await page.locator("input[type=file]").setInputFiles({ name: "rows.npy", mimeType: "", buffer: npyFile([1, 2, 3, 4, 100, 200, 300, 400], "2, 4") });
  await page.getByText("2 rows of 4 numbers.").waitFor();
  assert.equal(await page.locator("textarea").inputValue(), "[[1 2 3 4]\n [100 200 300 400]]");
  // As `ptxcvt quantize fp8-channel` does: each row has its own scale, and its largest number the largest code.
  const codes = await page.getByRole("region", { name: "Elements" }).locator("tbody").innerText();
  assert.equal(codes.match(/0x7e/g)?.length, 2, codes);
});

test("what is said of a file is of the numbers that are shown", async () => {
  const page = await open("#blocks");
  const numbers = page.getByRole("textbox", { name: "Numbers" });
  const shows = (text) => page.waitForFunction((text) => document.querySelector("textarea").value === text, text);
  const menu = page.getByLabel("Tensor");
  await numbers.fill("9 9");
  const json = JSON.stringify({ a: { dtype: "F32", shape: [2], data_offsets: [0, 8] }, b: { dtype: "F32", shape: [1], data_offsets: [8, 12] } });
  const length = Buffer.alloc(8);
  length.writeUInt32LE(json.length);
  const data = Buffer.alloc(12);
  [1, 2, 3].forEach((x, at) => data.writeFloatLE(x, 4 * at));
  await page.locator("input[type=file]").setInputFiles({ name: "y.safetensors", mimeType: "", buffer: Buffer.concat([length, Buffer.from(json), data]) });
  await shows("[[1 2]]");
  await menu.selectOption("b");
  await shows("[[3]]");
  await page.goBack();
  await shows("[[1 2]]");
  assert.equal(await menu.inputValue(), "a");
  await page.goBack();
  await shows("9 9");
  assert.equal(await menu.isVisible(), false);
  await page.goForward();
  await shows("[[1 2]]");
  assert.equal(await menu.inputValue(), "a");
  const many = Array.from({ length: 2000 }, (_, at) => at % 7);
  await page.locator("input[type=file]").setInputFiles({ name: "big.npy", mimeType: "", buffer: npyFile(many) });
  const left = page.getByText(/of 2000 numbers of big\.npy/);
  await left.waitFor();
  await page.goBack();
  await shows("[[1 2]]");
  assert.equal(await left.count(), 0);
  assert.equal(await menu.isVisible(), false);
  await page.goForward();
  await left.waitFor();
});

test("the same file can be opened again", async () => {
  const page = await open("#blocks");
  const take = async () => {
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: /^Open/ }).click();
    await (await choosing).setFiles({ name: "x.npy", mimeType: "", buffer: npyFile([1.5, 2]) });
    await page.waitForFunction(() => document.querySelector("textarea").value === "[[1.5 2]]");
  };
  await take();
  await page.getByRole("textbox", { name: "Numbers" }).fill("9 9");
  assert.equal(await page.locator("input[type=file]").evaluate((input) => input.files.length), 1);
  await take();
});

test("the errors of both recipes are visible on a small phone", async () => {
  const page = await open("#blocks", { viewport: { width: 360, height: 800 } });
  const [table, window] = await page.getByRole("region", { name: "Elements" }).evaluate((e) => [e.scrollWidth, e.clientWidth]);
  assert.ok(table <= window, `${table} of ${window} pixels`);
});

test("what is chosen is seen in the system's own colours", async () => {
  const page = await open("#convert", { forcedColors: "active" });
  const styles = (selector, what, pseudo) => page.locator(selector).evaluateAll((all, [what, pseudo]) => all.map((e) => getComputedStyle(e, pseudo)[what]), [what, pseudo]);
  const differ = async (one, other, what) => {
    const [first, second] = [await styles(one, what), await styles(other, what)];
    assert.ok(first.length > 0 && second.length > 0, `${one} ${other}`);
    assert.ok(first.every((colour) => !second.includes(colour)), `${one}: ${first} ${second}`);
  };
  await differ("nav a[aria-current]", "nav a:not([aria-current])", "borderBottomColor");
  await differ(".toggle[aria-pressed=true]", ".toggle[aria-pressed=false]", "backgroundColor");
  await differ(".tabs [aria-pressed=true]", ".tabs [aria-pressed=false]", "backgroundColor");
  await differ(".bit.set.exponent", ".bit.set.fraction", "backgroundColor");
  const keys = await styles(".operand:first-of-type .key", "backgroundColor", "::before");
  assert.ok(keys.length > 2 && new Set(keys).size === keys.length, `${keys}`);
  await page.getByRole("link", { name: "Blocks", exact: true }).click();
  await page.getByRole("region", { name: "Elements" }).waitFor();
  await differ(".elements-table [aria-pressed=true]", ".elements-table [aria-pressed=false]", "backgroundColor");
  await differ(".bar-fill", "body", "backgroundColor");
  await differ(".differs td", ".elements-table tr:not(.differs) td", "backgroundColor");
});

test("the second recipe is visible at every width, and the difference is a picture", async () => {
  const heads = (page) => page.locator(".elements-table thead th[colspan]").evaluateAll((all) => all.map((e) => e.getBoundingClientRect()).map((r) => r.left >= 0 && r.right <= innerWidth));
  for (const width of [640, 768, 1000, 1280]) {
    const page = await open("#blocks", { viewport: { width, height: 800 } });
    assert.deepEqual(await heads(page), [true, true], `${width}`);
    await page.context().close();
  }
  const page = await open("#blocks", { viewport: { width: 390, height: 800 } });
  assert.deepEqual(await heads(page), [true, true]);
  assert.match(await page.locator(".difference svg").getAttribute("aria-label"), /closer for \d+ elements?,/);
  const bars = await page.locator(".difference path").evaluateAll((all) => all.map((e) => e.getAttribute("d")).join("").split("M").length - 1);
  assert.equal(bars, 32);
});

test("a number that is shown rounded is marked, and no other", async () => {
  for (const width of [390, 1280]) {
    const page = await open("#blocks", { viewport: { width, height: 800 } });
    const texts = await page.locator(".elements-table tbody tr:not([aria-hidden])").evaluateAll((rows) =>
      rows.map((row) => [row.querySelector("th").textContent, ...[...row.querySelectorAll("td.number:not(.dim)")].map((e) => e.textContent)]));
    assert.equal(texts.length, 16);
    let marked = 0;
    for (const [x, ...cells] of texts) {
      for (let i = 0; i < cells.length; i += 2) {
        const [back, error] = cells.slice(i, i + 2);
        // The error of what is shown exactly is known: that of f32 numbers, which doubles hold.
        if (back.startsWith("≈")) marked++;
        else {
          const exact = Math.fround(Number(back)) - Math.fround(Number(x));
          assert.equal(error.startsWith("≈"), Number(error.replace("≈", "")) !== exact, `${x} ${back} ${error}`);
        }
        if (error.startsWith("≈")) marked++;
      }
    }
    assert.ok(marked > 5, `${marked}`);
    await page.context().close();
  }
});

test("the keyboard passes the matrix, and arrow keys lead through its forms", async () => {
  const page = await open("#legality");
  const focused = () => page.evaluate(() => document.activeElement.textContent.slice(0, 60));
  const links = page.locator(".rows a");
  await links.first().focus();
  const first = await focused();
  for (let i = 0; i < 60; i++) await page.keyboard.press("ArrowDown");
  const later = await focused();
  assert.notEqual(later, first);
  assert.match(later, /^cvt\./);
  for (let i = 0; i < 60; i++) await page.keyboard.press("ArrowUp");
  assert.equal(await focused(), first);
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  assert.equal(await focused(), first);
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Help");
});

test("a filter keeps the rows that stay, in their order", async () => {
  const page = await open("#legality?all=1");
  const rows = page.locator(".rows .row");
  const filter = page.getByRole("searchbox", { name: "Filter" });
  await filter.fill("satfi");
  await page.waitForFunction(() => document.querySelector(".rows a")?.textContent.includes("satfi"));
  await rows.evaluateAll((all) => all.forEach((row) => (row.dataset.before = "1")));
  await filter.fill("satfin");
  await page.waitForFunction(() => [...document.querySelectorAll(".rows a")].every((a) => a.textContent.includes("satfin")));
  const now = await rows.evaluateAll((all) => all.map((row) => [parseInt(row.style.top), row.dataset.before === "1", row.getAttribute("aria-rowindex")]));
  assert.ok(now.filter(([, before]) => before).length > 10, "rows are drawn again");
  assert.deepEqual(now.map(([top]) => top), now.map((_, at) => at * 26));
  const numbers = now.flatMap(([, , index]) => (index ? [Number(index)] : []));
  assert.deepEqual(numbers, numbers.map((_, at) => at + 2));
  await page.context().close();
});

test("pinned columns look like the legend says", async () => {
  const look = (locator) => locator.first().evaluate((e) => ["color", "fontWeight", "textDecorationLine"].map((name) => getComputedStyle(e)[name]));
  const seen = new Set();
  for (const hash of ["#legality?all=1&target=sm_90", "#legality?target=sm_80", "#legality?all=1&target=sm_90&isa=8.0"]) {
    const page = await open(hash);
    for (const kind of ["yes", "own", "none", "not"]) {
      const key = page.locator(`.key-cell.${kind}`);
      for (const cell of [`.cell.${kind}.pinned`, `.cell.${kind}:not(.pinned)`]) {
        if (await key.count() === 0 || await page.locator(cell).count() === 0) continue;
        assert.deepEqual(await look(page.locator(cell)), await look(key), `${hash} ${cell}`);
        seen.add(cell);
      }
    }
    await page.context().close();
  }
  assert.ok(seen.size >= 7, [...seen].join());
});

test("no name of a form is cut in a narrow window", async () => {
  for (const width of [390, 360]) {
    const page = await open("#legality?target=sm_100a&to=e4m3x2&from=bf16x2", { viewport: { width, height: 800 } });
    const names = new Set();
    for (let top = 0; top < 4000; top += 300) {
      await page.locator(".matrix").evaluate((e, to) => e.scrollTo(0, to), top);
      await page.waitForTimeout(50);
      for (const [name, cut] of await page.locator(".rows [role=row] .form").evaluateAll((all) => all.map((e) => {
        const [link] = e.getElementsByTagName("a");
        const box = link.getBoundingClientRect();
        const own = e.getBoundingClientRect();
        return [link.textContent.replace(link.querySelector(".types").textContent, ""), box.top < own.top || box.bottom > own.bottom || box.right > own.right];
      }))) {
        assert.ok(!cut, name);
        names.add(name);
      }
    }
    assert.ok(names.size > 10 && [...names].some((name) => name.length > 40), `${names.size}`);
    await page.context().close();
  }
});
