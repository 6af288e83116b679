// Number formats: one or two with their facts, their numbers on one axis, their codes, and the spacing of their numbers.
import { afterPaint, fill, h, Kept, Menu, picture, prose, type View } from "../dom";
import { format, lines, spacing, tables, type Format } from "../library";
import { more } from "../site";
import { set, value } from "../state";
import { codes } from "./codes";

export function formatsView(): View {
  const errors = h("div");
  const described = h("div", { class: "pair" });
  const line = h("div");
  const coded = h("div", { class: "pair wide" });
  const spaced = h("div");
  /** What the menus leave as it was stays: a format of 256 codes has 256 buttons. */
  const [answers, parts, below] = [new Kept<Format>(), new Kept<HTMLElement>(), new Kept<HTMLElement>()];
  const later = afterPaint();
  /** The first formats are shown whole. */
  let begun = false;
  const choose = (label: string, key: string) => new Menu(label, (to) => {
    set({ [key]: to });
    update();
  });
  const first = choose("Format", "f");
  const second = choose("Compare with", "g");
  const element = h("div", {}, h("h1", { class: "unseen" }, "Formats"), h("div", { class: "bar" }, first.element, second.element), errors, described, line, coded, spaced);

  function update(): void {
    const names = tables().formats.map((f) => f.name);
    const pair = [value("f", "e4m3"), value("g", "e5m2")];
    answers.turn();
    // The first format is always needed. A menu shows an alias, such as fp8, by the format's own name.
    const read = pair.map((name, at) => (at > 0 && name === "none" ? null : answers.get(name, () => format(name))));
    first.update(names, read[0]?.name ?? pair[0] ?? "");
    second.update([["none", "none"] as [string, string], ...names], read[1]?.name ?? pair[1] ?? "");
    const known = read.filter((f): f is Format => f?.error === null);
    const formats = known.filter((f, at) => known.findIndex((other) => other.name === f.name) === at);
    document.title = `${formats.map((f) => f.name).join(", ") || "Formats"} · ptxcvt`;
    const drawn = formats.filter((f) => f.line).map((f) => f.name);
    parts.turn();
    fill(errors, ...read.map((f) => f?.error && h("p", { class: "bad", role: "alert" }, ...prose(`${f.error}. Choose one in the menu.`))));
    fill(described, ...formats.map((f) => parts.get(`facts ${f.name}`, () => facts(f))));
    fill(line, drawn.length > 0 && parts.get(`line ${drawn}`, () => h("section", { "aria-label": `Numbers of ${drawn.join(" and ")}` },
      h("h2", {}, `Positive numbers of ${drawn.join(" and ")}, by powers of two`), picture(lines(drawn), `Line of ${drawn.join(" and ")}`))));
    const rest = () => {
      below.turn();
      fill(coded, ...formats.map((f) => f.codes.length > 0 && below.get(`codes ${f.name}`, () => codes(f))));
      const curves = [...new Set([...formats.map((f) => f.name), "f16", "bf16", "tf32"])];
      fill(spaced, formats.length > 0 && below.get(`spacing ${curves}`, () => h("section", { "aria-label": "Spacing" },
        h("h2", {}, "How far apart numbers are, relative to their size"), picture(spacing(curves), "Curves of spacing"))));
    };
    if (begun) later(rest);
    else rest();
    begun = true;
  }
  return { element, show: update };
}

function facts(f: Format): HTMLElement {
  const row = (name: string, number: string | null, code: string | null) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "mono value" }, number), h("td", { class: "dim mono value" }, code ?? ""));
  return h("section", { "aria-label": f.name },
    h("h2", {}, h("span", { class: "mono" }, f.name), " ", h("span", { class: "dim" }, f.about)),
    h("div", { class: "layout", role: "img", "aria-label": f.fields.map(([kind, bits]) => `${kind} ${bits}`).join(", ") },
      ...f.fields.map(([kind, bits]) => h("span", { class: `field ${kind}`, style: `flex:${bits}` }, `${bits}`))),
    h("p", { class: "legend" }, ...f.fields.map(([kind, bits]) => h("span", { class: `key ${kind}` }, `${kind} ${bits}`))),
    h("table", { class: "facts" }, h("tbody", {}, ...f.facts.map(({ name, value: number, code }) => row(name, number, code)),
      h("tr", {}, h("th", { scope: "row" }, "types"), h("td", { colspan: 2, class: "mono" }, f.types.map((t) => `.${t}`).join(" "))),
      h("tr", {}, h("th", { scope: "row" }, "other names"), h("td", { colspan: 2, class: "mono" }, f.aliases.join(" ") || "–")))),
    h("p", {}, more(f.name, `More about ${f.name}`)));
}
