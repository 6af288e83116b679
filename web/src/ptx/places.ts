// Converts offsets in bytes, as the library counts, to indexes in a JavaScript string.

export function places(text: string): (byte: number) => number {
  if (/^[\x00-\x7f]*$/.test(text)) return (byte) => Math.min(byte, text.length);
  const at: number[] = [];
  let unit = 0;
  for (const c of text) {
    const point = c.codePointAt(0) ?? 0;
    for (let i = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4; i > 0; i--) at.push(unit);
    unit += c.length;
  }
  return (byte) => at[byte] ?? text.length;
}
