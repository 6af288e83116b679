// Bundles TypeScript with what xtask's `web` writes: the library (compressed) and its bindings.
import { readFile } from "node:fs/promises";
import { gzipAsync } from "@gfx/zopfli";
import { build } from "esbuild";

/** The folder of built files. */
export const out = new URL("../target/web/", import.meta.url);
const glue = new URL("glue/", out);

/** Finds the library, its bindings, and the program of the worker. */
const parts = {
  name: "parts",
  setup(bundler) {
    bundler.onResolve({ filter: /^ptxcvt:glue$/ }, () => ({ path: new URL("ptxcvt.js", glue).pathname }));
    bundler.onResolve({ filter: /^ptxcvt:(library|worker)$/ }, ({ path }) => ({ path, namespace: "parts" }));
    bundler.onLoad({ filter: /library/, namespace: "parts" }, async () => {
      // 4 % smaller than with zlib, for some seconds.
      const wasm = await gzipAsync(await readFile(new URL("ptxcvt_bg.wasm", glue)), { numiterations: 5 });
      return { contents: `export default "${Buffer.from(wasm).toString("base64")}"` };
    });
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
