// A text area that holds a whole text or, if it is long, the lines around the visible ones: a browser lays out every line
// of a text area after each keystroke.
import { h } from "../dom";

/** Texts with more lines are shown in part. */
const WHOLE = 2000;
/** The lines before and after the visible ones. */
const AROUND = 150;

export class Windowed {
  readonly area = h("textarea", { "aria-label": "PTX", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off" });
  text = "";
  /** The place of the first character of each line. */
  starts: number[] = [0];
  /** The first line in the area, and how many there are. */
  first = 0;
  count = 1;
  private from = 0;
  private to = 0;
  /** The whole text was selected, not only the lines in the area. */
  private all = false;

  constructor(private edited: () => void) {
    this.area.addEventListener("input", () => {
      this.all = false;
      this.take(this.area.value);
      this.edited();
    });
    this.area.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "a") this.all = true;
      else if (this.all && (event.key === "Backspace" || event.key === "Delete")) this.put(event, "");
      else if (!event.ctrlKey && !event.metaKey && event.key !== "Shift") this.all = false;
    });
    this.area.addEventListener("pointerdown", () => (this.all = false));
    // A long text is not laid out at once.
    this.area.addEventListener("paste", (event) => {
      const pasted = event.clipboardData?.getData("text/plain") ?? "";
      if (this.all || pasted.length > 20_000) this.put(event, pasted);
    });
    for (const kind of ["copy", "cut"] as const) {
      this.area.addEventListener(kind, (event) => {
        if (!this.all || this.isWhole()) return;
        event.clipboardData?.setData("text/plain", this.text);
        if (kind === "cut") this.put(event, "");
        event.preventDefault();
      });
    }
  }

  set(text: string): void {
    this.text = text.replaceAll("\r\n", "\n");
    this.index();
    this.fill(0, this.isWhole() ? this.starts.length : 2 * AROUND);
  }

  /** Replaces parts, which are in order. Inside the area the browser does it, so that the user can undo it. */
  replace(edits: { start: number; end: number; to: string }[]): void {
    if (edits.every(({ start, end }) => start >= this.from && end <= this.to) && this.type(edits)) return;
    this.splice(edits);
  }

  private splice(edits: { start: number; end: number; to: string }[]): void {
    for (const { start, end, to } of edits.toSorted((a, b) => b.start - a.start)) {
      this.text = this.text.slice(0, start) + to + this.text.slice(end);
    }
    this.index();
    this.fill(this.isWhole() ? 0 : this.first, this.isWhole() ? this.starts.length : this.first + this.count);
  }

  /** Puts lines into the area, unless they are there. */
  show(first: number, last: number): void {
    if (this.isWhole() ? this.first === 0 && this.count === this.starts.length : first >= this.first && last <= this.first + this.count) return;
    if (this.isWhole()) this.fill(0, this.starts.length);
    else this.fill(Math.max(0, first - AROUND), Math.min(this.starts.length, last + AROUND));
  }

  /** Replaces parts of the area as if they had been typed; false if the browser cannot. */
  private type(edits: { start: number; end: number; to: string }[]): boolean {
    const { text } = this;
    for (const { start, end, to } of edits.toSorted((a, b) => b.start - a.start)) {
      this.select(start, end);
      if (!document.execCommand(to ? "insertText" : "delete", false, to)) {
        this.text = text;
        return false;
      }
    }
    return true;
  }

  slice(first: number, last: number): string {
    return this.text.slice(this.starts[first] ?? 0, (this.starts[last] ?? this.text.length + 1) - 1);
  }

  select(from: number, to: number): void {
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(from - this.from, to - this.from);
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

  /** Takes over what was typed into the area: only its lines are read again. */
  private take(value: string): void {
    const longer = value.length - (this.to - this.from);
    this.text = this.text.slice(0, this.from) + value + this.text.slice(this.to);
    const rest = this.starts.slice(this.first + this.count).map((start) => start + longer);
    const own = [this.from];
    for (let at = value.indexOf("\n"); at >= 0; at = value.indexOf("\n", at + 1)) own.push(this.from + at + 1);
    this.starts = [...this.starts.slice(0, this.first), ...own, ...rest];
    this.count = own.length;
    this.to = this.from + value.length;
  }

  private isWhole(): boolean {
    return this.starts.length <= WHOLE;
  }

  private index(): void {
    const starts = [0];
    for (let at = this.text.indexOf("\n"); at >= 0; at = this.text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.starts = starts;
  }

  /** Fills the area with some lines; the selection keeps its place in the text. */
  private fill(first: number, last: number): void {
    const [start, end] = [this.area.selectionStart + this.from, this.area.selectionEnd + this.from];
    this.first = first;
    this.count = Math.max(1, Math.min(this.starts.length, last) - first);
    this.from = this.starts[first] ?? 0;
    this.to = this.from + this.slice(first, first + this.count).length;
    const text = this.text.slice(this.from, this.to);
    if (this.area.value === text) return;
    this.area.value = text;
    const inside = (place: number) => Math.max(0, Math.min(text.length, place - this.from));
    this.area.setSelectionRange(inside(start), inside(end));
  }

  /** Replaces the selection, or the whole text, in place of the browser. */
  private put(event: Event, text: string): void {
    event.preventDefault();
    const [start, end] = this.all ? [0, this.text.length] : [this.area.selectionStart + this.from, this.area.selectionEnd + this.from];
    this.all = false;
    this.splice([{ start, end, to: text.replaceAll("\r\n", "\n") }]);
    this.edited();
  }
}
