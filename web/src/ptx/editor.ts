// The editor: a text area that grows, above a layer that draws only the visible lines: colours, findings, and the values
// that the lines computed.
import { fill, h } from "../dom";
import { paint, type Mark } from "./paint";
import { Windowed } from "./windowed";

const LINE = 21;
const MOST_LINES = 28;
const EDGE = 12;

export class Editor {
  readonly element: HTMLElement;
  private back = h("pre", { class: "back", "aria-hidden": "true" });
  private numbers = h("pre", {});
  private inner: HTMLElement;
  private gutter = h("div", { class: "gutter", "aria-hidden": "true" }, this.numbers);
  private lines: Windowed;
  private marks: Mark[] = [];
  private wrote = new Map<number, string>();
  private coloured = true;
  private columns = 0;

  constructor(private written: () => void) {
    this.lines = new Windowed(() => this.edited());
    this.inner = h("div", { class: "inner" }, this.back, this.lines.area, this.gutter);
    this.element = h("div", { class: "editor mono" }, this.inner);
    this.element.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  get text(): string {
    return this.lines.text;
  }

  set(text: string): void {
    if (this.lines.text === text) return;
    this.lines.set(text);
    this.changed();
  }

  /** Replaces parts, which are in order, as if they had been typed. */
  replace(edits: { start: number; end: number; to: string }[]): void {
    this.lines.replace(edits);
    this.edited();
    this.lines.area.focus();
  }

  /** Selects a part and scrolls to it. */
  go(from: number, to: number): void {
    const line = this.lines.lineOf(from);
    this.element.scrollTop = Math.max(0, (line - 5) * LINE);
    this.draw();
    this.lines.select(from, to);
  }

  /** Shows findings, and whether the text is PTX, which is coloured. */
  judge(marks: Mark[], coloured: boolean): void {
    this.marks = marks.toSorted((a, b) => a.from - b.from);
    this.coloured = coloured;
    this.draw();
  }

  /** Shows after each line what its instructions wrote; the key is a place in the line. */
  values(wrote: Map<number, string>): void {
    this.wrote = new Map([...wrote].map(([place, text]) => [this.lines.lineOf(place), text]));
    this.draw();
  }

  private edited(): void {
    // Until the next answer the old marks would be at wrong places.
    this.marks = [];
    this.wrote.clear();
    this.changed();
    this.written();
  }

  private changed(): void {
    const count = this.lines.starts.length;
    this.columns = 0;
    this.element.style.height = `${Math.max(6, Math.min(MOST_LINES, count + 1)) * LINE + 2 * EDGE + 2}px`;
    this.inner.style.height = `${count * LINE + 2 * EDGE}px`;
    this.element.style.setProperty("--digits", String(Math.max(2, String(count).length)));
    this.draw();
  }

  private draw(): void {
    const { scrollTop, clientHeight } = this.element;
    const { starts } = this.lines;
    const first = Math.max(0, Math.min(starts.length - 1, Math.floor((scrollTop - EDGE) / LINE) - 2));
    const last = Math.min(starts.length, first + Math.ceil((clientHeight || 600) / LINE) + 5);
    this.lines.show(first, last);
    const { area, first: top, count } = this.lines;
    area.style.top = `${top * LINE}px`;
    area.style.height = `${count * LINE + 2 * EDGE}px`;
    const slice = this.lines.slice(first, last);
    this.columns = Math.max(this.columns, ...slice.split("\n").map((line) => line.length));
    this.inner.style.setProperty("--columns", String(this.columns + 2));
    this.back.style.top = this.numbers.style.top = `${first * LINE}px`;
    fill(this.back, ...paint(slice, starts[first] ?? 0, first, this.coloured, this.marks, this.wrote));
    this.numbers.textContent = Array.from({ length: last - first }, (_, at) => first + at + 1).join("\n");
  }
}
