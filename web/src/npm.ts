// The module of the npm package: the library, which starts without arguments.
import { start as begin } from "./library.js";
import { unpack } from "./unpack";

export * from "./library.js";
export { edit, open, run, statistics } from "./sources.js";

/** Unpacks and starts the library. The other functions need it. */
export async function start(): Promise<void> {
  await begin(await unpack());
}
