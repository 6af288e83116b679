// Bits as cells: a switch for each bit, coloured as sign, exponent or fraction, that reacts to clicks, drags and keys.
import { fill, h } from "./dom";
import type { Cells } from "./library";

/** The kind and element of each bit, from the top down. */
function layout(cells: Cells[]): { kind: string; lane: number | null; first: boolean; edge: boolean }[] {
  return cells.flatMap(({ kind, width, lane }, at) =>
    Array.from({ length: width }, (_, i) => ({
      kind, lane, first: i === 0 && at > 0, edge: i === 0 && at > 0 && cells[at - 1]?.lane !== lane,
    })));
}

const bitOf = (bits: bigint, at: number) => (bits >> BigInt(at)) & 1n;

/** Bits that cannot be changed. */
export function shownBits(label: string, hex: string, width: number, cells: Cells[]): HTMLElement {
  const bits = BigInt(hex);
  const all = layout(cells).map(({ kind, first, edge }, at) =>
    h("span", { class: `bit ${kind}${first ? " first" : ""}${edge ? " edge" : ""}${bitOf(bits, width - 1 - at) ? " set" : ""}` },
      String(bitOf(bits, width - 1 - at))));
  return h("div", { class: "bits", role: "img", "aria-label": `${label}: ${bits.toString(2).padStart(width, "0")}` }, ...all);
}

/** Bits that can be changed: `changed` receives the new value. */
export class BitRow {
  readonly element: HTMLElement;
  private bits = 0n;
  private buttons: HTMLButtonElement[] = [];
  private shape = "";
  private drawing: bigint | null = null;

  constructor(label: string, private changed: (bits: bigint) => void) {
    this.element = h("div", { class: "bits", role: "group", "aria-label": `bits of ${label}` });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("pointerdown", (event) => this.draw(event, true));
    this.element.addEventListener("pointermove", (event) => this.draw(event, false));
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (this.drawing = null));
  }

  update(hex: string, width: number, cells: Cells[]): void {
    this.bits = BigInt(hex);
    const shape = JSON.stringify(cells);
    if (shape !== this.shape) this.build(width, cells);
    this.shape = shape;
    this.buttons.forEach((button, at) => {
      const set = bitOf(this.bits, width - 1 - at) === 1n;
      if (button.textContent !== (set ? "1" : "0")) button.textContent = set ? "1" : "0";
      button.classList.toggle("set", set);
      button.setAttribute("aria-checked", String(set));
    });
  }

  private build(width: number, cells: Cells[]): void {
    this.buttons = layout(cells).map(({ kind, first, edge, lane }, at) => {
      const whose = lane === null || !cells.some((c) => c.lane !== lane) ? "" : `, element ${lane + 1}`;
      return h("button", {
        type: "button", role: "switch", tabindex: at === 0 ? 0 : -1,
        class: `bit ${kind}${first ? " first" : ""}${edge ? " edge" : ""}`,
        "aria-label": `bit ${width - 1 - at}, ${kind}${whose}`, title: `bit ${width - 1 - at}, ${kind}${whose}`,
      });
    });
    fill(this.element, ...this.buttons);
  }

  /** A click flips a bit; a drag gives all bits on its way the same value. */
  private draw(event: PointerEvent, begins: boolean): void {
    if (event.button > 0 || (!begins && this.drawing === null)) return;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const at = this.buttons.indexOf(under as HTMLButtonElement);
    if (at < 0) return;
    if (begins) {
      event.preventDefault();
      this.focus(at);
      this.drawing = 1n - bitOf(this.bits, this.buttons.length - 1 - at);
    }
    this.put(at, this.drawing ?? 0n);
  }

  private put(at: number, to: bigint): void {
    const place = BigInt(this.buttons.length - 1 - at);
    const bits = (this.bits & ~(1n << place)) | (to << place);
    if (bits !== this.bits) this.changed(bits);
  }

  private focus(at: number): void {
    const to = Math.max(0, Math.min(this.buttons.length - 1, at));
    this.buttons.forEach((button, i) => (button.tabIndex = i === to ? 0 : -1));
    this.buttons[to]?.focus();
  }

  private key(event: KeyboardEvent): void {
    const at = this.buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = this.buttons.length - 1 - at;
    const moves: Record<string, number> = {
      ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.buttons.length - 1, ArrowUp: at - 8, ArrowDown: at + 8,
    };
    if (event.key in moves) this.focus(moves[event.key] ?? at);
    else if (event.key === " " || event.key === "Enter") this.put(at, 1n - bitOf(this.bits, place));
    else if (event.key === "0" || event.key === "1") {
      this.put(at, BigInt(event.key));
      this.focus(at + 1);
    } else return;
    event.preventDefault();
  }
}

/** The meaning of the colours of some cells. */
export function legend(cells: Cells[], lanes: (lane: number) => string | null): HTMLElement {
  const parts: HTMLElement[] = [];
  cells.forEach(({ kind, width, lane, note }, at) => {
    const whose = note ? `${note}:` : lane !== null && cells[at - 1]?.lane !== lane ? lanes(lane) : null;
    if (whose) parts.push(h("span", { class: "lane" }, whose));
    parts.push(h("span", { class: `key ${kind}` }, `${kind} ${width}`));
  });
  return h("p", { class: "legend" }, ...parts);
}
