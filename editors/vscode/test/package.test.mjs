// The package: what is in it, that the bundle starts, and that it finds the server.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const folder = fileURLToPath(new URL("../", import.meta.url));

test("vsce makes a package without node_modules, with licence, icon and README", (t) => {
  const offline = spawnSync("npm", ["view", "@vscode/vsce", "version"], { cwd: folder }).status !== 0;
  if (offline && !process.env.VSCE) return t.skip("vsce cannot be downloaded");
  const packed = spawnSync("npm", ["run", "--silent", "package"], { cwd: folder, encoding: "utf8" });
  assert.equal(packed.status, 0, packed.stderr + packed.stdout);
  // A package is a zip archive: the names are in its directory at the end.
  const zip = readFileSync(new URL("../out/ptxcvt.vsix", import.meta.url));
  const names = [];
  for (let at = zip.indexOf("PK\x01\x02", 0, "latin1"); at >= 0; at = zip.indexOf("PK\x01\x02", at + 4, "latin1")) {
    names.push(zip.toString("utf8", at + 46, at + 46 + zip.readUInt16LE(at + 28)));
  }
  const files = names.filter((name) => name.startsWith("extension/")).map((name) => name.slice(10).toLowerCase());
  assert.deepEqual(files.sort(), [
    "icons/ptxcvt.png", "language-configuration.json", "license.md", "out/extension.js", "out/third-party-licenses", "package.json", "readme.md", "syntaxes/ptx.tmlanguage.json",
  ]);
  assert.ok(zip.length < 400_000, `${zip.length} bytes`);
});

test("each package in the bundle has its licence in the package", () => {
  const { metafile } = buildSync({
    entryPoints: [`${folder}src/extension.ts`], absWorkingDir: folder, bundle: true, platform: "node", external: ["vscode"], write: false, metafile: true,
  });
  const names = new Set(Object.keys(metafile.inputs).map((path) => path.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]).filter(Boolean));
  assert.ok(names.has("vscode-languageclient"), [...names].join());
  const licences = readFileSync(new URL("../out/THIRD-PARTY-LICENSES", import.meta.url), "utf8");
  for (const name of names) {
    const text = licences.split(/^=+\n/m).find((_, at, all) => all[at - 1]?.startsWith(`${name} `));
    assert.match(text ?? "", /permission|licen[cs]e/i, name);
  }
});

test("the bundle needs nothing but VS Code, and starts", async () => {
  const bundle = new URL("../out/extension.js", import.meta.url);
  assert.ok(existsSync(bundle), "npm run build");
  // A stand-in for VS Code: every name is a class, a function and an object.
  const anything = () => new Proxy(class {}, { get: (of, name) => (name in of ? of[name] : (of[name] = anything())) });
  const commands = [];
  const vscode = anything();
  vscode.workspace = { getConfiguration: () => ({ get: (_, otherwise) => otherwise }), onDidChangeConfiguration: () => ({}) };
  vscode.commands = { registerCommand: (name) => commands.push(name) };
  vscode.window = { showErrorMessage: () => {} };
  const { _load } = Module;
  const imported = new Set();
  Module._load = function (name, ...rest) {
    if (name === "vscode") return vscode;
    if (!name.startsWith("node:")) imported.add(name);
    return _load.call(this, name, ...rest);
  };
  try {
    const extension = createRequire(import.meta.url)(fileURLToPath(bundle));
    assert.equal(typeof extension.activate, "function");
    assert.equal(typeof extension.deactivate, "function");
  } finally {
    Module._load = _load;
  }
  assert.deepEqual([...imported].filter((name) => name.startsWith(".") || (!name.startsWith("/") && !Module.builtinModules.includes(name))), []);
});

test("the server is found on the path or next to the extension", async () => {
  const made = buildSync({ entryPoints: [`${folder}src/server.ts`], bundle: true, platform: "node", format: "esm", write: false });
  const { findServer } = await import(`data:text/javascript,${encodeURIComponent(made.outputFiles[0].text)}`);
  const has = (...files) => (file) => files.includes(file);
  assert.equal(findServer("ptxcvt", "/ext", "/usr/bin", false, has("/usr/bin/ptxcvt", "/ext/server/ptxcvt")), "ptxcvt");
  assert.equal(findServer("ptxcvt", "/ext", "/usr/bin", false, has("/ext/server/ptxcvt")), "/ext/server/ptxcvt");
  assert.equal(findServer("ptxcvt", "/ext", "", true, has("/ext/server/ptxcvt.exe")), "/ext/server/ptxcvt.exe");
  assert.equal(findServer("ptxcvt", "/ext", "/usr/bin", false, has()), "ptxcvt");
  assert.equal(findServer("/opt/ptxcvt", "/ext", "/usr/bin", false, has("/ext/server/ptxcvt")), "/opt/ptxcvt");
});
