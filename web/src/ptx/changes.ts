// Changes of the text as the worker takes them: one part in bytes, and what replaces it.
import type { ChangeSet, Text } from "@codemirror/state";

/** The part of a text that `changes` replaced, from the first to the last of them, and what there is now. */
export function replaced(changes: ChangeSet, before: Text, after: Text): { start: number; end: number; text: string } {
  if (changes.empty) return { start: 0, end: 0, text: "" };
  let [from, to, end] = [before.length, 0, 0];
  changes.iterChangedRanges((fromA, toA, _, toB) => {
    from = Math.min(from, fromA);
    [to, end] = [toA, toB];
  });
  // A character of two units is replaced whole.
  const splits = (text: Text, at: number) => at > 0 && /[\uDC00-\uDFFF]/.test(text.sliceString(at, at + 1));
  if (splits(before, from) || splits(after, from)) from--;
  if (splits(before, to) || splits(after, end)) [to, end] = [to + 1, end + 1];
  const start = bytes(before.sliceString(0, from));
  return { start, end: start + bytes(before.sliceString(from, to)), text: after.sliceString(from, end) };
}

const encoder = new TextEncoder();
const bytes = (text: string) => encoder.encode(text).length;
