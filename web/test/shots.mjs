// `node test/shots.mjs DIR [#ADDRESS…]` makes screenshots of each view: at 1440, 768 and 390 pixels, light and dark.
import { existsSync, mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { VIEWS, file } from "./page-file.mjs";

const dir = process.argv[2] ?? "../target/web/shots";
mkdirSync(dir, { recursive: true });
const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium"].find((path) => path && existsSync(path));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const given = process.argv.slice(3);
const states = given.length > 0 ? given.map((hash, at) => [`state${at}`, hash]) : VIEWS.map((view) => [view, `#${view}`]);
const sizes = (process.env.WIDTHS ?? "1440,768,390").split(",").map(Number);
const schemes = (process.env.SCHEMES ?? "light,dark").split(",");
for (const [name, hash] of states) {
  for (const width of sizes) {
    for (const colorScheme of schemes) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      await page.goto(`${file.href}${hash}`);
      await page.waitForFunction(() => performance.getEntriesByName("answered").length > 0);
      await page.waitForTimeout(400);
      await page.screenshot({ path: `${dir}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      await context.close();
    }
  }
}
await browser.close();
