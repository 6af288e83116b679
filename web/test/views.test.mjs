// Formats, legality, PTX and blocks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brokenNumbers, open, write, written } from "./page.mjs";

test("a format shows every code, and two formats are next to each other", async () => {
  const page = await open("#formats?f=e4m3&g=e2m1");
  const codes = page.getByRole("region", { name: "Codes of e4m3" });
  assert.equal(await codes.getByRole("button").count(), 256);
  await codes.getByRole("button", { name: "0x3c = 1.5" }).click();
  assert.match(await codes.locator(".chosen-code").textContent(), /0x3c = 1.5 normal/);
  assert.equal(await page.getByRole("region", { name: "Codes of e2m1" }).getByRole("button").count(), 16);
  await page.getByLabel("Compare with").selectOption("none");
  assert.equal(await page.getByRole("region", { name: "Codes of e2m1" }).count(), 0);
});

test("the numbers of a format have one style: exact, as powers of two where decimals say nothing", async () => {
  const page = await open("#formats?f=e4m3&g=ue8m0");
  const codes = page.getByRole("region", { name: "Codes of e4m3" });
  for (const text of ["2^-9", "3×2^-9", "0.015625", "448"]) assert.ok(await codes.getByRole("button", { name: ` = ${text}`, exact: false }).count() > 0, text);
  const facts = await page.getByRole("region", { name: "e4m3", exact: true }).textContent();
  assert.match(facts, /smallest above zero2\^-9/);
  const all = await page.locator(".codes button").allTextContents();
  assert.ok(all.every((text) => !/e[-+]?\d/.test(text)), all.filter((text) => /e/.test(text)).join(" "));
  // In full where it is chosen.
  await codes.getByRole("button", { name: "0x03 = 3×2^-9" }).click();
  assert.match(await codes.locator(".chosen-code").textContent(), /0x03 = 3×2\^-9 = 0\.005859375 subnormal/);
  const clipped = await page.locator(".codes button").evaluateAll((buttons) => buttons.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent));
  assert.deepEqual(clipped, []);
});

test("no number is broken into lines, at any width", async () => {
  const addresses = ["", "#convert?op=cvt.rs.satfinite.e4m3x4.f32", "#convert?op=cvt.rn.f64.u64&a=18446744073709551615", "#convert?op=cvt.f64.f32&a=1e-40",
    "#formats?f=f64&g=bf16", "#formats?f=ue8m0&g=none", "#formats?f=s64&g=u64", "#blocks", "#ptx?code=CVT009"];
  for (const width of [1280, 390, 360]) {
    for (const address of addresses) {
      const page = await open(address, { viewport: { width, height: 800 } });
      assert.deepEqual(await brokenNumbers(page), [], `${width} ${address}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${width} ${address}: ${wide}`);
      await page.context().close();
    }
  }
});

test("a text with too many errors says that it is not read to its end", async () => {
  const page = await open(`#ptx?${new URLSearchParams({ lang: "ptx", text: "" })}`);
  await write(page, `${"= 5; ".repeat(20)}\n`.repeat(60));
  const findings = page.getByRole("region", { name: "Findings" });
  await findings.getByText("More than 1000 findings").waitFor();
  assert.match(await findings.textContent(), /The first 300 of more than 1000\..*not read/);
});

test("numbers that became infinite are named", async () => {
  const page = await open("#blocks");
  await page.getByRole("textbox", { name: "Numbers" }).fill("1 1e999 -1e39");
  await page.getByText("became infinity").first().waitFor();
  assert.match(await page.locator(".note").textContent(), /1e999 is out of range for \.f32, and became infinity when it was read\..*-1e39/);
  await page.getByRole("textbox", { name: "Numbers" }).fill("1 2");
  await page.waitForFunction(() => document.querySelector(".note").textContent === "");
});

test("the matrix has every form but draws only visible ones", async () => {
  const page = await open("#legality?target=sm_100a&all=1");
  const matrix = page.getByRole("table", { name: "First ISA version" });
  const rows = Number(await matrix.getAttribute("aria-rowcount")) - 1;
  assert.ok(rows > 1200);
  assert.ok((await page.getByRole("row").count()) < 100);
  await matrix.evaluate((e) => e.scrollTo(0, e.scrollHeight));
  await page.waitForFunction((n) => [...document.querySelectorAll(".rows .row")].some((r) => r.getAttribute("aria-rowindex") === String(n + 1)), rows);
  const count = async () => Number((await page.getByRole("status").filter({ hasText: "forms" }).textContent()).split(" ")[0]);
  await page.getByLabel(/^with/).selectOption("relu");
  const relu = await count();
  await page.getByLabel(/^from/).selectOption("f32");
  assert.ok(relu > 0 && await count() > 0 && await count() < relu);
  assert.ok((await page.getByRole("rowheader").allTextContents()).every((form) => /\.relu\b.*\.f32$/.test(form)));
  await page.getByLabel(/^with/).selectOption("");
  await page.getByLabel("Filter").fill("e2m1x2 f32 -relu");
  assert.ok((await page.getByRole("rowheader").count()) > 0);
  await page.getByRole("link", { name: "cvt.rn.satfinite.e2m1x2.f32", exact: true }).click();
  assert.equal(await page.getByRole("combobox", { name: "Instruction" }).inputValue(), "cvt.rn.satfinite.e2m1x2.f32");
});

