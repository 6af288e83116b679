// Codecs of npm packages as programs for `ptxcvt conform --program`: `node codecs.mjs NAME`; `--list` prints what is
// installed: name, conversion, package and version. Packages are searched for in node_modules next to the working directory.

import { readFileSync, readSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "x.js"));
const load = async (name) => {
  const found = await import(pathToFileURL(require.resolve(name)));
  return found.default ?? found;
};

// A function of a number that returns the bits, from a package.
const CODECS = {
  "three.js DataUtils.toHalfFloat": ["three", "f32->f16", async () => (await load("three")).DataUtils.toHalfFloat],
  "@petamoriken/float16 Float16Array": [
    "@petamoriken/float16",
    "f32->f16",
    async () => {
      const { setFloat16 } = await load("@petamoriken/float16");
      const view = new DataView(new ArrayBuffer(2));
      return (x) => (setFloat16(view, 0, x), view.getUint16(0));
    },
  ],
};

function version(name) {
  try {
    return JSON.parse(readFileSync(join(process.cwd(), "node_modules", name, "package.json"), "utf8")).version;
  } catch {
    return undefined;
  }
}

const [wanted] = process.argv.slice(2);
if (wanted === "--list") {
  for (const [name, [of, conversion]] of Object.entries(CODECS)) {
    if (version(of)) console.log([name, conversion, `${of} ${version(of)}`].join("\t"));
  }
} else {
  // Packages warn of numbers beyond the range, once for each.
  console.warn = () => {};
  const convert = await CODECS[wanted][2]();
  const buffer = Buffer.alloc(1 << 20);
  for (let end = false; !end; ) {
    let filled = 0;
    while (filled < buffer.length) {
      const count = readSync(0, buffer, filled, buffer.length - filled);
      filled += count;
      if (count === 0) {
        end = true;
        break;
      }
    }
    const results = Buffer.alloc(filled / 2);
    for (let at = 0; at < filled; at += 4) results.writeUInt16LE(convert(buffer.readFloatLE(at)), at / 2);
    for (let at = 0; at < results.length; ) at += writeSync(1, results, at);
  }
}
