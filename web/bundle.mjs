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
    bundler.onResolve({ filter: /^ptxcvt:(library|unpacker|worker)$/ }, ({ path }) => ({ path, namespace: "parts" }));
    for (const [filter, name] of [[/library/, "ptxcvt_bg.wasm.lzma"], [/unpacker/, "unpack.wasm"]]) {
      bundler.onLoad({ filter, namespace: "parts" }, async () => {
        const binary = await readFile(new URL(name, glue));
        return { contents: `export default "${binary.toString("base64")}"` };
      });
    }
    bundler.onLoad({ filter: /worker/, namespace: "parts" }, async () => {
      const [worker] = await bundle(["src/ptx/worker.ts"]);
      return { contents: `export default ${JSON.stringify(worker.text)}` };
    });
  },
};

/** Bundles files, each as a script or, with `format` "esm", as a module. */
export async function bundle(files, format = "iife") {
  const bundled = await build({
    entryPoints: files.map((file) => new URL(file, import.meta.url).pathname),
    outdir: out.pathname,
    bundle: true,
    minify: true,
    write: false,
    format,
    target: "es2022",
    logOverride: { "empty-import-meta": "silent" },
    define: { "import.meta.url": "''" },
    plugins: [parts],
  });
  return bundled.outputFiles;
}
