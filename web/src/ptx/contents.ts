// The conversions of a text, and the lowest target that accepts them.
import { counted, fill, h, prose } from "../dom";
import type { Statistics } from "../library";
import { addressOf } from "../state";

export function showContents(root: HTMLElement, found: Statistics): void {
  if (found.error) return fill(root);
  const skipped = Object.entries(found.not_judged);
  fill(root, h("h2", {}, "Contents"),
    h("p", {}, `${counted(found.instructions, "instruction")}, ${found.conversions} of them ${found.conversions === 1 ? "a conversion" : "conversions"}`),
    found.forms.length > 0 && h("table", { class: "where" }, h("tbody", {}, ...found.forms.toSorted((a, b) => b.count - a.count).slice(0, 100).map(({ form, count, line }) =>
      h("tr", {}, h("th", { scope: "row" }, String(count)), h("td", { class: "mono" }, h("a", { href: addressOf("convert", { op: form }) }, form)), h("td", { class: "dim" }, `line ${line}`))))),
    ...found.targets.map((sentence) => h("p", { class: "dim" }, `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`)),
    ...skipped.map(([reason, count]) => h("p", { class: "dim" }, ...prose(`${counted(count, "conversion")} not judged: ${reason}.`))));
}
