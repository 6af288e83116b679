// The box for an instruction: it completes from the table and underlines errors while the user types.
import { counted, fill, h, say } from "../dom";
import type { Completion, Mark } from "../library";

export class InstructionBox {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  /** The completions, which the view puts below the verdict: its buttons stay in sight. */
  readonly offers: HTMLElement;
  private list: HTMLElement;
  private echo: HTMLElement;
  private options: Completion[] = [];
  private active = -1;

  constructor(
    private complete: (text: string) => Completion[],
    private changed: (text: string, by: "typing" | "action") => void,
  ) {
    this.input = h("input", {
      id: "instruction", type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": "completions",
      "aria-autocomplete": "list", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      "aria-describedby": "verdict", placeholder: "cvt.rn.satfinite.e4m3x2.f32 1.55 -999",
    });
    this.echo = h("div", { class: "echo", "aria-hidden": "true" });
    this.list = h("ul", { id: "completions", role: "listbox", "aria-label": "Completions", hidden: true });
    this.element = h("div", { class: "box" }, this.echo, this.input);
    this.offers = h("div", { class: "offers" }, this.list);
    this.input.addEventListener("input", () => {
      this.changed(this.input.value, "typing");
      this.open();
    });
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => this.close());
    this.input.addEventListener("scroll", () => (this.echo.style.translate = `${-this.input.scrollLeft}px 0`));
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const option = (event.target as Element).closest("[role=option]");
      if (option) this.take([...this.list.children].indexOf(option));
    });
  }

  /** Underlines errors in the opcode, which begins at `offset`; `null` if the text only describes it. */
  underline(problems: Mark[], offset: number | null): void {
    const text = this.input.value;
    if (offset === null) return fill(this.echo, text);
    const spans: Node[] = [];
    let at = 0;
    // A missing part concerns the whole opcode, which is underlined if no narrower error is.
    const whole = problems.filter((p) => p.start === 0 && offset + p.end >= text.length);
    const narrow = problems.filter((p) => !whole.includes(p)).toSorted((a, b) => a.start - b.start);
    for (const mark of narrow.length ? narrow : whole) {
      const [start, end] = [mark.start + offset, mark.end + offset];
      if (start < at || end > text.length) continue;
      spans.push(document.createTextNode(text.slice(at, start)), h("mark", {}, text.slice(start, end)));
      at = end;
    }
    fill(this.echo, ...spans, text.slice(at));
  }

  private open(): void {
    const text = this.input.value;
    const atEnd = this.input.selectionStart === text.length;
    this.options = atEnd && !text.includes(" ") ? this.complete(text) : [];
    this.active = -1;
    this.show();
  }

  private show(): void {
    const open = this.options.length > 0;
    this.list.hidden = !open;
    this.input.setAttribute("aria-expanded", String(open));
    const items = this.options.map((option, at) =>
      h("li", { id: `completion-${at}`, role: "option", "aria-selected": at === this.active ? "true" : "false" },
        h("span", { class: option.legal ? "" : "dim" }, `.${option.name}`.replace(/^\.cvt/, "cvt")),
        h("span", { class: "dim" }, option.legal ? `${option.kind}, ${counted(option.legal, "form")}` : `${option.kind}, not on this target`)));
    fill(this.list, ...items);
    if (this.active >= 0) {
      this.input.setAttribute("aria-activedescendant", `completion-${this.active}`);
      items[this.active]?.scrollIntoView({ block: "nearest" });
    } else this.input.removeAttribute("aria-activedescendant");
  }

  private close(): void {
    this.options = [];
    this.active = -1;
    this.show();
  }

  private take(at: number): void {
    const option = this.options[at];
    if (!option) return;
    // An incomplete form continues with the next part.
    this.input.value = option.whole ? option.opcode : `${option.opcode}.`;
    this.changed(this.input.value, "action");
    if (option.whole) {
      this.close();
      say(option.opcode);
    } else this.open();
  }

  private key(event: KeyboardEvent): void {
    const count = this.options.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!count) this.open();
      else {
        const step = event.key === "ArrowDown" ? 1 : -1;
        this.active = this.active < 0 && step < 0 ? count - 1 : (this.active + step + count) % count;
        this.show();
      }
    } else if (event.key === "Enter" && count) {
      // What was typed counts, unless a completion was chosen.
      if (this.active >= 0) this.take(this.active);
      else this.close();
    } else if (event.key === "Tab" && count && this.active >= 0) this.take(this.active);
    else if (event.key === "Escape" && count) this.close();
    else return;
    event.preventDefault();
  }
}
