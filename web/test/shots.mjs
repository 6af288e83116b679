// `node test/shots.mjs DIR` makes screenshots of each view: light, dark, and as wide as a phone.
import { existsSync, mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { VIEWS, file } from "./page-file.mjs";

const dir = process.argv[2] ?? "../target/web/shots";
mkdirSync(dir, { recursive: true });
const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium"].find((path) => path && existsSync(path));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const states = { ...Object.fromEntries(VIEWS.map((view) => [view, `#${view}`])), ...Object.fromEntries(process.argv.slice(3).map((hash, at) => [`state${at}`, hash])) };
for (const [name, hash] of Object.entries(states)) {
  for (const [kind, options] of Object.entries({
    light: { colorScheme: "light", viewport: { width: 1280, height: 900 } },
    dark: { colorScheme: "dark", viewport: { width: 1280, height: 900 } },
    phone: { colorScheme: "light", viewport: { width: 360, height: 740 } },
  })) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(`${file.href}${hash}`);
    await page.waitForFunction(() => performance.getEntriesByName("answered").length > 0);
    await page.screenshot({ path: `${dir}/${name}-${kind}.png`, fullPage: true });
    await context.close();
  }
}
await browser.close();
