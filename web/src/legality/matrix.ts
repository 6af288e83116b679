// The matrix of forms and targets: groups of types as rows between the forms; only visible rows exist.
import { fill, h, whenPrinting } from "../dom";
import { legality, tables } from "../library";
import { address, value } from "../state";
import { group, place, since, verdict, versionIndex, type Form } from "./filter";

/** In narrow windows names take up to three lines. */
const narrow = matchMedia("(max-width: 640px)");
const height = () => (narrow.matches ? 44 : 26);

/** A row is a form, or the name of a group. */
type Row = Form | string;
type Kind = "yes" | "own" | "none" | "not";
/** What the cells of a target depend on: first versions, verdicts if a version is chosen, and the target's own version. */
interface Column { since: Int16Array; legal: Uint8Array | undefined; introduced: number }
/** A row as it was drawn: its link, and what each cell shows. */
interface Drawn { element: HTMLElement; link: HTMLAnchorElement | undefined; cells: HTMLElement[]; says: string[]; basis: string }
/** The kinds of cells that there are, and whether columns are folded. */
type Seen = Record<Kind | "folded", boolean>;

export class Matrix {
  readonly element: HTMLElement;
  private body = h("div", { class: "rows", role: "rowgroup" });
  private head = h("div", { class: "row head", role: "row" });
  private rows: Row[] = [];
  private columns: string[] = [];
  private pinned: string[] = [];
  private drawn = "";
  /** What the cells of every row depend on, and the rows that are there: a filter keeps many of them, and another target most
   * of their cells. */
  private basis = "";
  private kept = new Map<Row, Drawn>();
  private shown: Column[] = [];
  /** The row with the link that Tab reaches; arrow keys lead to the others. */
  private active = 0;
  private printing = false;

  constructor() {
    this.element = h("div", { class: "matrix mono", role: "table", tabindex: "0", "aria-label": "First ISA version of each form on each target" },
      h("div", { role: "rowgroup", class: "heads" }, this.head), this.body);
    this.element.addEventListener("scroll", () => this.draw());
    this.body.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
    whenPrinting((prints) => {
      this.printing = prints;
      if (this.element.isConnected) this.draw();
    });
  }

  /** Shows forms, with some targets next to the names. Columns that equal the one before are folded into it unless
   * `every` target is wanted. Returns which kinds of cells there are. */
  show(forms: Form[], pinned: string[], isa: string, every: boolean): Seen {
    const { targets } = legality();
    const introduced = new Map(tables().targets.map((t) => [t.name, versionIndex(t.introduced)]));
    this.pinned = pinned;
    const legal = (target: string) => versionIndex(isa) < 0 ? undefined : verdict(target, isa);
    const column = (target: string): Column => ({ since: since(target), legal: legal(target), introduced: introduced.get(target) ?? 0 });
    const all = new Map(targets.map((target) => [target, column(target)]));
    const places = forms.map(place);
    // The newest first: what an old GPU lacks would otherwise fill the first screen.
    const rest = targets.toReversed().filter((target) => !pinned.includes(target));
    const same = (one: Column | undefined, other: Column | undefined) => one && other && places.every((at) =>
      one.since[at] === other.since[at] && kind(one, at) === kind(other, at));
    const folds: string[][] = [];
    for (const target of rest) {
      const last = folds.at(-1);
      if (!every && last?.[0] && same(all.get(last[0]), all.get(target))) last.push(target);
      else folds.push([target]);
    }
    this.columns = [...pinned, ...folds.map((fold) => fold[0] ?? "")];
    this.shown = this.columns.map((target) => all.get(target) ?? column(target));
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
    this.element.scrollTop = 0;
    this.drawn = "";
    this.basis = JSON.stringify([this.columns, pinned, isa, value("target")]);
    this.active = this.rows.findIndex((row) => typeof row !== "string");
    this.draw();
    return this.seen(places);
  }

  private seen(places: number[]): Seen {
    const seen: Seen = { yes: false, own: false, none: false, not: false, folded: this.columns.length < legality().targets.length };
    for (const column of this.shown) for (const at of places) seen[kind(column, at)] = true;
    return seen;
  }

  private pin(at: number): string {
    return at < this.pinned.length ? ` pinned pinned-${at}` : "";
  }

  private place(at: number): string {
    return at < this.pinned.length ? `--at:${at}` : "";
  }

