// Packs the page into two files that need no server, because a page that was opened from a folder may not fetch other files:
// `index.html` has styles, program and library, and `ptx.js` has what only the view of PTX needs, which the page loads by a tag.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { BUILD, bundle, out } from "./bundle.mjs";

await mkdir(out, { recursive: true });
const first = await bundle(["src/main.ts", "src/page.css"]);
const second = await bundle(["src/ptx/part.ts"], { second: true });
// `cargo xtask web` writes the licences of these packages, and of the crates in the library, next to the page. A file alone has
// those of its script, too.
const packages = [...new Map([...first.packages, ...second.packages].map((one) => [one.folder, one])).values()];
await writeFile(new URL("bundled.json", out), JSON.stringify(packages, null, 2) + "\n");
const text = ({ files }, ending) => files.find((file) => file.path.endsWith(ending)).text.trim();
const licensed = async (bundled) => {
  const texts = await Promise.all(bundled.packages.map(({ folder }) => readFile(new URL(`file://${folder}LICENSE`), "utf8")));
  const licences = [...new Set(texts)].join("\n");
  return `${licences && `/*\n${licences}*/\n`}${text(bundled, ".js")}`;
};
const programs = await Promise.all([first, second].map(licensed));
// Each file names the build, so that the page notices a second file that is not its own.
const build = createHash("sha256").update(programs.join()).digest("hex").slice(0, 12);
const [program, part] = programs.map((one) => one.replaceAll(BUILD, build));
const page = await readFile(new URL("src/index.html", import.meta.url), "utf8");
// A build that knows the site's address links to it, as the command does.
const site = (process.env.PTXCVT_SITE ?? "").replace(/\/+$/, "").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
// A picture for messages with a link needs a whole address.
const picture = site && `<meta property="og:image" content="${site}/preview.png">\n<meta name="twitter:card" content="summary_large_image">\n`;
const whole = page
  .replace("<title>", () => `${picture}<title>`)
  .replace('data-site=""', () => `data-site="${site}"`)
  .replace("/*styles*/", () => text(first, ".css"))
  .replace("/*program*/", () => program.replaceAll("</script", "<\\/script"));
await writeFile(new URL("index.html", out), whole);
await writeFile(new URL("ptx.js", out), `${part}\n`);
