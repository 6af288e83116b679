// The editor: a text area that grows, with a layer behind it that draws only the visible lines: colours, findings, and
// the values that the lines computed.
import { fill, h } from "../dom";
import { tables, tokens } from "../library";
import { places } from "./places";

const LINE = 21;
const MOST_LINES = 28;

export interface Mark { from: number; to: number; severity: string; message: string }

export class Editor {
  readonly element: HTMLElement;
  readonly text = h("textarea", { "aria-label": "PTX", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off" });
  private back = h("div", { class: "back", "aria-hidden": "true" });
  private gutter = h("div", { class: "gutter", "aria-hidden": "true" });
  private starts: number[] = [0];
  private marks: Mark[] = [];
  private wrote = new Map<number, string>();
  private coloured = true;

  constructor(written: () => void) {
    this.element = h("div", { class: "editor mono" }, this.back, this.text, this.gutter);
    this.text.addEventListener("input", () => {
      // Until the next answer the old marks would be at wrong places.
      this.marks = [];
      this.wrote.clear();
      this.changed();
      written();
    });
    this.text.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  set(text: string): void {
    if (this.text.value === text) return;
    this.text.value = text;
    this.changed();
  }

  /** Shows findings, and whether the text is PTX, which is coloured. */
  judge(marks: Mark[], coloured: boolean): void {
    this.marks = marks.toSorted((a, b) => a.from - b.from);
    this.coloured = coloured;
    this.draw();
  }

  /** Shows after each line what its instructions wrote; the key is a place in the line. */
  values(wrote: Map<number, string>): void {
    this.wrote = new Map([...wrote].map(([place, text]) => [this.lineOf(place), text]));
    this.draw();
  }

  lineOf(place: number): number {
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private changed(): void {
    const text = this.text.value;
    const starts = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.starts = starts;
    const lines = Math.max(6, Math.min(MOST_LINES, starts.length + 1));
    this.element.style.height = `${lines * LINE + 26}px`;
    this.element.style.setProperty("--digits", String(Math.max(2, String(starts.length).length)));
    this.draw();
  }

  draw(): void {
    const { scrollTop, scrollLeft, clientHeight } = this.text;
    const first = Math.max(0, Math.floor((scrollTop - 12) / LINE) - 2);
    const last = Math.min(this.starts.length, first + Math.ceil((clientHeight || 600) / LINE) + 5);
    const from = this.starts[first] ?? 0;
    const to = (this.starts[last] ?? this.text.value.length + 1) - 1;
    const slice = this.text.value.slice(from, to);
    const top = `translate(${-scrollLeft}px, ${first * LINE - scrollTop}px)`;
    const lines = h("pre", { style: `transform:${top}` }, ...this.pieces(slice, from, first));
    fill(this.back, lines);
    const numbers = Array.from({ length: last - first }, (_, at) => first + at + 1).join("\n");
    fill(this.gutter, h("pre", { style: `transform:translateY(${first * LINE - scrollTop}px)` }, numbers));
  }

  /** The visible text in pieces of one colour each. */
  private pieces(slice: string, from: number, first: number): (Node | string)[] {
    const classes: (string | undefined)[] = new Array(slice.length);
    if (this.coloured) {
      const place = places(slice);
      const found = tokens(slice);
      const { kinds } = tables();
      for (let at = 0; at < found.length; at += 3) {
        const begin = found[at] ?? 0;
        classes.fill(kinds[found[at + 2] ?? 0], place(begin), place(begin + (found[at + 1] ?? 0)));
      }
    }
    for (const { from: begin, to, severity } of this.marks) {
      for (let at = Math.max(0, begin - from); at < Math.min(slice.length, to - from); at++) classes[at] = `${classes[at] ?? ""} marked ${severity}`;
    }
    const pieces: (Node | string)[] = [];
    let begin = 0;
    let line = first;
    const flush = (to: number) => {
      if (to > begin) pieces.push(piece(slice.slice(begin, to), classes[begin]));
      begin = to;
    };
    for (let at = 0; at <= slice.length; at++) {
      if (at === slice.length || slice[at] === "\n") {
        flush(at);
        const wrote = this.wrote.get(line++);
        const notes = this.marks.filter((mark) => mark.from >= from + (slice.lastIndexOf("\n", at - 1) + 1) && mark.from <= from + at);
        if (wrote) pieces.push(h("span", { class: "wrote" }, wrote));
        if (notes[0]) pieces.push(h("span", { class: `inline ${notes[0].severity}` }, notes[0].message));
      } else if (at > begin && classes[at] !== classes[begin]) flush(at);
    }
    return pieces;
  }
}

function piece(text: string, kinds: string | undefined): Node | string {
  return kinds ? h(kinds.includes("marked") ? "mark" : "span", { class: `t-${kinds.trim()}` }, text) : text;
}
