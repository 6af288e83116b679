// A table of forms and targets with the first ISA version in each cell; only visible rows exist.
import { fill, h, menu } from "./dom";
import { legality, tables } from "./library";
import { address, set, value } from "./state";

const ROW = 26;

export function legalityView(root: HTMLElement): void {
  const { forms, targets, versions } = legality();
  // Cells of forms that a target accepts only from a later version than its own stand out.
  const introduced = tables().targets.map((t) => versions.indexOf(t.since));
  const order = new Map(versions.map((version, at) => [version, at]));
  // For each form and target the index of the first version that accepts the form, or -1.
  const first = new Map(forms.map((form) => [form, targets.map((target) => order.get(form.since[target] ?? "") ?? -1)]));
  const since = (form: (typeof forms)[number]) => first.get(form) ?? [];
  const chosen = targets.indexOf(value("target"));
  const isa = versions.indexOf(value("isa"));
  const types = (which: "destination" | "source") => [["", "any"] as [string, string], ...new Set(forms.map((f) => f[which]))];
  // The parts between the name and the types: rounding modes and modifiers, in the order of PTX.
  const parts = forms.map((f) => f.opcode.split(".").slice(1).filter((part) => part !== "pack" && part !== f.destination && part !== f.source));
  const modifiers = [["", "any"] as [string, string], ...new Set(parts.flat())];
  const count = h("p", { class: "dim", role: "status" });
  const key = h("p", { class: "dim" }, "In a cell: the first ISA version; in blue, later than the target’s own.");
  const body = h("div", { class: "rows", role: "rowgroup" });
  const head = h("div", { class: "row head", role: "row" },
    h("span", { class: "form", role: "columnheader" }, "form"),
    ...targets.map((target, at) => h("span", { class: `cell${at === chosen ? " chosen" : ""}`, role: "columnheader" }, h("span", {}, target.replace("sm_", "")))));
  const matrix = h("div", { class: "matrix", role: "table", tabindex: "0", "aria-label": "First ISA version of each form on each target" },
    h("div", { role: "rowgroup", class: "heads" }, head), body);
  let found = forms;

  function filter(): void {
    const words = value("q").toLowerCase().split(/[\s,]+/).filter(Boolean);
    const [to, from, part] = [value("to"), value("from"), value("with")];
    found = forms.filter((form) => {
      const parts = form.opcode.split(".");
      return (!to || form.destination === to) && (!from || form.source === from) && (!part || parts.includes(part))
        && words.every((word) => word.startsWith("-") ? !parts.includes(word.slice(1)) : parts.includes(word.replace(/^\./, "")) || form.opcode.includes(word))
        && (words.length > 0 || to || from || part || value("all") === "1" || since(form).some((version, t) => version !== introduced[t]))
        && (value("here") !== "1" || chosen < 0 || legal(since(form)[chosen] ?? -1));
    });
    count.textContent = `${found.length} of ${forms.length} forms`;
    matrix.setAttribute("aria-rowcount", String(found.length + 1));
    body.style.height = `${found.length * ROW}px`;
    matrix.scrollTop = 0;
    draw();
  }
  const legal = (version: number) => version >= 0 && (isa < 0 || version <= isa);

  let drawn = "";
  function draw(): void {
    const first = Math.max(0, Math.floor(matrix.scrollTop / ROW) - 8);
    const last = Math.min(found.length, first + Math.ceil((matrix.clientHeight || 600) / ROW) + 16);
    const now = `${first} ${last} ${found.length} ${found[0]?.opcode} ${value("q")}`;
    if (now === drawn) return;
    drawn = now;
    fill(body, ...found.slice(first, last).map((form, at) => {
      const link = address("convert", [["op", form.opcode], ["target", value("target")], ["isa", value("isa")]]);
      return h("div", { class: "row", role: "row", "aria-rowindex": first + at + 2, style: `top:${(first + at) * ROW}px` },
        h("span", { class: "form", role: "rowheader" }, h("a", { href: link, title: form.opcode }, form.opcode)),
        ...since(form).map((version, t) => h("span", {
          role: "cell", class: `cell${t === chosen ? " chosen" : ""}${version < 0 ? " none" : !legal(version) ? " later" : version > (introduced[t] ?? 0) ? " yes" : " own"}`,
        }, version < 0 ? "·" : versions[version] ?? "")));
    }));
  }

  const text = h("input", { type: "search", value: value("q"), placeholder: "satfinite e2m1x2 -relu", "aria-label": "Filter", spellcheck: "false" });
  const changed = (name: string) => (to: string) => {
    set({ [name]: to });
    filter();
  };
  text.addEventListener("input", () => changed("q")(text.value));
  const here = h("input", { type: "checkbox" });
  here.checked = value("here") === "1";
  here.disabled = chosen < 0;
  here.addEventListener("change", () => changed("here")(here.checked ? "1" : ""));
  const all = h("input", { type: "checkbox" });
  all.checked = value("all") === "1";
  all.addEventListener("change", () => changed("all")(all.checked ? "1" : ""));
  matrix.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(matrix);
  fill(root, h("h1", { class: "unseen" }, "Legality"),
    h("div", { class: "bar" }, h("label", { class: "menu grow" }, h("span", {}, "Filter"), text),
      menu("to", types("destination"), value("to"), changed("to")), menu("from", types("source"), value("from"), changed("from")),
      menu("with", modifiers, value("with"), changed("with")),
      chosen >= 0 && h("label", { class: "menu" }, here, h("span", {}, `legal on ${targets[chosen]}${isa >= 0 ? ` at ${versions[isa]}` : ""}`)),
      h("label", { class: "menu" }, all, h("span", {}, "include forms that every target has")), count),
    key, matrix);
  filter();
}
