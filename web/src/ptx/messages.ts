// What the page and the worker of the editor say to each other. Answers carry the number of their request.
import type { Judged, Run, Statistics } from "../library";

interface Numbered { number: number }
interface Whole extends Numbered { text: string; language: string; target: string; isa: string }

/** The rows of the table of a run: the editor shows the values of all lines. */
export const ROWS = 200;

/** A run without the steps that are not in the table, of which the page needs only the values: objects for thousands of steps
 * would have to be copied between the threads. */
export interface Ran {
  run: Run;
  /** How many steps there are. */
  count: number;
  /** The places where the lines with values begin, in their order, and their values, one line for each. */
  lines: Int32Array;
  values: string;
}

export type Request =
  | { kind: "start"; library: WebAssembly.Module }
  | ({ kind: "open" } & Whole)
  | ({ kind: "statistics" } & Whole)
  | ({ kind: "edit"; start: number; end: number; text: string } & Numbered)
  | ({ kind: "run"; text: string; operands: string[] } & Numbered);

export type Answer =
  | ({ kind: "judged"; judged: Judged } & Numbered)
  | ({ kind: "statistics"; statistics: Statistics } & Numbered)
  | ({ kind: "run"; ran: Ran } & Numbered);
