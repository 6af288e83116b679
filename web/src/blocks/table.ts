// Every element before and after, for each recipe, with the scale in the first row of its block. Only the rows in sight are
// there, so that a keystroke among many numbers does not wait for the others.
import { fill, h, whenPrinting } from "../dom";
import { rounded, type Quantized, type QuantizedElement } from "../library";
import { largest, size } from "./loss";

/** The rows above and below those in sight that are there, too. */
const SPARE = 20;

interface Row { key: string; element: HTMLTableRowElement; button: HTMLButtonElement }

export class ElementsTable {
  readonly element: HTMLElement;
  private table: HTMLTableElement;
  private head = h("thead");
  private body = h("tbody");
  /** What takes the place of the rows that are not there. */
  private above = spacer();
  private below = spacer();
  private rows = new Map<number, Row>();
  private all: Quantized[] = [];
  private most = 1;
  private chosen = 0;
  private brief = false;
  private prints = false;
  /** The height of a row, the first row in sight, and how many are in sight: layout is read only when the user scrolls. */
  private height = 22;
  private first = 0;
  private seen = Math.ceil((screen.height * 0.6) / 18);

  constructor(private choose: (at: number) => void) {
    this.table = h("table", {}, this.head, this.body);
    fill(this.body, this.above, this.below);
    this.element = h("div", {
      class: "scroll", tabindex: "0", role: "region", "aria-label": "Elements", onscroll: () => {
        this.height = this.rows.values().next().value?.element.offsetHeight || this.height;
        this.first = Math.floor(this.element.scrollTop / this.height);
        this.draw();
      },
    }, this.table);
    whenPrinting((prints) => {
      this.prints = prints;
      this.draw();
    });
  }

  update(all: Quantized[], chosen: number): void {
    [this.all, this.chosen] = [all, chosen];
    this.most = largest(all);
    // A narrow window has room for two recipes without their codes and scales, which are below.
    this.brief = all.length > 1 && matchMedia("(max-width: 1000px)").matches;
    const { brief } = this;
    this.table.className = `elements-table mono${brief ? " brief" : ""}`;
    this.table.setAttribute("aria-rowcount", String(this.count + 2));
    // Columns are as wide as their longest text, whichever rows are there.
    const wide = (kind: string, label: Node | string, texts: string[]) => h("th", {
      scope: "col", class: kind, style: `min-width:calc(${texts.reduce((most, text) => Math.max(most, text.length), 0)}ch + ${brief ? 8 : 14}px)`,
    }, label);
    fill(this.head,
      h("tr", {}, h("td", {}), ...all.map((q) => h("th", { scope: "colgroup", colspan: brief ? 2 : 5 }, q.recipe.name))),
      h("tr", {}, wide("number", "x", (all[0]?.elements ?? []).map((e) => e.x)), ...all.flatMap((q) => [
        !brief && wide("scale", "scale", q.scales.map((scale) => `${scale.bits} ${scale.value}`)),
        !brief && wide("number", "code", q.elements.map((e) => e.code)),
        wide("number", "back", q.elements.map((e) => this.short(e.back))),
        wide("number", "error", q.elements.map((e) => this.error(e))),
        !brief && h("th", { scope: "col", class: "bar-head" }, h("span", { class: "unseen" }, "size of the error"))])));
    this.draw();
  }

  private get count(): number {
    return this.all[0]?.elements.length ?? 0;
  }

  private short(text: string): string {
    return this.brief && text.length > 8 && Number.isFinite(Number(text)) ? rounded(Number(text), 3) : text;
  }

  private error(e: QuantizedElement): string {
    if (e.lost) return e.back;
    return e.error === null ? "" : rounded(e.error, this.brief ? 2 : 3);
  }

  /** Draws the rows in sight; those that are there already and have not changed stay. */
  private draw(): void {
    const { count } = this;
    const last = this.prints ? count : Math.min(count, this.first + this.seen + SPARE);
    const from = this.prints ? 0 : Math.max(0, Math.min(this.first, last - this.seen) - SPARE);
    const next = new Map<number, Row>();
    for (let at = from; at < last; at++) {
      const texts = this.texts(at);
      const key = [this.brief, ...texts].join("|");
      const old = this.rows.get(at);
      const row = old?.key === key ? old : this.row(at, key, texts);
      if (old && old !== row) old.element.replaceWith(row.element);
      row.button.setAttribute("aria-pressed", String(at === this.chosen));
      next.set(at, row);
    }
    for (const [at, { element }] of this.rows) if (!next.has(at)) element.remove();
    this.rows = next;
    let place: ChildNode | null = this.above.nextSibling;
    for (const { element } of next.values()) {
      if (element === place) place = place.nextSibling;
      else this.body.insertBefore(element, place);
    }
    for (const [part, rows] of [[this.above, from], [this.below, count - last]] as const) {
      part.hidden = rows === 0;
      part.style.height = `${rows * this.height}px`;
    }
  }

  /** What the cells of a row say: the classes of the row, its number, and five texts for each recipe. */
  private texts(at: number): string[] {
    const { all } = this;
    const begins = (q: Quantized) => q.elements[at]?.block !== q.elements[at - 1]?.block;
    const differs = new Set(all.map((q) => q.elements[at]?.back)).size > 1;
    return [`${differs ? "differs" : ""}${at > 0 && all.some(begins) ? " begins" : ""}`, all[0]?.elements[at]?.x ?? "",
      ...all.flatMap((q) => {
        const e = q.elements[at];
        if (!e) return ["", "", "", "", "0"];
        const scale = begins(q) ? q.scales[e.block] : undefined;
        return [scale ? `${scale.bits} ${scale.value}` : "", e.code, this.short(e.back), this.error(e), String(Math.min(1, size(e) / this.most))];
      })];
  }

  private row(at: number, key: string, [kind, x, ...texts]: string[]): Row {
    const cell = (name: string, ...children: (Node | string)[]) => h("td", { class: name }, ...children);
    const button = h("button", { type: "button", onclick: () => this.choose(at) }, x);
    const cells: HTMLElement[] = [];
    for (let i = 0; i < texts.length; i += 5) {
      const [scale = "", code = "", back = "", by = "", part = ""] = texts.slice(i, i + 5);
      const [bits = "", ...value] = scale.split(" ");
      const numbers = [cell("number", back), cell("number", by)];
      cells.push(...this.brief ? numbers : [cell("scale", ...(scale ? [h("span", { class: "dim" }, bits), ` ${value.join(" ")}`] : [])),
        cell("number dim", code), ...numbers, cell("bar-cell", h("span", { class: "bar-fill", style: `--part:${part}` }))]);
    }
    const element = h("tr", { class: kind, "aria-rowindex": at + 3 }, h("th", { scope: "row", class: "number" }, button), ...cells);
    return { key, element, button };
  }
}

const spacer = () => h("tr", { hidden: true, "aria-hidden": "true" }, h("td"));
