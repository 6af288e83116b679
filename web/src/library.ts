// The types of the library's answers, which bindings/wasm and crates/ptxcvt-report define. bindings/wasm/tests/answers
// compares them. If `error` of an answer is not null, the other fields are empty, null or missing.
import init, * as glue from "ptxcvt:glue";

export interface Problem { code: string; message: string }
export interface Mark { start: number; end: number }
export interface Cells { kind: string; width: number; lane: number | null; note?: string }
export interface Operand {
  name: string; register: string; ty: string | null; width: number; bits: string | null; text: string; value: string;
  error: string | null; note: string | null; cells: Cells[];
}
export interface Word { start: number; end: number; kind: string; about: string | null }
export interface Choice { name: string; chosen: boolean; opcode: string }
export interface Menus { destinations: Choice[]; sources: Choice[]; roundings: Choice[]; modifiers: Choice[] }
export interface Lowered {
  target: string; isa: string; text: string; instructions: number; variant: string; proven: boolean; proof: string;
  commands: string;
}
export interface Understood {
  opcode: string; at: number | null; operands: (string | null)[]; meaning: string | null; problem: string | null; steps: string[];
  recipes: string[]; numbers: string;
  /** The language of a text that only `understand` of sources.ts reads; always null in the npm package. */
  unread: string | null;
}
export interface CodeValue { code: string; value: string }
export interface Element_ {
  part: string; operand: string; source: string; source_value: string; result: string; value: string; outcome: string;
  neighbours: [CodeValue, CodeValue] | null; flushed: boolean; relu: boolean; pzo: boolean; sign_dropped: boolean;
  scale: string | null; random: { value: string; bits: number } | null; nan_rule: string | null;
}
export interface Drawing { source_format: string; format: string; outcome: string; steps: string[]; svg: string | null }
export interface Conversion {
  error?: string; words: Word[]; menus: Menus | null; lowering: Lowered | null;
  opcode: string; legal: boolean; since: { isa: string; targets: string[] }[]; announced: boolean; problems: Problem[];
  nearest: string[]; verdict: string | null; help: string | null; marks: Mark[]; form: boolean; syntax: string; operands: Operand[];
  evaluation: { opcode: string; result: string; width: number; decimal: number; elements: Element_[] } | null;
  destination: { register: string; cells: Cells[] } | null; drawings: Drawing[]; account: string;
}
export interface Completion {
  name: string; opcode: string; kind: string; forms: number; legal: number; whole: boolean;
}
export interface Snippets {
  error?: string;
  ptx: string; cpp: string; rust: string; python: string; command: string;
}
export interface Recipe {
  name: string; element: string; block: [number, number]; scale: string; global_scale: boolean; row_scaled: boolean; nan: string;
  ragged: string; layout: string; quantize: string[]; dequantize: string[]; about: string; source: string; confirmed: string;
}
export interface Description {
  name: string; about: string; bits: number; storage: number; signed: boolean; exponent_bits: number | null;
  fraction_bits: number | null; bias: number | null; max_finite: string; min_positive: string; infinity: boolean;
  types: string[]; codes: CodeValue[];
}
export interface Tables {
  targets: { name: string; introduced: string; withdrawn: string | null; renamed: string | null; announced: boolean }[];
  versions: string[];
  formats: Description[];
  recipes: Recipe[];
  codes: { code: string; page: string }[];
  languages: { name: string; title: string }[];
  kinds: string[];
  version: string;
}
export interface Legality {
  targets: string[]; versions: string[];
  forms: {
    opcode: string; operands: string[]; syntax: string; manual: string; since: Record<string, string>; instruction: string;
    rounding: string | null; modifiers: string[]; destination: string; source: string; announced: boolean;
  }[];
}
export interface Format extends Description {
  error: string | null; aliases: string[]; fields: [string, number][];
  facts: { name: string; value: string; code: string | null }[]; shown: string[]; classes: string[]; line: string | null;
  convert: string | null;
}
interface Place { line: number; column: number; end_line: number; end_column: number; start: number; end: number }
interface Edit extends Place { text: string }
export interface Finding extends Place {
  file: string; severity: string; code: string; message: string; help: string | null;
  related: { line: number; column: number; message: string } | null;
  fix: { title: string; applicability: "safe" | "unsafe"; edits: Edit[] } | null;
}
interface Lowest { target: string; isa: string; but_lines: number[] }
export interface Judged {
  error?: string; language: string; snippet: boolean; findings: Finding[]; count: number; more: boolean;
}
export interface Statistics {
  error?: string; file: string; language: string; errors: number; instructions: number; conversions: number;
  forms: { form: string; count: number; line: number }[]; targets: string[]; not_legal: number; syntax_errors: number; lowest: Lowest | null; nearly: Lowest | null;
  contents: string; left_out: string[]; not_judged: Record<string, number>; strings: number; judged_strings: number; judged: Judged;
}
export interface Port { name: string; kind: string; width: number; bits: string; value: string | null }
export interface Input extends Port { note: string | null; error: string | null }
export interface Run {
  error: { message: string; help: string | null; start: number; end: number } | null;
  inputs: Input[]; outputs: Port[]; approximate: boolean;
  steps: { start: number; end: number; text: string; executed: boolean; written: { name: string; bits: string }[] }[];
}
export interface Step { text: string; bits: string; value: string }
export interface QuantizedElement {
  block: number; x: string; code: string; back: string; error: number | null; lost: boolean;
}
export interface Quantized {
  error: string | null; notes: string[]; recipe: Recipe; seed: number | null; rows: number; padded: number; given: number; global: Step | null; tensor: Step[];
  scales: Step[]; at: number; amax: Step; steps: Step[]; element_steps: Step[];
  elements: QuantizedElement[]; mean_square_error: number | null;
}

