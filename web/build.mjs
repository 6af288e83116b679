// Packs styles, program, worker and library into one file that needs no server, because a page that was opened from a
// folder may not fetch other files.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { bundle, out } from "./bundle.mjs";

await mkdir(out, { recursive: true });
const { files, packages } = await bundle(["src/main.ts", "src/page.css"]);
// `cargo xtask web` writes the licences of these packages, and of the crates in the library, next to the page. A page alone has
// those of its script, too.
await writeFile(new URL("bundled.json", out), JSON.stringify(packages, null, 2) + "\n");
const texts = await Promise.all(packages.map(({ folder }) => readFile(new URL(`file://${folder}LICENSE`), "utf8")));
const licences = [...new Set(texts)].join("\n");
const text = (ending) => files.find((file) => file.path.endsWith(ending)).text;
const page = await readFile(new URL("src/index.html", import.meta.url), "utf8");
// A build that knows the site's address links to it, as the command does.
const site = (process.env.PTXCVT_SITE ?? "").replace(/\/+$/, "").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
// A picture for messages with a link needs a whole address.
const picture = site && `<meta property="og:image" content="${site}/preview.png">\n<meta name="twitter:card" content="summary_large_image">\n`;
const whole = page
  .replace("<title>", () => `${picture}<title>`)
  .replace('data-site=""', () => `data-site="${site}"`)
  .replace("/*styles*/", () => text(".css").trim())
  .replace("/*program*/", () => `/*\n${licences}*/\n${text(".js").trim().replaceAll("</script", "<\\/script")}`);
await writeFile(new URL("index.html", out), whole);
