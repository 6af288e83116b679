// An operand as cells, as hexadecimal digits and as numbers; a change of one updates the others.
import { fill, h, hold, prose } from "../dom";
import { digits, step, type Conversion, type Operand } from "../library";
import type { By } from "../state";
import { BitRow, legend } from "./cells";

type Changed = (text: string, by: By) => void;

export class OperandRow {
  readonly element: HTMLElement;
  private hex: HTMLInputElement;
  private number: HTMLInputElement;
  private bits: BitRow;
  private error: HTMLElement;
  private note: HTMLElement;
  private legend: HTMLElement;
  private message = "";

  constructor(private operand: Operand, private opcode: string, private at: number, private changed: Changed) {
    const field = (label: string) => h("input", {
      type: "text", "aria-label": `${operand.name}, ${label}`, autocomplete: "off", spellcheck: "false",
      "aria-describedby": `error-${at}`,
    });
    this.hex = field("hexadecimal");
    this.number = field(operand.name === "scale-factor" ? "scale" : "number");
    this.hex.classList.add("hex");
    this.hex.style.setProperty("--digits", String(2 + Math.ceil(operand.width / 4)));
    this.hex.addEventListener("input", () => changed(this.digits(), "typing"));
    this.number.addEventListener("input", () => changed(this.number.value.trim(), "typing"));
    for (const input of [this.hex, this.number]) input.addEventListener("keydown", (event) => this.key(event));
    this.bits = new BitRow(operand.name, (bits, by) => changed(`0x${bits.toString(16).padStart(Math.ceil(operand.width / 4), "0")}`, by));
    this.error = h("p", { class: "bad", role: "alert", id: `error-${at}` });
    this.note = h("p", { class: "note" });
    this.legend = h("div");
    this.element = h("div", { class: "operand" },
      h("h2", {}, operand.name, " ", h("span", { class: "dim" }, operand.ty ? `.${operand.ty}` : operand.register)),
      h("div", { class: "fields" }, this.hex, this.number), this.error, this.note, this.bits.element, this.legend);
  }

  update(operand: Operand, conversion: Conversion): void {
    this.operand = operand;
    this.opcode = conversion.opcode;
    // The field in which the text was typed keeps it, and so does one whose text cannot be read.
    const active = document.activeElement;
    const typed = active === this.hex && this.digits() === operand.text ? this.hex : this.number;
    if (operand.bits === null) {
      if (typed === this.number) hold(this.number, operand.text);
    } else {
      if (typed !== this.hex) this.hex.value = operand.bits;
      if (active !== this.number || this.number.value.trim() !== operand.text) this.number.value = operand.value.replaceAll(", ", ",");
    }
    const message = operand.error ? `${operand.name}: ${operand.error}` : "";
    if (message !== this.message) fill(this.error, ...prose(message));
    this.message = message;
    fill(this.note, ...prose(operand.note ? `\`${operand.text}\` ${operand.note}` : ""));
    for (const input of [this.hex, this.number]) {
      const wrong = operand.error !== null && input === typed;
      input.setAttribute("aria-invalid", String(wrong));
      input.classList.toggle("stale", operand.error !== null && !wrong);
    }
    this.bits.update(operand.bits, operand.width, operand.cells);
    const several = new Set(operand.cells.map((c) => c.lane)).size > 1;
    const part = (lane: number) => conversion.evaluation?.elements[lane]?.part;
    fill(this.legend, legend(operand.cells, (lane) => several && part(lane) ? `${part(lane)}:` : null));
  }

  /** The text of the field for digits, with the prefix that may be left out. */
  private digits(): string {
    return digits(this.opcode, this.at, this.hex.value.trim());
  }

  /** Arrow keys step to the next number, page keys to twice or half of it. */
  private key(event: KeyboardEvent): void {
    const up = { ArrowUp: true, PageUp: true, ArrowDown: false, PageDown: false }[event.key];
    const { bits } = this.operand;
    if (up === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (bits === null) return;
    const input = event.target as HTMLInputElement;
    const lane = this.lane(input);
    const to = step(this.opcode, this.at, bits, lane, event.key.startsWith("Page"), up);
    const before = (input.selectionStart ?? 0) - extent(input.value, lane).start;
    this.changed(to, "typing");
    // The caret stays in its element, whose number may have become shorter.
    const { start, end } = extent(input.value, lane);
    const caret = Math.min(start + before, end);
    input.setSelectionRange(caret, caret);
  }

  /** The number of the operand at which the caret is, counted from the upper one. */
  private lane(input: HTMLInputElement): number {
    const before = input.value.slice(0, input.selectionStart ?? 0);
    if (input === this.number) return before.split(",").length - 1;
    const lanes = Math.max(1, this.operand.value.split(",").length);
    const digits = Math.max(0, before.length - 2) / (this.operand.width / 4);
    return Math.min(lanes - 1, Math.floor(digits * lanes));
  }
}

/** Where an element is in a text such as "1,2"; digits without a comma are one. */
function extent(text: string, lane: number): { start: number; end: number } {
  const parts = text.split(",");
  const at = Math.min(lane, parts.length - 1);
  const start = parts.slice(0, at).reduce((sum, part) => sum + part.length + 1, 0);
  return { start, end: start + (parts[at] ?? "").length };
}
