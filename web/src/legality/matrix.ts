// The matrix of forms and targets: groups of types as rows between the forms; only visible rows exist.
import { fill, h } from "../dom";
import { legality, tables } from "../library";
import { address, value } from "../state";
import { group, since, versionIndex, type Form } from "./filter";

const ROW = 26;

/** A row is a form, or the name of a group. */
type Row = Form | string;
type Seen = Record<"yes" | "own" | "none" | "later", boolean>;

export class Matrix {
  readonly element: HTMLElement;
  private body = h("div", { class: "rows", role: "rowgroup" });
  private head = h("div", { class: "row head", role: "row" });
  private rows: Row[] = [];
  private columns: string[] = [];
  private pinned: string[] = [];
  private isa = "";
  private drawn = "";
  private introduced = new Map<string, number>();

  constructor() {
    this.element = h("div", { class: "matrix mono", role: "table", tabindex: "0", "aria-label": "First ISA version of each form on each target" },
      h("div", { role: "rowgroup", class: "heads" }, this.head), this.body);
    this.element.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Shows forms, with some targets next to the names. Columns that equal the one before are folded into it unless
   * `every` target is wanted. Returns which kinds of cells there are. */
  show(forms: Form[], pinned: string[], isa: string, every: boolean): Seen {
    const { targets } = legality();
    this.introduced = new Map(tables().targets.map((t) => [t.name, versionIndex(t.introduced)]));
    [this.pinned, this.isa] = [pinned, isa];
    // The newest first: what an old GPU lacks would otherwise fill the first screen.
    const rest = targets.toReversed().filter((target) => !pinned.includes(target));
    const column = (target: string) => forms.map((form) => this.kind(form, target) + since(form, target)).join();
    const folds: string[][] = [];
    for (const target of rest) {
      const last = folds.at(-1);
      if (!every && last?.[0] && column(last[0]) === column(target)) last.push(target);
      else folds.push([target]);
    }
    this.columns = [...pinned, ...folds.map((fold) => fold[0] ?? "")];
    const short = (target: string) => target.replace("sm_", "");
    const title = (fold: string[]) => `${short(fold[0] ?? "")}${fold.length > 1 ? `+${fold.length - 1}` : ""}`;
    const heads = [...pinned.map((target) => [target]), ...folds];
    fill(this.head, h("span", { class: "form", role: "columnheader" }, "form"), ...heads.map((fold, at) =>
      h("span", { class: `cell${this.pin(at)}${fold.length > 1 ? " folded" : ""}`, role: "columnheader", title: fold.join(" "), style: this.place(at) }, h("span", {}, title(fold)))));
    this.rows = [];
    let name = "";
    for (const form of forms) {
      if (group(form) !== name) this.rows.push((name = group(form)));
      this.rows.push(form);
    }
    this.element.style.setProperty("--columns", String(this.columns.length));
    this.element.setAttribute("aria-rowcount", String(forms.length + 1));
    this.body.style.height = `${this.rows.length * ROW}px`;
    this.element.scrollTop = 0;
    this.drawn = "";
    this.draw();
    const kinds = new Set(forms.flatMap((form) => this.columns.map((target) => this.kind(form, target))));
    return { yes: kinds.has("yes"), own: kinds.has("own"), none: kinds.has("none"), later: kinds.has("later") };
  }

  private kind(form: Form, target: string): keyof Seen {
    const version = since(form, target);
    const isa = versionIndex(this.isa);
    if (version < 0) return "none";
    if (isa >= 0 && version > isa) return "later";
    return version > (this.introduced.get(target) ?? 0) ? "yes" : "own";
  }

  private pin(at: number): string {
    return at < this.pinned.length ? ` pinned pinned-${at}` : "";
  }

  private place(at: number): string {
    return at < this.pinned.length ? `--at:${at}` : "";
  }

  private draw(): void {
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW) - 8);
    const last = Math.min(this.rows.length, first + Math.ceil((this.element.clientHeight || 600) / ROW) + 16);
    const now = `${first} ${last}`;
    if (now === this.drawn) return;
    this.drawn = now;
    let forms = this.rows.slice(0, first).filter((row) => typeof row !== "string").length;
    const { versions } = legality();
    fill(this.body, ...this.rows.slice(first, last).map((row, at) => {
      const style = `top:${(first + at) * ROW}px`;
      if (typeof row === "string") {
        return h("div", { class: "row group", role: "presentation", style }, h("span", { class: "form" }, row));
      }
      const link = address("convert", [["op", row.opcode], ["target", value("target")], ["isa", value("isa")]]);
      return h("div", { class: "row", role: "row", "aria-rowindex": ++forms + 1, style },
        h("span", { class: "form", role: "rowheader" }, h("a", { href: link, title: row.opcode }, row.opcode)),
        ...this.columns.map((target, column) => {
          const version = since(row, target);
          return h("span", { role: "cell", class: `cell ${this.kind(row, target)}${this.pin(column)}`, style: this.place(column) },
            version < 0 ? "·" : versions[version] ?? "");
        }));
    }));
  }
}
