// What the page and the worker of the editor say to each other. Answers carry the number of their request.
import type { Judged, Run, Statistics } from "../library";

interface Numbered { number: number }
interface Whole extends Numbered { text: string; language: string; target: string; isa: string }

export type Request =
  | { kind: "start"; library: WebAssembly.Module }
  | ({ kind: "open" } & Whole)
  | ({ kind: "statistics" } & Whole)
  | ({ kind: "edit"; start: number; end: number; text: string } & Numbered)
  | ({ kind: "run"; text: string; operands: string[] } & Numbered);

export type Answer =
  | ({ kind: "judged"; judged: Judged } & Numbered)
  | ({ kind: "statistics"; statistics: Statistics } & Numbered)
  | ({ kind: "run"; run: Run } & Numbered);
