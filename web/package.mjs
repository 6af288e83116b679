// `node package.mjs FOLDER VERSION`: writes the files of the npm package, which is the module that the page calls the library
// with, and its types.
import { execFileSync } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "./bundle.mjs";

const [folder, version] = process.argv.slice(2);
const write = (name, text) => writeFile(join(folder, name), text);

const { files, packages } = await bundle(["src/npm.ts"], { format: "esm", whole: true });
await write("index.js", files[0].text);
await write("bundled.json", JSON.stringify(packages, null, 2) + "\n");

const types = await mkdtemp(join(tmpdir(), "ptxcvt-"));
const tsc = new URL("node_modules/.bin/tsc", import.meta.url).pathname;
const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--rootDir", "src", "--outDir", types];
execFileSync(tsc, ["--project", ".", ...options], { cwd: new URL(".", import.meta.url), stdio: "inherit" });
await cp(join(types, "npm.d.ts"), join(folder, "index.d.ts"));
for (const name of ["library.d.ts", "sources.d.ts"]) await cp(join(types, name), join(folder, name));
await rm(types, { recursive: true });

await write("package.json", JSON.stringify({
  name: "ptxcvt",
  version,
  description: "PTX number conversion (cvt, cvt.pack): where each form is legal, and which bits it returns",
  keywords: ["cuda", "ptx", "fp8", "fp4", "rounding"],
  license: "MIT OR Apache-2.0",
  type: "module",
  exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
  files: ["index.js", "index.d.ts", "library.d.ts", "sources.d.ts", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES", "sbom.cdx.json"],
  engines: { node: ">=20" },
}, null, 2) + "\n");

await write("README.md", `# ptxcvt

PTX number conversion on NVIDIA GPUs: which form of \`cvt\` is legal where, and exactly which bits it returns. For browsers and
Node.js; the library is WebAssembly inside the module, so nothing else is loaded.

\`\`\`sh
npm install ./ptxcvt-${version}.tgz   # the file of a release
\`\`\`

\`\`\`js
import { start, convert } from "ptxcvt";

await start();
const answer = convert("cvt.rn.satfinite.e4m3x2.f32", ["1.55", "-999"], "sm_90", "8.7");
console.log(answer.legal, answer.evaluation.result); // true 0x3cfe
\`\`\`

The functions return what the command \`ptxcvt\` prints with \`--json\`; index.d.ts has their types.
`);
