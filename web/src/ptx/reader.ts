// The part of the library in this file, unpacked once, and what reads other languages with it.
import packed from "ptxcvt:readers";
import type { Understood } from "../library";
import { startSources, understandSource } from "../sources";
import { compile } from "../unpack";

let module: Promise<WebAssembly.Module> | undefined;
let started: Promise<void> | undefined;

export const readers = () => (module ??= compile(packed));

/** Reads what a text of another language converts, as the box of the first view does for PTX. */
export async function reader(): Promise<(text: string) => Understood> {
  await (started ??= readers().then(startSources));
  return understandSource;
}
