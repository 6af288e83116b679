// The page as `ptxcvt explorer` serves it, under its content security policy.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { file, open, visit, write } from "./page.mjs";

const command = process.env.PTXCVT ?? new URL("../../target/debug/ptxcvt", import.meta.url).pathname;

test("the policy of the server lets everything work", async () => {
  const server = spawn(command, ["explorer", "--no-open", "--page", fileURLToPath(file)], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await new Promise((done) => server.stdout.once("data", (data) => done(String(data).split(/\s/))));
    const page = await visit(line, { requests: /^(data|blob):|^http:\/\/127\.0\.0\.1:/, permissions: ["clipboard-read", "clipboard-write"] });
    await page.waitForFunction(() => performance.getEntriesByName("answered").length > 0);
    await page.getByRole("button", { name: "PNG" }).click();
    await page.waitForFunction(async () => (await navigator.clipboard.read())[0]?.types.includes("image/png"));
    await page.getByRole("link", { name: "PTX", exact: true }).click();
    await write(page, "cvt.rn.e4m3x2.f32 %0, %1, %2;");
    await page.getByRole("region", { name: "Findings" }).getByText("CVT008").waitFor();
  } finally {
    server.kill();
  }
});

test("a worker that does not run is reported", async () => {
  const page = await open();
  await page.evaluate(() => {
    globalThis.Worker = class extends EventTarget {
      constructor() {
        super();
        setTimeout(() => this.dispatchEvent(new Event("error")));
      }
      postMessage() {}
    };
  });
  await page.getByRole("link", { name: "PTX", exact: true }).click();
  await page.getByRole("alert").getByText("The checker does not run here").waitFor();
});
