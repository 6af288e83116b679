// The result: the destination register, how each element was rounded, and the targets that accept the form.
import { actButton, copyButton, fill, h, picture } from "../dom";
import type { Conversion } from "../library";
import { more } from "../site";
import { address, value } from "../state";
import { legend, shownBits } from "./cells";
import { toPng } from "./png";

/** Shows the destination register; each lane is labelled with its operand. */
export function showRegister(root: HTMLElement, conversion: Conversion): void {
  const { evaluation: done, destination: d } = conversion;
  if (!done || !d) return;
  const { elements } = done;
  const lanes = elements.map((e) => h("span", {}, `${e.part} ← ${e.operand} `, h("b", {}, e.value)));
  fill(root,
    h("h2", {}, "d ", h("span", { class: "dim" }, d.register)),
    h("p", { class: "fields" }, h("output", { class: "hex" }, done.result), h("output", {}, String(BigInt(done.result))), copyButton("copy", () => done.result)),
    shownBits("d", done.result, done.width, d.cells),
    legend(d.cells, (lane) => elements.length > 1 ? `${elements[lane]?.part} ← ${elements[lane]?.operand}:` : null),
    elements.length > 1 && h("p", { class: "unseen" }, ...lanes));
}

/** Shows each element on a number line. */
export function showElements(root: HTMLElement, conversion: Conversion, drawn: () => string): void {
  const done = conversion.evaluation;
  if (!done) return;
  fill(root, h("div", { class: "elements" }, ...done.elements.map((element, lane) => {
    const drawing = conversion.drawings[lane];
    return h("article", {},
      h("h2", {}, h("span", { class: "dim" }, `${element.part} ← ${element.operand}`), ` ${element.value}`),
      h("p", { class: "dim mono" }, `${element.result} ${drawing?.format}, from ${element.source} = ${element.source_value} ${drawing?.source_format}`),
      h("ul", { class: "steps" }, ...(drawing?.steps ?? []).map((step) => h("li", {}, step))),
      drawing?.svg ? picture(drawing.svg, `Rounding of ${element.part || element.operand}`, "close") : h("p", { class: "dim" }, "No place on a number line."));
  })),
  h("p", { class: "tabs right" }, h("span", { class: "dim" }, "Copy picture"), copyButton("SVG", drawn), actButton("PNG", () => toPng(drawn()))));
}

/** Shows the targets that accept the form, by their first version. */
export function showWhere(root: HTMLElement, conversion: Conversion): void {
  const rows = conversion.since.map(({ isa, targets }) =>
    h("tr", {}, h("th", { scope: "row" }, `ISA ${isa}`), h("td", {}, ...targets.flatMap((target) => [
      target === value("target") ? h("strong", {}, target) : target, " "]))));
  const types = conversion.opcode.split(".").slice(-2).join(" ");
  fill(root, h("h2", {}, "Legal from"), h("table", { class: "where mono" }, h("tbody", {}, ...rows)),
    h("p", {}, h("a", { href: address("legality", [["q", types], ["target", value("target")], ["isa", value("isa")]]) }, "All forms of these types")),
    h("p", {}, more(conversion.opcode, "More about this form")));
}
