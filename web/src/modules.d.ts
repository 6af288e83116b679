// The names that build.mjs replaces: the JavaScript of wasm-bindgen, the library, and the program of the worker.

/** The build that the page and its second file belong to. */
declare const BUILD: string;
/** What the page gives its second file. */
declare var ptxcvtPage: import("./part").Page;

declare module "ptxcvt:glue" {
  export default function init(options: { module_or_path: BufferSource | WebAssembly.Module }): Promise<unknown>;
  export function tables(): string;
  export function legality(): string;
  export function legal(target: string, isa: string): Uint8Array;
  export function matching(words: string, to: string, from: string, part: string): Uint8Array;
  export function nearest(words: string): Uint32Array;
  export function machine(target: string, isa: string): string;
  export function version(text: string): string;
  export function understand(text: string): string;
  export function operand_names(opcode: string): string;
  export function complete(opcode: string, target: string, isa: string): string;
  export function convert(opcode: string, operands: string, target: string, isa: string): string;
  export function step(opcode: string, at: number, bits: string, lane: number, exponent: boolean, up: boolean): string;
  export function digits(opcode: string, at: number, text: string): string;
  export function site_path(name: string): string;
  export function copy(opcode: string, operands: string, target: string, isa: string): string;
  export function rounded(value: number, digits: number): string;
  export function picture(opcode: string, operands: string): string;
  export function format(name: string): string;
  export function lines(names: string): string;
  export function spacing(names: string): string;
  export function tokens(lines: string): Uint32Array;
  export function quantize(recipe: string, numbers: string, at: number): string;
  export function tensors(bytes: Uint8Array): string;
  export function tensor_numbers(bytes: Uint8Array, name: string): string;
}
declare module "ptxcvt:sources" {
  export default function init(options: { module_or_path: BufferSource | WebAssembly.Module }): Promise<unknown>;
  export function understand(text: string): string;
  export function open(text: string, language: string, target: string, isa: string): string;
  export function edit(start: number, end: number, text: string): string;
  export function statistics(text: string, language: string, target: string, isa: string): string;
  export function run(text: string, operands: string): string;
}
declare module "ptxcvt:library" {
  /** The library as WebAssembly, packed as `.lzma`, in base64. */
  const packed: string;
  export default packed;
}
declare module "ptxcvt:readers" {
  /** The part of the library behind `ptxcvt:sources`, packed like `ptxcvt:library`. */
  const packed: string;
  export default packed;
}
declare module "ptxcvt:unpacker" {
  /** The WebAssembly that unpacks the library, in base64. */
  const program: string;
  export default program;
}
declare module "ptxcvt:worker" {
  /** The program of `ptx/worker.ts`. */
  const program: string;
  export default program;
}