  /** Moves the focus between the links of the rows. */
  private key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const last = this.rows.length - 1;
    let to = Math.max(0, Math.min(last, this.active + step));
    // A group has no link: the next form in the same direction, or the last one before it.
    const away = step > 0 ? 1 : -1;
    while (typeof this.rows[to] === "string") to += to + away < 0 ? 1 : to + away > last ? -1 : away;
    if (typeof this.rows[to] !== "object" || (to < this.active) !== (step < 0)) return;
    this.active = to;
    const { element } = this;
    const tall = height();
    const room = element.clientHeight - this.head.offsetHeight - 2 * tall;
    element.scrollTop = Math.max(Math.min(element.scrollTop, (to - 1) * tall), to * tall - room);
    this.drawn = "";
    this.draw();
    this.body.querySelector<HTMLElement>("a[tabindex='0']")?.focus({ preventScroll: true });
  }

  private draw(): void {
    const tall = height();
    this.body.style.height = `${this.rows.length * tall}px`;
    const first = this.printing ? 0 : Math.max(0, Math.floor(this.element.scrollTop / tall) - 4);
    const last = Math.min(this.rows.length, this.printing ? Infinity : first + Math.ceil((this.element.clientHeight || 600) / tall) + 8);
    const now = `${first} ${last} ${tall}`;
    if (now === this.drawn) return;
    this.drawn = now;
    const focused = this.body.contains(document.activeElement);
    // A row that is scrolled away takes the focus along to the nearest one.
    this.active = Math.max(first, Math.min(last - 1, this.active));
    while (typeof this.rows[this.active] === "string" && this.active < last - 1) this.active++;
    let forms = this.rows.slice(0, first).filter((row) => typeof row !== "string").length;
    const kept = new Map(this.rows.slice(first, last).map((row) => [row, this.kept.get(row) ?? this.made(row)]));
    for (const [row, drawn] of kept) if (typeof row !== "string" && drawn.basis !== this.basis) this.fit(drawn, row);
    const wanted = new Set<Element>([...kept.values()].map(({ element }) => element));
    for (const child of [...this.body.children]) if (!wanted.has(child)) child.remove();
    let before = this.body.firstChild;
    let at = first;
    for (const [row, { element, link }] of kept) {
      if (element === before) before = element.nextSibling;
      else this.body.insertBefore(element, before);
      element.style.top = `${at * tall}px`;
      if (typeof row !== "string") {
        element.setAttribute("aria-rowindex", String(++forms + 1));
        link?.setAttribute("tabindex", at === this.active ? "0" : "-1");
      }
      at++;
    }
    this.kept = kept;
    if (focused) this.body.querySelector<HTMLElement>("a[tabindex='0']")?.focus({ preventScroll: true });
  }

  /** A row without its cells; its place is set when it is drawn. */
  private made(row: Row): Drawn {
    if (typeof row === "string") {
      const element = h("div", { class: "row group", role: "presentation" }, h("span", { class: "form" }, row));
      return { element, link: undefined, cells: [], says: [], basis: "" };
    }
    // The name of the group says the types, for which a narrow window has no room.
    const types = `.${row.destination}.${row.source}`;
    const [name, rest] = row.opcode.endsWith(types) ? [row.opcode.slice(0, -types.length), types] : [row.opcode, ""];
    const words = name.split(/(?=\.)/).flatMap((word) => [h("wbr"), word]);
    const link = h("a", { title: row.opcode }, ...words, h("span", { class: "types" }, rest));
    const element = h("div", { class: "row", role: "row" }, h("span", { class: "form", role: "rowheader" }, link));
    return { element, link, cells: [], says: [], basis: "" };
  }

  /** Makes a row fit the columns; cells that show the same as before stay as they are. */
  private fit(drawn: Drawn, row: Form): void {
    const { versions } = legality();
    const { element, link, cells, says } = drawn;
    if (link) link.href = address("convert", [["op", row.opcode], ["target", value("target")], ["isa", value("isa")]]);
    const form = place(row);
    this.shown.forEach((column, at) => {
      const version = column.since[form] ?? -1;
      const look = `cell ${kind(column, form)}${this.pin(at)}`;
      const text = version < 0 ? "·" : versions[version] ?? "";
      const now = `${look}|${text}`;
      if (says[at] === now) return;
      const cell = cells[at] ?? element.appendChild(h("span", { role: "cell" }));
      cell.className = look;
      if (at < this.pinned.length) cell.setAttribute("style", this.place(at));
      else cell.removeAttribute("style");
      if (cell.textContent !== text) cell.textContent = text;
      [cells[at], says[at]] = [cell, now];
    });
    for (const cell of cells.splice(this.shown.length)) cell.remove();
    says.length = cells.length;
    drawn.basis = this.basis;
  }
}

function kind({ since, legal, introduced }: Column, form: number): Kind {
  const version = since[form] ?? -1;
  if (version < 0) return "none";
  if (legal && legal[form] !== 1) return "not";
  return version > introduced ? "yes" : "own";
}
