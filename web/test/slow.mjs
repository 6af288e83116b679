// `node test/slow.mjs`: what a keystroke costs on a processor four times as slow, in every field of every view: 20 keys each.
// Prints the median and the largest of the page's own processor time (until what follows the key is done) and of what the
// browser measures from the key to the picture. The latter counts only on a machine that does nothing else.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { EDITOR, file } from "./page-file.mjs";

const RATE = 4;
const COUNT = 20;
const programs = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const numbers = (count) => Array.from({ length: count }, (_, at) => (at * 0.37 - 3).toFixed(2)).join(" ");
const letters = (text) => [...text.repeat(COUNT)].slice(0, COUNT);
const repeat = (...keys) => Array.from({ length: COUNT }, (_, at) => keys[at % keys.length]);
const FORM = "#convert?op=cvt.rn.satfinite.e4m3x2.f32&a=1.55&b=-999";
const FOUR = "#convert?op=cvt.rs.satfinite.e4m3x4.f32&a=1.55&b=-999&e=0.013&f=7.25&rbits=0x9e3779b9";
const end = (selector) => async (page) => {
  await page.locator(selector).first().focus();
  await page.keyboard.press("ControlOrMeta+End");
};
const empty = (selector) => async (page) => {
  await page.locator(selector).first().focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
};
const lines = (count) => async (page) => {
  await page.locator(".cm-content").focus();
  await page.evaluate(`${EDITOR}.dispatch({ changes: { from: 0, to: ${EDITOR}.state.doc.length, insert: ${JSON.stringify("cvt.rn.f16.f32 %0, %1;\n".repeat(count))} } })`);
  await page.waitForTimeout(4000);
  await page.evaluate(`${EDITOR}.dispatch({ selection: { anchor: 22 }, scrollIntoView: true })`);
};

const FIELDS = [
  ["Convert: instruction", "#convert", empty("#instruction"), letters("cvt.rn.satfinite.e4m3x2.f32")],
  ["Convert: instruction, words", "#convert", empty("#instruction"), letters("f32 to e4m3 1.5 -2.25")],
  ["Convert: number", FORM, empty("input[aria-label='a, number']"), letters("1.55123456789")],
  ["Convert: number of four", FOUR, empty("input[aria-label='a, number']"), letters("1.55123456789")],
  ["Convert: hexadecimal", FORM, end("input[aria-label='a, hexadecimal']"), repeat("Backspace", "7")],
  ["Convert: number, arrows", FORM, end("input[aria-label='a, number']"), repeat("ArrowUp", "PageUp", "ArrowDown", "PageDown")],
  ["Convert: bits", FORM, async (page) => page.locator(".bits button").first().focus(), repeat("0", "1")],
  ["Convert: target", FORM, async (page) => page.getByLabel("Target", { exact: true }).focus(), repeat("ArrowDown")],
  ["Convert: menu of forms", FORM, async (page) => page.locator(".compose select").first().focus(), repeat("ArrowDown", "ArrowDown", "ArrowUp")],
  ["Formats: format", "#formats?f=f64", async (page) => page.getByLabel("Format", { exact: true }).focus(), repeat("ArrowDown", "ArrowUp")],
  ["Formats: e4m3 and e5m2", "#formats?f=f64", async (page) => page.getByLabel("Format", { exact: true }).focus(), letters("e")],
  ["Legality: filter", "#legality?all=1", empty("input[type=search]"), letters("satfinite.e4m3x2.f32")],
  ["Legality: target", "#legality", async (page) => page.getByLabel("Target", { exact: true }).focus(), repeat("ArrowDown")],
  ["PTX: short", "#ptx", end(".cm-content"), letters("cvt.rn.f16.f32 %0, %1;")],
  ["PTX: 4000 lines", "#ptx", lines(4000), letters(" // abc def ghi jkl m")],
  ["PTX: 80000 lines", "#ptx", lines(80000), letters(" // abc def ghi jkl m")],
  ["PTX: input of the run", "#ptx", async (page) => { await page.locator(".inputs input").first().waitFor(); await empty(".inputs input")(page); }, letters("1.55123456789")],
  ["Blocks: 16 numbers", "#blocks", end("textarea"), letters(" 1.5 -2.25 3.75 0.1")],
  ["Blocks: 1024 numbers", `#blocks?${new URLSearchParams({ x: numbers(1000) })}`, end("textarea"), letters(" 1.5 -2.25 3.75 0.1")],
  ["Blocks: recipe", "#blocks", async (page) => page.getByLabel("Recipe", { exact: true }).focus(), repeat("ArrowDown")],
];

const browser = await chromium.launch({ executablePath: programs.find((path) => path && existsSync(path)), args: ["--no-sandbox"] });
const middle = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
const chosen = process.argv[2] ?? "";
console.log("| field | processor time, median | largest | key to picture, median | largest |\n|---|--:|--:|--:|--:|");
for (const [name, hash, begin, keys] of FIELDS.filter(([name]) => name.includes(chosen))) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(`${file.href}${hash}`);
  await page.waitForFunction(() => performance.getEntriesByName("answered").length > 0);
  await begin(page);
  await page.waitForTimeout(1000);
  await page.evaluate(() => {
    globalThis.seen = [];
    new PerformanceObserver((list) => seen.push(...list.getEntries().map(({ duration, startTime }) => [startTime, duration]))).observe({ type: "event", durationThreshold: 16 });
  });
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => (await client.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value * 1000;
  await client.send("Emulation.setCPUThrottlingRate", { rate: RATE });
  const [own, shown] = [[], []];
  for (const key of keys) {
    const before = await spent();
    const from = await page.evaluate(() => performance.now());
    await page.keyboard.press(key);
    await page.waitForTimeout(350);
    own.push((await spent()) - before);
    shown.push(await page.evaluate((from) => Math.max(0, ...seen.filter(([at]) => at >= from).map(([, duration]) => duration)), from));
  }
  console.log(`| ${name} | ${[own, shown].flatMap((all) => [middle(all), Math.max(...all)]).map((ms) => `${ms.toFixed(0)} ms`).join(" | ")} |`);
  await page.context().close();
}
await browser.close();
