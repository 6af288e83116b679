// The library's answers, typed. What an answer holds is decided in bindings/wasm.
import init, * as glue from "ptxcvt:glue";
import compressed from "ptxcvt:library";

export interface Problem { start: number; end: number; code: string; message: string; help: string | null }
export interface Cells { kind: string; width: number; lane: number | null; note?: string }
export interface Operand {
  name: string; register: string; ty: string | null; width: number; bits: string; value: string;
  error: string | null; cells: Cells[];
}
export interface Element_ {
  part: string; operand: string; source: string; source_value: string; source_format: string; result: string;
  value: string; format: string; outcome: string; steps: string[]; svg: string | null;
}
export interface Conversion {
  opcode: string; legal: boolean; form: boolean; announced: boolean; syntax: string; problems: Problem[];
  nearest: string[]; operands: Operand[]; elements: Element_[]; account: string;
  result: { bits: string; decimal: string; width: number; register: string; cells: Cells[] } | null;
}
export interface Completion {
  name: string; opcode: string; kind: string; forms: number; legal: number; whole: boolean;
}
export interface Snippets {
  ptx: string; cpp: string; rust: string; python: string; command: string; lowered: boolean;
}
export interface Tables {
  targets: { name: string; since: string; newest: string; announced: boolean }[];
  versions: string[];
  formats: { name: string; about: string; bits: number; integer: boolean }[];
  recipes: {
    name: string; element: string; scale: string; block: [number, number]; about: string; source: string;
    confirmed: string; global: boolean;
  }[];
  codes: { code: string; page: string }[];
}
export interface Legality {
  targets: string[]; versions: string[];
  forms: { opcode: string; destination: string; source: string; announced: boolean; since: number[] }[];
}
export interface Format {
  error: string | null; name: string; about: string; aliases: string[]; types: string[]; bits: number;
  storage: number; fields: [string, number][]; facts: { name: string; value: string; code: string | null }[];
  codes: { code: string; value: string; class: string }[]; line: string | null; has_spacing: boolean;
}
export interface Finding {
  start: number; end: number; line: number; column: number; severity: string; code: string; message: string;
  help: string | null; related: { line: number; message: string } | null;
  fix: { title: string; safe: boolean; edits: { start: number; end: number; text: string }[] } | null;
}
interface Place { target: string; isa: string; but_lines: number[] }
export interface Judgement {
  findings: Finding[]; instructions: number; conversions: number;
  forms: { form: string; count: number; line: number }[]; lowest: Place | null; nearly: Place | null;
}
export interface Port {
  name: string; kind: string; width: number; bits: string; value: string | null; error: string | null;
}
export interface Run {
  error: { message: string; help: string | null; start: number; end: number } | null;
  inputs: Port[]; outputs: Port[]; approximate: boolean;
  steps: { start: number; end: number; text: string; executed: boolean; written: { name: string; bits: string }[] }[];
}
export interface Step { text: string; bits: string; value: string }
export interface Quantized {
  error: string | null; recipe: string; about: string; quantize: string[]; dequantize: string[]; element: string;
  scale_format: string; block: [number, number]; padded: number; given: number; global: Step | null; tensor: Step[];
  scales: Step[]; at: number; amax: Step | null; steps: Step[]; element_steps: Step[];
  elements: { block: number; x: string; x_value: number; code: string; back: string; back_value: number | null }[];
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
