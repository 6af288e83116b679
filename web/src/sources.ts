// The part of the library that reads whole texts, in PTX or in other languages: the page's second file contains it.
import init, * as glue from "ptxcvt:sources";
import type { Judged, Run, Statistics, Understood } from "./library.js";

/** Starts this part of the library. */
export async function startSources(library: WebAssembly.Module): Promise<void> {
  await init({ module_or_path: library });
}

/** Like `understand` of library.ts, but also reads inline assembly in other languages. */
export const understandSource = (text: string) => JSON.parse(glue.understand(text)) as Understood;
export const open = (text: string, language: string, target: string, isa: string) =>
  JSON.parse(glue.open(text, language, target, isa)) as Judged;
export const edit = (start: number, end: number, text: string) => JSON.parse(glue.edit(start, end, text)) as Judged;
export const statistics = (text: string, language: string, target: string, isa: string) =>
  JSON.parse(glue.statistics(text, language, target, isa)) as Statistics;
export const run = (text: string, operands: string[]) => JSON.parse(glue.run(text, JSON.stringify(operands))) as Run;
