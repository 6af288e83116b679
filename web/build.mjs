// Packs styles, program, worker and library (compressed) into one file that needs no server, because a page that was
// opened from a folder may not fetch other files.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const out = new URL("../target/web/", import.meta.url);
const glue = new URL("glue/", out);
await mkdir(out, { recursive: true });

/** Finds the library, its bindings, and the program of the worker. */
const parts = {
  name: "parts",
  setup(bundler) {
    bundler.onResolve({ filter: /^ptxcvt:glue$/ }, () => ({ path: new URL("ptxcvt.js", glue).pathname }));
    bundler.onResolve({ filter: /^ptxcvt:(library|worker)$/ }, ({ path }) => ({ path, namespace: "parts" }));
    bundler.onLoad({ filter: /library/, namespace: "parts" }, async () => {
      const wasm = gzipSync(await readFile(new URL("ptxcvt_bg.wasm", glue)), { level: 9 });
      return { contents: `export default "${wasm.toString("base64")}"` };
    });
    bundler.onLoad({ filter: /worker/, namespace: "parts" }, async () => {
      const [worker] = await bundle("src/ptx/worker.ts");
      return { contents: `export default ${JSON.stringify(worker.text)}` };
    });
  },
};

/** Bundles some files. */
async function bundle(...files) {
  const bundled = await build({
    entryPoints: files.map((file) => new URL(file, import.meta.url).pathname),
    outdir: out.pathname,
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    logOverride: { "empty-import-meta": "silent" },
    define: { "import.meta.url": "''" },
    plugins: [parts],
  });
  return bundled.outputFiles;
}

const bundled = await bundle("src/main.ts", "src/page.css");
const text = (ending) => bundled.find((file) => file.path.endsWith(ending)).text;
const page = await readFile(new URL("src/index.html", import.meta.url), "utf8");
const whole = page
  .replace("/*styles*/", () => text(".css").trim())
  .replace("/*program*/", () => text(".js").trim().replaceAll("</script", "<\\/script"));
await writeFile(new URL("index.html", out), whole);
