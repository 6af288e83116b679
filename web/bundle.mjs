// Bundles TypeScript with what xtask's `web` writes: the library (packed), what unpacks it, and its bindings.
import { readFile } from "node:fs/promises";
import { build } from "esbuild";

/** The folder of built files. */
export const out = new URL("../target/web/", import.meta.url);
/** Stands for the build in both files of the page, until it is known. */
export const BUILD = "ptxcvt-build";

/** Finds the library, its bindings, and the program of the worker. The library is built whole, or in two parts. */
const parts = (whole) => ({
  name: "parts",
  setup(bundler) {
    const glue = (part, name) => new URL(`glue/${whole ? "whole" : part}/${name}`, out);
    const bindings = { glue: "page", sources: "sources" };
    bundler.onResolve({ filter: /^ptxcvt:(glue|sources)$/ }, ({ path }) => ({ path: glue(bindings[path.slice(7)], "ptxcvt.js").pathname }));
    // The packages for grammars, which the editor's commands import, are a tenth of the program.
    bundler.onResolve({ filter: /^@(codemirror\/language|lezer\/common)$/ }, () => ({ path: new URL("src/ptx/no-grammar.ts", import.meta.url).pathname }));
    bundler.onResolve({ filter: /^ptxcvt:(library|readers|unpacker|worker)$/ }, ({ path }) => ({ path, namespace: "parts" }));
    for (const [filter, part, name] of [
      [/library/, "page", "ptxcvt_bg.wasm.lzma"], [/readers/, "sources", "ptxcvt_bg.wasm.lzma"], [/unpacker/, "page", "unpack.wasm"],
    ]) {
      bundler.onLoad({ filter, namespace: "parts" }, async () => {
        const binary = await readFile(glue(part, name));
        return { contents: `export default "${binary.toString("base64")}"` };
      });
    }
    bundler.onLoad({ filter: /worker/, namespace: "parts" }, async () => {
      const { files } = await bundle(["src/ptx/worker.ts"]);
      return { contents: `export default ${JSON.stringify(files[0].text)}` };
    });
  },
});

/** Has the second file take from the page the modules that have a state there, such as the address and the started library. */
const shared = {
  name: "shared",
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\.\/(dom|library|site|state|unpack)$/ }, ({ path }) => ({ path: path.slice(3), namespace: "shared" }));
    bundler.onLoad({ filter: /./, namespace: "shared" }, ({ path }) => ({ contents: `module.exports = ptxcvtPage.${path};` }));
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

/** Bundles files, each as a script or, with `format` "esm", as a module. Also returns the packages inside. A `second` file is
one that a page has loaded; `whole` takes the whole library instead of its parts. */
export async function bundle(files, { format = "iife", whole = false, second = false } = {}) {
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
    define: { "import.meta.url": "''", BUILD: JSON.stringify(BUILD) },
    plugins: second ? [shared, parts(whole)] : [parts(whole)],
  });
  return { files: bundled.outputFiles, packages: await packagesOf(bundled.metafile) };
}
