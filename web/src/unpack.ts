// The library inside the page, and its part in the second file. Both are packed as LZMA: browsers unpack gzip themselves, but that is a quarter larger.
import packed from "ptxcvt:library";
import unpacker from "ptxcvt:unpacker";

interface Unpacker {
  memory: WebAssembly.Memory;
  unpacked(from: number, size: number, to: number, length: number): number;
  joined(from: number, size: number, to: number): number;
}

const PAGE = 1 << 16;
const bytesOf = (text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
let library: Promise<WebAssembly.Module> | undefined;

/** The library, unpacked and compiled once. */
export const unpack = () => (library ??= compile(packed));

/** Unpacks and compiles a module: a worker can start it, too. */
export async function compile(packed: string): Promise<WebAssembly.Module> {
  const file = bytesOf(packed);
  // The header of an `.lzma` file has the length after five other bytes.
  const length = new DataView(file.buffer).getUint32(5, true);
  const { instance } = await WebAssembly.instantiate(bytesOf(unpacker));
  const { memory, unpacked, joined } = instance.exports as unknown as Unpacker;
  const room = (size: number) => memory.grow(Math.ceil(size / PAGE)) * PAGE;
  const from = room(file.length);
  new Uint8Array(memory.buffer).set(file, from);
  const split = room(length);
  if (!unpacked(from, file.length, split, length)) throw new Error("it is damaged");
  // The code is split into streams; the whole has the length in its first four bytes.
  const size = new DataView(memory.buffer).getUint32(split, true);
  const whole = room(size);
  if (!joined(split, length, whole)) throw new Error("it is damaged");
  return WebAssembly.compile(new Uint8Array(memory.buffer, whole, size));
}