export interface Tensors { error: string | null; names: string[] }
export interface TensorNumbers { error: string | null; numbers: string[]; given: number; columns: number }

/** Starts the library. */
export async function start(library: WebAssembly.Module): Promise<void> {
  await init({ module_or_path: library });
}

const once = <T>(make: () => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};
export const tables = once(() => JSON.parse(glue.tables()) as Tables);
export const legality = once(() => JSON.parse(glue.legality()) as Legality);
/** For each form of `legality`, whether it is legal on a target at a version, which may be empty. */
export const legal = (target: string, isa: string) => glue.legal(target, isa);
/** For each form of `legality`, 1 if it has the words of a search, the types, and the rounding or modifier. */
export const matching = (words: string, to: string, from: string, part: string) => glue.matching(words, to, from, part);
/** The indices in `legality` of the forms nearest to the words of a search. */
export const nearest = (words: string) => [...glue.nearest(words)];
/** What is wrong with a target and a version; empty if both exist. */
export const machineError = (target: string, isa: string) => glue.machine(target, isa);
/** The usual spelling of a version; other texts are unchanged. */
export const version = (text: string) => glue.version(text);
export const understand = (text: string) => JSON.parse(glue.understand(text)) as Understood;
export const complete = (opcode: string, target: string, isa: string) =>
  JSON.parse(glue.complete(opcode, target, isa)) as Completion[];
/** The names of the source operands of a form, as PTX has them; none of what is not a form. */
export const operandNames = (opcode: string) => glue.operand_names(opcode).split(" ").filter(Boolean);
/** Operands that are missing or null are replaced by examples. */
export const convert = (opcode: string, operands: (string | null)[], target: string, isa: string) =>
  JSON.parse(glue.convert(opcode, JSON.stringify(operands), target, isa)) as Conversion;
/** The bits of an operand after a step to the next number, or to twice or half the magnitude. */
export const step = (opcode: string, at: number, bits: string, lane: number, exponent: boolean, up: boolean) =>
  glue.step(opcode, at, bits, lane, exponent, up);
/** The text of an operand from a field for its bits: hexadecimal digits get their prefix. */
export const digits = (opcode: string, at: number, text: string) => glue.digits(opcode, at, text);
/** The path on the site of the page of a form, a format, a recipe or a code. */
export const sitePath = (name: string) => glue.site_path(name);
export const snippets = (opcode: string, operands: string[], target: string, isa: string) =>
  JSON.parse(glue.copy(opcode, JSON.stringify(operands), target, isa)) as Snippets;
/** A number in at most that many digits, with `≈` if that rounds it. */
export const rounded = (value: number, digits: number) => glue.rounded(value, digits);
export const drawing = (opcode: string, operands: string[]) => glue.picture(opcode, JSON.stringify(operands));
export const format = (name: string) => JSON.parse(glue.format(name)) as Format;
/** The positive numbers of some narrow formats on one axis. */
export const lines = (names: string[]) => glue.lines(names.join(" "));
export const spacing = (names: string[]) => glue.spacing(names.join(" "));
/** Tokens of some lines: for each its first byte, its length and its kind. */
export const tokens = (lines: string) => glue.tokens(lines);
export const quantize = (recipe: string, numbers: string, at: number) =>
  JSON.parse(glue.quantize(recipe, numbers, at)) as Quantized;
/** The tensors of a file. */
export const tensors = (bytes: Uint8Array) => JSON.parse(glue.tensors(bytes)) as Tensors;
/** The first numbers of a tensor. */
export const tensorNumbers = (bytes: Uint8Array, name: string) => JSON.parse(glue.tensor_numbers(bytes, name)) as TensorNumbers;
