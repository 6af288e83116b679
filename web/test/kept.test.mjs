// Values that the address has no room for: they outlive the page in its tab, and where they cannot, the page says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, paste, shows, write } from "./page.mjs";

const TEXT = "cvt.rn.f16.f32 %0, %1; // mine\n".repeat(60);
const NUMBERS = Array.from({ length: 400 }, (_, at) => (at / 7).toFixed(3)).join(" ");
const has = (page, text) => page.waitForFunction((expected) => document.querySelector("textarea")?.value === expected, text);

test("long texts survive a reload and leaving the page, in every view", async () => {
  const page = await open("#blocks");
  await page.getByLabel("Numbers", { exact: true }).fill(NUMBERS);
  await page.getByRole("link", { name: "PTX" }).click();
  await write(page, TEXT);
  await page.reload();
  await shows(page, TEXT);
  assert.equal(new URL(page.url()).hash, "#ptx");
  await page.goto("data:text/html,<h1>elsewhere</h1>");
  await page.goBack();
  await shows(page, TEXT);
  // The other views are as they were, and so are the entries of the history before the reload.
  await page.getByRole("link", { name: "Convert" }).click();
  await page.reload();
  await page.getByRole("link", { name: "Blocks" }).click();
  await has(page, NUMBERS);
  await page.goBack();
  await page.goBack();
  await shows(page, TEXT);
  await page.goBack();
  await page.goBack();
  await has(page, NUMBERS);
  assert.equal(await page.locator("#problem:visible").count(), 0);
});

test("a storage that is full or refused loses the text alone, and the page says so", async () => {
  for (const refuse of [
    () => Object.defineProperty(globalThis, "sessionStorage", { get() { throw new DOMException("refused", "SecurityError"); } }),
    () => { Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }; },
  ]) {
    const page = await open();
    await page.addInitScript(refuse);
    await page.goto("about:blank");
    await page.goBack();
    await page.getByRole("link", { name: "PTX" }).click();
    await write(page, TEXT);
    await page.goBack();
    await page.goForward();
    await shows(page, TEXT);
    await page.reload();
    await page.getByRole("alert").getByText("did not keep the long text").waitFor();
    await write(page, "cvt.f32.f16 %0, %1;");
    assert.equal(await page.locator("#problem:visible").count(), 0);
    await page.context().close();
  }
});

test("if there is no room for all, the newest text is kept", async () => {
  const page = await open("#ptx");
  const long = (letter) => `// ${letter.repeat(2_000_000)}`;
  for (const letter of "abcd") await paste(page, long(letter));
  await shows(page, long("d"));
  await page.reload();
  await shows(page, long("d"));
});

test("a link that is opened in another tab says that a long text is not in it", async () => {
  const page = await open("#ptx");
  await write(page, TEXT);
  const link = page.getByRole("link", { name: "PTX" });
  const opened = page.context().waitForEvent("page");
  await link.click({ button: "middle" });
  const other = await opened;
  await other.getByRole("alert").getByText("has no room for the long text").waitFor();
  assert.equal(new URL(other.url()).hash, "#ptx");
  // In the same tab it leads to the text.
  await page.getByRole("link", { name: "Convert" }).click();
  await link.click();
  await shows(page, TEXT);
  assert.equal(new URL(page.url()).hash, "#ptx");
  assert.equal(await page.locator("#problem:visible").count(), 0);
});
