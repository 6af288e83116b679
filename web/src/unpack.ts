// The library inside the page.
import compressed from "ptxcvt:library";

/** The library, unpacked and compiled: a worker can start it, too. */
export async function unpack(): Promise<WebAssembly.Module> {
  const bytes = Uint8Array.from(atob(compressed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}