test("an invalid module is judged, and a click fixes it", async () => {
  const text = ".version 9.1\n.target sm_90\n.entry k {\n  .reg .b16 h; .reg .f32 f; // ä\n  cvt.rn.e4m3x2.f32 h, f, f;\n  ret;\n}\n";
  const page = await open();
  await page.getByRole("link", { name: "PTX", exact: true }).click();
  await write(page, text);
  const findings = page.getByRole("region", { name: "Findings" });
  await page.waitForFunction(() => /1 finding/.test(document.querySelector("[aria-label=Findings]").textContent));
  assert.match(await findings.textContent(), /1 finding.*5:3.*CVT008.*.satfinite is required/);
  assert.equal((await page.locator(".editor mark").allTextContents()).join(""), "cvt.rn.e4m3x2.f32");
  await findings.getByRole("button", { name: "CVT008" }).click();
  assert.match(await page.getByRole("region", { name: "Explanation" }).textContent(), /CVT008/);
  await findings.getByRole("button", { name: /^Fix/ }).click();
  assert.equal(await written(page), text.replace("cvt.rn.e4m3x2", "cvt.rn.satfinite.e4m3x2"));
  await findings.getByText("No findings").waitFor();
  await page.getByRole("region", { name: "Statistics" }).getByText("cvt.rn.satfinite.e4m3x2.f32").waitFor();
});

test("a block runs, with the value after each instruction", async () => {
  const page = await open(`#ptx?${new URLSearchParams({ text: "lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;", in: "0x87654321" })}`);
  const running = page.getByRole("region", { name: "Run" });
  await running.getByText("%0 = 0x64056401").waitFor();
  await page.getByLabel(/^%1/).fill("0x12");
  await running.getByText("%0 = 0x64006402").waitFor();
  // The value is at the end of its line; only visible lines are drawn, with their numbers.
  assert.equal(await page.locator(".editor .wrote").textContent(), "0x64006402");
  await write(page, `${"// é\n".repeat(400)}{ .reg .b32 t; not.b32 t, %1; not.b32 %0, t; }\n`);
  await page.locator(".cm-scroller").evaluate((e) => e.scrollTo(0, e.scrollHeight));
  await page.locator(".editor .wrote").getByText("0xffffffed 0x00000012").waitFor();
  assert.deepEqual((await page.locator(".cm-gutterElement").allInnerTexts()).slice(-2), ["401", "402"]);
  // Text that cannot be read gives no values.
  await page.getByLabel(/^%1/).fill("1/3");
  await page.locator(".trace.stale").waitFor();
});

test("numbers are quantised with two recipes, step by step", async () => {
  const page = await open();
  await page.getByRole("link", { name: "Blocks" }).click();
  await page.getByRole("textbox", { name: "Numbers" }).fill("5.3 -0.37 0.58");
  const first = page.getByRole("region", { name: "mx-rceil/e4m3" });
  // A key is answered before the numbers are quantised.
  await first.getByText("0.015625").first().waitFor();
  assert.match(await first.textContent(), /cvt.rp.satfinite.ue8m0x2.f32\(t\)0x790.015625/);
  assert.match(await first.textContent(), /0xdc-24/);
  const many = Array.from({ length: 40 }, (_, i) => i + 1);
  await page.getByRole("textbox", { name: "Numbers" }).fill(many.join(", "));
  await page.getByRole("region", { name: "Elements" }).getByRole("button", { name: "40", exact: true }).click();
  assert.match(await first.textContent(), /block 2 of 2.*x, element 4040/);
  assert.match(await first.textContent(), /Filled up with 24 zeros/);
  await page.getByLabel("Compare with").selectOption("nvfp4-te-1x16");
  assert.match(await page.getByRole("region", { name: "nvfp4-te-1x16" }).textContent(), /block 3 of 3/);
  assert.match(await page.getByRole("region", { name: "Elements" }).textContent(), /nvfp4-te-1x16/);
  await page.getByRole("textbox", { name: "Numbers" }).fill("5.3 what");
  await page.locator("#numbers-error").getByText("not a number").waitFor();
  assert.match(await page.locator("#numbers-error").textContent(), /what: not a number for \.f32/);
  assert.equal(await page.locator(".outdated:visible").count(), 1);
});
