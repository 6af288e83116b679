// Number formats: two side by side with their facts, number lines and codes, and the spacing of their numbers.
import { copyButton, fill, h, menu, picture, say } from "./dom";
import { format, spacing, tables, type Format } from "./library";
import { set, value } from "./state";

export function formatsView(root: HTMLElement): void {
  const names = tables().formats.map((f) => f.name);
  const shown = h("div");

  function update(): void {
    const pair = [value("f", "e4m3"), value("g", "e5m2")];
    const formats = pair.filter((name) => names.includes(name)).map(format);
    const float = formats.filter((f) => f.has_spacing).map((f) => f.name);
    fill(shown,
      h("div", { class: "pair" }, ...formats.map(facts)),
      ...formats.map((f) => f.line && h("section", { "aria-label": `Numbers of ${f.name}` }, h("h2", {}, `${f.name}: positive numbers, by powers of two`), picture(f.line, `Line of ${f.name}`))),
      h("div", { class: "pair wide" }, ...formats.map((f) => f.codes.length > 0 && codes(f))),
      h("section", { "aria-label": "Spacing" },
        h("h2", {}, "How far apart numbers are"),
        picture(spacing([...new Set([...float, "f16", "bf16", "tf32"])]), "Curves of spacing")));
  }
  const choose = (label: string, key: string, otherwise: string, none: boolean) =>
    menu(label, [...(none ? [["none", "none"] as [string, string]] : []), ...names], value(key, otherwise), (to) => {
      set({ [key]: to });
      update();
    });
  fill(root, h("h1", { class: "unseen" }, "Formats"),
    h("div", { class: "bar" }, choose("Format", "f", "e4m3", false), choose("Compare with", "g", "e5m2", true)), shown);
  update();
}

function facts(f: Format): HTMLElement {
  const width = (bits: number) => `flex:${bits}`;
  return h("section", { "aria-label": f.name },
    h("h2", {}, f.name, " ", h("span", { class: "dim" }, f.about)),
    h("div", { class: "layout", role: "img", "aria-label": f.fields.map(([kind, bits]) => `${kind} ${bits}`).join(", ") },
      ...f.fields.map(([kind, bits]) => h("span", { class: `field ${kind}`, style: width(bits) }, `${bits}`))),
    h("p", { class: "legend" }, ...f.fields.map(([kind, bits]) => h("span", { class: `key ${kind}` }, `${kind} ${bits}`))),
    h("table", { class: "facts" }, h("tbody", {}, ...f.facts.map(({ name, value: number, code }) =>
      h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, number), h("td", { class: "dim" }, code ?? ""))),
      h("tr", {}, h("th", { scope: "row" }, "types"), h("td", { colspan: 2 }, f.types.map((t) => `.${t}`).join(" "))),
      h("tr", {}, h("th", { scope: "row" }, "other names"), h("td", { colspan: 2 }, f.aliases.join(" ") || "–")))));
}

/** Three significant digits, short enough for a cell. */
function short(text: string): string {
  const number = Number(text);
  if (!Number.isFinite(number) || text.length <= 6) return text;
  const size = Math.abs(number);
  if (size >= 1e-3 && size < 1e5) return String(Number(number.toPrecision(3))).replace(/^(-?)0\./, "$1.");
  return number.toExponential(size < 1e-9 || size >= 1e10 ? 0 : 1).replace("e+", "e");
}

/** All codes: the row is the upper digit, the column the lower one. */
function codes(f: Format): HTMLElement {
  const columns = Math.min(16, f.codes.length);
  const digit = (n: number) => n.toString(16);
  const chosen = h("p", { class: "chosen-code", "aria-live": "polite" }, "Choose a code to see it in full.");
  const rows = Array.from({ length: Math.ceil(f.codes.length / columns) }, (_, row) =>
    h("tr", {}, h("th", { scope: "row" }, digit(row)), ...f.codes.slice(row * columns, (row + 1) * columns).map(({ code, value: number }, column) => {
      const kind = f.classes[row * columns + column] ?? "";
      return h("td", { class: kind }, h("button", {
        type: "button", tabindex: row + column === 0 ? 0 : -1, "aria-label": `${code} = ${short(number) === number ? number : `${short(number)}, in full ${number}`}`, onclick: () => {
          fill(chosen, h("strong", {}, code), ` = ${number} `, h("span", { class: "dim" }, kind), " ", copyButton("copy", () => number));
          say(`${code} = ${number}`);
        },
      }, short(number)));
    })));
  const table = h("table", { class: "codes" },
    h("thead", {}, h("tr", {}, h("td", {}), ...Array.from({ length: columns }, (_, at) => h("th", { scope: "col" }, digit(at))))),
    h("tbody", {}, ...rows));
  table.addEventListener("keydown", (event) => {
    const buttons = [...table.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    const to = step === undefined ? undefined : buttons[at + step];
    if (!to) return;
    event.preventDefault();
    buttons.forEach((button) => (button.tabIndex = button === to ? 0 : -1));
    to.focus();
  });
  return h("section", { "aria-label": `Codes of ${f.name}` }, h("h2", {}, `${f.name}: all ${f.codes.length} codes`), chosen, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table of ${f.name}` }, table));
}
