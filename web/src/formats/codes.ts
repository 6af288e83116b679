// All codes of a narrow format: the row is the upper digit, the column the lower one.
import { copyButton, fill, h, say } from "../dom";
import type { Format } from "../library";
import { addressOf } from "../state";

export function codes(f: Format): HTMLElement {
  const columns = Math.min(16, f.codes.length);
  const digit = (n: number) => n.toString(16);
  const chosen = h("p", { class: "chosen-code", "aria-live": "polite" }, "Choose a code to see it in full.");
  const open = (code: string) => f.convert && h("a", { href: addressOf("convert", { op: f.convert, a: code, b: null, c: null }) }, "open in Convert");
  const rows = Array.from({ length: Math.ceil(f.codes.length / columns) }, (_, row) =>
    h("tr", {}, h("th", { scope: "row" }, digit(row)), ...f.codes.slice(row * columns, (row + 1) * columns).map(({ code, value: number }, column) => {
      const kind = f.classes[row * columns + column] ?? "";
      const short = f.shown[row * columns + column] ?? number;
      return h("td", { class: kind }, h("button", {
        type: "button", tabindex: row + column === 0 ? 0 : -1, "aria-label": `${code} = ${short}`,
      }, short));
    })));
  const table = h("table", { class: "codes mono" },
    h("thead", {}, h("tr", {}, h("td", {}), ...Array.from({ length: columns }, (_, at) => h("th", { scope: "col" }, digit(at))))),
    h("tbody", {}, ...rows));
  // One listener for all buttons.
  table.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    const at = button ? [...table.querySelectorAll("button")].indexOf(button) : -1;
    const { code, value: number } = f.codes[at] ?? {};
    if (code === undefined || number === undefined) return;
    const short = f.shown[at] ?? number;
    const full = short === number ? "" : ` = ${number}`;
    fill(chosen, h("strong", {}, code), ` = ${short}${full} `, h("span", { class: "dim" }, f.classes[at]), " ", copyButton("copy", () => number), " ", open(code));
    say(`${code} = ${short}`);
  });
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
  return h("section", { "aria-label": `Codes of ${f.name}` }, h("h2", {}, h("span", { class: "mono" }, f.name), `: all ${f.codes.length} codes`), chosen,
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table of ${f.name}` }, table));
}
