// The types of the library's answers, which bindings/wasm and crates/ptxcvt-report define. bindings/wasm/tests/answers
// compares them. If `error` of an answer is not null, the other fields are empty, null or missing.
import init, * as glue from "ptxcvt:glue";
import compressed from "ptxcvt:library";

export interface Problem { code: string; message: string }
export interface Mark { start: number; end: number; help: string | null }
export interface Cells { kind: string; width: number; lane: number | null; note?: string }
export interface Operand {
  name: string; register: string; ty: string | null; width: number; bits: string; value: string;
  error: string | null; cells: Cells[];
}
export interface CodeValue { code: string; value: string }
export interface Element_ {
  part: string; operand: string; source: string; source_value: string; result: string; value: string; outcome: string;
  neighbours: [CodeValue, CodeValue] | null; flushed: boolean; relu: boolean; pzo: boolean; sign_dropped: boolean;
  scale: string | null; random: { value: string; bits: number } | null; nan_rule: string | null;
}
export interface Drawing { source_format: string; format: string; steps: string[]; svg: string | null }
export interface Conversion {
  opcode: string; legal: boolean; since: { isa: string; targets: string[] }[]; announced: boolean; problems: Problem[];
  nearest: string[]; marks: Mark[]; form: boolean; syntax: string; operands: Operand[];
  evaluation: { opcode: string; result: string; width: number; decimal: number; elements: Element_[] } | null;
  destination: { register: string; cells: Cells[] } | null; drawings: Drawing[]; account: string;
}
export interface Completion {
  name: string; opcode: string; kind: string; forms: number; legal: number; whole: boolean;
}
export interface Snippets {
  ptx: string; cpp: string; rust: string; python: string; command: string; lowered: boolean;
}
export interface Recipe {
  name: string; element: string; block: [number, number]; scale: string; global_scale: boolean; nan: string;
  ragged: string; layout: string; quantize: string[]; dequantize: string[]; about: string; source: string; confirmed: string;
}
export interface Description {
  name: string; about: string; bits: number; storage: number; signed: boolean; exponent_bits: number | null;
  fraction_bits: number | null; bias: number | null; max_finite: string; min_positive: string; infinity: boolean;
  types: string[]; codes: CodeValue[];
}
export interface Tables {
  targets: { name: string; since: string; newest: string; announced: boolean }[];
  versions: string[];
  formats: Description[];
  recipes: Recipe[];
  codes: { code: string; page: string }[];
}
export interface Legality {
  targets: string[]; versions: string[];
  forms: {
    opcode: string; operands: string[]; syntax: string; since: Record<string, string>; instruction: string;
    rounding: string | null; modifiers: string[]; destination: string; source: string; announced: boolean;
  }[];
}
export interface Format extends Description {
  error: string | null; aliases: string[]; fields: [string, number][];
  facts: { name: string; value: string; code: string | null }[]; classes: string[]; line: string | null;
  has_spacing: boolean;
}
interface Place { line: number; column: number; end_line: number; end_column: number; start: number; end: number }
interface Edit extends Place { text: string }
export interface Finding extends Place {
  file: string; severity: string; code: string; message: string; help: string | null;
  related: { line: number; column: number; message: string } | null;
  fix: { title: string; applicability: "safe" | "unsafe"; edits: Edit[] } | null;
}
interface Lowest { target: string; isa: string; but_lines: number[] }
export interface Judgement {
  file: string; snippet: boolean; findings: Finding[]; errors: number; instructions: number; conversions: number;
  forms: { form: string; count: number; line: number }[]; lowest: Lowest | null; nearly: Lowest | null;
  not_judged: Record<string, number>;
}
export interface Port { name: string; kind: string; width: number; bits: string; value: string | null }
export interface Input extends Port { error: string | null }
export interface Run {
  error: { message: string; help: string | null; start: number; end: number } | null;
  inputs: Input[]; outputs: Port[]; approximate: boolean;
  steps: { start: number; end: number; text: string; executed: boolean; written: { name: string; bits: string }[] }[];
}
export interface Step { text: string; bits: string; value: string }
export interface QuantizedElement {
  block: number; x: string; x_value: number | null; code: string; back: string; back_value: number | null;
}
export interface Quantized {
  error: string | null; recipe: Recipe; padded: number; given: number; global: Step | null; tensor: Step[];
  scales: Step[]; at: number; amax: Step; steps: Step[]; element_steps: Step[];
  elements: QuantizedElement[];
}

/** Unpacks and starts the library. */
export async function start(): Promise<void> {
  const bytes = Uint8Array.from(atob(compressed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  await init({ module_or_path: await new Response(stream).arrayBuffer() });
}

const once = <T>(make: () => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};
export const tables = once(() => JSON.parse(glue.tables()) as Tables);
export const legality = once(() => JSON.parse(glue.legality()) as Legality);
export const complete = (opcode: string, target: string, isa: string) =>
  JSON.parse(glue.complete(opcode, target, isa)) as Completion[];
export const convert = (opcode: string, operands: string[], target: string, isa: string) =>
  JSON.parse(glue.convert(opcode, operands.join("\n"), target, isa)) as Conversion;
export const evalLine = glue.eval_line;
export const snippets = (opcode: string, operands: string[], target: string, isa: string) =>
  JSON.parse(glue.copy(opcode, operands.join("\n"), target, isa)) as Snippets;
export const format = (name: string) => JSON.parse(glue.format(name)) as Format;
export const spacing = (names: string[]) => glue.spacing(names.join(" "));
export const check = (text: string, target: string, isa: string, snippet: boolean) =>
  JSON.parse(glue.check(text, target, isa, snippet)) as Judgement;
export const run = (text: string, operands: string[]) => JSON.parse(glue.run(text, operands.join("\n"))) as Run;
export const quantize = (recipe: string, numbers: string, at: number) =>
  JSON.parse(glue.quantize(recipe, numbers, at)) as Quantized;
