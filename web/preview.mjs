// `node preview.mjs` draws the pictures of messages with a link anew: preview.png for the explorer and the start of the site, and
// one in preview/ for each kind of page of the site. They say what such a page shows; those of forms and formats have the
// library's own picture of an example. Needs target/web and target/site.
import { existsSync, mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { file } from "./test/page-file.mjs";

const site = new URL("../target/site/", import.meta.url);
/** Kind of page: file, title, what its pages show, and the page that has an example's picture. */
const KINDS = [
  ["form", "A form of cvt", "what it does to each bit, the GPUs and PTX versions that accept it, its names in CUDA, LLVM and MLIR", "forms/cvt.rn.satfinite.e4m3x2.f32.html"],
  ["pair-of-types", "From one type to another", "every form of cvt that converts between two types, or the way around where there is none"],
  ["format", "A number format", "its fields, its limits, its special values, and every code of a small one", "formats/e4m3.html"],
  ["target", "A GPU target", "the chips that have it, and the conversions that it has and lacks"],
  ["isa-version", "A version of the PTX ISA", "the conversions and targets that it brought, and the CUDA release that brought it"],
  ["recipe", "A recipe of block quantisation", "the arithmetic of its scales and elements, line by line, and who quantises like this"],
  ["error-code", "A finding in PTX", "what is wrong with a conversion, an example, and how to mend it"],
  ["guide", "A guide to ptxcvt", "converting, checking, running and proving PTX bit for bit, without a GPU"],
];

const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium"].find((path) => path && existsSync(path));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });

/** Draws a picture from elements below one another. */
async function draw(name, html) {
  await page.evaluate((html) => {
    document.body.innerHTML = `<div style="font: 26px/1.5 system-ui; width: 1072px; margin: 48px auto; display: grid; gap: 18px">${html}</div>`;
    document.body.style.maxWidth = "none";
    const drawn = document.querySelector("svg");
    if (drawn) drawn.style.maxWidth = "none";
  }, html);
  await page.screenshot({ path: new URL(name, import.meta.url).pathname });
}

await page.goto(`${file.href}#convert?op=cvt.rn.f16.f32&a=1.55`);
await page.locator(".picture svg").first().waitFor();
const [drawn, opcode, answer] = await page.evaluate(() => [
  document.querySelector(".picture svg").outerHTML,
  document.querySelector("#instruction").value,
  document.querySelector(".answer strong").textContent,
]);
await draw(
  "preview.png",
  `<div style="font: 700 54px monospace">ptxcvt</div>
   <div>PTX number conversion, bit for bit: which GPUs accept a form of cvt, and exactly which bits it returns</div>
   <div style="font: 34px monospace">${opcode} 1.55 <span style="color: var(--result); font-weight: 700">${answer}</span></div>
   <div class="picture">${drawn}</div>`,
);

mkdirSync(new URL("preview", import.meta.url), { recursive: true });
for (const [name, title, shows, example] of KINDS) {
  await page.goto(new URL(example ?? "index.html", site).href);
  // As wide as the text.
  const drawn = async () => page.locator("main svg").first().evaluate((svg) => [svg.outerHTML, Math.min(1072 / svg.viewBox.baseVal.width, 1.5)]);
  const [picture, zoom] = example ? await drawn() : ["", 1];
  const subject = example ? `; here <code>${await page.locator("h1").innerText()}</code>` : "";
  const head = `<div style="font: 700 34px monospace">ptxcvt</div><div style="font: 700 54px system-ui">${title}</div>`;
  const below = picture && `<div class="picture" style="zoom: ${zoom}">${picture}</div>`;
  await draw(`preview/${name}.png`, `${head}<div style="font-size: ${picture ? 26 : 44}px">${shows}${subject}</div>${below}`);
}
await browser.close();
