// The visible text in pieces of one colour each, with the notes that follow its lines.
import { h } from "../dom";
import { tables, tokens } from "../library";
import { places } from "./places";

export interface Mark { from: number; to: number; severity: string; message: string }

/** Paints `slice`, which begins at place `from` and line `first` of the text. */
export function paint(
  slice: string, from: number, first: number, coloured: boolean, marks: Mark[], wrote: Map<number, string>,
): (Node | string)[] {
  const classes: (string | undefined)[] = new Array(slice.length);
  if (coloured) {
    const place = places(slice);
    const found = tokens(slice);
    const { kinds } = tables();
    for (let at = 0; at < found.length; at += 3) {
      const begin = found[at] ?? 0;
      classes.fill(kinds[found[at + 2] ?? 0], place(begin), place(begin + (found[at + 1] ?? 0)));
    }
  }
  const near = marks.filter((mark) => mark.to >= from && mark.from <= from + slice.length);
  for (const { from: begin, to, severity } of near) {
    for (let at = Math.max(0, begin - from); at < Math.min(slice.length, to - from); at++) classes[at] = `${classes[at] ?? ""} marked ${severity}`;
  }
  const pieces: (Node | string)[] = [];
  let begin = 0;
  let line = first;
  let lineStart = 0;
  const flush = (to: number) => {
    if (to > begin) pieces.push(piece(slice.slice(begin, to), classes[begin]));
    begin = to;
  };
  for (let at = 0; at <= slice.length; at++) {
    if (at === slice.length || slice[at] === "\n") {
      flush(at);
      const written = wrote.get(line++);
      const note = near.find((mark) => mark.from >= from + lineStart && mark.from <= from + at);
      if (written) pieces.push(h("span", { class: "wrote" }, written));
      if (note) pieces.push(h("span", { class: `inline ${note.severity}` }, note.message.replaceAll("`", "")));
      lineStart = at + 1;
    } else if (at > begin && classes[at] !== classes[begin]) flush(at);
  }
  return pieces;
}

function piece(text: string, kinds: string | undefined): Node | string {
  return kinds ? h(kinds.includes("marked") ? "mark" : "span", { class: `t-${kinds.trim()}` }, text) : text;
}
