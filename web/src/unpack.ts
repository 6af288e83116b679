// The library inside the page. It is packed as LZMA: browsers unpack gzip themselves, but that is a quarter larger.
import packed from "ptxcvt:library";
import unpacker from "ptxcvt:unpacker";

interface Unpacker {
  memory: WebAssembly.Memory;
  unpacked(from: number, size: number, to: number, length: number): number;
}

const PAGE = 1 << 16;
const bytesOf = (text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
let library: Promise<WebAssembly.Module> | undefined;

/** The library, unpacked and compiled once: a worker can start it, too. */
export const unpack = () => (library ??= compile());

async function compile(): Promise<WebAssembly.Module> {
  const file = bytesOf(packed);
  // The header of an `.lzma` file has the length after five other bytes.
  const length = new DataView(file.buffer).getUint32(5, true);
  const { instance } = await WebAssembly.instantiate(bytesOf(unpacker));
  const { memory, unpacked } = instance.exports as unknown as Unpacker;
  const from = memory.buffer.byteLength;
  const to = from + file.length;
  memory.grow(Math.ceil((file.length + length) / PAGE));
  new Uint8Array(memory.buffer).set(file, from);
  if (!unpacked(from, file.length, to, length)) throw new Error("it is damaged");
  return WebAssembly.compile(new Uint8Array(memory.buffer, to, length));
}
