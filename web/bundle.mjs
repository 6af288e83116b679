// Bundles TypeScript with what xtask's `web` writes: the library (packed), what unpacks it, and its bindings.
import { readFile } from "node:fs/promises";
import { build } from "esbuild";

/** The folder of built files. */
export const out = new URL("../target/web/", import.meta.url);
const glue = new URL("glue/", out);

/** Finds the library, its bindings, and the program of the worker. */
const parts = {
  name: "parts",
  setup(bundler) {
    bundler.onResolve({ filter: /^ptxcvt:glue$/ }, () => ({ path: new URL("ptxcvt.js", glue).pathname }));
    // The packages for grammars, which the editor's commands import, are a tenth of the program.
    bundler.onResolve({ filter: /^@(codemirror\/language|lezer\/common)$/ }, () => ({ path: new URL("src/ptx/no-grammar.ts", import.meta.url).pathname }));
    bundler.onResolve({ filter: /^ptxcvt:(library|unpacker|worker)$/ }, ({ path }) => ({ path, namespace: "parts" }));
    for (const [filter, name] of [[/library/, "ptxcvt_bg.wasm.lzma"], [/unpacker/, "unpack.wasm"]]) {
      bundler.onLoad({ filter, namespace: "parts" }, async () => {
        const binary = await readFile(new URL(name, glue));
        return { contents: `export default "${binary.toString("base64")}"` };
      });
    }
    bundler.onLoad({ filter: /worker/, namespace: "parts" }, async () => {
      const { files } = await bundle(["src/ptx/worker.ts"]);
      return { contents: `export default ${JSON.stringify(files[0].text)}` };
    });
  },
};

/** The packages that are inside a bundle, whose licences have to go along with it. */
async function packagesOf({ inputs }) {
  const folders = Object.keys(inputs).map((path) => path.match(/.*node_modules\/(?:@[^/]+\/)?[^/]+\//)?.[0]);
  return Promise.all([...new Set(folders)].filter(Boolean).sort().map(async (path) => {
    const folder = new URL(path, `file://${process.cwd()}/`);
    const { name, version, license } = JSON.parse(await readFile(new URL("package.json", folder), "utf8"));
    return { name, version, licence: license, folder: folder.pathname };
  }));
}

/** Bundles files, each as a script or, with `format` "esm", as a module. Also returns the packages inside. */
export async function bundle(files, format = "iife") {
  const bundled = await build({
    entryPoints: files.map((file) => new URL(file, import.meta.url).pathname),
    outdir: out.pathname,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format,
    target: "es2022",
    logOverride: { "empty-import-meta": "silent" },
    define: { "import.meta.url": "''" },
    plugins: [parts],
  });
  return { files: bundled.outputFiles, packages: await packagesOf(bundled.metafile) };
}
