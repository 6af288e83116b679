// Bundles the extension, and writes the licences of the packages in the bundle next to it.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const out = new URL("out/", import.meta.url);
const { metafile } = await build({
  absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
  entryPoints: ["src/extension.ts"],
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  outfile: "out/extension.js",
  minify: true,
  metafile: true,
  logLevel: "warning",
});

const folders = Object.keys(metafile.inputs).map((path) => path.match(/.*node_modules\/(?:@[^/]+\/)?[^/]+\//)?.[0]);
const texts = ["Software of others that this extension contains, with the licences of each.\n"];
for (const path of [...new Set(folders)].filter(Boolean).sort()) {
  const folder = new URL(path, import.meta.url);
  const { name, version, license } = JSON.parse(await readFile(new URL("package.json", folder), "utf8"));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|copyright|notice)/i.test(file)).sort();
  if (files.length === 0) throw new Error(`${name} ${version} has no text of its licence`);
  const rule = "=".repeat(80);
  texts.push(`${rule}\n${name} ${version}: ${license}\n${rule}\n`);
  for (const file of files) texts.push(`${(await readFile(new URL(file, folder), "utf8")).trimEnd()}\n`);
}
await mkdir(out, { recursive: true });
await writeFile(new URL("THIRD-PARTY-LICENSES", out), texts.join("\n"));
