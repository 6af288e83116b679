// `node preview.mjs` draws preview.png anew: the picture of a message with a link to the explorer or the site. It is the library's
// own picture of a conversion, below what the project is.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { file } from "./test/page-file.mjs";

const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium"].find((path) => path && existsSync(path));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
await page.goto(`${file.href}#convert?op=cvt.rn.f16.f32&a=1.55`);
await page.locator(".picture svg").first().waitFor();
await page.evaluate(() => {
  const drawn = document.querySelector(".picture svg").outerHTML;
  const opcode = document.querySelector("#instruction").value;
  const answer = document.querySelector(".answer strong").textContent;
  document.body.innerHTML = `<div style="font: 26px/1.5 system-ui; width: 1072px; margin: 48px auto; display: grid; gap: 18px">
    <div style="font: 700 54px monospace">ptxcvt</div>
    <div>PTX number conversion, bit for bit: which GPUs accept a form of cvt, and exactly which bits it returns</div>
    <div style="font: 34px monospace">${opcode} 1.55 <span style="color: var(--result); font-weight: 700">${answer}</span></div>
    <div class="picture">${drawn}</div></div>`;
  document.body.style.maxWidth = "none";
  document.querySelector(".picture svg").style.maxWidth = "none";
});
await page.screenshot({ path: new URL("preview.png", import.meta.url).pathname });
await browser.close();
