// The names that build.mjs replaces: the JavaScript of wasm-bindgen, and the library.
declare module "ptxcvt:glue" {
  export default function init(options: { module_or_path: BufferSource }): Promise<unknown>;
  export function tables(): string;
  export function legality(): string;
  export function complete(opcode: string, target: string, isa: string): string;
  export function convert(opcode: string, operands: string, target: string, isa: string): string;
  export function eval_line(line: string): string;
  export function copy(opcode: string, operands: string, target: string, isa: string): string;
  export function format(name: string): string;
  export function spacing(names: string): string;
  export function check(text: string, target: string, isa: string, snippet: boolean): string;
  export function run(text: string, operands: string): string;
  export function quantize(recipe: string, numbers: string, at: number): string;
}
declare module "ptxcvt:library" {
  /** The library as WebAssembly, gzipped, in base64. */
  const compressed: string;
  export default compressed;
}
