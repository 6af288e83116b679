// Bits as cells: a switch for each bit, coloured as sign, exponent or fraction, that reacts to clicks, drags and keys.
import { fill, h } from "../dom";
import type { Cells } from "../library";
import type { By } from "../state";

/** The kind and element of each bit, from the top down. */
function layout(cells: Cells[]): { kind: string; lane: number | null; first: boolean; edge: boolean }[] {
  return cells.flatMap(({ kind, width, lane }, at) =>
    Array.from({ length: width }, (_, i) => ({
      kind, lane, first: i === 0 && at > 0, edge: i === 0 && at > 0 && cells[at - 1]?.lane !== lane,
    })));
}

const bitOf = (bits: bigint, at: number) => (bits >> BigInt(at)) & 1n;

/** Groups cells into bytes, between which a narrow window breaks the line. */
function bytes(cells: HTMLElement[]): HTMLElement[] {
  const first = cells.length % 8;
  const all: HTMLElement[] = first ? [h("span", { class: "byte" }, ...cells.slice(0, first))] : [];
  for (let at = first; at < cells.length; at += 8) all.push(h("span", { class: "byte" }, ...cells.slice(at, at + 8)));
  return all;
}

/** Bits that cannot be changed. */
export function shownBits(label: string, hex: string, width: number, cells: Cells[]): HTMLElement {
  const bits = BigInt(hex);
  const all = layout(cells).map(({ kind, first, edge }, at) =>
    h("span", { class: `bit ${kind}${first ? " first" : ""}${edge ? " edge" : ""}${bitOf(bits, width - 1 - at) ? " set" : ""}` },
      String(bitOf(bits, width - 1 - at))));
  return h("div", { class: "bits", role: "img", "aria-label": `${label}: ${bits.toString(2).padStart(width, "0")}` }, ...bytes(all));
}

/** Bits that can be changed: `changed` receives the new value. */
export class BitRow {
  readonly element: HTMLElement;
  private bits = 0n;
  private buttons: HTMLButtonElement[] = [];
  private shape = "";
  /** The bit that a drag writes, and where the pointer was last. */
  private drawing: { value: bigint; x: number; y: number } | null = null;

  constructor(label: string, private changed: (bits: bigint, by: By) => void) {
    this.element = h("div", { class: "bits", role: "group", "aria-label": `bits of ${label}` });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("pointerdown", (event) => this.begin(event));
    this.element.addEventListener("pointermove", (event) => this.draw(event));
    this.element.addEventListener("click", (event) => this.click(event));
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (this.drawing = null));
  }

  /** Shows bits; `null` keeps the last ones and marks them as old. */
  update(hex: string | null, width: number, cells: Cells[]): void {
    this.element.classList.toggle("stale", hex === null);
    if (hex !== null) this.bits = BigInt.asUintN(width, BigInt(hex));
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
    fill(this.element, ...bytes(this.buttons));
  }

  /** A mouse or pen flips a bit when it goes down, and then draws. A finger scrolls; it flips a bit by a tap. */
  private begin(event: PointerEvent): void {
    const at = this.buttons.indexOf(event.target as HTMLButtonElement);
    if (event.button > 0 || event.pointerType === "touch" || at < 0) return;
    event.preventDefault();
    this.focus(at);
    const value = 1n - bitOf(this.bits, this.buttons.length - 1 - at);
    this.drawing = { value, x: event.clientX, y: event.clientY };
    this.put(this.mask(at), value, "begin");
  }

  /** Gives every bit between two places of the pointer the same value, however fast it moves. */
  private draw(event: PointerEvent): void {
    const from = this.drawing;
    if (!from) return;
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    const steps = Math.max(1, Math.ceil(Math.hypot(x, y) / 4));
    let mask = 0n;
    for (let step = 1; step <= steps; step++) {
      const under = document.elementFromPoint(from.x + (x * step) / steps, from.y + (y * step) / steps);
      const at = this.buttons.indexOf(under as HTMLButtonElement);
      if (at >= 0) mask |= this.mask(at);
    }
    this.drawing = { value: from.value, x: event.clientX, y: event.clientY };
    this.put(mask, from.value, "typing");
  }

  /** A tap, or a click of a screen reader. Clicks of a mouse were handled when its button went down. */
  private click(event: MouseEvent): void {
    const at = this.buttons.indexOf(event.target as HTMLButtonElement);
    if (at < 0 || (event.detail > 0 && ["mouse", "pen"].includes((event as PointerEvent).pointerType))) return;
    this.put(this.mask(at), 1n - bitOf(this.bits, this.buttons.length - 1 - at), "action");
  }

  private mask(at: number): bigint {
    return 1n << BigInt(this.buttons.length - 1 - at);
  }

  private put(mask: bigint, to: bigint, by: By): void {
    const bits = to ? this.bits | mask : this.bits & ~mask;
    if (bits !== this.bits) this.changed(bits, by);
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
    else if (event.key === " " || event.key === "Enter") this.put(this.mask(at), 1n - bitOf(this.bits, place), "action");
    else if (event.key === "0" || event.key === "1") {
      this.put(this.mask(at), BigInt(event.key), "typing");
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
