// Packs styles, program and library (compressed) into one file that needs no server, because a page that was opened
// from a folder may not fetch other files.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const out = new URL("../target/web/", import.meta.url);
const glue = new URL("glue/", out);
await mkdir(out, { recursive: true });

const library = {
  name: "library",
  setup(bundler) {
    bundler.onResolve({ filter: /^ptxcvt:glue$/ }, () => ({ path: new URL("ptxcvt.js", glue).pathname }));
    bundler.onResolve({ filter: /^ptxcvt:library$/ }, (args) => ({ path: args.path, namespace: "library" }));
    bundler.onLoad({ filter: /.*/, namespace: "library" }, async () => {
      const wasm = gzipSync(await readFile(new URL("ptxcvt_bg.wasm", glue)), { level: 9 });
      return { contents: `export default "${wasm.toString("base64")}"` };
    });
  },
};

const bundled = await build({
  entryPoints: [new URL("src/main.ts", import.meta.url).pathname, new URL("src/page.css", import.meta.url).pathname],
  outdir: out.pathname,
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2022",
  define: { "import.meta.url": "''" },
  plugins: [library],
});

const text = (ending) => bundled.outputFiles.find((file) => file.path.endsWith(ending)).text;
const page = await readFile(new URL("src/index.html", import.meta.url), "utf8");
const whole = page
  .replace("/*styles*/", () => text(".css").trim())
  .replace("/*program*/", () => text(".js").trim().replaceAll("</script", "<\\/script"));
await writeFile(new URL("index.html", out), whole);
